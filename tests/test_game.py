"""One game for people: moves in many forms, undo, copies, views, the end of hands."""

from __future__ import annotations

import copy
import os
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from random_play import decisions, eager_move, rule_sets

from scala40_env import actions
from scala40_env.actions import DRAW, TAKE, Move, is_table_move
from scala40_env.cards import InvalidNotationError, parse_card
from scala40_env.game import Game, IllegalMoveError, View
from scala40_env.melds import meld_text, parse_meld
from scala40_env.rules import Rules, RulesError


def position(hand, *, table=(), opened=True, phase="play", rules=None, **more):
    """Seat 0 of two, in its fourth turn, with a hand; the other seat holds one loose card."""
    return Game.from_position(
        {
            "rules": rules or {},
            "phase": phase,
            "hands": [hand.split(), ["8C"]],
            "opened": [opened, True],
            "table": list(table),
            "turns": [3, 3],
            **more,
        }
    )


def texts(game, word):
    return sorted(text for text in game.legal_texts() if text.startswith(word))


def bytes_of(game):
    return game.array.tobytes()


# --- a new game --------------------------------------------------------------------------------


def test_a_game_begins_with_a_deal():
    game = Game("browser", seed=7, dealer=0)
    assert (game.phase, game.player, game.dealer, game.hand_number) == ("draw", 1, 0, 0)
    assert game.hand_sizes == [13, 13] and len(game.pile) == 1 and game.stock_size == 81
    cards = [*game.hand(0), *game.hand(1), *game.pile, *game.stock]
    assert len(cards) == 108 and all(cards.count(c) == (4 if c == 52 else 2) for c in set(cards))
    assert game.seed == 7 and game.rules == Rules.preset("browser")


def test_the_same_seed_gives_the_same_game_and_another_seed_another():
    assert bytes_of(Game(seed=7)) == bytes_of(Game(seed=7)) != bytes_of(Game(seed=8))


def test_without_a_seed_every_game_is_another():
    assert Game().seed != Game().seed


def test_the_dealer_is_drawn_from_the_seed_unless_it_is_given():
    rules = Rules.preset("browser", num_players=6)
    assert {Game(rules, seed).dealer for seed in range(60)} == set(range(6))
    assert [Game(rules, 1, dealer).dealer for dealer in range(6)] == list(range(6))


def test_the_deals_of_a_match_do_not_depend_on_how_it_is_played():
    rules = Rules.preset("browser", deal=3, unopened_penalty=None)
    deals = []
    for lay in (0.0, 0.9):
        game, rng = Game(rules, 4, 0), random.Random(0)
        while not game.hand_over:
            game.push(eager_move(game, rng, lay))
        game.next_hand()
        deals.append((game.hand(0), game.hand(1), game.stock))
    assert deals[0] == deals[1]


def test_what_is_no_game_is_refused():
    with pytest.raises(RulesError, match="brower"):
        Game("brower")
    for seed, dealer in ((-1, 0), (1 << 64, 0), (1, 2)):
        with pytest.raises(ValueError, match="is not in 0"):
            Game("browser", seed, dealer)


# --- moves in many forms -----------------------------------------------------------------------


def test_moves_and_texts_are_the_same_moves():
    one, two = Game(seed=7, dealer=0), Game(seed=7, dealer=0)
    for game, move in ((one, "draw"), (two, DRAW)):
        game.push(move)
    assert bytes_of(one) == bytes_of(two)
    assert [one.move_text(move) for move in one.legal_moves()] == one.legal_texts()


def test_the_list_of_legal_moves_is_the_callers():
    game = Game(seed=7)
    game.legal_moves().clear()
    assert game.legal_moves() == [DRAW] or TAKE in game.legal_moves()


def test_a_long_meld_is_laid_as_three_cards_and_its_growth():
    game = position("5S 6S 7S 8S 9S * 2H")
    game.push("meld 9S 5S 6S 7S 8S *")
    assert [meld_text(meld) for meld in game.table] == ["5S 6S 7S 8S 9S TS*"]
    assert [game.undo() for _ in range(4)][-1].action == actions.meld_id(parse_meld("5S 6S 7S"))
    assert game.table == []


def test_a_long_meld_is_laid_wholly_or_not_at_all():
    game = position("5S 6S 7S 8S 2H")
    before = bytes_of(game), game.logs[-1].moves[:]
    with pytest.raises(IllegalMoveError, match="no 9S in the hand"):
        game.push("meld 5S 6S 7S 8S 9S")
    assert (bytes_of(game), game.logs[-1].moves) == before and not game.can_undo


def test_a_long_meld_grows_the_lowest_of_identical_melds():
    """After the second `5S 6S 7S` only the first is offered, which comes to the same."""
    game = position("5S 6S 7S 8S 2H", table=["5S 6S 7S"], laid_this_turn=[0])
    game.push("meld 5S 6S 7S 8S")
    assert sorted(meld_text(meld) for meld in game.table) == ["5S 6S 7S", "5S 6S 7S 8S"]


def test_any_of_identical_melds_may_be_named():
    game = position("8S 2H 3H", table=["5S 6S 7S", "5S 6S 7S"])
    assert texts(game, "add") == ["add 8S 0"]
    game.push("add 8s 1")
    assert meld_text(game.table[0]) == "5S 6S 7S 8S"


def test_bare_jokers_take_the_highest_reading():
    game = position("5S 6S * * 2H 3H", table=["9D TD JD"])
    game.push("meld 5S 6S *")
    game.push("add * 0")
    assert [meld_text(meld) for meld in game.table] == ["9D TD JD QD*", "5S 6S 7S*"]


def test_ids_of_a_move_with_several_targets_are_two():
    game = position("8S 2H 3H", table=["5S 6S 7S", "4S 5S 6S 7S"])
    moves = [game.parse_move(text) for text in texts(game, "add")]
    ids = [game.move_ids(move) for move in moves]
    assert [len(pair) for pair in ids] == [2, 2]
    assert [actions.move_of_ids(pair, game.legal_moves()) for pair in ids] == moves
    assert game.move_ids(game.parse_move("discard 2H")) == (actions.discard_id(parse_card("2H")),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("draw", "already drawn"),
        ("return", "there is no taken card"),
        ("discard KD", "no KD in the hand"),
        ("meld KS KH KD", "no KD in the hand"),
        ("add 9S 0", "does not fit"),
        ("swap 5S 0", "does not fit meld 0: 5S 6S 7S"),
    ],
)
def test_an_illegal_move_says_why(text, why):
    game = position("8S 5S KS KH 2H", table=["5S 6S 7S"])
    before = bytes_of(game)
    with pytest.raises((IllegalMoveError, InvalidNotationError), match=why) as error:
        game.push(text)
    assert "\n" not in str(error.value)
    assert bytes_of(game) == before


def why_not(game, text):
    with pytest.raises(IllegalMoveError) as error:
        game.push(text)
    return str(error.value)


def test_reasons_name_what_the_turn_owes():
    taken = position("8S 2H 3H", table=["5S 6S 7S"], taken="8S")
    assert "the taken 8S must go to the table" in why_not(taken, "discard 2H")
    joker = position(
        "* 2H 3H", table=["5S 6S 7S"], rules={"preset": "fisca"},
        recovered=1, laid_off_or_swapped=True,
    )  # fmt: skip
    assert "the recovered joker must be laid again" in why_not(joker, "discard 2H")
    opening = position("KS KH KD KC 2H 8S", table=["5S 6S 7S"], opened=False)
    assert "first 40 points in new melds" in why_not(opening, "add 8S 0")
    opening.push("meld KS KH KD")
    assert "30 of 40 points to open" in why_not(opening, "discard 2H")
    assert "first 40 points in new melds" in why_not(opening, "add 8S 0")
    alone = position("6S 6H 6D")
    assert "the turn could not be finished after it" in why_not(alone, "meld 6S 6H 6D")
    two = position("* 5C 9D", table=["8S 9S* TS"])
    assert "2 jokers, at most 1 allowed" in why_not(two, "add 7S* 0")
    assert "2 jokers, at most 1 allowed" in why_not(position("7S * * 9D KD"), "meld 7S 8S* 9S*")
    long = position("8S 2H KD", table=["5S 6S 7S"], rules={"max_run": 3})
    assert "a run of 4, at most 3 allowed" in why_not(long, "add 8S 0")
    barred = position("8S 2H KD", table=["5S 6S 7S"], rules={"attach_discard_opened": "forbid"})
    assert "bar the discard" in why_not(barred, "discard 8S")


def test_reasons_before_the_draw():
    draws = position("8S 2H", phase="draw", table=["5S 6S 7S"], pile=["KD"])
    assert "begins with draw or take" in why_not(draws, "discard 2H")
    assert "KD could not go to the table" in why_not(draws, "take")
    assert "the pile is empty" in why_not(position("2H", phase="draw"), "take")
    fisca = position("8S 2H", phase="draw", pile=["KD"], opened=False, rules={"preset": "fisca"})
    assert "only who has opened" in why_not(fisca, "take")
    gave_back = position("8S 2H", phase="draw", pile=["4S"], table=["5S 6S 7S"])
    gave_back.push("take")
    gave_back.push("return")
    assert "given back" in why_not(gave_back, "take")


def test_a_move_that_names_nothing_on_the_table_is_illegal():
    game = position("8S 2H", table=["5S 6S 7S"])
    for move in (Move(actions.SWAP_ID, 5), Move(actions.TARGET_ID), Move(5000)):
        with pytest.raises(IllegalMoveError, match="not a move"):
            game.push(move)


# --- the end of a hand -------------------------------------------------------------------------


def test_a_hand_that_ends_is_scored_and_waits():
    game = position("2H", rules={"unopened_penalty": None})
    game.push("discard 2H")
    assert (game.phase, game.hand_over, game.match_over) == ("over", True, False)
    assert (game.closer, game.points, game.totals) == (0, [0, 8], [0, 8])
    assert game.legal_moves() == []
    assert "the hand is over" in why_not(game, "draw")
    game.next_hand()
    assert (game.phase, game.hand_number, game.dealer, game.player) == ("draw", 1, 0, 1)
    assert game.hand_sizes == [13, 13] and game.totals == [0, 8]
    with pytest.raises(IllegalMoveError, match="the hand is not over"):
        game.next_hand()


def test_a_match_that_is_won_deals_no_more():
    game = position("2H", totals=[0, 95])
    game.push("discard 2H")
    assert (game.match_over, game.winner, game.truncated) == (True, 0, False)
    assert "the match is over" in why_not(game, "draw")
    with pytest.raises(IllegalMoveError, match="the match is over"):
        game.next_hand()


# --- undo --------------------------------------------------------------------------------------


def test_undo_takes_back_table_moves_to_the_draw_and_no_further():
    game = Game.from_position(
        {
            "rules": {},
            "hands": [["5S", "6S", "7S", "8S", "2H", "9D"], ["8C"]],
            "opened": [True, True],
            "table": ["8D 9D* TD"],
            "turns": [3, 3],
        }
    )
    assert not game.can_undo
    game.push("draw")
    assert not game.can_undo
    states = [bytes_of(game)]
    for text in ("meld 5S 6S 7S", "add 8S 1", "swap 9D 0"):
        game.push(text)
        states.append(bytes_of(game))
    for state in states[-2::-1]:
        game.undo()
        assert bytes_of(game) == state
    with pytest.raises(IllegalMoveError, match="nothing to undo"):
        game.undo()
    assert [game.move_text(m) for m in game.logs[-1].moves] == ["draw"]


def test_a_take_is_undone_only_where_it_could_be_given_back():
    for return_taken in (True, False):
        game = position(
            "2H 3H", phase="draw", table=["5S 6S 7S"], pile=["8S"],
            rules={"return_taken": return_taken},
        )  # fmt: skip
        before = bytes_of(game)
        game.push("take")
        assert game.can_undo == return_taken
        game.push("add 8S 0")
        game.undo()
        assert game.can_undo == return_taken
        if return_taken:
            assert game.undo() == TAKE
            assert bytes_of(game) == before
            assert sorted(game.legal_texts()) == ["draw", "take"]


def test_a_kept_upcard_stays_taken():
    rules = {"first_player_upcard": "keep"}
    game = position("2H 3H", phase="draw", pile=["KD"], rules=rules, turns=[0, 0])
    game.push("take")
    assert game.taken is None and not game.can_undo


def test_nothing_is_undone_after_a_return_a_discard_or_the_end_of_a_hand():
    game = position("2H 3H 6D 6H 6C", phase="draw", table=["5S 6S 7S"], pile=["8S"])
    game.push("take")
    game.push("return")
    assert not game.can_undo
    game.push("draw")
    game.push("meld 6D 6H 6C")
    game.push("discard 2H")
    assert not game.can_undo
    game = position("6D 6H 6C", rules={"close_without_discard": True})
    game.push("meld 6D 6H 6C")
    assert game.phase == "over" and not game.can_undo


@pytest.mark.parametrize("seed", range(3))
def test_undo_restores_every_state(seed):
    """At every decision of random play: all table moves of the turn, one after another."""
    undone = 0
    for number, rules in enumerate(rule_sets(8, 100 + 8 * seed)):
        rng = random.Random(number)
        game = Game(rules, number)
        turn = []
        for _ in decisions(game, rng, most=200):
            if turn and not game.can_undo:
                turn.clear()
            if game.can_undo:
                turn.append(bytes_of(game))
                probe = game.clone()
                for state in turn[::-1]:
                    assert bytes_of(probe) == state
                    probe.undo()
                    undone += 1
                assert not probe.can_undo
    assert undone > 50


# --- copies ------------------------------------------------------------------------------------


def middle_of_a_turn():
    game = position("5S 6S 7S 8S 2H 9D", table=["8D 9D* TD"])
    game.push("meld 5S 6S 7S")
    return game


@pytest.mark.parametrize(
    "copy_of",
    [Game.clone, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))],
    ids=["clone", "copy", "deepcopy", "pickle"],
)
def test_a_copy_is_the_same_game_and_goes_its_own_way(copy_of):
    game = middle_of_a_turn()
    before = bytes_of(game)
    other = copy_of(game)
    assert bytes_of(other) == before and other.legal_moves() == game.legal_moves()
    other.push("swap 9D 0")
    other.push("discard 2H")
    assert bytes_of(game) == before and len(game.logs[-1].moves) == 1
    assert game.legal_texts() != other.legal_texts()
    game.push("add 8S 1")
    assert game.undo() == Move(actions.add_id(2, parse_card("8S")), 1)
    game.undo()
    assert not game.can_undo


def test_a_copy_keeps_its_record():
    game, rng = Game(seed=3, dealer=0), random.Random(1)
    for _ in decisions(game, rng, most=40):
        pass
    other = game.clone()
    for _ in decisions(other, rng, most=10):
        pass
    assert Game.replay(game.record()).position() == game.position()
    assert Game.replay(other.record()).position() == other.position()


def test_clones_of_every_state_go_on_alike():
    for number, rules in enumerate(rule_sets(6, 50)):
        rng = random.Random(number)
        for game in decisions(Game(rules, number), rng, most=80):
            if game.phase == "over":
                continue
            move, other = rng.choice(game.legal_moves()), game.clone()
            twin = pickle.loads(pickle.dumps(game))
            other.push(move)
            twin.push(move)
            assert bytes_of(other) == bytes_of(twin)


# --- arranged cards ----------------------------------------------------------------------------


def test_a_deal_can_be_arranged_before_the_first_move():
    game, other = Game(seed=1, dealer=0), Game(seed=2, dealer=0)
    game.order_deal([other.hand(0), other.hand(1)], other.pile[0], other.stock)
    assert [game.hand(p) for p in (0, 1)] == [other.hand(p) for p in (0, 1)]
    assert game.stock == other.stock and game.legal_moves() == other.legal_moves()
    assert Game.replay(game.record()).position() == game.position()
    game.push("draw")
    with pytest.raises(ValueError, match="just dealt"):
        game.order_deal([other.hand(0), other.hand(1)], other.pile[0], other.stock)


def test_an_arranged_deal_has_the_cards_of_the_deck():
    game = Game(seed=1, dealer=0)
    hands, stock = [game.hand(0), game.hand(1)], game.stock
    with pytest.raises(ValueError, match="just dealt"):
        game.order_deal(hands, game.pile[0], stock[1:])
    with pytest.raises(ValueError, match="just dealt"):
        game.order_deal([hands[0][1:], [*hands[1], hands[0][0]]], game.pile[0], stock)


def test_the_stock_can_be_put_in_order_before_a_draw():
    game = Game(seed=1, dealer=0)
    game.order_stock(sorted(game.stock))
    assert game.stock == sorted(game.stock)
    with pytest.raises(ValueError, match="before a draw"):
        game.order_stock(game.stock[1:])
    first = game.stock[0]
    held = game.hand(1).count(first)
    game.push("draw")
    assert game.hand(1).count(first) == held + 1
    with pytest.raises(ValueError, match="before a draw"):
        game.order_stock(game.stock)
    assert Game.replay(game.record()).position() == game.position()
    game.push(next(text for text in game.legal_texts() if text.startswith("discard")))
    with pytest.raises(ValueError, match="a new stock"):
        game.order_stock(game.stock)


@pytest.mark.parametrize("numbers", [{"seed": 1.5}, {"seed": -1}, {"seed": 1, "dealer": 0.7}])
def test_numbers_that_are_not_whole_are_refused(numbers):
    with pytest.raises(ValueError, match="is not in 0.."):
        Game(**numbers)


# --- views and words ---------------------------------------------------------------------------


def test_a_view_shows_the_own_hand_and_no_other():
    game = Game(seed=7, dealer=0)
    view = game.view(1)
    assert isinstance(view, View) and view.seat == 1
    assert view.hand(1) == game.hand(1) and view.hand(0) == []
    assert view.hand_sizes == game.hand_sizes and view.stock_size == game.stock_size
    assert view.legal_moves() == game.legal_moves()
    assert game.view(0).legal_moves() == []
    assert not hasattr(view, "stock") and not hasattr(view, "seed")
    with pytest.raises(ValueError, match="seat 2"):
        game.view(2)


def test_a_view_lists_the_legal_moves_of_the_seat_to_move_at_every_decision():
    for number, rules in enumerate(rule_sets(6, 70)):
        for game in decisions(Game(rules, number), random.Random(number), most=120):
            if game.phase != "over":
                assert game.view(game.player).legal_moves() == game.legal_moves()


def test_the_position_in_words():
    game = middle_of_a_turn()
    assert str(game).splitlines() == [
        "hand 0, dealer 1, seat 0 to play",
        f"stock {game.stock_size}, pile 0",
        "meld 0: 8D 9D* TD",
        "meld 1: 5S 6S 7S",
        "seat 0: 3 cards, opened, total 0: 8S 2H 9D",
        "seat 1: 1 cards, opened, total 0: 8C",
    ]
    assert "seat 1: 1 cards, opened, total 0" in str(game.view(0)).splitlines()


def test_points_towards_the_opening_are_those_of_the_engine():
    """Opened as soon as the points of the melds of this turn reach the minimum."""
    opened = 0
    for number, rules in enumerate(rule_sets(10, 30)):
        rng = random.Random(number)
        game = Game(rules, number)
        for _ in decisions(game, rng, most=200):
            if game.phase == "play" and game.laid_this_turn and not game.opened[game.player]:
                assert game.opening_points < rules.opening_min
            elif game.phase == "play" and game.opened_this_turn:
                log = game.logs[-1].moves
                if is_table_move(log[-1].action) and game.can_undo:
                    before = game.clone()
                    before.undo()
                    if not before.opened[game.player]:
                        assert game.opening_points >= rules.opening_min
                        opened += 1
    assert opened > 5


def test_games_are_played_in_several_threads():
    def play(seed):
        game, rng = Game(seed=seed, dealer=0), random.Random(seed)
        for _ in decisions(game, rng, most=300):
            pass
        return game.record()

    with ThreadPoolExecutor(6) as pool:
        records = list(pool.map(play, (1, 2, 3, 1, 2, 3)))
    assert records[:3] == records[3:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_game_goes_on_in_a_forked_child():
    game = Game(seed=1, dealer=0)
    legal = game.legal_texts()
    child = os.fork()
    if child == 0:
        game.push("draw")
        os._exit(0 if legal == Game(seed=1, dealer=0).legal_texts() else 1)
    assert os.waitpid(child, 0)[1] == 0
