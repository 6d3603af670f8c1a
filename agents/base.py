"""What an agent is: something that chooses a move from what one seat may know.

    >>> agent = make_agent("hard", seed=3)                    # doctest: +SKIP
    >>> move = agent.act(game.view(seat), game.legal_moves())  # a whole move
    >>> env.step(agent.action(env))                           # an id, in an AEC loop

Agents get views only (``engine.view``): other hands and the order of the stock are blanked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scala40_env.actions import Action, Move
from scala40_env.game import View


class AgentError(ValueError):
    """An agent that does not exist or cannot be loaded; the message is one line."""


@runtime_checkable
class Agent(Protocol):
    """A player. Its choices follow from its name, its seed and the views it is given.

    Attributes:
        name: how tables call it, its version included.
    """

    name: str

    def act(self, view: View, legal: Sequence[Move]) -> Move:
        """Return one of the legal moves.

        Args:
            view: what the seat to move may know.
            legal: its legal moves; never empty.
        """
        ...

    def action(self, env: Any) -> Action:
        """Return the next action id for the agent to move of an AEC environment.

        Args:
            env: an environment of ``scala40_env.aec``, wrapped or not.
        """
        ...

    def act_batch(
        self, views: NDArray[Any], streams: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int16]:
        """Choose a move for the seat to move of each of many games.

        Args:
            views: GAME[B], the view of the seat to move in each game; unchanged.
            streams: uint64[B], a random stream for each game, which advances; None: the agent's
                own seed decides.

        Returns:
            int16[B, 2] of (action id, meld number or -1). Where a target is pending in a view, the
            move has the pending action.
        """
        ...
