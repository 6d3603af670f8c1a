"""One game for people, bots and search: moves as text, undo, clone, positions, records.

The rules are decided by the engine; this module keeps one of its records (an array of one element
of dtype ``engine.state.GAME``), puts words to it and remembers the moves.

    >>> game = Game("browser", seed=7, dealer=0)
    >>> game.legal_texts()
    ['draw']
    >>> game.push("draw")
    >>> game.phase
    'play'
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .actions import NO_MELD, RETURN_ID, TAKE_ID, Action, Move, is_table_move, move_ids
from .cards import DECK_COUNTS, NUM_CARD_TYPES, Card, card_text
from .engine import calls
from .engine.kernel import ENGINE
from .engine.state import HAND_OVER, MATCH_OVER, NONE, new_games
from .engine.work import new_work
from .melds import Meld, meld_text, meld_value
from .notation import move_text, parse_moves
from .position import (
    PositionError,
    read_position,
    read_table,
    set_hand,
    set_pile,
    set_stock,
    write_position,
)
from .rules import Rules

FULL_DECK: Final = np.repeat(np.arange(NUM_CARD_TYPES), DECK_COUNTS).tolist()
PHASES: Final = ("draw", "play", "over", "over")
"""Names of the engine's phases; a hand and a match that ended are both ``over``."""


class IllegalMoveError(ValueError):
    """A move that the rules forbid in this position; the message is one line."""


class _Scratch(threading.local):
    """Buffers for the kernels; each thread has its own."""

    def __init__(self) -> None:
        self.moves = calls.new_moves()
        self.keys = self.moves.view(np.int32)[:, 0]
        self.work = new_work()


_SCRATCH: Final = _Scratch()


class _Moves(dict[int, Move]):
    """All moves met so far by the four bytes in which the engine lists them."""

    def __missing__(self, key: int) -> Move:
        move = Move(*np.array([key], np.int32).view(np.int16).tolist())
        self[key] = move
        return move


_MOVES: Final = _Moves()


@dataclass
class HandLog:
    """What it takes to play one hand again.

    Attributes:
        start: uint8 bytes of the game when the hand was dealt.
        moves: the moves since then.
        restocks: by number of moves played, the order of a renewed stock that was given from
            outside (the next card last), where the generator did not make it.
        is_deal: whether `start` is a fresh deal, not a position that was set up.
    """

    start: NDArray[np.uint8]
    moves: list[Move] = field(default_factory=list)
    restocks: dict[int, list[Card]] = field(default_factory=dict)
    is_deal: bool = True

    def copy(self) -> HandLog:
        """Return an independent copy."""
        return HandLog(self.start, list(self.moves), dict(self.restocks), self.is_deal)


class GameState:
    """What can be read off one game; the base of `Game` and `View`.

    Cards are ints (see ``cards``), melds are ``melds.Meld``, seats are 0..num_players-1.

    Attributes:
        array: GAME[1], the engine's record itself. Kernels and encoders read it; writing into it
            is at your own risk.
        rules: the rules of the match.
    """

    def __init__(self, array: NDArray[Any], rules: Rules) -> None:
        self.array = array
        self.rules = rules
        self._row = array[0]  # shares the memory of the array
        self._bytes = array.view(np.uint8)
        self._legal: list[Move] | None = None

    # --- whose turn ------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """`draw`, `play`, or `over` between two hands and after the match."""
        return PHASES[self._row["phase"]]

    @property
    def hand_over(self) -> bool:
        """Whether the hand has ended and the match goes on with `Game.next_hand`."""
        return bool(self._row["phase"] == HAND_OVER)

    @property
    def match_over(self) -> bool:
        """Whether the match is won or cut short."""
        return bool(self._row["phase"] == MATCH_OVER)

    @property
    def player(self) -> int:
        """The seat to move; when a hand is over, the seat that moved last."""
        return int(self._row["player"])

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand."""
        return int(self._row["dealer"])

    @property
    def hand_number(self) -> int:
        """How many hands of the match are finished."""
        return int(self._row["hand_number"])

    # --- cards -----------------------------------------------------------------------------

    def hand(self, seat: int) -> list[Card]:
        """Return the cards of a seat in ascending order; in a `View` only the own ones."""
        counts = self._row["hands"][self._seat(seat)]
        return np.repeat(np.arange(counts.size), counts).tolist()

    @property
    def hand_sizes(self) -> list[int]:
        """How many cards each seat holds."""
        return self._seats("hand_size")

    @property
    def table(self) -> list[Meld]:
        """The melds on the table, in the order of their numbers."""
        return read_table(self._row)

    @property
    def pile(self) -> list[Card]:
        """The discard pile; the last card is its top."""
        return self._row["pile"][: self._row["num_pile"]].tolist()

    @property
    def pile_top(self) -> Card | None:
        """The top of the discard pile."""
        n = int(self._row["num_pile"])
        return int(self._row["pile"][n - 1]) if n else None

    @property
    def stock_size(self) -> int:
        """How many cards are left to draw."""
        return int(self._row["num_stock"])

    # --- this turn -------------------------------------------------------------------------

    @property
    def laid_this_turn(self) -> list[int]:
        """The numbers of the melds laid in this turn."""
        return np.flatnonzero(self._row["meld_new"][: self._row["num_melds"]]).tolist()

    @property
    def opening_points(self) -> int:
        """The points of the melds of this turn that count to the opening."""
        table = self.table
        melds = [table[m] for m in self.laid_this_turn]
        counts = [m for m in melds if self.rules.opening_joker or not m.jokers]
        return sum(meld_value(meld, self.rules) for meld in counts)

    @property
    def opened_this_turn(self) -> bool:
        """Whether the seat to move has opened in this turn."""
        return bool(self._row["opened_this_turn"])

    @property
    def taken(self) -> Card | None:
        """The card taken from the pile in this turn that must still go to the table."""
        return self._optional("taken")

    @property
    def returned(self) -> bool:
        """Whether the card taken in this turn was given back."""
        return bool(self._row["returned"])

    @property
    def recovered(self) -> int:
        """How many jokers recovered in this turn must still be laid."""
        return int(self._row["recovered"])

    # --- the seats -------------------------------------------------------------------------

    @property
    def opened(self) -> list[bool]:
        """Whether each seat has opened in this hand."""
        return [bool(x) for x in self._seats("opened")]

    @property
    def turns(self) -> list[int]:
        """How many turns each seat has finished in this hand."""
        return self._seats("turns")

    @property
    def reshuffles(self) -> int:
        """How often the stock was renewed in this hand."""
        return int(self._row["reshuffles"])

    @property
    def totals(self) -> list[int]:
        """The points (or hands won) of each seat in this match."""
        return self._seats("totals")

    @property
    def points(self) -> list[int]:
        """The points of each seat in the last finished hand."""
        return self._seats("hand_points")

    @property
    def in_match(self) -> list[bool]:
        """Whether each seat still plays."""
        return [bool(x) for x in self._seats("in_match")]

    @property
    def reentries(self) -> list[int]:
        """How often each seat came back after it had reached the limit."""
        return self._seats("reentries")

    @property
    def closer(self) -> int | None:
        """The seat that closed the last finished hand; None if nobody did."""
        return self._optional("closer")

    @property
    def closed_in_hand(self) -> bool:
        """Whether the closer of the last finished hand closed in hand."""
        return bool(self._row["closed_in_hand"])

    @property
    def winner(self) -> int | None:
        """The seat that won the match, or the team's number in team play."""
        return self._optional("winner")

    @property
    def truncated(self) -> bool:
        """Whether `max_hands` cut the match short."""
        return bool(self._row["truncated"])

    # --- moves -----------------------------------------------------------------------------

    def legal_moves(self) -> list[Move]:
        """Return all legal moves, each once; none when the hand is over.

        In a `View` those of the seat to move, and only if it is that seat's view.
        """
        return list(self._legal_list())

    def legal_texts(self) -> list[str]:
        """Return the legal moves as text, in the order of `legal_moves`."""
        table = self.table
        return [move_text(move, table) for move in self._legal_list()]

    def move_text(self, move: Move) -> str:
        """Return a move as text (ValueError if it names no meld of this table)."""
        return move_text(move, self.table)

    def move_ids(self, move: Move) -> tuple[Action, ...]:
        """Return the ids of a legal move: one, or two where a target must be chosen."""
        return move_ids(move, self._legal_list())

    def _legal_list(self) -> list[Move]:
        if self._legal is None:
            scratch = _SCRATCH
            n = calls.list_moves(self.array, 0, scratch.moves, scratch.work)
            self._legal = [_MOVES[key] for key in scratch.keys[:n].tolist()]
        return self._legal

    # --- reading fields --------------------------------------------------------------------

    def _seats(self, name: str) -> list[int]:
        return self._row[name][: self.rules.num_players].tolist()  # type: ignore[no-any-return]

    def _optional(self, name: str) -> int | None:
        value = int(self._row[name])
        return None if value == NONE else value

    def _seat(self, seat: int) -> int:
        if not 0 <= seat < self.rules.num_players:
            raise ValueError(f"seat {seat!r} is not in 0..{self.rules.num_players - 1}")
        return seat

    def __str__(self) -> str:
        """Return the position in readable form, a line a subject."""
        return "\n".join(_lines(self))


def _lines(state: GameState) -> list[str]:
    if state.match_over:
        status = "match cut short" if state.truncated else f"match won by {state.winner}"
    elif state.hand_over:
        status = "hand over"
    else:
        status = f"seat {state.player} to {state.phase}"
    top = state.pile_top
    lines = [
        f"hand {state.hand_number}, dealer {state.dealer}, {status}",
        f"stock {state.stock_size}, pile {len(state.pile)}"
        + (f", top {card_text(top)}" if top is not None else ""),
    ]
    lines += [f"meld {m}: {meld_text(meld)}" for m, meld in enumerate(state.table)]
    for seat, size in enumerate(state.hand_sizes):
        cards = " ".join(card_text(card) for card in state.hand(seat))
        opened = "opened" if state.opened[seat] else "not opened"
        lines.append(
            f"seat {seat}: {size} cards, {opened}, total {state.totals[seat]}: {cards}".rstrip(": ")
        )
    return lines


class View(GameState):
    """What one seat may know of a game: other hands, the stock and the seed are blanked.

    Attributes:
        seat: whose view it is.
    """

    def __init__(self, array: NDArray[Any], rules: Rules, seat: int) -> None:
        super().__init__(array, rules)
        self.seat = seat

    def _legal_list(self) -> list[Move]:
        return super()._legal_list() if self.seat == self._row["player"] else []


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
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"seed {seed!r} is not in 0..2**64-1")
        if dealer is not None and not 0 <= dealer < rules.num_players:
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
        return self._row["stock"][: self._row["num_stock"]][::-1].tolist()

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
            return
        if move not in self._legal_list():
            raise IllegalMoveError(self._why_not(move))
        self._carry_out(move)

    def _push_text(self, text: str) -> None:
        moves = parse_moves(text, self.table, self.rules)
        before = self.clone()
        try:
            for move in moves:
                self.push(self._lowest_alike(move))
        except IllegalMoveError:
            self._become(before)
            raise IllegalMoveError(self._why_not(moves[0], text)) from None

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
        before = self._bytes.copy()
        calls.push_move(self.array, 0, action, meld)
        self._legal = None
        self._logs[-1].moves.append(move)
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
        if log.moves or not log.is_deal or sizes != self.hand_sizes or cards != FULL_DECK:
            raise ValueError("not the cards of a hand that was just dealt")
        for seat, hand in enumerate(hands):
            set_hand(self._row, seat, hand)
        set_pile(self._row, [upcard])
        set_stock(self._row, stock)
        self._legal = None
        log.start = self._bytes.copy()

    def order_stock(self, cards: Sequence[Card]) -> None:
        """Put the stock in another order, the next card first, before a draw.

        Raises:
            ValueError: the cards are not those of the stock, or the turn's draw is over.
        """
        if self.phase != "draw" or sorted(cards) != sorted(self.stock):
            raise ValueError("not the cards of the stock before a draw")
        set_stock(self._row, cards)
        self._legal = None
        log = self._logs[-1]
        log.restocks[len(log.moves)] = list(cards)

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

    # --- why not ---------------------------------------------------------------------------

    def _why_not(self, move: Move, text: str | None = None) -> str:
        """Return one line that says why a move is not legal."""
        if text is None:
            try:
                text = self.move_text(move)
            except ValueError as error:
                return f"not a move here: {error}"
        return f"not legal: {text.strip()} ({self._reason(move)})"

    def _reason(self, move: Move) -> str:
        if self.match_over:
            return "the match is over"
        if self.hand_over:
            return "the hand is over"
        draws = move.action <= TAKE_ID
        if draws != (self.phase == "draw") and move.action != RETURN_ID:
            return "the turn begins with draw or take" if not draws else "already drawn"
        return "the rules forbid it here"
