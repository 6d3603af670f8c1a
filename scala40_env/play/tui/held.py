"""The cards in a person's hand as they lie on the screen: order, cursor, selection.

    >>> held = Held([3, 16, 4])
    >>> held.cards
    [3, 4, 16]
    >>> held.toggle(); held.move(1); held.toggle(); held.chosen
    [3, 4]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scala40_env.cards import Card

from ..words import sort_hand


class Held:
    """A hand on the screen.

    Attributes:
        cards: in the order in which they lie.
        cursor: the position of the card that the keys point at.
        selected: the positions of the selected cards.
        fresh: the position of the card that came last, if any.
        by_rank: whether they are sorted by rank, not by suit.
    """

    def __init__(self, cards: Sequence[Card] = ()) -> None:
        self.by_rank = False
        self.cursor = 0
        self.selected: set[int] = set()
        self.fresh: int | None = None
        self.cards: list[Card] = []
        self.update(cards)

    def update(self, cards: Sequence[Card]) -> None:
        """Show these cards; what was selected and is still there stays selected."""
        at_cursor = self.cards[self.cursor] if self.cards else None
        chosen = Counter(self.chosen)
        gained = Counter(cards) - Counter(self.cards)
        is_one_more = len(cards) == len(self.cards) + 1 and gained.total() == 1
        self.cards = sort_hand(cards, self.by_rank)
        self.fresh = self.cards.index(*gained) if is_one_more else None
        self.selected = set()
        for position, card in enumerate(self.cards):
            if chosen[card]:
                chosen[card] -= 1
                self.selected.add(position)
        if self.fresh is not None:
            self.cursor = self.fresh
        elif at_cursor in self.cards:
            self.cursor = self.cards.index(at_cursor)
        self.cursor = max(0, min(self.cursor, len(self.cards) - 1))

    @property
    def chosen(self) -> list[Card]:
        """The selected cards."""
        return [self.cards[position] for position in sorted(self.selected)]

    @property
    def chosen_or_current(self) -> list[Card]:
        """The selected cards, or else the one under the cursor."""
        return self.chosen or self.cards[self.cursor : self.cursor + 1]

    def move(self, step: int) -> None:
        """Move the cursor, round the corner."""
        if self.cards:
            self.cursor = (self.cursor + step) % len(self.cards)

    def toggle(self, position: int | None = None) -> None:
        """Select the card at a position, or at the cursor; or drop it."""
        if position is not None:
            self.cursor = position
        if self.cards:
            self.selected ^= {self.cursor}

    def lift(self, up: bool) -> None:
        """Select the card at the cursor, or drop it."""
        if self.cards and (self.cursor in self.selected) != up:
            self.toggle()

    def select(self, cards: Sequence[Card]) -> None:
        """Select just these cards, as far as they are there."""
        wanted = Counter(cards)
        self.selected = set()
        for position, card in enumerate(self.cards):
            if wanted[card]:
                wanted[card] -= 1
                self.selected.add(position)
        if self.selected:
            self.cursor = min(self.selected)

    def drop(self) -> None:
        """Select nothing."""
        self.selected = set()

    def sort(self) -> None:
        """Sort the other way: by rank, or by suit."""
        self.by_rank = not self.by_rank
        fresh = self.fresh if self.fresh is None else self.cards[self.fresh]
        self.update(list(self.cards))
        self.fresh = None if fresh is None else self.cards.index(fresh)
