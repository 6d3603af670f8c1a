"""What can be read off one game, by people and bots: `GameState`, and `View` for one seat.

Nothing here changes a game; the legal moves come from the engine.
"""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .actions import Action, Move, move_ids
from .cards import Card, card_text
from .engine import calls
from .engine.state import HAND_OVER, MATCH_OVER, NONE
from .engine.work import new_work
from .melds import Meld, meld_text, meld_value
from .notation import move_text, parse_move
from .position import read_table
from .rules import Rules

PHASES: Final = ("draw", "play", "over", "over")
"""Names of the engine's phases; a hand and a match that ended are both ``over``."""


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
        return ints(np.repeat(np.arange(counts.size), counts))

    def hand_cost(self, seat: int) -> int:
        """Return what the cards of a seat would cost now, in points, penalties apart.

        In a `View` only the own hand can be asked for; the others look empty.
        """
        return int(calls.hand_cost(self.array, 0, self._seat(seat)))

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
        return ints(self._row["pile"][: self._row["num_pile"]])

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
        return ints(np.flatnonzero(self._row["meld_new"][: self._row["num_melds"]]))

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

    def parse_move(self, text: str) -> Move:
        """Return the one move that a text names here, legal or not.

        Raises:
            InvalidNotationError, InvalidMeldError: it is no move, or a meld of four cards or more.
        """
        return parse_move(text, self.table, self.rules)

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
        return ints(self._row[name][: self.rules.num_players])

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


def ints(values: NDArray[Any]) -> list[int]:
    """Return the values of an int array as a list."""
    return values.tolist()  # type: ignore[no-any-return]


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
