"""The `plain` observation: what a seat knows of a game as one vector of numbers, version 1.

One layout for all rule sets and 2-6 players. The observer comes first, the other seats follow in
seat order from him; seats that nobody has are zeros. The vector is made from what a view holds, so
that a view and the full game give the same. ``observe_full`` adds what is hidden, for critics.

The layout is ``BLOCKS``, one row a block; offsets and size are sums of it. A change of any row is a
new ``OBSERVATION_VERSION``.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from .apply import apply_action
from .deal import next_hand
from .kernel import entry, kernel
from .legal import legal_mask
from .state import (
    ACE_LOW_VALUE,
    ATTACH_OPENED,
    ATTACH_UNOPENED,
    DEAL,
    HAND_CLOSE_BONUS,
    HAND_OVER,
    JOKER,
    JOKER_DISCARD,
    JOKER_IN_HAND,
    LIMIT,
    LONE_ACE,
    MAX_HANDS,
    MAX_MELDS,
    MAX_RUN,
    MAX_SEATS,
    MAX_TURNS,
    MODE,
    NONE,
    NUM_PLAYERS,
    NUM_RULES,
    NUM_TYPES,
    OPENING_MIN,
    REENTRY,
    RESHUFFLES,
    SET,
    TEAMS,
    UNOPENED_PENALTY,
    team_of,
)
from .table import has_room_for_joker, opening_points, run_end_is_open, swap_place
from .tables import HIGHEST, LOWEST, NUM_PLACES, SWAP_ID
from .view import count_unseen, known_in_hand, known_stock_of

OBSERVATION_VERSION = 1

NATURALS = 52
PLACES = 56  # suit * 14 + place of a run: ace low at 0, ace high at 13
OTHERS = MAX_SEATS - 1
MELD_NUMBERS = 4
PILE_SHOWN = 4
STOCK_SHOWN = 8

_POINTS = 0.01  # points are seen in hundreds
_HAND = 1 / 13  # hand sizes in full hands


class Block(NamedTuple):
    """One named slice of an observation."""

    name: str
    size: int
    high: float  # values lie in [0, high]; those of the rules in [-1, high]
    meaning: str


# How a rule is written: one of several values as that many columns, all others as one number, in
# parts of a unit. Written out here, since the compile cache follows the engine's own files only.
_ONE_OF = {
    ATTACH_UNOPENED: 3,
    ATTACH_OPENED: 3,
    JOKER_DISCARD: 4,
    HAND_CLOSE_BONUS: 3,
    MODE: 4,
    REENTRY: 3,
    TEAMS: 3,
}
_UNITS = {
    NUM_PLAYERS: 6,
    DEAL: 13,
    OPENING_MIN: 100,
    MAX_RUN: 14,
    UNOPENED_PENALTY: 100,
    JOKER_IN_HAND: 100,
    LONE_ACE: 100,
    ACE_LOW_VALUE: 11,
    LIMIT: 100,
    RESHUFFLES: 10,
    MAX_TURNS: 100,
    MAX_HANDS: 100,
}
_COLUMNS = [_ONE_OF.get(rule, 1) for rule in range(NUM_RULES)]
RULE_OFFSETS = np.cumsum([0, *_COLUMNS])[:-1]
RULE_IS_ONE_OF = np.array([columns > 1 for columns in _COLUMNS])
RULE_SCALES = np.array([1 / _UNITS.get(rule, 1) for rule in range(NUM_RULES)])

BLOCKS = (
    Block("hand", NUM_TYPES, 4, "own cards by type"),
    Block("lay_off", NUM_TYPES, 1, "1: such a card could be laid off on the table now"),
    Block("swap", NATURALS, 1, "1: such a card could be swapped for a joker of the table"),
    Block("set_cards", NATURALS, 6, "sets on the table with this card, natural or by a joker"),
    Block("set_jokers", NATURALS, 4, "jokers standing for this card in sets"),
    Block("run_lows", PLACES, 6, "runs on the table whose low end is at this place of the suit"),
    Block("run_highs", PLACES, 6, "runs whose high end is at this place"),
    Block("run_jokers", PLACES, 4, "jokers at this place in runs"),
    Block(
        "melds",
        MAX_MELDS * MELD_NUMBERS,
        1,
        "by table number: cards / 14, low place / 13, jokers / 4, laid this turn",
    ),
    Block("pile", PILE_SHOWN * NUM_TYPES, 1, "the last discards one-hot, the top first"),
    Block("unseen", NUM_TYPES, 4, "cards of the type in the stock and the other hands together"),
    Block("stock", NUM_TYPES, 4, "the most of them that the stock can hold"),
    Block("known", OTHERS * NUM_TYPES, 4, "other seats: cards all know to be in the hand"),
    Block("discarded", OTHERS * NUM_TYPES, 4, "other seats: times the card was discarded"),
    Block("takes", OTHERS * NUM_TYPES, 4, "other seats: times it was taken, even if given back"),
    Block("playing", MAX_SEATS, 1, "1: the seat is still in the match"),
    Block("to_move", MAX_SEATS, 1, "1: it is the seat's turn"),
    Block("dealer", MAX_SEATS, 1, "1: the seat has dealt this hand"),
    Block("partner", MAX_SEATS, 1, "1: the seat belongs to the observer's team"),
    Block("opened", MAX_SEATS, 1, "1: the seat has opened"),
    Block("cards", MAX_SEATS, 2, "cards in the hand / 13"),
    Block("turns", MAX_SEATS, 20, "turns the seat has finished in this hand / 20"),
    Block("totals", MAX_SEATS, 200, "total of the match / 100"),
    Block("reentries", MAX_SEATS, 10, "how often the seat has come back"),
    Block("phase", 3, 1, "one-hot: to draw, to play, the hand is over"),
    Block("pending", 2, 1, "1: an add, a swap waits for its target"),
    Block("taken", NUM_TYPES, 1, "one-hot: the taken discard that must still be laid"),
    Block("returned", 1, 1, "1: the taken discard was given back in this turn"),
    Block("recovered", 1, 4, "jokers that must still be laid again in this turn"),
    Block("opened_now", 1, 1, "1: the seat to move has opened in this turn"),
    Block("laid_off_now", 1, 1, "1: it has laid off on an older meld or swapped in this turn"),
    Block("laid_points", 1, 10, "what the melds of this turn count to the opening / 100"),
    Block("to_open", 1, 2, "points the seat to move still lacks to open / 100"),
    Block("stock_size", 1, 2, "cards in the stock / 100"),
    Block("pile_size", 1, 2, "cards on the pile / 100"),
    Block("turns_left", 1, 100, "turns left before the hand is ended / 100"),
    Block("renewals", 1, 10, "renewals of the stock in this hand"),
    Block("can_renew", 1, 1, "1: the stock may be renewed once more"),
    Block("hands_left", 1, 100, "hands left before the match is cut short / 100; 0: no cap"),
    Block("playoff", 1, 1, "1: the hand decides among those tied"),
    Block("rules", sum(_COLUMNS), 100, "the rules, see RULE_OFFSETS; null is -1"),
)

HIDDEN_BLOCKS = (
    Block("hands", OTHERS * NUM_TYPES, 4, "cards of the other seats by type"),
    Block("next_cards", STOCK_SHOWN * NUM_TYPES, 1, "the next cards of the stock, one-hot"),
    Block("whole_stock", NUM_TYPES, 4, "cards of the stock by type"),
)


OBSERVATION_SIZE = sum(block.size for block in BLOCKS)
FULL_SIZE = OBSERVATION_SIZE + sum(block.size for block in HIDDEN_BLOCKS)

_ALL_BLOCKS = BLOCKS + HIDDEN_BLOCKS
_Offsets = namedtuple("_Offsets", [block.name for block in _ALL_BLOCKS])  # type: ignore[misc]
AT: Any = _Offsets(*np.cumsum([0, *(block.size for block in _ALL_BLOCKS)])[:-1].tolist())
"""Where each block begins, by its name."""

_MAX_TOTAL = 20_000
_MAX_COUNT = 4  # times a card was discarded or taken; a renewed stock brings it back
_MAX_SHOWN_TURNS = 400
_MAX_SHOWN_COUNT = 10


@kernel
def _at_most(number, limit):
    """The smaller of an integer and a limit, as an int64."""
    return np.int64(number) if number < limit else limit


@kernel
def _write_set(s, m, out):
    """Set ``m``: its cards, what could be laid off on it, what could be swapped into it."""
    places, jokers = np.int64(s.meld_places[m]), np.int64(s.meld_jokers[m])
    for suit in range(4):
        card = suit * 13 + np.int64(s.meld_base[m])
        if places >> suit & 1:
            out[AT.set_cards + card] += 1
        else:
            out[AT.lay_off + card] = 1
        if jokers >> suit & 1:
            out[AT.set_jokers + card] += 1
        if jokers and swap_place(s, m, card) != NONE:
            out[AT.swap + card] = 1


@kernel
def _write_run(s, m, out):
    """Run ``m``: its ends and jokers, what could be laid off on it, what could be swapped."""
    suit, places = np.int64(s.meld_base[m]), np.int64(s.meld_places[m])
    low, high = np.int64(LOWEST[places]), np.int64(HIGHEST[places])
    out[AT.run_lows + suit * 14 + low] += 1
    out[AT.run_highs + suit * 14 + high] += 1
    if run_end_is_open(s, m, low - 1, False):
        out[AT.lay_off + suit * 13 + low - 1] = 1
    if run_end_is_open(s, m, high + 1, False):
        out[AT.lay_off + suit * 13 + (high + 1) % 13] = 1
    jokers = np.int64(s.meld_jokers[m])
    while jokers:
        place = np.int64(LOWEST[jokers])
        jokers &= jokers - 1
        out[AT.run_jokers + suit * 14 + place] += 1
        card = suit * 13 + place % 13
        if swap_place(s, m, card) != NONE:
            out[AT.swap + card] = 1


@kernel
def _write_table(s, out):
    """All melds, as a picture of the table and by their numbers."""
    for m in range(s.num_melds):
        places = np.int64(s.meld_places[m])
        row = AT.melds + m * MELD_NUMBERS
        out[row] = NUM_PLACES[places] / 14
        out[row + 1] = LOWEST[places] / 13
        out[row + 2] = NUM_PLACES[s.meld_jokers[m]] / 4
        out[row + 3] = s.meld_new[m]
        if has_room_for_joker(s, m):
            out[AT.lay_off + JOKER] = 1
        if s.meld_kind[m] == SET:
            _write_set(s, m, out)
        else:
            _write_run(s, m, out)


@kernel
def _write_cards(s, seat, out):
    """The own hand, the pile, and what is left for the stock and the other hands."""
    for card in range(NUM_TYPES):
        out[AT.hand + card] = s.hands[seat, card]
    for i in range(_at_most(s.num_pile, PILE_SHOWN)):
        out[AT.pile + i * NUM_TYPES + s.pile[s.num_pile - 1 - i]] = 1
    unseen = out[AT.unseen : AT.unseen + NUM_TYPES]
    count_unseen(s, seat, unseen)
    for card in range(NUM_TYPES):
        out[AT.stock + card] = known_stock_of(s, seat, card, unseen)


@kernel
def _write_other_cards(s, p, row, out):
    """The public history of another seat, which is number ``row`` after the observer."""
    first = row * NUM_TYPES
    for card in range(NUM_TYPES):
        out[AT.discarded + first + card] = _at_most(s.discarded[p, card], _MAX_COUNT)
        takes = np.int64(s.takes[p, card])
        out[AT.takes + first + card] = _at_most((takes & 15) + (takes >> 4), _MAX_COUNT)
    out[AT.known + first + JOKER] = known_in_hand(s, p, JOKER)
    if s.kept != NONE and s.kept_seat == p:
        out[AT.known + first + s.kept] = known_in_hand(s, p, np.int64(s.kept))
    if s.taken != NONE and s.player == p:
        out[AT.known + first + s.taken] = known_in_hand(s, p, np.int64(s.taken))


@kernel
def _write_seats(s, seat, out):
    """Every seat at the table, the observer first."""
    n = np.int64(s.rules[NUM_PLAYERS])
    for row in range(n):
        p = (seat + row) % n
        out[AT.playing + row] = s.in_match[p]
        out[AT.to_move + row] = s.player == p and s.phase < HAND_OVER
        out[AT.dealer + row] = s.dealer == p
        out[AT.partner + row] = s.rules[TEAMS] > 0 and team_of(s, p) == team_of(s, seat)
        out[AT.opened + row] = s.opened[p]
        out[AT.cards + row] = s.hand_size[p] * _HAND
        out[AT.turns + row] = _at_most(s.turns[p], _MAX_SHOWN_TURNS) / 20
        out[AT.totals + row] = _at_most(s.totals[p], _MAX_TOTAL) * _POINTS
        out[AT.reentries + row] = _at_most(s.reentries[p], _MAX_SHOWN_COUNT)
        if row > 0:
            _write_other_cards(s, p, row - 1, out)


@kernel
def _write_turn(s, out):
    """What the seat to move has done and still owes."""
    phase = _at_most(s.phase, HAND_OVER)
    out[AT.phase + phase] = 1
    if s.pending != NONE:
        out[AT.pending + (1 if s.pending >= SWAP_ID else 0)] = 1
    if s.taken != NONE:
        out[AT.taken + s.taken] = 1
    out[AT.returned] = s.returned
    out[AT.recovered] = s.recovered
    out[AT.opened_now] = s.opened_this_turn
    out[AT.laid_off_now] = s.laid_off_or_swapped
    laid = opening_points(s)
    out[AT.laid_points] = laid * _POINTS
    if not s.opened[s.player] and s.rules[OPENING_MIN] > laid:
        out[AT.to_open] = (s.rules[OPENING_MIN] - laid) * _POINTS


@kernel
def _write_hand(s, out):
    """How far the hand and the match have come."""
    turns = 0
    for p in range(s.rules[NUM_PLAYERS]):
        turns += s.turns[p]
    out[AT.stock_size] = s.num_stock * _POINTS
    out[AT.pile_size] = s.num_pile * _POINTS
    out[AT.turns_left] = max(s.rules[MAX_TURNS] - turns, 0) * _POINTS
    out[AT.renewals] = _at_most(s.reshuffles, _MAX_SHOWN_COUNT)
    out[AT.can_renew] = s.rules[RESHUFFLES] < 0 or s.reshuffles < s.rules[RESHUFFLES]
    if s.rules[MAX_HANDS] > s.hand_number:
        out[AT.hands_left] = (s.rules[MAX_HANDS] - s.hand_number) * _POINTS
    out[AT.playoff] = s.playoff


@kernel
def _write_rules(s, out):
    """The rules of the match."""
    for field in range(NUM_RULES):
        value, column = s.rules[field], AT.rules + RULE_OFFSETS[field]
        if RULE_IS_ONE_OF[field]:
            out[column + value] = 1
        elif value < 0:
            out[column] = -1
        else:
            out[column] = value * RULE_SCALES[field]


@kernel
def observe(s, seat, out):
    """Write the plain observation of a seat.

    Args:
        s: a game, or the view of this seat.
        out: float32[OBSERVATION_SIZE], overwritten.
    """
    for i in range(OBSERVATION_SIZE):
        out[i] = 0
    _write_cards(s, seat, out)
    _write_table(s, out)
    _write_seats(s, seat, out)
    _write_turn(s, out)
    _write_hand(s, out)
    _write_rules(s, out)


@kernel
def observe_full(s, seat, out):
    """Write the plain observation of a seat and all that is hidden from it.

    Args:
        s: a game, not a view.
        out: float32[FULL_SIZE], overwritten.
    """
    observe(s, seat, out)
    for i in range(OBSERVATION_SIZE, FULL_SIZE):
        out[i] = 0
    n = np.int64(s.rules[NUM_PLAYERS])
    for row in range(1, n):
        for card in range(NUM_TYPES):
            out[AT.hands + (row - 1) * NUM_TYPES + card] = s.hands[(seat + row) % n, card]
    for i in range(s.num_stock):
        drawn = np.int64(s.stock[s.num_stock - 1 - i])
        out[AT.whole_stock + drawn] += 1
        if i < STOCK_SHOWN:
            out[AT.next_cards + i * NUM_TYPES + drawn] = 1


@entry
def observe_games(games, seats, out, first, last):
    """Write the plain observation of one seat of each game.

    Args:
        games: GAME[B], games or views of these seats.
        seats: int64[B].
        out: float32[B, OBSERVATION_SIZE], overwritten.
    """
    for b in range(first, last):
        observe(games[b], seats[b], out[b])


@entry
def observe_full_games(games, seats, out, first, last):
    """Write the full observation of each game, seen from one seat.

    Args:
        games: GAME[B], no views.
        seats: int64[B].
        out: float32[B, FULL_SIZE], overwritten.
    """
    for b in range(first, last):
        observe_full(games[b], seats[b], out[b])


@entry
def play_action(games, action, mask, out, moves, work):
    """Carry out one legal action id in the first game, and show what the next seat may do.

    Args:
        games: GAME[1].
        action: a legal action id; a negative one deals the next hand where one has ended, and
            leaves the game as it is elsewhere.
        mask: int8[NUM_ACTIONS], overwritten.
        out: float32[OBSERVATION_SIZE], overwritten with the observation of the seat to move.

    Returns:
        The seat to move; NONE where the hand has ended.
    """
    s = games[0]
    if action >= 0:
        apply_action(s, np.int64(action), moves, work[0])
    elif s.phase == HAND_OVER:
        next_hand(s)
    legal_mask(s, mask, moves, work[0])
    observe(s, np.int64(s.player), out)
    return np.int64(s.player) if s.phase < HAND_OVER else NONE
