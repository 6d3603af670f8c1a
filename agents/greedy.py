"""The greedy player, a plain yardstick: lay what can be laid, throw the highest loose card.

It draws from the stock, never swaps, lays every meld and every card it can (jokers too), and
throws the highest card that is in no pair: no partner of its rank in another suit, no complete
meld. Where every card has a partner, the highest of those in no meld; jokers go last.
"""

from scala40_env.agents.hand_value import card_points, closeness
from scala40_env.agents.laying import find_action, find_discard, find_lay, loose_cards
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import DRAW
from scala40_env.engine.tables import DRAW_ID

_WEIGHTS = (0.0, 1.0, 25.0)  # the plan that takes most points off the hand
_ANY_JOKER = 14
_PAIRED = 100.0


@kernel
def decide_greedy(s, bot, moves, n):
    """The index of the move to play."""
    if s.phase == DRAW:
        return max(find_action(moves, n, DRAW_ID, DRAW_ID + 1), 0)
    found = find_lay(s, bot, moves, n, _WEIGHTS, _ANY_JOKER)
    if found >= 0:
        return found
    for card in range(52):
        if s.hands[s.player, card] > 0:
            paired = closeness(s.held_once[s.player], card, 1.0, 0.0, 0.0) > 0
            bot.use[card] = (_PAIRED if paired else 0.0) - card_points(s, card)
    return find_discard(bot, moves, n, loose_cards(s, bot))
