"""Why a move is not legal, in one line for people. It explains; the engine decides."""

from __future__ import annotations

from collections import Counter

from .actions import (
    DRAW_ID,
    RETURN_ID,
    TAKE_ID,
    Move,
    action_add,
    action_meld,
    action_swap,
    discard_card,
    is_add,
    is_discard,
    is_meld,
    is_swap,
)
from .cards import JOKER, Card, card_text, rank_of
from .game_state import GameState
from .melds import SET, InvalidMeldError, Meld, check_meld, meld_text
from .notation import free_places


def why_illegal(state: GameState, move: Move, text: str | None = None) -> str:
    """Return one line that says why a move of the seat to move is not legal.

    Args:
        state: the game, or the view of the seat to move.
        move: a move that is not legal there.
        text: how the player wrote it; None: as it is written beside this table.
    """
    if text is None:
        try:
            text = state.move_text(move)
        except ValueError as error:
            return f"not a move: {error}"
    return f"not legal: {' '.join(text.split())} ({_reason(state, move)})"


def _reason(state: GameState, move: Move) -> str:
    if state.phase == "over":
        return f"the {'match' if state.match_over else 'hand'} is over"
    if move.action in (DRAW_ID, TAKE_ID):
        return "already drawn" if state.phase == "play" else _why_not_drawn(state, move)
    if move.action == RETURN_ID:
        return _why_not_returned(state)
    if state.phase == "draw":
        return "the turn begins with draw or take"
    missing = Counter(cards_used(move)) - Counter(state.hand(state.player))
    if missing:
        return f"no {' '.join(card_text(card) for card in missing.elements())} in the hand"
    return _why_not_discarded(state) if is_discard(move.action) else _why_not_laid(state, move)


def cards_used(move: Move) -> list[Card]:
    """Return the cards that a move takes from the hand."""
    action = move.action
    if is_discard(action):
        return [discard_card(action)]
    if is_meld(action):
        return [JOKER if joker else card for card, joker in action_meld(action).cards()]
    if is_add(action):
        _, card, as_joker = action_add(action)
        return [JOKER if as_joker else card]
    return [action_swap(action)[1]]


def _why_not_drawn(state: GameState, move: Move) -> str:
    if move.action == DRAW_ID:
        return "the stock is empty"
    if state.pile_top is None:
        return "the pile is empty"
    if state.returned:
        return "the card was given back in this turn"
    if not state.opened[state.player] and state.rules.discard_before_opening == "never":
        return "only who has opened may take the discard"
    return f"{card_text(state.pile_top)} could not go to the table in this turn"


def _why_not_returned(state: GameState) -> str:
    if state.taken is None:
        return "there is no taken card to give back"
    if not state.rules.return_taken:
        return "a taken card cannot be given back"
    return "only right after taking, before any table move"


def _duty(state: GameState) -> str | None:
    """Return what the turn owes, if anything."""
    if state.taken is not None:
        return f"the taken {card_text(state.taken)} must go to the table"
    if state.recovered:
        return "the recovered joker must be laid again"
    if state.laid_this_turn and not state.opened[state.player]:
        return f"{state.opening_points} of {state.rules.opening_min} points to open"
    for number in state.laid_this_turn:
        meld = state.table[number]
        if len(meld) - meld.num_jokers < state.rules.min_naturals:
            return f"meld {number} has fewer than {state.rules.min_naturals} natural cards"
    return None


def _why_not_discarded(state: GameState) -> str:
    duty = _duty(state)
    if duty is not None:
        return duty
    if state.hand_sizes[state.player] == 1:
        return "it may not be the last card"
    return "these rules bar the discard"


def _why_not_laid(state: GameState, move: Move) -> str:
    if not is_meld(move.action):
        if not state.opened[state.player] and move.meld not in state.laid_this_turn:
            return f"not opened yet: first {state.rules.opening_min} points in new melds"
        if not fits(state, move):
            return f"it does not fit meld {move.meld}: {meld_text(state.table[move.meld])}"
    shape = _why_no_meld(state, move)
    if shape is not None:
        return shape
    if is_swap(move.action) and not state.opened[state.player]:
        return f"not opened yet: first {state.rules.opening_min} points in new melds"
    duty = _duty(state)
    return "the turn could not be finished after it" + (f": {duty}" if duty else "")


def _why_no_meld(state: GameState, move: Move) -> str | None:
    """Return what is wrong with the meld that a move makes; naturals may still come."""
    if is_swap(move.action):
        return None
    meld = action_meld(move.action) if is_meld(move.action) else _grown(state, move)
    try:
        check_meld(meld, state.rules.with_(min_naturals=1))
    except InvalidMeldError as error:
        return str(error)
    return None


def _grown(state: GameState, move: Move) -> Meld:
    """Return the meld that a card makes which fits it."""
    meld = state.table[move.meld]
    end, card, as_joker = action_add(move.action)
    bit = next(1 << place for e, place, c in free_places(meld) if (e, c) == (end, card))
    return Meld(meld.kind, meld.base, meld.places | bit, meld.jokers | bit * as_joker)


def fits(state: GameState, move: Move) -> bool:
    """Tell whether a meld has the place that an add or a swap wants."""
    meld = state.table[move.meld]
    if is_swap(move.action):
        kind, card = action_swap(move.action)
        if kind == SET and state.rules.set_joker == "any_missing":
            return bool(meld.jokers) and rank_of(card) == meld.base
        return (card, True) in meld.cards()
    end, card, _ = action_add(move.action)
    return any((e, c) == (end, card) for e, _, c in free_places(meld))
