"""Tuning: candidates play the same deals, and what it leaves can be loaded."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from scala40_env.agents import AgentError, make_agent
from scala40_env.agents.levels import LevelAgent, load_level, load_level_file
from scala40_env.rules import Rules
from scala40_env.train.tune import Search, TuneConfig, level_text, play_candidates, run


def test_a_search_leaves_a_level_a_log_and_a_curve(tmp_path, capsys):
    config = TuneConfig(minutes=0.0, pairs=2, check_pairs=4, folder=str(tmp_path), json=True)
    run(config)
    figures = json.loads(capsys.readouterr().out)
    assert figures["generations"] == 1
    level = load_level_file(tmp_path / "best.toml")
    before = load_level("hard")
    assert level.version == before.version + 1
    assert {level.parameters[name] for name in config.fixed} == {
        before.parameters[name] for name in config.fixed
    }
    assert level.parameters != before.parameters
    assert make_agent(tmp_path / "best.toml").name == level.label
    (row,) = (tmp_path / "log.jsonl").read_text().splitlines()
    assert set(json.loads(row)) == {"number", "minutes", "mean", "best", "middle"}
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_candidates_are_told_apart_by_what_they_gain():
    good = load_level("normal")
    bad = replace(good, parameters={**good.parameters, "pair": 0.0, "near": 0.0, "gap": 0.0})
    config, pool = TuneConfig(pairs=60), [LevelAgent(good)]
    gains = play_candidates([good, bad], pool, Rules.preset("browser"), config, 0)
    assert gains[0] == 0.0  # mirrored deals against itself
    assert gains[1] < -1


def test_a_search_begins_at_the_figures_of_the_level():
    search = Search(TuneConfig(step=1e-9))
    found = search.level(search.strategy.ask()[0]).parameters
    assert found == pytest.approx(dict(load_level("hard").parameters), abs=1e-4)


@pytest.mark.parametrize("name", ["easy", "normal", "hard"])
def test_figures_of_every_level_can_be_searched_and_keep_their_signs(name):
    search = Search(TuneConfig(level=name, step=3.0))
    start = load_level(name).parameters
    for point in search.strategy.ask():
        for figure, value in search.level(point).parameters.items():
            assert value * start[figure] >= 0


def test_a_level_without_figures_cannot_be_tuned():
    with pytest.raises(AgentError, match="level 'random' has no figures to tune"):
        Search(TuneConfig(level="random"))


def test_a_level_is_written_as_it_is_read(tmp_path):
    path = tmp_path / "hard.toml"
    path.write_text(level_text(load_level("hard")))
    assert load_level_file(path) == load_level("hard")
