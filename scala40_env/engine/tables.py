"""Constant tables for the kernels: the ids of the actions, all three-card melds, card values.

The ids of the one action space (``scala40_env.actions`` turns them into moves and text):

    0            draw             56 ..  755  meld, see MELD_*
    1            take            756 .. 1067  add:  756 + end * 104 + is_joker * 52 + card
    2            return         1068 .. 1171  swap: 1068 + kind * 52 + card
    3 ..  55     discard card   1172 .. 1207  target: table number of the pending add or swap

The end of an ``add`` is 0 for a set, 1 for the low and 2 for the high end of a run. A meld id is
``56 + shape * 7 + pattern``: shape counts the 52 sets (rank * 4 + the missing suit), then the 48
runs (52 + suit * 12 + lowest position); pattern says which of the three cards are jokers.
"""

import numpy as np

from .state import MAX_MELDS, RUN, SET

DRAW_ID = 0
TAKE_ID = 1
RETURN_ID = 2
DISCARD_ID = 3
MELD_ID = 56
ADD_ID = 756
SWAP_ID = 1068
TARGET_ID = 1172
NUM_ACTIONS = TARGET_ID + MAX_MELDS

NUM_MELDS = 700
ON_SET, ON_LOW, ON_HIGH = 0, 1, 2

NUM_SHAPES = 100  # 52 sets and 48 runs of three cards
NUM_SET_SHAPES = 52
NUM_PATTERNS = 7
JOKER_PATTERNS = np.array([0b000, 0b001, 0b010, 0b100, 0b110, 0b101, 0b011], np.int64)


def _shape_places() -> list[tuple[int, int, list[int]]]:
    """Kind, base and the three places of every three-card meld, in the order of the ids."""
    sets = [
        (SET, rank, [suit for suit in range(4) if suit != missing])
        for rank in range(13)
        for missing in range(4)
    ]
    runs = [(RUN, suit, [low, low + 1, low + 2]) for suit in range(4) for low in range(12)]
    return sets + runs


def _card_at(kind: int, base: int, place: int) -> int:
    return place * 13 + base if kind == SET else base * 13 + place % 13


def _mask(bits: list[int]) -> int:
    return sum(1 << bit for bit in bits)


_SHAPES = _shape_places()
SHAPE_KIND = np.array([kind for kind, _, _ in _SHAPES], np.int8)
SHAPE_BASE = np.array([base for _, base, _ in _SHAPES], np.int8)
SHAPE_PLACES = np.array([_mask(places) for _, _, places in _SHAPES], np.int16)

# One row a meld id - MELD_ID: where its jokers stand, how many, and its natural card types.
MELD_JOKERS = np.array(
    [
        _mask([place for i, place in enumerate(places) if pattern >> i & 1])
        for _, _, places in _SHAPES
        for pattern in JOKER_PATTERNS.tolist()
    ],
    np.int16,
)
MELD_NATURALS = np.array(
    [
        _mask([_card_at(kind, base, p) for i, p in enumerate(places) if not pattern >> i & 1])
        for kind, base, places in _SHAPES
        for pattern in JOKER_PATTERNS.tolist()
    ],
    np.uint64,
)
MELD_NUM_JOKERS = np.tile(np.array([0, 1, 1, 1, 2, 2, 2], np.int8), NUM_SHAPES)

# Bit tables over the 14 places of a run (a set uses the lowest four).
_ALL_PLACES = np.arange(1 << 14)
NUM_PLACES = np.array([int(mask).bit_count() for mask in _ALL_PLACES], np.int8)
LOWEST = np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in _ALL_PLACES], np.int8)
HIGHEST = np.array([int(mask).bit_length() - 1 for mask in _ALL_PLACES], np.int8)

# Points of a rank, [card_values, rank]: of a card in a set, high in a run, or left in hand.
RANK_VALUE = np.array(
    [[11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], [14, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
    np.int64,
)

# Points of a suit's cards at their highest, [card_values, mask of ranks].
SUIT_VALUE = (RANK_VALUE @ (np.arange(1 << 13) >> np.arange(13)[:, None] & 1)).astype(np.uint8)
