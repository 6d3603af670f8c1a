"""The line at the top: rules, hand, speed."""

from __future__ import annotations

from textual.widgets import Static


class Title(Static):
    """One line."""

    def __init__(self) -> None:
        super().__init__(id="title", markup=False)
        self._text = ""

    def show(self, text: str) -> None:
        """Show a text."""
        if text != self._text:
            self._text = text
            self.update(text, layout=False)
