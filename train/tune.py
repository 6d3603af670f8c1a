"""Search better figures for a level: CMA-ES on points a hand, at the speed of the engine.

Every generation plays its candidates on the same fresh mirrored deals against a pool (by default
the normal level and the figures that the search began with). What it leaves after every generation:
``best.toml``, the middle of the search as a level that ``make_agent`` loads; ``log.jsonl``;
``curve.png``. At the end the result meets the figures it began with on other deals.

A level that is changed needs a new version, and its tables run again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from scala40_env.agents.arena import Matches, play_matches
from scala40_env.agents.base import Agent, AgentError
from scala40_env.agents.levels import Level, LevelAgent, load_level
from scala40_env.agents.registry import make_agent
from scala40_env.rules import Rules
from scala40_env.train.evaluate import SEEDS_A_RUN, evaluate
from scala40_env.train.evaluate_report import percent

Floats = NDArray[np.float64]

_FIRST_SEED: Final = 1 << 52  # far from those of training, selection and tests
_CHECK_SEED: Final = (_FIRST_SEED >> 32) + (1 << 10)  # as a number of an evaluation
_LEAST_SCALE: Final = 0.1  # a figure that begins near zero moves by this


@dataclass(frozen=True)
class TuneConfig:
    """Search better figures for a computer level."""

    level: str = "hard"
    """The level whose figures are searched."""
    against: tuple[str, ...] = ("normal",)
    """The pool of opponents, besides the figures that the search begins with."""
    fixed: tuple[str, ...] = ("plan_card", "plan_point", "plan_joker", "last_jokers", "near_end")
    """Figures that stay as they are."""
    rules: str = "browser"
    """A preset."""
    minutes: float = 15.0
    """How long to search."""
    pairs: int = 300
    """Mirrored pairs of each candidate against each opponent, a generation."""
    step: float = 0.3
    """How far the first candidates lie from the figures, as a part of their size."""
    seed: int = 1
    """Deals and candidates follow from it."""
    threads: int = 2
    """Threads that play."""
    check_pairs: int = 1000
    """Pairs of the last check."""
    folder: str = "runs/tune"
    """Where to write."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class Generation:
    """A line of the log: what a generation of candidates gained a hand, in points."""

    number: int
    minutes: float
    mean: float
    best: float
    middle: float


class Search:
    """The figures of a level as a point that CMA-ES moves, in units of their first size."""

    def __init__(self, config: TuneConfig) -> None:
        import cma

        self.config = config
        self.start = load_level(config.level)
        self.names = [name for name in self.start.parameters if name not in config.fixed]
        if not self.names:
            raise AgentError(f"level {config.level!r} has no figures to tune")
        self.rules = Rules.preset(config.rules)
        self.pool: list[Agent] = [make_agent(name) for name in config.against]
        self.pool.append(LevelAgent(self.start))
        first = np.array([self.start.parameters[name] for name in self.names])
        self.scale = np.maximum(np.abs(first), _LEAST_SCALE)
        least = [0.0 if figure >= 0 else None for figure in first]  # no figure changes its sign
        most = [None if figure >= 0 else 0.0 for figure in first]
        options = {"seed": config.seed, "verbose": -9, "bounds": [least, most]}
        self.strategy = cma.CMAEvolutionStrategy(first / self.scale, config.step, options)
        self.log: list[Generation] = []

    def level(self, point: Floats) -> Level:
        """Return the level at a point, under the next version."""
        moved = dict(zip(self.names, (point * self.scale).tolist(), strict=True))
        figures = {
            name: round(moved[name], 4) if name in moved else value
            for name, value in self.start.parameters.items()
        }
        return replace(self.start, version=self.start.version + 1, parameters=figures)

    def middle(self) -> Level:
        """Return the level in the middle of the search: what it believes to be best."""
        return self.level(np.asarray(self.strategy.result.xfavorite))

    def run_generation(self, began: float) -> None:
        """Play one generation of candidates and move on."""
        points = self.strategy.ask()
        levels = [*map(self.level, points), self.middle()]
        gains = play_candidates(levels, self.pool, self.rules, self.config, len(self.log))
        self.strategy.tell(points, (-gains[:-1]).tolist())
        minutes = (time.monotonic() - began) / 60
        mean, best, middle = gains[:-1].mean(), gains[:-1].max(), gains[-1]
        self.log.append(Generation(len(self.log), minutes, float(mean), float(best), float(middle)))


def play_candidates(
    levels: Sequence[Level],
    pool: Sequence[Agent],
    rules: Rules,
    config: TuneConfig,
    generation: int,
) -> Floats:
    """Return what each level gains a hand, in points, against the pool on the same deals.

    Returns:
        float64[len(levels)], the mean over the pool.
    """
    players = [*(LevelAgent(level) for level in levels), *pool]
    pairings = [(i, len(levels) + j) for i in range(len(levels)) for j in range(len(pool))]
    mirrored = np.array([side for a, b in pairings for side in ((a, b), (b, a))])
    first = _FIRST_SEED + config.seed * SEEDS_A_RUN + generation * config.pairs
    seeds = np.arange(first, first + config.pairs, dtype=np.uint64)
    matches = play_matches(
        players,
        rules,
        np.tile(np.repeat(seeds, 2), len(pairings)),
        np.concatenate([np.tile(rows, (config.pairs, 1)) for rows in mirrored.reshape(-1, 2, 2)]),
        key=first,
        threads=config.threads,
    )
    return _gains(matches, len(levels))


def _gains(matches: Matches, count: int) -> Floats:
    """Return how many points a hand less than the other each of ``count`` players paid."""
    points = matches.column("points")
    gained = points[:, 1] - points[:, 0]
    candidate = matches.lineups.min(axis=1)
    gained = np.where(matches.lineups[:, 0] == candidate, gained, -gained)
    total = np.bincount(candidate, gained, count)
    return np.asarray(total / np.bincount(candidate, matches.hands, count))


def level_text(level: Level) -> str:
    """Return a level as the TOML text that ``load_level_file`` reads."""
    figures = "".join(f"{name} = {value}\n" for name, value in level.parameters.items())
    return f"[{level.name}]\nversion = {level.version}\n{figures}"


def draw_curve(log: Sequence[Generation], path: Path) -> None:
    """Draw what the generations gained."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    x = [row.number for row in log]
    for name in ("best", "mean", "middle"):
        axes.plot(x, [getattr(row, name) for row in log], label=name, linewidth=1)
    size = max(len(log) // 8, 1)
    smooth = np.convolve([row.middle for row in log], np.ones(size) / size, mode="valid")
    axes.plot(x[size - 1 :], smooth, label=f"middle, mean of {size}", color="black")
    axes.set(xlabel="generation", ylabel="points a hand gained on the pool")
    axes.legend()
    figure.savefig(path, dpi=120)


def run(config: TuneConfig) -> None:
    """Search, leave the files, print how the result does against the figures it began with.

    Raises:
        AgentError, RulesError: wrong options; one line.
        KeyboardInterrupt: after Ctrl-C; the files hold what was found.
    """
    search, folder = Search(config), Path(config.folder)
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True)
    columns = (TextColumn("tuning"), BarColumn(), TextColumn("{task.fields[figures]}"))
    began = time.monotonic()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=config.minutes, figures="")
        while not search.log or search.log[-1].minutes < config.minutes:
            search.run_generation(began)
            _write(search, folder)
            row = search.log[-1]
            figures = f"generation {row.number}, {row.middle:+.2f} points a hand"
            bar.update(task, completed=row.minutes, figures=figures)
    _print_check(search, folder)


def _write(search: Search, folder: Path) -> None:
    text = level_text(search.middle())
    (folder / "best.toml").write_text(text, encoding="utf-8")
    rows = "".join(json.dumps(vars(row)) + "\n" for row in search.log)
    (folder / "log.jsonl").write_text(rows, encoding="utf-8")
    draw_curve(search.log, folder / "curve.png")


def _print_check(search: Search, folder: Path) -> None:
    """Let the result meet the figures that the search began with, on deals it has not seen."""
    config, found = search.config, search.middle()
    players = [LevelAgent(found), LevelAgent(search.start)]
    seed = _CHECK_SEED + config.seed
    result = evaluate(players, config.check_pairs, search.rules, seed, threads=config.threads)
    pairing = result.pairings[0]
    if config.json:
        figures: Mapping[str, Any] = {
            "file": str(folder / "best.toml"),
            "generations": len(search.log),
            "parameters": dict(found.parameters),
            "check": pairing.to_dict(search.rules),
        }
        print(json.dumps(figures))
        return
    print(
        f"{folder / 'best.toml'} after {len(search.log)} generations, against the figures before:"
        f" {percent(pairing.matches)} of matches, {percent(pairing.hands)} of hands"
        f" ({pairing.groups} pairs)"
    )
