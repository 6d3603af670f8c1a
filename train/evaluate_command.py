"""The verb `evaluate`: its options, and what it prints and writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from math import comb
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from tyro.conf import UseAppendAction, arg

from scala40_env.rules import Rules
from scala40_env.train import evaluate_report as report
from scala40_env.train.evaluate import (
    EvaluationError,
    SequentialTest,
    evaluate,
    run_sequential_test,
    table_lineups,
)
from scala40_env.train.pairings import Progress

_NONE = "(not unless given)"


@dataclass(frozen=True)
class EvaluateConfig:
    """Measure agents against each other."""

    players: Annotated[tuple[str, ...], arg(metavar="A B ...", help_behavior_hint="")] = ()
    """Two or more: easy, normal, hard, random, greedy, learned, or checkpoint files. Two sides meet
    in every pairing; at a table of more, the players fill the seats in turn."""
    pairs: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: 1000)")] = None
    """Mirrored pairs of each pairing; at a table of more, deals, each played in all rotations."""
    rules: Annotated[str, arg(metavar="PRESET|FILE.toml")] = "browser"
    """A preset (browser, fisca, italian) or a TOML file with a [rules] table."""
    set: Annotated[
        UseAppendAction[tuple[tuple[str, ...], ...]],
        arg(metavar="FIELD=VALUE ...", help_behavior_hint="(none by default)"),
    ] = ()
    """Rules to change, for example --set num_players=4 limit=201."""
    seed: Annotated[int, arg(metavar="S")] = 1
    """Number of the evaluation: match seeds begin at S * 2**32."""
    until: Annotated[float | None, arg(metavar="HALF", help_behavior_hint=_NONE)] = None
    """Play until the 95 % intervals of the shares of matches are this narrow to either side (0.01:
    plus or minus one percent); --pairs is then the most that is played (100,000 unless given)."""
    sprt: Annotated[tuple[str, str] | None, arg(metavar="A B", help_behavior_hint=_NONE)] = None
    """Test two players one after another deal, until it is clear whether the first is stronger than
    the second by --elo0 or by --elo1 points on the Elo scale."""
    elo0: float = 0.0
    """The difference that the sequential test takes for no progress."""
    elo1: float = 10.0
    """The difference that it takes for progress."""
    without_luck: bool = False
    """Take the luck of the draws out of the results (control variates: no bias, less scatter)."""
    threads: int = 2
    """Threads for matches between levels."""
    json: Annotated[str | None, arg(metavar="FILE", help_behavior_hint=_NONE)] = None
    """Write the figures as JSON to this file; - for standard output."""
    png: Annotated[str | None, arg(metavar="FILE", help_behavior_hint=_NONE)] = None
    """Write the matrix of matches won as a picture."""
    html: Annotated[str | None, arg(metavar="FILE", help_behavior_hint=_NONE)] = None
    """Write everything as one page of HTML."""


_PAIRS = 1000
_MOST_PAIRS = 100_000  # of a run that ends by itself


def run(config: EvaluateConfig) -> None:
    """Evaluate, print the tables, write the files that were asked for.

    Raises:
        EvaluationError, AgentError, RulesError: wrong options; one line.
        KeyboardInterrupt: after Ctrl-C, when what was played has been printed and written.
    """
    rules = Rules.load_toml(config.rules) if config.rules.endswith(".toml") else None
    rules = rules or Rules.preset(config.rules)
    rules = rules.with_(**Rules.parse_overrides(chain.from_iterable(config.set)))
    console = Console(file=sys.stderr if config.json == "-" else sys.stdout)
    if config.sprt is not None:
        _run_test(config, rules, console)
        return
    pairs = _num_pairs(config)
    with _bar(_num_matches(config, rules, pairs)) as progress:
        evaluation = evaluate(
            config.players,
            pairs,
            rules,
            config.seed,
            until=config.until,
            note_luck=config.without_luck,
            threads=config.threads,
            progress=progress,
        )
    for table in report.rich_tables(evaluation):
        console.print(table)
    for line in report.notes(evaluation):
        console.print(line, highlight=False)
    _write_json(config.json, evaluation.to_dict())
    if config.png is not None:
        report.write_png(evaluation, config.png)
    if config.html is not None:
        Path(config.html).write_text(report.html_page(evaluation), encoding="utf-8")
    if not evaluation.complete:
        raise KeyboardInterrupt


def _num_pairs(config: EvaluateConfig) -> int:
    if config.pairs is not None:
        return config.pairs
    ends_itself = config.until is not None or config.sprt is not None
    return _MOST_PAIRS if ends_itself else _PAIRS


def _num_matches(config: EvaluateConfig, rules: Rules, pairs: int) -> int | None:
    """Return how many matches will be played; None where that is not known beforehand."""
    players = len(config.players)
    if config.until is not None or players < 2:
        return None
    if rules.num_players == 2 or rules.teams != "none":
        return 2 * pairs * comb(players, 2)
    return pairs * len(table_lineups(players, rules.num_players))


@contextmanager
def _bar(total: int | None) -> Iterator[Progress]:
    """Show a progress bar with the rate and the time left, on standard error."""
    console = Console(stderr=True)
    columns = (
        TextColumn("matches"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total, rate="")

        def advance(matches: int) -> None:
            speed = bar.tasks[0].speed
            bar.update(task, advance=matches, rate=f"{speed:,.0f}/s" if speed else "")

        yield advance


def _write_json(where: str | None, figures: dict[str, Any]) -> None:
    if where == "-":
        print(json.dumps(figures))
    elif where is not None:
        Path(where).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _run_test(config: EvaluateConfig, rules: Rules, console: Console) -> None:
    """Run the sequential test of --sprt."""
    assert config.sprt is not None
    if config.players:
        raise EvaluationError("--sprt names its two players itself: leave --players out")
    a, b = config.sprt
    with _bar(None) as progress:
        test = run_sequential_test(
            a,
            b,
            config.elo0,
            config.elo1,
            _num_pairs(config),
            rules,
            config.seed,
            threads=config.threads,
            progress=progress,
        )
    pairing = test.pairing
    console.print(
        f"{pairing.a} against {pairing.b}: {test.answer}"
        f" (log-likelihood ratio {test.ratio:.2f}, bounds -+{test.bound:.2f};"
        f" Elo {config.elo0:g} against {config.elo1:g})",
        highlight=False,
    )
    console.print(
        f"{pairing.num_matches:,} matches, {report.percent(pairing.matches)} won", highlight=False
    )
    _write_json(config.json, _test_figures(config, rules, test))
    if not test.complete:
        raise KeyboardInterrupt


def _test_figures(config: EvaluateConfig, rules: Rules, test: SequentialTest) -> dict[str, Any]:
    return {
        "format": "scala40-evaluation/1",
        "sprt": {
            "answer": test.answer,
            "elo0": config.elo0,
            "elo1": config.elo1,
            "ratio": round(test.ratio, 4),
            "bound": round(test.bound, 4),
        },
        "pairings": [test.pairing.to_dict(rules)],
        "complete": test.complete,
    }
