"""Show recorded matches, a line a turn, or check a file of records.

Every record is played again and checked as it is read: deals, moves, points, totals, winners, and
the lists of legal moves where it has them.

Examples:
  scala40 replay matches.jsonl                 tell all matches of a file
  scala40 replay matches.jsonl --match 3       only the third
  scala40 replay matches.jsonl --check         only say whether they are right
  scala40 replay matches.jsonl --tui           on the full screen: step, back, speed
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from tyro.conf import Positional, arg

from scala40_env.commands.options import Seat, check_seat
from scala40_env.commands.progress import track
from scala40_env.game import Game
from scala40_env.play.console import make_console, make_words
from scala40_env.play.i18n import _
from scala40_env.play.match import screen_names, who_resigned, winning_seats
from scala40_env.play.story import Story
from scala40_env.record import RecordError, read_records, replay_record


@dataclass(frozen=True)
class Options:
    """What to show."""

    file: Positional[Annotated[str, arg(metavar="FILE")]]
    """A file of records, as `scala40 record` writes them."""
    match: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: all)")] = None
    """Only match number N of the file, from 1."""
    check: bool = False
    """Only check: one line, and exit status 0 if all is right, 2 if not."""
    json: bool = False
    """With --check, print JSON."""
    seat: Seat = None
    """See only what the player on this seat saw, counted from 0."""
    letters: bool = False
    """Write suits as letters (S H D C)."""
    tui: bool = False
    """Show it on the full screen."""


def run(options: Options) -> None:
    """Replay the file."""
    if options.tui:
        from scala40_env.commands.tui import show
        from scala40_env.play.tui.config import TuiConfig

        show(
            TuiConfig(
                replay=options.file,
                line=options.match or 1,
                seat=options.seat,
                letters=options.letters,
            )
        )
    elif options.check:
        _check(options)
    else:
        _tell(options)


def _replays(options: Options) -> Iterator[tuple[int, dict[str, Any], Game]]:
    """Yield (number, record, replayed game) of the matches that are asked for."""
    found = False
    for number, (line, record) in enumerate(read_records(options.file), 1):
        if options.match in (None, number):
            found = True
            try:
                yield number, record, replay_record(record, line)
            except RecordError as error:
                raise RecordError(f"{options.file}: {error}") from error
    if not found:
        which = "no match" if options.match is None else f"no match {options.match}"
        raise RecordError(f"{options.file}: {which} in this file")


def _check(options: Options) -> None:
    figures = {"matches": 0, "hands": 0, "moves": 0}
    for _number, _record, game in track(_replays(options), "matches"):
        figures["matches"] += 1
        figures["hands"] += len(game.logs)
        figures["moves"] += sum(len(log.moves) for log in game.logs)
    if options.json:
        print(json.dumps({"file": options.file, "right": True, **figures}))
    else:
        counts = ", ".join(f"{count} {what}" for what, count in figures.items())
        print(f"{options.file}: right ({counts})")


def _tell(options: Options) -> None:
    console, words = make_console(), make_words(options.letters or None)
    for number, record, game in _replays(options):
        names = screen_names(record["players"])
        title = _("Match {number}: {names}; rules of {preset}").format(
            number=number, names=", ".join(names), preset=game.rules.preset_name
        )
        console.print(title)
        story = Story(console, words, names, game.rules, check_seat(options.seat, game.rules))
        story.match(game, winning_seats(game), who_resigned(record))
        console.print()
