"""Train a player by playing against itself and the computer levels, then measure it.

A run has a folder: checkpoint, config, log, learning curve, and the table of results. Ctrl-C stops
it in good order; --resume goes on. --config names a file of settings, quick, full or your own
*.toml; the other options change single settings.

Examples:
  scala40 train --config quick                     about five minutes
  scala40 train --config full                      hours more, from the player of the quick run
  scala40 train --config full --start mine.npz     ... or from another one
  scala40 train --resume runs/full                 go on with a run
  scala40 play --opponent runs/quick/best.npz      play against the result
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated

from tyro.conf import arg

from scala40_env.train.config import TrainConfig, load_config


@dataclass(frozen=True)
class Options(TrainConfig):
    """What to train."""

    config: Annotated[str, arg(metavar="NAME|FILE.toml")] = "quick"
    """Settings to start from: quick, full, or a TOML file."""
    resume: Annotated[str | None, arg(metavar="FOLDER", help_behavior_hint="")] = None
    """Go on with the run in this folder; its own settings count."""


def default_options(words: Sequence[str]) -> Options:
    """Return the settings of the config that is named, which the other options change."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", nargs="?", default=Options.config)
    named, _rest = parser.parse_known_args(list(words))
    name = named.config or Options.config
    return Options(**load_config(name).to_dict(), config=name)


def run(options: Options) -> None:
    """Train."""
    from scala40_env.train.ppo import run as train

    settings = {field.name: getattr(options, field.name) for field in fields(TrainConfig)}
    train(TrainConfig(**settings), options.resume)
