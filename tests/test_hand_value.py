"""The exact arithmetic of the levels, against plain Python that tries everything."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import combinations

import numba
import numpy as np
import pytest

from scala40_env.agents.hand_value import closeness, free_cards, new_bot_work, plan_melds
from scala40_env.agents.hard import rate_melds
from scala40_env.agents.reading import (
    attaching_cards,
    kin_in,
    meld_cards,
    swappable_cards,
    unseen_cards,
)
from scala40_env.cards import DECK_COUNTS, JOKER, parse_card
from scala40_env.engine import calls
from scala40_env.engine.state import new_games
from scala40_env.engine.table import attaches, swap_place
from scala40_env.engine.view import count_unseen
from scala40_env.rules import Rules

from engine_play import play  # isort: skip

BOT = new_bot_work()
RATES, BLANK = (0.0, 0.0, 0.0, 0.0), np.zeros(64)


@numba.njit(error_model="numpy")
def plan(games, bot, weights, need, used):
    """Plan the hand to move; ``used`` becomes the sizes of the melds, then the free cards."""
    s, work = games[0], bot[0]
    count = plan_melds(s, work, weights[0], weights[1], weights[2], need)
    for j in range(count):
        used[j] = work.search.melds[work.plan[j], 2]
    used[5] = np.int64(free_cards(s, work, count))
    return count


@numba.njit(error_model="numpy")
def read(games, counts, masks, facts):
    """What the kernels read off a table: masks, and facts about each natural card."""
    s = games[0]
    seat = np.int64(s.player)
    count_unseen(s, seat, counts)
    unseen = unseen_cards(s, seat)
    masks[0], masks[1] = unseen
    loose = s.held_once[seat]
    masks[2], masks[3] = attaching_cards(s), swappable_cards(s)
    for card in range(52):
        facts[card, 0] = attaches(s, card)
        facts[card, 1] = rate_melds(s, loose, unseen, card, 0, RATES, BLANK)[1]
        facts[card, 2] = kin_in(s.held_once[seat], card)
        facts[card, 3] = closeness(s.held_once[seat], card, 1.0, 10.0, 100.0)
        for m in range(s.num_melds):
            if swap_place(s, m, card) >= 0:
                facts[card, 4] = 1


def game_with_hand(cards: list[int], rules: Rules) -> np.ndarray:
    """A game in phase PLAY whose seat to move holds these cards."""
    games = new_games(1)
    zeros = np.zeros(1, np.int64)
    calls.start_games(games, rules.encode()[None], zeros.astype(np.uint64), zeros, 0, 1)
    game, counts = games[0], Counter(cards)
    p, game["phase"] = game["player"], 1
    game["turns"][p] = 1
    game["hands"][p] = [counts[card] for card in range(53)]
    game["hand_size"][p] = len(cards)
    naturals = [card for card in counts if card != JOKER]
    game["held_once"][p] = sum(1 << card for card in naturals)
    game["held_twice"][p] = sum(1 << card for card in naturals if counts[card] == 2)
    return games


def shown(text: str) -> list[int]:
    return [parse_card(word) for word in text.split()]


# --- the best plan by trying everything ---------------------------------------------------------


@cache
def shapes() -> list[tuple[tuple[int, ...], int]]:
    """All melds as (cards in order, points)."""
    value = [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    found = []
    for rank in range(13):
        for size in (3, 4):
            for suits in combinations(range(4), size):
                found.append((tuple(s * 13 + rank for s in suits), size * value[rank]))
    for suit in range(4):
        for low in range(12):
            for high in range(low + 2, 14):
                places = range(low, high + 1)
                points = sum(1 if place == 0 else value[place % 13] for place in places)
                found.append((tuple(suit * 13 + place % 13 for place in places), points))
    return found


def whole_melds(hand: Counter[int]) -> list[tuple[Counter[int], int]]:
    """The melds that a hand holds, with one joker at most, as (cards it uses, points)."""
    found = []
    for cards, points in shapes():
        if len(cards) > 14 or (len(set(cards)) < len(cards) and not hand[JOKER]):
            continue
        missing = [card for card in cards if not hand[card]]
        stands = missing[:1] if missing else [None, *cards] if hand[JOKER] else [None]
        if len(missing) > 1 or (missing and not hand[JOKER]):
            continue
        for card in stands:
            used = Counter(cards)
            if card is not None:
                used -= Counter([card])
                used[JOKER] += 1
            if all(n <= 1 for c, n in used.items() if c != JOKER):
                found.append((used, points))
    return found


def best_score(hand: Counter[int], weights: tuple[float, float, float], need: int, least: int):
    """The best score of disjoint melds that are worth ``need``, leaving ``least`` cards."""
    value = [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    melds = [
        (used, points, sum(
            n * (weights[0] + (weights[2] if c == JOKER else weights[1] * value[c % 13]))
            for c, n in used.items()
        ))
        for used, points in whole_melds(hand)
    ]  # fmt: skip

    def search(first: int, left: Counter[int], points: int, score: float) -> float:
        best = score if points >= need else 0.0
        for i in range(first, len(melds)):
            used, more, gain = melds[i]
            if used <= left and left.total() - used.total() >= least:
                best = max(best, search(i, left - used, points + more, score + gain))
        return best

    return search(0, hand, 0, 0.0)


def random_hand(rng: random.Random) -> list[int]:
    """A hand with many neighbours: few ranks or few suits, sometimes jokers."""
    suits, low = rng.sample(range(4), rng.randint(2, 4)), rng.randint(0, 6)
    deck = [s * 13 + r % 13 for s in suits for r in range(low, low + 7) for _ in range(2)]
    jokers = [JOKER] * rng.choice([0, 0, 1, 1, 2])
    return sorted(rng.sample(deck, rng.randint(6, 14) - len(jokers)) + jokers)


WEIGHTS = ((0.0, 1.0, 0.0), (1.0, 1.0, 5.0), (3.0, 0.0, 3.0))


@pytest.mark.parametrize("need", [0, 40])
def test_the_plan_is_the_best_of_all(need):
    rng, rules, found = random.Random(need), Rules.preset("browser"), 0
    used = np.zeros(6, np.int64)
    for trial in range(150):
        hand = random_hand(rng)
        weights = WEIGHTS[trial % 3]
        games = game_with_hand(hand, rules)
        count = plan(games, BOT, np.array(weights), need, used)
        best = best_score(Counter(hand), weights, need, 1)
        assert (count > 0) == (best > 0)
        if count:
            found += 1
            assert BOT["sums"][0][0] == 0.0
            score = sum(
                BOT["scores"][0][k] * BOT["search"]["melds"][0][k, 2]
                for k in BOT["plan"][0][:count]
            )
            assert score == pytest.approx(best)
            assert used[:count].sum() <= len(hand) - 1
    assert found > 40


def test_a_card_is_kept_for_the_discard():
    used = np.zeros(6, np.int64)
    games = game_with_hand(shown("7S 7H 7D"), Rules.preset("browser"))
    assert plan(games, BOT, np.array(WEIGHTS[0]), 0, used) == 0
    games = game_with_hand(shown("7S 7H 7D"), Rules.preset("browser", close_without_discard=True))
    assert plan(games, BOT, np.array(WEIGHTS[0]), 0, used) == 1


def test_two_cards_are_kept_in_a_first_turn_that_may_not_close():
    used = np.zeros(6, np.int64)
    games = game_with_hand(shown("7S 7H 7D 2C"), Rules.preset("italian"))
    assert plan(games, BOT, np.array(WEIGHTS[0]), 0, used) == 1
    games["turns"] = 0
    assert plan(games, BOT, np.array(WEIGHTS[0]), 0, used) == 0


def test_free_cards_are_those_outside_the_plan_and_second_copies():
    used = np.zeros(6, np.int64)
    games = game_with_hand(shown("7S 7H 7D 7D KC"), Rules.preset("browser"))
    assert plan(games, BOT, np.array(WEIGHTS[0]), 0, used) == 1
    assert used[5] == sum(1 << card for card in shown("7D KC"))


def test_closing_in_hand_needs_no_minimum_where_the_rules_say_so():
    used = np.zeros(6, np.int64)
    hand = shown("2S 2H 2D 3S 3H 3D KC")
    games = game_with_hand(hand, Rules.preset("browser"))
    assert plan(games, BOT, np.array(WEIGHTS[0]), 40, used) == 0
    games = game_with_hand(hand, Rules.preset("browser", hand_close_exempt_40=True))
    assert plan(games, BOT, np.array(WEIGHTS[0]), 40, used) == 2


# --- reading the table --------------------------------------------------------------------------


def bits(mask: int) -> set[int]:
    return {card for card in range(52) if int(mask) >> card & 1}


def meld_kin(card: int, held: set[int]) -> dict[int, set[int]]:
    """Other cards held, by how they are kin: 0 rank, 1 neighbour, 2 neighbour but one."""
    kin: dict[int, set[int]] = {0: set(), 1: set(), 2: set()}
    for other in held - {card}:
        if other % 13 == card % 13:
            kin[0].add(other)
        elif other // 13 == card // 13:
            distance = abs(other % 13 - card % 13)
            if 0 in (other % 13, card % 13):
                distance = min(distance, 13 - distance)
            if distance <= 2:
                kin[distance].add(other)
    return kin


def pairs_by_hand(card: int, counts: list[int]) -> int:
    """Pairs of unseen cards that make a meld of three with a card."""
    ways = 0
    for cards, _ in shapes():
        if len(cards) == 3 and card in cards:
            a, b = (other for other in cards if other != card)
            ways += counts[a] * counts[b]
    return ways


def test_the_table_is_read_as_the_engine_reads_it():
    counts, masks = np.zeros(53, np.int8), np.zeros(4, np.uint64)
    for games, _ in play(Rules.preset("browser", num_players=4), 3, 400):
        facts = np.zeros((52, 5))
        read(games, counts, masks, facts)
        natural = counts[:52].tolist()
        assert bits(masks[0]) == {c for c in range(52) if natural[c] >= 1}
        assert bits(masks[1]) == {c for c in range(52) if natural[c] == 2}
        assert bits(masks[2]) == {c for c in range(52) if facts[c, 0]}
        assert {c for c in range(52) if facts[c, 4]} <= bits(masks[3])
        held = bits(games["held_once"][0][games["player"][0]])
        for card in held:
            assert facts[card, 1] == pairs_by_hand(card, natural)
            kin = meld_kin(card, held)
            assert facts[card, 2] == sum(map(len, kin.values()))


@pytest.mark.parametrize(
    ("card", "others", "worth"),
    [
        ("7S", "7H 7D", 2),  # two of the rank
        ("7S", "8S", 10),  # an open neighbour
        ("7S", "9S 5S", 200),  # two with a gap
        ("AS", "2S", 100),  # A 2 can grow on one side only
        ("KS", "AS", 100),
        ("QS", "AS", 100),
        ("AS", "QS", 100),
        ("KS", "QS", 10),
        ("2S", "KS", 0),  # never round the corner
        ("7S", "7H 8S 8H", 11),
    ],
)
def test_closeness(card, others, worth):
    games = game_with_hand(shown(f"{card} {others}"), Rules.preset("browser"))
    facts, counts, masks = np.zeros((52, 5)), np.zeros(53, np.int8), np.zeros(4, np.uint64)
    read(games, counts, masks, facts)
    assert facts[parse_card(card), 3] == worth


def test_meld_cards_are_the_cards_at_the_places():
    run = meld_cards.py_func(1, 2, 0b10000000000011)  # low ace, 2 and high ace of one suit
    assert bits(run) == set(shown("AD 2D"))
    assert bits(meld_cards.py_func(0, 6, 0b1010)) == set(shown("7H 7C"))
    assert DECK_COUNTS[:52].sum() == 104
