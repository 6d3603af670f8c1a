"""The levels as kernels: their figures, the switch between them, and the calls from Python.

A level is a policy (its file), the figures it works with (``configs/levels.toml``) and a version.
Tables print all three: ``hard 3 (1f0c9a2b)``.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import scala40_env.engine
from scala40_env.actions import TARGET_ID, Action, Move
from scala40_env.agents import easy, hard, normal
from scala40_env.agents.base import AgentError
from scala40_env.agents.greedy import decide_greedy
from scala40_env.agents.hand_value import new_bot_work
from scala40_env.agents.random_agent import decide_random
from scala40_env.engine.kernel import KernelCache, kernel
from scala40_env.engine.legal import legal_moves
from scala40_env.engine.state import NONE
from scala40_env.game import View

EXTERNAL, RANDOM, GREEDY, EASY, NORMAL, HARD = -1, 0, 1, 2, 3, 4
CODES: Final = {"random": RANDOM, "greedy": GREEDY, "easy": EASY, "normal": NORMAL, "hard": HARD}
PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "random": (),
    "greedy": (),
    "easy": easy.PARAMETERS,
    "normal": normal.PARAMETERS,
    "hard": hard.PARAMETERS,
}
MAX_PARAMETERS: Final = max(map(len, PARAMETERS.values()))

AGENTS: Final = KernelCache(Path(__file__).parent, Path(scala40_env.engine.__path__[0]))


@kernel
def decide(code, s, bot, moves, n, params, rng):
    """Choose a move at a level.

    Args:
        code: the level.
        s: the view of the seat to move.
        moves: int16[>= n, 2], the legal moves in the engine's order.
        params: float64[MAX_PARAMETERS], the figures of the level.
        rng: uint64[1], the bot's random stream, which advances.

    Returns:
        An index into ``moves``.
    """
    if code == EASY:
        return easy.decide_easy(s, bot, moves, n, params, rng)
    if code == NORMAL:
        return normal.decide_normal(s, bot, moves, n, params)
    if code == HARD:
        return hard.decide_hard(s, bot, moves, n, params)
    if code == GREEDY:
        return decide_greedy(s, bot, moves, n)
    return decide_random(n, rng)


@kernel
def keep_pending(s, moves, n):
    """Keep only the moves with the pending action, where a target is pending; their number."""
    if s.pending == NONE:
        return n
    kept = 0
    for i in range(n):
        if moves[i, 0] == s.pending:
            moves[kept, 0], moves[kept, 1] = moves[i, 0], moves[i, 1]
            kept += 1
    return kept


@AGENTS.entry
def decide_views(views, code, params, streams, chosen, bot):
    """Choose a move in each view.

    Args:
        views: GAME[B].
        streams: uint64[B, 1], advanced.
        chosen: int16[B, 2], written.
        bot: BOT_WORK[1].
    """
    work = bot[0]
    moves = work.moves
    for b in range(len(views)):
        n = keep_pending(views[b], moves, legal_moves(views[b], moves, work.search))
        i = decide(code, views[b], work, moves, n, params, streams[b])
        chosen[b, 0], chosen[b, 1] = moves[i, 0], moves[i, 1]


@dataclass(frozen=True)
class Level:
    """A level and its figures.

    Attributes:
        name: one of ``CODES``.
        version: rises with every change of its policy or figures.
        parameters: its figures by name.
    """

    name: str
    version: int
    parameters: Mapping[str, float]

    @classmethod
    def from_table(cls, name: str, table: Mapping[str, Any]) -> Level:
        """Return the level of a TOML table: ``version`` and the figures.

        Raises:
            AgentError: unknown level, or a figure that is missing, unknown or no number.
        """
        if name not in PARAMETERS:
            raise AgentError(f"unknown level {name!r}; levels: {', '.join(PARAMETERS)}")
        wanted = ("version", *PARAMETERS[name])
        for key in [*wanted, *table]:
            if key not in table or key not in wanted:
                what = "lacks" if key in wanted else "has the unknown figure"
                raise AgentError(f"level {name!r} {what} {key!r}")
            if isinstance(table[key], bool) or not isinstance(table[key], int | float):
                raise AgentError(f"level {name!r}: {key} = {table[key]!r} is not a number")
            if not math.isfinite(table[key]):
                raise AgentError(f"level {name!r}: {key} = {table[key]!r} is not a finite number")
        figures = {key: float(table[key]) for key in PARAMETERS[name]}
        return cls(name, int(table["version"]), figures)

    @property
    def code(self) -> int:
        """The number by which kernels know the policy."""
        return CODES[self.name]

    @property
    def label(self) -> str:
        """Name, version and a hash of the figures."""
        text = json.dumps([self.name, self.version, dict(self.parameters)])
        return f"{self.name} {self.version} ({hashlib.sha256(text.encode()).hexdigest()[:8]})"

    @property
    def array(self) -> NDArray[np.float64]:
        """The figures for the kernels: float64[MAX_PARAMETERS], padded with zeros."""
        array = np.zeros(MAX_PARAMETERS)
        array[: len(self.parameters)] = [self.parameters[key] for key in PARAMETERS[self.name]]
        return array


def load_level(name: str) -> Level:
    """Return a shipped level by name (AgentError if there is none)."""
    text = resources.files("scala40_env.configs").joinpath("levels.toml").read_text("utf-8")
    return Level.from_table(name, tomllib.loads(text).get(name, {}))


def load_level_file(path: str | Path) -> Level:
    """Return the level of a TOML file that holds one table, named like a level.

    Raises:
        AgentError: the file cannot be read or holds no level.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise AgentError(f"cannot read a level from {str(path)!r}: {reason}") from error
    if len(tables) != 1 or not isinstance(next(iter(tables.values())), dict):
        raise AgentError(f"{str(path)!r} must hold one table, named like a level")
    (name, table), *_ = tables.items()
    return Level.from_table(name, table)


class LevelAgent:
    """A level as an agent (see ``base.Agent``)."""

    def __init__(self, level: Level, seed: int = 0) -> None:
        AGENTS.announce()
        self.level = level
        self.name = level.label
        self._array = level.array
        self._generator = np.random.default_rng(seed)
        self._stream = self._new_streams(1)
        self._work = new_bot_work()
        self._chosen = np.zeros((1, 2), np.int16)

    def act(self, view: View, legal: Sequence[Move]) -> Move:
        """Return the level's choice (it lists the legal moves itself)."""
        self._decide(view.array, self._stream, self._chosen)
        action, meld = self._chosen[0].tolist()
        return Move(action, meld)

    def action(self, env: Any) -> Action:
        """Return the next action id; the second id of a move is the target that is pending."""
        view = env.unwrapped.view(env.agent_selection)
        pending = view.array["pending"][0] != NONE
        action, meld = self.act(view, ())
        return TARGET_ID + meld if pending else action

    def act_batch(
        self, views: NDArray[Any], streams: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int16]:
        """Choose a move in each view (see ``base.Agent``)."""
        streams = self._new_streams(len(views)) if streams is None else streams
        chosen = np.zeros((len(views), 2), np.int16)
        self._decide(views, streams.reshape(-1, 1), chosen)
        return chosen

    def _new_streams(self, count: int) -> NDArray[np.uint64]:
        return self._generator.integers(1 << 63, size=(count, 1), dtype=np.uint64)

    def _decide(
        self, views: NDArray[Any], streams: NDArray[np.uint64], chosen: NDArray[np.int16]
    ) -> None:
        decide_views(views, self.level.code, self._array, streams, chosen, self._work)
