"""Moves that all levels make alike: opening and laying whatever can be laid, and discarding.

Melds go down by the best plan of the hand, three cards at a time; then cards are laid off, among
them the rest of longer melds. The engine's list of legal moves sees to it that an opening once
begun is finished and that a card stays for the discard.
"""

import numpy as np

from scala40_env.agents.hand_value import card_points, free_cards, opening_need, plan_melds
from scala40_env.engine.arrange import BASE, JOKERS, KIND, PLACES
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import JOKER
from scala40_env.engine.tables import (
    ADD_ID,
    DISCARD_ID,
    MELD_ID,
    MELD_JOKERS,
    NUM_PATTERNS,
    SHAPE_BASE,
    SHAPE_KIND,
    SHAPE_PLACES,
    SWAP_ID,
)

_BREAKS_MELD = 10_000.0
_JOKER_WORTH = 1e9  # more than anything a level says of another card


@kernel
def find_planned_meld(bot, moves, n, count):
    """The index of a legal move that lays three cards of a planned meld, or -1."""
    for j in range(count):
        row = bot.search.melds[bot.plan[j]]
        for i in range(n):
            action = np.int64(moves[i, 0])
            if not MELD_ID <= action < ADD_ID:
                continue
            meld = action - MELD_ID
            shape = meld // NUM_PATTERNS
            if SHAPE_KIND[shape] != row[KIND] or SHAPE_BASE[shape] != row[BASE]:
                continue
            places = np.int64(SHAPE_PLACES[shape])
            if places & ~row[PLACES] == 0 and MELD_JOKERS[meld] == row[JOKERS] & places:
                return i
    return -1


@kernel
def find_add(s, moves, n, jokers):
    """The index of the legal lay-off that takes most points off the hand, or -1.

    Args:
        jokers: True for lay-offs of jokers, False for those of natural cards.
    """
    best, most = -1, -1
    for i in range(n):
        action = np.int64(moves[i, 0])
        if not ADD_ID <= action < SWAP_ID:
            continue
        card = (action - ADD_ID) % 104
        if (card >= 52) != jokers:
            continue
        points = card_points(s, np.int64(JOKER) if jokers else card)
        if points > most:
            best, most = i, points
    return best


@kernel
def find_action(moves, n, first, last):
    """The index of the first legal move with ``first <= action < last``, or -1."""
    for i in range(n):
        if first <= moves[i, 0] < last:
            return i
    return -1


@kernel
def has_table_move(moves, n):
    """Whether some legal move lays cards (such moves stand last)."""
    return n > 0 and moves[n - 1, 0] >= MELD_ID


@kernel
def has_discard(moves, n):
    """Whether the turn may end now (discards stand first, after a return)."""
    return find_action(moves, min(n, 2), DISCARD_ID, MELD_ID) >= 0


@kernel
def find_lay(s, bot, moves, n, weights, last_jokers):
    """The index of the table move to play now, or -1 to lay nothing more.

    Args:
        moves: the legal moves of a game in phase PLAY.
        weights: (a card, a point, a joker) as ``plan_melds`` takes them.
        last_jokers: jokers are laid off only where no more cards than this stay in the hand, or
            where the turn cannot end otherwise.
    """
    if not has_table_move(moves, n):
        return -1
    if find_action(moves, n, MELD_ID, ADD_ID) >= 0:
        count = plan_melds(s, bot, weights[0], weights[1], weights[2], opening_need(s))
        found = find_planned_meld(bot, moves, n, count)
        if found >= 0:
            return found
    found = find_add(s, moves, n, False)
    if found >= 0:
        return found
    if not has_discard(moves, n) or s.hand_size[s.player] - 1 <= last_jokers:
        found = find_add(s, moves, n, True)
    if found >= 0 or has_discard(moves, n):
        return found
    found = find_action(moves, n, MELD_ID, ADD_ID)
    return found if found >= 0 else n - 1  # what is left is a swap


@kernel
def loose_cards(s, bot):
    """The natural card types that can be thrown without breaking a complete meld, as a mask."""
    return free_cards(s, bot, plan_melds(s, bot, 0.0, 1.0, 0.0, np.int64(0)))


@kernel
def find_discard(bot, moves, n, loose):
    """The index of the legal discard of the least useful card.

    Cards outside ``loose`` come after those in it, and jokers last of all.

    Args:
        bot: ``bot.use`` holds the worth of keeping each natural card of the hand.
        loose: uint64 mask of card types, as from ``loose_cards``.
    """
    best, least = -1, np.inf
    for i in range(n):
        card = np.int64(moves[i, 0]) - DISCARD_ID
        if not 0 <= card <= JOKER:
            continue
        if card == JOKER:
            worth = _JOKER_WORTH
        else:
            worth = bot.use[card]
            if not loose >> np.uint64(card) & np.uint64(1):
                worth += _BREAKS_MELD
        if worth < least:
            best, least = i, worth
    return best
