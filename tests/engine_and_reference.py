"""Engine and reference side by side: the same deals, the same moves, every answer compared."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import reference as ref

from scala40_env.cards import card_text, parse_card
from scala40_env.engine.state import DRAW, HAND_OVER, NONE, PLAY
from scala40_env.game import Game
from scala40_env.melds import parse_meld
from scala40_env.position import set_hand, set_pile, set_stock
from scala40_env.rules import Rules, RulesError


def ints(cards):
    """Card texts as the numbers of the engine."""
    return [parse_card(card) for card in cards]


def texts(cards):
    """Card numbers as texts."""
    return [card_text(card) for card in cards]


def random_rules(seed: int) -> ref.Rules:
    """A random consistent rule set; those that `Rules` refuses are drawn again."""
    rng = random.Random(seed)
    while True:
        rules = ref.random_rules(rng, rng.choice((0, 2, 8, 15)))
        try:
            Rules.from_dict(rules)
        except RulesError:
            continue
        return rules


class Match:
    """A match of random play in both; `play` goes one decision further.

    Attributes:
        game: the engine's side.
        state: the reference's side.
    """

    def __init__(self, rules: ref.Rules, seed: int, lay_probability: float) -> None:
        self.rng = random.Random(seed)
        self.lay_probability = lay_probability
        self.recorder = ref.Recorder(rules, self.rng, with_legal=False)
        self.state = self.recorder.state
        self.game = Game(Rules.from_dict(rules), seed, self.state.dealer)
        self.hands = 0

    def decisions(self):
        """Compare the legal moves at every decision, and yield them before they are answered."""
        for state, legal in self.recorder.decisions():
            if len(self.recorder.record["hands"]) > self.hands:
                self._deal()
            assert self.game.player == state.player
            mine = self.game.legal_texts()
            assert sorted(mine) == legal, self.difference(mine, legal)
            yield legal
            self._play(ref.random_choice(legal, self.rng, self.lay_probability))

    def difference(self, mine, theirs) -> str:
        """What differs, and the position, for the message of a failed comparison."""
        more, less = sorted(set(mine) - set(theirs)), sorted(set(theirs) - set(mine))
        return f"only the engine {more}, only the reference {less} in {self.game.position()}"

    def _deal(self) -> None:
        if self.hands:
            self.game.next_hand()
        deal = self.recorder.record["hands"][-1]
        assert self.game.dealer == deal["dealer"]
        hands = [ints(cards) for cards in deal["hands"]]
        self.game.order_deal(hands, parse_card(deal["upcard"]), ints(deal["stock"]))
        self.hands += 1

    def _play(self, move: str) -> None:
        reshuffles = self.state.reshuffles
        self.recorder.play(move)
        self.game.push(move)
        if self.state.reshuffles > reshuffles:
            self.game.order_stock(ints(self.state.stock))
        if self.state.phase == "over":
            assert result(self.game) == reference_result(self.state)


def result(game: Game) -> dict[str, Any]:
    """How a hand and perhaps the match ended, by the engine."""
    return {
        "closer": game.closer,
        "in hand": game.closed_in_hand,
        "points": game.points,
        "totals": game.totals,
        "winner": game.winner,
        "truncated": game.truncated,
        "over": game.match_over,
    }


def reference_result(state: ref.State) -> dict[str, Any]:
    """How a hand and perhaps the match ended, by the reference."""
    return {
        "closer": state.closer,
        "in hand": state.closed_in_hand,
        "points": state.hand_points,
        "totals": state.totals,
        "winner": state.winner,
        "truncated": state.truncated,
        "over": state.match_over,
    }


def game_of(state: ref.State) -> Game:
    """A state of the reference in the engine, whether or not its cards make up a deck.

    The tests of single rules leave cards out of the game, which `Game.from_position` refuses.
    """
    game = Game(Rules.from_dict(state.rules), 0, state.dealer)
    row, n = game.array[0], len(state.hands)
    for seat, hand in enumerate(state.hands):
        set_hand(row, seat, ints(hand.elements()))
    set_pile(row, ints(state.pile))
    set_stock(row, ints(state.stock))
    row["num_melds"] = len(state.table)
    for m, text in enumerate(state.table):
        meld = parse_meld(text, game.rules)
        row["meld_kind"][m], row["meld_base"][m] = meld.kind, meld.base
        row["meld_places"][m], row["meld_jokers"][m] = meld.places, meld.jokers
        row["meld_new"][m] = m in state.laid_this_turn
    for name in ("player", "opened_this_turn", "laid_off_or_swapped", "returned", "recovered",
                 "reshuffles", "hand_number", "playoff"):  # fmt: skip
        row[name] = getattr(state, name)
    for name in ("opened", "turns", "totals", "reentries"):
        row[name][:n] = getattr(state, name)
    row["in_match"][:n] = state.seats_in
    row["taken"] = NONE if state.taken is None else parse_card(state.taken)
    row["phase"] = {"draw": DRAW, "play": PLAY, "over": HAND_OVER}[state.phase]
    return game


def copy_to_state(game: Game, state: ref.State) -> None:
    """Write all that moves change from a game of the engine into a state of the reference."""
    position = game.position()
    for name in ("table", "laid_this_turn", "opened_this_turn", "laid_off_or_swapped", "taken",
                 "returned", "recovered", "pile", "turns", "reshuffles", "opened", "player",
                 "phase", "totals", "reentries"):  # fmt: skip
        setattr(state, name, position[name])
    state.hands = [Counter(hand) for hand in position["hands"]]
    state.stock = position["stock"]
    state.kept = position["kept"] is not None and game.phase == "play"
    state.closer, state.closed_in_hand = game.closer, game.closed_in_hand
    state.hand_points = game.points
    state.winner, state.truncated = game.winner, game.truncated
    state.seats_in = game.in_match
    state.playoff = position["history"]["playoff"]
