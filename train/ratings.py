"""Ratings: one number a player from many matches, with 95 % intervals.

For two sides Bradley and Terry's model by maximum likelihood on the Elo scale, the intervals from
drawing the deals anew (bootstrap); for more the Plackett-Luce model of OpenSkill on finishing
orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.train.intervals import Interval

Floats = NDArray[np.float64]

_ELO: Final = 400 / np.log(10)
_ROUNDS: Final = 10_000
_CLOSE: Final = 1e-10


def bradley_terry(wins: Floats) -> Floats:
    """Return the ratings that make the results likeliest, on the Elo scale, with mean zero.

    Every pairing gets one drawn match more, so that a player who won all has a finite rating.

    Args:
        wins: float64[P, P], matches that row won against column.
    """
    players = len(wins)
    wins = wins + 0.5 * (1 - np.eye(players))
    played, won = wins + wins.T, wins.sum(axis=1)
    strength = np.ones(players)
    for _ in range(_ROUNDS):  # Hunter's minorisation; each round makes the results likelier
        shares = played / (strength[:, None] + strength[None, :])
        new = won / shares.sum(axis=1)
        new /= np.exp(np.log(new).mean())
        done = np.abs(np.log(new / strength)).max() < _CLOSE
        strength = new
        if done:
            break
    return np.asarray(_ELO * np.log(strength))


def bradley_terry_intervals(
    players: int,
    pairings: Sequence[tuple[int, int]],
    shares: Sequence[Floats],
    seed: int = 0,
    draws: int = 200,
) -> list[Interval]:
    """Rate players and draw the mirrored pairs anew for the intervals.

    Args:
        pairings: the two players of each pairing.
        shares: float64[G] for each pairing, the share the first one won of each mirrored pair.
    """
    rng = np.random.default_rng(seed)

    def rate(rows: Iterable[Floats]) -> Floats:
        wins = np.zeros((players, players))
        for (a, b), row in zip(pairings, rows, strict=True):
            wins[a, b] += 2 * row.sum()
            wins[b, a] += 2 * (1 - row).sum()
        return bradley_terry(wins)

    best = rate(shares)
    drawn = [
        rate([row[rng.integers(len(row), size=len(row))] for row in shares]) for _ in range(draws)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return [Interval(*map(float, row)) for row in zip(best, low, high, strict=True)]


def plackett_luce(
    players: int, tables: Iterable[tuple[Sequence[int], Sequence[int]]]
) -> list[Interval]:
    """Rate players by the finishing orders of matches; 25 is where everybody starts.

    Args:
        tables: for each match the player in each seat, and the place of each seat (0 = first;
            equal places are ties). A player in several seats is rated by each of them.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)  # players do not change while they are measured
    ratings = [model.rating() for _ in range(players)]
    for seats, places in tables:
        teams = [[ratings[i]] for i in seats]
        rated = model.rate(teams, ranks=[float(place) for place in places])
        for i in set(seats):
            mine = [team[0] for j, team in zip(seats, rated, strict=True) if j == i]
            ratings[i].mu = sum(rating.mu for rating in mine) / len(mine)
            ratings[i].sigma = sum(rating.sigma for rating in mine) / len(mine)
    return [Interval(r.mu, r.mu - 1.96 * r.sigma, r.mu + 1.96 * r.sigma) for r in ratings]
