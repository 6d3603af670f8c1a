"""What the selected cards could do: melds they make, places on the table they fit.

The engine is asked about every one of them; nothing here knows a rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

from scala40_env.actions import (
    Move,
    action_add,
    action_swap,
    is_add,
    is_discard,
    is_swap,
)
from scala40_env.cards import (
    JOKER,
    JOKER_TEXT,
    NUM_NATURALS,
    Card,
    card_text,
    parse_card,
    rank_of,
    suit_of,
)
from scala40_env.game import Game
from scala40_env.melds import InvalidMeldError, Meld, parse_meld
from scala40_env.notation import meld_moves

from ..i18n import _
from ..why import why_not
from ..words import Words


class NotNowError(ValueError):
    """Something that cannot be done at this point; the message is one line."""


@dataclass(frozen=True)
class Choice:
    """One thing that cards can do.

    Attributes:
        moves: legal one after the other.
        number: of the meld.
        meld: as it lies afterwards.
        is_swap: whether a joker is recovered.
    """

    moves: tuple[Move, ...]
    number: int
    meld: Meld
    is_swap: bool = False


def meld_choices(game: Game, cards: Sequence[Card], words: Words) -> list[Choice]:
    """Return the new melds that these cards make: several where a joker can stand for several.

    Raises:
        NotNowError: there is none that is legal now; it says why.
    """
    try:
        readings = _readings(game, cards)
    except InvalidMeldError:
        raise NotNowError(
            _("{cards} is neither a set nor a run.").format(cards=words.cards(cards))
        ) from None
    number = len(game.table)
    choices = [Choice(tuple(meld_moves(meld, number)), number, meld) for meld in readings]
    legal = [choice for choice in choices if _first_illegal(game, choice.moves) is None]
    if not legal:
        refuse(game, choices[0].moves, words)
    return legal


def refuse(game: Game, moves: Sequence[Move], words: Words) -> NoReturn:
    """Say why moves are not legal one after the other; at least one of them is not."""
    trial, move = _first_illegal(game, moves) or (game, moves[0])
    raise NotNowError(why_not(trial, move, words))


def _readings(game: Game, cards: Sequence[Card]) -> list[Meld]:
    """Return what the cards can mean as a meld, that of most points first."""
    naturals = [card_text(card) for card in cards if card != JOKER]
    jokers = len(cards) - len(naturals)
    best = parse_meld([*naturals, *[JOKER_TEXT] * jokers], game.rules)
    found = {best: None}  # in order
    for stated in combinations(range(NUM_NATURALS), jokers) if 0 < jokers <= 2 else ():
        words = [card_text(card) + JOKER_TEXT for card in stated if _is_near(card, best)]
        if len(words) == jokers:
            try:
                found[parse_meld([*naturals, *words], game.rules)] = None
            except InvalidMeldError:
                continue
    return list(found)


def _is_near(card: Card, meld: Meld) -> bool:
    """Tell whether a card is of the rank or the suit of one of a meld: others need no trial."""
    first = meld.cards()[0][0]
    return rank_of(card) == rank_of(first) or suit_of(card) == suit_of(first)


def _first_illegal(game: Game, moves: Sequence[Move]) -> tuple[Game, Move] | None:
    """Return the first move that is not legal, and the game before it."""
    trial = game.clone()
    for move in moves:
        if move not in trial.legal_moves():
            return trial, move
        trial.push(move)
    return None


def table_choices(
    game: Game, cards: Sequence[Card], numbers: Sequence[int] | None = None
) -> list[Choice]:
    """Return how all these cards can go to one meld, as lay-offs or as a swap.

    Args:
        game: the game.
        cards: one card or several.
        numbers: the melds that may take them; None: any.
    """
    wanted = range(len(game.table)) if numbers is None else _with_alike(game, numbers)
    found: dict[tuple[int, Meld], Choice] = {}
    for number in wanted:
        for moves, after in _ways(game, sorted(cards), number):
            meld = after.table[number]
            swap = any(is_swap(move.action) for move in moves)
            found.setdefault((number, meld), Choice(moves, number, meld, swap))
    return list(found.values())


def _with_alike(game: Game, numbers: Sequence[int]) -> list[int]:
    """Return for each meld the lowest of those identical to it: only that one is offered."""
    table, new = game.table, game.laid_this_turn

    def key(number: int) -> tuple[Meld, bool]:
        return table[number], number in new

    return [next(m for m in range(len(table)) if key(m) == key(n)) for n in numbers]


def _ways(
    game: Game, cards: Sequence[Card], number: int
) -> Iterator[tuple[tuple[Move, ...], Game]]:
    """Yield (moves, game afterwards) for every way to bring all the cards to a meld."""
    if not cards:
        yield (), game
        return
    for move in game.legal_moves():
        card = card_to_table(move)
        if move.meld != number or card is None or card not in cards:
            continue
        rest = list(cards)
        rest.remove(card)
        after = game.clone()
        after.push(move)
        for moves, last in _ways(after, rest, number):
            yield (move, *moves), last


def card_to_table(move: Move) -> Card | None:
    """Return the card that an add or a swap takes from the hand; None for other moves."""
    if is_add(move.action):
        add = action_add(move.action)
        return JOKER if add.as_joker else add.card
    return action_swap(move.action)[1] if is_swap(move.action) else None


def takers(game: Game, cards: Sequence[Card]) -> dict[int, bool]:
    """Return which melds could take one selected card now, and whether they give a joker for it."""
    if len(cards) != 1:
        return {}
    moves = [move for move in game.legal_moves() if card_to_table(move) == cards[0]]
    return {move.meld: is_swap(move.action) for move in moves}


def can_discard(game: Game) -> bool:
    """Tell whether the turn could be ended now."""
    return any(is_discard(move.action) for move in game.legal_moves())


def cards_of_order(order: str) -> list[Card]:
    """Return the cards of the hand that a move in the notation uses: `add 8S 2`."""
    verb, *words = order.split()
    cards = words if verb == "meld" else words[:1]
    return [JOKER if word.endswith(JOKER_TEXT) else parse_card(word) for word in cards]
