"""The levels: what they must never do, what they always do, and that they see only views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from engine_and_reference import random_rules
from engine_play import RULE_SETS
from test_hand_value import best_score, whole_melds
from test_no_leak import redeal_hidden, view_of

from scala40_env.actions import (
    ADD_ID,
    TAKE,
    TARGET_ID,
    Move,
    action_add,
    discard_card,
    is_add,
    is_discard,
    is_meld,
    is_swap,
)
from scala40_env.aec import raw_env
from scala40_env.agents import Agent, AgentError, make_agent
from scala40_env.agents.arena import COLUMNS, Matches, play_matches
from scala40_env.agents.levels import Level, LevelAgent, load_level
from scala40_env.cards import JOKER, parse_card
from scala40_env.game import Game
from scala40_env.melds import RUN, Meld, check_meld
from scala40_env.rules import Rules
from scala40_env.train.evaluate import evaluate
from scala40_env.train.tune import level_text

LEVELS = ("random", "greedy", "easy", "normal", "hard")
PRESETS = ("browser", "fisca", "italian")
each_level = pytest.mark.parametrize("name", LEVELS)


def decisions(
    rules: Rules, players: list[Agent], seed: int, most: int
) -> Iterator[tuple[Game, int]]:
    """Yield a live game and its seat to move before each decision of a match between agents."""
    game = Game(rules, seed=seed)
    for _ in range(most):
        if game.hand_over:
            game.next_hand()
        if game.match_over:
            return
        seat = game.player
        yield game, seat
        game.push(players[seat].act(game.view(seat), game.legal_moves()))


def lay_offs(card: int, table: list[Meld], rules: Rules) -> int:
    """On how many melds of the table a natural card could be laid off by its shape."""
    count = 0
    for meld in table:
        for place in range(14 if meld.kind == RUN else 4):
            grown = Meld(meld.kind, meld.base, meld.places | 1 << place, meld.jokers)
            if meld.places >> place & 1 or grown.card_at(place) != card:
                continue
            try:
                check_meld(grown, rules)
            except ValueError:
                continue
            count += 1
    return count


# --- by name ------------------------------------------------------------------------------------


@each_level
def test_a_name_gives_an_agent_that_says_its_version(name):
    agent = make_agent(name, seed=1)
    assert isinstance(agent, Agent)
    assert agent.name.startswith(f"{name} {load_level(name).version} (")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("harder", "unknown agent 'harder'; agents: random, greedy, easy, normal, hard, learned"),
        ("missing.npz", "no checkpoint 'missing.npz': there is no such file"),
        ("missing.toml", "cannot read a level from 'missing.toml': No such file or directory"),
    ],
)
def test_an_agent_that_is_not_there_is_one_clear_line(name, message):
    with pytest.raises(AgentError, match=message) as caught:
        make_agent(name)
    assert "\n" not in str(caught.value)


def test_a_level_with_other_figures_is_loaded_from_a_file(tmp_path):
    level = load_level("easy")
    changed = Level("easy", 9, {**level.parameters, "luck": 2.5})
    (tmp_path / "mine.toml").write_text(level_text(changed))
    agent = make_agent(tmp_path / "mine.toml")
    assert agent.name == changed.label != level.label
    assert LevelAgent(changed).level.array[0] == 2.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[easy]\nversion = 1\n", "level 'easy' lacks 'luck'"),
        ("[random]\nversion = 1\nluck = 1\n", "level 'random' has the unknown figure 'luck'"),
        ("[random]\nversion = 'x'\n", "level 'random': version = 'x' is not a number"),
        ("[easy]\nversion = 1\nluck = nan\npair = 2\nnear = 2\ngap = 1\n", "luck = nan is not a"),
        ("[easy]\nversion = 1\nluck = 7\npair = inf\nnear = 2\ngap = 1\n", "pair = inf is not a"),
        ("[queen]\nversion = 1\n", "unknown level 'queen'"),
        ("version = 1\n", "must hold one table"),
        ("[easy\n", "cannot read a level"),
    ],
)
def test_a_damaged_level_file_is_one_clear_line(tmp_path, text, message):
    path = tmp_path / "level.toml"
    path.write_text(text)
    with pytest.raises(AgentError, match=message) as caught:
        make_agent(path)
    assert "\n" not in str(caught.value)


def test_a_hash_follows_from_all_figures():
    level = load_level("hard")
    labels = {
        Level("hard", level.version, {**level.parameters, name: 7.25}).label
        for name in level.parameters
    }
    assert len(labels) == len(level.parameters)


# --- legal, seeded, blind -----------------------------------------------------------------------


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_levels_play_every_rule_set_legally(rule_set):
    rules = RULE_SETS[rule_set]
    for turn in range(3):
        players = [
            make_agent(LEVELS[(seat + turn) % 5], seed=seat) for seat in range(rules.num_players)
        ]
        # Game.push refuses an illegal move.
        assert sum(1 for _ in decisions(rules, players, turn, 400)) > 100


@pytest.mark.parametrize("first", [0, 20, 40])
def test_levels_play_random_rule_sets_legally(first):
    count = 0
    for seed in range(first, first + 20):
        rules = Rules.from_dict(random_rules(seed))
        players = [make_agent(LEVELS[(seed + p) % 5], p) for p in range(rules.num_players)]
        count += sum(1 for _ in decisions(rules, players, seed, 120))
    assert count > 1000


def assert_matches_end(first: int, count: int) -> int:
    """Play whole matches of random rule sets between random lineups; returns their number."""
    played = 0
    for seed in range(first, first + count):
        rules = Rules.from_dict(random_rules(seed)).with_(max_hands=20)
        lineups = np.array(
            [[(seed + k + p) % 5 for p in range(rules.num_players)] for k in range(5)]
        )
        seeds = np.arange(5, dtype=np.uint64) + seed
        matches = play_matches([make_agent(name) for name in LEVELS], rules, seeds, lineups)
        assert ((matches.winners >= 0) | (matches.hands >= rules.max_hands)).all()
        played += len(matches.hands)
    return played


def test_every_match_of_random_rules_between_levels_ends():
    assert assert_matches_end(0, 40) == 200


@pytest.mark.slow
def test_every_match_of_two_thousand_rule_sets_between_levels_ends():
    assert assert_matches_end(1000, 2000) == 10_000


@pytest.mark.parametrize(("preset", "num_players"), list(product(PRESETS, range(2, 7))))
def test_hidden_cards_change_no_decision(preset, num_players):
    rules = Rules.preset(preset, num_players=num_players)
    rng, changed = np.random.default_rng(num_players), 0
    players = [make_agent(LEVELS[1 + seat % 4], seed=seat) for seat in range(num_players)]
    judges = [LevelAgent(load_level(name)) for name in LEVELS]
    for game, seat in decisions(rules, players, 5, 120):
        redealt = redeal_hidden(game.array, seat, rng)
        changed += redealt["hands"].tobytes() != game.array["hands"].tobytes()
        views = np.concatenate([view_of(game.array, seat), view_of(redealt, seat)])
        for judge in judges:
            streams = np.full(2, 11, np.uint64)
            a, b = judge.act_batch(views, streams).tolist()
            assert a == b
    assert changed > 60


@each_level
def test_the_same_seed_gives_the_same_moves(name):
    def moves(seed: int) -> list[Move]:
        players = [make_agent(name, seed), make_agent(name, seed + 100)]
        games = [game for game, _ in decisions(Rules.preset("browser"), players, 3, 150)]
        return [move for log in games[0].logs for move in log.moves]

    assert moves(1) == moves(1)
    if name in ("random", "easy"):
        assert moves(1) != moves(2)


@each_level
def test_a_batch_decides_as_one_by_one(name):
    rules, views = Rules.preset("browser"), []
    players = [make_agent("hard"), make_agent("normal")]
    for game, seat in decisions(rules, players, 8, 200):
        views.append(game.view(seat).array.copy())
    batch = np.concatenate(views)
    before, agent = batch.tobytes(), LevelAgent(load_level(name))
    streams = np.arange(len(batch), dtype=np.uint64)
    together = agent.act_batch(batch, streams.copy())
    alone = [
        agent.act_batch(view, streams[i : i + 1].copy())[0].tolist() for i, view in enumerate(views)
    ]
    assert together.tolist() == alone
    assert batch.tobytes() == before


def test_agents_play_an_environment_by_ids():
    env = raw_env("browser", num_players=3)
    env.reset(seed=4)
    agents = {name: make_agent(level) for name, level in zip(env.agents, LEVELS[2:], strict=True)}
    for name in env.agent_iter(6000):
        _, _, terminated, truncated, _ = env.last(observe=False)
        action = None if terminated or truncated else agents[name].action(env)
        assert action is None or env.action_mask()[action]
        env.step(action)
    assert not env.agents


@pytest.mark.parametrize("name", ["greedy", "easy", "normal", "hard"])
def test_a_move_with_a_choice_of_melds_is_two_ids(name):
    env, agent = raw_env("browser", episode="hand"), make_agent(name)
    position = {
        "rules": {"preset": "browser"},
        "player": 0,
        "phase": "play",
        "hands": [["8S", "2D", "KH"], ["QC"]],
        "opened": [True, True],
        "table": ["5S 6S 7S", "5S* 6S 7S"],
        "pile": ["3C"],
    }
    env.reset(options={"position": position})
    first = agent.action(env)
    env.step(first)
    second = agent.action(env)
    assert first == ADD_ID + 2 * 2 * 52 + parse_card("8S")
    assert second in (TARGET_ID, TARGET_ID + 1)
    env.step(second)
    assert env.action_mask()[agent.action(env)]


# --- the description of the levels --------------------------------------------------------------


def played(name: str, rules: Rules, seeds: int = 6) -> Iterator[tuple[Game, list[Move], Move]]:
    """Yield (game, legal moves, the level's move) for the decisions of a level against others."""
    judge = make_agent(name)
    for seed in range(seeds):
        players = [make_agent(name, seed), make_agent("hard"), make_agent("easy", seed)]
        for game, seat in decisions(rules, players[: rules.num_players], seed, 400):
            if seat == 0:
                legal = game.legal_moves()
                yield game, legal, judge.act(game.view(seat), legal)


def test_easy_never_takes_never_swaps_and_keeps_jokers():
    discards = 0
    for _, legal, move in played("easy", Rules.preset("browser")):
        assert move.action != TAKE.action
        assert not is_swap(move.action)
        if is_discard(move.action):
            discards += 1
            others = {m.action for m in legal if is_discard(m.action)}
            assert discard_card(move.action) != JOKER or others == {move.action}
    assert discards > 100


@pytest.mark.parametrize("name", ["easy", "normal"])
def test_no_card_is_thrown_out_of_a_complete_meld(name):
    broken = checked = 0
    for game, _, move in played(name, Rules.preset("browser"), seeds=3):
        hand = Counter(game.hand(0))
        if not is_discard(move.action) or game.opened[0] or not whole_melds(hand):
            continue
        checked += 1
        best = best_score(hand, (0.0, 1.0, 0.0), 0, 1)
        after = best_score(hand - Counter([discard_card(move.action)]), (0.0, 1.0, 0.0), 0, 0)
        broken += after < best
    assert checked > 10
    assert not broken


def test_normal_takes_only_what_it_needs_for_a_combination():
    takes = refused = 0
    for game, legal, move in played("normal", Rules.preset("browser"), seeds=12):
        if game.phase != "draw" or TAKE not in legal or not game.opened[0]:
            continue
        hand, top = Counter(game.hand(0)), game.pile_top
        melds = [used for used, _ in whole_melds(hand + Counter([top])) if used[top]]
        needed = any(used <= hand + Counter([top]) for used in melds) and hand.total() >= 3
        assert (move == TAKE) == needed
        takes, refused = takes + needed, refused + (not needed)
    assert takes > 3
    assert refused > 3


def test_normal_never_swaps():
    could = 0
    for _, legal, move in played("normal", Rules.preset("browser"), seeds=12):
        could += any(is_swap(m.action) for m in legal)
        assert not is_swap(move.action)
    assert could > 3


def test_hard_takes_and_swaps_whenever_it_can():
    takes = swaps = 0
    for _, legal, move in played("hard", Rules.preset("browser"), seeds=12):
        if TAKE in legal:
            takes += 1
            assert move == TAKE
        if any(is_swap(m.action) for m in legal):
            swaps += 1
            assert is_swap(move.action)
    assert takes > 10
    assert swaps > 3


@pytest.mark.parametrize("name", ["greedy", "easy", "normal", "hard"])
def test_levels_lay_all_they_can_before_they_discard(name):
    discards = 0
    for game, legal, move in played(name, Rules.preset("browser")):
        if not is_discard(move.action):
            continue
        discards += 1
        for other in legal:
            if is_meld(other.action):
                raise AssertionError(f"{game}\ncould lay {game.move_text(other)}")
            if is_add(other.action):
                assert action_add(other.action).as_joker
                assert name in ("normal", "hard")
    assert discards > 100


def test_hard_never_throws_a_card_that_the_next_seat_could_lay_off():
    rules, chances = Rules.preset("browser"), 0
    for game, legal, move in played("hard", rules, seeds=20):
        if not is_discard(move.action) or len(game.hand(0)) == 1:
            continue
        cards = [discard_card(m.action) for m in legal if is_discard(m.action)]
        safe = [card for card in cards if card != JOKER and not lay_offs(card, game.table, rules)]
        if safe:
            chances += len(safe) < len(cards)
            assert discard_card(move.action) in safe
    assert chances > 20


@pytest.mark.parametrize(
    ("stronger", "weaker"), [("easy", "random"), ("normal", "easy"), ("hard", "normal")]
)
def test_each_level_beats_the_one_below(stronger, weaker):
    pairing = evaluate([stronger, weaker], pairs=120, seed=3).pairings[0]
    assert pairing.matches.low > 0.5
    assert pairing.hands.low > 0.5


# --- the arena ----------------------------------------------------------------------------------


class Shim:
    """A level that the arena does not know as one: it is asked for its moves in batches."""

    def __init__(self, name: str) -> None:
        self._agent = make_agent(name)
        self.name = f"shim {name}"
        self.act, self.action = self._agent.act, self._agent.action

    def act_batch(self, views: np.ndarray, streams: np.ndarray | None = None) -> np.ndarray:
        return self._agent.act_batch(views, streams)


def some_matches(
    players: list[Agent], threads: int = 1, first: int = 0, count: int = 60
) -> Matches:
    seeds = np.arange(first, first + count, dtype=np.uint64)
    lineups = np.tile([[0, 1, 2], [2, 0, 1]], (count // 2, 1))
    rules = Rules.preset("fisca", num_players=3)
    return play_matches(
        players, rules, seeds, lineups, key=5, first_match=first, threads=threads, note_luck=True
    )


def assert_equal_matches(a: Matches, b: Matches) -> None:
    for name in ("lineups", "winners", "hands", "voids", "tallies"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_allclose(a.lucks, b.lucks, atol=1e-9)


def test_matches_do_not_depend_on_threads_or_on_slices():
    players = [make_agent(name) for name in ("easy", "normal", "hard")]
    one = some_matches(players)
    assert_equal_matches(some_matches(players, threads=3), one)
    parts = [some_matches(players, first=first, count=30) for first in (0, 30)]
    assert_equal_matches(Matches.join(parts), one)


def test_an_agent_that_is_no_level_plays_the_same_matches():
    names = ("easy", "normal", "hard")
    levels = some_matches([make_agent(name) for name in names])
    mixed = [Shim("easy"), make_agent("normal"), Shim("hard")]
    assert_equal_matches(some_matches(mixed), levels)


def test_the_tally_of_a_match_is_what_happened_in_it():
    rules = Rules.preset("browser")
    players = [make_agent("hard"), make_agent("normal")]
    for seed in range(5):
        matches = play_matches(players, rules, np.array([seed], np.uint64), np.array([[0, 1]]))
        game, ends = Game(rules, seed=seed), []
        while not game.match_over:
            if game.hand_over:
                game.next_hand()
            game.push(players[game.player].act(game.view(game.player), game.legal_moves()))
            if game.phase == "over":
                ends.append((game.closer, game.points, game.turns, game.opened))
        assert matches.winners[0] == game.winner
        assert matches.hands[0] == game.hand_number == len(ends)
        assert matches.column("total")[0].tolist() == game.totals
        for seat in (0, 1):
            tally = dict(zip(COLUMNS, matches.tallies[0, seat].tolist(), strict=True))
            assert tally["hands_won"] == sum(closer == seat for closer, *_ in ends)
            assert tally["points"] == sum(points[seat] for _, points, *_ in ends)
            assert tally["turns"] == sum(turns[seat] for _, _, turns, _ in ends)
            assert tally["never_opened"] == sum(not opened[seat] for *_, opened in ends)
        assert matches.column("out_at")[0, 1 - game.winner] == game.hand_number
