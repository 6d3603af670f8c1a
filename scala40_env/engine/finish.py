"""The one principle of legality: a move is legal iff the turn can still be finished after it.

``may_stop`` says whether the turn may end as things stand; ``can_finish`` whether some further
table moves lead there. With nothing owed that is a comparison of counts. Otherwise two searches
answer: ``opening.opening`` knows the common case, an opening from the own hand, and says yes, no or
unsure; the exact search here walks through the moves themselves, visiting no state twice.

The exact search leaves out moves that cannot matter. Cards only leave the hand (a swap keeps their
number) and two cards can always end a turn that owes nothing, so a card that neither meets a duty
nor opens the way for one that does is better kept:

- while the opening is owed, all new melds and all growth of own melds matter;
- for a taken card: melds with it, runs of its suit, and swaps (which give jokers);
- for jokers that must be laid: any place for a joker, any new meld, and swaps;
- for a meld with too few naturals, all that changes it;
- with one card left, which must not be discarded, everything.
"""

import numpy as np

from .kernel import kernel
from .opening import UNSURE, YES, opening
from .state import (
    ATTACH_CLOSING,
    CLOSE_WITHOUT_DISCARD,
    FIRST_TURN_CLOSE,
    HAND_CLOSE_EXEMPT,
    JOKER,
    JOKER_DISCARD,
    NONE,
    NUM_TYPES,
    RUN,
    mix64,
)
from .table import attaches, naturals_missing, table_move, table_moves
from .tables import ADD_ID, MELD_ID, MELD_NATURALS, SWAP_ID
from .work import MAX_DEPTH, NUM_VISITED

_FORBID = 3  # joker_discard = forbid
_CURSOR, _COUNT = 0, 1  # rows of ``Work.levels`` in the exact search


@kernel
def min_left(s):
    """Cards that must be left before the discard: two in a first turn that may not close."""
    if s.turns[s.player] == 0 and not s.rules[FIRST_TURN_CLOSE]:
        return 2
    return 0 if s.rules[CLOSE_WITHOUT_DISCARD] else 1


@kernel
def last_discard_is_barred(s, card):
    """Whether a card may not be discarded as the last one."""
    if card == JOKER and s.rules[JOKER_DISCARD] == _FORBID:
        return True
    return s.rules[ATTACH_CLOSING] == 1 and attaches(s, card)


@kernel
def duties_are_met(s):
    """Whether the turn owes nothing: taken card, recovered jokers, naturals, opening."""
    if s.taken != NONE or s.recovered > 0:
        return False
    laid = False
    for m in range(s.num_melds):
        if s.meld_new[m]:
            laid = True
            if naturals_missing(s, m):
                return False
    if not laid or s.opened[s.player]:
        return True
    # Closing in hand: all but the discard lie in own new melds, so no minimum is asked for.
    return s.rules[HAND_CLOSE_EXEMPT] == 1 and s.hand_size[s.player] <= 1


@kernel
def may_stop(s):
    """Whether the turn may end now: duties met, and a card to discard or a legal empty hand."""
    left = s.hand_size[s.player]
    if left < min_left(s) or not duties_are_met(s):
        return False
    if left != 1:
        return True
    for card in range(NUM_TYPES):
        if s.hands[s.player, card] > 0:
            return not last_discard_is_barred(s, card)
    return False


@kernel
def can_finish(s, work, n):
    """Whether the turn of a game in phase PLAY can be finished from here.

    Args:
        s: a game in phase PLAY; unchanged. It may be ``work.stack[0]``.
        n: the result of ``prepare_opening`` for this hand or one that holds it; used only where
            the player has not opened.
    """
    if may_stop(s):
        return True
    least = min_left(s)
    if s.hand_size[s.player] < least:
        return False
    if not s.opened[s.player]:
        answer = opening(s, work, n, least)
        if answer != UNSURE:
            return answer == YES
    return _search(s, work, least)


@kernel
def _matters(s, action, m):
    """Whether a table move can help to finish the turn (see the head of this file)."""
    if not s.opened[s.player] or s.hand_size[s.player] == 1 or action >= SWAP_ID:
        return True
    if m != NONE and s.meld_new[m] and naturals_missing(s, m):
        return True
    owes_joker = s.recovered > 0 or s.taken == JOKER
    if action < ADD_ID:
        meld = action - MELD_ID
        if owes_joker:
            return True
        return s.taken != NONE and MELD_NATURALS[meld] >> np.uint64(s.taken) & np.uint64(1) != 0
    if owes_joker and (action - ADD_ID) % 104 >= 52:
        return True
    if s.taken == NONE or s.taken == JOKER:
        return False
    card = (action - ADD_ID) % 52
    return (action - ADD_ID) % 104 == s.taken or (
        s.meld_kind[m] == RUN and card // 13 == s.taken // 13
    )


@kernel
def _state_hash(s):
    """A hash of all that the rest of the turn depends on, the order of the melds aside."""
    h = np.uint64(0)
    for card in range(NUM_TYPES):
        if s.hands[s.player, card] > 0:
            h += mix64(np.uint64(card * 8 + s.hands[s.player, card]))
    for m in range(s.num_melds):
        shape = np.int64(s.meld_kind[m]) * 16 + s.meld_base[m]
        shape = (shape * 2 + s.meld_new[m]) << 32
        shape |= np.int64(s.meld_places[m]) << 16 | np.int64(s.meld_jokers[m])
        h += mix64(np.uint64(shape) + np.uint64(1 << 48))
    owed = (s.taken + 1) * 8 + s.recovered
    h += mix64(np.uint64(owed * 2 + s.opened[s.player]) + np.uint64(1 << 56))
    return mix64(h) | np.uint64(1)


@kernel
def _is_new(work, h, count):
    """Remember a state; False where it was seen before (open addressing, bounded probing)."""
    slot = np.int64(h >> np.uint64(33)) & (NUM_VISITED - 1)
    for _ in range(8):
        if work.visited[slot] == h:
            return False
        if work.visited[slot] == 0:
            if count < NUM_VISITED * 3 // 4:
                work.visited[slot] = h
                work.used[count] = slot
            return True
        slot = (slot + 1) & (NUM_VISITED - 1)
    return True


@kernel
def _search(s, work, least):
    """Exact depth-first search over the table moves that matter."""
    work.stack[0] = s
    found, seen = _search_from(work, least)
    for i in range(min(seen, NUM_VISITED * 3 // 4)):
        work.visited[work.used[i]] = 0
    return found


@kernel
def _search_from(work, least):
    """The search itself, from ``work.stack[0]``; returns (found, states seen)."""
    stack, levels = work.stack, work.levels
    d, seen = 0, 0
    levels[_CURSOR, 0], levels[_COUNT, 0] = 0, table_moves(stack[0], work.moves[0])
    while d >= 0:
        i = levels[_CURSOR, d]
        if i >= levels[_COUNT, d]:
            d -= 1
            continue
        levels[_CURSOR, d] += 1
        action, m = np.int64(work.moves[d, i, 0]), np.int64(work.moves[d, i, 1])
        if not _matters(stack[d], action, m):
            continue
        stack[d + 1] = stack[d]
        after = stack[d + 1]
        table_move(after, action, m)
        if may_stop(after):
            return True, seen
        if after.hand_size[after.player] < max(least, 1) or d + 2 >= MAX_DEPTH:
            continue
        if _is_new(work, _state_hash(after), seen):
            seen += 1
            d += 1
            levels[_CURSOR, d], levels[_COUNT, d] = 0, table_moves(after, work.moves[d])
    return False, seen
