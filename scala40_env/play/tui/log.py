"""The turns of this hand, the last one at the foot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ..i18n import _
from .tint import tint

_NAME: Final = r"^[^:\n]+:"


class Log(VerticalScroll, can_focus=False):
    """A list of lines that stays at its end."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[str] = []

    def compose(self) -> ComposeResult:
        """Hold the lines."""
        yield Static()

    def on_mount(self) -> None:
        """Name the frame."""
        self.border_title = _("This hand")

    def show(self, lines: Sequence[str]) -> None:
        """Show lines."""
        if list(lines) == self._lines:
            return
        self._lines = list(lines)
        self.query_one(Static).update(Content("\n").join(map(_line, lines)))
        self.scroll_end(animate=False)


def _line(text: str) -> Content:
    """Colour the name at its beginning, which is where a turn begins."""
    return tint(text).highlight_regex(_NAME, style="$text-accent")
