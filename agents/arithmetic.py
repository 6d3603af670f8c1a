"""Exact rummy arithmetic by bits: what a hand is worth after its best use, and what would help it.

A *rest* is what stays of a hand when the melds that take most points off it are taken out. An
*out* is a natural card that, drawn, would make a new meld with two natural cards of the rest; it is
*live* while copies of it are unseen. Sets of card types are uint64 masks (bit = card 0..51).
"""

import numpy as np

from scala40_env.agents.hand_value import card_points, plan_melds
from scala40_env.engine.arrange import NUM_JOKERS, SIZE, VALUE, cards_value
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import CARD_VALUES, JOKER, JOKER_IN_HAND
from scala40_env.engine.table import rank_places, suit_places
from scala40_env.engine.tables import NUM_PLACES, RANK_VALUE

REST = np.dtype(
    [
        ("once", "u8"),  # natural card types of which a card stays in the hand
        ("twice", "u8"),  # ... of which two stay
        ("jokers", "i8"),  # jokers that stay
        ("cards", "i8"),  # how many cards stay
        ("left", "i8"),  # what they cost in hand
        ("value", "i8"),  # what the melds taken out count to an opening
    ],
    align=True,
)

_PLACES_13 = 0x1FFF


@kernel
def count_bits(mask):
    """How many bits of a uint64 are set."""
    x = mask - ((mask >> np.uint64(1)) & np.uint64(0x5555555555555555))
    two = np.uint64(0x3333333333333333)
    x = (x & two) + ((x >> np.uint64(2)) & two)
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def has(mask, card):
    """Whether a natural card is in a mask."""
    return (mask >> np.uint64(card)) & np.uint64(1) != 0


@kernel
def measure(s, bot, rest):
    """Find the best use of the hand of the seat to move and write what it leaves.

    Args:
        s: a game or view in phase PLAY.
        bot: BOT_WORK record; ``bot.plan`` holds the melds found.
        rest: a REST record, overwritten.

    Returns:
        The number of melds.
    """
    p = np.int64(s.player)
    count = plan_melds(s, bot, 0.0, 1.0, np.float64(s.rules[JOKER_IN_HAND]), np.int64(0))
    once, twice = s.held_once[p], s.held_twice[p]
    jokers, cards, value = np.int64(s.hands[p, JOKER]), np.int64(s.hand_size[p]), np.int64(0)
    for j in range(count):
        row, mask = bot.search.melds[bot.plan[j]], bot.search.masks[bot.plan[j]]
        once = (once & ~mask) | (twice & mask)
        twice &= ~mask
        jokers -= row[NUM_JOKERS]
        cards -= row[SIZE]
        value += row[VALUE]
    rest.once, rest.twice, rest.jokers = once, twice, jokers
    rest.cards, rest.value = cards, value
    joker_points = jokers * np.int64(s.rules[JOKER_IN_HAND])
    rest.left = cards_value(s, once) + cards_value(s, twice) + joker_points
    return count


@kernel
def drop_card(s, rest, card):
    """Take a natural card that is in the rest out of it."""
    bit = np.uint64(1) << np.uint64(card)
    if rest.twice & bit:
        rest.twice &= ~bit
    else:
        rest.once &= ~bit
    rest.cards -= 1
    rest.left -= card_points(s, card)


@kernel
def find_outs(cards):
    """The natural cards that make a meld with two others of a set of cards."""
    a = np.int64(cards) & _PLACES_13
    b = np.int64(cards >> np.uint64(13)) & _PLACES_13
    c = np.int64(cards >> np.uint64(26)) & _PLACES_13
    d = np.int64(cards >> np.uint64(39)) & _PLACES_13
    ab, cd = a & b, c & d
    outs = np.uint64(_run_outs(a) | (b & (c | d)) | cd)
    outs |= np.uint64(_run_outs(b) | (a & (c | d)) | cd) << np.uint64(13)
    outs |= np.uint64(_run_outs(c) | (d & (a | b)) | ab) << np.uint64(26)
    outs |= np.uint64(_run_outs(d) | (c & (a | b)) | ab) << np.uint64(39)
    return outs


@kernel
def _run_outs(ranks):
    """The ranks of a suit that make a run of three with two ranks held; the ace at both ends."""
    places = ranks | (ranks & 1) << 13
    beside, around = places & places >> 1, places & places >> 2
    outs = beside >> 1 | beside << 2 | around << 1
    return (outs | outs >> 13 & 1) & _PLACES_13


@kernel
def live_copies(mask, unseen_once, unseen_twice):
    """How many unseen cards a mask of card types stands for."""
    return count_bits(mask & unseen_once) + count_bits(mask & unseen_twice)


@kernel
def out_value(s, cards, card):
    """The most that a natural card and two of a set of cards count as a meld; 0: no meld."""
    rank, suit = card % 13, card // 13
    others = cards & ~(np.uint64(1) << np.uint64(card))
    graded, best = s.rules[CARD_VALUES], np.int64(0)
    if NUM_PLACES[rank_places(others, rank)] >= 2:
        best = 3 * RANK_VALUE[graded, rank]
    places = suit_places(others, suit)
    best = max(best, _run_value(graded, places, rank))
    return max(best, _run_value(graded, places, np.int64(13))) if rank == 0 else best


@kernel
def _run_value(graded, places, place):
    """The value of the best run of three with a card at ``place``; the low ace counts 1."""
    best = np.int64(0)
    for low in range(max(place - 2, 0), min(place, 11) + 1):
        wanted = 0b111 << low & ~(1 << place)
        if places & wanted != wanted:
            continue
        value = np.int64(0)
        for at in range(low, low + 3):
            value += 1 if at == 0 else RANK_VALUE[graded, at % 13]
        best = max(best, value)
    return best


@kernel
def opening_outs(s, rest, outs, unseen, need):
    """How many unseen cards would lift the melds of a hand to ``need`` points.

    Args:
        rest: a REST record.
        outs: uint64 mask of the outs of the rest.
        unseen: int8[53], unseen cards by type.
    """
    if rest.value >= need:
        return live_total(outs, unseen)
    total, left = np.int64(0), outs
    for card in range(52):
        if has(left, card) and unseen[card] > 0:
            if rest.value + out_value(s, rest.once, card) >= need:
                total += unseen[card]
    return total


@kernel
def live_total(mask, unseen):
    """The sum of the unseen copies over a mask of card types."""
    total = np.int64(0)
    for card in range(52):
        if has(mask, card):
            total += unseen[card]
    return total


@kernel
def pairs_with(card, counts):
    """How many pairs of other cards make a meld of three with a natural card.

    Args:
        counts: int8[53], how many cards of each type there are to choose from.
    """
    rank, suit = card % 13, card // 13
    others = np.int64(0)
    squares = np.int64(0)
    for k in range(4):
        if k != suit:
            copies = np.int64(counts[k * 13 + rank])
            others += copies
            squares += copies * copies
    pairs = (others * others - squares) // 2
    pairs += _run_pairs(suit * 13, rank, counts)
    return pairs + _run_pairs(suit * 13, np.int64(13), counts) if rank == 0 else pairs


@kernel
def _run_pairs(first, place, counts):
    """Pairs that make a run of three with the card at ``place`` 0..13 of a suit."""
    pairs = np.int64(0)
    for low in range(max(place - 2, 0), min(place, 11) + 1):
        ways = np.int64(1)
        for at in range(low, low + 3):
            if at != place:
                ways *= np.int64(counts[first + at % 13])
        pairs += ways
    return pairs


@kernel
def near_cards(card):
    """The natural cards that could stand in a meld of three with this one, as a mask."""
    rank, suit = card % 13, card // 13
    mask = np.uint64(0)
    for k in range(4):
        if k != suit:
            mask |= np.uint64(1) << np.uint64(k * 13 + rank)
    for step in range(-2, 3):
        at = rank + step
        if rank == 0 and step < 0:
            at = 13 + step
        if step != 0 and 0 <= at <= 13:
            mask |= np.uint64(1) << np.uint64(suit * 13 + at % 13)
    return mask
