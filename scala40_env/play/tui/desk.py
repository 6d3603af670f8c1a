"""What a person does at the table: the cards held, the melds prepared, the commands.

It knows no screen. A command that is not possible raises a ValueError whose one line says why; what
is possible, the game decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from scala40_env.actions import DRAW, RETURN, TAKE, Move, discard_id
from scala40_env.cards import Card, card_text
from scala40_env.melds import MIN_MELD
from scala40_env.notation import parse_moves

from ..chronicle import Step
from ..i18n import _, ngettext
from ..match import Match
from ..words import Words
from .choices import Choice, NotNowError, meld_choices, refuse, table_choices
from .held import Held
from .staging import Staging


class Desk:
    """The place of the persons of a match: of the one to move, or of the last one to have moved.

    Args:
        match: with at least one person.
        words: how cards are written in reasons.

    Attributes:
        match: the match.
        words: as given; it may be changed.
        seat: whose cards are seen.
        held: they.
        staging: the melds prepared for the opening.
    """

    def __init__(self, match: Match, words: Words) -> None:
        self.match = match
        self.words = words
        self.seat = match.persons[0]
        self.held = Held()
        self.staging = Staging(match.game)
        self.refresh()

    def refresh(self) -> None:
        """Follow the match after a move; what was being prepared is dropped."""
        game = self.match.game
        if self.match.is_persons_turn and game.player != self.seat:
            self.seat = game.player
            by_rank, self.held = self.held.by_rank, Held()
            self.held.by_rank = by_rank
        self.staging = Staging(game)
        self._show_hand()

    def _show_hand(self) -> None:
        self.held.update(self.staging.game.hand(self.seat))

    @property
    def is_my_turn(self) -> bool:
        """Whether the person at the screen is to move."""
        return self.match.is_persons_turn and self.match.game.player == self.seat

    def _check_turn(self) -> None:
        if not self.is_my_turn:
            raise NotNowError(_("It is not your turn."))

    def _check_drawn(self) -> None:
        self._check_turn()
        if self.match.game.phase == "draw":
            raise NotNowError(_("First draw from the stock (S) or take from the pile (P)."))

    def _check_nothing_staged(self) -> None:
        if not self.staging.is_empty:
            raise NotNowError(
                _("First open with the melds you prepared (↵), or take them back (Esc).")
            )

    # --- whole moves -----------------------------------------------------------------------

    def _play(self, move: Move) -> list[Step]:
        self._check_turn()
        self._check_nothing_staged()
        if move not in self.match.game.legal_moves():
            refuse(self.match.game, [move], self.words)
        steps = self.match.play(move)
        self.refresh()
        return steps

    def draw(self) -> list[Step]:
        """Draw from the stock."""
        return self._play(DRAW)

    def take(self) -> list[Step]:
        """Take the top of the pile."""
        return self._play(TAKE)

    def give_back(self) -> list[Step]:
        """Give the taken card back."""
        return self._play(RETURN)

    def discard(self) -> list[Step]:
        """Discard the selected card, or the one under the cursor."""
        self._check_drawn()
        cards = self.held.chosen_or_current
        if len(cards) != 1:
            raise NotNowError(_("Select just one card to discard."))
        return self._play(Move(discard_id(cards[0])))

    def undo(self) -> list[Step]:
        """Take back the last meld prepared (no steps), or the last command of this turn."""
        self._check_turn()
        if not self.staging.is_empty:
            self.staging.undo()
            self._show_hand()
            return []
        if not self.match.can_undo:
            raise NotNowError(_("Only melds, added cards and a take of this turn go back."))
        steps = self.match.undo()
        self.refresh()
        return steps

    def drop(self) -> None:
        """Drop the selection and take back the melds prepared."""
        self.staging.clear()
        self.held.drop()
        self._show_hand()

    # --- melds -----------------------------------------------------------------------------

    def lay_choices(self) -> list[Choice]:
        """Return the melds that the selected cards make: several if a joker can be several."""
        self._check_drawn()
        cards = self.held.chosen
        if len(cards) < MIN_MELD:
            raise NotNowError(_("Select the cards of a meld first: three or more (Space)."))
        return meld_choices(self.staging.game, cards, self.words)

    def add_choices(self, number: int | None = None) -> list[Choice]:
        """Return where the selected cards can go.

        Args:
            number: the meld that shall take them; None: any.
        """
        self._check_drawn()
        cards = self.held.chosen_or_current if number is None else self.held.chosen
        if not cards:
            raise NotNowError(_("Select a card first, then the meld that shall take it."))
        game = self.staging.game
        staged = self.staging.numbers
        if not self.staging.is_empty and number is not None and number not in staged:
            self._check_nothing_staged()
        wanted = [number] if number is not None else staged if staged else None
        choices = table_choices(game, cards, wanted)
        if not choices:
            self._refuse_add(cards, number)
        return choices

    def _refuse_add(self, cards: Sequence[Card], number: int | None) -> NoReturn:
        """Say why cards cannot go to a meld, or to any."""
        game = self.staging.game
        if not game.table:
            raise NotNowError(_("There is no meld on the table yet."))
        if number is not None and len(cards) == 1:
            self._refuse_card(cards[0], number)
        if not game.opened[self.seat] and self.staging.is_empty:
            raise NotNowError(
                ngettext(
                    "You have not opened yet: first lay melds of your own worth {n} point.",
                    "You have not opened yet: first lay melds of your own worth {n} points.",
                    game.rules.opening_min,
                ).format(n=game.rules.opening_min)
            )
        raise NotNowError(
            _("No meld can take these cards now.")
            if number is None
            else _("This meld cannot take these cards now.")
        )

    def _refuse_card(self, card: Card, number: int) -> NoReturn:
        """Say why a card cannot go to a meld."""
        game = self.staging.game
        meld = game.table[number]
        verb = "swap" if (card, True) in meld.cards() else "add"
        try:
            moves = parse_moves(f"{verb} {card_text(card)} {number}", game.table, game.rules)
        except ValueError:
            raise NotNowError(
                _("{card} does not fit the meld {meld}.").format(
                    card=self.words.card(card), meld=self.words.meld(meld)
                )
            ) from None
        refuse(game, moves, self.words)

    def carry_out(self, choice: Choice) -> list[Step]:
        """Lay or add what was chosen; before the opening it is only prepared (no steps)."""
        self.held.drop()
        if self.staging.is_needed:
            self.staging.stage(choice.moves)
            self._show_hand()
            return []
        return self._play_all(choice.moves)

    def open(self) -> list[Step]:
        """Lay the melds prepared."""
        self._check_turn()
        if self.staging.is_empty:
            raise NotNowError(_("Select the cards of a meld first: three or more (Space)."))
        if not self.staging.can_open:
            raise NotNowError(
                _("{have} of {needed} points: that is not enough to open.").format(
                    have=self.staging.points, needed=self.match.game.rules.opening_min
                )
            )
        return self._play_all([move for group in self.staging.groups for move in group])

    def _play_all(self, moves: Sequence[Move]) -> list[Step]:
        steps = [step for move in moves for step in self.match.play(move)]
        self.refresh()
        return steps

