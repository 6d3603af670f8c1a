"""The generated tables of the README: ``python tests/readme.py`` writes them anew.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``. Measured figures are printed
from the JSON files in ``docs/results``, which the command beside the table writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from scala40_env.actions import describe_space
from scala40_env.bench import MEASURES, figure_text

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RESULTS = ROOT / "docs" / "results"
_PAIRING_HEAD = (
    "first", "second", "matches won", "hands won", "points a hand the second pays more",
)  # fmt: skip
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _share(values: Sequence[float]) -> str:
    middle, low, high = (100 * value for value in values)
    return f"{middle:.1f} % ({low:.1f}-{high:.1f})"


def actions_table() -> str:
    """The action space."""
    rows = [(ids, str(count), meaning) for ids, count, meaning in describe_space()]
    return _markdown(("ids", "number", "meaning"), rows)


def levels_table() -> str:
    """The pairings of the levels."""
    return _markdown(_PAIRING_HEAD, _pairings("levels"))


def learned_table() -> str:
    """The learned player against the levels: its best moves, then moves drawn from its policy."""
    names = (f"learned-{name}" for name in ("hard", "normal", "easy", "sharp", "drawn"))
    return _markdown(_PAIRING_HEAD, chain.from_iterable(map(_pairings, names)))


def _pairings(name: str) -> list[tuple[str, ...]]:
    return [_pairing(row) for row in json.loads((RESULTS / f"{name}.json").read_text())["pairings"]]


def _pairing(row: dict[str, Any]) -> tuple[str, ...]:
    middle, low, high = row["difference"]
    points = f"{middle:+.1f} ({low:+.1f} to {high:+.1f})"
    return row["a"], row["b"], _share(row["matches"]), _share(row["hands"]), points


def speed_table() -> str:
    """Our own figures, as ``scala40 bench --json`` wrote them."""
    figures = json.loads((RESULTS / "speed.json").read_text())
    rows = [(MEASURES[row["what"]].note, figure_text(row["value"]), row["unit"]) for row in figures]
    return _markdown(("what", "figure", "unit"), rows)


def peers_table() -> str:
    """Our own rates beside those of others."""
    rows = [
        (row["who"], f"{row['rate']:,}", f"{row['over']:.1f} x")
        for row in json.loads((RESULTS / "peers.json").read_text())
    ]
    return _markdown(("random play on one core", "decisions/s", "`BatchGame` is"), rows)


TABLES = {
    "actions": actions_table,
    "levels": levels_table,
    "learned": learned_table,
    "speed": speed_table,
    "peers": peers_table,
}


def with_tables(text: str) -> str:
    """Return the README with all tables printed anew."""
    return _TABLE.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text()))
