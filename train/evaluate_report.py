"""What an evaluation shows and leaves: tables for the screen, a picture, one page of HTML."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from scala40_env.rules import Rules
from scala40_env.train.evaluate import Evaluation
from scala40_env.train.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = list[tuple[str, list[str], list[list[str]]]]
"""Tables as text: title, heads, rows."""


def percent(interval: Interval) -> str:
    """Return a share as `61.2 % (60.7-61.8)`."""
    mean, low, high = (100 * x for x in interval)
    return f"{mean:.1f} % ({low:.1f}-{high:.1f})"


def _both(figures: tuple[float, float], scale: float = 1.0, digits: int = 1) -> str:
    return " / ".join(f"{scale * x:.{digits}f}" for x in figures)


def tables(evaluation: Evaluation) -> Rows:
    """Return all figures of an evaluation as tables of text."""
    result = [_results_table(evaluation), _details_table(evaluation)]
    if evaluation.standings:
        result.append(_standings_table(evaluation))
    return [*result, _ratings_table(evaluation)]


def _results_table(evaluation: Evaluation) -> tuple[str, list[str], list[list[str]]]:
    unit = "pairs" if _is_mirrored(evaluation) else "deals"
    heads = ["a / b", unit, "matches won by a", "hands won by a", "b pays more"]
    rows = []
    for p in evaluation.pairings:
        more = f"{p.difference.mean:+.2f} ({p.difference.low:+.2f}..{p.difference.high:+.2f})"
        rows.append([f"{p.a} / {p.b}", f"{p.groups:,}", percent(p.matches), percent(p.hands), more])
    return f"Results, 95 % intervals from the {unit}", heads, rows


def _details_table(evaluation: Evaluation) -> tuple[str, list[str], list[list[str]]]:
    heads = [
        "a / b",
        "points",
        "in hand %",
        "never opened %",
        "turns",
        "void %",
        "cut short %",
        "matches",
        "hands",
    ]
    rows = [
        [
            f"{p.a} / {p.b}",
            _both(p.points, digits=2),
            _both(p.in_hand, 100, 2),
            _both(p.never_opened, 100),
            f"{p.turns:.1f}",
            f"{100 * p.void:.2f}",
            f"{100 * p.cut_short:.2f}",
            f"{p.num_matches:,}",
            f"{p.num_hands:,}",
        ]
        for p in evaluation.pairings
    ]
    return "A hand of a / b: points paid, closed in hand, never opened", heads, rows


def _standings_table(evaluation: Evaluation) -> tuple[str, list[str], list[list[str]]]:
    rows = [
        [s.name, percent(s.wins), f"{s.place.mean:.3f} ({s.place.low:.3f}-{s.place.high:.3f})"]
        for s in evaluation.standings
    ]
    return "At the table", ["player", "matches won, by seat", "mean finishing place"], rows


def _ratings_table(evaluation: Evaluation) -> tuple[str, list[str], list[list[str]]]:
    digits = 0 if _is_mirrored(evaluation) else 1
    rated = zip(evaluation.players, evaluation.labels, evaluation.ratings, strict=True)
    rows = [
        [name, label, f"{r.mean:+.{digits}f}", f"{r.low:+.{digits}f}..{r.high:+.{digits}f}"]
        for name, label, r in sorted(rated, key=lambda row: -row[2].mean)
    ]
    return f"Ratings, {evaluation.rating_system}", ["player", "version", "rating", "95 %"], rows


def _is_mirrored(evaluation: Evaluation) -> bool:
    return not evaluation.standings


def notes(evaluation: Evaluation) -> list[str]:
    """Return the lines that stand below the tables: rules, seeds, what else one must know."""
    last = max(pairing.seeds[1] for pairing in evaluation.pairings)
    lines = [
        f"rules {rules_text(evaluation.rules)}",
        f"match seeds {evaluation.pairings[0].seeds[0]}..{last} (--seed {evaluation.seed}),"
        f" {evaluation.seconds:.1f} s",
    ]
    factors = [pairing.shrinkage for pairing in evaluation.pairings if pairing.shrinkage]
    for factor in factors:
        a, b, c = factor
        lines.append(
            "the luck of the draws is taken out: intervals narrower by"
            f" {a:.2f} (matches), {b:.2f} (hands), {c:.2f} (points)"
        )
    if not evaluation.complete:
        lines.append("stopped before all was played")
    return lines


def rules_text(rules: Rules) -> str:
    """Return rules as a preset and what differs from it."""
    preset = Rules.preset(str(rules.preset_name))
    changes = [
        f"{name}={value}"
        for name, value in rules.to_dict().items()
        if name != "preset" and value != getattr(preset, name)
    ]
    return " ".join([str(rules.preset_name), *changes])


def rich_tables(evaluation: Evaluation) -> list[Table]:
    """Return the tables for the terminal."""
    made = []
    for title, heads, rows in tables(evaluation):
        table = Table(title=title, title_justify="left")
        for k, head in enumerate(heads):
            table.add_column(head, justify="left" if k == 0 else "right", overflow="fold")
        for row in rows:
            table.add_row(*row)
        made.append(table)
    return made


def draw_matrix(evaluation: Evaluation) -> Figure:
    """Draw who wins against whom: the share of matches that the row won against the column."""
    import numpy as np
    from matplotlib.figure import Figure

    names = evaluation.players
    shares = np.full((len(names), len(names)), np.nan)
    texts = [["" for _ in names] for _ in names]
    for pairing in evaluation.pairings:
        a, b = names.index(pairing.a), names.index(pairing.b)
        for i, j, mean in ((a, b, pairing.matches.mean), (b, a, 1 - pairing.matches.mean)):
            shares[i, j] = mean
            texts[i][j] = f"{100 * mean:.1f} %\n\u00b1{100 * pairing.matches.half_width:.1f}"
    size = 2.6 + 1.1 * len(names)
    figure = Figure(figsize=(size + 0.8, size), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(100 * shares, vmin=0, vmax=100, cmap="RdYlGn")
    labels = [label.replace(" (", "\n(") for label in evaluation.labels]
    axes.set_xticks(range(len(names)), labels, rotation=30, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), labels, fontsize=8)
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            axes.text(j, i, text, ha="center", va="center", fontsize=9)
    axes.set_title(f"matches won by the row, {rules_text(evaluation.rules)}", fontsize=9)
    figure.colorbar(image, ax=axes, label="%", shrink=0.8)
    return figure


def write_png(evaluation: Evaluation, path: str | Path) -> None:
    """Write the picture of who wins against whom."""
    draw_matrix(evaluation).savefig(path, dpi=120)


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
table { border-collapse: collapse; margin: 0 0 1.5rem }
caption { text-align: left; font-weight: 600; padding: .5rem 0 }
th, td { border: 1px solid #ccc; padding: .3rem .6rem; text-align: right }
th:first-child, td:first-child { text-align: left }
img { max-width: 100% }
"""


def html_page(evaluation: Evaluation) -> str:
    """Return one page that holds everything, the picture included."""
    buffer = io.BytesIO()
    draw_matrix(evaluation).savefig(buffer, format="png", dpi=120)
    picture = base64.b64encode(buffer.getvalue()).decode()
    parts = [_html_table(*table) for table in tables(evaluation)]
    lines = "".join(f"<li>{escape(line)}</li>" for line in notes(evaluation))
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Scala 40 evaluation</title><style>{_STYLE}</style></head><body>"
        f"<h1>Scala 40: {escape(', '.join(evaluation.players))}</h1>"
        f"{''.join(parts)}<ul>{lines}</ul>"
        f"<img alt='matches won, row against column' src='data:image/png;base64,{picture}'>"
        "</body></html>\n"
    )


def _html_table(title: str, heads: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(x)}</th>" for x in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(x)}</td>" for x in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>"
