"""Working memory of the searches: kernels allocate nothing, a thread brings one record."""

import numpy as np

from .state import GAME
from .table import MAX_TABLE_MOVES

MAX_DEPTH = 40  # 14 cards down one by one, and swapped jokers laid again in between
MAX_CANDIDATES = 2048  # melds of one hand; a hand with more is left to the exact search
NUM_VALUES = 128  # a meld is worth less: all fourteen places count 115 at most
NUM_VISITED = 1 << 12  # states remembered; past that the exact search gets slower, not wrong

WORK = np.dtype(
    [
        ("stack", GAME, MAX_DEPTH),  # the states of the exact search; [0] is also scratch
        ("moves", "i2", (MAX_DEPTH, MAX_TABLE_MOVES, 2)),  # the table moves of each level
        ("levels", "i8", (11, MAX_DEPTH)),  # cursors and sums of each level
        ("visited", "u8", NUM_VISITED),  # hashes of the states seen, all 0 between searches
        ("used", "i4", NUM_VISITED),  # the slots of ``visited`` that are not 0
        ("masks", "u8", MAX_CANDIDATES),  # natural card types of each candidate meld
        ("melds", "i4", (MAX_CANDIDATES, 8)),  # see ``arrange``
        ("bounds", "i8", 3),  # see ``arrange``
        ("order", "i4", MAX_CANDIDATES),  # candidates by falling value
        ("buckets", "i4", NUM_VALUES),  # for sorting by value
        ("planes", "u8", (2, MAX_DEPTH)),  # card types held once, and twice
        ("frames", "i8", (64, 3)),  # a small stack for growing runs
    ],
    align=True,
)


def new_work() -> np.ndarray:
    """Working memory for one thread: WORK[1], about 400 KB.

    Calls from Python take the array (a record argument costs several microseconds), kernels its
    only element.
    """
    return np.zeros(1, WORK)
