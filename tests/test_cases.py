"""The engine passes every test of the rules that the reference passes, the worked cases included.

The tests of ``test_reference`` ask ``ref.legal_moves``, ``ref.apply`` and so on. Here they are run
again with the engine answering in the place of these functions.
"""

from __future__ import annotations

import inspect

import numba
import pytest
import reference as ref
import test_reference
from engine_and_reference import copy_to_state, game_of, ints

from scala40_env.engine.score import end_hand
from scala40_env.engine.state import NONE
from scala40_env.melds import InvalidMeldError, check_meld, meld_text, meld_value, parse_meld
from scala40_env.rules import Rules

ABOUT_THE_REFERENCE = {
    "test_records_are_there",
    "test_positions_have_the_same_legal_moves",
    "test_positions_come_back_the_same",
    "test_redraw_never_turns_a_joker_up",
    "test_unknown_rules_and_impossible_teams_are_errors",
}

RULE_TESTS = [
    test
    for name, test in vars(test_reference).items()
    if name.startswith("test_")
    and name not in ABOUT_THE_REFERENCE
    and not inspect.signature(test).parameters
]


@numba.njit
def score_hand(games, closer, in_hand):
    end_hand(games[0], closer, in_hand)


def legal_moves(state):
    return [] if state.phase == "over" else sorted(game_of(state).legal_texts())


def apply(state, move, restock=None):
    game, under_the_top = game_of(state), list(state.pile)
    game.push(move)
    if game.reshuffles > state.reshuffles:
        game.order_stock(ints(restock(under_the_top)))
    copy_to_state(game, state)
    pass_the_deal(game, state)


def finish_hand(state, closer, closed_in_hand=False):
    game = game_of(state)
    game.array["laid_off_or_swapped"] = False  # the reference has looked at it already
    score_hand(game.array, NONE if closer is None else closer, closed_in_hand)
    copy_to_state(game, state)
    pass_the_deal(game, state)


def pass_the_deal(game, state):
    """The reference names the next dealer as soon as a hand is over."""
    if game.hand_over:
        after = game.clone()
        after.next_hand()
        state.dealer = after.dealer


def points_of(hand, opened, closed_in_hand, rules):
    """What a seat pays, by the engine: its opponent closes."""
    two = ref.make_rules(**{**rules, "num_players": 2, "teams": "none"})
    state = test_reference.position(["2S"], rules=two, opened=[True, opened])
    state.hands = [ref.Counter(), hand]
    finish_hand(state, 0, closed_in_hand)
    return state.hand_points[1]


def hand_value(hand, rules):
    return points_of(hand, True, False, rules)


def read_meld(tokens, rules):
    """A meld as texts, by the package's own reader; None where it is none."""
    try:
        meld = parse_meld(tokens, Rules.from_dict(rules))
        check_meld(meld, Rules.from_dict(rules))
    except InvalidMeldError:
        return None
    return meld_text(meld)


def valid_meld(meld, rules):
    return read_meld(meld.split(), rules) is not None


def value_of_meld(meld, rules):
    rules = Rules.from_dict(rules)
    return meld_value(parse_meld(meld, rules), rules)


@pytest.mark.parametrize("rule_test", RULE_TESTS, ids=lambda test: test.__name__[5:])
def test_the_engine(rule_test, monkeypatch):
    for name, answer in {
        "legal_moves": legal_moves,
        "apply": apply,
        "finish_hand": finish_hand,
        "points_of": points_of,
        "hand_value": hand_value,
        "read_meld": read_meld,
        "valid_meld": valid_meld,
        "meld_value": value_of_meld,
    }.items():
        monkeypatch.setattr(ref, name, answer)
    rule_test()


def test_most_tests_of_the_rules_are_run():
    assert len(RULE_TESTS) >= 60
