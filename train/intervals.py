"""Shares and means with honest 95 % intervals from groups of games that share their deals.

A *group* is all games of one deal: a mirrored pair, or all seat rotations. Games of a group are
not independent, groups are; so every error here comes from the scatter between groups.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NORMAL_975: Final = 1.959964
_PRIOR_GAMES: Final = 4.0  # what the belief weighs that games are independent


class Interval(NamedTuple):
    """An estimate and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def rounded(self, digits: int = 5) -> list[float]:
        """Return ``[mean, low, high]`` for JSON."""
        return [round(float(x), digits) for x in self]


def quantile(groups: int) -> float:
    """Return the 97.5 % point of Student's t for ``groups - 1`` degrees of freedom.

    By the Cornish-Fisher expansion: its error is below 0.002 from 8 groups on.
    """
    n, z = max(groups - 1, 1), _NORMAL_975
    first = (z**3 + z) / (4 * n)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    return float(z + first + second + third)


def share_interval(won: Floats, played: Floats, luck: Floats | None = None) -> Interval:
    """Estimate a share of games won.

    It is Wilson's interval with the number of independent games that would scatter as much as the
    groups do: exact enough at both ends, where a plain normal interval is not.

    Args:
        won: float64[G], games won in each group (a half for a game that counts half).
        played: float64[G], games played in each group.
        luck: float64[G, K], control variates (see ``without_luck``).
    """
    total = float(played.sum())
    if total == 0:
        return Interval(0.5, 0.0, 1.0)
    won = without_luck(won, played, luck)
    mean = float(won.sum() / total)
    p = min(max(mean, 0.0), 1.0)
    games = total / _scatter(won, played, p)
    z2 = quantile(len(won)) ** 2
    centre = (p + z2 / (2 * games)) / (1 + z2 / games)
    half = np.sqrt(z2 * (p * (1 - p) + z2 / (4 * games)) / games) / (1 + z2 / games)
    return Interval(mean, float(max(centre - half, 0.0)), float(min(centre + half, 1.0)))


def _scatter(won: Floats, played: Floats, p: float) -> float:
    """Return the variance of a share over that of as many independent games.

    The rarer of winning and losing says how well it is known; where that is hardly at all, the
    games are taken for independent.
    """
    total = float(played.sum())
    independent = max(p * (1 - p), 1e-12) * total
    found = float(((won - p * played) ** 2).sum()) / independent
    known = min(p, 1 - p) * total
    return (known * found + _PRIOR_GAMES) / (known + _PRIOR_GAMES)


def mean_interval(sums: Floats, counts: Floats, luck: Floats | None = None) -> Interval:
    """Estimate a mean for each game.

    Args:
        sums: float64[G], the sum over the games of each of at least two groups.
        counts: float64[G], their number.
        luck: float64[G, K], control variates.
    """
    total, groups = counts.sum(), len(sums)
    sums = without_luck(sums, counts, luck)
    mean = sums.sum() / total
    scatter = ((sums - mean * counts) ** 2).sum() * groups / (groups - 1)
    half = quantile(groups) * np.sqrt(scatter) / total
    return Interval(float(mean), float(mean - half), float(mean + half))


def without_luck(sums: Floats, counts: Floats, luck: Floats | None) -> Floats:
    """Take out of the sums what luck explains.

    Each control variate has mean zero whatever the players do, so that what is taken out is zero
    on average. The factors are fitted on one half of the groups and used on the other: fitted and
    used on the same groups they would bias the result.
    """
    if luck is None or len(sums) < 8 * (luck.shape[1] + 1):
        return sums
    deviations = sums - sums.sum() / counts.sum() * counts
    adjusted, even = sums.copy(), np.arange(len(sums)) % 2 == 0
    for fit in (even, ~even):
        factors: Any = np.linalg.lstsq(luck[fit], deviations[fit], rcond=None)[0]
        adjusted[~fit] -= luck[~fit] @ factors
    return adjusted


# --- the sequential test ------------------------------------------------------------------------


def expected_share(elo: float) -> float:
    """Return the share of matches that a difference on the Elo scale stands for."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def log_likelihood_ratio(shares: Floats, elo0: float, elo1: float) -> float:
    """Return how much more likely ``elo1`` makes the results than ``elo0``, as a logarithm.

    By the normal approximation for means of groups, as chess engines are tested.

    Args:
        shares: float64[G], the share won in each group.
    """
    if len(shares) < 2:
        return 0.0
    p0, p1 = expected_share(elo0), expected_share(elo1)
    # One group at each end keeps the variance of a few equal groups from being zero.
    padded = np.concatenate([shares, [0.0, 1.0]])
    variance = padded.var()
    return float(len(shares) * (p1 - p0) * (2 * shares.mean() - p0 - p1) / (2 * variance))
