"""The random player: any legal move, each as likely as the others. It looks at nothing."""

import numpy as np

from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import mix64


@kernel
def random_below(rng, n):
    """A uniform int in [0, n) from a bot's own stream (splitmix64), which advances.

    Args:
        rng: uint64[1], the state of the stream.
    """
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mix64(rng[0]) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))


@kernel
def random_unit(rng):
    """A uniform float in [0, 1) from a bot's own stream."""
    return random_below(rng, 1 << 24) / np.float64(1 << 24)


@kernel
def decide_random(n, rng):
    """The index of a random one of ``n`` legal moves."""
    return random_below(rng, n)
