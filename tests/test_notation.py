"""Moves as text: every inverse pair over its whole domain, and what is refused."""

from __future__ import annotations

from itertools import combinations

import pytest

from scala40_env import actions
from scala40_env.actions import ON_HIGH, ON_LOW, Move
from scala40_env.cards import InvalidNotationError, parse_card
from scala40_env.melds import RUN, SET, InvalidMeldError, Meld, meld_text, parse_meld
from scala40_env.notation import free_places, meld_moves, move_text, parse_move, parse_moves
from scala40_env.rules import Rules

ALL_SETS = [
    Meld(SET, rank, sum(1 << s for s in suits))
    for rank in range(13)
    for size in (3, 4)
    for suits in combinations(range(4), size)
]
ALL_RUNS = [
    Meld(RUN, suit, ((1 << size) - 1) << low)
    for suit in range(4)
    for size in range(3, 15)
    for low in range(15 - size)
]
TWO_TO_KING = parse_meld("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")
TABLE = [parse_meld(text) for text in ("5S 6S 7S", "9D TD* JD", "7S 7H 7D*")]


def card(text):
    return parse_card(text)


def test_draws_discards_and_melds_are_the_same_in_text_and_back():
    for action in range(actions.ADD_ID):
        move = Move(action)
        text = move_text(move, [])
        assert parse_move(text, []) == move
        assert text == actions.action_name(action)


@pytest.mark.parametrize("as_joker", [False, True])
def test_adds_are_the_same_in_text_and_back(as_joker):
    seen = set()
    for meld in ALL_SETS + ALL_RUNS:
        for end, _, fitting in free_places(meld):
            move = Move(actions.add_id(end, fitting, as_joker), 1)
            table = [TABLE[0], meld]
            assert parse_move(move_text(move, table), table) == move
            seen.add(move.action)
    # Every add of the space, but those that no meld can take: an ace always lies at an end of a
    # run, a 2 is never above a K, a 3 never an upper end of two cards, and so on.
    assert {actions.add_id(0, c, as_joker) for c in range(52)} <= seen
    assert len(seen) == 52 + 4 * (11 + 11)


def test_swaps_are_the_same_in_text_and_back():
    seen = set()
    for meld in ALL_SETS + ALL_RUNS:
        for place in range(14):
            if not meld.places >> place & 1:
                continue
            one = Meld(meld.kind, meld.base, meld.places, 1 << place)
            move = Move(actions.swap_id(meld.kind, meld.card_at(place)), 0)
            assert parse_move(move_text(move, [one]), [one]) == move
            seen.add(move.action)
    assert seen == set(range(actions.SWAP_ID, actions.TARGET_ID))


def test_low_is_written_only_where_both_ends_take_an_ace():
    ace = card("AS")
    table = [TWO_TO_KING, parse_meld("2S 3S 4S"), parse_meld("JS QS KS")]
    assert move_text(Move(actions.add_id(ON_LOW, ace), 0), table) == "add AS 0 low"
    assert move_text(Move(actions.add_id(ON_HIGH, ace), 0), table) == "add AS 0"
    assert move_text(Move(actions.add_id(ON_LOW, ace, True), 0), table) == "add AS* 0 low"
    assert move_text(Move(actions.add_id(ON_LOW, ace), 1), table) == "add AS 1"
    assert parse_move("add AS 1", table) == Move(actions.add_id(ON_LOW, ace), 1)
    assert parse_move("add AS 2", table) == Move(actions.add_id(ON_HIGH, ace), 2)


def test_melds_are_written_upwards_and_in_suit_order():
    assert move_text(parse_move("meld TD 8D 9D*", []), []) == "meld 8D 9D* TD"
    assert move_text(parse_move("meld 4D 4C 4H*", []), []) == "meld 4H* 4D 4C"
    assert move_text(parse_move("meld AH QH KH", []), []) == "meld QH KH AH"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("  DRAW ", "draw"),
        ("discard 10d", "discard TD"),
        ("Discard k\u2666", "discard KD"),
        ("discard *", "discard *"),
        ("discard joker", "discard *"),
        ("meld 7s 7\u2665 7d", "meld 7S 7H 7D"),
        ("add 8s 0", "add 8S 0"),
        ("ADD 8s* 0", "add 8S* 0"),
        ("swap 10d 1", "swap TD 1"),
    ],
)
def test_what_people_type(typed, text):
    assert move_text(parse_move(typed, TABLE), TABLE) == text


def test_a_bare_joker_in_a_meld_takes_the_reading_of_the_highest_value():
    assert move_text(parse_move("meld * 5S 6S", []), []) == "meld 5S 6S 7S*"
    assert move_text(parse_move("meld 7D 7C *", []), []) == "meld 7S* 7D 7C"
    assert move_text(parse_move("meld KH * AH", []), []) == "meld QH* KH AH"


def test_a_joker_may_be_written_out():
    for short, long in (("add * 0", "add joker 0"), ("discard *", "discard joker")):
        assert parse_move(long, TABLE) == parse_move(short, TABLE)


def test_a_bare_joker_takes_the_place_of_the_highest_value_on_a_meld():
    assert move_text(parse_move("add * 0", TABLE), TABLE) == "add 8S* 0"
    assert move_text(parse_move("add * 2", TABLE), TABLE) == "add 7C* 2"
    table = [parse_meld("2S 3S 4S"), TWO_TO_KING, parse_meld("7H 7D 7C")]
    assert move_text(parse_move("add * 0", table), table) == "add 5S* 0"
    assert move_text(parse_move("add * 1", table), table) == "add AS* 1"
    assert move_text(parse_move("add * 1 low", table), table) == "add AS* 1 low"
    assert move_text(parse_move("add * 2", table), table) == "add 7S* 2"
    high_low_ace = Rules.preset("browser", ace_low_value=11)
    assert move_text(parse_move("add * 0", table, high_low_ace), table) == "add AS* 0"


def grown(moves):
    """The meld that a series of moves of `meld_moves` lays."""
    meld = actions.action_meld(moves[0].action)
    for move in moves[1:]:
        end, card, as_joker = actions.action_add(move.action)
        place = next(p for e, p, c in free_places(meld) if (e, c) == (end, card))
        bit = 1 << place
        meld = Meld(meld.kind, meld.base, meld.places | bit, meld.jokers | bit * as_joker)
    return meld


def test_a_longer_meld_is_three_cards_and_what_they_grow_by():
    for meld in ALL_SETS + ALL_RUNS:
        moves = meld_moves(meld, 4)
        assert len(moves) == len(meld) - 2
        assert grown(moves) == meld
        assert all(move.meld == 4 for move in moves[1:])


def test_a_longer_meld_with_jokers_starts_where_it_has_most_naturals():
    for text in ("5S* 6S* 7S 8S 9S", "5S* 6S* 7S* 8S", "AS* 2S 3S 4S*", "7S* 7H* 7D* 7C"):
        meld = parse_meld(text)
        moves = meld_moves(meld, 0)
        assert grown(moves) == meld
        assert actions.action_meld(moves[0].action).num_jokers <= 2
    moves = parse_moves("meld 5S* 6S* 7S 8S 9S", TABLE)
    assert move_text(moves[0], TABLE) == "meld 7S 8S 9S"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a move: ''"),
        ("fold", "not a move: 'fold'"),
        ("draw 8S", "not a move"),
        ("discard", "not a move"),
        ("discard 8S 9S", "not a move"),
        ("discard 1S", "not a card: '1S'"),
        ("discard 8S*", "not a card"),
        ("meld", "not a move"),
        ("meld 8S 9S", "at least 3 cards"),
        ("meld 8S 9S 9H", "neither a set nor a run"),
        ("meld * * *", "jokers alone"),
        ("meld 5S* 6S* 7S*", "jokers alone"),
        ("add 8S", "not a move"),
        ("add 8S x", "not a meld number: 'x'"),
        ("add 8S -1", "not a meld number: '-1'"),
        ("add 8S \u00b2", "not a meld number"),
        ("add 8S 3", "no meld 3 on the table (0-2 there)"),
        ("add 9S 0", "9S does not fit meld 0: 5S 6S 7S"),
        ("add 8S 0 low", "not an end: 'low'"),
        ("add 8S 0 high", "not an end: 'high'"),
        ("swap TD", "not a move"),
        ("swap * 1", "a joker is swapped for a natural card"),
        ("swap TD 7", "no meld 7"),
    ],
)
def test_what_is_no_move_is_refused_in_one_line(text, message):
    with pytest.raises((InvalidNotationError, InvalidMeldError)) as error:
        parse_moves(text, TABLE)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_one_move_is_not_several():
    with pytest.raises(InvalidNotationError, match="more than one move"):
        parse_move("meld 5S 6S 7S 8S", [])


def test_a_target_is_no_move_and_a_meld_that_is_not_there_has_no_text():
    with pytest.raises(ValueError, match="no whole move"):
        move_text(Move(actions.TARGET_ID), TABLE)
    with pytest.raises(InvalidNotationError, match="no meld 3"):
        move_text(Move(actions.SWAP_ID, 3), TABLE)


def test_texts_of_melds_on_the_table_stay_as_they_are():
    for meld in ALL_SETS + ALL_RUNS:
        if len(meld) < 14:  # from ace to ace one of them must be a joker
            assert parse_meld(meld_text(meld)) == meld
