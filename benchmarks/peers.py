"""Our engine beside its peers, measured in one run: ``python benchmarks/peers.py``.

Needs OpenSpiel and RLCard: ``pip install -c constraints.txt -e '.[bench]'``. All play random legal
moves, each on the same one core, in turn, and a figure is the median of the repeats. A decision is
one move of a player; dealing and other chance does not count. `over` in the results is the median
of the ratios within a repeat, of ``BatchGame`` to each.

OpenSpiel inside C++ is measured by the rollouts of its tree search, see ``bench.openspiel_rate``.

Writes ``docs/results/peers.json`` and ``docs/results/peers.png``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scala40_env.bench import (
    Budget,
    aec_raw_rate,
    batch_rate,
    game_moves_rate,
    median_rate,
    one_core,
    openspiel_rate,
)

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"


def openspiel_python_rate(budget: Budget) -> float:
    """Decisions a second of OpenSpiel's gin rummy, its states driven from Python."""
    import pyspiel

    game, rng = pyspiel.load_game("gin_rummy"), np.random.default_rng(1)

    def play() -> int:
        state, count = game.new_initial_state(), 0
        while not state.is_terminal():
            actions = state.legal_actions()
            count += not state.is_chance_node()
            state.apply_action(actions[int(rng.random() * len(actions))])
        return count

    with one_core():
        return median_rate(play, budget)


def rlcard_rate(budget: Budget) -> float:
    """Decisions a second of RLCard's gin rummy."""
    import rlcard

    env, rng = rlcard.make("gin-rummy", config={"seed": 1}), np.random.default_rng(1)

    def play() -> int:
        state, _ = env.reset()
        count = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            count += 1
        return count

    with one_core():
        return median_rate(play, budget)


CONTESTANTS: dict[str, Callable[[Budget], float]] = {
    "Scala 40, BatchGame": batch_rate,
    "Scala 40, Game": game_moves_rate,
    "Scala 40, AEC raw": aec_raw_rate,
    "OpenSpiel gin rummy, C++": openspiel_rate,
    "OpenSpiel gin rummy, Python": openspiel_python_rate,
    "RLCard gin rummy": rlcard_rate,
}


def summary(samples: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Return for each contestant its median rate, and how much faster BatchGame is than it."""
    ours = np.array(samples["Scala 40, BatchGame"])
    return [
        {
            "who": name,
            "rate": round(float(np.median(rates))),
            "over": round(float(np.median(ours / np.array(rates))), 2),
        }
        for name, rates in samples.items()
    ]


def plot(rates: dict[str, float], path: Path) -> None:
    """Draw the rates as bars on a logarithmic scale."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 3.2), layout="constrained")
    names = list(rates)[::-1]
    colours = ["#2a6f4e" if name.startswith("Scala") else "#9aa0a6" for name in names]
    bars = axes.barh(names, [rates[name] for name in names], color=colours)
    axes.bar_label(bars, [f"{rates[name]:,.0f}" for name in names], padding=4)
    axes.set_xscale("log")
    axes.set_xlim(right=max(rates.values()) * 6)
    axes.set_xlabel("decisions a second, one core")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure all, print a table, write JSON and plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of work in each repeat")
    arguments = parser.parse_args()
    budget = Budget(1, arguments.seconds)
    samples: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
    for _ in range(arguments.repeats):
        for name, rate in CONTESTANTS.items():
            samples[name].append(rate(budget))
    rows = summary(samples)
    for row in rows:
        print(f"{row['who']:30} {row['rate']:12,.0f} decisions/s   BatchGame: {row['over']:6.1f} x")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "peers.json").write_text(json.dumps(rows, indent=1) + "\n")
    plot({row["who"]: row["rate"] for row in rows}, RESULTS / "peers.png")


if __name__ == "__main__":
    main()
