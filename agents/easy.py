"""The easy level: a friendly beginner.

- Draws from the stock, always; never swaps a joker.
- Opens and lays whatever it can, keeping a card to discard: the plan that takes most points off the
  hand, then lay-offs, jokers among them.
- Throws a little at random among its less useful cards: every card has a worth (partners of its
  rank, neighbours in its suit) and luck is added to it. Never a joker, never a card out of a
  complete meld, unless nothing else may be thrown.
"""

import numpy as np

from scala40_env.agents.hand_value import closeness
from scala40_env.agents.laying import find_action, find_discard, find_lay, loose_cards
from scala40_env.agents.random_agent import random_unit
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import DRAW
from scala40_env.engine.tables import DRAW_ID

PARAMETERS = ("luck", "pair", "near", "gap")
_LUCK, _PAIR, _NEAR, _GAP = range(4)

_WEIGHTS = (0.0, 1.0, 25.0)
_ANY_JOKER = 14


@kernel
def decide_easy(s, bot, moves, n, params, rng):
    """The index of the move to play."""
    if s.phase == DRAW:
        return max(find_action(moves, n, DRAW_ID, DRAW_ID + 1), 0)
    found = find_lay(s, bot, moves, n, _WEIGHTS, _ANY_JOKER)
    if found >= 0:
        return found
    cards = s.held_once[s.player]
    for card in range(52):
        if cards >> np.uint64(card) & np.uint64(1):
            worth = closeness(cards, card, params[_PAIR], params[_NEAR], params[_GAP])
            bot.use[card] = worth + params[_LUCK] * random_unit(rng)
    return find_discard(bot, moves, n, loose_cards(s, bot))
