"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeAlias

from tyro.conf import UseAppendAction, arg

from scala40_env.rules import Rules, RulesError

Seed: TypeAlias = Annotated[
    int | None, arg(metavar="INT", help_behavior_hint="(default: a new one)")
]
Seat: TypeAlias = Annotated[
    int | None, arg(metavar="SEAT", help_behavior_hint="(default: all hands)")
]
Players: TypeAlias = Annotated[tuple[str, ...], arg(metavar="NAME NAME ...", help_behavior_hint="")]


@dataclass(frozen=True)
class RulesOptions:
    """Which rules are played."""

    rules: Annotated[str, arg(metavar="PRESET|FILE.toml")] = "browser"
    """A preset (browser, fisca, italian) or a TOML file with a [rules] table."""
    set: Annotated[
        UseAppendAction[tuple[tuple[str, ...], ...]],
        arg(metavar="FIELD=VALUE ...", help_behavior_hint="(none by default)"),
    ] = ()
    """Rules to change, for example --set limit=201 reshuffles=null. `scala40 rules` lists them."""


def load_rules(options: RulesOptions, num_players: int | None = None) -> Rules:
    """Return the rules that the options ask for.

    Args:
        options: the options.
        num_players: how many players were named; None if they were not.

    Raises:
        RulesError: no such rules, or they do not go with so many players.
    """
    changes = Rules.parse_overrides(chain.from_iterable(options.set))
    rules = named_rules(options.rules).with_(**changes)
    if num_players is None or num_players == rules.num_players:
        return rules
    if "num_players" in changes:
        raise RulesError(f"{num_players} players named, but num_players = {rules.num_players}")
    return rules.with_(num_players=num_players)


def named_rules(name: str) -> Rules:
    """Return the rules of a preset or of a TOML file (RulesError if there are none)."""
    return Rules.load_toml(name) if Path(name).suffix == ".toml" else Rules.preset(name)


def fill_players(players: Sequence[str], rules: RulesOptions, default: str) -> list[str]:
    """Return the names of all seats: those given, or the default on every seat of the rules."""
    return list(players) or [default] * load_rules(rules).num_players


def check_seat(seat: int | None, rules: Rules) -> int | None:
    """Return a seat that the rules have, or None (ValueError for another one)."""
    if seat is not None and not 0 <= seat < rules.num_players:
        raise ValueError(f"--seat {seat} is not in 0..{rules.num_players - 1}")
    return seat
