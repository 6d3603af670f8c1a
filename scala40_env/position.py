"""Positions: any state of a game as a dict for JSON, and back to the same bytes.

    >>> from scala40_env.game import Game
    >>> game = Game.from_position({"rules": {"preset": "browser"}, "hands": [["4S", "KD"], ["*"]]})
    >>> game.legal_texts()
    ['draw']

Keys, all but `rules` and `hands` with defaults:

    rules            a preset and the fields that differ from it
    player, dealer   seats
    phase            draw, play, or over (between two hands and after the match)
    hands            the cards of each seat; a seat without cards is out (but see `in_match`)
    opened           whether each seat has opened
    table            melds as text, in the order of their numbers
    laid_this_turn   numbers of the melds laid in this turn
    opened_this_turn, laid_off_or_swapped, returned   what the seat to move did in this turn
    pile             the last card is the top
    stock            the first card is drawn next; by default all that is left, shuffled by the seed
    known_stock      for each seat, what it knows to be in a renewed stock: {card: count}
    taken            the card taken from the pile in this turn that must still go to the table
    kept             [seat, card]: an upcard that was kept for nothing and is still in hand
    recovered        recovered jokers that must still be laid in this turn
    turns            turns finished by each seat in this hand
    reshuffles       renewals of the stock in this hand
    hand_number      hands finished before
    totals, reentries   of each seat
    history          what happened before, as far as it matters: `discarded`, `took`, `gave_back`
                     ({card: count} of each seat in this hand), `known_jokers` (recovered and still
                     in hand, of each seat), `in_match` (of each seat), `playoff`; and of the last
                     finished hand `points`, `closer`, `closed_in_hand`, `winner`, `truncated`
    rng              [seed of the match, state of the generator of the hand]
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .cards import DECK_COUNTS, JOKER, Card, InvalidNotationError, card_text, parse_card
from .engine.state import (
    DRAW,
    HAND_OVER,
    MATCH_OVER,
    MAX_MELDS,
    NONE,
    NUM_TYPES,
    PLAY,
    new_games,
)
from .melds import InvalidMeldError, Meld, check_meld, meld_text, parse_meld
from .rules import Rules, RulesError, diff

MAX_HAND: Final = 14  # 13 dealt and one drawn

_TURN_KEYS: Final = ("laid_this_turn", "opened_this_turn", "laid_off_or_swapped", "taken",
                     "recovered")  # fmt: skip
_HISTORY_KEYS: Final = ("discarded", "took", "gave_back", "known_jokers", "in_match", "playoff",
                        "points", "closer", "closed_in_hand", "winner", "truncated")  # fmt: skip
_KEYS: Final = ("rules", "player", "dealer", "phase", "hands", "opened", "table", *_TURN_KEYS,
                "returned", "pile", "stock", "known_stock", "kept", "turns", "reshuffles",
                "hand_number", "totals", "reentries", "history", "rng")  # fmt: skip
_PHASES: Final = {"draw": DRAW, "play": PLAY, "over": HAND_OVER}
_MAX_TOTAL: Final = 1 << 30
_MAX_POINTS: Final = 1 << 14  # of a hand: int16
_MAX_REENTRIES: Final = 100  # int8
_MAX_WORD: Final = (1 << 64) - 1
_MAX_COUNT: Final = 1 << 14  # of turns, hands and renewals: int16 with room to count on


class PositionError(ValueError):
    """A position that cannot be; the message is one line and names the key."""


# --- writing ---------------------------------------------------------------------------------


def write_position(row: np.void, rules: Rules) -> dict[str, Any]:
    """Return the position of one record of dtype GAME as a dict for JSON."""
    n = rules.num_players
    phase = int(row["phase"])
    num_melds, num_pile, num_stock = (int(row[k]) for k in ("num_melds", "num_pile", "num_stock"))
    return {
        "rules": _rules_dict(rules),
        "player": int(row["player"]),
        "dealer": int(row["dealer"]),
        "phase": "over" if phase >= HAND_OVER else ("draw", "play")[phase],
        "hands": [_card_texts(np.repeat(np.arange(NUM_TYPES), row["hands"][p])) for p in range(n)],
        "opened": _bools(row["opened"][:n]),
        "table": [meld_text(meld) for meld in read_table(row)],
        "laid_this_turn": np.flatnonzero(row["meld_new"][:num_melds]).tolist(),
        "opened_this_turn": bool(row["opened_this_turn"]),
        "laid_off_or_swapped": bool(row["laid_off_or_swapped"]),
        "pile": _card_texts(row["pile"][:num_pile]),
        "stock": _card_texts(row["stock"][:num_stock][::-1]),
        "known_stock": [_counts_dict(c) for c in row["known_stock"][:n]],
        "taken": _optional_card(row["taken"]),
        "kept": [int(row["kept_seat"]), card_text(int(row["kept"]))] if row["kept"] >= 0 else None,
        "returned": bool(row["returned"]),
        "recovered": int(row["recovered"]),
        "turns": row["turns"][:n].tolist(),
        "reshuffles": int(row["reshuffles"]),
        "hand_number": int(row["hand_number"]),
        "totals": row["totals"][:n].tolist(),
        "reentries": row["reentries"][:n].tolist(),
        "history": _history_dict(row, n),
        "rng": [int(row["seed"]), int(row["rng"])],
    }


def _history_dict(row: np.void, n: int) -> dict[str, Any]:
    return {
        "discarded": [_counts_dict(c) for c in row["discarded"][:n]],
        "took": [_counts_dict(c % 16) for c in row["takes"][:n]],
        "gave_back": [_counts_dict(c // 16) for c in row["takes"][:n]],
        "known_jokers": row["known_jokers"][:n].tolist(),
        "in_match": _bools(row["in_match"][:n]),
        "playoff": bool(row["playoff"]),
        "points": row["hand_points"][:n].tolist(),
        "closer": _optional_int(row["closer"]),
        "closed_in_hand": bool(row["closed_in_hand"]),
        "winner": _optional_int(row["winner"]),
        "truncated": bool(row["truncated"]),
    }


def read_table(row: np.void) -> list[Meld]:
    """Return the melds of one record of dtype GAME, in the order of their numbers."""
    n = int(row["num_melds"])
    columns = ("meld_kind", "meld_base", "meld_places", "meld_jokers")
    return [Meld(*meld) for meld in zip(*(row[c][:n].tolist() for c in columns), strict=True)]


def _rules_dict(rules: Rules) -> dict[str, Any]:
    preset = Rules.preset(str(rules.preset_name))
    changes = {name: values[0] for name, values in diff(rules, preset).items()}
    return {"preset": rules.preset_name, **changes}


def _card_texts(cards: Iterable[int]) -> list[str]:
    return [card_text(int(card)) for card in cards]


def _counts_dict(counts: NDArray[Any]) -> dict[str, int]:
    return {card_text(int(card)): int(counts[card]) for card in np.flatnonzero(counts)}


def _bools(values: NDArray[Any]) -> list[bool]:
    return [bool(value) for value in values]


def _optional_int(value: int) -> int | None:
    return None if value == NONE else int(value)


def _optional_card(value: int) -> str | None:
    return None if value == NONE else card_text(int(value))


# --- reading values --------------------------------------------------------------------------


class _Values:
    """The values of a position by key, each checked for its type; what is missing is None."""

    def __init__(self, values: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
        if not isinstance(values, Mapping):
            raise PositionError(f"{what} must be a table of keys, not {values!r}")
        for key in values:
            if key not in keys:
                raise PositionError(f"unknown key of a {what}: {key!r}")
        self._values = values

    def has(self, key: str) -> bool:
        return self._values.get(key) is not None

    def raw(self, key: str) -> Any:
        return self._values.get(key)

    def number(self, key: str, top: int, default: int = 0, low: int = 0) -> int:
        return _number(key, self._values.get(key, default), low, top)

    def optional(self, key: str, top: int) -> int:
        return self.number(key, top) if self.has(key) else NONE

    def flag(self, key: str) -> bool:
        return _flag(key, self._values.get(key, False))

    def seats(
        self, key: str, n: int, default: Sequence[Any], read: Callable[..., Any]
    ) -> list[Any]:
        """Return the `n` entries of a list, mostly one a seat, each by ``read(key, value)``."""
        values = _list(key, self._values[key]) if self.has(key) else list(default)
        if len(values) != n:
            raise PositionError(f"position key {key} has {len(values)} entries, not {n}")
        return [read(key, value) for value in values]

    def cards(self, key: str) -> list[Card]:
        return _cards(key, self._values[key]) if self.has(key) else []


def _number(key: str, value: Any, low: int, top: int) -> int:
    if type(value) is not int or not low <= value <= top:
        raise PositionError(f"position key {key}: {value!r} is not a whole number {low}-{top}")
    return value


def _up_to(top: int) -> Callable[[str, Any], int]:
    """Return a reader of numbers from 0 to `top`."""
    return lambda key, value: _number(key, value, 0, top)


def _flag(key: str, value: Any) -> bool:
    if type(value) is not bool:
        raise PositionError(f"position key {key}: {value!r} is not true or false")
    return value


def _list(key: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise PositionError(f"position key {key}: {value!r} is not a list")
    return list(value)


def _card(key: str, value: Any) -> Card:
    try:
        return parse_card(value)
    except (InvalidNotationError, AttributeError) as error:
        raise PositionError(f"position key {key}: not a card: {value!r}") from error


def _cards(key: str, value: Any) -> list[Card]:
    return [_card(key, card) for card in _list(key, value)]


def _card_counts(top: int) -> Callable[[str, Any], NDArray[np.int64]]:
    """Return a reader of {card: count} with counts up to `top`."""

    def read(key: str, value: Any) -> NDArray[np.int64]:
        if not isinstance(value, Mapping):
            raise PositionError(f"position key {key}: {value!r} is not a table of card counts")
        counts = np.zeros(NUM_TYPES, np.int64)
        for card, count in value.items():
            counts[_card(key, card)] = _number(key, count, 0, top)
        return counts

    return read


# --- reading a position ----------------------------------------------------------------------


def read_position(position: Mapping[str, Any]) -> tuple[NDArray[Any], Rules]:
    """Return the record GAME[1] that a position describes, and its rules.

    Whether the seat to move has any legal move is left to the caller.

    Raises:
        PositionError: unknown key, wrong value, cards that do not add up, or a contradiction.
        RulesError: the rules are none.
    """
    values = _Values(position, _KEYS, "position")
    if not values.has("rules") or not values.has("hands"):
        raise PositionError("a position needs the keys rules and hands")
    rules = Rules.from_dict(values.raw("rules"))
    games = new_games(1)
    row = games[0]
    row["rules"] = rules.encode()
    row["phase"] = _phase(values.raw("phase"))
    _read_hands(row, values, rules)
    _read_table(row, values, rules)
    _read_match(row, values, rules.num_players)
    _read_history(row, values, rules)
    _read_turn(row, values)
    _read_cards(row, values)
    _check_seats(row, rules.num_players)
    return games, rules


def _phase(name: Any) -> int:
    if name is None:
        return DRAW
    if not isinstance(name, str) or name not in _PHASES:
        raise PositionError(f"position key phase: {name!r} is not draw, play or over")
    return _PHASES[name]


def set_hand(row: np.void, seat: int, cards: Sequence[Card]) -> None:
    """Give a seat its hand, with all that a record keeps in step with it."""
    counts = np.bincount(cards, minlength=NUM_TYPES) if len(cards) else np.zeros(NUM_TYPES, int)
    row["hands"][seat] = counts
    row["hand_size"][seat] = len(cards)
    for name, least in (("held_once", 1), ("held_twice", 2)):
        held = np.flatnonzero(counts[:JOKER] >= least).tolist()
        row[name][seat] = sum(1 << card for card in held)


def set_stock(row: np.void, cards: Sequence[Card]) -> None:
    """Set the stock, the next card first."""
    row["stock"] = 0
    row["stock"][: len(cards)] = cards[::-1]
    row["num_stock"] = len(cards)


def set_pile(row: np.void, cards: Sequence[Card]) -> None:
    """Set the discard pile, the top last."""
    row["pile"] = 0
    row["pile"][: len(cards)] = cards
    row["num_pile"] = len(cards)


def _read_hands(row: np.void, values: _Values, rules: Rules) -> None:
    n = rules.num_players
    for seat, cards in enumerate(values.seats("hands", n, [], _cards)):
        if len(cards) > MAX_HAND:
            raise PositionError(f"position key hands: {len(cards)} cards, at most {MAX_HAND}")
        _check_deck("hands", cards)
        set_hand(row, seat, cards)
    row["opened"][:n] = values.seats("opened", n, [False] * n, _flag)


def _check_deck(key: str, cards: Sequence[Card]) -> None:
    for card, count in Counter(cards).items():
        if count > DECK_COUNTS[card]:
            raise PositionError(
                f"position key {key}: {count} cards {card_text(card)}, there are"
                f" {DECK_COUNTS[card]}"
            )


def _read_table(row: np.void, values: _Values, rules: Rules) -> None:
    melds = _list("table", values.raw("table") or [])
    if len(melds) > MAX_MELDS:
        raise PositionError(f"position key table: {len(melds)} melds, at most {MAX_MELDS}")
    laid = _list("laid_this_turn", values.raw("laid_this_turn") or [])
    for number in laid:
        _number("laid_this_turn", number, 0, len(melds) - 1)
    row["num_melds"] = len(melds)
    for m, text in enumerate(melds):
        meld = _meld(text, rules, m in laid)
        row["meld_kind"][m], row["meld_base"][m] = meld.kind, meld.base
        row["meld_places"][m], row["meld_jokers"][m] = meld.places, meld.jokers
        row["meld_new"][m] = m in laid


def _meld(text: Any, rules: Rules, is_new: bool) -> Meld:
    """Read a meld of the table; one of this turn may have too few naturals yet."""
    if not isinstance(text, str):
        raise PositionError(f"position key table: {text!r} is not the text of a meld")
    try:
        meld = parse_meld(text, rules)
        check_meld(meld, rules.with_(min_naturals=1) if is_new else rules)
    except (InvalidNotationError, InvalidMeldError, RulesError) as error:
        raise PositionError(f"position key table: {error}") from error
    return meld


def _read_match(row: np.void, values: _Values, n: int) -> None:
    row["player"] = values.number("player", n - 1)
    row["dealer"] = values.number("dealer", n - 1, default=n - 1)
    row["turns"][:n] = values.seats("turns", n, [0] * n, _up_to(_MAX_COUNT))
    row["reshuffles"] = values.number("reshuffles", _MAX_COUNT)
    row["hand_number"] = values.number("hand_number", _MAX_COUNT)
    row["totals"][:n] = values.seats("totals", n, [0] * n, _up_to(_MAX_TOTAL))
    row["reentries"][:n] = values.seats("reentries", n, [0] * n, _up_to(_MAX_REENTRIES))
    row["seed"], row["rng"] = values.seats("rng", 2, [0, 0], _up_to(_MAX_WORD))


def _read_history(row: np.void, values: _Values, rules: Rules) -> None:
    n = rules.num_players
    history = _Values(values.raw("history") or {}, _HISTORY_KEYS, "position's history")
    none: list[dict[str, int]] = [{} for _ in range(n)]
    row["discarded"][:n] = history.seats("discarded", n, none, _card_counts(127))
    took = np.array(history.seats("took", n, none, _card_counts(15)))
    gave_back = np.array(history.seats("gave_back", n, none, _card_counts(15)))
    row["takes"][:n] = took + 16 * gave_back
    jokers = _up_to(int(DECK_COUNTS[JOKER]))
    row["known_jokers"][:n] = history.seats("known_jokers", n, [0] * n, jokers)
    row["hand_points"][:n] = history.seats("points", n, [0] * n, _up_to(_MAX_POINTS))
    row["closer"] = history.optional("closer", n - 1)
    row["closed_in_hand"] = history.flag("closed_in_hand")
    row["winner"] = history.optional("winner", n - 1)
    row["truncated"] = history.flag("truncated")
    sizes = row["hand_size"][:n].tolist()
    plays = [size > 0 or p == int(row["closer"]) for p, size in enumerate(sizes)]
    row["in_match"][:n] = history.seats("in_match", n, plays, _flag)
    at_limit = any(row["in_match"][:n] * row["totals"][:n] >= rules.limit)
    is_tied = at_limit and rules.mode == "elimination"
    row["playoff"] = history.flag("playoff") if history.has("playoff") else is_tied
    if row["winner"] != NONE or row["truncated"]:
        if row["phase"] != HAND_OVER:
            raise PositionError("position key phase: a match that is decided is over")
        row["phase"] = MATCH_OVER


def _read_turn(row: np.void, values: _Values) -> None:
    """What the seat to move has done and owes."""
    player = int(row["player"])
    if row["phase"] == DRAW:
        for key in _TURN_KEYS:
            if values.raw(key):
                raise PositionError(f"position key {key}: nothing is done or owed before the draw")
    row["pending"] = NONE
    row["opened_this_turn"] = values.flag("opened_this_turn")
    if row["opened_this_turn"] and not row["opened"][player]:
        raise PositionError("position key opened_this_turn: the seat to move has not opened")
    row["laid_off_or_swapped"] = values.flag("laid_off_or_swapped")
    row["returned"] = values.flag("returned")
    row["taken"] = _card("taken", values.raw("taken")) if values.has("taken") else NONE
    if row["taken"] != NONE and not row["hands"][player, row["taken"]]:
        raise PositionError(f"position key taken: {values.raw('taken')} is not in the hand")
    row["recovered"] = values.number("recovered", int(DECK_COUNTS[JOKER]))
    _check_turn(row)
    _read_kept(row, values)


def _check_turn(row: np.void) -> None:
    """Refuse what no series of legal moves leads to."""
    player = int(row["player"])
    if row["recovered"] > row["hands"][player, JOKER]:
        raise PositionError(f"position key recovered: not {row['recovered']} jokers in the hand")
    if row["recovered"] and not row["laid_off_or_swapped"]:
        raise PositionError("position key recovered: laid_off_or_swapped must be true too")
    if row["opened_this_turn"] and not row["meld_new"].any():
        raise PositionError("position key opened_this_turn: laid_this_turn must name a meld")
    is_single = row["phase"] == PLAY and row["hand_size"][player] == 1
    if is_single and not row["opened"][player] and not row["meld_new"].any():
        raise PositionError("position key opened: a single card after the draw, nothing laid")


def _read_kept(row: np.void, values: _Values) -> None:
    row["kept"], row["kept_seat"] = NONE, NONE
    if not values.has("kept"):
        return
    kept = _list("kept", values.raw("kept"))
    if len(kept) != 2:
        raise PositionError(f"position key kept: {kept!r} is not a seat and a card")
    seat = _number("kept", kept[0], 0, int(row["rules"][0]) - 1)
    card = _card("kept", kept[1])
    if not row["hands"][seat, card]:
        raise PositionError(f"position key kept: {kept[1]} is not in the hand of seat {seat}")
    row["kept"], row["kept_seat"] = card, seat


def _read_cards(row: np.void, values: _Values) -> None:
    """Pile and stock, so that all cards add up to the deck."""
    pile = values.cards("pile")
    _check_deck("pile", pile)
    set_pile(row, pile)
    left = DECK_COUNTS.astype(np.int64) - row["hands"].sum(axis=0)
    left -= np.bincount(pile, minlength=NUM_TYPES) if pile else 0
    for meld in read_table(row):
        for card, is_joker in meld.cards():
            left[JOKER if is_joker else card] -= 1
    for card in np.flatnonzero(left < 0).tolist():
        raise PositionError(f"too many cards {card_text(card)}: {-left[card]} beyond the deck")
    rest = np.repeat(np.arange(NUM_TYPES), left).tolist()
    if not values.has("stock"):
        random.Random(int(row["seed"])).shuffle(rest)
        stock = rest
    else:
        stock = values.cards("stock")
        _check_stock(stock, rest)
    set_stock(row, stock)
    _read_known_stock(row, values, stock)


def _check_stock(stock: Sequence[Card], rest: Sequence[Card]) -> None:
    have, want = Counter(stock), Counter(rest)
    for card in sorted({*have, *want}):
        if have[card] != want[card]:
            raise PositionError(
                f"position key stock: {have[card]} cards {card_text(card)}, {want[card]} are left"
            )


def _read_known_stock(row: np.void, values: _Values, stock: Sequence[Card]) -> None:
    """What is known of a renewed stock; by default all of it, as if nobody had drawn since."""
    n = int(row["rules"][0])
    counts = Counter(stock) if row["reshuffles"] else Counter()
    known = {card_text(card): count for card, count in counts.items()}
    row["known_stock"][:n] = values.seats("known_stock", n, [known] * n, _card_counts(4))
    for card, count in counts.items():
        if (row["known_stock"][:n, card] < count).any():
            raise PositionError(
                f"position key known_stock: {count} cards {card_text(card)} are in the stock"
            )


def _check_seats(row: np.void, n: int) -> None:
    for seat in range(n):
        if row["known_jokers"][seat] > row["hands"][seat, JOKER]:
            raise PositionError(f"position key known_jokers: not so many in the hand of {seat}")
    if row["phase"] >= HAND_OVER:
        return
    for seat in range(n):
        if row["hand_size"][seat] and not row["in_match"][seat]:
            raise PositionError(f"position key in_match: seat {seat} has cards but is out")
        if not row["hand_size"][seat] and row["in_match"][seat]:
            raise PositionError(f"position key in_match: seat {seat} has no cards")
    player = row["player"]
    if not row["in_match"][player] or not row["hand_size"][player]:
        raise PositionError(f"position key player: seat {player} has no cards")
    if row["phase"] == DRAW and not row["num_stock"]:
        raise PositionError("position key stock: no card is left to draw")
