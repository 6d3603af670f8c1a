"""The calls from Python into the engine, each on an array of games.

Every call gets the slice ``[first, last)`` of the games it works on, so that threads can share
an array; each thread brings its own working memory and ``moves`` buffer. Calls that need no search
take none.
"""

import numpy as np

from .apply import apply_move, step
from .deal import deal_hand, next_hand, start_match
from .kernel import entry
from .legal import legal_mask, legal_moves
from .score import hand_value
from .state import MATCH_OVER, NONE, stream
from .table import MAX_TABLE_MOVES
from .tables import NUM_ACTIONS
from .view import blank_hidden

MAX_MOVES = MAX_TABLE_MOVES + 64


def new_moves() -> np.ndarray:
    """A buffer for whole moves: int16[MAX_MOVES, 2] of (action id, meld number or -1)."""
    return np.zeros((MAX_MOVES, 2), np.int16)


@entry
def start_games(games, rules, seeds, dealers, first, last):
    """Start a match in each game and deal its first hand.

    Args:
        games: GAME[B].
        rules: int16[B, NUM_RULES], encoded rules of each game.
        seeds: uint64[B].
        dealers: int64[B], the first dealer's seat, or -1 for one drawn from the seed.
    """
    for b in range(first, last):
        start_match(games[b], rules[b], seeds[b], dealers[b])
        deal_hand(games[b])


@entry
def next_seeds(keys, matches, rows, seeds):
    """Draw the seed of the next match of some games, which follows from a key and a number.

    Args:
        keys: uint64[B].
        matches: int64[B], the matches begun in each game; one more for those in ``rows``.
        rows: int64[k], which games.
        seeds: uint64[k], written.
    """
    for i in range(len(rows)):
        seeds[i] = stream(keys[rows[i]], matches[rows[i]])
        matches[rows[i]] += 1


@entry
def restart_games(games, rows, seeds, rules, dealers, first, last):
    """Start a match anew in some games, as ``start_games`` does.

    Args:
        rows: int64[k], which games, each once; the slice is one of these.
        seeds: uint64[k], of their matches.
        rules, dealers: of all games, as for ``start_games``.
    """
    for i in range(first, last):
        b = rows[i]
        start_match(games[b], rules[b], seeds[i], dealers[b])
        deal_hand(games[b])


@entry
def deal_next(games, b):
    """Deal the next hand of game ``b``, whose last one is over."""
    next_hand(games[b])


@entry
def list_moves(games, b, moves, work):
    """List the legal whole moves of game ``b`` into ``moves``; returns their number."""
    return legal_moves(games[b], moves, work[0])


@entry
def hand_cost(games, b, seat):
    """What the cards in a hand of game ``b`` would cost now, penalties apart."""
    return hand_value(games[b], seat)


@entry
def push_move(games, b, action, meld):
    """Carry out a legal whole move in game ``b``; a hand that ends is scored, none is dealt."""
    apply_move(games[b], action, meld)


@entry
def find_illegal(actions, masks):
    """Return the first game whose action id is not legal, or -1; negative ids are no actions.

    Args:
        actions: int64[B].
        masks: int8[B, NUM_ACTIONS].
    """
    for b in range(len(actions)):
        action = actions[b]
        if action >= NUM_ACTIONS or (action >= 0 and masks[b, action] == 0):
            return b
    return NONE


@entry
def step_games(games, rows, actions, masks, counts, first, last, moves, work):
    """Carry out one action id in some games, deal where a hand ended, and write the new masks.

    Args:
        rows: int64[k], which games, each once; the slice is one of these.
        actions: int64[B], legal action ids; a negative one leaves the game as it is.
        masks: int8[B, NUM_ACTIONS], written.
        counts: int32[B], the number of legal ids, written; 0 where the match is over.
    """
    for i in range(first, last):
        b = rows[i]
        if actions[b] >= 0 and games[b].phase != MATCH_OVER:
            step(games[b], actions[b], moves, work[0])
        counts[b] = legal_mask(games[b], masks[b], moves, work[0])


@entry
def view_games(games, seats, views, first, last):
    """Copy each game as its seat may see it.

    Args:
        seats: int64[B].
        views: GAME[B], overwritten.
    """
    for b in range(first, last):
        views[b] = games[b]
        blank_hidden(views[b], seats[b])
