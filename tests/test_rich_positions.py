"""Engine and reference agree on made-up positions that random deals hardly ever reach.

Hands of few suits and ranks with up to four jokers, tables full of jokers, half openings, taken
cards and recovered jokers, under rules that make much of them.
"""

from __future__ import annotations

import random

import pytest
import reference as ref

from scala40_env.game import Game
from scala40_env.melds import InvalidMeldError, check_meld, parse_meld
from scala40_env.position import PositionError
from scala40_env.rules import Rules

VARIED = (
    "opening_min", "opening_joker", "jokers_per_meld", "min_naturals", "max_run", "set_joker",
    "recovered_joker", "attach_discard_opened", "attach_discard_unopened",
    "attach_discard_closing", "joker_discard", "close_without_discard", "first_turn_close",
    "hand_close_exempt_40", "ace_low_value", "card_values",
)  # fmt: skip


def rich_rules(rng: random.Random) -> ref.Rules:
    """Rules in which about half of the parameters that decide moves are drawn at random."""
    rules = ref.make_rules(rng.choice(sorted(ref.PRESETS)))
    for name in VARIED:
        if rng.random() < 0.4:
            rules[name] = rng.choice(ref.VARIETY[name])
    return rules


def some_melds(rules: ref.Rules, rng: random.Random, deck: list[str], count: int) -> list[str]:
    """Melds that may lie on a table, their cards taken out of the deck."""
    melds: list[str] = []
    for _ in range(20 * count):
        if len(melds) == count:
            break
        shape = list(rng.choice(ref.SHAPES))
        if rng.random() < 0.3:
            low = rng.randrange(1, 8)
            suit = rng.choice("SHDC")
            shape = [ref.card_at(low + i, suit) for i in range(rng.randrange(3, 8))]
        tokens = [card + "*" if rng.random() < 0.25 else card for card in shape]
        try:
            meld = parse_meld(tokens, Rules.from_dict(rules))
            check_meld(meld, Rules.from_dict(rules))
        except InvalidMeldError:
            continue
        if _take(deck, [ref.hand_card(token) for token in tokens]):
            melds.append(" ".join(tokens))
    return melds


def _take(deck: list[str], cards: list[str]) -> bool:
    left = list(deck)
    for card in cards:
        if card not in left:
            return False
        left.remove(card)
    deck[:] = left
    return True


def rich_position(seed: int) -> dict:
    """A position before or after the draw; the seat to move may owe whatever can be owed."""
    rng = random.Random(seed)
    rules = rich_rules(rng)
    deck = list(ref.DECK)
    rng.shuffle(deck)
    melds = some_melds(rules, rng, deck, rng.randrange(0, 5))
    suits, jokers = rng.sample("SHDC", 2), rng.choice((0, 1, 1, 2, 2, 3, 4))
    near = [card for card in deck if card[-1] in suits and card != "*"]
    hand = [card for card in deck if card == "*"][:jokers]
    size = rng.randrange(2, 11)
    hand += (near if rng.random() < 0.6 else [c for c in deck if c != "*"])[:size]
    _take(deck, hand)
    phase = rng.choice(("draw", "play", "play"))
    position = {
        "rules": rules,
        "phase": phase,
        "hands": [hand, [deck.pop()]],
        "opened": [rng.random() < 0.55, True],
        "table": melds,
        "turns": [rng.choice((0, 3)), 3],
        "pile": [deck.pop() for _ in range(rng.randrange(0, 3))],
    }
    position["stock"] = deck
    if phase == "play" and position["opened"][0] and rng.random() < 0.3:
        position["opened_this_turn"] = bool(melds)
        position["laid_this_turn"] = list(range(len(melds)))[:1]
    if phase == "play" and rng.random() < 0.3:
        position["taken"] = rng.choice(hand)
    if phase == "play" and position["opened"][0] and "*" in hand and rng.random() < 0.3:
        position["recovered"], position["laid_off_or_swapped"] = 1, True
    return position


def opening_position(seed: int) -> dict:
    """A position in which a seat that has not opened owes a taken card, mostly a joker."""
    rng = random.Random(seed)
    rules = rich_rules(rng) | {"opening_joker": rng.random() < 0.3, "opening_min": 40}
    deck = list(ref.DECK)
    rng.shuffle(deck)
    hand: list[str] = []
    for _ in range(rng.choice((2, 3, 3, 4))):
        shape = list(rng.choice(ref.SHAPES))
        hand += shape if len(hand) <= 9 and _take(deck, shape) else []
    loose = [card for card in deck if card != "*"][: 12 - len(hand)]
    more = loose + ["*"] * rng.choice((1, 1, 2))
    _take(deck, more)
    hand += more
    melds = some_melds(rules, rng, deck, rng.randrange(0, 3))
    return {
        "rules": rules,
        "phase": "play",
        "hands": [hand, [deck.pop()]],
        "opened": [False, True],
        "table": melds,
        "turns": [3, 3],
        "pile": [deck.pop()],
        "taken": "*" if rng.random() < 0.7 else rng.choice(hand),
        "stock": deck,
    }


def compare(position: dict, seed: int, most: int) -> int:
    """Compare along one random turn from a position; returns the number of decisions."""
    state, rng = ref.from_position(position), random.Random(seed)
    legal = ref.legal_moves(state)
    try:
        game = Game.from_position(position)
    except PositionError as error:
        assert "cannot finish" in str(error) and not legal, (seed, str(error), legal)
        return 1
    for number in range(most):
        mine = sorted(game.legal_texts())
        assert mine == legal, (seed, number, set(mine) ^ set(legal), game.position())
        assert legal, (seed, game.position())
        move = ref.random_choice(legal, rng, 0.95)
        ref.apply(state, move, restock=lambda cards: cards)
        game.push(move)
        if move.startswith("discard") or state.phase == "over":
            assert game.phase == state.phase
            return number + 1
        legal = ref.legal_moves(state)
    return most


@pytest.mark.parametrize("seed", range(0, 800, 100))
def test_rich_positions_agree(seed):
    assert sum(compare(rich_position(i), i, most=12) for i in range(seed, seed + 100)) > 150


@pytest.mark.parametrize("seed", range(0, 400, 100))
def test_openings_that_owe_a_taken_card_agree(seed):
    assert sum(compare(opening_position(i), i, most=12) for i in range(seed, seed + 100)) > 300


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10_000, 60_000, 1000))
def test_many_rich_positions_agree(seed):
    for i in range(seed, seed + 1000):
        compare(rich_position(i), i, most=20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10_000, 20_000, 1000))
def test_many_openings_that_owe_a_taken_card_agree(seed):
    for i in range(seed, seed + 1000):
        compare(opening_position(i), i, most=20)


def test_two_jokers_make_two_runs_of_four_cards_in_a_row():
    """5 6 7* and 7 8 9* are worth 42; neither may keep its natural 7 or 6 to itself."""
    hand = ["5C", "6C", "7C", "8C", "*", "*", "QH", "2D"]
    position = {
        "rules": ref.make_rules(),
        "phase": "play",
        "hands": [hand, ["3D"]],
        "turns": [3, 3],
    }
    melds = [text for text in Game.from_position(position).legal_texts() if text[0] == "m"]
    assert melds == ["meld 5C 6C 7C*", "meld 7C 8C 9C*"]
    legal = ref.legal_moves(ref.from_position(position))
    assert melds == [text for text in legal if text[0] == "m"]


def test_an_ace_may_be_wanted_at_both_ends():
    """A 2* 3 and Q K A*: the ace is natural in the one and a joker in the other."""
    hand = ["AC", "3C", "QC", "KC", "*", "*", "*", "6S"]
    position = {
        "rules": ref.make_rules(),
        "phase": "play",
        "hands": [hand, ["3D"]],
        "turns": [3, 3],
        "table": ["4D 5D* 6D"],
        "laid_this_turn": [0],
    }
    assert "meld AC 2C* 3C" in ref.legal_moves(ref.from_position(position))
    assert "meld AC 2C* 3C" in Game.from_position(position).legal_texts()


def test_a_meld_short_of_naturals_may_open_the_way_to_the_swap_that_helps_it():
    """Q* K* A and J* open; JH for the joker of the set gives T*, which reaches the natural 9."""
    position = {
        "rules": ref.make_rules(jokers_per_meld=0, set_joker="any_missing"),
        "phase": "play",
        "hands": [["AS", "9S", "3H", "JH", "7D", "2C", "*", "*", "*"], ["3D"]],
        "turns": [3, 3],
        "table": ["JS JD* JC"],
    }
    legal = ref.legal_moves(ref.from_position(position))
    assert [text for text in legal if text[0] == "m"] == ["meld QS* KS* AS"]
    assert sorted(Game.from_position(position).legal_texts()) == legal
