"""Checkpoints: one npz file without pickles that holds all that a run needs to go on.

``policy/*`` are the weights that play (``agents.learned`` reads them): the running mean of those
that are trained, ``trained/*``, after ``averaged`` steps. ``critic/*``, ``adam/*`` and ``pool/*``
only training needs; ``meta`` is a JSON text. A player alone, small enough to ship, comes from

    python -m scala40_env.train.checkpoint runs/full/best.npz player.npz
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

import scala40_env
from scala40_env.agents.base import AgentError
from scala40_env.agents.features import FEATURES_VERSION
from scala40_env.agents.learned import FORMAT, read_arrays
from scala40_env.agents.levels import load_level
from scala40_env.train.config import TrainConfig
from scala40_env.train.opponents import advice_figures

CHECKPOINT: Final = "checkpoint.npz"
BEST: Final = "best.npz"

Arrays = dict[str, NDArray[Any]]


class CheckpointError(ValueError):
    """A run that cannot be gone on with; the message is one line."""


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        seconds: time trained.
        samples: decisions learned from, of all processes.
        iterations: updates made.
        best: share of matches won against the hard level in the best evaluation.
        history: one row an update (see ``ppo``).
        evaluations: one row an evaluation.
    """

    seconds: float = 0.0
    samples: int = 0
    iterations: int = 0
    best: float = -1.0
    history: list[dict[str, float]] = field(default_factory=list)
    evaluations: list[dict[str, float]] = field(default_factory=list)


def describe_run(
    config: TrainConfig, progress: Progress, seeds: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the ``meta`` of a file of weights."""
    return {
        "format": FORMAT,
        "features_version": FEATURES_VERSION,
        "package_version": scala40_env.__version__,
        "rules": config.rules,
        "num_players": config.num_players,
        "config": config.to_dict(),
        "seeds": dict(seeds),
        "advice": [row.tolist() for row in advice_figures()],
        "advice_levels": [load_level(name).label for name in ("normal", "hard")],
        "commit": _commit(),
        "progress": asdict(progress),
    }


def _commit() -> str:
    """Return the git commit of the sources, or "unknown" outside a working copy."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def save_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Write a file of weights; it replaces the old one only when it is complete."""
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as file:
        np.savez(file, allow_pickle=False, meta=np.array(json.dumps(meta)), **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file for people to read."""
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def load_checkpoint(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read the checkpoint of a run folder.

    Raises:
        CheckpointError: there is none, it is damaged or of another version.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        raise CheckpointError(f"no checkpoint in {str(folder)!r}")
    try:
        arrays, meta = read_arrays(path)
    except AgentError as error:
        raise CheckpointError(str(error)) from error
    if "config" not in meta or "progress" not in meta:
        raise CheckpointError(f"{str(path)!r} holds a player, not a run")
    if "averaged" not in arrays:
        raise CheckpointError(f"{str(path)!r} is a run of an older version")
    return arrays, meta


def export_player(source: Path, target: Path, **notes: Any) -> None:
    """Write the player of a checkpoint alone: its weights, and how it came about without the log.

    Args:
        notes: what else its ``meta`` shall say, for example its results.

    Raises:
        AgentError: the checkpoint cannot be read.
        OSError: the target cannot be written.
    """
    arrays, meta = read_arrays(source)
    kept = {key: array for key, array in arrays.items() if key.startswith("policy/")}
    meta["progress"] = {key: value for key, value in meta["progress"].items() if key != "history"}
    save_arrays(target, kept, meta | notes)


def prefixed(prefix: str, weights: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return arrays under a common prefix."""
    return {f"{prefix}/{name}": array for name, array in weights.items()}


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the arrays below a prefix, without it."""
    first = f"{prefix}/"
    return {key[len(first) :]: array for key, array in arrays.items() if key.startswith(first)}


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Arrays:
    """Return the state of an optimiser as arrays."""
    state = optimizer.state_dict()["state"]
    return {
        f"{index}/{name}": torch.as_tensor(value).numpy().copy()
        for index, values in state.items()
        for name, value in values.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Set the state of an optimiser from ``optimizer_arrays``."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in arrays.items():
        index, name = key.split("/")
        state.setdefault(int(index), {})[name] = torch.from_numpy(array.copy())
    whole = optimizer.state_dict()
    whole["state"] = state
    optimizer.load_state_dict(whole)


def pool_arrays(selves: list[Arrays]) -> Arrays:
    """Return the weights of past selves as arrays."""
    return {f"{i}/{name}": array for i, self_ in enumerate(selves) for name, array in self_.items()}


def restore_pool(arrays: Arrays) -> list[Arrays]:
    """Return the past selves of ``pool_arrays``."""
    count = len({key.split("/", 1)[0] for key in arrays})
    return [under(str(i), arrays) for i in range(count)]


@dataclass(frozen=True)
class ExportConfig:
    """Write the player of a checkpoint alone."""

    source: Annotated[Path, tyro.conf.Positional]
    """A checkpoint, best.npz or checkpoint.npz of a run."""
    target: Annotated[Path, tyro.conf.Positional]
    """The file of the player, *.npz."""


def main() -> None:
    """Export from the command line."""
    config = tyro.cli(ExportConfig, description=__doc__)
    try:
        export_player(config.source, config.target)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
