"""The melds prepared for the opening, in a dashed frame with their total."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.geometry import Size

from scala40_env.melds import Meld

from ..i18n import _
from .cards_widget import CardsWidget, Row, content, flow, pressed, side_by_side, width_of
from .messages import MeldPressed, OpenPressed


class Opening(CardsWidget):
    """The frame; it is there only while melds are being prepared."""

    def __init__(self) -> None:
        super().__init__(id="opening")
        self.display = False
        self._melds: Sequence[Meld] = ()
        self._first = 0
        self._can_open = False

    def show(self, melds: Sequence[Meld], first: int, total: str, can_open: bool) -> None:
        """Show the melds; `first` is the number of the first one, `total` their points in words."""
        self._melds, self._first, self._can_open = melds, first, can_open
        if not self.differs(melds, first, total, can_open):
            return
        self.display = bool(melds)
        self.border_title = _("Opening")
        self.border_subtitle = total
        self.set_class(can_open, "-alive")
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return max(1, len(self._lines(width)))

    def _blocks(self) -> list[list[Row]]:
        melds = [
            [[*self.meld_rows(meld, 1, meld=self._first + number)[0], ("  ", self.paint())]]
            for number, meld in enumerate(self._melds)
        ]
        tone = "label--taker" if self._can_open else "label--off"
        button = (_(" ↵ Open "), self.paint(tone, button="open"))
        return [*melds, [[button]]]

    def _lines(self, width: int) -> list[list[int]]:
        return flow([width_of(block[0]) for block in self._blocks()], width)

    def render(self) -> Content:
        """Draw the melds and the button."""
        blocks = self._blocks()
        rows: list[Row] = []
        for line in self._lines(self.size.width):
            rows += side_by_side([blocks[number] for number in line])
        return content(rows)

    def on_click(self, event: events.Click) -> None:
        """Tell what was clicked: a meld or the button."""
        meaning = pressed(event.style)
        if "meld" in meaning:
            self.post_message(MeldPressed(meaning["meld"]))
        elif "button" in meaning:
            self.post_message(OpenPressed())
