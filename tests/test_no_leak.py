"""What a seat does not know must not show: not in views, masks or observations, nor in worlds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from engine_play import MOVES, RULE_SETS, WORK, play

from scala40_env.cards import DECK_COUNTS, JOKER
from scala40_env.engine import calls
from scala40_env.engine.observe import OBSERVATION_SIZE, play_action
from scala40_env.engine.state import NUM_TYPES, new_games
from scala40_env.engine.tables import NUM_ACTIONS
from scala40_env.engine.worlds import sample_world, sample_worlds
from scala40_env.game import GameState
from scala40_env.observation import SLICES, observe
from scala40_env.rules import Rules

each_rule_set = pytest.mark.parametrize("name", RULE_SETS)


def view_of(games: np.ndarray, seat: int) -> np.ndarray:
    """The game as a seat sees it."""
    views = new_games(1)
    calls.view_games(games, np.array([seat]), views, 0, 1)
    return views


def mask_of(games: np.ndarray) -> np.ndarray:
    """The mask of the seat to move."""
    mask, out = np.zeros(NUM_ACTIONS, np.int8), np.zeros(OBSERVATION_SIZE, np.float32)
    play_action(games, -1, mask, out, MOVES, WORK)
    return mask


def known_cards(game: np.void, p: int) -> Counter[int]:
    """The cards that everybody knows to be in a hand, read from the public history."""
    known = Counter({JOKER: int(game["known_jokers"][p])})
    if game["kept_seat"] == p and game["kept"] >= 0:
        known[int(game["kept"])] += 1
    if game["player"] == p and game["taken"] >= 0:
        known[int(game["taken"])] += 1
    return +known


def set_hand(game: np.void, p: int, cards: list[int]) -> None:
    """Put cards into a hand, with the bit masks that go with them."""
    counts = Counter(cards)
    game["hands"][p] = [counts[card] for card in range(NUM_TYPES)]
    naturals = [card for card in counts if card != JOKER]
    game["held_once"][p] = sum(1 << card for card in naturals)
    game["held_twice"][p] = sum(1 << card for card in naturals if counts[card] == 2)


def redeal_hidden(games: np.ndarray, seat: int, rng: np.random.Generator) -> np.ndarray:
    """Deal all that a seat does not know anew: the other hands, the stock, the chance to come."""
    redealt = games.copy()
    game = redealt[0]
    others = [p for p in range(game["rules"][0]) if p != seat and game["hand_size"][p] > 0]
    known = {p: known_cards(game, p) for p in others}
    hidden = {
        p: list((Counter(dict(enumerate(game["hands"][p].tolist()))) - known[p]).elements())
        for p in others
    }
    n = int(game["num_stock"])
    pool = [card for p in others for card in hidden[p]]
    stock = game["stock"][:n].tolist()
    if not game["reshuffles"]:  # the seat knows what a renewed stock holds
        pool, stock = stock + pool, []
    rng.shuffle(pool)
    if not stock:
        stock, pool = pool[:n], pool[n:]
    rng.shuffle(stock)
    game["stock"][:n] = stock
    for p in others:
        count = len(hidden[p])
        set_hand(game, p, [*pool[:count], *known[p].elements()])
        pool = pool[count:]
    game["seed"], game["rng"] = rng.integers(1 << 63, size=2)
    for p in others:
        game["known_stock"][p] = rng.integers(0, 3, size=NUM_TYPES)
    return redealt


@each_rule_set
def test_a_redeal_of_what_is_hidden_changes_nothing_a_seat_gets(name):
    rules, rng = RULE_SETS[name], np.random.default_rng(1)
    changed = 0
    for games, mask in play(rules, 11, 250):
        for seat in range(rules.num_players):
            redealt = redeal_hidden(games, seat, rng)
            changed += redealt["hands"].tobytes() != games["hands"].tobytes()
            assert view_of(redealt, seat).tobytes() == view_of(games, seat).tobytes()
            np.testing.assert_array_equal(observe(redealt, seat), observe(games, seat))
            if seat == games["player"][0]:
                np.testing.assert_array_equal(mask_of(redealt), mask)
    assert changed > 200


@each_rule_set
def test_a_view_holds_no_hidden_card(name):
    rules = RULE_SETS[name]
    for games, _ in play(rules, 12, 100):
        for seat in range(rules.num_players):
            view = view_of(games, seat)[0]
            others = [p for p in range(6) if p != seat]
            for field in ("hands", "held_once", "held_twice", "known_stock"):
                assert not view[field][others].any()
            for field in ("stock", "seed", "rng"):
                assert not view[field].any()
            for field in ("hand_size", "num_stock", "pile", "discarded", "takes"):
                np.testing.assert_array_equal(view[field], games[0][field])


def visible(game: np.void, rules: Rules) -> Counter[int]:
    """The cards on the table and on the pile."""
    state = GameState(game.reshape(1), rules)
    cards = Counter(state.pile)
    for meld in state.table:
        cards.update(JOKER if joker else card for card, joker in meld.cards())
    return cards


@each_rule_set
def test_a_world_agrees_with_the_view_and_has_all_the_cards(name):
    rules, rng = RULE_SETS[name], np.random.default_rng(2)
    for games, mask in play(rules, 13, 250):
        for seat in range(rules.num_players):
            view = view_of(games, seat)
            world = sample_world(view, seat, rng)
            assert view_of(world, seat).tobytes() == view.tobytes()
            game = world[0]
            cards = visible(game, rules) + Counter(game["stock"][: game["num_stock"]].tolist())
            for p in range(rules.num_players):
                hand = Counter(dict(enumerate(game["hands"][p].tolist())))
                assert hand.total() == game["hand_size"][p]
                assert known_cards(game, p) <= hand
                cards += hand
            assert cards == Counter(dict(enumerate(DECK_COUNTS.tolist())))
            for p in range(rules.num_players):
                naturals = game["hands"][p][:JOKER]
                once, twice = (sum(1 << c for c in np.flatnonzero(naturals >= k)) for k in (1, 2))
                assert (game["held_once"][p], game["held_twice"][p]) == (once, twice)
            if seat == games["player"][0]:
                np.testing.assert_array_equal(mask_of(world), mask)


NEVER_OPENS = Rules.preset("browser", opening_min=200, discard_before_opening="never")


def test_worlds_keep_the_stock_within_what_is_known_of_it():
    seen = 0
    for games, _ in play(NEVER_OPENS.with_(num_players=3, reshuffles=None), 5, 600):
        if not games["reshuffles"][0]:
            continue
        seen += 1
        for seat in range(3):
            world = sample_world(view_of(games, seat), seat, np.random.default_rng(seen))[0]
            n = int(world["num_stock"])
            stock = np.bincount(world["stock"][:n], minlength=NUM_TYPES)
            assert (stock <= games["known_stock"][0, seat]).all()
            for p in range(3):
                assert (stock <= world["known_stock"][p]).all()
    assert seen > 50


def test_with_two_players_a_renewed_stock_gives_the_other_hand_away():
    for games, _ in play(NEVER_OPENS, 5, 600):
        if games["reshuffles"][0] and games["phase"][0] == 0:
            break
    seat = int(games["player"][0])  # nobody has drawn from the new stock yet
    for seed in range(20):
        world = sample_world(view_of(games, seat), seat, np.random.default_rng(seed))
        np.testing.assert_array_equal(world["hands"], games["hands"])
        stock = [np.sort(g["stock"][0, : g["num_stock"][0]]) for g in (world, games)]
        np.testing.assert_array_equal(*stock)


def frequencies(worlds: np.ndarray, p: int) -> np.ndarray:
    """The mean number of each card in a hand."""
    return worlds["hands"][:, p].mean(axis=0)


def sample(games: np.ndarray, seat: int, count: int) -> np.ndarray:
    """Many worlds of one view."""
    worlds, seeds = new_games(count), np.arange(count, dtype=np.uint64)
    scratch = np.zeros(NUM_TYPES, np.int8)
    assert sample_worlds(view_of(games, seat), 0, seat, seeds, worlds, scratch)
    return worlds


def test_every_unseen_card_is_in_a_hand_as_often_as_its_share():
    games = next(g.copy() for g, _ in play(RULE_SETS["fisca-3"], 3, 60) if g["phase"][0] == 1)
    seat, count = 0, 20_000
    worlds = sample(games, seat, count)
    unseen = observe(games, seat)[SLICES["unseen"]]
    for p in (1, 2):
        known = known_cards(games[0], p).total()
        open_places = games["hand_size"][0, p] - known
        hidden = unseen.sum() - sum(known_cards(games[0], q).total() for q in (1, 2))
        share = open_places / hidden
        # Five standard errors of a mean of `count` draws, each at most a fair coin a copy.
        error = 5 * np.sqrt(unseen * share * (1 - share) / count)
        assert (np.abs(frequencies(worlds, p) - unseen * share) <= error + 1e-9).all()
    tops = np.bincount(worlds["stock"][np.arange(count), worlds["num_stock"] - 1], minlength=53)
    expected = count * unseen / hidden
    assert (np.abs(tops - expected) <= 5 * np.sqrt(expected) + 1).all()


def test_worlds_differ_and_follow_from_their_seeds():
    games = next(g.copy() for g, _ in play(RULE_SETS["browser"], 3, 10))
    worlds = sample(games, 0, 50)
    assert len({world.tobytes() for world in worlds}) == 50
    assert sample(games, 0, 50).tobytes() == worlds.tobytes()


def test_a_view_that_contradicts_itself_is_refused():
    view = view_of(next(g for g, _ in play(RULE_SETS["browser"], 3, 1)), 0)
    view["num_stock"] += 3
    with pytest.raises(ValueError, match="no deal of the hidden cards agrees"):
        sample_world(view, 0, np.random.default_rng(0))
