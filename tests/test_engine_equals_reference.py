"""The engine and the plain reference of the rules agree, move list by move list."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import reference as ref
from engine_and_reference import Match, random_rules

from scala40_env.engine import calls
from scala40_env.engine.state import NUM_RULES
from scala40_env.engine.work import new_work
from scala40_env.rules import Rules

MATCHES_A_TEST = 25


def short(rules: ref.Rules, rng: random.Random) -> ref.Rules:
    """The same rules with a match of a few hands."""
    return {**rules, "max_hands": rng.choice((1, 1, 2))}


def play(match: Match, most: int) -> int:
    """Play up to `most` decisions of a match, comparing all; returns their number."""
    number = 0
    for _ in match.decisions():
        number += 1
        if number >= most:
            break
    return number


@pytest.mark.parametrize("seed", range(0, 6 * MATCHES_A_TEST, MATCHES_A_TEST))
def test_presets_agree_in_short_matches_of_players_that_lay(seed):
    for i in range(seed, seed + MATCHES_A_TEST):
        rng = random.Random(i)
        rules = ref.make_rules(sorted(ref.PRESETS)[i % 3], num_players=2 + i // 3 % 5)
        assert play(Match(short(rules, rng), i, 0.9), most=10_000) > 0


@pytest.mark.parametrize("seed", range(0, 8 * MATCHES_A_TEST, MATCHES_A_TEST))
def test_random_rules_agree_in_short_matches(seed):
    for i in range(seed, seed + MATCHES_A_TEST):
        rng = random.Random(i)
        rules = short(random_rules(i), rng)
        assert play(Match(rules, i, rng.choice((0.5, 0.8, 0.95))), most=400) > 0


@pytest.mark.parametrize("seed", range(1000, 1010))
def test_whole_matches_with_small_deals_agree_to_the_end(seed):
    """Few cards make short hands, so that re-entry, play-offs and caps are reached."""
    rng = random.Random(seed)
    rules = {**random_rules(seed), "deal": rng.choice((1, 2, 3, 4)), "limit": 40}
    rules["opening_min"] = rng.choice((0, 0, 10))
    assert play(Match(rules, seed, 0.8), most=1500) > 0


# --------------------------------------------------------------------------------------------------
# A long sweep, and which values of the parameters it tested
# --------------------------------------------------------------------------------------------------

AT_THE_DEAL = ("num_players", "deal", "upcard_joker", "teams", "mode")
SWEEP_RULES, SWEEP_DECISIONS = 200, 2000


class Coverage:
    """How often another value of a parameter would change the legal moves or the next state."""

    def __init__(self) -> None:
        self.tested: Counter[tuple[str, object]] = Counter()
        self.mattered: Counter[tuple[str, object]] = Counter()
        self.work, self.moves = new_work(), calls.new_moves()

    def outcome(self, game, code, move):
        """Legal moves and the bytes after one of them, under other rules."""
        games = game.array.copy()
        games["rules"][0] = code
        count = calls.list_moves(games, 0, self.moves, self.work)
        legal = self.moves[:count].copy()
        if move in map(tuple, legal.tolist()):
            calls.push_move(games, 0, *move)
        games["rules"] = 0
        return np.sort(legal, axis=0).tobytes(), games.tobytes()

    def look(self, game, move) -> None:
        """Compare every parameter with every other of its usual values."""
        code = game.rules.encode()
        mine = self.outcome(game, code, move)
        for name in ref.VARIETY:
            if name in AT_THE_DEAL:
                continue
            value = getattr(game.rules, name)
            self.tested[name, value] += 1
            place = Rules.FIELDS.index(name)
            for other in set(ref.VARIETY[name]) - {value}:
                changed = code.copy()
                changed[place] = encoded(name, other)
                if self.outcome(game, changed, move) != mine:
                    self.mattered[name, value] += 1
                    break

    def lines(self) -> list[str]:
        """One line a value: where it was looked at, and where it mattered."""
        return [
            f"{name:24}{value!s:16}{self.tested[name, value]:9}{self.mattered[name, value]:9}"
            for name, value in sorted(self.tested, key=str)
        ]


def encoded(name, value):
    """A value as the engine has it."""
    spec = Rules.SPECS[name]
    if value is None:
        return -1
    return list(spec.allowed).index(value) if isinstance(value, str) else int(value)


def test_coverage_looks_at_every_parameter_of_the_engine():
    assert set(ref.VARIETY) | {"teams"} == set(Rules.FIELDS)
    assert len(Rules.FIELDS) == NUM_RULES


@pytest.mark.slow
@pytest.mark.parametrize("players", range(2, 7))
def test_a_long_sweep_of_random_rules_agrees(players, capsys):
    coverage = Coverage()
    decisions = 0
    for seed in range(SWEEP_RULES):
        rng = random.Random(f"{players} {seed}")
        rules = {**random_rules(seed), "num_players": players, "teams": "none"}
        if players in (4, 6) and seed % 3 == 0:
            rules |= {"teams": {4: "2x2", 6: "2x3"}[players], "reentry": "off"}
        left, number = SWEEP_DECISIONS, 0
        while left > 0:
            match = Match(rules, 1000 * seed + number, rng.choice((0.5, 0.8, 0.95)))
            number += 1
            for _ in match.decisions():
                game = match.game
                last_card = game.hand_sizes[game.player] == 1 or game.stock_size == 0
                if last_card or rng.random() < 0.05:
                    coverage.look(game, rng.choice(game.legal_moves()))
                left -= 1
                decisions += 1
                if left <= 0:
                    break
    with capsys.disabled():
        print(f"\n{players} players, {SWEEP_RULES} rule sets, {decisions} decisions, all equal")
        print(f"{'parameter':24}{'value':16}{'looked':>9}{'mattered':>9}")
        print("\n".join(coverage.lines()))
