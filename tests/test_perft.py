"""How many different turns a player has: equal in the engine, the reference and the files.

A turn is the series of moves from the position to the discard that ends it; two series that lead
to the same state by different orders are two. The files in ``perft/`` hold one position each:

    id        a name
    position  the position as JSON, the order of the stock included
    turns     the number

`python tests/test_perft.py FILE` counts anew, under each first move.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import reference as ref

from scala40_env.game import Game

FOLDER = Path(__file__).parent / "perft"


class Case(NamedTuple):
    """One file."""

    name: str
    position: dict[str, Any]
    turns: int


def read(path: Path) -> Case:
    fields = dict(line.split(maxsplit=1) for line in path.read_text().splitlines())
    return Case(fields["id"], json.loads(fields["position"]), int(fields["turns"]))


CASES = [read(path) for path in sorted(FOLDER.glob("*.perft"))]


def engine_turns(game: Game, known: dict[bytes, int]) -> int:
    """The number of turns from a game of the engine on."""
    key = game.array.tobytes()
    if key not in known:
        total = 0
        for move in game.legal_moves():
            after = game.clone()
            after.push(move)
            ended = sum(after.turns) > sum(game.turns)
            total += 1 if ended else engine_turns(after, known)
        known[key] = total
    return known[key]


def reference_turns(state: ref.State, known: dict[str, int]) -> int:
    """The number of turns from a state of the reference on."""
    key = repr(ref.to_position(state))
    if key not in known:
        total = 0
        for move in ref.legal_moves(state):
            after = state.copy()
            ref.apply(after, move, restock=lambda cards: cards)
            ended = sum(after.turns) > sum(state.turns)
            total += 1 if ended else reference_turns(after, known)
        known[key] = total
    return known[key]


def engine_split(position: dict[str, Any]) -> dict[str, int]:
    """The number of turns under each first move, by the engine."""
    game, known, split = Game.from_position(position), {}, {}
    for text in sorted(game.legal_texts()):
        after = game.clone()
        after.push(text)
        split[text] = 1 if sum(after.turns) > sum(game.turns) else engine_turns(after, known)
    return split


def reference_split(position: dict[str, Any]) -> dict[str, int]:
    """The number of turns under each first move, by the reference."""
    state, known, split = ref.from_position(position), {}, {}
    for move in ref.legal_moves(state):
        after = state.copy()
        ref.apply(after, move, restock=lambda cards: cards)
        ended = sum(after.turns) > sum(state.turns)
        split[move] = 1 if ended else reference_turns(after, known)
    return split


def lines(split: dict[str, int]) -> str:
    return "\n".join(f"{count:10} {move}" for move, count in split.items())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_counts_as_many_turns(case):
    split = engine_split(case.position)
    assert sum(split.values()) == case.turns, "by the engine:\n" + lines(split)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_reference_counts_as_many_turns(case):
    split = reference_split(case.position)
    assert sum(split.values()) == case.turns, "by the reference:\n" + lines(split)


def test_the_positions_are_of_many_kinds():
    rules = [tuple(sorted(map(str, case.position["rules"].items()))) for case in CASES]
    assert len(CASES) >= 12 and len(set(rules)) >= 8
    assert {case.position["phase"] for case in CASES} == {"draw", "play"}
    assert max(case.turns for case in CASES) > 10_000


if __name__ == "__main__":
    one = read(Path(sys.argv[1]))
    for who, count in (("engine", engine_split), ("reference", reference_split)):
        result = count(one.position)
        print(f"{who}: {sum(result.values())}\n{lines(result)}")
