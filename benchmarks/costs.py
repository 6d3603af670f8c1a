"""What a decision costs, by what it might depend on: ``python benchmarks/costs.py``.

Time a decision of random legal play (mask + apply, and with the observation) on one core against
the batch size, the number of players, the turns played in the hand, and the melds on the table. A
figure is the median of the repeats. Also the mask alone, by the kind of decision: what share of all
decisions and of the time goes there.

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
from scala40_env.engine.state import DRAW, JOKER, MATCH_OVER, NONE, PLAY
from scala40_env.rules import Rules

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
SIZES = tuple(4**k for k in range(9))  # 1 to 65,536
PLAYERS = (2, 3, 4, 5, 6)
POSITIONS = 256  # in each measure of a kind of position
RULES = Rules.preset("browser", num_players=4)  # of those positions: with more seats, more melds

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
    batch, kept = BatchGame(RULES, games, seed=3, auto_reset=True), []
    for step in range(steps):
        batch.step(batch.random_actions())
        if step % 12 == 0:
            kept.append(batch.games.copy())
    return np.concatenate(kept)


def time_of(positions: NDArray[Any], repeats: int) -> float:
    """Nanoseconds to play one random decision in each of some positions, mask of the next too."""
    batch = BatchGame(RULES, len(positions), seed=4)
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


def kinds_of_decisions(games: NDArray[Any]) -> dict[str, NDArray[np.bool_]]:
    """Which of some games, two players, are before which kind of decision."""
    rows, player = np.arange(len(games)), games["player"].astype(np.int64)
    opened = games["opened"][rows, player] > 0
    holds_joker = games["hands"][rows, player, JOKER] > 0
    draws = games["phase"] == DRAW
    owes = (games["phase"] == PLAY) & (games["taken"] != NONE)
    plays = (games["phase"] == PLAY) & ~owes
    return {
        "draw or take, before opening": draws & ~opened,
        "draw or take, opened": draws & opened,
        "play, before opening, no joker": plays & ~opened & ~holds_joker,
        "play, before opening, with a joker": plays & ~opened & holds_joker,
        "play, opened": plays & opened,
        "play, owing the taken card, before opening": owes & ~opened,
        "play, owing the taken card, opened": owes & opened,
    }


def masks_by_kind(repeats: int, games: int = 4096, steps: int = 200) -> list[tuple[str, ...]]:
    """Each kind of decision in random play: its share, nanoseconds a mask, share of the time."""
    batch = BatchGame("browser", games, seed=5, auto_reset=True)
    for _ in range(steps):
        batch.step(batch.random_actions())
    positions, idle = batch.games.copy(), np.full(games, -1)
    counted = []
    with one_core():
        for kind, which in kinds_of_decisions(positions).items():
            one_kind, times = BatchGame("browser", int(which.sum()), seed=6), []
            one_kind.games[:] = positions[which]
            for _ in range(repeats):
                start = time.perf_counter()
                one_kind.step(idle[: len(one_kind.games)])
                times.append(time.perf_counter() - start)
            counted.append((kind, len(one_kind.games), median(times)))
    decisions, total = (sum(row[k] for row in counted) for k in (1, 2))
    return [
        (kind, f"{n / decisions:.1%}", f"{1e9 * spent / n:,.0f}", f"{spent / total:.0%}")
        for kind, n, spent in counted
    ]


def measure(budget: Budget) -> dict[str, Points]:
    """All series, by name."""
    positions = sample_positions()
    positions = positions[positions["phase"] != MATCH_OVER]
    turns = positions["turns"].sum(axis=1, dtype=np.int64) // 20 * 20
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
    ("turns played in the hand (four players)", {"turns": "mask + apply"}),
    ("melds on the table (four players)", {"melds": "mask + apply"}),
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
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(bottom=0, top=1.15 * max(y) / 1000)
        if "batch" in label:
            axes.set_xscale("log", base=4)
            axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES], rotation=30)
            axes.set_yscale("log")
            axes.set_ylim(0.5, 20)
            axes.set_yticks((0.5, 1, 2, 5, 10, 20), ("0.5", "1", "2", "5", "10", "20"))
            axes.legend(frameon=False)
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
    for row in masks_by_kind(20 * arguments.repeats):
        print(" | ".join(row))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "costs.json").write_text(json.dumps(series, indent=1) + "\n")
    plot(series, RESULTS / "costs.png")


if __name__ == "__main__":
    main()
