"""The full screen by Textual's Pilot: pointer, dialogs, whole matches, damage, sizes, pictures."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select
from tui_scenes import (
    QUICK,
    SCENES,
    SNAPSHOTS,
    draw,
    on_screen,
    position,
    replay_app,
    run,
    said,
    select,
    shown,
    table_app,
    three_at_the_table,
    two_hands,
    until,
)

from scala40_env.actions import TAKE_ID, action_meld, discard_card, is_discard, is_meld
from scala40_env.agents import make_agent
from scala40_env.cards import JOKER, card_text, parse_card
from scala40_env.melds import meld_text
from scala40_env.play.match import Match
from scala40_env.play.tui.app import Scala40App, load_replay, prepare
from scala40_env.play.tui.cards_widget import CardsWidget
from scala40_env.play.tui.choices import card_to_table
from scala40_env.play.tui.config import TuiConfig
from scala40_env.play.tui.dialogs import ChoiceDialog, CoverDialog, LineDialog
from scala40_env.play.tui.log import Log
from scala40_env.play.tui.play_screen import PlayScreen
from scala40_env.play.tui.replay_screen import ReplayScreen
from scala40_env.play.tui.sheet import Sheet
from scala40_env.play.tui.start_screen import StartScreen
from scala40_env.record import read_records, replay_record
from scala40_env.rules import Rules

ROOT = Path(__file__).parents[1]
OPENED = {"opened": [True, True]}


# --- the pointer -----------------------------------------------------------------------------


async def click(app: Any, pilot: Pilot[Any], name: str, value: object) -> None:
    """Click the first place on the screen that stands for something: ("meld", 2)."""
    for widget in app.screen.query(CardsWidget):
        for y in range(widget.size.height):
            for x in range(widget.size.width):
                offset = widget.content_region.offset + (x, y)
                if app.screen.get_style_at(*offset).meta.get(name) == value:
                    await pilot.click(offset=offset)
                    return
    raise AssertionError(f"nothing on the screen stands for {name} {value}")


def test_by_pointer_the_stock_draws_and_the_pile_discards():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        game = app.screen.match.game
        await click(app, pilot, "pile", "stock")
        assert game.phase == "play"
        await click(app, pilot, "position", 0)
        card = app.screen.desk.held.chosen[0]
        await click(app, pilot, "pile", "pile")
        assert game.turns[0] == 2 and card in game.pile

    run(on_screen(table_app(position("8C 9C KD 7S", (), phase="draw", **OPENED)), act))


def test_by_pointer_the_pile_gives_its_card():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await click(app, pilot, "pile", "pile")
        assert app.screen.match.game.taken == parse_card("TC")
        assert "B gives it back" in said(app)
        await click(app, pilot, "action", "give_back")
        assert app.screen.match.game.returned

    game = position("8C 9C KD 7S", (), phase="draw", pile=["TC"], **OPENED)
    run(on_screen(table_app(game), act))


def test_by_pointer_a_meld_takes_the_selected_card():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await click(app, pilot, "meld", 2)
        assert "Select a card first" in said(app)
        await click(app, pilot, "position", app.screen.desk.held.cards.index(parse_card("QC")))
        assert "1★" in shown(app) and "2+" in shown(app), "those that take it are marked"
        await click(app, pilot, "meld", 2)
        assert meld_text(app.screen.match.game.table[2]) == "8C 9C TC JC QC"

    run(on_screen(table_app(position(**OPENED)), act))


def test_by_pointer_an_opening_is_prepared_and_laid():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        for cards in ("7S 8S 9S", "KS KH"):
            for card in cards.split():
                place = app.screen.desk.held.cards.index(parse_card(card))
                await click(app, pilot, "position", place)
            if cards == "KS KH":
                await click(app, pilot, "position", len(app.screen.desk.held.cards) - 1)
            await click(app, pilot, "action", "lay")
        await pilot.press("1")
        await click(app, pilot, "button", "open")
        assert app.screen.match.game.opened[0]

    run(on_screen(table_app(position()), act))


# --- choices, reasons, helps -----------------------------------------------------------------


def test_a_choice_can_be_closed_without_one():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await select(app, pilot, "QC")
        await pilot.press("a")
        assert isinstance(app.screen, ChoiceDialog)
        await pilot.press("escape")
        assert not app.screen.desk.match.game.can_undo
        await pilot.press("a", "down", "enter")
        assert len(app.screen.match.game.table[2]) == 5

    run(on_screen(table_app(position(**OPENED)), act))


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        (("s",), "already drawn"),
        (("p",), "already drawn"),
        (("b",), "no card that could be given back"),
        (("a",), "not opened"),
        (("u",), "go back"),
        (("enter",), "three or more"),
        (("space", "right", "space", "x"), "just one card"),
    ],
)
def test_what_is_not_possible_is_told_and_loses_nothing(keys: tuple[str, ...], reason: str):
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        before = app.screen.match.game.position()
        await pilot.press(*keys)
        assert reason in said(app)
        assert app.screen.match.game.position() == before

    run(on_screen(table_app(position()), act))


def test_the_cards_of_a_hint_are_selected():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await pilot.press("enter")
        assert app.screen.desk.held.chosen

    run(on_screen(table_app(position()), act))


def test_a_new_level_sits_down():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("l", "2")
        assert app.screen.match.names == ["You", "normal"] and "normal" in said(app)

    run(on_screen(table_app(position()), act))


def test_leaving_asks_first():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("q", "escape")
        assert isinstance(app.screen, PlayScreen)
        await pilot.press("q", "1")
        await pilot.pause()
        assert not app.is_running

    run(on_screen(table_app(position()), act))


def test_cards_are_hidden_until_the_next_person_is_there():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("s", "x")
        assert isinstance(app.screen, CoverDialog)
        assert "Ugo, it is your turn" in shown(app) and "♥" not in shown(app)
        await pilot.press("enter")
        assert app.screen.desk.seat == 1 and "drew" in said(app)
        assert re.search(r"drew \d", said(app)) is None, "a drawn card is nobody else's business"

    players = ("me:Anna", "me:Ugo")
    run(on_screen(table_app(position(phase="draw", **OPENED), players=players), act))


# --- whole matches ---------------------------------------------------------------------------


async def play_turn(app: Any, pilot: Pilot[Any], agent: Any) -> None:
    """Play one move of an agent by keys; an opening with all its melds."""
    place = app.screen.desk
    game = place.staging.game
    move = agent.act(game.view(0), game.legal_moves())
    text = game.move_text(move)
    if move.action < 3:
        await pilot.press("p" if move.action == TAKE_ID else "b" if text == "return" else "s")
    elif place.staging.can_open and not is_meld(move.action):
        await pilot.press("enter")
    elif is_discard(move.action):
        await select(app, pilot, card_text(discard_card(move.action)))
        await pilot.press("x")
    elif is_meld(move.action):
        meld = action_meld(move.action)
        cards = [JOKER if joker else card for card, joker in meld.cards()]
        await select(app, pilot, " ".join(map(card_text, cards)))
        await pilot.press("enter")
        await answer(app, pilot, lambda option: option.endswith(place.words.meld(meld)))
    else:
        after = game.clone()
        after.push(move)
        wanted = place.words.meld(after.table[move.meld])
        await select(app, pilot, card_text(card_to_table(move)))
        await pilot.press("a")
        await answer(app, pilot, lambda option: f"meld {move.meld}: {wanted}" in option)


async def answer(app: Any, pilot: Pilot[Any], is_it: Any) -> None:
    """Choose an option, if there is a choice."""
    if isinstance(app.screen, ChoiceDialog):
        texts = [str(option) for option in app.screen._options]
        await pilot.press(str(1 + next(n for n, text in enumerate(texts) if is_it(text))))


def test_a_whole_match_is_played_by_keys_and_kept(tmp_path: Path):
    path = tmp_path / "match.jsonl"
    rules = Rules.preset("browser", limit=40)
    config = TuiConfig(rules, ("me", "easy"), seed=15, speed="instant", save=path)
    agent = make_agent("normal", 1)
    sheets = []

    async def act(app: Any, pilot: Pilot[Any]) -> None:
        match = app.screen.match
        for _ in range(500):
            if match.is_over:
                break
            await until(pilot, lambda: not app.screen.is_attached or not match.is_agents_turn)
            await pilot.pause()
            if isinstance(app.screen, Sheet):
                sheets.append(shown(app))
                await pilot.press("enter")
            elif match.is_persons_turn:
                await play_turn(app, pilot, agent)
        await until(pilot, lambda: isinstance(app.screen, Sheet))
        assert "wins the match!" in shown(app)
        await app.workers.wait_for_complete()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, StartScreen))

    app = prepare(config)
    run(on_screen(app, act))
    match = app._match
    assert len(match.chronicle.results) == 2 and "Total" in sheets[0]
    ((line, record),) = read_records(path)
    assert replay_record(record, line).totals == match.game.totals


def test_agents_moves_are_shown_one_after_another_and_can_be_skipped():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("x")
        await pilot.pause(0.2)
        assert "is playing. Space skips ahead" in said(app)
        await pilot.press("space")
        await until(pilot, lambda: app.screen.desk.is_my_turn)

    run(on_screen(table_app(position(**OPENED), TuiConfig(speed="slow")), act))


def test_agents_are_watched_and_a_match_goes_to_its_end():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        assert isinstance(app.screen, ReplayScreen)
        await pilot.press("right", "right")
        assert app.screen.number == 2
        await pilot.press("end")
        await until(pilot, lambda: app.screen.number > 2)
        await pilot.pause()
        assert "wins the match!" in said(app)

    config = TuiConfig(Rules.preset("browser", mode="single_hand"), ("easy", "easy"), seed=2)
    run(on_screen(prepare(config), act))


def test_a_replay_jumps_to_a_hand_and_a_turn():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("g", "2", "space", "3", "enter")
        await until(pilot, lambda: app.screen.number > 0)
        assert "Hand 2, turn 3" in said(app)
        await pilot.press("g", "x", "enter")
        assert "Not a hand and a turn: 'x'" in said(app)

    run(on_screen(replay_app(), act))


def test_keys_pressed_quickly_are_all_counted():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press(*["right"] * 9)
        assert app.screen.number == 9
        await pilot.press(*["left"] * 4)
        assert app.screen.number == 5

    run(on_screen(replay_app(), act))


def test_keys_while_a_live_match_runs_to_its_end_do_no_harm():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("end", "right", "right", "end")
        await until(pilot, lambda: app.screen.timeline.is_whole)
        await until(pilot, lambda: app.screen.number == len(app.screen.timeline) - 1)

    config = TuiConfig(Rules.preset("browser", mode="single_hand"), ("easy", "easy"), seed=2)
    run(on_screen(prepare(config), act))


def test_a_seats_view_hides_what_others_draw():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("right")
        assert app.screen.moment.seat == 0 and re.search(r"drew \S+", said(app))
        await pilot.press("v", "v")
        assert app.screen.seat == 1 and re.search(r"drew\n", said(app))

    run(on_screen(replay_app(), act))


# --- starting --------------------------------------------------------------------------------


def start_with(app: Any, **values: Any) -> None:
    """Fill the start screen in."""
    for name, value in values.items():
        widget = app.screen.query_one(f"#{name}", Select | Input)
        widget.value = value


def test_the_start_screen_seats_rules_and_players():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        start_with(app, rules="italian", count=3, seat2="normal", seed="12", speed="instant")
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PlayScreen))
        match = app.screen.match
        assert (match.game.rules.preset_name, match.game.seed) == ("italian", 12)
        assert match.names == ["You", "easy", "normal"]

    run(on_screen(Scala40App(QUICK), act))


@pytest.mark.parametrize(
    ("values", "reason"),
    [({"seed": "abc"}, "not 'abc'"), ({"seed": str(1 << 64)}, "is not in 0")],
)
def test_a_start_that_cannot_be_is_told(values: dict[str, str], reason: str):
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        start_with(app, **values)
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: reason in shown(app))
        assert isinstance(app.screen, StartScreen)

    run(on_screen(Scala40App(QUICK), act))


def test_a_missing_checkpoint_is_told_on_the_start_screen():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        start_with(app, seat1="file")
        await pilot.pause()
        assert isinstance(app.screen, LineDialog)
        await pilot.press(*"gone.npz", "enter")
        await pilot.pause()
        assert app.screen.query_one("#seat1", Select).value == "gone.npz"
        app.screen.query_one("#begin").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "no checkpoint 'gone.npz'" in shown(app))

    run(on_screen(Scala40App(QUICK), act))


def test_a_saved_match_goes_on_and_a_damaged_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Match.new("browser", ["me", "easy"], seed=9).save("good.jsonl")
    Path("bad.jsonl").write_text('{"format": "scala40-record/1"')

    async def load(app: Any, pilot: Pilot[Any], name: str) -> None:
        app.screen.query_one("#load").press()
        await pilot.pause()
        app.screen.query_one(Input).value = name
        await pilot.press("enter")

    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await load(app, pilot, "bad.jsonl")
        await until(pilot, lambda: "bad.jsonl: line 1: not JSON" in shown(app))
        await load(app, pilot, "good.jsonl")
        await until(pilot, lambda: isinstance(app.screen, PlayScreen))
        assert app.screen.match.game.seed == 9

    run(on_screen(Scala40App(QUICK), act))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"load": "none.jsonl"}, "none.jsonl"),
        ({"replay": "none.jsonl"}, "none.jsonl"),
        ({"replay": "bad.jsonl"}, "line 1: not JSON"),
        ({"replay": "good.jsonl", "line": 3}, "no match 3"),
        ({"players": ("me", "gone.npz")}, "no checkpoint 'gone.npz'"),
        ({"players": ("me", "strong")}, "unknown agent 'strong'"),
        ({"players": ("easy", "easy"), "seat": 2}, "seat 2 is not in 0..1"),
        ({"replay": "good.jsonl", "seat": -1}, "seat -1 is not in 0..1"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(
    settings: dict[str, Any], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    two_hands().save("good.jsonl")
    Path("bad.jsonl").write_text("{")
    with pytest.raises(ValueError, match=reason) as refused:
        prepare(TuiConfig(**settings))
    assert "\n" not in str(refused.value)


def test_a_match_that_cannot_be_saved_goes_on(tmp_path: Path):
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("w")
        app.screen.query_one(Input).value = str(tmp_path / "no" / "folder.jsonl")
        await pilot.press("enter")
        await until(pilot, lambda: "cannot save the match" in said(app))
        await pilot.press("w")
        app.screen.query_one(Input).value = str(tmp_path / "match.jsonl")
        await pilot.press("enter")
        await until(pilot, lambda: "Saved in" in said(app))

    config = TuiConfig(players=("me", "easy"), seed=7, speed="instant")
    run(on_screen(prepare(config), act))
    assert Match.load(tmp_path / "match.jsonl").game.seed == 7


def test_a_file_of_somebody_else_is_not_overwritten(tmp_path: Path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Anna,\n")

    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("w")
        app.screen.query_one(Input).value = str(letter)
        await pilot.press("enter")
        await until(pilot, lambda: "not touched" in said(app))

    run(on_screen(prepare(TuiConfig(players=("me", "easy"), seed=7, speed="instant")), act))
    assert letter.read_text() == "Dear Anna,\n"


# --- sizes and pictures ----------------------------------------------------------------------


def test_an_empty_table_tells_a_beginner_the_game():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        text = shown(app)
        assert "Get rid of all cards" in text and "7S 7H 7D" in text
        assert "melds worth 40 points together" in text

    run(on_screen(table_app(position(table=[]), TuiConfig(letters=True)), act))


def test_the_last_turn_of_the_others_is_on_a_small_screen_once():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("x")
        await until(pilot, lambda: app.screen.desk.is_my_turn)
        turn = app.screen.turn_line(app.screen.match.chronicle.last)
        assert shown(app).count(turn[:40]) == 1  # a long one is cut short in the frame
        await pilot.press("x")
        await pilot.pause()
        assert "First draw" in said(app) and shown(app).count(turn[:40]) == 1

    run(on_screen(table_app(position(opened=[True, True])), act))


def test_all_seats_are_told_in_one_form():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        line = shown(app).splitlines()[1]
        assert line.count("opened, ") == 3 and "▮" not in line

    run(on_screen(Scala40App(QUICK, three_at_the_table()), act, (120, 40)))


def test_a_replay_names_people_as_the_table_does(tmp_path: Path):
    path = tmp_path / "match.jsonl"
    Match.new("browser", ["me", "easy"], 1).save(path)
    replay = load_replay(TuiConfig(replay=path))

    async def sees_you(app: Any, pilot: Pilot[Any]) -> None:
        assert re.search(r"You .*13 cards", shown(app))

    run(on_screen(Scala40App(QUICK, replay=replay), sees_you))


def test_a_window_may_shrink_to_nothing():
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        for size in ((10, 3), (1, 1), (0, 0), (3, 60), (200, 2), (80, 24)):
            await pilot.resize_terminal(*size)
        await until(pilot, lambda: "7♠" in shown(app) and "Draw" in shown(app))

    run(on_screen(table_app(position()), act))


@pytest.mark.parametrize("size", [(60, 30), (80, 24), (120, 40)])
def test_everything_that_matters_is_on_the_screen(size: tuple[int, int]):
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        text = shown(app)
        for card in app.screen.desk.held.cards:
            assert app.screen.words.card(card) in text
        for word in ("Table", "Stock", "Pile", "Draw", "Help", "easy", "You", "5♥", "Q♣", "J♣"):
            assert word in text
        assert any(log.display for log in app.screen.query(Log)) == (size != (80, 24))

    run(on_screen(table_app(position()), act, size))


def pinned(name: str) -> bool:
    """Tell whether a library has the version with which the pictures were drawn."""
    return f"{name}=={version(name)}" in (ROOT / "constraints.txt").read_text().splitlines()


@pytest.mark.skipif(
    not (pinned("textual") and pinned("rich")), reason="drawn with other versions of the libraries"
)
@pytest.mark.parametrize("name", SCENES)
def test_a_screen_looks_as_it_did(name: str):
    assert draw(name) == (SNAPSHOTS / f"{name}.svg").read_text(encoding="utf-8"), (
        "look at the screen; if it is meant so: python tests/tui_scenes.py"
    )
