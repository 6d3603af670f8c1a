"""What the full screen is started with."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from scala40_env.rules import Rules

from ..i18n import N_, _

SPEEDS: Final = {
    N_("instant"): 0.0,
    N_("fast"): 0.3,
    N_("normal"): 0.8,
    N_("slow"): 2.0,
}
"""Seconds between two moves of the agents, by name, from the quickest."""

LEVELS: Final = ("easy", "normal", "hard", "learned")
"""The agents that persons play against, the weakest first."""


def next_speed(speed: str, step: int) -> str:
    """Return the speed some steps slower (or faster, if negative), as far as there is one."""
    names = list(SPEEDS)
    return names[max(0, min(len(names) - 1, names.index(speed) + step))]


class ConfigError(ValueError):
    """A setting that the full screen does not know; the message is one line."""


@dataclass(frozen=True)
class TuiConfig:
    """How to start; with nothing given, the start screen asks.

    Attributes:
        rules: the rules of the match; their number of players gives way to that of `players`.
        players: one name a seat as `Match.new` takes them; with agents only, one watches them.
            None: the start screen asks.
        seed: of the match; None draws one.
        load: a saved match to go on with.
        replay: a file of records to look at.
        line: which match of that file, from 1.
        seat: whose hand is seen when watching or replaying, from 0; None: all hands.
        save: where the first match is kept after every turn, the next ones in files of their own;
            None: no match is kept.
        speed: one of SPEEDS.
        letters: suits as letters, for terminals that lack the symbols.
        light: the light theme.
    """

    rules: Rules = Rules()
    players: tuple[str, ...] | None = None
    seed: int | None = None
    load: str | Path | None = None
    replay: str | Path | None = None
    line: int = 1
    seat: int | None = None
    save: str | Path | None = None
    speed: str = "normal"
    letters: bool = False
    light: bool = False

    def __post_init__(self) -> None:
        if self.speed not in SPEEDS:
            raise ConfigError(
                _("unknown speed {speed!r}; speeds: {known}").format(
                    speed=self.speed, known=", ".join(SPEEDS)
                )
            )

    def with_save(self, path: str | Path) -> TuiConfig:
        """Return the same, with another file to keep the match in."""
        return replace(self, save=path)

    def to_json(self) -> str:
        """Return all this as JSON, for another process; `from_json` inverts it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps({**values, "rules": self.rules.to_dict()}, default=str)

    @classmethod
    def from_json(cls, text: str) -> TuiConfig:
        """Return what `to_json` wrote."""
        values = json.loads(text)
        players = values["players"]
        return cls(
            **{
                **values,
                "rules": Rules.from_dict(values["rules"]),
                "players": None if players is None else tuple(players),
            }
        )
