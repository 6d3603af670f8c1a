"""Decisions whose moves were all tried out, kept for many updates.

What a move earns when the hard level plays on does not depend on the policy, so such a decision
stays good when the policy has changed; and since all its moves were tried with the same cards, luck
is the same for each: one such decision tells as much as many samples. Since no rule tells the suits
apart, each is also learned from under other orders of the suits.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.agents.features import CHOICE_AT, STATE, STATE_AT
from scala40_env.agents.learned import CARD
from scala40_env.cards import JOKER, NUM_CARD_TYPES, NUM_NATURALS, NUM_RANKS, NUM_SUITS
from scala40_env.engine.state import NONE
from scala40_env.train.rollout import Samples, gather_rows

_SUIT_ORDERS: Final = np.array(list(permutations(range(NUM_SUITS))))


@dataclass(frozen=True)
class Rated:
    """Rated decisions.

    Attributes:
        states: float32[N, STATE_SIZE].
        choices: float32[R, CHOICE_SIZE].
        gains: float32[R], less the mean of their decision.
        offsets: int64[N + 1].
        held: int8[N, 53], the opponent's cards by type, for the belief.
    """

    states: NDArray[np.float32]
    choices: NDArray[np.float32]
    gains: NDArray[np.float32]
    offsets: NDArray[np.int64]
    held: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.states)

    def take(self, which: NDArray[np.int64]) -> Rated:
        """Return some of them."""
        rows, offsets = gather_rows(self.offsets, which)
        states, held = self.states[which], self.held[which]
        return Rated(states, self.choices[rows], self.gains[rows], offsets, held)


def is_rated(samples: Samples) -> NDArray[np.bool_]:
    """Return which samples are rated: bool[N]."""
    return ~np.isnan(samples.gains[samples.offsets[:-1]])


def earned_beyond_hard(samples: Samples) -> float:
    """Return what the moves played earned more than those of the hard level; mean of the rated."""
    hard = np.flatnonzero(samples.choices[:, CHOICE_AT.hard] == 1)
    earned = samples.gains[samples.offsets[:-1] + samples.chosen] - samples.gains[hard]
    rated = is_rated(samples)
    return float(earned[rated].mean()) if rated.any() else 0.0


def rated_of(samples: Samples) -> Rated:
    """Return the rated ones among some samples."""
    which = np.flatnonzero(is_rated(samples))
    rows, offsets = gather_rows(samples.offsets, which)
    gains, counts = samples.gains[rows], np.diff(offsets)
    means = np.add.reduceat(gains, offsets[:-1]) / counts if len(which) else gains
    centred = gains - np.repeat(means, counts)
    held = samples.hidden[which, :NUM_CARD_TYPES].astype(np.int8)
    choices = samples.choices[rows]
    return Rated(samples.states[which], choices, centred.astype(np.float32), offsets, held)


class Replay:
    """The newest rated decisions.

    Args:
        capacity: how many are kept at least, while there are so many.
        mix_suits: whether they are drawn with their suits in a random order.
    """

    def __init__(self, capacity: int, mix_suits: bool = True) -> None:
        self.capacity = capacity
        self.mix_suits = mix_suits
        self._parts: list[Rated] = []

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def add(self, rated: Rated) -> None:
        """Add decisions; the oldest go."""
        if len(rated):
            self._parts.append(rated)
        while len(self) - len(self._parts[0]) > self.capacity if self._parts else False:
            del self._parts[0]

    def draw(self, count: int, rng: np.random.Generator) -> Rated:
        """Return some decisions, drawn with replacement, as many from each update."""
        share = max(count // len(self._parts), 1)
        parts = [part.take(rng.integers(len(part), size=share)) for part in self._parts]
        drawn = join(parts)
        return with_suits(drawn, rng.choice(_SUIT_ORDERS)) if self.mix_suits else drawn


def with_suits(rated: Rated, order: NDArray[np.int64]) -> Rated:
    """Return decisions with their suits exchanged.

    Args:
        order: int64[4], the new number of each suit.
    """
    old = np.arange(NUM_NATURALS)
    new = np.concatenate([order[old // NUM_RANKS] * NUM_RANKS + old % NUM_RANKS, [JOKER, NONE]])
    states, choices, held = rated.states.copy(), rated.choices.copy(), rated.held.copy()
    held[:, new[old]] = rated.held[:, old]
    for block in STATE:
        if block.size >= NUM_NATURALS:
            first = getattr(STATE_AT, block.name)
            states[:, first + new[old]] = rated.states[:, first + old]
    choices[:, CARD] = new[rated.choices[:, CARD].astype(np.int64)]
    return Rated(states, choices, rated.gains, rated.offsets, held)


def join(parts: list[Rated]) -> Rated:
    """Return several sets of decisions as one."""
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return Rated(
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.choices for part in parts]),
        np.concatenate([part.gains for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.held for part in parts]),
    )
