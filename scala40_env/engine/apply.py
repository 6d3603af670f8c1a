"""Carrying out moves. Nothing here checks legality: callers choose from the legal ones."""

import numpy as np

from .deal import clear_turn, next_hand, shuffle_stock
from .kernel import kernel
from .legal import legal_targets, take_card
from .score import end_hand
from .state import (
    DRAW,
    HAND_OVER,
    MAX_TURNS,
    NONE,
    NUM_PLAYERS,
    NUM_TYPES,
    PLAY,
    RESHUFFLES,
    gain_card,
    lose_card,
    next_seat,
)
from .table import forget_card, table_move
from .tables import ADD_ID, DISCARD_ID, DRAW_ID, RETURN_ID, TAKE_ID, TARGET_ID


@kernel
def draw_card(s):
    """Draw the top of the stock."""
    p = s.player
    s.num_stock -= 1
    card = s.stock[s.num_stock]
    s.stock[s.num_stock] = 0  # what is gone leaves no trace: equal games have equal bytes
    gain_card(s, np.int64(p), np.int64(card))
    if s.reshuffles > 0:
        s.known_stock[p, card] -= 1
    s.phase = PLAY


@kernel
def return_card(s):
    """Give the card just taken back; only the stock is left to draw from."""
    p, card = np.int64(s.player), np.int64(s.taken)
    lose_card(s, p, card)
    s.pile[s.num_pile] = card
    s.num_pile += 1
    took, gave_back = s.takes[p, card] % 16, s.takes[p, card] // 16
    s.takes[p, card] = took - 1 + 16 * min(gave_back + 1, 15)
    s.taken, s.returned = NONE, 1
    s.phase = DRAW


@kernel
def discard_card(s, card):
    """Discard, which ends the turn; the last card closes."""
    p = np.int64(s.player)
    lose_card(s, p, card)
    s.pile[s.num_pile] = card
    s.num_pile += 1
    s.discarded[p, card] = min(s.discarded[p, card] + 1, 127)
    forget_card(s, p, card)
    _end_turn(s)


@kernel
def _close(s):
    """The player to move has got rid of all cards."""
    p = s.player
    in_hand = s.opened_this_turn != 0 or not s.opened[p]
    s.turns[p] += 1
    end_hand(s, np.int64(p), in_hand)


@kernel
def _end_turn(s):
    """Close, or run out of turns or cards, or pass the turn on."""
    p = s.player
    if s.hand_size[p] == 0:
        _close(s)
        return
    s.turns[p] += 1
    turns = 0
    for q in range(s.rules[NUM_PLAYERS]):
        turns += s.turns[q]
    if turns >= s.rules[MAX_TURNS] or (s.num_stock == 0 and not _renew_stock(s)):
        end_hand(s, NONE, False)
        return
    clear_turn(s)
    s.player = next_seat(s, np.int64(p))
    s.phase = DRAW


@kernel
def _renew_stock(s):
    """Shuffle the pile but for its top into a new stock; False where that is not possible."""
    limit = s.rules[RESHUFFLES]
    if s.num_pile < 2 or (limit >= 0 and s.reshuffles >= limit):
        return False
    s.num_stock = s.num_pile - 1
    counts = s.known_stock[0]
    for card in range(NUM_TYPES):
        counts[card] = 0
    for i in range(s.num_stock):
        s.stock[i] = s.pile[i]
        counts[s.pile[i]] += 1
    for q in range(1, s.rules[NUM_PLAYERS]):
        for card in range(NUM_TYPES):
            s.known_stock[q, card] = counts[card]
    s.pile[0] = s.pile[s.num_pile - 1]
    for i in range(1, s.num_pile):
        s.pile[i] = 0
    s.num_pile = 1
    s.reshuffles += 1
    shuffle_stock(s)
    return True


@kernel
def apply_move(s, action, m):
    """Carry out a legal whole move; the hand is scored when it ends, the next one not dealt.

    Args:
        action: an action id below TARGET_ID.
        m: the meld number of an add or swap, else NONE.
    """
    s.pending = NONE
    if action == DRAW_ID:
        draw_card(s)
    elif action == TAKE_ID:
        take_card(s)
    elif action == RETURN_ID:
        return_card(s)
    elif action < DISCARD_ID + NUM_TYPES:
        discard_card(s, action - DISCARD_ID)
    else:
        table_move(s, action, m)
        if s.hand_size[s.player] == 0:  # close_without_discard
            _close(s)


@kernel
def apply_action(s, action, moves, work):
    """Carry out a legal action id; an add or swap with several targets waits for one."""
    if action >= TARGET_ID:
        apply_move(s, np.int64(s.pending), action - TARGET_ID)
        return
    m = NONE
    if action >= ADD_ID:
        if legal_targets(s, action, moves, work) > 1:
            s.pending = action
            return
        m = np.int64(moves[0, 1])
    apply_move(s, action, m)


@kernel
def step(s, action, moves, work):
    """``apply_action``, and where that ends a hand of a match that goes on, the next deal."""
    apply_action(s, action, moves, work)
    if s.phase == HAND_OVER:
        next_hand(s)
