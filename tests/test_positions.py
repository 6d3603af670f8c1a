"""Positions: the shared ones, the way there and back to the byte, and what cannot be."""

from __future__ import annotations

import json
import random

import pytest
import shared_data
from random_play import decisions, eager_move, rule_sets

from scala40_env.game import Game
from scala40_env.position import PositionError
from scala40_env.rules import Rules, RulesError


def there_and_back(game):
    """A game set up from the JSON text of the position of another."""
    return Game.from_position(json.loads(json.dumps(game.position())))


def bytes_of(game):
    return game.array.tobytes()


# --- the shared positions ----------------------------------------------------------------------


def test_shared_positions_have_the_same_legal_moves():
    wrong = {}
    for case in shared_data.positions():
        legal = Game.from_position(case["position"]).legal_texts()
        assert len(set(legal)) == len(legal)
        if sorted(legal) != sorted(case["legal"]):
            wrong[case["id"]] = set(legal) ^ set(case["legal"])
    assert not wrong


def test_shared_positions_come_back_as_they_were_written():
    for case in shared_data.positions():
        game = Game.from_position(case["position"])
        back = game.position()
        for key, value in case["position"].items():
            if key == "hands":
                assert [sorted(hand) for hand in back[key]] == [sorted(hand) for hand in value]
            elif key == "table":
                melds = [[sorted(meld.split()) for meld in table] for table in (back[key], value)]
                assert melds[0] == melds[1]
            elif key != "rules":
                assert back[key] == value
        assert Rules.from_dict(back["rules"]) == Rules.from_dict(case["position"]["rules"])
        assert bytes_of(there_and_back(game)) == bytes_of(game)


# --- there and back ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, 24, 8))
def test_every_state_comes_back_to_the_same_bytes(seed):
    """In the middle of a turn too: after a take, a swap, half an opening."""
    for number, rules in enumerate(rule_sets(11, seed)):
        rng = random.Random(number)
        for game in decisions(Game(rules, number), rng, most=150):
            if rng.random() < 0.5:
                continue
            again = there_and_back(game)
            assert bytes_of(again) == bytes_of(game)
            assert again.legal_moves() == game.legal_moves()
            assert again.rules == game.rules


def test_a_game_that_goes_on_from_its_position_is_the_game_itself():
    """The generator too: the stock is renewed and the next hand is dealt alike."""
    renewed = 0
    for number, rules in enumerate(rule_sets(12)):
        game = Game(rules.with_(max_hands=4, max_turns=400), number)
        rng = random.Random(number)
        for _ in decisions(game, rng, most=25):
            pass
        again = there_and_back(game)
        for _ in range(600):
            if game.match_over:
                break
            if game.hand_over:
                game.next_hand()
                again.next_hand()
            else:
                move = eager_move(game, rng, lay=0.1)
                game.push(move)
                again.push(move)
            renewed += game.reshuffles > 0
            assert bytes_of(again) == bytes_of(game)
    assert renewed > 100


def test_the_position_is_the_text_of_the_state():
    game = Game.from_position(MIDDLE)
    position = game.position()
    assert {key: position[key] for key in MIDDLE} == MIDDLE
    assert set(position) == KEYS


KEYS = {
    "rules", "player", "dealer", "phase", "hands", "opened", "table", "laid_this_turn",
    "opened_this_turn", "laid_off_or_swapped", "pile", "stock", "known_stock", "taken", "kept",
    "returned", "recovered", "turns", "reshuffles", "hand_number", "totals", "reentries",
    "history", "rng",
}  # fmt: skip

MIDDLE = {
    "rules": {"preset": "fisca", "num_players": 3, "limit": 201},
    "player": 1,
    "dealer": 0,
    "phase": "play",
    "hands": [["KC"], ["9S", "2D", "9D", "*"], []],
    "opened": [True, True, False],
    "table": ["8D 9D TD", "4C 5C 6C", "KS KH KD"],
    "laid_this_turn": [2],
    "opened_this_turn": False,
    "laid_off_or_swapped": True,
    "pile": ["TH", "2D"],
    "taken": None,
    "recovered": 1,
    "turns": [4, 3, 0],
    "totals": [12, 0, 240],
    "reentries": [0, 0, 0],
    "hand_number": 5,
}


def test_what_is_not_given_has_a_default():
    game = Game.from_position({"rules": {}, "hands": [["2S", "3S"], ["4S", "*"]]})
    assert (game.phase, game.player, game.dealer) == ("draw", 0, 1)
    assert game.opened == [False, False] and game.table == [] and game.pile == []
    assert game.stock_size == 104 and game.totals == [0, 0] and game.in_match == [True, True]
    assert game.legal_texts() == ["draw"]


def test_the_rest_of_the_deck_fills_the_stock_in_an_order_that_the_seed_decides():
    position = {"rules": {}, "hands": [["2S", "3S"], ["4S", "*"]]}
    stocks = [Game.from_position({**position, "rng": [seed, 0]}).stock for seed in (1, 1, 2)]
    assert stocks[0] == stocks[1] != stocks[2]
    assert sorted(stocks[0]) == sorted(stocks[2])


def test_a_seat_without_cards_is_out_unless_it_closed_or_is_said_to_be_in():
    position = {"rules": {"num_players": 3}, "hands": [["2S"], [], ["4S"]]}
    assert Game.from_position(position).in_match == [True, False, True]
    over = {**position, "phase": "over", "history": {"closer": 1}}
    assert Game.from_position(over).in_match == [True, True, True]
    said = {**position, "phase": "over", "history": {"in_match": [True, True, True]}}
    assert Game.from_position(said).in_match == [True, True, True]


def test_totals_at_the_limit_mean_a_play_off():
    position = {"rules": {}, "hands": [["2S"], ["4S"]], "totals": [110, 110]}
    assert Game.from_position(position).position()["history"]["playoff"]
    assert not Game.from_position({**position, "totals": [90, 90]}).position()["history"]["playoff"]


def test_a_renewed_stock_is_known_unless_more_is_said():
    position = {"rules": {}, "hands": [["2S"], ["4S"]], "reshuffles": 1}
    game = Game.from_position(position)
    known = game.array["known_stock"][0, 0]
    assert known.sum() == game.stock_size


def test_both_kinds_of_over_come_back():
    rules = Rules.preset("browser", deal=3, opening_min=0, max_hands=2, unopened_penalty=None)
    game = Game(rules, seed=3)
    ends = []
    for _ in decisions(game, random.Random(0), most=1000):
        if game.phase == "over":
            again = there_and_back(game)
            assert bytes_of(again) == bytes_of(game)
            assert (again.hand_over, again.match_over) == (game.hand_over, game.match_over)
            ends.append(game.match_over)
    assert ends == [False, True]


# --- what cannot be ----------------------------------------------------------------------------


def changed(**changes):
    return {**MIDDLE, **changes}


IMPOSSIBLE = {
    "unknown key": (changed(discard=[]), "unknown key of a position: 'discard'"),
    "unknown key of the history": (changed(history={"x": 1}), "position's history: 'x'"),
    "no hands": ({"rules": {}}, "needs the keys rules and hands"),
    "not a table": ([], "must be a table"),
    "phase": (changed(phase="end"), "key phase: 'end' is not draw, play or over"),
    "too few hands": (changed(hands=[["KC"], ["2D"]]), "key hands has 2 entries, not 3"),
    "hands is text": (changed(hands="KC"), "key hands: 'KC' is not a list"),
    "not a card": (changed(pile=["1S"]), "key pile: not a card: '1S'"),
    "card is a number": (changed(pile=[3]), "key pile: not a card: 3"),
    "three of a card": (changed(hands=[["KC", "KC", "KC"], ["2D"], []]), "3 cards KC, there are 2"),
    "beyond the deck": (changed(pile=["KC", "KC"]), "too many cards KC: 1 beyond the deck"),
    "a meld beyond it": (changed(pile=["8D", "8D"]), "too many cards 8D: 1 beyond the deck"),
    "five jokers": (
        changed(table=["KS KH KD*", "QS QH QD*", "JS JH JD*", "TS TH TC*"], laid_this_turn=[]),
        "too many cards *: 1 beyond the deck",
    ),
    "hand too large": (changed(hands=[["2S"], ["2D"] * 15, []]), "15 cards, at most 14"),
    "stock too small": (changed(stock=["2S"]), "key stock: "),
    "stock of other cards": (changed(stock=["2S"] * 99), "key stock: "),
    "player": (changed(player=3), "key player: 3 is not a whole number 0-2"),
    "player is out": (changed(player=2, recovered=0), "key player: seat 2 has no cards"),
    "player is true": (changed(player=True), "key player: True is not a whole number"),
    "dealer": (changed(dealer=-1), "key dealer: -1"),
    "opened": (changed(opened=[True, 1, False]), "key opened: 1 is not true or false"),
    "turns": (changed(turns=[1, 2]), "key turns has 2 entries, not 3"),
    "negative turns": (changed(turns=[1, 2, -1]), "key turns: -1"),
    "totals": (changed(totals=[1.5, 0, 0]), "key totals: 1.5"),
    "meld": (changed(table=["8D 9D JD"], laid_this_turn=[]), "key table: neither a set nor a run"),
    "meld is a list": (changed(table=[["8D", "9D"]], laid_this_turn=[]), "is not the text"),
    "run too long": (
        changed(rules={"max_run": 3, "num_players": 3}, table=["2S 3S 4S 5S"], laid_this_turn=[]),
        "key table: a run of 4",
    ),
    "jokers in a meld": (changed(table=["8D 9D* TD*"], laid_this_turn=[]), "key table: 2 jokers"),
    "no such meld": (changed(laid_this_turn=[3]), "key laid_this_turn: 3"),
    "taken": (changed(taken="7C"), "key taken: 7C is not in the hand"),
    "recovered": (changed(recovered=2), "key recovered: not 2 jokers in the hand"),
    "recovered without a swap": (
        changed(laid_off_or_swapped=False),
        "key recovered: laid_off_or_swapped must be true too",
    ),
    "opened without a meld": (
        changed(opened_this_turn=True, laid_this_turn=[]),
        "key opened_this_turn: laid_this_turn must name a meld",
    ),
    "all but one card gone unopened": (
        changed(hands=[["KC"], ["9S"], []], opened=[True, False, False], recovered=0,
                laid_this_turn=[]),
        "key opened: a single card after the draw",
    ),
    "opened this turn": (
        changed(opened=[True, False, False], opened_this_turn=True, recovered=0),
        "key opened_this_turn: the seat to move has not opened",
    ),
    "duty before the draw": (changed(phase="draw"), "before the draw"),
    "kept": (changed(kept=[0, "7C"]), "key kept: 7C is not in the hand of seat 0"),
    "kept without a seat": (changed(kept=["7C"]), "key kept: ['7C'] is not a seat and a card"),
    "known jokers": (changed(history={"known_jokers": [1, 0, 0]}), "key known_jokers"),
    "out with cards": (changed(history={"in_match": [False, True, False]}), "seat 0 has cards"),
    "in without cards": (changed(history={"in_match": [True, True, True]}), "seat 2 has no cards"),
    "too many reentries": (changed(reentries=[200, 0, 0]), "key reentries: 200"),
    "more known jokers than there are": (changed(history={"known_jokers": [200, 0, 0]}), "200"),
    "points of a hand": (changed(history={"points": [1 << 20, 0, 0]}), "key points: 1048576"),
    "known stock without the stock": (
        changed(reshuffles=1, known_stock=[{}, {}, {}]), "key known_stock: ",
    ),
    "won but not over": (changed(history={"winner": 1}), "a match that is decided is over"),
    "rng": (changed(rng=[1]), "key rng has 1 entries, not 2"),
    "rng too large": (changed(rng=[1 << 64, 0]), "key rng"),
    "discarded": (changed(history={"discarded": [{"KC": 200}, {}, {}]}), "key discarded: 200"),
    "counts are a list": (changed(history={"took": [[], {}, {}]}), "key took: [] is not a table"),
    "duty that cannot be met": (
        changed(hands=[["KC"], ["9S", "2D", "*"], []], table=["8D 9D TD"] * 0, laid_this_turn=[]),
        "cannot finish its turn",
    ),
    "half an opening that leads nowhere": (
        changed(hands=[["KC"], ["9S", "2D", "9D"], []], opened=[True, False, False], recovered=0),
        "cannot finish its turn",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_refused_in_one_line(name):
    position, message = IMPOSSIBLE[name]
    with pytest.raises(PositionError) as error:
        Game.from_position(position)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_middle_itself_can_be():
    assert "add * 0" not in Game.from_position(MIDDLE).legal_texts()
    assert len(Game.from_position(MIDDLE).legal_texts()) > 0


def test_no_card_left_to_draw_is_refused():
    deck = Game("browser", 1, 0).position()
    position = {**deck, "pile": [*deck["pile"], *deck["stock"]], "stock": []}
    with pytest.raises(PositionError, match="no card is left to draw"):
        Game.from_position(position)


def test_rules_that_are_none_are_refused_as_such():
    with pytest.raises(RulesError, match="limits"):
        Game.from_position(changed(rules={"limits": 3}))


def test_a_meld_of_this_turn_may_lack_naturals_yet():
    rules = {"jokers_per_meld": 2}
    position = {
        "rules": rules,
        "phase": "play",
        "hands": [["JD", "5C", "KS"], ["2S"]],
        "opened": [True, True],
        "table": ["8D 9D* TD*"],
        "laid_this_turn": [0],
    }
    assert Game.from_position(position).legal_texts() == ["add JD 0"]
    with pytest.raises(PositionError, match="fewer than 2 natural"):
        Game.from_position({**position, "laid_this_turn": []})
