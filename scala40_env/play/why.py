"""Why a move is not legal, in one line for players.

The engine decides; this module asks it again about positions in which one thing is different (a
rule, a duty of the turn), and names the thing that makes the move legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from scala40_env.actions import (
    DRAW_ID,
    RETURN_ID,
    TAKE_ID,
    Move,
    action_add,
    action_swap,
    is_discard,
    is_meld,
    is_swap,
)
from scala40_env.cards import Card
from scala40_env.explain import cards_used, fits
from scala40_env.game import Game
from scala40_env.rules import RulesError

from .i18n import _, ngettext
from .words import Words


def why_not(game: Game, move: Move, words: Words) -> str:
    """Return one sentence that says why a move of the seat to move is not legal.

    Args:
        game: the game.
        move: a move that is not legal there.
        words: how cards are written.
    """
    return _Asking(game, move, words).answer()


def opening_reach(game: Game) -> int:
    """Return how many points the seat to move could open with, up to the minimum of the rules."""
    position = {**game.position(), "phase": "play"}

    def can_open(points: int) -> bool:
        rules = game.rules.with_(opening_min=points).to_dict()
        try:
            other = Game.from_position({**position, "rules": rules})
        except ValueError:
            return False
        return any(is_meld(move.action) for move in other.legal_moves())

    return _highest(can_open, game.rules.opening_min) if can_open(0) else 0


def _highest(holds: Callable[[int], bool], top: int) -> int:
    """Return the highest number up to `top` for which something holds; it holds for 0."""
    low, high = 0, top + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class _Asking:
    """One question: this move, in this position."""

    game: Game
    move: Move
    words: Words

    def answer(self) -> str:
        game, action = self.game, self.move.action
        if game.phase == "over":
            return _("The match is over.") if game.match_over else _("The hand is over.")
        if action in (DRAW_ID, TAKE_ID):
            return self._why_not_draw()
        if action == RETURN_ID:
            return self._why_not_return()
        if game.phase == "draw":
            return _("First draw (s) or take the top discard (p).")
        missing = self._missing_cards()
        if missing:
            return _("You do not hold {cards}.").format(cards=self.words.cards(missing))
        return self._why_not_discard() if is_discard(action) else self._why_not_lay()

    # --- the draw ----------------------------------------------------------------------------

    def _why_not_draw(self) -> str:
        game = self.game
        if game.phase == "play":
            return _("You have already drawn in this turn.")
        if self.move.action == DRAW_ID:
            return _("The stock is empty.")
        if game.pile_top is None:
            return _("The pile is empty.")
        if game.returned:
            return _("You gave it back in this turn: draw from the stock (s).")
        if game.rules.discard_before_opening == "never" and not self._has_opened:
            return _("By these rules only who has opened may take from the pile.")
        return self._why_not_take()

    def _why_not_take(self) -> str:
        game = self.game
        card = self.words.card(game.pile_top or 0)
        if self._is_legal_with(close_without_discard=True):
            return _("With {card} you could lay all cards, but must keep one to discard.").format(
                card=card
            )
        if self._has_opened:
            return _("{card} fits no meld of the table and makes none with your cards.").format(
                card=card
            )
        if not self._is_legal_with(opening_min=0):
            return _(
                "Before opening you may take {card} only to open, and it makes no meld."
            ).format(card=card)
        return _("Opening with {card} you reach {points} of the {needed} points.").format(
            card=card, points=self._reach(), needed=game.rules.opening_min
        )

    def _why_not_return(self) -> str:
        if not self.game.rules.return_taken:
            return _("By these rules a card that was taken cannot be given back.")
        if self.game.taken is None:
            return _("You took no card that could be given back.")
        return _("Only right after taking it, before any other move; try undo (u) first.")

    # --- the table ---------------------------------------------------------------------------

    def _missing_cards(self) -> list[Card]:
        hand = Counter(self.game.hand(self.game.player))
        return list((Counter(cards_used(self.move)) - hand).elements())

    def _why_not_lay(self) -> str:
        game, move = self.game, self.move
        if not is_meld(move.action):
            on_own = move.meld in game.laid_this_turn
            if not self._has_opened and (is_swap(move.action) or not on_own):
                return self._not_opened()
            if not fits(game, move):
                return self._does_not_fit()
        for reason in self._reasons():
            return reason
        return _("After this move the turn could not be finished.")

    def _not_opened(self) -> str:
        return _(
            "You have not opened: first lay new melds worth {needed} points, then use the table."
        ).format(needed=self.game.rules.opening_min)

    def _does_not_fit(self) -> str:
        number = self.move.meld
        meld = self.words.meld(self.game.table[number])
        if is_swap(self.move.action):
            text = _("In meld {number} ({meld}) no joker stands for {card}.")
            card = action_swap(self.move.action)[1]
        else:
            text = _("{card} does not fit meld {number} ({meld}).")
            card = action_add(self.move.action).card
        return text.format(number=number, meld=meld, card=self.words.card(card))

    # --- the discard -------------------------------------------------------------------------

    def _why_not_discard(self) -> str:
        game = self.game
        if game.taken is not None:
            text = _("The {card} you took must go to the table first, or back (b).")
            if not game.rules.return_taken or game.laid_this_turn:
                text = _("The {card} you took must go to the table first.")
            return text.format(card=self.words.card(game.taken))
        if game.recovered:
            return _("The joker you recovered must be laid again in this turn.")
        if game.laid_this_turn and not self._has_opened:
            return self._below_opening(game.opening_points)
        for reason in self._reasons():
            return reason
        return _("By these rules this card may not be discarded now.")

    def _below_opening(self, points: int) -> str:
        return _(
            "You have laid {points} of the {needed} points to open: lay more, or undo (u)."
        ).format(points=points, needed=self.game.rules.opening_min)

    # --- asking the engine about other positions ---------------------------------------------

    @property
    def _has_opened(self) -> bool:
        return self.game.opened[self.game.player]

    def _reasons(self) -> Iterator[str]:
        """Yield a sentence for each single change that would make the move legal."""
        rules = self.game.rules
        card = self._card_text()
        duties: list[tuple[dict[str, Any], str]] = []
        if self.game.taken is not None:
            text = _("The {card} you took must go to the table in this turn.")
            duties.append(({"taken": None}, text.format(card=self.words.card(self.game.taken))))
        if self.game.recovered:
            text = _("The joker you recovered must be laid again in this turn.")
            duties.append(({"recovered": 0}, text))
        for change, text in duties:
            if self._is_legal(**change):
                yield text
        for changes, reason in self._rule_reasons(card):
            differ = any(getattr(rules, name) != value for name, value in changes.items())
            if differ and self._is_legal_with(**changes):
                yield reason()

    def _card_text(self) -> str:
        used = cards_used(self.move)
        return self.words.cards(used)

    def _rule_reasons(self, card: str) -> list[tuple[dict[str, Any], Callable[[], str]]]:
        """Return rules that may stand in the way, each with its sentence, the likeliest first."""
        rules = self.game.rules

        def joker_limit() -> str:
            return ngettext(
                "A meld may hold {n} joker at most.",
                "A meld may hold {n} jokers at most.",
                rules.jokers_per_meld,
            ).format(n=rules.jokers_per_meld)

        attach = dict.fromkeys(("attach_discard_unopened", "attach_discard_opened"), "allow")
        return [
            (
                {"max_run": 14},
                lambda: _("A run may have {n} cards at most.").format(n=rules.max_run),
            ),
            ({"jokers_per_meld": 0}, joker_limit),
            (
                {"min_naturals": 1},
                lambda: _("A meld needs {n} cards that are no jokers.").format(
                    n=rules.min_naturals
                ),
            ),
            ({"jokers_per_meld": 0, "min_naturals": 1}, joker_limit),
            ({"opening_min": 0}, self._opening_reason),
            (
                {"opening_joker": True},
                lambda: _("A meld with a joker does not count to the opening."),
            ),
            (
                {"close_without_discard": True},
                lambda: _("It would leave you no card to discard: one must be kept for the end."),
            ),
            (
                {"first_turn_close": True},
                lambda: _("Nobody may close in the first turn: keep two cards."),
            ),
            (
                {"recovered_joker": "keep"},
                lambda: _("The joker would have to be laid again in this turn, and it cannot be."),
            ),
            (
                {**attach, "attach_discard_closing": "allow"},
                lambda: _("{card} fits a meld of the table: it may not be discarded.").format(
                    card=card
                ),
            ),
            ({"joker_discard": "allow"}, lambda: _("By these rules a joker may not be discarded.")),
            (
                {**attach, "attach_discard_closing": "allow", "joker_discard": "allow"},
                lambda: _("It would leave you a last card that may not be discarded."),
            ),
        ]

    def _opening_reason(self) -> str:
        if is_meld(self.move.action):
            return _("With this you reach {points} of the {needed} points to open.").format(
                points=self._reach(), needed=self.game.rules.opening_min
            )
        return self._below_opening(self.game.opening_points)

    def _reach(self) -> int:
        """Return the highest minimum to open with which the move would be legal."""
        top = self.game.rules.opening_min
        return _highest(lambda points: self._is_legal_with(opening_min=points), top)

    def _is_legal_with(self, **rules: Any) -> bool:
        """Ask the engine about the position under other rules."""
        try:
            changed = self.game.rules.with_(**rules)
        except RulesError:
            return False
        return self._is_legal(rules=changed.to_dict())

    def _is_legal(self, **changes: Any) -> bool:
        try:
            other = Game.from_position({**self.game.position(), **changes})
        except ValueError:
            return False  # no such position: this is not what is in the way
        return self.move in other.legal_moves()
