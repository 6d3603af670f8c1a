"""The examples of ``docs/rules.md`` come out as written, in the engine and in the reference.

An example is a JSON block: a ``position`` (or a ``deal``), moves that are legal one after another,
and ``results``: what comes out under other ``rules`` or in a changed ``position``. The results of
an example must differ from each other, so that none can hold for the wrong reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import reference as ref

from scala40_env.cards import card_text
from scala40_env.game import Game
from scala40_env.melds import meld_text
from scala40_env.position import PositionError
from scala40_env.rules import PRESETS, Rules, RulesError, value_text

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"

LEGAL_KEYS = {"legal", "not_legal", "only"}
SETTING_KEYS = {"rules", "position", "moves"}


@dataclass
class Section:
    """One section of the page: its title, its text and its examples."""

    title: str
    text: str

    @property
    def examples(self) -> list[dict[str, Any]]:
        blocks = re.findall(r"^```json\n(.*?)^```", self.text, re.DOTALL | re.MULTILINE)
        return [json.loads(block) for block in blocks]

    @property
    def parameter(self) -> str | None:
        """The parameter that the section is about, if it is about one."""
        name = re.fullmatch(r"`(\w+)`", self.title)
        return name[1] if name else None


def sections() -> list[Section]:
    parts = re.split(r"^### (.*)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = (re.split(r"^## ", text, flags=re.MULTILINE)[0] for text in parts[2::2])
    return [Section(*pair) for pair in zip(parts[1::2], texts, strict=True)]


SECTIONS = sections()
PARAMETERS = {section.parameter: section for section in SECTIONS if section.parameter}
EXAMPLES = [
    pytest.param(section, example, id=f"{section.title.strip('`')} {number}".replace(" ", "-"))
    for section in SECTIONS
    for number, example in enumerate(section.examples, 1)
]


def setting(example: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """The position (or deal) of one result of an example."""
    kind = "deal" if "deal" in example else "position"
    changed = {**example[kind], **result.get("position", {})}
    changed["rules"] = {**changed.get("rules", {}), **result.get("rules", {})}
    if changed.get("pile") == "rest":
        used = [card for hand in changed["hands"] for card in hand] + changed["stock"]
        used += [ref.hand_card(card) for meld in changed.get("table", []) for card in meld.split()]
        changed["pile"] = sorted((Counter(ref.DECK) - Counter(used)).elements())
    return changed


def moves_of(example: dict[str, Any], result: dict[str, Any]) -> list[str]:
    return [*example.get("moves", []), *result.get("moves", [])]


def by_the_engine(example: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """All that can be expected, by the engine; or that the position or a move is refused."""
    try:
        start = setting(example, result)
        if "deal" in example:
            game = Game(Rules.from_dict(start["rules"]), start["seed"], start["dealer"])
        else:
            game = Game.from_position(start)
    except PositionError:
        return {"refused": True}
    for move in moves_of(example, result):
        if move not in game.legal_texts():
            return {"illegal": move}
        game.push(move)
    after = game.clone()
    if after.hand_over:
        after.next_hand()
    return {
        "legal moves": sorted(game.legal_texts()),
        "table": [meld_text(meld) for meld in game.table],
        "pile_top": None if game.pile_top is None else card_text(game.pile_top),
        "stock_size": game.stock_size,
        "hand_sizes": game.hand_sizes,
        "phase": game.phase,
        "player": game.player,
        "next_dealer": after.dealer if game.phase == "over" and not game.match_over else None,
        "points": game.points,
        "in_match": None if game.match_over else game.in_match,
        **{name: getattr(game, name) for name in SAME_NAME},
    }


SAME_NAME = ("opened", "recovered", "reshuffles", "closer", "closed_in_hand", "totals",
             "reentries", "winner", "truncated", "match_over")  # fmt: skip


def by_the_reference(example: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """The same by the reference."""
    start = setting(example, result)
    state = ref.from_position({"dealer": len(start["hands"]) - 1, **start})
    if not all(ref.valid_meld(meld, state.rules) for meld in state.table):
        return {"refused": True}
    for move in moves_of(example, result):
        if move not in ref.legal_moves(state):
            return {"illegal": move}
        ref.apply(state, move, restock=lambda cards: cards)
    goes_on = state.phase == "over" and not state.match_over
    return {
        "legal moves": ref.legal_moves(state),
        "table": state.table,
        "pile_top": state.pile[-1] if state.pile else None,
        "stock_size": len(state.stock),
        "hand_sizes": [hand.total() for hand in state.hands],
        "phase": state.phase,
        "player": state.player,
        "next_dealer": state.dealer if goes_on else None,
        "points": state.hand_points,
        "in_match": None if state.match_over else state.seats_in,
        **{name: getattr(state, name) for name in SAME_NAME},
    }


def check(outcome: dict[str, Any], result: dict[str, Any]) -> None:
    """Compare what came out with what a result says."""
    expected = set(result) - SETTING_KEYS
    assert expected, "a result that expects nothing"
    moves = set(outcome.get("legal moves", []))
    assert moves >= set(result.get("legal", [])), outcome
    assert not moves & set(result.get("not_legal", [])), outcome
    if "only" in result:
        assert moves == set(result["only"]), outcome
    for key in expected - LEGAL_KEYS:
        assert outcome.get(key) == result[key], (key, outcome)


@pytest.mark.parametrize("section, example", EXAMPLES)
def test_example(section, example):
    outcomes = [by_the_engine(example, result) for result in example["results"]]
    for outcome, result in zip(outcomes, example["results"], strict=True):
        check(outcome, result)
        if "deal" not in example:
            assert by_the_reference(example, result) == outcome
    for one, other in combinations(outcomes, 2):
        assert one != other, "two results that are the same show nothing"


def test_every_parameter_has_one_section():
    assert sorted(PARAMETERS) == sorted(Rules.FIELDS)
    assert len(SECTIONS) == len({section.title for section in SECTIONS})


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_section_has_a_source_and_an_example(section):
    assert section.examples
    assert len(re.findall(r"^- Source: .+", section.text, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", Rules.FIELDS)
def test_values_and_presets_are_those_of_the_rules(name):
    presets = ", ".join(f"{key} `{value_text(getattr(r, name))}`" for key, r in PRESETS.items())
    line = f"- Values: `{Rules.SPECS[name].allowed_text()}`; {presets}."
    assert line in PARAMETERS[name].text, line


@pytest.mark.parametrize("name", Rules.FIELDS)
def test_the_examples_of_a_parameter_tell_all_its_values_apart(name):
    spec = Rules.SPECS[name]
    results = [(e, r) for e in PARAMETERS[name].examples for r in e["results"]]
    assert all(set(r.get("rules", {})) <= {name} for _, r in results)
    shown = {Rules.from_dict(setting(e, r)["rules"]).to_dict()[name]: (e, r) for e, r in results}
    assert len(shown) > 1
    assert set(shown) >= set(spec.allowed) or isinstance(spec.allowed, range)
    assert None in shown or not spec.nullable
    for one, other in combinations(shown, 2):
        assert tells_apart(results, name, one, other), (one, other)


def tells_apart(results, name, one, other) -> bool:
    """Whether some example comes out differently under two values of a parameter."""
    for example, result in results:
        try:
            pair = [
                by_the_engine(example, {**result, "rules": {name: value}}) for value in (one, other)
            ]
        except RulesError:  # teams fix the number of players
            continue
        if pair[0] != pair[1]:
            return True
    return {one, other} == {"2x2", "2x3"}


def test_the_table_of_contents_names_every_section():
    contents = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    listed = re.findall(r"\[(.+?)\]\(#", contents)
    assert [title for title in listed if title in {s.title for s in SECTIONS}] == [
        section.title for section in SECTIONS
    ]
