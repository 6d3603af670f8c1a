"""The state of one game as one flat record, and the words the kernels use for it.

A game is one element of an array of dtype ``GAME``: copying, batching, pickling and hashing a game
are copies of bytes. Cards are the ints of ``scala40_env.cards`` (suit * 13 + rank, joker 52).
Melds are those of ``scala40_env.melds``: a kind, a base (rank of a set, suit of a run), a bit mask
of places (suits of a set; positions 0-13 of a run, 0 the low and 13 the high ace) and a bit mask
of the places where a joker stands.
"""

import numpy as np

from .kernel import kernel

MAX_SEATS = 6
NUM_CARDS = 108
NUM_TYPES = 53
JOKER = 52
MAX_MELDS = 36  # 108 cards / 3
NONE = -1

# Phases of a game: the seat to move draws, plays, or nobody moves.
DRAW, PLAY, HAND_OVER, MATCH_OVER = 0, 1, 2, 3

SET, RUN = 0, 1

# Places in ``rules``: the fields of ``Rules`` in their order (a test compares them).
NUM_PLAYERS = 0
DEAL = 1
OPENING_MIN = 2
OPENING_JOKER = 3
DISCARD_BEFORE_OPENING = 4  # 0 never, 1 to_open
RETURN_TAKEN = 5
FIRST_PLAYER_UPCARD = 6  # 0 normal, 1 keep
UPCARD_JOKER = 7  # 0 allow, 1 redraw
JOKERS_PER_MELD = 8  # 0 = no limit
MIN_NATURALS = 9
MAX_RUN = 10
SET_JOKER = 11  # 0 declared, 1 any_missing
RECOVERED_JOKER = 12  # 0 keep, 1 must_reuse
ATTACH_UNOPENED = 13  # 0 allow, 1 forbid, 2 forbid_if_3plus
ATTACH_OPENED = 14
ATTACH_CLOSING = 15  # 0 allow, 1 forbid
JOKER_DISCARD = 16  # 0 allow, 1 forbid_unopened, 2 only_closing, 3 forbid
CLOSE_WITHOUT_DISCARD = 17
FIRST_TURN_CLOSE = 18
HAND_CLOSE_EXEMPT = 19
HAND_CLOSE_DEFINITION = 20  # 0 same_turn, 1 melds_only
HAND_CLOSE_BONUS = 21  # 0 none, 1 double, 2 double_full100
UNOPENED_PENALTY = 22  # -1 = none
PENALTY_DOUBLED = 23
CARD_VALUES = 24  # 0 standard, 1 graded
JOKER_IN_HAND = 25
LONE_ACE = 26
ACE_LOW_VALUE = 27
MODE = 28  # 0 elimination, 1 fixed_total, 2 single_hand, 3 victory_points
LIMIT = 29
REENTRY = 30  # 0 off, 1 once, 2 unlimited
TEAMS = 31  # 0 none, 1 2x2, 2 2x3
TEAM_POINTS = 32  # 0 sum, 1 worst
PARTNER_PAYS = 33
RESHUFFLES = 34  # -1 = no limit
EXHAUSTED_RESULT = 35  # 0 void, 1 score
MAX_TURNS = 36
MAX_HANDS = 37  # -1 = no cap
NUM_RULES = 38

ELIMINATION, FIXED_TOTAL, SINGLE_HAND, VICTORY_POINTS = 0, 1, 2, 3

GAME = np.dtype(
    [
        ("seed", "u8"),  # key of the match: hand k is dealt from (seed, k)
        ("rng", "u8"),  # state of the generator of this hand
        # The natural card types of each hand as bit masks, kept in step with ``hands``.
        ("held_once", "u8", MAX_SEATS),  # bit c: at least one card c
        ("held_twice", "u8", MAX_SEATS),
        ("totals", "i4", MAX_SEATS),
        ("rules", "i2", NUM_RULES),
        ("hand_points", "i2", MAX_SEATS),  # of the last finished hand
        ("turns", "i2", MAX_SEATS),  # turns each seat has finished in this hand
        ("meld_places", "i2", MAX_MELDS),
        ("meld_jokers", "i2", MAX_MELDS),
        ("num_stock", "i2"),
        ("num_pile", "i2"),
        ("hand_number", "i2"),  # hands finished before this one
        ("reshuffles", "i2"),  # renewals of the stock in this hand
        ("pending", "i2"),  # action id that waits for its target, or NONE
        ("meld_kind", "i1", MAX_MELDS),
        ("meld_base", "i1", MAX_MELDS),
        ("meld_new", "i1", MAX_MELDS),  # 1: laid in this turn
        ("hands", "i1", (MAX_SEATS, NUM_TYPES)),
        ("hand_size", "i1", MAX_SEATS),
        ("opened", "i1", MAX_SEATS),
        ("in_match", "i1", MAX_SEATS),  # 0: out (or not tied in a play-off)
        ("reentries", "i1", MAX_SEATS),
        ("known_jokers", "i1", MAX_SEATS),  # jokers recovered from the table and still in hand
        ("stock", "i1", NUM_CARDS),  # the next card is stock[num_stock - 1]
        ("pile", "i1", NUM_CARDS),  # the top is pile[num_pile - 1]
        # What seat p knows of a renewed stock: its cards but those p drew from it.
        ("known_stock", "i1", (MAX_SEATS, NUM_TYPES)),
        ("discarded", "i1", (MAX_SEATS, NUM_TYPES)),  # times seat p threw card c
        ("takes", "u1", (MAX_SEATS, NUM_TYPES)),  # low 4 bits: took and kept; high: gave back
        ("phase", "i1"),
        ("player", "i1"),
        ("dealer", "i1"),
        ("num_melds", "i1"),
        ("opened_this_turn", "i1"),
        ("laid_off_or_swapped", "i1"),  # this turn: onto an older meld, or any swap
        ("taken", "i1"),  # discard taken this turn whose duty is not met, or NONE
        ("returned", "i1"),  # 1: gave the taken card back in this turn
        ("recovered", "i1"),  # jokers recovered this turn that must be laid again
        ("kept", "i1"),  # upcard the first player kept without a duty (still in hand), or NONE
        ("kept_seat", "i1"),
        ("closer", "i1"),  # seat that closed the last finished hand, or NONE
        ("closed_in_hand", "i1"),  # 1: the closer opened and closed in one turn
        ("winner", "i1"),  # seat or team number, or NONE
        ("truncated", "i1"),
        ("playoff", "i1"),  # 1: the hand decides among those tied at the bottom
    ],
    align=True,
)


def new_games(count: int) -> np.ndarray:
    """``count`` blank games: an array of dtype ``GAME``, shape [count]."""
    return np.zeros(count, GAME)


@kernel
def next_random(s, n):
    """A uniform int in [0, n) from the game's own generator (splitmix64), which advances."""
    s.rng += np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mix64(s.rng) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))


@kernel
def mix64(z):
    """The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def stream(seed, index):
    """A generator state that depends on both numbers: the seed of sub-stream ``index``."""
    return mix64(np.uint64(seed) ^ mix64(np.uint64(index) + np.uint64(0x632BE59BD9B4E019)))


@kernel
def gain_card(s, p, card):
    """Put a card into the hand of seat ``p``."""
    s.hands[p, card] += 1
    s.hand_size[p] += 1
    if card != JOKER:
        bit = np.uint64(1) << np.uint64(card)
        if s.held_once[p] & bit:
            s.held_twice[p] |= bit
        s.held_once[p] |= bit


@kernel
def lose_card(s, p, card):
    """Take a card out of the hand of seat ``p``."""
    s.hands[p, card] -= 1
    s.hand_size[p] -= 1
    if card != JOKER:
        bit = np.uint64(1) << np.uint64(card)
        if s.held_twice[p] & bit:
            s.held_twice[p] &= ~bit
        else:
            s.held_once[p] &= ~bit


@kernel
def seats_in_match(s):
    """How many seats still play."""
    count = 0
    for p in range(s.rules[NUM_PLAYERS]):
        count += s.in_match[p]
    return count


@kernel
def next_seat(s, seat):
    """The seat left of ``seat`` that still plays."""
    for step in range(1, MAX_SEATS + 1):
        p = (seat + step) % s.rules[NUM_PLAYERS]
        if s.in_match[p]:
            return p
    return seat


@kernel
def team_of(s, seat):
    """The team of a seat: seats alternate; without teams everyone is his own."""
    return seat % 2 if s.rules[TEAMS] > 0 else seat
