"""The text prompt: what a person types, what is answered, and that nothing is ever lost."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scala40_env.agents import make_agent
from scala40_env.commands import replay
from scala40_env.game import Game
from scala40_env.notation import parse_move, parse_moves
from scala40_env.play.chronicle import Chronicle
from scala40_env.play.console import make_console
from scala40_env.play.hint import Adviser
from scala40_env.play.match import Match, Player
from scala40_env.play.orders import COMMANDS, OrderError, complete, find_move, read_order
from scala40_env.play.prompt import END_OF_INPUT, QUIT, Prompt
from scala40_env.play.reader import PipeReader
from scala40_env.play.saves import Autosave, last_unfinished, saves_folder
from scala40_env.play.why import opening_reach, why_not
from scala40_env.play.words import Words, merge_steps
from scala40_env.record import read_records, replay_record
from scala40_env.rules import Rules

WORDS = Words(letters=True)


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def position(hand: str, phase: str = "play", rules: Any = None, **keys: Any) -> Game:
    """A game of seat 0, which holds `hand`; both have opened unless said otherwise."""
    keys = {"opened": [True, True], "pile": ["9C"], **keys}
    rules = {"preset": "browser", **(rules or {})}
    hands = [hand.split(), ["2S", "3S"]]
    return Game.from_position({"rules": rules, "hands": hands, "phase": phase, **keys})


# --- what is typed -----------------------------------------------------------------------------


def typed(game: Game, line: str) -> str:
    """The move that a line means, as NOTATION writes it."""
    text = find_move(game, read_order(line), WORDS)
    return game.move_text(parse_move(text, game.table, game.rules))


@pytest.mark.parametrize(
    "line, move",
    [
        ("s", "draw"),
        ("dr", "draw"),
        ("DRAW", "draw"),
        ("p", "take"),
        ("take", "take"),
    ],
)
def test_the_draw_by_letter_word_and_beginning(line: str, move: str):
    assert typed(position("9S 9H 5D", "draw"), line) == move


@pytest.mark.parametrize(
    "line, move",
    [
        ("x kd", "discard KD"),
        ("discard K♦", "discard KD"),
        ("dis k", "discard KD"),
        ("x 10♥", "discard TH"),
        ("x 10", "discard TH"),
        ("m 7s 7h 7d", "meld 7S 7H 7D"),
        ("7s 7h 7d", "meld 7S 7H 7D"),
        ("m 7", "meld 7S 7H 7D"),
        ("a 9s 0", "swap 9S 0"),
        ("a 9", "swap 9S 0"),
        ("swap 9♠ 0", "swap 9S 0"),
        ("a 5c", "add 5C 2"),
        ("a 7s", "add 7S 0"),
        ("a * 2", "add 5C* 2"),
    ],
)
def test_what_is_typed_becomes_the_one_move_that_it_can_mean(line: str, move: str):
    table = ["8S 9S* TS", "QS QH QC", "5S 5H 5D"]
    assert typed(position("7S 7H 7D KD TH 5C 6C 9S *", table=table), line) == move


@pytest.mark.parametrize(
    "line, answer",
    [
        ("foo", "'foo' is no command; ? shows them all."),
        ("d kd", "d may mean: draw, discard"),
        ("kd", "What about kd? To throw it: x kd; to add it to a meld: a kd"),
        ("p 9c", "'take' stands alone."),
        ("dra 9c", "'draw' stands alone."),
        ("sort", None),
        ("undo", None),
    ],
)
def test_a_line_that_is_no_order(line: str, answer: str | None):
    if answer is None:
        assert read_order(line).command.name == line
    else:
        with pytest.raises(OrderError) as error:
            read_order(line)
        assert str(error.value) == answer


def test_all_letters_of_the_table_are_there():
    letters = {command.letter: command.name for command in COMMANDS}
    wanted = {
        "s": "draw", "p": "take", "b": "return", "m": "meld", "a": "add", "x": "discard",
        "o": "sort", "n": "new", "l": "level", "h": "hint", "u": "undo", "?": "help",
    }  # fmt: skip
    assert wanted.items() <= letters.items()


@pytest.mark.parametrize(
    "line, answer",
    [
        ("x 5x", "'5x' is no card"),
        ("x", "discard needs more, for example: discard kd"),
        ("m 7s 7h 9d", "7s 7h 9d is neither a set nor a run."),
        ("a 5c 9", "There is no meld 9 on the table."),
        ("a 5c two", "There is no meld two on the table."),
        ("a kd", "kd fits no meld of the table."),
        ("a 6h 0", "That is not possible: 6h does not fit meld 0"),
        ("a 9s 0", "You do not hold 9S."),
        ("x as", "You do not hold AS."),
        ("x 7", "Which one? discard 7S, discard 7H"),
        ("m 7 *", "Which one? meld 7S 7H 7C*, meld 7S 7H 7D*"),
        ("m k *", "Nothing that you can do now fits 'k *'."),
        ("a 6", "6H fits no meld of the table."),
    ],
)
def test_a_move_that_is_not_possible_is_answered_in_one_line(line: str, answer: str):
    game = position("7S 7H KD 5C 6H *", table=["8S 9S* TS", "QS QH QC"])
    with pytest.raises(OrderError) as error:
        typed(game, line)
    assert str(error.value).startswith(answer)
    assert "\n" not in str(error.value)


def test_a_rank_alone_gets_the_reason_of_its_card():
    with pytest.raises(OrderError, match="The 9C you took must go to the table first"):
        typed(position("9C 9S 9H KS", taken="9C"), "x k")
    with pytest.raises(OrderError, match="First draw"):
        typed(position("9S 9H KS", "draw"), "m 9")


def test_two_moves_for_one_order_are_both_named():
    rules = {"set_joker": "any_missing"}
    game = position("7D KD", rules=rules, table=["7S 7H* 7C"])
    with pytest.raises(OrderError, match="Which one? add 7d 0, swap 7d 0".replace("?", r"\?")):
        typed(game, "a 7d 0")


@pytest.mark.parametrize("verb", ["add", "swap"])
def test_a_verb_written_out_means_that_verb(verb: str):
    game = position("7D KD", rules={"set_joker": "any_missing"}, table=["7S 7H* 7C"])
    assert typed(game, f"{verb} 7d 0") == f"{verb} 7D 0"


def test_completion_follows_the_legal_moves():
    legal = ["meld 7S 7H 7D", "discard 7S", "discard KD"]
    assert complete("dis", legal) == ["discard"]
    assert complete("x ", legal) == ["7S", "KD"]
    assert complete("x k", legal) == ["KD"]
    assert complete("m 7s ", legal) == ["7H"]
    assert complete("nonsense ", legal) == []


# --- why a move is not legal -------------------------------------------------------------------


def reason(game: Game, text: str) -> str:
    """Why the first illegal move of a text is not legal."""
    trial = game.clone()
    for move in parse_moves(text, game.table, game.rules):
        if move not in trial.legal_moves():
            return why_not(trial, move, WORDS)
        trial.push(move)
    raise AssertionError(f"{text} is legal")


WHY = [
    ("7S 7H KS", "play", {}, {}, "draw", "You have already drawn in this turn."),
    ("7S 7H KS", "draw", {}, {}, "discard 7S", "First draw (s) or take the top discard (p)."),
    ("7S 7H KS", "play", {}, {}, "return", "You took no card that could be given back."),
    ("4S 5H 2D", "draw", {}, {}, "take",
     "9C fits no meld of the table and makes none with your cards."),
    ("9S 9H", "draw", {}, {}, "take",
     "With 9C you could lay all cards, but must keep one to discard."),
    ("7S 7H KS", "draw", {}, {"opened": [False, True]}, "take",
     "Before opening you may take 9C only to open, and it makes no meld."),
    ("9S 9H KS 2D", "draw", {}, {"opened": [False, True]}, "take",
     "Opening with 9C you reach 27 of the 40 points."),
    ("9S 9H KS 2D", "draw", {"discard_before_opening": "never"}, {"opened": [False, True]}, "take",
     "By these rules only who has opened may take from the pile."),
    ("9C 9S 9H KS", "play", {"return_taken": False}, {"taken": "9C"}, "return",
     "By these rules a card that was taken cannot be given back."),
    ("9C 9S 9H KS", "play", {}, {"taken": "9C"}, "discard KS",
     "The 9C you took must go to the table first, or back (b)."),
    ("9C 9S 9H 4D", "play", {}, {"taken": "9C", "table": ["4S 4H 4C"]}, "add 4D 0",
     "The 9C you took must go to the table in this turn."),
    ("7S 7H 7D KS KH 2C", "play", {}, {"opened": [False, True]}, "meld 7S 7H 7D",
     "With this you reach 21 of the 40 points to open."),
    ("KS KH KD 4C 4D 4S QS", "play", {}, {"opened": [False, True]}, "add 4C 0",
     "You have not opened: first lay new melds worth 40 points, then use the table."),
    ("7S 5C 9D", "play", {}, {"table": ["8S 9S* TS"]}, "swap 9D 0",
     "In meld 0 (8S 9S* TS) no joker stands for 9D."),
    ("7S 5C 9D", "play", {"max_run": 3}, {"table": ["8S 9S TS"]}, "add 7S 0",
     "A run may have 3 cards at most."),
    ("* 5C 9D", "play", {}, {"table": ["8S 9S* TS"]}, "add 7S* 0",
     "A meld may hold 1 joker at most."),
    ("* * 7S 5C 9D", "play", {}, {}, "meld 7S 8S* 9S*", "A meld may hold 1 joker at most."),
    ("* * 7S 5C 9D", "play", {"jokers_per_meld": 0}, {}, "meld 7S 8S* 9S*",
     "A meld needs 2 cards that are no jokers."),
    ("7S 7H 7D", "play", {}, {}, "meld 7S 7H 7D",
     "It would leave you no card to discard: one must be kept for the end."),
    ("9S 9H", "play", {"recovered_joker": "must_reuse"}, {"table": ["8S 9S* TS", "JS QS KS"]},
     "swap 9S 0", None),
    ("7S 5C 9D", "play", {"attach_discard_opened": "forbid"}, {"table": ["8S 9S TS"]},
     "discard 7S", "7S fits a meld of the table: it may not be discarded."),
    ("* 5C 9D", "play", {"joker_discard": "forbid"}, {}, "discard *",
     "By these rules a joker may not be discarded."),
    ("7S 7H 7D 2C", "play", {"first_turn_close": False}, {}, "meld 7S 7H 7D",
     "Nobody may close in the first turn: keep two cards."),
]  # fmt: skip


@pytest.mark.parametrize("hand, phase, rules, keys, text, answer", WHY)
def test_the_reason_is_the_thing_that_is_in_the_way(
    hand: str, phase: str, rules: Any, keys: Any, text: str, answer: str | None
):
    if "add 4C 0" in text:
        keys = {**keys, "table": ["5C 6C 7C"]}
    game = position(hand, phase, rules, **keys)
    if answer is None:
        assert text in game.legal_texts()
    else:
        assert reason(game, text) == answer


def test_an_opening_begun_is_counted():
    game = position("7S 7H 7D KS KH KD 2C", opened=[False, True])
    game.push("meld 7S 7H 7D")
    answer = "You have laid 21 of the 40 points to open: lay more, or undo (u)."
    assert reason(game, "discard 2C") == answer


def test_a_recovered_joker_must_be_laid_again():
    rules = {"recovered_joker": "must_reuse"}
    game = position("9S 5C 9D", rules=rules, table=["8S 9S* TS"])
    game.push("swap 9S 0")
    answer = "The joker you recovered must be laid again in this turn."
    assert reason(game, "discard 5C") == answer


def test_every_illegal_move_of_a_match_has_a_reason_in_one_line():
    rng = np.random.default_rng(5)
    match = Match.new("fisca", ["hard", "hard"], 5)
    asked = 0
    for _ in range(12):
        texts = [f"discard {c}" for c in ("*", "KS")] + ["take", "meld 7S 7H 7D", "add 4C 0"]
        for text in texts:
            try:
                answer = reason(match.game, text)
            except (AssertionError, ValueError):
                continue  # it is legal, or names a meld that is not there
            assert answer and "\n" not in answer and answer.endswith(".")
            asked += 1
        for _ in range(int(rng.integers(1, 6))):
            if match.is_agents_turn:
                match.agent_move()
    assert asked > 20


@pytest.mark.parametrize(
    "hand, points",
    [("KS KH KD 2C", 30), ("2S 4H 9C", 0), ("KS KH KD QS QH QD 2C", 40), ("2S 3S 4S 9D", 9)],
)
def test_the_points_one_could_open_with(hand: str, points: int):
    assert opening_reach(position(hand, opened=[False, True])) == points


# --- hints -------------------------------------------------------------------------------------


def test_a_hint_can_be_typed_and_has_reasons():
    match = Match.new("browser", ["hard", "hard"], 8)
    adviser = Adviser()
    for _ in range(40):
        if match.game.phase == "over":
            break
        hint = adviser.hint(match.game, WORDS, match.names)
        assert hint.reasons
        match.play(find_move(match.game, read_order(hint.orders[0]), WORDS))  # a long meld at once
    assert len(match.chronicle.turns) > 5


def test_a_hint_says_why_a_hand_that_could_open_stays_closed():
    class Patient:
        name = "hard"

        def act(self, view: Any, legal: Any) -> Any:
            return next(move for move in legal if view.move_text(move) == "discard 2C")

    adviser = Adviser()
    adviser._agent = Patient()  # type: ignore[assignment]
    game = position("KS KH KD QS QH QD 2C 3H", opened=[False, True])
    hint = adviser.hint(game, WORDS, ["You", "hard"])
    reason = "You could open; who opens and closes in one turn makes the others pay double."
    assert hint.orders == ["discard 2C"] and reason in hint.reasons


def test_a_hint_knows_no_more_than_the_player():
    match = Match.new("browser", ["hard", "hard"], 8)
    for _ in range(6):
        match.agent_turn()
    position = match.game.position()
    me, other = match.game.player, 1 - match.game.player
    hidden = [*position["hands"][other], *position["stock"]]
    size = len(position["hands"][other])
    texts = set()
    for _ in range(3):
        hidden = hidden[7:] + hidden[:7]
        hands = [[], []]
        hands[me], hands[other] = position["hands"][me], hidden[:size]
        game = Game.from_position({**position, "hands": hands, "stock": hidden[size:]})
        texts.add(str(Adviser().hint(game, WORDS, match.names)))
    assert len(texts) == 1


def test_a_card_laid_off_after_a_swap_is_a_step_of_its_own():
    game = position("TS JS QS KS 9D 2C 3H", opened=[False, True], table=["8D 9D* TD"])
    chronicle = Chronicle()
    moves = ("meld TS JS QS", "add KS 1", "swap 9D 0", "add 9S* 1", "discard 2C")
    steps = [chronicle.push(game, parse_move(text, game.table, game.rules)) for text in moves]
    merged = [(step.text.split()[0], step.meld and len(step.meld)) for step in merge_steps(steps)]
    assert merged == [("meld", 4), ("swap", 3), ("add", 5), ("discard", None)]


def test_a_hint_warns_of_somebody_about_to_close():
    hint = Adviser().hint(position("7S 8H KD QC 2D 5H"), WORDS, ["You", "hard"])
    assert "hard has only 2 cards left: beware of dear cards in your hand." in hint.reasons


# --- the dialogue ------------------------------------------------------------------------------


class Table:
    """A prompt whose lines come from a list, and what it printed."""

    def __init__(self, match: Match, lines: Iterator[str] | list[str]) -> None:
        self.out = io.StringIO()
        console = make_console(self.out)
        self.autosave = Autosave()
        self.prompt = Prompt(match, self.autosave, console, WORDS, PipeReader(lines, console))

    def run(self) -> int:
        return self.prompt.run()

    @property
    def match(self) -> Match:
        return self.prompt.match

    @property
    def text(self) -> str:
        return self.out.getvalue()

    def answer_to(self, line: str) -> str:
        """The line printed after an order."""
        lines = self.text.splitlines()
        return lines[lines.index(f"> {line}") + 1]


def my_match(hand: str, phase: str = "play", **keys: Any) -> Match:
    """A match against easy on a hand of one's own."""
    game = position(hand, phase, **keys)
    return Match(game, [Player("me", "You"), Player("easy", "easy", make_agent("easy"))])


def lines_of(match_of: Callable[[], Match]) -> Iterator[str]:
    """A script that plays as hard would."""
    agent = make_agent("hard", 1)
    while not match_of().is_over:
        game = match_of().game
        move = agent.act(game.view(game.player), game.legal_moves())
        yield game.move_text(move)


def test_a_whole_match_is_played_by_a_script(capsys: pytest.CaptureFixture[str]):
    match = Match.new("browser", ["me", "easy"], 11)
    table = Table(match, lines_of(lambda: match))
    assert table.run() == QUIT
    assert match.game.match_over
    assert "wins the match!" in table.text
    assert "closed the hand" in table.text
    path = table.autosave.path
    assert path is not None and str(path) in capsys.readouterr().out
    ((line, record),) = read_records(path)
    assert replay_record(record, line).winner == match.game.winner


def test_three_people_and_teams_play_by_a_script():
    rules = Rules.preset("fisca", teams="2x2", mode="single_hand")
    match = Match.new(rules, ["me:A", "me:B", "easy", "easy"], 3)
    table = Table(match, lines_of(lambda: match))
    assert table.run() == QUIT
    assert "Team" in table.text


def test_every_command_answers():
    names = [command.name for command in COMMANDS if not command.verbs]
    names.remove("quit")
    names.remove("new")
    names.remove("resign")
    table = Table(my_match("7S 7H 7D KS 2C"), [*names, "quit"])
    assert table.run() == QUIT
    for name in names:
        lines = table.text.split(f"> {name}\n")[1].splitlines()
        assert any(line and "You can" not in line for line in lines[:3]), name


def test_a_beginner_is_told_the_game_in_short():
    table = Table(my_match_from_deal(), ["quit"])
    table.run()
    assert "Get rid of all cards; those left in hand cost points." in table.text
    assert "Begin with melds worth 40 points together" in table.text


def test_the_board_shows_what_must_be_seen():
    table = Table(my_match("7S 7H 7D KS * 2C", table=["8S 9S* TS"]), ["quit"])
    table.run()
    for what in (
        "> You    6 cards   opened   total 0",
        "  easy   2 cards   opened   total 0",
        "Pile: 9C",
        "[0] 8S 9S* TS",
        "7S KS   7H   2C   7D   *",
    ):
        assert what in table.text
    assert "2S 3S" not in table.text


def test_a_turn_by_letters_with_undo():
    lines = ["m 7", "u", "m 7s 7h 7d", "x k", "quit"]
    table = Table(my_match("7S 7H 7D KS 2C 4C"), lines)
    table.run()
    turn = table.match.chronicle.turns[0]
    assert [step.text for step in turn.steps] == ["meld 7S 7H 7D", "discard KS"]
    assert "You: laid 7S 7H 7D" in table.text
    assert "easy: drew" in table.text


WRONG = [
    "foo", "x", "x zz", "m 7s 8s", "a 7s 9", "swap", "kd", "undo", "load", "load nix", "save",
    "save /nix/nix", "level nix", "d", "p", "\x00", "m * * *", "a", "draw 5", "m " + "7s " * 30,
]  # fmt: skip


def test_wrong_lines_get_one_line_and_change_nothing():
    match = my_match("7S 7H 7D KS 2C")
    before = match.game.position()
    table = Table(match, [*WRONG, "quit"])
    table.run()
    assert table.match.game.position() == before
    answers = table.text.split("You can: lay a meld (m); discard (x)\n")[1:]
    for line, answer in zip(WRONG, answers, strict=False):
        assert answer.count("\n") == 2, (line, answer)


def test_the_end_of_input_saves_the_match_and_says_so(capsys: pytest.CaptureFixture[str]):
    table = Table(my_match_from_deal(), ["s"])
    capsys.readouterr()
    assert table.run() == END_OF_INPUT
    said = capsys.readouterr().err
    assert "end of input" in said and said.count("\n") == 1
    assert Match.load(last_unfinished()).game.position() == table.match.game.position()


def my_match_from_deal() -> Match:
    """A match of one's own that can be recorded, at the start of one's turn."""
    match = Match.new("browser", ["me", "easy"], 2)
    while match.is_agents_turn:
        match.agent_turn()
    return match


def test_ctrl_c_in_mid_turn_saves_the_match(capsys: pytest.CaptureFixture[str]):
    def lines() -> Iterator[str]:
        yield "s"
        raise KeyboardInterrupt

    table = Table(my_match_from_deal(), lines())
    with pytest.raises(KeyboardInterrupt):
        table.run()
    assert "is saved" in capsys.readouterr().err
    assert Match.load(last_unfinished()).game.position() == table.match.game.position()


def test_a_saved_match_is_loaded_and_goes_on(tmp_path: Path):
    path = tmp_path / "mine.jsonl"
    table = Table(my_match_from_deal(), ["s", f"save {path}", "x", "n", f"load {path}", "quit"])
    table.run()
    assert table.match.game.phase == "play"
    assert table.match.chronicle.turns[-1].steps[-1].text == "draw"


def test_a_file_of_somebody_else_is_not_overwritten(tmp_path: Path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Anna,\n")
    table = Table(my_match_from_deal(), [f"save {path}", "quit"])
    table.run()
    assert path.read_text() == "Dear Anna,\n"
    assert "not touched" in table.text


def test_a_file_of_several_matches_is_not_overwritten(tmp_path: Path):
    path = tmp_path / "matches.jsonl"
    match = my_match_from_deal()
    match.save(path)
    path.write_text(2 * path.read_text())
    before = path.read_text()
    table = Table(match, [f"save {path}", "quit"])
    table.run()
    assert path.read_text() == before and "holds 2 matches: not touched" in table.text


def test_a_user_that_does_not_exist_is_one_line():
    table = Table(my_match_from_deal(), ["save ~nobody-like-that/m.jsonl", "quit"])
    assert table.run() == QUIT
    assert "there is no such user" in table.text


def test_input_that_is_no_text_is_named(capsys: pytest.CaptureFixture[str]):
    def lines() -> Iterator[str]:
        yield "draw"
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    assert Table(my_match_from_deal(), lines()).run() == END_OF_INPUT
    assert "scala40: the input is not utf-8 text." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["new", "quit", "load other.jsonl"])
def test_a_match_that_cannot_be_saved_is_left_after_a_question_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    monkeypatch.chdir(tmp_path)
    my_match_from_deal().save("other.jsonl")
    match, asked = my_match_from_deal(), []
    table = Table(match, ["draw", command])
    reader: Any = table.prompt._reader
    monkeypatch.setattr(PipeReader, "is_interactive", True)
    read = reader.read

    def answer(prompt: str) -> str:
        if "y/n" in prompt:
            asked.append(prompt)
            return "n"
        return str(read(prompt))

    monkeypatch.setattr(reader, "read", answer)
    monkeypatch.setattr(table.autosave, "save", lambda match: False)
    table.run()
    assert asked == ["Leave without a saved match? (y/n) "]
    assert table.match is match


@pytest.mark.parametrize("content", ["", "{", '{"format": "scala40-record/1"}'])
def test_a_damaged_file_is_not_loaded(tmp_path: Path, content: str):
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    match = my_match_from_deal()
    table = Table(match, [f"load {path}", "quit"])
    table.run()
    assert "bad.jsonl" in table.answer_to(f"load {path}")
    assert table.match is match


def test_a_match_that_cannot_be_saved_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocker))
    match = my_match_from_deal()
    table = Table(match, ["s", "x", "quit"])
    assert table.run() == QUIT
    assert table.text.count("Not a directory") == 1
    assert match.chronicle.turns[-1].steps[-1].text == "draw"


def test_nobody_sees_the_hand_of_another_person():
    match = Match.new("browser", ["me:Anna", "me:Bruno"], 4)
    first = match.game.player
    table = Table(match, ["s", "quit"])
    table.run()
    other = WORDS.hand(match.game.hand(1 - first))
    assert WORDS.hand(match.game.hand(first)) in table.text
    assert other not in table.text


def test_the_level_changes_in_the_middle():
    table = Table(my_match_from_deal(), ["level hard", "level", "quit"])
    table.run()
    assert "From now on: You, hard." in table.text
    assert table.match.players[1].spec == "hard"


def test_a_new_match_leaves_the_old_one_in_its_file():
    match = my_match_from_deal()
    table = Table(match, ["s", "new", "quit"])
    table.run()
    assert table.match is not match
    # The new match has a file too if its first turn was the agent's.
    saved = [Match.load(path).game.position() for path in saves_folder().glob("*.jsonl")]
    assert match.game.position() in saved


def test_giving_up_ends_the_match():
    table = Table(my_match_from_deal(), ["resign", "s", "quit"])
    assert table.run() == QUIT
    assert "easy wins the match!" in table.text
    assert table.answer_to("s") == "The match is over."


def test_a_match_given_up_is_told_by_replay(capsys: pytest.CaptureFixture[str]):
    table = Table(my_match_from_deal(), ["s", "resign", "quit"])
    table.run()
    assert "The match is in " in capsys.readouterr().out
    replay.run(replay.Options(file=str(table.autosave.path)))
    assert capsys.readouterr().out.rstrip().endswith("You gave the match up.")


def test_the_moves_of_the_computer_are_told_in_a_line():
    match = my_match("KD 2C 5H")
    table = Table(match, ["x kd", "quit"])
    table.run()
    (told,) = [line for line in table.text.splitlines() if line.startswith("easy: ")]
    assert told.startswith(("easy: drew; discarded", "easy: took KD"))
    assert told.endswith("2 cards left")
