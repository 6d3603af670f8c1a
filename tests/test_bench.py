"""The measures of speed run and are named as promised; how fast they are is no test."""

from __future__ import annotations

import json

import pytest

from scala40_env import bench
from scala40_env.bench import BenchConfig, Budget
from scala40_env.cli import main

NAMES = {
    "batch",
    "batch_observe",
    "batch_features",
    "two_threads_ratio",
    "game_moves",
    "aec_wrapped_over_null",
    "aec_raw",
    "bot_hands",
    "worst_case_ms",
    "import_s",
    "compile_s",
    "memory_one_mb",
    "memory_4096_mb",
}


def test_all_figures_have_their_names():
    assert set(bench.measures()) | {"over_openspiel"} == NAMES | {"over_openspiel"}
    assert set(bench.MEASURES) == NAMES | {"over_openspiel"}


@pytest.mark.parametrize("name", ["batch", "batch_observe", "game_moves", "aec_wrapped_over_null"])
def test_a_measure_gives_a_figure(name):
    assert bench.MEASURES[name].function(Budget(1, 0.01)) > 0


def test_memory_is_that_of_a_game_and_not_of_the_libraries():
    assert 0 < bench.MEASURES["memory_one_mb"].function(Budget(1, 0)) < 40


def test_figures_are_printed_as_json(capsys):
    assert main(["bench", "--quick", "--json", "--only", "worst_case_ms"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["what"], row["unit"]) == ("worst_case_ms", "ms") and row["value"] > 0


def test_an_unknown_measure_is_named():
    with pytest.raises(ValueError, match="no measure 'speed'"):
        bench.run(BenchConfig(only=("speed",)))


def test_openspiel_plays_inside_itself():
    pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install -e '.[bench]'")
    assert bench.openspiel_rate(Budget(1, 0.01)) > 0
