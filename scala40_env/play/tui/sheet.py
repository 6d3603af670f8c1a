"""The score sheet, shown between hands, at the end, and when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from scala40_env.rules import Rules

from ..chronicle import HandResult
from ..i18n import _
from ..words import goal
from .button_bar import ButtonBar
from .keys import SHEET, bindings
from .messages import ButtonPressed

_MARGIN = 14  # the frame and the number of the hand
_SHORTEST_NAME = 4


class Sheet(ModalScreen[None]):
    """Points of every hand and totals.

    Args:
        title: how the hand or the match ended.
        names: of the seats.
        results: the finished hands.
        rules: of the match.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(SHEET)]

    def __init__(
        self, title: str, names: Sequence[str], results: Sequence[HandResult], rules: Rules
    ) -> None:
        super().__init__()
        self._title = title
        self._names = names
        self._results = results
        self._rules = rules

    def compose(self) -> ComposeResult:
        """Show the sheet and the button that goes on."""
        with Vertical(classes="window") as window:
            window.border_title = _("Score sheet")
            yield Static(self._title, id="ending", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static(self._table())
            yield Static(goal(self._rules), id="goal", markup=False)
            yield ButtonBar(SHEET)

    def on_mount(self) -> None:
        """Show the last hands."""
        self.query_one(VerticalScroll).scroll_end(animate=False)

    def _table(self) -> Content:
        """Return the sheet: a column a seat, a line a hand, the totals at the foot."""
        totals = self._results[-1].totals if self._results else [0] * len(self._names)
        lines = [[str(result.hand + 1), *self._cells(result)] for result in self._results]
        most = max(_SHORTEST_NAME, (self.app.size.width - _MARGIN) // len(self._names) - 3)
        head = [_("Hand"), *(f"{name[:most]} " for name in self._names)]
        foot = [_("Total"), *(f"{total} " for total in totals)]
        widths = [max(map(len, column)) for column in zip(head, *lines, foot, strict=True)]
        rule = ["─" * width for width in widths]
        texts = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in (head, rule, *lines, rule, foot)
        ]
        return Content("\n".join(texts)).stylize_before("bold", 0, len(texts[0]))

    def _cells(self, result: HandResult) -> list[str]:
        """Return the points of a hand; the closer has a star, two if he closed in hand."""
        marks = {result.closer: "★★ " if result.in_hand else "★ "}
        return [
            f"{marks.get(seat, '')}{points}{'↑' if seat in result.returned else ' '}"
            for seat, points in enumerate(result.points)
        ]

    def action_go_on(self) -> None:
        """Close the sheet."""
        self.dismiss(None)

    def on_button_pressed(self, message: ButtonPressed) -> None:
        """The button does the same."""
        message.stop()
        self.dismiss(None)
