"""The opening as it is being prepared: melds that lie ready but are not played yet.

They are played on a copy of the game, so the engine says what is possible; `moves` goes into the
match when the player opens.
"""

from __future__ import annotations

from collections.abc import Sequence

from scala40_env.actions import Move
from scala40_env.game import Game
from scala40_env.melds import Meld

from .choices import can_discard


class Staging:
    """The melds that one player prepares in this turn.

    Args:
        base: the game as it is.
    """

    def __init__(self, base: Game) -> None:
        self._base = base
        self._trials: list[Game] = []  # after each step
        self._groups: list[tuple[Move, ...]] = []

    @property
    def game(self) -> Game:
        """The game as it would be with the melds laid."""
        return self._trials[-1] if self._trials else self._base

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies ready."""
        return not self._groups

    @property
    def is_needed(self) -> bool:
        """Whether the seat to move must still open, so that its melds are prepared first."""
        base = self._base
        return (
            not base.opened[base.player]
            and not base.laid_this_turn
            and base.rules.opening_min > 0
        )

    @property
    def groups(self) -> list[tuple[Move, ...]]:
        """The moves, those of each step together."""
        return list(self._groups)

    @property
    def numbers(self) -> list[int]:
        """The numbers that the melds will have on the table."""
        return list(range(len(self._base.table), len(self.game.table)))

    @property
    def melds(self) -> list[Meld]:
        """The melds that lie ready."""
        return self.game.table[len(self._base.table) :]

    @property
    def points(self) -> int:
        """What they count to the opening."""
        return 0 if self.is_empty else self.game.opening_points

    @property
    def can_open(self) -> bool:
        """Whether they open, or are enough to close in hand without the points."""
        game = self.game
        return not self.is_empty and (
            game.phase == "over" or game.opened[self._base.player] or can_discard(game)
        )

    def stage(self, moves: Sequence[Move]) -> None:
        """Add a meld, or grow one (IllegalMoveError if the rules forbid it)."""
        trial = self.game.clone()
        for move in moves:
            trial.push(move)
        self._trials.append(trial)
        self._groups.append(tuple(moves))

    def undo(self) -> None:
        """Take the last step back."""
        self._trials.pop()
        self._groups.pop()

    def clear(self) -> None:
        """Take everything back."""
        self._trials.clear()
        self._groups.clear()
