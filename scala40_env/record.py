"""Game records: whole matches as JSON Lines in the format `scala40-record/1`.

A record holds everything, deals and renewals of the stock included, so replaying one needs no
random numbers. Reading checks: a record that breaks the rules, or whose cards do not add up, is
refused with the line, hand, turn and move that is wrong, all counted from 1.

    >>> from scala40_env.game import Game
    >>> game = Game(seed=7, dealer=0)
    >>> game.push("draw")
    >>> Game.replay(game.record()).position() == game.position()
    True

A match that is not over yet has a record too: its last hand lacks `closer`, `points` and `totals`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import FileIO
from os import PathLike
from typing import Any, Final

from .cards import DECK_COUNTS, JOKER_TEXT, NUM_CARD_TYPES, card_text, parse_card
from .game import Game, HandLog, IllegalMoveError
from .notation import parse_move
from .rules import Rules

FORMAT: Final = "scala40-record/1"

_DECK: Final = Counter({card_text(c): int(DECK_COUNTS[c]) for c in range(NUM_CARD_TYPES)})
_RESULT_KEYS: Final = ("closer", "points", "totals")


class RecordError(ValueError):
    """A record that is damaged or breaks the rules; the message is one line."""


# --- writing ---------------------------------------------------------------------------------


def game_record(
    game: Game, players: Sequence[str] | None = None, legal: bool = False
) -> dict[str, Any]:
    """Return the record of a game so far.

    Args:
        game: a game that began with a deal, not with a position.
        players: one name a seat; by default `player_0`, `player_1` ...
        legal: whether to write the legal moves before each move, sorted.

    Raises:
        RecordError: the game began in the middle, or there is not one name a seat.
    """
    n = game.rules.num_players
    names = [f"player_{seat}" for seat in range(n)] if players is None else list(players)
    if len(names) != n:
        raise RecordError(f"{len(names)} names for {n} seats: {', '.join(names)}")
    if not all(log.is_deal for log in game.logs):
        raise RecordError("a game that was set up from a position has no record")
    return {
        "format": FORMAT,
        "rules": game.rules.to_dict(),
        "players": names,
        "seed": game.seed,
        "hands": [_hand_record(game, log, legal) for log in game.logs],
        "winner": game.winner,
        "truncated": game.truncated,
    }


def _hand_record(game: Game, log: HandLog, legal: bool) -> dict[str, Any]:
    """Play a hand again from its deal and write it down."""
    again = game.at_start_of(log)
    n = game.rules.num_players
    hand: dict[str, Any] = {
        "dealer": again.dealer,
        "hands": [_texts(again.hand(seat)) for seat in range(n)],
        "upcard": card_text(again.pile[0]),
        "stock": _texts(again.stock),
        "turns": [],
    }
    number = 0
    while number < len(log.moves):
        turn, number = _turn_record(again, log, number, legal)
        hand["turns"].append(turn)
    if again.phase == "over":
        hand |= {"closer": again.closer, "points": again.points, "totals": again.totals}
    return hand


def _turn_record(game: Game, log: HandLog, number: int, legal: bool) -> tuple[dict[str, Any], int]:
    """Play one turn and write it down; returns it and the number of moves played so far."""
    turn: dict[str, Any] = {"player": game.player, "moves": []}
    turns, reshuffles = sum(game.turns), game.reshuffles
    while number < len(log.moves) and sum(game.turns) == turns:
        move = log.moves[number]
        number += 1
        turn["moves"].append(game.move_text(move))
        if legal:
            turn.setdefault("legal", []).append(sorted(game.legal_texts()))
        game.push(move)
        if number in log.restocks:
            game.order_stock(log.restocks[number])
    if game.reshuffles > reshuffles:
        turn["restock_after"] = _texts(game.stock)
    return turn, number


def _texts(cards: Sequence[int]) -> list[str]:
    return [card_text(card) for card in cards]


class RecordWriter:
    """Writes records to a file, each whole or not at all, so that it is valid at any moment.

    Args:
        path: the file; it is created, or emptied unless `append`.
        append: keep what the file holds.

    Raises:
        RecordError: the file cannot be written.
    """

    def __init__(self, path: str | PathLike[str], append: bool = False) -> None:
        self._path = str(path)
        try:
            self._file = FileIO(self._path, "ab+" if append else "wb")
            if append:
                self._end_line()
        except OSError as error:
            raise self._failure(error) from error

    def _end_line(self) -> None:
        """End the last line of a file that somebody else has left without an end."""
        if self._file.seek(0, 2):
            self._file.seek(-1, 2)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def _failure(self, error: OSError) -> RecordError:
        return RecordError(f"cannot write records to {self._path!r}: {error.strerror}")

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record as a line."""
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
        line = text.encode() + b"\n"
        end = self._file.seek(0, 2)
        try:
            written = self._file.write(line)  # unbuffered: one system call for the whole line
            if written != len(line):
                raise OSError(0, "no space left")
        except OSError as error:
            self._file.truncate(end)
            raise self._failure(error) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_records(path: str | PathLike[str], records: Sequence[Mapping[str, Any]]) -> None:
    """Write records to a new file (RecordError if it cannot be written)."""
    with RecordWriter(path) as writer:
        for record in records:
            writer.write(record)


# --- reading ---------------------------------------------------------------------------------


def read_records(path: str | PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, record) for each line of a file; replaying them is the check.

    Raises:
        RecordError: the file cannot be read, or a line is no JSON object.
    """
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, _parse_line(line, number)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise RecordError(f"cannot read records from {str(path)!r}: {reason}") from error


def _parse_line(line: str, number: int) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise RecordError(f"line {number}: {constant} is not allowed")

    try:
        record = json.loads(line, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise RecordError(f"line {number}: not JSON: {error.msg} at {error.colno}") from error
    except RecursionError as error:
        raise RecordError(f"line {number}: nested too deeply") from error
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(f"line {number}: a number is too long") from error
    if not isinstance(record, dict):
        raise RecordError(f"line {number}: not a record: {line.strip()[:40]}")
    return record


def replay_record(record: Mapping[str, Any], line: int | None = None) -> Game:
    """Play a record again, checking everything in it, and return the game after its last move.

    Args:
        record: a record as `game_record` writes it.
        line: its line in a file, for messages.

    Raises:
        RecordError: it is damaged, breaks the rules, or its cards do not add up.
    """
    replay = _Replay(record, line)
    for _ in replay.walk():
        pass
    return replay.game


def walk_record(
    record: Mapping[str, Any], line: int | None = None
) -> Iterator[tuple[Game, str | None]]:
    """Play a record step by step, checking as it goes (arguments and errors: `replay_record`).

    Yields:
        (game, move) before each move, and (game, None) where a hand, or the record, has ended. It
        is one and the same live game: clone it to keep a step.
    """
    yield from _Replay(record, line).walk()


class _Replay:
    """One pass through a record; it knows where it is, for messages."""

    def __init__(self, record: Mapping[str, Any], line: int | None) -> None:
        self._where = {} if line is None else {"line": line}
        self._record = record
        found = self._get(record, "format", str)
        if found != FORMAT:
            raise self._error(f"format {found!r}, not {FORMAT!r}")
        try:
            self._rules = Rules.from_dict(self._get(record, "rules", dict))
        except ValueError as error:
            raise self._error(str(error)) from error
        self._hands = self._get(record, "hands", list)
        self._seed = self._get(record, "seed", int)
        names = self._get(record, "players", list)
        if len(names) != self._rules.num_players or not all(isinstance(n, str) for n in names):
            raise self._error(f"players {names!r} are not {self._rules.num_players} names")
        if not self._hands:
            raise self._error("no hands")

    def _error(self, message: str) -> RecordError:
        where = ", ".join(f"{name} {number}" for name, number in self._where.items())
        return RecordError(f"{where}: {message}" if where else f"record: {message}")

    def _get(self, table: Any, key: str, kind: type) -> Any:
        if not isinstance(table, Mapping):
            raise self._error(f"not a table of keys: {str(table)[:40]}")
        if key not in table:
            raise self._error(f"{key} is missing")
        value = table[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self._error(f"{key} is {str(value)[:40]!r}, not of type {kind.__name__}")
        return value

    def walk(self) -> Iterator[tuple[Game, str | None]]:
        game = self._start()
        for number, hand in enumerate(self._hands, 1):
            self._where["hand"] = number
            self._deal(game, hand, is_first=number == 1)
            yield from self._walk_hand(game, hand, is_last=number == len(self._hands))
            yield game, None
        del self._where["hand"]
        for key, mine in (("winner", game.winner), ("truncated", game.truncated)):
            self._compare(key, self._record.get(key), mine)

    def _compare(self, key: str, theirs: Any, mine: Any) -> None:
        if theirs != mine or isinstance(theirs, bool) != isinstance(mine, bool):
            raise self._error(f"{key} is {theirs!r}, but it comes out as {mine!r}")

    # --- the deal ----------------------------------------------------------------------------

    def _start(self) -> Game:
        dealer = self._get(self._hands[0], "dealer", int)
        try:
            self.game = Game(self._rules, self._seed, dealer)
        except ValueError as error:
            raise self._error(str(error)) from error
        return self.game

    def _deal(self, game: Game, hand: Any, is_first: bool) -> None:
        if not is_first:
            try:
                game.next_hand()
            except IllegalMoveError as error:
                raise self._error(str(error)) from error
        self._compare("dealer", self._get(hand, "dealer", int), game.dealer)
        hands = self._get(hand, "hands", list)
        upcard = self._get(hand, "upcard", str)
        stock = self._get(hand, "stock", list)
        self._check_deal(game, hands, upcard, stock)
        cards = [[parse_card(card) for card in cards] for cards in hands]
        game.order_deal(cards, parse_card(upcard), [parse_card(card) for card in stock])

    def _check_deal(self, game: Game, hands: list[Any], upcard: str, stock: list[Any]) -> None:
        sizes = [len(cards) if isinstance(cards, list) else -1 for cards in hands]
        if sizes != game.hand_sizes:
            raise self._error(f"hands of {sizes} cards, not {game.hand_sizes}")
        if self._rules.upcard_joker == "redraw" and upcard == JOKER_TEXT:
            raise self._error("the upcard is a joker, which these rules do not turn up")
        self._check_cards([*(card for cards in hands for card in cards), upcard, *stock], _DECK)

    def _check_cards(self, cards: list[Any], wanted: Counter[str]) -> None:
        """Check that card texts are exactly those wanted."""
        for card in cards:
            if not isinstance(card, str) or card not in _DECK:
                raise self._error(f"not a card: {card!r}")
        have = Counter(cards)
        for card in sorted({*have, *wanted}):
            if have[card] != wanted[card]:
                raise self._error(f"{have[card]} cards {card}, there must be {wanted[card]}")

    # --- the moves ---------------------------------------------------------------------------

    def _walk_hand(
        self, game: Game, hand: Mapping[str, Any], is_last: bool
    ) -> Iterator[tuple[Game, str]]:
        turns = self._get(hand, "turns", list)
        is_open = is_last and not any(key in hand for key in _RESULT_KEYS)
        for number, turn in enumerate(turns, 1):
            self._where["turn"] = number
            yield from self._walk_turn(game, turn, is_open and number == len(turns))
            del self._where["turn"]
        if is_open and game.phase != "over":
            return
        if game.phase != "over":
            raise self._error("the hand is not over after its last turn")
        for key in _RESULT_KEYS:
            if key not in hand:
                raise self._error(f"{key} is missing")
            self._compare(key, hand[key], getattr(game, key))

    def _walk_turn(self, game: Game, turn: Any, may_be_open: bool) -> Iterator[tuple[Game, str]]:
        if game.phase == "over":
            raise self._error("the hand was over before")
        self._compare("player", self._get(turn, "player", int), game.player)
        moves = self._get(turn, "moves", list)
        lists = turn.get("legal", [None] * len(moves))
        if not isinstance(lists, list) or len(lists) != len(moves):
            raise self._error("legal has not one list a move")
        turns, reshuffles = sum(game.turns), game.reshuffles
        for number, (text, legal) in enumerate(zip(moves, lists, strict=True), 1):
            self._where["move"] = number
            if sum(game.turns) != turns:
                raise self._error(f"{text!r} comes after the end of the turn")
            self._check_legal(game, legal)
            yield game, text
            self._push(game, text)
            del self._where["move"]
        if sum(game.turns) == turns and not may_be_open:
            raise self._error("the turn is not finished")
        self._restock(game, turn.get("restock_after"), game.reshuffles > reshuffles)

    def _check_legal(self, game: Game, legal: Any) -> None:
        if legal is None:
            return
        mine = game.legal_texts()
        if not isinstance(legal, list) or sorted(map(str, legal)) != sorted(mine):
            wrong = sorted({*map(str, legal)} ^ {*mine}) if isinstance(legal, list) else legal
            raise self._error(f"the list of legal moves differs in {str(wrong)[:200]}")

    def _push(self, game: Game, text: Any) -> None:
        if not isinstance(text, str):
            raise self._error(f"not a move: {text!r}")
        try:
            move = parse_move(text, game.table, game.rules)
            if game.move_text(move) != text:
                raise self._error(f"{text!r} is not written as {game.move_text(move)!r}")
            game.push(move)
        except RecordError:
            raise
        except ValueError as error:
            raise self._error(str(error)) from error

    def _restock(self, game: Game, order: Any, is_renewed: bool) -> None:
        if not is_renewed:
            if order is not None:
                raise self._error("restock_after, but the stock was not renewed")
            return
        if not isinstance(order, list):
            raise self._error("the stock was renewed, but restock_after is missing")
        self._check_cards(order, Counter(_texts(game.stock)))
        game.order_stock([parse_card(card) for card in order])
