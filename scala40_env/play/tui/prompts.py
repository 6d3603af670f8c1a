"""What to tell the person who plays: what can be done now, and why something cannot."""

from __future__ import annotations

from scala40_env.actions import DRAW, TAKE
from scala40_env.game import Game

from ..i18n import _, ngettext
from ..match import Match
from ..words import Words
from .staging import Staging


def what_now(match: Match, staging: Staging, words: Words) -> str:
    """Return what the person at the screen can do now."""
    game = match.game
    if match.is_over or game.phase == "over":
        return _("↵ goes on.")
    if match.is_agents_turn:
        return _("{name} is playing. Space skips ahead.").format(name=match.names[game.player])
    if game.phase == "draw":
        return _draw_prompt(game, words)
    if not staging.is_empty:
        return _opening_prompt(staging)
    return _play_prompt(game, words)


def _draw_prompt(game: Game, words: Words) -> str:
    legal = game.legal_moves()
    card = None if game.pile_top is None else words.card(game.pile_top)
    if TAKE in legal and DRAW in legal:
        return _("Your turn: draw from the stock (S) or take {card} (P).").format(card=card)
    if TAKE in legal:
        return _("Your turn: the stock is empty, take {card} (P).").format(card=card)
    return _("Your turn: draw from the stock (S).")


def _opening_prompt(staging: Staging) -> str:
    needed = staging.game.rules.opening_min
    if staging.can_open:
        return _("{text}: ↵ opens, Esc takes the melds back.").format(text=points_text(staging))
    return ngettext(
        "Prepared: {have} of {n} point. Lay more melds, or take them back (Esc).",
        "Prepared: {have} of {n} points. Lay more melds, or take them back (Esc).",
        needed,
    ).format(have=staging.points, n=needed)


def points_text(staging: Staging) -> str:
    """Return the running total of an opening."""
    return _("{have} of {needed} points").format(
        have=staging.points, needed=staging.game.rules.opening_min
    )


def _play_prompt(game: Game, words: Words) -> str:
    if game.taken is not None:
        card = words.card(game.taken)
        if game.can_undo and game.rules.return_taken:
            return _("{card} must go to the table in this turn. B gives it back.").format(card=card)
        return _("{card} must go to the table in this turn.").format(card=card)
    if game.recovered:
        return _("The joker you took must go to the table again in this turn.")
    if not game.opened[game.player]:
        return _("Select cards (Space), lay them (↵), or discard one (X).")
    return _("Lay melds (↵), add to melds (A), or discard a card (X).")
