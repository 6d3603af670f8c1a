"""Small windows over the table: a choice, a line to type, a text to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ..i18n import _

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """A window that Esc closes without a result."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)


class ChoiceDialog(Dialog[int]):
    """One of several things, by arrows and Enter, by its digit, or by a click.

    Args:
        title: the question.
        options: the answers, in order; the result is a position, or None.
    """

    def __init__(self, title: str, options: Sequence[str | Content]) -> None:
        super().__init__()
        self._title = title
        self._options = options

    def compose(self) -> ComposeResult:
        """List the options."""
        with Vertical(classes="window") as window:
            window.border_title = self._title
            window.border_subtitle = _("Enter chooses, Esc closes")
            yield OptionList(
                *(
                    Option(Content.assemble(f"{number} ", text))
                    for number, text in enumerate(self._options, 1)
                ),
                markup=False,
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the option that was chosen."""
        self.dismiss(event.option_index)

    def on_key(self, event: Key) -> None:
        """Choose by a digit."""
        digit = event.character or ""
        if digit and digit in "123456789"[: len(self._options)]:
            self.dismiss(int(digit) - 1)


class LineDialog(Dialog[str]):
    """A line to type.

    Args:
        title: what is asked for.
        value: what stands there at first.
        example: what an answer looks like.
    """

    def __init__(self, title: str, value: str = "", example: str = "") -> None:
        super().__init__()
        self._title = title
        self._value = value
        self._example = example

    def compose(self) -> ComposeResult:
        """Ask."""
        with Vertical(classes="window") as window:
            window.border_title = self._title
            window.border_subtitle = _("Enter confirms, Esc closes")
            yield Input(self._value, placeholder=self._example, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the line."""
        self.dismiss(event.value.strip() or None)


class TextDialog(Dialog[None]):
    """A text to read; any of the usual keys closes it.

    Args:
        title: of the window.
        text: what it says.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space,h,question_mark", "close", show=False)
    ]

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """Show the text."""
        with VerticalScroll(classes="window") as window:
            window.border_title = self._title
            window.border_subtitle = _("Enter closes")
            yield Static(self._text)


class CoverDialog(Dialog[None]):
    """Hides everything until the next person is there."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "close", show=False)]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def compose(self) -> ComposeResult:
        """Say whose turn it is."""
        yield Static(
            _("{name}, it is your turn. Enter shows your cards.").format(name=self._name)
        )

    def on_click(self) -> None:
        """A click does as well."""
        self.dismiss(None)
