"""A match as a row of moments, to go back and forth in: read off a record, or played live.

    timeline = Timeline.of(Game.replay(record))
    timeline.moment(0).state            # the first deal
    timeline.find(hand=2, turn=5)       # the number of the moment in which that turn begins
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scala40_env.game import Game, GameState

from ..chronicle import Chronicle, HandResult, Step
from ..match import Match, winning_seats


@dataclass(frozen=True)
class Moment:
    """The game between two moves.

    Attributes:
        state: the game, all hands included.
        hand: the number of the hand, from 1.
        turn: the number of the turn in the hand, from 1, that the last move belongs to; 0 at the
            deal.
        seat: who made the last move; None at the deal.
        step: the last move; None at the deal.
        result: how the hand ended, if it ended with that move.
        winners: the seats that have won the match, if that is how it ended.
    """

    state: GameState
    hand: int
    turn: int = 0
    seat: int | None = None
    step: Step | None = None
    result: HandResult | None = None
    winners: Sequence[int] = ()


class Timeline:
    """The moments of a match so far; those to come are made when they are asked for."""

    def __init__(self, source: Iterator[Moment]) -> None:
        self._source = source
        self._moments = [next(source)]
        self._making = threading.Lock()  # keys may ask for moments while others are being made
        self.is_whole = False
        """Whether all moments to the end of the match are known."""

    @classmethod
    def of(cls, game: Game) -> Timeline:
        """Return all moments of a game that was replayed from a record."""
        timeline = cls(_read(game))
        timeline.last()
        return timeline

    @classmethod
    def live(cls, match: Match) -> Timeline:
        """Return the moments of a match between agents, who play as it is looked at."""
        return cls(_play(match))

    def __len__(self) -> int:
        """How many moments are known."""
        return len(self._moments)

    def moment(self, number: int) -> Moment:
        """Return a moment that is known."""
        return self._moments[number]

    def has(self, number: int) -> bool:
        """Tell whether there is such a moment; it is made if need be."""
        while number >= len(self._moments) and not self.is_whole:
            self._make()
        return 0 <= number < len(self._moments)

    def _make(self) -> None:
        """Make one more moment, if there is one."""
        with self._making:
            moment = next(self._source, None)
            if moment is None:
                self.is_whole = True
            else:
                self._moments.append(moment)

    def last(self) -> int:
        """Return the number of the last moment; a live match is played to its end."""
        while self.has(len(self._moments)):
            pass
        return len(self._moments) - 1

    def find(self, hand: int, turn: int = 0) -> int | None:
        """Return the first moment of a turn, or what comes nearest after it; None if nothing."""
        number = bisect_left(self._moments, (hand, turn), key=_place)
        while self.has(number):
            if _place(self._moments[number]) >= (hand, turn):
                return number
            number += 1
        return None

    def next_turn(self, number: int) -> int:
        """Return the end of the turn at a moment, or of the one after it if it is there already."""
        return self._end_of_turn(number + 1) if self.has(number + 1) else number

    def _end_of_turn(self, number: int) -> int:
        turn = self._turn_at(number)
        while self.has(number + 1) and self._turn_at(number + 1) == turn:
            number += 1
        return number

    def previous_turn(self, number: int) -> int:
        """Return the end of the turn before that at a moment."""
        if number == 0:
            return 0
        turn = self._turn_at(number)
        while number > 0 and self._turn_at(number) == turn:
            number -= 1
        return number

    def _turn_at(self, number: int) -> tuple[int, int]:
        return _place(self._moments[number])


def _place(moment: Moment) -> tuple[int, int]:
    return moment.hand, moment.turn


def _read(game: Game) -> Iterator[Moment]:
    """Play the hands of a finished game again, move by move."""
    chronicle = Chronicle()
    for log in game.logs:
        again = game.at_start_of(log)
        hand = again.hand_number + 1
        yield Moment(_frozen(again), hand)
        for number, move in enumerate(log.moves, 1):
            seat = again.player
            step = chronicle.push(again, move)
            if number in log.restocks:
                again.order_stock(log.restocks[number])
            yield _after(again, chronicle, hand, seat, step)


def _play(match: Match) -> Iterator[Moment]:
    """Let the agents play, a move each time the next moment is asked for."""
    game = match.game
    while True:
        hand = game.hand_number + 1
        yield Moment(_frozen(game), hand)
        while match.is_agents_turn:
            seat = game.player
            step = match.agent_move()
            yield _after(game, match.chronicle, hand, seat, step)
        if match.is_over:
            return
        match.next_hand()


def _after(game: Game, chronicle: Chronicle, hand: int, seat: int, step: Step) -> Moment:
    turn = len(chronicle.hand_turns(hand - 1))
    result = chronicle.results[-1] if game.phase == "over" else None
    return Moment(_frozen(game), hand, turn, seat, step, result, winning_seats(game))


def _frozen(game: Game) -> GameState:
    return GameState(game.array.copy(), game.rules)
