"""The Gymnasium environments: one learner against agents, alone and by the thousand."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from scala40_env import single, vector
from scala40_env.actions import NUM_ACTIONS, RETURN_ID, TAKE_ID
from scala40_env.agents import AgentError, make_agent
from scala40_env.agents.levels import LevelAgent
from scala40_env.episode import EnvError
from scala40_env.game import IllegalMoveError
from scala40_env.observation import OBSERVATION_SIZE, SLICES
from scala40_env.registration import GYMNASIUM_ID
from scala40_env.rewards import RewardError
from scala40_env.rules import Rules
from scala40_env.single import SingleAgentEnv
from scala40_env.train.evaluate import evaluate
from scala40_env.vector import Scala40VectorEnv


def masked(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for each row of a mask."""
    return (rng.random(mask.shape) * mask).argmax(axis=-1)


class Outsider:
    """An agent that is no level, as far as the environments can see."""

    name = "outsider"

    def __init__(self, level: str) -> None:
        self._agent = make_agent(level)

    def act(self, view: Any, legal: Any) -> Any:
        return self._agent.act(view, legal)

    def action(self, env: Any) -> int:
        return self._agent.action(env)

    def act_batch(self, views: Any, streams: Any = None) -> Any:
        return self._agent.act_batch(views, streams)


# --- one environment -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kwargs",
    [
        {"opponent": "random"},
        {"opponent": "easy", "rules": "fisca", "num_players": 4},
        {"opponent": ["normal", "random"], "num_players": 3, "episode": "hand"},
        {"opponent": "random", "rules": {"teams": "2x2"}},
    ],
)
def test_gymnasium_checks_pass_without_a_warning(kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(GYMNASIUM_ID, **kwargs).unwrapped)


def test_masks_are_those_of_the_learner():
    env = SingleAgentEnv(opponent="random")
    observation, info = env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(100):
        assert observation.shape == (OBSERVATION_SIZE,)
        assert observation[SLICES["to_move"]][0] == 1
        assert info["action_mask"].dtype == np.int8
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"] != 0)
        assert env.action_masks().dtype == np.bool_
        observation, _, terminated, truncated, info = env.step(masked(info["action_mask"], rng))
        if terminated or truncated:
            break


def test_a_match_pays_one_for_a_win():
    rng, paid = np.random.default_rng(0), []
    env = SingleAgentEnv(opponent="random", rules="italian")
    for seed in range(6):
        _, info = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            _, reward, terminated, truncated, info = env.step(masked(info["action_mask"], rng))
            total, done = total + reward, terminated or truncated
        paid.append(total)
        assert info["action_mask"].all()
    assert set(paid) == {1.0, -1.0}


def test_a_learner_that_is_out_does_not_wait_for_the_others():
    env = SingleAgentEnv(opponent="normal", rules="italian", num_players=4)
    rng = np.random.default_rng(0)
    for seed in range(20):
        _, info = env.reset(seed=seed, options={"totals": [100, 0, 0, 0]})
        done = False
        while not done:
            _, reward, done, _, info = env.step(masked(info["action_mask"], rng))
        if len(env._table.agents) == 4 and not all(env._table.terminations.values()):
            break
    else:
        pytest.fail("the learner was never out before the others")
    assert env._table.terminations["player_0"]
    assert reward == pytest.approx(-1 / 3)


@pytest.mark.parametrize("seed", range(6))
def test_an_episode_cut_short_before_the_first_turn_is_dealt_anew(seed):
    rules = Rules.preset("browser", max_turns=1, max_hands=1)
    env = SingleAgentEnv(opponent="easy", rules=rules)
    _, info = env.reset(seed=seed)
    env.step(int(info["action_mask"].argmax()))


def test_a_position_without_cards_for_the_learner_is_refused():
    env = SingleAgentEnv(opponent="easy", rules="fisca", num_players=3)
    position = {
        "rules": {"preset": "fisca", "num_players": 3}, "player": 1,
        "hands": [[], ["2S", "3S"], ["4S", "5S"]],
    }  # fmt: skip
    with pytest.raises(EnvError, match="player_0 has no cards"):
        env.reset(seed=1, options={"position": position})


def test_the_chance_to_win_is_defined_in_a_play_off():
    env = SingleAgentEnv(opponent="easy", episode="hand", reward="win_prob")
    position = {
        "rules": {"preset": "browser"}, "totals": [120, 120], "opened": [True, True],
        "hands": [["2S", "3S"], ["4S", "5S"]], "pile": ["9D"], "turns": [3, 3],
    }  # fmt: skip
    _, info = env.reset(seed=1, options={"position": position})
    rng, done = np.random.default_rng(0), False
    while not done:
        _, reward, terminated, truncated, info = env.step(masked(info["action_mask"], rng))
        done = terminated or truncated
    assert round(abs(reward), 6) in (0, 0.5)  # nobody has won yet, or somebody has


@pytest.mark.parametrize("action", [3.0, "draw", None, np.array([1, 2])])
def test_an_action_that_is_no_whole_number_is_one_clear_error(action):
    env = SingleAgentEnv(opponent="random")
    env.reset(seed=1)
    with pytest.raises(IllegalMoveError, match="is not a whole number"):
        env.step(action)


def test_an_illegal_action_ends_the_episode():
    env = SingleAgentEnv(opponent="random")
    env.reset(seed=1)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, True)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        env.step(TAKE_ID)


def test_the_seed_settles_deals_and_opponents():
    episodes = []
    for env in (SingleAgentEnv(opponent="random"), SingleAgentEnv(opponent="random")):
        rng, seen = np.random.default_rng(5), []
        for seed in (7, None):
            observation, info = env.reset(seed=seed)
            for _ in range(40):
                seen.append(observation.tobytes())
                step = env.step(masked(info["action_mask"], rng))
                observation, _, terminated, truncated, info = step
                if terminated or truncated:
                    break
        episodes.append(seen)
    assert episodes[0] == episodes[1]


def test_an_opponent_may_be_an_agent():
    env = SingleAgentEnv(opponent=[Outsider("easy"), "random"], num_players=3)
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(30):
        _, _, _, _, info = env.step(masked(info["action_mask"], rng))
    assert env._table._games["turns"][0, 1] > 0


def test_the_table_is_rendered():
    env = gymnasium.make(GYMNASIUM_ID, opponent="random", render_mode="ansi")
    env.reset(seed=1)
    assert "player_0" in env.render()


@pytest.mark.parametrize("make", [SingleAgentEnv, Scala40VectorEnv])
@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"opponent": "master"}, AgentError, "unknown agent 'master'"),
        ({"opponent": ["easy", "easy"]}, EnvError, "2 opponents for 1 seats"),
        ({"episode": "game"}, EnvError, "episode 'game'"),
        ({"reward": "match", "episode": "hand"}, RewardError, "reward match needs"),
        ({"reward": "money"}, RewardError, "unknown reward 'money'"),
    ],
)
def test_wrong_parameters_are_named(make, kwargs, error, text):
    with pytest.raises(error, match=text) as caught:
        make(**kwargs)
    assert "\n" not in str(caught.value)


def test_the_environments_load_no_torch():
    code = (
        "import sys, scala40_env.single, scala40_env.vector, gymnasium;"
        "gymnasium.make('scala40/Scala40-v0', opponent='random'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- many environments ---------------------------------------------------------------------------


def test_make_vec_gives_the_native_environment():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gymnasium.make_vec(GYMNASIUM_ID, num_envs=5, opponent="easy", num_players=3)
    assert isinstance(envs, Scala40VectorEnv)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert envs.single_observation_space.contains(observations[0])
    assert infos["action_mask"].shape == (5, NUM_ACTIONS)
    assert infos["action_mask"].dtype == np.int8
    actions = masked(infos["action_mask"], np.random.default_rng(0))
    assert envs.action_space.contains(actions)
    for array in envs.step(actions)[1:4]:
        assert array.shape == (5,)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"opponent": "normal"},
        {"opponent": ["hard", "normal", "greedy"], "num_players": 4, "rules": "italian"},
        {"opponent": "greedy", "episode": "hand", "rules": {"preset": "fisca", "teams": "2x2"}},
        {"opponent": Outsider("normal"), "rules": {"limit": 30, "max_hands": 2}},
        {"opponent": "greedy", "num_players": 3, "reward": "points"},
    ],
)
def test_it_is_the_single_environment_many_times(kwargs):
    """Levels without chance: the first episodes are equal step by step."""
    count = 4
    envs = Scala40VectorEnv(num_envs=count, **kwargs)
    one_by_one = SyncVectorEnv(
        [lambda: SingleAgentEnv(**kwargs)] * count, autoreset_mode=AutoresetMode.SAME_STEP
    )
    (ours, our_infos), (theirs, infos) = envs.reset(seed=11), one_by_one.reset(seed=11)
    rng, open_rows = np.random.default_rng(0), np.ones(count, np.bool_)
    for _ in range(2000):
        np.testing.assert_array_equal(ours[open_rows], theirs[open_rows])
        np.testing.assert_array_equal(
            our_infos["action_mask"][open_rows], infos["action_mask"][open_rows]
        )
        # Later episodes have other deals: there each plays on by itself.
        actions = masked(our_infos["action_mask"], rng)
        own = np.where(open_rows, actions, masked(infos["action_mask"], rng))
        ours, *our_ends, our_infos = envs.step(actions)
        theirs, *ends, infos = one_by_one.step(own)
        for our_array, array in zip(our_ends, ends, strict=True):
            np.testing.assert_allclose(our_array[open_rows], array[open_rows])
        done = open_rows & (ends[1] | ends[2])
        for row in np.flatnonzero(done):
            np.testing.assert_array_equal(our_infos["final_obs"][row], infos["final_obs"][row])
            finals = (our_infos["final_info"], infos["final_info"])
            np.testing.assert_array_equal(*(final["action_mask"][row] for final in finals))
        open_rows &= ~done
        if not open_rows.any():
            break
    assert not open_rows.any()


def test_finished_environments_go_on_with_the_next_episode():
    envs = Scala40VectorEnv(num_envs=16, opponent="greedy", episode="hand")
    _, infos = envs.reset(seed=3)
    rng, ended = np.random.default_rng(3), 0
    for _ in range(200):
        observations, _, terminated, truncated, infos = envs.step(masked(infos["action_mask"], rng))
        assert infos["action_mask"].any(axis=1).all()
        assert (observations[:, SLICES["to_move"].start] == 1).all()
        assert not truncated.any()
        if terminated.any():
            ended += terminated.sum()
            np.testing.assert_array_equal(infos["_final_obs"], terminated)
            np.testing.assert_array_equal(infos["_final_info"], terminated)
            for row, is_final in enumerate(terminated):
                final = infos["final_obs"][row]
                assert (final is not None) == is_final
                if is_final:
                    assert final[SLICES["phase"]].tolist() == [0, 0, 1]
        else:
            assert "final_obs" not in infos
    assert ended > 16


@pytest.mark.parametrize("actions", [3, [0.9, 1, 1], [[1], [1], [1]], [1, 1], [True] * 3])
def test_actions_that_are_no_whole_number_each_are_refused(actions):
    envs = Scala40VectorEnv(num_envs=3, opponent="random")
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="not 3 whole numbers"):
        envs.step(actions)


class Cheat(Outsider):
    """Gives the same answer whatever the cards are."""

    def __init__(self, answer: Any) -> None:
        super().__init__("easy")
        self._answer = answer

    def act_batch(self, views: Any, streams: Any = None) -> Any:
        return self._answer(len(views))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.full((n, 2), -1), "no action"),
        (lambda n: np.full((n, 2), NUM_ACTIONS - 1), "not legal"),
        (lambda n: np.tile([RETURN_ID, -1], (n, 1)), "not legal"),
        (lambda n: np.zeros(2, np.int64), "not a whole action id"),
        (lambda n: np.zeros((n, 2)), "not a whole action id"),
    ],
)
def test_an_agent_from_outside_that_breaks_the_rules_is_named(answer, message):
    with pytest.raises(AgentError, match=f"agent 'outsider' .*{message}"):
        Scala40VectorEnv(num_envs=4, opponent=Cheat(answer)).reset(seed=1)
    with pytest.raises(AgentError, match=f"agent 'outsider' .*{message}"):
        evaluate([Cheat(answer), "easy"], pairs=2)


def test_an_illegal_action_ends_one_environment():
    envs = Scala40VectorEnv(num_envs=3, opponent="random")
    _, infos = envs.reset(seed=1)
    mask = infos["action_mask"]
    actions = masked(mask, np.random.default_rng(0))
    for row, wrong in ((1, int(np.flatnonzero(mask[1] == 0)[0])), (2, NUM_ACTIONS)):
        actions[row] = wrong
    _, rewards, terminated, _, infos = envs.step(actions)
    assert rewards.tolist() == [0, -1, -1]
    assert terminated.tolist() == [False, True, True]
    assert infos["final_info"]["illegal_action"].tolist() == [False, True, True]
    np.testing.assert_array_equal(infos["final_info"]["action_mask"][1], mask[1])


@pytest.mark.parametrize("opponent", ["random", Outsider("random"), "learned@2"])
def test_an_environment_does_not_depend_on_its_neighbours(opponent):
    few, many = (Scala40VectorEnv(num_envs=n, opponent=opponent) for n in (2, 8))
    (few_seen, few_infos), (seen, infos) = few.reset(seed=5), many.reset(seed=5)
    for step in range(150):
        np.testing.assert_array_equal(few_seen, seen[:2])
        rows = [np.random.default_rng([step, row]) for row in range(8)]
        actions = np.array([masked(infos["action_mask"][b], rows[b]) for b in range(8)])
        few_seen, *_, few_infos = few.step(actions[:2])
        seen, *_, infos = many.step(actions)
        np.testing.assert_array_equal(few_infos["action_mask"], infos["action_mask"][:2])


def test_resets_with_a_seed_repeat_and_without_one_go_on():
    envs = Scala40VectorEnv(num_envs=3, opponent="random")
    first, again = envs.reset(seed=4)[0], envs.reset(seed=[4, 5, 6])[0]
    np.testing.assert_array_equal(first, again)
    assert (envs.reset()[0] != first).any()
    for seed, text in ((-1, "seed -1 is not"), ([1, 2], "2 seeds for 3 environments")):
        with pytest.raises(EnvError, match=text):
            envs.reset(seed=seed)
    with pytest.raises(EnvError, match="num_envs 0 is not at least 1"):
        Scala40VectorEnv(num_envs=0)


def test_outsiders_choose_like_the_levels_they_are():
    seen = []
    for opponent in ("normal", Outsider("normal")):
        envs = Scala40VectorEnv(num_envs=4, opponent=opponent)
        assert (envs._codes[1] < 0) == isinstance(opponent, Outsider)
        observations, infos = envs.reset(seed=2)
        for step in range(60):
            seen.append(observations.tobytes())
            actions = masked(infos["action_mask"], np.random.default_rng(step))
            observations, *_, infos = envs.step(actions)
    assert seen[:60] == seen[60:]
    assert isinstance(make_agent("normal"), LevelAgent)


@pytest.mark.parametrize("module", [single, vector])
def test_the_examples_run(module):
    lines = [line for line in module.__doc__.splitlines() if not line or line.startswith("    ")]
    exec(textwrap.dedent("\n".join(lines)), names := {})
    assert names.keys() & {"env", "envs"}
