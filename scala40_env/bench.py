"""Measures of speed: what ``scala40 bench`` prints.

Every figure is the median of several repeats on one core, unless it says otherwise. Random legal
play of two players under the ``browser`` rules is the yardstick, since every peer has it.

    >>> from scala40_env.bench import measures
    >>> "batch" in measures()
    True
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np

from .rules import Rules

WORST_HANDS: tuple[tuple[str, str], ...] = (
    ("browser", "7H 2D 2D 4D 8D AC 2C 3C 4C 5C 6C 7C 8C *"),
    ("fisca", "2S 3S 2H 3H 4H AD 2D 3D 4D 5D 2C 3C * *"),
    ("fisca", "2S 2H AD 2D 3D 4D 5D 6D 7D 9D 9D 2C 8C *"),
    ("browser", "AS 2S 3S AH 2H 3H AD 2D 3D AC * * * *"),
    ("browser", "2S 3S 4S 5S 2H 3H 4H 5H 2D 3D 4D * * *"),
)
"""Unopened hands that a search for slow ones found, with the preset under which they are slow."""


@dataclass(frozen=True)
class BenchConfig:
    """Measure the speed of the engine, the environments and the bots."""

    json: bool = False
    """Print a JSON list of {"what", "value", "unit"} instead of a table."""
    quick: bool = False
    """Fewer and shorter repeats: a look, not a figure to quote."""
    only: tuple[str, ...] = ()
    """Measure only these, for example: --only batch aec_raw."""


@dataclass(frozen=True)
class Budget:
    """How long a measure may take: repeats, and seconds of work in each."""

    repeats: int
    seconds: float


@dataclass(frozen=True)
class Figure:
    """One measured figure."""

    what: str
    value: float
    unit: str
    note: str


def median_rate(work: Callable[[], int], budget: Budget) -> float:
    """Return the median over the repeats of units done in a second; ``work`` does some a call."""
    work()
    rates = []
    for _ in range(budget.repeats):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < budget.seconds:
            done += work()
        rates.append(done / spent)
    return median(rates)


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core for the time of a measure, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# --- the engine -----------------------------------------------------------------------------------


def _random_batch(num_games: int, threads: int = 1, players: int = 2) -> Callable[[], int]:
    """One step of random legal play in many games: choose, apply, new masks."""
    from .batch import BatchGame

    rules = Rules.preset("browser", num_players=players)
    batch = BatchGame(rules, num_games, seed=1, threads=threads, auto_reset=True)

    def step() -> int:
        batch.step(batch.random_actions())
        return num_games

    return step


def batch_rate(budget: Budget, num_games: int = 256, players: int = 2) -> float:
    """Decisions a second of random legal play in ``BatchGame``, mask and apply, on one core."""
    with one_core():
        return median_rate(_random_batch(num_games, players=players), budget)


def batch_observe_rate(budget: Budget, num_games: int = 256) -> float:
    """The same with the plain observation of the seat to move."""
    from .batch import BatchGame
    from .engine.observe import OBSERVATION_SIZE, observe_games

    batch = BatchGame("browser", num_games, seed=1, auto_reset=True)
    out = np.zeros((num_games, OBSERVATION_SIZE), np.float32)

    def step() -> int:
        batch.step(batch.random_actions())
        observe_games(batch.games, batch.players.astype(np.int64), out, 0, num_games)
        return num_games

    with one_core():
        return median_rate(step, budget)


def two_threads_ratio(budget: Budget) -> float:
    """How much faster two threads are than one, pair by pair in turn."""
    num_games = 4096
    short = Budget(1, budget.seconds)
    one, two = _random_batch(num_games), _random_batch(num_games, threads=2)
    ratios = [median_rate(two, short) / median_rate(one, short) for _ in range(budget.repeats)]
    return median(ratios)


def game_moves_rate(budget: Budget) -> float:
    """Moves a second of one ``Game`` from Python: list the legal moves, push one."""
    from .game import Game

    game, rng = Game("browser", seed=1), np.random.default_rng(1)
    picks = rng.random(1 << 16).tolist()

    def play() -> int:
        nonlocal game
        for pick in picks[:1000]:
            if game.match_over:
                game = Game("browser", seed=int(rng.integers(1 << 32)))
            elif game.hand_over:
                game.next_hand()
            moves = game.legal_moves()
            game.push(moves[int(pick * len(moves))])
        return 1000

    with one_core():
        return median_rate(play, budget)


def worst_case_ms(budget: Budget) -> float:
    """Milliseconds for the legal moves of the slowest of ``WORST_HANDS``."""
    from .engine.calls import list_moves, new_moves
    from .engine.work import new_work
    from .game import Game

    moves, work, slowest = new_moves(), new_work(), 0.0
    for preset, hand in WORST_HANDS:
        game = Game.from_position(
            {
                "rules": {"preset": preset},
                "hands": [hand.split(), ["KH"]],
                "player": 0,
                "phase": "play",
                "turns": [3, 3],
            }
        )

        def look(array: Any = game.array) -> int:
            list_moves(array, 0, moves, work)
            return 1

        with one_core():
            slowest = max(slowest, 1000 / median_rate(look, Budget(budget.repeats, 0.05)))
    return slowest


# --- the environments -----------------------------------------------------------------------------


def _masked_loop(env: Any, steps: int) -> Callable[[], int]:
    """Random legal play in an AEC environment as its users write it."""
    rng = np.random.default_rng(1)
    seeds = iter(range(1, 1 << 30))
    env.reset(seed=0)

    def play() -> int:
        done = 0
        while done < steps:
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                if not env.agents:
                    env.reset(seed=next(seeds))
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            done += 1
        return done

    return play


def aec_raw_rate(budget: Budget) -> float:
    """Steps a second of ``raw_env`` with mask and observation."""
    from .aec import raw_env

    with one_core():
        return median_rate(_masked_loop(raw_env(), 500), budget)


def aec_wrapped_over_null(budget: Budget) -> float:
    """Steps a second of ``env`` over those of an empty environment in the same wrappers."""
    from pettingzoo.utils.wrappers import (
        AssertOutOfBoundsWrapper,
        OrderEnforcingWrapper,
        TerminateIllegalWrapper,
    )

    from .aec import env, raw_env

    empty = TerminateIllegalWrapper(null_env(raw_env()), illegal_reward=-1)
    wrapped = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(empty))
    short, ratios = Budget(1, budget.seconds), []
    with one_core():
        real, null = _masked_loop(env(), 500), _masked_loop(wrapped, 500)
        for _ in range(budget.repeats):
            ratios.append(median_rate(real, short) / median_rate(null, short))
    return median(ratios)


def null_env(like: Any) -> Any:
    """An AEC environment with the spaces of ``like`` that does nothing, for comparison."""
    from pettingzoo import AECEnv

    class NullEnv(AECEnv):  # type: ignore[misc]
        """Two agents in turn; all that is asked for is ready."""

        metadata = like.metadata
        render_mode = None

        def __init__(self) -> None:
            super().__init__()
            self.possible_agents = like.possible_agents[:2]
            space = like.observation_space(self.possible_agents[0])
            mask = np.ones_like(space["action_mask"].sample())
            plain = np.zeros_like(space["observation"].sample())
            self._observation = {"observation": plain, "action_mask": mask}

        def observation_space(self, agent: str) -> Any:
            return like.observation_space(agent)

        def action_space(self, agent: str) -> Any:
            return like.action_space(agent)

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            self.agents = self.possible_agents[:]
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            info = {"action_mask": self._observation["action_mask"]}
            self.infos = {agent: info for agent in self.agents}
            self.agent_selection = self.agents[0]

        def observe(self, agent: str) -> dict[str, Any]:
            return self._observation

        def step(self, action: int | None) -> None:
            self.agent_selection = self.agents[self.agent_selection == self.agents[0]]

    return NullEnv()


# --- bots -----------------------------------------------------------------------------------------


def bot_hands_rate(budget: Budget) -> float:
    """Complete hands a second of ``hard`` against itself on one core."""
    from .agents import make_agent
    from .agents.arena import play_matches

    players, rules = [make_agent("hard"), make_agent("hard")], Rules.preset("browser")
    count, first = 200, 0

    def play() -> int:
        nonlocal first
        first += count
        seeds = np.arange(first, first + count).astype(np.uint64)
        lineups = np.tile(np.array([0, 1]), (count, 1))
        return int(play_matches(players, rules, seeds, lineups, threads=1).hands.sum())

    with one_core():
        return median_rate(play, budget)


def batch_features_rate(budget: Budget, num_games: int = 256) -> float:
    """Encodings a second of the learner's features, with those of each legal action."""
    from .agents.features import CHOICE_SIZE, STATE_SIZE, encode_views, new_feature_work
    from .agents.levels import load_level
    from .batch import BatchGame
    from .engine.table import MAX_TABLE_MOVES

    batch = BatchGame("browser", num_games, seed=1, auto_reset=True)
    for _ in range(300):
        batch.step(batch.random_actions())
    views, rows = batch.views(), num_games * 64 + MAX_TABLE_MOVES
    advice = np.array([load_level(name).array for name in ("normal", "hard")])
    states = np.zeros((num_games, STATE_SIZE), np.float32)
    choices = np.zeros((rows, CHOICE_SIZE), np.float32)
    offsets, moves = np.zeros(num_games + 1, np.int64), np.zeros((rows, 2), np.int16)
    work = new_feature_work()

    def encode() -> int:
        return int(encode_views(views, 0, advice, states, choices, offsets, moves, work))

    with one_core():
        return median_rate(encode, budget)


# --- in processes of their own --------------------------------------------------------------------

_IMPORT = "import scala40_env; scala40_env.Game; scala40_env.BatchGame; scala40_env.env"
_FIRST_USE = """
import numpy as np
from scala40_env import BatchGame, Game, env
batch = BatchGame("browser", 4)
batch.step(batch.random_actions())
game = Game("browser", seed=1)
game.push(game.legal_moves()[0])
environment = env()
environment.reset(seed=1)
environment.last()
environment.step(0)
"""
_MEMORY = """
import numba, gymnasium, pettingzoo, scala40_env
from scala40_env import BatchGame, Game
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6
before = resident()
made = {make}
made.step(made.random_actions()) if hasattr(made, "step") else made.push(made.legal_moves()[0])
print(resident() - before)
"""


def _run_python(code: str, **environment: str) -> tuple[float, str]:
    """Run some code in a fresh interpreter; returns its wall seconds and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, done.stdout


def import_s(budget: Budget) -> float:
    """Seconds to import the package with all that its front door names, beyond bare Python."""
    _run_python(_IMPORT)
    bare = median(_run_python("pass")[0] for _ in range(budget.repeats))
    return median(_run_python(_IMPORT)[0] for _ in range(budget.repeats)) - bare


def compile_s(budget: Budget) -> float:
    """Seconds of the first use of games and environment with an empty cache, beyond a second."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _run_python(_FIRST_USE, XDG_CACHE_HOME=cache)[0]
        return cold - _run_python(_FIRST_USE, XDG_CACHE_HOME=cache)[0]


def memory_mb(make: str) -> float:
    """Megabytes that a process grows by when it makes and uses something, libraries aside."""
    _run_python(_FIRST_USE)
    return float(_run_python(_MEMORY.format(make=make))[1])


# --- a peer ---------------------------------------------------------------------------------------


def openspiel_rate(budget: Budget) -> float:
    """Decisions a second of OpenSpiel's gin rummy between random bots, all of it inside C++."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    decisions = median(_gin_rummy_decisions(game, seed) for seed in range(200))
    seeds = iter(range(1 << 30))
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(2)]

    def play() -> int:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return int(decisions)

    with one_core():
        return median_rate(play, budget)


def _gin_rummy_decisions(game: Any, seed: int) -> int:
    """How many decisions, chance aside, one random game has."""
    rng, state, count = np.random.default_rng(seed), game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(actions, p=chances)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
            count += 1
    return count


def over_openspiel(budget: Budget) -> float:
    """``batch`` over OpenSpiel's gin rummy inside C++, one core each, in turn."""
    short = Budget(1, budget.seconds)
    return median(batch_rate(short) / openspiel_rate(short) for _ in range(budget.repeats))


# --- all of them ----------------------------------------------------------------------------------


def measures() -> dict[str, tuple[Callable[[Budget], float], str, str]]:
    """The measures by name: the function, the unit, and a line on what is measured."""
    table = {
        "batch": (batch_rate, "decisions/s", "BatchGame, 1 core: mask + apply"),
        "batch_observe": (batch_observe_rate, "decisions/s", "the same with `plain` observation"),
        "batch_features": (batch_features_rate, "encodings/s", "features, with each action's"),
        "two_threads_ratio": (two_threads_ratio, "x", "two threads over one"),
        "game_moves": (game_moves_rate, "moves/s", "Game from Python: legal moves + push"),
        "aec_wrapped_over_null": (aec_wrapped_over_null, "x", "AEC wrapped over a null one"),
        "aec_raw": (aec_raw_rate, "steps/s", "AEC raw: step + mask + observation"),
        "bot_hands": (bot_hands_rate, "hands/s", "hard v hard, 1 core"),
        "worst_case_ms": (worst_case_ms, "ms", "legal moves of the worst hand known"),
        "import_s": (import_s, "s", "import, warm"),
        "compile_s": (compile_s, "s", "first compile of all kernels"),
        "memory_one_mb": (lambda _: memory_mb('Game("browser")'), "MB", "one game"),
        "memory_4096_mb": (lambda _: memory_mb('BatchGame("browser", 4096)'), "MB", "4,096 games"),
    }
    if find_spec("pyspiel") is not None:
        note = "batch over OpenSpiel's gin rummy inside C++"
        table["over_openspiel"] = (over_openspiel, "x", note)
    return table


def run(config: BenchConfig) -> list[Figure]:
    """Measure, and print a table or JSON.

    Raises:
        ValueError: an unknown name in ``only``.
    """
    table = measures()
    unknown = [name for name in config.only if name not in table]
    if unknown:
        raise ValueError(f"no measure {unknown[0]!r}; there are: {', '.join(table)}")
    budget = Budget(3, 0.3) if config.quick else Budget(5, 2.0)
    figures = []
    for name in config.only or table:
        function, unit, note = table[name]
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        figures.append(Figure(name, function(budget), unit, note))
    if config.json:
        rows = [{"what": f.what, "value": f.value, "unit": f.unit} for f in figures]
        print(json.dumps(rows, indent=1))
    else:
        _print_table(figures)
    return figures


def _print_table(figures: list[Figure]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("measure", "what", "value", "unit", box=None)
    for figure in figures:
        value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.3g}"
        table.add_row(figure.what, figure.note, value, figure.unit)
    Console().print(table)
