"""The chance to win a two-player match from any totals: the table of the ``win_prob`` reward.

Equal players are assumed. What a hand costs its loser is counted over hands of the hard level with
itself; the chances follow by backward induction, since every hand adds points to one side.

    python -m scala40_env.train.win_prob --hands 50000
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import tyro
from numpy.typing import NDArray

from scala40_env.agents.arena import play_matches
from scala40_env.agents.registry import make_agent
from scala40_env.rewards import WIN_PROB_FILE
from scala40_env.rules import PRESETS, Rules

_FIRST_SEED: Final = 1 << 50  # apart from training, selection and test


@dataclass(frozen=True)
class WinProbConfig:
    """How the table is made."""

    hands: int = 50_000
    """Hands played for each preset."""
    level: str = "hard"
    """Who plays them."""


def win_table(costs: NDArray[np.float64], limit: int) -> NDArray[np.float32]:
    """Return the chances to win of equal players.

    Args:
        costs: float64[C], the probability that the loser of a hand pays so many points; that of
            0 points is 0.
        limit: points at which a match is lost.

    Returns:
        float32[limit, limit], by own total and the other's, before a deal.
    """
    # One row and column more stand for every total at the limit or beyond.
    table = np.zeros((limit + 1, limit + 1))
    table[:, limit] = 1.0
    points = np.arange(1, len(costs))
    chances = costs[1:]
    for own in range(limit - 1, -1, -1):
        for other in range(limit - 1, -1, -1):
            loses = table[np.minimum(own + points, limit), other]
            wins = table[own, np.minimum(other + points, limit)]
            table[own, other] = 0.5 * chances @ (loses + wins)
    return table[:limit, :limit].astype(np.float32)


def hand_costs(rules: Rules, config: WinProbConfig) -> NDArray[np.float64]:
    """Return how often the loser of a hand pays so many points: float64[most + 1]."""
    single = Rules.from_dict({**rules.to_dict(), "mode": "single_hand"})
    seeds = np.arange(_FIRST_SEED, _FIRST_SEED + config.hands, dtype=np.uint64)
    lineups = np.tile([0, 1], (config.hands, 1))
    players = [make_agent(config.level), make_agent(config.level)]
    matches = play_matches(players, single, seeds, lineups)
    paid = matches.column("points").max(axis=1)[matches.winners >= 0]
    counts = np.bincount(paid).astype(np.float64)
    counts[0] = 0
    return counts / counts.sum()


def main() -> None:
    """Make the tables of all presets and write them where the rewards look for them."""
    config = tyro.cli(WinProbConfig, description=__doc__)
    tables = {}
    for name, rules in PRESETS.items():
        tables[name] = win_table(hand_costs(rules, config), rules.limit)
        print(f"{name}: one point ahead of 50 wins {tables[name][49, 50]:.3f}", flush=True)
    np.savez_compressed(WIN_PROB_FILE, allow_pickle=False, **tables)
    print(f"wrote {WIN_PROB_FILE.name}")


if __name__ == "__main__":
    main()
