"""The table as one person sees it, in lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from scala40_env.game import View

from .i18n import _
from .match import Match
from .words import Words, cards_count, team_name

_WIDTH = 78
_PILE_SHOWN = 5


def board_lines(match: Match, seat: int, words: Words) -> list[str]:
    """Return what lies on the table: the players, stock and pile, the melds.

    Args:
        match: the match.
        seat: who looks.
        words: how cards are written.
    """
    view = match.game.view(seat)
    title = words.dot.join(
        [
            _("Hand {number}").format(number=view.hand_number + 1),
            _("turn {number}").format(number=view.turns[seat] + 1),
        ]
    )
    return [
        words.heading(title, _WIDTH),
        *player_lines(match, view),
        *_stock_lines(view, words),
        *table_lines(view, words),
    ]


def player_lines(match: Match, view: View) -> list[str]:
    """Return a line for each player: cards, opened, total."""
    rules = match.game.rules
    rows = []
    for seat, name in enumerate(match.names):
        if rules.teams != "none":
            name = f"{name} ({team_name(seat % 2)})"
        total = _("total {points}").format(points=view.totals[seat])
        if not view.in_match[seat]:
            rows.append((name, _("out"), "", total, ""))
            continue
        opened = _("opened") if view.opened[seat] else _("not opened")
        deals = _("dealer") if seat == view.dealer else ""
        rows.append((name, cards_count(view.hand_sizes[seat]), opened, total, deals))
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [_row(row, widths, seat == view.player) for seat, row in enumerate(rows)]


def _row(cells: Sequence[str], widths: Sequence[int], is_moving: bool) -> str:
    padded = [cell + " " * (w - cell_len(cell)) for cell, w in zip(cells, widths, strict=True)]
    return f"{'>' if is_moving else ' '} {'   '.join(padded)}".rstrip()


def _stock_lines(view: View, words: Words) -> list[str]:
    stock = _("Stock: {cards}").format(cards=cards_count(view.stock_size))
    below = view.pile[:-1][-_PILE_SHOWN:][::-1]
    if view.pile_top is None:
        pile = _("Pile: empty")
    elif below:
        pile = _("Pile: {top}   (below it: {cards})").format(
            top=words.card(view.pile_top), cards=words.cards(below)
        )
    else:
        pile = _("Pile: {top}").format(top=words.card(view.pile_top))
    return [f"  {stock}   {pile}"]


def table_lines(view: View, words: Words) -> list[str]:
    """Return the melds of the table with their numbers, several in a line."""
    melds = [f"[{number}] {words.meld(meld)}" for number, meld in enumerate(view.table)]
    if not melds:
        return [_("  No melds on the table yet.")]
    lines = [_("  Table:")]
    for meld in melds:
        longer = f"{lines[-1]}   {meld}"
        if cell_len(longer) > _WIDTH:
            longer = f"           {meld}"
            lines.append(longer)
        else:
            lines[-1] = longer
    return lines


def hand_line(match: Match, seat: int, words: Words, by_rank: bool) -> str:
    """Return the hand of a person, sorted."""
    return _("  Your hand:  {cards}").format(cards=words.hand(match.game.hand(seat), by_rank))


def duty_lines(match: Match, words: Words) -> list[str]:
    """Return what the player to move must still do in this turn."""
    game = match.game
    lines = []
    if game.taken is not None:
        card = words.card(game.taken)
        lines.append(_("  {card} must go to the table in this turn.").format(card=card))
    if game.recovered:
        lines.append(_("  The recovered joker must be laid again in this turn."))
    if game.laid_this_turn and not game.opened[game.player]:
        lines.append(
            _("  Laid {points} of the {needed} points to open.").format(
                points=game.opening_points, needed=game.rules.opening_min
            )
        )
    return lines
