"""Printing for people: cards in colour on a terminal, plain lines in a pipe or with NO_COLOR."""

from __future__ import annotations

import sys
import textwrap
from typing import Final, TextIO

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

from .words import Words

_RANK: Final = r"(?:10|[A2-9JQK])"
_THEME: Final = Theme(
    {
        "card.red": "red",
        "card.black": "bold",
        "card.joker": "bold magenta",
        "card.good": "green",
        "card.heading": "dim",
    }
)


class CardHighlighter(RegexHighlighter):
    """Colours cards wherever they stand; suits are told by their symbols, not by colour alone."""

    base_style = "card."
    highlights = [  # noqa: RUF012 (rich's interface)
        rf"(?P<red>{_RANK}[♥♦])",
        rf"(?P<black>{_RANK}[♠♣])",
        r"(?P<joker>★)",
        r"(?P<heading>^──.*$)",
    ]


class PipeConsole(Console):
    """A console that leaves a closed pipe to its caller, as `print` does."""

    def on_broken_pipe(self) -> None:
        """Raise instead of ending the program."""
        raise BrokenPipeError


def make_console(file: TextIO | None = None) -> Console:
    """Return a console; in a pipe it neither colours nor wraps lines."""
    console = PipeConsole(
        file=file, highlighter=CardHighlighter(), theme=_THEME, emoji=False, markup=False
    )
    console.soft_wrap = not console.is_terminal
    return console


def say(console: Console, *lines: str) -> None:
    """Print lines; on a terminal what does not fit goes on below, indented."""
    for line in lines:
        for part in _wrap(line, console.width) if console.is_terminal else [line]:
            console.print(part)


def _wrap(line: str, width: int) -> list[str]:
    if line.startswith(("──", "--")):  # a heading only fills the line
        return [line[: width - 1]]
    indent = len(line) - len(line.lstrip()) + 2
    wrapped = textwrap.wrap(
        line, max(width - 1, indent + 20), subsequent_indent=" " * indent, break_long_words=False
    )
    return wrapped or [""]


def make_words(letters: bool | None = None, file: TextIO | None = None) -> Words:
    """Return how to write cards.

    Args:
        letters: suits as letters; None: only where the output cannot write the symbols.
        file: the output, standard output by default.
    """
    if letters is None:
        encoding = getattr(file or sys.stdout, "encoding", None) or "ascii"
        letters = not _can_write("♠♥♦♣★·─", encoding)
    return Words(letters)


def _can_write(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
