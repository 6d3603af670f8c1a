"""Arranging a hand into melds: which whole melds it holds, and how those of this turn can grow.

A candidate is a whole meld (a set of 3-4, a run of 3-14) that the hand could lay, or a growth of
a meld laid in this turn. Its natural cards are a 52-bit mask of card types, so that a hand is two
masks (types held at least once, and twice) and taking a meld out of it a few bit operations.

A joker's place inside a candidate is fixed by the cards around it; at an end it goes where it is
worth most, since only points matter here.
"""

import numpy as np

from .kernel import kernel
from .state import (
    ACE_LOW_VALUE,
    CARD_VALUES,
    JOKER,
    MAX_RUN,
    MIN_NATURALS,
    OPENING_JOKER,
    RUN,
    SET,
)
from .table import joker_limit, places_value, rank_places, run_starts, set_ranks, suit_places
from .tables import HIGHEST, LOWEST, NUM_PLACES, SUIT_VALUE
from .work import MAX_CANDIDATES

# Columns of ``work.melds``.
VALUE, NUM_JOKERS, SIZE, KIND, BASE, PLACES, JOKERS, SHARED = 0, 1, 2, 3, 4, 5, 6, 7

_OVERFLOW = -1
_LOW_ACE = 1
_HIGH_ACE = 1 << 13


@kernel
def natural_mask(kind, base, places):
    """The card types at some places of a meld."""
    mask = np.uint64(0)
    rest = places
    while rest:
        place = np.int64(LOWEST[rest])
        card = place * 13 + base if kind == SET else base * 13 + place % 13
        mask |= np.uint64(1) << np.uint64(card)
        rest &= rest - 1
    return mask


@kernel
def _count_value(s, kind, base, places, jokers, laid):
    """What a meld counts to the opening at most while it is laid card by card.

    With ``opening_joker`` off, a meld with a joker counts nothing. But what counts without its
    jokers may go down first: once that has opened the player, the jokers may follow.

    Args:
        laid: the places that lie already, 0 for a new meld.
    """
    if jokers == 0 or s.rules[OPENING_JOKER]:
        return places_value(s, kind, base, places)
    rest, most = places & ~jokers, 0
    while rest:
        part = rest if kind == SET else rest & ~(rest + (rest & -rest))  # up to the first gap
        rest &= ~part
        if NUM_PLACES[part] >= 3 and laid & ~part == 0:
            most = max(most, places_value(s, kind, base, part))
    return most


@kernel
def _add_candidate(s, work, n, kind, base, places, jokers):
    """Write candidate ``n``; its value is what it can count to the opening."""
    if n < 0 or n >= MAX_CANDIDATES:
        return _OVERFLOW
    row = work.melds[n]
    row[VALUE] = _count_value(s, kind, base, places, jokers, 0)
    row[NUM_JOKERS] = NUM_PLACES[jokers]
    row[SIZE] = NUM_PLACES[places]
    row[KIND], row[BASE], row[PLACES], row[JOKERS] = kind, base, places, jokers
    work.masks[n] = natural_mask(kind, base, places & ~jokers)
    return n + 1


@kernel
def _list_sets(s, work, n, rank, present, jokers):
    """Append the sets of one rank: any of its natural suits, jokers for the first missing."""
    for naturals in range(1, 16):
        if naturals & ~present or NUM_PLACES[naturals] < s.rules[MIN_NATURALS]:
            continue
        fill, count = 0, 0
        while count <= jokers:
            if NUM_PLACES[naturals] + count >= 3:
                n = _add_candidate(s, work, n, SET, rank, naturals | fill, fill)
            missing = 0b1111 & ~(naturals | fill)
            if missing == 0:
                break
            fill |= missing & -missing
            count += 1
    return n


@kernel
def _list_runs(s, work, n, suit, naturals, spare, jokers):
    """Append the runs of one suit.

    Args:
        naturals: places that natural cards can fill; the ace at both ends.
        spare: places whose natural card may be wanted elsewhere, so that a joker may stand there.
        jokers: how many jokers one run may have.
    """
    for low in range(14):
        if not naturals >> low & 1:
            continue
        frames = work.frames
        frames[0, 0], frames[0, 1], frames[0, 2] = low, 1 << low, 0
        top = 1
        while top > 0:
            top -= 1
            high, places, stand = frames[top, 0], frames[top, 1], frames[top, 2]
            n = _emit_run(s, work, n, suit, low, high, places, stand, jokers)
            up = high + 1
            if up > 13 or up - low >= s.rules[MAX_RUN]:
                continue
            bit = 1 << up
            both_aces = up == 13 and low == 0 and not stand & _LOW_ACE
            if naturals & bit and not both_aces:
                frames[top, 0], frames[top, 1], frames[top, 2] = up, places | bit, stand
                top += 1
            if NUM_PLACES[stand] < jokers and (not naturals & bit or spare & bit or both_aces):
                frames[top, 0], frames[top, 1], frames[top, 2] = up, places | bit, stand | bit
                top += 1
    return n


@kernel
def _emit_run(s, work, n, suit, low, high, places, stand, jokers):
    """Append one run, and where the low end can be worth more, the same with jokers below."""
    while True:
        if (
            NUM_PLACES[places] >= 3
            and NUM_PLACES[places & ~stand] >= s.rules[MIN_NATURALS]
            and NUM_PLACES[places] <= s.rules[MAX_RUN]
        ):
            n = _add_candidate(s, work, n, RUN, suit, places, stand)
        # A joker above is worth more than one below, unless there is no room above or the low
        # ace counts as a high one.
        if not (high == 13 or s.rules[ACE_LOW_VALUE] > 1) or low == 0:
            return n
        if NUM_PLACES[stand] >= jokers:
            return n
        low -= 1
        places |= 1 << low
        stand |= 1 << low


@kernel
def has_new_meld(s):
    """Whether a meld was laid in this turn."""
    for m in range(s.num_melds):
        if s.meld_new[m]:
            return True
    return False


@kernel
def list_candidates(s, seat, work):
    """List the whole melds of a hand.

    Args:
        s: the game; the hand of ``seat`` is looked at.
        work: the candidates go to ``work.masks`` and ``work.melds``, from 0.

    Returns:
        Their number, or -1 where there are too many to list (many jokers without a limit).
    """
    jokers = min(np.int64(s.hands[seat, JOKER]), joker_limit(s))
    once, twice = s.held_once[seat], s.held_twice[seat]
    n = 0
    in_sets = set_ranks(once, jokers)
    ranks = in_sets
    while ranks:
        rank = np.int64(LOWEST[ranks])
        ranks &= ranks - 1
        n = _list_sets(s, work, n, rank, rank_places(once, rank), jokers)
    in_sets |= (in_sets & _LOW_ACE) << 13
    # Where a natural and a joker could change places between two melds, one way is enough. The
    # other meld may be full of jokers, though: one more of the hand, or of a meld of this turn.
    may_be_full = s.hands[seat, JOKER] >= 2 or has_new_meld(s)
    for suit in range(4):
        naturals = suit_places(once, suit)
        if run_starts(naturals, min(jokers, 2)) == 0:
            continue
        # Two runs of a suit may want the same rank where it is long or has doubles.
        shares = may_be_full or suit_places(twice, suit) != 0
        shares = shares or NUM_PLACES[naturals & 0x1FFF] >= 5
        n = _list_runs(s, work, n, suit, naturals, 0x3FFF if shares else in_sets, jokers)
    return n


@kernel
def cards_value(s, cards):
    """Points of a set of natural cards at their highest.

    Args:
        cards: uint64 mask of card types.
    """
    graded, points = s.rules[CARD_VALUES], np.int64(0)
    for suit in range(4):
        points += SUIT_VALUE[graded, np.int64(cards >> np.uint64(13 * suit)) & 0x1FFF]
    return points


# --- growing the melds of this turn ------------------------------------------------------------


@kernel
def _add_growth(s, work, n, m, places, jokers):
    """Write a growth of meld ``m``: the cards added, and by how much its points rise."""
    if NUM_PLACES[places & ~jokers] < s.rules[MIN_NATURALS]:
        return n
    kind, base = np.int64(s.meld_kind[m]), np.int64(s.meld_base[m])
    old_places, old_jokers = np.int64(s.meld_places[m]), np.int64(s.meld_jokers[m])
    n = _add_candidate(s, work, n, kind, base, places & ~old_places, jokers & ~old_jokers)
    if n > 0:
        work.melds[n - 1, VALUE] = _count_value(
            s, kind, base, places, jokers, old_places
        ) - _count_value(s, kind, base, old_places, old_jokers, old_places)
        work.melds[n - 1, SHARED] = 0
    return n


@kernel
def list_growths(s, work, n, m, once, jokers):
    """Append all growths of meld ``m``, first at the low end, then at the high one."""
    kind, base = np.int64(s.meld_kind[m]), np.int64(s.meld_base[m])
    start, frames, top = np.int64(s.meld_places[m]), work.frames, 1
    frames[0, 0], frames[0, 1], frames[0, 2] = start, s.meld_jokers[m], 0
    most = min(joker_limit(s), NUM_PLACES[s.meld_jokers[m]] + jokers)
    while top > 0:
        top -= 1
        places, stand, side = frames[top, 0], frames[top, 1], frames[top, 2]
        if places != start:
            n = _add_growth(s, work, n, m, places, stand)
        # A set takes its missing suits in ascending order; a run its low end, then its high one.
        for place in range(side, 4) if kind == SET else range(side, 2):
            if kind == SET:
                if places >> place & 1:
                    continue
                card, then = place * 13 + base, place + 1
                bit, room = 1 << place, True
            else:
                at = np.int64(LOWEST[places] - 1 if place == 0 else HIGHEST[places] + 1)
                room = 0 <= at <= 13 and NUM_PLACES[places] < s.rules[MAX_RUN]
                card, then = base * 13 + at % 13, place
                bit = 1 << at if room else 0
            if not room:
                continue
            aces = (places | bit) & (_LOW_ACE | _HIGH_ACE)
            both = kind == RUN and aces == _LOW_ACE | _HIGH_ACE and not stand & aces
            if once >> np.uint64(card) & np.uint64(1) and not both:
                frames[top, 0], frames[top, 1], frames[top, 2] = places | bit, stand, then
                top += 1
            if NUM_PLACES[stand] < most:
                frames[top, 0], frames[top, 1], frames[top, 2] = places | bit, stand | bit, then
                top += 1
    return n
