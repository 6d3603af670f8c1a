"""A game as a readable table in text, for environments, the prompt and for watching.

    print(render_text(game.array))                  # everything, as an onlooker sees it
    print(render_text(game.view(0).array, seat=0))  # one's own hand only

Suits are symbols and never told by colour alone; a joker is a star, and a card that a joker stands
for has one (`9♦★`). `render_rich` is the same text with red suits, for terminals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from .cards import JOKER, NUM_RANKS, card_symbol
from .engine.state import DRAW, HAND_OVER, MATCH_OVER, NONE, NUM_PLAYERS, OPENING_MIN, TEAMS
from .game_state import GameState
from .melds import Meld
from .position import read_table
from .rules import Rules

if TYPE_CHECKING:
    from rich.text import Text

WIDTH: Final = 78
_PILE_SHOWN: Final = 8
_JOKER_SYMBOL: Final = card_symbol(JOKER)
_STYLES: Final = (
    (r"(?:10|[2-9AJQK])[♥♦]", "red"),
    (r"(?:10|[2-9AJQK])[♠♣]", "bold"),
    (r"★", "bold yellow"),
    (r"^▸.*$", "bold"),
    (r"^── .*$", "dim"),
)


def render_text(
    games: NDArray[Any], seat: int | None = None, names: Sequence[str] | None = None
) -> str:
    """Return a game as lines of text, without a newline at the end.

    Args:
        games: GAME[1], a game or a view.
        seat: whose hand is shown; None shows all that the game holds.
        names: what to call the seats; `player_0` and so on by default.
    """
    row = games[0]
    names = names or [f"player_{p}" for p in range(row["rules"][NUM_PLAYERS])]
    lines = [_title(row, names), _stock_line(row), *_table_lines(row)]
    for p, name in enumerate(names):
        lines.append(_seat_line(row, p, name))
        if row["hand_size"][p] and seat in (None, p) and row["hands"][p].any():
            lines.append(f"    {_hand_text(row['hands'][p])}")
    lines += _turn_lines(games)
    return "\n".join(lines)


def render_rich(
    games: NDArray[Any], seat: int | None = None, names: Sequence[str] | None = None
) -> Text:
    """Return the same text with colours, for a `rich` console."""
    from rich.text import Text

    text = Text(render_text(games, seat, names))
    for pattern, style in _STYLES:
        text.highlight_regex(f"(?m){pattern}", style)
    return text


def meld_symbols(meld: Meld) -> str:
    """Return a meld for screens: `8♦ 9♦★ 10♦`."""
    return " ".join(card_symbol(card) + _JOKER_SYMBOL * joker for card, joker in meld.cards())


def _title(row: np.void, names: Sequence[str]) -> str:
    parts = ["Scala 40", f"hand {row['hand_number'] + (row['phase'] < HAND_OVER)}"]
    if row["phase"] < HAND_OVER:
        verb = "draw" if row["phase"] == DRAW else "play"
        parts += [f"turn {row['turns'].sum() + 1}", f"{names[row['player']]} to {verb}"]
    else:
        parts += _result(row, names)
    return f"── {' · '.join(parts)} ".ljust(WIDTH, "─")


def _result(row: np.void, names: Sequence[str]) -> list[str]:
    """How the hand, and perhaps the match, has ended."""
    parts = ["nobody closed"]
    if row["closer"] != NONE:
        how = " in hand" if row["closed_in_hand"] else ""
        parts = [f"{names[row['closer']]} closed{how}"]
    if row["winner"] != NONE:
        side = f"team {row['winner']}" if row["rules"][TEAMS] else names[row["winner"]]
        parts.append(f"{side} wins the match")
    elif row["phase"] == MATCH_OVER:
        parts.append("the match is cut short")
    return parts


def _stock_line(row: np.void) -> str:
    pile = row["pile"][: row["num_pile"]].tolist()
    shown = [card_symbol(card) for card in pile[-_PILE_SHOWN:]]
    if shown:
        shown[-1] = f"[{shown[-1]}]"
    if len(pile) > _PILE_SHOWN:
        shown.insert(0, "…")
    return f"stock {row['num_stock']:<4} pile {len(pile):<4} {' '.join(shown) or 'empty'}"


def _table_lines(row: np.void) -> list[str]:
    """The melds by number, as many in a line as there is room for; + marks those of this turn."""
    melds = [
        f"{m}{'+' if row['meld_new'][m] else ':'} {meld_symbols(meld)}"
        for m, meld in enumerate(read_table(row))
    ]
    return [f"table {line}" if i == 0 else f"      {line}" for i, line in enumerate(_wrap(melds))]


def _wrap(entries: Iterable[str]) -> list[str]:
    """Fill lines with entries, three spaces apart; one line where there are none."""
    lines = [""]
    for entry in entries:
        longer = f"{lines[-1]}   {entry}" if lines[-1] else entry
        if len(longer) <= WIDTH - len("table "):
            lines[-1] = longer
        else:
            lines.append(entry)
    return [line or "no melds" for line in lines]


def _seat_line(row: np.void, p: int, name: str) -> str:
    mark = "▸" if row["player"] == p and row["phase"] < HAND_OVER else " "
    if not row["in_match"][p]:
        return f"{mark} {name:<14} out        total {row['totals'][p]}"
    cards = f"{row['hand_size'][p]} cards" if row["hand_size"][p] != 1 else "1 card"
    opened = "opened" if row["opened"][p] else "not opened"
    line = f"{mark} {name:<14} {cards:<10} {opened:<12} total {row['totals'][p]:<5}"
    if row["phase"] >= HAND_OVER:
        line += f" (+{row['hand_points'][p]})"
    return line + " dealer" if row["dealer"] == p else line.rstrip()


def _hand_text(counts: NDArray[np.int8]) -> str:
    """The cards of a hand by suits, two spaces between the suits, jokers last."""
    suits = [range(first, first + NUM_RANKS) for first in range(0, JOKER, NUM_RANKS)]
    groups = [[card_symbol(c) for c in suit for _ in range(counts[c])] for suit in suits]
    groups.append([_JOKER_SYMBOL] * int(counts[JOKER]))
    return "  ".join(" ".join(group) for group in groups if group)


def _turn_lines(games: NDArray[Any]) -> list[str]:
    """What the seat to move has laid towards its opening, and what it still owes."""
    row = games[0]
    if row["phase"] >= HAND_OVER:
        return []
    notes = []
    if row["meld_new"].any() and not row["opened"][row["player"]]:
        points = GameState(games, Rules.decode(row["rules"])).opening_points
        notes.append(f"{points} of {row['rules'][OPENING_MIN]} points laid")
    if row["taken"] != NONE:
        notes.append(f"must lay {card_symbol(int(row['taken']))}")
    if row["recovered"]:
        notes.append(f"must lay a recovered {_JOKER_SYMBOL}")
    if row["returned"]:
        notes.append("gave the discard back")
    return [f"    ({' · '.join(notes)})"] if notes else []
