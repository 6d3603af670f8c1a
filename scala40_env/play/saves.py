"""Where one's matches are kept: each in a file of its own, written anew after every move.

    $XDG_STATE_HOME/scala40/2026-11-30-184512.jsonl      (~/.local/state by default)

They are ordinary records: `scala40 replay` shows them, `scala40 play --resume` goes on with the
last one that is not over.
"""

from __future__ import annotations

import os
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from scala40_env.record import FORMAT, RecordError, read_records

from .i18n import _
from .match import Match, MatchError


def saves_folder() -> Path:
    """Return the folder of the saved matches; it need not exist."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "scala40"


def refuse_overwriting(path: Path) -> None:
    """Refuse to save a match over anything but an empty file or another saved match.

    Raises:
        MatchError: the file holds something else, or several matches.
    """
    if not path.exists():
        return
    try:
        formats = [record.get("format") for _line, record in read_records(path)]
    except RecordError:
        formats = [None]
    if len(formats) > 1:
        raise MatchError(
            _("{path!r} holds {n} matches: not touched.").format(path=str(path), n=len(formats))
        )
    if formats not in ([], [FORMAT]):
        raise MatchError(_("{path!r} is no match of Scala 40: not touched.").format(path=str(path)))


def named_path(text: str) -> Path:
    """Return the path that a person typed (MatchError: it begins with ~ and a user unknown)."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise MatchError(_("{path}: there is no such user.").format(path=text)) from error


class Autosave:
    """Keeps one match in a file.

    Args:
        path: the file; None: a new one in the folder of the saved matches.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.problem: str | None = None
        """Why the match could not be saved the last time; None if it was."""

    def save(self, match: Match) -> bool:
        """Save the match; returns whether that worked (`problem` says why not)."""
        try:
            if self.path is None:
                self.path = new_save_path()
            match.save(self.path)
        except (OSError, MatchError) as error:
            self.problem = str(error)
            return False
        self.problem = None
        return True


def new_save_path() -> Path:
    """Return a path for a new match, named after the time; its folder is made.

    Raises:
        OSError: the folder cannot be made.
    """
    folder = saves_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stem = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    suffixes = chain([""], (f"-{number}" for number in count(2)))
    paths = (folder / f"{stem}{suffix}.jsonl" for suffix in suffixes)
    return next(path for path in paths if not path.exists())


def last_unfinished() -> Path:
    """Return the file of the last match that is not over.

    Raises:
        MatchError: there is none.
    """
    for path in sorted(saves_folder().glob("*.jsonl"), key=lambda path: path.stem, reverse=True):
        if _is_unfinished(path):
            return path
    raise MatchError(
        _("there is no unfinished match in {path!r}").format(path=os.fspath(saves_folder()))
    )


def _is_unfinished(path: Path) -> bool:
    try:
        return any(
            record.get("winner") is None
            and not record.get("truncated")
            and record.get("resigned") is None
            for _line, record in read_records(path)
        )
    except RecordError:
        return False  # a file of somebody else, or a damaged one
