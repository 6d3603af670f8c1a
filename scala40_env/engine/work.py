"""Working memory of the searches: kernels allocate nothing, a thread brings one ``Work``."""

from typing import NamedTuple

import numpy as np

from .state import GAME
from .table import MAX_TABLE_MOVES

MAX_DEPTH = 40  # 14 cards down one by one, and swapped jokers laid again in between
MAX_CANDIDATES = 2048  # melds of one hand; a hand with more is left to the exact search
NUM_VISITED = 1 << 12  # states remembered; past that the exact search gets slower, not wrong


class Work(NamedTuple):
    """Arrays that the kernels write into; one instance may serve one thread at a time."""

    stack: np.ndarray  # GAME[MAX_DEPTH]: the states of the exact search; [0] is also scratch
    moves: np.ndarray  # int16[MAX_DEPTH, MAX_TABLE_MOVES, 2]: the table moves of each level
    levels: np.ndarray  # int64[8, MAX_DEPTH]: cursors and sums of each level
    visited: np.ndarray  # uint64[NUM_VISITED]: hashes of the states seen
    masks: np.ndarray  # uint64[MAX_CANDIDATES]: natural card types of each candidate meld
    melds: np.ndarray  # int32[MAX_CANDIDATES, 7]: see ``arrange``
    order: np.ndarray  # int32[MAX_CANDIDATES]: candidates by falling value
    buckets: np.ndarray  # int32[256]: for sorting by value
    planes: np.ndarray  # uint64[2, MAX_DEPTH]: card types held once, and twice
    frames: np.ndarray  # int64[64, 3]: a small stack for growing runs


def new_work() -> Work:
    """Working memory for one thread (about 400 KB)."""
    return Work(
        stack=np.zeros(MAX_DEPTH, GAME),
        moves=np.zeros((MAX_DEPTH, MAX_TABLE_MOVES, 2), np.int16),
        levels=np.zeros((8, MAX_DEPTH), np.int64),
        visited=np.zeros(NUM_VISITED, np.uint64),
        masks=np.zeros(MAX_CANDIDATES, np.uint64),
        melds=np.zeros((MAX_CANDIDATES, 7), np.int32),
        order=np.zeros(MAX_CANDIDATES, np.int32),
        buckets=np.zeros(256, np.int32),
        planes=np.zeros((2, MAX_DEPTH), np.uint64),
        frames=np.zeros((64, 3), np.int64),
    )
