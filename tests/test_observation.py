"""The plain observation: its layout, its bounds, and what its numbers say."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
import reference
from engine_play import MOVES, RULE_SETS, WORK, play, start

from scala40_env.cards import JOKER, card_text
from scala40_env.engine import calls
from scala40_env.engine.observe import (
    BLOCKS,
    HIDDEN_BLOCKS,
    RULE_IS_ONE_OF,
    RULE_OFFSETS,
    RULE_SCALES,
    play_action,
)
from scala40_env.engine.state import MATCH_OVER, NUM_RULES, new_games
from scala40_env.engine.tables import NUM_ACTIONS
from scala40_env.game import Game, GameState
from scala40_env.melds import RUN, SET, meld_text
from scala40_env.observation import (
    FULL_SIZE,
    OBSERVATION_SIZE,
    OBSERVATION_VERSION,
    SLICES,
    full_box,
    observation_box,
    observe,
    observe_full,
)
from scala40_env.rules import Rules

STEPS = 200
DIGESTS = {"browser": "b2dfa8f73983646a", "fisca-3": "2b814e84fe4a6edd"}
each_rule_set = pytest.mark.parametrize("name", RULE_SETS)


def block(observation: np.ndarray, name: str) -> np.ndarray:
    """The numbers of one block."""
    return observation[SLICES[name]]


def others(state: GameState, seat: int) -> list[int]:
    """The other seats in seat order."""
    n = state.rules.num_players
    return [(seat + row) % n for row in range(1, n)]


def view_of(games: np.ndarray, seat: int) -> np.ndarray:
    """The game as a seat sees it."""
    views = new_games(1)
    calls.view_games(games, np.array([seat]), views, 0, 1)
    return views


def test_the_layout_is_version_1():
    # Whoever changes these numbers changes the observation: that is a new version.
    assert (OBSERVATION_VERSION, OBSERVATION_SIZE, FULL_SIZE) == (1, 1866, 2608)


def test_slices_cover_the_vector_without_overlap():
    ends = [SLICES[b.name] for b in BLOCKS + HIDDEN_BLOCKS]
    assert [s.start for s in ends] == [0, *(s.stop for s in ends[:-1])]
    assert SLICES[BLOCKS[-1].name].stop == OBSERVATION_SIZE
    assert ends[-1].stop == FULL_SIZE
    assert len(SLICES) == len(BLOCKS) + len(HIDDEN_BLOCKS)


@each_rule_set
def test_every_number_lies_in_its_space(name):
    plain, full = observation_box(), full_box()
    for games, _ in play(RULE_SETS[name], 1, STEPS):
        for seat in range(RULE_SETS[name].num_players):
            assert plain.contains(observe(games, seat))
        assert full.contains(observe_full(games, 0))


@each_rule_set
def test_a_view_gives_the_same_as_the_full_game(name):
    for games, _ in play(RULE_SETS[name], 2, STEPS):
        for seat in range(RULE_SETS[name].num_players):
            np.testing.assert_array_equal(
                observe(view_of(games, seat), seat), observe(games, seat), strict=True
            )


def test_what_was_in_the_buffer_does_not_matter():
    # Observations are written over old ones: every number must be set.
    from scala40_env.engine.observe import observe_full_games

    games = start(RULE_SETS["browser"], 3)
    clean, dirty = np.zeros((1, FULL_SIZE), np.float32), np.full((1, FULL_SIZE), 7, np.float32)
    for out in (clean, dirty):
        observe_full_games(games, np.zeros(1, np.int64), out, 0, 1)
    np.testing.assert_array_equal(clean, dirty)


@each_rule_set
def test_lay_offs_and_swaps_are_those_of_the_reference(name):
    rules = RULE_SETS[name]
    fields = {key: value for key, value in rules.to_dict().items() if key != "preset"}
    plain_rules = reference.make_rules(**fields)
    seen = set()
    for games, _ in play(rules, 3, STEPS):
        observation = observe(games, 0)
        table = tuple(meld_text(meld) for meld in GameState(games, rules).table)
        for card in range(JOKER + 1):
            wanted = reference.attaches(card_text(card), table, plain_rules)
            assert block(observation, "lay_off")[card] == wanted, (card_text(card), table)
        swaps = {c for meld in table for c, _ in reference.swaps(meld, rules.set_joker)}
        found = np.flatnonzero(block(observation, "swap")).tolist()
        assert {card_text(card) for card in found} == swaps, table
        seen |= {len(table) > 0, ("swap", bool(swaps))}
    assert seen >= {False, True, ("swap", True)}


@each_rule_set
def test_the_table_can_be_read_from_its_blocks(name):
    rules = RULE_SETS[name]
    for games, _ in play(rules, 4, STEPS):
        state, observation = GameState(games, rules), observe(games, 0)
        set_cards, set_jokers = np.zeros(52), np.zeros(52)
        lows, highs, run_jokers = np.zeros(56), np.zeros(56), np.zeros(56)
        melds = np.zeros((36, 4))
        for number, meld in enumerate(state.table):
            places = [p for p in range(14) if meld.places >> p & 1]
            is_new = number in state.laid_this_turn
            melds[number] = len(meld) / 14, places[0] / 13, meld.num_jokers / 4, is_new
            if meld.kind == RUN:
                lows[meld.base * 14 + places[0]] += 1
                highs[meld.base * 14 + places[-1]] += 1
            for place in places:
                joker = meld.jokers >> place & 1
                if meld.kind == SET:
                    set_cards[meld.card_at(place)] += 1
                    set_jokers[meld.card_at(place)] += joker
                else:
                    run_jokers[meld.base * 14 + place] += joker
        np.testing.assert_array_equal(block(observation, "set_cards"), set_cards)
        np.testing.assert_array_equal(block(observation, "set_jokers"), set_jokers)
        np.testing.assert_array_equal(block(observation, "run_lows"), lows)
        np.testing.assert_array_equal(block(observation, "run_highs"), highs)
        np.testing.assert_array_equal(block(observation, "run_jokers"), run_jokers)
        np.testing.assert_allclose(block(observation, "melds"), melds.ravel(), rtol=1e-6)


@each_rule_set
def test_cards_add_up(name):
    rules = RULE_SETS[name]
    for games, _ in play(rules, 5, STEPS):
        for seat in range(rules.num_players):
            state, full = GameState(games, rules), observe_full(games, seat)
            np.testing.assert_array_equal(block(full, "hand"), games["hands"][0, seat])
            hands = block(full, "hands").reshape(5, 53)
            hidden = block(full, "whole_stock") + hands.sum(axis=0)
            np.testing.assert_array_equal(block(full, "unseen"), hidden)
            assert (block(full, "whole_stock") <= block(full, "stock")).all()
            for row, p in enumerate(others(state, seat)):
                np.testing.assert_array_equal(hands[row], games["hands"][0, p])
                known = block(full, "known").reshape(5, 53)[row]
                assert (known <= hands[row]).all()
            next_cards = block(full, "next_cards").reshape(8, 53).argmax(axis=1)
            stock = games["stock"][0, : state.stock_size][::-1][:8]
            np.testing.assert_array_equal(next_cards[: len(stock)], stock)


@each_rule_set
def test_seats_are_seen_from_the_observer(name):
    rules = RULE_SETS[name]
    n = rules.num_players
    for games, _ in play(rules, 6, STEPS):
        state = GameState(games, rules)
        for seat in range(n):
            seats, observation = [seat, *others(state, seat)], observe(games, seat)
            wanted: dict[str, list[Any]] = {
                "playing": [state.in_match[p] for p in seats],
                "to_move": [p == state.player for p in seats],
                "dealer": [p == state.dealer for p in seats],
                "partner": [rules.teams != "none" and p % 2 == seat % 2 for p in seats],
                "opened": [state.opened[p] for p in seats],
                "cards": [state.hand_sizes[p] / 13 for p in seats],
                "turns": [state.turns[p] / 20 for p in seats],
                "totals": [state.totals[p] / 100 for p in seats],
                "reentries": [state.reentries[p] for p in seats],
            }
            for key, values in wanted.items():
                absent = [0] * (6 - n)
                np.testing.assert_allclose(block(observation, key), values + absent, rtol=1e-6)
            for key in ("known", "discarded", "takes"):
                assert not block(observation, key).reshape(5, 53)[n - 1 :].any()


@each_rule_set
def test_history_and_turn_are_told(name):
    rules = RULE_SETS[name]
    for games, _ in play(rules, 7, STEPS):
        state, observation, game = GameState(games, rules), observe(games, 0), games[0]
        for row, p in enumerate(others(state, 0)):
            thrown = block(observation, "discarded").reshape(5, 53)[row]
            np.testing.assert_array_equal(thrown, np.minimum(game["discarded"][p], 4))
            takes = game["takes"][p].astype(int)
            took = block(observation, "takes").reshape(5, 53)[row]
            np.testing.assert_array_equal(took, np.minimum(takes % 16 + takes // 16, 4))
        shown = [np.flatnonzero(row).tolist() for row in block(observation, "pile").reshape(4, 53)]
        assert shown == [[card] for card in state.pile[::-1][:4]] + [[]] * (4 - len(state.pile))
        taken = np.flatnonzero(block(observation, "taken")).tolist()
        assert taken == ([] if state.taken is None else [state.taken])
        points = state.opening_points
        missing = 0 if state.opened[state.player] else max(rules.opening_min - points, 0)
        assert block(observation, "laid_points")[0] == pytest.approx(points / 100)
        assert block(observation, "to_open")[0] == pytest.approx(missing / 100)
        assert block(observation, "recovered")[0] == state.recovered
        assert block(observation, "returned")[0] == state.returned
        phase = {"draw": [1, 0, 0], "play": [0, 1, 0]}[state.phase]
        np.testing.assert_array_equal(block(observation, "phase"), phase)


def test_a_pending_add_or_swap_is_told():
    told = set()
    for games, _ in play(RULE_SETS["loose"], 8, 3000):
        pending = int(games["pending"][0])
        told.add(tuple(block(observe(games, 0), "pending").tolist()))
        assert bool(block(observe(games, 0), "pending").any()) == (pending >= 0)
    assert {(0.0, 0.0), (1.0, 0.0)} <= told


def test_rules_are_written_as_they_are_meant():
    for place, (name, spec) in enumerate(Rules.SPECS.items()):
        values = len(spec.allowed) if spec.kind is str else 0
        assert RULE_IS_ONE_OF[place] == (values > 2), name
        if not RULE_IS_ONE_OF[place] and spec.kind is not str:
            assert max(spec.allowed) * RULE_SCALES[place] <= 100, name
    columns = np.diff([*RULE_OFFSETS, SLICES["rules"].stop - SLICES["rules"].start])
    one_of = [len(s.allowed) for s in Rules.SPECS.values() if s.kind is str and len(s.allowed) > 2]
    assert columns[RULE_IS_ONE_OF].tolist() == one_of
    assert (columns[~RULE_IS_ONE_OF] == 1).all()
    assert len(columns) == NUM_RULES == len(Rules.FIELDS)


def test_every_rule_is_seen():
    def seen(rules: Rules) -> np.ndarray:
        return block(observe(start(rules, 0), 0), "rules")

    for name, spec in Rules.SPECS.items():
        if name in ("teams", "num_players", "reentry"):
            continue
        base, encodings = Rules.preset("browser"), []
        values = [*list(spec.allowed)[:2], spec.allowed[-1], *([None] if spec.nullable else [])]
        for value in dict.fromkeys(values):
            encodings.append(seen(base.with_(**{name: value})).tobytes())
        assert len(set(encodings)) == len(encodings), name
    players = [Rules.preset("browser", num_players=n) for n in range(2, 7)]
    four = [Rules.preset("browser", num_players=4, reentry=r) for r in ("once", "unlimited")]
    teams = [Rules.preset("browser", teams=t) for t in ("2x2", "2x3")]
    all_rules = [*players, *four, *teams]
    assert len({seen(rules).tobytes() for rules in all_rules}) == len(all_rules)


@pytest.mark.parametrize(("name", "wanted"), DIGESTS.items())
def test_observations_of_version_1_never_change(name, wanted):
    """A new digest means a new OBSERVATION_VERSION, unless deals or rules have changed."""
    games, mask = start(RULE_SETS[name], 1), np.zeros(NUM_ACTIONS, np.int8)
    out, digest = np.zeros(OBSERVATION_SIZE, np.float32), hashlib.sha256()
    action = -1
    for step in range(400):
        play_action(games, action, mask, out, MOVES, WORK)
        if games["phase"][0] == MATCH_OVER:
            break
        digest.update(np.rint(out * 1000).astype("<i4").tobytes())
        legal = np.flatnonzero(mask)
        action = int(legal[-1 - step % 3 % len(legal)]) if len(legal) else -1
    assert digest.hexdigest()[:16] == wanted


@pytest.mark.parametrize("seat", [-1, 2, 6])
@pytest.mark.parametrize("look", [observe, observe_full])
def test_a_seat_that_is_not_there_is_refused(look, seat):
    with pytest.raises(ValueError, match=f"seat {seat} is not in 0..1"):
        look(Game(seed=1).array, seat)


def test_turns_beyond_the_limit_leave_none():
    hands = [["2S", "3S"], ["4S", "5S"]]
    game = Game.from_position({"rules": {"max_turns": 400}, "hands": hands, "turns": [300, 300]})
    seen = observe(game.array, 0)
    assert seen[SLICES["turns_left"]] == 0 and observation_box().contains(seen)
