"""What is played in an evaluation, and what it says of two players or of one.

The games of one deal are a *group*, the unit of all intervals: a mirrored pair for two sides, all
rotations of the lineups at a larger table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.agents.arena import NEVER_OUT, Matches, play_matches
from scala40_env.agents.base import Agent
from scala40_env.rules import Rules
from scala40_env.train.intervals import Floats, Interval, mean_interval, share_interval

Progress = Callable[[int], None]

_SLICE: Final = 500  # deals played between two looks at what is known


@dataclass
class Plan:
    """What is played: fixed by the arguments of ``evaluate``.

    Attributes:
        first: number of the first match seed.
        note_luck: whether the luck of the draws is taken out.
        progress: called with the number of matches finished since the last call.
        stopped: set by Ctrl-C, which ends an evaluation with what has been played.
    """

    rules: Rules
    first: int
    threads: int = 2
    note_luck: bool = False
    progress: Progress | None = None
    stopped: bool = False

    @property
    def sides(self) -> int:
        """Two teams, or every seat for itself."""
        return self.rules.num_players if self.rules.teams == "none" else 2

    def play(
        self,
        players: Sequence[Agent],
        lineups: NDArray[np.int64],
        deals: int,
        is_enough: Callable[[Matches], bool] | None = None,
    ) -> Matches:
        """Play deals with every lineup, until all are played, or it is enough, or Ctrl-C.

        Args:
            lineups: int64[L, sides], indices into ``players``.
            is_enough: asked now and then.
        """
        parts: list[Matches] = []
        try:
            for start in range(0, deals, _SLICE):
                count = min(_SLICE, deals - start)
                parts.append(self._play_slice(players, lineups, start, count))
                if is_enough is not None and is_enough(Matches.join(parts)):
                    break
        except KeyboardInterrupt:
            if not parts:
                raise
            self.stopped = True
        return Matches.join(parts)

    def _play_slice(
        self, players: Sequence[Agent], lineups: NDArray[np.int64], start: int, deals: int
    ) -> Matches:
        repeats = self.rules.num_players // lineups.shape[1]  # teams: seats alternate
        numbers = np.arange(start, start + deals, dtype=np.uint64) + np.uint64(self.first)
        return play_matches(
            players,
            self.rules,
            np.repeat(numbers, len(lineups)),
            np.tile(lineups, (deals, repeats)),
            key=self.first,
            first_match=start * len(lineups),
            threads=self.threads,
            note_luck=self.note_luck,
            progress=self.progress,
        )


@dataclass(frozen=True)
class Pairing:
    """How two players did against each other.

    Attributes:
        a, b: their names.
        groups: mirrored pairs, or deals played in all rotations.
        seeds: the first match seed and the last.
        matches: share of matches that `a` won, of those that either did (cut short: a half).
        hands: share of hands that `a` closed, of those that either did.
        difference: points a hand that `b` paid more than `a`.
        points, in_hand, never_opened: of a and b, a hand: points paid; share of hands closed in
            hand; share never opened.
        void, cut_short: share of hands that nobody closed, of matches cut short.
        turns: mean turns of both in a hand.
        num_matches, num_hands: how many.
        shares: float64[groups], the share of each pair that `a` won; empty at larger tables.
        shrinkage: by which factors taking the luck of the draws out has narrowed the intervals of
            matches, hands and difference; None where that was not asked for.
    """

    a: str
    b: str
    groups: int
    seeds: tuple[int, int]
    matches: Interval
    hands: Interval
    difference: Interval
    points: tuple[float, float]
    in_hand: tuple[float, float]
    never_opened: tuple[float, float]
    void: float
    cut_short: float
    turns: float
    num_matches: int
    num_hands: int
    shares: Floats = field(repr=False)
    shrinkage: tuple[float, float, float] | None = None

    def to_dict(self, rules: Rules) -> dict[str, Any]:
        """Return the pairing for JSON."""
        figures: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "rules": rules.to_dict(),
            "pairs": self.groups,
            "seeds": list(self.seeds),
            "matches": self.matches.rounded(),
            "hands": self.hands.rounded(),
            "difference": self.difference.rounded(),
        }
        for name in ("points", "in_hand", "never_opened"):
            figures[name] = [round(x, 5) for x in getattr(self, name)]
        for name in ("void", "cut_short", "turns"):
            figures[name] = round(getattr(self, name), 5)
        figures |= {"num_matches": self.num_matches, "num_hands": self.num_hands}
        if self.shrinkage is not None:
            figures["shrinkage"] = [round(factor, 3) for factor in self.shrinkage]
        return figures


@dataclass(frozen=True)
class Standing:
    """How one player did at tables of three or more.

    Attributes:
        name: the player.
        wins: share of its seats' matches won; by chance 1 / number of seats.
        place: mean finishing place, 1 = first.
    """

    name: str
    wins: Interval
    place: Interval


def summarize_pairing(
    matches: Matches, pair: tuple[int, int], names: tuple[str, str], plan: Plan, group: int
) -> Pairing:
    """Sum up how two players did in matches at common tables.

    Args:
        pair: their indices in the lineups.
        group: how many matches each deal was played.
    """
    matches, group = _common_tables(matches, pair, group)
    won = [_by_group(won_matches(matches, plan) * (matches.lineups == i), group) for i in pair]
    columns = {
        name: [_by_group(matches.column(name) * (matches.lineups == i), group) for i in pair]
        for name in ("hands_won", "points", "in_hand", "never_opened", "turns")
    }
    hands = matches.hands.reshape(-1, group).sum(axis=1).astype(float)
    num_hands = int(hands.sum())
    seats = [
        float((matches.hands[:, None] * (matches.lineups == i)).sum()) / num_hands for i in pair
    ]

    def per_hand(name: str) -> tuple[float, float]:
        x, y = (float(columns[name][k].sum() / seats[k] / num_hands) for k in (0, 1))
        return x, y

    def intervals(luck: Floats | None) -> tuple[Interval, Interval, Interval]:
        closed, points = columns["hands_won"], columns["points"]
        paid_more = points[1] / seats[1] - points[0] / seats[0]
        return (
            share_interval(won[0], won[0] + won[1], luck),
            share_interval(closed[0], closed[0] + closed[1], luck),
            mean_interval(paid_more, hands, luck),
        )

    plain = found = intervals(None)
    if plan.note_luck:
        found = intervals(_luck_difference(matches, pair, group))
    return Pairing(
        *names,
        groups=len(hands),
        seeds=(plan.first, plan.first + len(hands) - 1),
        matches=found[0],
        hands=found[1],
        difference=found[2],
        points=per_hand("points"),
        in_hand=per_hand("in_hand"),
        never_opened=per_hand("never_opened"),
        void=float(matches.voids.sum() / num_hands),
        cut_short=float((matches.winners < 0).mean()),
        turns=sum(per_hand("turns")),
        num_matches=len(matches.hands),
        num_hands=num_hands,
        shares=won[0] / (won[0] + won[1]) if plan.sides == 2 else np.zeros(0),
        shrinkage=_shrinkage(plain, found) if plan.note_luck else None,
    )


def _common_tables(matches: Matches, pair: tuple[int, int], group: int) -> tuple[Matches, int]:
    """Return the matches at which both of a pair sat, and how many each deal has of them."""
    both = np.all([(matches.lineups == i).any(axis=1) for i in pair], axis=0)
    return matches.take(both), int(both[:group].sum())


def _shrinkage(
    before: tuple[Interval, ...], after: tuple[Interval, ...]
) -> tuple[float, float, float]:
    """Return by which factor each interval has become narrower (1 where it had no width)."""
    widths = [(x.half_width, y.half_width) for x, y in zip(before, after, strict=True)]
    a, b, c = (x / y if y > 0 else 1.0 for x, y in widths)
    return a, b, c


def won_matches(matches: Matches, plan: Plan) -> Floats:
    """Return what each seat won of each match: float64[M, n], in sum 1.

    The members of a team share what it has won; those still in share a match cut short.
    """
    sides = np.arange(matches.lineups.shape[1]) % plan.sides
    won = (matches.winners[:, None] == sides).astype(float)
    cut = matches.winners < 0
    won[cut] = matches.column("out_at")[cut] == NEVER_OUT
    return np.asarray(won / won.sum(axis=1, keepdims=True))


def _by_group(by_seat: NDArray[Any], group: int) -> Floats:
    """Return the sum over the seats and matches of each group: float64[G]."""
    return by_seat.sum(axis=1).reshape(-1, group).sum(axis=1).astype(float)


def _luck_difference(matches: Matches, pair: tuple[int, int], group: int) -> Floats:
    """Return by how much `a` was luckier than `b` in each group: float64[G, LUCKS]."""
    sign = (matches.lineups == pair[0]).astype(float) - (matches.lineups == pair[1])
    luck: Floats = (matches.lucks * sign[:, :, None]).sum(axis=1)
    return np.asarray(luck.reshape(-1, group, luck.shape[1]).sum(axis=1))


def summarize_player(matches: Matches, player: int, name: str, plan: Plan, group: int) -> Standing:
    """Sum up how a player did at a table."""
    mine = matches.lineups == player
    seats = _by_group(mine, group)
    wins = share_interval(_by_group(won_matches(matches, plan) * mine, group), seats)
    place = mean_interval(_by_group((places(matches, plan) + 1) * mine, group), seats)
    return Standing(name, wins, place)


def places(matches: Matches, plan: Plan) -> Floats:
    """Return the place of each seat, 0 = first: float64[M, n]; equal seats share the mean place.

    The winner is first; then who stayed in longer, then the better total.
    """
    seats = matches.lineups.shape[1]
    won = matches.winners[:, None] == np.arange(seats)
    out_at, total = matches.column("out_at"), matches.column("total")
    worth = total if plan.rules.mode == "victory_points" else -total
    key = np.where(won, 2.0 * NEVER_OUT, out_at) * 1e6 + worth
    above = (key[:, None, :] > key[:, :, None]).sum(axis=2)
    equal = (key[:, None, :] == key[:, :, None]).sum(axis=2) - 1
    return np.asarray(above + equal / 2)
