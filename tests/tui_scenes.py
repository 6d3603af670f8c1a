"""Scenes of the full screen for its tests, and the pictures that the tests compare.

    python tests/tui_scenes.py         # draws the pictures in tests/snapshots anew
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from textual.pilot import Pilot

from scala40_env.cards import parse_card
from scala40_env.game import Game
from scala40_env.play.match import Match, seat_players
from scala40_env.play.tui.app import Scala40App
from scala40_env.play.tui.config import TuiConfig
from scala40_env.play.tui.note import Note
from scala40_env.play.tui.replay_screen import ReplayScreen
from scala40_env.play.tui.timeline import Timeline

Result = TypeVar("Result")
Act = Callable[[Scala40App, Pilot[Any]], Awaitable[Any]]

SNAPSHOTS = Path(__file__).parent / "snapshots"
QUICK = TuiConfig(speed="instant")

HAND = "7S 8S 9S KS KH * 4D 5D 6D JC QC 2C"
"""It opens in several ways; QC fits meld 2 and takes the joker of meld 1."""
TABLE = ("5H 6H 7H", "QS QH QC*", "8C 9C TC JC")


def position(hand: str = HAND, table: Sequence[str] = TABLE, **keys: Any) -> Game:
    """Return a game in which seat 0 plays; seat 1 holds seven cards and has opened."""
    return Game.from_position(
        {
            "rules": {"preset": "browser"},
            "player": 0,
            "phase": "play",
            "hands": [hand.split(), "2S 2H 3S 3H 4S 5C 6C".split()],
            "opened": [False, True],
            "table": list(table),
            "pile": ["9C"],
            "turns": [1, 1],
            **keys,
        }
    )


def table_app(game: Game, config: TuiConfig = QUICK, players: Sequence[str] = ("me", "easy")):
    """Return the application at the table of a game."""
    return Scala40App(config, Match(game, seat_players(players, seed=1)))


def three_at_the_table() -> Match:
    """Return a match of three in which the others have just played and seat 0 has drawn."""
    hands = ("5S 6S QH KH AC * 9D", "QD KD AD 4H 4D 9H JS", "TC 4C 2H 8S 6D 3C")
    table = ["3H 4H 5H 6H", "8S 8H 8C*", "9S TS JS QS", "6D 7D 8D"]
    game = position(
        rules={"preset": "browser", "num_players": 3},
        phase="draw",
        player=1,
        hands=[hand.split() for hand in hands],
        opened=[True, True, True],
        table=table,
        pile=["2S", "KC", "5D"],
        totals=[34, 61, 8],
        turns=[4, 4, 4],
    )
    match = Match(game, seat_players(("me", "hard", "normal"), seed=1))
    for move in ("draw", "meld QD KD AD", "discard 9H", "draw", "discard 6D", "draw"):
        match.play(move)
    return match


def two_hands() -> Match:
    """Return the first two hands of a match between agents."""
    match = Match.new("browser", ["easy", "easy"], seed=2)
    while match.game.hand_number < 2:
        if match.game.hand_over:
            match.next_hand()
        else:
            match.agent_move()
    return match


def replay_app(config: TuiConfig = QUICK) -> Scala40App:
    """Return the application with two hands to look at."""
    match = two_hands()
    timeline = Timeline.of(match.game)
    return Scala40App(config, replay=ReplayScreen(timeline, match.names, config.seat, config.speed))


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end."""
    return asyncio.run(work)


async def on_screen(
    app: Scala40App, act: Act | None = None, size: tuple[int, int] = (80, 24)
) -> Scala40App:
    """Run an application without a terminal, and act in it."""
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if act is not None:
            await act(app, pilot)
    return app


async def until(pilot: Pilot[Any], holds: Callable[[], bool], seconds: float = 180) -> None:
    """Wait until something holds; kernels may have to be compiled for it."""
    end = time.monotonic() + seconds
    while not holds():
        assert pilot.app.is_running and time.monotonic() < end, "waited in vain"
        await pilot.pause(0.01)


async def select(app: Any, pilot: Pilot[Any], cards: str) -> None:
    """Select just these cards of the hand, by keys."""
    held = app.screen.desk.held
    wanted = [parse_card(card) for card in cards.split()]
    for place in [*sorted(held.selected), *_places(held.cards, wanted)]:
        steps = place - held.cursor
        await pilot.press(*["right" if steps > 0 else "left"] * abs(steps), "space")


def _places(cards: Sequence[int], wanted: Sequence[int]) -> list[int]:
    free = list(range(len(cards)))
    found = []
    for card in wanted:
        place = next(place for place in free if cards[place] == card)
        free.remove(place)
        found.append(place)
    return sorted(found)


def said(app: Any) -> str:
    """Return what the note of the table says."""
    return str(app.screen.query_one(Note).render())


def shown(app: Any) -> str:
    """Return the characters on the screen, line by line."""
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in line) for line in lines)


# --- pictures --------------------------------------------------------------------------------


async def _prepare_opening(app: Any, pilot: Pilot[Any]) -> None:
    await select(app, pilot, "7S 8S 9S")
    await pilot.press("enter")
    await select(app, pilot, "KS KH *")
    await pilot.press("enter", "1")


async def _choose_card(app: Any, pilot: Pilot[Any]) -> None:
    await select(app, pilot, "QC")


async def _choose_nine(app: Any, pilot: Pilot[Any]) -> None:
    await select(app, pilot, "9D")


async def _close_hand(app: Any, pilot: Pilot[Any]) -> None:
    await pilot.press("x")
    await pilot.pause()


async def _step_on(app: Any, pilot: Pilot[Any]) -> None:
    await pilot.press(*["down"] * 14)


async def _help(app: Any, pilot: Pilot[Any]) -> None:
    await pilot.press("question_mark")


SCENES: dict[str, tuple[Callable[[], Scala40App], Act | None, tuple[int, int]]] = {
    "start": (lambda: Scala40App(TuiConfig()), None, (80, 24)),
    "table": (
        lambda: table_app(position(opened=[True, True]), TuiConfig()), _choose_card, (80, 24),
    ),
    "opening": (lambda: table_app(position(), TuiConfig()), _prepare_opening, (60, 30)),
    "begin": (
        lambda: Scala40App(TuiConfig(light=True), Match.new("browser", ["me", "easy"], seed=5)),
        None, (80, 24),
    ),
    "wide": (lambda: Scala40App(TuiConfig(), three_at_the_table()), _choose_nine, (120, 40)),
    "score_sheet": (
        lambda: table_app(position("KD", opened=[True, True]), TuiConfig()), _close_hand, (80, 24),
    ),
    "replay": (lambda: replay_app(TuiConfig()), _step_on, (80, 24)),
    "help": (lambda: table_app(position()), _help, (80, 24)),
}  # fmt: skip
"""By name: the application, what is done in it, the size of the window."""


def draw(name: str) -> str:
    """Return the picture of a scene as SVG."""
    make, act, size = SCENES[name]
    pictures: list[str] = []

    async def take(app: Scala40App, pilot: Pilot[Any]) -> None:
        if act is not None:
            await act(app, pilot)
        await pilot.pause()
        pictures.append(app.export_screenshot(title="Scala 40"))

    run(on_screen(make(), take, size))
    return pictures[0]


if __name__ == "__main__":
    SNAPSHOTS.mkdir(exist_ok=True)
    for scene in sys.argv[1:] or SCENES:
        (SNAPSHOTS / f"{scene}.svg").write_text(draw(scene), encoding="utf-8")
