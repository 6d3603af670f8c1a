"""The text prompt: a match on a line-by-line dialogue, for terminals, pipes and screen readers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from scala40_env.actions import DRAW_ID, RETURN_ID, TAKE_ID, is_add, is_discard, is_meld, is_swap
from scala40_env.agents import AgentError
from scala40_env.record import RecordError

from .board import board_lines, duty_lines, hand_line, table_lines
from .console import say
from .hint import Adviser
from .i18n import _
from .match import Match, MatchError
from .orders import COMMANDS, Order, OrderError, complete, find_move, read_order
from .reader import Reader, make_reader
from .rules_text import in_short, rules_lines
from .saves import Autosave, named_path, refuse_overwriting
from .story import Story
from .tips import TIPS
from .words import Words, goal

QUIT: Final = 0
END_OF_INPUT: Final = 2

_LEVELS: Final = ("easy", "normal", "hard")


class Prompt:
    """One person or several at the prompt.

    Args:
        match: the match to play.
        autosave: where it is kept.
        console: where to print.
        words: how cards are written.
        reader: where orders come from; None: standard input.
    """

    def __init__(
        self,
        match: Match,
        autosave: Autosave,
        console: Console,
        words: Words,
        reader: Reader | None = None,
    ) -> None:
        self._console = console
        self._words = words
        self._autosave = autosave
        self._adviser = Adviser()
        self._by_rank = False
        self._is_running = True
        self._warned = False
        self._seen_by: int | None = None  # whose hand is on the screen
        self._reader = reader or make_reader(self._completions, console)
        self._set_match(match)

    def _set_match(self, match: Match) -> None:
        self.match = match
        self._story = Story(self._console, self._words, match.names, match.game.rules)
        self._seen_by = None

    # --- the dialogue ------------------------------------------------------------------------

    def run(self) -> int:
        """Play until the person leaves; returns the exit status.

        However it ends, the match is saved: also by Ctrl-C, which goes on as KeyboardInterrupt.
        """
        self._greet()
        try:
            while self._is_running:
                self._go_on()
        except EOFError as error:
            return self._end_of_input(str(error))
        except KeyboardInterrupt:
            print(f"\n{self._farewell()}", file=sys.stderr)
            raise
        print(self._farewell())
        return QUIT

    def _go_on(self) -> None:
        match = self.match
        if match.is_agents_turn:
            self._agent_turn()
        elif match.is_persons_turn:
            self._show_turn()
            self._say(self._options())
            self._carry_out(self._reader.read("> "))
        elif match.is_over:
            self._say(_("New match (n) or quit (q)?"))
            self._carry_out(self._reader.read("> "))
        else:
            self._between_hands()

    def _greet(self) -> None:
        match = self.match
        others = [player.name for player in match.players if not player.is_person]
        if others:
            self._say(_("Scala 40 against {names}.").format(names=", ".join(others)))
        else:
            self._say(_("Scala 40 for {names}.").format(names=", ".join(match.names)))
        self._say(goal(match.game.rules))
        if not match.chronicle.results:
            self._say(*in_short(match.game.rules, self._words))
        self._say(_("Type ? for all commands, h for a hint, rules for the rules."))
        if match.is_persons_turn and len(match.persons) == 1:
            self._tell_turns_since(match.game.player)

    def _agent_turn(self) -> None:
        turn = self.match.agent_turn()
        if len(self.match.persons) == 1:
            self._story.turn(turn, reveal=False)
        self._after_move()

    def _carry_out(self, line: str) -> None:
        """Carry out what a person typed; what is wrong with it is said in one line."""
        if not line:
            return
        try:
            order = read_order(line)
            if order.command.verbs:
                self._move(order)
            else:
                self._run(order)
        except (OrderError, MatchError, AgentError, RecordError) as error:
            self._say(str(error))

    def _run(self, order: Order) -> None:
        actions: dict[str, Callable[[Sequence[str]], None]] = {
            "undo": self._undo,
            "hint": self._hint,
            "legal": self._legal,
            "sort": self._sort,
            "table": self._table,
            "score": self._score,
            "history": self._history,
            "rules": self._rules,
            "tips": self._tips,
            "level": self._level,
            "save": self._save,
            "load": self._load,
            "new": self._new,
            "resign": self._resign,
            "help": self._help,
            "quit": self._quit,
        }
        actions[order.command.name](order.words)

    # --- a turn ------------------------------------------------------------------------------

    def _show_turn(self) -> None:
        """Show a person the table at the beginning of the turn."""
        seat = self.match.game.player
        if self._seen_by == seat:
            return
        if len(self.match.persons) > 1:
            self._hand_over(seat)
        self._seen_by = seat
        self._show_board()

    def _hand_over(self, seat: int) -> None:
        """Let the next person come to the screen; nobody sees two hands."""
        name = self.match.names[seat]
        if self._reader.is_interactive:
            self._console.clear()
            self._reader.read(_("{name}, press Enter when only you look. ").format(name=name))
            self._console.clear()
        else:
            self._say("", _("{name} is to move.").format(name=name))
        self._tell_turns_since(seat)

    def _tell_turns_since(self, seat: int) -> None:
        """Tell what the others did since a person's last turn in this hand."""
        turns = self.match.chronicle.hand_turns(self.match.game.hand_number)
        own = [number for number, turn in enumerate(turns) if turn.seat == seat]
        if own and turns[-1].seat == seat:
            own.pop()  # the turn that is going on
        for turn in turns[own[-1] + 1 :] if own else turns:
            if turn.seat != seat:
                self._story.turn(turn, reveal=False)

    def _show_board(self) -> None:
        seat = self._looking()
        self._say("", *board_lines(self.match, seat, self._words))
        self._show_hand()

    def _show_hand(self) -> None:
        seat = self._looking()
        self._say("", hand_line(self.match, seat, self._words, self._by_rank))
        self._say(*duty_lines(self.match, self._words))

    def _looking(self) -> int:
        """Return the seat of the person at the screen."""
        player = self.match.game.player
        persons = self.match.persons
        return player if player in persons else persons[0]

    def _options(self) -> str:
        """Return what the person to move can do."""
        game = self.match.game
        actions = [move.action for move in game.legal_moves()]
        options = []
        if DRAW_ID in actions:
            options.append(_("draw (s)"))
        if TAKE_ID in actions:
            top = self._words.card(game.pile_top or 0)
            options.append(_("take {card} (p)").format(card=top))
        if any(map(is_meld, actions)):
            options.append(_("lay a meld (m)"))
        if any(is_add(action) or is_swap(action) for action in actions):
            options.append(_("add to the table (a)"))
        if any(map(is_discard, actions)):
            options.append(_("discard (x)"))
        if RETURN_ID in actions:
            options.append(_("give it back (b)"))
        if self.match.can_undo:
            options.append(_("undo (u)"))
        return _("You can: {options}").format(options=self._words.dot.join(options))

    def _move(self, order: Order) -> None:
        match, words = self.match, self._words
        if not match.is_persons_turn:
            raise OrderError(self._no_turn())
        text = find_move(match.game, order, words)
        seat = match.game.player
        had_opened = match.game.opened[seat]
        self._story.steps(seat, match.play(text))
        turn = match.chronicle.turns[-1]
        if turn.opening is not None and not had_opened:
            self._say(_("That opens, with {points} points.").format(points=turn.opening))
        if turn.is_over:
            self._seen_by = None
        else:
            if text != "draw":
                self._say(*table_lines(match.game.view(seat), words))
            self._show_hand()
        self._after_move()

    def _no_turn(self) -> str:
        if self.match.is_over:
            return _("The match is over.")
        return _("The hand is over: Enter deals the next one.")

    def _after_move(self) -> None:
        """Keep the match; tell how the hand ended, if it did."""
        if not self._autosave.save(self.match) and not self._warned:
            self._warned = True
            self._say(str(self._autosave.problem))
        if self.match.game.phase == "over":
            self._story.result(self.match.chronicle.results[-1])
            if self.match.is_over:
                self._tell_end()

    def _tell_end(self) -> None:
        match = self.match
        self._story.ending(match.winners)
        self._story.score_sheet(match.chronicle.results, match.game.totals)

    def _between_hands(self) -> None:
        """Wait until the result was read; a script does not need to."""
        if self._reader.is_interactive:
            self._say(_("Enter deals the next hand. You can also: score, history, quit (q)"))
            line = self._reader.read("> ")
            if line:
                self._carry_out(line)
                return
        self.match.next_hand()
        self._seen_by = None

    # --- commands that are no moves ----------------------------------------------------------

    def _undo(self, _args: Sequence[str]) -> None:
        if not self.match.can_undo:
            raise OrderError(_("Nothing to take back: a draw and a discard stay."))
        self.match.undo()
        self._after_move()
        self._show_board()

    def _hint(self, _args: Sequence[str]) -> None:
        match = self.match
        if not match.is_persons_turn:
            raise OrderError(self._no_turn())
        hint = self._adviser.hint(match.game, self._words, match.names)
        self._say(
            _("{adviser} would {moves}.").format(
                adviser=hint.adviser, moves=self._words.dot.join(hint.advice)
            ),
            _("  Type: {order}").format(order=_short(hint.orders[0])),
            *(f"  - {reason}" for reason in hint.reasons),
        )

    def _legal(self, _args: Sequence[str]) -> None:
        if not self.match.is_persons_turn:
            raise OrderError(self._no_turn())
        groups: dict[str, list[str]] = {}
        for text in self.match.game.legal_texts():
            verb, *rest = text.split(maxsplit=1)
            groups.setdefault(verb, []).extend(rest)
        for verb, moves in groups.items():
            self._say(f"  {verb:<8} {', '.join(moves)}".rstrip())

    def _sort(self, _args: Sequence[str]) -> None:
        self._by_rank = not self._by_rank
        self._show_hand()

    def _table(self, _args: Sequence[str]) -> None:
        self._show_board()

    def _score(self, _args: Sequence[str]) -> None:
        match = self.match
        self._story.score_sheet(match.chronicle.results, match.game.totals)

    def _history(self, _args: Sequence[str]) -> None:
        match = self.match
        hand = match.game.hand_number - (match.game.phase == "over")
        turns = match.chronicle.hand_turns(hand)
        if not turns:
            self._say(_("Nothing was played in this hand yet."))
        for turn in turns:
            self._story.turn(turn, reveal=turn.seat == self._looking())

    def _rules(self, _args: Sequence[str]) -> None:
        self._say(*(f"  - {line}" for line in rules_lines(self.match.game.rules)))

    def _tips(self, _args: Sequence[str]) -> None:
        self._say(*(f"  - {tip}" for tip in TIPS.values()))

    def _help(self, _args: Sequence[str]) -> None:
        for command in COMMANDS:
            usage = f"{command.name} {command.arguments}".rstrip()
            self._say(f"  {command.letter:<2} {usage:<16} {_(command.help)}")
        self._say(
            _("  Cards: 7s, 10d, kh, ac; * is a joker, 9d* a joker that stands for 9d."),
            _("  Short is enough where it is clear: x k, a 8s, m 7."),
        )

    def _level(self, args: Sequence[str]) -> None:
        match = self.match
        agents = [seat for seat in range(len(match.players)) if seat not in match.persons]
        if not args:
            names = ", ".join(match.players[seat].spec for seat in agents)
            self._say(
                _("You play against: {names}. Levels: {levels}, or a checkpoint file.").format(
                    names=names, levels=", ".join(_LEVELS)
                )
            )
            return
        for seat in agents:
            match.set_player(seat, " ".join(args))
        self._set_match(match)
        self._say(_("From now on: {names}.").format(names=", ".join(match.names)))

    def _save(self, args: Sequence[str]) -> None:
        path = self._path(args, "save")
        refuse_overwriting(path)
        self.match.save(path)
        self._say(_("Saved to {path}.").format(path=path))

    def _load(self, args: Sequence[str]) -> None:
        match = Match.load(self._path(args, "load"))
        if not match.persons:
            raise MatchError(_("Nobody plays in that match; scala40 replay shows it."))
        if not self._may_leave():
            return
        self._begin(match)

    def _path(self, args: Sequence[str], command: str) -> Path:
        if not args:
            raise OrderError(_("Which file? {command} FILE").format(command=command))
        return named_path(" ".join(args))

    def _new(self, _args: Sequence[str]) -> None:
        if not self._may_leave(_("Leave this match (it is saved) for a new one? (y/n) ")):
            return
        match = self.match
        specs = [player.spec for player in match.players]
        self._begin(Match.new(match.game.rules, specs))

    def _begin(self, match: Match) -> None:
        """Go over to another match; the one so far stays in its file."""
        self._autosave = Autosave()
        self._warned = False
        self._set_match(match)
        self._greet()

    def _resign(self, _args: Sequence[str]) -> None:
        if self.match.is_over:
            raise OrderError(_("The match is over."))
        if self._confirm(_("Give this match up? (y/n) ")):
            seat = self._looking()
            self.match.resign(seat)
            if self.match.chronicle.turns:
                self._autosave.save(self.match)
            self._story.given_up(seat)
            self._tell_end()

    def _confirm(self, question: str) -> bool:
        """Ask before something that ends a match that goes on; a script is not asked."""
        if self.match.is_over or not self._reader.is_interactive:
            return True
        return self._reader.read(question).lower() in (_("y"), _("yes"))

    def _quit(self, _args: Sequence[str]) -> None:
        if self._may_leave():
            self._is_running = False

    def _may_leave(self, question: str | None = None) -> bool:
        """Save the match and ask the question, or another one where it cannot be saved."""
        saved = not self.match.chronicle.turns or self._autosave.save(self.match)
        if not saved:
            question = _("Leave without a saved match? (y/n) ")
        return question is None or self._confirm(question)

    # --- the end -----------------------------------------------------------------------------

    def _end_of_input(self, reason: str) -> int:
        """End of input is a way to leave at a terminal; a script that ends too early is wrong."""
        if self.match.is_over or self._reader.is_interactive:
            print(self._farewell())
            return QUIT
        print(
            _("scala40: {reason}. {farewell}").format(
                reason=reason or _("end of input in the middle of a match"),
                farewell=self._farewell(),
            ),
            file=sys.stderr,
        )
        return END_OF_INPUT

    def _farewell(self) -> str:
        """Save the match and say where it is."""
        if not self.match.chronicle.turns:
            return _("Nothing was played.")
        if not self._autosave.save(self.match):
            return str(self._autosave.problem)
        path = self._autosave.path
        if self.match.is_over:
            return _("The match is in {path}").format(path=path)
        return _("The match is saved (scala40 play --resume goes on with it): {path}").format(
            path=path
        )

    # --- small things ------------------------------------------------------------------------

    def _say(self, *lines: str) -> None:
        say(self._console, *lines)

    def _completions(self, before: str) -> Sequence[str]:
        if not self.match.is_persons_turn:
            return complete(before, [])
        return complete(before, self.match.game.legal_texts())


def _short(text: str) -> str:
    """Return a move with the letter of its verb."""
    verb, *rest = text.split()
    letters = {command.name: command.letter for command in COMMANDS}
    return " ".join([letters[verb] or verb, *rest]).lower()
