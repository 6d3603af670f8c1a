"""Asking agents that are no kernels: what they answer is checked before a game goes on with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scala40_env.actions import NUM_ACTIONS, action_name
from scala40_env.agents.base import Agent, AgentError
from scala40_env.agents.levels import AGENTS, keep_pending
from scala40_env.engine.legal import legal_moves
from scala40_env.engine.state import NONE


def ask(
    agent: Agent, views: NDArray[Any], streams: NDArray[np.uint64], bot: NDArray[Any]
) -> NDArray[np.int64]:
    """Let an agent choose a move in each of some views.

    Args:
        views: GAME[B].
        streams: uint64[B], a random stream for each game, which the agent may advance.
        bot: BOT_WORK[1].

    Returns:
        int64[B, 2] of (action id, meld number or -1).

    Raises:
        AgentError: the answer has another shape, or a move is not legal.
    """
    answer = np.asarray(agent.act_batch(views, streams))
    if answer.shape != (len(views), 2) or answer.dtype.kind not in "iu":
        raise AgentError(
            f"agent {agent.name!r} gave {answer.dtype}{list(answer.shape)} for {len(views)} views,"
            " not a whole action id and meld number each"
        )
    moves = answer.astype(np.int64)
    b = int(find_illegal_move(views, moves, bot))
    if b != NONE:
        action, meld = moves[b].tolist()
        name = action_name(action) if 0 <= action < NUM_ACTIONS else "no action"
        raise AgentError(f"agent {agent.name!r} chose {action} ({name}), {meld}: not legal")
    return moves


@AGENTS.entry
def find_illegal_move(views: NDArray[Any], moves: NDArray[np.int64], bot: NDArray[Any]) -> int:
    """Return the first view whose move is not legal, or -1.

    Args:
        views: GAME[B].
        moves: int64[B, 2].
        bot: BOT_WORK[1].
    """
    work = bot[0]
    for b in range(len(views)):
        n = keep_pending(views[b], work.moves, legal_moves(views[b], work.moves, work.search))
        is_legal = False
        for i in range(n):
            if work.moves[i, 0] == moves[b, 0] and work.moves[i, 1] == moves[b, 1]:
                is_legal = True
        if not is_legal:
            return b
    return NONE
