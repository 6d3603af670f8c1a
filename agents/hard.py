"""The hard level: as strong as a player without search and without memory of its own can be made.

- Takes the discard whenever the rules let it: to open, for a new meld, to lay it off, for a swap.
- Swaps a joker whenever it holds the card, before anything else, and uses the joker soon: in the
  best plan for its hand, or laid off when few cards are left.
- Opens and lays whatever it can, keeping a card to discard: the plan that is best by cards, points
  and jokers together. A joker stands, where that is all the same, for the card of which fewest are
  still to come: nobody swaps it then.
- Throws the card with the least worth less danger.
  - Worth: for every meld of three that the card could be part of, the live outs of what is missing
    (two of each card, less all that it sees); before opening also the points it would bring towards
    the minimum and whether that would do; afterwards cards that will attach once the card between
    has come. Pairs count by the number of cards left: two cards can no longer become a meld and a
    discard.
  - Danger: how many unseen pairs want the card, for the size of the next seat's hand, less what
    that seat has thrown away and more what it has taken nearby.
  - Never a card that the next seat could lay off; if all are such, the one that helps it least.
  - Points weigh more when somebody is about to close, and by the totals: what a card costs counts
    only up to the limit, and more where it decides whether the limit is reached.
"""

import numpy as np

from scala40_env.agents.hand_value import card_points, free_cards, plan_melds
from scala40_env.agents.laying import find_action, find_discard, find_lay
from scala40_env.agents.reading import (
    add_second_places,
    attaching_cards,
    card_bit,
    kin_in,
    outs,
    swappable_cards,
    unseen_cards,
)
from scala40_env.engine.arrange import VALUE
from scala40_env.engine.kernel import kernel
from scala40_env.engine.score import hand_value
from scala40_env.engine.state import (
    CARD_VALUES,
    DRAW,
    ELIMINATION,
    LIMIT,
    MODE,
    NUM_PLAYERS,
    OPENING_MIN,
    UNOPENED_PENALTY,
    next_seat,
    team_of,
)
from scala40_env.engine.table import rank_places, suit_places
from scala40_env.engine.tables import (
    ADD_ID,
    DRAW_ID,
    LOWEST,
    MELD_ID,
    MELD_JOKERS,
    MELD_NATURALS,
    NUM_PATTERNS,
    NUM_PLACES,
    RANK_VALUE,
    SHAPE_BASE,
    SHAPE_KIND,
    SWAP_ID,
    TAKE_ID,
    TARGET_ID,
)

PARAMETERS = (
    "plan_card",
    "plan_point",
    "plan_joker",
    "last_jokers",
    "set_out",
    "run_out",
    "two_missing",
    "tied",
    "double",
    "gain",
    "opens",
    "point_unopened",
    "point_at_risk",
    "swaps",
    "second_unopened",
    "set_out_opened",
    "run_out_opened",
    "two_missing_opened",
    "second_opened",
    "four_left",
    "three_left",
    "two_left",
    "point_opened",
    "point_near_end",
    "near_end",
    "limit",
    "want_opened",
    "want_unopened",
    "thrown_same",
    "thrown_kin",
    "taken_kin",
)
(
    _PLAN_CARD,
    _PLAN_POINT,
    _PLAN_JOKER,
    _LAST_JOKERS,
    _SET_OUT,
    _RUN_OUT,
    _TWO_MISSING,
    _TIED,
    _DOUBLE,
    _GAIN,
    _OPENS,
    _POINT_UNOPENED,
    _POINT_AT_RISK,
    _SWAPS,
    _SECOND_UNOPENED,
    _SET_OUT_OPENED,
    _RUN_OUT_OPENED,
    _TWO_MISSING_OPENED,
    _SECOND_OPENED,
    _FOUR_LEFT,
    _THREE_LEFT,
    _TWO_LEFT,
    _POINT_OPENED,
    _POINT_NEAR_END,
    _NEAR_END,
    _LIMIT,
    _WANT_OPENED,
    _WANT_UNOPENED,
    _THROWN_SAME,
    _THROWN_KIN,
    _TAKEN_KIN,
) = range(31)

_FEEDS = 100_000.0  # more than breaking a meld costs: never a card that can be laid off

# Points of the three-card run from each place, by card values.
_PLACE_VALUE = np.concatenate([RANK_VALUE, RANK_VALUE[:, :1]], axis=1)
_PLACE_VALUE[:, 0] = 1
RUN_POINTS = _PLACE_VALUE[:, :12] + _PLACE_VALUE[:, 1:13] + _PLACE_VALUE[:, 2:14]


@kernel
def decide_hard(s, bot, moves, n, params):
    """The index of the move to play."""
    if s.phase == DRAW:
        take = find_action(moves, n, TAKE_ID, TAKE_ID + 1)
        return take if take >= 0 else max(find_action(moves, n, DRAW_ID, DRAW_ID + 1), 0)
    swap = find_action(moves, n, SWAP_ID, TARGET_ID)
    if swap >= 0:
        return swap
    weights = (params[_PLAN_CARD], params[_PLAN_POINT], params[_PLAN_JOKER])
    found = find_lay(s, bot, moves, n, weights, params[_LAST_JOKERS])
    if found >= 0:
        return _place_joker(s, moves, n, found)
    return _throw(s, bot, moves, n, params)


# --- jokers -------------------------------------------------------------------------------------


@kernel
def _place_joker(s, moves, n, found):
    """Among the melds of the same natural cards, the one whose joker is hardest to swap."""
    action = np.int64(moves[found, 0])
    if not MELD_ID <= action < ADD_ID or MELD_JOKERS[action - MELD_ID] == 0:
        return found
    unseen = unseen_cards(s, np.int64(s.player))
    best, fewest = found, _joker_outs(unseen, action - MELD_ID)
    for i in range(n):
        other = np.int64(moves[i, 0])
        if not MELD_ID <= other < ADD_ID:
            continue
        if MELD_NATURALS[other - MELD_ID] != MELD_NATURALS[action - MELD_ID]:
            continue
        live = _joker_outs(unseen, other - MELD_ID)
        if live < fewest:
            best, fewest = i, live
    return best


@kernel
def _joker_outs(unseen, meld):
    """How many unseen cards could be swapped for the jokers of a three-card meld."""
    shape, jokers, live = meld // NUM_PATTERNS, np.int64(MELD_JOKERS[meld]), 0
    for place in range(14):
        if jokers >> place & 1:
            base = np.int64(SHAPE_BASE[shape])
            card = place * 13 + base if SHAPE_KIND[shape] == 0 else base * 13 + place % 13
            live += outs(unseen, card)
    return live


# --- discards -----------------------------------------------------------------------------------


@kernel
def _throw(s, bot, moves, n, params):
    """The index of the discard with the least worth less danger."""
    p = np.int64(s.player)
    count = plan_melds(s, bot, 0.0, 1.0, 0.0, np.int64(0))
    loose = free_cards(s, bot, count)
    unseen = unseen_cards(s, p)
    need = _points_needed(s, bot, count)
    rates = _rates(s, params)
    want = _want(s, params)
    thrown, taken = _history(s, next_seat(s, p)) if want > 0.0 else (np.uint64(0), np.uint64(0))
    attaching = attaching_cards(s) if s.hand_size[p] > 1 else np.uint64(0)
    swapping = np.uint64(0) if s.opened[p] else swappable_cards(s)
    held = hand_value(s, p)
    for suit in range(4):
        ranks = np.int64(s.held_once[p] >> np.uint64(13 * suit)) & 0x1FFF
        while ranks:
            rank = np.int64(LOWEST[ranks])
            ranks &= ranks - 1
            card = suit * 13 + rank
            bit = card_bit(card)
            worth, wanted = rate_melds(s, loose, unseen, card, need, rates, params)
            if s.held_twice[p] & bit:
                worth *= params[_DOUBLE]
            if swapping & bit:
                worth += params[_SWAPS]
            if attaching & bit:
                worth += _FEEDS
            worth += rates[_PER_POINT] * _cost_of_points(s, held, card_points(s, card), params)
            if wanted > 0 and want > 0.0:
                worth += want * wanted * _interest(thrown, taken, card, params)
            bot.use[card] = worth
    second = params[_SECOND_OPENED] if s.opened[p] else params[_SECOND_UNOPENED]
    add_second_places(s, s.held_once[p], unseen, second, bot.use)
    return find_discard(bot, moves, n, loose)


@kernel
def _points_needed(s, bot, count):
    """Points that the melds of the plan lack to open; 0 once opened."""
    if s.opened[s.player]:
        return 0
    need = np.int64(s.rules[OPENING_MIN])
    for j in range(count):
        need -= bot.search.melds[bot.plan[j], VALUE]
    return max(need, 1)


# --- worth --------------------------------------------------------------------------------------

_SET, _RUN, _TWO, _PER_POINT = 0, 1, 2, 3  # places in the rates


@kernel
def _rates(s, params):
    """What counts now: an out for a set, for a run, a pair of outs, and a point kept."""
    p = s.player
    near_end = _somebody_is_near_the_end(s, params[_NEAR_END])
    if not s.opened[p]:
        per_point = params[_POINT_UNOPENED]
        if s.rules[UNOPENED_PENALTY] < 0:  # the hand itself is paid
            per_point = -params[_POINT_AT_RISK]
            if near_end:
                per_point -= params[_POINT_NEAR_END]
        return params[_SET_OUT], params[_RUN_OUT], params[_TWO_MISSING], per_point
    left, factor = s.hand_size[p] - 1, 1.0
    if left <= 2:
        factor = params[_TWO_LEFT]
    elif left <= 4:
        factor = params[_THREE_LEFT] if left == 3 else params[_FOUR_LEFT]
    per_point = -params[_POINT_OPENED]
    if near_end:
        per_point -= params[_POINT_NEAR_END]
    return (
        params[_SET_OUT_OPENED] * factor,
        params[_RUN_OUT_OPENED] * factor,
        params[_TWO_MISSING_OPENED] * factor,
        per_point,
    )


@kernel
def rate_melds(s, loose, unseen, card, need, rates, params):
    """Rate all melds of three that a card could be part of.

    Args:
        loose: the cards that no complete meld needs; a partner outside counts less.
        unseen: the two masks of ``unseen_cards``.
        need: points that are missing to the opening; 0 once opened.

    Returns:
        The worth of their live outs, and how many pairs of unseen cards want the card.
    """
    rank, suit = card % 13, card // 13
    worth, wanted = _rate_set(s, loose, unseen, rank, suit, need, rates, params)
    more, pairs = _rate_runs(s, loose, unseen, suit, rank, need, rates, params)
    worth, wanted = worth + more, wanted + pairs
    if rank == 0:
        more, pairs = _rate_runs(s, loose, unseen, suit, np.int64(13), need, rates, params)
        worth, wanted = worth + more, wanted + pairs
    return worth, wanted


@kernel
def _rate_set(s, loose, unseen, rank, suit, need, rates, params):
    """``rate_melds`` for the sets of a card."""
    others = 0b1111 & ~(1 << suit)
    held = rank_places(s.held_once[s.player], rank) & others
    once, twice = rank_places(unseen[0], rank) & others, rank_places(unseen[1], rank) & others
    total = NUM_PLACES[once] + NUM_PLACES[twice]
    wanted = (total * total - NUM_PLACES[once] - 3 * NUM_PLACES[twice]) // 2
    if held == 0:
        return rates[_TWO] * wanted, wanted
    live = NUM_PLACES[once & ~held] + NUM_PLACES[twice & ~held]
    is_loose = rank_places(loose, rank) & held
    worth = rates[_SET] * live if is_loose == held else rates[_SET] * live * params[_TIED]
    if need > 0 and is_loose:
        worth += live * _progress(3 * RANK_VALUE[s.rules[CARD_VALUES], rank], need, params)
    return worth, wanted


@kernel
def _rate_runs(s, loose, unseen, suit, place, need, rates, params):
    """``rate_melds`` for the runs of a card at a place 0-13 of its suit."""
    held = suit_places(s.held_once[s.player], suit)
    free = suit_places(loose, suit)
    once, twice = suit_places(unseen[0], suit), suit_places(unseen[1], suit)
    worth, wanted = 0.0, 0
    for low in range(max(place - 2, 0), min(place, 11) + 1):
        others = 0b111 << low & ~(1 << place)
        a, b = others & -others, others & (others - 1)
        ways = _live(once, twice, a) * _live(once, twice, b)
        wanted += ways
        partner = held & others
        if partner == 0:
            worth += rates[_TWO] * ways
        elif partner != others:
            live = _live(once, twice, others & ~partner)
            if partner & free:
                worth += rates[_RUN] * live
                if need > 0:
                    value = RUN_POINTS[s.rules[CARD_VALUES], low]
                    worth += live * _progress(value, need, params)
            else:
                worth += rates[_RUN] * live * params[_TIED]
    return worth, wanted


@kernel
def _live(once, twice, place):
    """How many cards of a place (a bit) are unseen."""
    return (once & place != 0) + (twice & place != 0)


@kernel
def _progress(value, need, params):
    """Worth of an out for a meld of this value, where ``need`` points are missing."""
    worth = params[_GAIN] * min(value, need) / 40.0
    return worth + params[_OPENS] if value >= need else worth


# --- danger and points --------------------------------------------------------------------------


@kernel
def _want(s, params):
    """What a pair of unseen cards that wants a discard weighs, by the next seat's hand."""
    p = np.int64(s.player)
    q = next_seat(s, p)
    if team_of(s, q) == team_of(s, p):
        return 0.0
    size = np.float64(s.hand_size[q])
    want = params[_WANT_OPENED] if s.opened[q] else params[_WANT_UNOPENED]
    return want * size * (size - 1.0) / 100.0


@kernel
def _interest(thrown, taken, card, params):
    """How the next seat's interest in a card differs from anybody's, by what it did before."""
    interest = 1.0 + params[_TAKEN_KIN] * kin_in(taken, card)
    if thrown & card_bit(card):
        interest *= params[_THROWN_SAME]
    for _ in range(kin_in(thrown, card)):
        interest *= params[_THROWN_KIN]
    return interest


@kernel
def _history(s, seat):
    """The natural card types that a seat has thrown, and those it took from the pile."""
    thrown, taken = np.uint64(0), np.uint64(0)
    for card in range(52):
        if s.discarded[seat, card] > 0:
            thrown |= card_bit(card)
        if s.takes[seat, card] & 15:
            taken |= card_bit(card)
    return thrown, taken


@kernel
def _somebody_is_near_the_end(s, most_cards):
    """Whether an opponent has opened and holds few cards."""
    for q in range(s.rules[NUM_PLAYERS]):
        if s.in_match[q] and s.opened[q] and team_of(s, q) != team_of(s, np.int64(s.player)):
            if s.hand_size[q] <= most_cards:
                return True
    return False


@kernel
def _cost_of_points(s, held, points, params):
    """What throwing a card of ``points`` saves of ``held``: points beyond the limit cost nothing.

    Throwing the card that decides whether the limit is reached saves more.
    """
    if s.rules[MODE] != ELIMINATION:
        return np.float64(points)
    room = max(np.int64(s.rules[LIMIT]) - np.int64(s.totals[s.player]), 1)
    saved = np.float64(min(held, room) - min(held - points, room))
    return saved + params[_LIMIT] if held >= room > held - points else saved
