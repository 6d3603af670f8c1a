"""The command `scala40`: its verbs, its one-line errors, its exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scala40_env.cli import VERBS, main
from scala40_env.game import Game
from scala40_env.record import read_records, replay_record, write_records
from scala40_env.rules import Rules


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def run(*words: str) -> int:
    """Run the command in this process; returns its exit status."""
    try:
        return main(words)
    except SystemExit as stop:
        return int(stop.code or 0)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must be refused; returns its one line."""
    assert run(*words) == 2
    # The first use of the kernels on a machine is announced, whatever comes of it.
    lines = capsys.readouterr().err.splitlines()
    said = [line for line in lines if "compiling the kernels" not in line]
    assert len(said) == 1 and said[0].startswith("scala40: "), said
    return said[0]


def spawn(*words: str, **options: object) -> subprocess.Popen[str]:
    """Start the command as a process of its own, which Ctrl-C interrupts in any case."""
    code = "import sys; from scala40_env.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )  # fmt: skip


def record_file(path: Path, legal: bool = False) -> Path:
    """Write a file with one short match."""
    rules = Rules.preset("browser", mode="single_hand")
    game = Game(rules, 4)
    while not game.match_over:
        game.next_hand() if game.hand_over else game.push(game.legal_moves()[-1])
    write_records(path, [game.record(["a", "b"], legal)])
    return path


# --- help --------------------------------------------------------------------------------------


def test_help_lists_all_verbs(capsys: pytest.CaptureFixture[str]):
    assert run("--help") == 0
    said = capsys.readouterr().out
    assert all(f"  {verb} " in said for verb in VERBS)
    assert run() == 0


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from scala40_env.cli import main; main(['--help']);"
        "print(sorted({'torch', 'numba', 'textual', 'tyro', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str, capsys: pytest.CaptureFixture[str]):
    assert run(verb, "--help") == 0
    said = capsys.readouterr().out
    assert "usage: scala40" in said and "Examples:" in said and f"scala40 {verb}" in said


def test_a_verb_that_is_not_there_gets_a_suggestion(capsys: pytest.CaptureFixture[str]):
    assert "did you mean play?" in refused(capsys, "ply")


def test_the_version(capsys: pytest.CaptureFixture[str]):
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("scala40 0.")


# --- wrong input -------------------------------------------------------------------------------

PLAYING = ("play", "watch", "record", "tui")


@pytest.mark.parametrize("verb", PLAYING)
@pytest.mark.parametrize(
    "words, named",
    [
        (["--rules", "fisc"], "'fisc'"),
        (["--rules", "nix.toml"], "'nix.toml'"),
        (["--set", "limt=3"], "limit"),
        (["--set", "limit=many"], "limit = many"),
        (["--set", "teams=2x2", "reentry=once"], "reentry = once"),
        (["--sed", "3"], "--seed"),
        (["--seed", "x"], "--seed"),
    ],
)
def test_wrong_options_are_named(
    verb: str, words: list[str], named: str, capsys: pytest.CaptureFixture[str]
):
    assert named in refused(capsys, verb, *words)


@pytest.mark.parametrize(
    "words, named",
    [
        (["play", "--opponent", "hrd"], "'hrd'"),
        (["play", "--opponent", "nix.npz"], "'nix.npz'"),
        (["play", "--players", "hard", "hard"], "'me'"),
        (["play", "--players", "me", "hard", "--set", "num_players=3"], "num_players = 3"),
        (["play", "--seed", "-1"], "-1"),
        (["play", "--load", "nix.jsonl"], "'nix.jsonl'"),
        (["play", "--resume"], "no unfinished match"),
        (["play", "--save", "/nix/match.jsonl"], "/nix/match.jsonl"),
        (["watch", "--players", "me", "hard"], "watch is for agents"),
        (["watch", "--players", "hard"], "num_players = 1"),
        (["watch", *["--players"], *["easy"] * 7], "num_players = 7"),
        (["record", "--matches", "0"], "0"),
        (["watch", "--delay", "inf"], "--delay inf"),
        (["watch", "--delay", "-1"], "--delay -1"),
        (["record", "--out", "/nix/x.jsonl"], "/nix/x.jsonl"),
        (["replay"], "FILE"),
        (["replay", "nix.jsonl"], "'nix.jsonl'"),
        (["rules", "fisc"], "'fisc'"),
        (["rules", "--diff", "browser", "x"], "'x'"),
        (["rules", "--diff", "browser"], "--diff"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(
    words: list[str], named: str, capsys: pytest.CaptureFixture[str]
):
    assert named in refused(capsys, *words)


@pytest.mark.parametrize(
    "words",
    [
        ["--players", "hrad", "hard"],
        ["--seed", "-1"],
        ["--seed", str((1 << 64) - 1), "--matches", "2"],
    ],
)
def test_what_cannot_be_recorded_touches_no_file(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "old.jsonl"
    out.write_text("kept\n")
    refused(capsys, "record", "--out", str(out), *words)
    assert out.read_text() == "kept\n"


def test_a_record_is_appended_on_a_line_of_its_own(tmp_path: Path):
    out = tmp_path / "old.jsonl"
    assert run("record", "--out", str(out), "--matches", "1", "--players", "random", "random") == 0
    out.write_text(out.read_text().rstrip("\n"))
    words = ("record", "--out", str(out), "--matches", "1", "--players", "random", "random")
    assert run(*words, "--append") == 0
    assert len(list(read_records(out))) == 2


def test_a_package_that_is_missing_is_named_with_its_extra(monkeypatch, capsys):
    import scala40_env.commands.serve as command

    def fail(_options: object) -> None:
        raise ModuleNotFoundError("No module named 'aiohttp'", name="aiohttp")

    monkeypatch.setattr(command, "run", fail)
    assert "pip install 'scala40-env[play]'" in refused(capsys, "serve")


def test_a_damaged_checkpoint_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name in ("bad.npz", "bad.pt"):
        (tmp_path / name).write_bytes(b"no checkpoint")
        assert name in refused(capsys, "play", "--opponent", str(tmp_path / name))


def test_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch):
    import scala40_env.commands.rules as command

    def fail(_options: object) -> None:
        int("not from our code")

    fail.__globals__["__name__"] = "somewhere_else"
    monkeypatch.setattr(command, "run", fail)
    try:
        with pytest.raises(ValueError, match="invalid literal"):
            main(["rules"])
    finally:
        fail.__globals__["__name__"] = __name__


# --- rules -------------------------------------------------------------------------------------


def test_rules_prints_every_field(capsys: pytest.CaptureFixture[str]):
    assert run("rules", "italian", "--set", "limit=201") == 0
    said = capsys.readouterr().out
    assert all(name in said for name in Rules.FIELDS)
    assert "201" in said


def test_rules_as_json_are_rules(capsys: pytest.CaptureFixture[str]):
    assert run("rules", "italian", "--set", "limit=201", "reshuffles=3", "--json") == 0
    rules = Rules.from_dict(json.loads(capsys.readouterr().out))
    assert rules == Rules.preset("italian", limit=201, reshuffles=3)


def test_rules_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "house.toml"
    path.write_text('[rules]\npreset = "italian"\nlimit = 301\n')
    assert run("rules", str(path), "--set", "opening_min=50", "--json") == 0
    rules = Rules.from_dict(json.loads(capsys.readouterr().out))
    assert rules == Rules.preset("italian", limit=301, opening_min=50)


def test_the_difference_of_two_presets(capsys: pytest.CaptureFixture[str]):
    assert run("rules", "--diff", "browser", "fisca", "--json") == 0
    different = json.loads(capsys.readouterr().out)
    assert different["unopened_penalty"] == [100, None]
    assert "limit" not in different


def test_tips_and_actions(capsys: pytest.CaptureFixture[str]):
    assert run("rules", "--tips") == 0
    assert "Open early" in capsys.readouterr().out
    assert run("rules", "--actions", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert sum(row["count"] for row in rows) == 1208


# --- record, replay, watch ---------------------------------------------------------------------


def test_records_are_written_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = str(tmp_path / "m.jsonl")
    words = ["--out", path, "--matches", "2", "--players", "random", "normal", "--seed", "5"]
    words += ["--rules", "italian", "--set", "limit=60", "--legal", "--json"]
    assert run("record", *words) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["matches"] == 2 and sum(figures["wins"]) == 2
    records = [record for _line, record in read_records(path)]
    assert [record["seed"] for record in records] == [5, 6]
    assert records[0]["rules"]["limit"] == 60
    assert records[0]["players"] == ["random", "normal"]
    assert "legal" in records[0]["hands"][0]["turns"][0]
    assert run("replay", path, "--check", "--json") == 0
    checked = json.loads(capsys.readouterr().out)
    assert (checked["right"], checked["hands"]) == (True, figures["hands"])


def test_the_same_seed_gives_the_same_file(tmp_path: Path):
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in files:
        words = ["--out", str(path), "--matches", "1", "--players", "easy", "easy", "--seed", "9"]
        assert run("record", *words) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_append_keeps_what_is_there(tmp_path: Path):
    path = record_file(tmp_path / "m.jsonl")
    words = ["--out", str(path), "--matches", "1", "--players", "normal", "normal", "--append"]
    assert run("record", *words) == 0
    assert len(list(read_records(path))) == 2


def test_replay_tells_the_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("replay", str(record_file(tmp_path / "m.jsonl")), "--letters") == 0
    said = capsys.readouterr().out
    assert "Hand 1" in said and "turned up" in said and "wins the match!" in said


def test_a_wrong_record_is_refused_where_it_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = record_file(tmp_path / "m.jsonl", legal=True)
    record = json.loads(path.read_text())
    record["hands"][0]["turns"][2]["moves"][0] = "take * 3"
    path.write_text(json.dumps(record) + "\n")
    for words in (["--check"], []):
        said = refused(capsys, "replay", str(path), *words)
        assert "m.jsonl: line 1, hand 1, turn 3, move 1" in said


def test_a_match_that_is_not_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = str(record_file(tmp_path / "m.jsonl"))
    assert "no match 2" in refused(capsys, "replay", path, "--match", "2")


def test_watch_tells_the_same_match_for_the_same_seed(capsys: pytest.CaptureFixture[str]):
    told = []
    for _ in range(2):
        words = ["--players", "normal", "easy", "easy", "--seed", "3"]
        assert run("watch", *words, "--set", "mode=single_hand") == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert "easy 2: " in told[0] and "wins the match!" in told[0]


# --- processes ---------------------------------------------------------------------------------


def test_a_reader_that_goes_away_leaves_no_traceback():
    process = spawn("rules", "--actions")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 141


def test_ctrl_c_keeps_the_matches_that_are_finished(tmp_path: Path):
    path = tmp_path / "m.jsonl"
    words = ["--out", str(path), "--matches", "100000", "--players", "normal", "normal"]
    process = spawn("record", *words, start_new_session=True)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (path.exists() and path.stat().st_size):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _out, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said and "stopped:" in said
    records = list(read_records(path))
    assert records
    for line, record in records:
        replay_record(record, line)


def test_a_script_plays_through_a_pipe_and_goes_on_later():
    process = spawn("play", "--opponent", "easy", "--seed", "5", "--letters")
    out, said = process.communicate("s\nhint\nnonsense\n", timeout=300)
    assert process.returncode == 2
    assert "'nonsense' is no command" in out and "\x1b" not in out
    assert said.splitlines()[-1].startswith("scala40: end of input in the middle of a match.")
    process = spawn("play", "--resume", "--letters")
    out, _said = process.communicate("quit\n", timeout=300)
    assert process.returncode == 0
    assert "discard (x)" in out


def test_letters_where_the_output_cannot_write_suits():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = spawn("play", "--opponent", "easy", "--seed", "5", env=environment)
    out, said = process.communicate("rules\ntips\nhistory\nquit\n", timeout=300)
    assert process.returncode == 0, said
    assert "Your hand:" in out


def test_watching_one_seat_hides_the_others(capsys: pytest.CaptureFixture[str]):
    words = ["watch", "--players", "easy", "normal", "--seed", "3", "--set", "mode=single_hand"]
    assert run(*words, "--seat", "1", "--letters") == 0
    said = capsys.readouterr().out
    assert "  normal  " in said.split("turned up")[0]
    assert "  easy  " not in said.split("turned up")[0]
    assert "easy: drew;" in said and "normal: drew;" not in said
    assert "--seat 2" in refused(capsys, *words, "--seat", "2")


@pytest.mark.parametrize("words", [["tui"], ["watch", "--tui"], ["replay", "x.jsonl", "--tui"]])
def test_the_full_screen_needs_a_terminal(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert "needs a terminal" in refused(capsys, *words)
