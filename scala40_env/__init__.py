"""scala40_env: the Italian rummy game Scala 40 as a reinforcement-learning environment.

Importing it registers the environments with PettingZoo and Gymnasium. The names below are loaded at
their first use, so that `import scala40_env` stays light:

    >>> import scala40_env
    >>> scala40_env.Rules.preset("italian").opening_min
    40
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .registration import register

if TYPE_CHECKING:
    from .aec import env as env
    from .aec import raw_env as raw_env
    from .agents import make_agent as make_agent
    from .batch import BatchGame as BatchGame
    from .game import Game as Game
    from .rules import Rules as Rules

__version__ = "0.1.0"

_HOMES = {
    "env": "aec",
    "raw_env": "aec",
    "Game": "game",
    "BatchGame": "batch",
    "Rules": "rules",
    "make_agent": "agents",
}

__all__ = ["BatchGame", "Game", "Rules", "__version__", "env", "make_agent", "raw_env"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register()
