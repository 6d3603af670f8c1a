"""Advice for players, after the sources of the rules, in our own words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .i18n import _

TIPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "open_early": _("Open early: in many rule sets a hand that never opened costs 100 points."),
        "plan_opening": _(
            "Plan the opening from the first card on. Figures and aces make 40 quickly:"
            " four kings are 40, three queens and a run of small cards will do as well."
        ),
        "no_great_opening": _(
            "Do not wait long for a great opening; a plain one now is worth more than a fine one"
            " that comes too late."
        ),
        "watch_takes": _(
            "Watch what the others take from the pile, and do not throw what goes with it."
        ),
        "shed_points": _(
            "When somebody holds few cards, get rid of what is dear: aces and figures first."
        ),
        "recover_jokers": _(
            "Put the right card in a joker's place and take the joker; then use it soon, since"
            " one left in hand costs 25."
        ),
        "keep_pairs": _(
            "Keep pairs and neighbours together; throw first the card that goes with nothing."
        ),
        "count_copies": _(
            "Every card exists twice. When both eights of clubs are gone, the seven and the nine"
            " need a joker between them."
        ),
        "loose_cards": _(
            "Two loose cards at the end are a trap: one of them must be laid in the turn in which"
            " the other is thrown."
        ),
        "silent_player": _(
            "Somebody who holds all 13 cards and lays nothing may be about to close in hand."
        ),
        "middle_cards": _(
            "Of loose cards, rather keep sevens and eights than an ace: they join more runs and"
            " cost less."
        ),
    }
)
"""Pieces of advice by a short name."""
