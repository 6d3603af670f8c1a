"""Measure agents against each other: mirrored deals, 95 % intervals, ratings.

Two sides (two players, or two teams) meet in every pairing, each deal twice with the sides swapped.
At a table of more, the players fill the seats in turn and every deal is played in all rotations.
The unit of every interval is the deal: see ``intervals``.

    >>> result = evaluate(["normal", "easy"], pairs=20)        # doctest: +SKIP
    >>> result.pairings[0].matches.mean                        # doctest: +SKIP
    0.9

Deals are numbered: evaluation number S uses the match seeds from ``S * 2**32`` on. A checkpoint
says which seeds it was trained and selected on; those are refused.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scala40_env import __version__
from scala40_env.agents.arena import Matches
from scala40_env.agents.base import Agent
from scala40_env.agents.registry import make_agent
from scala40_env.rules import Rules
from scala40_env.train.intervals import Interval, log_likelihood_ratio
from scala40_env.train.pairings import (
    Pairing,
    Plan,
    Progress,
    Standing,
    places,
    summarize_pairing,
    summarize_player,
)
from scala40_env.train.ratings import bradley_terry_intervals, plackett_luce

SEEDS_A_RUN: Final = 1 << 32
NUM_RUNS: Final = 1 << 31
"""Numbers of evaluations: all their match seeds are below 2**63."""
MIRRORED: Final = np.array([[0, 1], [1, 0]])  # the sides of the two games of a pair

_RATED_DEALS: Final = 1000  # OpenSkill is slow, and its rating has settled long before


class EvaluationError(ValueError):
    """An evaluation that cannot be done; the message is one line."""


@dataclass(frozen=True)
class Evaluation:
    """Everything an evaluation found out.

    Attributes:
        players: the names, as asked for.
        labels: what they are exactly: levels with version and hash.
        complete: False where Ctrl-C has ended it.
    """

    players: tuple[str, ...]
    labels: tuple[str, ...]
    rules: Rules
    seed: int
    pairings: tuple[Pairing, ...]
    standings: tuple[Standing, ...]
    ratings: tuple[Interval, ...]
    rating_system: str
    seconds: float
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return all figures for JSON."""
        figures: dict[str, Any] = {
            "format": "scala40-evaluation/1",
            "players": list(self.players),
            "labels": dict(zip(self.players, self.labels, strict=True)),
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "pairings": [pairing.to_dict(self.rules) for pairing in self.pairings],
            "rating_system": self.rating_system,
            "ratings": {
                name: rating.rounded(2)
                for name, rating in zip(self.players, self.ratings, strict=True)
            },
            "seconds": round(self.seconds, 1),
            "complete": self.complete,
            "version": __version__,
        }
        if self.standings:
            figures["standings"] = [
                {"name": s.name, "wins": s.wins.rounded(), "place": s.place.rounded()}
                for s in self.standings
            ]
        return figures


def evaluate(
    players: Sequence[str | Agent],
    pairs: int = 1000,
    rules: Rules | str = "browser",
    seed: int = 1,
    *,
    until: float | None = None,
    note_luck: bool = False,
    threads: int = 2,
    progress: Progress | None = None,
) -> Evaluation:
    """Let players meet and measure how they do.

    Args:
        players: two or more, by name or as agents.
        pairs: mirrored pairs of each pairing, or deals of a larger table, each in all rotations.
        seed: which deals: see the head of this module.
        until: play on, from a few pairs, until the 95 % intervals of all shares of matches are this
            narrow to either side; ``pairs`` is then the most that is played.
        note_luck: take the luck of the draws out of the shares and differences.
        progress: called with the number of matches finished since the last call.

    Raises:
        EvaluationError: too few players, pairs or threads, no number of an evaluation, or seeds
            that a checkpoint has seen.
        AgentError: there is no such agent.
    """
    began = time.perf_counter()
    _refuse_numbers(pairs, seed, threads)
    agents = [make_agent(p, seed) if isinstance(p, str) else p for p in players]
    if len(agents) < 2:
        raise EvaluationError("an evaluation needs at least two players")
    rules = Rules.preset(rules) if isinstance(rules, str) else rules
    plan = Plan(rules, seed * SEEDS_A_RUN, threads, note_luck, progress)
    refuse_seen_seeds(agents, plan.first, pairs)
    names = distinct_names(players)
    measure = _two_sides if plan.sides == 2 else _table
    pairings, standings, ratings, system = measure(agents, names, plan, pairs, until)
    seconds = time.perf_counter() - began
    return Evaluation(
        tuple(names),
        tuple(agent.name for agent in agents),
        rules,
        seed,
        pairings,
        standings,
        tuple(ratings),
        system,
        seconds,
        complete=not plan.stopped,
    )


def _refuse_numbers(pairs: int, seed: int, threads: int) -> None:
    if pairs < 2:
        raise EvaluationError(f"pairs = {pairs} must be at least 2, for intervals")
    if not 0 <= seed < NUM_RUNS:
        raise EvaluationError(f"seed = {seed} must be from 0 to {NUM_RUNS - 1}")
    if threads < 1:
        raise EvaluationError(f"threads = {threads} must be 1 or more")


def refuse_seen_seeds(agents: Sequence[Agent], first: int, count: int) -> None:
    """Refuse seeds that an agent says it was trained or selected on (EvaluationError)."""
    for agent in agents:
        seen: Mapping[str, Sequence[int]] = getattr(agent, "meta", {}).get("seeds", {})
        for purpose, (start, end) in seen.items():
            if first < end and start < first + count:
                raise EvaluationError(
                    f"agent {agent.name!r} used the seeds {start}..{end - 1} for {purpose};"
                    " evaluate it on others (--seed)"
                )


def distinct_names(players: Sequence[str | Agent]) -> list[str]:
    """Return the names of players, numbered where two are called alike."""
    names = [player if isinstance(player, str) else player.name for player in players]
    return [
        f"{name} #{names[:i].count(name) + 1}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


_Measured = tuple[tuple[Pairing, ...], tuple[Standing, ...], list[Interval], str]


# --- two sides ----------------------------------------------------------------------------------


def _two_sides(
    agents: Sequence[Agent], names: Sequence[str], plan: Plan, pairs: int, until: float | None
) -> _Measured:
    """Play every pairing in mirrored pairs."""
    both = list(combinations(range(len(agents)), 2))
    pairings: list[Pairing] = []
    try:
        for a, b in both:
            both_agents, both_names = [agents[a], agents[b]], (names[a], names[b])
            pairings.append(_play_pairing(both_agents, both_names, plan, pairs, until))
            if plan.stopped:
                break
    except KeyboardInterrupt:  # before a pairing has any figures; those before it are worth keeping
        if not pairings:
            raise
        plan.stopped = True
    shares = [pairing.shares for pairing in pairings]
    ratings = bradley_terry_intervals(len(agents), both[: len(pairings)], shares)
    return tuple(pairings), (), ratings, "Bradley-Terry (Elo)"


def _play_pairing(
    agents: Sequence[Agent], names: tuple[str, str], plan: Plan, pairs: int, until: float | None
) -> Pairing:
    def summarize(matches: Matches) -> Pairing:
        return summarize_pairing(matches, (0, 1), names, plan, len(MIRRORED))

    def is_enough(matches: Matches) -> bool:
        return until is not None and summarize(matches).matches.half_width <= until

    return summarize(plan.play(agents, MIRRORED, pairs, is_enough))


# --- larger tables ------------------------------------------------------------------------------


def table_lineups(players: int, seats: int) -> NDArray[np.int64]:
    """Return the lineups of a deal: the players in turn around the table, in all rotations.

    Where there are fewer players than seats some sit twice; then each one begins in turn, so that
    all play equally often. Where there are more, every choice of players is a table.

    Returns:
        int64[L, seats], each lineup once.
    """
    rows: set[tuple[int, ...]] = set()
    for chosen in combinations(range(players), min(players, seats)):
        for begin in range(len(chosen)):
            around = [chosen[(begin + k) % len(chosen)] for k in range(seats)]
            rows |= {tuple(around[turn:] + around[:turn]) for turn in range(seats)}
    return np.array(sorted(rows), np.int64)


def _table(
    agents: Sequence[Agent], names: Sequence[str], plan: Plan, pairs: int, until: float | None
) -> _Measured:
    """Play deals of a table of three or more in all rotations."""
    lineups = table_lineups(len(agents), plan.sides)
    group = len(lineups)

    def stand(matches: Matches) -> list[Standing]:
        return [summarize_player(matches, i, name, plan, group) for i, name in enumerate(names)]

    def is_enough(matches: Matches) -> bool:
        return until is not None and max(s.wins.half_width for s in stand(matches)) <= until

    matches = plan.play(agents, lineups, pairs, is_enough)
    pairings = [
        summarize_pairing(matches, (a, b), (names[a], names[b]), plan, group)
        for a, b in combinations(range(len(agents)), 2)
    ]
    rated = slice(0, _RATED_DEALS * group)
    tables = zip(
        matches.lineups[rated].tolist(), places(matches, plan)[rated].tolist(), strict=True
    )
    ratings = plackett_luce(len(agents), tables)
    return tuple(pairings), tuple(stand(matches)), ratings, "Plackett-Luce (OpenSkill)"


# --- the sequential test --------------------------------------------------------------------------


@dataclass(frozen=True)
class SequentialTest:
    """The end of a sequential test of `a` against `b`.

    Attributes:
        answer: `stronger` (elo1 accepted), `not stronger` (elo0 accepted) or `undecided`.
        ratio: the log-likelihood ratio reached.
        bound: it had to get below -bound or above bound.
        pairing: all that was played.
        complete: False where Ctrl-C has ended it.
    """

    answer: str
    ratio: float
    bound: float
    pairing: Pairing
    complete: bool = True


def run_sequential_test(
    a: str | Agent,
    b: str | Agent,
    elo0: float = 0.0,
    elo1: float = 10.0,
    most_pairs: int = 100_000,
    rules: Rules | str = "browser",
    seed: int = 1,
    *,
    error: float = 0.05,
    threads: int = 2,
    progress: Progress | None = None,
) -> SequentialTest:
    """Play mirrored pairs until it is clear whether `a` is stronger than `b` by elo0 or by elo1.

    Args:
        error: the chance of either wrong answer.
        most_pairs: give up after so many.

    Raises:
        EvaluationError: elo1 is not above elo0, the rules have more than two sides, or as
            ``evaluate``.
    """
    _refuse_numbers(most_pairs, seed, threads)
    if elo1 <= elo0:
        raise EvaluationError(f"elo1 = {elo1} must be above elo0 = {elo0}")
    agents = [make_agent(p, seed) if isinstance(p, str) else p for p in (a, b)]
    rules = Rules.preset(rules) if isinstance(rules, str) else rules
    plan = Plan(rules, seed * SEEDS_A_RUN, threads, progress=progress)
    if plan.sides != 2:
        raise EvaluationError("the sequential test is for two players or two teams")
    refuse_seen_seeds(agents, plan.first, most_pairs)
    first, second = distinct_names([a, b])
    bound = float(np.log((1 - error) / error))

    def summarize(matches: Matches) -> tuple[Pairing, float]:
        pairing = summarize_pairing(matches, (0, 1), (first, second), plan, len(MIRRORED))
        return pairing, log_likelihood_ratio(pairing.shares, elo0, elo1)

    def is_enough(matches: Matches) -> bool:
        return abs(summarize(matches)[1]) >= bound

    pairing, ratio = summarize(plan.play(agents, MIRRORED, most_pairs, is_enough))
    answer = "stronger" if ratio >= bound else "not stronger" if ratio <= -bound else "undecided"
    return SequentialTest(answer, ratio, bound, pairing, complete=not plan.stopped)
