"""The commands around training: ablations, curves, deep Monte Carlo, portraits, the headroom."""

import dataclasses
import json

import numpy as np
import pytest

from scala40_env.agents.learned import load, read_arrays
from scala40_env.agents.registry import make_agent
from scala40_env.game import Game
from scala40_env.rules import Rules
from scala40_env.train import ablations, checkpoint, curves, deep_monte_carlo, ppo
from scala40_env.train import headroom as headroom_module
from scala40_env.train import portrait as portrait_module
from scala40_env.train.config import load_config
from scala40_env.train.headroom import HeadroomConfig, Lookahead, headroom
from scala40_env.train.portrait import PortraitConfig, calibration, log_loss, portrait

TINY = "games = 16\nbatch = 200\nminibatches = 2\nwidth = 16\nchoice_width = 8\n"
CHANGED = "no arithmetic"


@pytest.fixture(scope="module")
def ablation(tmp_path_factory):
    """Settings of a tiny ablation, and its result."""
    folder = tmp_path_factory.mktemp("ablations")
    (folder / "tiny.toml").write_text(TINY)
    config = ablations.AblationConfig(
        str(folder / "tiny.toml"), minutes=0.01, pairs=2, only=(CHANGED,), runs=folder
    )
    (row,) = ablations.run_all(config)
    return config, row


@pytest.mark.parametrize("name", ablations.ABLATIONS)
def test_every_ablation_can_be_set_up(name):
    changed = dataclasses.replace(load_config("full"), **ablations.ABLATIONS[name])
    assert ppo.Learner(changed).policy and (changed == load_config("full")) == (name == "recipe")


def test_an_ablation_tells_what_was_changed_and_won(ablation):
    config, row = ablation
    _, meta = checkpoint.load_checkpoint(config.runs / CHANGED)
    assert "outs" in row["config"]["hide"] and row["config"]["processes"] == 1
    assert meta["config"] == row["config"]
    assert row["samples"] == meta["progress"]["samples"] > 0 and 0 <= row["matches"][0] <= 1
    worse = row | {"name": "worse", "points": [points - 1 for points in row["points"]]}
    assert list(ablations.table_of([worse, row]).columns[0].cells) == [CHANGED, "worse"]


def test_an_ablation_that_is_done_is_not_run_again(ablation, monkeypatch):
    config, row = ablation
    monkeypatch.setattr(ablations, "_train", lambda settings: pytest.fail("trained again"))
    assert ablations.run_all(config) == [row]


@pytest.mark.parametrize("change", [{"minutes": 0.02}, {"pairs": 3}])
def test_ablations_of_other_settings_are_not_mixed(ablation, change):
    with pytest.raises(ablations.AblationError, match="other settings"):
        ablations.run_all(dataclasses.replace(ablation[0], **change))


def test_an_interrupted_ablation_keeps_no_result(ablation, tmp_path, monkeypatch, capsys):
    config = dataclasses.replace(ablation[0], runs=tmp_path)

    def interrupted(settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(ablations, "_train", interrupted)
    assert ablations.run_all(config) == [] and not list(tmp_path.glob("*.json"))
    assert "the same command goes on" in capsys.readouterr().err


def test_an_unknown_ablation_is_one_clear_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["ablations", "--only", "nothing"])
    with pytest.raises(SystemExit) as left:
        ablations.main()
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("error: no run 'nothing'; runs: recipe")


def test_curves_of_runs_and_of_files_are_drawn(ablation, tmp_path, monkeypatch, capsys):
    run = ablation[0].runs / CHANGED
    (tmp_path / "one.json").write_text(json.dumps(checkpoint.load_checkpoint(run)[1]))
    picture = tmp_path / "curves.png"
    command = ["curves", str(run), str(tmp_path / "one.json"), "--out", str(picture)]
    monkeypatch.setattr("sys.argv", command)
    curves.main()
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("content", [None, "{}", "nothing"])
def test_a_curve_of_no_run_is_one_clear_line(tmp_path, monkeypatch, capsys, content):
    path = tmp_path / "none.json"
    if content is not None:
        path.write_text(content)
    monkeypatch.setattr("sys.argv", ["curves", str(path)])
    with pytest.raises(SystemExit) as left:
        curves.main()
    message = capsys.readouterr().err
    assert left.value.code == 2 and "none.json" in message and message.count("\n") == 1


def test_deep_monte_carlo_leaves_a_player(tmp_path):
    out = tmp_path / "new" / "monte-carlo.npz"
    deep_monte_carlo.train(deep_monte_carlo.MonteCarloConfig(out, minutes=0.01, batch=300))
    player = load(str(out))
    assert player.name == "monte-carlo" and player.meta["progress"]["samples"] >= 300


@pytest.mark.parametrize(
    ("tool", "words", "named"),
    [
        (deep_monte_carlo, ["--out", "x.npz", "--minutes", "0"], "minutes"),
        (deep_monte_carlo, ["--out", "file/x.npz"], "File exists"),
        (portrait_module, ["--player", "hard"], "hard"),
        (portrait_module, ["--hands", "1"], "hands = 1"),
        (headroom_module, ["--worlds", "0"], "--worlds"),
        (checkpoint, ["none.npz", "player.npz"], "none.npz"),
        (checkpoint, ["file", "player.npz"], "file"),
    ],
)
def test_wrong_input_of_a_tool_is_one_clear_line(tmp_path, monkeypatch, capsys, tool, words, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("nothing")
    monkeypatch.setattr("sys.argv", ["tool", *words])
    with pytest.raises(SystemExit) as left:
        tool.main()
    message = capsys.readouterr().err
    assert left.value.code == 2 and named in message and message.count("\n") == 1


def test_the_player_of_a_run_alone_plays_as_its_checkpoint(ablation, tmp_path, monkeypatch):
    source, target = ablation[0].runs / CHANGED / "checkpoint.npz", tmp_path / "player.npz"
    monkeypatch.setattr("sys.argv", ["checkpoint", str(source), str(target)])
    checkpoint.main()
    (arrays, meta), (whole, _) = read_arrays(target), read_arrays(source)
    assert set(arrays) == {key for key in whole if key.startswith("policy/")}
    assert all(np.array_equal(array, whole[key]) for key, array in arrays.items())
    assert "history" not in meta["progress"] and load(str(target)).name == "player"


def test_a_portrait_tells_of_both_players(tmp_path):
    result = portrait(PortraitConfig(hands=4, out=tmp_path))
    learned, hard = result["players"].values()
    assert learned["hands"] == hard["hands"] == 4
    assert hard["decisions as hard"] == 1.0
    assert learned["hands won"] + hard["hands won"] <= 1
    losses = result["belief"]["log-loss a card"]
    assert 0 < losses["network"] < 1 and (tmp_path / "belief.png").is_file()


def test_calibration_and_log_loss_of_a_known_guess():
    held = np.array([[True, False, False, False]])
    assert log_loss(np.full((1, 4), 0.25), held) == pytest.approx(0.5623, abs=1e-3)
    assert calibration(np.full((1, 4), 0.25), held) == [(0.25, 0.25, 4)]


def test_looking_ahead_rates_the_moves_of_hard():
    rules = Rules.preset("browser")
    lookahead = Lookahead(rules, 3, np.random.default_rng(0))
    game, hard = Game(rules, seed=4), make_agent("hard")
    seen = 0
    while game.phase in ("draw", "play"):
        legal = game.legal_moves()
        gains, mine = lookahead.gains(game)
        assert gains.shape[0] == 2 and gains.shape[2] in (0, len(legal))
        move = hard.act(game.view(game.player), legal)
        if gains.size:
            seen += 1
            assert (gains[:, :, mine] == 0).all() and np.isfinite(gains).all()
            assert np.abs(gains).max() <= 1
        game.push(move)
    assert seen > 5


def test_headroom_is_measured_in_worlds_of_its_own():
    rows = headroom(HeadroomConfig(decisions=3, worlds=4))
    assert rows.shape == (3, 3) and np.isfinite(rows).all()
    assert set(rows[:, 1]) <= {0.0, 0.5, 1.0}
