"""The hand of the person who plays: cards to click and to walk over with the keys."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.geometry import Size

from .cards_widget import CardsWidget, Piece, Row, content, pressed
from .held import Held
from .messages import CardPressed

_NARROWEST = 4
_WIDEST = 7
_FULL_HAND = 14  # so that cards do not change their width when one is drawn
_TALL_WINDOW = 34


class Hand(CardsWidget):
    """A hand, in one line of cards or more; selected cards stand higher."""

    def __init__(self) -> None:
        super().__init__(id="hand")
        self.held = Held()
        self._lines = 0

    def show(self, held: Held) -> None:
        """Show a hand."""
        self.held = held
        lines = self._num_lines(self.size.width)
        self.refresh(layout=lines != self._lines)
        self._lines = lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the rows that the hand takes."""
        return self._num_lines(width) * self._line_height(viewport.height)

    def _line_height(self, window: int) -> int:
        """Return the rows of one line of cards: the cards, a row to rise, a row for the cursor."""
        return self._card_height(window) + 2

    def _card_height(self, window: int) -> int:
        lines = self._num_lines(self.size.width or 80)
        return 2 if lines > 1 and window < _TALL_WINDOW else 4 if window >= _TALL_WINDOW else 3

    def _num_lines(self, width: int) -> int:
        return max(1, -(-len(self.held.cards) // max(1, width // _NARROWEST)))

    def _card_width(self) -> int:
        per_line = -(-max(_FULL_HAND, len(self.held.cards)) // self._num_lines(self.size.width))
        return max(_NARROWEST, min(_WIDEST, self.size.width // per_line))

    def render(self) -> Content:
        """Draw all lines."""
        width = self._card_width()
        per_line = max(1, self.size.width // width)
        count = len(self.held.cards)
        rows: list[Row] = []
        for first in range(0, max(count, 1), per_line):
            rows += self._line(range(first, min(count, first + per_line)), width)
        return content(rows)

    def _line(self, positions: Sequence[int], width: int) -> list[Row]:
        """Draw cards side by side; a lifted one leaves the last row empty."""
        height = self._card_height(self.app.size.height)
        rows: list[Row] = [[] for _row in range(height + 2)]
        margin = (self.size.width - len(positions) * width) // 2
        for row in rows:
            row.append((" " * margin, self.paint()))
        for position in positions:
            lifted = position in self.held.selected
            column = self._card(position, width, height)
            blank = [(" " * width, self.paint(position=position))]
            column = [*column, blank] if lifted else [blank, *column]
            for row, pieces in zip(rows, [*column, self._mark(position, width)], strict=True):
                row += pieces
        return rows

    def _card(self, position: int, width: int, height: int) -> list[list[Piece]]:
        card = self.held.cards[position]
        classes = ["card--selected"] if position in self.held.selected else []
        face = self.words.card(card)
        texts = [face, *[""] * (height - 2), face.rjust(width - 2)]
        if height < 4:
            texts[-1] = ""
        return [self.card_row(t, card, width, *classes, position=position) for t in texts]

    def _mark(self, position: int, width: int) -> list[Piece]:
        """Draw what stands below a card: the cursor, or a dot if it came last."""
        if position == self.held.cursor:
            return [("▔" * width, self.paint("label--strong", position=position))]
        text = " • " if position == self.held.fresh else ""
        return [(text.ljust(width), self.paint("label", position=position))]

    def on_click(self, event: events.Click) -> None:
        """Tell which card was clicked."""
        position = pressed(event.style).get("position")
        if position is not None:
            self.post_message(CardPressed(position))
