"""All that widgets tell the screens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


@dataclass
class CardPressed(Message):
    """A card of the hand, by its position."""

    position: int


@dataclass
class MeldPressed(Message):
    """A meld on the table or among those prepared, by its number."""

    number: int


@dataclass
class StockPressed(Message):
    """The stock."""


@dataclass
class PilePressed(Message):
    """The discard pile."""


@dataclass
class OpenPressed(Message):
    """The button that lays the prepared melds."""


@dataclass
class ButtonPressed(Message):
    """A button of the bar, by the action of its key."""

    action: str


@dataclass
class NewMatchWanted(Message):
    """The person wants another match."""
