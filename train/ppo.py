"""Learning from moves tried out, and masked PPO: a run from its config to the table of results.

    scala40 train --config quick
    python -m scala40_env.train.ppo --config quick --minutes 10
    torchrun --nproc-per-node 2 -m scala40_env.train.ppo --config full
    python -m scala40_env.train.ppo --resume runs/full

A round is: collect samples, update, log. An update fits the scores of moves to what they earned
where all moves of a decision were tried out, and makes the steps of PPO where its weight is not 0.
Rounds of the warm-up imitate the hard level instead, while the critic learns what that is worth.
"""

from __future__ import annotations

import argparse
import functools
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from scala40_env.agents.base import AgentError
from scala40_env.agents.features import CHOICE_AT
from scala40_env.agents.learned import read_arrays
from scala40_env.engine.state import NUM_TYPES
from scala40_env.rewards import load_win_prob
from scala40_env.rules import Rules
from scala40_env.train import checkpoint, distributed
from scala40_env.train.config import ConfigError, TrainConfig, load_config
from scala40_env.train.model import (
    Critic,
    Policy,
    TorchScorer,
    entropy,
    log_policy,
    set_weights,
    weights_of,
)
from scala40_env.train.opponents import Opponents, Pool
from scala40_env.train.replay import Rated, Replay, earned_beyond_hard, rated_of
from scala40_env.train.report import Reporter, show_table
from scala40_env.train.rollout import (
    Collector,
    Samples,
    estimate_advantages,
    gather_rows,
)
from scala40_env.train.selection import SELECTION_SEEDS, matches_won, play_pairs

_HARD: Final = CHOICE_AT.hard
_TRAIN_SEEDS: Final = 1 << 40  # the first
_A_RUN: Final = 1 << 32  # seeds that a seed of the config has
_GRADIENT_NORM: Final = 1.0
_VALUE_BATCH: Final = 8192
_MAX_ADVANTAGE: Final = 5.0
_GAIN_NOISE: Final = 0.1  # about how much what a move earns differs from deal to deal
_RATED_SPREAD: Final = 4.0  # scores that far below the best count e times less


class Learner:
    """The networks and their optimiser.

    Attributes:
        policy: what is trained, and plays the games that are learned from.
        average: the mean of its newest weights, see ``player``.
    """

    def __init__(self, config: TrainConfig) -> None:
        torch.manual_seed(config.seed)
        widths = (config.width, config.choice_width, config.card_width)
        self.policy = Policy(*widths, config.advice, config.hidden_features)
        self.average = AveragedModel(
            self.policy, multi_avg_fn=get_ema_multi_avg_fn(config.averaging)
        )
        self.critic = Critic(config.width)
        self.parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, config.learning_rate, eps=1e-5)

    def start_from(self, weights: dict[str, NDArray[np.float32]]) -> None:
        """Set the weights of the policy and of the player."""
        for policy in (self.policy, self.player):
            set_weights(policy, weights)

    @property
    def player(self) -> Policy:
        """What is evaluated and shipped: averaging takes the noise of the last steps out."""
        return cast(Policy, self.average.module)

    def arrays(self) -> checkpoint.Arrays:
        """Return everything as arrays for a checkpoint; ``policy`` is what plays."""
        return {
            **checkpoint.prefixed("policy", weights_of(self.player)),
            **checkpoint.prefixed("trained", weights_of(self.policy)),
            "averaged": self.average.n_averaged.numpy(),
            **checkpoint.prefixed("critic", weights_of(self.critic)),
            **checkpoint.prefixed("adam", checkpoint.optimizer_arrays(self.optimizer)),
        }

    def restore(self, arrays: checkpoint.Arrays) -> None:
        """Set everything from ``arrays``."""
        set_weights(self.policy, checkpoint.under("trained", arrays))
        set_weights(self.player, checkpoint.under("policy", arrays))
        self.average.n_averaged.copy_(torch.from_numpy(arrays["averaged"]))
        set_weights(self.critic, checkpoint.under("critic", arrays))
        checkpoint.restore_optimizer(self.optimizer, checkpoint.under("adam", arrays))


def read_player(
    config: TrainConfig,
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Sequence[int]]]:
    """Return the weights that a run starts from, and the seeds that they have seen.

    Raises:
        ConfigError: it cannot be read, or holds a network of other widths.
    """
    try:
        arrays, meta = read_arrays(config.start)
    except AgentError as error:
        raise ConfigError(f"no player to start from: {error}; --config quick makes one") from error
    weights = checkpoint.under("policy", arrays)
    wanted = weights_of(Policy(config.width, config.choice_width, config.card_width))
    if {k: a.shape for k, a in weights.items()} != {k: a.shape for k, a in wanted.items()}:
        raise ConfigError(f"{config.start!r} holds a network of other widths")
    for name in ("score.weight", "score.bias", "prior.weight"):
        weights[name] = weights[name] / np.float32(config.start_temperature)
    return weights, meta["seeds"]


@dataclass(frozen=True)
class Batch:
    """The samples of an update, as tensors.

    Attributes:
        kept: int64[M], the samples that are learned from.
        labels: int64[N], the move that the hard level would play.
    """

    samples: Samples
    kept: NDArray[np.int64]
    labels: NDArray[np.int64]
    advantages: NDArray[np.float32]
    returns: NDArray[np.float32]


def make_batch(learner: Learner, samples: Samples, config: TrainConfig) -> Batch:
    """Estimate what each decision was worth; advantages are normalised over all processes."""
    if not config.oracle:
        samples.hidden[:, NUM_TYPES:] = 0  # the hand stays: it is what the belief learns
    values = _values(learner, samples, config.oracle)
    advantages = estimate_advantages(samples, values, config.turn_lambda, config.move_lambda)
    kept = np.flatnonzero(samples.is_whole)
    own = advantages[kept].astype(np.float64)
    count, total, squares = distributed.sum_over_processes((len(own), own.sum(), (own * own).sum()))
    mean = total / count
    deviation = np.sqrt(max(squares / count - mean * mean, 1e-12))
    normal = np.clip((advantages - mean) / deviation, -_MAX_ADVANTAGE, _MAX_ADVANTAGE)
    labels = np.flatnonzero(samples.choices[:, _HARD] == 1) - samples.offsets[:-1]
    return Batch(samples, kept, labels, normal.astype(np.float32), advantages + values)


@torch.no_grad()
def _values(learner: Learner, samples: Samples, oracle: bool) -> NDArray[np.float32]:
    parts = []
    for first in range(0, len(samples), _VALUE_BATCH):
        rows = slice(first, first + _VALUE_BATCH)
        hidden = samples.hidden[rows] if oracle else np.zeros_like(samples.hidden[rows])
        states = torch.from_numpy(samples.states[rows])
        parts.append(learner.critic(states, torch.from_numpy(hidden)).numpy())
    return np.concatenate(parts)


@dataclass(frozen=True)
class Minibatch:
    """Some samples of a batch, as tensors; shapes as in ``Samples``."""

    states: Tensor
    hidden: Tensor
    choices: Tensor
    owners: Tensor
    columns: Tensor
    chosen: Tensor
    labels: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor

    @classmethod
    def of(cls, batch: Batch, which: NDArray[np.int64]) -> Minibatch:
        """Gather some samples."""
        samples = batch.samples
        rows, offsets = gather_rows(samples.offsets, which)
        counts = np.diff(offsets)
        owners = np.repeat(np.arange(len(which)), counts)
        arrays = (
            samples.states[which], samples.hidden[which], samples.choices[rows], owners,
            np.arange(len(rows)) - offsets[owners], samples.chosen[which], batch.labels[which],
            samples.log_probs[which], batch.advantages[which], batch.returns[which],
        )  # fmt: skip
        return cls(*(torch.from_numpy(array) for array in arrays))


def losses(
    learner: Learner, batch: Minibatch, config: TrainConfig, imitates: bool
) -> tuple[Tensor, dict[str, float]]:
    """Return the summed loss of a minibatch, and sums for the log."""
    count = len(batch.states)
    scores, belief = learner.policy(batch.states, batch.choices, batch.owners)
    log_probs, mask = log_policy(scores, batch.owners, batch.columns, count)
    spread = entropy(log_probs, mask)
    new = log_probs.gather(1, batch.chosen[:, None])[:, 0]
    ratio = (new - batch.log_probs).exp()
    if imitates:
        policy_loss = -log_probs.gather(1, batch.labels[:, None])[:, 0]
    else:
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        surrogate = torch.minimum(ratio * batch.advantages, clipped * batch.advantages)
        policy_loss = -config.policy * (surrogate + config.entropy * spread)
    hidden = batch.hidden if config.oracle else torch.zeros_like(batch.hidden)
    value_loss = (learner.critic(batch.states, hidden) - batch.returns).square()
    belief_loss = _belief_loss(belief, batch.hidden[:, :NUM_TYPES])
    loss = (policy_loss + config.value * value_loss + config.belief * belief_loss).sum()
    agrees = log_probs.argmax(dim=1) == batch.labels
    sums = {
        "entropy": spread, "value_loss": value_loss, "belief_loss": belief_loss,
        "clipped": ((ratio - 1).abs() > config.clip).float(),
        "kl": (ratio - 1) - (new - batch.log_probs), "agrees": agrees.float(),
        "variance": (batch.returns - batch.returns.mean()).square(),
    }  # fmt: skip
    return loss, {name: float(tensor.detach().sum()) for name, tensor in sums.items()}


def _belief_loss(belief: Tensor, held: Tensor) -> Tensor:
    """Return the loss of the guess at which cards the opponent holds: float32[B]."""
    losses = functional.binary_cross_entropy_with_logits(
        belief, (held > 0).float(), reduction="none"
    )
    return losses.mean(dim=1)


def rated_loss(learner: Learner, rated: Rated, temperature: float) -> tuple[Tensor, Tensor]:
    """Return the mean loss of rated decisions, and that of the belief in them.

    The scores, times the temperature, are fitted to the gains. Only differences within a decision
    count, and most those between moves that are nearly as good as the best: telling bad moves
    apart earns nothing.
    """
    count = len(rated)
    repeated = np.repeat(np.arange(count), np.diff(rated.offsets))
    owners = torch.from_numpy(repeated)
    columns = torch.from_numpy(np.arange(len(repeated)) - rated.offsets[repeated])
    choices, gains = torch.from_numpy(rated.choices), torch.from_numpy(rated.gains)
    scores, belief = learner.policy(torch.from_numpy(rated.states), choices, owners)
    spread, _ = log_policy(scores.detach() / _RATED_SPREAD, owners, columns, count)
    weights = spread[owners, columns].exp()
    errors = (temperature * scores - gains) / _GAIN_NOISE
    means = torch.zeros(count).index_add(0, owners, weights * errors)
    loss = (weights * (errors - means[owners]).square()).sum() / count
    return loss, _belief_loss(belief, torch.from_numpy(rated.held)).mean()


def update(
    learner: Learner,
    batch: Batch,
    replay: Replay,
    config: TrainConfig,
    imitates: bool,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Make the steps of one round; returns means over all samples for the log."""
    totals: dict[str, float] = {}
    for _ in range(config.epochs):
        order = rng.permutation(batch.kept)
        for which in np.array_split(order, config.minibatches):
            loss, sums = torch.zeros(()), dict[str, float]()
            if imitates or config.policy > 0:
                loss, sums = losses(learner, Minibatch.of(batch, which), config, imitates)
            if len(replay) and not imitates:
                drawn = replay.draw(config.rated_draws * len(which), rng)
                fit, belief = rated_loss(learner, drawn, config.temperature)
                loss = loss + len(which) * (config.rated * fit + config.belief * belief)
                sums |= {"rated_loss": float(fit.detach()) * len(which)}
                sums |= {"rated_belief_loss": float(belief.detach()) * len(which)}
            learner.optimizer.zero_grad(set_to_none=False)
            loss.backward()
            distributed.average_gradients(learner.parameters, len(which))
            torch.nn.utils.clip_grad_norm_(learner.parameters, _GRADIENT_NORM)
            learner.optimizer.step()
            learner.average.update_parameters(learner.policy)
            for name, number in sums.items():
                totals[name] = totals.get(name, 0.0) + number
    count, *sums_of_all = distributed.sum_over_processes(
        (config.epochs * len(batch.kept), *totals.values())
    )
    return {name: total / count for name, total in zip(totals, sums_of_all, strict=True)}


class Run:
    """A training run in one process."""

    def __init__(self, config: TrainConfig, resumes: bool, quiet: bool) -> None:
        self.config = config
        self.rules = Rules.preset(config.rules, num_players=config.num_players)
        self.learner = Learner(config)
        self.pool = Pool()
        self.progress = checkpoint.Progress()
        self.seeds: dict[str, Sequence[int]] = {
            "train": [_TRAIN_SEEDS + (config.seed << 32), _TRAIN_SEEDS + (config.seed + 1 << 32)],
            "selection": list(SELECTION_SEEDS),
        }
        if resumes:
            self._restore()
        elif config.start:
            weights, seeds = read_player(config)
            self.learner.start_from(weights)
            self.seeds |= {f"{purpose} of the start": seen for purpose, seen in seeds.items()}
        distributed.share_weights([self.learner.policy, self.learner.critic, self.learner.average])
        ranks = distributed.world_size()
        first = self.seeds["train"][0] + distributed.rank() * (_A_RUN // max(ranks, 16))
        rng = distributed.generator(config.seed, self.progress.iterations)
        self._rng = rng
        opponents = Opponents(config.shares)
        table = load_win_prob(self.rules) if config.reward == "win_prob" else None
        self.collector = Collector(
            self.rules,
            config.games,
            first + self.progress.samples // ranks,  # a match has more samples than one
            lambda count: opponents.draw(count, self.pool.num_meeting, rng),
            table,
            rng,
            config.rated_share if config.rated > 0 else 0.0,
            config.closed_share,
        )
        self.replay = Replay(config.rated_kept, config.mix_suits)
        distributed.one_first(self._warm_kernels)
        self.reporter = Reporter(config, self.progress, quiet or distributed.rank() > 0)
        self._is_first = distributed.rank() == 0

    def _warm_kernels(self) -> None:
        """Compile all kernels, so that the clock of the run counts training only."""
        scorer = TorchScorer(self.learner.policy)
        self.collector.collect(1, scorer.scores, [scorer.scores] * self.pool.num_meeting)
        play_pairs(scorer.policy, self.rules, np.zeros(1, np.uint64))

    def _restore(self) -> None:
        arrays, meta = checkpoint.load_checkpoint(self.config.folder)
        self.learner.restore(arrays)
        self.pool = Pool(checkpoint.restore_pool(checkpoint.under("pool", arrays)))
        self.progress = checkpoint.Progress(**meta["progress"])
        self.seeds = meta["seeds"]

    def train(self) -> bool:
        """Train until the time is up or somebody interrupts; returns whether it was the time."""
        config, progress = self.config, self.progress
        clock, pooled, evaluated, saved = time.monotonic(), *(progress.seconds / 60,) * 3
        with self.reporter, _interruptions() as interrupted:
            while True:
                now = time.monotonic()
                seconds, stops = progress.seconds + now - clock, bool(interrupted)
                seconds, stops = self._agree(seconds, stops)
                progress.seconds, clock = seconds, now
                minutes = seconds / 60
                if stops or minutes >= config.minutes:
                    break
                if minutes - pooled >= config.pool_every:
                    pooled = minutes
                    self.pool.add(weights_of(self.learner.policy))
                if minutes - evaluated >= config.evaluate_every:
                    evaluated = minutes
                    self.evaluate()
                if minutes - saved >= config.checkpoint_every:
                    saved = minutes
                    self.save()
                self.round()
            if stops:
                self.save()
            else:
                self.evaluate()
        return not stops

    def _agree(self, seconds: float, stops: bool) -> tuple[float, bool]:
        """Let all processes go by the clock of the first, and stop together."""
        own = seconds if self._is_first else 0.0
        seconds, stopping = distributed.sum_over_processes((own, float(stops)))
        return seconds, stopping > 0

    def round(self) -> None:
        """Collect samples and learn from them."""
        config, progress = self.config, self.progress
        done = min(progress.seconds / 60 / config.minutes, 1.0)
        for group in self.learner.optimizer.param_groups:
            group["lr"] = config.learning_rate * (1 - 0.9 * done)
        past = [self._past_scorer(weights) for weights in self.pool.meet(self._rng)]
        start = time.monotonic()
        samples = self.collector.collect(
            config.batch, TorchScorer(self.learner.policy).scores, past
        )
        collected = time.monotonic()
        batch = make_batch(self.learner, samples, config)
        imitates = progress.samples < config.warm_up
        self.replay.add(rated_of(samples))
        row = update(self.learner, batch, self.replay, config, imitates, self._rng)
        progress.samples += int(distributed.sum_over_processes([len(batch.kept)])[0])
        progress.iterations += 1
        row |= {
            "collect_seconds": collected - start,
            "update_seconds": time.monotonic() - collected,
            "rated": len(self.replay),
            "earned": earned_beyond_hard(samples),
        }
        self.reporter.note_round(row, self.collector.tally)

    def _past_scorer(self, weights: checkpoint.Arrays) -> Any:
        policy = Policy(self.config.width, self.config.choice_width, self.config.card_width)
        set_weights(policy, weights)
        return TorchScorer(policy).scores

    def evaluate(self) -> None:
        """Play against the hard level on selection seeds; keep the best weights."""
        won, error = matches_won(self.learner.player, self.rules, self.config.evaluate_pairs)
        self.reporter.note_evaluation(won, error)
        if won > self.progress.best:
            self.progress.best = won
            self.save(best=True)
        self.save()  # so that a run that goes on knows of its best player

    def save(self, best: bool = False) -> None:
        """Write the checkpoint, or the weights of the best evaluation."""
        if not self._is_first:
            return
        folder = self.config.folder
        meta = checkpoint.describe_run(self.config, self.progress, self.seeds)
        if best:
            policy = checkpoint.prefixed("policy", weights_of(self.learner.player))
            checkpoint.save_arrays(folder / checkpoint.BEST, policy, meta)
            return
        pool = checkpoint.prefixed("pool", checkpoint.pool_arrays(self.pool.selves))
        arrays = {**self.learner.arrays(), **pool}
        checkpoint.save_arrays(folder / checkpoint.CHECKPOINT, arrays, meta)
        self.reporter.write()


@contextmanager
def _interruptions() -> Iterator[list[int]]:
    """Collect the wishes to stop (Ctrl-C, a kill) instead of dying of them; a second one kills."""
    caught: list[int] = []

    def note(number: int, _frame: object) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _work(config: TrainConfig, resumes: bool, quiet: bool) -> None:
    run_ = Run(config, resumes, quiet)
    finished = run_.train()
    if distributed.rank() > 0:
        return
    if finished:
        show_table(run_.rules, config, quiet)
        return
    if not quiet:
        print(f"stopped; go on with --resume {config.folder}", file=sys.stderr)
    raise KeyboardInterrupt


def run(config: TrainConfig, resume: str | Path | None = None, quiet: bool = False) -> Path:
    """Train as a config says, then play the result against the levels and print the table.

    Args:
        resume: folder of a run to go on with; its config counts, not the given one.
        quiet: show no progress and no table.

    Returns:
        The folder of the run: checkpoint.npz, best.npz, config.json, log.jsonl, curve.png and
        table.json.

    Raises:
        CheckpointError: there is nothing to resume, or the folder holds another run.
        RulesError, RewardError, OpponentError: settings that do not go together.
        ConfigError: a player to start from that cannot be read or does not fit.
        KeyboardInterrupt: after Ctrl-C or a kill, when the checkpoint has been written.
    """
    if resume is not None:
        _, meta = checkpoint.load_checkpoint(Path(resume))
        folder = Path(resume).resolve()
        settings = {**meta["config"], "name": folder.name, "runs": str(folder.parent)}
        config = TrainConfig.from_dict(settings, str(resume))
    elif (config.folder / checkpoint.CHECKPOINT).exists():
        raise checkpoint.CheckpointError(
            f"{str(config.folder)!r} holds a run already; resume it, or choose another --name"
        )
    _refuse_impossible(config)
    if resume is None and config.start:
        read_player(config)
    prepare_folder(config)
    work = functools.partial(_work, config, resume is not None, quiet)
    distributed.launch(work, config.processes)
    return config.folder


def _refuse_impossible(config: TrainConfig) -> None:
    """Find in one process, and before anything is written, what would stop all of them."""
    rules = Rules.preset(config.rules, num_players=config.num_players)
    Opponents(config.shares)
    if config.reward == "win_prob":
        load_win_prob(rules)


def prepare_folder(config: TrainConfig) -> None:
    """Make the folder of a run and write its config (CheckpointError: not possible)."""
    try:
        config.folder.mkdir(parents=True, exist_ok=True)
        checkpoint.write_json(config.folder / "config.json", config.to_dict())
    except OSError as error:
        raise checkpoint.CheckpointError(
            f"cannot write to {str(config.folder)!r}: {error.strerror or error}"
        ) from error


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--config", default="quick")
    parser.add_argument("--resume")
    chosen, rest = parser.parse_known_args()
    try:
        config = tyro.cli(
            TrainConfig, args=rest, default=load_config(chosen.config), description=__doc__
        )
        run(config, chosen.resume)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
