"""Whole matches between agents at engine speed, with the figures that evaluations need.

Bots are decided in the kernel; for other agents the kernel stops when one of them is to move and
goes on with its answer, so that they decide for many games at once. Every agent, bot or not, gets
a view: nothing that is hidden from its seat.

Deals follow from the seed of the match alone. The random streams of the bots are apart from them,
keyed by (seed of the evaluation, number of the match, seat).

On demand the luck of the draws is noted: for each card drawn from the stock what it does for the
seat less what the cards of the stock do on average. Its mean is zero however anybody plays, and it
explains part of the results: a control variate (``train.intervals``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scala40_env.agents.base import Agent
from scala40_env.agents.hand_value import new_bot_work
from scala40_env.agents.levels import AGENTS, EXTERNAL, MAX_PARAMETERS, LevelAgent, decide
from scala40_env.agents.outside import ask
from scala40_env.agents.reading import attaching_cards, card_bit
from scala40_env.engine.apply import apply_move
from scala40_env.engine.calls import start_games
from scala40_env.engine.deal import next_hand
from scala40_env.engine.kernel import kernel
from scala40_env.engine.legal import legal_moves
from scala40_env.engine.state import (
    DRAW,
    HAND_OVER,
    JOKER,
    MATCH_OVER,
    MAX_SEATS,
    NONE,
    NUM_PLAYERS,
    PLAY,
    new_games,
    stream,
)
from scala40_env.engine.table import could_meld
from scala40_env.engine.tables import DRAW_ID
from scala40_env.engine.view import blank_hidden
from scala40_env.rules import Rules

# Columns of the tally of a seat, summed over the hands of a match (the last two: at its end).
HANDS_WON, POINTS, IN_HAND, NEVER_OPENED, TURNS, TOTAL, OUT_AT = range(7)
COLUMNS: Final = ("hands_won", "points", "in_hand", "never_opened", "turns", "total", "out_at")
NEVER_OUT: Final = 1 << 30

# What a drawn card may do: be a joker, make a meld with two natural cards of the hand, attach;
# before opening and after, and with how many cards in the hand.
LUCKS: Final = 7

_BOT_CHUNK: Final = 64  # matches a task of a thread; small enough for a smooth progress bar
_MIXED_CHUNK: Final = 2048  # matches whose agents decide together


@kernel
def _note_hand(s, tally):
    """Add a hand that has just ended to the tally of its match."""
    for p in range(s.rules[NUM_PLAYERS]):
        row = tally[p]
        row[HANDS_WON] += s.closer == p
        row[POINTS] += s.hand_points[p]
        row[IN_HAND] += s.closer == p and s.closed_in_hand
        row[TURNS] += s.turns[p]
        # Who has sat this hand out holds no cards and took no turn.
        row[NEVER_OPENED] += not s.opened[p] and s.closer != p and s.hand_size[p] > 0
        row[TOTAL] = s.totals[p]
        if not s.in_match[p] and row[OUT_AT] == NEVER_OUT:
            row[OUT_AT] = s.hand_number


@kernel
def _note_draw(s, luck):
    """Add to ``luck`` what the next card of the stock does less what its cards do on average."""
    p = np.int64(s.player)
    melding, attaching = np.uint64(0), np.uint64(0)
    for card in range(52):
        if could_meld(s.held_once[p], card, 0):
            melding |= card_bit(card)
    if s.opened[p]:
        attaching = attaching_cards(s)
    joker, meld, attach = _luck_columns(s, p)
    for i in range(s.num_stock):
        # The card drawn counts in full, and each card of the stock, itself too, its part less.
        weight = (1.0 if i == s.num_stock - 1 else 0.0) - 1.0 / s.num_stock
        card = np.int64(s.stock[i])
        if card == JOKER:
            luck[joker] += weight
            continue
        if melding & card_bit(card):
            luck[meld] += weight
        if attaching & card_bit(card):
            luck[attach] += weight


@kernel
def _luck_columns(s, p):
    """Where the luck of a draw counts: what a card is worth depends on how far the hand is."""
    if not s.opened[p]:
        return 0, 1, 1  # nothing attaches yet
    left = s.hand_size[p]
    return 2, 3, 4 if left == 1 else 5 if left <= 3 else 6


@kernel
def _advance_match(s, seats, codes, params, streams, tally, void, luck, bot):
    """Play bots' moves until another agent is to move or the match is over."""
    while True:
        if s.phase == HAND_OVER:
            next_hand(s)
        p = np.int64(s.player)
        code = codes[seats[p]]
        if s.phase == MATCH_OVER or code == EXTERNAL:
            return
        view = bot.seen[0]
        bot.seen[0] = s
        blank_hidden(view, p)
        n = legal_moves(view, bot.moves, bot.search)
        i = decide(code, view, bot, bot.moves, n, params[seats[p]], streams[p])
        _push(s, np.int64(bot.moves[i, 0]), np.int64(bot.moves[i, 1]), tally, void, luck)


@kernel
def _push(s, action, meld, tally, void, luck):
    if action == DRAW_ID and len(luck) > 0:
        _note_draw(s, luck[s.player])
    apply_move(s, action, meld)
    if s.phase > PLAY:
        _note_hand(s, tally)
        void[0] += s.closer == NONE


@AGENTS.entry
def seed_streams(key, first_match, streams):
    """Set the bots' streams: uint64[B, MAX_SEATS, 1] for the matches from ``first_match`` on."""
    for b in range(len(streams)):
        for p in range(MAX_SEATS):
            streams[b, p, 0] = stream(stream(key, first_match + b), np.int64(p))


@AGENTS.entry
def advance_matches(
    games, lineups, codes, params, streams, given, tallies, voids, lucks, views, bot
):
    """Play matches on until an agent that is no bot is to move in each, or they are over.

    Args:
        games: GAME[B], started.
        lineups: int64[B, MAX_SEATS], which player sits where.
        codes: int64[P], the level of each player, or EXTERNAL.
        params: float64[P, MAX_PARAMETERS].
        streams: uint64[B, MAX_SEATS, 1].
        given: int64[B, 2], the move of an agent that was waited for, or -1; reset to -1.
        tallies: int64[B, MAX_SEATS, len(COLUMNS)], added to.
        voids: int64[B, 1], hands without a closer, added to.
        lucks: float64[B, MAX_SEATS, LUCKS], added to; float64[B, 0, LUCKS]: not noted.
        views: GAME[B], the view of the agent waited for is written where there is one.
        bot: BOT_WORK[1].

    Returns:
        How many matches wait for an agent.
    """
    waiting = 0
    for b in range(len(games)):
        s = games[b]
        if s.phase == MATCH_OVER:
            continue
        if given[b, 0] >= 0:
            _push(s, given[b, 0], given[b, 1], tallies[b], voids[b], lucks[b])
            given[b, 0] = -1
        _advance_match(
            s, lineups[b], codes, params, streams[b], tallies[b], voids[b], lucks[b], bot[0]
        )
        if s.phase <= PLAY:
            views[b] = s
            blank_hidden(views[b], np.int64(s.player))
            waiting += 1
    return waiting


@dataclass(frozen=True)
class Matches:
    """Finished matches, one row each.

    Attributes:
        lineups: int64[M, n], the player in each seat.
        winners: int64[M], the winning seat or team, or -1 where the match was cut short.
        hands: int64[M], hands played, void ones included.
        voids: int64[M], hands that nobody closed.
        tallies: int64[M, n, len(COLUMNS)], by seat.
        lucks: float64[M, n, LUCKS], by seat; float64[M, 0, LUCKS] where it was not noted.
    """

    lineups: NDArray[np.int64]
    winners: NDArray[np.int64]
    hands: NDArray[np.int64]
    voids: NDArray[np.int64]
    tallies: NDArray[np.int64]
    lucks: NDArray[np.float64]

    def column(self, name: str) -> NDArray[np.int64]:
        """Return a column of the tallies by name: int64[M, n], by seat."""
        return self.tallies[:, :, COLUMNS.index(name)]

    @classmethod
    def join(cls, parts: Sequence[Matches]) -> Matches:
        """Return several tables as one, in order."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def take(self, which: NDArray[np.bool_]) -> Matches:
        """Return some of them.

        Args:
            which: bool[M].
        """
        return Matches(*(getattr(self, field.name)[which] for field in fields(self)))


def play_matches(
    players: Sequence[Agent],
    rules: Rules,
    seeds: NDArray[np.uint64],
    lineups: NDArray[np.int64],
    *,
    key: int = 0,
    first_match: int = 0,
    threads: int = 2,
    note_luck: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Matches:
    """Play matches to their ends.

    The result does not depend on the number of threads.

    Args:
        players: the agents.
        seeds: uint64[M], of the deals of each match.
        lineups: int64[M, num_players], indices into ``players``.
        key: of the bots' random streams.
        first_match: the number of the first match, for the bots' random streams.
        threads: for matches between bots; other agents decide in the calling thread.
        note_luck: note the luck of the draws, which takes a little time.
        progress: called with the number of matches finished since the last call.
    """
    AGENTS.announce()
    arena = _Arena(players, rules, key, note_luck)
    size = _BOT_CHUNK if arena.is_all_bots else _MIXED_CHUNK
    starts = range(0, len(seeds), size)
    parts: dict[int, Matches] = {}
    with ThreadPoolExecutor(threads if arena.is_all_bots else 1) as pool:
        futures = {
            pool.submit(arena.play, seeds[i : i + size], lineups[i : i + size], first_match + i): i
            for i in starts
        }
        try:
            for future in as_completed(futures):
                part = parts[futures[future]] = future.result()
                if progress is not None:
                    progress(len(part.hands))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return Matches.join([parts[i] for i in starts])


class _Arena:
    """The players of ``play_matches`` in the form the kernels take."""

    def __init__(self, players: Sequence[Agent], rules: Rules, key: int, note_luck: bool) -> None:
        self.players = players
        self.rules = rules
        self.note_luck = note_luck
        self.key = np.uint64(key)
        self.codes = np.full(len(players), EXTERNAL, np.int64)
        self.params = np.zeros((len(players), MAX_PARAMETERS))
        for i, player in enumerate(players):
            if isinstance(player, LevelAgent):
                self.codes[i], self.params[i] = player.level.code, player.level.array

    @property
    def is_all_bots(self) -> bool:
        return bool((self.codes != EXTERNAL).all())

    def play(
        self, seeds: NDArray[np.uint64], lineups: NDArray[np.int64], first_match: int
    ) -> Matches:
        """Play some matches side by side."""
        count, seats = lineups.shape
        games, views = new_games(count), new_games(count)
        encoded = np.repeat(self.rules.encode()[None], count, axis=0)
        start_games(games, encoded, seeds, np.full(count, NONE, np.int64), 0, count)
        streams = np.zeros((count, MAX_SEATS, 1), np.uint64)
        seed_streams(self.key, first_match, streams)
        tallies = np.zeros((count, MAX_SEATS, len(COLUMNS)), np.int64)
        tallies[:, :, OUT_AT] = NEVER_OUT
        voids = np.zeros((count, 1), np.int64)
        lucks = np.zeros((count, MAX_SEATS if self.note_luck else 0, LUCKS))
        given = np.full((count, 2), NONE, np.int64)
        padded = np.zeros((count, MAX_SEATS), np.int64)
        padded[:, :seats] = lineups
        bot = new_bot_work()
        while advance_matches(
            games, padded, self.codes, self.params, streams, given, tallies, voids, lucks, views,
            bot,
        ):  # fmt: skip
            self._ask(games, views, padded, streams, given, bot)
        winners = games["winner"].astype(np.int64)
        hands = games["hand_number"].astype(np.int64)
        return Matches(lineups, winners, hands, voids[:, 0], tallies[:, :seats], lucks[:, :seats])

    def _ask(
        self,
        games: NDArray[Any],
        views: NDArray[Any],
        lineups: NDArray[np.int64],
        streams: NDArray[np.uint64],
        given: NDArray[np.int64],
        bot: NDArray[Any],
    ) -> None:
        """Let the agents that are waited for choose, each for all its games at once."""
        waiting = np.flatnonzero((games["phase"] == DRAW) | (games["phase"] == PLAY))
        seats = games["player"][waiting].astype(np.int64)
        to_move = lineups[waiting, seats]
        for i in np.unique(to_move):
            mine = to_move == i
            rows, places = waiting[mine], seats[mine]
            own = streams[rows, places, 0]
            given[rows] = ask(self.players[i], views[rows], own, bot)
            streams[rows, places, 0] = own
