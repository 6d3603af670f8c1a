"""The hard level (under construction: plays as normal does)."""

from scala40_env.agents.normal import PARAMETERS as PARAMETERS
from scala40_env.agents.normal import decide_normal
from scala40_env.engine.kernel import kernel


@kernel
def decide_hard(s, bot, moves, n, params):
    """The index of the move to play."""
    return decide_normal(s, bot, moves, n, params)
