"""Where the lines of the prompt come from: a terminal with editing and completion, or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from rich.console import Console

Completions = Callable[[str], Sequence[str]]
"""Given what is typed before the cursor, the words that could stand at the cursor."""


class Reader(Protocol):
    """Reads one line after the other.

    Attributes:
        is_interactive: whether somebody sits there who can be asked and kept waiting.
    """

    is_interactive: bool

    def read(self, prompt: str) -> str:
        """Return the next line (EOFError if there is none, KeyboardInterrupt on Ctrl-C)."""
        ...


class PipeReader:
    """Lines of a pipe or a script; they are shown, so that what is printed reads as a dialogue."""

    is_interactive = False

    def __init__(self, lines: Iterable[str], console: Console) -> None:
        self._lines = iter(lines)
        self._console = console

    def read(self, prompt: str) -> str:
        """Return the next line."""
        try:
            line = next(self._lines).strip()
        except StopIteration:
            raise EOFError from None
        except UnicodeDecodeError as error:
            raise EOFError(f"the input is not {error.encoding} text") from None
        self._console.print(f"{prompt}{line}")
        return line


class TerminalReader:
    """Lines of a terminal, with editing, history and completion where prompt_toolkit is there."""

    is_interactive = True

    def __init__(self, completions: Completions) -> None:
        self._session = _session(completions)

    def read(self, prompt: str) -> str:
        """Return the next line."""
        line = input(prompt) if self._session is None else self._session.prompt(prompt)
        return str(line).strip()


def _session(completions: Completions) -> Any:
    """Return a session of prompt_toolkit; None where it is not installed."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion
        from prompt_toolkit.history import InMemoryHistory
    except ModuleNotFoundError:
        return None

    class OrderCompleter(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterable[Completion]:
            before = document.text_before_cursor
            typed = before.split()[-1] if before and not before[-1].isspace() else ""
            for word in completions(before):
                yield Completion(word, start_position=-len(typed))

    return PromptSession(
        history=InMemoryHistory(), completer=OrderCompleter(), complete_while_typing=False
    )


def make_reader(completions: Completions, console: Console) -> Reader:
    """Return a reader for standard input, as it is connected."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return TerminalReader(completions)
    return PipeReader(sys.stdin, console)
