"""Texts with cards in them: how cards are written, and red suits in red."""

from __future__ import annotations

from typing import Final

from textual.app import App
from textual.content import Content

from ..words import Words

LETTERS: Final = "-letters"
"""The class of the application while suits are letters."""
_RED: Final = r"(?:10|[2-9AJQK])[♥♦]"


def words_of(app: App[object]) -> Words:
    """Return how an application writes cards."""
    return Words(app.has_class(LETTERS))


def tint(text: str, style: str = "") -> Content:
    """Return a text in a style, its red cards in red."""
    return Content.styled(text, style).highlight_regex(_RED, style="$card-red-text")
