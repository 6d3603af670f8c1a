"""Scala 40 as a PettingZoo AEC environment, version 0.

    from scala40_env import scala40_v0

    env = scala40_v0.env(rules="browser", num_players=2)
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

| | |
|---|---|
| id | `scala40/scala40-v0` |
| agents | `player_0` .. `player_5`, 2 to 6 by the rules, one at a time |
| action space | `Discrete(1208)` |
| observation space | `Dict`: `observation` float32[1866] in -1..200, `action_mask` int8[1208] |
| state space | `Box`: float32[2608] in -1..200 |
| render modes | `ansi`, `human` |

One space serves all rule sets and player counts. An agent is a seat at the table; it keeps its turn
until it discards, and a seat that is out is skipped.

**Observation.** The plain observation, version 1: what the seat knows, and nothing else. The
observer comes first, the other seats follow in seat order from him; seats that nobody has are
zeros. `observe(agent)` is valid for any agent at any time and gives new arrays.

| numbers | name | meaning |
|---|---|---|
| 0-52 | hand | own cards by type |
| 53-105 | lay_off | 1: such a card could be laid off on the table now |
| 106-157 | swap | 1: such a card could be swapped for a joker of the table |
| 158-209 | set_cards | sets on the table with this card, natural or by a joker |
| 210-261 | set_jokers | jokers standing for this card in sets |
| 262-317 | run_lows | runs on the table whose low end is at this place of the suit |
| 318-373 | run_highs | runs whose high end is at this place |
| 374-429 | run_jokers | jokers at this place in runs |
| 430-573 | melds | by table number: cards / 14, low place / 13, jokers / 4, laid this turn |
| 574-785 | pile | the last discards one-hot, the top first |
| 786-838 | unseen | cards of the type in the stock and the other hands together |
| 839-891 | stock | the most of them that the stock can hold |
| 892-1156 | known | other seats: cards all know to be in the hand |
| 1157-1421 | discarded | other seats: times the card was discarded |
| 1422-1686 | takes | other seats: times it was taken, even if given back |
| 1687-1692 | playing | 1: the seat is still in the match |
| 1693-1698 | to_move | 1: it is the seat's turn |
| 1699-1704 | dealer | 1: the seat has dealt this hand |
| 1705-1710 | partner | 1: the seat belongs to the observer's team |
| 1711-1716 | opened | 1: the seat has opened |
| 1717-1722 | cards | cards in the hand / 13 |
| 1723-1728 | turns | turns the seat has finished in this hand / 20 |
| 1729-1734 | totals | total of the match / 100 |
| 1735-1740 | reentries | how often the seat has come back |
| 1741-1743 | phase | one-hot: to draw, to play, the hand is over |
| 1744-1745 | pending | 1: an add, a swap waits for its target |
| 1746-1798 | taken | one-hot: the taken discard that must still be laid |
| 1799 | returned | 1: the taken discard was given back in this turn |
| 1800 | recovered | jokers that must still be laid again in this turn |
| 1801 | opened_now | 1: the seat to move has opened in this turn |
| 1802 | laid_off_now | 1: it has laid off on an older meld or swapped in this turn |
| 1803 | laid_points | what the melds of this turn count to the opening / 100 |
| 1804 | to_open | points the seat to move still lacks to open / 100 |
| 1805 | stock_size | cards in the stock / 100 |
| 1806 | pile_size | cards on the pile / 100 |
| 1807 | turns_left | turns left before the hand is ended / 100 |
| 1808 | renewals | renewals of the stock in this hand |
| 1809 | can_renew | 1: the stock may be renewed once more |
| 1810 | hands_left | hands left before the match is cut short / 100; 0: no cap |
| 1811 | playoff | 1: the hand decides among those tied |
| 1812-1865 | rules | the rules, see RULE_OFFSETS; null is -1 |

`state()` has the same numbers for `player_0`, and then all that is hidden from it:

| numbers | name | meaning |
|---|---|---|
| 1866-2130 | hands | cards of the other seats by type |
| 2131-2554 | next_cards | the next cards of the stock, one-hot |
| 2555-2607 | whole_stock | cards of the stock by type |

**Actions.** Every id has one meaning, whatever the rules; a meld of four cards or more is three
cards and what they grow by. A target is asked for only where several melds could take the card:
then the mask has targets alone, and the same agent stays to move.

| ids | how many | meaning |
|---|---|---|
| 0 | 1 | draw from the stock |
| 1 | 1 | take the top of the pile |
| 2 | 1 | give the taken card back |
| 3-55 | 53 | discard one of 52 natural cards or a joker |
| 56-755 | 700 | lay a meld of three cards, with up to two jokers |
| 756-807 | 52 | lay a natural card off on a set |
| 808-859 | 52 | lay a joker off on a set |
| 860-911 | 52 | lay a natural card off on the low end of a run |
| 912-963 | 52 | lay a joker off on the low end of a run |
| 964-1015 | 52 | lay a natural card off on the high end of a run |
| 1016-1067 | 52 | lay a joker off on the high end of a run |
| 1068-1119 | 52 | swap a card for its joker in a set |
| 1120-1171 | 52 | swap a card for its joker in a run |
| 1172-1207 | 36 | the meld number of the add or swap just chosen |

`action_mask` is exact: a move is legal if and only if the turn can still be finished after it. It
is in the observation, in the info of the agent to move, and what `action_mask()` returns. All zero
means: not to move. In the last step of an agent that is out, where None is the only action, it is
all one. An illegal action raises in the raw environment; the wrapped one ends the episode, with -1
for whoever chose it.

**Episodes and rewards.** An episode is a match (`episode="match"`) or a single hand ("hand").

* `reward="match"` (default for matches): the winner +1, every other seat -1/(n-1), given when it
  goes out; in team play the winners +1, the losers -1.
* `reward="points"` (default for hands): at the end of each hand (mean points of the other seats -
  own points)/100; in team play the points of the two teams.
* `reward="win_prob"`: at the end of each hand the change of the chance to win the match, by a
  table; two players only.

A seat that reaches the limit terminates at the end of the hand, while the others play on; several
may do so at once, and each gets its last step. A match that `max_hands` cuts short is truncated,
with reward 0 for those still in.

**Reset options.** `totals` (of each seat), `dealer` (a seat), or `position` (any position, see
`Game.position`).

Version History

* v0: the first version
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from .actions import NUM_ACTIONS, action_name
from .engine import calls
from .engine.kernel import ENGINE
from .engine.observe import OBSERVATION_SIZE, play_action
from .engine.state import MATCH_OVER, NONE, new_games
from .engine.work import new_work
from .episode import begin, one_of, read_episode, read_rules, read_seed
from .game import IllegalMoveError, View
from .observation import full_box, observation_box, observe, observe_full
from .registration import register
from .render import render_text
from .rewards import make_reward, standing
from .rules import Rules

Observation: TypeAlias = dict[str, NDArray[Any]]

RENDER_MODES: Final = ("ansi", "human")
_LOOK = _DEAL = -1  # no action: see ``engine.observe.play_action``
_BUFFERS: Final = ("_moves", "_work")


def env(
    rules: Rules | str | Mapping[str, Any] = "browser",
    num_players: int | None = None,
    episode: str = "match",
    reward: str | None = None,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper[str, Observation, int]:
    """Return the environment in PettingZoo's usual wrappers; the parameters are `raw_env`'s.

    An illegal action ends the episode: its player gets -1, and all agents are terminated.
    """
    raw = raw_env(rules, num_players, episode, reward, render_mode)
    wrapped = TerminateIllegalWrapper(raw, illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped))


def whole_number(action: Any) -> int:
    """Return an action as an int (IllegalMoveError: it is no whole number)."""
    try:
        return index(action)
    except TypeError:
        raise IllegalMoveError(f"action {action!r} is not a whole number") from None



class raw_env(AECEnv[str, Observation, int]):  # type: ignore[misc]  # pettingzoo is untyped
    """The environment without wrappers: an illegal action raises.

    Args:
        rules: a `Rules` object, the name of a preset, or a dict of fields.
        num_players: 2-6, in place of the number in the rules.
        episode: "match", or "hand" for a single hand.
        reward: "match", "points" or "win_prob"; the default is "match" for matches and "points"
            for hands. See the head of this module.
        render_mode: None, "ansi" (`render` returns text) or "human" (each step is printed).

    Raises:
        RulesError: the rules are none.
        EnvError: another parameter has a value that is not allowed.
        RewardError: unknown reward, or one that these rules or this episode cannot have.
    """

    metadata: dict[str, Any] = {
        "name": "scala40_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Rules | str | Mapping[str, Any] = "browser",
        num_players: int | None = None,
        episode: str = "match",
        reward: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        ENGINE.announce()
        self.rules = read_rules(rules, num_players)
        self.episode, self.reward = read_episode(episode, reward)
        self._reward_of = make_reward(self.reward, self.rules)
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))

        self.possible_agents = [f"player_{p}" for p in range(self.rules.num_players)]
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self.state_space = full_box()

        self._seats = {agent: p for p, agent in enumerate(self.possible_agents)}
        self._chance = np.random.default_rng()
        self._games = new_games(1)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._plain = np.zeros(OBSERVATION_SIZE, np.float32)
        self._make_buffers()

    def _make_buffers(self) -> None:
        self._moves, self._work = calls.new_moves(), new_work()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _BUFFERS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_buffers()

    # --- spaces ------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions; always the same object."""
        return self.action_spaces[agent]

    # --- the course of an episode ------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: the deals follow from it as in `Game` (0..2**64-1). Without one the environment
                draws the next from the last seed given.
            options: `totals` (of each seat), `dealer` (a seat), or `position` (as `Game` has it,
                in place of the two others; its rules, if any, must be the environment's). Other
                keys are left to wrappers.

        Raises:
            EnvError: an option or the seed has a value that is not allowed.
            PositionError: the position cannot be.
        """
        if seed is None:
            seed = int(self._chance.integers(1 << 63))
        else:
            self._chance = np.random.default_rng(read_seed(seed))
        self._games = begin(self.rules, seed, options or {})
        seats_in = self._games["in_match"][0]
        self.agents = [agent for agent in self.possible_agents if seats_in[self._seats[agent]]]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._standing = standing(self._games, self.rules)
        self._farewells: dict[str, NDArray[np.float32]] = {}
        self._show(self._advance(_LOOK))
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Carry out the action of the agent to move; None where it is its last step.

        Raises:
            IllegalMoveError: the action is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            self._farewells.pop(agent, None)
        else:
            seat = self._advance(self._legal_id(action))
            self._clear_rewards()
            self._cumulative_rewards[agent] = 0.0
            self.infos[agent] = {}
            if seat == NONE:
                self._end_hand()
            else:
                self._show(seat)
        if self.render_mode == "human":
            self.render()

    def _legal_id(self, action: int | None) -> int:
        number = whole_number(action)
        if not 0 <= number < NUM_ACTIONS:
            raise IllegalMoveError(f"action {number} is not in 0..{NUM_ACTIONS - 1}")
        if not self._mask[number]:
            raise IllegalMoveError(
                f"action {number} ({action_name(number)}) is not legal for"
                f" {self.agent_selection} now; the mask has {int(self._mask.sum())} that are"
            )
        return number

    def _advance(self, action: int) -> int:
        """Let the engine act and write mask and observation; see ``engine.observe.play_action``."""
        seat: int = play_action(
            self._games, action, self._mask, self._plain, self._moves, self._work
        )
        return seat

    def _show(self, seat: int) -> None:
        """Give the turn to a seat, whose mask and observation the engine has just written."""
        agent = self._mover = self.agent_selection = self.possible_agents[seat]
        self.infos[agent] = {"action_mask": self._mask.copy()}

    def _end_hand(self) -> None:
        """Reward a hand that has ended, let those go who are out, and deal the next one."""
        row = self._games[0]
        rewards = self._reward_of(self._standing, self._games)[0].tolist()
        over = self.episode == "hand" or row["phase"] == MATCH_OVER
        is_cut = bool(self.episode == "match" and row["truncated"])
        for agent in self.agents:
            p = self._seats[agent]
            is_in = bool(row["in_match"][p])
            self.rewards[agent] = rewards[p]
            self.truncations[agent] = is_in and is_cut
            self.terminations[agent] = not is_in or (over and not is_cut)
            if not is_in:
                self._farewells[agent] = observe(self._games, p)
        self._accumulate_rewards()
        self._standing = standing(self._games, self.rules)
        if not over:
            self._show(self._advance(_DEAL))
        self._deads_step_first()

    # --- what agents get ---------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """Return what an agent knows, in new arrays; valid at any time, also for who is out.

        Who goes out sees in its last step how the hand has ended, the others the next deal.

        Returns:
            "observation": float32[OBSERVATION_SIZE]; "action_mask": int8[NUM_ACTIONS].
        """
        if agent in self._farewells:
            plain = self._farewells[agent].copy()
        elif agent == self._mover:
            plain = self._plain.copy()
        else:
            plain = observe(self._games, self._seats[agent])
        return {"observation": plain, "action_mask": self.action_mask(agent)}

    def action_mask(self, agent: str | None = None) -> NDArray[np.int8]:
        """Return the mask of an agent, of the one to move by default: a new int8[NUM_ACTIONS].

        All zero: not to move. All one: it is the last step of an agent that is out, where only
        None is left to do (as an empty mask is an error to PettingZoo's tests).
        """
        selected = self.agent_selection
        if agent not in (None, selected) or selected not in self.terminations:
            return np.zeros(NUM_ACTIONS, np.int8)
        if self.terminations[selected] or self.truncations[selected]:
            return np.ones(NUM_ACTIONS, np.int8)
        return self._mask.copy()

    def view(self, agent: str) -> View:
        """Return what an agent may know as a view, for players that look at the cards."""
        seat = self._seats[agent]
        views = new_games(1)
        calls.view_games(self._games, np.array([seat]), views, 0, 1)
        return View(views, self.rules, seat)

    def state(self) -> NDArray[np.float32]:
        """Return the whole game from the first seat, a new float32[FULL_SIZE]; for critics."""
        return observe_full(self._games, 0)

    def render(self) -> str | None:
        """Return the table as text (`ansi`), or print it (`human`); all hands are shown."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: ansi or human")
            return None
        text = render_text(self._games)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Release nothing: there is no window and no file."""


def observation_space() -> Dict:
    """Return the space of an agent's observations."""
    return Dict(
        {"observation": observation_box(), "action_mask": Box(0, 1, (NUM_ACTIONS,), np.int8)}
    )


register()
