"""Agents by name, for every place that takes one: command line, environments, evaluation."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from scala40_env.agents.base import Agent, AgentError
from scala40_env.agents.levels import PARAMETERS, LevelAgent, load_level, load_level_file

LEVELS = tuple(PARAMETERS)
_CHECKPOINT = ".npz"
_LEARNED = "learned"


def make_agent(name: str | Path, seed: int = 0) -> Agent:
    """Return an agent.

    Args:
        name: a level (`easy`, `normal`, `hard`, `random`, `greedy`), `learned` (the shipped learned
            player), a checkpoint (`*.npz`), or a TOML file with a level's figures.
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
    file = split_temperature(text)[0]
    if file == _LEARNED or file.endswith(_CHECKPOINT):
        return _load_learned(text, seed)
    known = ", ".join([*LEVELS, _LEARNED])
    raise AgentError(f"unknown agent {text!r}; agents: {known}, or a file *.npz, *.toml")


def split_temperature(name: str) -> tuple[str, str | None]:
    """Split `NAME@TEMPERATURE`; the second is None where a name or a file has none after it."""
    file, at, heat = name.rpartition("@")
    return (file, heat) if at and not name.endswith(_CHECKPOINT) else (name, None)


def _load_learned(name: str, seed: int) -> Agent:
    """Load a learned player: its module is imported only when one is asked for."""
    file, _ = split_temperature(name)
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
