"""What a hand is worth: the exact arithmetic that all levels share.

A *plan* is a choice of whole melds, disjoint in cards, that a hand could lay now. ``plan_melds``
finds the best one by exact search: the melds come from ``engine.arrange.list_candidates``, each
with a score, and the sum of the scores is made as large as possible while the cards to keep for the
discard stay in the hand. With points as scores this is the arrangement that leaves the fewest.

*Closeness* says how near a card is to a meld: pairs and near runs with the other cards held.

Nothing here decides; the levels do, each in its own file. All kernels read the hand of the seat to
move, so a view is enough.
"""

import numpy as np

from scala40_env.engine.arrange import (
    BASE,
    JOKERS,
    KIND,
    NUM_JOKERS,
    PLACES,
    SIZE,
    VALUE,
    list_candidates,
)
from scala40_env.engine.calls import MAX_MOVES
from scala40_env.engine.finish import min_left
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import (
    CARD_VALUES,
    GAME,
    HAND_CLOSE_EXEMPT,
    JOKER,
    JOKER_IN_HAND,
    NONE,
    NUM_TYPES,
    OPENING_MIN,
    SET,
)
from scala40_env.engine.table import opening_points, rank_places, suit_places
from scala40_env.engine.tables import (
    LOWEST,
    NUM_PLACES,
    RANK_VALUE,
)
from scala40_env.engine.work import MAX_CANDIDATES, WORK

MAX_PLAN = 4  # 14 cards hold at most four melds
MAX_NODES = 200_000  # of the search for a plan; the worst of many dense hands took 30,000
_DUTY = 1_000.0  # score of a meld that uses the card taken from the pile
_ROWS = 4
_CURSOR, _JOKERS_LEFT, _CARDS_LEFT, _POINTS = 0, 1, 2, 3  # rows of ``bot.levels``

# Working memory of the bots, since kernels allocate nothing: one record for each thread.
BOT_WORK = np.dtype(
    [
        ("search", WORK),  # the engine's
        ("moves", "i2", (MAX_MOVES, 2)),  # the legal whole moves
        ("seen", GAME, (1,)),  # the view that is decided from
        ("scores", "f8", MAX_CANDIDATES),  # of each candidate meld, a card
        ("order", "i8", MAX_CANDIDATES),  # candidates by falling score a card
        ("plan", "i8", MAX_PLAN + 1),  # candidates of the best plan found
        ("chosen", "i8", MAX_PLAN + 1),  # candidates of the plan being looked at
        ("levels", "i8", (_ROWS, MAX_PLAN + 2)),
        ("planes", "u8", (2, MAX_PLAN + 2)),  # card types held once, and twice
        ("sums", "f8", MAX_PLAN + 2),
        ("unseen", "i1", NUM_TYPES),  # cards of each type that the seat does not see
        ("use", "f8", NUM_TYPES),  # what each card type is worth keeping
    ],
    align=True,
)


def new_bot_work() -> np.ndarray:
    """Working memory of the bots for one thread: BOT_WORK[1]; kernels take its only element."""
    return np.zeros(1, BOT_WORK)


@kernel
def card_points(s, card):
    """Points of a card that is left in a hand."""
    if card == JOKER:
        return np.int64(s.rules[JOKER_IN_HAND])
    return RANK_VALUE[s.rules[CARD_VALUES], card % 13]


# --- the best plan ------------------------------------------------------------------------------


@kernel
def _score_candidate(s, bot, k, per_card, per_point, per_joker):
    """Score candidate ``k``, as its sum over its cards divided by their number."""
    row = bot.search.melds[k]
    total = per_card * row[SIZE] + per_joker * row[NUM_JOKERS]
    naturals, base = np.int64(row[PLACES] & ~row[JOKERS]), np.int64(row[BASE])
    while naturals:
        place = np.int64(LOWEST[naturals])
        naturals &= naturals - 1
        rank = base if row[KIND] == SET else place % 13
        total += per_point * RANK_VALUE[s.rules[CARD_VALUES], rank]
    if s.taken != NONE and _uses_card(bot, k, np.int64(s.taken)):
        total += _DUTY
    return total / row[SIZE]


@kernel
def _uses_card(bot, k, card):
    if card == JOKER:
        return bot.search.melds[k, NUM_JOKERS] > 0
    return bot.search.masks[k] >> np.uint64(card) & np.uint64(1) != 0


@kernel
def _sort_candidates(bot, n):
    """Fill ``bot.order`` with the candidates by falling score (insertion sort: n is small)."""
    order, scores = bot.order, bot.scores
    for k in range(n):
        i = k
        while i > 0 and scores[order[i - 1]] < scores[k]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = k


@kernel
def plan_melds(s, bot, per_card, per_point, per_joker, need):
    """Find the best plan for the hand of the seat to move; it goes to ``bot.plan``.

    A meld scores ``per_card`` for each card, ``per_point`` for each point its natural cards would
    cost in hand and ``per_joker`` for each joker.

    Args:
        s: a game (or view) in phase PLAY.
        need: points that the melds must be worth together (closing in hand without the minimum
            counts where the rules allow it).

    Returns:
        The number of melds of the plan; 0 where no plan meets ``need``.
    """
    n = list_candidates(s, np.int64(s.player), bot.search)
    if n <= 0:
        return 0  # none, or (many jokers without a limit) too many to compare
    for k in range(n):
        bot.scores[k] = _score_candidate(s, bot, k, per_card, per_point, per_joker)
    _sort_candidates(bot, n)
    return _search_plan(s, bot, n, need)


@kernel
def _search_plan(s, bot, n, need):
    """Depth-first branch and bound: no plan from candidate i on beats its score for each card."""
    levels, planes, sums, order = bot.levels, bot.planes, bot.sums, bot.order
    p, least = s.player, min_left(s)
    planes[0, 0], planes[1, 0] = s.held_once[p], s.held_twice[p]
    levels[_CURSOR, 0], levels[_POINTS, 0], sums[0] = 0, 0, 0.0
    levels[_JOKERS_LEFT, 0], levels[_CARDS_LEFT, 0] = s.hands[p, JOKER], s.hand_size[p]
    best, count, d, nodes = 0.0, 0, 0, 0
    while d >= 0:
        i, room = levels[_CURSOR, d], levels[_CARDS_LEFT, d] - least
        if i >= n or d == MAX_PLAN or sums[d] + bot.scores[order[i]] * room <= best:
            d -= 1
            continue
        levels[_CURSOR, d] += 1
        nodes += 1
        if nodes > MAX_NODES:
            break
        if not _take_candidate(bot, d, order[i], room):
            continue
        levels[_CURSOR, d + 1] = i  # the hand may hold the same meld twice
        d += 1
        if sums[d] > best and _meets(s, levels, d, need):
            best, count = sums[d], d
            for j in range(d):
                bot.plan[j] = bot.chosen[j]
    return count


@kernel
def _meets(s, levels, d, need):
    exempt = s.rules[HAND_CLOSE_EXEMPT] == 1 and levels[_CARDS_LEFT, d] <= 1
    return levels[_POINTS, d] >= need or exempt


@kernel
def _take_candidate(bot, d, k, room):
    """Take candidate ``k`` out of the hand of level ``d`` into level ``d + 1``, if it is there."""
    levels, planes, mask, row = bot.levels, bot.planes, bot.search.masks[k], bot.search.melds[k]
    if row[SIZE] > room or row[NUM_JOKERS] > levels[_JOKERS_LEFT, d] or mask & ~planes[0, d]:
        return False
    levels[_JOKERS_LEFT, d + 1] = levels[_JOKERS_LEFT, d] - row[NUM_JOKERS]
    levels[_CARDS_LEFT, d + 1] = levels[_CARDS_LEFT, d] - row[SIZE]
    levels[_POINTS, d + 1] = levels[_POINTS, d] + row[VALUE]
    bot.sums[d + 1] = bot.sums[d] + bot.scores[k] * row[SIZE]
    planes[0, d + 1] = (planes[0, d] & ~mask) | (planes[1, d] & mask)
    planes[1, d + 1] = planes[1, d] & ~mask
    bot.chosen[d] = k
    return True


@kernel
def opening_need(s):
    """Points that new melds must still bring before the seat to move has opened; 0 once it has."""
    if s.opened[s.player]:
        return np.int64(0)
    return max(np.int64(s.rules[OPENING_MIN]) - opening_points(s), 0)


@kernel
def plan_uses(bot, count, card):
    """Whether a meld of the plan takes a card of this type."""
    for j in range(count):
        if _uses_card(bot, bot.plan[j], card):
            return True
    return False


@kernel
def free_cards(s, bot, count):
    """The natural card types of which a card is left when the plan's melds are taken out."""
    once, twice = s.held_once[s.player], s.held_twice[s.player]
    for j in range(count):
        mask = bot.search.masks[bot.plan[j]]
        once = (once & ~mask) | (twice & mask)
        twice &= ~mask
    return once


# --- closeness ----------------------------------------------------------------------------------


@kernel
def closeness(cards, card, pair, near, gap):
    """How close a natural card is to a meld with the other cards held.

    Args:
        cards: uint64 mask of the card types held.
        pair: worth of a card of the same rank and another suit.
        near: worth of a neighbour in the suit, with room on both sides.
        gap: worth of a neighbour but one, or of one at the edge (A 2, K A).
    """
    others = cards & ~(np.uint64(1) << np.uint64(card))
    worth = pair * NUM_PLACES[rank_places(others, card % 13)]
    places = suit_places(others, card // 13) << 2  # two empty places below the low ace
    worth += _run_closeness(places, card % 13, near, gap)
    if card % 13 == 0:
        worth += _run_closeness(places, 13, near, gap)
    return worth


@kernel
def _run_closeness(places, place, near, gap):
    """Closeness within a suit of a card at ``place`` 0-13 (``places`` is shifted up by two)."""
    worth = 0.0
    if places >> (place + 1) & 1:
        worth += gap if place <= 1 or place == 13 else near
    if places >> (place + 3) & 1:
        worth += gap if place == 0 or place >= 12 else near
    worth += gap * (places >> place & 1) + gap * (places >> (place + 4) & 1)
    return worth
