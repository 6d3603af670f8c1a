"""A match to look at: agents at play, or a record; forward and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from ..i18n import _
from ..words import Words, hand_ending, match_ending
from .button_bar import ButtonBar
from .config import SPEEDS, next_speed
from .dialogs import LineDialog
from .hands import Hands
from .keys import REPLAY, bindings, buttons
from .log import Log
from .messages import ButtonPressed
from .note import Note
from .piles import Piles
from .seats import seats_at
from .sheet import Sheet
from .table import Table
from .timeline import Moment, Timeline
from .tint import words_of
from .title import Title

_SHORTEST_PAUSE = 0.05
_MOVE = "move"


class ReplayScreen(Screen[None]):
    """The moments of a match.

    Args:
        timeline: the moments.
        names: of the seats.
        seat: whose view is shown; None: all hands.
        speed: of playing on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(REPLAY)]
    HELP_KEYS = REPLAY

    def __init__(
        self,
        timeline: Timeline,
        names: Sequence[str],
        seat: int | None = None,
        speed: str = "normal",
    ) -> None:
        super().__init__()
        self.timeline = timeline
        self.number = 0
        self.seat = seat
        self.speed = speed
        self.is_playing = False
        self._names = names

    def compose(self) -> ComposeResult:
        """Lay the table."""
        yield Title()
        yield Hands()
        with Horizontal(id="middle"):
            yield Table()
            with Vertical(id="side"):
                yield Piles()
                yield Log(id="side-log")
        yield Note()
        yield ButtonBar(buttons(REPLAY))

    def on_mount(self) -> None:
        """Begin at the first deal."""
        self.show()

    @property
    def moment(self) -> Moment:
        """What is shown."""
        return self.timeline.moment(self.number)

    @property
    def words(self) -> Words:
        """How cards are written."""
        return words_of(self.app)

    # --- drawing ---------------------------------------------------------------------------

    def show(self) -> None:
        """Draw the moment."""
        moment = self.moment
        state = moment.state
        seats = range(len(self._names))
        cards = [state.hand(seat) if self.seat in (None, seat) else None for seat in seats]
        self.query_one(Title).show(self._title())
        self.query_one(Hands).show(seats_at(state, self._names), cards)
        self.query_one(Table).show(state.table, state.laid_this_turn)
        self.query_one(Piles).show(state, ("", ""), frozenset())
        self.query_one(Log).show(self._events())
        note = self.query_one(Note)
        note.say(self._event(moment))
        note.ask(self._position())
        self.query_one(ButtonBar).show((), {"play": _("Pause")} if self.is_playing else {})

    def _title(self) -> str:
        view = (
            _("all hands")
            if self.seat is None
            else _("seen by {name}").format(name=self._names[self.seat])
        )
        return _("Scala 40 · {rules} rules · {view} · speed {speed}").format(
            rules=self.moment.state.rules.preset_name, view=view, speed=_(self.speed)
        )

    def _events(self) -> list[str]:
        """Return the moves of this hand so far."""
        first = self.timeline.find(self.moment.hand)
        assert first is not None
        numbers = range(first, self.number + 1)
        return [self._event(self.timeline.moment(number)) for number in numbers]

    def _event(self, moment: Moment) -> str:
        """Return what the last move of a moment was."""
        if moment.step is None or moment.seat is None:
            return _("The cards are dealt.")
        step = self.words.step(moment.step, reveal=self.seat in (None, moment.seat))
        text = _("{name}: {moves}").format(name=self._names[moment.seat], moves=step)
        return text if moment.result is None else f"{text}\n{self._ending(moment)}"

    def _ending(self, moment: Moment) -> str:
        assert moment.result is not None
        state = moment.state
        text = hand_ending(moment.result, self._names)
        if not state.match_over:
            return text
        return f"{text} {match_ending(moment.winners, self._names, state.rules)}"

    def _position(self) -> str:
        moment = self.moment
        return _("Hand {hand}, turn {turn} · move {number}").format(
            hand=moment.hand, turn=moment.turn, number=self.number
        )

    # --- moving ----------------------------------------------------------------------------

    def _go(self, find: Callable[[], int | None]) -> None:
        """Go to a moment; a live match may have to be played up to it first, aside."""
        self.workers.cancel_group(self, _MOVE)
        self.is_playing = False
        if self.timeline.is_whole:
            self._arrive(find())
        else:
            self._go_aside(find)

    @work(exclusive=True, group=_MOVE)
    async def _go_aside(self, find: Callable[[], int | None]) -> None:
        self._arrive(await asyncio.to_thread(find))

    def _arrive(self, number: int | None) -> None:
        """Show a moment; None: the one that is shown stays."""
        if number is not None:
            self.number = number
        self.show()

    def action_step(self, step: int) -> None:
        """Go some moves on or back."""
        number = max(0, self.number + step)
        self._go(lambda: number if self.timeline.has(number) else None)

    def action_turn(self, step: int) -> None:
        """Go a turn on or back."""
        move = self.timeline.next_turn if step > 0 else self.timeline.previous_turn
        self._go(lambda: move(self.number))

    def action_start(self) -> None:
        """Go to the first deal."""
        self._go(lambda: 0)

    def action_finish(self) -> None:
        """Go to the end; a live match is played to it."""
        self._go(self.timeline.last)

    def action_play(self) -> None:
        """Play on, or pause."""
        if self.is_playing:
            self._go(lambda: None)
        else:
            self._play_on()

    @work(exclusive=True, group=_MOVE)
    async def _play_on(self) -> None:
        self.is_playing = True
        while await asyncio.to_thread(self.timeline.has, self.number + 1):
            self.number += 1
            self.show()
            await asyncio.sleep(max(_SHORTEST_PAUSE, SPEEDS[self.speed]))
        self.is_playing = False
        self.show()

    def action_speed(self, step: int) -> None:
        """Play faster or more slowly."""
        self.speed = next_speed(self.speed, step)
        self.show()

    def action_view(self) -> None:
        """Show all hands, then one seat's view after the other."""
        seats = [None, *range(len(self._names))]
        self.seat = seats[(seats.index(self.seat) + 1) % len(seats)]
        self.show()

    def action_go(self) -> None:
        """Ask for a hand and a turn and go there."""
        title = _("Go to hand and turn")
        self.app.push_screen(LineDialog(title, example=_("for example: 2 15")), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if text is None:
            return
        words = text.replace(",", " ").split()
        if not 1 <= len(words) <= 2 or not all(word.isdecimal() for word in words):
            self.query_one(Note).say(
                _("Not a hand and a turn: {text!r}").format(text=text), is_warning=True
            )
            return
        hand, turn = int(words[0]), int(words[1]) if len(words) > 1 else 0
        self._go(lambda: self.timeline.find(hand, turn))

    def action_scores(self) -> None:
        """Show the score sheet of the hands that are finished here."""
        known = [self.timeline.moment(number) for number in range(self.number + 1)]
        results = [moment.result for moment in known if moment.result is not None]
        rules = self.moment.state.rules
        self.app.push_screen(Sheet(self._position(), self._names, results, rules))

    async def on_button_pressed(self, message: ButtonPressed) -> None:
        """Do what the key of the button does."""
        await self.run_action(message.action)
