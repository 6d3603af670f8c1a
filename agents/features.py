"""What the learned player sees: named slices of numbers for a decision and for each legal move.

``STATE`` describes the decision, ``CHOICE`` each legal move (what the hand is worth after it, what
a discard gives away, whether a hand-written level would play it), ``HIDDEN`` what only a critic may
see in training. ``describe()`` prints all slices. A change of their meaning, order or number raises
``FEATURES_VERSION``; weights are bound to one version.

With more than two players, "the opponent" is the next seat in the order of play.
"""

from collections import namedtuple
from typing import Any, Final, NamedTuple

import numpy as np

from scala40_env.agents.arithmetic import (
    REST,
    drop_card,
    find_outs,
    has,
    live_total,
    measure,
    near_cards,
    opening_outs,
    pairs_with,
)
from scala40_env.agents.hand_value import (
    BOT_WORK,
    card_points,
    closeness,
    opening_need,
)
from scala40_env.agents.levels import AGENTS, HARD, NORMAL, decide, keep_pending
from scala40_env.engine.kernel import kernel
from scala40_env.engine.legal import legal_moves, take_card
from scala40_env.engine.score import hand_value
from scala40_env.engine.state import (
    DEAL,
    DRAW,
    GAME,
    JOKER,
    LIMIT,
    NONE,
    NUM_PLAYERS,
    NUM_TYPES,
    lose_card,
    next_seat,
)
from scala40_env.engine.table import attaches, opening_points, table_move
from scala40_env.engine.tables import (
    ADD_ID,
    DISCARD_ID,
    DRAW_ID,
    MELD_ID,
    MELD_NUM_JOKERS,
    RETURN_ID,
    SWAP_ID,
    TAKE_ID,
)
from scala40_env.engine.view import count_unseen, known_in_hand

FEATURES_VERSION: Final = 2
NEXT_CARDS = 4  # of the stock, shown to a critic
_RECENT = 10  # discards that count as recent
_FADING = 0.8
_MAX_WORTH = 3.0


class Block(NamedTuple):
    """One named slice."""

    name: str
    size: int
    meaning: str


STATE = (
    Block("hand", NUM_TYPES, "own cards by type"),
    Block("unseen", NUM_TYPES, "cards of the type in the stock and the other hands"),
    Block("lay_off", NUM_TYPES, "1: the card could be laid off on the table"),
    Block("outs", 52, "1: the card would make a new meld with two cards of the rest"),
    Block("top", NUM_TYPES, "the top discard, one-hot"),
    Block("recent", NUM_TYPES, "recent discards of all, the older the less"),
    Block("thrown", NUM_TYPES, "cards the opponent has discarded"),
    Block("took", NUM_TYPES, "cards the opponent took from the pile and kept"),
    Block("known", NUM_TYPES, "cards everybody knows the opponent to hold"),
    Block("playing", 1, "1: the turn is past its draw"),
    Block("cards", 1, "own cards / 13"),
    Block("their_cards", 1, "cards of the opponent / 13"),
    Block("fewest_cards", 1, "cards of the seat that holds fewest / 13"),
    Block("opened", 1, "1: has opened"),
    Block("they_opened", 1, "1: the opponent has"),
    Block("opened_now", 1, "1: opened in this turn"),
    Block("owes_taken", 1, "1: the taken discard must still be laid"),
    Block("returned", 1, "1: gave the discard back in this turn"),
    Block("jokers", 1, "jokers in the hand"),
    Block("points", 1, "cost of the hand / 100"),
    Block("left", 1, "cost of the rest after the best use of the hand / 100"),
    Block("rest", 1, "cards of the rest / 13"),
    Block("melds", 1, "melds of the best use / 4"),
    Block("value", 1, "what they count to the opening / 100"),
    Block("lack", 1, "points they lack to open / 40"),
    Block("laid", 1, "opening points laid in this turn / 40"),
    Block("live_outs", 1, "unseen cards that make a new meld / 20"),
    Block("live_opening", 1, "unseen cards that would open / 20"),
    Block("stock", 1, "cards of the stock / 100"),
    Block("turns", 1, "turns taken in this hand / 20"),
    Block("table", 1, "melds on the table / 10"),
    Block("renewed", 1, "renewals of the stock"),
    Block("total", 1, "own total / limit"),
    Block("their_total", 1, "the opponent's / limit"),
    Block("can_pay_100", 1, "1: 100 points more would not reach the limit"),
    Block("they_can_pay_100", 1, "1: the same of the opponent"),
    Block("first_seat", 1, "1: the hand was begun by this seat"),
    Block("players", 1, "players beyond two / 4"),
    Block("choices", 1, "legal moves / 20"),
)

CHOICE = (
    Block("kind", 7, "draw, take, return, discard, meld, add, swap: one-hot"),
    Block("hard", 1, "1: the hard level would play it"),
    Block("normal", 1, "1: the normal level would"),
    Block("hard_worth", 1, "worth of the card to hard, less that of the one it throws / 5"),
    Block("joker", 1, "1: a joker is discarded or laid"),
    Block("points", 1, "cost in hand of the card / 10"),
    Block("rank", 1, "rank of the card / 12"),
    Block("left", 1, "cost of the rest after it / 100"),
    Block("gain", 1, "by how much that is less than now / 25"),
    Block("rest", 1, "cards of the rest after it / 13"),
    Block("after", 1, "cards in the hand after it / 13"),
    Block("lack", 1, "points lacking to open after it / 40"),
    Block("live_outs", 1, "live outs after it / 20"),
    Block("live_opening", 1, "opening outs after it / 20"),
    Block("lost_outs", 1, "live outs it gives up / 10"),
    Block("closes", 1, "1: closes the hand"),
    Block("in_hand", 1, "1: closes it in the turn of the opening"),
    Block("ready", 1, "1: after it the hand could go down at once but for one card"),
    Block("opens", 1, "1: reaches the opening"),
    Block("laid", 1, "opening points laid after it / 40"),
    Block("uses_jokers", 1, "jokers it lays"),
    Block("breaks", 1, "1: a discard out of the best use of the hand"),
    Block("worth", 1, "pairs and near runs of a discarded card / 10"),
    Block("live_worth", 1, "unseen cards that make a meld of it and another card held / 10"),
    Block("double", 1, "1: the hand holds both copies"),
    Block("copies", 1, "unseen copies of the card / 2"),
    Block("feeds", 1, "1: a discarded card can be laid off on the table"),
    Block("feeds_opened", 1, "1: and the opponent has opened"),
    Block("wanted", 1, "expected pairs in the opponent's hand that make a meld of it"),
    Block("thrown", 1, "times the opponent threw this card"),
    Block("thrown_near", 1, "cards near it the opponent threw / 3"),
    Block("took_near", 1, "cards near it the opponent took / 3"),
    Block("owed", 1, "1: it is the taken card"),
    Block("own_meld", 1, "1: lays off on a meld of this turn"),
    Block("card", 1, "the number of the card it takes, gives back, throws or lays off, or -1"),
)

HIDDEN = (
    Block("their_hand", NUM_TYPES, "the opponent's cards by type"),
    Block("their_outs", 52, "1: the card would make a new meld for the opponent"),
    Block("next_cards", NEXT_CARDS * NUM_TYPES, "the next cards of the stock, one-hot"),
    Block("their_points", 1, "cost of the opponent's hand / 100"),
    Block("their_left", 1, "... after the best use of it / 100"),
    Block("their_rest", 1, "cards left after it / 13"),
    Block("their_value", 1, "what it counts to the opening / 100"),
)


def _offsets(blocks: tuple[Block, ...]) -> tuple[int, ...]:
    """Return where each block begins, as a named tuple by block name."""
    names = [block.name for block in blocks]
    starts = np.cumsum([0, *(block.size for block in blocks)])[:-1].tolist()
    offsets: tuple[int, ...] = namedtuple("_Offsets", names)(*starts)  # type: ignore[misc]
    return offsets


STATE_SIZE: Final = sum(block.size for block in STATE)
CHOICE_SIZE: Final = sum(block.size for block in CHOICE)
HIDDEN_SIZE: Final = sum(block.size for block in HIDDEN)
_S = _offsets(STATE)
_C = _offsets(CHOICE)
_H = _offsets(HIDDEN)
STATE_AT: Final[Any] = _S  # named tuples made above: their fields are not known to mypy
CHOICE_AT: Final[Any] = _C

# Working memory of the encoder: one record for each thread.
FEATURE_WORK = np.dtype(
    [
        ("bot", BOT_WORK),
        ("seen", GAME, (1,)),  # the view that is encoded
        ("after", GAME, (1,)),  # the view after a move
        ("trial", GAME, (1,)),  # a game played out to see what a move is worth
        ("rest", REST, (2,)),  # of the hand now, and after a move
        ("stream", "u8", (1,)),  # for levels that ask for chance; the advice uses none
        ("outs", "u8"),  # outs of the hand now
        ("live_outs", "i8"),
    ],
    align=True,
)


def new_feature_work() -> np.ndarray:
    """Working memory of the encoder for one thread: FEATURE_WORK[1]."""
    return np.zeros(1, FEATURE_WORK)


def describe() -> str:
    """Return a table of all slices: part, name, first and last index, meaning."""
    lines = []
    for part, blocks in (("state", STATE), ("choice", CHOICE), ("hidden", HIDDEN)):
        first = 0
        for block in blocks:
            last = first + block.size - 1
            lines.append(f"{part:7} {block.name:16} {first:4} {last:4}  {block.meaning}")
            first = last + 1
    return "\n".join(lines)


# --- the decision -------------------------------------------------------------------------------


@kernel
def _write_cards(s, opponent, bot, out):
    """Hand, unseen cards, table and pile."""
    p = np.int64(s.player)
    count_unseen(s, p, bot.unseen)
    for card in range(NUM_TYPES):
        out[_S.hand + card] = s.hands[p, card]
        out[_S.unseen + card] = bot.unseen[card]
        out[_S.thrown + card] = s.discarded[opponent, card]
        out[_S.took + card] = s.takes[opponent, card] % 16
        if s.num_melds > 0 and attaches(s, card):
            out[_S.lay_off + card] = 1
    for card in (JOKER, np.int64(s.kept)):
        if card >= 0:
            out[_S.known + card] = known_in_hand(s, opponent, card)
    if s.num_pile > 0:
        out[_S.top + s.pile[s.num_pile - 1]] = 1
    weight = 1.0
    for i in range(min(np.int64(s.num_pile), _RECENT)):
        out[_S.recent + s.pile[s.num_pile - 1 - i]] += weight
        weight *= _FADING


@kernel
def _write_seats(s, opponent, out):
    """Who holds how many cards, who has opened, how the match stands."""
    p = np.int64(s.player)
    full, limit = np.float64(s.rules[DEAL]), max(np.float64(s.rules[LIMIT]), 1.0)
    fewest = np.int64(100)
    for q in range(s.rules[NUM_PLAYERS]):
        if q != p and s.in_match[q]:
            fewest = min(fewest, np.int64(s.hand_size[q]))
    out[_S.cards] = s.hand_size[p] / full
    out[_S.their_cards] = s.hand_size[opponent] / full
    out[_S.fewest_cards] = fewest / full
    out[_S.opened], out[_S.they_opened] = s.opened[p], s.opened[opponent]
    out[_S.turns] = s.turns[p] / 20
    out[_S.total], out[_S.their_total] = s.totals[p] / limit, s.totals[opponent] / limit
    out[_S.can_pay_100] = s.totals[p] + 100 < limit
    out[_S.they_can_pay_100] = s.totals[opponent] + 100 < limit
    out[_S.first_seat] = next_seat(s, np.int64(s.dealer)) == p
    out[_S.players] = (s.rules[NUM_PLAYERS] - 2) / 4


@kernel
def _write_turn(s, n, out):
    """What the turn has done and owes, and how far the hand has come."""
    out[_S.playing] = s.phase != DRAW
    out[_S.opened_now] = s.opened_this_turn
    out[_S.owes_taken] = s.taken != NONE
    out[_S.returned] = s.returned
    out[_S.jokers] = s.hands[s.player, JOKER]
    out[_S.points] = hand_value(s, np.int64(s.player)) / 100
    out[_S.laid] = opening_points(s) / 40
    out[_S.stock] = s.num_stock / 100
    out[_S.table] = s.num_melds / 10
    out[_S.renewed] = s.reshuffles
    out[_S.choices] = min(n, 40) / 20


@kernel
def _write_best_use(s, work, melds, out):
    """The best use of the hand and what would help it."""
    rest, need = work.rest[0], opening_need(s)
    work.outs = find_outs(rest.once)
    work.live_outs = live_total(work.outs, work.bot.unseen)
    for card in range(52):
        out[_S.outs + card] = has(work.outs, card)
    out[_S.left] = rest.left / 100
    out[_S.rest] = rest.cards / 13
    out[_S.melds] = melds / 4
    out[_S.value] = rest.value / 100
    out[_S.lack] = max(need - rest.value, 0) / 40
    out[_S.live_outs] = work.live_outs / 20
    out[_S.live_opening] = opening_outs(s, rest, work.outs, work.bot.unseen, need) / 20


# --- the legal moves ----------------------------------------------------------------------------


@kernel
def _kind_of(action):
    """0 draw, 1 take, 2 return, 3 discard, 4 meld, 5 add, 6 swap."""
    if action < DISCARD_ID:
        return action - DRAW_ID
    if action < MELD_ID:
        return 3
    if action < ADD_ID:
        return 4
    return 5 if action < SWAP_ID else 6


@kernel
def _card_of(s, action):
    """The card that a move takes, gives back, discards, lays off or swaps in; NONE for others."""
    if action == TAKE_ID:
        return np.int64(s.pile[s.num_pile - 1])
    if action == RETURN_ID:
        return np.int64(s.taken)
    if DISCARD_ID <= action < MELD_ID:
        return action - DISCARD_ID
    if ADD_ID <= action < SWAP_ID:
        card = (action - ADD_ID) % 104
        return card if card < 52 else np.int64(JOKER)
    return (action - SWAP_ID) % 52 if action >= SWAP_ID else np.int64(NONE)


@kernel
def _write_after(s, after, work, row):
    """What the hand is worth after a move: ``work.rest[1]``, in the state ``after``."""
    now, rest, need = work.rest[0], work.rest[1], opening_need(after)
    outs = find_outs(rest.once)
    live = live_total(outs, work.bot.unseen)
    row[_C.left] = rest.left / 100
    row[_C.gain] = (now.left - rest.left) / 25
    row[_C.rest] = rest.cards / 13
    row[_C.lack] = max(need - rest.value, 0) / 40
    row[_C.live_outs] = live / 20
    row[_C.live_opening] = opening_outs(s, rest, outs, work.bot.unseen, need) / 20
    row[_C.lost_outs] = (work.live_outs - live) / 10
    row[_C.ready] = rest.cards <= 1 and need <= rest.value


@kernel
def _write_danger(s, opponent, unseen, card, row):
    """What throwing a natural card may give the opponent, and what he has shown of its kind."""
    total = 0
    for c in range(NUM_TYPES):
        total += unseen[c]
    share = s.hand_size[opponent] / max(total, 1)
    row[_C.copies] = unseen[card] / 2
    row[_C.wanted] = pairs_with(card, unseen) * share * share
    row[_C.thrown] = s.discarded[opponent, card]
    near, thrown, took = near_cards(card), 0, 0
    for c in range(52):
        if has(near, c):
            thrown += s.discarded[opponent, c]
            took += s.takes[opponent, c] % 16
    row[_C.thrown_near], row[_C.took_near] = thrown / 3, took / 3


@kernel
def _write_discard(s, opponent, work, card, row):
    """A discard: what it costs the hand, and what it gives away."""
    p, rest, bot = np.int64(s.player), work.rest[1], work.bot
    work.rest[1] = work.rest[0]
    row[_C.after] = (s.hand_size[p] - 1) / 13
    row[_C.closes] = s.hand_size[p] == 1
    row[_C.in_hand] = s.hand_size[p] == 1 and s.opened_this_turn
    feeds = s.num_melds > 0 and attaches(s, card)
    row[_C.feeds], row[_C.feeds_opened] = feeds, feeds and s.opened[opponent]
    if card != JOKER and has(rest.once, card):
        drop_card(s, rest, card)
    else:
        after = work.after[0]
        work.after[0] = s
        lose_card(after, p, card)
        measure(after, bot, rest)
        row[_C.breaks] = 1
    _write_after(s, s, work, row)
    if card == JOKER:
        return
    held, bit = s.held_once[p], np.uint64(1) << np.uint64(card)
    row[_C.worth] = closeness(held, card, 2.0, 2.0, 1.0) / 10
    row[_C.double] = s.held_twice[p] & bit != 0
    lost = find_outs(held) & ~find_outs(held & ~bit)
    row[_C.live_worth] = live_total(lost, bot.unseen) / 10
    _write_danger(s, opponent, bot.unseen, card, row)


@kernel
def _write_table_move(s, work, action, meld, row):
    """A take or a move to the table: carry it out and look."""
    after = work.after[0]
    work.after[0] = s
    p = np.int64(s.player)
    if action == TAKE_ID:
        take_card(after)
    else:
        table_move(after, action, meld)
    measure(after, work.bot, work.rest[1])
    _write_after(s, after, work, row)
    row[_C.after] = after.hand_size[p] / 13
    row[_C.opens] = after.opened[p] and not s.opened[p]
    row[_C.laid] = opening_points(after) / 40
    row[_C.uses_jokers] = s.hands[p, JOKER] - after.hands[p, JOKER]
    if meld != NONE:
        row[_C.own_meld] = s.meld_new[meld]


@kernel
def _write_choice(s, opponent, work, action, meld, row):
    """One legal move."""
    for i in range(CHOICE_SIZE):
        row[i] = 0
    kind = _kind_of(action)
    row[_C.kind + kind] = 1
    card = _card_of(s, action)
    row[_C.card] = card
    if card != NONE:
        row[_C.joker] = card == JOKER
        row[_C.points] = card_points(s, card) / 10
        row[_C.rank] = card % 13 / 12 if card != JOKER else 0.0
        row[_C.owed] = card == s.taken
    if kind == 3:
        _write_discard(s, opponent, work, card, row)
    elif kind == 1 or kind >= 4:
        _write_table_move(s, work, action, meld, row)
    else:
        work.rest[1] = work.rest[0]
        row[_C.after] = s.hand_size[s.player] / 13
        _write_after(s, s, work, row)
    if kind == 4:
        row[_C.joker] = MELD_NUM_JOKERS[action - MELD_ID] > 0


@kernel
def _write_advice(s, work, n, advice, choices):
    """Mark the moves that the two levels would play."""
    bot = work.bot
    normal = decide(NORMAL, s, bot, bot.moves, n, advice[0], work.stream)
    choices[normal, _C.normal] = 1
    hard = np.int64(decide(HARD, s, bot, bot.moves, n, advice[1], work.stream))
    choices[hard, _C.hard] = 1
    thrown = np.int64(bot.moves[hard, 0]) - DISCARD_ID
    if not 0 <= thrown < JOKER:
        return
    for i in range(n):
        card = np.int64(bot.moves[i, 0]) - DISCARD_ID
        if 0 <= card < JOKER:
            worth = (bot.use[card] - bot.use[thrown]) / 5
            choices[i, _C.hard_worth] = min(max(worth, -_MAX_WORTH), _MAX_WORTH)


@kernel
def list_choices(s, work):
    """List the legal whole moves of a view into ``work.bot.moves``; returns their number."""
    bot = work.bot
    return keep_pending(s, bot.moves, legal_moves(s, bot.moves, bot.search))


@kernel
def encode(s, work, n, advice, state, choices):
    """Write the features of a decision.

    Args:
        s: the view of the seat to move.
        work: a FEATURE_WORK record whose ``bot.moves`` holds the legal moves.
        n: how many there are.
        advice: float64[2, MAX_PARAMETERS], the figures of the normal and of the hard level.
        state: float32[STATE_SIZE], overwritten.
        choices: float32[>= n, CHOICE_SIZE], the first n rows overwritten.
    """
    for i in range(STATE_SIZE):
        state[i] = 0
    opponent = next_seat(s, np.int64(s.player))
    _write_cards(s, opponent, work.bot, state)
    _write_seats(s, opponent, state)
    _write_turn(s, n, state)
    melds = measure(s, work.bot, work.rest[0])
    _write_best_use(s, work, melds, state)
    moves = work.bot.moves
    for i in range(n):
        action, meld = np.int64(moves[i, 0]), np.int64(moves[i, 1])
        _write_choice(s, opponent, work, action, meld, choices[i])
    _write_advice(s, work, n, advice, choices)


@kernel
def encode_hidden(s, work, out):
    """Write what is hidden from the seat to move, for a critic.

    Args:
        s: a game, not a view.
        out: float32[HIDDEN_SIZE], overwritten.
    """
    for i in range(HIDDEN_SIZE):
        out[i] = 0
    opponent = next_seat(s, np.int64(s.player))
    for card in range(NUM_TYPES):
        out[_H.their_hand + card] = s.hands[opponent, card]
    for i in range(min(np.int64(s.num_stock), NEXT_CARDS)):
        out[_H.next_cards + i * NUM_TYPES + s.stock[s.num_stock - 1 - i]] = 1
    after, rest = work.after[0], work.rest[1]
    work.after[0] = s
    after.player, after.taken = opponent, NONE
    measure(after, work.bot, rest)
    outs = find_outs(rest.once)
    for card in range(52):
        out[_H.their_outs + card] = has(outs, card)
    out[_H.their_points] = hand_value(s, opponent) / 100
    out[_H.their_left] = rest.left / 100
    out[_H.their_rest] = rest.cards / 13
    out[_H.their_value] = rest.value / 100


@AGENTS.entry
def encode_views(views, first, advice, states, choices, offsets, moves, work):
    """Write the features of the decisions of many views, as many as there is room for.

    Args:
        views: GAME[B], each the view of its seat to move.
        first: the view to begin with.
        advice: float64[2, MAX_PARAMETERS].
        states: float32[B, STATE_SIZE], written from row 0.
        choices: float32[R, CHOICE_SIZE], the moves of all views one after the other.
        offsets: int64[B + 1], where the moves of each view begin in ``choices``.
        moves: int16[R, 2], the moves themselves.
        work: FEATURE_WORK[1].

    Returns:
        The view to go on with; B when all are done.
    """
    w, rows = work[0], 0
    offsets[0] = 0
    for b in range(first, len(views)):
        n = list_choices(views[b], w)
        if rows + n > len(choices):
            return b
        encode(views[b], w, n, advice, states[b - first], choices[rows:])
        for i in range(n):
            moves[rows + i, 0], moves[rows + i, 1] = w.bot.moves[i, 0], w.bot.moves[i, 1]
        rows += n
        offsets[b - first + 1] = rows
    return len(views)
