"""Reading the table: which cards are still to come, what attaches, and what the next seat wants.

Sets of natural card types are uint64 masks, a bit for each type. All kernels look only at what a
view holds.
"""

import numpy as np

from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import JOKER, MAX_RUN, RUN, SET
from scala40_env.engine.table import rank_places, run_end_is_open, suit_places
from scala40_env.engine.tables import HIGHEST, LOWEST, NUM_PLACES

NATURALS = np.uint64((1 << 52) - 1)


@kernel
def card_bit(card):
    """The mask of one natural card type."""
    return np.uint64(1) << np.uint64(card)


@kernel
def meld_cards(kind, base, places):
    """The natural card types at some places of a meld."""
    if kind == RUN:
        ranks = (places | places >> 13) & 0x1FFF
        return np.uint64(ranks) << np.uint64(13 * base)
    mask = np.uint64(0)
    for suit in range(4):
        mask |= np.uint64(places >> suit & 1) << np.uint64(suit * 13 + base)
    return mask


@kernel
def unseen_cards(s, seat):
    """The natural cards that ``seat`` does not see: in the stock or in other hands.

    Returns:
        Two masks: types of which at least one card is unseen, and types of which both are.
    """
    once, twice = s.held_once[seat], s.held_twice[seat]
    for i in range(s.num_pile):
        if s.pile[i] != JOKER:
            bit = card_bit(np.int64(s.pile[i]))
            twice |= once & bit
            once |= bit
    for m in range(s.num_melds):
        places = np.int64(s.meld_places[m] & ~s.meld_jokers[m])
        cards = meld_cards(np.int64(s.meld_kind[m]), np.int64(s.meld_base[m]), places)
        twice |= once & cards
        once |= cards
    return ~twice & NATURALS, ~once & NATURALS


@kernel
def outs(unseen, card):
    """How many cards of a natural type are unseen (``unseen`` from ``unseen_cards``)."""
    c = np.uint64(card)
    return np.int64(unseen[0] >> c & np.uint64(1)) + np.int64(unseen[1] >> c & np.uint64(1))


@kernel
def attaching_cards(s):
    """The natural card types that could be laid off on the table now, by their shape."""
    mask = np.uint64(0)
    for m in range(s.num_melds):
        places, base = np.int64(s.meld_places[m]), np.int64(s.meld_base[m])
        if s.meld_kind[m] == SET:
            mask |= meld_cards(SET, base, ~places & 0b1111)
            continue
        low, high = np.int64(LOWEST[places]) - 1, np.int64(HIGHEST[places]) + 1
        if run_end_is_open(s, m, low, False):
            mask |= card_bit(base * 13 + low)
        if run_end_is_open(s, m, high, False):
            mask |= card_bit(base * 13 + high % 13)
    return mask


@kernel
def swappable_cards(s):
    """The natural card types for which a joker on the table stands."""
    mask = np.uint64(0)
    for m in range(s.num_melds):
        if s.meld_jokers[m]:
            kind, base = np.int64(s.meld_kind[m]), np.int64(s.meld_base[m])
            mask |= meld_cards(kind, base, np.int64(s.meld_jokers[m]))
    return mask


@kernel
def add_second_places(s, cards, unseen, worth, use):
    """Add to ``use`` what the cards two beyond an end of a run are worth.

    Such a card can be laid off once the card between has come: ``worth`` for each unseen one of
    those, or twice where it is in the hand.

    Args:
        cards: uint64 mask of the hand.
        use: float64[53], added to.
    """
    for m in range(s.num_melds):
        places = np.int64(s.meld_places[m])
        if s.meld_kind[m] == SET or NUM_PLACES[places] + 2 > s.rules[MAX_RUN]:
            continue
        base = np.int64(s.meld_base[m]) * 13
        low, high = np.int64(LOWEST[places]), np.int64(HIGHEST[places])
        if low >= 2:
            use[base + low - 2] += worth * _bridge(cards, unseen, base + low - 1)
        if high <= 11:
            use[base + (high + 2) % 13] += worth * _bridge(cards, unseen, base + high + 1)


@kernel
def _bridge(cards, unseen, card):
    return 2 if cards & card_bit(card) else outs(unseen, card)


@kernel
def kin_in(cards, card):
    """How many card types of a mask are kin of a card: its rank, or within two in its suit."""
    rank, suit = card % 13, card // 13
    others = cards & ~card_bit(card)
    count = np.int64(NUM_PLACES[rank_places(others, rank)])
    places = suit_places(others, suit) << 2
    count += np.int64(NUM_PLACES[places >> rank & 0b11111])
    if rank == 0:
        count += np.int64(NUM_PLACES[places >> 13 & 0b111])
    return count
