"""Thousands of games in step, for training and measuring: arrays in, arrays out.

    >>> batch = BatchGame("browser", num_games=3, seed=7)
    >>> batch.masks.shape
    (3, 1208)
    >>> batch.step(batch.random_actions()).tolist()  # games whose match is over
    []

Game i depends on the seed and on i alone, never on the number of games or threads. Threads share
the arrays in slices: the kernels release the interpreter lock. The pool is made at the first use
and again in a forked child.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .actions import NUM_ACTIONS, action_name
from .engine import calls
from .engine.kernel import ENGINE
from .engine.random_play import choose_random
from .engine.state import NONE, new_games
from .engine.work import new_work
from .game import IllegalMoveError, check_seed
from .rules import Rules

_CHOICES: Final = 0xC401CE  # the stream of random actions, beyond any number of matches


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same bijection as ``engine.state.mix64``, for arrays."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def streams(seeds: ArrayLike, indices: ArrayLike) -> NDArray[np.uint64]:
    """Return uint64 seeds of sub-streams, as ``engine.state.stream`` does; both broadcast."""
    keys = np.atleast_1d(np.asarray(indices, np.uint64)) + np.uint64(0x632BE59BD9B4E019)
    return _mix(np.asarray(seeds, np.uint64) ^ _mix(keys))


def whole_numbers(actions: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return action ids as int64[count], a new array; ValueError where they are something else."""
    given = np.asarray(actions)
    if given.shape != (count,) or given.dtype.kind not in "iu":
        raise ValueError(f"actions are {given.dtype}{list(given.shape)}, not {count} whole numbers")
    return given.astype(np.int64)


class BatchGame:
    """Many games, each stepped by one action id at a time; hands are dealt on by themselves.

    Args:
        rules: rules for all games, the name of a preset, or one `Rules` object a game.
        num_games: B, how many games.
        seed: 0..2**64-1; the match of game i follows from (seed, i).
        dealers: the first dealer of each game, int[B] or one for all; None draws them.
        threads: how many threads work on the games.
        auto_reset: start the next match where one is over, with a seed from (seed, i, matches).

    Attributes:
        games: GAME[B], the engine's records.
        masks: int8[B, NUM_ACTIONS], 1 where an id is legal; no ids where the match is over. Written
            in place by every step.
        counts: int32[B], the number of legal ids.
        ended: GAME[k], where `auto_reset` started again: the games of the last step as they ended,
            in the order in which `step` named them.

    Raises:
        RulesError: unknown preset.
        ValueError: a number is out of range.
    """

    def __init__(
        self,
        rules: Rules | str | Sequence[Rules] = "browser",
        num_games: int = 1,
        seed: int = 0,
        dealers: ArrayLike | None = None,
        threads: int = 1,
        auto_reset: bool = False,
    ) -> None:
        ENGINE.announce()
        if num_games < 1 or threads < 1:
            raise ValueError(f"num_games {num_games} and threads {threads} must be at least 1")
        check_seed(seed)
        self.rules = _rules_list(rules, num_games)
        self.threads = threads
        self.auto_reset = auto_reset
        self.games = new_games(num_games)
        self.masks = np.zeros((num_games, NUM_ACTIONS), np.int8)
        self.counts = np.zeros(num_games, np.int32)
        self.ended = new_games(0)
        self._codes = _encode(self.rules)
        self._dealers = _dealer_array(dealers, self._codes[:, 0])
        self._keys = streams(seed, np.arange(num_games))
        self._matches = np.zeros(num_games, np.int64)  # begun in each game
        self._choices = streams(self._keys, _CHOICES)
        self._rows = np.arange(num_games)
        self._actions = np.zeros(num_games, np.int64)
        self._threads = _Threads(threads)
        self.reset()

    def __len__(self) -> int:
        return len(self.games)

    # --- reading -----------------------------------------------------------------------------

    @property
    def players(self) -> NDArray[np.int8]:
        """int8[B], the seat to move in each game."""
        return self.games["player"]

    @property
    def phases(self) -> NDArray[np.int8]:
        """int8[B]: DRAW, PLAY or MATCH_OVER of ``engine.state``."""
        return self.games["phase"]

    @property
    def hand_numbers(self) -> NDArray[np.int16]:
        """int16[B], hands finished in each match: a step that raises one has ended a hand."""
        return self.games["hand_number"]

    @property
    def points(self) -> NDArray[np.int16]:
        """int16[B, 6], the points of each seat in the last finished hand."""
        return self.games["hand_points"]

    @property
    def totals(self) -> NDArray[np.int32]:
        """int32[B, 6], the totals of each seat."""
        return self.games["totals"]

    @property
    def winners(self) -> NDArray[np.int8]:
        """int8[B], the seat or team that won the match, or -1."""
        return self.games["winner"]

    def views(self, seats: ArrayLike | None = None) -> NDArray[Any]:
        """Return GAME[B], what one seat of each game may know: int[B] seats, or those to move."""
        views = new_games(len(self))
        wanted = self.players if seats is None else seats
        seats = np.broadcast_to(np.asarray(wanted, np.int64), len(self)).copy()
        wrong = np.flatnonzero((seats < 0) | (seats >= self._codes[:, 0]))
        if wrong.size:
            raise ValueError(f"game {wrong[0]} has no seat {seats[wrong[0]]}")
        self._threads.run(calls.view_games, len(self), self.games, seats, views)
        return views

    # --- playing -----------------------------------------------------------------------------

    def reset(self, indices: ArrayLike | None = None, seeds: ArrayLike | None = None) -> None:
        """Start a match anew in some games.

        Args:
            indices: int[k], which games; None: all.
            seeds: uint64[k], their seeds; None: each the next one of its game.

        Raises:
            IndexError: there is no such game.
            ValueError: a game is named twice, or a seed is none.
        """
        for seed in [] if seeds is None else np.ravel(seeds):
            check_seed(seed)
        rows = self._rows if indices is None else self._rows[np.atleast_1d(indices)]
        if len(np.unique(rows)) < len(rows):
            raise ValueError("indices name a game twice")
        self._restart(rows, seeds)

    def _restart(self, rows: NDArray[np.int64], seeds: ArrayLike | None = None) -> None:
        numbers = np.empty(len(rows), np.uint64)
        calls.next_seeds(self._keys, self._matches, rows, numbers)
        if seeds is not None:
            numbers[:] = seeds
        begun = (self.games, rows, numbers, self._codes, self._dealers)
        self._threads.run(calls.restart_games, len(rows), *begun)
        self._actions[rows] = NONE
        self._play(rows)

    def _play(self, rows: NDArray[np.int64]) -> None:
        """Carry out the actions of some games, and write their masks."""
        stepped = (self.games, rows, self._actions, self.masks, self.counts)
        self._threads.search(calls.step_games, len(rows), *stepped)

    def step(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Carry out one id in each game.

        Args:
            actions: int[B]; a negative one leaves its game as it is, and is needed where the match
                is over.

        Returns:
            int64[k], the games whose match ended in this step.

        Raises:
            IllegalMoveError: an id is not legal; no game has changed.
            ValueError: the actions are not B whole numbers.
        """
        self._actions[:] = whole_numbers(actions, len(self))
        self._check()
        self._play(self._rows)
        over: NDArray[np.int64] = ((self.counts == 0) & (self._actions >= 0)).nonzero()[0]
        if self.auto_reset:
            self.ended = self.ended[:0]
            if over.size:
                self.ended = _copy_games(self.games, over)
                self._restart(over)
        return over

    def _check(self) -> None:
        b = calls.find_illegal(self._actions, self.masks)
        if b != NONE:
            action = int(self._actions[b])
            name = action_name(action) if action < NUM_ACTIONS else "no action"
            raise IllegalMoveError(f"game {b}: action {action} ({name}) is not legal")

    def random_actions(self) -> NDArray[np.int64]:
        """Return int64[B], a random legal id for each game, -1 where its match is over.

        The choices of a game follow from the seed and its index.
        """
        actions = np.empty(len(self), np.int64)
        words = self.masks.view(np.uint64)  # eight ids a word: the kernel skips what is not legal
        self._threads.run(choose_random, len(self), words, self.counts, self._choices, actions)
        return actions


def _copy_games(games: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return some games, GAME[k], as copies of bytes: numpy's of records go field by field."""
    return games.view(f"V{games.itemsize}")[rows].view(games.dtype)


def _rules_list(rules: Rules | str | Sequence[Rules], num_games: int) -> list[Rules]:
    if isinstance(rules, str):
        rules = Rules.preset(rules)
    if isinstance(rules, Rules):
        return [rules] * num_games
    if len(rules) != num_games:
        raise ValueError(f"{len(rules)} rules for {num_games} games")
    return list(rules)


def _encode(rules: Sequence[Rules]) -> NDArray[np.int16]:
    codes = {id(one): one.encode() for one in rules}
    return np.array([codes[id(one)] for one in rules])


def _dealer_array(dealers: ArrayLike | None, num_players: NDArray[Any]) -> NDArray[np.int64]:
    seats = np.broadcast_to(
        np.asarray(NONE if dealers is None else dealers, np.int64), num_players.shape
    ).copy()
    wrong = np.flatnonzero((seats < NONE) | (seats >= num_players))
    if wrong.size:
        raise ValueError(f"dealer {seats[wrong[0]]} of game {wrong[0]} is no seat")
    return seats


_FEWEST = 64  # games for a thread: with fewer, waking it takes longer than the work


class _Threads:
    """Runs kernels over slices of the games, each thread with its own working memory."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._scratch: list[tuple[NDArray[np.int16], NDArray[np.void]]] = []
        self._pool: ThreadPoolExecutor | None = None
        self._owner = 0  # the process that made the pool

    def __getstate__(self) -> dict[str, int]:
        return {"count": self._count}

    def __setstate__(self, state: dict[str, int]) -> None:
        self.__init__(state["count"])  # type: ignore[misc]

    def run(self, kernel: Callable[..., None], size: int, *arrays: NDArray[Any]) -> None:
        """Call ``kernel(*arrays, first, last)`` for each slice of 0..size."""
        self._each(lambda i, first, last: kernel(*arrays, first, last), size)

    def search(self, kernel: Callable[..., None], size: int, *arrays: NDArray[Any]) -> None:
        """Call ``kernel(*arrays, first, last, moves, work)`` for each slice of 0..size."""
        while len(self._scratch) < min(self._count, size):
            self._scratch.append((calls.new_moves(), new_work()))
        self._each(lambda i, first, last: kernel(*arrays, first, last, *self._scratch[i]), size)

    def _each(self, work: Callable[[int, int, int], None], size: int) -> None:
        count = min(self._count, size // _FEWEST)
        if count <= 1:
            work(0, 0, size)
            return
        work(0, 0, 0)  # whatever is to be compiled is compiled here, not in a thread
        ends = [size * i // count for i in range(count + 1)]
        others = self._executor().map(work, range(1, count), ends[1:-1], ends[2:])
        work(0, 0, ends[1])  # the calling thread has a slice too
        list(others)

    def _executor(self) -> ThreadPoolExecutor:
        if self._pool is None or self._owner != os.getpid():
            self._pool = ThreadPoolExecutor(self._count - 1, "scala40-batch")
            self._owner = os.getpid()
        return self._pool
