"""The base of all widgets that show cards: faces, colours, and what was clicked.

A widget draws rows of pieces; a piece is a text, its style, and through the style what it stands
for (`position` 3, `meld` 0, ...), which comes back with a click. Colours are in the stylesheet, by
the component classes below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from scala40_env.cards import JOKER, Card, suit_of
from scala40_env.melds import Meld

from ..words import Words
from .tint import words_of

Piece: TypeAlias = tuple[str, Style]
Row: TypeAlias = list[Piece]

_RED_SUITS = (1, 2)
_EDGE = "▏"


class CardsWidget(Widget):
    """A widget that draws cards."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "card--black",
        "card--red",
        "card--joker",
        "card--edge",
        "card--back",
        "card--selected",
        "label",
        "label--taker",
        "label--strong",
        "label--off",
        "button",
        "button--key",
        "button--off",
        "button--0",
        "button--1",
    }

    _shown: tuple[object, ...] = ()

    def differs(self, *shown: object) -> bool:
        """Remember what is to be shown, and tell whether it is not what was shown before."""
        before, self._shown = self._shown, (self.words, *shown)
        return self._shown != before

    @property
    def words(self) -> Words:
        """How cards are written on this screen."""
        return words_of(self.app)

    def paint(self, *classes: str, **stands_for: Any) -> Style:
        """Return the style of component classes, and what a piece in it stands for."""
        style = self.get_visual_style(*classes)
        return style + Style.from_meta(stands_for) if stands_for else style

    def card_row(
        self, text: str, card: Card, width: int, /, *classes: str, **stands_for: Any
    ) -> list[Piece]:
        """Return one row of a card: its edge, and a text in the colour of the card."""
        return [
            (_EDGE, self.paint("card--edge", *classes, **stands_for)),
            (
                text.ljust(width - 1)[: width - 1],
                self.paint(colour_class(card), *classes, **stands_for),
            ),
        ]

    def meld_rows(self, meld: Meld, height: int, /, *classes: str, **stands_for: Any) -> list[Row]:
        """Return a meld as a row of cards that overlap, one to three rows high."""
        rows: list[Row] = [[] for _row in range(height)]
        for card, is_joker in meld.cards():
            shown = JOKER if is_joker else card
            star = self.words.card(JOKER) if is_joker else ""
            face = self.words.card(card)
            texts = [face + star] if height == 1 else [face, star, ""][:height]
            width = len(face + star) + 1 if height == 1 else height + 2
            for row, text in zip(rows, texts, strict=True):
                row += self.card_row(text, shown, width, *classes, **stands_for)
        return rows


def colour_class(card: Card) -> str:
    """Return the component class that a card is drawn in."""
    if card == JOKER:
        return "card--joker"
    return "card--red" if suit_of(card) in _RED_SUITS else "card--black"


def width_of(row: Iterable[Piece]) -> int:
    """Return how many columns a row takes."""
    return sum(len(text) for text, _style in row)


def flow(widths: Sequence[int], width: int) -> list[list[int]]:
    """Return which of some blocks stand in which line, if a line has `width` columns."""
    lines: list[list[int]] = []
    used = 0
    for number, wide in enumerate(widths):
        if not lines or used + wide > width:
            lines.append([])
            used = 0
        lines[-1].append(number)
        used += wide
    return lines


def side_by_side(blocks: Sequence[Sequence[Row]]) -> list[Row]:
    """Return blocks of the same height as the rows of one."""
    return [[piece for row in rows for piece in row] for rows in zip(*blocks, strict=True)]


def content(rows: Sequence[Row]) -> Content:
    """Return rows as the content of a widget."""
    return Content("\n").join(Content.assemble(*row) for row in rows)


def pressed(style: Any) -> dict[str, Any]:
    """Return what the piece under a click stands for."""
    return dict(style.meta)
