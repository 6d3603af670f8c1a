"""The table: shapes, values and duties of melds, and the verbs that move cards onto it.

Nothing here asks whether the turn can still be finished; that is ``finish``. A table move is a
pair (action id, meld number); the number is NONE for a new meld.
"""

import numpy as np

from .kernel import kernel
from .state import (
    ACE_LOW_VALUE,
    CARD_VALUES,
    JOKER,
    JOKERS_PER_MELD,
    MAX_RUN,
    MIN_NATURALS,
    NONE,
    OPENING_JOKER,
    OPENING_MIN,
    RECOVERED_JOKER,
    RUN,
    SET,
    SET_JOKER,
    gain_card,
    lose_card,
)
from .tables import (
    ADD_ID,
    HIGHEST,
    LOWEST,
    MELD_ID,
    MELD_JOKERS,
    MELD_NATURALS,
    MELD_NUM_JOKERS,
    NUM_PATTERNS,
    NUM_PLACES,
    NUM_SET_SHAPES,
    ON_HIGH,
    ON_LOW,
    ON_SET,
    RANK_VALUE,
    SHAPE_BASE,
    SHAPE_KIND,
    SHAPE_PLACES,
    SWAP_ID,
)

MAX_TABLE_MOVES = 1400  # 700 melds and at most 19 adds and swaps on each of 36 melds
_LOW_ACE = 1
_HIGH_ACE = 1 << 13
_BOTH_ACES = _LOW_ACE | _HIGH_ACE


@kernel
def joker_limit(s):
    """Jokers allowed in one meld: 4, all there are, where there is no limit."""
    return np.int64(s.rules[JOKERS_PER_MELD]) if s.rules[JOKERS_PER_MELD] > 0 else 4


@kernel
def place_value(s, kind, base, place):
    """Points of the card at a place of a meld (a joker counts as the card it stands for)."""
    if kind == SET:
        return RANK_VALUE[s.rules[CARD_VALUES], base]
    if place == 0:
        return np.int64(s.rules[ACE_LOW_VALUE])
    return RANK_VALUE[s.rules[CARD_VALUES], place % 13]


@kernel
def places_value(s, kind, base, places):
    """Points of the cards at several places of a meld."""
    points = 0
    rest = np.int64(places)
    while rest:
        points += place_value(s, kind, base, np.int64(LOWEST[rest]))
        rest &= rest - 1
    return points


@kernel
def opening_points(s):
    """What the melds of this turn count to the opening.

    With ``opening_joker`` off a meld with a joker counts nothing.
    """
    points = 0
    for m in range(s.num_melds):
        if s.meld_new[m] and (s.rules[OPENING_JOKER] or s.meld_jokers[m] == 0):
            kind, base = np.int64(s.meld_kind[m]), np.int64(s.meld_base[m])
            points += places_value(s, kind, base, np.int64(s.meld_places[m]))
    return points


@kernel
def naturals_missing(s, m):
    """True where meld ``m`` has fewer natural cards than ``min_naturals``."""
    return NUM_PLACES[s.meld_places[m] & ~s.meld_jokers[m]] < s.rules[MIN_NATURALS]


@kernel
def suit_places(cards, suit):
    """The places of a run that a set of natural cards fills: the ace counts at both ends.

    Args:
        cards: uint64 mask of card types.
    """
    places = np.int64(cards >> np.uint64(13 * suit)) & 0x1FFF
    return places | (places & _LOW_ACE) << 13


@kernel
def rank_places(cards, rank):
    """The suits, as bits 0-3, in which a set of natural cards holds a rank."""
    return (
        np.int64(cards >> np.uint64(rank)) & 1
        | (np.int64(cards >> np.uint64(13 + rank)) & 1) << 1
        | (np.int64(cards >> np.uint64(26 + rank)) & 1) << 2
        | (np.int64(cards >> np.uint64(39 + rank)) & 1) << 3
    )


@kernel
def set_ranks(cards, jokers):
    """The ranks, as bits 0-12, of which a set of three is possible with some jokers."""
    a, b = suit_places(cards, 0), suit_places(cards, 1)
    c, d = suit_places(cards, 2), suit_places(cards, 3)
    if jokers == 0:
        ranks = (a & b & (c | d)) | (c & d & (a | b))
    elif jokers == 1:
        ranks = ((a | b) & (c | d)) | (a & b) | (c & d)
    else:
        ranks = a | b | c | d
    return ranks & 0x1FFF


@kernel
def run_starts(places, jokers):
    """The low places 0-11 of the three-card runs that are possible with some jokers."""
    up, upper = places >> 1, places >> 2
    if jokers == 0:
        starts = places & up & upper
    elif jokers == 1:
        starts = (places & (up | upper)) | (up & upper)
    else:
        starts = places | up | upper
    return starts & 0xFFF


@kernel
def could_meld(cards, card, jokers):
    """Whether a natural card goes into some three-card meld with the cards held and jokers.

    Args:
        cards: uint64 mask of the natural cards held.
        jokers: how many jokers such a meld may have.
    """
    others = cards & ~(np.uint64(1) << np.uint64(card))
    if NUM_PLACES[rank_places(others, card % 13)] + jokers >= 2:
        return True
    places = suit_places(others, card // 13)
    rank = card % 13
    if _near_run(places << 2 >> rank & 0b11011, jokers):
        return True
    return rank == 0 and _near_run(places << 2 >> 13 & 0b11011, jokers)


@kernel
def _near_run(near, jokers):
    """Whether the five places around a card (the card in the middle) make a run of three."""
    for shift in range(3):
        if NUM_PLACES[near >> shift & 0b111] + jokers >= 2:
            return True
    return False


@kernel
def run_end_is_open(s, m, place, as_joker):
    """Whether a card may go to ``place``, next to an end of run ``m``."""
    if place < 0 or place > 13 or NUM_PLACES[s.meld_places[m]] >= s.rules[MAX_RUN]:
        return False
    places = s.meld_places[m] | (1 << place)
    if places & _BOTH_ACES != _BOTH_ACES or as_joker:
        return True
    return s.meld_jokers[m] & _BOTH_ACES != 0  # never both natural aces of the suit


@kernel
def joker_fits(s, m):
    """Whether meld ``m`` may take one joker more."""
    return NUM_PLACES[s.meld_jokers[m]] < joker_limit(s)


@kernel
def has_room_for_joker(s, m):
    """Whether a joker could be laid off on meld ``m`` by its shape."""
    if not joker_fits(s, m):
        return False
    if s.meld_kind[m] == SET:
        return s.meld_places[m] != 0b1111
    places = np.int64(s.meld_places[m])
    return run_end_is_open(s, m, LOWEST[places] - 1, True) or run_end_is_open(
        s, m, HIGHEST[places] + 1, True
    )


@kernel
def attaches(s, card):
    """Whether a card could be laid off on the table by its shape, opened or not."""
    for m in range(s.num_melds):
        if card == JOKER:
            if has_room_for_joker(s, m):
                return True
        elif s.meld_kind[m] == SET:
            if s.meld_base[m] == card % 13 and not s.meld_places[m] >> (card // 13) & 1:
                return True
        elif s.meld_base[m] == card // 13:
            low, high = LOWEST[s.meld_places[m]] - 1, HIGHEST[s.meld_places[m]] + 1
            if low == card % 13 and run_end_is_open(s, m, low, False):
                return True
            if high % 13 == card % 13 and run_end_is_open(s, m, high, False):
                return True
    return False


@kernel
def swap_place(s, m, card):
    """The place of the joker that a natural card replaces in meld ``m``, or NONE."""
    jokers = np.int64(s.meld_jokers[m])
    suit, rank = card // 13, card % 13
    if s.meld_kind[m] == SET:
        if s.meld_base[m] != rank or (s.meld_places[m] & ~jokers) >> suit & 1:
            return NONE
        if jokers >> suit & 1:
            return np.int64(suit)
        return np.int64(LOWEST[jokers]) if s.rules[SET_JOKER] == 1 and jokers else NONE
    if s.meld_base[m] != suit:
        return NONE
    if rank > 0:
        return rank if jokers >> rank & 1 else NONE
    # An ace: both jokers -> the low one; never where the other ace is natural.
    naturals = s.meld_places[m] & ~jokers
    if jokers & _LOW_ACE and not naturals & _HIGH_ACE:
        return 0
    if jokers & _HIGH_ACE and not naturals & _LOW_ACE:
        return 13
    return NONE


@kernel
def recoverable_jokers(s, m, cards):
    """How many jokers of meld ``m`` could be swapped for natural cards, at most.

    Args:
        cards: uint64 mask of the card types held.
    """
    jokers, base = np.int64(s.meld_jokers[m]), np.int64(s.meld_base[m])
    if jokers == 0:
        return 0
    if s.meld_kind[m] == RUN:
        return NUM_PLACES[jokers & suit_places(cards, base)]
    suits = rank_places(cards, base)
    if s.rules[SET_JOKER] == 1:
        return min(NUM_PLACES[jokers], NUM_PLACES[suits])
    return NUM_PLACES[jokers & suits]


# --- the shape-legal table moves ------------------------------------------------------------


@kernel
def _list_melds(s, moves, n):
    """Append the ids of all three-card melds that the hand holds, in ascending order."""
    cards = s.held_once[s.player]
    jokers = min(np.int64(s.hands[s.player, JOKER]), joker_limit(s), 2)
    ranks = set_ranks(cards, jokers)
    while ranks:
        rank = np.int64(LOWEST[ranks])
        ranks &= ranks - 1
        present = rank_places(cards, rank)
        for missing in range(4):
            n = _list_patterns(rank * 4 + missing, present, jokers, moves, n)
    for suit in range(4):
        places = suit_places(cards, suit)
        starts = run_starts(places, jokers)
        while starts:
            shape = NUM_SET_SHAPES + suit * 12 + np.int64(LOWEST[starts])
            starts &= starts - 1
            n = _list_patterns(shape, places, jokers, moves, n)
    return n


@kernel
def _list_patterns(shape, present, jokers, moves, n):
    """Append the joker patterns of one shape that the present places and jokers allow."""
    places = np.int64(SHAPE_PLACES[shape])
    if NUM_PLACES[places & present] + jokers < 3:
        return n
    first = shape * NUM_PATTERNS
    for meld in range(first, first + 1 + 3 * jokers):  # those with 0, 1 and 2 jokers follow so
        naturals = places & ~np.int64(MELD_JOKERS[meld])
        if naturals & ~present == 0:
            moves[n, 0], moves[n, 1] = MELD_ID + meld, NONE
            n += 1
    return n


@kernel
def _list_set_moves(s, hand, m, can_swap, moves, n):
    """Append the adds and swaps on set ``m``."""
    naturals = s.meld_places[m] & ~s.meld_jokers[m]
    joker = hand[JOKER] > 0 and joker_fits(s, m)
    for suit in range(4):
        card = suit * 13 + np.int64(s.meld_base[m])
        if not s.meld_places[m] >> suit & 1:
            if hand[card] > 0:
                moves[n, 0], moves[n, 1] = ADD_ID + card, m
                n += 1
            if joker:
                moves[n, 0], moves[n, 1] = ADD_ID + 52 + card, m
                n += 1
        if can_swap and hand[card] > 0 and not naturals >> suit & 1:
            if swap_place(s, m, card) != NONE:
                moves[n, 0], moves[n, 1] = SWAP_ID + card, m
                n += 1
    return n


@kernel
def _list_run_moves(s, hand, m, can_swap, moves, n):
    """Append the adds and swaps on run ``m``."""
    suit, places = np.int64(s.meld_base[m]), np.int64(s.meld_places[m])
    joker = hand[JOKER] > 0 and joker_fits(s, m)
    for end in range(ON_LOW, ON_HIGH + 1):
        place = np.int64(LOWEST[places] - 1 if end == ON_LOW else HIGHEST[places] + 1)
        card = suit * 13 + place % 13
        first = ADD_ID + end * 104 + card
        if place >= 0 and hand[card] > 0 and run_end_is_open(s, m, place, False):
            moves[n, 0], moves[n, 1] = first, m
            n += 1
        if joker and run_end_is_open(s, m, place, True):
            moves[n, 0], moves[n, 1] = first + 52, m
            n += 1
    jokers = np.int64(s.meld_jokers[m]) if can_swap else 0
    if jokers & _BOTH_ACES == _BOTH_ACES:
        jokers &= ~_HIGH_ACE  # one natural ace replaces the low one
    while jokers:
        card = suit * 13 + np.int64(LOWEST[jokers]) % 13
        if hand[card] > 0 and swap_place(s, m, card) != NONE:
            moves[n, 0], moves[n, 1] = SWAP_ID + 52 + card, m
            n += 1
        jokers &= jokers - 1
    return n


@kernel
def table_moves(s, moves):
    """List the table moves that shape, hand and opening allow, whatever the turn still owes.

    Args:
        s: a game in phase PLAY.
        moves: int16[MAX_TABLE_MOVES, 2], filled with (action id, meld number).

    Returns:
        Their number. New melds come first, in ascending order, then meld by meld.
    """
    hand = s.hands[s.player]
    n = _list_melds(s, moves, 0)
    opened = s.opened[s.player] != 0
    for m in range(s.num_melds):
        if not opened and not s.meld_new[m]:
            continue  # before opening only one's own melds of this turn grow
        if s.meld_kind[m] == SET:
            n = _list_set_moves(s, hand, m, opened, moves, n)
        else:
            n = _list_run_moves(s, hand, m, opened, moves, n)
    return n


# --- the verbs -------------------------------------------------------------------------------


@kernel
def _use_card(s, card, on_new_meld):
    """Take a card out of the hand to the table, and see which duties that meets."""
    p = s.player
    lose_card(s, p, card)
    if card == s.taken and (on_new_meld or not s.opened_this_turn):
        s.taken = NONE  # taken before opening: only into a meld of this turn
    if card == JOKER and s.recovered > 0:
        s.recovered -= 1
    forget_card(s, p, card)


@kernel
def forget_card(s, seat, card):
    """A card left a hand in the open: what was known to be there is there no more."""
    if card == JOKER and s.known_jokers[seat] > 0:
        s.known_jokers[seat] -= 1
    if card == s.kept and seat == s.kept_seat:
        s.kept, s.kept_seat = NONE, NONE


@kernel
def _note_opening(s):
    """Open the player as soon as the melds of this turn are worth enough."""
    p = s.player
    if not s.opened[p] and opening_points(s) >= s.rules[OPENING_MIN]:
        s.opened[p] = 1
        s.opened_this_turn = 1


@kernel
def lay_meld(s, meld):
    """Lay the new three-card meld ``meld`` (an id less MELD_ID)."""
    m = s.num_melds
    shape = meld // NUM_PATTERNS
    s.num_melds += 1
    s.meld_kind[m] = SHAPE_KIND[shape]
    s.meld_base[m] = SHAPE_BASE[shape]
    s.meld_places[m] = SHAPE_PLACES[shape]
    s.meld_jokers[m] = MELD_JOKERS[meld]
    s.meld_new[m] = 1
    naturals = MELD_NATURALS[meld]
    for suit in range(4):
        bits = np.int64(naturals >> np.uint64(13 * suit)) & 0x1FFF
        while bits:
            _use_card(s, suit * 13 + np.int64(LOWEST[bits]), True)
            bits &= bits - 1
    for _ in range(MELD_NUM_JOKERS[meld]):
        _use_card(s, JOKER, True)
    _note_opening(s)


@kernel
def add_card(s, action, m):
    """Lay one card off on meld ``m``: ``action`` is the id of an add."""
    end, rest = (action - ADD_ID) // 104, (action - ADD_ID) % 104
    as_joker, card = rest >= 52, rest % 52
    if end == ON_SET:
        place = card // 13
    elif end == ON_LOW:
        place = LOWEST[s.meld_places[m]] - 1
    else:
        place = HIGHEST[s.meld_places[m]] + 1
    s.meld_places[m] |= 1 << place
    if as_joker:
        s.meld_jokers[m] |= 1 << place
    if not s.meld_new[m]:
        s.laid_off_or_swapped = 1
    _use_card(s, JOKER if as_joker else card, s.meld_new[m] != 0)
    _note_opening(s)


@kernel
def swap_joker(s, action, m):
    """Put a natural card in a joker's place in meld ``m``; the joker comes to the hand."""
    card = (action - SWAP_ID) % 52
    place = swap_place(s, m, card)
    s.meld_jokers[m] &= ~(1 << place)
    if s.meld_kind[m] == SET:  # under any_missing the card may be of another suit than the joker's
        s.meld_places[m] = (s.meld_places[m] & ~(1 << place)) | (1 << (card // 13))
    s.laid_off_or_swapped = 1
    _use_card(s, card, s.meld_new[m] != 0)
    p = s.player
    gain_card(s, p, JOKER)
    s.known_jokers[p] += 1
    if s.rules[RECOVERED_JOKER] == 1:
        s.recovered += 1


@kernel
def table_move(s, action, m):
    """Carry out one table move: a new meld, an add, or a swap on meld ``m``."""
    if action < ADD_ID:
        lay_meld(s, action - MELD_ID)
    elif action < SWAP_ID:
        add_card(s, action, m)
    else:
        swap_joker(s, action, m)
