"""The learned player: a small network that scores every legal move, run with numpy alone.

The weights lie in an npz file without pickles: the arrays of the network under ``policy/``, and a
JSON text ``meta`` that says how they came about. Training writes checkpoints in the same form, so
that each of them can be played against.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scala40_env.actions import TARGET_ID, Action, Move
from scala40_env.agents.base import AgentError
from scala40_env.agents.features import (
    CHOICE_SIZE,
    FEATURES_VERSION,
    STATE,
    STATE_AT,
    STATE_SIZE,
    encode_views,
    new_feature_work,
)
from scala40_env.agents.gathering import choose_moves
from scala40_env.agents.levels import AGENTS, MAX_PARAMETERS
from scala40_env.agents.registry import split_temperature
from scala40_env.batch import streams as sub_streams
from scala40_env.cards import JOKER, NUM_NATURALS, NUM_RANKS, NUM_SUITS
from scala40_env.engine.calls import MAX_MOVES
from scala40_env.engine.state import NONE
from scala40_env.game import View

Array = NDArray[np.float32]

CARD: Final = CHOICE_SIZE - 1  # where a move's features name its card
_BOARDS: Final = [block for block in STATE if block.size >= NUM_NATURALS]
NUM_PLANES: Final = len(_BOARDS)
PLANES: Final = np.concatenate(
    [getattr(STATE_AT, block.name) + np.arange(NUM_NATURALS) for block in _BOARDS]
)
"""int64[NUM_PLANES * 52]: where the state tells of each natural card, plane by plane."""
REACH: Final = 5  # cards of a suit that are looked at together
_NEAR: Final = (np.arange(NUM_RANKS)[:, None] + np.arange(REACH) - REACH // 2) % NUM_RANKS
"""int64[13, REACH]: the ranks beside each rank, the ace beside the king."""

SHIPPED: Final = "learned"
FORMAT: Final = 1
_POLICY: Final = "policy/"
_DRAW, _NEXT = np.arange(2)  # sub-streams of a random stream: what is drawn, and its successor
_ROWS_A_VIEW: Final = 24  # room for the moves of a batch; where it is too little, in several parts


def read_arrays(path: str | Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read a file of weights: its arrays by name, and its ``meta``.

    Raises:
        AgentError: it cannot be read, is damaged, or was made for other features.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        meta = json.loads(str(arrays.pop("meta")))
        version = meta["features_version"]
    except OSError as error:
        raise AgentError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise AgentError(f"{str(path)!r} is damaged or no checkpoint of this game") from error
    if meta.get("format") != FORMAT or version != FEATURES_VERSION:
        raise AgentError(
            f"{str(path)!r} was made for features version {version} (format {meta.get('format')});"
            f" this program has {FEATURES_VERSION} (format {FORMAT})"
        )
    return arrays, meta


def load(spec: str, seed: int = 0) -> LearnedAgent:
    """Return the shipped player (``learned``) or the one of a checkpoint.

    Args:
        spec: the name, or the name and a temperature: ``learned@1``.
        seed: of the moves drawn where there is a temperature.

    Raises:
        AgentError: the file is missing, damaged or of another version, or the temperature is no
            number above 0.
    """
    name, heat = split_temperature(spec)
    temperature = 0.0 if heat is None else _temperature(spec, heat)
    if name != SHIPPED:
        if not name.endswith(".npz"):
            raise AgentError(f"cannot load {name!r}: checkpoints are *.npz files")
        label = Path(name).stem + spec[len(name) :]
        return LearnedAgent.from_file(Path(name), label, seed, temperature)
    shipped = resources.files("scala40_env.agents").joinpath("weights", "learned.npz")
    if not shipped.is_file():
        raise AgentError("the learned player is not part of this version")
    with resources.as_file(shipped) as path:
        return LearnedAgent.from_file(path, spec, seed, temperature)


def _temperature(spec: str, text: str) -> float:
    try:
        temperature = float(text)
    except ValueError:
        temperature = 0.0
    if not 0 < temperature < float("inf"):
        raise AgentError(f"{spec!r}: the temperature {text!r} is no number above 0")
    return temperature


class Scorer(Protocol):
    """What scores the legal moves: ``Network``, or a network that is being trained."""

    def scores(self, states: Array, choices: Array, counts: NDArray[np.int64]) -> Array:
        """Return the scores of the moves of many decisions, see ``Network.scores``."""
        ...


class Network:
    """The policy network: scores of all legal moves of many decisions at once.

    Args:
        weights: float32 arrays by the names of ``train.model.Policy``.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self.weights = {name: np.asarray(array, np.float32) for name, array in weights.items()}
        self._transposed = {
            name: np.ascontiguousarray(array.T) for name, array in self.weights.items()
        }
        expected = (STATE_SIZE, CARD)
        found = (self._size("state1"), self._size("choice1"))
        if found != expected:
            raise AgentError(f"the network takes {found} features, the game gives {expected}")
        self._near, self._rank = {}, {}
        for layer in ("card1", "card2"):
            suit = self._transposed[f"{layer}.suit.weight"][:, 0]  # [REACH, F, out]
            self._near[layer] = suit.reshape(-1, suit.shape[2])
            self._rank[layer] = self._transposed[f"{layer}.rank.weight"][0, 0]

    def _size(self, layer: str) -> int:
        matrix = self.weights.get(f"{layer}.weight")
        if matrix is None or matrix.ndim != 2:
            raise AgentError(f"the network lacks the layer {layer!r}")
        return int(matrix.shape[1])

    def _linear(self, layer: str, x: Array) -> Array:
        out = x @ self._transposed[f"{layer}.weight"]
        bias = self.weights.get(f"{layer}.bias")
        if bias is not None:
            out += bias
        return out

    def trunk(self, states: Array) -> Array:
        """Return what the network makes of the states: float32[B, width]."""
        x = np.maximum(self._linear("state1", states), 0)
        return x + np.maximum(self._linear("state2", x), 0)

    def scores(self, states: Array, choices: Array, counts: NDArray[np.int64]) -> Array:
        """Return the scores of the moves.

        Args:
            states: float32[B, STATE_SIZE].
            choices: float32[R, CHOICE_SIZE], the moves of all decisions one after the other.
            counts: int64[B], moves of each decision; they sum to R.

        Returns:
            float32[R].
        """
        trunk = self.trunk(states)
        cards = self.cards(states, trunk)
        condition = self._linear("condition", np.concatenate([trunk, cards.mean(axis=1)], axis=1))
        moves, moved = choices[:, :CARD], choices[:, CARD].astype(np.int64)
        owners = np.repeat(np.arange(len(counts)), counts)
        of_card = cards[owners, moved.clip(0, JOKER - 1)]
        of_card[(moved < 0) | (moved >= JOKER)] = 0
        x = self._linear("choice1", moves) + self._linear("choice_card", of_card)
        x = np.maximum(x + condition[owners], 0)
        x = np.maximum(self._linear("choice2", x), 0)
        return (self._linear("score", x) + self._linear("prior", moves))[:, 0]

    def cards(self, states: Array, trunk: Array) -> Array:
        """Return what the network makes of each natural card: float32[B, 52, card_width]."""
        planes = states[:, PLANES].reshape(-1, NUM_PLANES, NUM_SUITS, NUM_RANKS)
        context = self._linear("card_context", trunk)[:, None, None]
        x = np.maximum(self._neighbours("card1", np.moveaxis(planes, 1, 3)) + context, 0)
        x += np.maximum(self._neighbours("card2", x), 0)
        cards: Array = x.reshape(len(states), NUM_NATURALS, -1)
        return cards

    def _neighbours(self, layer: str, board: Array) -> Array:
        """Look at each card of a board float32[B, 4, 13, F] with its neighbours, see ``train``."""
        near = board.take(_NEAR, axis=2).reshape(*board.shape[:3], -1)
        out: Array = near @ self._near[layer]
        out += board.sum(axis=1, keepdims=True) @ self._rank[layer]
        out += self.weights[f"{layer}.suit.bias"]
        return out

    def belief(self, states: Array) -> Array:
        """Return the chance that the opponent holds a card of each type: float32[B, 53]."""
        trunk = self.trunk(states)
        logits = self._linear("belief", trunk)
        logits[:, :JOKER] += self._linear("card_belief", self.cards(states, trunk))[:, :, 0]
        return (1 / (1 + np.exp(-logits))).astype(np.float32)


class LearnedAgent:
    """A network as an agent (see ``base.Agent``); it plays its best-scored move.

    Args:
        network: scores the moves.
        meta: how it came about; ``meta["advice"]`` holds the figures of the levels whose opinion
            is among its features.
        name: how tables call it.
        temperature: 0 plays the best-scored move; 1 draws from the policy as trained.
    """

    def __init__(
        self,
        network: Scorer,
        meta: Mapping[str, Any],
        name: str,
        seed: int = 0,
        temperature: float = 0.0,
    ) -> None:
        AGENTS.announce()
        self.name = name
        self.meta = dict(meta)
        self.network = network
        self.temperature = temperature
        self._generator = np.random.default_rng(seed)
        self._work = new_feature_work()
        self._advice = np.zeros((2, MAX_PARAMETERS))
        for row, figures in zip(self._advice, meta["advice"], strict=True):
            row[: len(figures)] = figures
        self._buffers = _Buffers(1)

    @classmethod
    def from_file(
        cls, path: Path, name: str, seed: int = 0, temperature: float = 0.0
    ) -> LearnedAgent:
        """Load an agent from a file of weights (AgentError: see ``read_arrays``)."""
        arrays, meta = read_arrays(path)
        weights = {
            key.removeprefix(_POLICY): array
            for key, array in arrays.items()
            if key.startswith(_POLICY)
        }
        return cls(Network(weights), meta, name, seed, temperature)

    def act(self, view: View, legal: Sequence[Move]) -> Move:
        """Return the choice of the network (it lists the legal moves itself)."""
        action, meld = self.act_batch(view.array)[0].tolist()
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
        if len(self._buffers.states) < len(views):
            self._buffers = _Buffers(len(views))
        if streams is None:
            streams = self._generator.integers(1 << 63, size=len(views), dtype=np.uint64)
        chosen = np.zeros((len(views), 2), np.int16)
        first = 0
        while first < len(views):
            after = self._encode(views, first)
            chosen[first:after] = self._choose(streams[first:after])
            first = after
        return chosen

    def _encode(self, views: NDArray[Any], first: int) -> int:
        b = self._buffers
        return int(
            encode_views(
                views, first, self._advice, b.states, b.choices, b.offsets, b.moves, self._work
            )
        )

    def _choose(self, streams: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Choose in the decisions that have been encoded; draws advance their streams."""
        b, count = self._buffers, len(streams)
        offsets = b.offsets[: count + 1]
        rows, counts = offsets[-1], np.diff(offsets)
        scores = self.network.scores(b.states[:count], b.choices[:rows], counts)
        if self.temperature == 0:
            return b.moves[_best(scores, offsets)]
        drawn, log_probs = np.zeros(count, np.int64), np.zeros(count, np.float32)
        uniforms = (sub_streams(streams, _DRAW) >> np.uint64(11)) / float(1 << 53)
        choose_moves(scores / self.temperature, offsets, uniforms, drawn, log_probs)
        streams[:] = sub_streams(streams, _NEXT)
        return b.moves[drawn]


def _best(scores: Array, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of the best move of each decision, of equals the first: int64[B]."""
    counts = np.diff(offsets)
    best = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), counts)
    # Later ones are overwritten by walking backwards.
    winners = np.flatnonzero(scores == best)[::-1]
    picked = np.zeros(len(counts), np.int64)
    picked[np.repeat(np.arange(len(counts)), counts)[winners]] = winners
    return picked


class _Buffers:
    """Room for the features of some decisions."""

    def __init__(self, count: int) -> None:
        rows = max(count * _ROWS_A_VIEW, MAX_MOVES)
        self.states = np.zeros((count, STATE_SIZE), np.float32)
        self.choices = np.zeros((rows, CHOICE_SIZE), np.float32)
        self.offsets = np.zeros(count + 1, np.int64)
        self.moves = np.zeros((rows, 2), np.int16)
