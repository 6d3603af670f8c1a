"""Play, watch and replay on a full screen, by keys and pointer.

With no players named, a start screen asks for rules, players and levels.

Examples:
  scala40 tui                                   choose on the start screen
  scala40 tui --players me hard easy --seed 7   three at the table, at once
  scala40 tui --players hard normal             watch them
  scala40 tui --resume                          go on with the last match
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from scala40_env.commands.options import Players, RulesOptions, Seed, load_rules
from scala40_env.play.saves import last_unfinished, new_save_path
from scala40_env.play.tui.config import ConfigError, TuiConfig


@dataclass(frozen=True)
class Options(RulesOptions):
    """How to start."""

    players: Players = ()
    """Who sits on each seat: me or me:NAME is a person; easy, normal, hard or a checkpoint."""
    seed: Seed = None
    """The deals follow from it."""
    resume: bool = False
    """Go on with the last match that is not over."""
    load: Annotated[str | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Go on with the last match of this file."""
    speed: str = "normal"
    """How fast agents move: instant, fast, normal, slow."""
    letters: bool = False
    """Write suits as letters (S H D C)."""
    light: bool = False
    """Begin with the light colours."""


def run(options: Options) -> None:
    """Show the full screen."""
    show(tui_config(options))


def show(config: TuiConfig) -> None:
    """Show the full screen, if this is a terminal (ConfigError if not)."""
    from scala40_env.play.tui.app import run_app

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("the full screen needs a terminal; scala40 play works in a pipe too")
    run_app(config)


def tui_config(options: Options) -> TuiConfig:
    """Return what the full screen is started with."""
    source = last_unfinished() if options.resume else options.load
    return TuiConfig(
        rules=load_rules(options, len(options.players) or None),
        players=options.players or None,
        seed=options.seed,
        load=source,
        save=source if options.resume else new_save_path(),
        speed=options.speed,
        letters=options.letters,
        light=options.light,
    )
