"""The action space: one fixed meaning for each id, whatever the rules and the number of players.

A *move* is what a player does: an action and, for an add or a swap, the number of the meld on the
table. An *id* is what a learner chooses. They are the same but in one case: where several melds
could take the card, the move is two ids, the add or swap and then its target.

    >>> action_name(MELD_ID + 7 * 52)
    'meld AS 2S 3S'
    >>> move_ids(Move(SWAP_ID, 4), [Move(SWAP_ID, 1), Move(SWAP_ID, 4)]) == (SWAP_ID, TARGET_ID + 4)
    True

A meld id is ``MELD_ID + shape * 7 + pattern``: the shape counts the 52 sets (rank * 4 + the missing
suit), then the 48 runs (52 + suit * 12 + lowest place); the pattern says which of the three cards
are jokers. ``engine.tables`` has the same numbers for the kernels; a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from .cards import JOKER, NUM_CARD_TYPES, NUM_NATURALS, NUM_RANKS, NUM_SUITS, Card, card_text
from .melds import MIN_MELD, RUN, RUN_PLACES, SET, Meld, meld_text

Action: TypeAlias = int
"""An id of the action space, 0..NUM_ACTIONS - 1."""

NO_MELD: Final = -1

ON_SET: Final = 0
ON_LOW: Final = 1
ON_HIGH: Final = 2

_JOKER_PATTERNS: Final = (0b000, 0b001, 0b010, 0b100, 0b110, 0b101, 0b011)
_NUM_PATTERNS: Final = len(_JOKER_PATTERNS)
_NUM_SET_SHAPES: Final = NUM_RANKS * NUM_SUITS
_RUN_STARTS: Final = RUN_PLACES - MIN_MELD + 1
_NUM_SHAPES: Final = _NUM_SET_SHAPES + NUM_SUITS * _RUN_STARTS
_MAX_MELDS: Final = 36  # 108 cards / 3

DRAW_ID: Final = 0
TAKE_ID: Final = 1
RETURN_ID: Final = 2
DISCARD_ID: Final = 3
MELD_ID: Final = DISCARD_ID + NUM_CARD_TYPES
ADD_ID: Final = MELD_ID + _NUM_SHAPES * _NUM_PATTERNS
SWAP_ID: Final = ADD_ID + 3 * 2 * NUM_NATURALS
TARGET_ID: Final = SWAP_ID + 2 * NUM_NATURALS
NUM_ACTIONS: Final = TARGET_ID + _MAX_MELDS

_WORDS: Final = ("draw", "take", "return")
_ENDS: Final = ("on a set", "on the low end", "on the high end")
_KINDS: Final = ("in a set", "in a run")


class Move(NamedTuple):
    """A whole move.

    Attributes:
        action: an id below TARGET_ID.
        meld: the number of the meld on the table, for an add or a swap; else NO_MELD.
    """

    action: Action
    meld: int = NO_MELD


class Add(NamedTuple):
    """What the id of an add says: the end, the card, and whether a joker stands for it."""

    end: int
    card: Card
    as_joker: bool


DRAW: Final = Move(DRAW_ID)
TAKE: Final = Move(TAKE_ID)
RETURN: Final = Move(RETURN_ID)


def discard_id(card: Card) -> Action:
    """Return the id of discarding a card (ValueError if it is none)."""
    if not 0 <= card <= JOKER:
        raise ValueError(f"card {card!r} is not in 0..{JOKER}")
    return DISCARD_ID + card


def meld_id(meld: Meld) -> Action:
    """Return the id of laying a meld of three cards (ValueError if it is not one)."""
    for action in _shape_ids(meld.kind, meld.base, meld.places):
        if action_meld(action) == meld:
            return action
    raise ValueError(f"not a meld of three cards with a natural one: {meld}")


def _shape_ids(kind: int, base: int, places: int) -> range:
    """Return the ids of the seven joker patterns of a shape; none if it is no shape."""
    if kind == SET and places in (missing_one := [0b1111 & ~(1 << s) for s in range(NUM_SUITS)]):
        shape = base * NUM_SUITS + missing_one.index(places)
    else:
        shape = _NUM_SET_SHAPES + base * _RUN_STARTS + (places & -places).bit_length() - 1
    first = MELD_ID + shape * _NUM_PATTERNS
    return range(first, first + _NUM_PATTERNS) if shape < _NUM_SHAPES else range(0)


def add_id(end: int, card: Card, as_joker: bool = False) -> Action:
    """Return the id of laying a card off, or a joker for it (ValueError if there is none)."""
    if end not in (ON_SET, ON_LOW, ON_HIGH):
        raise ValueError(f"end {end!r} is not in 0..2")
    return ADD_ID + (2 * end + as_joker) * NUM_NATURALS + _natural(card)


def swap_id(kind: int, card: Card) -> Action:
    """Return the id of swapping a card for a joker in a SET or RUN (ValueError if none)."""
    if kind not in (SET, RUN):
        raise ValueError(f"meld kind {kind!r} is neither SET nor RUN")
    return SWAP_ID + kind * NUM_NATURALS + _natural(card)


def target_id(number: int) -> Action:
    """Return the id of choosing a meld of the table (ValueError if the number is too high)."""
    if not 0 <= number < _MAX_MELDS:
        raise ValueError(f"meld number {number!r} is not in 0..{_MAX_MELDS - 1}")
    return TARGET_ID + number


def _natural(card: Card) -> Card:
    if not 0 <= card < NUM_NATURALS:
        raise ValueError(f"card {card!r} is not a natural card (0..{NUM_NATURALS - 1})")
    return card


def is_discard(action: Action) -> bool:
    """Tell whether an id is a discard."""
    return DISCARD_ID <= action < MELD_ID


def is_meld(action: Action) -> bool:
    """Tell whether an id lays a new meld."""
    return MELD_ID <= action < ADD_ID


def is_add(action: Action) -> bool:
    """Tell whether an id lays a card off."""
    return ADD_ID <= action < SWAP_ID


def is_swap(action: Action) -> bool:
    """Tell whether an id swaps a joker."""
    return SWAP_ID <= action < TARGET_ID


def is_target(action: Action) -> bool:
    """Tell whether an id chooses the meld of a pending add or swap."""
    return TARGET_ID <= action < NUM_ACTIONS


def is_table_move(action: Action) -> bool:
    """Tell whether an id is a meld, an add or a swap."""
    return MELD_ID <= action < TARGET_ID


def discard_card(action: Action) -> Card:
    """Return the card of a discard id."""
    return action - DISCARD_ID


@cache
def action_meld(action: Action) -> Meld:
    """Return the meld that a meld id lays (ValueError if it is no meld id)."""
    if not is_meld(action):
        raise ValueError(f"action {action!r} lays no meld")
    shape, pattern = divmod(action - MELD_ID, _NUM_PATTERNS)
    if shape < _NUM_SET_SHAPES:
        kind, (base, missing) = SET, divmod(shape, NUM_SUITS)
        places = [suit for suit in range(NUM_SUITS) if suit != missing]
    else:
        kind, (base, low) = RUN, divmod(shape - _NUM_SET_SHAPES, _RUN_STARTS)
        places = [low, low + 1, low + 2]
    jokers = [p for i, p in enumerate(places) if _JOKER_PATTERNS[pattern] >> i & 1]
    return Meld(kind, base, sum(1 << p for p in places), sum(1 << p for p in jokers))


def action_add(action: Action) -> Add:
    """Return what an add id says (ValueError if it is no add id)."""
    if not is_add(action):
        raise ValueError(f"action {action!r} lays no card off")
    rest, card = divmod(action - ADD_ID, NUM_NATURALS)
    return Add(rest // 2, card, bool(rest % 2))


def action_swap(action: Action) -> tuple[int, Card]:
    """Return the kind of meld and the card of a swap id (ValueError if it is no swap id)."""
    if not is_swap(action):
        raise ValueError(f"action {action!r} swaps no joker")
    return divmod(action - SWAP_ID, NUM_NATURALS)


def target_number(action: Action) -> int:
    """Return the meld number of a target id (ValueError if it is no target id)."""
    if not is_target(action):
        raise ValueError(f"action {action!r} is no target")
    return action - TARGET_ID


@cache
def action_name(action: Action) -> str:
    """Return what an id means, in words that need no table (ValueError if out of range)."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is not in 0..{NUM_ACTIONS - 1}")
    if action < DISCARD_ID:
        return _WORDS[action]
    if is_discard(action):
        return f"discard {card_text(discard_card(action))}"
    if is_meld(action):
        return f"meld {meld_text(action_meld(action))}"
    if is_add(action):
        end, card, as_joker = action_add(action)
        return f"add {card_text(card)}{'*' * as_joker} {_ENDS[end]}"
    if is_swap(action):
        kind, card = action_swap(action)
        return f"swap {card_text(card)} {_KINDS[kind]}"
    return f"target {target_number(action)}"


def move_ids(move: Move, legal: Iterable[Move]) -> tuple[Action, ...]:
    """Return the ids of a move: one, or two where several legal moves share its action."""
    same = [other for other in legal if other.action == move.action]
    return (move.action, target_id(move.meld)) if len(same) > 1 else (move.action,)


def move_of_ids(ids: Iterable[Action], legal: Iterable[Move]) -> Move:
    """Return the legal move that ids mean; the inverse of `move_ids`.

    Raises:
        ValueError: no legal move, or more than one, has these ids.
    """
    action, *targets = ids
    moves = [
        move
        for move in legal
        if move.action == action and (not targets or targets == [TARGET_ID + move.meld])
    ]
    if len(moves) != 1:
        names = ", ".join(action_name(a) for a in (action, *targets))
        raise ValueError(f"{len(moves)} legal moves have the ids of: {names}")
    return moves[0]


def describe_space() -> list[tuple[str, int, str]]:
    """Return one row (ids, how many, meaning) for each part of the space, for people."""
    parts = [
        (DRAW_ID, 1, "draw from the stock"),
        (TAKE_ID, 1, "take the top of the pile"),
        (RETURN_ID, 1, "give the taken card back"),
        (DISCARD_ID, NUM_CARD_TYPES, "discard one of 52 natural cards or a joker"),
        (MELD_ID, ADD_ID - MELD_ID, "lay a meld of three cards, with up to two jokers"),
    ]
    for end in (ON_SET, ON_LOW, ON_HIGH):
        where = f"{_ENDS[end]}{' of a run' if end else ''}"
        parts.append((add_id(end, 0), NUM_NATURALS, f"lay a natural card off {where}"))
        parts.append((add_id(end, 0, True), NUM_NATURALS, f"lay a joker off {where}"))
    for kind in (SET, RUN):
        parts.append((swap_id(kind, 0), NUM_NATURALS, f"swap a card for its joker {_KINDS[kind]}"))
    parts.append((TARGET_ID, _MAX_MELDS, "the meld number of the add or swap just chosen"))
    return [
        (str(first) if count == 1 else f"{first}-{first + count - 1}", count, meaning)
        for first, count, meaning in parts
    ]
