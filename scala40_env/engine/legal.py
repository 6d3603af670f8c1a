"""Which moves are legal: whole moves (action, meld number), and the ids of the action space.

A whole move is a pair: the action id, and for adds and swaps the number of the meld (else NONE).
In ids, such a move is one id where a single meld could take the card, and two where several could:
the add or swap, then the target, which waits in ``pending``.
"""

import numpy as np

from .finish import can_finish, duties_are_met, last_discard_is_barred, min_left
from .kernel import kernel
from .opening import NO, UNSURE, YES, opening, opening_is_out_of_reach, prepare_opening
from .state import (
    ATTACH_OPENED,
    ATTACH_UNOPENED,
    DISCARD_BEFORE_OPENING,
    DRAW,
    FIRST_PLAYER_UPCARD,
    JOKER,
    JOKER_DISCARD,
    MIN_NATURALS,
    NONE,
    NUM_PLAYERS,
    PLAY,
    RECOVERED_JOKER,
    RETURN_TAKEN,
    gain_card,
    seats_in_match,
)
from .table import (
    attaches,
    could_meld,
    joker_limit,
    recoverable_jokers,
    suit_places,
    table_move,
    table_moves,
)
from .tables import (
    ADD_ID,
    DISCARD_ID,
    DRAW_ID,
    LOWEST,
    MELD_ID,
    MELD_NUM_JOKERS,
    NUM_ACTIONS,
    RETURN_ID,
    SWAP_ID,
    TAKE_ID,
    TARGET_ID,
)

_FORBID_UNOPENED, _ONLY_CLOSING = 1, 2  # joker_discard


@kernel
def joker_discard_is_barred(s):
    """Whether a joker may not be discarded, unless it closes or all bans are lifted."""
    rule = s.rules[JOKER_DISCARD]
    return rule >= _ONLY_CLOSING or (rule == _FORBID_UNOPENED and not s.opened[s.player])


@kernel
def attaching_is_barred(s):
    """Whether a discard may not attach, unless it closes or all bans are lifted."""
    ban = s.rules[ATTACH_OPENED] if s.opened[s.player] else s.rules[ATTACH_UNOPENED]
    return ban == 1 or (ban == 2 and seats_in_match(s) >= 3)


@kernel
def is_first_turn_of_hand(s):
    """Whether nobody has finished a turn in this hand."""
    for p in range(s.rules[NUM_PLAYERS]):
        if s.turns[p] > 0:
            return False
    return True


@kernel
def keeps_upcard(s):
    """Whether a take now is the first player's free one (``first_player_upcard = keep``)."""
    return s.rules[FIRST_PLAYER_UPCARD] == 1 and is_first_turn_of_hand(s) and s.num_pile == 1


@kernel
def take_card(s):
    """Move the top of the pile to the hand; unless it is the kept upcard, it must be laid."""
    p = np.int64(s.player)
    s.num_pile -= 1
    card = np.int64(s.pile[s.num_pile])
    s.pile[s.num_pile] = 0
    if keeps_upcard_after(s):
        s.kept, s.kept_seat = card, p
    else:
        s.taken = card
    gain_card(s, p, card)
    s.takes[p, card] = _nibble_step(s.takes[p, card], 1)
    s.phase = PLAY


@kernel
def keeps_upcard_after(s):
    """``keeps_upcard``, asked when the card has left the pile."""
    return s.rules[FIRST_PLAYER_UPCARD] == 1 and is_first_turn_of_hand(s) and s.num_pile == 0


@kernel
def _nibble_step(counts, step):
    """Add ``step`` (1, or 16 for the high four bits) to a pair of counters that stop at 15."""
    return counts + step if (counts // step) % 16 < 15 else counts


@kernel
def _can_take(s, work):
    if s.num_pile == 0 or s.returned:
        return False
    if keeps_upcard(s):
        return True
    if not s.opened[s.player] and s.rules[DISCARD_BEFORE_OPENING] == 0:
        return False
    sure = _take_is_sure(s)
    if sure != UNSURE:
        return sure == YES
    after = work.stack[0]
    work.stack[0] = s
    take_card(after)
    n = prepare_opening(after, work) if not s.opened[s.player] else 0
    return can_finish(after, work, n)


@kernel
def _take_is_sure(s):
    """What a glance says of taking the top of the pile: YES, NO, or UNSURE.

    The card must go to the table, with cards of the hand, jokers of the hand or jokers of the
    table that a swap could recover.
    """
    p, card = np.int64(s.player), np.int64(s.pile[s.num_pile - 1])
    if card == JOKER:
        return UNSURE
    cards = s.held_once[p]
    jokers = np.int64(s.hands[p, JOKER])
    spare, with_card = jokers, cards | np.uint64(1) << np.uint64(card)
    for m in range(s.num_melds):
        spare += recoverable_jokers(s, m, with_card)
    may_meld = could_meld(cards, card, spare)
    if not s.opened[p]:
        return UNSURE if may_meld and not opening_is_out_of_reach(s, card) else NO
    fits = attaches(s, card)
    if s.hand_size[p] >= 2 and fits:
        return YES
    allowed = min(jokers, joker_limit(s), 3 - np.int64(s.rules[MIN_NATURALS]))
    if s.hand_size[p] >= 4 and could_meld(cards, card, allowed):
        return YES
    if may_meld or fits:
        return UNSURE
    # What is left is a swap, which takes a joker of the table, and a run of the table that other
    # cards of the suit or jokers carry on to this one.
    beside = suit_places(cards, card // 13)
    near = beside >> 1 | beside << 1
    ace_high = card % 13 == 0 and near >> 13 & 1
    return UNSURE if spare > 0 or near >> card % 13 & 1 or ace_high else NO


@kernel
def _may_return(s):
    """Right after taking, before any table move."""
    if s.taken == NONE or not s.rules[RETURN_TAKEN] or s.laid_off_or_swapped:
        return False
    for m in range(s.num_melds):
        if s.meld_new[m]:
            return False
    return True


@kernel
def _list_discards(s, moves, n):
    """Append the legal discards of a turn that owes nothing."""
    if s.hand_size[s.player] > 1:
        count = _list_cards(s, attaching_is_barred(s), joker_discard_is_barred(s), moves, n)
        return count if count > n else _list_cards(s, False, False, moves, n)  # bans are lifted
    if min_left(s) > 1:
        return n
    count = _list_cards(s, False, False, moves, n)
    if count > n and last_discard_is_barred(s, np.int64(moves[n, 0]) - DISCARD_ID):
        return n
    return count


@kernel
def _list_cards(s, attaching_barred, joker_barred, moves, n):
    """Append the discards of the hand but those that a ban leaves out."""
    cards = s.held_once[s.player]
    for suit in range(4):
        bits = np.int64(cards >> np.uint64(13 * suit)) & 0x1FFF
        while bits:
            card = suit * 13 + np.int64(LOWEST[bits])
            bits &= bits - 1
            if not attaching_barred or not attaches(s, card):
                moves[n, 0], moves[n, 1] = DISCARD_ID + card, NONE
                n += 1
    if s.hands[s.player, JOKER] > 0 and not joker_barred:
        if not attaching_barred or not attaches(s, JOKER):
            moves[n, 0], moves[n, 1] = DISCARD_ID + JOKER, NONE
            n += 1
    return n


@kernel
def _is_surely_legal(s, action):
    """Whether a table move of a turn that owes nothing leaves two cards and no new duty."""
    left = s.hand_size[s.player]
    if action < ADD_ID:
        if MELD_NUM_JOKERS[action - MELD_ID] > 1 and s.rules[MIN_NATURALS] > 1:
            return False
        return left >= 5
    if action < SWAP_ID:
        return left >= 3
    return left >= 2 and s.rules[RECOVERED_JOKER] == 0


@kernel
def _is_repeated(s, m):
    """Whether an identical meld has a lower number."""
    for k in range(m):
        if (
            s.meld_places[k] == s.meld_places[m]
            and s.meld_base[k] == s.meld_base[m]
            and s.meld_kind[k] == s.meld_kind[m]
            and s.meld_jokers[k] == s.meld_jokers[m]
            and s.meld_new[k] == s.meld_new[m]
        ):
            return True
    return False


@kernel
def _keep_legal(s, work, moves, first, last, owes):
    """Drop the illegal ones of the table moves ``moves[first:last]``; returns their new end."""
    opened = s.opened[s.player] != 0
    prepared, n = 0, first
    if not opened and last > first:
        prepared = prepare_opening(s, work)
        if not owes and opening(s, work, prepared, min_left(s)) == NO:
            return first  # no opening at all: no first meld either
    after = work.stack[0]
    for i in range(first, last):
        action, m = np.int64(moves[i, 0]), np.int64(moves[i, 1])
        if m != NONE and _is_repeated(s, m):
            continue
        legal = opened and not owes and _is_surely_legal(s, action)
        if not legal:
            work.stack[0] = s
            table_move(after, action, m)
            legal = can_finish(after, work, prepared)
        if legal:
            moves[n, 0], moves[n, 1] = action, m
            n += 1
    return n


@kernel
def legal_moves(s, moves, work):
    """List the legal whole moves of a game, each once; while a target is pending, its moves.

    Args:
        s: a game (or the view of the seat to move); unchanged.
        moves: int16[MAX_TABLE_MOVES + 64, 2], filled with (action id, meld number or NONE).
        work: working memory of this thread.

    Returns:
        Their number; 0 where nobody is to move.
    """
    n = 0
    if s.phase == DRAW:
        if s.num_stock > 0:
            moves[n, 0], moves[n, 1] = DRAW_ID, NONE
            n += 1
        if _can_take(s, work):
            moves[n, 0], moves[n, 1] = TAKE_ID, NONE
            n += 1
        return n
    if s.phase != PLAY:
        return 0
    owes = not duties_are_met(s)
    if _may_return(s):
        moves[n, 0], moves[n, 1] = RETURN_ID, NONE
        n += 1
    if not owes:
        n = _list_discards(s, moves, n)
        # Owing nothing before opening: nothing is laid, or closing in hand asks for no minimum.
        if not s.opened[s.player] and opening_is_out_of_reach(s, NONE):
            return n
    count = table_moves(s, moves[n:])
    return _keep_legal(s, work, moves, n, n + count, owes)


@kernel
def legal_targets(s, action, moves, work):
    """List the melds that the add or swap ``action`` may go to; returns their number."""
    count, n = legal_moves(s, moves, work), 0
    for i in range(count):
        if moves[i, 0] == action:
            moves[n, 0], moves[n, 1] = action, moves[i, 1]
            n += 1
    return n


@kernel
def legal_mask(s, mask, moves, work):
    """Write the mask of the legal action ids.

    Args:
        mask: int8[NUM_ACTIONS], overwritten with 0 and 1.

    Returns:
        The number of legal ids.
    """
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    count = legal_moves(s, moves, work)
    n = 0
    for i in range(count):
        action = np.int64(moves[i, 0])
        if s.pending != NONE:
            if action != s.pending:
                continue
            action = TARGET_ID + np.int64(moves[i, 1])
        n += 1 - mask[action]
        mask[action] = 1
    return n
