"""The end of a hand and of a match: points, totals, who is out, who comes back, who has won."""

from .kernel import kernel
from .state import (
    CARD_VALUES,
    ELIMINATION,
    EXHAUSTED_RESULT,
    FIXED_TOTAL,
    HAND_CLOSE_BONUS,
    HAND_CLOSE_DEFINITION,
    HAND_OVER,
    JOKER,
    JOKER_IN_HAND,
    LIMIT,
    LONE_ACE,
    MATCH_OVER,
    MAX_HANDS,
    MODE,
    NONE,
    NUM_PLAYERS,
    PARTNER_PAYS,
    PENALTY_DOUBLED,
    REENTRY,
    SINGLE_HAND,
    TEAM_POINTS,
    TEAMS,
    UNOPENED_PENALTY,
    VICTORY_POINTS,
    team_of,
)
from .tables import RANK_VALUE

_FULL_100 = 2  # hand_close_bonus = double_full100


@kernel
def hand_value(s, seat):
    """Points of the cards left in a hand, without penalties."""
    graded = s.rules[CARD_VALUES]
    points = s.hands[seat, JOKER] * s.rules[JOKER_IN_HAND]
    aces = 0
    for card in range(52):
        points += s.hands[seat, card] * RANK_VALUE[graded, card % 13]
        if card % 13 == 0:
            aces += s.hands[seat, card]
    if s.hand_size[seat] == 1 and aces == 1 and graded == 0:
        return int(s.rules[LONE_ACE])
    return int(points)


@kernel
def _seat_points(s, seat, closer, in_hand):
    """What a seat pays for a hand; the closer 0."""
    if seat == closer or not s.in_match[seat]:
        return 0
    bonus = s.rules[HAND_CLOSE_BONUS] if in_hand else 0
    if not s.opened[seat]:
        if bonus == _FULL_100:
            return 100
        if s.rules[UNOPENED_PENALTY] >= 0:
            factor = 2 if bonus and s.rules[PENALTY_DOUBLED] else 1
            return int(s.rules[UNOPENED_PENALTY]) * factor
    return hand_value(s, seat) * (2 if bonus else 1)


@kernel
def _add_team_points(s, closer):
    """A team's total grows by its members' points; the closer's team pays only if it must."""
    n = s.rules[NUM_PLAYERS]
    for team in range(2):
        if closer != NONE and team == closer % 2 and not s.rules[PARTNER_PAYS]:
            continue
        total, worst = 0, 0
        for p in range(team, n, 2):
            total += s.hand_points[p]
            worst = max(worst, s.hand_points[p])
        for p in range(team, n, 2):
            s.totals[p] += worst if s.rules[TEAM_POINTS] == 1 else total


@kernel
def _add_points(s, closer):
    """Carry the points of the hand over to the totals."""
    n = s.rules[NUM_PLAYERS]
    if s.rules[MODE] == VICTORY_POINTS and not s.playoff:
        if closer != NONE:
            for p in range(n):
                if team_of(s, p) == team_of(s, closer):
                    s.totals[p] += 1
    elif s.rules[TEAMS] > 0:
        _add_team_points(s, closer)
    else:
        for p in range(n):
            s.totals[p] += s.hand_points[p]


@kernel
def _lowest_total(s):
    """The lowest total of those who play, and how many players or teams have it."""
    lowest, count = 0, 0
    for p in range(s.rules[NUM_PLAYERS]):
        if not s.in_match[p] or (s.rules[TEAMS] > 0 and p > 1):
            continue  # the first two seats stand for the two teams
        if count == 0 or s.totals[p] < lowest:
            lowest, count = s.totals[p], 1
        elif s.totals[p] == lowest:
            count += 1
    return lowest, count


@kernel
def _win_lowest(s, playoff):
    """The lowest total wins; a tie goes on, as a play-off among those tied where asked."""
    lowest, count = _lowest_total(s)
    for p in range(s.rules[NUM_PLAYERS]):
        if count == 1 and s.in_match[p] and s.totals[p] == lowest:
            s.winner = team_of(s, p)
        elif count > 1 and playoff and s.totals[p] != lowest:
            s.in_match[p] = 0
    if playoff and count > 1:
        s.playoff = 1


@kernel
def _eliminate(s):
    """Elimination: those at the limit are out or come back; one left, or the lowest, wins."""
    n, limit = s.rules[NUM_PLAYERS], s.rules[LIMIT]
    below, highest, last = 0, 0, NONE
    for p in range(n):
        if not s.in_match[p] or s.totals[p] >= limit:
            continue
        highest = max(highest, s.totals[p])
        if last == NONE or team_of(s, p) != team_of(s, last):
            below += 1
        last = p
    if below == 0:
        _win_lowest(s, True)
        return
    for p in range(n):
        if not s.in_match[p] or s.totals[p] < limit:
            continue
        may_return = s.rules[REENTRY] == 2 or (s.rules[REENTRY] == 1 and s.reentries[p] == 0)
        if below > 1 and may_return:
            s.totals[p] = highest
            s.reentries[p] += 1
        else:
            s.in_match[p] = 0
    if below == 1:
        s.winner = team_of(s, last)


@kernel
def _highest_total(s):
    highest = 0
    for p in range(s.rules[NUM_PLAYERS]):
        highest = max(highest, s.totals[p])
    return highest


@kernel
def _decide(s, closer):
    """Whether the match is won after this hand, by its mode."""
    mode = s.rules[MODE]
    if s.playoff:
        _win_lowest(s, True)
    elif mode == ELIMINATION:
        _eliminate(s)
    elif mode == SINGLE_HAND:
        if closer != NONE:
            s.winner = team_of(s, closer)
    elif mode == FIXED_TOTAL:
        if _highest_total(s) >= s.rules[LIMIT]:
            _win_lowest(s, False)
    elif closer != NONE and s.totals[closer] >= s.rules[LIMIT]:
        s.winner = team_of(s, closer)


@kernel
def end_hand(s, closer, in_hand):
    """Score a hand that is over, and see whether the match is.

    Args:
        closer: the seat that closed, or NONE (``exhausted_result`` decides then).
        in_hand: whether it closed in the turn in which it opened (before ``melds_only``).
    """
    if in_hand and s.rules[HAND_CLOSE_DEFINITION] == 1 and s.laid_off_or_swapped:
        in_hand = False
    s.closer, s.closed_in_hand = closer, in_hand
    scored = closer != NONE or s.rules[EXHAUSTED_RESULT] == 1
    for p in range(s.rules[NUM_PLAYERS]):
        s.hand_points[p] = _seat_points(s, p, closer, in_hand) if scored else 0
    if scored:
        _add_points(s, closer)
        _decide(s, closer)
    s.hand_number += 1
    s.phase = HAND_OVER
    if s.winner != NONE:
        s.phase = MATCH_OVER
    elif s.rules[MAX_HANDS] >= 0 and s.hand_number >= s.rules[MAX_HANDS]:
        s.phase, s.truncated = MATCH_OVER, 1
