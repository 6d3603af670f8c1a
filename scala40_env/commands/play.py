"""Play a match in a text prompt: against the computer, or several people on one machine.

In the prompt: s draws, p takes the discard, m 7s 7h 7d lays a meld, a 8s 2 adds to meld 2, x kd
discards, u takes back, h gives a hint, ? shows all commands. The match is saved after every move.

Examples:
  scala40 play                                  against the level hard
  scala40 play --opponent easy --seed 7         always the same deals
  scala40 play --players me hard easy           three at the table
  scala40 play --players me:Anna me:Bruno hard  two people and the computer
  scala40 play --rules italian --set limit=201  other rules
  scala40 play --resume                         go on with the last match
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from scala40_env.commands.options import Players, RulesOptions, Seed, load_rules
from scala40_env.play.console import make_console, make_words
from scala40_env.play.match import PERSON, Match, MatchError
from scala40_env.play.prompt import Prompt
from scala40_env.play.saves import Autosave, last_unfinished


@dataclass(frozen=True)
class Options(RulesOptions):
    """How to play."""

    opponent: Annotated[str, arg(metavar="LEVEL|CHECKPOINT")] = "hard"
    """Who plays against you: easy, normal, hard, learned, or a checkpoint file."""
    players: Players = ()
    """Instead: who sits on each seat. me or me:NAME is a person, the others as --opponent."""
    seed: Seed = None
    """The deals follow from it."""
    resume: bool = False
    """Go on with the last match that is not over."""
    load: Annotated[str | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Go on with the last match of this file."""
    save: Annotated[
        str | None, arg(metavar="FILE", help_behavior_hint="(default: a new file in your home)")
    ] = None
    """Where to keep the match."""
    letters: bool = False
    """Write suits as letters (S H D C)."""


def run(options: Options) -> int:
    """Play at the prompt."""
    match, path = open_match(options)
    if not match.persons:
        raise MatchError(f"no seat is a person's: name one {PERSON!r}, or use scala40 watch")
    match.warm_up()
    words = make_words(options.letters or None)
    return Prompt(match, Autosave(path), make_console(), words).run()


def open_match(options: Options) -> tuple[Match, Path | None]:
    """Return the match that the options ask for, and the file to keep it in."""
    match, path = _match(options)
    if options.save is not None:
        path = Path(options.save)
        if path.exists():
            raise MatchError(f"{options.save!r} exists; to go on with it: --load {options.save}")
        match.save(path)  # what cannot be written is better known now
    return match, path


def _match(options: Options) -> tuple[Match, Path | None]:
    if options.resume:
        path = last_unfinished()
        return Match.load(path, options.players or None), path
    if options.load is not None:
        return Match.load(options.load, options.players or None), None
    rules = load_rules(options, len(options.players) or None)
    players = options.players or (PERSON, *[options.opponent] * (rules.num_players - 1))
    return Match.new(rules, players, options.seed), None
