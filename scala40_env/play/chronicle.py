"""What happened in a match, turn by turn, as plain data: the texts are in ``words``.

It is kept while a match is played, and read off a game that was replayed from a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scala40_env.actions import (
    DRAW_ID,
    NO_MELD,
    Move,
    discard_card,
    is_discard,
    is_meld,
    is_table_move,
)
from scala40_env.cards import Card
from scala40_env.game import Game
from scala40_env.melds import Meld


@dataclass(frozen=True)
class Step:
    """One move as it was played.

    Attributes:
        move: the move.
        text: as NOTATION writes it beside the table of that moment.
        card: the card drawn, taken, given back or discarded; None for table moves. A card drawn
            is known to its seat only.
        number: of the meld, for table moves; else NO_MELD.
        meld: the meld as it lay afterwards.
    """

    move: Move
    text: str
    card: Card | None = None
    number: int = NO_MELD
    meld: Meld | None = None


@dataclass
class Turn:
    """One turn of a seat, perhaps still going on.

    Attributes:
        hand: the number of the hand, from 0.
        seat: whose turn it is.
        steps: the moves so far.
        opening: the points with which the seat opened in this turn; None if it did not.
        cards_left: how many cards the seat holds.
        is_over: whether the turn has ended.
        closed: whether it closed the hand.
        restocked: whether the stock was renewed at its end.
    """

    hand: int
    seat: int
    steps: list[Step] = field(default_factory=list)
    opening: int | None = None
    cards_left: int = 0
    is_over: bool = False
    closed: bool = False
    restocked: bool = False


@dataclass(frozen=True)
class HandResult:
    """A line of the score sheet.

    Attributes:
        hand: the number of the hand, from 0.
        dealer: the seat that dealt.
        closer: the seat that closed; None if nobody did.
        in_hand: whether it was closed in hand.
        points: of each seat in this hand.
        totals: of each seat after it, re-entries included.
        out: the seats that went out with this hand.
        returned: the seats that came back at the limit.
    """

    hand: int
    dealer: int
    closer: int | None
    in_hand: bool
    points: Sequence[int]
    totals: Sequence[int]
    out: Sequence[int]
    returned: Sequence[int]


class Chronicle:
    """The turns and the results of a match.

    Attributes:
        turns: all turns, the last one perhaps still going on.
        results: the finished hands.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.results: list[HandResult] = []

    @classmethod
    def of(cls, game: Game) -> Chronicle:
        """Return the chronicle of a game, by playing it again from its deals."""
        chronicle = cls()
        for log in game.logs:
            again = game.at_start_of(log)
            for number, move in enumerate(log.moves, 1):
                chronicle.push(again, move)
                if number in log.restocks:
                    again.order_stock(log.restocks[number])
        return chronicle

    @property
    def last(self) -> Turn | None:
        """The last turn; None before the first move."""
        return self.turns[-1] if self.turns else None

    def hand_turns(self, hand: int) -> list[Turn]:
        """Return the turns of one hand."""
        return [turn for turn in self.turns if turn.hand == hand]

    def push(self, game: Game, move: Move) -> Step:
        """Play a legal move in a game and note it (IllegalMoveError as `Game.push`)."""
        seat, hand, reshuffles = game.player, game.hand_number, game.reshuffles
        in_match, reentries = game.in_match, game.reentries
        turns_before = sum(game.turns)
        step = _step_before(game, move)
        opening = game.opening_points if game.opened_this_turn else None
        game.push(move)
        step = _step_after(game, step)
        turn = self._turn(hand, seat)
        turn.steps.append(step)
        turn.cards_left = game.hand_sizes[seat]
        turn.opening = game.opening_points if game.opened_this_turn else opening
        turn.is_over = sum(game.turns) > turns_before
        turn.restocked = game.reshuffles > reshuffles
        if game.phase == "over":
            turn.is_over, turn.closed = True, game.closer == seat
            self.results.append(_result(game, hand, in_match, reentries))
        return step

    def undo(self, game: Game) -> Step:
        """Take back the last move (IllegalMoveError as `Game.undo`)."""
        game.undo()
        turn = self.turns[-1]
        step = turn.steps.pop()
        turn.cards_left = game.hand_sizes[turn.seat]
        turn.opening = game.opening_points if game.opened_this_turn else None
        if not turn.steps:
            self.turns.pop()
        return step

    def _turn(self, hand: int, seat: int) -> Turn:
        if not self.turns or self.turns[-1].is_over:
            self.turns.append(Turn(hand, seat))
        return self.turns[-1]


def _step_before(game: Game, move: Move) -> Step:
    """Note what cannot be seen any more after the move."""
    text = game.move_text(move)
    if is_discard(move.action):
        return Step(move, text, discard_card(move.action))
    if is_table_move(move.action):
        return Step(move, text, None, len(game.table) if is_meld(move.action) else move.meld)
    if move.action == DRAW_ID:
        return Step(move, text, game.stock[0] if game.stock else None)
    return Step(move, text, game.taken if game.phase == "play" else game.pile_top)


def _step_after(game: Game, step: Step) -> Step:
    """Add the meld that a table move has made."""
    if step.number == NO_MELD:
        return step
    return Step(step.move, step.text, None, step.number, game.table[step.number])


def _result(
    game: Game, hand: int, in_match: Sequence[bool], reentries: Sequence[int]
) -> HandResult:
    seats = range(game.rules.num_players)
    return HandResult(
        hand,
        game.dealer,
        game.closer,
        game.closed_in_hand,
        game.points,
        game.totals,
        [p for p in seats if in_match[p] and not game.in_match[p]],
        [p for p in seats if game.reentries[p] > reentries[p]],
    )
