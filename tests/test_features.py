"""The learner's features against plain arithmetic, and what they must not know."""

from itertools import combinations

import numpy as np
import pytest

from scala40_env.agents.features import (
    CHOICE,
    CHOICE_AT,
    CHOICE_SIZE,
    HIDDEN,
    STATE,
    STATE_SIZE,
    describe,
    encode_views,
    new_feature_work,
)
from scala40_env.batch import BatchGame
from scala40_env.cards import parse_card
from scala40_env.engine.calls import MAX_MOVES
from scala40_env.engine.state import PLAY
from scala40_env.engine.worlds import sample_world
from scala40_env.game import Game
from scala40_env.train.opponents import advice_figures

AT = {
    part: dict(
        zip(
            [block.name for block in blocks],
            np.cumsum([0, *(block.size for block in blocks)]).tolist(),
            strict=False,
        )
    )
    for part, blocks in (("state", STATE), ("choice", CHOICE), ("hidden", HIDDEN))
}


def encode(views):
    """States, choices, offsets and moves of some views."""
    count = len(views)
    states = np.zeros((count, STATE_SIZE), np.float32)
    choices = np.zeros((count * 40 + MAX_MOVES, CHOICE_SIZE), np.float32)
    offsets = np.zeros(count + 1, np.int64)
    moves = np.zeros((len(choices), 2), np.int16)
    done = encode_views(
        views, 0, advice_figures(), states, choices, offsets, moves, new_feature_work()
    )
    assert done == count
    return states, choices[: offsets[-1]], offsets, moves[: offsets[-1]]


def play_on(steps, games=64, seed=5):
    batch = BatchGame("browser", num_games=games, seed=seed)
    for _ in range(steps):
        batch.step(batch.random_actions())
    return batch


def is_meld(cards):
    """Whether three natural cards are a meld, by the words of the rules."""
    ranks, suits = {c % 13 for c in cards}, {c // 13 for c in cards}
    if len(ranks) == 1:
        return len(suits) == 3
    if len(suits) != 1 or len(ranks) != 3:
        return False
    low = sorted(ranks)
    return low[2] - low[0] == 2 or low == [0, 11, 12]


OTHER_HAND = "2S 2S 2C 4H 4D 6S 6S 7S TC TC JC QS 5D"


def position(hand, **more):
    """The view and encoding of seat 0, which has drawn and holds these cards."""
    settings = {"rules": {"preset": "browser"}, "hands": [hand.split(), OTHER_HAND.split()]}
    game = Game.from_position(settings | {"player": 0, "phase": "play", "pile": ["9C"]} | more)
    return encode(game.view(0).array)


def test_slices_lie_side_by_side_and_are_described():
    lines = describe().splitlines()
    assert len(lines) == len(STATE) + len(CHOICE) + len(HIDDEN)
    assert sum(block.size for block in STATE) == STATE_SIZE


def test_outs_are_the_cards_that_make_a_meld_with_two_of_the_rest():
    batch = play_on(steps=20)
    views = batch.views()
    states, _, _, _ = encode(views)
    hand = states[:, :52]
    first = AT["state"]["outs"]
    checked = 0
    for row in range(len(views)):
        if states[row, AT["state"]["melds"]] > 0:
            continue  # the rest is the whole hand
        held = np.flatnonzero(hand[row])
        outs = {
            c for c in range(52)
            for pair in combinations(held.tolist(), 2)
            if c not in pair and is_meld((c, *pair))
        }  # fmt: skip
        assert set(np.flatnonzero(states[row, first : first + 52]).tolist()) == outs
        checked += 1
    assert checked > 10


def test_every_decision_has_one_move_of_each_level():
    states, choices, offsets, _ = encode(play_on(steps=60).views())
    for name in ("hard", "normal"):
        marks = choices[:, AT["choice"][name]]
        assert (np.add.reduceat(marks, offsets[:-1]) == 1).all()


def test_views_decide_alone_what_is_hidden_changes_nothing():
    batch = play_on(steps=40)
    views = batch.views()
    shown = encode(views)
    played = batch.games.copy()
    rng = np.random.default_rng(0)
    for b, seat in enumerate(batch.players.tolist()):
        batch.games[b : b + 1] = sample_world(views[b : b + 1], seat, rng)
    others = np.arange(len(played)), 1 - batch.players
    assert (batch.games["hands"][others] != played["hands"][others]).any(axis=1).mean() > 0.9
    assert (batch.games["stock"] != played["stock"]).any(axis=1).mean() > 0.9
    for before, after in zip(shown, encode(batch.views()), strict=True):
        assert np.array_equal(before, after)


def test_moves_are_the_legal_ones_and_numbers_are_finite():
    batch = play_on(steps=80)
    states, choices, offsets, moves = encode(batch.views())
    assert np.isfinite(states).all() and np.isfinite(choices).all()
    for b in range(len(batch)):
        ids = set(moves[offsets[b] : offsets[b + 1], 0].tolist())
        assert ids <= set(np.flatnonzero(batch.masks[b]).tolist()) | {batch.games[b]["pending"]}


def test_left_is_the_cost_after_the_best_use_of_the_hand():
    hand = "3S 4S 5S 9D KH KD KC 2C 7H 8H JD QD AH 6C"
    states, choices, offsets, moves = position(hand)
    # 3-4-5 of spades and the kings go down; what stays costs 9+2+7+8+10+10+11+6.
    assert states[0, AT["state"]["left"]] == pytest.approx(0.63)
    discard = 3 + parse_card("AH")
    row = int(np.flatnonzero(moves[:, 0] == discard)[0])
    assert choices[row, AT["choice"]["left"]] == pytest.approx(0.52)
    assert choices[row, AT["choice"]["breaks"]] == 0
    row = int(np.flatnonzero(moves[:, 0] == 3 + parse_card("4S"))[0])
    assert choices[row, AT["choice"]["breaks"]] == 1
    assert choices[row, AT["choice"]["left"]] == pytest.approx(0.71)


def test_live_outs_count_only_unseen_copies():
    hand = "7S 7H 2D 4C 9D JS QC KD 3H 5S AC 8C 6D TH"
    all_there, *_ = position(hand)
    gone, *_ = position(hand, pile=["7D", "7D", "7C"])
    name = AT["state"]["live_outs"]
    assert all_there[0, name] - gone[0, name] == pytest.approx(3 / 20)


def test_choice_offsets_have_names():
    assert CHOICE_AT.hard == AT["choice"]["hard"]
    assert PLAY == 1
