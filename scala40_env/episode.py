"""How an episode of the environments begins: what it is, and the options of `reset`."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .engine import calls
from .engine.state import NONE, new_games
from .game import Game
from .rewards import RewardError
from .rules import Rules, diff, value_text

EPISODES: Final = ("match", "hand")
_DEFAULT_REWARDS: Final = {"match": "match", "hand": "points"}
_MAX_TOTAL: Final = 1 << 30


class EnvError(ValueError):
    """A parameter or an option that the environment does not take; the message is one line."""


def read_rules(rules: Rules | str | Mapping[str, Any], num_players: int | None = None) -> Rules:
    """Return rules from what environments take as such, RulesError where they are none."""
    changes = {} if num_players is None else {"num_players": num_players}
    if isinstance(rules, Rules):
        return rules.with_(**changes)
    if isinstance(rules, str):
        return Rules.preset(rules, **changes)
    return Rules.from_dict({**rules, **changes} if isinstance(rules, Mapping) else rules)


def read_episode(episode: str, reward: str | None) -> tuple[str, str]:
    """Return what an episode is and the name of its reward, an error where they do not fit."""
    one_of("episode", episode, EPISODES)
    if episode == "hand" and reward == "match":
        raise RewardError("reward match needs episode match; a hand has points or win_prob")
    return episode, reward or _DEFAULT_REWARDS[episode]


def read_seed(seed: Any) -> int:
    """Return a seed as an int; EnvError where it is none."""
    try:
        number = index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 64:
        raise EnvError(f"seed {seed!r} is not in 0..2**64-1")
    return number


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """Return a value that is allowed; EnvError where it is not."""
    if value not in allowed:
        names = ", ".join(str(choice) for choice in allowed)
        raise EnvError(f"{name} {value!r} is not allowed; allowed: {names}")
    return value


def begin(rules: Rules, seed: int, options: Mapping[str, Any]) -> NDArray[Any]:
    """Return the game GAME[1] with which an episode begins.

    Args:
        options: `totals`, `dealer` or `position`, as ``aec.raw_env.reset`` has them; other keys
            are left to wrappers.

    Raises:
        EnvError, PositionError: an option is not allowed.
    """
    position = options.get("position")
    if position is not None:
        for name in ("totals", "dealer"):
            if name in options:
                raise EnvError(f"option {name} cannot stand beside option position")
        return _from_position(rules, position, seed)
    games, n = new_games(1), rules.num_players
    dealer = options.get("dealer", NONE)
    if dealer not in range(n) and "dealer" in options:
        raise EnvError(f"option dealer {dealer!r} is not a seat 0..{n - 1}")
    seeds, dealers = np.array([seed], np.uint64), np.array([dealer], np.int64)
    calls.start_games(games, rules.encode()[None], seeds, dealers, 0, 1)
    if "totals" in options:
        games["totals"][0, :n] = _read_totals(rules, options["totals"])
    return games


def _read_totals(rules: Rules, totals: Any) -> list[int]:
    n = rules.num_players
    try:
        numbers = [index(total) for total in totals]
    except TypeError:
        raise EnvError(f"option totals {totals!r} is not a list of {n} numbers") from None
    top = _MAX_TOTAL if rules.mode == "single_hand" else rules.limit - 1
    if len(numbers) != n or not all(0 <= total <= top for total in numbers):
        raise EnvError(f"option totals {numbers} is not a list of {n} numbers 0..{top}")
    if rules.teams != "none" and len(set(numbers[::2])) + len(set(numbers[1::2])) > 2:
        raise EnvError(f"option totals {numbers} differs within a team")
    return numbers


def _from_position(rules: Rules, position: Mapping[str, Any], seed: int) -> NDArray[Any]:
    """Return the game of a position; where it says nothing of chance, the seed decides."""
    if not isinstance(position, Mapping):
        raise EnvError(f"option position must be a dict, not {position!r}")
    game = Game.from_position({"rules": rules.to_dict(), "rng": [seed, seed], **position})
    for name, (here, there) in diff(rules, game.rules).items():
        raise EnvError(
            f"option position has {name} = {value_text(there)}, this environment {value_text(here)}"
        )
    if game.phase == "over":
        raise EnvError("option position is over: nobody is to move")
    return game.array
