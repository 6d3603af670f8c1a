"""What a seat may know: a view is a game record with all that is hidden from the seat blanked.

Kept: the own hand, sizes of the other hands and of the stock, the table, the pile, all public
history (discards, takes, jokers recovered), and what the seat knows of a renewed stock.
Blanked: the other hands, the order of the stock, the seed and the generator.
"""

import numpy as np

from .kernel import kernel
from .state import JOKER, MAX_SEATS, NUM_CARDS, NUM_TYPES, SET
from .tables import LOWEST, NUM_PLACES


@kernel
def blank_hidden(s, seat):
    """Turn a game into the view of ``seat``, in place."""
    for p in range(MAX_SEATS):
        if p == seat:
            continue
        s.held_once[p], s.held_twice[p] = 0, 0
        for card in range(NUM_TYPES):
            s.hands[p, card], s.known_stock[p, card] = 0, 0
    for i in range(NUM_CARDS):
        s.stock[i] = 0
    s.seed, s.rng = np.uint64(0), np.uint64(0)


@kernel
def known_in_hand(s, seat, card):
    """How many cards of a type everybody knows to be in the hand of ``seat``.

    Recovered jokers, a kept upcard, and the card just taken by the seat to move.
    """
    count = 0
    if card == JOKER:
        count += s.known_jokers[seat]
    if s.kept == card and s.kept_seat == seat:
        count += 1
    if s.taken == card and s.player == seat:
        count += 1
    return count


@kernel
def count_unseen(s, seat, unseen):
    """Count the cards that ``seat`` does not see: those of the stock and of the other hands.

    Args:
        unseen: int8[53], overwritten.

    Returns:
        Their number.
    """
    for card in range(52):
        unseen[card] = 2 - s.hands[seat, card]
    unseen[JOKER] = 4 - s.hands[seat, JOKER]
    for i in range(s.num_pile):
        unseen[s.pile[i]] -= 1
    for m in range(s.num_melds):
        jokers, base = np.int64(s.meld_jokers[m]), np.int64(s.meld_base[m])
        naturals = np.int64(s.meld_places[m]) & ~jokers
        unseen[JOKER] -= NUM_PLACES[jokers]
        while naturals:
            place = np.int64(LOWEST[naturals])
            naturals &= naturals - 1
            if s.meld_kind[m] == SET:
                unseen[place * 13 + base] -= 1
            else:
                unseen[base * 13 + place % 13] -= 1
    total = 0
    for card in range(NUM_TYPES):
        total += unseen[card]
    return total


@kernel
def known_stock_of(s, seat, card, unseen):
    """The most cards of a type that the stock can hold, as ``seat`` knows it.

    Args:
        unseen: what ``count_unseen`` wrote.
    """
    if s.reshuffles == 0:
        return unseen[card]
    return min(unseen[card], s.known_stock[seat, card])
