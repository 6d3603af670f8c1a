"""Melds: their text, value and shape, after the rules' own examples."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scala40_env.cards import InvalidNotationError, card_text
from scala40_env.melds import (
    HIGH_ACE,
    LOW_ACE,
    RUN,
    SET,
    InvalidMeldError,
    Meld,
    check_meld,
    meld_text,
    meld_value,
    parse_meld,
    place_value,
    rank_points,
    three_card_melds,
)
from scala40_env.rules import Rules

STANDARD = Rules.preset("browser")
GRADED = Rules.preset("browser", card_values="graded")
MANY_JOKERS = Rules.preset("browser", jokers_per_meld=0, min_naturals=1)
FULL_RUN = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"


def all_natural_melds() -> list[Meld]:
    """Return every set and every run of 3 to 13 cards, without jokers."""
    suits = [0b0111, 0b1011, 0b1101, 0b1110, 0b1111]
    sets = [Meld(SET, rank, mask) for rank in range(13) for mask in suits]
    runs = [
        Meld(RUN, suit, ((1 << length) - 1) << low)
        for suit in range(4)
        for length in range(3, 14)
        for low in range(15 - length)
    ]
    return sets + runs


def all_melds(max_jokers: int) -> list[Meld]:
    """Return every meld of up to 13 cards and the full runs, with 0..max_jokers jokers."""
    naturals = all_natural_melds() + [Meld(RUN, suit, (1 << 14) - 1) for suit in range(4)]
    return [
        Meld(meld.kind, meld.base, meld.places, jokers)
        for meld in naturals
        for jokers in range(1 << 14)
        if jokers & ~meld.places == 0 and jokers.bit_count() <= max_jokers
    ]


def test_there_are_700_three_card_melds():
    melds = three_card_melds()
    assert len(melds) == len(set(melds)) == 700
    assert sum(meld.num_jokers == 0 for meld in melds) == 100
    assert sum(meld.num_jokers == 0 and meld.kind == SET for meld in melds) == 52
    for meld in melds:
        check_meld(meld, MANY_JOKERS)
        assert len(meld) == 3


def test_text_and_parse_are_inverse_for_every_meld_with_up_to_one_joker():
    melds = all_melds(max_jokers=1)
    texts = {meld_text(meld) for meld in melds}
    assert len(texts) == len(melds)
    for meld in melds:
        assert parse_meld(meld_text(meld)) == meld


def test_text_and_parse_are_inverse_for_all_three_card_melds():
    for meld in three_card_melds():
        assert parse_meld(meld_text(meld)) == meld
        assert parse_meld(meld_text(meld).split()) == meld


def test_three_card_melds_may_be_written_in_any_order():
    for meld in three_card_melds():
        for order in permutations(meld_text(meld).split()):
            assert parse_meld(list(order)) == meld


def test_cards_say_where_a_joker_stands():
    cards = parse_meld("8D 9D* TD").cards()
    assert [(card_text(card), joker) for card, joker in cards] == [
        ("8D", False),
        ("9D", True),
        ("TD", False),
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10d 9♦* 8D", "8D 9D* TD"),
        ("7d* 7h 7s", "7S 7H 7D*"),
        ("AH KH QH", "QH KH AH"),
        ("3C AC 2C", "AC 2C 3C"),
    ],
)
def test_human_input_is_put_in_order(text, written):
    assert meld_text(parse_meld(text)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("QS KS *", "QS KS AS*"),  # 31, not 30 with the jack
        ("8D * TD", "8D 9D* TD"),
        ("* 8D 9D", "8D 9D TD*"),  # the highest value, wherever the star is written
        ("2H 3H *", "2H 3H 4H*"),
        ("KD KC *", "KS* KD KC"),  # the first missing suit
        ("7S 7H joker", "7S 7H 7D*"),
        ("6S 6H 6D *", "6S 6H 6D 6C*"),
        ("4C 5C 7C *", "4C 5C 6C* 7C"),
    ],
)
def test_a_bare_joker_takes_the_reading_of_the_highest_value(text, written):
    assert meld_text(parse_meld(text)) == written


def test_a_bare_joker_never_makes_a_run_that_is_too_long():
    assert meld_text(parse_meld(FULL_RUN[:-2] + "*")) == FULL_RUN[:-2] + "AC*"
    with pytest.raises(InvalidMeldError):
        check_meld(parse_meld("3S 4S 5S *", Rules(max_run=3)), Rules(max_run=3))


def test_two_bare_jokers_prefer_what_the_rules_allow():
    assert meld_text(parse_meld("5S * *", MANY_JOKERS)) == "5S 6S* 7S*"
    assert meld_text(parse_meld("5S 5H * *", MANY_JOKERS)) == "5S 5H 5D* 5C*"


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", True),
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", False),
        ("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS", True),
        ("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", False),
    ],
)
def test_where_an_ace_fits_at_both_ends_the_written_order_decides(text, low):
    meld = parse_meld(text)
    assert bool(meld.places >> LOW_ACE & 1) == low
    assert bool(meld.places >> HIGH_ACE & 1) != low


@pytest.mark.parametrize("text", ["AC*" + FULL_RUN[2:], FULL_RUN + "*"])
def test_a_run_of_14_keeps_its_joker_at_the_written_end(text):
    meld = parse_meld(text)
    check_meld(meld)
    assert meld_text(meld) == text
    assert parse_meld(text.split()[::-1]) == meld


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AS AH AD AC", 44),
        ("QH KH AH", 31),
        ("AC 2C 3C", 6),
        ("QS KS AS*", 31),
        ("2D 3D 4D 5D 6D 7D 8D", 35),
        ("9C TC JC QC", 39),
        ("JS QS KS*", 30),
        (FULL_RUN + "*", 96),
        ("TH JH QH KH*", 40),
    ],
)
def test_value_of_a_meld(text, value):
    assert meld_value(parse_meld(text)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("JD QD KD AD", 50), ("AD 2D 3D", 6), ("AS AH AD", 42), ("QS KS AS", 39), ("9S TS JS*", 30)],
)
def test_value_of_a_meld_with_graded_values(text, value):
    assert meld_value(parse_meld(text), GRADED) == value


def test_a_low_ace_may_count_11():
    assert meld_value(parse_meld("AD 2D 3D"), Rules(ace_low_value=11)) == 16


def test_the_value_is_the_sum_of_the_places():
    for meld in all_natural_melds():
        places = [p for p in range(14) if meld.places >> p & 1]
        assert meld_value(meld) == sum(place_value(meld.kind, meld.base, p) for p in places)


def test_points_of_the_ranks():
    assert [rank_points(rank) for rank in range(13)] == [11, *range(2, 11), 10, 10, 10]
    assert [rank_points(rank, GRADED) for rank in range(13)] == [14, *range(2, 14)]


@pytest.mark.parametrize(
    "text",
    [
        "KS AS 2S",  # no way round the corner
        "KS AS* 2S",
        "9S 9S 9H",  # two copies of one card
        "7S 7H 7S*",
        "7S 7H 7D 7C *",
        "5D 6D 7H",
        "* * *",
        "3S 5S 6S",
        "AS 2S 3S AS",
        "AS AS AS 2S",
        "8S 9S",
        "",
        FULL_RUN + " *",
    ],
)
def test_cards_that_make_no_meld_are_refused(text):
    with pytest.raises(InvalidMeldError) as caught:
        parse_meld(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "bad"), [("8D 9X TD", "9X"), ("8D ** TD", "**")])
def test_a_word_that_is_no_card_is_named(text, bad):
    with pytest.raises(InvalidNotationError) as caught:
        parse_meld(text)
    assert bad in str(caught.value)


@pytest.mark.parametrize(
    ("meld", "reason"),
    [
        (Meld(2, 0, 0b111), "kind 2"),
        (Meld(SET, 13, 0b111), "base 13"),
        (Meld(RUN, 4, 0b111), "base 4"),
        (Meld(SET, 0, 0), "places"),
        (Meld(SET, 0, 0b10111), "places"),
        (Meld(RUN, 0, 1 << 14), "places"),
        (Meld(SET, 0, 0b111, 0b1000), "jokers"),
        (Meld(SET, 0, 0b11), "at least 3"),
        (Meld(RUN, 0, 0b1011), "in a row"),
        (Meld(RUN, 0, 0b111, 0b111), "jokers alone"),
        (Meld(RUN, 0, (1 << 14) - 1), "two aces"),
        (Meld(RUN, 0, (1 << 14) - 1, 0b10), "two aces"),
        (Meld(RUN, 0, 0b1111, 0b11), "2 jokers"),
        (Meld(SET, 0, 0b111, 0b011), "2 jokers"),
    ],
)
def test_check_meld_names_what_is_wrong(meld, reason):
    with pytest.raises(InvalidMeldError, match=reason):
        check_meld(meld)


def test_check_meld_follows_the_rules():
    run_of_six = parse_meld("4S 5S 6S 7S 8S 9S")
    two_jokers = parse_meld("5S 6S* 7S*")
    check_meld(run_of_six)
    check_meld(two_jokers, MANY_JOKERS)
    check_meld(parse_meld("5S 6S* 7S* 8S"), Rules(jokers_per_meld=2))
    with pytest.raises(InvalidMeldError, match="run of 6, at most 5"):
        check_meld(run_of_six, Rules(max_run=5))
    with pytest.raises(InvalidMeldError, match="fewer than 2 natural"):
        check_meld(two_jokers, Rules(jokers_per_meld=2))


def test_every_meld_with_at_most_one_joker_is_allowed_but_full_natural_runs():
    for meld in all_melds(max_jokers=1):
        full = len(meld) == 14 and not meld.jokers & (1 << LOW_ACE | 1 << HIGH_ACE)
        if full:
            with pytest.raises(InvalidMeldError):
                check_meld(meld)
        else:
            check_meld(meld)


@given(
    st.sampled_from(all_natural_melds()).flatmap(
        lambda meld: st.tuples(
            st.just(meld),
            st.lists(st.booleans(), min_size=len(meld), max_size=len(meld)),
            st.permutations(range(len(meld))),
        )
    )
)
def test_any_meld_is_read_in_any_order(drawn):
    meld, starred, order = drawn
    words = [
        card_text(card) + "*" * star
        for (card, _), star in zip(meld.cards(), starred, strict=True)
    ]
    found = parse_meld([words[i] for i in order])
    # A run of 13 with one ace has two readings; everything else has one.
    assert sorted(meld_text(found).split()) == sorted(words)
