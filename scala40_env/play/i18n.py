"""The words a player sees, in the player's language: one ``_`` for the prompt and the screens.

The language is that of the environment (LANGUAGE, LC_ALL, LC_MESSAGES, LANG). Where there is no
catalogue for it (``locale/<language>/LC_MESSAGES/scala40.mo``), the texts stay English.

A text is one whole message with named places, filled after translation, since other languages
order words differently; counts go through `ngettext`:

    >>> _("{name} has {points} points").format(name="hard", points=12)
    'hard has 12 points'
    >>> ngettext("{n} card", "{n} cards", 2).format(n=2)
    '2 cards'
"""

from __future__ import annotations

import gettext
from pathlib import Path
from typing import Final

_CATALOGUE: Final = gettext.translation("scala40", Path(__file__).parent / "locale", fallback=True)

_ = _CATALOGUE.gettext
ngettext = _CATALOGUE.ngettext


def N_(message: str) -> str:  # noqa: N802 (gettext's name)
    """Mark a text for the catalogues; it is translated where it is used, by `_`."""
    return message
