"""A match told in lines, for watching, replaying, and between the hands of one's own match."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console

from scala40_env.game import Game
from scala40_env.rules import Rules

from .chronicle import Chronicle, HandResult, Step, Turn
from .console import say
from .i18n import _
from .words import Words, given_up, hand_changes, hand_ending, match_ending, team_name

_CLOSED = "*"
_CLOSED_IN_HAND = "**"


class Story:
    """Tells matches on a console.

    Args:
        console: where to.
        words: how cards are written.
        names: of the seats.
        rules: of the match.
        seat: tell only what this seat sees; None: everything.
    """

    def __init__(
        self,
        console: Console,
        words: Words,
        names: Sequence[str],
        rules: Rules,
        seat: int | None = None,
    ) -> None:
        self._console = console
        self._words = words
        self._names = names
        self._rules = rules
        self._seat = seat

    def match(self, game: Game, winners: Sequence[int], resigned: int | None = None) -> None:
        """Tell a whole match, or what there is of it; `resigned` is who gave it up."""
        chronicle = Chronicle.of(game)
        for hand, log in enumerate(game.logs):
            self.deal(game.at_start_of(log))
            for turn in chronicle.hand_turns(hand):
                self.turn(turn)
            if hand < len(chronicle.results):
                self.result(chronicle.results[hand])
        if game.match_over:
            self.ending(winners)
        elif resigned is not None:
            self.given_up(resigned)
        else:
            self._say(_("The match is not finished."))

    def deal(self, game: Game) -> None:
        """Show the hands of a deal."""
        title = _("Hand {number}").format(number=game.hand_number + 1)
        dealer = _("{name} deals").format(name=self._names[game.dealer])
        self._say("", self._words.heading(self._words.dot.join([title, dealer])))
        for seat, name in enumerate(self._names):
            if game.hand_sizes[seat] and self._sees(seat):
                self._say(f"  {self._name(seat, name)}  {self._words.hand(game.hand(seat))}")
        self._say(_("  turned up: {card}").format(card=self._words.cards(game.pile)), "")

    def _sees(self, seat: int) -> bool:
        return self._seat in (None, seat)

    def turn(self, turn: Turn, reveal: bool | None = None) -> None:
        """Tell a turn in a line; `reveal` says whether a drawn card is named, against the seat."""
        reveal = self._sees(turn.seat) if reveal is None else reveal
        self._say(self._words.turn(turn, self._names[turn.seat], reveal))

    def steps(self, seat: int, steps: Sequence[Step]) -> None:
        """Tell moves in the middle of a turn."""
        self._say(self._words.steps(steps, self._names[seat]))

    def result(self, result: HandResult) -> None:
        """Tell how a hand ended, and the points."""
        self._say("", hand_ending(result, self._names))
        for seat, name in enumerate(self._names):
            line = _("  {name}  {points:>+4}   total {total:>4}").format(
                name=self._name(seat, name), points=result.points[seat], total=result.totals[seat]
            )
            self._say(line)
        for line in hand_changes(result, self._names):
            self._say(line)

    def given_up(self, seat: int) -> None:
        """Tell who gave the match up."""
        self._say("", given_up(self._names[seat]))

    def ending(self, winners: Sequence[int]) -> None:
        """Tell how the match ended."""
        self._say("", match_ending(winners, self._names, self._rules))

    def score_sheet(self, results: Sequence[HandResult], totals: Sequence[int]) -> None:
        """Show the points of all hands; a star marks who closed, two a close in hand."""
        names = self._names
        if self._rules.teams != "none":
            names = [f"{name} ({team_name(p % 2)})" for p, name in enumerate(names)]
        head = [_("hand"), *names]
        rows = [self._score_row(result) for result in results]
        last = [_("total"), *map(str, totals)]
        widths = [max(map(cell_len, column)) for column in zip(head, *rows, last, strict=True)]
        for row in [head, *rows, last]:
            self._say(
                "  " + "  ".join(_right(text, w) for text, w in zip(row, widths, strict=True))
            )
        if results:
            self._say(
                _("  {one} closed   {two} closed in hand").format(one=_CLOSED, two=_CLOSED_IN_HAND)
            )

    def _score_row(self, result: HandResult) -> list[str]:
        mark = _CLOSED_IN_HAND if result.in_hand else _CLOSED
        points = [
            f"{points}{mark}" if seat == result.closer else str(points)
            for seat, points in enumerate(result.points)
        ]
        return [str(result.hand + 1), *points]

    def _name(self, seat: int, name: str) -> str:
        width = max(map(cell_len, self._names))
        return name + " " * (width - cell_len(name))

    def _say(self, *lines: str) -> None:
        say(self._console, *lines)


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text
