"""The golden games: ``python tests/playthrough.py`` writes ``tests/golden/games.txt`` anew.

A few games as text, line by line: the deal, then every decision with the id and the name of the
action, the number of legal ids with a checksum of the mask, and a checksum of the observation. What
changes here changes what learners have learned: the suffix of the environment's name rises with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np

from scala40_env.actions import action_name, is_table_move
from scala40_env.aec import raw_env
from scala40_env.batch import BatchGame
from scala40_env.game import Game
from scala40_env.rules import Rules

GOLDEN = Path(__file__).parent / "golden" / "games.txt"
GAMES = (("browser", 2, 1), ("browser", 2, 2), ("fisca", 3, 3), ("italian", 4, 4), ("fisca", 6, 5))
"""The preset, the number of players, and the seed of each."""
DECISIONS = 200


def checksum(numbers: np.ndarray) -> str:
    """Eight digits for an array, to four places behind the point."""
    return f"{crc32(np.rint(numbers * 10_000.0).astype('<i4').tobytes()):08x}"


def pick(mask: np.ndarray, number: int) -> int:
    """A legal id; two times of three one that lays or takes, where there is such."""
    legal = np.flatnonzero(mask).tolist()
    eager = [action for action in legal if is_table_move(action) or action == 1]
    choices = eager if eager and number % 3 else legal
    return choices[number * 7919 % len(choices)]


def deal(rules: Rules, seed: int) -> Iterator[str]:
    """The cards as they are dealt."""
    position = Game(rules, seed).position()
    yield f"dealer {position['dealer']}"
    for seat, hand in enumerate(position["hands"]):
        yield f"hand {seat}: {' '.join(hand)}"
    yield f"pile: {' '.join(position['pile'])}"
    yield f"stock: {' '.join(position['stock'])}"


def decisions(rules: Rules, seed: int) -> Iterator[str]:
    """Every decision of a game, and what each hand was worth."""
    env = raw_env(rules, reward="points")
    env.reset(seed=seed)
    for number in range(DECISIONS):
        agent = env.agent_selection
        seen, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            yield f"{agent} is out, {reward:+.2f}"
            env.step(None)
            continue
        mask = seen["action_mask"]
        action = pick(mask, number)
        yield (
            f"{agent} {action:4} {action_name(action):16} of {mask.sum():2} {checksum(mask)}"
            f" sees {checksum(seen['observation'])}"
        )
        env.step(action)
        if any(env.rewards.values()):
            yield "hand over " + " ".join(f"{reward:+.2f}" for reward in env.rewards.values())
    yield f"state {checksum(env.state())}"


def batch(seed: int) -> Iterator[str]:
    """The seeds and the random choices of a batch."""
    games = BatchGame("browser", 3, seed=seed)
    for game_seed in games.games["seed"].tolist():
        yield f"seed {game_seed}"
    for _ in range(20):
        actions = games.random_actions()
        yield " ".join(action_name(action) for action in actions.tolist())
        games.step(actions)


def transcript() -> str:
    """All golden games."""
    lines = []
    for preset, players, seed in GAMES:
        rules = Rules.preset(preset, num_players=players)
        lines += [f"# {preset}, {players} players, seed {seed}", *deal(rules, seed)]
        lines += [*decisions(rules, seed), ""]
    lines += ["# a batch of three, browser, seed 6", *batch(6)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(transcript(), encoding="utf-8")
