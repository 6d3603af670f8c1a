"""The melds on the table, as large as there is room for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from scala40_env.cards import JOKER
from scala40_env.melds import Meld

from ..i18n import _
from .cards_widget import CardsWidget, Row, content, flow, pressed, side_by_side, width_of
from .messages import MeldPressed

_SHAPES = ((3, 1), (2, 1), (1, 1), (1, 0))
"""Rows of a meld, and empty rows between two: the first that fits is taken."""


class Melds(CardsWidget):
    """All melds in lines, each with its number; those that take the selected card are marked."""

    def __init__(self) -> None:
        super().__init__()
        self._melds: Sequence[Meld] = ()
        self._new: Collection[int] = ()
        self._takers: Mapping[int, bool] = {}
        self._shape = _SHAPES[0]

    def show(
        self, melds: Sequence[Meld], new: Collection[int], takers: Mapping[int, bool]
    ) -> None:
        """Show melds: which are new in this turn, which could take the selected card."""
        self._melds, self._new, self._takers = melds, new, takers
        if self.differs(melds, new, takers):
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Choose the largest shape that fits and return its height."""
        height = 1
        for shape in _SHAPES:
            self._shape = shape
            lines = len(self._lines(width))
            height = max(1, lines * sum(shape) - shape[1])
            if height <= container.height:
                break
        return height

    def _lines(self, width: int) -> list[list[int]]:
        return flow([width_of(block[0]) for block in self._blocks()], width)

    def _blocks(self) -> list[list[Row]]:
        return [self._block(number) for number in range(len(self._melds))]

    def _block(self, number: int) -> list[Row]:
        """Draw a meld with its number and a gap after it."""
        height = self._shape[0]
        label = "label--strong" if number in self._new else "label"
        sign = " "
        if number in self._takers:
            label = "label--taker"
            sign = self.words.card(JOKER) if self._takers[number] else "+"
        rows = self.meld_rows(self._melds[number], height, meld=number)
        texts = [f"{number:>2}{sign}", "   ", "   "][:height]
        return [
            [(text, self.paint(label, meld=number)), *row, ("  ", self.paint())]
            for text, row in zip(texts, rows, strict=True)
        ]

    def render(self) -> Content:
        """Draw the melds line by line."""
        if not self._melds:
            return Content.styled(_("No melds on the table yet."), self.paint("label"))
        blocks = self._blocks()
        rows: list[Row] = []
        for line in self._lines(self.size.width):
            rows += side_by_side([blocks[number] for number in line])
            rows += [[]] * self._shape[1]
        return content(rows)

    def on_click(self, event: events.Click) -> None:
        """Tell which meld was clicked."""
        number = pressed(event.style).get("meld")
        if number is not None:
            self.post_message(MeldPressed(number))


class Table(VerticalScroll, can_focus=False):
    """The felt with the melds; it scrolls where they are too many."""

    def __init__(self) -> None:
        super().__init__(id="table")
        self._melds = Melds()
        self._beginning = Static(id="beginning")
        self._caption = ""

    def compose(self) -> ComposeResult:
        """Put the melds on the felt."""
        yield self._melds
        yield self._beginning

    def on_mount(self) -> None:
        """Name the frame."""
        self.border_title = _("Table")

    def show(
        self,
        melds: Sequence[Meld],
        new: Collection[int] = (),
        takers: Mapping[int, bool] = MappingProxyType({}),
        beginning: str = "",
    ) -> None:
        """Show melds: which are new in this turn, which could take the selected card.

        Args:
            melds: on the table.
            new: the numbers of those laid in this turn.
            takers: the numbers of those that could take the selected card, and whether they give a
                joker for it.
            beginning: what stands on the felt as long as there are no melds.
        """
        self._beginning.display = not melds
        self._beginning.update(Content(beginning))
        self._melds.show(melds, new, takers)

    def caption(self, text: str) -> None:
        """Write at the foot of the frame."""
        if text != self._caption:
            self._caption = text
            self.border_subtitle = Content(text)
