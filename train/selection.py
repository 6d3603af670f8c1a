"""How strong a policy is while it learns: mirrored matches against the hard level.

The seeds are apart from those of training and of ``evaluate``, so that choosing the best of many
checkpoints by them says nothing about the final table.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.agents.arena import play_matches
from scala40_env.agents.learned import LearnedAgent
from scala40_env.agents.registry import make_agent
from scala40_env.rules import Rules
from scala40_env.train import distributed
from scala40_env.train.model import Policy, TorchScorer
from scala40_env.train.opponents import advice_figures

SELECTION_SEEDS: Final = (1 << 48, (1 << 48) + (1 << 20))
_STREAMS_KEY: Final = 1


def play_pairs(policy: Policy, rules: Rules, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Play each seed twice against hard, seats swapped; what was won of each pair: 0, 1/2 or 1."""
    meta = {"advice": [row.tolist() for row in advice_figures()]}
    learner = LearnedAgent(TorchScorer(policy), meta, "learner")
    lineups = np.tile([[0, 1], [1, 0]], (len(seeds), 1))
    players = [learner, make_agent("hard")]
    matches = play_matches(players, rules, np.repeat(seeds, 2), lineups, key=_STREAMS_KEY)
    seats = np.argmin(lineups, axis=1)  # player 0 is the learner
    won = np.where(matches.winners < 0, 0.5, matches.winners == seats)
    return won.reshape(-1, 2).mean(axis=1)


def matches_won(policy: Policy, rules: Rules, pairs: int) -> tuple[float, float]:
    """Return the share of matches a policy in training wins against hard, and its standard error.

    The processes share the pairs; all get the same result.
    """
    first, step = distributed.rank(), distributed.world_size()
    seeds = np.arange(SELECTION_SEEDS[0], SELECTION_SEEDS[0] + pairs, dtype=np.uint64)[first::step]
    shares = play_pairs(policy, rules, seeds)
    count, total, squares = distributed.sum_over_processes(
        (len(shares), shares.sum(), (shares * shares).sum())
    )
    mean = total / count
    return mean, float(np.sqrt(max(squares / count - mean * mean, 0.0) / count))
