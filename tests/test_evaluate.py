"""Evaluation: intervals that hold what they promise, ratings, seeds, tables and files."""

from __future__ import annotations

import json
from itertools import pairwise
from math import comb

import numpy as np
import pytest

from scala40_env import Rules
from scala40_env.agents import make_agent
from scala40_env.agents.arena import COLUMNS, LUCKS, NEVER_OUT, Matches, play_matches
from scala40_env.agents.base import AgentError
from scala40_env.rules import RulesError
from scala40_env.train import evaluate_report as report
from scala40_env.train.evaluate import (
    EvaluationError,
    evaluate,
    run_sequential_test,
    table_lineups,
)
from scala40_env.train.evaluate_command import EvaluateConfig, run
from scala40_env.train.intervals import (
    log_likelihood_ratio,
    mean_interval,
    quantile,
    share_interval,
    without_luck,
)
from scala40_env.train.pairings import Plan, places, summarize_pairing, won_matches
from scala40_env.train.ratings import bradley_terry, bradley_terry_intervals, plackett_luce

ONE_HAND = Rules.preset("browser", mode="single_hand")

# --- intervals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("groups", "point"), [(9, 2.306), (21, 2.086), (51, 2.009), (1001, 1.962)])
def test_the_quantile_is_that_of_students_t(groups, point):
    assert quantile(groups) == pytest.approx(point, abs=0.002)


def mirrored_pairs(rng, count, pairs, rate, correlation):
    """Wins of each pair, [count, pairs] in {0, 1, 2}, whose two games are correlated."""
    first = rng.random((count, pairs)) < rate
    again = rng.random((count, pairs)) < rate
    copied = rng.random((count, pairs)) < abs(correlation)
    other = first if correlation > 0 else ~first
    if correlation < 0:
        assert rate == 0.5, "a mirrored copy has the other rate"
    return first + np.where(copied, other, again).astype(float)


@pytest.mark.parametrize(
    ("rate", "correlation"), [(0.5, 0.0), (0.5, -0.4), (0.5, 0.4), (0.7, 0.0), (0.95, 0.2)]
)
@pytest.mark.parametrize("pairs", [30, 200])
def test_intervals_hold_the_true_share_95_times_in_a_hundred(rate, correlation, pairs):
    rng = np.random.default_rng(7)
    won = mirrored_pairs(rng, 2000, pairs, rate, correlation)
    played = np.full(pairs, 2.0)
    found = [share_interval(row, played) for row in won]
    covered = np.mean([low <= rate <= high for _, low, high in found])
    assert 0.93 <= covered <= 0.97


def test_an_interval_never_claims_certainty_of_a_few_pairs():
    interval = share_interval(np.full(5, 2.0), np.full(5, 2.0))
    assert interval.mean == 1.0
    assert interval.low < 0.85
    equal = share_interval(np.ones(5), np.full(5, 2.0))
    assert equal.low < 0.45 < 0.55 < equal.high


def test_a_share_of_hands_counts_hands_not_pairs():
    won, played = np.array([1.0, 6.0, 2.0]), np.array([2.0, 8.0, 10.0])
    assert share_interval(won, played).mean == 9 / 20
    assert mean_interval(won, played).mean == 9 / 20


def test_the_interval_of_a_mean_holds_it():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        counts = rng.integers(4, 20, size=60).astype(float)
        sums = 1.5 * counts + 3 * np.sqrt(counts) * rng.standard_normal(60)
        _, low, high = mean_interval(sums, counts)
        covered += low <= 1.5 <= high
    assert 930 <= covered <= 970


def test_taking_luck_out_narrows_without_bias():
    rng = np.random.default_rng(5)
    played = np.full(100, 2.0)
    plain, less, covered = [], [], 0
    for _ in range(1500):
        luck = rng.standard_normal((100, 2))
        chance = np.clip(0.6 + 0.2 * luck[:, 0] - 0.1 * luck[:, 1], 0, 1)
        won = rng.binomial(2, chance).astype(float)
        plain.append(share_interval(won, played))
        less.append(share_interval(won, played, luck))
        covered += less[-1].low <= 0.5955 <= less[-1].high  # the clipped mean, by integration
    means = np.array([x.mean for x in less])
    assert abs(means.mean() - 0.5955) < 4 * means.std() / np.sqrt(1500)
    assert np.mean([x.half_width for x in less]) < 0.9 * np.mean([x.half_width for x in plain])
    assert 0.93 <= covered / 1500 <= 0.97


def test_luck_is_left_in_where_there_are_too_few_groups_to_fit_it():
    won = np.ones(10)
    assert without_luck(won, np.full(10, 2.0), np.ones((10, 8))) is won


# --- ratings ------------------------------------------------------------------------------------


def test_ratings_explain_the_results_they_come_from():
    true = np.array([120.0, 0.0, -40.0, -80.0])
    shares = 1 / (1 + 10 ** ((true[None, :] - true[:, None]) / 400))
    wins = 1e6 * shares * (1 - np.eye(4))
    np.testing.assert_allclose(bradley_terry(wins), true, atol=0.01)


def test_a_player_who_won_all_has_a_finite_rating():
    ratings = bradley_terry(np.array([[0.0, 50.0], [0.0, 0.0]]))
    assert 300 < ratings[0] - ratings[1] < 1000


def test_intervals_of_ratings_hold_the_truth():
    rng, covered = np.random.default_rng(1), 0
    true = 400 * np.log10(0.65 / 0.35) / 2
    for trial in range(50):
        shares = rng.binomial(2, 0.65, size=100) / 2
        rating = bradley_terry_intervals(2, [(0, 1)], [shares], seed=trial)[0]
        covered += rating.low <= true <= rating.high
    assert covered > 43


def test_plackett_luce_puts_who_finishes_first_on_top():
    orders = [([0, 1, 2], [0, 1, 2]), ([0, 1, 2], [1, 0, 2]), ([0, 1, 2], [0, 1, 2])] * 20
    a, b, c = plackett_luce(3, orders)
    assert a.mean > b.mean > c.mean
    assert a.low < a.mean < a.high
    twice = plackett_luce(2, [([0, 1, 1], [0, 1, 2])] * 30)
    assert twice[0].low > twice[1].high


# --- who plays whom, and who won ----------------------------------------------------------------


def test_players_fill_a_table_in_turn_and_sit_everywhere_equally_often():
    for players, seats in ((2, 3), (2, 4), (3, 4), (4, 4), (3, 6), (5, 3)):
        lineups = table_lineups(players, seats)
        rows = {tuple(row) for row in lineups.tolist()}
        assert len(rows) == len(lineups)
        assert {(*row[1:], row[0]) for row in rows} == rows
        sits = np.array([(lineups == i).sum(axis=0) for i in range(players)])
        assert (sits == sits[0, 0]).all()
    assert len(table_lineups(5, 3)) == 3 * comb(5, 3)


def matches_of(winners, out_at, totals) -> Matches:
    """Finished matches in which player i sits in seat i."""
    count, seats = np.shape(out_at)
    tallies = np.zeros((count, seats, len(COLUMNS)), np.int64)
    tallies[:, :, COLUMNS.index("out_at")] = out_at
    tallies[:, :, COLUMNS.index("total")] = totals
    zeros = np.zeros(count, np.int64)
    lineups = np.tile(np.arange(seats), (count, 1))
    return Matches(
        lineups, np.array(winners), zeros, zeros, tallies, np.zeros((count, 0, LUCKS))
    )  # fmt: skip


def test_places_go_by_the_win_then_by_who_stayed_then_by_points():
    n = NEVER_OUT
    totals = [[110, 40, 130, 120], [9, 120, 3, 9]]
    matches = matches_of([1, -1], [[5, n, 3, 5], [n, 4, n, n]], totals)
    plan = Plan(Rules.preset("fisca", num_players=4), 0)
    assert places(matches, plan).tolist() == [[1, 0, 3, 2], [1.5, 3, 0, 1.5]]


def test_a_match_cut_short_counts_half_for_those_still_in():
    n = NEVER_OUT
    plan = Plan(Rules.preset("browser"), 0)
    assert won_matches(matches_of([-1], [[n, n]], [[5, 9]]), plan).tolist() == [[0.5, 0.5]]
    plan = Plan(Rules.preset("browser", num_players=3), 0)
    matches = matches_of([-1], [[n, 3, n]], [[5, 120, 9]])
    assert won_matches(matches, plan).tolist() == [[0.5, 0, 0.5]]


def test_the_members_of_a_team_share_a_win():
    n = NEVER_OUT
    plan = Plan(Rules.preset("fisca", teams="2x2"), 0)
    won = won_matches(matches_of([1], [[n, n, n, n]], [[0, 0, 0, 0]]), plan)
    assert won.tolist() == [[0, 0.5, 0, 0.5]]


def test_voids_and_matches_cut_short_are_counted_and_shares_leave_them_out():
    rules = Rules.preset("browser", max_turns=6, max_hands=3)
    pairing = evaluate(["random", "easy"], pairs=20, rules=rules).pairings[0]
    assert pairing.void > 0.5
    assert pairing.cut_short > 0.9
    assert abs(pairing.matches.mean - 0.5) < 0.1


# --- evaluations --------------------------------------------------------------------------------


def test_equal_levels_without_chance_share_every_mirrored_pair():
    pairing = evaluate(["hard", "hard"], pairs=30).pairings[0]
    assert (pairing.a, pairing.b) == ("hard #1", "hard #2")
    assert pairing.shares.tolist() == [0.5] * 30
    assert pairing.difference.mean == 0.0
    assert pairing.hands.mean == 0.5


def test_every_pairing_is_played_on_the_same_deals():
    result = evaluate(["easy", "normal", "hard"], pairs=10, seed=4)
    assert [(p.a, p.b) for p in result.pairings] == [
        ("easy", "normal"),
        ("easy", "hard"),
        ("normal", "hard"),
    ]
    assert {p.seeds for p in result.pairings} == {(4 << 32, (4 << 32) + 9)}
    assert result.ratings[0].mean < result.ratings[1].mean < result.ratings[2].mean


def test_an_evaluation_can_be_repeated():
    a, b = (evaluate(["easy", "random"], pairs=20, seed=9).to_dict() for _ in range(2))
    other = evaluate(["easy", "random"], pairs=20, seed=10).to_dict()
    assert a["pairings"] == b["pairings"] != other["pairings"]


def test_a_table_of_four_gives_standings_in_order():
    rules = Rules.preset("fisca", num_players=4)
    result = evaluate(["easy", "normal", "hard"], pairs=40, rules=rules)
    assert [s.name for s in result.standings] == ["easy", "normal", "hard"]
    for worse, better in pairwise(result.standings):
        assert worse.wins.high < better.wins.low
        assert worse.place.low > better.place.high
    places_sum = sum(s.place.mean for s in result.standings)
    assert places_sum == pytest.approx(7.5)  # three players, mean place 2.5
    assert result.rating_system.startswith("Plackett-Luce")


def test_teams_meet_as_two_sides():
    rules = Rules.preset("fisca", teams="2x2", limit=201)
    result = evaluate(["hard", "easy"], pairs=20, rules=rules)
    assert result.pairings[0].matches.low > 0.5
    assert not result.standings


def test_a_pairing_at_larger_tables_counts_the_matches_and_hands_of_both():
    # Players 0 and 1, and 1 and 2, at tables of three: player 1 sits twice. Two deals.
    lineups = np.array([[0, 1, 1], [1, 2, 1]] * 2)
    hands = np.array([2, 50, 4, 50])
    tallies = np.zeros((4, 3, len(COLUMNS)), np.int64)
    tallies[:, :, COLUMNS.index("points")] = (lineups + 1) * hands[:, None]  # 1, 2, 3 a hand
    tallies[:, :, COLUMNS.index("out_at")] = NEVER_OUT
    winners = np.array([0, 0, 1, 0])
    matches = Matches(lineups, winners, hands, 0 * hands, tallies, np.zeros((4, 0, LUCKS)))
    plan = Plan(Rules.preset("browser", num_players=3), 0)
    pairing = summarize_pairing(matches, (0, 1), ("a", "b"), plan, 2)
    assert (pairing.num_matches, pairing.num_hands, pairing.groups) == (2, 6, 2)
    assert pairing.points == (1.0, 2.0) and pairing.matches.mean == 0.5
    assert pairing.difference.mean == pytest.approx(1.0)


def test_pairs_that_are_asked_for_are_the_most_that_is_played(capsys):
    run(EvaluateConfig(players=("easy", "easy"), until=0.0001, pairs=1000, json="-"))
    assert json.loads(capsys.readouterr().out)["pairings"][0]["pairs"] == 1000


def test_until_stops_as_soon_as_the_interval_is_narrow():
    result = evaluate(["easy", "random"], pairs=5000, rules=ONE_HAND, until=0.03)
    pairing = result.pairings[0]
    assert pairing.matches.half_width <= 0.03
    assert pairing.groups < 5000


def test_luck_noted_changes_no_game():
    plain = evaluate(["easy", "normal"], pairs=200, rules=ONE_HAND).pairings[0]
    less = evaluate(["easy", "normal"], pairs=200, rules=ONE_HAND, note_luck=True).pairings[0]
    assert less.points == plain.points
    assert less.shrinkage is not None
    assert less.hands.half_width < plain.hands.half_width


def test_the_luck_of_the_draws_has_mean_zero():
    players = [make_agent("easy"), make_agent("normal")]
    seeds = np.arange(3000, dtype=np.uint64)
    lineups = np.tile([0, 1], (3000, 1))
    luck = play_matches(players, ONE_HAND, seeds, lineups, note_luck=True).lucks
    error = luck.std(axis=0) / np.sqrt(len(luck))
    assert luck.shape == (3000, 2, LUCKS)
    assert (luck.std(axis=0) > 0).all()
    assert (np.abs(luck.mean(axis=0)) < 4.5 * error).all()


def test_the_sequential_test_finds_the_stronger_one_and_stops():
    test = run_sequential_test("normal", "easy")
    assert test.answer == "stronger"
    assert test.pairing.groups < 2000
    back = run_sequential_test("easy", "normal")
    assert back.answer == "not stronger"


def test_the_log_likelihood_ratio_grows_with_wins():
    even, better = np.full(100, 0.5), np.tile([0.5, 1.0], 50)
    assert log_likelihood_ratio(better, 0, 50) > 0 > log_likelihood_ratio(even, 0, 50)


class Checkpoint:
    """A learned player that says which seeds it has seen."""

    meta = {"seeds": {"selection": [5 << 32, 6 << 32]}}

    def __init__(self) -> None:
        self._agent = make_agent("normal")
        self.name = "checkpoint"
        self.act, self.action = self._agent.act, self._agent.action

    def act_batch(self, views, streams=None):
        return self._agent.act_batch(views, streams)


def test_seeds_that_a_checkpoint_has_seen_are_refused():
    with pytest.raises(EvaluationError, match=r"agent 'checkpoint' used the seeds .* selection"):
        evaluate([Checkpoint(), "easy"], pairs=5, seed=5)
    with pytest.raises(EvaluationError, match="selection"):
        run_sequential_test(Checkpoint(), "easy", seed=5)
    result = evaluate([Checkpoint(), "easy"], pairs=5, seed=6)
    assert result.pairings[0].a == "checkpoint"


# --- the command --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"players": ("hard",)}, EvaluationError, "at least two players"),
        ({"players": ("hard", "easy"), "pairs": 1}, EvaluationError, "pairs = 1 must be"),
        ({"players": ("hard", "easy"), "seed": -1}, EvaluationError, "seed = -1 must be"),
        ({"players": ("hard", "easy"), "seed": 1 << 32}, EvaluationError, "seed = 4294967296 must"),
        ({"players": ("hard", "easy"), "threads": 0}, EvaluationError, "threads = 0 must be"),
        ({"sprt": ("hard", "easy"), "pairs": 0}, EvaluationError, "pairs = 0 must be"),
        ({"players": ("hard", "strong")}, AgentError, "unknown agent 'strong'"),
        ({"players": ("hard", "easy"), "rules": "poker"}, RulesError, "unknown rules preset"),
        ({"players": ("hard", "easy"), "set": (("limits=3",),)}, RulesError, "unknown rules field"),
        ({"sprt": ("hard", "easy"), "elo1": -5.0}, EvaluationError, "elo1 = -5.0 must be above"),
        ({"sprt": ("hard", "easy"), "players": ("hard",)}, EvaluationError, "leave --players out"),
        ({"sprt": ("hard", "easy"), "set": (("num_players=3",),)}, EvaluationError, "two players"),
    ],
)
def test_wrong_options_are_one_clear_line(config, error, message):
    with pytest.raises(error, match=message) as caught:
        run(EvaluateConfig(**config))
    assert "\n" not in str(caught.value)


def test_the_command_writes_json_picture_and_page(tmp_path, capsys):
    files = {name: str(tmp_path / f"result.{name}") for name in ("json", "png", "html")}
    run(EvaluateConfig(players=("easy", "normal"), pairs=10, without_luck=True, **files))
    printed = capsys.readouterr().out
    assert "Bradley-Terry" in printed
    assert "match seeds" in printed
    figures = json.loads((tmp_path / "result.json").read_text())
    (pairing,) = figures["pairings"]
    keys = {"a", "b", "rules", "pairs", "seeds", "matches", "hands", "points", "void", "cut_short"}
    assert keys | {"turns", "in_hand", "never_opened", "difference"} <= set(pairing)
    assert (pairing["a"], pairing["b"], pairing["pairs"]) == ("easy", "normal", 10)
    assert len(pairing["matches"]) == len(pairing["hands"]) == 3
    assert Rules.from_dict(pairing["rules"]) == Rules.preset("browser")
    assert figures["labels"]["easy"] == make_agent("easy").name
    assert (tmp_path / "result.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "result.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "http" not in page


def test_json_goes_to_standard_output_alone(capsys):
    run(EvaluateConfig(players=("easy", "normal"), pairs=4, json="-"))
    assert json.loads(capsys.readouterr().out)["complete"] is True


@pytest.fixture
def interrupted_later(monkeypatch):
    """Ctrl-C comes when 500 deals have been played."""
    calls = []

    def interrupted(*args, **options):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return play_matches(*args, **options)

    monkeypatch.setattr("scala40_env.train.pairings.play_matches", interrupted)


def left_behind(path, **options):
    """Return the figures that an interrupted command leaves."""
    with pytest.raises(KeyboardInterrupt):
        run(EvaluateConfig(json=str(path), set=(("mode=single_hand",),), **options))
    figures = json.loads(path.read_text())
    assert figures["complete"] is False
    return figures


@pytest.mark.usefixtures("interrupted_later")
def test_an_interrupted_evaluation_keeps_the_pairings_that_are_done(tmp_path):
    players = ("random", "easy", "normal")
    figures = left_behind(tmp_path / "part.json", players=players, pairs=500)
    assert len(figures["ratings"]) == 3
    assert [(p["a"], p["b"]) for p in figures["pairings"]] == [("random", "easy")]


@pytest.mark.usefixtures("interrupted_later")
def test_an_interrupted_sequential_test_says_so(tmp_path):
    left_behind(tmp_path / "part.json", sprt=("easy", "easy"), elo1=1.0)


@pytest.mark.usefixtures("interrupted_later")
def test_an_interrupted_evaluation_leaves_what_was_played(tmp_path):
    figures = left_behind(tmp_path / "part.json", players=("easy", "normal"), pairs=1000)
    assert figures["pairings"][0]["pairs"] == 500


def test_rules_are_told_by_what_differs_from_a_preset():
    rules = Rules.preset("fisca", num_players=4, limit=201)
    assert report.rules_text(rules) == "fisca num_players=4 limit=201"


# --- the long proofs ----------------------------------------------------------------------------


def coverage(a: str, b: str, rate: float, evaluations: int, pairs: int) -> float:
    """How often small evaluations of one-hand matches hold the true rate."""
    players = [make_agent(a), make_agent(b)]
    plan = Plan(ONE_HAND, 77 << 32)
    matches = plan.play(players, np.array([[0, 1], [1, 0]]), evaluations * pairs)
    won = (won_matches(matches, plan) * (matches.lineups == 0)).sum(axis=1)
    rows = won.reshape(evaluations, pairs, 2).sum(axis=2)
    found = [share_interval(row, np.full(pairs, 2.0)) for row in rows]
    return float(np.mean([low <= rate <= high for _, low, high in found]))


@pytest.mark.slow
def test_small_evaluations_of_equal_levels_hold_one_half():
    assert 0.93 <= coverage("easy", "easy", 0.5, 2000, 40) <= 0.97


@pytest.mark.slow
def test_small_evaluations_hold_a_rate_known_from_200_000_pairs():
    players = [make_agent("easy"), make_agent("random")]
    plan = Plan(ONE_HAND, 78 << 32)
    matches = plan.play(players, np.array([[0, 1], [1, 0]]), 200_000)
    rate = (won_matches(matches, plan) * (matches.lineups == 0)).sum() / len(matches.hands)
    assert 0.6 < rate < 0.95
    assert 0.93 <= coverage("easy", "random", rate, 2000, 40) <= 0.97


@pytest.mark.slow
def test_taking_the_luck_of_the_draws_out_has_no_bias():
    rows = []
    for seed in range(100, 200):
        plain = evaluate(["easy", "normal"], 500, ONE_HAND, seed).pairings[0]
        less = evaluate(["easy", "normal"], 500, ONE_HAND, seed, note_luck=True).pairings[0]
        shrinkage = plain.hands.half_width / less.hands.half_width
        rows.append((less.hands.mean - plain.hands.mean, shrinkage))
    shift, shrinkage = np.array(rows).T
    assert abs(shift.mean()) < 3 * shift.std() / np.sqrt(len(rows))
    assert shrinkage.mean() > 1.1
