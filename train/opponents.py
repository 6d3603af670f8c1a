"""Who a learner meets: itself, its past selves, and the hand-written levels.

A seat of a training game has a controller: ``LEARNER`` for the policy being trained, ``PAST - k``
for past self number k, else the number of a level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.agents.gathering import LEARNER, PAST
from scala40_env.agents.levels import CODES, MAX_PARAMETERS, load_level

SELF_NAME: Final = "self"
PAST_NAME: Final = "past"
MAX_PAST: Final = 8
_MEETING: Final = 2  # past selves that play in one iteration: each costs a pass of its own


class OpponentError(ValueError):
    """Shares of opponents that cannot be; the message is one line."""


@dataclass(frozen=True)
class Opponents:
    """How often a game is played against whom.

    Args:
        shares: by name (``self``, ``past`` or a level); they need not sum to 1.
    """

    shares: Mapping[str, float]

    def __post_init__(self) -> None:
        known = [SELF_NAME, PAST_NAME, *CODES]
        for name, share in self.shares.items():
            if name not in known:
                raise OpponentError(f"unknown opponent {name!r}; opponents: {', '.join(known)}")
            if not share >= 0:
                raise OpponentError(f"the share of opponent {name!r} is {share!r}, not >= 0")
        if sum(self.shares.values()) <= 0:
            raise OpponentError("the shares of the opponents are all 0")

    def draw(self, count: int, past: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw opponents: int64[count] of controllers.

        Args:
            past: how many past selves there are to meet; where none, their games are self-play.
        """
        names = list(self.shares)
        weights = np.array([self.shares[name] for name in names])
        drawn = rng.choice(len(names), size=count, p=weights / weights.sum())
        controllers = np.array([CODES.get(name, LEARNER) for name in names])[drawn]
        is_past = np.array([name == PAST_NAME for name in names])[drawn]
        if past > 0:
            controllers[is_past] = PAST - rng.integers(past, size=int(is_past.sum()))
        return controllers.astype(np.int64)


class Pool:
    """The last past selves, weights only.

    Attributes:
        selves: their weights, the oldest first.
    """

    def __init__(self, selves: Sequence[Mapping[str, NDArray[Any]]] = ()) -> None:
        self.selves = [dict(weights) for weights in selves]

    def add(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Add a past self; where there are too many one of the middle goes: old ones stay."""
        self.selves.append(dict(weights))
        if len(self.selves) > MAX_PAST:
            del self.selves[MAX_PAST // 2]

    def meet(self, rng: np.random.Generator) -> list[dict[str, NDArray[Any]]]:
        """Return the weights of ``num_meeting`` past selves, drawn without replacement."""
        chosen = rng.choice(len(self.selves), size=self.num_meeting, replace=False)
        return [self.selves[i] for i in chosen]

    @property
    def num_meeting(self) -> int:
        """How many past selves play at a time."""
        return min(_MEETING, len(self.selves))


def level_figures() -> NDArray[np.float64]:
    """Return the figures of all levels by their numbers: float64[levels, MAX_PARAMETERS]."""
    figures = np.zeros((len(CODES), MAX_PARAMETERS))
    for name, code in CODES.items():
        figures[code] = load_level(name).array
    return figures


def advice_figures() -> NDArray[np.float64]:
    """Return the figures of the levels whose advice is a feature: the normal, then the hard one."""
    return np.stack([load_level("normal").array, load_level("hard").array])
