"""Whether a hand that has not opened can: enough points in melds, or all its cards in them.

A glance by bit masks rules out most hands. For the others ``prepare_opening`` lists the candidates
of ``arrange`` once; ``opening`` searches them for the hand and for what a move leaves of it.
"""

import numpy as np

from .arrange import (
    NUM_JOKERS,
    SHARED,
    SIZE,
    VALUE,
    cards_value,
    has_new_meld,
    list_candidates,
    list_growths,
)
from .kernel import kernel
from .state import (
    ATTACH_CLOSING,
    HAND_CLOSE_EXEMPT,
    JOKER,
    JOKER_DISCARD,
    MIN_NATURALS,
    NONE,
    OPENING_MIN,
)
from .table import (
    joker_limit,
    naturals_missing,
    opening_points,
    recoverable_jokers,
    run_starts,
    set_ranks,
    suit_places,
)
from .work import NUM_VALUES

NO, YES, UNSURE = 0, 1, 2

# Entries of ``work.bounds``: the best candidate, the best one with a joker, and the mask of the
# card types that are in some candidate without one.
_BEST, _BEST_JOKER, _PLAIN = 0, 1, 2


@kernel
def _in_melds(cards):
    """The cards of a set of natural ones that are in a meld of three of them, as a mask."""
    ranks, found = set_ranks(cards, 0), np.uint64(0)
    for suit in range(4):
        places = suit_places(cards, suit)
        starts = run_starts(places, 0)
        in_run = starts | starts << 1 | starts << 2
        in_run |= in_run >> 13  # the ace above the king
        in_meld = (in_run | (ranks & places)) & 0x1FFF
        found |= np.uint64(in_meld) << np.uint64(13 * suit)
    return found


@kernel
def _most_points(s, once, twice, cards):
    """Points of all copies of some card types at their highest."""
    return cards_value(s, once & cards) + cards_value(s, twice & cards)


@kernel
def opening_is_out_of_reach(s, taken):
    """Whether a glance at the hand of a player who has laid nothing rules out an opening.

    Without jokers it is worth no more than its cards that are in a meld of three.

    Args:
        taken: a card type that comes to the hand, or NONE.
    """
    once, twice = s.held_once[s.player], s.held_twice[s.player]
    if s.hands[s.player, JOKER] > 0 or taken == JOKER or s.rules[HAND_CLOSE_EXEMPT] == 1:
        return False
    if taken != NONE:
        card = np.uint64(1) << np.uint64(taken)
        twice |= once & card
        once |= card
    return _most_points(s, once, twice, _in_melds(once)) < s.rules[OPENING_MIN]


@kernel
def _sort_candidates(work, n):
    """Fill ``work.order`` with the candidates by falling value."""
    buckets = work.buckets
    for value in range(NUM_VALUES):
        buckets[value] = 0
    for k in range(n):
        buckets[work.melds[k, VALUE]] += 1
    place = 0
    for value in range(NUM_VALUES - 1, -1, -1):
        count = buckets[value]
        buckets[value] = place
        place += count
    for k in range(n):
        value = work.melds[k, VALUE]
        work.order[buckets[value]] = k
        buckets[value] += 1


@kernel
def _bound_candidates(work, n):
    """Note the best candidate, the best one with a joker, and the cards in those without one."""
    plain, best, best_joker = np.uint64(0), 0, 0
    for k in range(n):
        row = work.melds[k]
        best = max(best, np.int64(row[VALUE]))
        if row[NUM_JOKERS] == 0:
            plain |= work.masks[k]
        else:
            best_joker = max(best_joker, np.int64(row[VALUE]))
    bounds = work.bounds
    bounds[_BEST], bounds[_BEST_JOKER], bounds[_PLAIN] = best, best_joker, np.int64(plain)


@kernel
def _plain_value(s, work):
    """The most that candidates without a joker can be worth together."""
    once, twice = s.held_once[s.player], s.held_twice[s.player]
    return _most_points(s, once, twice, np.uint64(work.bounds[_PLAIN]))


@kernel
def prepare_opening(s, work):
    """List, bound and sort the player's candidates for ``opening``.

    Returns:
        Their number, or -1 where there are too many; 0 also where all are worth too little.
    """
    n = list_candidates(s, np.int64(s.player), work)
    _bound_candidates(work, n)
    if n <= 0:
        return n
    if not s.rules[HAND_CLOSE_EXEMPT] and not has_new_meld(s):
        # Each joker adds the best candidate with one at most. That is still so after a first meld,
        # which uses up cards of candidates: the hand can open no more than before.
        jokers = np.int64(s.hands[s.player, JOKER])
        if _plain_value(s, work) + jokers * work.bounds[_BEST_JOKER] < s.rules[OPENING_MIN]:
            return 0
    for k in range(n):
        work.melds[k, SHARED] = cards_value(s, work.masks[k] & np.uint64(work.bounds[_PLAIN]))
    _sort_candidates(work, n)
    return n


# --- can the hand open? ------------------------------------------------------------------------

# Rows of ``work.levels`` in the search for an opening.
_CURSOR, _JOKERS, _LEFT, _POINTS, _MET, _RESERVE, _START, _END, _GROWTH = 0, 1, 2, 3, 4, 5, 6, 7, 8


@kernel
def _list_groups(s, work, n, once, jokers):
    """One group of growths for each meld of this turn; returns (groups, candidates or -1)."""
    levels = work.levels
    groups = 0
    for m in range(s.num_melds):
        if not s.meld_new[m]:
            continue
        first = n
        n = list_growths(s, work, n, m, once, jokers)
        if n < 0:
            return groups, n
        must_grow = naturals_missing(s, m)
        if n == first and not must_grow:
            continue
        levels[_START, groups] = first if must_grow else first - 1  # first - 1: no growth
        levels[_END, groups] = n
        best = 0
        for k in range(first, n):
            best = max(best, work.melds[k, VALUE])
        levels[_GROWTH, groups] = best
        groups += 1
    total = 0
    for group in range(groups - 1, -1, -1):  # what this group and the later ones can add
        total += levels[_GROWTH, group]
        levels[_GROWTH, group] = total
    levels[_GROWTH, groups] = 0
    return groups, n


@kernel
def _may_lack_naturals(s):
    """Whether a meld of this turn has too few natural cards, or a new one could have."""
    jokers = min(np.int64(s.hands[s.player, JOKER]), joker_limit(s))
    if jokers >= 2 and s.rules[MIN_NATURALS] >= 2:
        return True
    for m in range(s.num_melds):
        if s.meld_new[m] and naturals_missing(s, m):
            return True
    return False


@kernel
def _can_swap_something(s):
    """Whether the hand holds the natural card of a joker on the table."""
    for m in range(s.num_melds):
        if recoverable_jokers(s, m, s.held_once[s.player]) > 0:
            return True
    return False


@kernel
def _last_use(s, work, n, card):
    """The position in ``work.order`` of the last candidate that uses a card, or -1."""
    for i in range(n - 1, -1, -1):
        k = np.int64(work.order[i])
        if _uses(work, k, card):
            return i
    return -1


@kernel
def _uses(work, k, card):
    """Whether candidate ``k`` takes a card of this type from the hand."""
    if card == JOKER:
        return work.melds[k, NUM_JOKERS] > 0
    return (work.masks[k] >> np.uint64(card)) & np.uint64(1) != 0


@kernel
def _can_cover_hand(s, work, n):
    """Whether all cards of the hand but one at most could be in candidates (a necessary test)."""
    union = np.uint64(0)
    for k in range(n):
        union |= work.masks[k]
    loose = 0
    for card in range(52):
        if not union >> np.uint64(card) & np.uint64(1):
            loose += s.hands[s.player, card]
    return loose <= 1


@kernel
def opening(s, work, n, min_left):
    """Whether the player, who has not opened, can finish the turn by an opening from the hand.

    Counts new melds and growth of the melds of this turn: ``opening_min`` points, or all cards
    but the last where ``hand_close_exempt_40`` allows; a taken card must be among them; at least
    ``min_left`` cards stay in the hand.

    Args:
        s: a game in phase PLAY.
        work: holds the ``n`` candidates of ``prepare_opening`` for this hand or a larger one.
        n: their number, -1 where there were too many.
        min_left: cards that must be left.

    Returns:
        YES, NO, or UNSURE where swaps or bans on the last discard could decide.
    """
    if n < 0:
        return UNSURE
    hand = s.hands[s.player]
    once, twice = s.held_once[s.player], s.held_twice[s.player]
    groups, total = _list_groups(s, work, n, once, np.int64(hand[JOKER]))
    if total < 0:
        return UNSURE
    levels, planes = work.levels, work.planes
    levels[_JOKERS, 0], levels[_LEFT, 0] = hand[JOKER], s.hand_size[s.player]
    levels[_POINTS, 0], levels[_MET, 0] = opening_points(s), s.taken == NONE
    planes[0, 0], planes[1, 0] = once, twice
    levels[_RESERVE, 0] = _plain_value(s, work)
    answer = _reach(s, work, n, groups, min_left)
    if answer == NO and s.rules[HAND_CLOSE_EXEMPT] == 1 and _can_cover_hand(s, work, total):
        answer = _cover(s, work, n, total, groups, min_left)
    # Once opened, a swap can lay the taken card, or give a meld the natural card it lacks.
    may_lack = _may_lack_naturals(s)
    if answer == NO and (s.taken != NONE or may_lack) and _can_swap_something(s):
        levels[_MET, 0] = 1
        return UNSURE if may_lack or _reach(s, work, n, groups, min_left) else NO
    return answer


@kernel
def _last_discard_may_be_barred(s):
    return s.rules[ATTACH_CLOSING] == 1 or s.rules[JOKER_DISCARD] == 3


@kernel
def _first_cursor(levels, groups, d):
    """Where level ``d`` starts: a group before its first growth where it need not grow."""
    return levels[_START, d] if d < groups else 0


@kernel
def _reach(s, work, n, groups, min_left):
    """Depth-first search for enough points: ``groups`` levels choose growths, then come melds."""
    levels, target = work.levels, s.rules[OPENING_MIN]
    barred = _last_discard_may_be_barred(s)
    last_use = _last_use(s, work, n, np.int64(s.taken)) if s.taken != NONE else n
    best, best_joker = work.bounds[_BEST], work.bounds[_BEST_JOKER]
    answer, d = NO, 0
    levels[_CURSOR, 0] = _first_cursor(levels, groups, 0)
    while True:
        if d >= groups and levels[_MET, d] and levels[_POINTS, d] >= target:
            if levels[_LEFT, d] != 1 or not barred:
                return YES
            answer = UNSURE
        entered = False
        while not entered:
            i = levels[_CURSOR, d]
            levels[_CURSOR, d] += 1
            bound = levels[_POINTS, d]
            more_melds = max(levels[_LEFT, d] - min_left, 0) // 3
            reserve = levels[_RESERVE, d] + levels[_JOKERS, d] * best_joker
            if d < groups:
                stop = i >= levels[_END, d]
                bound += levels[_GROWTH, d] + min(best * more_melds, reserve)
            else:
                stop = i >= n or (levels[_MET, d] == 0 and i > last_use)
                if not stop and bound < target:
                    bound += min(work.melds[work.order[i], VALUE] * more_melds, reserve)
            if stop or bound < target:
                d -= 1
                if d < 0:
                    return answer
            elif d < groups and i < (levels[_END, d - 1] if d > 0 else n):
                _copy_level(work, d)  # the meld does not grow
                entered = True
            else:
                k = i if d < groups else np.int64(work.order[i])
                entered = _take_candidate(s, work, d, k, min_left)
        d += 1
        # A level below another one goes on from the same candidate: there may be two of it.
        levels[_CURSOR, d] = i if d > groups else _first_cursor(levels, groups, d)


@kernel
def _copy_level(work, d):
    """Start level ``d + 1`` as level ``d`` is."""
    for row in range(_JOKERS, _RESERVE + 1):
        work.levels[row, d + 1] = work.levels[row, d]
    work.planes[0, d + 1], work.planes[1, d + 1] = work.planes[0, d], work.planes[1, d]


@kernel
def _take_candidate(s, work, d, k, min_left):
    """Take candidate ``k`` out of the hand of level ``d`` into level ``d + 1``, if it is there."""
    levels, planes, mask, row = work.levels, work.planes, work.masks[k], work.melds[k]
    if mask & ~planes[0, d] or row[NUM_JOKERS] > levels[_JOKERS, d]:
        return False
    if row[SIZE] > levels[_LEFT, d] - min_left:
        return False
    _copy_level(work, d)
    levels[_JOKERS, d + 1] -= row[NUM_JOKERS]
    levels[_LEFT, d + 1] -= row[SIZE]
    levels[_POINTS, d + 1] += row[VALUE]
    levels[_RESERVE, d + 1] -= row[SHARED]
    if s.taken != NONE and _uses(work, k, np.int64(s.taken)):
        levels[_MET, d + 1] = 1
    planes[0, d + 1] = (planes[0, d] & ~mask) | (planes[1, d] & mask)
    planes[1, d + 1] = planes[1, d] & ~mask
    return True


# --- can the hand close without the minimum? ----------------------------------------------------

_GROUPS, _SKIPPED = 9, 10  # rows of ``work.levels``: groups grown (a bit mask), cards left out


@kernel
def _group_of(work, n, groups, k):
    """The group of growth ``k`` as a bit, 0 for a meld of its own."""
    bit = 1
    for group in range(groups):
        if k < n:
            return 0
        if k < work.levels[_END, group]:
            return bit
        bit <<= 1
    return 0


@kernel
def _all_grown(work, n, groups, grown):
    """Whether every meld that must grow has grown."""
    for group in range(groups):
        first = work.levels[_END, group - 1] if group > 0 else n
        if work.levels[_START, group] == first and not grown >> group & 1:
            return False
    return True


@kernel
def _covers(work, n, groups, d, k):
    """Whether candidate ``k`` covers the lowest natural card left, or with none a joker."""
    cards, mask = work.planes[0, d], work.masks[k]
    lowest = cards & (~cards + np.uint64(1))
    if (mask & lowest) != lowest or (lowest == 0 and mask != 0):
        return False
    return not work.levels[_GROUPS, d] & _group_of(work, n, groups, k)


@kernel
def _leave_out(work, d):
    """Start level ``d + 1`` without the lowest natural card, which stays in the hand."""
    _copy_level(work, d)
    cards, twice = work.planes[0, d], work.planes[1, d]
    lowest = cards & (~cards + np.uint64(1))
    work.planes[0, d + 1] = (cards & ~lowest) | (twice & lowest)
    work.planes[1, d + 1] = twice & ~lowest
    work.levels[_SKIPPED, d + 1] = 1


@kernel
def _cover(s, work, n, total, groups, min_left):
    """Whether all cards but one at most go into melds: an exact cover, lowest card first."""
    levels = work.levels
    barred = _last_discard_may_be_barred(s)
    answer, d = NO, 0
    levels[_CURSOR, 0], levels[_GROUPS, 0], levels[_SKIPPED, 0] = 0, 0, 0
    while d >= 0:
        i = levels[_CURSOR, d]
        levels[_CURSOR, d] += 1
        if i == 0 and levels[_LEFT, d] <= 1 and levels[_MET, d]:
            if _all_grown(work, n, groups, levels[_GROUPS, d]):
                if levels[_LEFT, d] != 1 or not barred:
                    return YES
                answer = UNSURE
        if i > total:
            d -= 1
            continue
        if i == total:
            if levels[_SKIPPED, d] or work.planes[0, d] == 0:
                continue
            _leave_out(work, d)
        elif not _covers(work, n, groups, d, i) or not _take_candidate(s, work, d, i, min_left):
            continue
        else:
            levels[_SKIPPED, d + 1] = levels[_SKIPPED, d]
        grown = 0 if i == total else _group_of(work, n, groups, i)
        d += 1
        levels[_GROUPS, d] = levels[_GROUPS, d - 1] | grown
        levels[_CURSOR, d] = 0
    return answer
