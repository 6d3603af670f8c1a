"""Who sits at the table: whose turn it is, how many cards, opened or not, points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.geometry import Size

from scala40_env.game import GameState

from ..i18n import _, ngettext
from ..match import Match
from .cards_widget import CardsWidget, Piece, Row, content, flow, side_by_side

_WIDE = 38
_NARROW = 28
_NARROWEST = 18


@dataclass(frozen=True)
class Seat:
    """What is shown of a seat.

    Attributes:
        name: of the player.
        cards: how many it holds.
        total: its points in the match.
        has_opened: in this hand.
        is_to_move: whether it is its turn.
        is_in: whether it still plays in this match.
    """

    name: str
    cards: int
    total: int
    has_opened: bool
    is_to_move: bool
    is_in: bool = True


def seats_of(match: Match) -> list[Seat]:
    """Return what is shown of the seats of a match."""
    return seats_at(match.game, match.names)


def seats_at(state: GameState, names: Sequence[str]) -> list[Seat]:
    """Return what is shown of the seats of a game."""
    is_on = state.phase != "over"
    rows = zip(
        names, state.hand_sizes, state.totals, state.opened, state.in_match, strict=True
    )
    return [
        Seat(name, cards, total, opened, is_on and seat == state.player, is_in)
        for seat, (name, cards, total, opened, is_in) in enumerate(rows)
    ]


class Seats(CardsWidget):
    """One cell a seat, as many in a line as there is room for."""

    def __init__(self) -> None:
        super().__init__(id="seats")
        self._seats: Sequence[Seat] = ()

    def show(self, seats: Sequence[Seat]) -> None:
        """Show the seats."""
        self._seats = seats
        if self.differs(seats):
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return max(1, len(self._lines(width)))

    def _cell(self, width: int) -> int:
        """Return the width of a cell: two a line are better than one, but none is cut short."""
        count = max(1, len(self._seats))
        for per_line in (count, -(-count // 2), -(-count // 3), 1):
            cell = width // per_line
            if cell >= (_NARROW if count <= 2 else _NARROWEST):
                return min(cell, 2 * _WIDE)
        return max(1, width)

    def _lines(self, width: int) -> list[list[int]]:
        return flow([self._cell(width)] * len(self._seats), width)

    def render(self) -> Content:
        """Draw all cells."""
        width = self._cell(self.size.width)
        form = max((shortness(seat, width) for seat in self._seats), default=0)
        rows: list[Row] = []
        for line in self._lines(self.size.width):
            cells = [seat_line(self, self._seats[seat], width, form) for seat in line]
            rows += side_by_side([[cell] for cell in cells])
        return content(rows)


def shortness(seat: Seat, width: int) -> int:
    """Return which text of a seat fits into a cell: 0 is the longest."""
    texts = _texts(seat)
    fits = (n for n, text in enumerate(texts) if len(text) + len(seat.name) + 4 <= width)
    return next(fits, len(texts) - 1)


def seat_line(widget: CardsWidget, seat: Seat, width: int, form: int) -> list[Piece]:
    """Draw a seat in a cell, in words or shorter as `form` says."""
    tone = "label--off" if not seat.is_in else "label--strong" if seat.is_to_move else "label"
    mark = "▶ " if seat.is_to_move else "  "
    texts = _texts(seat)
    text = texts[min(form, len(texts) - 1)]
    name = seat.name[: max(1, width - len(text) - 4)]
    rest = f"  {text}".ljust(width)[: width - len(name) - len(mark)]
    quiet = widget.paint("label" if seat.is_in else "label--off")
    return [(f"{mark}{name}", widget.paint(tone)), (rest, quiet)]


def _texts(seat: Seat) -> list[str]:
    """Return what stands behind the name, the longest text first."""
    cards = ngettext("{n} card", "{n} cards", seat.cards).format(n=seat.cards)
    points = ngettext("{n} point", "{n} points", seat.total).format(n=seat.total)
    if not seat.is_in:
        return [_("out, {points}").format(points=points), _("out")]
    opened = _("opened") if seat.has_opened else _("not opened")
    backs = "▮" * seat.cards
    tick = "✓" if seat.has_opened else "○"
    return [
        _("{backs} {cards}, {opened}, {points}").format(
            backs=backs, cards=cards, opened=opened, points=points
        ),
        _("{cards}, {opened}, {points}").format(cards=cards, opened=opened, points=points),
        _("{cards} {tick} {points}").format(cards=cards, tick=tick, points=points),
        _("{cards}c {tick} {points}p").format(cards=seat.cards, tick=tick, points=seat.total),
    ]
