"""Records: the shared ones replay, ours come back the same, and damaged ones are refused."""

from __future__ import annotations

import copy
import json
import random

import pytest
import shared_data

from scala40_env import record as records
from scala40_env.game import Game
from scala40_env.record import (
    RecordError,
    RecordWriter,
    game_record,
    read_records,
    replay_record,
    walk_record,
    write_records,
)
from scala40_env.rules import Rules


def play(game, seed=0, hands=None):
    """Random play by one who lays often, to the end of the match or of some hands."""
    rng = random.Random(seed)
    while not game.match_over:
        if game.hand_over:
            if hands is not None and game.hand_number >= hands:
                break
            game.next_hand()
        legal = game.legal_moves()
        eager = [move for move in legal if move.action > 55]
        game.push(rng.choice(eager if eager and rng.random() < 0.8 else legal))
    return game


@pytest.fixture(scope="module")
def whole():
    """The record of a whole match of two hands in which the stock was renewed."""
    rules = Rules.preset("italian", max_hands=2, num_players=3)
    for seed in range(100):
        game = play(Game(rules, seed, dealer=1), seed)
        record = game.record(["a", "b", "c"], legal=True)
        turns = [turn for hand in record["hands"] for turn in hand["turns"]]
        if any("restock_after" in turn for turn in turns[:-1]) and game.truncated:
            return record
    raise AssertionError("no such match in 100")


# --- the shared records ------------------------------------------------------------------------


@pytest.mark.parametrize("path", shared_data.record_files(), ids=lambda path: path.stem)
def test_shared_records_replay_and_come_back_the_same(path):
    """Equal legal moves at every decision, points, totals and winner."""
    for line, record in read_records(path):
        decisions = sum(len(t["moves"]) for hand in record["hands"] for t in hand["turns"])
        steps = list(walk_record(record, line))
        assert sum(move is not None for _, move in steps) == decisions
        game, _ = steps[-1]
        assert without_order(game.record(record["players"], legal=True)) == without_order(record)


def without_order(record):
    """A record with all that has no order of its own sorted, and all its rules written out."""
    record = copy.deepcopy(record)
    record["rules"] = Rules.from_dict(record["rules"]).to_dict()
    for hand in record["hands"]:
        hand["hands"] = [sorted(cards) for cards in hand["hands"]]
        for turn in hand["turns"]:
            turn["legal"] = [sorted(moves) for moves in turn["legal"]]
    return record


def test_all_shared_records_are_there():
    shared_data.require(shared_data.RECORDS)
    assert sum(len(shared_data.records(path)) for path in shared_data.record_files()) == 80


# --- our own -----------------------------------------------------------------------------------


def test_a_record_replays_to_the_same_state(whole):
    game = Game.replay(whole)
    assert game.record(whole["players"], legal=True) == whole
    assert Game.replay(json.loads(json.dumps(whole))).position() == game.position()


def test_a_record_has_the_fields_of_the_format(whole):
    assert list(whole) == ["format", "rules", "players", "seed", "hands", "winner", "truncated"]
    assert whole["format"] == "scala40-record/1"
    assert set(whole["rules"]) == {"preset", *Rules.FIELDS}
    for hand in whole["hands"]:
        assert list(hand) == [
            "dealer", "hands", "upcard", "stock", "turns", "closer", "points", "totals",
        ]  # fmt: skip
        assert len(hand["stock"]) == 108 - 3 * 13 - 1
        for turn in hand["turns"]:
            assert set(turn) - {"restock_after"} == {"player", "moves", "legal"}
            assert len(turn["moves"]) == len(turn["legal"])


def test_legal_moves_are_written_only_when_asked_for(whole):
    record = Game.replay(whole).record(whole["players"])
    assert all("legal" not in turn for hand in record["hands"] for turn in hand["turns"])
    assert Game.replay(record).position() == Game.replay(whole).position()


def test_a_match_goes_on_from_its_record():
    """Deals follow from the seed, so the rest of the match is the same too."""
    game = play(Game("browser", 5, 0), seed=3, hands=1)
    game.next_hand()
    for _ in range(7):
        game.push(game.legal_moves()[-1])
    again = Game.replay(game.record())
    assert again.position() == game.position()
    assert play(again, seed=9).record() == play(game, seed=9).record()


def test_a_record_may_stop_at_every_move():
    rules = Rules.preset("browser", deal=2, opening_min=0, max_hands=2, max_turns=20)
    game = Game(rules, 1, 0)
    rng = random.Random(1)
    while not game.match_over:
        if game.hand_over:
            game.next_hand()
        else:
            game.push(rng.choice(game.legal_moves()))
        assert Game.replay(game.record()).position() == game.position()


def test_steps_show_the_game_before_each_move(whole):
    moves, ends = [], 0
    for game, move in walk_record(whole):
        if move is None:
            ends += 1
        else:
            assert move in game.legal_texts()
            moves.append(move)
    assert moves == [m for hand in whole["hands"] for turn in hand["turns"] for m in turn["moves"]]
    assert ends == len(whole["hands"])


def test_a_game_from_a_position_has_no_record():
    game = Game.from_position({"rules": {}, "hands": [["2S", "3S"], ["4S"]]})
    with pytest.raises(RecordError, match="position"):
        game.record()


def test_there_is_one_name_a_seat():
    with pytest.raises(RecordError, match="1 names for 2 seats"):
        game_record(Game(seed=1), ["a"])


# --- what is refused ---------------------------------------------------------------------------


def hand_of(record, number=0):
    return record["hands"][number]


def turn_of(record, number=0):
    return record["hands"][0]["turns"][number]


def set_move(record, move):
    turn_of(record)["moves"][0] = move


def swap_cards(record):
    """Two different cards of two hands change places: the deal adds up, the moves do not."""
    hands = hand_of(record)["hands"]
    i, j = next((i, j) for i in range(13) for j in range(13) if hands[0][i] not in hands[1])
    hands[0][i], hands[1][j] = hands[1][j], hands[0][i]


def last_restock(record):
    return next(t for h in record["hands"] for t in h["turns"] if "restock_after" in t)


DAMAGES = {
    "other format": (lambda r: r.update(format="scala40-record/2"), "line 3: format"),
    "no format": (lambda r: r.pop("format"), "line 3: format is missing"),
    "unknown rule": (lambda r: r["rules"].update(limits=3), "line 3: unknown rules field"),
    "wrong rule": (lambda r: r["rules"].update(limit="101"), "line 3: rules field limit"),
    "no rules": (lambda r: r.update(rules=None), "line 3: rules is 'None'"),
    "too few players": (lambda r: r["players"].pop(), "line 3: players"),
    "seed as text": (lambda r: r.update(seed="7"), "line 3: seed"),
    "seed too large": (lambda r: r.update(seed=1 << 64), "line 3: seed"),
    "no hands": (lambda r: r.update(hands=[]), "line 3: no hands"),
    "hand is text": (lambda r: r["hands"].__setitem__(0, "x"), "not a table"),
    "wrong dealer": (lambda r: hand_of(r, 1).update(dealer=1), "line 3, hand 2: dealer is 1"),
    "no such dealer": (lambda r: hand_of(r).update(dealer=9), "dealer 9"),
    "card twice": (lambda r: hand_of(r)["stock"].append("2S"), "line 3, hand 1: 3 cards 2S"),
    "card missing": (lambda r: hand_of(r)["stock"].pop(), "line 3, hand 1: "),
    "no card": (lambda r: hand_of(r)["stock"].append("1S"), "line 3, hand 1: not a card: '1S'"),
    "not a text": (lambda r: hand_of(r)["stock"].append(7), "line 3, hand 1: not a card: 7"),
    "a hand too small": (lambda r: hand_of(r)["hands"][0].pop(), "line 3, hand 1: hands of"),
    "other hands": (swap_cards, "line 3, hand 1, turn "),
    "wrong player": (lambda r: turn_of(r).update(player=1), "line 3, hand 1, turn 1: player is 1"),
    "no move": (lambda r: set_move(r, "fold"), "turn 1, move 1: not a move"),
    "a move is a number": (lambda r: set_move(r, 3), "turn 1, move 1: not a"),
    "illegal move": (lambda r: set_move(r, "return"), "turn 1, move 1: not legal"),
    "written otherwise": (lambda r: set_move(r, "DRAW"), "turn 1, move 1: 'DRAW'"),
    "unfinished turn": (
        lambda r: (turn_of(r)["moves"].pop(), turn_of(r)["legal"].pop()),
        "line 3, hand 1, turn 1: the turn is not finished",
    ),
    "move after the turn": (
        lambda r: (turn_of(r)["moves"].append("draw"), turn_of(r)["legal"].append([])),
        "comes after the end of the turn",
    ),
    "wrong legal": (lambda r: turn_of(r)["legal"][0].append("x"), "move 1: the list of legal"),
    "too few lists": (lambda r: turn_of(r)["legal"].pop(), "turn 1: legal has not one list"),
    "no restock": (lambda r: last_restock(r).pop("restock_after"), "restock_after is missing"),
    "wrong restock": (lambda r: last_restock(r)["restock_after"].pop(), "there must be"),
    "needless restock": (lambda r: turn_of(r).update(restock_after=[]), "1: restock_after, but"),
    "turn missing": (lambda r: hand_of(r)["turns"].pop(), "line 3, hand 1: the hand is not over"),
    "turn too many": (lambda r: hand_of(r)["turns"].append({}), "the hand was over before"),
    "wrong points": (lambda r: hand_of(r)["points"].__setitem__(0, 999), "line 3, hand 1: points"),
    "wrong totals": (lambda r: hand_of(r, 1).update(totals=[1, 2, 3]), "line 3, hand 2: totals"),
    "wrong closer": (lambda r: hand_of(r).update(closer=7), "line 3, hand 1: closer is 7"),
    "no points": (lambda r: hand_of(r, 1).pop("points"), "line 3, hand 2: points is missing"),
    "hand too many": (lambda r: r["hands"].append(hand_of(r)), "line 3, hand 3: no hand can be"),
    "hand missing": (lambda r: r["hands"].pop(), "line 3: truncated is True, but it comes out"),
    "wrong winner": (lambda r: r.update(winner=0), "line 3: winner is 0"),
    "not truncated": (lambda r: r.update(truncated=0), "line 3: truncated is 0"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_refused_with_the_place(whole, damage):
    change, message = DAMAGES[damage]
    record = copy.deepcopy(whole)
    change(record)
    with pytest.raises(RecordError) as error:
        replay_record(record, line=3)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_an_upcard_that_the_rules_do_not_turn_up_is_refused(whole):
    record = copy.deepcopy(whole)
    record["rules"]["upcard_joker"] = "redraw"
    hand = hand_of(record)
    hand["stock"].remove("*")
    hand["stock"].append(hand["upcard"])
    hand["upcard"] = "*"
    with pytest.raises(RecordError, match="hand 1: the upcard is a joker"):
        replay_record(record)


def test_every_single_character_damage_to_a_move_is_refused_or_changes_nothing(whole):
    """Whatever is done to one move, the result is an error of ours, never another one."""
    rng = random.Random(0)
    for _ in range(60):
        record = copy.deepcopy(whole)
        turn = rng.choice(record["hands"][0]["turns"])
        i = rng.randrange(len(turn["moves"]))
        text = turn["moves"][i]
        at = rng.randrange(len(text))
        turn["moves"][i] = text[:at] + rng.choice("S* 9x\u2660") + text[at + 1 :]
        if turn["moves"][i] != text:
            with pytest.raises(RecordError, match="hand 1, turn"):
                replay_record(record)


# --- files -------------------------------------------------------------------------------------


def test_files_are_written_and_read(whole, tmp_path):
    path = tmp_path / "games.jsonl"
    other = Game("browser", 1, 0).record()
    write_records(path, [whole, other])
    assert path.read_text().count("\n") == 2
    assert [record for _, record in read_records(path)] == [whole, other]
    assert [line for line, _ in read_records(path)] == [1, 2]
    with RecordWriter(path, append=True) as writer:
        writer.write(other)
    assert len(list(read_records(path))) == 3


def test_a_file_is_whole_after_every_record(whole, tmp_path):
    path = tmp_path / "games.jsonl"
    with RecordWriter(path) as writer:
        for count in range(1, 4):
            writer.write(whole)
            assert [record for _, record in read_records(path)] == [whole] * count


def test_a_record_that_cannot_be_written_whole_is_not_written(whole, tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    writer = RecordWriter(path)
    writer.write(whole)

    class FullDisk(records.FileIO):
        def write(self, data):
            return super().write(data[:100])

    writer._file = FullDisk(path, "r+")
    with pytest.raises(RecordError, match="no space left"):
        writer.write(whole)
    writer.close()
    assert [record for _, record in read_records(path)] == [whole]


def test_numbers_that_json_has_not_are_not_written(tmp_path):
    with RecordWriter(tmp_path / "x") as writer, pytest.raises(ValueError, match="JSON"):
        writer.write({"points": float("nan")})
    assert (tmp_path / "x").read_bytes() == b""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: not a record"),
        ('{"seed": NaN}', "line 2: NaN is not allowed"),
        ("[" * 100_000, "line 2: nested too deeply"),
        ('{"seed": ' + "9" * 5000 + "}", "line 2: a number is too long"),
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path, line, message):
    path = tmp_path / "games.jsonl"
    path.write_text("{}\n" + line + "\n")
    with pytest.raises(RecordError) as error:
        list(read_records(path))
    assert message in str(error.value)


def test_files_that_cannot_be_used_give_one_line(tmp_path):
    with pytest.raises(RecordError, match="cannot read records from .*: No such file"):
        list(read_records(tmp_path / "none"))
    with pytest.raises(RecordError, match="cannot write records to"):
        RecordWriter(tmp_path / "none" / "x")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{}")
    with pytest.raises(RecordError, match="not UTF-8"):
        list(read_records(tmp_path / "bytes"))
