"""Deep Monte Carlo: a second, minimal learner, to show how an algorithm is added.

    python -m scala40_env.train.deep_monte_carlo --minutes 5 --out runs/monte-carlo.npz
    scala40 evaluate --players runs/monte-carlo.npz random --pairs 200

The score of a move is an estimate of what the hand will bring (the return, in units of
``TEMPERATURE``). Play draws moves from the softmax of the scores; afterwards the score of each move
played is moved towards what came of it. No critic, no advice from the levels, no rated decisions.
The idea is that of DouZero (Zha et al. 2021, arXiv 2106.06135), without its replay and its actors.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

from scala40_env.rewards import load_win_prob
from scala40_env.rules import Rules
from scala40_env.train.checkpoint import Progress, describe_run, prefixed, save_arrays
from scala40_env.train.config import TrainConfig
from scala40_env.train.model import Policy, TorchScorer, weights_of
from scala40_env.train.opponents import Opponents
from scala40_env.train.rollout import Collector, Samples, estimate_advantages, gather_rows

TEMPERATURE: Final = 0.02
"""How much better a move must look to be played e times as often, in chances to win."""
_FIRST_SEED: Final = 1 << 41  # apart from the seeds of ppo, of selection and of evaluate
_STEP: Final = 512


@dataclass(frozen=True)
class MonteCarloConfig:
    """Deep Monte Carlo in one process, two players, ``browser``."""

    out: Path
    """The file of the player."""
    minutes: float = 5.0
    """Time to train."""
    batch: int = 12288
    """Samples that are collected for one round."""
    learning_rate: float = 1e-3
    """At the start; falls in a line to 0."""
    seed: int = 1
    """Of everything random."""


def returns_of(samples: Samples) -> NDArray[np.float32]:
    """Return what the rest of the hand brought after each decision: float32[N].

    Where the hand was not seen to its end (``samples.sees_end``) it is 0 and says nothing.
    """
    nothing = np.zeros(len(samples), np.float32)
    return estimate_advantages(samples, nothing, turn_lambda=1.0)


def learn(policy: Policy, optimizer: torch.optim.Optimizer, samples: Samples) -> float:
    """Move the scores of the moves played towards their returns; returns the mean loss."""
    whole, returns = np.flatnonzero(samples.sees_end), returns_of(samples)
    losses = []
    for which in np.array_split(np.random.permutation(whole), max(len(whole) // _STEP, 1)):
        rows, offsets = gather_rows(samples.offsets, which)
        owners = np.repeat(np.arange(len(which)), np.diff(offsets))
        states, choices = samples.states[which], samples.choices[rows]
        scores, _ = policy(*map(torch.from_numpy, (states, choices, owners)))
        played = scores[torch.from_numpy(offsets[:-1] + samples.chosen[which])]
        loss = (TEMPERATURE * played - torch.from_numpy(returns[which])).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return float(np.mean(losses))


def train(config: MonteCarloConfig) -> Policy:
    """Train a player against itself and the hard level, and write it to ``config.out``."""
    settings = TrainConfig(name=config.out.stem, minutes=config.minutes, seed=config.seed)
    config.out.parent.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(config.seed)
    np.random.seed(config.seed)
    rng, rules = np.random.default_rng(config.seed), Rules.preset("browser")
    policy = Policy(settings.width, settings.choice_width, settings.card_width, use_advice=False)
    optimizer = torch.optim.Adam(policy.parameters(), config.learning_rate)
    opponents = Opponents({"self": 0.5, "hard": 0.5})
    first = _FIRST_SEED + (config.seed << 32)
    collector = Collector(
        rules, 256, first, lambda n: opponents.draw(n, 0, rng), load_win_prob(rules), rng
    )
    progress, start = Progress(), time.monotonic()
    while (done := (time.monotonic() - start) / 60 / config.minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * (1 - done)
        samples = collector.collect(config.batch, TorchScorer(policy).scores)
        loss = learn(policy, optimizer, samples)
        progress.samples += len(samples)
        progress.iterations += 1
        print(f"{done:4.0%}  {progress.samples:9,} samples  loss {loss:.5f}", flush=True)
    progress.seconds = time.monotonic() - start
    seeds = {"train": [first, first + (1 << 32)]}
    meta = describe_run(settings, progress, seeds)
    save_arrays(config.out, prefixed("policy", weights_of(policy)), meta)
    return policy


def main() -> None:
    """Train from the command line."""
    config = tyro.cli(MonteCarloConfig, description=__doc__)
    try:
        train(config)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
