"""What each part of the recipe is worth: short runs with one part changed, all of one length.

    python -m scala40_env.train.ablations --minutes 30
    python -m scala40_env.train.ablations --only recipe "no warm start" --minutes 5

Every run has one process and the seed of the config; its last player meets the hard level on test
seeds. Runs that are done are kept, so that the command goes on where it stopped.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from scala40_env.rules import Rules
from scala40_env.train import checkpoint, ppo
from scala40_env.train.config import TrainConfig, load_config
from scala40_env.train.evaluate import evaluate

_ARITHMETIC: Final = (
    "lay_off, outs, left, rest, melds, value, lack, live_outs, live_opening, gain, lost_outs,"
    " ready, breaks, worth, live_worth, feeds, feeds_opened, wanted, thrown_near, took_near"
)
_PPO: Final = {"rated": 0.0, "policy": 1.0}

ABLATIONS: Final[dict[str, dict[str, Any]]] = {
    "recipe": {},
    "no warm start": {"advice": False},
    "no arithmetic": {"hide": _ARITHMETIC},
    "no advice": {"advice": False, "hide": "hard, normal, hard_worth"},
    "suits as they are": {"mix_suits": False},
    "no belief": {"belief": 0.0},
    "past selves": {"share_self": 0.1, "share_past": 0.3},
    "ppo": _PPO,
    "ppo, blind critic": {**_PPO, "oracle": False},
    "ppo, no turn-aware credit": {**_PPO, "move_lambda": 0.95},
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


def run_one(name: str, config: AblationConfig) -> dict[str, Any]:
    """Train one of ``ABLATIONS``, let it meet the hard level and keep the result.

    Returns:
        Its settings, samples, and what it won: matches, and points a hand of mirrored pairs.
    """
    result = config.runs / f"{name}.json"
    if result.exists():
        return dict(json.loads(result.read_text(encoding="utf-8")))
    settings = dataclasses.replace(
        load_config(config.config), **ABLATIONS[name], name=name, runs=str(config.runs),
        minutes=config.minutes, processes=1, evaluate_every=float("inf"), final_pairs=10,
    )  # fmt: skip
    folder = _train(settings)
    _, meta = checkpoint.load_checkpoint(folder)
    player = str(folder / checkpoint.CHECKPOINT)
    met = evaluate([player, "hard"], config.pairs, Rules.preset(settings.rules), _SEED).pairings[0]
    row = {
        "name": name,
        "changes": ABLATIONS[name],
        "minutes": config.minutes,
        "samples": meta["progress"]["samples"],
        "pairs": config.pairs,
        "matches": [met.matches.mean, met.matches.half_width],
        "points": [met.difference.mean, met.difference.half_width],
    }
    checkpoint.write_json(result, row)
    return row


def _train(settings: TrainConfig) -> Path:
    started = (settings.folder / checkpoint.CHECKPOINT).exists()
    return ppo.run(settings, settings.folder if started else None, quiet=True)


def table_of(rows: list[Mapping[str, Any]]) -> Table:
    """Return the results, the best first."""
    caption = "95 % intervals; mirrored pairs against hard on test seeds"
    table = Table(title="what each part is worth", caption=caption)
    for column in ("run", "million decisions", "points a hand", "matches won"):
        table.add_column(column, justify="left" if column == "run" else "right")
    for row in sorted(rows, key=lambda row: row["points"][0], reverse=True):
        (points, near), (won, around) = row["points"], row["matches"]
        table.add_row(
            row["name"],
            f"{row['samples'] / 1e6:.1f}",
            f"{points:+.2f} ± {near:.2f}",
            f"{100 * won:.1f} ± {100 * around:.1f} %",
        )
    return table


def main() -> None:
    """Run from the command line."""
    config = tyro.cli(AblationConfig, description=__doc__)
    names = config.only or tuple(ABLATIONS)
    unknown = [name for name in names if name not in ABLATIONS]
    if unknown:
        print(f"error: no run {unknown[0]!r}; runs: {', '.join(ABLATIONS)}", file=sys.stderr)
        raise SystemExit(2)
    config.runs.mkdir(parents=True, exist_ok=True)
    shown = track(names, "training", console=Console(stderr=True))
    Console().print(table_of([run_one(name, config) for name in shown]))


if __name__ == "__main__":
    main()
