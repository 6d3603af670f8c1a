"""Games played at random for the tests, by the engine's own calls.

Players who lay whenever they can fill the table with melds; others hardly ever open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scala40_env.engine import calls
from scala40_env.engine.observe import OBSERVATION_SIZE, play_action
from scala40_env.engine.state import HAND_OVER, MATCH_OVER, new_games
from scala40_env.engine.tables import MELD_ID, NUM_ACTIONS
from scala40_env.engine.work import new_work
from scala40_env.rules import Rules

WORK = new_work()
MOVES = calls.new_moves()

RULE_SETS = {
    "browser": Rules.preset("browser"),
    "browser-6": Rules.preset("browser", num_players=6, opening_min=20),
    "fisca-3": Rules.preset("fisca", num_players=3),
    "fisca-2x2": Rules.preset("fisca", teams="2x2"),
    "italian-4": Rules.preset("italian", num_players=4, reentry="once"),
    "loose": Rules.preset(
        "italian",
        num_players=2,
        opening_min=0,
        jokers_per_meld=0,
        min_naturals=1,
        set_joker="any_missing",
        discard_before_opening="to_open",
        return_taken=True,
        first_player_upcard="keep",
        close_without_discard=True,
    ),
    "short": Rules.preset("browser", num_players=5, deal=7, opening_min=15, max_run=5),
}
"""Rule sets under which everything an observation tells occurs."""


def start(rules: Rules, seed: int) -> NDArray[Any]:
    """Return a match at its first draw: GAME[1]."""
    games = new_games(1)
    seeds, dealers = np.array([seed], np.uint64), np.array([-1])
    calls.start_games(games, rules.encode()[None], seeds, dealers, 0, 1)
    return games


def choose(mask: NDArray[np.int8], rng: np.random.Generator, eager: float = 0.8) -> int:
    """Return a random legal action id; often a table move where there is one."""
    legal = np.flatnonzero(mask)
    table = legal[legal >= MELD_ID]
    if len(table) and rng.random() < eager:
        legal = table
    return int(rng.choice(legal))


def play(rules: Rules, seed: int, steps: int) -> Iterator[tuple[NDArray[Any], NDArray[np.int8]]]:
    """Yield (game GAME[1], mask int8[NUM_ACTIONS]) before each decision; both are reused."""
    rng = np.random.default_rng(seed)
    games, mask = start(rules, seed), np.zeros(NUM_ACTIONS, np.int8)
    out, action = np.zeros(OBSERVATION_SIZE, np.float32), -1
    for _ in range(steps):
        play_action(games, action, mask, out, MOVES, WORK)
        if games["phase"][0] == HAND_OVER:
            play_action(games, -1, mask, out, MOVES, WORK)
        if games["phase"][0] == MATCH_OVER:
            return
        yield games, mask
        action = choose(mask, rng)
