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
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from .rules import Rules

if TYPE_CHECKING:
    from .batch import BatchGame

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


_WARM_UP = 200  # steps, after which the games of a batch are in all parts of a hand


def _mixed_batch(num_games: int, threads: int = 1, players: int = 2) -> BatchGame:
    """Many games somewhere in the course of random play."""
    from .batch import BatchGame

    rules = Rules.preset("browser", num_players=players)
    batch = BatchGame(rules, num_games, seed=1, threads=threads, auto_reset=True)
    for _ in range(_WARM_UP):
        batch.step(batch.random_actions())
    return batch


def _random_batch(num_games: int, threads: int = 1, players: int = 2) -> Callable[[], int]:
    """One step of random legal play in many games: choose, apply, new masks."""
    batch = _mixed_batch(num_games, threads, players)

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
    from .engine.observe import OBSERVATION_SIZE, observe_games

    batch = _mixed_batch(num_games)
    out = np.zeros((num_games, OBSERVATION_SIZE), np.float32)

    def step() -> int:
        batch.step(batch.random_actions())
        observe_games(batch.games, batch.players.astype(np.int64), out, 0, num_games)
        return num_games

    with one_core():
        return median_rate(step, budget)


def two_threads_ratio(budget: Budget) -> float:
    """How much faster two threads are than one, pair by pair in turn.

    In a large batch: each step wakes a thread, which takes some tenths of a millisecond.
    """
    num_games = 16384
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
    from .engine.table import MAX_TABLE_MOVES

    batch = _mixed_batch(num_games)
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
_ALL_KERNELS = (
    _FIRST_USE
    + """
import gymnasium
from scala40_env.bench import Budget, batch_features_rate, bot_hands_rate
environment.state()
bot_hands_rate(Budget(1, 0))
batch_features_rate(Budget(1, 0))
envs = gymnasium.make_vec(
    "scala40/Scala40-v0", num_envs=2, vectorization_mode="vector_entry_point"
)
envs.reset(seed=1)
"""
)
_TRIVIAL = """
import numba
@numba.njit(cache=True)
def first(array):
    return array[0]
"""
_MEMORY = """
import os, sys
import gymnasium, numba, numpy, pettingzoo
sys.path.insert(0, {folder!r})
import trivial
trivial.first(numpy.zeros(1))
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
before = resident()
from scala40_env import BatchGame, Game
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
    """Seconds of the first use of games, environments and bots with an empty cache, over a second.

    The kernels that only training uses are left out.
    """
    with tempfile.TemporaryDirectory() as cache:
        cold = _run_python(_ALL_KERNELS, XDG_CACHE_HOME=cache)[0]
        return cold - _run_python(_ALL_KERNELS, XDG_CACHE_HOME=cache)[0]


def memory_mb(make: str, budget: Budget) -> float:
    """Megabytes that a process grows by when it makes and uses something, libraries aside.

    The libraries are there, and numba has loaded one kernel of a line from its cache: that alone
    takes tens of megabytes, which any user of numba has spent.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "trivial.py").write_text(_TRIVIAL)
        code = _MEMORY.format(folder=folder, make=make)
        _run_python(code)  # compiles what is not in the caches
        return median(float(_run_python(code)[1]) for _ in range(budget.repeats))


# --- a peer ---------------------------------------------------------------------------------------


_ROLLOUTS = 100  # random games in one call of OpenSpiel's search


def openspiel_rate(budget: Budget) -> float:
    """Decisions a second of OpenSpiel's gin rummy in random play, all of it inside C++.

    It is measured by the rollouts of OpenSpiel's own tree search: a search of one simulation plays
    that many random games from a dealt hand. Nothing else that Python can call plays faster there;
    matches between its uniform random bots have a fourth of the rate.
    """
    import pyspiel

    game, rng = pyspiel.load_game("gin_rummy"), np.random.default_rng(1)
    evaluator = pyspiel.RandomRolloutEvaluator(_ROLLOUTS, 1)
    search = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, 1, False)
    decisions = round(_ROLLOUTS * _gin_rummy_decisions())

    def play() -> int:
        search.mcts_search(_dealt_gin_rummy(game, rng))
        return decisions

    with one_core():
        return median_rate(play, budget)


def _dealt_gin_rummy(game: Any, rng: np.random.Generator) -> Any:
    """A state of gin rummy where the first player is to move."""
    state = game.new_initial_state()
    while state.is_chance_node():
        _play_randomly(state, rng)
    return state


def _play_randomly(state: Any, rng: np.random.Generator) -> None:
    """Apply a random action; chance in gin rummy is uniform too."""
    actions = state.legal_actions()
    state.apply_action(actions[int(rng.random() * len(actions))])


@cache
def _gin_rummy_decisions() -> float:
    """How many decisions, chance aside, a random game of gin rummy has on average."""
    import pyspiel

    game, rng, games, count = pyspiel.load_game("gin_rummy"), np.random.default_rng(2), 500, 0
    for _ in range(games):
        state = _dealt_gin_rummy(game, rng)
        while not state.is_terminal():
            count += not state.is_chance_node()
            _play_randomly(state, rng)
    return count / games


def over_openspiel(budget: Budget) -> float:
    """``batch`` over OpenSpiel's gin rummy inside C++, one core each, in turn."""
    short = Budget(1, budget.seconds)
    return median(batch_rate(short) / openspiel_rate(short) for _ in range(budget.repeats))


# --- all of them ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """How a figure is measured, its unit, and a line on what it is."""

    function: Callable[[Budget], float]
    unit: str
    note: str


MEASURES: dict[str, Measure] = {
    "batch": Measure(batch_rate, "decisions/s", "`BatchGame`: mask + apply"),
    "batch_observe": Measure(batch_observe_rate, "decisions/s", "the same with observations"),
    "batch_features": Measure(
        batch_features_rate, "encodings/s", "the learner's features with those of each action"
    ),
    "two_threads_ratio": Measure(two_threads_ratio, "x", "two threads over one"),
    "game_moves": Measure(game_moves_rate, "moves/s", "`Game` from Python: legal moves + push"),
    "aec_wrapped_over_null": Measure(
        aec_wrapped_over_null, "x", "AEC wrapped over an empty environment in the same wrappers"
    ),
    "aec_raw": Measure(aec_raw_rate, "steps/s", "AEC raw: step + mask + observation"),
    "bot_hands": Measure(bot_hands_rate, "hands/s", "`hard` against `hard`"),
    "worst_case_ms": Measure(worst_case_ms, "ms", "legal moves of the worst hand known"),
    "import_s": Measure(import_s, "s", "import, warm"),
    "compile_s": Measure(compile_s, "s", "first compile of all kernels"),
    "memory_one_mb": Measure(partial(memory_mb, 'Game("browser")'), "MB", "one game"),
    "memory_4096_mb": Measure(
        partial(memory_mb, 'BatchGame("browser", 4096)'), "MB", "4,096 games"
    ),
    "over_openspiel": Measure(over_openspiel, "x", "`batch` over OpenSpiel's gin rummy inside C++"),
}


def measures() -> dict[str, Measure]:
    """The measures by name that can be taken here."""
    has_peer = find_spec("pyspiel") is not None
    return {name: m for name, m in MEASURES.items() if has_peer or name != "over_openspiel"}


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
        measure = table[name]
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        figures.append(Figure(name, measure.function(budget), measure.unit, measure.note))
    if config.json:
        rows = [{"what": f.what, "value": float(f"{f.value:.4g}"), "unit": f.unit} for f in figures]
        print(json.dumps(rows, indent=1))
    else:
        _print_table(figures)
    return figures


def figure_text(value: float) -> str:
    """A figure as people read it: three digits, or a whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _print_table(figures: list[Figure]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("measure", "what", "value", "unit", box=None)
    for figure in figures:
        table.add_row(
            figure.what, figure.note.replace("`", ""), figure_text(figure.value), figure.unit
        )
    Console().print(table)
