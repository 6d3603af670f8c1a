"""The rules of one match: every parameter, its allowed values, and three presets.

This module says *which* rules are played; what they mean for a move is decided in ``engine`` only.

    >>> rules = Rules.preset("fisca", num_players=4)
    >>> rules.recovered_joker
    'must_reuse'

Glossary, used with the same meaning everywhere (Italian in brackets):

    stock     (tallone)       the face-down cards that are drawn from
    pile      (pozzo)         the face-up discards; the last one is its top
    upcard                    the card turned up at the deal: the first of the pile
    meld      (combinazione)  a set or a run on the table
    set       (tris, poker)   three or four cards of one rank, all of different suits
    run       (scala)         three or more cards of one suit in a row
    joker     (jolly, matta)  on the table it stands for one stated card
    opening   (apertura)      a player's first melds, worth at least `opening_min` points
    lay off   (attaccare)     to add a card to a meld of the table; `add` in the notation
    attaches  (attacca)       a card that could be laid off by its shape
    swap      (sostituire)    to put a natural card in a joker's place and recover the joker
    discard   (scarto)        the card that ends a turn
    take                      to take the top of the pile instead of drawing from the stock
    close     (chiudere)      to end a hand by getting rid of the last card
    close in hand (chiusura in mano)  to close in the turn in which one opened
    hand      (mano, smazzata)  one deal, until somebody closes or the cards are exhausted;
                              also the cards a player holds
    match     (partita)       the hands that are played until there is a winner
    dealer    (mazziere)      the seat that deals; the seat after it plays first
    void      (patta)         a hand in which nobody scores
    re-entry  (rientro)       coming back after having reached the limit
    seat                      a place at the table, 0..num_players-1; play goes upwards
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

RuleValue: TypeAlias = bool | int | str | None

TEAM_PLAYERS: Final[Mapping[str, int]] = MappingProxyType({"2x2": 4, "2x3": 6})
"""How many players each form of `teams` has."""

_NULL: Final = -1  # how `encode` writes null: no field has negative values


class RulesError(ValueError):
    """A rule that does not exist or a value it cannot have; the message is one line."""


@dataclass(frozen=True)
class RuleSpec:
    """What one field of the rules may hold.

    Attributes:
        explanation: one line for people.
        allowed: (False, True) for a bool, a tuple of strings or ints, or a range of ints.
        nullable: whether None (`null`) is allowed too.
    """

    explanation: str
    allowed: tuple[bool | int | str, ...] | range
    nullable: bool = False

    @property
    def kind(self) -> type:
        """The Python type of the values: bool, int or str."""
        return type(self.allowed[0])

    def allowed_text(self) -> str:
        """Return the allowed values for a message: `2-6`, `allow, forbid`, `null, 0-1000`."""
        if isinstance(self.allowed, range):
            text = f"{self.allowed[0]}-{self.allowed[-1]}"
        else:
            text = ", ".join(value_text(value) for value in self.allowed)
        return f"null, {text}" if self.nullable else text

    def accepts(self, value: object) -> bool:
        """Tell whether a value has the right type and is allowed (True is not 1)."""
        if value is None:
            return self.nullable
        # `isinstance` would let a bool pass as an int.
        is_kind = isinstance(value, str) if self.kind is str else type(value) is self.kind
        return is_kind and value in self.allowed

    def parse(self, text: str) -> object:
        """Return the value that a text means, or the text itself where it means none."""
        word = text.strip()
        if self.nullable and word.lower() in ("null", "none"):
            return None
        if self.kind is bool:
            return {"true": True, "false": False}.get(word.lower(), word)
        if self.kind is int:
            try:
                return int(word)
            except ValueError:
                return word
        return word


def _rule(
    default: RuleValue,
    explanation: str,
    allowed: tuple[bool | int | str, ...] | range = (False, True),
    nullable: bool = False,
) -> Any:
    spec = RuleSpec(explanation, allowed, nullable)
    return field(default=default, metadata={"spec": spec})


_ATTACH: Final = ("allow", "forbid", "forbid_if_3plus")


@dataclass(frozen=True)
class Rules:
    """One validated set of rules; the defaults are those of the preset `browser`.

    Attributes:
        preset_name: the preset these rules were made from, for records and screens; it is no rule
            and does not count for equality. None picks the preset with the fewest differences.

    Raises:
        RulesError: a value is not allowed, or two fields contradict each other.
    """

    FIELDS: ClassVar[tuple[str, ...]]
    """The names of all fields, in the order in which `encode` writes them."""
    SPECS: ClassVar[Mapping[str, RuleSpec]]
    """Explanation and allowed values of each field."""

    num_players: int = _rule(2, "players at the table", range(2, 7))
    deal: int = _rule(13, "cards dealt to each player", range(1, 14))
    opening_min: int = _rule(40, "points the first melds must be worth together", range(0, 201))
    opening_joker: bool = _rule(True, "melds with a joker count to the opening")
    discard_before_opening: str = _rule(
        "to_open",
        "may a player who has not opened take the discard: never, or only to open with it",
        ("never", "to_open"),
    )
    return_taken: bool = _rule(True, "a taken discard may be given back before any table move")
    first_player_upcard: str = _rule(
        "normal",
        "keep: the first player may take the turned-up card for nothing in the first turn",
        ("normal", "keep"),
    )
    upcard_joker: str = _rule(
        "allow", "redraw: a joker turned up at the deal is replaced", ("allow", "redraw")
    )
    jokers_per_meld: int = _rule(1, "jokers allowed in one meld; 0 = no limit", (1, 2, 0))
    min_naturals: int = _rule(2, "natural cards every meld must have", (1, 2))
    max_run: int = _rule(14, "cards of the longest run", range(3, 15))
    set_joker: str = _rule(
        "declared",
        "a joker in a set is recovered with its own suit, or with any suit the set lacks",
        ("declared", "any_missing"),
    )
    recovered_joker: str = _rule(
        "keep",
        "a joker recovered by a swap may be kept, or must be laid again in the same turn",
        ("keep", "must_reuse"),
    )
    attach_discard_unopened: str = _rule(
        "allow", "discards that attach to the table, by a player who has not opened", _ATTACH
    )
    attach_discard_opened: str = _rule(
        "allow", "discards that attach to the table, by a player who has opened", _ATTACH
    )
    attach_discard_closing: str = _rule(
        "allow", "a closing discard that attaches to the table", ("allow", "forbid")
    )
    joker_discard: str = _rule(
        "allow", "may a joker be discarded", ("allow", "forbid_unopened", "only_closing", "forbid")
    )
    close_without_discard: bool = _rule(False, "laying the last card closes; no discard needed")
    first_turn_close: bool = _rule(True, "a player may close in the first turn")
    hand_close_exempt_40: bool = _rule(
        False, "closing in hand with own new melds alone needs no minimum"
    )
    hand_close_definition: str = _rule(
        "same_turn",
        "closing in hand: opened and closed in one turn, or also without lay-offs and swaps",
        ("same_turn", "melds_only"),
    )
    hand_close_bonus: str = _rule(
        "double",
        "after a close in hand the others pay double; full100: 100 if they have not opened",
        ("none", "double", "double_full100"),
    )
    unopened_penalty: int | None = _rule(
        100,
        "points paid instead of the hand by who has not opened; null = the hand",
        range(0, 1001),
        nullable=True,
    )
    penalty_doubled: bool = _rule(True, "a close in hand doubles the unopened penalty too")
    card_values: str = _rule(
        "standard",
        "figures 10 and aces 11, or graded: J 11, Q 12, K 13, ace 14",
        ("standard", "graded"),
    )
    joker_in_hand: int = _rule(25, "points of a joker left in hand", range(0, 101))
    lone_ace_in_hand: int = _rule(
        11, "points of an ace that is the only card left (standard values)", range(0, 101)
    )
    ace_low_value: int = _rule(1, "points of an ace below the 2 in a run", (1, 11))
    mode: str = _rule(
        "elimination",
        "how a match is won: last below the limit, lowest total, first closer, most hands won",
        ("elimination", "fixed_total", "single_hand", "victory_points"),
    )
    limit: int = _rule(101, "points (hands won in victory_points) that end it", range(1, 10001))
    reentry: str = _rule(
        "off", "how often a player at the limit comes back", ("off", "once", "unlimited")
    )
    teams: str = _rule(
        "none", "seats alternate between two teams of two or three", ("none", "2x2", "2x3")
    )
    team_points: str = _rule(
        "sum", "a team scores its members' points: their sum or the worst", ("sum", "worst")
    )
    partner_of_closer_pays: bool = _rule(False, "the closer's partners pay their hands too")
    reshuffles: int | None = _rule(
        1,
        "how often the pile becomes the new stock; null = no limit",
        range(0, 1001),
        nullable=True,
    )
    exhausted_result: str = _rule(
        "void", "a hand without a closer: nobody scores, or everybody pays", ("void", "score")
    )
    max_turns: int = _rule(400, "turns after which a hand ends", range(1, 10001))
    max_hands: int | None = _rule(
        100,
        "hands after which a match is cut short; null = no limit",
        range(1, 10001),
        nullable=True,
    )
    preset_name: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, spec in self.SPECS.items():
            value = getattr(self, name)
            if not spec.accepts(value):
                raise RulesError(
                    f"rules field {name} = {_shown(value)} is not allowed;"
                    f" allowed: {spec.allowed_text()}"
                )
        self._check_combinations()
        if self.preset_name is None:
            object.__setattr__(self, "preset_name", self._nearest_preset())
        _preset_values(str(self.preset_name))

    def _check_combinations(self) -> None:
        wanted = TEAM_PLAYERS.get(self.teams, self.num_players)
        if self.num_players != wanted:
            raise RulesError(
                f"rules field num_players = {self.num_players} is not allowed"
                f" with teams = {self.teams}; allowed: {wanted}"
            )
        if self.reentry == "off":
            return
        if self.teams != "none":
            raise RulesError(
                f"rules field reentry = {self.reentry} is not allowed"
                f" with teams = {self.teams}; allowed: off"
            )
        if self.mode != "elimination":
            raise RulesError(
                f"rules field reentry = {self.reentry} is not allowed"
                f" with mode = {self.mode}; allowed: off"
            )

    def _nearest_preset(self) -> str:
        def distance(name: str) -> int:
            values = _preset_values(name)
            return sum(getattr(self, key) != value for key, value in values.items())

        return min(_PRESET_CHANGES, key=distance)

    @classmethod
    def preset(cls, name: str = "browser", **overrides: Any) -> Rules:
        """Return a preset with some fields changed.

        `teams` fixes the number of players: where `num_players` is not given, it follows.

        Raises:
            RulesError: unknown preset, unknown field, or a value that is not allowed.
        """
        values = _preset_values(name)
        return cls(**{**values, **_checked_changes(overrides)}, preset_name=name)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules of a dict: `preset` (default browser) and any fields by name.

        Raises:
            RulesError: unknown preset, unknown field, or a value that is not allowed.
        """
        if not isinstance(values, Mapping):
            raise RulesError(f"rules must be a table of fields, not {values!r}")
        changes = {key: value for key, value in values.items() if key != "preset"}
        return cls.preset(values.get("preset", "browser"), **_checked_changes(changes))

    @classmethod
    def load_toml(cls, path: str | PathLike[str]) -> Rules:
        """Return the rules of a TOML file: its `[rules]` table, or else the whole file.

        TOML has no null: write `"null"` where a field may be null.

        Raises:
            RulesError: the file cannot be read or holds something that is not a rule.
        """
        try:
            table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
            raise RulesError(f"cannot read rules from {str(path)!r}: {reason}") from error
        values = table.get("rules", table)
        if not isinstance(values, Mapping):
            raise RulesError(f"rules in {str(path)!r} must be a table, not {values!r}")
        return cls.from_dict({key: _without_null_text(key, v) for key, v in values.items()})

    @classmethod
    def parse_overrides(cls, settings: Iterable[str]) -> dict[str, Any]:
        """Return the fields that texts such as `limit=201` set; of two for one field, the last.

        Raises:
            RulesError: a text is not FIELD=VALUE, or the field or the value is not allowed.
        """
        changes: dict[str, Any] = {}
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals:
                raise RulesError(f"rules setting {setting!r} is not of the form FIELD=VALUE")
            spec = _spec(name.strip())
            value = spec.parse(text)
            if not spec.accepts(value):
                raise RulesError(
                    f"rules field {name.strip()} = {text.strip()} is not allowed;"
                    f" allowed: {spec.allowed_text()}"
                )
            changes[name.strip()] = value
        return changes

    def with_(self, **changes: Any) -> Rules:
        """Return these rules with some fields changed (RulesError as in `preset`)."""
        return replace(self, **_checked_changes(changes))

    def to_dict(self) -> dict[str, Any]:
        """Return `preset` and every field by name, ready for JSON; `from_dict` inverts it."""
        return {"preset": self.preset_name, **{name: getattr(self, name) for name in self.FIELDS}}

    def encode(self) -> NDArray[np.int16]:
        """Return the fields as numbers for the kernels.

        Returns:
            int16[len(FIELDS)] in the order of `FIELDS`: bools 0 or 1, ints as they are, strings
            as the index among their allowed values, null as -1.
        """
        numbers = [_number(name, getattr(self, name)) for name in self.FIELDS]
        return np.array(numbers, dtype=np.int16)

    @classmethod
    def decode(cls, numbers: ArrayLike) -> Rules:
        """Return the rules that `encode` wrote; their `preset_name` is the nearest preset.

        Args:
            numbers: int[len(FIELDS)].

        Raises:
            RulesError: wrong length, or a number that stands for no allowed value.
        """
        array = np.asarray(numbers)
        if array.shape != (len(cls.FIELDS),):
            raise RulesError(f"encoded rules have {array.shape}, not ({len(cls.FIELDS)},) numbers")
        pairs = zip(cls.FIELDS, array, strict=True)
        values: dict[str, Any] = {name: _value(name, int(number)) for name, number in pairs}
        return cls(**values)


Rules.SPECS = MappingProxyType(
    {f.name: f.metadata["spec"] for f in fields(Rules) if "spec" in f.metadata}
)
Rules.FIELDS = tuple(Rules.SPECS)

_DEFAULTS: Final = {f.name: f.default for f in fields(Rules) if f.name in Rules.SPECS}

_PRESET_CHANGES: Final[dict[str, dict[str, Any]]] = {
    "browser": {},
    "fisca": {
        "discard_before_opening": "never",
        "return_taken": False,
        "upcard_joker": "redraw",
        "recovered_joker": "must_reuse",
        "attach_discard_unopened": "forbid",
        "attach_discard_opened": "forbid_if_3plus",
        "joker_discard": "forbid_unopened",
        "first_turn_close": False,
        "hand_close_exempt_40": True,
        "hand_close_definition": "melds_only",
        "hand_close_bonus": "none",
        "unopened_penalty": None,
        "penalty_doubled": False,
        "reshuffles": None,
    },
    "italian": {
        "discard_before_opening": "never",
        "return_taken": False,
        "recovered_joker": "must_reuse",
        "first_turn_close": False,
        "hand_close_definition": "melds_only",
        "hand_close_bonus": "none",
        "unopened_penalty": None,
        "reshuffles": None,
    },
}


def _preset_values(name: str) -> dict[str, Any]:
    if not isinstance(name, str) or name not in _PRESET_CHANGES:
        allowed = ", ".join(_PRESET_CHANGES)
        raise RulesError(f"unknown rules preset {name!r}; allowed: {allowed}")
    return {**_DEFAULTS, **_PRESET_CHANGES[name]}


def _spec(name: str) -> RuleSpec:
    spec = Rules.SPECS.get(name)
    if spec is None:
        near = get_close_matches(str(name), Rules.FIELDS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise RulesError(f"unknown rules field {name!r}{hint}")
    return spec


def _checked_changes(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse unknown fields and let `num_players` follow `teams` where it is not given."""
    for name in changes:
        _spec(name)
    players = TEAM_PLAYERS.get(str(changes.get("teams")))
    if players is not None and "num_players" not in changes:
        return {**changes, "num_players": players}
    return dict(changes)


def _without_null_text(name: str, value: object) -> object:
    spec = Rules.SPECS.get(name)
    return None if spec is not None and spec.nullable and value == "null" else value


def _number(name: str, value: bool | int | str | None) -> int:
    if value is None:
        return _NULL
    spec = Rules.SPECS[name]
    return tuple(spec.allowed).index(value) if isinstance(value, str) else int(value)


def _value(name: str, number: int) -> object:
    spec = _spec(name)
    if spec.nullable and number == _NULL:
        return None
    if spec.kind is int:
        return number
    if not 0 <= number < len(spec.allowed):
        raise RulesError(f"encoded rules field {name} = {number} stands for no value")
    return spec.allowed[number]


def value_text(value: object) -> str:
    """Return a value as it is typed and stored: `true`, `null`, `101`, `to_open`."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _shown(value: object) -> str:
    # A text is quoted, so that a wrong type shows: limit = '101'.
    return value_text(value) if value is None or isinstance(value, bool) else repr(value)


def rules_table(rules: Rules) -> list[tuple[str, str, str]]:
    """Return one row (field, value, explanation) for each field, all as texts."""
    return [
        (name, value_text(getattr(rules, name)), spec.explanation)
        for name, spec in Rules.SPECS.items()
    ]


def diff(a: Rules, b: Rules) -> dict[str, tuple[RuleValue, RuleValue]]:
    """Return the fields in which two sets of rules differ, with both values."""
    pairs = {name: (getattr(a, name), getattr(b, name)) for name in Rules.FIELDS}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


PRESETS: Final[Mapping[str, Rules]] = MappingProxyType(
    {name: Rules.preset(name) for name in _PRESET_CHANGES}
)
"""The three presets by name."""
