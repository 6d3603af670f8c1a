"""MaskablePPO of sb3-contrib, unchanged, learns to beat random: ``python docs/maskable_ppo.py``.

Needs ``pip install -c constraints.txt -e '.[sb3]'``. It learns on single hands, rewarded by points;
then it plays hands of seeds that it has not seen, before and after learning alike, and prints the
share that it won with a 95 % interval. ``--help`` lists the settings.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import gymnasium
import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import scala40_env  # noqa: F401  # registers the environments
from scala40_env.train.intervals import Interval, share_interval

ENV_ID = "scala40/Scala40-v0"
TEST_SEED = 1 << 40  # beyond every seed of learning


@dataclass(frozen=True)
class Config:
    """Teach MaskablePPO to beat an opponent, and measure it."""

    opponent: str = "random"
    """Who sits in the other seat."""
    rules: str = "browser"
    """The name of a preset."""
    steps: int = 250_000
    """Decisions of the learner in all."""
    envs: int = 16
    """Environments in step."""
    hands: int = 2000
    """Hands to measure with."""
    seed: int = 1
    """Of the deals and of the network."""


def new_learner(config: Config) -> MaskablePPO:
    """Return an untaught learner with its environments."""
    torch.set_num_threads(1)  # more only get in each other's way in so small a network

    def new_env() -> gymnasium.Env[NDArray[np.float32], int]:
        return gymnasium.make(ENV_ID, opponent=config.opponent, rules=config.rules, episode="hand")

    return MaskablePPO(
        "MlpPolicy",
        make_vec_env(new_env, config.envs, config.seed),
        n_steps=256,
        batch_size=512,
        n_epochs=4,
        gamma=0.995,
        ent_coef=0.01,
        seed=config.seed,
        device="cpu",
    )


def play_hands(model: MaskablePPO, config: Config) -> NDArray[np.float64]:
    """Play one hand in each of many environments; returns the rewards, float64[hands]."""
    envs = gymnasium.make_vec(
        ENV_ID,
        num_envs=config.hands,
        vectorization_mode="vector_entry_point",
        opponent=config.opponent,
        rules=config.rules,
        episode="hand",
    )
    observations, infos = envs.reset(seed=TEST_SEED)
    rewards, is_open = np.zeros(config.hands), np.ones(config.hands, np.bool_)
    while is_open.any():
        masks = infos["action_mask"].astype(np.bool_)
        actions, _ = model.predict(observations, action_masks=masks, deterministic=True)
        observations, earned, terminated, truncated, infos = envs.step(actions)
        rewards[is_open] += earned[is_open]
        is_open &= ~(terminated | truncated)
    return rewards


def share_won(rewards: NDArray[np.float64]) -> Interval:
    """Return the share of hands won among those that somebody closed: there the reward is not 0."""
    return share_interval((rewards > 0).astype(float), (rewards != 0).astype(float))


def describe(rewards: NDArray[np.float64]) -> str:
    """Return a line on the hands of a measure."""
    share = share_won(rewards)
    return (
        f"won {share.mean:.1%} ({share.low:.1%} to {share.high:.1%}) of the hands that somebody"
        f" closed, {np.mean(rewards != 0):.1%} of {rewards.size:,};"
        f" {100 * rewards.mean():+.1f} points a hand"
    )


def main(config: Config) -> None:
    """Measure, learn, measure again."""
    model = new_learner(config)
    print(f"before: {describe(play_hands(model, config))}")
    start = time.perf_counter()
    model.learn(config.steps)
    minutes = (time.perf_counter() - start) / 60
    print(f"after {config.steps:,} steps: {describe(play_hands(model, config))}")
    print(f"learned in {minutes:.1f} minutes")


if __name__ == "__main__":
    main(tyro.cli(Config, description=__doc__))
