"""The example for sb3-contrib learns: a short run, on the environment as anybody would make it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="needs sb3-contrib: pip install -e '.[sb3]'")

EXAMPLE = Path(__file__).parents[1] / "docs" / "maskable_ppo.py"


def test_maskable_ppo_learns_to_beat_random():
    """12,288 steps win about three hands of four, an untaught network wins about half."""
    example = runpy.run_path(str(EXAMPLE))
    config = example["Config"](steps=12_288, hands=300)
    model = example["new_learner"](config)
    before = example["share_won"](example["play_hands"](model, config))
    model.learn(config.steps)
    after = example["share_won"](example["play_hands"](model, config))
    assert after.low > max(0.6, before.high), (before, after)
