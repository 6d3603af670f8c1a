"""What each part of the recipe is worth: short runs with one part changed, all of one length.

    python -m scala40_env.train.ablations --minutes 30
    python -m scala40_env.train.ablations --only recipe "no warm start" --minutes 5

Every run has one process and the seed of the config. The last player of a run meets the hard level
on test seeds. Results and checkpoints are kept, so that the command goes on where it stopped.
Lengths are those of the clock, so give the runs a machine of their own. "from a quick run" goes on
from its player, so for that one ``scala40 train --config quick`` comes first.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scala40_env.train import checkpoint, ppo
from scala40_env.train.config import TrainConfig, load_config
from scala40_env.train.evaluate import evaluate
from scala40_env.train.intervals import Interval

_ARITHMETIC: Final = (
    "lay_off, outs, left, rest, melds, value, lack, live_outs, live_opening, gain, lost_outs,"
    " ready, breaks, worth, live_worth, feeds, feeds_opened, wanted, thrown_near, took_near"
)
_ADVICE: Final = "hard, normal, hard_worth"
_TRYING: Final = {"policy": 0.0, "rated": 1.0, "rated_kept": 200_000, "closed_share": 0.0}

ABLATIONS: Final[dict[str, dict[str, Any]]] = {
    "recipe": {},
    "no closed hands": {"closed_share": 0.0},
    "no warm start": {"advice": False},
    "no arithmetic": {"hide": _ARITHMETIC},
    "no advice": {"advice": False, "hide": _ADVICE},
    "blind critic": {"oracle": False},
    "only itself": {"share_self": 1.0, "share_hard": 0.0, "share_normal": 0.0},
    "past selves": {"share_self": 0.1, "share_past": 0.3},
    "turn-aware credit": {"move_lambda": 1.0},
    "less entropy": {"entropy": 0.01},
    "no belief": {"belief": 0.0},
    "from a quick run": {"start": "runs/quick/checkpoint.npz", "closed_share": 0.0},
    "moves tried out": _TRYING,
    "moves tried out, suits as they are": {**_TRYING, "mix_suits": False},
}
"""What each run changes in the config."""

_SEED: Final = 7  # of the test deals


@dataclass(frozen=True)
class AblationConfig:
    """Short runs, each with one part of the recipe changed."""

    config: str = "full"
    """The recipe, by name or as a file."""
    minutes: float = 30.0
    """Length of each run."""
    pairs: int = 2500
    """Mirrored pairs of matches against the hard level after it."""
    only: tuple[str, ...] = ()
    """Names of the runs; all where there are none."""
    runs: Path = Path("runs/ablations")
    """Folder of the runs."""


class AblationError(ValueError):
    """Runs that do not fit together; the message is one line."""


def settings_of(name: str, config: AblationConfig) -> TrainConfig:
    """Return the settings of one of ``ABLATIONS``: one process, evaluated six times."""
    return dataclasses.replace(
        load_config(config.config), **ABLATIONS[name], name=name, runs=str(config.runs),
        minutes=config.minutes, processes=1, evaluate_every=config.minutes / 6, final_pairs=2,
    )  # fmt: skip


def run_one(name: str, config: AblationConfig) -> dict[str, Any] | None:
    """Train one of ``ABLATIONS``, let it meet the hard level and keep the result.

    Returns:
        Its settings, samples, and what it won with 95 % intervals: matches, and points a hand of
        mirrored pairs; None where somebody interrupts, and nothing is kept but the checkpoint.

    Raises:
        AblationError: the folder holds this run with other settings.
    """
    settings = settings_of(name, config)
    result = config.runs / f"{name}.json"
    if result.exists():
        row = dict(json.loads(result.read_text(encoding="utf-8")))
        _refuse_other(result, (row["config"], row["pairs"]), (settings.to_dict(), config.pairs))
        return row
    try:
        meta = _train(settings)
    except KeyboardInterrupt:
        return None
    player = str(settings.folder / checkpoint.CHECKPOINT)
    evaluation = evaluate([player, "hard"], config.pairs, settings.rules, _SEED)
    if not evaluation.complete:
        return None
    met = evaluation.pairings[0]
    row = {
        "name": name,
        "config": settings.to_dict(),
        "commit": meta["commit"],
        "samples": meta["progress"]["samples"],
        "pairs": config.pairs,
        "seeds": list(met.seeds),
        "matches": met.matches.rounded(),
        "points": met.difference.rounded(),
    }
    checkpoint.write_json(result, row)
    return row


def _refuse_other(path: Path, found: Any, wanted: Any) -> None:
    if found != wanted:
        raise AblationError(f"{str(path)!r} is of other settings; choose another --runs")


def _train(settings: TrainConfig) -> dict[str, Any]:
    """Begin a run, or go on with it; returns the ``meta`` of its last checkpoint."""
    folder, path = settings.folder, settings.folder / checkpoint.CHECKPOINT
    if path.exists():
        _refuse_other(path, checkpoint.load_checkpoint(folder)[1]["config"], settings.to_dict())
    ppo.run(settings, folder if path.exists() else None, quiet=True)
    return checkpoint.load_checkpoint(folder)[1]


def table_of(rows: list[dict[str, Any]]) -> Table:
    """Return the results, the best first."""
    caption = "one training seed each; 95 % intervals of the evaluation alone"
    table = Table(title="recipes against hard", caption=caption)
    for column in ("run", "million decisions", "points a hand", "matches won"):
        table.add_column(column, justify="left" if column == "run" else "right")
    for row in sorted(rows, key=lambda row: row["points"][0], reverse=True):
        points, won = Interval(*row["points"]), Interval(*row["matches"])
        table.add_row(
            row["name"],
            f"{row['samples'] / 1e6:.1f}",
            f"{points.mean:+.2f} ± {points.half_width:.2f}",
            f"{100 * won.mean:.1f} ± {100 * won.half_width:.1f} %",
        )
    return table


def run_all(config: AblationConfig) -> list[dict[str, Any]]:
    """Make the runs one after the other; ends early where somebody interrupts.

    Raises:
        AblationError: there is no such run, or see ``run_one``.
    """
    for name in config.only:
        if name not in ABLATIONS:
            raise AblationError(f"no run {name!r}; runs: {', '.join(ABLATIONS)}")
    config.runs.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for name in track(config.only or ABLATIONS, "training", console=Console(stderr=True)):
        row = run_one(name, config)
        if row is None:
            print("stopped; the same command goes on", file=sys.stderr)
            break
        rows.append(row)
    return rows


def main() -> None:
    """Run from the command line."""
    config = tyro.cli(AblationConfig, description=__doc__)
    try:
        rows = run_all(config)
        if rows:
            Console().print(table_of(rows))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
