"""What a decision costs, by what it might depend on: ``python benchmarks/costs.py``.

Time a decision of random legal play (mask + apply, and with the observation) on one core against
the batch size, the number of players, the turns played in the hand, and the melds on the table. A
figure is the median of the repeats.

Writes ``docs/results/costs.json`` and ``docs/results/costs.png``.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scala40_env.batch import BatchGame
from scala40_env.bench import Budget, batch_observe_rate, batch_rate, one_core
from scala40_env.engine.state import MATCH_OVER
from scala40_env.rules import Rules

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
SIZES = tuple(4**k for k in range(9))  # 1 to 65,536
PLAYERS = (2, 3, 4, 5, 6)
POSITIONS = 256  # in each measure of a kind of position

Points = list[tuple[float, float]]
"""The figure and the nanoseconds a decision, one pair for each measure."""


def nanoseconds(rate: float) -> float:
    """The time of one decision."""
    return round(1e9 / rate, 1)


def by_batch_size(budget: Budget, with_observation: bool) -> Points:
    """Time a decision for batches of different size, interpreter and all."""
    rate = batch_observe_rate if with_observation else batch_rate
    return [(size, nanoseconds(rate(budget, num_games=size))) for size in SIZES]


def by_players(budget: Budget) -> Points:
    """Time a decision for 2 to 6 players."""
    return [(n, nanoseconds(batch_rate(budget, players=n))) for n in PLAYERS]


def sample_positions(games: int = 1024, steps: int = 420) -> NDArray[Any]:
    """Return GAME[n], positions of random play from the first turn of a hand to late ones."""
    batch, kept = BatchGame(Rules.preset("browser"), games, seed=3, auto_reset=True), []
    for step in range(steps):
        batch.step(batch.random_actions())
        if step % 12 == 0:
            kept.append(batch.games.copy())
    return np.concatenate(kept)


def time_of(positions: NDArray[Any], repeats: int) -> float:
    """Nanoseconds to play one random decision in each of some positions, mask of the next too."""
    batch = BatchGame(Rules.preset("browser"), len(positions), seed=4)
    idle, times = np.full(len(positions), -1), []
    for _ in range(repeats):
        batch.games[:] = positions
        batch.step(idle)  # writes the masks
        actions = batch.random_actions()
        start = time.perf_counter()
        batch.step(actions)
        times.append(time.perf_counter() - start)
    return round(1e9 * median(times) / len(positions), 1)


def by_kind(positions: NDArray[Any], kinds: NDArray[np.int64], repeats: int) -> Points:
    """Time a decision in the positions of each kind of which there are enough."""
    points = []
    with one_core():
        for kind in np.unique(kinds).tolist():
            rows = np.flatnonzero(kinds == kind)[:POSITIONS]
            if len(rows) == POSITIONS:
                points.append((kind, time_of(positions[rows], repeats)))
    return points


def measure(budget: Budget) -> dict[str, Points]:
    """All series, by name."""
    positions = sample_positions()
    positions = positions[positions["phase"] != MATCH_OVER]
    turns = positions["turns"].sum(axis=1, dtype=np.int64) // 10 * 10
    melds = positions["num_melds"].astype(np.int64)
    repeats = 40 * budget.repeats
    return {
        "batch_size": by_batch_size(budget, with_observation=False),
        "batch_size_observed": by_batch_size(budget, with_observation=True),
        "players": by_players(budget),
        "turns": by_kind(positions, turns, repeats),
        "melds": by_kind(positions, melds, repeats),
    }


PANELS = (
    ("games in the batch", {"batch_size": "mask + apply", "batch_size_observed": "+ observation"}),
    ("players", {"players": "mask + apply"}),
    ("turns played in the hand", {"turns": "mask + apply"}),
    ("melds on the table", {"melds": "mask + apply"}),
)


def plot(series: dict[str, Points], path: Path) -> None:
    """Draw the series, one panel for each thing that a cost might depend on."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 2, figsize=(9, 6), layout="constrained")
    for axes, (label, lines) in zip(panels.flat, PANELS, strict=True):
        for (name, legend), colour in zip(lines.items(), ("#2a6f4e", "#c2792e"), strict=False):
            x, y = zip(*series[name], strict=True)
            axes.plot(x, np.array(y) / 1000, "o-", color=colour, label=legend)
        axes.set_xlabel(label)
        axes.set_ylabel("microseconds a decision")
        axes.spines[["top", "right"]].set_visible(False)
        if "batch" in label:
            axes.set_xscale("log", base=4)
            axes.set_yscale("log")
            axes.legend(frameon=False)
        else:
            axes.set_ylim(bottom=0)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure all, print the series, write JSON and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of work in each repeat")
    arguments = parser.parse_args()
    series = measure(Budget(arguments.repeats, arguments.seconds))
    for name, points in series.items():
        print(name, ", ".join(f"{x:,.0f}: {y:,.0f} ns" for x, y in points))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "costs.json").write_text(json.dumps(series, indent=1) + "\n")
    plot(series, RESULTS / "costs.png")


if __name__ == "__main__":
    main()
