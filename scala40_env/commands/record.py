"""Let agents play matches and write them to a file, one JSON line a match.

The file is valid at any moment: Ctrl-C keeps all matches that are finished. The same seed gives
the same file.

Examples:
  scala40 record --out matches.jsonl --matches 100 --players random hard --seed 7
  scala40 record --out fisca.jsonl --matches 20 --players hard hard hard --rules fisca --legal
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tyro.conf import arg

from scala40_env.agents import Agent
from scala40_env.commands.options import Players, RulesOptions, Seed, fill_players, load_rules
from scala40_env.commands.progress import track
from scala40_env.game import Game
from scala40_env.play.match import MatchError, is_person, seat_players, winning_seats
from scala40_env.record import RecordWriter
from scala40_env.rules import Rules


@dataclass(frozen=True)
class Options(RulesOptions):
    """What to record."""

    out: Annotated[str, arg(metavar="FILE")] = "matches.jsonl"
    """The file to write; one that is there is replaced."""
    matches: Annotated[int, arg(metavar="N")] = 100
    """How many matches."""
    players: Players = ()
    """Who plays, a name a seat: easy, normal, hard, random, learned, or a checkpoint file."""
    seed: Seed = None
    """Match number i is dealt from SEED + i - 1; the agents' choices follow from it too."""
    legal: bool = False
    """Write the legal moves before each move, too."""
    append: bool = False
    """Keep what the file holds and write behind it."""
    json: bool = False
    """Print the figures as JSON."""


def run(options: Options) -> None:
    """Play the matches and write them."""
    specs = fill_players(options.players, options, "hard")
    if any(map(is_person, specs)):
        raise MatchError("record is for agents; a match of your own is saved by scala40 play")
    if options.matches < 1:
        raise MatchError(f"--matches {options.matches} is not a positive number")
    rules = load_rules(options, len(specs))
    seed = secrets.randbits(32) if options.seed is None else options.seed
    Game(rules, seed)  # wrong seeds and players are found before a file is touched
    Game(rules, seed + options.matches - 1)
    agents = [player.agent for player in seat_players(specs, seed)]
    wins = [0] * len(specs)
    figures: dict[str, Any] = {
        "file": options.out, "seed": seed, "matches": 0, "hands": 0, "wins": wins,
    }  # fmt: skip
    games = _games(rules, agents, seed, options.matches)
    with RecordWriter(options.out, options.append) as writer:
        try:
            for game in track(games, "matches", options.matches):
                writer.write(game.record(specs, options.legal))
                _count(figures, game)
        except KeyboardInterrupt:
            print(f"stopped: {figures['matches']} matches in {options.out}", file=sys.stderr)
            raise
    if options.json:
        print(json.dumps(figures))
    else:
        won = ", ".join(f"{spec} {count}" for spec, count in zip(specs, wins, strict=True))
        print(
            f"{figures['matches']} matches, {figures['hands']} hands in {options.out}"
            f" (seed {seed}; won: {won})"
        )


def _games(rules: Rules, agents: Sequence[Agent | None], seed: int, count: int) -> Iterator[Game]:
    """Yield finished matches."""
    for number in range(count):
        game = Game(rules, seed + number)
        while not game.match_over:
            if game.hand_over:
                game.next_hand()
            else:
                agent = agents[game.player]
                assert agent is not None  # no persons here
                game.push(agent.act(game.view(game.player), game.legal_moves()))
        yield game


def _count(figures: dict[str, Any], game: Game) -> None:
    figures["matches"] += 1
    figures["hands"] += len(game.logs)
    for seat in winning_seats(game):
        figures["wins"][seat] += 1
