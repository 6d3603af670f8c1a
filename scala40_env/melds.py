"""Melds in plain Python: their shape, text and value, for people, records and screens.

The engine has its own kernels for legality; this module never decides whether a move is legal,
only what a meld is. A meld is the places it fills, as bit masks:

    set   base = rank    places: bit s = the card of suit s            S H D C = 0..3
    run   base = suit    places: bit p = the card at position p        A 2 3 .. Q K A = 0..13

    >>> meld_text(parse_meld("TD 9D* 8D"))
    '8D 9D* TD'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from .cards import (
    JOKER,
    NUM_RANKS,
    NUM_SUITS,
    Card,
    InvalidNotationError,
    card_text,
    make_card,
    parse_card,
    rank_of,
    suit_of,
)
from .rules import PRESETS, Rules

SET: Final = 0
RUN: Final = 1

MIN_MELD: Final = 3
MAX_SET: Final = NUM_SUITS
RUN_PLACES: Final = NUM_RANKS + 1  # the ace has two places
LOW_ACE: Final = 0
HIGH_ACE: Final = 13

_ACE: Final = 0
_FIRST_FIGURE: Final = 10  # rank of the jack
_STANDARD: Final = PRESETS["browser"]


class InvalidMeldError(ValueError):
    """Cards that do not make a meld, or not under these rules; the message is one line."""


@dataclass(frozen=True, order=True)
class Meld:
    """One meld on the table, immutable.

    Attributes:
        kind: SET or RUN.
        base: the rank 0..12 of a set, the suit 0..3 of a run.
        places: bit mask of the filled places: suits 0..3 of a set, positions 0..13 of a run.
        jokers: bit mask, a subset of `places`: where a joker stands.
    """

    kind: int
    base: int
    places: int
    jokers: int = 0

    def __len__(self) -> int:
        return self.places.bit_count()

    @property
    def num_jokers(self) -> int:
        """How many of the cards are jokers."""
        return self.jokers.bit_count()

    def card_at(self, place: int) -> Card:
        """Return the natural card that belongs at a place, filled or not."""
        if self.kind == SET:
            return make_card(self.base, place)
        return make_card(place % NUM_RANKS, self.base)

    def cards(self) -> list[tuple[Card, bool]]:
        """Return (card, whether a joker stands for it) in written order."""
        return [(self.card_at(p), bool(self.jokers >> p & 1)) for p in _bits(self.places)]


def _bits(mask: int) -> list[int]:
    return [p for p in range(mask.bit_length()) if mask >> p & 1]


def _mask(places: Sequence[int]) -> int:
    return sum(1 << p for p in places)


def meld_text(meld: Meld) -> str:
    """Return a meld as it is written: runs upwards, sets in suit order, jokers starred."""
    return " ".join(card_text(card) + "*" * joker for card, joker in meld.cards())


def rank_points(rank: int, rules: Rules = _STANDARD) -> int:
    """Return the points of a rank 0..12, on the table or in hand, an ace taken as high."""
    graded = rules.card_values == "graded"
    if rank == _ACE:
        return 14 if graded else 11
    if rank >= _FIRST_FIGURE:
        return rank + 1 if graded else 10
    return rank + 1


def place_value(kind: int, base: int, place: int, rules: Rules = _STANDARD) -> int:
    """Return the points of one place of a meld, whoever fills it, card or joker."""
    if kind == SET:
        return rank_points(base, rules)
    return rules.ace_low_value if place == LOW_ACE else rank_points(place % NUM_RANKS, rules)


def meld_value(meld: Meld, rules: Rules = _STANDARD) -> int:
    """Return the points of a meld; a joker counts as the card it stands for."""
    return sum(place_value(meld.kind, meld.base, p, rules) for p in _bits(meld.places))


def check_meld(meld: Meld, rules: Rules = _STANDARD) -> None:
    """Check that a meld may lie on the table when a turn ends.

    Raises:
        InvalidMeldError: it may not; the message says why.
    """
    _check_masks(meld)
    if meld.jokers == meld.places:
        raise InvalidMeldError(f"jokers alone are no meld: {meld_text(meld)}")
    if len(meld) < MIN_MELD:
        raise InvalidMeldError(f"a meld has at least {MIN_MELD} cards: {meld_text(meld)}")
    if meld.kind == RUN:
        _check_run(meld, rules)
    if rules.jokers_per_meld and meld.num_jokers > rules.jokers_per_meld:
        raise InvalidMeldError(
            f"{meld.num_jokers} jokers, at most {rules.jokers_per_meld} allowed: {meld_text(meld)}"
        )
    if len(meld) - meld.num_jokers < rules.min_naturals:
        raise InvalidMeldError(
            f"fewer than {rules.min_naturals} natural cards: {meld_text(meld)}"
        )


def _check_masks(meld: Meld) -> None:
    """Refuse numbers that describe no cards at all, so that the text can be written."""
    if meld.kind not in (SET, RUN):
        raise InvalidMeldError(f"meld kind {meld.kind} is neither SET nor RUN")
    bases, places = (NUM_RANKS, NUM_SUITS) if meld.kind == SET else (NUM_SUITS, RUN_PLACES)
    if not 0 <= meld.base < bases:
        raise InvalidMeldError(f"meld base {meld.base} is not in 0..{bases - 1}")
    if not 0 < meld.places < 1 << places:
        raise InvalidMeldError(f"meld places {meld.places:#b} are not within {places} places")
    if meld.jokers < 0 or meld.jokers & ~meld.places:
        raise InvalidMeldError(f"jokers {meld.jokers:#b} are not within places {meld.places:#b}")


def _check_run(meld: Meld, rules: Rules) -> None:
    shifted = meld.places >> _bits(meld.places)[0]
    if shifted & (shifted + 1):
        raise InvalidMeldError(f"the cards are not in a row: {meld_text(meld)}")
    if len(meld) > rules.max_run:
        raise InvalidMeldError(
            f"a run of {len(meld)}, at most {rules.max_run} allowed: {meld_text(meld)}"
        )
    if len(meld) == RUN_PLACES and not meld.jokers & _mask((LOW_ACE, HIGH_ACE)):
        raise InvalidMeldError(f"one of the two aces must be a joker: {meld_text(meld)}")


class _Token(NamedTuple):
    """One card as written: a bare joker has the card JOKER."""

    card: Card
    joker: bool


def parse_meld(text: str | Sequence[str], rules: Rules = _STANDARD) -> Meld:
    """Return the meld that a text or a list of card texts names, in any order.

    A starred card is a joker that stands for it. A bare `*` takes the reading with the highest
    value among those the rules allow, then the first missing suit in the order S, H, D, C. Where
    an ace could lie at both ends, the written order decides. The rules settle values and bare
    jokers only; whether they allow the meld, `check_meld` says.

    Raises:
        InvalidNotationError: something in the text is not a card.
        InvalidMeldError: the cards have not the shape of a meld.
    """
    words = text.split() if isinstance(text, str) else list(text)
    tokens = [_parse_token(word) for word in words]
    written = " ".join(words)
    _check_count(tokens, written)
    readings = [*_set_readings(tokens), *_run_readings(tokens)]
    if not readings:
        raise InvalidMeldError(f"neither a set nor a run: {written}")
    has_bare = any(token.card == JOKER for token in tokens)

    def preference(meld: Meld) -> tuple[bool, int, int]:
        order = _order_match(meld, tokens)
        value = meld_value(meld, rules)
        return _is_allowed(meld, rules), *((value, order) if has_bare else (order, value))

    return max(readings, key=preference)  # of equals, the first: sets in suit order


def _parse_token(word: str) -> _Token:
    name = word.strip()
    starred = len(name) > 1 and name.endswith("*")
    card = parse_card(name[:-1] if starred else name)
    if starred and card == JOKER:
        raise InvalidNotationError(f"not a card: {word!r} (a joker stands for a natural card)")
    return _Token(card, starred or card == JOKER)


def _check_count(tokens: Sequence[_Token], written: str) -> None:
    if len(tokens) < MIN_MELD:
        raise InvalidMeldError(f"a meld has at least {MIN_MELD} cards: {written or 'no cards'}")
    if len(tokens) > RUN_PLACES:
        raise InvalidMeldError(f"a meld has at most {RUN_PLACES} cards: {written}")
    if all(token.card == JOKER for token in tokens):
        raise InvalidMeldError(f"jokers alone are no meld: {written}")


def _set_readings(tokens: Sequence[_Token]) -> Iterator[Meld]:
    """Yield the sets that the cards can be, bare jokers on the first missing suits first."""
    named = [token for token in tokens if token.card != JOKER]
    suits = [suit_of(token.card) for token in named]
    if len({rank_of(token.card) for token in named}) > 1 or len(set(suits)) < len(suits):
        return
    stated = _mask([suit_of(token.card) for token in named if token.joker])
    missing = [suit for suit in range(NUM_SUITS) if suit not in suits]
    for bare in combinations(missing, len(tokens) - len(named)):
        places = _mask(suits) | _mask(bare)
        yield Meld(SET, rank_of(named[0].card), places, stated | _mask(bare))


def _run_readings(tokens: Sequence[_Token]) -> Iterator[Meld]:
    """Yield the runs that the cards can be: every window and every way to place the aces."""
    named = [token for token in tokens if token.card != JOKER]
    if len({suit_of(token.card) for token in named}) > 1:
        return
    suit = suit_of(named[0].card)
    for positions in _placings(named):
        filled = _mask(positions)
        stated = _mask([p for p, token in zip(positions, named, strict=True) if token.joker])
        for low in range(RUN_PLACES - len(tokens) + 1):
            window = _mask(range(low, low + len(tokens)))
            if not filled & ~window:
                yield Meld(RUN, suit, window, window & ~filled | stated)


def _placings(named: Sequence[_Token]) -> list[list[int]]:
    """Return the positions the named cards can have, all different: aces low or high."""
    placings: list[list[int]] = [[]]
    for token in named:
        rank = rank_of(token.card)
        choices = (LOW_ACE, HIGH_ACE) if rank == _ACE else (rank,)
        placings = [[*used, p] for used in placings for p in choices if p not in used]
    return placings


def _order_match(meld: Meld, tokens: Sequence[_Token]) -> int:
    """Return 2 if the tokens are written as the meld is, 1 if downwards, else 0."""
    cards = meld.cards()

    def matches(order: Sequence[_Token]) -> bool:
        return all(
            joker == token.joker and token.card in (JOKER, card)
            for token, (card, joker) in zip(order, cards, strict=True)
        )

    return 2 if matches(tokens) else int(matches(tokens[::-1]))


def _is_allowed(meld: Meld, rules: Rules) -> bool:
    try:
        check_meld(meld, rules)
    except InvalidMeldError:
        return False
    return True


def three_card_melds() -> list[Meld]:
    """Return all 700 three-card melds with at most two jokers, in a fixed order.

    First the 52 sets (by rank, then by the suit that is missing, C first), then the 48 runs (by
    suit, then upwards); each first natural, then with one joker, then with two, lowest places
    first.
    """
    naturals = [
        Meld(SET, rank, _mask(suits))
        for rank in range(NUM_RANKS)
        for suits in combinations(range(NUM_SUITS), MIN_MELD)
    ]
    naturals += [
        Meld(RUN, suit, 0b111 << low)
        for suit in range(NUM_SUITS)
        for low in range(RUN_PLACES - MIN_MELD + 1)
    ]
    return [
        Meld(meld.kind, meld.base, meld.places, _mask(jokers))
        for meld in naturals
        for count in range(MIN_MELD)
        for jokers in combinations(_bits(meld.places), count)
    ]
