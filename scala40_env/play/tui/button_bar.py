"""The buttons at the foot of the screen, each with its key; what is not possible now is dim."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from textual import events
from textual.content import Content
from textual.geometry import Size

from ..i18n import _
from .cards_widget import CardsWidget, Piece, Row, content, flow, pressed, side_by_side, width_of
from .keys import Key
from .messages import ButtonPressed


class ButtonBar(CardsWidget):
    """Buttons in as many lines as they need."""

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__(id="buttons")
        self._keys = keys
        self._shown_keys = list(keys)
        self._off: Collection[str] = ()
        self._labels: Mapping[str, str] = {}

    def show(
        self,
        off: Collection[str],
        labels: Mapping[str, str] | None = None,
        hidden: Collection[str] = (),
    ) -> None:
        """Dim the buttons of some actions, give some another label for now, leave some out."""
        self._off, self._labels = off, labels or {}
        self._shown_keys = [key for key in self._keys if key.action not in hidden]
        if self.differs(set(off), self._labels, self._shown_keys):
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return len(self._lines(width))

    def _lines(self, width: int) -> list[list[int]]:
        numbers = range(len(self._shown_keys))
        return flow([width_of(self._button(number)) for number in numbers], width)

    def _button(self, number: int) -> list[Piece]:
        """Draw a button; neighbours have different backgrounds, so they need no gap."""
        key = self._shown_keys[number]
        label = self._labels.get(key.action, _(key.label))
        ground = f"button--{number % 2}"
        off = ["button--off"] if key.action in self._off else []
        return [
            (f" {key.shown}", self.paint("button--key", *off, ground, action=key.action)),
            (f" {label} ", self.paint("button", *off, ground, action=key.action)),
        ]

    def render(self) -> Content:
        """Draw the buttons."""
        rows: list[Row] = []
        for line in self._lines(self.size.width):
            rows += side_by_side([[self._button(number)] for number in line])
        return content(rows)

    def on_click(self, event: events.Click) -> None:
        """Tell which button was pressed."""
        action = pressed(event.style).get("action")
        if action is not None:
            self.post_message(ButtonPressed(action))
