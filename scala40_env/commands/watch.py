"""Watch agents play a match, a line a turn.

Examples:
  scala40 watch                                       two players of the level hard
  scala40 watch --players normal hard --seed 3        the same match every time
  scala40 watch --players easy normal hard --delay 1  slowly, three at the table
  scala40 watch --players hard hard --tui             on the full screen
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from scala40_env.commands.options import (
    Players,
    RulesOptions,
    Seat,
    Seed,
    check_seat,
    fill_players,
    load_rules,
)
from scala40_env.play.console import make_console, make_words
from scala40_env.play.match import Match, MatchError, is_person
from scala40_env.play.story import Story

_LONGEST_DELAY = 3600


@dataclass(frozen=True)
class Options(RulesOptions):
    """What to watch."""

    players: Players = ()
    """Who plays, a name a seat: easy, normal, hard, random, learned, or a checkpoint file."""
    seed: Seed = None
    """Deals and agents follow from it."""
    seat: Seat = None
    """See only what the player on this seat sees, counted from 0."""
    delay: Annotated[float, arg(metavar="SECONDS")] = 0.0
    """Pause after each turn."""
    letters: bool = False
    """Write suits as letters (S H D C)."""
    tui: bool = False
    """Watch on the full screen: step, back, speed."""


def run(options: Options) -> None:
    """Play the match and tell it."""
    if not 0 <= options.delay <= _LONGEST_DELAY:
        raise MatchError(f"--delay {options.delay:g} is not from 0 to {_LONGEST_DELAY} seconds")
    players = fill_players(options.players, options, "hard")
    if any(map(is_person, players)):
        raise MatchError("watch is for agents; to play yourself: scala40 play")
    rules = load_rules(options, len(players))
    if options.tui:
        from scala40_env.commands.tui import show
        from scala40_env.play.tui.config import TuiConfig

        show(
            TuiConfig(
                rules=rules,
                players=tuple(players),
                seed=options.seed,
                seat=options.seat,
                letters=options.letters,
            )
        )
        return
    match = Match.new(rules, players, options.seed)
    words = make_words(options.letters or None)
    story = Story(make_console(), words, match.names, rules, check_seat(options.seat, rules))
    tell(match, story, options.delay)


def tell(match: Match, story: Story, delay: float) -> None:
    """Play a match of agents to its end and tell it as it goes."""
    story.deal(match.game)
    while not match.is_over:
        if match.game.hand_over:
            match.next_hand()
            story.deal(match.game)
        turn = match.agent_turn()
        story.turn(turn)
        time.sleep(delay)
        if match.game.phase == "over":
            story.result(match.chronicle.results[-1])
    story.ending(match.winners)
