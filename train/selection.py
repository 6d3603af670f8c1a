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
from scala40_env.train.evaluate import table_lineups
from scala40_env.train.model import Policy, TorchScorer
from scala40_env.train.opponents import advice_figures

SELECTION_SEEDS: Final = (1 << 48, (1 << 48) + (1 << 20))
_STREAMS_KEY: Final = 1


def play_pairs(policy: Policy, rules: Rules, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Play each seed against hard in all seats.

    Returns:
        float64[len(seeds)], the share of the matches of each seed that was won; with two players
        these are a mirrored pair. Equals win half at every size of table.
    """
    meta = {"advice": [row.tolist() for row in advice_figures()]}
    learner = LearnedAgent(TorchScorer(policy), meta, "learner")
    players = [learner, make_agent("hard")]
    around = table_lineups(len(players), rules.num_players)
    lineups = np.tile(around, (len(seeds), 1))
    deals = np.repeat(seeds, len(around))
    winners = play_matches(players, rules, deals, lineups, key=_STREAMS_KEY).winners
    is_learner = lineups[np.arange(len(deals)), winners] == 0
    won = np.where(winners < 0, 0.5, is_learner)
    return won.reshape(-1, len(around)).mean(axis=1)


def matches_won(policy: Policy, rules: Rules, pairs: int) -> tuple[float, float]:
    """Return the share of matches a policy in training wins against hard, and its standard error.

    The processes share the pairs; all get the same result.
    """
    first, step = distributed.rank(), distributed.world_size()
    seeds = np.arange(SELECTION_SEEDS[0], SELECTION_SEEDS[0] + pairs, dtype=np.uint64)[first::step]
    shares = play_pairs(policy, rules, seeds) if len(seeds) else np.zeros(0)
    count, total, squares = distributed.sum_over_processes(
        (len(shares), shares.sum(), (shares * shares).sum())
    )
    mean = total / count
    return mean, float(np.sqrt(max(squares / count - mean * mean, 0.0) / count))
