"""What the end of a hand is worth to each seat; the environments of this package share it.

match     at the end of the match the winner +1, every other seat -1 / (seats - 1); a seat that
          is out before gets it when it goes out. Members of a team share alike, winners +1,
          losers -1. Nothing to those still in when `max_hands` cuts the match short.
points    at the end of each hand (mean points of the other seats in it - own points) / 100;
          in team play (points of the other team - points of the own) / 100.
win_prob  at the end of each hand the change of the chance to win the match (two players).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .engine.state import NONE
from .rules import PRESETS, Rules

Rewards: TypeAlias = NDArray[np.float64]
"""float64[B, players]."""

REWARDS: Final = ("match", "points", "win_prob")
WIN_PROB_FILE: Final = Path(__file__).with_name("win_prob.npz")
"""For each preset float32[limit, limit]: the chance of a seat with the total of the row to win
against one with the total of the column, before a deal."""


class RewardError(ValueError):
    """A reward that does not exist or is not possible here; the message is one line."""


class Standing(NamedTuple):
    """How some matches stand while a hand is played.

    Attributes:
        in_match: bool[B, players], who plays.
        totals: int32[B, players].
    """

    in_match: NDArray[np.bool_]
    totals: NDArray[np.int32]


RewardFunction: TypeAlias = Callable[[Standing, NDArray[Any]], Rewards]
"""From the standings before a hand and the games GAME[B] just after it."""


def standing(games: NDArray[Any], rules: Rules) -> Standing:
    """Return how the matches stand now, as new arrays."""
    n = rules.num_players
    return Standing(games["in_match"][:, :n] != 0, games["totals"][:, :n].copy())


def make_reward(name: str, rules: Rules) -> RewardFunction:
    """Return the reward of a name.

    Raises:
        RewardError: unknown name, or no table of win probabilities for these rules.
    """
    if name == "match":
        return partial(match_reward, rules=rules)
    if name == "points":
        return partial(points_reward, rules=rules)
    if name == "win_prob":
        return partial(win_prob_reward, table=load_win_prob(rules))
    raise RewardError(f"unknown reward {name!r}; allowed: {', '.join(REWARDS)}")


def winners(games: NDArray[Any], rules: Rules) -> NDArray[np.bool_]:
    """Return which seats have won their match, bool[B, players]; nobody where it goes on."""
    seats = np.arange(rules.num_players)
    sides = seats if rules.teams == "none" else seats % 2
    return np.asarray(games["winner"][:, None] == sides)


def match_reward(before: Standing, games: NDArray[Any], rules: Rules) -> Rewards:
    """Return +1 to the winners, and the loss to those who lost the match in this hand."""
    won = winners(games, rules)
    is_out = games["in_match"][:, : rules.num_players] == 0
    lost = before.in_match & ~won & (is_out | won.any(axis=1, keepdims=True))
    losers = 1 if rules.teams != "none" else rules.num_players - 1
    return np.asarray(won - lost / losers)


def points_reward(before: Standing, games: NDArray[Any], rules: Rules) -> Rewards:
    """Return how much less than the others each seat paid in the hand, in hundreds."""
    points = games["hand_points"][:, : rules.num_players].astype(np.float64)
    if rules.teams != "none":
        by_team = _team_points(points, games["closer"], rules)
        lead = by_team[:, ::-1] - by_team
        return np.tile(lead / 100, rules.num_players // 2)
    others = before.in_match.sum(axis=1, keepdims=True) - 1
    mean = (points.sum(axis=1, keepdims=True) - points) / np.maximum(others, 1)
    return np.where(before.in_match, mean - points, 0) / 100


def _team_points(points: Rewards, closer: NDArray[np.int8], rules: Rules) -> Rewards:
    """Return what each of the two teams scores in a hand, float64[B, 2]."""
    members = points.reshape(len(points), -1, 2)
    worst = rules.team_points == "worst"
    scored: Rewards = members.max(axis=1) if worst else members.sum(axis=1)
    if rules.partner_of_closer_pays:
        return scored
    closed = closer[:, None] % 2 == np.arange(2)
    return np.where(closed & (closer[:, None] != NONE), 0, scored)


def load_win_prob(rules: Rules) -> NDArray[np.float32]:
    """Return the table of win probabilities of some rules, see WIN_PROB_FILE.

    Raises:
        RewardError: there is none.
    """
    if rules.num_players != 2:
        raise RewardError(f"reward win_prob is for 2 players, not for {rules.num_players}")
    if not WIN_PROB_FILE.exists():
        raise RewardError(f"reward win_prob needs the table {WIN_PROB_FILE.name}, which is missing")
    with np.load(WIN_PROB_FILE) as tables:
        for name in tables.files:
            if name in PRESETS and PRESETS[name] == rules:
                return np.asarray(tables[name], np.float32)
        raise RewardError(
            f"reward win_prob has tables for the presets {', '.join(tables.files)}"
            " only, not for these rules"
        )


def _chance(totals: NDArray[Any], table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the chance of the first of two seats: float32[B]."""
    totals = np.minimum(totals[:, :2], len(table) - 1)  # at the limit: it is decided
    return np.asarray(table[totals[:, 0], totals[:, 1]])


def win_prob_reward(before: Standing, games: NDArray[Any], table: NDArray[np.float32]) -> Rewards:
    """Return by how much the chance of each of two seats to win the match has changed."""
    chance = np.where(
        games["winner"] == NONE, _chance(games["totals"], table), games["winner"] == 0
    )
    change = chance - _chance(before.totals, table)
    return np.stack([change, -change], axis=1).astype(np.float64)
