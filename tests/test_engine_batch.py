"""Many games in step: each is the game it would be alone, whatever the batch and the threads."""

from __future__ import annotations

import copy
import os
import pickle

import numpy as np
import pytest
from random_play import rule_sets

import scala40_env.batch as batch_module
from scala40_env import actions
from scala40_env.actions import Move
from scala40_env.batch import BatchGame, streams
from scala40_env.engine.random_play import choose_random
from scala40_env.engine.state import DRAW, MATCH_OVER, PLAY, new_games
from scala40_env.game import Game, IllegalMoveError
from scala40_env.rules import Rules, RulesError


@pytest.fixture(autouse=True)
def threads_for_few_games(monkeypatch):
    """Let small batches use their threads, so that these are tested."""
    monkeypatch.setattr(batch_module, "_FEWEST", 1)


def run(batch, steps):
    """Random play; returns the batch."""
    for _ in range(steps):
        batch.step(batch.random_actions())
    return batch


def same(one, other):
    return all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes()
        for name in ("games", "masks", "counts")
    )


def test_a_batch_begins_with_its_deals():
    batch = BatchGame("fisca", 4, seed=1)
    assert len(batch) == 4
    assert batch.masks.shape == (4, actions.NUM_ACTIONS) and batch.masks.dtype == np.int8
    assert batch.counts.tolist() == batch.masks.sum(axis=1).tolist()
    assert (batch.phases == DRAW).all() and (batch.winners == -1).all()
    assert batch.totals.shape == batch.points.shape == (4, 6)
    assert len({game.tobytes() for game in batch.games}) == 4


def test_a_game_does_not_depend_on_the_size_of_the_batch():
    small, large = run(BatchGame("browser", 5, seed=3), 300), run(BatchGame("browser", 64, 3), 300)
    for name in ("games", "masks", "counts"):
        assert getattr(small, name).tobytes() == getattr(large, name)[:5].tobytes()


@pytest.mark.parametrize("size", [1, 2, 17, 64])
def test_a_game_does_not_depend_on_the_batch_where_matches_start_again(size):
    rules = Rules.preset("browser", mode="single_hand", deal=3, opening_min=0)
    alone = run(BatchGame(rules, size, seed=3, auto_reset=True), 200)
    among = run(BatchGame(rules, 90, seed=3, threads=3, auto_reset=True), 200)
    for name in ("games", "masks", "counts"):
        assert getattr(alone, name).tobytes() == getattr(among, name)[:size].tobytes()


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_a_game_does_not_depend_on_the_number_of_threads(threads):
    rules = rule_sets(23)
    one = run(BatchGame(rules, 23, seed=5, auto_reset=True), 400)
    many = run(BatchGame(rules, 23, seed=5, threads=threads, auto_reset=True), 400)
    assert same(one, many)
    assert many.views().tobytes() == one.views().tobytes()


def test_more_threads_than_games_is_no_harm():
    assert same(run(BatchGame("browser", 2, 1, threads=8), 50), run(BatchGame("browser", 2, 1), 50))


def test_every_game_is_the_game_of_its_seed():
    """The masks hold the ids of the legal moves of `Game`, targets included."""
    rules = rule_sets(40)
    batch = BatchGame(rules, 40, seed=11)
    games = [Game(r, int(seed)) for r, seed in zip(rules, batch.games["seed"], strict=True)]
    targets = 0
    for _ in range(250):
        ids = batch.random_actions()
        for b, game in enumerate(games):
            if game.match_over:
                assert ids[b] == -1 and batch.counts[b] == 0
                continue
            assert batch.players[b] == game.player
            pending = int(batch.games["pending"][b])
            legal = game.legal_moves()
            if pending >= 0:
                expected = {
                    actions.target_id(move.meld) for move in legal if move.action == pending
                }
            else:
                expected = {move.action for move in legal}
            assert set(np.flatnonzero(batch.masks[b]).tolist()) == expected
            assert batch.counts[b] == len(expected)
        waiting = batch.games["pending"].tolist()
        batch.step(ids)
        for b, game in enumerate(games):
            if ids[b] < 0 or batch.games["pending"][b] >= 0:
                targets += ids[b] >= 0
                continue
            action = int(ids[b])
            if actions.is_target(action):
                game.push(Move(waiting[b], actions.target_number(action)))
            else:
                game.push(next(move for move in game.legal_moves() if move.action == action))
            if game.hand_over:
                game.next_hand()
            assert game.array.tobytes() == batch.games[b].tobytes()
    assert targets > 0


def test_games_may_have_different_rules_and_dealers():
    rules = [Rules.preset("browser", num_players=n) for n in (2, 4, 6)]
    batch = BatchGame(rules, 3, dealers=[1, 3, 5])
    assert batch.games["dealer"].tolist() == [1, 3, 5]
    assert batch.players.tolist() == [0, 0, 0]
    assert (batch.games["hand_size"] > 0).sum(axis=1).tolist() == [2, 4, 6]


def test_a_negative_action_leaves_a_game_as_it_is():
    batch = BatchGame("browser", 3)
    before = batch.games.copy()
    batch.step([-1, actions.DRAW_ID, -1])
    assert batch.games[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    assert batch.phases.tolist() == [DRAW, PLAY, DRAW]


@pytest.mark.parametrize("action", [actions.DISCARD_ID, actions.NUM_ACTIONS, 10_000_000])
def test_an_illegal_action_is_refused_and_changes_nothing(action):
    batch = BatchGame("browser", 3)
    before = batch.games.tobytes()
    with pytest.raises(IllegalMoveError, match=f"game 1: action {action}"):
        batch.step([0, action, 0])
    assert batch.games.tobytes() == before


def test_a_match_that_is_over_waits_and_is_reset():
    rules = Rules.preset("browser", mode="single_hand", deal=3, opening_min=0)
    batch = BatchGame(rules, 20, seed=2)
    named = np.zeros(20, int)
    for _ in range(400):
        named[batch.step(batch.random_actions())] += 1
    over = batch.phases == MATCH_OVER
    assert over.any() and (named == over).all()
    assert (batch.counts[over] == 0).all() and not batch.masks[over].any()
    assert (batch.winners[over] >= 0).all()
    first = int(np.flatnonzero(over)[0])
    before = batch.games.copy()
    batch.reset([first])
    others = np.arange(20) != first
    assert batch.games[others].tobytes() == before[others].tobytes()
    assert batch.phases[first] == DRAW and batch.counts[first] > 0
    assert batch.games["seed"][first] != before["seed"][first]


def test_matches_start_again_by_themselves_and_their_ends_are_kept():
    rules = Rules.preset("browser", mode="single_hand", deal=3, opening_min=0)
    batch = BatchGame(rules, 20, seed=2, auto_reset=True)
    ended = 0
    for _ in range(400):
        over = batch.step(batch.random_actions())
        assert len(batch.ended) == len(over)
        assert (batch.ended["phase"] == MATCH_OVER).all()
        assert (batch.phases != MATCH_OVER).all() and (batch.counts > 0).all()
        ended += len(over)
    assert ended > 20


@pytest.mark.parametrize("actions", [0, [0.9, 0], [float("nan"), 0], [[0], [0]], [True, True]])
def test_actions_that_are_no_whole_number_each_are_refused(actions):
    batch = BatchGame(num_games=2, seed=1)
    with pytest.raises(ValueError, match="not 2 whole numbers"):
        batch.step(actions)


def test_seeds_that_are_none_are_refused():
    batch = BatchGame(num_games=2, seed=1)
    for seeds in ([1.9, 2.0], [-1, 2]):
        with pytest.raises(ValueError, match="is not in 0.."):
            batch.reset(seeds=np.array(seeds))
    with pytest.raises(ValueError, match="is not in 0.."):
        BatchGame(num_games=2, seed=1.5)


def test_the_matches_of_a_game_all_have_their_own_seeds():
    batch = BatchGame("browser", 3, seed=1)
    seeds = [batch.games["seed"].copy()]
    for _ in range(3):
        batch.reset()
        seeds.append(batch.games["seed"].copy())
    assert len(set(np.concatenate(seeds).tolist())) == 12
    batch.reset([1], seeds=[99])
    assert batch.games["seed"][1] == 99
    assert batch.games[1].tobytes() == Game("browser", 99).array[0].tobytes()


@pytest.mark.parametrize(("indices", "error"), [([3], IndexError), ([1, 1], ValueError)])
def test_reset_takes_each_game_there_is_once(indices, error):
    batch = BatchGame("browser", 3)
    before = batch.games.tobytes()
    with pytest.raises(error):
        batch.reset(indices)
    assert batch.games.tobytes() == before
    batch.reset([-1])
    assert batch.games[:2].tobytes() == before[: 2 * batch.games.itemsize]


def test_views_show_the_own_hands_only():
    batch = run(BatchGame("browser", 6, seed=4), 30)
    views = batch.views()
    for b, seat in enumerate(batch.players):
        assert (views["hands"][b, seat] == batch.games["hands"][b, seat]).all()
        assert not views["hands"][b, 1 - seat].any() and not views["stock"][b].any()
    assert (batch.views(0)["hands"][:, 0] == batch.games["hands"][:, 0]).all()
    assert batch.views([0, 1] * 3).shape == (6,)
    with pytest.raises(ValueError, match="game 0 has no seat 2"):
        batch.views(2)


def test_copies_and_pickles_go_on_alike():
    batch = run(BatchGame("italian", 8, seed=6, threads=2), 40)
    others = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    run(batch, 100)
    assert all(same(run(other, 100), batch) for other in others)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_goes_on_with_threads():
    """After the threads were used, as gymnasium's AsyncVectorEnv does."""
    batch = run(BatchGame("browser", 16, seed=6, threads=2), 20)
    child = os.fork()
    if child == 0:
        ok = False
        try:
            ok = same(run(batch, 50), run(BatchGame("browser", 16, seed=6), 70))
        finally:
            os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert same(run(batch, 50), run(BatchGame("browser", 16, seed=6), 70))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"num_games": 0}, ValueError),
        ({"threads": 0}, ValueError),
        ({"seed": -1}, ValueError),
        ({"rules": "brower"}, RulesError),
        ({"rules": [Rules()], "num_games": 2}, ValueError),
        ({"dealers": 2}, ValueError),
        ({"dealers": [0, -2], "num_games": 2}, ValueError),
    ],
)
def test_what_is_no_batch_is_refused(arguments, error):
    with pytest.raises(error):
        BatchGame(**arguments)


def test_streams_are_those_of_the_engine():
    """Hand k is dealt from stream(seed, k): a shuffle has advanced it by 107 steps."""
    step = 0x9E3779B97F4A7C15
    state, start = int(Game("browser", 12345, 0).array["rng"][0]), int(streams(12345, 0)[0])
    assert (start + 107 * step) % (1 << 64) == state


def test_random_choices_are_uniform():
    masks = np.zeros((1, actions.NUM_ACTIONS), np.int8)
    masks[0, [0, 5, 700, 1207]] = 1
    counts, stream, action = np.array([4], np.int32), np.array([1], np.uint64), np.zeros(1, int)
    chosen = []
    for _ in range(4000):
        choose_random(masks.view(np.uint64), counts, stream, action, 0, 1)
        chosen.append(int(action[0]))
    seen, numbers = np.unique(chosen, return_counts=True)
    assert seen.tolist() == [0, 5, 700, 1207]
    assert abs(numbers - 1000).max() < 4 * np.sqrt(4000 * 0.25 * 0.75)


def test_new_games_are_blank():
    assert not new_games(3).view(np.uint8).any()
