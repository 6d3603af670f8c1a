"""Print rules as a table, their differences, advice for players, or the action space.

Examples:
  scala40 rules                              the rules of the browser game
  scala40 rules fisca --set limit=201        those of the federation, up to 201
  scala40 rules --diff browser fisca         where they differ
  scala40 rules --tips                       how to play well
  scala40 rules --actions                    what the ids of the action space mean
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

from rich.table import Table
from tyro.conf import Positional, UseAppendAction, arg

from scala40_env.actions import NUM_ACTIONS, describe_space
from scala40_env.commands.options import RulesOptions, load_rules, named_rules
from scala40_env.play.console import PipeConsole
from scala40_env.play.tips import TIPS
from scala40_env.rules import diff, rules_table, value_text


@dataclass(frozen=True)
class Options:
    """What to print."""

    name: Positional[Annotated[str, arg(metavar="[PRESET|FILE.toml]")]] = "browser"
    """A preset (browser, fisca, italian) or a TOML file with a [rules] table."""
    set: Annotated[
        UseAppendAction[tuple[tuple[str, ...], ...]],
        arg(metavar="FIELD=VALUE ...", help_behavior_hint="(none by default)"),
    ] = ()
    """Rules to change, for example --set limit=201 reshuffles=null."""
    diff: Annotated[
        tuple[str, str] | None, arg(metavar="A B", help_behavior_hint="(presets or files)")
    ] = None
    """Print only the rules in which two sets differ."""
    tips: bool = False
    """Print advice for players."""
    actions: bool = False
    """Print the action space."""
    json: bool = False
    """Print JSON."""


def run(options: Options) -> None:
    """Print what was asked for."""
    if options.tips:
        _show_tips(options.json)
    elif options.actions:
        _show_actions(options.json)
    elif options.diff is not None:
        _show_diff(*options.diff, options.json)
    else:
        _show_rules(options)


def _show_rules(options: Options) -> None:
    rules = load_rules(RulesOptions(options.name, options.set))
    if options.json:
        _print_json(rules.to_dict())
        return
    table = _table("rule", "value", "meaning; allowed values")
    for name, value, explanation in rules_table(rules):
        table.add_row(name, value, f"{explanation} [dim]({rules.SPECS[name].allowed_text()})[/]")
    PipeConsole().print(table)


def _show_diff(a: str, b: str, as_json: bool) -> None:
    different = diff(named_rules(a), named_rules(b))
    if as_json:
        _print_json(different)
        return
    table = _table("rule", a, b, "meaning")
    for name, (one, other) in different.items():
        explanation = named_rules(a).SPECS[name].explanation
        table.add_row(name, value_text(one), value_text(other), explanation)
    PipeConsole().print(table)


def _show_tips(as_json: bool) -> None:
    if as_json:
        _print_json(list(TIPS.values()))
        return
    table = Table.grid(padding=(0, 1))
    for tip in TIPS.values():
        table.add_row("•", tip)
    PipeConsole().print(table)


def _show_actions(as_json: bool) -> None:
    rows = describe_space()
    if as_json:
        _print_json([{"ids": ids, "count": count, "meaning": text} for ids, count, text in rows])
        return
    table = _table("ids", "count", "meaning")
    for ids, count, meaning in rows:
        table.add_row(ids, str(count), meaning)
    PipeConsole().print(table)
    print(f"{NUM_ACTIONS} actions")


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 1))
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1])
    return table


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False))
