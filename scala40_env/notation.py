"""Moves as text, as NOTATION has them, and as people type them.

An add or a swap names its meld by number, so its text means something only beside the melds on the
table. Nothing here asks whether a move is legal.

    >>> table = [parse_meld("5S 6S 7S")]
    >>> parse_move("add 8s 0", table) == Move(add_id(ON_HIGH, parse_card("8S")), 0)
    True
    >>> move_text(parse_move("add 8s 0", table), table)
    'add 8S 0'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .actions import (
    DISCARD_ID,
    DRAW,
    ON_HIGH,
    ON_LOW,
    ON_SET,
    RETURN,
    TAKE,
    Move,
    action_add,
    action_name,
    action_swap,
    add_id,
    discard_id,
    is_add,
    is_discard,
    is_meld,
    is_swap,
    meld_id,
    swap_id,
)
from .cards import (
    JOKER,
    JOKER_TEXT,
    NUM_SUITS,
    Card,
    InvalidNotationError,
    card_text,
    make_card,
    parse_card,
)
from .melds import (
    MIN_MELD,
    RUN_PLACES,
    SET,
    InvalidMeldError,
    Meld,
    meld_text,
    parse_meld,
    place_value,
)
from .rules import PRESETS, Rules

_SIMPLE: Final = {"draw": DRAW, "take": TAKE, "return": RETURN}
_LOW: Final = "low"
_TWO_TO_KING: Final = 0b01111111111110  # the places of a run that takes an ace at both ends
_STANDARD: Final = PRESETS["browser"]


def move_text(move: Move, table: Sequence[Meld]) -> str:
    """Return a move as it is written beside a table.

    Raises:
        ValueError: the action is no move, or the table has no such meld.
    """
    action = move.action
    if action < DISCARD_ID or is_discard(action) or is_meld(action):
        return action_name(action)
    if is_add(action):
        end, card, as_joker = action_add(action)
        meld = _meld(table, move.meld)
        low = f" {_LOW}" if end == ON_LOW and _takes_two_aces(meld) else ""
        return f"add {card_text(card)}{JOKER_TEXT * as_joker} {move.meld}{low}"
    if is_swap(action):
        _meld(table, move.meld)
        return f"swap {card_text(action_swap(action)[1])} {move.meld}"
    raise ValueError(f"action {action_name(action)!r} is no whole move")


def _takes_two_aces(meld: Meld) -> bool:
    return meld.kind != SET and meld.places == _TWO_TO_KING


def _meld(table: Sequence[Meld], number: int) -> Meld:
    if not 0 <= number < len(table):
        there = f"0-{len(table) - 1}" if table else "none"
        raise InvalidNotationError(f"no meld {number} on the table ({there} there)")
    return table[number]


def parse_move(text: str, table: Sequence[Meld], rules: Rules = _STANDARD) -> Move:
    """Return the one move that a text names beside a table; the inverse of `move_text`.

    Raises:
        InvalidNotationError: it is no move, or takes more than one (a meld of four cards or more).
        InvalidMeldError: the cards of a meld have not the shape of one.
    """
    moves = parse_moves(text, table, rules)
    if len(moves) > 1:
        raise InvalidNotationError(f"more than one move: {text!r} (a meld is laid as three cards)")
    return moves[0]


def parse_moves(text: str, table: Sequence[Meld], rules: Rules = _STANDARD) -> list[Move]:
    """Return the moves that a text means, a long meld as three cards and what they grow by.

    Args:
        text: a move; cards and words also in lower case, suits also as symbols, `10` for `T`. A
            joker added without its card (`add * 2`) takes the place of the highest value.
        table: the melds that lie there.
        rules: they settle what a bare joker stands for.

    Raises:
        InvalidNotationError: the text is no move.
        InvalidMeldError: the cards of a meld have not the shape of one.
    """
    words = text.split()
    verb, rest = (words[0].lower(), words[1:]) if words else ("", [])
    if verb in _SIMPLE and not rest:
        return [_SIMPLE[verb]]
    if verb == "discard" and len(rest) == 1:
        return [Move(discard_id(parse_card(rest[0])))]
    if verb == "meld" and rest:
        return meld_moves(parse_meld(rest, rules), len(table))
    if verb == "add" and 2 <= len(rest) <= 3:
        return [_parse_add(rest, table, rules)]
    if verb == "swap" and len(rest) == 2:
        return [_parse_swap(rest, table)]
    raise InvalidNotationError(
        f"not a move: {text.strip()!r} (draw, take, return, meld CARDS, add CARD MELD,"
        " swap CARD MELD, discard CARD)"
    )


def _parse_number(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise InvalidNotationError(f"not a meld number: {word!r}")
    return int(word)


def _parse_add(words: Sequence[str], table: Sequence[Meld], rules: Rules) -> Move:
    number = _parse_number(words[1])
    meld = _meld(table, number)
    as_joker = words[0].endswith(JOKER_TEXT)
    name = words[0] if words[0] == JOKER_TEXT or not as_joker else words[0][:-1]
    card = parse_card(name)
    is_joker = as_joker or card == JOKER
    if len(words) == 3 and (words[2].lower() != _LOW or not _takes_two_aces(meld)):
        raise InvalidNotationError(
            f"not an end: {words[2]!r} (only `low`, for an ace on a run of 2 to K)"
        )
    low = len(words) == 3
    fitting = [
        (place_value(meld.kind, meld.base, place, rules), end, -other, other)
        for end, place, other in free_places(meld)
        if card in (JOKER, other) and not (low and end != ON_LOW)
    ]
    if not fitting:
        raise InvalidNotationError(f"{words[0]} does not fit meld {number}: {meld_text(meld)}")
    # Of several, the one of most points; of the two ends, the high one; of suits, the first.
    _, end, _, card = max(fitting)
    return Move(add_id(end, card, is_joker), number)


def free_places(meld: Meld) -> Iterator[tuple[int, int, Card]]:
    """Yield (end, place, card) for every card that would make a meld one longer."""
    if meld.kind == SET:
        for suit in range(NUM_SUITS):
            if not meld.places >> suit & 1:
                yield ON_SET, suit, make_card(meld.base, suit)
        return
    low = (meld.places & -meld.places).bit_length() - 2
    high = meld.places.bit_length()
    if low >= 0:
        yield ON_LOW, low, meld.card_at(low)
    if high < RUN_PLACES:
        yield ON_HIGH, high, meld.card_at(high)


def _parse_swap(words: Sequence[str], table: Sequence[Meld]) -> Move:
    number = _parse_number(words[1])
    card = parse_card(words[0])
    if card == JOKER:
        raise InvalidNotationError("a joker is swapped for a natural card, not for a joker")
    return Move(swap_id(_meld(table, number).kind, card), number)


def meld_moves(meld: Meld, number: int) -> list[Move]:
    """Return the moves that lay a meld of any length as meld `number`: three cards, then adds."""
    if meld.jokers == meld.places:
        raise InvalidMeldError(f"jokers alone are no meld: {meld_text(meld)}")
    places = [p for p in range(RUN_PLACES) if meld.places >> p & 1]
    start = _start(meld, places)
    core = _part(meld, places[start : start + MIN_MELD])
    moves = [Move(meld_id(core))]
    rest = [*places[start + MIN_MELD :], *reversed(places[:start])]
    for place in rest:
        end = ON_SET if meld.kind == SET else ON_HIGH if place > places[start] else ON_LOW
        moves.append(Move(add_id(end, meld.card_at(place), bool(meld.jokers >> place & 1)), number))
    return moves


def _start(meld: Meld, places: Sequence[int]) -> int:
    """Return where among its places the three cards with the most naturals begin, the lowest."""
    starts = range(len(places) - MIN_MELD + 1)
    return min(starts, key=lambda i: _part(meld, places[i : i + MIN_MELD]).num_jokers)


def _part(meld: Meld, places: Sequence[int]) -> Meld:
    mask = sum(1 << p for p in places)
    return Meld(meld.kind, meld.base, mask, meld.jokers & mask)
