"""Where the rules' data lie: a folder ``shared`` beside the repository, which may be missing.

The records and positions belong to the rules, not to this project, so they are read where they are
and never copied. Without them the tests that need them are skipped, and say so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
RULES = SHARED / "rules"
RECORDS = RULES / "records"


def require(path: Path) -> Path:
    """The path itself; a test that asks for one that is missing is skipped with the reason."""
    if not path.exists():
        pytest.skip(
            f"NOT CHECKED AGAINST THE SHARED DATA: {path.relative_to(ROOT.parent)} is missing "
            "beside the repository",
            allow_module_level=True,
        )
    return path


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file, or a skipped test where there is no such file."""
    with require(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def positions() -> list[dict[str, Any]]:
    """Single positions with their legal moves."""
    return json_lines(RULES / "positions.jsonl")


def cases() -> list[dict[str, Any]]:
    """The worked cases."""
    return json_lines(RULES / "cases.jsonl")


def record_files() -> list[Path]:
    """The files of whole matches; empty where the data are missing (no skip: for parametrize)."""
    return sorted(RECORDS.glob("*.jsonl"))


def records(path: Path) -> list[dict[str, Any]]:
    """The matches of one file."""
    return json_lines(path)
