"""What players read: cards, melds, moves, turns and results in words, for prompt and screens.

A turn is told as a list of short phrases that each stand alone, so that they can be translated:

    hard: drew · laid 7♠ 7♥ 7♦ · discarded K♣ · 9 cards left
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from scala40_env.actions import (
    DRAW_ID,
    RETURN_ID,
    TAKE_ID,
    action_add,
    action_swap,
    is_add,
    is_discard,
    is_meld,
    is_swap,
)
from scala40_env.cards import JOKER, Card, card_symbol, card_text, rank_of, suit_of
from scala40_env.melds import Meld
from scala40_env.rules import Rules

from .chronicle import HandResult, Step, Turn
from .i18n import _, ngettext

SUIT_ORDER: Final = (0, 1, 3, 2)
"""How suits follow each other in a hand: black and red in turn."""
_JOKERS_LAST: Final = 99


@dataclass(frozen=True)
class Words:
    """How to write what is seen.

    Attributes:
        letters: plain letters only, for terminals that lack the symbols.
    """

    letters: bool = False

    @property
    def dot(self) -> str:
        """What stands between phrases."""
        return "; " if self.letters else " · "

    def heading(self, text: str, width: int = 78) -> str:
        """Return a line that begins a section."""
        line = "-" if self.letters else "─"
        return f"{line * 2} {text} ".ljust(width, line)

    # --- cards -----------------------------------------------------------------------------

    def card(self, card: Card) -> str:
        """Return a card: `10♦`, or `TD` in letters; a joker is `★` or `*`."""
        return card_text(card) if self.letters else card_symbol(card)

    def cards(self, cards: Iterable[Card]) -> str:
        """Return cards in a row."""
        return " ".join(map(self.card, cards))

    def meld(self, meld: Meld) -> str:
        """Return a meld; the cards that jokers stand for have a star: `8♦ 9♦★ 10♦`."""
        star = self.card(JOKER)
        return " ".join(self.card(card) + star * joker for card, joker in meld.cards())

    def hand(self, cards: Sequence[Card], by_rank: bool = False) -> str:
        """Return a sorted hand, in groups by suit or by rank."""
        ordered = sort_hand(cards, by_rank)
        groups = groupby(ordered, key=_rank if by_rank else _suit)
        return "   ".join(self.cards(group) for _group, group in groups)

    # --- moves -----------------------------------------------------------------------------

    def step(self, step: Step, reveal: bool = True) -> str:
        """Return a move as a phrase.

        Args:
            step: the move.
            reveal: whether a card drawn from the stock is named.
        """
        card = None if step.card is None else self.card(step.card)
        action = step.move.action
        if action == DRAW_ID:
            return _("drew {card}").format(card=card) if reveal and card else _("drew")
        if action == TAKE_ID:
            return _("took {card} from the pile").format(card=card)
        if action == RETURN_ID:
            return _("gave {card} back").format(card=card)
        if is_discard(action):
            return _("discarded {card}").format(card=card)
        return self._table_step(step)

    def _table_step(self, step: Step) -> str:
        assert step.meld is not None
        meld = self.meld(step.meld)
        if is_meld(step.move.action):
            return _("laid {meld}").format(meld=meld)
        if is_add(step.move.action):
            _end, card, as_joker = action_add(step.move.action)
            text = (
                _("added {joker} as {card} to meld {number} ({meld})")
                if as_joker
                else _("added {card} to meld {number} ({meld})")
            )
        else:
            card = action_swap(step.move.action)[1]
            text = _("put {card} for {joker} in meld {number} ({meld})")
        return text.format(
            card=self.card(card), joker=self.card(JOKER), number=step.number, meld=meld
        )

    def steps(self, steps: Sequence[Step], name: str) -> str:
        """Return some moves of one player in a line."""
        phrases = [self.step(step) for step in merge_steps(steps)]
        return _("{name}: {moves}").format(name=name, moves=self.dot.join(phrases))

    def turn(self, turn: Turn, name: str, reveal: bool = False) -> str:
        """Return a turn in a line.

        Args:
            turn: the turn, perhaps still going on.
            name: of its player.
            reveal: whether a card drawn from the stock is named.
        """
        phrases = [self.step(step, reveal) for step in merge_steps(turn.steps)]
        if turn.opening is not None:
            # Before the discard, where there is one: that ends the turn.
            at = len(phrases) - is_discard(turn.steps[-1].move.action)
            phrases.insert(at, opened_with(turn.opening))
        if turn.closed:
            phrases.append(_("closed the hand"))
        elif turn.is_over:
            phrases.append(cards_left(turn.cards_left))
        if turn.restocked:
            phrases.append(_("the pile becomes the new stock"))
        return _("{name}: {moves}").format(name=name, moves=self.dot.join(phrases))


def _suit(card: Card) -> int:
    return _JOKERS_LAST if card == JOKER else SUIT_ORDER.index(suit_of(card))


def _rank(card: Card) -> int:
    return _JOKERS_LAST if card == JOKER else rank_of(card)


def sort_hand(cards: Iterable[Card], by_rank: bool = False) -> list[Card]:
    """Return cards as they are held: by suit, or by rank, jokers last."""
    order = (_rank, _suit) if by_rank else (_suit, _rank)
    return sorted(cards, key=lambda card: (order[0](card), order[1](card)))


def merge_steps(steps: Sequence[Step]) -> list[Step]:
    """Return the steps of a turn without those that only grow a meld just laid.

    The meld is shown as it lies in the end instead. A card laid off after a swap stays a step of
    its own: the swap may have brought its joker.
    """
    merged: list[Step] = []
    laid: dict[int, int] = {}  # where in `merged` a meld of this turn was laid
    for step in steps:
        if is_meld(step.move.action):
            laid[step.number] = len(merged)
        elif is_add(step.move.action) and step.number in laid:
            at = laid[step.number]
            merged[at] = Step(merged[at].move, merged[at].text, number=step.number, meld=step.meld)
            continue
        elif is_swap(step.move.action):
            laid.clear()
        merged.append(step)
    return merged


def opened_with(points: int) -> str:
    """Return with how many points somebody opened."""
    return ngettext("opened with {n} point", "opened with {n} points", points).format(n=points)


def cards_left(count: int) -> str:
    """Return how many cards somebody has left."""
    return ngettext("{n} card left", "{n} cards left", count).format(n=count)


def cards_count(count: int) -> str:
    """Return how many cards somebody holds."""
    return ngettext("{n} card", "{n} cards", count).format(n=count)


def team_name(team: int) -> str:
    """Return what a team is called."""
    return _("Team {number}").format(number=team + 1)


def hand_ending(result: HandResult, names: Sequence[str]) -> str:
    """Return one sentence on how a hand ended."""
    if result.closer is None:
        if any(result.points):
            return _("Nobody closed: everybody pays the cards in hand.")
        return _("Nobody closed: the hand is void.")
    text = _("{name} closed in hand!") if result.in_hand else _("{name} closed the hand.")
    return text.format(name=names[result.closer])


def hand_changes(result: HandResult, names: Sequence[str]) -> list[str]:
    """Return a sentence for each player who went out or came back with a hand."""
    lines = [_("{name} is out.").format(name=names[seat]) for seat in result.out]
    for seat in result.returned:
        lines.append(
            _("{name} comes back with {points} points.").format(
                name=names[seat], points=result.totals[seat]
            )
        )
    return lines


def match_ending(winners: Sequence[int], names: Sequence[str], rules: Rules) -> str:
    """Return one sentence on how a match ended.

    Args:
        winners: the seats that won; none if it was cut short or given up.
        names: of all seats.
        rules: of the match.
    """
    if not winners:
        return _("The match is over; nobody has won.")
    if rules.teams != "none":
        members = ", ".join(names[seat] for seat in winners)
        return _("{team} ({members}) wins the match!").format(
            team=team_name(winners[0] % 2), members=members
        )
    return _("{name} wins the match!").format(name=names[winners[0]])


def given_up(name: str) -> str:
    """Return one sentence on who gave the match up."""
    return _("{name} gave the match up.").format(name=name)


def goal(rules: Rules) -> str:
    """Return one sentence on how a match is won."""
    if rules.mode == "single_hand":
        return _("Who closes first wins.")
    if rules.mode == "victory_points":
        return ngettext(
            "Who first closes {n} hand wins.", "Who first closes {n} hands wins.", rules.limit
        ).format(n=rules.limit)
    if rules.mode == "fixed_total":
        return _("Played until a total reaches {n} points; the lowest wins.").format(n=rules.limit)
    return _("Points are bad: who reaches {n} is out, the last one in wins.").format(n=rules.limit)
