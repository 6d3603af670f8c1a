"""The normal level: sound play by one's own cards.

- Takes the discard when it needs it for a combination: before opening to open, afterwards for a new
  meld with cards in its hand. Never swaps a joker.
- Opens and lays whatever it can, keeping a card to discard: the plan that takes most points off
  the hand, then lay-offs. A joker is laid off only where few cards stay in the hand: until then it
  waits for a pair.
- Keeps cards that are close to a combination (partners of the rank in other suits, neighbours in
  the suit) and throws the loosest; of equally loose ones the dearest once it has opened. Never a
  joker, never a card out of a complete meld, unless nothing else may be thrown.
"""

import numpy as np

from scala40_env.agents.hand_value import (
    card_points,
    closeness,
    opening_need,
    plan_melds,
    plan_uses,
)
from scala40_env.agents.laying import find_action, find_discard, find_lay, loose_cards
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import DRAW, JOKER, NONE, gain_card, lose_card
from scala40_env.engine.table import could_meld, joker_limit
from scala40_env.engine.tables import DRAW_ID, TAKE_ID

PARAMETERS = (
    "pair",
    "near",
    "gap",
    "double",
    "points_unopened",
    "points_opened",
    "plan_card",
    "plan_point",
    "plan_joker",
    "last_jokers",
)
_PAIR, _NEAR, _GAP, _DOUBLE, _UNOPENED, _OPENED, _PLAN_CARD, _PLAN_POINT, _PLAN_JOKER = range(9)
_LAST_JOKERS = 9


@kernel
def decide_normal(s, bot, moves, n, params):
    """The index of the move to play."""
    if s.phase == DRAW:
        return decide_draw(s, bot, moves, n)
    weights = (params[_PLAN_CARD], params[_PLAN_POINT], params[_PLAN_JOKER])
    found = find_lay(s, bot, moves, n, weights, params[_LAST_JOKERS])
    if found >= 0:
        return found
    cards, twice = s.held_once[s.player], s.held_twice[s.player]
    per_point = params[_OPENED] if s.opened[s.player] else params[_UNOPENED]
    for card in range(52):
        bit = np.uint64(1) << np.uint64(card)
        if cards & bit:
            worth = closeness(cards, card, params[_PAIR], params[_NEAR], params[_GAP])
            if twice & bit:
                worth *= params[_DOUBLE]
            bot.use[card] = worth + per_point * card_points(s, card)
    return find_discard(bot, moves, n, loose_cards(s, bot))


@kernel
def decide_draw(s, bot, moves, n):
    """Take the discard where it makes a new meld (before opening: one that opens), else draw."""
    take = find_action(moves, n, TAKE_ID, TAKE_ID + 1)
    if take >= 0 and (_makes_meld(s) if s.opened[s.player] else _opens(s, bot)):
        return take
    return max(find_action(moves, n, DRAW_ID, DRAW_ID + 1), 0)


@kernel
def _makes_meld(s):
    """Whether the top discard makes a three-card meld with the hand, and a card is left."""
    p, card = s.player, np.int64(s.pile[s.num_pile - 1])
    jokers = min(np.int64(s.hands[p, JOKER]), joker_limit(s))
    if s.hand_size[p] < 3:
        return False
    if card == JOKER:
        return True
    return could_meld(s.held_once[p], card, jokers)


@kernel
def _opens(s, bot):
    """Whether melds of the hand with the top discard open; else only a swap could use it."""
    p, card = np.int64(s.player), np.int64(s.pile[s.num_pile - 1])
    gain_card(s, p, card)
    s.taken = card
    count = plan_melds(s, bot, 0.0, 1.0, 0.0, opening_need(s))
    used = plan_uses(bot, count, card)
    s.taken = NONE
    lose_card(s, p, card)
    return used
