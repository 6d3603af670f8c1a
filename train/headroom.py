"""How much a player could gain on the hard level by looking ahead, with what a seat may know.

    python -m scala40_env.train.headroom --decisions 350 --worlds 500

In some decisions of the hard level against itself, every move is played out by it in many worlds
dealt at random. The move that does best in one half of them is judged in the other half, so that
chance is not taken for skill. What it earns is in chances to win the match.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.progress import track

from scala40_env.actions import is_discard
from scala40_env.agents.features import new_feature_work
from scala40_env.agents.gathering import MAX_RATED, rate_in_worlds
from scala40_env.agents.registry import make_agent
from scala40_env.engine.state import MAX_SEATS, NUM_TYPES, new_games
from scala40_env.game import Game
from scala40_env.rewards import load_win_prob
from scala40_env.rules import Rules
from scala40_env.train.opponents import level_figures

_FIRST_SEED: Final = 1 << 52  # apart from training, selection and test
_SHARE: Final = 0.05  # of the decisions are looked at


@dataclass(frozen=True)
class HeadroomConfig:
    """The room above the hard level, two players, ``browser``."""

    decisions: int = 350
    """Decisions looked at."""
    worlds: int = 500
    """Worlds in each half."""
    seed: int = 1
    """Of the worlds, and of the choice of decisions."""


class Lookahead:
    """Rates the moves of a decision in random worlds."""

    def __init__(self, rules: Rules, worlds: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._worlds = worlds
        self._figures, self._table = level_figures(), load_win_prob(rules)
        self._streams, self._before = np.ones((1, 1), np.uint64), np.zeros(2 * MAX_SEATS, np.int64)
        self._before[MAX_SEATS : MAX_SEATS + 2] = 1
        self._world, self._moves = new_games(1), np.zeros((MAX_RATED, 2), np.int16)
        self._unseen, self._work = np.zeros(NUM_TYPES, np.int8), new_feature_work()

    def gains(self, game: Game) -> tuple[NDArray[np.float32], int]:
        """Return what each move earns beyond that of hard in each world, and which is hard's.

        Returns:
            float32[2, worlds, n] for the two halves, and an index; n is 0 where there is no choice.
        """
        self._before[:2] = game.totals
        gains = np.zeros((2 * self._worlds, MAX_RATED), np.float32)
        seeds = self._rng.integers(1 << 63, size=len(gains), dtype=np.uint64)
        n, hard = rate_in_worlds(
            game.array, seeds, self._figures, self._streams, self._before, self._table,
            self._world, self._moves, self._unseen, gains, self._work,
        )  # fmt: skip
        beyond = gains[:, :n] - gains[:, hard : hard + 1]
        return beyond.reshape(2, self._worlds, n), hard


def headroom(config: HeadroomConfig) -> NDArray[np.float64]:
    """Return float64[decisions, 3]: what looking ahead earns, whether it differs, if a discard."""
    rules, rng = Rules.preset("browser"), np.random.default_rng(config.seed)
    lookahead, hard = Lookahead(rules, config.worlds, rng), make_agent("hard")
    rows: list[tuple[float, float, float]] = []
    progress = iter(track(range(config.decisions), "looking ahead"))
    seed = _FIRST_SEED
    while len(rows) < config.decisions:
        game = Game(rules, seed=seed)
        seed += 1
        while not game.match_over and len(rows) < config.decisions:
            if game.hand_over:
                game.next_hand()
                continue
            move = hard.act(game.view(game.player), game.legal_moves())
            if rng.random() < _SHARE:
                gains, mine = lookahead.gains(game)
                if gains.size:
                    rows.append((*_judge(gains, mine), float(is_discard(move.action))))
                    next(progress)
            game.push(move)
    return np.array(rows)


def _judge(gains: NDArray[np.float32], hard: int) -> tuple[float, float]:
    """Return what the best move of each half earns in the other, and how often it is not hard's."""
    means = gains.mean(axis=1)
    best = means.argmax(axis=1)
    return float(means[1, best[0]] + means[0, best[1]]) / 2, float((best != hard).mean())


def main() -> None:
    """Measure from the command line."""
    config = tyro.cli(HeadroomConfig, description=__doc__)
    if config.decisions < 1 or config.worlds < 1:
        print("error: --decisions and --worlds must be 1 or more", file=sys.stderr)
        raise SystemExit(2)
    rows = headroom(config)
    earned, is_throw = 1000 * rows[:, 0], rows[:, 2] == 1
    error = 1.96 * earned.std() / np.sqrt(len(rows))
    print(f"{len(rows)} decisions, {config.worlds} worlds in each half")
    print(f"earned a decision: {earned.mean():.2f} +- {error:.2f} thousandths of a match")
    print(f"of that by discards {(earned * is_throw).mean():.2f}, by others "
          f"{(earned * ~is_throw).mean():.2f}")  # fmt: skip
    print(f"another move than hard's in {rows[:, 1].mean():.0%}")


if __name__ == "__main__":
    main()
