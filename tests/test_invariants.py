"""What holds after every move of long random play, whatever the rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from random_play import decisions, eager_move, rule_sets

from scala40_env import actions
from scala40_env.batch import BatchGame
from scala40_env.cards import DECK_COUNTS, JOKER, NUM_CARD_TYPES
from scala40_env.engine.state import DRAW, MATCH_OVER, NONE, PLAY
from scala40_env.game import Game
from scala40_env.melds import check_meld
from scala40_env.position import set_hand, set_stock
from scala40_env.rules import Rules, RulesError

PLACES = np.arange(14)


def cards_of(games):
    """int[B, 53], how many cards of each type there are in a game, wherever they lie."""
    counts = games["hands"].sum(axis=1).astype(int)
    for name in ("stock", "pile"):
        lies = np.arange(108) < games[f"num_{name}"][:, None]
        for b in range(len(games)):
            counts[b] += np.bincount(games[name][b][lies[b]], minlength=NUM_CARD_TYPES)
    filled = games["meld_places"][:, :, None] >> PLACES & 1 == 1  # [B, 36, 14]
    joker = games["meld_jokers"][:, :, None] >> PLACES & 1 == 1
    kind, base = games["meld_kind"][:, :, None], games["meld_base"][:, :, None].astype(int)
    card = np.where(kind == 0, PLACES * 13 + base, base * 13 + PLACES % 13)
    card = np.where(joker, JOKER, card)
    for b in range(len(games)):
        counts[b] += np.bincount(card[b][filled[b]], minlength=NUM_CARD_TYPES)
    return counts


def check(games, counts):
    """The invariants of an array of games and of the numbers of their legal ids."""
    assert (cards_of(games) == DECK_COUNTS).all()
    hands = games["hands"]
    assert (hands >= 0).all() and (hands <= DECK_COUNTS).all()
    assert (hands.sum(axis=2) == games["hand_size"]).all()
    bits = np.uint64(1) << np.arange(JOKER, dtype=np.uint64)
    for name, least in (("held_once", 1), ("held_twice", 2)):
        assert (((hands[:, :, :JOKER] >= least) * bits).sum(axis=2) == games[name]).all()
    assert ((counts > 0) == (games["phase"] != MATCH_OVER)).all()
    assert (games["num_melds"] <= 36).all() and (games["num_stock"] >= 0).all()
    after_last = np.arange(36) >= games["num_melds"][:, None]
    assert not games["meld_places"][after_last].any()
    assert not (games["meld_jokers"] & ~games["meld_places"]).any()
    drawing = games[games["phase"] == DRAW]
    assert (drawing["num_stock"] > 0).all()
    assert (drawing["taken"] == NONE).all() and not drawing["recovered"].any()
    assert not drawing["meld_new"].any() and not drawing["opened_this_turn"].any()


def eager_ids(batch, rng):
    """Random legal ids of players that take and lay often."""
    ids = batch.random_actions()
    lays = batch.masks.copy()
    lays[:, actions.DRAW_ID] = lays[:, actions.DISCARD_ID : actions.MELD_ID] = 0
    lays[:, actions.RETURN_ID] = 0
    for b in np.flatnonzero(lays.any(axis=1)):
        if rng.random() < 0.8:
            ids[b] = rng.choice(np.flatnonzero(lays[b]).tolist())
    return ids


@pytest.mark.parametrize("seed", range(0, 96, 32))
def test_invariants_hold_after_every_id(seed):
    batch = BatchGame(rule_sets(32, seed), 32, seed=seed, auto_reset=True)
    rng = random.Random(seed)
    for _ in range(500):
        batch.step(eager_ids(batch, rng))
        check(batch.games, batch.counts)
    assert batch.hand_numbers.sum() > 10


@pytest.mark.slow
def test_invariants_hold_for_long():
    batch = BatchGame(rule_sets(1000, 10_000), 1000, seed=1, auto_reset=True)
    rng = random.Random(1)
    for _ in range(3000):
        batch.step(eager_ids(batch, rng))
        check(batch.games, batch.counts)


@st.composite
def any_rules(draw):
    """A rule set drawn from all allowed values, one field at a time."""
    values = {}
    for name, spec in Rules.SPECS.items():
        allowed = st.sampled_from(list(spec.allowed)[:400])
        values[name] = draw(allowed | st.none() if spec.nullable else allowed)
    values["max_turns"] = min(values["max_turns"], 60)
    values["max_hands"] = 2
    try:
        return Rules(**values)
    except RulesError:
        return Rules(**{**values, "teams": "none", "reentry": "off"})


@examples(max_examples=60)
@given(any_rules(), st.integers(0, 2**64 - 1), st.randoms(use_true_random=False))
def test_any_rules_play_to_an_end(rules, seed, rng):
    """Every match ends or is cut short, every turn can be finished, every meld is a meld."""
    game = Game(rules, seed)
    most = 2 * 60 * 40  # hands, turns, moves a turn
    for _ in range(most):
        if game.match_over:
            break
        if game.hand_over:
            game.next_hand()
            continue
        assert game.legal_moves()
        game.push(eager_move(game, rng))
        if game.phase == "draw":
            for meld in game.table:
                check_meld(meld, rules)
    assert game.match_over


@pytest.mark.parametrize("number", range(0, 60, 20))
def test_one_who_never_lays_does_not_hold_up_a_match(number):
    for rules in rule_sets(20, number):
        game = Game(rules.with_(max_hands=2), number)
        rng = random.Random(number)
        moves = 0
        while not game.match_over:
            if game.hand_over:
                game.next_hand()
                continue
            legal = game.legal_moves()
            passing = [m for m in legal if m.action == 0 or actions.is_discard(m.action)]
            game.push(rng.choice(passing or legal))
            moves += 1
            assert moves <= 2 * 2 * rules.max_turns
        assert game.truncated or game.winner is not None


def redealt(game, seat, rng):
    """The same game with all cards that a seat cannot see dealt anew."""
    other = game.clone()
    row = other.array[0]
    seats = [p for p in range(game.rules.num_players) if p != seat]
    hidden = [card for p in seats for card in game.hand(p)] + game.stock
    rng.shuffle(hidden)
    for p in seats:
        size = game.hand_sizes[p]
        set_hand(row, p, hidden[:size])
        hidden = hidden[size:]
    set_stock(row, hidden)
    row["seed"] += 1
    row["rng"] += 1
    return other


@pytest.mark.parametrize("number", range(0, 24, 8))
def test_a_view_does_not_depend_on_what_is_hidden(number):
    """Unless it is known: then the redeal would contradict it, and is left out here."""
    compared = 0
    for rules in rule_sets(8, number):
        rng = random.Random(number)
        for game in decisions(Game(rules, number), rng, most=150):
            row = game.array[0]
            if game.reshuffles or row["known_jokers"].any() or row["kept"] != NONE:
                continue
            for seat in range(rules.num_players):
                if row["taken"] != NONE and seat != game.player:
                    continue
                other = redealt(game, seat, rng)
                assert other.view(seat).array.tobytes() == game.view(seat).array.tobytes()
                if seat == game.player and game.phase != "over":
                    assert other.legal_moves() == game.legal_moves()
                compared += 1
    assert compared > 300


def test_a_turn_is_one_draw_and_one_discard():
    """The number of cards drawn less those discarded follows from the turns alone."""
    batch = BatchGame("browser", 64, seed=9)
    for _ in range(400):
        before = batch.games.copy()
        ids = batch.random_actions()
        batch.step(ids)
        drew = ids == actions.DRAW_ID
        same_hand = batch.hand_numbers == before["hand_number"]
        kept = batch.games["reshuffles"] == before["reshuffles"]
        fell = before["num_stock"] - batch.games["num_stock"]
        assert (fell[same_hand & kept] == drew[same_hand & kept]).all()
        assert ((batch.phases == PLAY) | ~drew | ~same_hand).all()
