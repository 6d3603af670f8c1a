"""The hands of all seats, for watching: those that may be seen, and the backs of the others."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size

from scala40_env.cards import Card

from ..words import sort_hand
from .cards_widget import CardsWidget, Piece, Row, content, flow, side_by_side, width_of
from .seats import Seat, seat_line, shortness


class Hands(CardsWidget):
    """A line of words a seat, and its cards below."""

    def __init__(self) -> None:
        super().__init__(id="hands")
        self._seats: Sequence[Seat] = ()
        self._cards: Sequence[Sequence[Card] | None] = ()

    def show(self, seats: Sequence[Seat], cards: Sequence[Sequence[Card] | None]) -> None:
        """Show seats and their cards; None: only the backs."""
        self._seats, self._cards = seats, cards
        if self.differs(seats, cards):
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return max(1, len(self._rows(width)))

    def render(self) -> Content:
        """Draw all seats."""
        return content(self._rows(self.size.width))

    def _rows(self, width: int) -> list[Row]:
        rows: list[Row] = []
        for seat, cards in zip(self._seats, self._cards, strict=True):
            rows.append(seat_line(self, seat, width, shortness(seat, width)))
            blocks = [self._card(card) for card in ([None] * seat.cards if cards is None else
                                                    sort_hand(cards))]
            for line in flow([width_of(block) for block in blocks], width - 2):
                margin: Row = [("  ", self.paint())]
                rows += side_by_side([[margin], *([blocks[number]] for number in line)])
        return rows

    def _card(self, card: Card | None) -> list[Piece]:
        if card is None:
            return [("▒▒", self.paint("card--back")), (" ", self.paint())]
        text = self.words.card(card)
        return self.card_row(text, card, max(4, len(text) + 1))
