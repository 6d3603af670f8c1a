"""One game for people, bots and search: moves as text, undo, clone, positions, records.

The rules are decided by the engine; this module keeps one of its records (an array of one element
of dtype ``engine.state.GAME``) and remembers the moves.

    >>> game = Game("browser", seed=7, dealer=0)
    >>> game.legal_texts()
    ['draw']
    >>> game.push("draw")
    >>> game.phase
    'play'
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from .actions import NO_MELD, TAKE_ID, Move, is_table_move
from .cards import DECK_COUNTS, NUM_CARD_TYPES, Card
from .engine import calls
from .engine.kernel import ENGINE
from .engine.state import HAND_OVER, NONE, new_games
from .explain import why_illegal
from .game_state import GameState as GameState
from .game_state import View as View
from .game_state import ints
from .notation import parse_moves
from .position import (
    PositionError,
    read_position,
    set_hand,
    set_pile,
    set_stock,
    write_position,
)
from .rules import Rules

_FULL_DECK: Final = np.repeat(np.arange(NUM_CARD_TYPES), DECK_COUNTS).tolist()


class IllegalMoveError(ValueError):
    """A move that the rules forbid in this position; the message is one line."""


@dataclass
class HandLog:
    """What it takes to play one hand again.

    Attributes:
        start: uint8 bytes of the game when the hand was dealt.
        moves: the moves since then.
        restocks: by number of moves played, the order of a renewed stock that was given from
            outside (the next card last), where the generator did not make it.
        is_deal: whether `start` is a fresh deal, not a position that was set up.
        renewed_at: after how many moves the stock was renewed the last time; -1: never.
    """

    start: NDArray[np.uint8]
    moves: list[Move] = field(default_factory=list)
    restocks: dict[int, list[Card]] = field(default_factory=dict)
    is_deal: bool = True
    renewed_at: int = NONE

    def copy(self) -> HandLog:
        """Return an independent copy."""
        return replace(self, moves=list(self.moves), restocks=dict(self.restocks))


def check_seed(seed: object) -> None:
    """Refuse what is no seed (ValueError)."""
    if not _is_whole(seed) or not 0 <= seed < 1 << 64:
        raise ValueError(f"seed {seed!r} is not in 0..2**64-1")


def _is_whole(number: object) -> TypeGuard[int]:
    return isinstance(number, int | np.integer)


class Game(GameState):
    """One match, played by whole moves; a hand that ends is scored, and waits for `next_hand`.

    Args:
        rules: a `Rules` object or the name of a preset.
        seed: 0..2**64-1; the deals follow from it. None draws one.
        dealer: the seat that deals first; None draws one from the seed.

    Raises:
        RulesError: unknown preset.
        ValueError: the seed or the dealer is out of range.
    """

    def __init__(
        self, rules: Rules | str = "browser", seed: int | None = None, dealer: int | None = None
    ) -> None:
        ENGINE.announce()
        rules = Rules.preset(rules) if isinstance(rules, str) else rules
        seed = secrets.randbits(32) if seed is None else seed
        check_seed(seed)
        if dealer is not None and not (_is_whole(dealer) and 0 <= dealer < rules.num_players):
            raise ValueError(f"dealer {dealer!r} is not in 0..{rules.num_players - 1}")
        super().__init__(new_games(1), rules)
        dealers = np.array([NONE if dealer is None else dealer], np.int64)
        seeds = np.array([seed], np.uint64)
        calls.start_games(self.array, rules.encode()[None], seeds, dealers, 0, 1)
        self._logs = [HandLog(self._bytes.copy())]
        self._undo: list[NDArray[np.uint8]] = []

    @property
    def seed(self) -> int:
        """The seed of the match."""
        return int(self._row["seed"])

    @property
    def stock(self) -> list[Card]:
        """The stock; the first card is drawn next."""
        return ints(self._row["stock"][: self._row["num_stock"]][::-1])

    @property
    def logs(self) -> Sequence[HandLog]:
        """The hands so far and how they were played; the last one may still go on."""
        return self._logs

    # --- playing ---------------------------------------------------------------------------

    def push(self, move: Move | str) -> None:
        """Carry out a move.

        A text may also be a meld of more than three cards: it is laid as several moves, all of
        them or none.

        Raises:
            IllegalMoveError: the rules forbid it here.
            InvalidNotationError, InvalidMeldError: a text is no move.
        """
        if isinstance(move, str):
            self._push_text(move)
        else:
            self._push(move)

    def _push(self, move: Move, text: str | None = None) -> None:
        if move not in self._legal_list():
            raise IllegalMoveError(why_illegal(self, move, text))
        self._carry_out(move)

    def _push_text(self, text: str) -> None:
        moves = parse_moves(text, self.table, self.rules)
        before = self.clone() if len(moves) > 1 else self
        try:
            for move in moves:
                self._push(self._lowest_alike(move), text)
        except IllegalMoveError:
            if before is not self:
                self._become(before)
            raise

    def _lowest_alike(self, move: Move) -> Move:
        """Return the move on the lowest of several identical melds: only that one is offered."""
        if move.meld == NO_MELD or move in self._legal_list():
            return move
        table, new = self.table, self.laid_this_turn
        alike = [
            m
            for m, meld in enumerate(table)
            if meld == table[move.meld] and (m in new) == (move.meld in new)
        ]
        return Move(move.action, alike[0])

    def _carry_out(self, move: Move) -> None:
        action, meld = move
        before, renewals = self._bytes.copy(), self._row["reshuffles"]
        calls.push_move(self.array, 0, action, meld)
        self._legal = None
        log = self._logs[-1]
        log.moves.append(move)
        if self._row["reshuffles"] > renewals:
            log.renewed_at = len(log.moves)
        can_give_back = action == TAKE_ID and self.rules.return_taken and self.taken is not None
        if (is_table_move(action) and self._row["phase"] < HAND_OVER) or can_give_back:
            self._undo.append(before)
        else:
            self._undo.clear()

    def next_hand(self) -> None:
        """Deal the next hand of a match.

        Raises:
            IllegalMoveError: the hand is not over, or the match is.
        """
        if not self.hand_over:
            why = "the match is over" if self.match_over else "the hand is not over"
            raise IllegalMoveError(f"no hand can be dealt: {why}")
        calls.deal_next(self.array, 0)
        self._legal = None
        self._undo.clear()
        self._logs.append(HandLog(self._bytes.copy()))

    def order_deal(
        self, hands: Sequence[Sequence[Card]], upcard: Card, stock: Sequence[Card]
    ) -> None:
        """Replace the cards of a hand that was just dealt, for records and arranged deals.

        Args:
            hands: the cards of each seat, as many as were dealt.
            upcard: the first card of the pile.
            stock: the rest of the 108 cards, the next one first.

        Raises:
            ValueError: a move was made already, or the cards are not the 108 as they were dealt.
        """
        log = self._logs[-1]
        cards = sorted([*(card for hand in hands for card in hand), upcard, *stock])
        sizes = [len(hand) for hand in hands]
        if log.moves or not log.is_deal or sizes != self.hand_sizes or cards != _FULL_DECK:
            raise ValueError("not the cards of a hand that was just dealt")
        for seat, hand in enumerate(hands):
            set_hand(self._row, seat, hand)
        set_pile(self._row, [upcard])
        set_stock(self._row, stock)
        self._legal = None
        log.start = self._bytes.copy()

    def order_stock(self, cards: Sequence[Card]) -> None:
        """Put a new stock in another order, the next card first: after the deal or a renewal.

        Raises:
            ValueError: the cards are not those of the stock, or somebody has drawn from it.
        """
        log = self._logs[-1]
        is_new = not log.moves or log.renewed_at == len(log.moves)
        if not is_new or self.phase != "draw" or sorted(cards) != sorted(self.stock):
            raise ValueError("not the cards of a new stock before a draw")
        set_stock(self._row, cards)
        self._legal = None
        if log.moves:
            log.restocks[len(log.moves)] = list(cards)
        else:
            log.start = self._bytes.copy()

    @property
    def can_undo(self) -> bool:
        """Whether the last move can be taken back."""
        return bool(self._undo)

    def undo(self) -> Move:
        """Take back the last table move of this turn, or a take that could be given back.

        Returns:
            The move taken back.

        Raises:
            IllegalMoveError: there is none; a draw, a discard and a return stay.
        """
        if not self._undo:
            raise IllegalMoveError("nothing to undo: only table moves of this turn are taken back")
        self._bytes[:] = self._undo.pop()
        self._legal = None
        return self._logs[-1].moves.pop()

    # --- copies ----------------------------------------------------------------------------

    def clone(self) -> Game:
        """Return an independent copy, history and generator included."""
        other = self._from_array(self.array.copy(), self.rules)
        other._legal = self._legal
        # Finished hands are never changed again, so they are shared.
        other._logs = [*self._logs[:-1], self._logs[-1].copy()]
        other._undo = list(self._undo)
        return other

    def _become(self, other: Game) -> None:
        self._bytes[:] = other._bytes
        self._legal, self._logs, self._undo = other._legal, other._logs, other._undo

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, memo: object) -> Game:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "array": self.array, "rules": self.rules, "logs": self._logs, "undo": self._undo,
        }  # fmt: skip

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        GameState.__init__(self, state["array"], state["rules"])
        self._logs, self._undo = state["logs"], state["undo"]

    def view(self, seat: int) -> View:
        """Return what a seat may know (ValueError for a seat that is not there)."""
        views = new_games(1)
        calls.view_games(self.array, np.array([self._seat(seat)], np.int64), views, 0, 1)
        return View(views, self.rules, seat)

    # --- positions and records -------------------------------------------------------------

    def position(self) -> dict[str, Any]:
        """Return the whole state as a dict for JSON (see ``position``); hidden cards included."""
        return write_position(self._row, self.rules)

    @classmethod
    def from_position(cls, position: Mapping[str, Any]) -> Game:
        """Return the game that a position describes; it goes on from there.

        Raises:
            PositionError, RulesError: the position cannot be; one line says why.
        """
        ENGINE.announce()
        array, rules = read_position(position)
        game = cls._from_array(array, rules)
        if game._row["phase"] < HAND_OVER and not game._legal_list():
            raise PositionError("position: the seat to move cannot finish its turn legally")
        game._logs = [HandLog(game._bytes.copy(), is_deal=False)]
        return game

    @classmethod
    def _from_array(cls, array: NDArray[Any], rules: Rules) -> Game:
        game = cls.__new__(cls)
        GameState.__init__(game, array, rules)
        game._logs, game._undo = [], []
        return game

    def record(self, players: Sequence[str] | None = None, legal: bool = False) -> dict[str, Any]:
        """Return the record of the match so far (see ``record.game_record``)."""
        from .record import game_record  # it builds on this module

        return game_record(self, players, legal)

    @staticmethod
    def replay(record: Mapping[str, Any]) -> Game:
        """Return the game after the last move of a record, all of which is checked.

        Raises:
            RecordError: the record is damaged or breaks the rules.
        """
        from .record import replay_record  # it builds on this module

        return replay_record(record)

    def at_start_of(self, log: HandLog) -> Game:
        """Return this match as it was when a hand was dealt."""
        array = new_games(1)
        array.view(np.uint8)[:] = log.start
        game = self._from_array(array, self.rules)
        game._logs = [HandLog(log.start, is_deal=log.is_deal)]
        return game
