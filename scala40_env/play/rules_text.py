"""The rules of a match in a few sentences, for somebody who sits at the table."""

from __future__ import annotations

from collections.abc import Iterator

from scala40_env.cards import parse_card
from scala40_env.melds import rank_points
from scala40_env.rules import Rules, diff, value_text

from .i18n import _, ngettext
from .words import Words, goal

_ACE = 0  # as a rank


def in_short(rules: Rules, words: Words) -> list[str]:
    """Return what somebody must know who has never played, a sentence or two a line."""
    a_set, a_run = (
        words.cards(map(parse_card, cards.split())) for cards in ("7S 7H 7D", "4C 5C 6C")
    )
    lines = [
        _("Get rid of all cards; those left in hand cost points."),
        _("Each turn: draw, lay melds if you like, discard."),
        _("Melds: sets ({set}) and runs of a suit ({run}).").format(set=a_set, run=a_run),
    ]
    if rules.opening_min:
        lines.append(_opening_in_short(rules))
    return lines


def _opening_in_short(rules: Rules) -> str:
    if rules.card_values != "standard":
        return _("Begin with melds worth {n} points together, all in one turn.").format(
            n=rules.opening_min
        )
    return _(
        "Begin with melds worth {n} points together, all in one turn: figures are 10, aces 11."
    ).format(n=rules.opening_min)


def rules_lines(rules: Rules) -> list[str]:
    """Return what one must know to play, a sentence a line."""
    return [goal(rules), *_opening(rules), *_table(rules), *_end(rules), *_changes(rules)]


def _opening(rules: Rules) -> Iterator[str]:
    if rules.opening_min:
        yield _(
            "The first melds must be worth {points} points together, all in one turn."
            " 2 to 10 count their number, {figures}, an ace {ace} (below a 2: {low}),"
            " a joker the card it stands for."
        ).format(
            points=rules.opening_min, figures=_figures(rules),
            ace=rank_points(_ACE, rules), low=rules.ace_low_value,
        )  # fmt: skip
    if not rules.opening_joker:
        yield _("Melds with a joker do not count to the opening.")
    if rules.discard_before_opening == "never":
        yield _("Only who has opened may take from the pile.")
    else:
        yield _("Before opening, the pile may be taken from only to open with that card.")
    yield _("A card taken from the pile must go to the table in the same turn.")
    if rules.return_taken:
        yield _("It may be given back at once; then one draws from the stock.")


def _table(rules: Rules) -> Iterator[str]:
    yield _(
        "A set: 3 or 4 cards of a rank in different suits. A run: 3 and more of a suit in a row."
    )
    if rules.jokers_per_meld:
        yield ngettext(
            "A meld may hold {n} joker.", "A meld may hold {n} jokers.", rules.jokers_per_meld
        ).format(n=rules.jokers_per_meld)
    if rules.recovered_joker == "must_reuse":
        yield _("A joker recovered from the table must be laid again in the same turn.")
    else:
        yield _("A joker is recovered with the card it stands for, and may be kept.")
    if rules.attach_discard_unopened != "allow" or rules.attach_discard_opened != "allow":
        yield _("Cards that fit the table may not always be discarded.")


def _end(rules: Rules) -> Iterator[str]:
    if rules.close_without_discard:
        yield _("The hand is closed by laying or discarding the last card.")
    else:
        yield _("The hand is closed by discarding the last card.")
    yield _("Left in hand an ace costs {ace} points, {figures}, a joker {joker}.").format(
        ace=rank_points(_ACE, rules), figures=_figures(rules), joker=rules.joker_in_hand
    )
    if rules.unopened_penalty is not None:
        yield _("Who has not opened pays {points} points.").format(points=rules.unopened_penalty)
    if rules.hand_close_bonus != "none":
        yield _("Who opens and closes in one turn makes the others pay double.")
    if rules.reshuffles is not None:
        yield ngettext(
            "The pile becomes the new stock {n} time at most.",
            "The pile becomes the new stock {n} times at most.",
            rules.reshuffles,
        ).format(n=rules.reshuffles)


def _figures(rules: Rules) -> str:
    graded = rules.card_values == "graded"
    return _("a jack 11, a queen 12, a king 13") if graded else _("figures 10")


def _changes(rules: Rules) -> Iterator[str]:
    changes = diff(rules, Rules.preset(str(rules.preset_name)))
    changes.pop("num_players", None)
    if changes:
        pairs = ", ".join(f"{name} = {value_text(own)}" for name, (own, _other) in changes.items())
        yield _("Rules of {preset}, but: {changes}.").format(
            preset=rules.preset_name, changes=pairs
        )
    else:
        yield _("Rules of {preset}.").format(preset=rules.preset_name)
