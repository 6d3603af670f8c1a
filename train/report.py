"""What a run shows and leaves: a progress bar, a log, the learning curve, the table of results."""

from __future__ import annotations

import json
import time
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, track
from rich.table import Table

from scala40_env.agents.gathering import LEARNER, PAST
from scala40_env.agents.levels import CODES, HARD, NORMAL
from scala40_env.rules import Rules
from scala40_env.train import checkpoint
from scala40_env.train.config import TrainConfig
from scala40_env.train.evaluate import Evaluation, evaluate
from scala40_env.train.pairings import Pairing
from scala40_env.train.rollout import Tally

LOG = "log.jsonl"
CURVE = "curve.png"
TABLE = "table.json"
_OPPONENTS = ("easy", "normal", "hard")
_TABLE_SEED = 40  # of the evaluation at the end of a run
_NAMES = {code: name for name, code in CODES.items()} | {LEARNER: "self", PAST: "past"}
_RATE_ROUNDS = 10  # rounds over which rates are averaged


class Reporter(AbstractContextManager["Reporter"]):
    """Keeps the log of a run and shows how far it is."""

    def __init__(self, config: TrainConfig, progress: checkpoint.Progress, quiet: bool) -> None:
        self.config = config
        self.progress = progress
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[figures]}"),
            console=Console(stderr=True),
            disable=quiet,
        )
        self._task = self._bar.add_task(
            f"training {config.name}", total=config.minutes, figures="compiling ..."
        )
        self._recent: list[tuple[int, float]] = []
        self._seen: dict[int, tuple[int, int]] = {}
        self._tensorboard = _open_tensorboard(config) if config.tensorboard and not quiet else None

    def __enter__(self) -> Reporter:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def note_round(self, row: dict[str, float], tally: Tally) -> None:
        """Add a round to the log and move the bar on."""
        progress = self.progress
        self._recent = [*self._recent, (progress.samples, time.monotonic())][-_RATE_ROUNDS:]
        row = {
            "iteration": progress.iterations,
            "minutes": progress.seconds / 60,
            "samples": progress.samples,
            "samples_per_second": self._rate(),
            **row,
            **self._shares(tally),
        }
        progress.history.append({key: round(float(x), 5) for key, x in row.items()})
        if self._tensorboard is not None:
            for key, x in row.items():
                self._tensorboard.add_scalar(key, x, progress.samples)
        self._show()

    def note_evaluation(self, won: float, error: float) -> None:
        """Add an evaluation against the hard level."""
        progress = self.progress
        row = {
            "minutes": progress.seconds / 60,
            "samples": progress.samples,
            "won": won,
            "error": error,
        }
        progress.evaluations.append({key: round(float(x), 5) for key, x in row.items()})
        self._show()

    def _rate(self) -> float:
        (first, start), (last, end) = self._recent[0], self._recent[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def _shares(self, tally: Tally) -> dict[str, float]:
        """Return the matches won since the last round against each kind of opponent."""
        shares = {}
        for code, played in tally.played.items():
            before, won_before = self._seen.get(code, (0, 0))
            if played > before and code != LEARNER:
                won = tally.won[code] - won_before
                shares[f"won_{_NAMES[code]}"] = won / (played - before)
            self._seen[code] = (played, tally.won[code])
        return shares

    def _show(self) -> None:
        progress, config = self.progress, self.config
        figures = [f"{progress.samples / 1e6:.2f} M samples", f"{self._rate() / 1e3:.1f} k/s"]
        left = max(config.minutes - progress.seconds / 60, 0)
        figures.append(f"{left:.1f} min left")
        for code in (HARD, NORMAL):
            name = f"won_{_NAMES[code]}"
            rows = [row[name] for row in progress.history[-_RATE_ROUNDS:] if name in row]
            if rows:
                figures.append(f"{_NAMES[code]} {sum(rows) / len(rows):.0%}")
        if progress.evaluations:
            figures.append(f"best play over hard {progress.evaluations[-1]['won']:.1%}")
        self._bar.update(self._task, completed=progress.seconds / 60, figures=", ".join(figures))

    def write(self) -> None:
        """Write the log and the curve into the run folder."""
        rows = [*self.progress.history, *self.progress.evaluations]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.config.folder / LOG).write_text(text, encoding="utf-8")
        draw_curve(self.progress, self.config.folder / CURVE)


def _open_tensorboard(config: TrainConfig) -> Any:
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(config.folder))


def draw_curve(progress: checkpoint.Progress, path: Path) -> None:
    """Draw matches won against samples: while training (it explores), and at its best play."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for level in ("hard", "normal", "easy"):
        name = f"won_{level}"
        rows = [row for row in progress.history if name in row]
        size = max(len(rows) // 40, 1)
        groups = [rows[i : i + size] for i in range(0, len(rows), size)]
        x = [group[-1]["samples"] / 1e6 for group in groups]
        y = [100 * sum(row[name] for row in group) / len(group) for group in groups]
        axes.plot(x, y, label=f"{level}, exploring", linewidth=1)
    rows = progress.evaluations
    axes.errorbar(
        [row["samples"] / 1e6 for row in rows],
        [100 * row["won"] for row in rows],
        [196 * row["error"] for row in rows],
        label="hard, best play (95 %)",
        fmt="o-",
        color="black",
        capsize=3,
    )
    axes.axhline(50, color="grey", linewidth=0.8, linestyle=":")
    axes.set(xlabel="million samples", ylabel="matches won, %", ylim=(0, 100))
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def show_table(rules: Rules, config: TrainConfig, quiet: bool) -> list[Evaluation]:
    """Play the result of a run against the levels; print the table and write it as JSON."""
    player = config.folder / checkpoint.BEST
    levels = track(_OPPONENTS, "playing the levels", console=Console(stderr=True), disable=quiet)
    results = [
        evaluate([str(player), level], config.final_pairs, rules, _TABLE_SEED) for level in levels
    ]
    rows = [result.to_dict() for result in results]
    checkpoint.write_json(config.folder / TABLE, {"player": str(player), "results": rows})
    if not quiet:
        Console().print(_table_of([result.pairings[0] for result in results], str(player)))
    return results


def _table_of(pairings: list[Pairing], title: str) -> Table:
    first, last = pairings[0].seeds
    caption = f"mirrored pairs, 95 % intervals, seeds {first}..{last}"
    table = Table(title=title, caption=caption)
    for column in ("opponent", "matches won", "hands won", "points a hand", "matches"):
        table.add_column(column, justify="left" if column == "opponent" else "right")
    for row in pairings:
        table.add_row(
            row.b,
            f"{100 * row.matches.mean:.1f} ± {100 * row.matches.half_width:.1f} %",
            f"{100 * row.hands.mean:.1f} ± {100 * row.hands.half_width:.1f} %",
            f"{row.difference.mean:+.1f} ± {row.difference.half_width:.1f}",
            str(row.num_matches),
        )
    return table
