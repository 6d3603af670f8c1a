"""A match for people: one game, persons and agents on its seats. The prompt and the screens share
it; it knows neither of them, and no rules (those are the game's).

    match = Match.new("browser", ["me", "hard"], seed=7)
    while not match.is_over:
        if match.game.hand_over:
            match.next_hand()
        elif match.is_persons_turn:
            match.play("draw")      # a text or a Move; IllegalMoveError says why not
        else:
            match.agent_turn()      # or agent_move() one by one
    match.save("match.jsonl")

Who sits where is given by names: ``me`` or ``me:Anna`` is a person, anything else an agent as
``make_agent`` knows it. The same names stand in the record, so a match can be loaded and goes on.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from scala40_env.actions import Move
from scala40_env.agents import Agent, make_agent
from scala40_env.game import Game
from scala40_env.record import RecordError, read_records, replay_record, write_records
from scala40_env.rules import Rules

from .chronicle import Chronicle, HandResult, Step, Turn
from .i18n import _

PERSON: Final = "me"
_ANY_LEVEL: Final = "easy"  # all levels are decided by one kernel


class MatchError(ValueError):
    """A match that cannot be set up, loaded or saved; the message is one line."""


@dataclass(frozen=True)
class Player:
    """Who sits on a seat.

    Attributes:
        spec: the name in records: `me`, `me:Anna`, or an agent as `make_agent` knows it.
        name: what screens call it; no two players of a match have the same.
        agent: who decides; None for a person.
    """

    spec: str
    name: str
    agent: Agent | None = None

    @property
    def is_person(self) -> bool:
        """Whether a person decides."""
        return self.agent is None


def is_person(spec: str) -> bool:
    """Tell whether a name stands for a person."""
    return spec.partition(":")[0] == PERSON


def winning_seats(game: Game) -> list[int]:
    """Return the seats that have won a match: one, or a whole team; none before it is won."""
    seats = range(game.rules.num_players)
    teams = game.rules.teams != "none"
    return [seat for seat in seats if (seat % 2 if teams else seat) == game.winner]


def who_resigned(record: Mapping[str, Any]) -> int | None:
    """Return the seat that gave a recorded match up (RecordError if there is no such seat)."""
    seat = record.get("resigned")
    if seat is None or (type(seat) is int and 0 <= seat < len(record["players"])):
        return seat
    raise RecordError(f"resigned is {str(seat)[:40]!r}, not a seat")


def _last_match(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Game]:
    """Return the last record of a file, and the game that it gives."""
    name = os.fspath(path)
    try:
        last = deque(read_records(path), maxlen=1)
        if last:
            line, record = last[0]
            game = replay_record(record, line)
            who_resigned(record)
            return record, game
    except RecordError as error:
        # An error of the system names the file itself.
        raise (
            error if isinstance(error.__cause__, OSError) else RecordError(f"{name}: {error}")
        ) from error
    raise MatchError(_("no match in {path!r}").format(path=name))


def seat_players(specs: Sequence[str], seed: int) -> list[Player]:
    """Return the players for the names of all seats.

    Args:
        specs: one name a seat.
        seed: of the match; the agents' own randomness follows from it.

    Raises:
        AgentError: there is no such agent, or its file is damaged.
    """
    seeds = np.random.SeedSequence(seed).generate_state(len(specs))
    names = screen_names(specs)
    return [
        Player(spec, name, None if is_person(spec) else make_agent(spec, int(own)))
        for spec, name, own in zip(specs, names, seeds, strict=True)
    ]


def screen_names(specs: Sequence[str]) -> list[str]:
    """Return a name for each seat; those that would be the same are numbered."""
    persons = sum(map(is_person, specs))
    plain = [_plain_name(spec, persons) for spec in specs]
    counts, seen = Counter(plain), Counter[str]()
    names = []
    for name in plain:
        seen[name] += 1
        several = counts[name] > 1
        names.append(_("{name} {number}").format(name=name, number=seen[name]) if several else name)
    return names


def _plain_name(spec: str, persons: int) -> str:
    if not is_person(spec):
        return Path(spec).stem
    own = spec.partition(":")[2].strip()
    return own or (_("You") if persons == 1 else _("Player"))


class Match:
    """One match between persons and agents.

    Args:
        game: the game, fresh or in the middle.
        players: one a seat.

    Attributes:
        game: the game; read it freely, but change it through the match only.
        players: who sits where.
        chronicle: the turns and the results so far.
        resigned: the seat of a person who gave up; None if nobody did.
    """

    def __init__(self, game: Game, players: Sequence[Player]) -> None:
        self.game = game
        self.players = list(players)
        self.chronicle = Chronicle.of(game)
        self.resigned: int | None = None
        self._commands: list[int] = []  # how many moves each command of this turn was

    @classmethod
    def new(cls, rules: Rules | str, players: Sequence[str], seed: int | None = None) -> Match:
        """Return a new match.

        Args:
            rules: the rules or the name of a preset; their number of players gives way to that
                of the names.
            players: one name a seat, 2 to 6.
            seed: the deals and the agents' randomness follow from it; None draws one.

        Raises:
            RulesError: unknown preset, or rules that do not take so many players.
            AgentError: there is no such agent, or its file is damaged.
        """
        rules = Rules.preset(rules) if isinstance(rules, str) else rules
        seed = secrets.randbits(32) if seed is None else seed
        game = Game(rules.with_(num_players=len(players)), seed)
        return cls(game, seat_players(players, seed))

    # --- who is who ------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """What screens call the seats."""
        return [player.name for player in self.players]

    @property
    def persons(self) -> list[int]:
        """The seats of persons."""
        return [seat for seat, player in enumerate(self.players) if player.is_person]

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.is_over and self.game.phase != "over" and self._mover.is_person

    @property
    def is_agents_turn(self) -> bool:
        """Whether an agent is to move."""
        return not self.is_over and self.game.phase != "over" and not self._mover.is_person

    @property
    def _mover(self) -> Player:
        return self.players[self.game.player]

    @property
    def is_over(self) -> bool:
        """Whether the match is won, cut short or given up."""
        return self.game.match_over or self.resigned is not None

    @property
    def winners(self) -> list[int]:
        """The seats that have won: one, or a whole team; none while it goes on or if cut short.

        Where somebody gave up, the others win if they are one player or one team.
        """
        if self.resigned is None:
            return winning_seats(self.game)
        if self.game.rules.teams != "none":
            return [seat for seat in self._seats if seat % 2 != self.resigned % 2]
        left = [s for s in self._seats if self.game.in_match[s] and s != self.resigned]
        return left if len(left) == 1 else []

    @property
    def _seats(self) -> range:
        return range(len(self.players))

    def set_player(self, seat: int, spec: str) -> None:
        """Put somebody else on a seat, from the next move on (AgentError as in `seat_players`)."""
        specs = [player.spec for player in self.players]
        specs[seat] = spec
        self.players = seat_players(specs, self.game.seed)

    # --- playing ---------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Have compiled what moves need, so that nobody waits for it in the middle of a hand.

        It takes no time but in the first match after an installation.
        """
        trial = self.game.clone()
        legal = trial.legal_moves()
        if legal:
            make_agent(_ANY_LEVEL).act(trial.view(trial.player), legal)
            trial.push(legal[0])

    def play(self, move: Move | str) -> list[Step]:
        """Play a move for the seat to move; a text may lay a long meld, which is several moves.

        Raises:
            IllegalMoveError: the rules forbid it; nothing has changed.
            InvalidNotationError, InvalidMeldError: a text is no move.
        """
        moves = self._moves(move)
        seat, hand = self.game.player, self.game.hand_number
        steps = [self.chronicle.push(self.game, each) for each in moves]
        if self.game.player != seat or self.game.hand_number != hand or not self.game.can_undo:
            self._commands.clear()
        else:
            self._commands.append(len(moves))
        return steps

    def _moves(self, move: Move | str) -> list[Move]:
        if not isinstance(move, str):
            return [move]
        trial = self.game.clone()
        played = len(trial.logs[-1].moves)
        trial.push(move)
        return trial.logs[-1].moves[played:]

    @property
    def can_undo(self) -> bool:
        """Whether the person to move can take a move back."""
        return self.is_persons_turn and self.game.can_undo

    def undo(self) -> list[Step]:
        """Take back the last command of this turn; returns its moves, the last one first.

        Raises:
            IllegalMoveError: there is nothing that can be taken back.
        """
        count = self._commands.pop() if self._commands else 1
        return [self.chronicle.undo(self.game) for _each in range(count)]

    def agent_move(self) -> Step:
        """Let the agent to move play one move."""
        agent = self._mover.agent
        if agent is None or not self.is_agents_turn:
            raise MatchError(_("no agent is to move"))
        game = self.game
        return self.play(agent.act(game.view(game.player), game.legal_moves()))[0]

    def agent_turn(self) -> Turn:
        """Let the agent to move finish its turn."""
        while True:
            self.agent_move()
            turn = self.chronicle.turns[-1]
            if turn.is_over:
                return turn

    def next_hand(self) -> None:
        """Deal the next hand (IllegalMoveError if the hand or the match is not at that point)."""
        self.game.next_hand()

    def resign(self, seat: int) -> None:
        """End the match: a person gives up."""
        self.resigned = seat

    @property
    def last_result(self) -> HandResult | None:
        """The last finished hand."""
        return self.chronicle.results[-1] if self.chronicle.results else None

    # --- records ---------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the record of the match so far; who gave it up stands there too."""
        record = self.game.record([player.spec for player in self.players])
        return record if self.resigned is None else {**record, "resigned": self.resigned}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the match to a file; what was there before stays until the new one is whole.

        Raises:
            MatchError: the file cannot be written.
        """
        part = Path(f"{os.fspath(path)}.part")
        try:
            write_records(part, [self.record()])
            os.replace(part, path)
        except (OSError, RecordError) as error:
            with suppress(OSError):
                part.unlink()
            cause = error if isinstance(error, OSError) else error.__cause__
            reason = getattr(cause, "strerror", None) or error
            raise MatchError(
                _("cannot save the match to {path!r}: {reason}").format(
                    path=os.fspath(path), reason=reason
                )
            ) from error

    @classmethod
    def load(cls, path: str | os.PathLike[str], players: Sequence[str] | None = None) -> Match:
        """Return the last match of a file, as it was when it was saved.

        Args:
            path: a file of records.
            players: who sits where from now on; None: as the record says.

        Raises:
            RecordError: the file cannot be read, or its last record is damaged.
            AgentError: an agent of the record cannot be made.
            MatchError: there is no match in it, or not one name a seat.
        """
        record, game = _last_match(path)
        specs = list(record["players"]) if players is None else list(players)
        if len(specs) != game.rules.num_players:
            raise MatchError(
                _("{given} players for the {seats} seats of {path!r}").format(
                    given=len(specs), seats=game.rules.num_players, path=os.fspath(path)
                )
            )
        match = cls(game, seat_players(specs, game.seed))
        match.resigned = who_resigned(record)
        return match
