"""The table at which a person plays: what keys and pointer do, and how the match goes on."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.content import Content

from ..chronicle import Step
from ..hint import Adviser, Hint
from ..i18n import _
from ..match import Match
from ..saves import Autosave, named_path, refuse_overwriting
from ..words import given_up, goal, hand_changes, hand_ending, match_ending, merge_steps
from .choices import Choice, cards_of_order
from .config import LEVELS, SPEEDS, next_speed
from .dialogs import ChoiceDialog, CoverDialog, LineDialog, TextDialog
from .keys import PLAY, bindings
from .messages import (
    ButtonPressed,
    CardPressed,
    MeldPressed,
    NewMatchWanted,
)
from .sheet import Sheet
from .table_screen import TableScreen
from .tint import tint


class PlayScreen(TableScreen):
    """One match.

    Args:
        match: with at least one person.
        speed: of the agents' moves.
        autosave: keeps the match after every turn; None: it is not kept.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PLAY)]
    HELP_KEYS = PLAY

    def __init__(
        self, match: Match, speed: str = "normal", autosave: Autosave | None = None
    ) -> None:
        super().__init__(match, speed)
        self._autosave = autosave
        self._adviser = Adviser()
        self._uncovered = self.desk.seat  # whose cards may be seen
        self._skip = asyncio.Event()
        self._saving = asyncio.Lock()

    def on_mount(self) -> None:
        """Begin."""
        self.tell(_("{goal} ? helps.").format(goal=goal(self.match.game.rules)))
        self.call_after_refresh(self.go_on)

    # --- the course of the match -----------------------------------------------------------

    def go_on(self) -> None:
        """Do what comes next: the agents, the score sheet, the next person."""
        self.desk.refresh()
        self.show()
        self._keep()
        if self.match.is_over or self.match.game.phase == "over":
            self._skip.clear()
            self._show_sheet(self._next_hand)
        elif self.match.is_agents_turn:
            self._let_agents_play()
        else:
            self._skip.clear()
            if self.desk.seat != self._uncovered:
                self._uncovered = self.desk.seat
                self._tell_last_turn()  # what stood there may name the card that was drawn
                self.app.push_screen(CoverDialog(self.match.names[self.desk.seat]))

    @work(exclusive=True, group="agents")
    async def _let_agents_play(self) -> None:
        """Play the agents' moves one after another, at the chosen speed."""
        match = self.match
        while match.is_agents_turn:
            await self._pause()
            game = match.game
            agent = match.players[game.player].agent
            assert agent is not None
            view, legal = game.view(game.player), game.legal_moves()
            try:
                match.play(await asyncio.to_thread(agent.act, view, legal))
            except ValueError as error:
                self.tell(str(error), is_warning=True)
                return
            self._tell_last_turn()
            self.show()
        self.go_on()

    async def _pause(self) -> None:
        """Wait as long as the speed says, or until the person skips; longer under a dialog."""
        delay = 0.0 if self._skip.is_set() else SPEEDS[self.speed]
        try:
            await asyncio.wait_for(self._skip.wait(), delay)
        except TimeoutError:
            await asyncio.sleep(0)
        while not self.is_current:
            await asyncio.sleep(0.05)

    def _tell_last_turn(self) -> None:
        turn = self.match.chronicle.last
        if turn is not None:
            self.tell(self.turn_line(turn))

    def _next_hand(self, _result: None = None) -> None:
        """Deal again, or ask for another match."""
        if self.match.is_over:
            self.action_new()
            return
        self.match.next_hand()
        self.tell(_("The cards are dealt."))
        self.go_on()

    def _show_sheet(self, then: Callable[[None], None] | None = None) -> None:
        match = self.match
        self.app.push_screen(
            Sheet(self._ending(), match.names, match.chronicle.results, match.game.rules), then
        )

    def _ending(self) -> str:
        """Return how the hand, or the match, has ended."""
        match, result = self.match, self.match.last_result
        if match.resigned is not None:
            return given_up(match.names[match.resigned])
        if match.game.phase != "over" or result is None:
            return _("Hand {number} is being played.").format(number=match.game.hand_number + 1)
        lines = [hand_ending(result, match.names), *hand_changes(result, match.names)]
        if match.is_over:
            lines.append(match_ending(match.winners, match.names, match.game.rules))
        return "\n".join(lines)

    @property
    def kept_in(self) -> Path | None:
        """The file in which the match is kept, if it is."""
        saved = self._autosave
        if saved is None or saved.problem is not None or saved.path is None:
            return None
        return saved.path if saved.path.exists() else None

    # --- saving ----------------------------------------------------------------------------

    def _frozen(self) -> Match:
        """Return the match as it is now, to be saved while the game goes on."""
        frozen = copy.copy(self.match)
        frozen.game = self.match.game.clone()
        return frozen

    @work
    async def _keep(self) -> None:
        """Save the match where it is kept; a problem is told once."""
        if self._autosave is None or not self.match.chronicle.turns:
            return
        problem, match = self._autosave.problem, self._frozen()
        async with self._saving:
            await asyncio.to_thread(self._autosave.save, match)
        if self._autosave.problem not in (None, problem):
            self.tell(str(self._autosave.problem), is_warning=True)

    @work
    async def _write(self, path: str) -> None:
        """Save the match in a file that the person named."""
        match = self._frozen()
        try:
            async with self._saving:
                await asyncio.to_thread(_save, match, path)
        except ValueError as error:
            self.tell(str(error), is_warning=True)
            return
        self.tell(_("Saved in {path}.").format(path=path))

    # --- keys ------------------------------------------------------------------------------

    def _try(self, command: Callable[[], Sequence[Step]]) -> None:
        """Carry out a command, say what was done or why it is not possible, and go on."""
        seat = self.desk.seat
        try:
            steps = command()
        except ValueError as error:
            self.tell(str(error), is_warning=True)
            return
        if steps:
            moves = " · ".join(self.words.step(step) for step in merge_steps(steps))
            name = self.match.names[seat]
            self.tell(_("{name}: {moves}").format(name=name, moves=moves))
        self._moved()

    def _moved(self) -> None:
        """Go on with the match, or only draw what has changed."""
        if self.desk.is_my_turn and self.desk.seat == self._uncovered:
            self.show()
            self._keep()
        else:
            self.go_on()

    def action_draw(self) -> None:
        """Draw from the stock."""
        self._try(self.desk.draw)

    def action_take(self) -> None:
        """Take the top of the pile."""
        self._try(self.desk.take)

    def action_give_back(self) -> None:
        """Give the taken card back."""
        self._try(self.desk.give_back)

    def action_discard(self) -> None:
        """Discard the selected card."""
        self._try(self.desk.discard)

    def action_undo(self) -> None:
        """Take back the last move of this turn."""
        try:
            steps = self.desk.undo()
        except ValueError as error:
            self.tell(str(error), is_warning=True)
            return
        moves = ", ".join(step.text for step in steps)
        self.tell(_("Taken back: {moves}").format(moves=moves) if steps else _("Taken back."))
        self._moved()

    def action_lay(self) -> None:
        """Lay the selected cards, or open with the melds prepared; skip while others play."""
        if not self.desk.is_my_turn:
            self._skip.set()
        elif self.desk.held.selected or self.desk.staging.is_empty:
            self._choose(self.desk.lay_choices, _("What does the joker stand for?"))
        else:
            self._try(self.desk.open)

    def action_add(self) -> None:
        """Add the selected cards to a meld."""
        self._choose(self.desk.add_choices, _("Where to?"))

    def _choose(self, find: Callable[[], list[Choice]], question: str) -> None:
        """Carry out the one thing that cards can do, or ask which of several."""
        try:
            choices = find()
        except ValueError as error:
            self.tell(str(error), is_warning=True)
            return
        if len(choices) == 1:
            self._carry_out(choices[0])
            return

        def chosen(position: int | None) -> None:
            if position is not None:
                self._carry_out(choices[position])

        self.app.push_screen(ChoiceDialog(question, [self._option(c) for c in choices]), chosen)

    def _option(self, choice: Choice) -> Content:
        meld = self.words.meld(choice.meld)
        if choice.number >= len(self.desk.staging.game.table):
            return tint(meld)
        text = _("take the joker of meld {number}: {meld}") if choice.is_swap else _(
            "meld {number}: {meld}"
        )
        return tint(text.format(number=choice.number, meld=meld))

    def _carry_out(self, choice: Choice) -> None:
        self._try(lambda: self.desk.carry_out(choice))

    def action_drop(self) -> None:
        """Drop the selection and take back the melds prepared."""
        self.desk.drop()
        self.show()

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        self.desk.held.move(step)
        self.show()

    def action_lift(self, up: bool) -> None:
        """Select the card at the cursor, or drop it."""
        self.desk.held.lift(up)
        self.show()

    def action_first(self) -> None:
        """Go to the first card."""
        self.desk.held.cursor = 0
        self.show()

    def action_last(self) -> None:
        """Go to the last card."""
        self.desk.held.cursor = max(0, len(self.desk.held.cards) - 1)
        self.show()

    def action_select(self) -> None:
        """Select the card at the cursor; skip while others play."""
        if not self.desk.is_my_turn:
            self._skip.set()
        else:
            self.desk.held.toggle()
            self.show()

    def action_sort(self) -> None:
        """Sort by suit or by rank."""
        self.desk.held.sort()
        self.show()

    @work(exclusive=True, group="hint")
    async def action_hint(self) -> None:
        """Ask the strongest agent what it would do; its cards are selected afterwards."""
        if not self.desk.is_my_turn:
            self.tell(_("It is not your turn."), is_warning=True)
            return
        self.tell(_("Thinking; the first hint takes longest ..."))
        game = self.match.game.clone()
        hint = await asyncio.to_thread(self._adviser.hint, game, self.words, self.match.names)
        self.tell(_advice(hint))
        text = Content("\n").join(
            [tint(_advice(hint), "bold"), *(tint(f"• {reason}") for reason in hint.reasons)]
        )
        self.app.push_screen(TextDialog(_("Hint"), text), partial(self._follow, hint))

    def _follow(self, hint: Hint, _result: None) -> None:
        """Select the cards of the first move of a hint."""
        if self.desk.is_my_turn and self.desk.staging.is_empty:
            self.desk.held.select(cards_of_order(hint.orders[0]))
            self.show()

    def action_scores(self) -> None:
        """Show the score sheet."""
        self._show_sheet()

    def action_speed(self, step: int) -> None:
        """Let the agents move faster or more slowly."""
        self.speed = next_speed(self.speed, step)
        self.tell(_("Agents move at speed: {speed}.").format(speed=_(self.speed)))
        self.show()

    def action_save(self) -> None:
        """Ask for a file and save the match."""

        def save(path: str | None) -> None:
            if path is not None:
                self._write(path)

        self.app.push_screen(LineDialog(_("Save the match in the file"), "match.jsonl"), save)

    def action_level(self) -> None:
        """Ask for another level and put such agents on all their seats."""

        def change(position: int | None) -> None:
            if position is None:
                return
            level = LEVELS[position]
            try:
                for seat, player in enumerate(self.match.players):
                    if not player.is_person:
                        self.match.set_player(seat, level)
            except ValueError as error:
                self.tell(str(error), is_warning=True)
                return
            self.tell(_("The agents now play at level {level}.").format(level=level))
            self.go_on()

        self.app.push_screen(ChoiceDialog(_("Level of the agents"), LEVELS), change)

    def action_new(self) -> None:
        """Ask for another match."""
        self.post_message(NewMatchWanted())

    # --- pointer ---------------------------------------------------------------------------

    def on_stock_pressed(self) -> None:
        """Draw."""
        self.action_draw()

    def on_pile_pressed(self) -> None:
        """Take before the draw, discard after it."""
        if self.desk.is_my_turn and self.match.game.phase == "play":
            self.action_discard()
        else:
            self.action_take()

    def on_card_pressed(self, message: CardPressed) -> None:
        """Select a card, or drop it."""
        self.desk.held.toggle(message.position)
        self.show()

    def on_meld_pressed(self, message: MeldPressed) -> None:
        """Add the selected cards to this meld, or recover its joker."""
        self._choose(lambda: self.desk.add_choices(message.number), _("How?"))

    def on_open_pressed(self) -> None:
        """Open."""
        self._try(self.desk.open)

    async def on_button_pressed(self, message: ButtonPressed) -> None:
        """Do what the key of the button does."""
        await self.run_action(message.action)


def _advice(hint: Hint) -> str:
    """Return the moves of a hint as a sentence."""
    return _("{name} would {moves}.").format(name=hint.adviser, moves=" · ".join(hint.advice))


def _save(match: Match, path: str) -> None:
    target = named_path(path)
    refuse_overwriting(target)
    match.save(target)
