"""Rules that the examples of ``docs/rules.md`` leave open, each in one small position.

The mutants of ``tests/mutants`` that survived those examples are the reason for most of them.
"""

from __future__ import annotations

from collections import Counter

import pytest

from scala40_env.cards import DECK_COUNTS, card_text
from scala40_env.game import Game
from scala40_env.rules import Rules


def game_at(hands, rules=None, **position):
    """A game in the middle of the turn of seat 0; everybody has opened, and played before."""
    n = len(hands)
    position = {"phase": "play", "opened": [True] * n, "turns": [1] * n, **position}
    rules = {"preset": "browser", "num_players": n, **(rules or {})}
    return Game.from_position({"rules": rules, "hands": hands, **position})


def play(game, *moves):
    for move in moves:
        game.push(move)
    return game


def discards(game):
    return [move.split()[1] for move in game.legal_texts() if move.startswith("discard")]


def test_a_run_of_max_run_cards_has_no_end_for_a_discard_to_attach():
    for max_run, free in ((14, ["2H"]), (3, ["4S", "8S", "2H"])):
        rules = {"attach_discard_opened": "forbid", "max_run": max_run}
        game = game_at([["4S", "8S", "2H"], ["9C"]], rules, table=["5S 6S 7S"])
        assert discards(game) == free


def test_an_ace_attaches_to_neither_end_of_a_run_that_has_one():
    rules = {"attach_discard_opened": "forbid"}
    for run in ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"):
        assert discards(game_at([["AS", "2H"], ["9C"]], rules, table=[run])) == ["AS", "2H"]
        free = discards(game_at([["AS", "2H"], ["9C"]], rules, table=[run.replace("AS", "AS*")]))
        assert free == ["2H"]


def test_the_renewed_stock_is_shuffled():
    hands = [["KD", "2H"], ["9D", "9D"]]
    left = Counter({card_text(card): int(count) for card, count in enumerate(DECK_COUNTS)})
    left.subtract(card for hand in hands for card in hand)
    pile = sorted(left.elements())
    game = play(game_at(hands, stock=[], pile=pile), "discard 2H")
    stock = [card_text(card) for card in game.stock]
    assert sorted(stock) == pile and stock != pile and stock != pile[::-1]
    orders = {
        tuple(play(game_at(hands, stock=[], pile=pile, rng=[0, rng]), "discard 2H").stock)
        for rng in range(5)
    }
    assert len(orders) == 5


def test_one_who_closes_in_hand_without_the_minimum_pays_no_penalty():
    rules = {"hand_close_exempt_40": True, "unopened_penalty": 100}
    game = game_at([["4S", "5S", "6S", "2H"], ["9C"]], rules, opened=[False, True])
    play(game, "meld 4S 5S 6S", "discard 2H")
    assert game.closed_in_hand and game.points == [0, 18]


def test_a_seat_that_is_out_neither_pays_nor_plays():
    game = game_at([["2H"], [], ["9C"]], opened=[True, False, False], totals=[0, 120, 0])
    assert play(game, "discard 2H").points == [0, 0, 100]
    game = game_at([["2H", "4D"], [], ["9C"]], totals=[0, 120, 0])
    assert play(game, "discard 2H").player == 2


def test_the_seat_after_the_dealer_begins_the_next_hand():
    game = play(game_at([["2H"], ["9C"], ["9D"]], dealer=1), "discard 2H")
    game.next_hand()
    assert (game.dealer, game.player) == (2, 0)


def in_a_play_off(hands, totals=(120, 120, 150), **position):
    rules = {"exhausted_result": "score", "lone_ace_in_hand": 0}
    return game_at(hands, rules, totals=list(totals), **position)


def test_only_the_totals_count_in_a_play_off():
    game = play(in_a_play_off([["2H"], ["9C"], []], totals=(140, 120, 150)), "discard 2H")
    assert game.totals == [140, 129, 150] and game.winner == 1


def test_a_tie_in_a_play_off_is_played_off_again():
    game = play(in_a_play_off([["2H"], ["AC"], []]), "discard 2H")
    assert game.totals == [120, 120, 150]
    assert game.winner is None and game.in_match == [True, True, False]


def test_a_tie_in_fixed_total_leaves_all_in():
    game = game_at([["2H"], ["9C"], ["9D"]], {"mode": "fixed_total"}, totals=[20, 11, 100])
    play(game, "discard 2H")
    assert game.totals == [20, 20, 109]
    assert game.winner is None and game.in_match == [True, True, True]


def test_in_teams_everyone_opens_for_himself():
    kings = ["KS", "KH", "KD", "KC", "2H", "3C"]
    game = game_at([kings, ["9C"], ["9D"], ["8C"]], {"teams": "2x2"}, opened=[False] * 4)
    play(game, "meld KS KH KD", "add KC 0", "discard 2H")
    assert game.opened == [True, False, False, False]


def test_the_points_of_a_hand_are_each_seats_own_the_closers_partners_included():
    game = game_at([["2H"], ["9C"], ["8D"], ["7C"]], {"teams": "2x2"})
    play(game, "discard 2H")
    assert game.points == [0, 9, 8, 7] and game.totals == [0, 16, 0, 16]


def test_a_team_below_the_limit_alone_has_won():
    game = game_at([["2H"], ["9C"], ["8D"], ["7C"]], {"teams": "2x2"}, totals=[50, 90, 50, 90])
    assert play(game, "discard 2H").winner == 0
    others = {"player": 1, "dealer": 0}
    game = game_at(
        [["9C"], ["2H"], ["7C"], ["8D"]], {"teams": "2x2"}, totals=[90, 50, 90, 50], **others
    )
    assert play(game, "discard 2H").winner == 1


def test_the_lower_of_two_teams_at_the_limit_has_won():
    rules = {"teams": "2x2", "partner_of_closer_pays": True}
    game = game_at([["2H"], ["9C"], ["8D"], ["7C"]], rules, totals=[95, 90, 95, 90])
    play(game, "discard 2H")
    assert game.totals == [103, 106, 103, 106] and game.winner == 0


def test_re_entry_is_with_the_highest_total_of_those_below():
    hands = [["2H"], ["9C"], ["8D"], ["7C"]]
    game = game_at(hands, {"reentry": "once"}, totals=[10, 20, 95, 60])
    assert play(game, "discard 2H").totals == [10, 29, 67, 67]
    game = game_at(hands, {"reentry": "once"}, totals=[10, 95, 95, 95])
    assert play(game, "discard 2H").winner == 0 and game.totals == [10, 104, 103, 102]


@pytest.mark.parametrize(("set_joker", "takes"), [("any_missing", True), ("declared", False)])
def test_set_joker_decides_whether_a_joker_can_be_had_for_a_discard(set_joker, takes):
    """9C for the joker that stands for 9D, which 5S and 7S need between them."""
    game = game_at(
        ["9C 7S KH 2D".split(), ["3D", "3C"]], {"set_joker": set_joker},
        table=["9S 9H 9D*"], pile=["5S"], phase="draw",
    )  # fmt: skip
    assert ("take" in game.legal_texts()) == takes


LOOSE = ["4H", "6D", "8C", "TD", "2C", "QC"]  # no meld with each other or the hands below


@pytest.mark.parametrize(
    ("melds", "rules", "opens"),
    [
        ("QS KS AS 3H 3D 3C", {}, True),  # 40
        ("JS QS KS 3H 3D 3C", {}, False),  # 39
        ("KS KH KD KC", {}, True),
        ("6S 7S 8S 6S 7S 8S", {}, True),
        ("5S 6S 7S 5S 6S 7S", {}, False),
        ("AS 2S 3S JH QH KH", {}, False),
        ("AS 2S 3S JH QH KH", {"ace_low_value": 11}, True),
        ("KS KH KD", {"card_values": "graded"}, False),
        ("AS AH AD", {"card_values": "graded"}, True),
        ("2S 3S 4S", {"opening_min": 0}, True),
    ],
)
def test_opening_min_is_reached_to_the_point(melds, rules, opens):
    cards = melds.split()
    position = {
        "rules": Rules.preset("browser", **rules).to_dict(), "dealer": 0, "player": 0,
        "turns": [5, 5], "pile": ["5D"], "phase": "play",
        "hands": [cards + LOOSE, "9S 9H 7D JC 3S".split()],
    }  # fmt: skip
    laid = [text for text in Game.from_position(position).legal_texts() if text[:4] == "meld"]
    assert bool(laid) == opens
    for i, card in enumerate(cards):
        hand = cards[:i] + cards[i + 1 :] + LOOSE
        drawing = {**position, "phase": "draw", "pile": ["5D", card]}
        drawing["hands"] = [hand, position["hands"][1]]
        assert ("take" in Game.from_position(drawing).legal_texts()) == opens, card


def test_hand_close_exempt_40_is_no_matter_of_points():
    rules = Rules.preset("browser", hand_close_exempt_40=True)
    position = {
        "rules": rules.to_dict(), "dealer": 0, "player": 0, "turns": [5, 5], "pile": ["5D"],
        "phase": "play", "hands": ["2S 2H 2D 3S 4S 5S 9C".split(), ["9S", "9H"]],
    }  # fmt: skip
    assert "meld 2S 2H 2D" in Game.from_position(position).legal_texts()


def test_a_natural_opening_reached_by_another_way_than_a_jokered_one_counts():
    # With 5S* first the same cards lie on the table in the end, but nobody has opened.
    position = {
        "rules": {"preset": "browser", "opening_joker": False, "joker_discard": "forbid"},
        "player": 0, "opened": [False, True], "turns": [3, 3],
        "hands": ["6S 7S 8S 9S TS * 2H".split(), ["3D"]],
    }  # fmt: skip
    game = Game.from_position({**position, "phase": "draw", "pile": ["4S"]})
    moves = ["take", "meld 6S 7S 8S", "add 9S 0", "add TS 0", "add 5S* 0", "add 4S 0", "discard 2H"]
    for move in moves:
        assert move in game.legal_texts()
        game.push(move)


def test_a_taken_joker_may_be_laid_off_after_an_opening_without_jokers_in_any_order():
    rules = Rules.preset(
        "browser", opening_joker=False, return_taken=False, max_run=13,
        recovered_joker="must_reuse", attach_discard_opened="forbid",
        close_without_discard=True, hand_close_bonus="none",
    )  # fmt: skip
    position = {
        "rules": rules.to_dict(), "player": 0, "phase": "play", "taken": "*", "dealer": 0,
        "turns": [5, 5], "pile": ["6D"],
        "hands": [
            "4S 5S 6S 7S 8S KS AH 7H 8D 9D TD 5C JC *".split(),
            "5S 9S 3H 4H 7H 8H 2D 5D 8D QD AC 8C TC".split(),
        ],
    }  # fmt: skip
    game = Game.from_position(position)
    other_order = game.clone()
    other_order.push("meld 8D 9D TD")
    assert "meld 5S 6S 7S" in other_order.legal_texts()
    assert "meld 5S 6S 7S" in game.legal_texts()
