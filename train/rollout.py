"""Playing games to learn from: kernels play the levels' moves, Python only asks the networks.

A *sample* is a decision of the learner with more than one legal move. Samples of one seat within a
hand are linked in the order of its decisions; the reward of the hand comes with the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.agents.features import CHOICE_SIZE, HIDDEN_SIZE, STATE_SIZE, new_feature_work
from scala40_env.agents.gathering import (
    LEARNER,
    PAST,
    advance_games,
    choose_moves,
    start_hands,
)
from scala40_env.agents.levels import AGENTS
from scala40_env.engine.calls import MAX_MOVES, start_games
from scala40_env.engine.state import MATCH_OVER, MAX_SEATS, NONE, new_games
from scala40_env.engine.tables import MELD_ID, TAKE_ID
from scala40_env.rules import Rules
from scala40_env.train.opponents import advice_figures, level_figures

_ROWS_A_GAME: Final = 24
_LATEST_OPENING: Final = 8  # the most turns for which a hand must stay closed


@dataclass
class Samples:
    """Decisions of the learner, as many as were collected at a time.

    Attributes:
        states: float32[N, STATE_SIZE].
        hidden: float32[N, HIDDEN_SIZE].
        choices: float32[R, CHOICE_SIZE], the legal moves of all decisions.
        offsets: int64[N + 1], where those of each decision begin.
        gains: float32[R], what each move would earn if the hard level played on from it with the
            cards as they lie; nan where that was not tried out.
        chosen: int64[N], the move played, counted within its decision.
        log_probs: float32[N], of that move when it was drawn.
        rewards: float32[N], of the hand, at its last decision; else 0.
        ended: int8[N], 1 where the hand ended before the seat chose again.
        following: int64[N], the next decision of the seat in the hand, or -1.
        same_turn: bool[N], whether that one belongs to the same turn.
    """

    states: NDArray[np.float32]
    hidden: NDArray[np.float32]
    choices: NDArray[np.float32]
    gains: NDArray[np.float32]
    offsets: NDArray[np.int64]
    chosen: NDArray[np.int64]
    log_probs: NDArray[np.float32]
    rewards: NDArray[np.float32]
    ended: NDArray[np.int8]
    following: NDArray[np.int64]
    same_turn: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.states)

    @property
    def is_whole(self) -> NDArray[np.bool_]:
        """bool[N]: what came of the decision is known (else it only serves as an estimate)."""
        return (self.ended > 0) | (self.following != NONE)

    @property
    def sees_end(self) -> NDArray[np.bool_]:
        """bool[N]: the hand of the decision ended while samples were collected."""
        sees = self.ended > 0
        for i in range(len(self) - 1, -1, -1):
            sees[i] |= self.following[i] != NONE and sees[self.following[i]]
        return sees


def estimate_advantages(
    samples: Samples, values: NDArray[np.float32], turn_lambda: float, move_lambda: float = 1.0
) -> NDArray[np.float32]:
    """Return generalised advantage estimates (gamma 1), float32[N].

    Args:
        values: float32[N], the critic's.
        turn_lambda: lambda from one turn to the next.
        move_lambda: lambda from one decision of a turn to the next.
    """
    advantages = np.zeros(len(samples), np.float64)
    following, ended = samples.following.tolist(), samples.ended.tolist()
    rewards, same = samples.rewards.tolist(), samples.same_turn.tolist()
    value = values.tolist()
    for i in range(len(samples) - 1, -1, -1):
        j = following[i]
        if ended[i]:
            advantages[i] = rewards[i] - value[i]
        elif j != NONE:
            fading = move_lambda if same[i] else turn_lambda
            advantages[i] = value[j] - value[i] + fading * advantages[j]
    return advantages.astype(np.float32)


Scorer = Callable[
    [NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]], NDArray[np.float32]
]
"""From states, the moves of all decisions and their counts to the scores of the moves."""


@dataclass
class Tally:
    """Matches finished against each kind of opponent, and how many the learner won."""

    played: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)

    def note(self, opponent: int, won: bool) -> None:
        """Count one match."""
        self.played[opponent] = self.played.get(opponent, 0) + 1
        self.won[opponent] = self.won.get(opponent, 0) + int(won)


class Collector:
    """Games in progress, played by the learner and its opponents.

    Args:
        rules: of all games.
        num_games: how many run side by side.
        first_seed: of the matches; each takes the next one.
        draw: called with a number of games, returns int64 controllers of the opponents.
        table: float32[limit, limit] chances to win for the reward, or None: points.
        rng: chooses seats and moves.
        rated_share: of how many decisions all moves are tried out.
        closed_share: in how many hands a learner may not open for one to eight turns, drawn at
            random. What it does until then is no sample: samples begin with a closed hand. So it
            learns what such hands are worth, which a policy that opens at once never sees
            (exploring starts: Sutton and Barto, Reinforcement Learning, 5.3).
    """

    def __init__(
        self,
        rules: Rules,
        num_games: int,
        first_seed: int,
        draw: Callable[[int], NDArray[np.int64]],
        table: NDArray[np.float32] | None,
        rng: np.random.Generator,
        rated_share: float = 0.0,
        closed_share: float = 0.0,
    ) -> None:
        AGENTS.announce()
        self.next_seed = first_seed
        self.tally = Tally()
        self._rules = rules
        self._draw = draw
        self._rng = rng
        self._rated_share = rated_share
        self._closed_share = closed_share
        self._table = np.zeros((0, 0), np.float32) if table is None else table
        self._figures, self._advice = level_figures(), advice_figures()
        self._games = new_games(num_games)
        self._controllers = np.full((num_games, MAX_SEATS), LEARNER, np.int64)
        self._streams = rng.integers(1 << 63, size=(num_games, 1), dtype=np.uint64)
        self._given = np.full((num_games, 2), NONE, np.int64)
        self._before = np.zeros((num_games, 2 * MAX_SEATS), np.int64)
        self._last = np.full((num_games, MAX_SEATS), NONE, np.int64)
        self._turns = np.zeros((num_games, MAX_SEATS), np.int64)
        self._hand = np.full((num_games, MAX_SEATS), NONE, np.int64)
        self._may_open = np.zeros((num_games, MAX_SEATS), np.int64)  # from this turn of it on
        self._buffers = _Decisions(num_games)
        self._work = new_feature_work()
        self._start(np.arange(num_games))

    def _start(self, games: NDArray[np.int64]) -> None:
        """Start a new match, with new opponents, in some games."""
        count, seats = len(games), self._rules.num_players
        fresh, before = new_games(count), np.zeros((count, 2 * MAX_SEATS), np.int64)
        codes = np.repeat(self._rules.encode()[None], count, axis=0)
        seeds = np.arange(self.next_seed, self.next_seed + count, dtype=np.uint64)
        self.next_seed += count
        start_games(fresh, codes, seeds, np.full(count, NONE, np.int64), 0, count)
        start_hands(fresh, before)
        self._games[games], self._before[games] = fresh, before
        self._controllers[games] = self._draw(count)[:, None]
        self._controllers[games, self._rng.integers(seats, size=count)] = LEARNER
        self._last[games] = NONE
        self._hand[games] = NONE

    def collect(self, size: int, learner: Scorer, past: Sequence[Scorer] = ()) -> Samples:
        """Play until there are ``size`` samples (some more, up to one a game).

        Args:
            learner: scores the moves for the policy being trained.
            past: score them for the past selves that the controllers name.
        """
        store = _Store(size + len(self._games))
        scorers = [learner, *past]
        self._last[:] = NONE
        first = 0
        while store.count < size:
            count, first = self._advance(store, first)
            if first == len(self._games):
                first = 0
                self._restart()
            if count:
                self._answer(store, count, scorers)
        return store.samples()

    def _advance(self, store: _Store, first: int) -> tuple[int, int]:
        b = self._buffers
        count, first = advance_games(
            self._games, first, self._controllers, self._figures, self._advice, self._streams,
            self._given, self._last, self._before, self._table, store.rewards, store.ended,
            b.states, b.choices, b.offsets, b.moves, b.hidden, b.gains, self._rated_share,
            b.waiting, self._work,
        )  # fmt: skip
        return int(count), int(first)

    def _restart(self) -> None:
        """Count the matches that are over and start others in their place."""
        over = np.flatnonzero(self._games["phase"] == MATCH_OVER)
        seats = self._rules.num_players
        for b in over:
            controllers = self._controllers[b, :seats]
            opponents = controllers[controllers != LEARNER]
            winner = int(self._games["winner"][b])
            if len(opponents) and winner != NONE:
                opponent = max(int(opponents[0]), PAST)
                self.tally.note(opponent, controllers[winner] == LEARNER)
        if over.size:
            self._start(over)

    def _answer(self, store: _Store, count: int, scorers: Sequence[Scorer]) -> None:
        """Let the networks choose; what the learner chose freely becomes samples."""
        b = self._buffers
        games = b.waiting[:count]
        seats = self._games["player"][games].astype(np.int64)
        networks = LEARNER - self._controllers[games, seats]
        closed = (networks == 0) & self._must_stay_closed(games, seats)
        for k in np.unique(networks[~closed]):
            mine = np.flatnonzero((networks == k) & ~closed)
            rows, offsets = gather_rows(b.offsets, mine)
            chosen, log_probs = self._choose(mine, rows, offsets, scorers[k])
            if k == 0:
                index = store.add(
                    b.states[mine], b.hidden[mine], b.choices[rows], b.gains[rows],
                    np.diff(offsets), chosen - offsets[:-1], log_probs,
                )  # fmt: skip
                self._link(store, games[mine], seats[mine], index)
        if closed.any():
            mine = np.flatnonzero(closed)
            rows, offsets = stay_closed(*gather_rows(b.offsets, mine), b.moves)
            self._choose(mine, rows, offsets, scorers[0])

    def _choose(
        self,
        mine: NDArray[np.int64],
        rows: NDArray[np.int64],
        offsets: NDArray[np.int64],
        scorer: Scorer,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Draw one of the moves ``rows`` for each decision; returns which, and its log chance."""
        b = self._buffers
        scores = scorer(b.states[mine], b.choices[rows], np.diff(offsets))
        chosen, log_probs = np.zeros(len(mine), np.int64), np.zeros(len(mine), np.float32)
        choose_moves(scores, offsets, self._rng.random(len(mine)), chosen, log_probs)
        self._given[b.waiting[mine]] = b.moves[rows[chosen]]
        return chosen, log_probs

    def _must_stay_closed(
        self, games: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Whether a hand is one that may not be opened yet, see ``closed_share``: bool[count]."""
        hands = self._games["hand_number"][games].astype(np.int64)
        new = self._hand[games, seats] != hands
        self._hand[games, seats] = hands
        count = int(new.sum())
        turns = self._rng.integers(1, _LATEST_OPENING + 1, size=count)
        drawn = self._rng.random(count) < self._closed_share
        self._may_open[games[new], seats[new]] = turns * drawn
        opened = self._games["opened"][games, seats] > 0
        return ~opened & (self._games["turns"][games, seats] < self._may_open[games, seats])

    def _link(
        self,
        store: _Store,
        games: NDArray[np.int64],
        seats: NDArray[np.int64],
        index: NDArray[np.int64],
    ) -> None:
        """Link new samples to those before them in the same hand."""
        turns = self._games["turns"][games, seats].astype(np.int64)
        earlier = self._last[games, seats]
        linked = earlier != NONE
        store.following[earlier[linked]] = index[linked]
        same = turns[linked] == self._turns[games[linked], seats[linked]]
        store.same_turn[earlier[linked]] = same
        self._last[games, seats] = index
        self._turns[games, seats] = turns


class _Decisions:
    """Room for the decisions that wait for a network at one moment."""

    def __init__(self, num_games: int) -> None:
        rows = num_games * _ROWS_A_GAME + MAX_MOVES
        self.states = np.zeros((num_games, STATE_SIZE), np.float32)
        self.hidden = np.zeros((num_games, HIDDEN_SIZE), np.float32)
        self.choices = np.zeros((rows, CHOICE_SIZE), np.float32)
        self.gains = np.zeros(rows, np.float32)
        self.moves = np.zeros((rows, 2), np.int16)
        self.offsets = np.zeros(num_games + 1, np.int64)
        self.waiting = np.zeros(num_games, np.int64)


def gather_rows(
    offsets: NDArray[np.int64], which: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of some decisions, one after the other, and their new offsets."""
    counts = offsets[which + 1] - offsets[which]
    new_offsets = np.concatenate([[0], np.cumsum(counts)])
    shift = np.repeat(offsets[which] - new_offsets[:-1], counts)
    return np.arange(new_offsets[-1]) + shift, new_offsets


def stay_closed(
    rows: NDArray[np.int64], offsets: NDArray[np.int64], moves: NDArray[np.int16]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Leave out the moves that begin to open, but for decisions that have no others."""
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    actions = moves[rows, 0]
    stays = (actions < MELD_ID) & (actions != TAKE_ID)
    stays |= np.bincount(owners[stays], minlength=len(offsets) - 1)[owners] == 0
    counts = np.bincount(owners[stays], minlength=len(offsets) - 1)
    return rows[stays], np.concatenate([[0], np.cumsum(counts)])


class _Store:
    """Samples as they come in."""

    def __init__(self, size: int) -> None:
        self.count = 0
        self.rewards = np.zeros(size, np.float32)
        self.ended = np.zeros(size, np.int8)
        self.following = np.full(size, NONE, np.int64)
        self.same_turn = np.zeros(size, np.bool_)
        self._parts: list[tuple[NDArray[Any], ...]] = []

    def add(self, states: NDArray[np.float32], *more: NDArray[Any]) -> NDArray[np.int64]:
        """Add samples; ``more``: hidden, choices, gains, counts, chosen, log_probs."""
        self._parts.append((states, *more))
        first = self.count
        self.count += len(states)
        return np.arange(first, self.count)

    def samples(self) -> Samples:
        """Return all samples so far."""
        states, hidden, choices, gains, counts, chosen, log_probs = (
            np.concatenate(columns) for columns in zip(*self._parts, strict=True)
        )
        n = self.count
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return Samples(
            states, hidden, choices, gains, offsets, chosen, log_probs, self.rewards[:n],
            self.ended[:n], self.following[:n], self.same_turn[:n],
        )  # fmt: skip
