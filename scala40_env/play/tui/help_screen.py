"""The help screen: the table of keys, the aim of the game, the moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.table import Table
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from scala40_env.cards import JOKER
from scala40_env.rules import Rules

from ..i18n import _
from ..rules_text import in_short
from ..tips import TIPS
from ..words import goal
from .keys import ANYWHERE, Key
from .tint import words_of


class HelpScreen(ModalScreen[None]):
    """Help for one screen.

    Args:
        keys: the keys of that screen.
        rules: of the match; None where there is none yet.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space,question_mark,f1", "close", show=False)
    ]

    def __init__(self, keys: Sequence[Key], rules: Rules | None = None) -> None:
        super().__init__()
        self._keys = keys
        self._rules = rules

    def compose(self) -> ComposeResult:
        """Show keys first, then the game in short, then advice."""
        with VerticalScroll(classes="window") as window:
            window.border_title = _("Help")
            window.border_subtitle = _("arrows scroll, Enter closes")
            yield Static(_key_table([*self._keys, *ANYWHERE]))
            yield Static(_mouse_text(), markup=False)
            yield Static("\n".join(self._game_lines()), markup=False)
            yield Static("\n".join(f"• {tip}" for tip in TIPS.values()), markup=False)

    def _game_lines(self) -> list[str]:
        """Return how the game goes."""
        rules = self._rules or Rules()
        joker = words_of(self.app).card(JOKER)
        return [
            *in_short(rules, words_of(self.app)),
            _("A joker {joker} stands for any card.").format(joker=joker),
            _(
                "After your first melds you may also add cards to any meld, and take a joker by"
                " putting the right card in its place."
            ),
            goal(rules),
        ]

    def action_close(self) -> None:
        """Close the help."""
        self.dismiss(None)


def _key_table(keys: Sequence[Key]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column()
    for key in keys:
        table.add_row(key.shown.replace("↵", _("Enter")), _(key.help))
    return table


def _mouse_text() -> str:
    return _(
        "With the mouse: the stock draws, the pile takes and discards, cards are selected, a meld"
        " takes the selected card, the buttons below do what their keys do."
    )
