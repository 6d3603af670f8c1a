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
    only up to the limit, and counts double where it decides whether the limit is reached.
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
    pairs_wanting,
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
from scala40_env.engine.tables import (
    ADD_ID,
    DRAW_ID,
    MELD_ID,
    MELD_JOKERS,
    MELD_NATURALS,
    NUM_PATTERNS,
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
    "attaches",
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
    _ATTACHES,
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
    p = s.player
    count = plan_melds(s, bot, 0.0, 1.0, 0.0, np.int64(0))
    loose = free_cards(s, bot, count)
    unseen = unseen_cards(s, np.int64(p))
    cards, twice = s.held_once[p], s.held_twice[p]
    table = attaching_cards(s)
    for card in range(52):
        bot.use[card] = 0.0
    second = params[_SECOND_OPENED] if s.opened[p] else params[_SECOND_UNOPENED]
    add_second_places(s, cards, unseen, second, bot.use)
    if s.opened[p]:
        _rate_opened(s, bot, cards, twice, unseen, params)
    else:
        _rate_unopened(s, bot, cards, twice, loose, unseen, _planned_value(bot, count), params)
    _add_danger(s, bot, cards, table, unseen, params)
    return find_discard(bot, moves, n, loose)


@kernel
def _planned_value(bot, count):
    """What the melds of the plan count to the opening."""
    value = 0
    for j in range(count):
        value += bot.search.melds[bot.plan[j], VALUE]
    return value


@kernel
def _rate_opened(s, bot, cards, twice, unseen, params):
    """Worth of each card once opened: outs for a meld, points saved by throwing it."""
    left = s.hand_size[s.player] - 1
    factor = 1.0
    if left <= 2:
        factor = params[_TWO_LEFT]
    elif left <= 4:
        factor = params[_THREE_LEFT] if left == 3 else params[_FOUR_LEFT]
    set_out, run_out = params[_SET_OUT_OPENED] * factor, params[_RUN_OUT_OPENED] * factor
    two = params[_TWO_MISSING_OPENED] * factor
    per_point = params[_POINT_OPENED]
    if _somebody_is_near_the_end(s, params[_NEAR_END]):
        per_point += params[_POINT_NEAR_END]
    left_points, room = hand_value(s, np.int64(s.player)), _points_to_limit(s)
    for card in range(52):
        if not cards & card_bit(card):
            continue
        worth = _meld_worth(cards, cards, unseen, card, set_out, run_out, two, 1.0)
        if twice & card_bit(card):
            worth *= params[_DOUBLE]
        cost = _cost_of_points(left_points, card_points(s, card), room, params[_LIMIT])
        bot.use[card] += worth - per_point * cost


@kernel
def _rate_unopened(s, bot, cards, twice, loose, unseen, value, params):
    """Worth of each card before opening: outs, and what they bring towards the minimum."""
    need = max(s.rules[OPENING_MIN] - value, 1)
    attach, swap = attaching_cards(s), swappable_cards(s)
    per_point = params[_POINT_UNOPENED]
    if s.rules[UNOPENED_PENALTY] < 0 and _somebody_is_near_the_end(s, params[_NEAR_END]):
        per_point -= params[_POINT_NEAR_END]
    for card in range(52):
        bit = card_bit(card)
        if not cards & bit:
            continue
        tied = params[_TIED]
        worth = _meld_worth(
            cards, loose, unseen, card,
            params[_SET_OUT], params[_RUN_OUT], params[_TWO_MISSING], tied,
        )  # fmt: skip
        worth += _opening_worth(s, cards, loose, unseen, card, need, params)
        if twice & bit:
            worth *= params[_DOUBLE]
        if attach & bit:
            worth += params[_ATTACHES]
        if swap & bit:
            worth += params[_SWAPS]
        bot.use[card] += worth + per_point * card_points(s, card)


@kernel
def _meld_worth(cards, loose, unseen, card, set_out, run_out, two, tied):
    """Outs of all melds of three that a card could be part of.

    Args:
        loose: the cards that no complete meld needs; a partner outside counts ``tied``.
        set_out, run_out: worth of an out where one card is missing.
        two: worth of a pair of outs where two are.
    """
    rank, suit = card % 13, card // 13
    worth = _set_worth(cards, loose, unseen, rank, suit, set_out, two, tied)
    worth += _run_worth(cards, loose, unseen, suit, rank, run_out, two, tied)
    if rank == 0:
        worth += _run_worth(cards, loose, unseen, suit, 13, run_out, two, tied)
    return worth


@kernel
def _set_worth(cards, loose, unseen, rank, suit, out, two, tied):
    held, live, squares, partner = 0, 0, 0, 1.0
    for other in range(4):
        if other == suit:
            continue
        card = other * 13 + rank
        if cards & card_bit(card):
            held += 1
            if not loose & card_bit(card):
                partner = tied
        else:
            n = outs(unseen, card)
            live += n
            squares += n * n
    if held > 0:
        return out * live * partner
    return two * ((live * live - squares) // 2)


@kernel
def _run_worth(cards, loose, unseen, suit, place, out, two, tied):
    worth = 0.0
    for low in range(max(place - 2, 0), min(place, 11) + 1):
        held, ways, partner = 0, 1, 1.0
        for other in range(low, low + 3):
            if other == place:
                continue
            card = suit * 13 + other % 13
            if cards & card_bit(card):
                held += 1
                if not loose & card_bit(card):
                    partner = tied
            else:
                ways *= outs(unseen, card)
        if held == 1:
            worth += out * ways * partner
        elif held == 0:
            worth += two * ways
    return worth


@kernel
def _opening_worth(s, cards, loose, unseen, card, need, params):
    """What the outs of a loose card's melds would bring towards the opening."""
    rank, suit, graded = card % 13, card // 13, s.rules[CARD_VALUES]
    worth, live, held = 0.0, 0, 0
    for other in range(4):
        if other != suit:
            if loose & card_bit(other * 13 + rank):
                held += 1
            else:
                live += outs(unseen, other * 13 + rank)
    if held:
        worth += live * _progress(3 * RANK_VALUE[graded, rank], need, params)
    worth += _run_opening_worth(s, cards, loose, unseen, suit, rank, need, params)
    if rank == 0:
        worth += _run_opening_worth(s, cards, loose, unseen, suit, 13, need, params)
    return worth


@kernel
def _run_opening_worth(s, cards, loose, unseen, suit, place, need, params):
    worth, graded = 0.0, s.rules[CARD_VALUES]
    for low in range(max(place - 2, 0), min(place, 11) + 1):
        held, live, value = 0, 0, 0
        for other in range(low, low + 3):
            card = suit * 13 + other % 13
            value += RANK_VALUE[graded, other % 13] if other > 0 else 1
            if other == place:
                continue
            if loose & card_bit(card):
                held += 1
            else:
                live += outs(unseen, card)
        if held == 1:
            worth += live * _progress(value, need, params)
    return worth


@kernel
def _progress(value, need, params):
    """Worth of an out for a meld of this value, where ``need`` points are missing."""
    worth = params[_GAIN] * min(value, need) / 40.0
    return worth + params[_OPENS] if value >= need else worth


# --- danger and points --------------------------------------------------------------------------


@kernel
def _add_danger(s, bot, cards, table, unseen, params):
    """Add to the worth of each card what it could give to the next seat."""
    p = np.int64(s.player)
    q = next_seat(s, p)
    if team_of(s, q) == team_of(s, p):
        return
    size = np.float64(s.hand_size[q])
    want = params[_WANT_OPENED] if s.opened[q] else params[_WANT_UNOPENED]
    want *= size * (size - 1.0) / 100.0
    thrown, taken = _history(s, q)
    for card in range(52):
        if not cards & card_bit(card):
            continue
        if table & card_bit(card) and s.hand_size[p] > 1:
            bot.use[card] += _FEEDS
        danger = want * pairs_wanting(unseen, card)
        if thrown & card_bit(card):
            danger *= params[_THROWN_SAME]
        danger *= params[_THROWN_KIN] ** kin_in(thrown, card)
        bot.use[card] += danger * (1.0 + params[_TAKEN_KIN] * kin_in(taken, card))


@kernel
def _history(s, seat):
    """The natural card types that a seat has thrown, and those it took from the pile."""
    thrown, taken = np.uint64(0), np.uint64(0)
    for card in range(52):
        if s.discarded[seat, card] > 0:
            thrown |= card_bit(card)
        if s.takes[seat, card] % 16 > 0:
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
def _points_to_limit(s):
    """Points until the seat to move is out; a large number where points do not put out."""
    if s.rules[MODE] != ELIMINATION:
        return 10_000
    return max(np.int64(s.rules[LIMIT]) - np.int64(s.totals[s.player]), 1)


@kernel
def _cost_of_points(held, points, room, decisive):
    """What throwing a card of ``points`` saves of ``held``, where ``room`` or more put out."""
    saved = min(held, room) - min(held - points, room)
    return saved + decisive if held >= room > held - points else saved
