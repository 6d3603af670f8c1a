"""Random play with the package's own `Game`, for tests that need rich states of all kinds."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine_and_reference import random_rules

from scala40_env.actions import is_table_move
from scala40_env.game import Game
from scala40_env.rules import Rules


def rule_sets(count: int, first_seed: int = 0) -> list[Rules]:
    """The presets for 2 to 4 players, and random rule sets up to `count`."""
    rules = [
        Rules.preset(name, num_players=n)
        for name, n in (("browser", 2), ("fisca", 3), ("italian", 4))
    ]
    seeds = range(first_seed, first_seed + count)
    return [*rules, *(Rules.from_dict(random_rules(seed)) for seed in seeds)][:count]


def eager_move(game: Game, rng: random.Random, lay: float = 0.8):
    """A random legal move of a player who takes and lays often."""
    legal = game.legal_moves()
    eager = [move for move in legal if is_table_move(move.action) or move.action == 1]
    return rng.choice(eager if eager and rng.random() < lay else legal)


def decisions(game: Game, rng: random.Random, most: int) -> Iterator[Game]:
    """Play up to `most` moves; yields the live game before each of them and at each hand's end."""
    for _ in range(most):
        yield game
        if game.match_over:
            return
        if game.hand_over:
            game.next_hand()
        else:
            game.push(eager_move(game, rng))
