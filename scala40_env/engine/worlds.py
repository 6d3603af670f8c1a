"""Random full states that agree with what a seat knows, for search.

A *world* is a view with the hidden cards dealt out: the other hands have their sizes and hold what
everybody knows to be there; the stock has its size and holds nothing that the seat knows to be
elsewhere. Everything public is kept as it is.

What is uniform. Look at the unseen cards one by one, the two copies of a type told apart. Those
known to be in a hand go there. The others are of two kinds: before the stock has been renewed
all are free; after it only those which the seat last saw go into the new stock, since every other
unseen card has been in a hand ever since (``known_stock_of`` counts the free ones). Each way to
fill the places of the stock with free cards, and the open places of the other hands with all the
rest, is equally likely. So no weight is given to what the players did: a seat that would have
opened with a hand gets that hand as often as any other.

With two players a renewed stock therefore fixes the other hand but for the cards drawn since. Which
of its cards the seat itself has drawn from a renewed stock is not in a view; what the other seats
know of the stock is bounded by what they can see, and in doubt they know less, never more.
"""

import numpy as np

from .kernel import entry, kernel
from .state import (
    NUM_CARDS,
    NUM_PLAYERS,
    NUM_TYPES,
    gain_card,
    next_random,
    stream,
)
from .view import blank_hidden, count_unseen, known_in_hand, known_stock_of

_WORLD_STREAM = 0x5EED  # apart from those that deal hands


@kernel
def _shuffle(s, first, last):
    """Put ``stock[first:last]`` in random order (Fisher-Yates)."""
    for i in range(last - 1, first, -1):
        j = first + next_random(s, i + 1 - first)
        s.stock[i], s.stock[j] = s.stock[j], s.stock[i]


@kernel
def _give(s, p, card):
    """Put a card into a hand whose size is known already."""
    gain_card(s, p, card)
    s.hand_size[p] -= 1


@kernel
def _give_known(s, seat, unseen):
    """Give the other seats what everybody knows they have: those cards are unseen no more."""
    for p in range(s.rules[NUM_PLAYERS]):
        if p == seat:
            continue
        for card in range(NUM_TYPES):
            for _ in range(known_in_hand(s, p, card)):
                _give(s, p, card)
                unseen[card] -= 1


@kernel
def _spread_unseen(s, seat, unseen):
    """Write the unseen cards into ``stock``, first the free ones: those that may be in the stock.

    Returns:
        How many are free, and how many there are in all.
    """
    free = 0
    for card in range(NUM_TYPES):
        for _ in range(known_stock_of(s, seat, card, unseen)):
            s.stock[free] = card
            free += 1
    n = free
    for card in range(NUM_TYPES):
        for _ in range(unseen[card] - known_stock_of(s, seat, card, unseen)):
            s.stock[n] = card
            n += 1
    return free, n


@kernel
def _fill_hands(s, seat, n):
    """Deal ``stock[num_stock:n]`` to the open places of the other hands; False if they differ."""
    i = np.int64(s.num_stock)
    for p in range(s.rules[NUM_PLAYERS]):
        if p == seat:
            continue
        size = np.int64(s.hand_size[p])
        for card in range(NUM_TYPES):
            size -= s.hands[p, card]
        for _ in range(size):
            if i < n:
                _give(s, p, np.int64(s.stock[i]))
            i += 1
    return i == n


@kernel
def _tell_others(s, seat, unseen):
    """What the other seats know of a renewed stock: no more than they could tell for certain."""
    for p in range(s.rules[NUM_PLAYERS]):
        if p == seat:
            continue
        count_unseen(s, p, unseen)
        for card in range(NUM_TYPES):
            # What the seat drew from it since is in its hand, or in the open.
            bound = np.int64(s.known_stock[seat, card]) + np.int64(s.hands[seat, card])
            s.known_stock[p, card] = min(np.int64(unseen[card]), bound)


@kernel
def deal_world(s, seat, seed, unseen):
    """Turn the view of a seat into a random world, in place.

    Args:
        s: the view; of a full game, all that is hidden from the seat is ignored.
        seed: any uint64; the shuffles and deals to come follow from it too.
        unseen: int8[53], scratch.

    Returns:
        False where the numbers of cards contradict each other, so that there is no such world.
    """
    blank_hidden(s, seat)
    s.seed = stream(seed, _WORLD_STREAM)
    s.rng = s.seed
    count_unseen(s, seat, unseen)
    _give_known(s, seat, unseen)
    free, n = _spread_unseen(s, seat, unseen)
    if free < s.num_stock:
        return False
    _shuffle(s, 0, free)
    _shuffle(s, np.int64(s.num_stock), n)
    complete = _fill_hands(s, seat, n)
    for i in range(s.num_stock, NUM_CARDS):
        s.stock[i] = 0
    if s.reshuffles > 0:
        _tell_others(s, seat, unseen)
    return complete


@entry
def sample_worlds(views, b, seat, seeds, out, unseen):
    """Sample worlds of view ``b`` of ``seat``.

    Args:
        views: GAME[B].
        seeds: uint64[N], one a world.
        out: GAME[N], overwritten.
        unseen: int8[53], scratch of this thread.

    Returns:
        False where the view contradicts itself; ``out`` is then undefined.
    """
    for k in range(out.shape[0]):
        out[k] = views[b]
        if not deal_world(out[k], seat, seeds[k], unseen):
            return False
    return True


def sample_world(view: np.ndarray, seat: int, rng: np.random.Generator) -> np.ndarray:
    """Return a random full game that agrees with a view.

    Args:
        view: GAME[1], the view of ``seat`` (or a game, whose hidden cards are ignored).
        rng: the only source of chance.

    Returns:
        GAME[1], a new array.

    Raises:
        ValueError: the view contradicts itself.
    """
    world = np.empty_like(view)
    seeds = rng.integers(1 << 64, size=1, dtype=np.uint64)
    if not sample_worlds(view, 0, seat, seeds, world, np.empty(NUM_TYPES, np.int8)):
        raise ValueError(f"no deal of the hidden cards agrees with this view of seat {seat}")
    return world
