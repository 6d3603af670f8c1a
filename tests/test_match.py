"""The match for people: seats, turns, results, undo, saving, and what is told about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scala40_env.agents import AgentError
from scala40_env.cards import parse_card
from scala40_env.game import Game, IllegalMoveError
from scala40_env.play.chronicle import Chronicle
from scala40_env.play.match import Match, MatchError, Player, seat_players, who_resigned
from scala40_env.play.saves import Autosave, last_unfinished
from scala40_env.play.words import Words, hand_ending, match_ending, sort_hand
from scala40_env.record import RecordError
from scala40_env.rules import Rules

WORDS = Words(letters=True)


def position(hand: str, phase: str = "play", **keys: Any) -> Game:
    """A game of seat 0, which holds `hand`; the other seat has opened and holds two cards."""
    keys = {"rules": {"preset": "browser"}, "opened": [True, True], "pile": ["9C"], **keys}
    return Game.from_position({"hands": [hand.split(), ["2S", "3S"]], "phase": phase, **keys})


def persons_match(game: Game) -> Match:
    """A match of two persons on a game."""
    return Match(game, [Player("me:Anna", "Anna"), Player("me:Bruno", "Bruno")])


def play_out(match: Match) -> None:
    """Play a match of agents to its end."""
    while not match.is_over:
        if match.game.hand_over:
            match.next_hand()
        else:
            match.agent_turn()


def finished_match(rules: str | Rules = "browser", seed: int = 3, players: int = 2) -> Match:
    match = Match.new(rules, ["normal"] * players, seed)
    play_out(match)
    return match


# --- who sits where ----------------------------------------------------------------------------


def test_a_single_person_is_you_and_equal_agents_are_numbered():
    names = [player.name for player in seat_players(["me", "easy", "easy"], 1)]
    assert names == ["You", "easy 1", "easy 2"]


def test_persons_have_their_own_names():
    names = [player.name for player in seat_players(["me:Anna", "me", "me"], 1)]
    assert names == ["Anna", "Player 1", "Player 2"]


def test_the_number_of_players_follows_the_names():
    assert Match.new("fisca", ["me", "easy", "normal"], 1).game.rules.num_players == 3


def test_an_unknown_agent_is_named():
    with pytest.raises(AgentError, match="'hrd'"):
        Match.new("browser", ["me", "hrd"])


def test_a_new_level_sits_down_in_the_middle_of_a_match():
    match = Match.new("browser", ["me", "easy"], 1)
    match.set_player(1, "hard")
    assert [player.spec for player in match.players] == ["me", "hard"]
    assert match.names == ["You", "hard"]


# --- turns -------------------------------------------------------------------------------------


def test_a_long_meld_is_one_command_and_undone_at_once():
    match = persons_match(position("5S 6S 7S 8S KD QD"))
    steps = match.play("meld 5s 6s 7s 8s")
    assert [step.text for step in steps] == ["meld 5S 6S 7S", "add 8S 0"]
    match.undo()
    assert match.game.table == []
    assert match.chronicle.turns == []
    assert not match.can_undo


def test_an_illegal_long_meld_changes_nothing():
    match = persons_match(position("5S 6S 7S KD"))
    before = match.game.position()
    with pytest.raises(IllegalMoveError):
        match.play("meld 5S 6S 7S 8S")
    assert match.game.position() == before
    assert match.chronicle.turns == []


def test_a_turn_tells_melds_as_they_lie_in_the_end_and_the_opening():
    match = persons_match(position("TS JS QS KS 5D 9C", opened=[False, True]))
    for move in ("meld TS JS QS KS", "discard 5D"):
        match.play(move)
    assert WORDS.turn(match.chronicle.turns[0], "Anna") == (
        "Anna: laid TS JS QS KS; opened with 40 points; discarded 5D; 1 card left"
    )


def test_a_drawn_card_is_told_only_to_its_player():
    match = persons_match(position("5D KD", "draw"))
    card = WORDS.card(match.game.stock[0])
    match.play("draw")
    match.play("discard 5D")
    turn = match.chronicle.turns[0]
    assert WORDS.turn(turn, "Anna").startswith("Anna: drew;")
    assert WORDS.turn(turn, "Anna", reveal=True).startswith(f"Anna: drew {card};")


def test_swaps_takes_and_jokers_are_told():
    match = persons_match(position("9S * 2D 5C", "draw", table=["8S 9S* TS", "9H 9D 9S"]))
    for move in ("take", "add 9C 1", "swap 9S 0", "add 7S* 0", "discard 5C"):
        match.play(move)
    assert WORDS.turn(match.chronicle.turns[0], "Anna") == (
        "Anna: took 9C from the pile; added 9C to meld 1 (9S 9H 9D 9C);"
        " put 9S for * in meld 0 (8S 9S TS); added * as 7S to meld 0 (7S* 8S 9S TS);"
        " discarded 5C; 2 cards left"
    )


def test_a_closed_hand_and_its_points_are_in_the_results():
    match = persons_match(position("7S 7H 7D KS"))
    match.play("meld 7S 7H 7D")
    match.play("discard KS")
    result = match.last_result
    assert result is not None
    assert (result.closer, result.points, result.totals) == (0, [0, 5], [0, 5])
    assert match.chronicle.turns[-1].closed
    assert hand_ending(result, match.names) == "Anna closed the hand."


def test_the_chronicle_of_a_game_is_that_of_its_match():
    match = finished_match(Rules.preset("browser", reshuffles=None), players=3)
    again = Chronicle.of(match.game)
    assert again.turns == match.chronicle.turns
    assert again.results == match.chronicle.results
    assert any(result.out for result in again.results)


def test_a_person_comes_back_in_the_results():
    rules = Rules.preset("browser", reentry="unlimited", max_hands=30, limit=60)
    match = finished_match(rules, seed=5, players=3)
    assert any(result.returned for result in match.chronicle.results)


# --- the end -----------------------------------------------------------------------------------


def test_the_other_player_wins_when_somebody_gives_up():
    match = Match.new("browser", ["me", "easy"], 1)
    match.resign(0)
    assert match.is_over
    assert match.winners == [1]
    assert not match.is_persons_turn and not match.is_agents_turn


def test_nobody_wins_yet_when_one_of_three_gives_up():
    match = Match.new("browser", ["me", "easy", "easy"], 1)
    match.resign(0)
    assert match.winners == []


def test_a_team_wins_together():
    rules = Rules.preset("browser", teams="2x2", mode="single_hand")
    match = finished_match(rules, players=4)
    assert match.winners in ([0, 2], [1, 3])
    ending = match_ending(match.winners, match.names, match.game.rules)
    assert ending.startswith(f"Team {match.winners[0] + 1} (")


def test_the_other_team_wins_when_somebody_gives_up():
    match = Match.new(Rules.preset("browser", teams="2x2"), ["me", "easy", "easy", "easy"], 1)
    match.resign(0)
    assert match.winners == [1, 3]


# --- saving ------------------------------------------------------------------------------------


def test_a_match_goes_on_from_its_file_in_mid_turn(tmp_path: Path):
    match = Match.new("browser", ["me", "normal"], 6)
    while not match.is_persons_turn:
        match.agent_turn()
    match.play("draw")
    match.save(tmp_path / "match.jsonl")
    again = Match.load(tmp_path / "match.jsonl")
    assert again.game.position() == match.game.position()
    assert again.chronicle.turns == match.chronicle.turns
    assert [player.spec for player in again.players] == ["me", "normal"]


def test_others_can_sit_down_at_a_saved_match(tmp_path: Path):
    Match.new("browser", ["me", "normal"], 6).save(tmp_path / "match.jsonl")
    again = Match.load(tmp_path / "match.jsonl", ["hard", "me"])
    assert again.persons == [1]
    with pytest.raises(MatchError, match="3 players for the 2 seats"):
        Match.load(tmp_path / "match.jsonl", ["hard", "me", "me"])


def test_a_match_given_up_stays_given_up_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    match = Match.new("browser", ["me", "easy"], 6)
    match.resign(0)
    kept = Autosave()
    kept.save(match)
    assert Match.load(str(kept.path)).winners == [1]
    with pytest.raises(MatchError, match="no unfinished match"):
        last_unfinished()


@pytest.mark.parametrize("seat", [2, -1, True, "0"])
def test_nobody_gives_up_who_has_no_seat(seat: Any):
    with pytest.raises(RecordError, match="not a seat"):
        who_resigned({"players": ["me", "easy"], "resigned": seat})


def test_a_failed_save_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "match.jsonl"
    match = Match.new("browser", ["me", "easy"], 6)
    match.save(path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(MatchError, match=r"match\.jsonl'?: No space left"):
        match.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "garbage\n", '{"format": "other"}\n'])
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, content: str):
    path = tmp_path / "match.jsonl"
    path.write_text(content)
    with pytest.raises((MatchError, RecordError), match=r"match\.jsonl"):
        Match.load(path)


def test_a_folder_that_is_missing_is_said(tmp_path: Path):
    with pytest.raises(MatchError, match="No such file"):
        Match.new("browser", ["me", "easy"], 6).save(tmp_path / "no" / "match.jsonl")


def test_the_last_unfinished_match_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(MatchError, match="no unfinished match"):
        last_unfinished()
    going_on, over = Autosave(), Autosave()
    assert going_on.save(Match.new("browser", ["me", "easy"], 6))
    assert over.save(finished_match(Rules.preset("browser", mode="single_hand")))
    assert going_on.path != over.path
    assert last_unfinished() == going_on.path


def test_the_later_of_two_matches_of_one_second_is_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    match = Match.new("browser", ["me", "easy"], 6)
    folder = tmp_path / "scala40"
    folder.mkdir()
    for name in ("2026-11-30-184512.jsonl", "2026-11-30-184512-2.jsonl"):
        Autosave(folder / name).save(match)
    assert last_unfinished().name == "2026-11-30-184512-2.jsonl"


# --- cards -------------------------------------------------------------------------------------


def test_a_hand_is_sorted_by_suit_or_by_rank_with_jokers_last():
    cards = [parse_card(text) for text in "* 9D 2C 9S AH 2S".split()]
    assert WORDS.hand(cards) == "2S 9S   AH   2C   9D   *"
    assert WORDS.hand(cards, by_rank=True) == "AH   2S 2C   9S 9D   *"
    assert sort_hand(cards, by_rank=True)[-1] == parse_card("*")


@pytest.mark.parametrize(
    "hand, changes",
    [
        ("2S 9D KH AS", {}),
        ("* * AD", {"joker_in_hand": 30}),
        ("AD", {"lone_ace_in_hand": 1}),
        ("AD KH JS", {"card_values": "graded"}),
        ("AD", {"card_values": "graded", "lone_ace_in_hand": 1}),
    ],
)
def test_the_points_of_a_hand_are_those_that_the_engine_counts(hand: str, changes: dict[str, Any]):
    rules = {"preset": "browser", **changes}
    game = Game.from_position(
        {
            "rules": rules,
            "hands": [["KS"], hand.split()],
            "opened": [True, True],
            "turns": [1, 1],
            "phase": "play",
        }
    )
    cost = game.hand_cost(1)
    assert game.view(1).hand_cost(1) == cost > 0
    game.push("discard KS")
    assert game.points == [0, cost]
