"""A hint: what the strongest agent at hand would do now, and why, in words.

The agent sees no more than the person whose turn it is. The reasons are counted from the same
view: points left, cards that would help, what the others may be waiting for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from scala40_env.actions import (
    DRAW_ID,
    RETURN_ID,
    TAKE,
    TAKE_ID,
    action_add,
    action_swap,
    is_add,
    is_discard,
    is_meld,
    is_swap,
)
from scala40_env.agents import Agent, AgentError, make_agent
from scala40_env.cards import DECK_COUNTS, JOKER, NUM_NATURALS, Card
from scala40_env.game import Game, View
from scala40_env.melds import meld_text, three_card_melds
from scala40_env.notation import free_places

from .chronicle import Chronicle, Step
from .i18n import _, ngettext
from .tips import TIPS
from .why import opening_reach, why_not
from .words import Words, merge_steps

_STRONGEST: Final = ("learned", "hard")
_FEW_CARDS: Final = 3  # so many and fewer mean that somebody is about to close
_SILENT_TURNS: Final = 6  # turns after which a full hand becomes suspicious
_MAX_REASONS: Final = 5


@dataclass(frozen=True)
class Hint:
    """What to do and why.

    Attributes:
        adviser: who gives it, at the beginning of a sentence.
        advice: the moves as phrases: `lay 7♠ 7♥ 7♦`.
        orders: the same moves as they are typed.
        reasons: whole sentences.
    """

    adviser: str
    advice: Sequence[str]
    orders: Sequence[str]
    reasons: Sequence[str]


class Adviser:
    """Gives hints; the agent is made when the first one is asked for."""

    def __init__(self) -> None:
        self._agent: Agent | None = None

    def hint(self, game: Game, words: Words, names: Sequence[str]) -> Hint:
        """Return a hint for the seat to move.

        Args:
            game: before a move.
            words: how cards are written.
            names: of the seats.
        """
        agent = self._agent = self._agent or _strongest()
        trial = game.clone()
        steps = _plan(trial, agent)
        reasons = list(_Reasons(game, trial, steps, words, names))
        merged = merge_steps(steps)
        return Hint(
            _adviser_name(agent),
            [_advice(step, words) for step in merged],
            [_typed(step) for step in merged],
            reasons[:_MAX_REASONS],
        )


def _adviser_name(agent: Agent) -> str:
    name = agent.name.split()[0]
    if name == "learned":
        return _("The trained player")
    return _("A player of the level {level}").format(level=name)


def _strongest() -> Agent:
    for name in _STRONGEST[:-1]:
        try:
            return make_agent(name)
        except AgentError:
            continue
    return make_agent(_STRONGEST[-1])


def _plan(trial: Game, agent: Agent) -> list[Step]:
    """Play the agent's moves in a copy, up to a draw or to the end of the turn."""
    chronicle, seat = Chronicle(), trial.player
    steps: list[Step] = []
    while trial.phase != "over" and trial.player == seat:
        move = agent.act(trial.view(seat), trial.legal_moves())
        if move.action == DRAW_ID:  # what it brings is not known
            return [*steps, Step(move, "draw")]
        steps.append(chronicle.push(trial, move))
        if is_discard(move.action):
            break
    return steps


def _advice(step: Step, words: Words) -> str:
    action = step.move.action
    card = None if step.card is None else words.card(step.card)
    if action == DRAW_ID:
        return _("draw from the stock")
    if action == TAKE_ID:
        return _("take {card} from the pile").format(card=card)
    if action == RETURN_ID:
        return _("give {card} back").format(card=card)
    if is_discard(action):
        return _("discard {card}").format(card=card)
    assert step.meld is not None
    if is_meld(action):
        return _("lay {meld}").format(meld=words.meld(step.meld))
    if is_add(action):
        _end, added, as_joker = action_add(action)
        text = (
            _("add {joker} as {card} to meld {number}")
            if as_joker
            else _("add {card} to meld {number}")
        )
    else:
        added = action_swap(action)[1]
        text = _("put {card} for {joker} in meld {number}")
    return text.format(card=words.card(added), joker=words.card(JOKER), number=step.number)


def _typed(step: Step) -> str:
    """Return a move as it is typed; a long meld at once."""
    if is_meld(step.move.action) and step.meld is not None:
        return f"meld {meld_text(step.meld)}"
    return step.text


class _Reasons:
    """Reasons for a plan: sentences, the weightiest first."""

    def __init__(
        self, game: Game, after: Game, steps: Sequence[Step], words: Words, names: Sequence[str]
    ) -> None:
        self._game = game
        self._seat = game.player
        self._view = game.view(self._seat)
        self._after = after.view(self._seat)
        self._steps = steps
        self._words = words
        self._names = names

    def __iter__(self) -> Iterator[str]:
        last = self._steps[-1].move.action
        if last == DRAW_ID:
            yield from self._about_drawing()
        else:
            yield from self._about_laying()
        if is_discard(last):
            yield from self._about_discarding(self._steps[-1].card or 0)
        yield from self._about_others()
        yield from self._tips()

    # --- the move ----------------------------------------------------------------------------

    def _about_drawing(self) -> Iterator[str]:
        view = self._view
        if view.phase == "draw" and view.pile_top is not None:
            yield from self._about_the_pile(view.pile_top)
        yield from self._opening()
        yield from self._chances(view, view.hand(self._seat))

    def _about_the_pile(self, top: Card) -> Iterator[str]:
        """Why its card is not taken."""
        view = self._view
        if TAKE not in view.legal_moves():
            yield why_not(self._game, TAKE, self._words)
        elif top not in _helping_cards(view, view.hand(self._seat)):
            yield _("{card} makes no meld with your cards.").format(card=self._words.card(top))

    def _opening(self) -> Iterator[str]:
        """How far the hand is from the opening, for who has not opened."""
        needed = self._view.rules.opening_min
        if self._after.opened[self._seat] or not needed or self._after.phase == "over":
            return
        points = opening_reach(self._game)
        if points >= needed and self._view.rules.hand_close_bonus != "none":
            yield _("You could open; who opens and closes in one turn makes the others pay double.")
            return
        yield _("Your melds are worth {points} of the {needed} points to open.").format(
            points=points, needed=needed
        )

    def _about_laying(self) -> Iterator[str]:
        view, after = self._view, self._after
        if after.phase == "over":
            yield _("That closes the hand.")
            return
        if not view.opened[self._seat] and after.opened[self._seat]:
            yield _("That opens, and a hand that has opened costs only its cards.")
        if any(is_swap(step.move.action) for step in self._steps):
            yield TIPS["recover_jokers"]
        hand = after.hand(self._seat)
        yield ngettext(
            "{n} card stays in your hand, {points} points.",
            "{n} cards stay in your hand, {points} points.",
            len(hand),
        ).format(n=len(hand), points=after.hand_cost(self._seat))

    def _about_discarding(self, card: Card) -> Iterator[str]:
        view, after = self._view, self._after
        if after.phase == "over":
            return
        name = self._words.card(card)
        hand = after.hand(self._seat)
        before = _outs(view, [*hand, card])
        if card != JOKER and before == _outs(view, hand):
            yield _("{card} goes with nothing you hold.").format(card=name)
        yield from self._opening()
        yield from self._chances(after, hand)
        if _attaches(view, card) and card != JOKER:
            yield _("Mind that {card} fits a meld of the table.").format(card=name)

    def _chances(self, view: View, hand: Sequence[Card]) -> Iterator[str]:
        outs, unseen = _outs(view, hand), sum(_unseen(view, self._seat).values())
        yield ngettext(
            "{n} of the {all} cards you do not see would help you.",
            "{n} of the {all} cards you do not see would help you.",
            outs,
        ).format(n=outs, all=unseen)

    # --- the others --------------------------------------------------------------------------

    def _about_others(self) -> Iterator[str]:
        view = self._view
        if self._after.phase == "over":
            return
        for seat, size in enumerate(view.hand_sizes):
            if seat != self._seat and 0 < size <= _FEW_CARDS:
                yield ngettext(
                    "{name} has only {n} card left: beware of dear cards in your hand.",
                    "{name} has only {n} cards left: beware of dear cards in your hand.",
                    size,
                ).format(name=self._names[seat], n=size)

    def _tips(self) -> Iterator[str]:
        view = self._view
        if self._after.phase == "over":
            return
        others = [seat for seat in range(view.rules.num_players) if seat != self._seat]
        silent = [s for s in others if view.in_match[s] and view.hand_sizes[s] == view.rules.deal]
        if any(view.turns[seat] >= _SILENT_TURNS for seat in silent):
            yield TIPS["silent_player"]
        if not self._after.opened[self._seat]:
            yield TIPS["plan_opening" if view.turns[self._seat] < 2 else "no_great_opening"]
        elif len(self._after.hand(self._seat)) == 2:
            yield TIPS["loose_cards"]


# --- counting cards ----------------------------------------------------------------------------


def _unseen(view: View, seat: int) -> Counter[Card]:
    """Return the cards that a seat does not see: in the stock and in other hands."""
    seen = Counter([*view.hand(seat), *view.pile])
    for meld in view.table:
        seen.update(JOKER if joker else card for card, joker in meld.cards())
    return Counter({card: int(n) for card, n in enumerate(DECK_COUNTS)}) - seen


def _outs(view: View, hand: Sequence[Card]) -> int:
    """Return how many unseen cards would help the seat of the view with such a hand."""
    unseen = _unseen(view, view.seat)
    return sum(unseen[card] for card in _helping_cards(view, hand))


def _helping_cards(view: View, hand: Sequence[Card]) -> set[Card]:
    """Return the cards that make a new meld with a hand, or fit the table of who has opened."""
    held = {card for card in hand if card != JOKER}
    helping = {JOKER}
    for cards in _natural_melds():
        missing = cards - held
        if len(missing) == 1:
            helping |= missing
    if view.opened[view.seat]:
        helping |= {card for card in range(NUM_NATURALS) if _attaches(view, card)}
    return helping


@cache
def _natural_melds() -> list[frozenset[Card]]:
    melds = [meld for meld in three_card_melds() if not meld.jokers]
    return [frozenset(card for card, _joker in meld.cards()) for meld in melds]


def _attaches(view: View, card: Card) -> bool:
    """Tell whether a card fits a meld of the table by its shape."""
    return any(card == c for meld in view.table for _end, _place, c in free_places(meld))
