"""The PettingZoo environment: its tests, and what they do not look at."""

from __future__ import annotations

import copy
import pickle
import textwrap
import warnings
from itertools import takewhile
from typing import Any

import numpy as np
import pettingzoo
import pytest
from engine_play import choose
from pettingzoo.test import api_test, performance_benchmark, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space

from scala40_env import aec, rewards, scala40_v0
from scala40_env.actions import DRAW_ID, NUM_ACTIONS, TAKE_ID, describe_space
from scala40_env.aec import env, raw_env
from scala40_env.episode import EnvError
from scala40_env.game import Game, IllegalMoveError
from scala40_env.observation import SLICES, observe, observe_full, spec_table
from scala40_env.position import PositionError
from scala40_env.rules import Rules, RulesError

TABLES: dict[str, dict[str, Any]] = {
    **{f"{n} players": {"num_players": n} for n in range(2, 7)},
    "fisca": {"rules": "fisca", "num_players": 4},
    "italian": {"rules": "italian", "num_players": 3},
    "2x2": {"rules": {"preset": "fisca", "teams": "2x2"}},
    "2x3": {"rules": {"teams": "2x3", "opening_min": 20}},
    "one hand": {"episode": "hand", "num_players": 3},
    "points of a match": {"reward": "points"},
}
each_table = pytest.mark.parametrize("name", TABLES)

# What api_test says to every environment whose observations are dicts.
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or"
    " gymnasium.spaces.discrete",
}


def play_on(table: raw_env, rng: np.random.Generator, steps: int | None = None) -> None:
    """Play at random, to the end or for some steps."""
    while table.agents and steps != 0:
        agent = table.agent_selection
        dead = table.terminations[agent] or table.truncations[agent]
        table.step(None if dead else choose(table.action_mask(), rng))
        steps = None if steps is None else steps - 1


def all_rewards(table: raw_env, rng: np.random.Generator) -> tuple[dict[str, float], list[str]]:
    """Play to the end: what each agent got in all, and the agents in the order they left."""
    got, left = dict.fromkeys(table.agents, 0.0), []
    while table.agents:
        agent = table.agent_selection
        _, reward, terminated, truncated, _ = table.last(observe=False)
        got[agent] += reward
        if terminated or truncated:
            left.append(agent)
        table.step(None if terminated or truncated else choose(table.action_mask(), rng))
    return got, left


def started(seed: int = 1, options: dict[str, Any] | None = None, **kwargs: Any) -> raw_env:
    """A raw environment after its reset."""
    table = raw_env(**kwargs)
    table.reset(seed=seed, options=options)
    return table


# --- PettingZoo's tests --------------------------------------------------------------------------


@each_table
def test_pettingzoo_api(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env(**TABLES[name]), num_cycles=300)
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS


@each_table
def test_pettingzoo_seeds_and_state(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seed_test(lambda: env(**TABLES[name]), num_cycles=100)
        check_state_space(env(**TABLES[name]))
    check_state(env(**TABLES[name]), num_cycles=10)  # it plays illegal actions, which is warned of


@pytest.mark.slow
def test_pettingzoo_performance_benchmark():
    performance_benchmark(env())


def test_the_registry_and_the_module_give_the_same_environment():
    made = pettingzoo.make("aec", "scala40/scala40-v0", rules="fisca", num_players=3)
    own = scala40_v0.env(rules="fisca", num_players=3)
    assert str(made) == str(own) == "scala40_v0"
    for table in (made, own):
        table.reset(seed=5)
    np.testing.assert_array_equal(made.state(), own.state())
    assert made.unwrapped.rules == own.unwrapped.rules == Rules.preset("fisca", num_players=3)


# --- agents, masks, observations -----------------------------------------------------------------


@each_table
def test_masks_and_observations_of_everybody_at_any_time(name):
    rng, table = np.random.default_rng(3), started(**TABLES[name])
    for _ in range(150):
        if not table.agents:
            break
        selected = table.agent_selection
        dead = table.terminations[selected] or table.truncations[selected]
        for agent in table.possible_agents:
            got, again = table.observe(agent), table.observe(agent)
            assert table.observation_space(agent).contains(got)
            for key in got:
                np.testing.assert_array_equal(got[key], again[key])
                assert not np.shares_memory(got[key], again[key])
            seat = table.possible_agents.index(agent)
            if agent not in table._farewells:
                np.testing.assert_array_equal(got["observation"], observe(table._games, seat))
            np.testing.assert_array_equal(got["action_mask"], table.action_mask(agent))
            if agent != selected:
                assert not got["action_mask"].any()
                assert dead or table.infos.get(agent, {}) == {}
        mask = table.action_mask()
        assert mask.all() if dead else 0 < mask.sum() < NUM_ACTIONS
        if not dead:
            np.testing.assert_array_equal(table.infos[selected]["action_mask"], mask)
        np.testing.assert_array_equal(table.state(), observe_full(table._games, 0))
        table.step(None if dead else choose(mask, rng))


def test_what_an_agent_gets_may_be_written_to():
    table = started()
    agent = table.agent_selection
    for array in (*table.observe(agent).values(), table.infos[agent]["action_mask"]):
        array[:] = 1
    assert table.action_mask().sum() == len(Game("browser", seed=1).legal_moves())
    with pytest.raises(IllegalMoveError):
        table.step(NUM_ACTIONS - 1)


def test_the_mask_is_that_of_the_game_with_the_same_seed():
    rng, table = np.random.default_rng(0), started(seed=9)
    game = Game("browser", seed=9)
    for _ in range(300):
        if not table.agents or game.hand_over:
            break
        mask, legal = table.action_mask(), game.legal_moves()
        targets = table._games["pending"][0] >= 0
        if not targets:
            assert set(np.flatnonzero(mask)) == {move.action for move in legal}
        action = choose(mask, rng)
        pick = [m for m in legal if m.action == action]
        if targets or len(pick) != 1:
            break
        table.step(action)
        game.push(pick[0])
        assert table.agent_selection == f"player_{game.player}" or game.hand_over


def test_a_view_is_what_the_agent_may_know():
    table = started(num_players=4)
    for seat, agent in enumerate(table.possible_agents):
        view = table.view(agent)
        assert view.seat == seat
        assert len(view.hand(seat)) == 13
        assert not any(view.hand(p) for p in range(4) if p != seat)
        legal = view.legal_moves() if agent == table.agent_selection else []
        assert {move.action for move in legal} == set(np.flatnonzero(table.action_mask(agent)))


# --- turns, eliminations, rewards ----------------------------------------------------------------


def test_seats_that_are_out_are_skipped_while_others_play_on():
    table = started(num_players=4, rules="italian", options={"totals": [100, 0, 100, 0]})
    rng, left = np.random.default_rng(1), []
    while len(table.agents) == 4:
        play_on(table, rng, 1)
        dead = [agent for agent in table.agents if table.terminations[agent]]
        if dead:
            left = dead
            assert table.agent_selection == dead[0]
            assert table.rewards == {
                agent: -1 / 3 if agent in dead else 0 for agent in table.possible_agents
            }
            for agent in table.agents:
                phase = table.observe(agent)["observation"][SLICES["phase"]]
                # Who goes out sees the end of the hand, the others the next deal.
                assert phase.tolist() == ([0, 0, 1] if agent in dead else [1, 0, 0])
            play_on(table, rng, len(dead))
    assert len(left) == 2, "two in one hand: choose another seed"
    assert table.agents == [agent for agent in table.possible_agents if agent not in left]
    for _ in range(100):
        if len(table.agents) < 2 or any(table.terminations.values()):
            break
        assert table.agent_selection in table.agents
        for agent in left:
            assert not table.observe(agent)["observation"][SLICES["hand"]].any()
        play_on(table, rng, 1)


@pytest.mark.parametrize("num_players", range(2, 7))
def test_the_winner_gets_one_and_the_others_share_the_loss(num_players):
    table = started(num_players=num_players, rules="italian")
    got, left = all_rewards(table, np.random.default_rng(num_players))
    winner = f"player_{table._games['winner'][0]}"
    loss = -1 / (num_players - 1)
    assert got == pytest.approx({a: 1 if a == winner else loss for a in table.possible_agents})
    assert sorted(left) == table.possible_agents


@pytest.mark.parametrize("teams", ["2x2", "2x3"])
def test_team_members_share_alike(teams):
    table = started(rules={"teams": teams, "preset": "italian"})
    got, left = all_rewards(table, np.random.default_rng(2))
    winner = int(table._games["winner"][0])
    assert got == {agent: 1 if p % 2 == winner else -1 for p, agent in enumerate(got)}
    assert sorted(left) == table.possible_agents


def test_a_match_cut_short_is_truncated_without_reward():
    table = started(rules={"max_hands": 2, "limit": 5000}, num_players=3)
    rng = np.random.default_rng(4)
    while not any(table.truncations.values()):
        play_on(table, rng, 1)
    assert table.truncations == dict.fromkeys(table.possible_agents, True)
    assert table.terminations == dict.fromkeys(table.possible_agents, False)
    assert not any(table.rewards.values()) and not any(table._cumulative_rewards.values())
    play_on(table, rng, 3)
    assert table.agents == []


def test_who_goes_out_in_the_hand_that_cuts_the_match_short_has_lost():
    rules = Rules.preset("italian", num_players=3, max_hands=1)
    for seed in range(30):
        table = started(seed, rules=rules, options={"totals": [100, 0, 0]})
        rng = np.random.default_rng(seed)
        while not any([*table.truncations.values(), *table.terminations.values()]):
            play_on(table, rng, 1)
        out = table._games["in_match"][0, :3] == 0
        if out[0]:
            break
    assert list(table.terminations.values()) == [True, False, False]
    assert list(table.truncations.values()) == [False, True, True]
    assert list(table.rewards.values()) == [-0.5, 0, 0]


def test_an_episode_of_one_hand_pays_points():
    table = started(seed=2, episode="hand", num_players=3)
    play_on(table, np.random.default_rng(0), 5)
    assert table.reward == "points"
    while not any(table.terminations.values()):
        play_on(table, np.random.default_rng(0), 1)
    points = table._games["hand_points"][0, :3].tolist()
    assert sum(points) > 0
    expected = [((sum(points) - own) / 2 - own) / 100 for own in points]
    assert list(table.rewards.values()) == pytest.approx(expected)
    assert all(table.terminations.values())
    assert not any(table.truncations.values())
    play_on(table, np.random.default_rng(0))
    assert table._games["hand_number"][0] == 1


def test_points_leave_out_the_seats_that_are_out():
    position = {
        "hands": [["2S", "5H"], [], ["*"]],
        "player": 0,
        "pile": ["9D"],
        "totals": [50, 101, 60],
        "turns": [1, 0, 1],
    }
    rules = {"preset": "italian", "max_turns": 4, "exhausted_result": "score"}
    table = started(rules=rules, num_players=3, reward="points", options={"position": position})
    assert table.agents == ["player_0", "player_2"]
    rng = np.random.default_rng(0)
    while table._games["hand_number"][0] == 0:
        play_on(table, rng, 1)
    own, _, other = table._games["hand_points"][0, :3].tolist()
    assert own != other
    lead = (other - own) / 100
    assert table.rewards == pytest.approx({"player_0": lead, "player_2": -lead})


def test_team_points_are_those_that_count():
    for partner_pays in (False, True):
        rules = {"preset": "italian", "teams": "2x2", "partner_of_closer_pays": partner_pays}
        table = started(seed=3, rules=rules, episode="hand")
        rng = np.random.default_rng(1)
        while not any(table.terminations.values()):
            play_on(table, rng, 1)
        game = table._games[0]
        assert game["closer"] >= 0, "nobody closed: choose another seed"
        lead = (int(game["totals"][1]) - int(game["totals"][0])) / 100
        assert list(table.rewards.values()) == pytest.approx([lead, -lead, lead, -lead])


def test_win_probability_pays_its_change(tmp_path, monkeypatch):
    lead = np.arange(101)
    table = (0.5 + (lead[None] - lead[:, None]) / 400).astype(np.float32)
    np.savez(tmp_path / "table.npz", browser=table)
    monkeypatch.setattr(rewards, "WIN_PROB_FILE", tmp_path / "table.npz")
    options = {"totals": [10, 60]}
    hand = started(reward="win_prob", episode="hand", options=options)
    got, _ = all_rewards(hand, np.random.default_rng(1))
    totals = hand._games["totals"][0, :2]
    over = hand._games["winner"][0]
    after = float(over == 0) if over >= 0 else table[totals[0], totals[1]]
    assert got["player_0"] == pytest.approx(after - table[10, 60]) != 0
    match = started(reward="win_prob", options=options)
    got, _ = all_rewards(match, np.random.default_rng(2))
    won = 1.0 if match._games["winner"][0] == 0 else 0.0
    assert got["player_0"] == pytest.approx(won - table[10, 60])
    assert got["player_1"] == pytest.approx(-got["player_0"])
    with pytest.raises(ValueError, match="presets browser only, not for these rules"):
        raw_env(rules="italian", reward="win_prob")
    monkeypatch.setattr(rewards, "WIN_PROB_FILE", tmp_path / "gone.npz")
    with pytest.raises(ValueError, match="needs the table gone.npz, which is missing"):
        raw_env(reward="win_prob")


# --- illegal actions, errors ---------------------------------------------------------------------


def test_an_illegal_action_raises_and_changes_nothing():
    table = started()
    before = table._games.tobytes()
    for action, text in [
        (TAKE_ID, r"action 1 \(take\) is not legal for player_\d now; the mask has 1 that are"),
        (NUM_ACTIONS, "action 1208 is not in 0..1207"),
        (-1, "action -1 is not in 0..1207"),
        (None, "action None is not a whole number"),
        (0.0, "action 0.0 is not a whole number"),
    ]:
        with pytest.raises(IllegalMoveError, match=f"^{text}$"):
            table.step(action)
    assert table._games.tobytes() == before
    table.step(np.int32(DRAW_ID))
    assert table._games.tobytes() != before


def test_an_illegal_action_ends_the_wrapped_episode():
    table = env(num_players=3)
    table.reset(seed=1)
    agent = table.agent_selection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table.step(NUM_ACTIONS - 1)
    assert all(table.terminations.values()) and all(table.truncations.values())
    assert table.rewards == {a: -1 if a == agent else 0 for a in table.possible_agents}
    for _ in table.agent_iter():
        table.last()
        table.step(None)
    assert table.agents == []


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"rules": "poker"}, RulesError, "unknown rules preset 'poker'"),
        ({"rules": {"openning_min": 30}}, RulesError, "did you mean opening_min"),
        ({"num_players": 7}, RulesError, "num_players = 7"),
        ({"rules": 3}, RulesError, "not 3"),
        ({"episode": "game"}, EnvError, "episode 'game' is not allowed; allowed: match, hand"),
        ({"render_mode": "rgb"}, EnvError, "render_mode 'rgb' is not allowed"),
        ({"reward": "money"}, ValueError, "unknown reward 'money'; allowed: match, points"),
        ({"reward": "match", "episode": "hand"}, ValueError, "reward match needs episode match"),
        ({"reward": "win_prob", "num_players": 3}, ValueError, "for 2 players, not for 3"),
    ],
)
def test_wrong_parameters_are_named(kwargs, error, text):
    with pytest.raises(error, match=text) as caught:
        raw_env(**kwargs)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"dealer": 2}, "option dealer 2 is not a seat 0..1"),
        ({"dealer": -1}, "option dealer -1"),
        ({"totals": [5]}, r"option totals \[5\] is not a list of 2 numbers 0..100"),
        ({"totals": [5, 101]}, "is not a list of 2 numbers 0..100"),
        ({"totals": 5}, "option totals 5 is not a list of 2 numbers"),
        ({"position": 5}, "option position must be a dict, not 5"),
        ({"position": {"hands": [["2S"], ["3S"]]}, "dealer": 1}, "option dealer cannot stand"),
        (
            {"position": {"rules": {"preset": "italian"}, "hands": [["2S"], ["3S"]]}},
            "option position has discard_before_opening = never, this environment to_open",
        ),
        ({"position": {"hands": [["2S"], []], "phase": "over"}}, "nobody is to move"),
    ],
)
def test_wrong_options_are_named(options, text):
    with pytest.raises(EnvError, match=text) as caught:
        raw_env().reset(seed=1, options=options)
    assert "\n" not in str(caught.value)


def test_a_wrong_position_and_a_wrong_seed_are_named():
    with pytest.raises(PositionError):
        raw_env().reset(options={"position": {"hands": [["2S"] * 3, []]}})
    for seed in (-1, 1 << 64, "x"):
        with pytest.raises(EnvError, match="seed"):
            raw_env().reset(seed=seed)


# --- options, seeds, copies ----------------------------------------------------------------------


def test_totals_and_dealer_can_be_chosen():
    table = started(options={"totals": [99, 7], "dealer": 1, "wrapper": 3})
    assert table._games["totals"][0, :2].tolist() == [99, 7]
    assert table.agent_selection == "player_0"
    assert started(options={"dealer": 0}).agent_selection == "player_1"


def test_an_episode_can_begin_in_any_position():
    game = Game("fisca", seed=4)
    rng = np.random.default_rng(5)
    for _ in range(40):
        legal = game.legal_moves()
        if not legal:
            break
        game.push(legal[rng.integers(len(legal))])
        if game.hand_over:
            game.next_hand()
        table = started(rules="fisca", options={"position": game.position()})
        assert table._games.tobytes() == game.array.tobytes()
        assert table.agent_selection == f"player_{game.player}"


def test_the_seed_settles_what_a_position_leaves_open():
    options = {"position": {"hands": [["2S", "3S"], ["4S", "5S"]]}}
    stocks = [started(seed, options)._games["stock"].tobytes() for seed in (1, 2, 1)]
    assert stocks[0] == stocks[2] != stocks[1]


def test_the_seed_gives_the_deal_of_the_game_and_the_resets_after_it():
    table, again = started(seed=7), started(seed=7)
    assert table._games.tobytes() == Game("browser", seed=7).array.tobytes()
    for _ in range(3):
        table.reset()
        again.reset()
        assert table._games.tobytes() == again._games.tobytes()
    assert raw_env().reset() is None


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_in_mid_turn_goes_on_like_the_original(wrapped, copied):
    table: Any = env(num_players=3) if wrapped else raw_env(num_players=3)
    table.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(60):
        table.step(choose(table.action_mask(), rng))
    while table.unwrapped._games["phase"][0] == 0:
        table.step(choose(table.action_mask(), rng))
    twin = copied(table)
    assert twin.unwrapped._games.tobytes() == table.unwrapped._games.tobytes()
    for seed in range(60):
        if not table.agents:
            break
        actions = []
        for game in (table, twin):
            observation, reward, terminated, truncated, info = game.last()
            dead = terminated or truncated
            mask = observation["action_mask"]
            actions.append(None if dead else choose(mask, np.random.default_rng(seed)))
            game.step(actions[-1])
        assert actions[0] == actions[1]
        assert table.agent_selection == twin.agent_selection
        assert table.unwrapped._games.tobytes() == twin.unwrapped._games.tobytes()
        np.testing.assert_array_equal(table.state(), twin.state())


# --- the page ------------------------------------------------------------------------------------


def test_the_page_states_the_spaces_as_they_are():
    page = (aec.__doc__ or "").splitlines()
    head = ["| ids | how many | meaning |", "|---|---|---|"]
    actions = [*head, *(f"| {ids} | {count} | {text} |" for ids, count, text in describe_space())]
    plain = spec_table()
    for line in [*plain, *actions]:
        assert line in page
    table = started()
    space, state = table.observation_space("player_0"), table.state_space
    assert f"float32[{space['observation'].shape[0]}]" in (aec.__doc__ or "")
    assert f"int8[{space['action_mask'].shape[0]}]" in (aec.__doc__ or "")
    assert f"float32[{state.shape[0]}]" in (aec.__doc__ or "")
    assert (space["observation"].low.min(), space["observation"].high.max()) == (-1, 200)
    assert (state.low.min(), state.high.max()) == (-1, 200)
    assert f"Discrete({table.action_space('player_0').n})" in (aec.__doc__ or "")
    names = [line.split("|")[2].strip() for line in page if line.startswith("|")]
    assert sum(name in SLICES for name in names) == len(SLICES)


def test_the_example_of_the_page_runs():
    lines = (aec.__doc__ or "").splitlines()[1:]
    example = takewhile(lambda line: not line.startswith("|"), lines)
    exec(textwrap.dedent("\n".join(example)), names := {})
    assert names["env"].agents == []
