"""What a learned player does differently from the hard level, and what it knows of the other hand.

    python -m scala40_env.train.portrait --player learned --hands 2000 --out docs/results

Both play single hands against each other. Written are ``portrait.json``, with the habits of each of
the two, and ``belief.png``: how often a card is in the opponent's hand, by how likely the network
thought that was.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import tyro
from numpy.typing import NDArray

from scala40_env.actions import RETURN, TAKE, Move, discard_card, is_discard, is_meld
from scala40_env.agents.base import Agent
from scala40_env.agents.features import (
    CHOICE_SIZE,
    STATE_AT,
    STATE_SIZE,
    encode_views,
    new_feature_work,
)
from scala40_env.agents.learned import LearnedAgent, Network, load
from scala40_env.agents.registry import make_agent
from scala40_env.cards import JOKER, NUM_CARD_TYPES
from scala40_env.engine.calls import MAX_MOVES
from scala40_env.game import Game
from scala40_env.rules import Rules
from scala40_env.train.checkpoint import write_json
from scala40_env.train.opponents import advice_figures

_FIRST_SEED: Final = 1 << 51  # apart from training, selection and test
_BINS: Final = 10


@dataclass(frozen=True)
class PortraitConfig:
    """A portrait of a player of two-player ``browser``."""

    player: str = "learned"
    """The learned player, or a checkpoint."""
    hands: int = 2000
    """Hands against the hard level; each deal twice, with the seats swapped."""
    out: Path = Path("docs/results")
    """Folder of portrait.json and belief.png."""


@dataclass
class Habits:
    """What one player did, hand by hand and move by move."""

    won: list[bool] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    opening_turns: list[int] = field(default_factory=list)
    lost_points: list[int] = field(default_factory=list)
    lost_unopened: list[bool] = field(default_factory=list)
    took: list[bool] = field(default_factory=list)
    thrown_jokers: list[bool] = field(default_factory=list)
    thrown_high: list[bool] = field(default_factory=list)
    held_back: list[bool] = field(default_factory=list)
    as_hard: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def note_move(self, game: Game, move: Move, of_hard: Move) -> None:
        """Note a move before it is carried out, and what the hard level would have done."""
        if len(game.legal_moves()) > 1:
            self.as_hard.append(move == of_hard)
        if TAKE in game.legal_moves():
            self.took.append(move == TAKE)
        elif move == RETURN:
            self.took[-1] = False
        if is_discard(move.action):
            card = discard_card(move.action)
            self.thrown_jokers.append(card == JOKER)
            self.thrown_high.append(card != JOKER and card % 13 >= 9)
            self.held_back.append(is_meld(of_hard.action))

    def note_end(self, game: Game, seat: int) -> None:
        """Note the end of a hand."""
        self.won.append(game.closer == seat)
        self.turns.append(game.turns[seat])
        if game.closer not in (None, seat):
            self.lost_points.append(game.points[seat])
            self.lost_unopened.append(not game.opened[seat])

    def figures(self) -> dict[str, float]:
        """Return the means: shares, turns and points."""
        return {
            "hands": len(self.won),
            "hands won": _mean(self.won),
            "turns a hand": _mean(self.turns),
            "turn of the opening": _mean(self.opening_turns),
            "hands opened": len(self.opening_turns) / len(self.won),
            "discards taken, of those that could be": _mean(self.took),
            "discards from ten to king": _mean(self.thrown_high),
            "discards that are jokers": _mean(self.thrown_jokers),
            "discards with a meld held back that hard would lay": _mean(self.held_back),
            "decisions as hard": _mean(self.as_hard),
            "points left when it loses": _mean(self.lost_points),
            "losses without having opened": _mean(self.lost_unopened),
            "milliseconds a decision": 1e3 * float(np.median(self.seconds)),
        }


class Beliefs:
    """How likely each card in the opponent's hand seemed, to a network and to a uniform guess."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._work = new_feature_work()
        self._advice = advice_figures()
        self._held: list[NDArray[np.bool_]] = []
        self._states: list[NDArray[np.float32]] = []

    def note(self, game: Game) -> None:
        """Note a decision of the network's seat."""
        state, moves = np.zeros((1, STATE_SIZE), np.float32), np.zeros((MAX_MOVES, 2), np.int16)
        choices, offsets = np.zeros((MAX_MOVES, CHOICE_SIZE), np.float32), np.zeros(2, np.int64)
        view = game.view(game.player).array
        encode_views(view, 0, self._advice, state, choices, offsets, moves, self._work)
        self._states.append(state[0])
        self._held.append(game.array["hands"][0, 1 - game.player, :NUM_CARD_TYPES] > 0)

    def chances(self) -> dict[str, NDArray[np.float64]]:
        """Return the chances by who guessed: float64[N, 53]."""
        states = np.stack(self._states)
        unseen = states[:, STATE_AT.unseen : STATE_AT.unseen + NUM_CARD_TYPES]
        cards = 13 * states[:, STATE_AT.their_cards]
        share = cards / np.maximum(unseen.sum(axis=1), 1)
        uniform = 1 - (1 - np.minimum(share, 1)[:, None]) ** unseen
        return {"network": self._network.belief(states), "uniform guess": uniform}

    @property
    def held(self) -> NDArray[np.bool_]:
        """bool[N, 53]: whether the opponent held the card."""
        return np.stack(self._held)


def log_loss(chances: NDArray[np.float64], held: NDArray[np.bool_]) -> float:
    """Return the mean log-loss a card, in nats."""
    clipped = np.clip(chances, 1e-3, 1 - 1e-3)
    return float(-np.where(held, np.log(clipped), np.log(1 - clipped)).mean())


def calibration(
    chances: NDArray[np.float64], held: NDArray[np.bool_]
) -> list[tuple[float, float, int]]:
    """Return, for bins of the chance: its mean, how often the card was held, how many cards."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    found = [bins == k for k in range(_BINS)]
    return [
        (float(chances[b].mean()), float(held[b].mean()), int(b.sum())) for b in found if b.any()
    ]


def play_hand(
    game: Game, players: list[Agent], habits: list[Habits], hard: Agent, beliefs: Beliefs
) -> None:
    """Play a hand; players and their habits are given by seat."""
    opened = [False, False]
    while game.phase in ("draw", "play"):
        seat = game.player
        view, legal = game.view(seat), game.legal_moves()
        start = time.perf_counter()
        move = players[seat].act(view, legal)
        habits[seat].seconds.append(time.perf_counter() - start)
        of_hard = move if players[seat] is hard else hard.act(view, legal)
        habits[seat].note_move(game, move, of_hard)
        if isinstance(players[seat], LearnedAgent) and is_discard(move.action):
            beliefs.note(game)
        game.push(move)
        if game.opened[seat] and not opened[seat]:
            opened[seat] = True
            habits[seat].opening_turns.append(game.turns[seat])
    for seat in range(2):
        habits[seat].note_end(game, seat)


def portrait(config: PortraitConfig) -> dict[str, Any]:
    """Play the hands and return all figures; the picture is written.

    Raises:
        ValueError: there is no such player, or there are too few hands.
    """
    if config.hands < 2:
        raise ValueError(f"hands = {config.hands} must be at least 2: each deal is played twice")
    config.out.mkdir(parents=True, exist_ok=True)
    learned, hard = load(config.player), make_agent("hard")
    assert isinstance(learned.network, Network)
    rules, beliefs = Rules.preset("browser", mode="single_hand"), Beliefs(learned.network)
    habits = [Habits(), Habits()]
    for number in range(config.hands):
        order = [0, 1] if number % 2 == 0 else [1, 0]
        game = Game(rules, seed=_FIRST_SEED + number // 2)
        players: list[Agent] = [learned, hard]
        play_hand(game, [players[i] for i in order], [habits[i] for i in order], hard, beliefs)
    chances, held = beliefs.chances(), beliefs.held
    curves = {name: calibration(guess, held) for name, guess in chances.items()}
    _plot(curves, config.out / "belief.png")
    return {
        "players": {learned.name: habits[0].figures(), hard.name: habits[1].figures()},
        "belief": {
            "decisions": len(held),
            "log-loss a card": {name: log_loss(guess, held) for name, guess in chances.items()},
            "calibration": curves,
        },
        "seeds": [_FIRST_SEED, _FIRST_SEED + (config.hands - 1) // 2],
    }


def _plot(curves: dict[str, list[tuple[float, float, int]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=1)
    for (name, curve), colour in zip(curves.items(), ("C0", "C1"), strict=True):
        expected, found, _ = zip(*curve, strict=True)
        axes.plot(expected, found, "o-", color=colour, label=name, markersize=4)
    axes.set(
        xlabel="chance given to a card of the opponent's hand", ylabel="how often it was there"
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Make a portrait from the command line."""
    config = tyro.cli(PortraitConfig, description=__doc__)
    try:
        result = portrait(config)
        write_json(config.out / "portrait.json", result)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    columns = list(result["players"].items())
    print(f"{'':52}{columns[0][0]:>12}{columns[1][0]:>12}")
    for name in columns[0][1]:
        print(f"{name:52}{columns[0][1][name]:12.3f}{columns[1][1][name]:12.3f}")
    for name, loss in result["belief"]["log-loss a card"].items():
        print(f"log-loss a card, {name}: {loss:.4f}")


def _mean(values: list[Any]) -> float:
    return float(np.mean(values)) if values else float("nan")


if __name__ == "__main__":
    main()
