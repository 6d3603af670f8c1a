"""What the numbers of an observation mean, for people and learners; the engine writes them.

    >>> SLICES["hand"]
    slice(0, 53, None)

`observe` gives what one seat knows, `observe_full` also what is hidden from it, for critics. Both
begin with the same numbers. The environments build their spaces from `observation_box`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from .engine.observe import (
    AT,
    BLOCKS,
    FULL_SIZE,
    HIDDEN_BLOCKS,
    OBSERVATION_SIZE,
    OBSERVATION_VERSION,
    Block,
    observe_full_games,
    observe_games,
)
from .engine.state import NUM_PLAYERS

__all__ = [
    "FULL_SIZE",
    "OBSERVATION_SIZE",
    "OBSERVATION_VERSION",
    "SLICES",
    "full_box",
    "observation_box",
    "observe",
    "observe_full",
    "spec_table",
]

SLICES: Final[dict[str, slice]] = {
    block.name: slice(getattr(AT, block.name), getattr(AT, block.name) + block.size)
    for block in BLOCKS + HIDDEN_BLOCKS
}
"""Where each named block lies; the hidden ones only in a full observation."""

_SEATS: Final = np.arange(6)
_SEATS.setflags(write=False)


def _box(blocks: Sequence[Block]) -> Box:
    high = np.repeat([block.high for block in blocks], [block.size for block in blocks])
    low = np.zeros_like(high)
    low[SLICES["rules"]] = -1  # null
    return Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def observation_box() -> Box:
    """Return the space of plain observations: float32[OBSERVATION_SIZE], bounded."""
    return _box(BLOCKS)


def full_box() -> Box:
    """Return the space of full observations: float32[FULL_SIZE], bounded."""
    return _box(BLOCKS + HIDDEN_BLOCKS)


def observe(game: NDArray[Any], seat: int) -> NDArray[np.float32]:
    """Return the plain observation of a seat, a new float32[OBSERVATION_SIZE].

    Args:
        game: GAME[1], a game or the view of this seat.

    Raises:
        ValueError: there is no such seat.
    """
    _check_seat(game, seat)
    out = np.empty(OBSERVATION_SIZE, np.float32)
    observe_games(game, _SEATS[seat : seat + 1], out[None], 0, 1)
    return out


def observe_full(game: NDArray[Any], seat: int) -> NDArray[np.float32]:
    """Return the full observation from a seat, a new float32[FULL_SIZE].

    Args:
        game: GAME[1], no view.

    Raises:
        ValueError: there is no such seat.
    """
    _check_seat(game, seat)
    out = np.empty(FULL_SIZE, np.float32)
    observe_full_games(game, _SEATS[seat : seat + 1], out[None], 0, 1)
    return out


def _check_seat(game: NDArray[Any], seat: int) -> None:
    """Refuse what the kernels, which check no bounds, would read beyond."""
    seats = int(game["rules"][0, NUM_PLAYERS])
    if not 0 <= seat < seats:
        raise ValueError(f"seat {seat!r} is not in 0..{seats - 1}")


def spec_table() -> list[str]:
    """Return the lines of a Markdown table of all blocks, those of full observations last."""
    lines = ["| numbers | name | meaning |", "|---|---|---|"]
    for block in BLOCKS + HIDDEN_BLOCKS:
        where = SLICES[block.name]
        numbers = f"{where.start}-{where.stop - 1}" if block.size > 1 else str(where.start)
        lines.append(f"| {numbers} | {block.name} | {block.meaning} |")
    return lines
