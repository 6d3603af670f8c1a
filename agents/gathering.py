"""Games played on until a network must choose: the levels move in the kernel, Python only scores.

Used where networks are trained. A seat has a controller: the number of a level, ``LEARNER`` for the
network in training, or ``PAST - k`` for another network, number k.
"""

from typing import Final

import numpy as np

from scala40_env.agents.features import encode, encode_hidden, list_choices
from scala40_env.agents.levels import AGENTS, HARD, decide
from scala40_env.agents.random_agent import random_unit
from scala40_env.engine.apply import apply_move
from scala40_env.engine.deal import next_hand
from scala40_env.engine.kernel import kernel
from scala40_env.engine.state import HAND_OVER, MATCH_OVER, MAX_SEATS, NONE, NUM_PLAYERS, PLAY
from scala40_env.engine.view import blank_hidden
from scala40_env.engine.worlds import deal_world

LEARNER: Final = -1
PAST: Final = -2
MAX_RATED = 20  # moves of a decision that is rated: each costs a hand played out


@kernel
def _chance(s, table, p, totals):
    """The chance of seat ``p`` (of two) to win, at some totals."""
    other = 1 - p
    last = len(table) - 1
    return table[min(np.int64(totals[p]), last), min(np.int64(totals[other]), last)]


@kernel
def _hand_reward(s, p, before, table):
    """What a hand was worth to a seat: the change of its chance to win, or points / 100."""
    if len(table) > 0:
        if s.winner != NONE:
            after = 1.0 if s.winner == p else 0.0
        else:
            after = np.float64(_chance(s, table, p, s.totals))
        return after - _chance(s, table, p, before)
    others, points = 0, 0.0
    for q in range(s.rules[NUM_PLAYERS]):
        if q != p and before[MAX_SEATS + q]:
            others += 1
            points += s.hand_points[q]
    return (points / max(others, 1) - s.hand_points[p]) / 100


@kernel
def _note_start(s, before):
    """Remember the standing before a hand: totals, then who plays."""
    for q in range(MAX_SEATS):
        before[q] = s.totals[q]
        before[MAX_SEATS + q] = s.in_match[q]


@kernel
def _push(s, action, meld, last, before, table, rewards, ended):
    """Carry out a move; where it ends the hand, give the learners their rewards."""
    apply_move(s, action, meld)
    if s.phase <= PLAY:
        return
    for p in range(s.rules[NUM_PLAYERS]):
        if last[p] != NONE:
            rewards[last[p]] = _hand_reward(s, p, before, table)
            ended[last[p]] = 1
            last[p] = NONE
    if s.phase == HAND_OVER:
        next_hand(s)
        _note_start(s, before)


@kernel
def _advance(s, controllers, figures, stream, given, last, before, table, rewards, ended, work):
    """Play on until a network must choose among several moves; returns their number, or 0."""
    if given[0] >= 0:
        _push(s, given[0], given[1], last, before, table, rewards, ended)
        given[0] = NONE
    while s.phase != MATCH_OVER:
        p = np.int64(s.player)
        view = work.seen[0]
        work.seen[0] = s
        blank_hidden(view, p)
        n = list_choices(view, work)
        moves, code, i = work.bot.moves, controllers[p], np.int64(0)
        if n > 1:
            if code < 0:
                return n
            i = np.int64(decide(code, view, work.bot, moves, n, figures[code], stream))
        _push(s, np.int64(moves[i, 0]), np.int64(moves[i, 1]), last, before, table, rewards, ended)
    return 0


@kernel
def _play_out(s, figures, stream, work):
    """Let the hard level play all seats to the end of the hand."""
    while s.phase <= PLAY:
        view = work.seen[0]
        work.seen[0] = s
        blank_hidden(view, np.int64(s.player))
        n, i, moves = list_choices(view, work), np.int64(0), work.bot.moves
        if n > 1:
            i = np.int64(decide(HARD, view, work.bot, moves, n, figures[HARD], stream))
        apply_move(s, np.int64(moves[i, 0]), np.int64(moves[i, 1]))


@kernel
def _rate_moves(s, moves, n, figures, stream, before, table, gains, work):
    """Write what each legal move earns when the hard level plays on, with the cards as they lie."""
    p, trial = np.int64(s.player), work.trial[0]
    for i in range(n):
        work.trial[0] = s
        apply_move(trial, np.int64(moves[i, 0]), np.int64(moves[i, 1]))
        _play_out(trial, figures, stream, work)
        gains[i] = _hand_reward(trial, p, before, table)


@AGENTS.entry
def start_hands(games, before):
    """Remember the standing of games that have just begun."""
    for b in range(len(games)):
        _note_start(games[b], before[b])


@AGENTS.entry
def advance_games(
    games, first, controllers, figures, advice, streams, given, last, before, table, rewards, ended,
    states, choices, offsets, moves, hidden, gains, rated_share, waiting, work,
):  # fmt: skip
    """Play games on until a network must choose in each, and write the features of its choice.

    Args:
        games: GAME[B].
        first: the game to begin with.
        controllers: int64[B, MAX_SEATS], see above.
        figures: float64[levels, MAX_PARAMETERS]; advice: float64[2, MAX_PARAMETERS].
        streams: uint64[B, 1], of the levels' chance.
        given: int64[B, 2], the networks' moves, or -1; reset to -1.
        last: int64[B, MAX_SEATS], the last sample of each seat in its hand, or -1.
        before: int64[B, 2 * MAX_SEATS], see ``_note_start``.
        table: float32[limit, limit] win chances, or [0, 0]: reward by points.
        rewards, ended: float32[N], int8[N], of the samples; written where a hand ends.
        states, choices, offsets, moves, hidden: the decisions met, as ``encode_views`` has them.
        gains: float32[R], what each move of the learner would earn, see ``_rate_moves``; nan where
            that was not tried out.
        rated_share: how often it is.
        waiting: int64[B], the game of each decision.
        work: FEATURE_WORK[1].

    Returns:
        How many decisions there are, and the game to go on with (B: all were reached).
    """
    w, count, rows = work[0], 0, 0
    offsets[0] = 0
    for b in range(first, len(games)):
        s = games[b]
        n = _advance(
            s, controllers[b], figures, streams[b], given[b], last[b], before[b], table, rewards,
            ended, w,
        )  # fmt: skip
        if n == 0:
            continue
        if rows + n > len(choices):
            return count, b
        encode(w.seen[0], w, n, advice, states[count], choices[rows:])
        for i in range(n):
            moves[rows + i, 0], moves[rows + i, 1] = w.bot.moves[i, 0], w.bot.moves[i, 1]
            gains[rows + i] = np.nan
        if controllers[b, s.player] == LEARNER:
            encode_hidden(s, w, hidden[count])
            if n <= MAX_RATED and random_unit(streams[b]) < rated_share:
                _rate_moves(
                    s, moves[rows:], n, figures, streams[b], before[b], table, gains[rows:], w
                )
        rows += n
        waiting[count] = b
        count += 1
        offsets[count] = rows
    return count, len(games)


@AGENTS.entry
def rate_in_worlds(
    games, seeds, figures, streams, before, table, worlds, moves, unseen, gains, work
):
    """Write what each move of a decision earns in random worlds, the hard level playing on.

    Args:
        games: GAME[1].
        seeds: uint64[W], one for each world.
        figures, streams, before, table, work: as in ``advance_games``, of one game.
        worlds: GAME[1], scratch; moves: int16[MAX_RATED, 2], scratch; unseen: int8[53], scratch.
        gains: float32[W, MAX_RATED], written for the moves there are.

    Returns:
        How many moves there are, and the one that the hard level would play; 0 moves where there
        is no choice, too much of it, or no such world.
    """
    w, view, p = work[0], work[0].seen[0], np.int64(games[0].player)
    w.seen[0] = games[0]
    blank_hidden(view, p)
    n = list_choices(view, w)
    if n < 2 or n > MAX_RATED:
        return 0, 0
    hard = np.int64(decide(HARD, view, w.bot, w.bot.moves, n, figures[HARD], streams[0]))
    for i in range(n):
        moves[i, 0], moves[i, 1] = w.bot.moves[i, 0], w.bot.moves[i, 1]
    for k in range(len(seeds)):
        worlds[0] = games[0]
        if not deal_world(worlds[0], p, seeds[k], unseen):
            return 0, 0
        _rate_moves(worlds[0], moves, n, figures, streams[0], before, table, gains[k], w)
    return n, hard


@AGENTS.entry
def choose_moves(scores, offsets, uniforms, chosen, log_probs):
    """Draw a move of each decision from the softmax of its scores.

    Args:
        scores: float32[R].
        offsets: int64[B + 1].
        uniforms: float64[B] in [0, 1).
        chosen: int64[B], rows of ``scores``, written.
        log_probs: float32[B], of the moves drawn, written.
    """
    for b in range(len(chosen)):
        first, end = offsets[b], offsets[b + 1]
        highest = scores[first]
        for i in range(first, end):
            highest = max(highest, scores[i])
        total = 0.0
        for i in range(first, end):
            total += np.exp(np.float64(scores[i] - highest))
        goal, i = uniforms[b] * total, first
        weight = np.exp(np.float64(scores[i] - highest))
        while goal >= weight and i < end - 1:
            goal -= weight
            i += 1
            weight = np.exp(np.float64(scores[i] - highest))
        chosen[b] = i
        log_probs[b] = np.float64(scores[i] - highest) - np.log(total)
