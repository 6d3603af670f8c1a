"""Scala 40 for one learner against computer players, as a Gymnasium environment.

    import gymnasium, scala40_env

    env = gymnasium.make("scala40/Scala40-v0", opponent="hard", rules="browser")
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

The learner is `player_0`; the first dealer is drawn from the seed. Observations are the `plain`
ones and actions the ids of the AEC environment (see ``aec``), whose rewards are summed up from one
own action to the next. The mask is in the info, and what `action_masks()` returns, as learners with
masks expect it. An illegal action ends the episode with reward -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from .actions import NUM_ACTIONS
from .aec import RENDER_MODES, raw_env, whole_number
from .agents import Agent, make_agent
from .episode import EnvError
from .observation import observation_box
from .rules import Rules

Opponent: TypeAlias = str | Path | Agent
"""An agent, or a name that `make_agent` knows."""

ILLEGAL_REWARD: Final = -1.0
_LEARNER: Final = "player_0"
MAX_DEALS: Final = 100  # a hand that ends before the learner's first turn is very rare


class SingleAgentEnv(gymnasium.Env[NDArray[Any], Any]):
    """One seat for a learner, the others for agents.

    Args:
        opponent: who sits in the other seats: an agent or its name, or a list of one for each seat
            from `player_1` on. Named agents are seeded by `reset`, others bring their own chance.
        rules, num_players, episode, reward, render_mode: as for ``aec.raw_env``.

    Raises:
        AgentError: there is no such agent.
        EnvError, RulesError, RewardError: another parameter is not allowed.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        opponent: Opponent | Sequence[Opponent] = "hard",
        rules: Rules | str | Mapping[str, Any] = "browser",
        num_players: int | None = None,
        episode: str = "match",
        reward: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self._table = raw_env(rules, num_players, episode, reward, render_mode)
        self.render_mode = render_mode
        self.rules = self._table.rules
        self.observation_space = observation_box()
        self.action_space = Discrete(NUM_ACTIONS)
        self._opponents = seat_opponents(opponent, self.rules)
        self._players = seated_agents(self._opponents, 0)
        self._is_over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; the others play until the learner is to move.

        Args:
            seed: of the deals and of the named opponents.
            options: as for ``aec.raw_env``.

        Returns:
            The observation, float32[OBSERVATION_SIZE], and the info with the `action_mask`.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._players = seated_agents(self._opponents, seed)
        for _ in range(MAX_DEALS):
            self._table.reset(seed=seed, options=options)
            if _LEARNER not in self._table.agents:
                raise EnvError(f"{_LEARNER} has no cards in this position")
            self._play_others()
            ended = self._table.terminations, self._table.truncations
            if not any(over.get(_LEARNER, True) for over in ended):
                self._is_over = False
                observation, _, _, _, info = self._last()
                return observation, info
            seed = None
        raise EnvError("the episode is over before player_0 is to move")

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Carry out an action of the learner; the others play until it is to move again.

        Raises:
            IllegalMoveError: the action is not a whole number.
            ResetNeeded: the episode is over.
        """
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() first")
        action = whole_number(action)
        if not (0 <= action < NUM_ACTIONS and self._table.action_mask()[action]):
            self._is_over = True
            observation, _, _, _, info = self._last()
            return observation, ILLEGAL_REWARD, True, False, {**info, "illegal_action": True}
        self._table.step(action)
        self._play_others()
        return self._last()

    def _play_others(self) -> None:
        """Let the others move until the learner is to move, or has its last step."""
        table = self._table
        while table.agent_selection != _LEARNER:
            agent = table.agent_selection
            is_out = table.terminations[agent] or table.truncations[agent]
            table.step(None if is_out else self._players[agent].action(table))

    def _last(self) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        got, reward, terminated, truncated, _ = self._table.last()
        self._is_over = self._is_over or terminated or truncated
        info = {"action_mask": got["action_mask"]}
        return got["observation"], float(reward), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, a new bool[NUM_ACTIONS]."""
        return self._table.action_mask().astype(np.bool_)

    def render(self) -> str | None:  # type: ignore[override]
        """Return the table as text (`ansi`), or print it (`human`)."""
        return self._table.render()


def seat_opponents(opponent: Opponent | Sequence[Opponent], rules: Rules) -> list[Opponent]:
    """Return who sits in each seat from `player_1` on.

    Raises:
        EnvError: a list has not one for each seat.
    """
    others = rules.num_players - 1
    if isinstance(opponent, str | Path | Agent):
        return [opponent] * others
    if len(opponent) != others:
        raise EnvError(f"{len(opponent)} opponents for {others} seats")
    return list(opponent)


def seated_agents(opponents: Sequence[Opponent], seed: int) -> dict[str, Agent]:
    """Return the agents by seat; the named ones with a seed of their own for each seat."""
    agents = {}
    for p, opponent in enumerate(opponents, start=1):
        if isinstance(opponent, str | Path):
            chance = np.random.default_rng([seed, p])
            opponent = make_agent(opponent, int(chance.integers(1 << 63)))
        agents[f"player_{p}"] = opponent
    return agents
