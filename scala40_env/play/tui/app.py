"""The full-screen application: which screen follows which, and what all of them share."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import BindingType

from scala40_env.record import RecordError, read_records, replay_record

from ..i18n import _
from ..match import PERSON, Match, screen_names
from ..saves import Autosave
from .config import ConfigError, TuiConfig
from .dialogs import ChoiceDialog
from .help_screen import HelpScreen
from .keys import ANYWHERE, START, bindings
from .play_screen import PlayScreen
from .replay_screen import ReplayScreen
from .start_screen import Setup, Started, StartScreen
from .themes import DARK, LIGHT
from .timeline import Timeline
from .tint import LETTERS
from .warm_up import warmed_up


class Scala40App(App[str]):
    """The application.

    Args:
        config: how to start.
        match: the match to begin with.
        replay: a record to show instead.
    """

    TITLE = "Scala 40"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"), (74, "-medium"), (110, "-wide"),
    ]  # fmt: skip
    VERTICAL_BREAKPOINTS = [(0, "-short"), (28, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(ANYWHERE)]

    def __init__(
        self, config: TuiConfig, match: Match | None = None, replay: ReplayScreen | None = None
    ) -> None:
        super().__init__()
        self._config = config
        self._match = match
        self._replay = replay
        self._setup = _setup(config)
        self._path = None if config.save is None else Path(config.save)
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = (LIGHT if config.light else DARK).name
        self.set_class(config.letters, LETTERS)

    def on_mount(self) -> None:
        """Show the first screen."""
        if self._replay is not None:
            self.push_screen(self._replay)
        elif self._match is not None:
            self.push_screen(self._screen_of(self._match))
        else:
            self.push_screen(StartScreen(self._setup), self._started)

    def _screen_of(self, match: Match) -> PlayScreen | ReplayScreen:
        if match.persons:
            return PlayScreen(match, self._setup.speed, self._autosave())
        timeline = Timeline.live(match)
        return ReplayScreen(timeline, match.names, self._config.seat, self._setup.speed)

    def _autosave(self) -> Autosave | None:
        """Return what keeps a match: the file of the settings for the first one, then new ones."""
        if self._config.save is None:
            return None
        path, self._path = self._path, None
        return Autosave(path)

    def _started(self, started: Started | None) -> None:
        """Go to the table of a match that the start screen made."""
        if started is None:
            return
        self._setup = started.setup
        screen = self._screen_of(started.match)
        if isinstance(self.screen, PlayScreen | ReplayScreen):
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def on_new_match_wanted(self) -> None:
        """Ask how to play."""
        self.push_screen(StartScreen(self._setup), self._started)

    # --- keys ------------------------------------------------------------------------------

    def action_help(self) -> None:
        """Show the keys of the screen and the game in short."""
        screen = self.screen
        keys = getattr(screen, "HELP_KEYS", START)
        rules = screen.match.game.rules if isinstance(screen, PlayScreen) else self._setup.rules
        self.push_screen(HelpScreen(keys, rules))

    def action_light_or_dark(self) -> None:
        """Change the colours."""
        self.theme = (DARK if self.theme == LIGHT.name else LIGHT).name

    def action_symbols_or_letters(self) -> None:
        """Change how suits are written."""
        self.toggle_class(LETTERS)
        for screen in self.screen_stack:
            if isinstance(screen, PlayScreen | ReplayScreen):
                screen.show()

    def action_leave(self) -> None:
        """Leave, after a question if a match goes on."""
        screen = self.screen
        if not isinstance(screen, PlayScreen) or screen.match.is_over:
            self.exit(self._farewell())
            return

        def answer(position: int | None) -> None:
            if position == 0:
                self.exit(self._farewell())

        kept = screen.kept_in is not None or not screen.match.chronicle.turns
        title = _("Leave? The match is kept.") if kept else _("Leave? The match is not saved (W).")
        self.push_screen(ChoiceDialog(title, [_("Leave"), _("Stay")]), answer)

    async def action_quit(self) -> None:
        """Leave at once."""
        self.exit(self._farewell())

    def _farewell(self) -> str:
        """Return where a match lies that is not over; empty if there is none."""
        for screen in self.screen_stack:
            if isinstance(screen, PlayScreen) and screen.kept_in and not screen.match.is_over:
                return _("The match is kept in {path}; --resume goes on with it.").format(
                    path=screen.kept_in
                )
        return ""


def _setup(config: TuiConfig) -> Setup:
    """Return what the start screen says at first."""
    players = config.players or (PERSON, *["easy"] * (config.rules.num_players - 1))
    return Setup(config.rules, players, config.seed, config.speed)


def load_replay(config: TuiConfig) -> ReplayScreen:
    """Return the screen for a record (RecordError if it is damaged or not there)."""
    assert config.replay is not None
    records = enumerate(read_records(config.replay), 1)
    found = next((row for number, row in records if number == config.line), None)
    if found is None:
        raise RecordError(
            _("{path}: no match {number} in this file").format(
                path=config.replay, number=config.line
            )
        )
    line, record = found
    try:
        game = replay_record(record, line)
    except RecordError as error:
        raise RecordError(f"{config.replay}: {error}") from error
    _check_seat(config.seat, game.rules.num_players)
    names = screen_names(record["players"])
    return ReplayScreen(Timeline.of(game), names, config.seat, config.speed)


def _check_seat(seat: int | None, count: int) -> None:
    if seat is not None and not 0 <= seat < count:
        raise ConfigError(_("seat {seat} is not in 0..{last}").format(seat=seat, last=count - 1))


def run_app(config: TuiConfig | None = None) -> None:
    """Show the full screen until the person leaves.

    Args:
        config: how to start.

    Raises:
        ValueError: something it names does not exist or is damaged; one line says what.
    """
    farewell = prepare(config or TuiConfig()).run()
    if farewell:
        print(farewell)


def prepare(config: TuiConfig) -> Scala40App:
    """Return the application, its match or record loaded (ValueError as in `run_app`)."""
    if config.replay is not None:
        return Scala40App(config, replay=load_replay(config))
    if config.load is not None:
        return Scala40App(config, warmed_up(Match.load(config.load, config.players)))
    if config.players is not None:
        _check_seat(config.seat, len(config.players))
        match = Match.new(config.rules, config.players, config.seed)
        return Scala40App(config, warmed_up(match))
    return Scala40App(config)
