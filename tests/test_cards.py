"""Card numbers and card texts, each pair over its whole domain."""

from __future__ import annotations

import pytest

from scala40_env.cards import (
    DECK_COUNTS,
    JOKER,
    NUM_CARD_TYPES,
    NUM_CARDS,
    NUM_NATURALS,
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    InvalidNotationError,
    card_symbol,
    card_text,
    make_card,
    parse_card,
    rank_of,
    suit_of,
)


def test_card_text_and_parse_card_are_inverse():
    texts = [card_text(card) for card in range(NUM_CARD_TYPES)]
    assert [parse_card(text) for text in texts] == list(range(NUM_CARD_TYPES))
    assert len(set(texts)) == NUM_CARD_TYPES


def test_make_card_and_rank_suit_are_inverse():
    for card in range(NUM_NATURALS):
        assert make_card(rank_of(card), suit_of(card)) == card
    for rank in range(13):
        for suit in range(4):
            card = make_card(rank, suit)
            assert (rank_of(card), suit_of(card)) == (rank, suit)
            assert card_text(card) == RANKS[rank] + SUITS[suit]


def test_screen_symbols_are_read_back():
    for card in range(NUM_NATURALS):
        assert parse_card(card_symbol(card)) == card
    assert card_symbol(parse_card("TD")) == "10\u2666"
    assert card_symbol(JOKER) == "\u2605"


@pytest.mark.parametrize("suit", range(4))
def test_suit_symbols_and_lower_case_are_read(suit):
    for rank, letter in enumerate(RANKS):
        card = make_card(rank, suit)
        assert parse_card(letter + SUIT_SYMBOLS[suit]) == card
        assert parse_card((letter + SUITS[suit]).lower()) == card


@pytest.mark.parametrize("text", ["10D", "10d", "td", " TD ", "10\u2666", "T\u2662"])
def test_ten_can_be_written_in_many_ways(text):
    assert card_text(parse_card(text)) == "TD"


@pytest.mark.parametrize("text", ["*", "joker", "Joker", " JOKER "])
def test_joker_can_be_written_as_a_word(text):
    assert parse_card(text) == JOKER


@pytest.mark.parametrize(
    "text", ["", " ", "1D", "11D", "10", "D", "T", "DT", "TDD", "T D", "9D*", "**", "\u00df"]
)
def test_a_text_that_is_no_card_is_named_in_one_line(text):
    with pytest.raises(InvalidNotationError) as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("card", [-1, 53, 100])
def test_numbers_outside_the_deck_are_refused(card):
    for function in (card_text, card_symbol, rank_of, suit_of):
        with pytest.raises(ValueError, match=str(card)):
            function(card)


def test_a_joker_has_neither_rank_nor_suit():
    for function in (rank_of, suit_of):
        with pytest.raises(ValueError, match="52"):
            function(JOKER)


@pytest.mark.parametrize(("rank", "suit"), [(-1, 0), (13, 0), (0, -1), (0, 4)])
def test_make_card_refuses_what_is_out_of_range(rank, suit):
    with pytest.raises(ValueError, match="is not in"):
        make_card(rank, suit)


def test_the_deck_is_two_packs_and_four_jokers():
    assert DECK_COUNTS.dtype == "int8"
    assert DECK_COUNTS.shape == (NUM_CARD_TYPES,)
    assert DECK_COUNTS.sum() == NUM_CARDS == 108
    assert DECK_COUNTS[JOKER] == 4
    assert (DECK_COUNTS[:JOKER] == 2).all()
    with pytest.raises(ValueError, match="read-only"):
        DECK_COUNTS[0] = 3
