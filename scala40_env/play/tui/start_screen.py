"""The start screen: rules, players, seed, speed; or a saved match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Button, Input, Label, Select, Static

from scala40_env.rules import PRESETS, Rules

from ..i18n import _
from ..match import PERSON, Match
from ..saves import last_unfinished, named_path
from ..words import goal
from .config import LEVELS, SPEEDS
from .dialogs import LineDialog
from .keys import START, bindings
from .warm_up import warmed_up

_MOST_PLAYERS = 6
_WEAK = ("random", "greedy")
_FILE = "file"


@dataclass(frozen=True)
class Setup:
    """What the start screen asks for.

    Attributes:
        rules: of the match.
        players: one name a seat, as `Match.new` takes them.
        seed: of the match; None draws one.
        speed: of the agents' moves.
    """

    rules: Rules
    players: tuple[str, ...]
    seed: int | None
    speed: str


@dataclass(frozen=True)
class Started:
    """A match that is ready, and how it was set up."""

    match: Match
    setup: Setup


class StartScreen(Screen[Started]):
    """Asks how to play and makes the match; without one, it gives None.

    Args:
        setup: what stands there at first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(START)]
    HELP_KEYS = START

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self._setup = setup
        others = [name for name in setup.players if name not in (PERSON, *LEVELS, *_WEAK)]
        self._files = list(dict.fromkeys(others))

    def compose(self) -> ComposeResult:
        """Lay the form out."""
        setup = self._setup
        with VerticalScroll(id="start", can_focus=False):
            yield Static(_title(), id="start-title")
            with Grid(id="form"):
                yield Label(_("Rules"))
                yield _choice("rules", [(name, name) for name in _rule_names(setup.rules)],
                              _rule_name(setup.rules))
                yield Label(_("Players"))
                yield _choice("count", [(str(n), n) for n in range(2, _MOST_PLAYERS + 1)],
                              len(setup.players))
                for seat in range(_MOST_PLAYERS):
                    yield Label(_("Seat {number}").format(number=seat + 1), classes=f"seat{seat}")
                    yield self._seat_choice(seat)
                yield Label(_("Agents move"))
                yield _choice("speed", [(_(name), name) for name in SPEEDS], setup.speed)
                yield Label(_("Seed"))
                yield Input("" if setup.seed is None else str(setup.seed), id="seed",
                            placeholder=_("a number; empty: other cards each time"), compact=True)
            yield Static(id="goal", markup=False)
            with Horizontal(id="start-buttons"):
                yield Button(_("Start"), id="begin")
                yield Button(_("Saved match"), id="load")
                yield Button(_("Leave"), id="leave")
            yield Static(_("Enter starts. Tab and arrows move, ? helps."), id="start-note",
                         markup=False)

    def _seat_choice(self, seat: int) -> Select:
        players = self._setup.players
        name = players[seat] if seat < len(players) else players[-1]
        return _choice(f"seat{seat}", self._agent_options(), name, classes=f"seat{seat} seat")

    def _agent_options(self) -> list[tuple[str, str]]:
        names = [*LEVELS, *_WEAK, *self._files]
        return [
            (_("a person"), PERSON), *((name, name) for name in names), (_("a file ..."), _FILE),
        ]  # fmt: skip

    def on_mount(self) -> None:
        """Let Enter start."""
        self.query_one("#begin").focus()

    # --- reading the form ------------------------------------------------------------------

    def _value(self, name: str) -> str | int:
        value = self.query_one(f"#{name}", Select).value
        assert isinstance(value, str | int)
        return value

    def _read(self) -> Setup:
        """Return what the form says (ValueError with one line if it makes no sense)."""
        text = self.query_one("#seed", Input).value.strip()
        if text and not text.isdecimal():
            raise ValueError(_("The seed is a number, not {text!r}.").format(text=text))
        count = int(self._value("count"))
        return Setup(
            self._rules(),
            tuple(str(self._value(f"seat{seat}")) for seat in range(count)),
            int(text) if text else None,
            str(self._value("speed")),
        )

    def _rules(self) -> Rules:
        name = str(self._value("rules"))
        return Rules.preset(name) if name in PRESETS else self._setup.rules

    def _say(self, text: str, is_warning: bool = False) -> None:
        note = self.query_one("#start-note", Static)
        note.set_class(is_warning, "-warning")
        note.update(text)

    @on(Select.Changed)
    def _follow(self, event: Select.Changed) -> None:
        """Show as many seats as there are players; ask for a file where one is wanted."""
        count = int(self._value("count"))
        for seat in range(_MOST_PLAYERS):
            for widget in self.query(f".seat{seat}"):
                widget.display = seat < count
        self.query_one("#goal", Static).update(goal(self._rules()))
        if event.value == _FILE:
            self._ask_for_agent(event.select)

    def _ask_for_agent(self, select: Select) -> None:
        def use(path: str | None) -> None:
            if path is not None and path not in self._files:
                self._files.append(path)
            for other in self.query(".seat").results(Select):
                value = (path or PERSON) if other is select else other.value
                other.set_options(self._agent_options())
                other.value = value

        title = _("File of an agent (*.npz, *.toml)")
        self.app.push_screen(LineDialog(title), use)

    # --- starting --------------------------------------------------------------------------

    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        """Start with what the form says."""
        try:
            setup = self._read()
        except ValueError as error:
            self._say(str(error), is_warning=True)
            return
        self._make(lambda: Match.new(setup.rules, setup.players, setup.seed), setup)

    @on(Button.Pressed, "#load")
    def _load(self) -> None:
        def load(path: str | None) -> None:
            if path is not None:
                self._make(lambda: Match.load(named_path(path)), self._setup)

        self.app.push_screen(LineDialog(_("File of a saved match"), _last_saved()), load)

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.app.exit()

    @work(exclusive=True)
    async def _make(self, make: Callable[[], Match], setup: Setup) -> None:
        """Make a match aside, since the first one compiles the engine, and give it."""
        self._say(_("Preparing the table; the first time this takes half a minute ..."))
        try:
            match = await asyncio.to_thread(lambda: warmed_up(make()))
        except ValueError as error:
            self._say(str(error), is_warning=True)
            return
        specs = tuple(player.spec for player in match.players)
        self.dismiss(Started(match, replace(setup, rules=match.game.rules, players=specs)))

    def action_cancel(self) -> None:
        """Go back to the match, if there is one."""
        if len(self.app.screen_stack) > 2:
            self.dismiss(None)


def _choice(
    name: str, options: Sequence[tuple[str, str | int]], value: str | int, classes: str = ""
) -> Select:
    return Select(options, value=value, allow_blank=False, id=name, classes=classes, compact=True)


def _rule_name(rules: Rules) -> str:
    """Return the preset that rules are, whatever their number of players; or that they are own."""
    name = rules.preset_name
    assert name is not None
    is_preset = rules.with_(num_players=2) == Rules.preset(name) if rules.teams == "none" else False
    return name if is_preset else _("{preset}, changed").format(preset=name)


def _rule_names(rules: Rules) -> list[str]:
    return list(dict.fromkeys([*PRESETS, _rule_name(rules)]))


def _last_saved() -> str:
    """Return the file of the last match that is not over; empty if there is none."""
    try:
        return str(last_unfinished())
    except ValueError:
        return ""


def _title() -> str:
    return "[$card-red-text]♥[/] [b]S C A L A   4 0[/b] [$card-red-text]♦[/]"
