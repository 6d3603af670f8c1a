"""The golden games come out as they were written: ids, masks, observations and deals are the same.

Where a change is meant, ``python tests/playthrough.py`` writes them anew; say so in CHANGELOG.md.
"""

from __future__ import annotations

from playthrough import GOLDEN, transcript


def test_golden_games_come_out_the_same():
    # Line by line, so that a failure shows the first decision that differs.
    written = GOLDEN.read_text(encoding="utf-8").splitlines()
    for number, (now, before) in enumerate(zip(transcript().splitlines(), written, strict=True), 1):
        assert now == before, f"line {number} of {GOLDEN.name}"


def test_golden_games_reach_what_they_guard():
    text = GOLDEN.read_text(encoding="utf-8")
    for word in ("draw", "take", "meld", "discard", "add", "swap", "hand over"):
        assert word in text, word
