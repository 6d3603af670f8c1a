"""Every key of the full screen, pressed by Textual's Pilot, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from tui_scenes import QUICK, on_screen, position, replay_app, run, said, shown, table_app, until

from scala40_env.cards import parse_card
from scala40_env.melds import meld_text
from scala40_env.play.tui.app import Scala40App
from scala40_env.play.tui.dialogs import ChoiceDialog, LineDialog, TextDialog
from scala40_env.play.tui.help_screen import HelpScreen
from scala40_env.play.tui.keys import ANYWHERE, PLAY, REPLAY, SHEET, START, Key
from scala40_env.play.tui.play_screen import PlayScreen
from scala40_env.play.tui.sheet import Sheet
from scala40_env.play.tui.start_screen import StartScreen

OPENED = {"opened": [True, True]}

# --- at the table ----------------------------------------------------------------------------


async def _draws(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    await press()
    assert app.screen.match.game.phase == "play" and "drew" in said(app)


async def _takes(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    await press()
    assert app.screen.match.game.taken == parse_card("TC")


async def _gives_back(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    app.screen.action_take()
    await press()
    assert app.screen.match.game.returned


def _moves_to(start: int, end: int) -> Callable[..., Awaitable[None]]:
    async def check(app: Any, press: Callable[[], Awaitable[None]]) -> None:
        app.screen.desk.held.cursor = start
        await press()
        assert app.screen.desk.held.cursor == end

    return check


def _selects(before: set[int], after: set[int]) -> Callable[..., Awaitable[None]]:
    async def check(app: Any, press: Callable[[], Awaitable[None]]) -> None:
        app.screen.desk.held.selected = set(before)
        await press()
        assert app.screen.desk.held.selected == after

    return check


async def _prepares_a_meld(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    app.screen.desk.held.select([parse_card(card) for card in ("7S", "8S", "9S")])
    await press()
    assert app.screen.desk.staging.points == 24
    assert "24 of 40 points" in shown(app)


async def _adds(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    app.screen.desk.held.select([parse_card("TC")])
    await press()
    assert meld_text(app.screen.match.game.table[0]) == "7C 8C 9C TC"


async def _discards(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    app.screen.desk.held.select([parse_card("2C")])
    await press()
    assert parse_card("2C") in app.screen.match.game.pile


async def _undoes(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    app.screen.desk.held.select([parse_card("TC")])
    app.screen.action_add()
    await press()
    assert meld_text(app.screen.match.game.table[0]) == "7C 8C 9C"


async def _drops(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    app.screen.desk.held.select([parse_card(card) for card in ("7S", "8S", "9S")])
    app.screen.action_lay()
    app.screen.desk.held.toggle(0)
    await press()
    assert app.screen.desk.staging.is_empty and not app.screen.desk.held.selected


async def _sorts(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    await press()
    assert app.screen.desk.held.by_rank


def _goes_to(screen: type, text: str = "") -> Callable[..., Awaitable[None]]:
    async def check(app: Any, press: Callable[[], Awaitable[None]]) -> None:
        await press()
        assert isinstance(app.screen, screen) and text in shown(app)

    return check


def _changes_speed(before: str, after: str) -> Callable[..., Awaitable[None]]:
    async def check(app: Any, press: Callable[[], Awaitable[None]]) -> None:
        app.screen.speed = before
        await press()
        assert app.screen.speed == after and after in shown(app)

    return check


async def _changes_colours(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    await press()
    assert app.theme == "scala40-light" and not app.current_theme.dark


async def _changes_suits(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    assert "7♠" in shown(app)
    await press()
    assert "7S" in shown(app) and "♠" not in shown(app)


TAKING = position("8C 9C KD 7S", (), phase="draw", pile=["TC"], **OPENED)
ADDING = position("TC 2C 3D", ("7C 8C 9C",), **OPENED)
PLAY_CHECKS: dict[str, tuple[Any, Callable[..., Awaitable[None]]]] = {
    "draw": (TAKING, _draws),
    "take": (TAKING, _takes),
    "give_back": (TAKING, _gives_back),
    "move(-1)": (position(), _moves_to(0, 11)),
    "move(1)": (position(), _moves_to(0, 1)),
    "lift(True)": (position(), _selects(set(), {0})),
    "lift(False)": (position(), _selects({0}, set())),
    "first": (position(), _moves_to(5, 0)),
    "last": (position(), _moves_to(5, 11)),
    "select": (position(), _selects(set(), {0})),
    "lay": (position(), _prepares_a_meld),
    "add": (ADDING, _adds),
    "discard": (position(), _discards),
    "undo": (ADDING, _undoes),
    "drop": (position(), _drops),
    "sort": (position(), _sorts),
    "hint": (position(), _goes_to(TextDialog, "would")),
    "scores": (position(), _goes_to(Sheet, "Total")),
    "speed(-1)": (position(), _changes_speed("slow", "normal")),
    "speed(1)": (position(), _changes_speed("instant", "fast")),
    "save": (position(), _goes_to(LineDialog, "match.jsonl")),
    "level": (position(), _goes_to(ChoiceDialog, "hard")),
    "new": (position(), _goes_to(StartScreen, "Start")),
    "help": (position(), _goes_to(HelpScreen, "draw from the stock")),
    "light_or_dark": (position(), _changes_colours),
    "symbols_or_letters": (position(), _changes_suits),
    "leave": (position(), _goes_to(ChoiceDialog, "Leave")),
}


def test_every_key_of_the_table_is_pressed_here():
    assert {key.action for key in (*PLAY, *ANYWHERE)} == set(PLAY_CHECKS)
    assert {key.action for key in REPLAY} == set(REPLAY_CHECKS)


def presses(keys: tuple[Key, ...]) -> list[Any]:
    """Return one test case for each key of a table."""
    return [
        pytest.param(key.action, name, id=f"{name}-{key.action}")
        for key in keys
        for name in key.names
    ]


def check_key(app: Scala40App, name: str, check: Callable[..., Awaitable[None]]) -> None:
    """Press one key in an application and check what it did."""

    async def act(app: Any, pilot: Pilot[Any]) -> None:
        async def press() -> None:
            await pilot.press(name)
            await app.workers.wait_for_complete(
                [worker for worker in app.workers if worker.group != "agents"]
            )
            await pilot.pause()

        await check(app, press)

    run(on_screen(app, act))


@pytest.mark.parametrize(("action", "name"), presses((*PLAY, *ANYWHERE)))
def test_a_key_at_the_table(action: str, name: str):
    game, check = PLAY_CHECKS[action]
    check_key(table_app(game.clone()), name, check)


# --- elsewhere -------------------------------------------------------------------------------


def _goes_from(start: int, end: int) -> Callable[..., Awaitable[None]]:
    async def check(app: Any, press: Callable[[], Awaitable[None]]) -> None:
        app.screen.number = start
        await press()
        assert app.screen.number == (end if end >= 0 else len(app.screen.timeline) - 1)
        assert f"move {app.screen.number}" in shown(app)

    return check


async def _changes_view(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    assert "all hands" in shown(app) and "▒▒" not in shown(app)[:400]
    await press()
    assert app.screen.seat == 0 and "seen by easy 1" in shown(app)


async def _plays(app: Any, press: Callable[[], Awaitable[None]]) -> None:
    await press()
    assert app.screen.number == len(app.screen.timeline) - 1 and not app.screen.is_playing


REPLAY_CHECKS: dict[str, Callable[..., Awaitable[None]]] = {
    "step(1)": _goes_from(0, 1),
    "step(-1)": _goes_from(1, 0),
    "turn(1)": _goes_from(0, 2),
    "turn(-1)": _goes_from(2, 0),
    "start": _goes_from(7, 0),
    "finish": _goes_from(0, -1),
    "play": _plays,
    "speed(-1)": _changes_speed("slow", "normal"),
    "speed(1)": _changes_speed("fast", "normal"),
    "go": _goes_to(LineDialog, "hand and turn"),
    "view": _changes_view,
    "scores": _goes_to(Sheet, "Total"),
}


@pytest.mark.parametrize(("action", "name"), presses(REPLAY))
def test_a_key_of_the_replay(action: str, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("scala40_env.play.tui.replay_screen._SHORTEST_PAUSE", 0.0)
    check_key(replay_app(), name, REPLAY_CHECKS[action])


@pytest.mark.parametrize(("action", "name"), presses(SHEET))
def test_a_key_of_the_score_sheet_deals_the_next_hand(action: str, name: str):
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        await pilot.press("x")
        assert isinstance(app.screen, Sheet) and "You closed the hand." in shown(app)
        await pilot.press(name)
        await until(pilot, lambda: isinstance(app.screen, PlayScreen))
        assert app.screen.match.game.hand_number == 1 and app.screen.match.game.phase != "over"

    assert action == "go_on"
    run(on_screen(table_app(position("KD", **OPENED)), act))


@pytest.mark.parametrize(("action", "name"), presses(START))
def test_a_key_of_the_start_screen(action: str, name: str):
    async def act(app: Any, pilot: Pilot[Any]) -> None:
        assert app.focused.id == "begin"
        await pilot.press(name)
        if action == "begin":
            await until(pilot, lambda: isinstance(app.screen, PlayScreen))
        elif action == "cancel":
            assert isinstance(app.screen, StartScreen), "there is no match to go back to"
        else:
            assert app.focused.id == {"app.focus_next": "load"}.get(action, "seed")

    run(on_screen(Scala40App(QUICK), act))
