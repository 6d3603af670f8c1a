"""A slow and plain reference of the rules of Scala 40, to check the engine against.

Everything here works on the text notation: cards are texts (``8S``, ``*``), melds are texts
(``8D 9D* TD``), moves are texts (``add 8S 2``). Nothing is imported from the package that is
being checked, and nothing is clever: a turn is searched move by move, exhaustively, to answer the
one question the rules ask of every move, whether the turn can still be finished after it.

How to use it::

    rules = make_rules("fisca", num_players=3)
    state = new_match(rules, shuffled_deal(rules, rng, dealer=0))
    while not state.match_over:
        if state.phase == "over":
            start_hand(state, shuffled_deal(rules, rng, state.dealer, state.seats_in))
        apply(state, rng.choice(legal_moves(state)), restock=shuffled_by(rng))

A *deal* is a dict with the keys ``dealer``, ``hands``, ``upcard`` and ``stock``; the hands of a
record have them, so an entry of a record can be dealt as it is.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

Rules = dict[str, Any]
Deal = dict[str, Any]
Restock = Callable[[list[str]], list[str]]

RANKS = "A23456789TJQK"
SUITS = "SHDC"
JOKER = "*"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
DECK = tuple(sorted(PACK * 2 + [JOKER] * 4))
HIGH_ACE = 14

# --------------------------------------------------------------------------------------------------
# The parameters
# --------------------------------------------------------------------------------------------------

PRESETS: dict[str, Rules] = {
    "browser": {
        "num_players": 2,
        "deal": 13,
        "opening_min": 40,
        "opening_joker": True,
        "discard_before_opening": "to_open",
        "return_taken": True,
        "first_player_upcard": "normal",
        "upcard_joker": "allow",
        "jokers_per_meld": 1,
        "min_naturals": 2,
        "max_run": 14,
        "set_joker": "declared",
        "recovered_joker": "keep",
        "attach_discard_unopened": "allow",
        "attach_discard_opened": "allow",
        "attach_discard_closing": "allow",
        "joker_discard": "allow",
        "close_without_discard": False,
        "first_turn_close": True,
        "hand_close_exempt_40": False,
        "hand_close_definition": "same_turn",
        "hand_close_bonus": "double",
        "unopened_penalty": 100,
        "penalty_doubled": True,
        "card_values": "standard",
        "joker_in_hand": 25,
        "lone_ace_in_hand": 11,
        "ace_low_value": 1,
        "mode": "elimination",
        "limit": 101,
        "reentry": "off",
        "teams": "none",
        "team_points": "sum",
        "partner_of_closer_pays": False,
        "reshuffles": 1,
        "exhausted_result": "void",
        "max_turns": 400,
        "max_hands": 100,
    },
    "fisca": {
        "num_players": 2,
        "deal": 13,
        "opening_min": 40,
        "opening_joker": True,
        "discard_before_opening": "never",
        "return_taken": False,
        "first_player_upcard": "normal",
        "upcard_joker": "redraw",
        "jokers_per_meld": 1,
        "min_naturals": 2,
        "max_run": 14,
        "set_joker": "declared",
        "recovered_joker": "must_reuse",
        "attach_discard_unopened": "forbid",
        "attach_discard_opened": "forbid_if_3plus",
        "attach_discard_closing": "allow",
        "joker_discard": "forbid_unopened",
        "close_without_discard": False,
        "first_turn_close": False,
        "hand_close_exempt_40": True,
        "hand_close_definition": "melds_only",
        "hand_close_bonus": "none",
        "unopened_penalty": None,
        "penalty_doubled": False,
        "card_values": "standard",
        "joker_in_hand": 25,
        "lone_ace_in_hand": 11,
        "ace_low_value": 1,
        "mode": "elimination",
        "limit": 101,
        "reentry": "off",
        "teams": "none",
        "team_points": "sum",
        "partner_of_closer_pays": False,
        "reshuffles": None,
        "exhausted_result": "void",
        "max_turns": 400,
        "max_hands": 100,
    },
    "italian": {
        "num_players": 2,
        "deal": 13,
        "opening_min": 40,
        "opening_joker": True,
        "discard_before_opening": "never",
        "return_taken": False,
        "first_player_upcard": "normal",
        "upcard_joker": "allow",
        "jokers_per_meld": 1,
        "min_naturals": 2,
        "max_run": 14,
        "set_joker": "declared",
        "recovered_joker": "must_reuse",
        "attach_discard_unopened": "allow",
        "attach_discard_opened": "allow",
        "attach_discard_closing": "allow",
        "joker_discard": "allow",
        "close_without_discard": False,
        "first_turn_close": False,
        "hand_close_exempt_40": False,
        "hand_close_definition": "melds_only",
        "hand_close_bonus": "none",
        "unopened_penalty": None,
        "penalty_doubled": True,
        "card_values": "standard",
        "joker_in_hand": 25,
        "lone_ace_in_hand": 11,
        "ace_low_value": 1,
        "mode": "elimination",
        "limit": 101,
        "reentry": "off",
        "teams": "none",
        "team_points": "sum",
        "partner_of_closer_pays": False,
        "reshuffles": None,
        "exhausted_result": "void",
        "max_turns": 400,
        "max_hands": 100,
    },
}

# Values worth drawing from when rules are made up at random.
VARIETY: dict[str, tuple[Any, ...]] = {
    "num_players": (2, 2, 3, 4, 5, 6),
    "deal": (13, 13, 13, 9, 7, 5, 3, 1),
    "opening_min": (40, 40, 25, 15, 0, 60),
    "opening_joker": (True, True, False),
    "discard_before_opening": ("to_open", "never"),
    "return_taken": (True, False),
    "first_player_upcard": ("normal", "keep"),
    "upcard_joker": ("allow", "redraw"),
    "jokers_per_meld": (1, 1, 2, 0),
    "min_naturals": (2, 1),
    "max_run": (14, 14, 13, 5, 4, 3),
    "set_joker": ("declared", "any_missing"),
    "recovered_joker": ("keep", "must_reuse"),
    "attach_discard_unopened": ("allow", "forbid", "forbid_if_3plus"),
    "attach_discard_opened": ("allow", "forbid", "forbid_if_3plus"),
    "attach_discard_closing": ("allow", "forbid"),
    "joker_discard": ("allow", "forbid_unopened", "only_closing", "forbid"),
    "close_without_discard": (False, True),
    "first_turn_close": (True, False),
    "hand_close_exempt_40": (True, False),
    "hand_close_definition": ("same_turn", "melds_only"),
    "hand_close_bonus": ("none", "double", "double_full100"),
    "unopened_penalty": (None, 100, 60),
    "penalty_doubled": (True, False),
    "card_values": ("standard", "standard", "graded"),
    "joker_in_hand": (25, 14),
    "lone_ace_in_hand": (11, 1),
    "ace_low_value": (1, 1, 11),
    "mode": ("elimination", "elimination", "fixed_total", "single_hand", "victory_points"),
    "limit": (101, 101, 151, 60),
    "reentry": ("off", "once", "unlimited"),
    "team_points": ("sum", "worst"),
    "partner_of_closer_pays": (False, True),
    "reshuffles": (None, 0, 1, 2),
    "exhausted_result": ("void", "score"),
    "max_turns": (400, 60, 20),
    "max_hands": (100, 6, None),
}

TEAM_PLAYERS = {"2x2": 4, "2x3": 6}


def make_rules(preset: str = "browser", **changes: Any) -> Rules:
    """The fields of a preset with some of them changed; an unknown name is an error."""
    rules = dict(PRESETS[preset])
    for name, value in changes.items():
        if name not in rules:
            raise ValueError(f"unknown rule {name!r}")
        rules[name] = value
    teams = rules["teams"]
    if teams != "none":
        if rules["num_players"] != TEAM_PLAYERS[teams]:
            raise ValueError(f"teams {teams} need {TEAM_PLAYERS[teams]} players")
        if rules["reentry"] != "off":
            raise ValueError("teams exclude re-entry")
    return rules


def rules_from(fields: Rules) -> Rules:
    """Rules written as in a record or a position: ``preset`` and the fields that differ from it."""
    changes = dict(fields)
    return make_rules(changes.pop("preset", "browser"), **changes)


def random_rules(rng: random.Random, changed_fields: int = 8) -> Rules:
    """A preset with some fields drawn at random, always a consistent whole."""
    rules = dict(PRESETS[rng.choice(sorted(PRESETS))])
    rules["num_players"] = rng.choice(VARIETY["num_players"])
    for name in rng.sample(sorted(VARIETY), changed_fields):
        rules[name] = rng.choice(VARIETY[name])
    for teams, players in TEAM_PLAYERS.items():
        if rules["num_players"] == players and rng.random() < 0.3:
            rules["teams"] = teams
            rules["reentry"] = "off"
    if rules["mode"] == "victory_points":
        rules["limit"] = 3
    return rules


# --------------------------------------------------------------------------------------------------
# Cards and melds, as texts
# --------------------------------------------------------------------------------------------------


def card_at(place: int, suit: str) -> str:
    """The card of a suit at a place of a run: 1 is the low ace, 13 the king, 14 the high ace."""
    return RANKS[(place - 1) % 13] + suit


def hand_card(token: str) -> str:
    """What leaves the hand for a token of a meld: ``*`` for ``9D*``, else the card itself."""
    return JOKER if token.endswith(JOKER) else token


@cache
def is_set(meld: str) -> bool:
    """Whether a meld of the table is a set; otherwise it is a run."""
    first, second = meld.split()[:2]
    return first[0] == second[0]


@cache
def run_span(meld: str) -> tuple[int, int]:
    """The lowest and the highest place of a run."""
    cards = meld.split()
    low = RANKS.index(cards[0][0]) + 1
    return low, low + len(cards) - 1


def set_text(tokens: list[str]) -> str:
    """A set in the order of suits S, H, D, C."""
    return " ".join(sorted(tokens, key=lambda token: SUITS.index(token[1])))


def joker_room(meld: str, jokers_per_meld: int) -> bool:
    """Whether the number of jokers in a meld leaves room for one more."""
    return jokers_per_meld == 0 or meld.count(JOKER) < jokers_per_meld


@cache
def growths(meld: str, max_run: int, jokers_per_meld: int) -> tuple[tuple[str, str, str], ...]:
    """Every lay-off on a meld: the token, `` low`` where it must be said, and the result.

    A set takes a suit it lacks (a joker's suit is not lacking); a run the next card at either end,
    up to `max_run`, never round the corner and never two natural aces.
    """
    cards = meld.split()
    suit = cards[0][1]
    found: list[tuple[str, str, str]] = []
    with_joker = joker_room(meld, jokers_per_meld)
    if is_set(meld):
        held = {token[1] for token in cards}
        for other in SUITS:
            if other not in held:
                name = cards[0][0] + other
                found.append((name, "", set_text([*cards, name])))
                if with_joker:
                    found.append((name + JOKER, "", set_text([*cards, name + JOKER])))
        return tuple(found)
    if len(cards) >= max_run:
        return ()
    low, high = run_span(meld)
    ace = "A" + suit
    if low > 1:
        name = card_at(low - 1, suit)
        suffix = " low" if low == 2 and high == 13 else ""
        if not (name == ace and cards[-1] == ace):
            found.append((name, suffix, f"{name} {meld}"))
        if with_joker:
            found.append((name + JOKER, suffix, f"{name}* {meld}"))
    if high < HIGH_ACE:
        name = card_at(high + 1, suit)
        if not (name == ace and cards[0] == ace):
            found.append((name, "", f"{meld} {name}"))
        if with_joker:
            found.append((name + JOKER, "", f"{meld} {name}*"))
    return tuple(found)


@cache
def swaps(meld: str, set_joker: str) -> tuple[tuple[str, str], ...]:
    """Every natural card that can take the place of a joker of the meld, with the result."""
    cards = meld.split()
    if JOKER not in meld:
        return ()
    return _set_swaps(cards, set_joker) if is_set(meld) else _run_swaps(cards)


def _set_swaps(cards: list[str], set_joker: str) -> tuple[tuple[str, str], ...]:
    """Swaps in a set: the joker's own suit, or with `any_missing` any suit not there naturally."""
    rank = cards[0][0]
    jokers = [token for token in cards if token.endswith(JOKER)]
    found = []
    for suit in SUITS:
        name = rank + suit
        if name in cards:
            continue
        if name + JOKER in jokers:
            leaves = name + JOKER
        elif set_joker == "any_missing":
            leaves = jokers[0]
        else:
            continue
        found.append((name, set_text([name if token == leaves else token for token in cards])))
    return tuple(found)


def _run_swaps(cards: list[str]) -> tuple[tuple[str, str], ...]:
    """Swaps in a run; from ace to ace never a second natural ace, and the low one first."""
    found = []
    for i, token in enumerate(cards):
        if not token.endswith(JOKER):
            continue
        name = token[:-1]
        if len(cards) == HIGH_ACE and name[0] == "A":
            other = cards[-1] if i == 0 else cards[0]
            if not other.endswith(JOKER) or i != 0:
                continue
        found.append((name, " ".join([*cards[:i], name, *cards[i + 1 :]])))
    return tuple(found)


def card_value(card: str, graded: bool) -> int:
    """The points of a natural card in a set, high in a run, or in a hand."""
    rank = card[0]
    if rank == "A":
        return 14 if graded else 11
    if rank in "JQK":
        return 11 + "JQK".index(rank) if graded else 10
    return 10 if rank == "T" else int(rank)


@cache
def _meld_value(meld: str, graded: bool, ace_low_value: int) -> int:
    cards = meld.split()
    total = sum(card_value(token, graded) for token in cards)
    if not is_set(meld) and cards[0][0] == "A":
        total += ace_low_value - card_value(cards[0], graded)
    return total


def meld_value(meld: str, rules: Rules) -> int:
    """The points of a meld: a joker counts as the card it stands for, a low ace `ace_low_value`."""
    return _meld_value(meld, rules["card_values"] == "graded", rules["ace_low_value"])


def naturals(meld: str) -> int:
    """How many natural cards a meld has."""
    return len(meld.split()) - meld.count(JOKER)


def canonical(tokens: list[str]) -> str | None:
    """The text of a set or a run made of these tokens in any order; None if they make neither."""
    names = [token[:2] for token in tokens]
    suits = {name[1] for name in names}
    ranks = {name[0] for name in names}
    if len(ranks) == 1 and len(suits) == len(tokens) in (3, 4):
        return set_text(tokens)
    if len(suits) != 1 or len(tokens) < 3:
        return None
    for low in range(1, HIGH_ACE - len(tokens) + 2):
        wanted = [card_at(low + i, names[0][1]) for i in range(len(tokens))]
        if sorted(wanted) != sorted(names):
            continue
        if wanted.count(wanted[0]) == 2:  # from ace to ace: the order given tells which is which
            return " ".join(tokens) if wanted == names else None
        return " ".join(sorted(tokens, key=lambda token: wanted.index(token[:2])))
    return None


def valid_meld(meld: str, rules: Rules) -> bool:
    """Whether a meld may lie on the table at the end of a turn."""
    cards = meld.split()
    jokers = meld.count(JOKER)
    if rules["jokers_per_meld"] and jokers > rules["jokers_per_meld"]:
        return False
    if naturals(meld) < rules["min_naturals"]:
        return False
    if is_set(meld):
        return True
    two_natural_aces = len(cards) == HIGH_ACE and JOKER not in cards[0] + cards[-1]
    return len(cards) <= rules["max_run"] and not two_natural_aces


def read_meld(tokens: list[str], rules: Rules) -> str | None:
    """The valid meld that tokens mean, or None; a bare ``*`` gets the reading of highest value."""
    if all(token == JOKER for token in tokens):
        return None
    if JOKER not in tokens:
        meld = canonical(tokens)
        return meld if meld and valid_meld(meld, rules) else None
    place = tokens.index(JOKER)
    by_suit = [rank + suit for suit in SUITS for rank in RANKS]
    best = None
    for name in by_suit:
        meld = read_meld([*tokens[:place], name + JOKER, *tokens[place + 1 :]], rules)
        if meld and (best is None or meld_value(meld, rules) > meld_value(best, rules)):
            best = meld
    return best


# The three-card shapes: 52 sets and 48 runs.
SHAPES: tuple[tuple[str, str, str], ...] = tuple(
    [tuple(rank + s for s in trio) for rank in RANKS for trio in combinations(SUITS, 3)]
    + [tuple(card_at(low + i, s) for i in range(3)) for s in SUITS for low in range(1, 13)]
)
SHAPE_CARDS = tuple(map(frozenset, SHAPES))
SHAPES_WITH = {card: tuple(shape for shape in SHAPES if card in shape) for card in PACK}


@lru_cache(maxsize=50_000)
def new_melds(hand: tuple[str, ...], jokers_per_meld: int) -> tuple[str, ...]:
    """Every meld of exactly three cards in a hand; at least one of the three is natural."""
    held = set(hand)
    usable = min(2, hand.count(JOKER), jokers_per_meld or 2)
    found = []
    for shape in SHAPES:
        missing = [card not in held for card in shape]
        if sum(missing) > usable:
            continue
        for as_joker in JOKER_PLACES:
            if sum(as_joker) > usable:
                continue
            if any(gone and not joker for gone, joker in zip(missing, as_joker, strict=True)):
                continue
            tokens = [c + JOKER if j else c for c, j in zip(shape, as_joker, strict=True)]
            found.append(" ".join(tokens))
    return tuple(found)


JOKER_PLACES = [
    (a, b, c)
    for a in (False, True)
    for b in (False, True)
    for c in (False, True)
    if not (a and b and c)
]

# --------------------------------------------------------------------------------------------------
# One turn after the draw: moves, discards, and whether it can be finished
# --------------------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """The part of a state that table moves change."""

    hand: tuple[str, ...]  # sorted
    table: tuple[str, ...]
    mine: frozenset[int]  # numbers of the melds laid in this turn
    opened: bool
    was_open: bool  # already opened when the turn began
    taken: str | None  # the discard taken and still owed to the table
    recovered: int  # recovered jokers still owed to the table
    strayed: bool  # laid off on an older meld, or swapped, in this turn


@dataclass(frozen=True)
class Setting:
    """What stays the same during a turn."""

    rules: Rules
    first_turn: bool  # the player's first turn of this hand
    players: int  # seats in this hand


def without(hand: tuple[str, ...], cards: list[str]) -> tuple[str, ...]:
    """A hand less some of its cards."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def opening_points(table: tuple[str, ...], mine: frozenset[int], rules: Rules) -> int:
    """What the melds of this turn count towards the opening."""
    melds = [table[i] for i in mine]
    if not rules["opening_joker"]:
        melds = [meld for meld in melds if JOKER not in meld]
    return sum(meld_value(meld, rules) for meld in melds)


def after_cards(
    turn: Turn,
    setting: Setting,
    table: tuple[str, ...],
    mine: frozenset[int],
    at: int,
    cards: list[str],
    swapped: bool = False,
) -> Turn:
    """The turn after `cards` went from the hand to meld number `at` of the new `table`.

    The taken card's duty is met as soon as a card of its name is laid: anywhere by one who had
    opened before, on a meld of this turn by one who had not. Any joker laid pays for a recovered
    one.
    """
    rules = setting.rules
    own = at in mine
    hand = without(turn.hand, cards)
    recovered = max(0, turn.recovered - cards.count(JOKER))
    if swapped:
        hand = tuple(sorted((*hand, JOKER)))
        recovered += rules["recovered_joker"] == "must_reuse"
    meets = turn.taken in cards and (turn.was_open or own)
    return Turn(
        hand=hand,
        table=table,
        mine=mine,
        opened=turn.opened or opening_points(table, mine, rules) >= rules["opening_min"],
        was_open=turn.was_open,
        taken=None if meets else turn.taken,
        recovered=recovered,
        strayed=turn.strayed or swapped or not own,
    )


def table_moves(turn: Turn, setting: Setting) -> list[tuple[str, Turn]]:
    """Every table move the shapes allow, with the turn after it; finishing is not looked at."""
    rules = setting.rules
    limit = rules["jokers_per_meld"]
    number = len(turn.table)
    moves = []
    for meld in new_melds(turn.hand, limit):
        cards = [hand_card(token) for token in meld.split()]
        table = (*turn.table, meld)
        after = after_cards(turn, setting, table, turn.mine | {number}, number, cards)
        moves.append((f"meld {meld}", after))
    held = set(turn.hand)
    seen = set()
    for i, meld in enumerate(turn.table):
        alike = (meld, i in turn.mine)
        if alike in seen or not (turn.opened or i in turn.mine):
            continue
        seen.add(alike)
        for token, suffix, grown in growths(meld, rules["max_run"], limit):
            card = hand_card(token)
            if card in held:
                table = (*turn.table[:i], grown, *turn.table[i + 1 :])
                after = after_cards(turn, setting, table, turn.mine, i, [card])
                moves.append((f"add {token} {i}{suffix}", after))
        if not turn.opened:
            continue
        for card, changed in swaps(meld, rules["set_joker"]):
            if card in held:
                table = (*turn.table[:i], changed, *turn.table[i + 1 :])
                after = after_cards(turn, setting, table, turn.mine, i, [card], swapped=True)
                moves.append((f"swap {card} {i}", after))
    return moves


def attaches(card: str, table: tuple[str, ...], rules: Rules) -> bool:
    """Whether a card could, by its shape, be laid off on a meld of the table now."""
    for meld in table:
        for token, _, _ in growths(meld, rules["max_run"], rules["jokers_per_meld"]):
            if hand_card(token) == card:
                return True
    return False


def barred(card: str, turn: Turn, setting: Setting) -> bool:
    """Whether `attach_discard_*` or `joker_discard` forbid to discard a card."""
    rules = setting.rules
    last = len(turn.hand) == 1
    if card == JOKER:
        ban = rules["joker_discard"]
        if ban == "forbid" or (ban == "only_closing" and not last):
            return True
        if ban == "forbid_unopened" and not last and not turn.opened:
            return True
    if last:
        ban = rules["attach_discard_closing"]
    else:
        ban = rules["attach_discard_opened" if turn.opened else "attach_discard_unopened"]
    if ban == "allow" or (ban == "forbid_if_3plus" and setting.players < 3):
        return False
    return attaches(card, turn.table, rules)


def duties_met(turn: Turn, setting: Setting) -> bool:
    """Nothing taken or recovered is owed and the melds of this turn have their natural cards."""
    if turn.taken is not None or turn.recovered:
        return False
    least = setting.rules["min_naturals"]
    return all(naturals(turn.table[i]) >= least for i in turn.mine)


def may_empty_hand(turn: Turn, setting: Setting) -> bool:
    """Whether the player may close at all: not in a barred first turn, and opened or exempt."""
    rules = setting.rules
    if setting.first_turn and not rules["first_turn_close"]:
        return False
    return turn.opened or rules["hand_close_exempt_40"]


def discards(turn: Turn, setting: Setting) -> list[str]:
    """The cards whose discard finishes the turn legally."""
    if not duties_met(turn, setting):
        return []
    if len(turn.hand) == 1:
        card = turn.hand[0]
        free = may_empty_hand(turn, setting) and not barred(card, turn, setting)
        return [card] if free else []
    if turn.mine and not turn.opened:
        return []
    names = sorted(set(turn.hand))
    return [card for card in names if not barred(card, turn, setting)] or names


def can_finish(turn: Turn, setting: Setting, memo: dict[tuple, bool]) -> bool:
    """The one principle of legality: can this turn still be finished legally?"""
    if not turn.hand:
        return (
            setting.rules["close_without_discard"]
            and duties_met(turn, setting)
            and may_empty_hand(turn, setting)
        )
    if len(turn.hand) >= 2:
        if (turn.opened or not turn.mine) and duties_met(turn, setting):
            return True  # of two or more cards one can always be discarded
    elif discards(turn, setting):
        return True
    if hopeless(turn, setting):
        return False
    on_table = tuple(sorted((meld, i in turn.mine) for i, meld in enumerate(turn.table)))
    key = (turn.hand, on_table, turn.opened, turn.taken, turn.recovered)
    if key not in memo:
        following = [after for _, after in table_moves(turn, setting)]
        following.sort(key=lambda after: promise(after, setting))
        memo[key] = any(can_finish(after, setting, memo) for after in following)
    return memo[key]


def promise(turn: Turn, setting: Setting) -> tuple[bool, int, int]:
    """An order for the search: fewer things owed first, then more points towards the opening."""
    points = 0
    if not turn.opened:
        points = opening_points(turn.table, turn.mine, setting.rules)
    return (turn.taken is not None, turn.recovered, -points)


def hopeless(turn: Turn, setting: Setting) -> bool:
    """True only where plain counting shows that the turn cannot be finished."""
    if turn.taken not in (None, JOKER) and not may_be_laid(turn.taken, turn, setting):
        return True
    return not turn.opened and not may_open(turn, setting)


def may_be_laid(card: str, turn: Turn, setting: Setting) -> bool:
    """A generous look: could a natural card of the hand get to the table at all in this turn?

    Either three cards in a row or of a rank around it come from the hand, or it goes on a meld that
    lies there, reached over cards of the hand. Every joker of the hand, and every one on the table
    whose card is in the hand, may fill any gap.
    """
    held = set(turn.hand)
    jokers = turn.hand.count(JOKER)
    for meld in turn.table:
        if any(name in held for name, _ in swaps(meld, setting.rules["set_joker"])):
            jokers += meld.count(JOKER)
    for shape in SHAPES_WITH[card]:
        if sum(name not in held for name in shape) <= jokers:
            return True
    targets = range(len(turn.table)) if turn.was_open else turn.mine
    return any(_may_reach(card, turn.table[i], held, jokers) for i in targets)


def _may_reach(card: str, meld: str, held: set[str], jokers: int) -> bool:
    cards = meld.split()
    if is_set(meld):
        return cards[0][0] == card[0] and card not in cards
    if cards[0][1] != card[1]:
        return False
    low, high = run_span(meld)
    place = RANKS.index(card[0]) + 1
    for p in (1, HIGH_ACE) if place == 1 else (place,):
        if p > high:
            between = range(high + 1, p)
        elif p < low:
            between = range(p + 1, low)
        else:
            return True
        if sum(card_at(q, card[1]) not in held for q in between) <= jokers:
            return True
    return False


def may_open(turn: Turn, setting: Setting) -> bool:
    """A generous look: could the opening, or an exempt closing in hand, still be reached?

    Before the opening only cards of the hand and own melds of this turn matter. A card can only
    count if it is part of some three cards of a meld that are at hand or filled by jokers.
    """
    rules = setting.rules
    held = set(turn.hand)
    pool = held | {token[:2] for i in turn.mine for token in turn.table[i].split()}
    jokers = turn.hand.count(JOKER)
    counting_jokers = jokers if rules["opening_joker"] else 0
    graded = rules["card_values"] == "graded"
    ace = max(card_value("AS", graded), rules["ace_low_value"])
    points = opening_points(turn.table, turn.mine, rules) + ace * counting_jokers
    useful = _useful(held, pool, counting_jokers)
    points += sum(
        ace if card[0] == "A" else card_value(card, graded) for card in turn.hand if card in useful
    )
    if points >= rules["opening_min"]:
        return True
    if not may_empty_hand(turn, setting):
        return False
    useful = _useful(held, pool, jokers)
    return sum(card in useful or card == JOKER for card in turn.hand) >= len(turn.hand) - 1


def _useful(held: set[str], pool: set[str], jokers: int) -> set[str]:
    """The cards of a hand that are in some three-card meld with at most so many gaps."""
    useful: set[str] = set()
    for shape in SHAPE_CARDS:
        if len(shape - pool) <= jokers:
            useful |= shape & held
    return useful


# --------------------------------------------------------------------------------------------------
# The state of a match
# --------------------------------------------------------------------------------------------------


@dataclass
class State:
    """A match at one decision. `phase` is `over` between two hands and at the end of the match."""

    rules: Rules
    dealer: int
    player: int = 0
    phase: str = "draw"
    hands: list[Counter[str]] = field(default_factory=list)
    opened: list[bool] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    laid_this_turn: list[int] = field(default_factory=list)
    opened_this_turn: bool = False
    laid_off_or_swapped: bool = False
    pile: list[str] = field(default_factory=list)  # the last is the top
    stock: list[str] = field(default_factory=list)  # the first is drawn next
    taken: str | None = None  # the discard taken and still owed
    kept: bool = False  # the turned card was taken under `first_player_upcard = keep`
    returned: bool = False
    recovered: int = 0  # jokers owed
    turns: list[int] = field(default_factory=list)  # taken by each seat in this hand
    reshuffles: int = 0
    hand_number: int = 0
    totals: list[int] = field(default_factory=list)
    reentries: list[int] = field(default_factory=list)
    seats_in: list[bool] = field(default_factory=list)  # in this hand; when over: in the next one
    playoff: bool = False  # a tie above the limit is being played off
    closer: int | None = None  # of the hand that is over
    closed_in_hand: bool = False
    hand_points: list[int] = field(default_factory=list)  # of the hand that is over
    winner: int | None = None  # a seat, or a team's number in team play
    truncated: bool = False

    @property
    def match_over(self) -> bool:
        """Whether the match is won or cut short."""
        return self.winner is not None or self.truncated

    def copy(self) -> State:
        """An independent copy."""
        values = {}
        for name, value in vars(self).items():
            if name == "hands":
                value = [hand.copy() for hand in value]
            elif isinstance(value, list):
                value = list(value)
            values[name] = value
        return State(**values)


def side(state: State, seat: int) -> int:
    """Who wins or loses together: the seat itself, or its team's number."""
    return seat if state.rules["teams"] == "none" else seat % 2


def next_seat(state: State, seat: int) -> int:
    """The next seat to the left that is in."""
    n = len(state.seats_in)
    return next(s % n for s in range(seat + 1, seat + n + 1) if state.seats_in[s % n])


def new_match(rules: Rules, deal: Deal) -> State:
    """A match at its first hand."""
    n = rules["num_players"]
    state = State(
        rules=rules,
        dealer=deal["dealer"],
        totals=[0] * n,
        reentries=[0] * n,
        seats_in=[True] * n,
        phase="over",
        hand_number=-1,
    )
    start_hand(state, deal)
    return state


def start_hand(state: State, deal: Deal) -> None:
    """Deal the next hand; the cards are given, `state.dealer` already names who deals."""
    n = len(state.seats_in)
    if state.phase != "over" or state.match_over:
        raise ValueError("no hand can be dealt now")
    if deal["dealer"] != state.dealer:
        raise ValueError(f"seat {state.dealer} deals, not {deal['dealer']}")
    sizes = [len(hand) for hand in deal["hands"]]
    if sizes != [state.rules["deal"] if seat_in else 0 for seat_in in state.seats_in]:
        raise ValueError(f"wrong numbers of cards dealt: {sizes}")
    everything = [card for hand in deal["hands"] for card in hand]
    if tuple(sorted([*everything, deal["upcard"], *deal["stock"]])) != DECK:
        raise ValueError("the cards do not add up to the 108")
    state.hands = [Counter(hand) for hand in deal["hands"]]
    state.opened = [False] * n
    state.table = []
    state.pile = [deal["upcard"]]
    state.stock = list(deal["stock"])
    state.turns = [0] * n
    state.reshuffles = 0
    state.hand_number += 1
    state.closer = None
    state.closed_in_hand = False
    state.hand_points = [0] * n
    state.player = next_seat(state, state.dealer)
    begin_turn(state)


def begin_turn(state: State) -> None:
    """Forget what concerned the last turn."""
    state.phase = "draw"
    state.laid_this_turn = []
    state.opened_this_turn = False
    state.laid_off_or_swapped = False
    state.taken = None
    state.kept = False
    state.returned = False
    state.recovered = 0


def setting_of(state: State) -> Setting:
    """What stays the same during the turn of a state."""
    return Setting(state.rules, state.turns[state.player] == 0, sum(state.seats_in))


def turn_of(state: State) -> Turn:
    """The part of the state that table moves change."""
    seat = state.player
    return Turn(
        hand=tuple(sorted(state.hands[seat].elements())),
        table=tuple(state.table),
        mine=frozenset(state.laid_this_turn),
        opened=state.opened[seat],
        was_open=state.opened[seat] and not state.opened_this_turn,
        taken=state.taken,
        recovered=state.recovered,
        strayed=state.laid_off_or_swapped,
    )


# --------------------------------------------------------------------------------------------------
# Legal moves
# --------------------------------------------------------------------------------------------------


def legal_moves(state: State) -> list[str]:
    """All legal moves, each once, sorted."""
    if state.phase == "over":
        return []
    if state.phase == "draw":
        return ["draw", "take"] if can_take(state) else ["draw"]
    turn, setting = turn_of(state), setting_of(state)
    memo: dict[tuple, bool] = {}
    moves = [text for text, after in table_moves(turn, setting) if can_finish(after, setting, memo)]
    moves += [f"discard {card}" for card in discards(turn, setting)]
    if can_return(state):
        moves.append("return")
    return sorted(moves)


def keeps_upcard(state: State) -> bool:
    """`first_player_upcard = keep`: the first turn of the hand, its upcard still there."""
    return state.rules["first_player_upcard"] == "keep" and sum(state.turns) == 0


def can_take(state: State) -> bool:
    """Whether the top discard may be taken: only if it can get to the table in this turn."""
    if state.returned or not state.pile:
        return False
    if keeps_upcard(state):
        return True
    seat = state.player
    if not state.opened[seat] and state.rules["discard_before_opening"] == "never":
        return False
    card = state.pile[-1]
    turn = turn_of(state)
    turn = turn._replace(hand=tuple(sorted((*turn.hand, card))), taken=card)
    return can_finish(turn, setting_of(state), {})


def can_return(state: State) -> bool:
    """Whether the taken discard may go back: before any table move, where the rules allow it."""
    untouched = not state.laid_this_turn and not state.laid_off_or_swapped
    return state.rules["return_taken"] and state.taken is not None and untouched


# --------------------------------------------------------------------------------------------------
# Carrying moves out
# --------------------------------------------------------------------------------------------------


def apply(state: State, move: str, restock: Restock | None = None) -> None:
    """Carry out a move of `legal_moves`; whether the turn can be finished is not looked at again.

    `restock` is called with the pile less its top card when the stock is renewed after the move,
    and gives the order in which those cards will be drawn.
    """
    seat = state.player
    hand = state.hands[seat]
    word, _, rest = move.partition(" ")
    if state.phase == "draw" and word == "draw":
        hand[state.stock.pop(0)] += 1
        state.phase = "play"
    elif state.phase == "draw" and word == "take" and not state.returned:
        state.kept = keeps_upcard(state)
        card = state.pile.pop()
        hand[card] += 1
        state.taken = None if state.kept else card
        state.phase = "play"
    elif state.phase == "play" and word == "return" and state.taken is not None:
        drop(hand, state.taken)
        state.pile.append(state.taken)
        state.taken = None
        state.returned = True
        state.phase = "draw"
    elif state.phase == "play" and word == "discard":
        drop(hand, rest)
        state.pile.append(rest)
        end_turn(state, restock)
    elif state.phase == "play" and word in ("meld", "add", "swap"):
        apply_table_move(state, move)
        if not state.hands[seat]:
            end_turn(state, restock)
    else:
        raise ValueError(f"{move!r} cannot be played in phase {state.phase!r}")


def drop(hand: Counter[str], card: str) -> None:
    """Take one card out of a hand that must hold it."""
    if not hand[card]:
        raise ValueError(f"no {card} in the hand")
    hand[card] -= 1
    if not hand[card]:
        del hand[card]


def apply_table_move(state: State, move: str) -> None:
    """Lay, grow or swap, and write down what it means for this turn."""
    seat = state.player
    turn = turn_of(state)
    after = dict(table_moves(turn, setting_of(state))).get(move)
    if after is None:
        raise ValueError(f"{move!r} is no move here")
    state.hands[seat] = Counter(after.hand)
    state.table = list(after.table)
    state.laid_this_turn = sorted(after.mine)
    state.opened_this_turn = after.opened and not after.was_open
    state.opened[seat] = after.opened
    state.laid_off_or_swapped = after.strayed
    state.taken = after.taken
    state.recovered = after.recovered


def end_turn(state: State, restock: Restock | None) -> None:
    """After the discard, or the move that emptied the hand: close, run out, or pass on."""
    seat = state.player
    rules = state.rules
    state.turns[seat] += 1
    if not state.hands[seat]:
        new_here = state.opened_this_turn or not state.opened[seat]
        if rules["hand_close_definition"] == "melds_only" and state.laid_off_or_swapped:
            new_here = False
        finish_hand(state, seat, closed_in_hand=new_here)
        return
    if sum(state.turns) >= rules["max_turns"]:
        finish_hand(state, None)
        return
    if not state.stock:
        used_up = rules["reshuffles"] is not None and state.reshuffles >= rules["reshuffles"]
        if used_up or len(state.pile) < 2:
            finish_hand(state, None)
            return
        renew_stock(state, restock)
    state.player = next_seat(state, seat)
    begin_turn(state)


def renew_stock(state: State, restock: Restock | None) -> None:
    """All of the pile but its top card becomes the stock, in the order that the caller gives."""
    if restock is None:
        raise ValueError("the stock is renewed: an order is needed")
    cards = state.pile[:-1]
    order = list(restock(list(cards)))
    if sorted(order) != sorted(cards):
        raise ValueError("the new stock is not the pile less its top card")
    state.stock = order
    state.pile = state.pile[-1:]
    state.reshuffles += 1


# --------------------------------------------------------------------------------------------------
# The end of a hand and of a match
# --------------------------------------------------------------------------------------------------


def hand_value(hand: Counter[str], rules: Rules) -> int:
    """What the cards left in a hand cost."""
    graded = rules["card_values"] == "graded"
    cards = list(hand.elements())
    if len(cards) == 1 and cards[0][0] == "A" and not graded:
        return rules["lone_ace_in_hand"]
    return sum(rules["joker_in_hand"] if c == JOKER else card_value(c, graded) for c in cards)


def points_of(hand: Counter[str], opened: bool, closed_in_hand: bool, rules: Rules) -> int:
    """What one who did not close pays, penalties and doubling included."""
    bonus = rules["hand_close_bonus"] if closed_in_hand else "none"
    if not opened and bonus == "double_full100":
        return 100
    if not opened and rules["unopened_penalty"] is not None:
        doubled = bonus == "double" and rules["penalty_doubled"]
        return rules["unopened_penalty"] * (2 if doubled else 1)
    return hand_value(hand, rules) * (1 if bonus == "none" else 2)


def finish_hand(state: State, closer: int | None, closed_in_hand: bool = False) -> None:
    """Score the hand, add it up, and say what comes after it."""
    rules = state.rules
    state.phase = "over"
    state.closer = closer
    state.closed_in_hand = closed_in_hand
    state.hand_points = [0] * len(state.hands)
    if closer is not None or rules["exhausted_result"] == "score":
        for seat, hand in enumerate(state.hands):
            if state.seats_in[seat] and seat != closer:
                state.hand_points[seat] = points_of(hand, state.opened[seat], closed_in_hand, rules)
    add_up(state)
    settle_match(state)
    played = state.hand_number + 1
    if state.winner is None and rules["max_hands"] is not None and played >= rules["max_hands"]:
        state.truncated = True
    if not state.match_over:
        state.dealer = next_seat(state, state.dealer)


def add_up(state: State) -> None:
    """Add the hand to the totals; a member's total is the team's."""
    rules = state.rules
    seats = range(len(state.totals))
    for seat in seats:
        ours = [s for s in seats if side(state, s) == side(state, seat)]
        won = state.closer in ours
        if rules["mode"] == "victory_points":
            state.totals[seat] += 1 if won else 0
            continue
        if won and not rules["partner_of_closer_pays"]:
            continue
        points = [state.hand_points[s] for s in ours]
        state.totals[seat] += max(points) if rules["team_points"] == "worst" else sum(points)


def settle_match(state: State) -> None:
    """Decide whether the match is won, and who plays on."""
    rules = state.rules
    mode = rules["mode"]
    if mode == "single_hand":
        if state.closer is not None:
            state.winner = side(state, state.closer)
    elif mode == "victory_points":
        if state.closer is not None and state.totals[state.closer] >= rules["limit"]:
            state.winner = side(state, state.closer)
    elif mode == "fixed_total":
        lowest = lowest_sides(state)
        if max(state.totals) >= rules["limit"] and len(lowest) == 1:
            state.winner = lowest.pop()
    else:
        settle_elimination(state)


def lowest_sides(state: State) -> set[int]:
    """The sides with the lowest total among the seats in this hand."""
    playing = [seat for seat, seat_in in enumerate(state.seats_in) if seat_in]
    least = min(state.totals[seat] for seat in playing)
    return {side(state, seat) for seat in playing if state.totals[seat] == least}


def settle_elimination(state: State) -> None:
    """Out at the limit, re-entry, one left; and with nobody below, the lowest or a play-off."""
    limit = state.rules["limit"]
    seats = range(len(state.totals))
    below = [s for s in seats if state.seats_in[s] and state.totals[s] < limit]
    if state.playoff or not below:
        lowest = lowest_sides(state)
        if len(lowest) == 1:
            state.winner = lowest.pop()
        else:
            state.playoff = True
            state.seats_in = [state.seats_in[s] and side(state, s) in lowest for s in seats]
        return
    if len({side(state, s) for s in below}) == 1:
        state.winner = side(state, below[0])
        return
    allowed = {"off": 0, "once": 1, "unlimited": float("inf")}[state.rules["reentry"]]
    worst = max(state.totals[s] for s in below)
    for s in seats:
        if state.totals[s] >= limit and state.reentries[s] < allowed:
            state.totals[s] = worst
            state.reentries[s] += 1
    state.seats_in = [state.totals[s] < limit for s in seats]


# --------------------------------------------------------------------------------------------------
# Positions
# --------------------------------------------------------------------------------------------------


def from_position(position: dict[str, Any]) -> State:
    """The state a position describes; seats without cards are out, missing cards fill the stock."""
    rules = rules_from(position["rules"])
    hands = [Counter(hand) for hand in position["hands"]]
    n = len(hands)
    state = State(
        rules=rules,
        dealer=position.get("dealer", 0),
        player=position.get("player", 0),
        phase=position.get("phase", "draw"),
        hands=hands,
        opened=list(position.get("opened", [False] * n)),
        table=[canonical(meld.split()) or meld for meld in position.get("table", [])],
        laid_this_turn=list(position.get("laid_this_turn", [])),
        opened_this_turn=position.get("opened_this_turn", False),
        laid_off_or_swapped=position.get("laid_off_or_swapped", False),
        pile=list(position.get("pile", [])),
        stock=list(position.get("stock", [])),
        taken=position.get("taken"),
        kept=position.get("kept", False),
        returned=position.get("returned", False),
        recovered=position.get("recovered", 0),
        turns=list(position.get("turns", [0] * n)),
        reshuffles=position.get("reshuffles", 0),
        hand_number=position.get("hand_number", 0),
        totals=list(position.get("totals", [0] * n)),
        reentries=list(position.get("reentries", [0] * n)),
        seats_in=[bool(hand) for hand in hands],
        hand_points=[0] * n,
    )
    if "stock" not in position:
        state.stock = unseen_cards(state)
    if rules["mode"] == "elimination":
        totals = zip(state.totals, state.seats_in, strict=True)
        state.playoff = any(total >= rules["limit"] for total, seat_in in totals if seat_in)
    return state


def unseen_cards(state: State) -> list[str]:
    """What is left of the 108 cards, sorted."""
    left = Counter(DECK)
    for hand in state.hands:
        left.subtract(hand)
    left.subtract(state.pile)
    left.subtract(hand_card(token) for meld in state.table for token in meld.split())
    if min(left.values()) < 0:
        raise ValueError("a position with more cards than there are")
    return sorted(left.elements())


def to_position(state: State) -> dict[str, Any]:
    """The position as a dict for JSON, with the keys of the positions file and some more."""
    changed = {"preset": "browser"}
    for name, value in state.rules.items():
        if PRESETS["browser"][name] != value:
            changed[name] = value
    return {
        "rules": changed,
        "player": state.player,
        "dealer": state.dealer,
        "phase": state.phase,
        "hands": [sorted(hand.elements()) for hand in state.hands],
        "opened": list(state.opened),
        "table": list(state.table),
        "laid_this_turn": list(state.laid_this_turn),
        "opened_this_turn": state.opened_this_turn,
        "laid_off_or_swapped": state.laid_off_or_swapped,
        "pile": list(state.pile),
        "stock": list(state.stock),
        "taken": state.taken,
        "kept": state.kept,
        "returned": state.returned,
        "recovered": state.recovered,
        "turns": list(state.turns),
        "reshuffles": state.reshuffles,
        "hand_number": state.hand_number,
        "totals": list(state.totals),
        "reentries": list(state.reentries),
    }


# --------------------------------------------------------------------------------------------------
# Random play
# --------------------------------------------------------------------------------------------------


def shuffled_deal(
    rules: Rules, rng: random.Random, dealer: int, seats_in: list[bool] | None = None
) -> Deal:
    """A deal from a shuffled deck; with `upcard_joker = redraw` no joker is turned up."""
    seats_in = seats_in or [True] * rules["num_players"]
    deck = list(DECK)
    rng.shuffle(deck)
    hands = [sorted(deck.pop() for _ in range(rules["deal"])) if s else [] for s in seats_in]
    upcard = deck.pop()
    while upcard == JOKER and rules["upcard_joker"] == "redraw":
        deck.insert(rng.randrange(len(deck) + 1), upcard)
        upcard = deck.pop()
    return {"dealer": dealer, "hands": hands, "upcard": upcard, "stock": deck}


def shuffled_by(rng: random.Random) -> Restock:
    """A way to renew the stock: shuffle it."""
    return lambda cards: rng.sample(cards, len(cards))


def random_choice(legal: list[str], rng: random.Random, lay_probability: float) -> str:
    """A move of a player who takes and lays often, so that the table becomes rich."""
    eager = [m for m in legal if m.startswith(("take", "meld", "add", "swap"))]
    others = [m for m in legal if m not in eager]
    if eager and (not others or rng.random() < lay_probability):
        return rng.choice(eager)
    return rng.choice(others)


def random_match(
    rules: Rules, rng: random.Random, lay_probability: float = 0.8, with_legal: bool = True
) -> dict[str, Any]:
    """A whole match of random play, as a record; the same `rng` seed gives the same match."""
    recorder = Recorder(rules, rng, with_legal)
    for _, legal in recorder.decisions():
        recorder.play(random_choice(legal, rng, lay_probability))
    return recorder.record


class Recorder:
    """Plays a match with shuffled cards and writes its record down.

    Loop over `decisions()`, which gives the live state and its legal moves, and answer each with
    one call of `play`.
    """

    def __init__(self, rules: Rules, rng: random.Random, with_legal: bool = True) -> None:
        self.rules = rules
        self.rng = rng
        self.with_legal = with_legal
        first = shuffled_deal(rules, rng, rng.randrange(rules["num_players"]))
        self.state = new_match(rules, first)
        self.legal: list[str] = []
        self.record: dict[str, Any] = {
            "format": "scala40-record/1",
            "rules": {"preset": "browser", **rules},
            "players": ["random"] * rules["num_players"],
            "seed": 0,
            "hands": [],
            "winner": None,
            "truncated": False,
        }
        self._open_hand(first)

    def decisions(self) -> Iterator[tuple[State, list[str]]]:
        """The state and its legal moves at every decision until the match is over."""
        while not self.state.match_over:
            if self.state.phase == "over":
                deal = shuffled_deal(self.rules, self.rng, self.state.dealer, self.state.seats_in)
                start_hand(self.state, deal)
                self._open_hand(deal)
            self.legal = legal_moves(self.state)
            yield self.state, self.legal

    def play(self, move: str) -> None:
        """Carry a move out and write it down."""
        state = self.state
        hand = self.record["hands"][-1]
        if not hand["turns"] or hand["turns"][-1].get("done"):
            hand["turns"].append({"player": state.player, "moves": []})
        turn = hand["turns"][-1]
        turn["moves"].append(move)
        if self.with_legal:
            turn.setdefault("legal", []).append(self.legal)
        before = sum(state.turns), state.reshuffles
        apply(state, move, restock=shuffled_by(self.rng))
        if sum(state.turns) > before[0]:
            turn["done"] = True
            if state.reshuffles > before[1]:
                turn["restock_after"] = list(state.stock)
        if state.phase == "over":
            self._close_hand(hand)

    def _open_hand(self, deal: Deal) -> None:
        self.record["hands"].append({**deal, "turns": []})

    def _close_hand(self, hand: dict[str, Any]) -> None:
        for turn in hand["turns"]:
            turn.pop("done", None)
        hand["closer"] = self.state.closer
        hand["points"] = list(self.state.hand_points)
        hand["totals"] = list(self.state.totals)
        self.record["winner"] = self.state.winner
        self.record["truncated"] = self.state.truncated


def replay(record: dict[str, Any]) -> list[str]:
    """Play a record again and list, in words, everything in it that does not come out the same."""
    problems: list[str] = []
    rules = rules_from(record["rules"])
    state: State | None = None
    for number, hand in enumerate(record["hands"]):
        if state is None:
            state = new_match(rules, hand)
        else:
            start_hand(state, hand)
        for turn_number, turn in enumerate(hand["turns"]):
            where = f"hand {number}, turn {turn_number}"
            if state.player != turn["player"]:
                problems.append(f"{where}: seat {state.player} is to move, not {turn['player']}")
                return problems
            problems += _replay_turn(state, turn, where)
            if problems:
                return problems
        for name, mine in (
            ("closer", state.closer),
            ("points", state.hand_points),
            ("totals", state.totals),
        ):
            if state.phase != "over" or hand[name] != mine:
                problems.append(f"hand {number}: {name} {mine}, not {hand[name]} ({state.phase})")
    if state is not None and not problems:
        for name, mine in (("winner", state.winner), ("truncated", state.truncated)):
            if record[name] != mine or not state.match_over:
                problems.append(f"{name} {mine}, not {record[name]}")
    return problems


def _replay_turn(state: State, turn: dict[str, Any], where: str) -> list[str]:
    """One turn of a record: every move must be legal and every list of legal moves the same."""
    problems: list[str] = []
    order = turn.get("restock_after")
    renewals, turns = state.reshuffles, sum(state.turns)
    lists = turn.get("legal", [None] * len(turn["moves"]))
    for i, (move, given) in enumerate(zip(turn["moves"], lists, strict=True)):
        legal = legal_moves(state)
        if given is not None and sorted(given) != legal:
            more, less = sorted(set(legal) - set(given)), sorted(set(given) - set(legal))
            problems.append(f"{where}, move {i}: only here {more}, only there {less}")
        if move not in legal:
            problems.append(f"{where}, move {i}: {move!r} is not legal")
            return problems
        apply(state, move, restock=(lambda cards: order) if order is not None else None)
    if sum(state.turns) != turns + 1:
        problems.append(f"{where}: the turn is not finished")
    if (order is not None) != (state.reshuffles > renewals):
        problems.append(f"{where}: renewal of the stock differs")
    return problems
