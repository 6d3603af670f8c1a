"""Every key of the full screen: the one table behind bindings, help, buttons and tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from textual.binding import Binding

from ..i18n import N_


@dataclass(frozen=True)
class Key:
    """What keys do.

    Attributes:
        names: the keys as Textual calls them.
        action: the action of the screen or the application.
        shown: the keys as they are printed.
        help: what they do, for the help screen; to be translated.
        label: the word on the button, to be translated; empty if there is none.
    """

    names: tuple[str, ...]
    action: str
    shown: str
    help: str
    label: str = ""


ANYWHERE: Final = (
    Key(("question_mark", "f1"), "help", "?", N_("this help"), N_("Help")),
    Key(("t",), "light_or_dark", "T", N_("light or dark colours")),
    Key(("f",), "symbols_or_letters", "F", N_("suits as symbols or as letters")),
    Key(("q", "ctrl+c"), "leave", "Q", N_("leave the game")),
)

PLAY: Final = (
    Key(("s",), "draw", "S", N_("draw from the stock"), N_("Draw")),
    Key(("p",), "take", "P", N_("take the top card of the pile"), N_("Take")),
    Key(("left",), "move(-1)", "←", N_("go to the card on the left")),
    Key(("right",), "move(1)", "→", N_("go to the card on the right")),
    Key(("up",), "lift(True)", "↑", N_("lift the card: it is selected")),
    Key(("down",), "lift(False)", "↓", N_("put the card down again")),
    Key(("home",), "first", "Home", N_("go to the first card")),
    Key(("end",), "last", "End", N_("go to the last card")),
    Key(
        ("space",),
        "select",
        "Space",
        N_("select the card, or drop it; while others play: skip ahead"),
    ),
    Key(
        ("enter", "m"),
        "lay",
        "↵",
        N_("lay the selected cards as a new meld; with none selected: open"),
        N_("Lay"),
    ),
    Key(
        ("a",),
        "add",
        "A",
        N_("add the selected card to a meld, or recover its joker"),
        N_("Add"),
    ),
    Key(("x",), "discard", "X", N_("discard the selected card"), N_("Discard")),
    Key(("b",), "give_back", "B", N_("give the taken card back"), N_("Give back")),
    Key(("u",), "undo", "U", N_("take back your last move of this turn"), N_("Undo")),
    Key(
        ("escape",),
        "drop",
        "Esc",
        N_("drop the selection and take back the melds prepared for the opening"),
    ),
    Key(("o",), "sort", "O", N_("sort by suit or by rank"), N_("Sort")),
    Key(("h",), "hint", "H", N_("a hint"), N_("Hint")),
    Key(("c",), "scores", "C", N_("the score sheet")),
    Key(("plus", "equals_sign"), "speed(-1)", "+", N_("the agents move faster")),
    Key(("minus",), "speed(1)", "-", N_("the agents move more slowly")),
    Key(("w", "ctrl+s"), "save", "W", N_("write the match to a file")),
    Key(("l",), "level", "L", N_("another level for the agents")),
    Key(("n",), "new", "N", N_("a new match")),
)

REPLAY: Final = (
    Key(("right",), "step(1)", "→", N_("one move on"), N_("Step")),
    Key(("left",), "step(-1)", "←", N_("one move back"), N_("Back")),
    Key(("down", "pagedown"), "turn(1)", "↓", N_("one turn on")),
    Key(("up", "pageup"), "turn(-1)", "↑", N_("one turn back")),
    Key(("home",), "start", "Home", N_("to the beginning")),
    Key(("end",), "finish", "End", N_("to the end")),
    Key(("space",), "play", "Space", N_("play on, or pause"), N_("Play")),
    Key(("plus", "equals_sign"), "speed(-1)", "+", N_("faster")),
    Key(("minus",), "speed(1)", "-", N_("more slowly")),
    Key(("g",), "go", "G", N_("go to a hand and a turn"), N_("Go to")),
    Key(("v",), "view", "V", N_("all hands, or one seat's view"), N_("View")),
    Key(("c",), "scores", "C", N_("the score sheet"), N_("Scores")),
)

START: Final = (
    Key(("enter",), "begin", "Enter", N_("press the button, open the list")),
    Key(("tab", "down"), "app.focus_next", "Tab ↓", N_("to the next field")),
    Key(("shift+tab", "up"), "app.focus_previous", "↑", N_("to the field before")),
    Key(("escape",), "cancel", "Esc", N_("back to the match")),
)

SHEET: Final = (Key(("enter", "space", "escape", "c"), "go_on", "↵", N_("go on"), N_("Go on")),)


def bindings(keys: Iterable[Key]) -> list[Binding]:
    """Return the bindings of keys."""
    return [Binding(",".join(key.names), key.action, key.help, show=False) for key in keys]


def buttons(keys: Iterable[Key]) -> list[Key]:
    """Return the keys that have a button, and that of the help."""
    return [key for key in (*keys, ANYWHERE[0]) if key.label]
