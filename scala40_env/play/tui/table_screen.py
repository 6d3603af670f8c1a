"""What is seen of a match by a person who plays it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from scala40_env.actions import DRAW, NO_MELD, RETURN, TAKE

from ..chronicle import Turn
from ..i18n import _
from ..match import Match
from ..rules_text import in_short
from ..words import Words
from .button_bar import ButtonBar
from .choices import can_discard, takers
from .desk import Desk
from .hand import Hand
from .keys import PLAY, buttons
from .log import Log
from .note import Note
from .opening import Opening
from .piles import Piles
from .prompts import points_text, what_now
from .seats import Seats, seats_of
from .table import Table
from .tint import words_of
from .title import Title

_OWN_TURN = ("draw", "take", "lay", "add", "discard", "give_back", "undo", "hint")


class TableScreen(Screen[None]):
    """The table, the hand below it, and what there is to say. What it shows, `desk` holds.

    Args:
        match: with at least one person.
        speed: of the agents' moves.
    """

    def __init__(self, match: Match, speed: str) -> None:
        super().__init__()
        self.match = match
        self.desk = Desk(match, Words())
        self.speed = speed

    def compose(self) -> ComposeResult:
        """Lay the table."""
        yield Title()
        yield Seats()
        with Horizontal(id="middle"):
            yield Table()
            with Vertical(id="side"):
                yield Piles()
                yield Log(id="side-log")
        yield Opening()
        yield Log(id="log")
        yield Note()
        yield Hand()
        yield ButtonBar(buttons(PLAY))

    @property
    def words(self) -> Words:
        """How cards are written."""
        return words_of(self.app)

    @property
    def is_laid(self) -> bool:
        """Whether there is a table to show: not any more when an agent's last move comes late."""
        return bool(self.query(Note))

    def tell(self, text: str, is_warning: bool = False) -> None:
        """Say what happened, or why something is not possible."""
        if not self.is_laid:
            return
        self.query_one(Note).say(text, is_warning)
        self._show_caption()

    def show(self) -> None:
        """Draw everything as it is now."""
        if not self.is_laid:
            return
        desk, match = self.desk, self.match
        desk.words = self.words
        game, shown = match.game, desk.staging.game
        can_take = takers(shown, desk.held.chosen) if desk.is_my_turn else {}
        on_table = len(game.table)
        self.query_one(Title).show(self._title())
        self.query_one(Seats).show(seats_of(match))
        self.query_one(Table).show(
            shown.table[:on_table],
            game.laid_this_turn,
            can_take,
            "\n".join(in_short(game.rules, self.words)),
        )
        self.query_one(Piles).show(game, *self._pile_keys())
        self.query_one(Opening).show(
            desk.staging.melds, on_table, points_text(desk.staging), desk.staging.can_open
        )
        self.query_one(Hand).show(desk.held)
        self.query_one(Note).ask(what_now(match, desk.staging, self.words))
        self.query_one(ButtonBar).show(*self._button_states())
        lines = [self.turn_line(turn) for turn in self._turns()]
        for log in self.query(Log):
            log.show(lines)
        self._show_caption()

    def _title(self) -> str:
        game = self.match.game
        return _("Scala 40 · {rules} rules · hand {hand} · speed {speed}").format(
            rules=game.rules.preset_name,
            hand=game.hand_number + (game.phase != "over"),
            speed=_(self.speed),
        )

    def _show_caption(self) -> None:
        """Show what the others did last, where no list and no note says it."""
        others = [turn for turn in self._turns() if turn.seat != self.desk.seat]
        text = self.turn_line(others[-1]) if others else ""
        is_told = any(log.display for log in self.query(Log))
        is_told = is_told or self.query_one(Note).said == text
        self.query_one(Table).caption("" if is_told else text)

    def _pile_keys(self) -> tuple[tuple[str, str], frozenset[str]]:
        """Return what stands below the piles, and which of them can be used."""
        if not self.desk.is_my_turn:
            return ("", ""), frozenset()
        legal = self.match.game.legal_moves()
        if self.match.game.phase == "draw":
            keys = (_("S draw"), _("P take"))
            uses = ("stock", DRAW in legal), ("pile", TAKE in legal)
            return keys, frozenset(name for name, is_legal in uses if is_legal)
        return ("", _("discard")), frozenset({"pile"} if can_discard(self.match.game) else ())

    def _button_states(self) -> tuple[set[str], dict[str, str], set[str]]:
        """Return which actions are not possible now, other labels, and which need no button."""
        off = set(_OWN_TURN) - self._possible()
        staging = self.desk.staging
        is_opening = staging.can_open and not self.desk.held.selected
        labels = {"lay": _("Open")} if is_opening else {}
        return off, labels, {"give_back"} & off

    def _possible(self) -> set[str]:
        """Return which actions of a turn are possible now."""
        desk = self.desk
        if not desk.is_my_turn:
            return set()
        game = desk.staging.game
        legal = game.legal_moves()
        is_open = desk.staging.is_empty
        possible = {
            "draw": DRAW in legal,
            "take": TAKE in legal,
            "give_back": RETURN in legal and is_open,
            "discard": is_open and can_discard(game),
            "undo": not is_open or self.match.can_undo,
            "lay": game.phase == "play",
            "add": any(move.meld != NO_MELD for move in legal),
            "hint": True,
        }
        return {action for action, is_possible in possible.items() if is_possible}

    def _turns(self) -> list[Turn]:
        """Return the turns of the hand that is being played, or of the last one."""
        game = self.match.game
        return self.match.chronicle.hand_turns(game.hand_number - (game.phase == "over"))

    def turn_line(self, turn: Turn) -> str:
        """Return a turn in words, without the card that was drawn."""
        return self.words.turn(turn, self.match.names[turn.seat])
