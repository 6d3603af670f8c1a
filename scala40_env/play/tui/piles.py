"""The stock and the discard pile, side by side, with their keys."""

from __future__ import annotations

from textual import events
from textual.content import Content

from scala40_env.cards import Card
from scala40_env.game import GameState

from ..i18n import _
from .cards_widget import CardsWidget, Row, content, pressed, side_by_side
from .messages import PilePressed, StockPressed

_WIDTH = 7
_HEIGHT = 3
_GAP = " "


class Piles(CardsWidget):
    """Two cards: the back of the stock, the top of the pile."""

    def __init__(self) -> None:
        super().__init__(id="piles")
        self._state: GameState | None = None
        self._keys = ("", "")
        self._alive: frozenset[str] = frozenset()

    def show(self, state: GameState, keys: tuple[str, str], alive: frozenset[str]) -> None:
        """Show the piles of a game.

        Args:
            state: the game.
            keys: what stands below the stock and below the pile.
            alive: `stock`, `pile`: which of them can be used now.
        """
        self._state, self._keys, self._alive = state, keys, alive
        if self.differs(state.stock_size, state.pile, keys, alive):
            self.refresh()

    def render(self) -> Content:
        """Draw both."""
        if self._state is None:
            return Content("")
        state = self._state
        back = [[("▒" * _WIDTH, self.paint("card--back", pile="stock"))]] * _HEIGHT
        stock = back if state.stock_size else self._empty("stock")
        top = state.pile_top
        pile = self._empty("pile") if top is None else self._face_up(top)
        blocks = [
            self._column("stock", _("Stock"), stock, state.stock_size, self._keys[0]),
            [[(_GAP, self.paint())]] * (_HEIGHT + 3),
            self._column("pile", _("Pile"), pile, len(state.pile), self._keys[1]),
        ]
        return content(side_by_side(blocks))

    def _empty(self, pile: str) -> list[Row]:
        return [[("·" * _WIDTH, self.paint("label--off", pile=pile))]] * _HEIGHT

    def _face_up(self, card: Card) -> list[Row]:
        face = self.words.card(card)
        texts = [face, "", face.rjust(_WIDTH - 2)]
        return [self.card_row(text, card, _WIDTH, pile="pile") for text in texts]

    def _column(self, pile: str, title: str, card: list[Row], size: int, key: str) -> list[Row]:
        """Put the name above a pile and its size and key below."""
        tone = "label--strong" if pile in self._alive else "label--off"
        lines = [(title, "label"), (str(size), "label"), (key, tone)]
        top, count, below = (
            [(text.center(_WIDTH)[:_WIDTH], self.paint(style, pile=pile))] for text, style in lines
        )
        return [top, *card, count, below]

    def on_click(self, event: events.Click) -> None:
        """Tell which pile was clicked."""
        pile = pressed(event.style).get("pile")
        if pile is not None:
            self.post_message(StockPressed() if pile == "stock" else PilePressed())
