"""Random play for measuring and testing: a legal id for each game, all equally likely."""

import numpy as np

from .kernel import entry
from .state import mix64
from .tables import NUM_ACTIONS


@entry
def choose_random(masks, counts, streams, actions, first, last):
    """Choose a random legal id for each game; -1 where there is none.

    Args:
        masks: int8[B, NUM_ACTIONS], the legal ids.
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
            for action in range(NUM_ACTIONS):
                if masks[b, action]:
                    if left == 0:
                        actions[b] = action
                        break
                    left -= 1
