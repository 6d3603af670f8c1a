"""Random play for measuring and testing: a legal id for each game, all equally likely."""

import numpy as np

from .kernel import entry, kernel
from .state import mix64

_BYTE_SUM = np.uint64(0x0101010101010101)  # x * this >> 56 adds the bytes of x


@entry
def choose_random(masks, counts, streams, actions, first, last):
    """Choose a random legal id for each game; -1 where there is none.

    Args:
        masks: uint64[B, NUM_ACTIONS / 8], the masks of the legal ids, eight ids a word.
        counts: int32[B], their numbers.
        streams: uint64[B], a random stream for each game, which advances.
        actions: int64[B], written.
    """
    for b in range(first, last):
        actions[b] = -1
        if counts[b] > 0:
            streams[b] += np.uint64(0x9E3779B97F4A7C15)
            half = mix64(streams[b]) >> np.uint64(32)
            left = np.int64(half * np.uint64(counts[b]) >> np.uint64(32))
            actions[b] = _find_set(masks[b], left)


@kernel
def _find_set(words, left):
    """The place of set byte number ``left`` (from 0) in words of bytes that are 0 or 1."""
    for w in range(len(words)):
        here = np.int64(words[w] * _BYTE_SUM >> np.uint64(56))
        if left >= here:
            left -= here
            continue
        for byte in range(8):
            if words[w] >> np.uint64(8 * byte) & np.uint64(1):
                if left == 0:
                    return 8 * w + byte
                left -= 1
    return -1
