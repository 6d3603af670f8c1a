"""What happened or went wrong, and below it what can be done now."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from .tint import tint


class Note(Static):
    """Two messages; the upper one is in the colour of a warning where something is not possible."""

    def __init__(self) -> None:
        super().__init__(id="note")
        self.said = ""
        self._is_warning = False
        self._prompt = ""
        self._shown = (self.said, self._is_warning, self._prompt)

    def say(self, text: str, is_warning: bool = False) -> None:
        """Set the upper message."""
        self.said, self._is_warning = text, is_warning
        self._write()

    def ask(self, text: str) -> None:
        """Set the lower message: what to do."""
        self._prompt = text
        self._write()

    def _write(self) -> None:
        tone = "$text-warning" if self._is_warning else "$foreground"
        shown = (self.said, self._is_warning, self._prompt)
        if shown == self._shown:
            return
        self._shown = shown
        lines = [tint(self.said, tone), tint(self._prompt, "$text-accent")]
        self.update(Content("\n").join(lines))
