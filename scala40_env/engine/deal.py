"""Starting a match and dealing its hands.

Hand k of a match is dealt from (seed, k) alone, so that two matches with one seed get the same
deals however differently they are played.
"""

import numpy as np

from .kernel import kernel
from .state import (
    DEAL,
    DRAW,
    JOKER,
    MAX_MELDS,
    MAX_SEATS,
    NONE,
    NUM_CARDS,
    NUM_PLAYERS,
    NUM_RULES,
    NUM_TYPES,
    UPCARD_JOKER,
    gain_card,
    next_random,
    next_seat,
    stream,
)

_DEALER_STREAM = 0xDEA1  # beyond every hand number


@kernel
def start_match(s, rules, seed, dealer):
    """Begin a match: all seats in, no points; the first hand is not dealt yet.

    Args:
        s: the game, overwritten.
        rules: int16[NUM_RULES], encoded rules.
        seed: any uint64; the whole match follows from it.
        dealer: the first dealer's seat, or NONE for one drawn from the seed.
    """
    for field in range(NUM_RULES):
        s.rules[field] = rules[field]
    s.seed = np.uint64(seed)
    s.rng = stream(s.seed, _DEALER_STREAM)
    s.dealer = next_random(s, np.int64(rules[NUM_PLAYERS])) if dealer == NONE else dealer
    s.hand_number, s.playoff, s.truncated = 0, 0, 0
    s.winner, s.closer, s.closed_in_hand = NONE, NONE, 0
    for p in range(MAX_SEATS):
        s.totals[p], s.hand_points[p], s.reentries[p] = 0, 0, 0
        s.in_match[p] = p < rules[NUM_PLAYERS]


@kernel
def clear_hand(s):
    """Take all cards off the table, and all that belongs to one hand with them."""
    for p in range(MAX_SEATS):
        s.hand_size[p], s.opened[p], s.turns[p], s.known_jokers[p] = 0, 0, 0, 0
        s.held_once[p], s.held_twice[p] = 0, 0
        for card in range(NUM_TYPES):
            s.hands[p, card], s.known_stock[p, card] = 0, 0
            s.discarded[p, card], s.takes[p, card] = 0, 0
    for i in range(NUM_CARDS):
        s.stock[i], s.pile[i] = 0, 0
    for m in range(MAX_MELDS):
        s.meld_kind[m], s.meld_base[m], s.meld_new[m] = 0, 0, 0
        s.meld_places[m], s.meld_jokers[m] = 0, 0
    s.num_melds, s.num_pile, s.num_stock, s.reshuffles = 0, 0, 0, 0
    s.kept, s.kept_seat = NONE, NONE
    clear_turn(s)


@kernel
def clear_turn(s):
    """Forget the duties and deeds of a turn."""
    for m in range(s.num_melds):
        s.meld_new[m] = 0
    s.opened_this_turn, s.laid_off_or_swapped = 0, 0
    s.taken, s.returned, s.recovered, s.pending = NONE, 0, 0, NONE


@kernel
def shuffle_stock(s):
    """Put the stock in random order (Fisher-Yates)."""
    for i in range(s.num_stock - 1, 0, -1):
        j = next_random(s, i + 1)
        s.stock[i], s.stock[j] = s.stock[j], s.stock[i]


@kernel
def deal_hand(s):
    """Deal the next hand of a match: 108 cards shuffled, hands, upcard; the first player draws."""
    clear_hand(s)
    s.rng = stream(s.seed, s.hand_number)
    for i in range(NUM_CARDS):
        s.stock[i] = i // 2 if i < 104 else JOKER
    s.num_stock = NUM_CARDS
    shuffle_stock(s)
    for p in range(s.rules[NUM_PLAYERS]):
        if s.in_match[p]:
            for _ in range(s.rules[DEAL]):
                s.num_stock -= 1
                gain_card(s, p, np.int64(s.stock[s.num_stock]))
                s.stock[s.num_stock] = 0
    _turn_upcard(s)
    s.player = next_seat(s, np.int64(s.dealer))
    s.phase = DRAW


@kernel
def _turn_upcard(s):
    """Turn one card up; under ``redraw`` a joker goes back to a random place of the stock."""
    while s.rules[UPCARD_JOKER] == 1 and s.stock[s.num_stock - 1] == JOKER:
        j = next_random(s, np.int64(s.num_stock))
        s.stock[s.num_stock - 1], s.stock[j] = s.stock[j], JOKER
    s.num_stock -= 1
    s.pile[0], s.stock[s.num_stock] = s.stock[s.num_stock], 0
    s.num_pile = 1


@kernel
def next_hand(s):
    """Deal the hand after a finished one: the deal passes to the left."""
    s.dealer = next_seat(s, np.int64(s.dealer))
    deal_hand(s)
