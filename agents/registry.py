"""Agents by name, for every place that takes one: command line, environments, evaluation."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from scala40_env.agents.base import Agent, AgentError
from scala40_env.agents.levels import PARAMETERS, LevelAgent, load_level, load_level_file

LEVELS = tuple(PARAMETERS)
_CHECKPOINTS = (".pt", ".npz")
_LEARNED = "learned"


def make_agent(name: str | Path, seed: int = 0) -> Agent:
    """Return an agent.

    Args:
        name: a level (`easy`, `normal`, `hard`, `random`, `greedy`), `learned` (the shipped learned
            player), a checkpoint (`*.pt`, `*.npz`), or a TOML file with a level's figures.
            `learned@1` draws its moves from the policy as trained, `learned@0.5` from a sharper
            one; without that the best-scored move is played. So with checkpoints.
        seed: of the agent's own randomness; the same seed and the same views give the same moves.

    Raises:
        AgentError: there is no such agent, or its file is damaged.
    """
    text = str(name)
    if text in LEVELS:
        return LevelAgent(load_level(text), seed)
    if text.endswith(".toml"):
        return LevelAgent(load_level_file(text), seed)
    if text.split("@")[0] == _LEARNED or text.split("@")[0].endswith(_CHECKPOINTS):
        return _load_learned(text, seed)
    known = ", ".join([*LEVELS, _LEARNED])
    raise AgentError(f"unknown agent {text!r}; agents: {known}, or a file *.pt, *.npz, *.toml")


def _load_learned(name: str, seed: int) -> Agent:
    """Load a learned player: its module is imported only when one is asked for."""
    file = name.split("@")[0]
    if file != _LEARNED and not Path(file).is_file():
        raise AgentError(f"no checkpoint {file!r}: there is no such file")
    try:
        learned = import_module(f"{__package__}.learned")
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}.learned":
            raise
        raise AgentError(f"agent {name!r} is not available in this version") from None
    agent: Agent = learned.load(name, seed)
    return agent
