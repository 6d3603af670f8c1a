"""The command `scala40`: finds the verb, reads its options, and keeps errors to one line.

Each verb is a module of ``scala40_env.commands`` with a dataclass ``Options``, whose fields are the
options, and a function ``run``. Only the module of the verb in use is imported, so that
`scala40 --help` is there at once.

Exit status: 0 done; 2 wrong input, a record that does not hold among it; 130 Ctrl-C.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from scala40_env import __version__

VERBS: Final = {
    "play": "play against the computer in a text prompt",
    "tui": "play on a full screen",
    "serve": "play on the same screen in a web browser",
    "watch": "watch agents play a match",
    "replay": "show a recorded match move by move, or check a file of records",
    "record": "let agents play matches and write them to a file",
    "evaluate": "measure agents against each other",
    "train": "train a player by playing against itself",
    "tune": "search better figures for a computer level",
    "bench": "measure the speed of the engine",
    "rules": "print rules, their differences, advice, and the action space",
}
"""The verbs in the order of the help, with a line each."""

_EXTRAS: Final = {
    "aiohttp": "play",
    "torch": "train",
    "matplotlib": "train",
    "tensorboard": "train",
    "openskill": "train",
    "cma": "tune",
    "textual": "play",
    "textual_serve": "play",
    "prompt_toolkit": "play",
}


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        args: the words after `scala40`; None: those of the process.
    """
    words = list(sys.argv[1:] if args is None else args)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot write
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever reads has gone (`| head`); the interpreter must not flush into the pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except (ValueError, OSError, ModuleNotFoundError) as error:
        message = _message(error)
        if message is None:
            raise
        return _fail(message)


def _fail(message: str) -> int:
    print(f"scala40: {message}", file=sys.stderr)
    return 2


def _message(error: Exception) -> str | None:
    """Return the line for an error that the user can mend; None for a fault of ours."""
    if isinstance(error, OSError):
        where = f"{error.filename!r}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, ModuleNotFoundError):
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        hint = f"pip install 'scala40-env[{extra}]'"
        return f"this needs {error.name}, which is not installed: {hint}" if extra else None
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    is_ours = str(frame.f_globals.get("__name__")).startswith("scala40_env")
    return " ".join(str(error).split()) if is_ours else None


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    verb, *rest = words
    if verb == "--version":
        print(f"scala40 {__version__}")
        return 0
    if verb not in VERBS:
        near = get_close_matches(verb, VERBS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"verbs: {', '.join(VERBS)}"
        return _fail(f"unknown verb {verb!r}; {hint}")
    command = import_module(f"scala40_env.commands.{verb}")
    options = _parse(command, f"scala40 {verb}", rest)
    return int(command.run(options) or 0)


def _help() -> str:
    width = max(map(len, VERBS))
    lines = [f"  {verb:<{width}}  {text}" for verb, text in VERBS.items()]
    return "\n".join(
        [
            "usage: scala40 VERB [OPTIONS]",
            "",
            "Scala 40, the Italian rummy game: play it, watch it, measure and train players.",
            "",
            *lines,
            "",
            "Start with:   scala40 play",
            "More about a verb:   scala40 VERB --help",
        ]
    )


def _parse(command: ModuleType, prog: str, words: Sequence[str]) -> Any:
    """Return the options of a verb; wrong ones end the program with one line."""
    import tyro

    # What the words themselves settle first, such as a file of settings.
    defaults = getattr(command, "default_options", None)
    default = tyro.MISSING_NONPROP if defaults is None else defaults(words)
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return tyro.cli(
                command.Options,
                prog=prog,
                description=command.__doc__,
                args=words,
                default=default,
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
            )
    except SystemExit as stop:
        if stop.code:
            _fail(f"{_one_line(said.getvalue())}; see {prog} --help")
        raise


def _one_line(boxed: str) -> str:
    """Return what a frame of several lines says first."""
    lines = [line.strip("│ ") for line in boxed.splitlines() if not line.startswith(("╭", "╰"))]
    rules = [i for i, line in enumerate(lines) if line.startswith("──") or not line]
    text = " ".join(lines[: rules[0]] if rules else lines)
    options = [line.split()[0] for line in lines if line.startswith("--")]
    text = text.rstrip(".")
    return f"{text} (did you mean {options[0]}?)" if "Perhaps you meant:" in lines else text


if __name__ == "__main__":
    sys.exit(main())
