"""Training: the arithmetic of the update, checkpoints, and a whole tiny run."""

import contextlib
import dataclasses
import functools
import json
import multiprocessing
from importlib import resources

import numpy as np
import pytest
import torch

from scala40_env.agents.base import AgentError
from scala40_env.agents.features import CHOICE_AT, CHOICE_SIZE, HIDDEN_SIZE, STATE_AT, STATE_SIZE
from scala40_env.agents.gathering import choose_moves
from scala40_env.agents.learned import CARD, LearnedAgent, Network, load, read_arrays
from scala40_env.agents.registry import make_agent
from scala40_env.batch import BatchGame
from scala40_env.engine.tables import MELD_ID, TAKE_ID
from scala40_env.game import Game
from scala40_env.rules import Rules
from scala40_env.train import checkpoint, deep_monte_carlo, distributed, ppo
from scala40_env.train.config import NUM_SEEDS, ConfigError, TrainConfig, load_config
from scala40_env.train.model import Policy, TorchScorer, entropy, log_policy, weights_of
from scala40_env.train.opponents import Opponents, Pool, advice_figures
from scala40_env.train.replay import Replay, earned_beyond_hard, join, rated_of, with_suits
from scala40_env.train.rollout import (
    Collector,
    Samples,
    estimate_advantages,
    gather_rows,
    stay_closed,
)
from scala40_env.train.selection import SELECTION_SEEDS, play_pairs
from scala40_env.train.win_prob import win_table

TINY = TrainConfig(
    name="tiny",
    minutes=0.03,
    processes=1,
    games=16,
    batch=200,
    minibatches=2,
    width=16,
    choice_width=8,
    policy=1.0,
    warm_up=300,
    evaluate_every=100.0,
    evaluate_pairs=2,
    pool_every=0.005,
    checkpoint_every=0.01,
    final_pairs=2,
)


def collect(size=300, seed=3, config=TINY, rated_share=0.0, closed_share=0.0):
    learner = ppo.Learner(config)
    rng = np.random.default_rng(seed)
    opponents = Opponents({"self": 0.5, "hard": 0.3, "easy": 0.2})
    collector = Collector(
        Rules.preset("browser"), 16, 1 << 40, lambda n: opponents.draw(n, 0, rng), None, rng,
        rated_share, closed_share,
    )  # fmt: skip
    return learner, collector.collect(size, TorchScorer(learner.policy).scores)


def made_up_samples(rewards, ended, following, same_turn):
    n = len(rewards)
    return Samples(
        np.zeros((n, 1), np.float32), np.zeros((n, 1), np.float32), np.zeros((n, 1), np.float32),
        np.zeros(n, np.float32), np.arange(n + 1), np.zeros(n, np.int64), np.zeros(n, np.float32),
        np.array(rewards, np.float32), np.array(ended, np.int8), np.array(following),
        np.array(same_turn),
    )  # fmt: skip


@pytest.mark.parametrize("within", [1.0, 0.6])
def test_advantages_equal_a_plain_loop(within):
    rng = np.random.default_rng(1)
    length, fading = 12, 0.9
    # Two seats take decisions in turn; each has its own chain.
    following = [i + 2 if i + 2 < length else -1 for i in range(length)]
    ended = [0] * (length - 1) + [1]  # the chain of the even ones is cut short
    rewards = [0.0] * (length - 1) + [0.7]
    same = rng.random(length) < 0.5
    values = rng.normal(size=length).astype(np.float32)
    samples = made_up_samples(rewards, ended, following, same)
    found = estimate_advantages(samples, values, fading, within)
    for first in range(length):
        chain = list(range(first, length, 2))
        total, weight = 0.0, 1.0
        for here in chain:
            if ended[here]:
                total += weight * (rewards[here] - values[here])
            elif following[here] >= 0:
                total += weight * (values[following[here]] - values[here])
            weight *= within if same[here] else fading
        assert found[first] == pytest.approx(total, abs=1e-5)
    assert samples.is_whole.tolist() == [i != length - 2 for i in range(length)]


def test_samples_are_linked_within_a_hand_and_rewarded_at_its_end():
    _, samples = collect(1500)
    ends = samples.ended > 0
    assert ends.any() and (samples.following[ends] == -1).all()
    assert (samples.rewards[~ends] == 0).all() and (samples.rewards[ends] != 0).mean() > 0.8
    linked = np.flatnonzero(samples.following >= 0)
    assert (samples.following[linked] > linked).all()
    assert len(set(samples.following[linked].tolist())) == len(linked)
    assert samples.same_turn[linked].any() and not samples.same_turn[linked].all()


def first_of_their_hands(samples):
    return np.setdiff1d(np.arange(len(samples)), samples.following)


def turns_of(samples):
    return np.rint(samples.states[:, STATE_AT.turns] * 20).astype(int)


def test_hands_that_must_stay_closed_are_learned_from_where_they_may_open():
    _, samples = collect(2000, closed_share=1.0)
    first = first_of_their_hands(samples)
    assert set(turns_of(samples)[first]) >= set(range(1, 9))
    assert (samples.states[first, STATE_AT.opened] == 0).all()
    assert (samples.states[:, STATE_AT.opened] == 1).any()
    _, freely = collect(2000)
    assert np.mean(turns_of(freely)[first_of_their_hands(freely)] == 0) > 0.9


def test_a_hand_stays_closed_where_it_can():
    moves = np.array([[TAKE_ID, 0], [0, 0], [MELD_ID, 0], [55, 0], [MELD_ID, 0], [MELD_ID + 9, 0]])
    rows, offsets = stay_closed(np.arange(6), np.array([0, 2, 4, 6]), moves.astype(np.int16))
    assert rows.tolist() == [1, 3, 4, 5] and offsets.tolist() == [0, 1, 2, 4]


def test_chosen_moves_are_legal_and_there_is_a_choice():
    _, samples = collect()
    counts = np.diff(samples.offsets)
    assert (counts > 1).all() and (samples.chosen >= 0).all() and (samples.chosen < counts).all()


def test_moves_are_drawn_as_often_as_the_policy_says():
    scores = np.log(np.array([0.7, 0.2, 0.1, 0.5, 0.5], np.float32))
    offsets = np.array([0, 3, 5])
    uniforms = np.random.default_rng(0).random((4000, 2))
    seen = np.zeros(5)
    chosen, log_probs = np.zeros(2, np.int64), np.zeros(2, np.float32)
    for row in uniforms:
        choose_moves(scores, offsets, row, chosen, log_probs)
        seen[chosen] += 1
        assert np.allclose(log_probs, scores[chosen], atol=1e-6)
    assert np.allclose(seen / len(uniforms), np.exp(scores), atol=0.03)


def test_first_ratio_is_one():
    learner, samples = collect()
    batch = ppo.make_batch(learner, samples, TINY)
    part = ppo.Minibatch.of(batch, batch.kept)
    scores, _ = learner.policy(part.states, part.choices, part.owners)
    log_probs, _ = log_policy(scores, part.owners, part.columns, len(batch.kept))
    new = log_probs.gather(1, part.chosen[:, None])[:, 0]
    assert torch.allclose((new - part.log_probs).exp(), torch.ones(()), atol=1e-5)


def test_masked_entropy_is_that_of_the_legal_moves():
    scores = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], requires_grad=True)
    owners, columns = torch.tensor([0, 0, 1, 2, 2, 2]), torch.tensor([0, 1, 0, 0, 1, 2])
    spread = entropy(*log_policy(scores, owners, columns, 3))
    assert torch.allclose(spread, torch.tensor([2.0, 1.0, 3.0]).log())
    spread.sum().backward()
    assert torch.isfinite(scores.grad).all()


def test_rated_decisions_teach_what_earns_more():
    learner, samples = collect(600, rated_share=0.5)
    rated = rated_of(samples)
    assert 100 < len(rated) < 500
    sums = np.add.reduceat(rated.gains, rated.offsets[:-1])
    assert np.allclose(sums, 0, atol=1e-5) and (rated.gains != 0).any()
    replay = Replay(1000)
    replay.add(rated)
    rng = np.random.default_rng(0)
    untaught = float(ppo.rated_loss(learner, rated, 0.02)[0].detach())
    optimizer = torch.optim.Adam(learner.policy.parameters(), 3e-3)
    for _ in range(200):
        loss, _ = ppo.rated_loss(learner, replay.draw(64, rng), 0.02)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert float(ppo.rated_loss(learner, rated, 0.02)[0].detach()) < untaught


def test_the_oldest_rated_decisions_go_first():
    _, samples = collect(400, rated_share=0.5)
    part = rated_of(samples)
    replay = Replay(2 * len(part))
    for _ in range(5):
        replay.add(part)
    assert 2 * len(part) <= len(replay) <= 3 * len(part)
    assert len(join([part, part])) == 2 * len(part)


def test_suits_can_be_left_as_they_are():
    _, samples = collect(rated_share=1.0)
    replay, rated = Replay(1000, mix_suits=False), rated_of(samples)
    replay.add(rated)
    drawn = replay.draw(50, np.random.default_rng(5))
    which = np.random.default_rng(5).integers(len(rated), size=50)
    assert np.array_equal(drawn.states, rated.states[which])


def test_suits_are_exchanged_in_the_state_and_in_the_moves():
    _, samples = collect(400, rated_share=0.5)
    rated = rated_of(samples)
    turned = with_suits(rated, np.array([1, 2, 3, 0]))
    hand, aces = STATE_AT.hand, np.arange(4) * 13
    assert (turned.states[:, hand + (aces + 13) % 52] == rated.states[:, hand + aces]).all()
    assert (turned.states[:, hand + 52] == rated.states[:, hand + 52]).all()
    cards = rated.choices[:, CARD]
    is_natural = (cards >= 0) & (cards < 52)
    assert is_natural.any() and not is_natural.all()
    assert (turned.choices[is_natural, CARD] == (cards[is_natural] + 13) % 52).all()
    assert (turned.choices[~is_natural, CARD] == cards[~is_natural]).all()
    assert (turned.held[:, (aces + 13) % 52] == rated.held[:, aces]).all()
    there_and_back = with_suits(turned, np.array([3, 0, 1, 2]))
    assert (there_and_back.states == rated.states).all()


def test_what_was_earned_beyond_hard_is_nothing_where_hard_was_followed():
    _, samples = collect(400, rated_share=0.5)
    hard = np.flatnonzero(samples.choices[:, CHOICE_AT.hard] == 1)
    samples.chosen[:] = hard - samples.offsets[:-1]
    assert earned_beyond_hard(samples) == 0.0
    samples.gains[hard] -= 0.25
    samples.chosen[:] = np.where(samples.chosen == 0, 1, 0)
    others = samples.gains[samples.offsets[:-1] + samples.chosen] - samples.gains[hard]
    assert earned_beyond_hard(samples) == pytest.approx(np.nanmean(others))


def test_rows_of_some_decisions():
    rows, offsets = gather_rows(np.array([0, 2, 3, 7]), np.array([2, 0]))
    assert rows.tolist() == [3, 4, 5, 6, 0, 1] and offsets.tolist() == [0, 4, 6]


def test_numpy_plays_as_torch_does():
    learner, samples = collect()
    network = Network(weights_of(learner.policy))
    counts = np.diff(samples.offsets)
    by_torch = TorchScorer(learner.policy).scores(samples.states, samples.choices, counts)
    assert np.allclose(network.scores(samples.states, samples.choices, counts), by_torch, atol=1e-4)


def test_hidden_features_change_no_score_in_torch_nor_in_numpy():
    config = dataclasses.replace(TINY, hide="outs, gain")
    learner, samples = collect(config=config)
    counts = np.diff(samples.offsets)
    states, choices = samples.states.copy(), samples.choices.copy()
    assert states[:, STATE_AT.outs : STATE_AT.outs + 52].any() and choices[:, CHOICE_AT.gain].any()
    states[:, STATE_AT.outs : STATE_AT.outs + 52] = 0.5
    choices[:, CHOICE_AT.gain] = 7
    batch = ppo.make_batch(learner, samples, config)
    ppo.update(learner, batch, Replay(10), config, True, np.random.default_rng(0))
    for player in (TorchScorer(learner.policy), Network(weights_of(learner.policy))):
        before = player.scores(samples.states, samples.choices, counts)
        assert np.allclose(player.scores(states, choices, counts), before, atol=1e-4)


def test_a_network_that_lacks_a_layer_is_refused():
    with pytest.raises(AgentError, match="lacks the layer 'state1'"):
        Network({})


def test_the_player_is_a_running_mean_of_the_weights():
    learner, samples = collect()
    config = dataclasses.replace(TINY, minibatches=1)
    batch, rng = ppo.make_batch(learner, samples, config), np.random.default_rng(0)
    mean = None
    for _ in range(3):
        ppo.update(learner, batch, Replay(10), config, True, rng)
        new = weights_of(learner.policy)["state1.weight"]
        kept = config.averaging
        mean = new if mean is None else kept * mean + (1 - kept) * new
    assert np.allclose(weights_of(learner.player)["state1.weight"], mean, atol=1e-6)
    assert not np.allclose(mean, new, atol=1e-6)


def test_the_first_policy_plays_like_hard():
    learner, samples = collect()
    batch = ppo.make_batch(learner, samples, TINY)
    scores = TorchScorer(learner.policy).scores(
        samples.states, samples.choices, np.diff(samples.offsets)
    )
    best = [
        int(scores[first:end].argmax())
        for first, end in zip(samples.offsets, samples.offsets[1:], strict=False)
    ]
    assert np.mean(np.array(best) == batch.labels) > 0.95


def test_update_lowers_the_loss_of_what_it_learns():
    learner, samples = collect(600)
    batch = ppo.make_batch(learner, samples, TINY)
    rng = np.random.default_rng(0)
    first = ppo.update(learner, batch, Replay(10), TINY, True, rng)
    for _ in range(15):
        last = ppo.update(learner, batch, Replay(10), TINY, True, rng)
    assert last["value_loss"] < first["value_loss"]
    assert last["belief_loss"] < first["belief_loss"]


def _gradients(number, world, meeting, folder, samples, weights, is_rated):
    """Save the gradient of one process that has its share of the samples."""
    torch.set_num_threads(1)
    if world > 1:
        torch.distributed.init_process_group(
            "gloo", init_method=meeting, rank=number, world_size=world
        )
    learner = ppo.Learner(TINY)
    learner.restore(weights)
    rated = rated_of(samples)
    kept = np.arange(len(rated)) if is_rated else np.flatnonzero(samples.is_whole)
    mine = kept[: len(kept) // 3] if number == 0 else kept[len(kept) // 3 :]
    which = mine if world > 1 else kept
    if is_rated:
        fit, belief = ppo.rated_loss(learner, rated.take(which), TINY.temperature)
        loss = len(which) * (fit + belief)
    else:
        advantages = np.linspace(-1, 1, len(samples), dtype=np.float32)
        labels = np.zeros(len(samples), np.int64)
        batch = ppo.Batch(samples, kept, labels, advantages, advantages)
        loss, _ = ppo.losses(learner, ppo.Minibatch.of(batch, which), TINY, False)
    loss.backward()
    distributed.average_gradients(learner.parameters, len(which))
    flat = torch.cat([p.grad.flatten() for p in learner.parameters if p.grad is not None])
    np.save(folder / f"{world}-{number}.npy", flat.numpy())


@pytest.mark.parametrize("is_rated", [False, True], ids=["ppo", "rated"])
def test_two_processes_have_the_gradient_of_one(tmp_path, is_rated):
    learner, samples = collect(rated_share=0.9)
    weights = learner.arrays()
    _gradients(0, 1, None, tmp_path, samples, weights, is_rated)
    context = multiprocessing.get_context("spawn")
    meeting = f"file://{tmp_path / 'meeting'}"
    work = functools.partial(
        _gradients, world=2, meeting=meeting, folder=tmp_path, samples=samples, weights=weights,
        is_rated=is_rated,
    )  # fmt: skip
    others = [context.Process(target=work, args=(number,)) for number in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    one = np.load(tmp_path / "1-0.npy")
    for number in range(2):
        assert np.allclose(np.load(tmp_path / f"2-{number}.npy"), one, atol=1e-5)


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory):
    config = TrainConfig.from_dict({**TINY.to_dict(), "runs": str(tmp_path_factory.mktemp("runs"))})
    return ppo.run(config, quiet=True)


def test_a_run_leaves_its_folder(tiny_run):
    names = {path.name for path in tiny_run.iterdir()}
    assert names >= {"checkpoint.npz", "best.npz", "config.json", "log.jsonl", "curve.png"}
    rows = [json.loads(line) for line in (tiny_run / "log.jsonl").read_text().splitlines()]
    assert rows[0]["samples"] > 0 and np.isfinite(rows[0]["value_loss"])


def test_a_checkpoint_plays(tiny_run):
    agent = load(str(tiny_run / "checkpoint.npz"))
    assert isinstance(agent, LearnedAgent)
    batch = BatchGame("browser", num_games=8, seed=2)
    moves = agent.act_batch(batch.views())
    assert all(batch.masks[b, action] for b, (action, _) in enumerate(moves.tolist()))


def test_a_run_starts_from_a_player_with_a_sharper_policy(tiny_run, tmp_path):
    path = str(tiny_run / "best.npz")
    config = dataclasses.replace(TINY, start=path, start_temperature=0.5, runs=str(tmp_path))
    learner = ppo.Learner(config)
    weights, seeds = ppo.read_player(config)
    learner.start_from(weights)
    _, samples = collect()
    counts = np.diff(samples.offsets)
    old = Network(checkpoint.under("policy", read_arrays(path)[0]))
    before = old.scores(samples.states, samples.choices, counts)
    for policy in (learner.policy, learner.player):
        scores = TorchScorer(policy).scores(samples.states, samples.choices, counts)
        assert np.allclose(scores, 2 * before, atol=1e-3)
    _, meta = read_arrays(ppo.run(config, quiet=True) / "best.npz")
    assert meta["seeds"]["train of the start"] == seeds["train"]


@pytest.mark.parametrize(
    ("width", "start", "word"),
    [(32, "best.npz", "best.npz"), (16, "none.npz", "none.npz.*--config quick makes one")],
)
def test_a_player_that_does_not_fit_is_refused_before_the_run(
    tiny_run, tmp_path, width, start, word
):
    config = dataclasses.replace(
        TINY, start=str(tiny_run / start), width=width, runs=str(tmp_path / "runs")
    )
    with pytest.raises(ConfigError, match=word) as caught:
        ppo.run(config, quiet=True)
    assert "\n" not in str(caught.value) and not (tmp_path / "runs").exists()


def test_a_checkpoint_knows_of_the_best_player(tiny_run):
    best, last = (
        read_arrays(tiny_run / name)[1]["progress"] for name in ("best.npz", "checkpoint.npz")
    )
    assert best["best"] == last["best"] >= 0 and len(last["evaluations"]) == 1


def test_a_run_that_is_stopped_keeps_its_checkpoint_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(ppo, "_interruptions", lambda: contextlib.nullcontext([2]))
    config = dataclasses.replace(TINY, runs=str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        ppo.run(config, quiet=True)
    assert checkpoint.load_checkpoint(config.folder)[1]["progress"]["iterations"] == 0


def test_two_processes_train_as_one_run(tmp_path):
    config = dataclasses.replace(TINY, runs=str(tmp_path), processes=2, evaluate_pairs=1)
    folder = ppo.run(config, quiet=True)
    progress = checkpoint.load_checkpoint(folder)[1]["progress"]
    # Both collect a batch a round; of its end some decisions are not whole.
    assert progress["samples"] > progress["iterations"] * 1.5 * config.batch > 0


def test_a_run_goes_on_where_it_stopped(tiny_run):
    before = checkpoint.load_checkpoint(tiny_run)[1]["progress"]
    arrays, meta = checkpoint.load_checkpoint(tiny_run)
    meta["config"]["minutes"] = before["seconds"] / 60 + 0.02
    checkpoint.save_arrays(tiny_run / checkpoint.CHECKPOINT, arrays, meta)
    ppo.run(TINY, resume=tiny_run, quiet=True)
    after = checkpoint.load_checkpoint(tiny_run)[1]["progress"]
    assert after["iterations"] > before["iterations"]
    assert after["history"][: len(before["history"])] == before["history"]


def test_a_checkpoint_plays_with_the_mean_of_the_weights(tiny_run):
    arrays, meta = checkpoint.load_checkpoint(tiny_run)
    learner = ppo.Learner(TrainConfig.from_dict(meta["config"]))
    learner.restore(arrays)
    played = Network(checkpoint.under("policy", arrays)).weights["score.weight"]
    assert np.array_equal(played, weights_of(learner.player)["score.weight"])
    assert not np.array_equal(played, weights_of(learner.policy)["score.weight"])


def test_a_checkpoint_restores_everything(tiny_run):
    arrays, meta = checkpoint.load_checkpoint(tiny_run)
    learner = ppo.Learner(TrainConfig.from_dict(meta["config"]))
    learner.restore(arrays)
    for name, array in learner.arrays().items():
        assert np.array_equal(array, arrays[name]), name
    pool = Pool(checkpoint.restore_pool(checkpoint.under("pool", arrays)))
    assert pool.selves and "state1.weight" in pool.selves[0]


def test_a_checkpoint_without_the_mean_of_the_weights_is_refused(tiny_run, tmp_path):
    arrays, meta = read_arrays(tiny_run / "checkpoint.npz")
    del arrays["averaged"]
    checkpoint.save_arrays(tmp_path / checkpoint.CHECKPOINT, arrays, meta)
    with pytest.raises(checkpoint.CheckpointError, match="older version"):
        checkpoint.load_checkpoint(tmp_path)


def test_seeds_of_training_and_selection_are_told(tiny_run):
    _, meta = read_arrays(tiny_run / "checkpoint.npz")
    (first, last), (chosen, end) = meta["seeds"]["train"], meta["seeds"]["selection"]
    assert first < last <= chosen < end


def test_a_second_run_does_not_overwrite_the_first(tiny_run):
    config = TrainConfig.from_dict({**TINY.to_dict(), "runs": str(tiny_run.parent)})
    with pytest.raises(checkpoint.CheckpointError, match="holds a run already"):
        ppo.run(config, quiet=True)


@pytest.mark.parametrize("damage", ["cut", "text", "empty"])
def test_a_damaged_checkpoint_is_refused_in_one_line(tiny_run, tmp_path, damage):
    whole = (tiny_run / "checkpoint.npz").read_bytes()
    bad = tmp_path / "checkpoint.npz"
    bad.write_bytes({"cut": whole[: len(whole) // 2], "text": b"hello", "empty": b""}[damage])
    for attempt in (lambda: load(str(bad)), lambda: ppo.run(TINY, resume=tmp_path, quiet=True)):
        with pytest.raises(ValueError, match="damaged") as caught:
            attempt()
        assert "\n" not in str(caught.value)


def test_weights_for_other_features_are_refused(tiny_run, tmp_path):
    arrays, meta = read_arrays(tiny_run / "checkpoint.npz")
    checkpoint.save_arrays(tmp_path / "old.npz", arrays, meta | {"features_version": 0})
    with pytest.raises(AgentError, match="features version 0"):
        load(str(tmp_path / "old.npz"))


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"minuts": 5}, "minuts"),
        ({"games": "many"}, "games"),
        ({"batch": 0}, "batch"),
        ({"batch": 256}, "batch = 256 must be 780 or more, for 384 games"),
        ({"minibatches": 20_000}, "batch"),
        ({"averaging": 1.0}, "averaging"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"temperature": 0.0}, "temperature"),
        ({"belief": -0.1}, "belief"),
        ({"rated_share": 1.5}, "rated_share = 1.5 must be from 0 to 1"),
        ({"rated_share": 0.0}, "nothing to learn from: policy = 0, rated = 1.0, rated_share = 0.0"),
        ({"rated": 0.0}, "nothing to learn from"),
        ({"seed": -1}, "seed = -1 must be from 0 to 255"),
        ({"seed": 256}, "seed"),
        ({"evaluate_pairs": 0}, "evaluate_pairs"),
        ({"final_pairs": 1}, "final_pairs"),
        ({"hide": "outs, inns"}, "inns"),
    ],
)
def test_bad_settings_are_named(settings, word):
    with pytest.raises(ConfigError, match=word):
        TrainConfig.from_dict(settings)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"rules": "poker"}, "poker"),
        ({"num_players": 9}, "num_players"),
        ({"num_players": 3}, "num_players|players"),
        ({"share_self": 0.0, "share_hard": 0.0, "share_normal": 0.0}, "shares"),
    ],
)
def test_settings_that_do_not_go_together_leave_no_folder(tmp_path, changes, word):
    config = dataclasses.replace(TINY, runs=str(tmp_path / "runs"), **changes)
    with pytest.raises(ValueError, match=word):
        ppo.run(config, quiet=True)
    assert not (tmp_path / "runs").exists()


def test_seeds_of_training_are_below_those_of_selection():
    last = TrainConfig(seed=NUM_SEEDS - 1)
    assert ppo._TRAIN_SEEDS + (last.seed + 1 << 32) <= deep_monte_carlo._FIRST_SEED
    assert deep_monte_carlo._FIRST_SEED + (last.seed + 1 << 32) <= SELECTION_SEEDS[0]


def test_equals_win_half_at_a_table_of_three():
    policy = ppo.Learner(TINY).policy  # untrained, it plays as hard
    rules = Rules.preset("browser", num_players=3)
    won = play_pairs(policy, rules, SELECTION_SEEDS[0] + np.arange(40, dtype=np.uint64))
    assert won.shape == (40,) and abs(won.mean() - 0.5) < 0.08


def test_shipped_configs_are_valid():
    assert load_config("quick").minutes == 5 and load_config("full").minutes == 180
    assert load_config("full").start == "" and load_config("full").closed_share == 0.25
    with pytest.raises(ConfigError, match="no config 'slow'"):
        load_config("slow")


def test_networks_have_the_size_of_the_features():
    policy = Policy(8, 8, 8)
    scores, belief = policy(
        torch.zeros(2, STATE_SIZE), torch.zeros(5, CHOICE_SIZE), torch.tensor([0, 0, 0, 1, 1])
    )
    assert scores.shape == (5,) and belief.shape == (2, 53)
    assert HIDDEN_SIZE > 53 and advice_figures().shape[0] == 2


def test_a_temperature_draws_the_moves():
    game = Game("browser", seed=7)
    game.push("draw")
    view, legal = game.view(game.player), game.legal_moves()
    best = load("learned").act(view, legal)
    cold, hot = load("learned@0.001", seed=1), load("learned@1000", seed=1)
    assert [cold.act(view, legal) for _ in range(5)] == [best] * 5
    assert hot.name == "learned@1000" and len({hot.act(view, legal) for _ in range(40)}) > 5


def test_moves_drawn_follow_from_the_stream_of_each_game_alone():
    batch = BatchGame("browser", num_games=64, seed=2)
    views, agent = batch.views(), load("learned@1000")
    all_at_once, one_by_one = np.arange(64, dtype=np.uint64), np.arange(64, dtype=np.uint64)
    moves = agent.act_batch(views, all_at_once)
    for b in reversed(range(64)):
        stream = one_by_one[b : b + 1]
        assert (agent.act_batch(views[b : b + 1], stream)[0] == moves[b]).all()
    assert (all_at_once == one_by_one).all() and (all_at_once != np.arange(64)).all()
    again = [agent.act_batch(views, all_at_once) for _ in range(5)]
    assert any((other != moves).any() for other in again)


def test_a_file_may_have_an_at_sign_in_its_name(tmp_path):
    folder = tmp_path / "a@b"
    folder.mkdir()
    shipped = resources.files("scala40_env.agents").joinpath("weights", "learned.npz")
    (folder / "player.npz").write_bytes(shipped.read_bytes())
    path = str(folder / "player.npz")
    cold, drawn = make_agent(path), make_agent(f"{path}@0.5")
    assert (cold.name, cold.temperature) == ("player", 0.0)
    assert (drawn.name, drawn.temperature) == ("player@0.5", 0.5)


@pytest.mark.parametrize("spec", ["learned@", "learned@x", "learned@-1", "learned@nan"])
def test_a_temperature_that_is_none_is_one_clear_line(spec):
    with pytest.raises(AgentError, match="the temperature '.*' is no number above 0"):
        make_agent(spec)


def test_the_chance_to_win_follows_from_what_a_hand_costs():
    # A hand costs its loser 1 point, the match is lost at 2: three hands at most.
    table = win_table(np.array([0.0, 1.0]), 2)
    assert np.allclose(table, [[0.5, 0.75], [0.25, 0.5]])


def test_a_hand_that_was_not_seen_to_its_end_says_nothing():
    samples = made_up_samples(
        [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0], [2, 3, 4, 5, -1, -1], [False] * 6
    )
    assert samples.sees_end.tolist() == [True, False, True, False, True, False]
    returns = deep_monte_carlo.returns_of(samples)
    assert returns[samples.sees_end].tolist() == [1, 1, 1]


def test_deep_monte_carlo_fits_the_returns_of_the_moves_played():
    learner, samples = collect(600)
    optimizer = torch.optim.Adam(learner.policy.parameters(), 1e-3)
    losses = [deep_monte_carlo.learn(learner.policy, optimizer, samples) for _ in range(30)]
    returns = deep_monte_carlo.returns_of(samples)
    assert losses[-1] < losses[0]
    last = samples.ended > 0
    assert (returns[last] == samples.rewards[last]).all()
    assert not samples.sees_end.all()
    before, whole = returns[samples.sees_end], samples.is_whole & ~samples.sees_end
    assert whole.any() and (before != 0).mean() > 0.8
