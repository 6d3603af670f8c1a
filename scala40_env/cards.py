"""Card types, their numbers and their text.

A card here is a *type*, a plain int, since the two copies of a card are never told apart:

    suit * 13 + rank     natural cards, 0..51: suits S H D C = 0..3, ranks A 2 .. T J Q K = 0..12
    52                   the joker (jolly)

    >>> card_text(parse_card("10♦"))
    'TD'

What a card is worth depends on the rules and on where it lies: see ``melds``.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Card: TypeAlias = int
"""A card type, 0..52."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
SUIT_SYMBOLS: Final = "\u2660\u2665\u2666\u2663"

NUM_RANKS: Final = 13
NUM_SUITS: Final = 4
NUM_NATURALS: Final = 52
JOKER: Final = 52
NUM_CARD_TYPES: Final = 53
NUM_JOKERS: Final = 4
NUM_CARDS: Final = 2 * NUM_NATURALS + NUM_JOKERS  # two packs and four jokers: 108

JOKER_TEXT: Final = "*"

DECK_COUNTS: Final[NDArray[np.int8]] = np.full(NUM_CARD_TYPES, 2, dtype=np.int8)
"""int8[53], read-only: how many cards of each type the full deck holds."""
DECK_COUNTS[JOKER] = NUM_JOKERS
DECK_COUNTS.setflags(write=False)

_SUIT_LETTERS: Final = str.maketrans(SUIT_SYMBOLS + "\u2664\u2661\u2662\u2667", SUITS + SUITS)


class InvalidNotationError(ValueError):
    """A text that is not a card, a meld or a move; the message names it in one line."""


def make_card(rank: int, suit: int) -> Card:
    """Return the natural card of a rank 0..12 and a suit 0..3.

    Raises:
        ValueError: the rank or the suit is out of range.
    """
    if not 0 <= rank < NUM_RANKS:
        raise ValueError(f"rank {rank!r} is not in 0..12")
    if not 0 <= suit < NUM_SUITS:
        raise ValueError(f"suit {suit!r} is not in 0..3")
    return suit * NUM_RANKS + rank


def rank_of(card: Card) -> int:
    """Return the rank 0..12 of a natural card (ValueError for a joker)."""
    return _natural(card) % NUM_RANKS


def suit_of(card: Card) -> int:
    """Return the suit 0..3 of a natural card (ValueError for a joker)."""
    return _natural(card) // NUM_RANKS


def _natural(card: Card) -> Card:
    if not 0 <= card < NUM_NATURALS:
        raise ValueError(f"card {card!r} is not a natural card (0..51)")
    return card


def parse_card(text: str) -> Card:
    """Return the card that a text names: `TD`, `10d`, `10♦`, `*` or `joker`.

    Raises:
        InvalidNotationError: the text names no card.
    """
    word = text.strip().translate(_SUIT_LETTERS).upper()
    if word in (JOKER_TEXT, "JOKER"):
        return JOKER
    if word.startswith("10"):
        word = "T" + word[2:]
    if len(word) != 2 or word[0] not in RANKS or word[1] not in SUITS:
        raise InvalidNotationError(f"not a card: {text!r} (rank A 2-9 T J Q K, suit S H D C, or *)")
    return make_card(RANKS.index(word[0]), SUITS.index(word[1]))


def card_text(card: Card) -> str:
    """Return the two letters of a card, `*` for a joker (ValueError if out of range)."""
    if card == JOKER:
        return JOKER_TEXT
    return RANKS[rank_of(card)] + SUITS[suit_of(card)]


def card_symbol(card: Card) -> str:
    """Return a card for screens: `10♦`, `★` for a joker (ValueError if out of range)."""
    if card == JOKER:
        return "\u2605"
    rank = RANKS[rank_of(card)]
    return ("10" if rank == "T" else rank) + SUIT_SYMBOLS[suit_of(card)]
