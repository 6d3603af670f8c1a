"""The strength of several runs against hard, by samples and by minutes, in one picture.

    python -m scala40_env.train.curves runs/full runs/other --out curves.png

A run is its folder, or a JSON file with its ``config`` and ``progress`` as a checkpoint has them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from scala40_env.train import checkpoint


@dataclass(frozen=True)
class CurvesConfig:
    """Draw the evaluations of runs."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Folders of runs, or JSON files."""
    out: Path = Path("curves.png")
    """The picture."""


def read_run(path: Path) -> dict[str, Any]:
    """Return the ``meta`` of a run.

    Raises:
        CheckpointError: there is no run, or none that can be read.
    """
    if path.suffix != ".json":
        return checkpoint.load_checkpoint(path)[1]
    try:
        meta = dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise checkpoint.CheckpointError(f"cannot read {str(path)!r}: {error}") from error
    if not {"config", "progress"} <= set(meta):
        raise checkpoint.CheckpointError(f"{str(path)!r} tells of no run")
    return meta


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw the matches won by each run, with 95 % intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.8), layout="constrained")
    by_samples, by_minutes = figure.subplots(1, 2, sharey=True)
    for meta in runs:
        rows = meta["progress"]["evaluations"]
        won = [100 * row["won"] for row in rows]
        near = [196 * row["error"] for row in rows]
        for axes, key, unit in ((by_samples, "samples", 1e6), (by_minutes, "minutes", 1)):
            x = [row[key] / unit for row in rows]
            axes.errorbar(x, won, near, fmt="o-", capsize=3, label=_label(meta))
    by_samples.set(xlabel="million decisions", ylabel="matches won against hard, %")
    by_minutes.set(xlabel="minutes")
    for axes in (by_samples, by_minutes):
        axes.axhline(50, color="grey", linewidth=0.8, linestyle=":")
    figure.legend(*by_minutes.get_legend_handles_labels(), loc="outside right upper")
    figure.savefig(path, dpi=120)


def _label(meta: dict[str, Any]) -> str:
    return f"{meta['config']['name']}, seed {meta['config']['seed']}"


def main() -> None:
    """Draw from the command line."""
    config = tyro.cli(CurvesConfig, description=__doc__)
    try:
        draw([read_run(path) for path in config.runs], config.out)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
