"""Many Scala 40 environments in step, each one learner against computer players.

    import gymnasium, scala40_env

    envs = gymnasium.make_vec("scala40/Scala40-v0", num_envs=1024, opponent="normal",
                              vectorization_mode="vector_entry_point")
    observations, infos = envs.reset(seed=1)
    masks = infos["action_mask"]                       # int8[num_envs, NUM_ACTIONS]

What an environment is, ``single`` says. The levels move inside the engine's loop, so that a step of
a thousand games is one call; other agents are asked for all games at once (`Agent.act_batch`).

An environment that ends is reset in the same step (autoreset mode `SAME_STEP`): the observation and
the mask are those of the next episode, the last observation is in `infos["final_obs"]` and the last
mask in `infos["final_info"]["action_mask"]`, all one as in the last step of an agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from .actions import NUM_ACTIONS
from .agents import Agent
from .agents.hand_value import new_bot_work
from .agents.levels import AGENTS, EXTERNAL, MAX_PARAMETERS, LevelAgent, decide
from .agents.outside import ask
from .batch import streams, whole_numbers
from .engine import calls
from .engine.apply import apply_action, apply_move
from .engine.deal import next_hand
from .engine.kernel import kernel
from .engine.legal import legal_moves
from .engine.observe import OBSERVATION_SIZE, observe_games
from .engine.state import HAND_OVER, MATCH_OVER, MAX_SEATS, NONE, PLAY, new_games
from .engine.view import blank_hidden
from .engine.work import new_work
from .episode import EnvError, read_episode, read_rules, read_seed
from .observation import observation_box
from .rewards import Standing, make_reward, standing
from .rules import Rules
from .single import ILLEGAL_REWARD, MAX_DEALS, Opponent, seat_opponents, seated_agents

LEARNER: Final = 0
_BOTS: Final = 0xB075  # the stream of the bots, beyond any number of episodes


@kernel
def _play_bots(s: Any, codes: Any, params: Any, rngs: Any, bot: Any) -> None:
    """Play the bots' turns until the learner or an agent from outside is to move."""
    while s.phase <= PLAY and s.player != LEARNER and codes[s.player] != EXTERNAL:
        p = np.int64(s.player)
        view = bot.seen[0]
        bot.seen[0] = s
        blank_hidden(view, p)
        n = legal_moves(view, bot.moves, bot.search)
        i = decide(codes[p], view, bot, bot.moves, n, params[p], rngs[p])
        apply_move(s, np.int64(bot.moves[i, 0]), np.int64(bot.moves[i, 1]))


@AGENTS.entry
def advance_tables(
    games: NDArray[Any],
    active: NDArray[np.bool_],
    actions: NDArray[np.int64],
    given: NDArray[np.int64],
    codes: NDArray[np.int64],
    params: NDArray[np.float64],
    rngs: NDArray[np.uint64],
    bot: NDArray[Any],
) -> None:
    """Play each active game on until somebody outside is to move, or its hand has ended.

    A game whose hand has ended is dealt its next hand first.

    Args:
        games: GAME[B], changed in place.
        active: bool[B].
        actions: int64[B], the learner's action ids, or -1; set to -1.
        given: int64[B, 2], whole moves of agents from outside, or -1; set to -1.
        codes: int64[MAX_SEATS], the level of each seat, or EXTERNAL.
        params: float64[MAX_SEATS, MAX_PARAMETERS].
        rngs: uint64[B, MAX_SEATS, 1], the bots' random streams, advanced.
        bot: BOT_WORK[1].
    """
    for b in range(len(games)):
        if not active[b]:
            continue
        s = games[b]
        if s.phase == HAND_OVER:
            next_hand(s)
        if actions[b] >= 0:
            apply_action(s, actions[b], bot[0].moves, bot[0].search)
            actions[b] = -1
        elif given[b, 0] >= 0:
            apply_move(s, given[b, 0], given[b, 1])
            given[b, 0] = -1
        _play_bots(s, codes, params, rngs[b], bot[0])


class Scala40VectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Native vector environment; the parameters are those of ``single.SingleAgentEnv``.

    Args:
        num_envs: how many environments.

    Raises:
        AgentError, EnvError, RulesError, RewardError: a parameter is not allowed.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponent | Sequence[Opponent] = "hard",
        rules: Rules | str | Mapping[str, Any] = "browser",
        num_players: int | None = None,
        episode: str = "match",
        reward: str | None = None,
    ) -> None:
        AGENTS.announce()
        if num_envs < 1:
            raise EnvError(f"num_envs {num_envs!r} is not at least 1")
        self.num_envs = num_envs
        self.rules = read_rules(rules, num_players)
        self.episode, self.reward = read_episode(episode, reward)
        self._reward_of = make_reward(self.reward, self.rules)
        self.single_observation_space = observation_box()
        self.single_action_space = Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        self._opponents = seat_opponents(opponent, self.rules)
        self._games = new_games(num_envs)
        self._standing = standing(self._games, self.rules)
        self._given = np.full((num_envs, 2), NONE, np.int64)
        self._rngs = np.zeros((num_envs, MAX_SEATS, 1), np.uint64)
        self._masks = np.zeros((num_envs, NUM_ACTIONS), np.int8)
        self._counts = np.zeros(num_envs, np.int32)
        self._rows, self._idle = np.arange(num_envs), np.full(num_envs, NONE, np.int64)
        self._seats = np.full(num_envs, LEARNER, np.int64)
        self._seeds = np.random.default_rng().integers(1 << 63, size=num_envs, dtype=np.uint64)
        self._episodes = np.zeros(num_envs, np.uint64)
        self._moves, self._work, self._bot = calls.new_moves(), new_work(), new_bot_work()
        self._sit_down(0)

    def _sit_down(self, seed: int) -> None:
        """Seat the opponents: levels as numbers for the kernel, other agents as they are."""
        self._agents: dict[int, Agent] = {}
        self._codes = np.full(MAX_SEATS, EXTERNAL, np.int64)
        self._params = np.zeros((MAX_SEATS, MAX_PARAMETERS))
        for p, agent in enumerate(seated_agents(self._opponents, seed).values(), start=1):
            if isinstance(agent, LevelAgent):
                self._codes[p], self._params[p] = agent.level.code, agent.level.array
            else:
                self._agents[p] = agent

    # --- Gymnasium ---------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode in every environment.

        Args:
            seed: of environment 0, and one more for each further one; or one for each. None goes on
                with the seeds there are.
            options: none are known; they are left to wrappers.

        Returns:
            float32[num_envs, OBSERVATION_SIZE], and the infos with the masks.
        """
        if seed is not None:
            self._set_seeds(seed)
        self._start(np.arange(self.num_envs))
        return self._show(), self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Carry out the learner's action in each environment, int64[num_envs].

        Returns:
            New arrays: observations float32[num_envs, OBSERVATION_SIZE], rewards
            float64[num_envs], terminations and truncations bool[num_envs], infos.
        """
        chosen = whole_numbers(actions, self.num_envs)
        inside = (chosen >= 0) & (chosen < NUM_ACTIONS)
        legal = inside & (self._masks[np.arange(self.num_envs), np.where(inside, chosen, 0)] == 1)
        rewards, terminated, truncated = self._advance(legal.copy(), np.where(legal, chosen, -1))
        rewards[~legal], terminated[~legal] = ILLEGAL_REWARD, True
        done = terminated | truncated
        final = {}
        if done.any():
            final = self._final_infos(done, ~legal)
            self._start(np.flatnonzero(done))
        return self._show(), rewards, terminated, truncated, self._infos() | final

    # --- the parts of a step -----------------------------------------------------------------

    def _set_seeds(self, seed: int | Sequence[int | None]) -> None:
        seeds = (
            range(seed, seed + self.num_envs) if isinstance(seed, int | np.integer) else list(seed)
        )
        if len(seeds) != self.num_envs:
            raise EnvError(f"{len(seeds)} seeds for {self.num_envs} environments")
        for b, number in enumerate(seeds):
            if number is not None:
                self._seeds[b], self._episodes[b] = read_seed(number), 0
        self._sit_down(int(self._seeds[0]))

    def _start(self, rows: NDArray[np.int64]) -> None:
        """Begin the next episode of some environments: until the learner is to move."""
        for _ in range(MAX_DEALS):
            seeds = np.where(
                self._episodes[rows] == 0,
                self._seeds[rows],
                streams(self._seeds[rows], self._episodes[rows]),
            )
            self._episodes[rows] += np.uint64(1)
            fresh, codes = new_games(len(rows)), np.tile(self.rules.encode(), (len(rows), 1))
            calls.start_games(fresh, codes, seeds, np.full(len(rows), NONE), 0, len(rows))
            self._games[rows] = fresh
            self._note_standing(rows)
            bots = streams(seeds, _BOTS)[:, None]
            self._rngs[rows, :, 0] = bots + np.arange(MAX_SEATS, dtype=np.uint64)
            active = np.zeros(self.num_envs, np.bool_)
            active[rows] = True
            _, terminated, truncated = self._advance(active, np.full(self.num_envs, NONE))
            rows = np.flatnonzero(terminated | truncated)
            if not rows.size:
                return
        raise EnvError("the episode is over before player_0 is to move")

    def _advance(
        self, active: NDArray[np.bool_], actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Play the active games on until the learner is to move, or its episode is over.

        Returns:
            Rewards, terminations and truncations.
        """
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), np.bool_)
        while True:
            advance_tables(
                self._games,
                active,
                actions,
                self._given,
                self._codes,
                self._params,
                self._rngs,
                self._bot,
            )
            is_asked = self._ask_agents(active)
            rows = np.flatnonzero(active & (self._games["phase"] > PLAY))
            if rows.size:
                games = self._games[rows]
                before = Standing(self._standing.in_match[rows], self._standing.totals[rows])
                rewards[rows] += self._reward_of(before, games)[:, LEARNER]
                over, truncated[rows] = self._ends(games)
                terminated[rows] = over & ~truncated[rows]
                active[rows[over]] = False
                self._note_standing(rows)
            elif not is_asked:
                return rewards, terminated, truncated

    def _ends(self, games: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return where the learner's episode is over after a hand, and where it was cut short."""
        is_in = games["in_match"][:, LEARNER] != 0
        if self.episode == "hand":
            return np.ones_like(is_in), np.zeros_like(is_in)
        is_cut = is_in & (games["truncated"] != 0)
        return ~is_in | (games["phase"] == MATCH_OVER), is_cut

    def _ask_agents(self, active: NDArray[np.bool_]) -> bool:
        """Let the agents that are no levels choose; False where none is to move."""
        is_asked = False
        for p, agent in self._agents.items():
            is_turn = (self._games["player"] == p) & (self._games["phase"] <= PLAY)
            rows = np.flatnonzero(active & is_turn)
            if rows.size:
                views, seats = new_games(len(rows)), np.full(len(rows), p)
                calls.view_games(self._games[rows], seats, views, 0, len(rows))
                own = self._rngs[rows, p, 0]
                self._given[rows] = ask(agent, views, own, self._bot)
                self._rngs[rows, p, 0] = own
                is_asked = True
        return is_asked

    def _note_standing(self, rows: NDArray[np.int64]) -> None:
        now = standing(self._games[rows], self.rules)
        self._standing.in_match[rows] = now.in_match
        self._standing.totals[rows] = now.totals

    def _show(self) -> NDArray[np.float32]:
        """Write all masks and return all observations."""
        calls.step_games(
            self._games,
            self._rows,
            self._idle,
            self._masks,
            self._counts,
            0,
            self.num_envs,
            self._moves,
            self._work,
        )
        return self._observe(self._games)

    def _observe(self, games: NDArray[Any]) -> NDArray[np.float32]:
        out = np.empty((len(games), OBSERVATION_SIZE), np.float32)
        observe_games(games, self._seats[: len(games)], out, 0, len(games))
        return out

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._masks.copy(),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _final_infos(self, done: NDArray[np.bool_], illegal: NDArray[np.bool_]) -> dict[str, Any]:
        """Return what Gymnasium wants to know of the episodes that have just ended."""
        observations = np.full(self.num_envs, None, object)
        rows = np.flatnonzero(done)
        for row, observation in zip(rows, self._observe(self._games[rows]), strict=True):
            observations[row] = observation
        masks = np.zeros_like(self._masks)
        masks[done] = 1
        masks[illegal] = self._masks[illegal]
        info = {"action_mask": masks, "_action_mask": done}
        if illegal.any():
            info |= {"illegal_action": illegal, "_illegal_action": illegal}
        return {
            "final_obs": observations,
            "_final_obs": done,
            "final_info": info,
            "_final_info": done,
        }
