"""The mutants: the engine with one rule broken, for every parameter and every bullet of the rules.

A mutant of a parameter ignores it: the engine always plays one of its values. A mutant of a bullet
is a change of one place of the engine's source. The names begin with the section of
``docs/rules.md`` that is broken.
"""

from __future__ import annotations

from dataclasses import dataclass

from scala40_env.rules import TEAM_PLAYERS, Rules, value_text


@dataclass(frozen=True)
class Forced:
    """The engine plays `value` whatever the rules say."""

    field: str
    value: str

    @property
    def name(self) -> str:
        return f"{self.field}={self.value}"


@dataclass(frozen=True)
class Changed:
    """In `file` of the engine `old`, which is there once, is `new`."""

    name: str
    file: str
    old: str
    new: str


# Values of the fields that hold numbers: each is the value of some preset, or a common other one.
NUMBERS = {
    "num_players": (2, 3),
    "deal": (13, 7),
    "opening_min": (40, 0),
    "max_run": (14, 3),
    "unopened_penalty": (100, None),
    "joker_in_hand": (25, 14),
    "lone_ace_in_hand": (11, 1),
    "limit": (101, 201),
    "reshuffles": (1, None),
    "max_turns": (400, 7),
    "max_hands": (100, None),
}


def forced() -> list[Forced]:
    """For every field, every value that it may be stuck at."""
    found = []
    for name, spec in Rules.SPECS.items():
        for value in NUMBERS.get(name, spec.allowed):
            # The engine takes both kinds of teams alike: their size is the number of players.
            if value not in list(TEAM_PLAYERS)[1:]:
                found.append(Forced(name, value_text(value)))
    return found


CHANGED = [
    # --- melds
    Changed(
        "Sets, runs and the ace: round the corner",
        "table.py",
        "if place < 0 or place > 13 or NUM_PLACES",
        "if NUM_PLACES",
    ),
    Changed(
        "Sets, runs and the ace: two natural aces in one run",
        "table.py",
        "return s.meld_jokers[m] & _BOTH_ACES != 0",
        "return True",
    ),
    Changed(
        "Sets, runs and the ace: only the high end of 2 to K takes an ace",
        "table.py",
        "for end in range(ON_LOW, ON_HIGH + 1):",
        "for end in range(ON_HIGH, ON_HIGH + 1):",
    ),
    Changed(
        "Melds: identical ones are all offered",
        "legal.py",
        "if m != NONE and _is_repeated(s, m):",
        "if m != NONE and m < 0:",
    ),
    Changed(
        "Swapping a joker: before opening too",
        "table.py",
        "n = _list_set_moves(s, hand, m, opened, moves, n)\n"
        "        else:\n"
        "            n = _list_run_moves(s, hand, m, opened, moves, n)",
        "n = _list_set_moves(s, hand, m, True, moves, n)\n"
        "        else:\n"
        "            n = _list_run_moves(s, hand, m, True, moves, n)",
    ),
    Changed(
        "Swapping a joker: the low ace where the high one is natural",
        "table.py",
        "if jokers & _LOW_ACE and not naturals & _HIGH_ACE:",
        "if jokers & _LOW_ACE:",
    ),
    Changed(
        "Swapping a joker: the high ace where the low one is natural",
        "table.py",
        "if jokers & _HIGH_ACE and not naturals & _LOW_ACE:",
        "if jokers & _HIGH_ACE:",
    ),
    Changed(
        "Swapping a joker: the joker is gone",
        "table.py",
        "    gain_card(s, p, JOKER)\n",
        "",
    ),
    Changed(
        "Swapping a joker: it does not lay the discard just taken",
        "table.py",
        "    _use_card(s, card, s.meld_new[m] != 0)\n    p = s.player\n",
        "    lose_card(s, s.player, card)\n    p = s.player\n",
    ),
    Changed(
        "Swapping a joker: its duty is not looked at",
        "legal.py",
        "return left >= 2 and s.rules[RECOVERED_JOKER] == 0",
        "return left >= 2",
    ),
    Changed(
        "Several jokers a card could replace: the high ace first",
        "table.py",
        "    if jokers & _LOW_ACE and not naturals & _HIGH_ACE:\n"
        "        return 0\n"
        "    if jokers & _HIGH_ACE and not naturals & _LOW_ACE:\n"
        "        return 13\n",
        "    if jokers & _HIGH_ACE and not naturals & _LOW_ACE:\n"
        "        return 13\n"
        "    if jokers & _LOW_ACE and not naturals & _HIGH_ACE:\n"
        "        return 0\n",
    ),
    Changed(
        "Several jokers a card could replace: not the own suit first",
        "table.py",
        "        if jokers >> suit & 1:\n            return np.int64(suit)\n",
        "        if jokers >> suit & 1 and s.rules[SET_JOKER] == 0:\n"
        "            return np.int64(suit)\n",
    ),
    Changed(
        "Several jokers a card could replace: the last suit first",
        "table.py",
        "return np.int64(LOWEST[jokers]) if s.rules[SET_JOKER] == 1",
        "return np.int64(HIGHEST[jokers]) if s.rules[SET_JOKER] == 1",
    ),
    # --- opening
    Changed(
        "Laying before opening: more than the minimum is asked for",
        "table.py",
        "opening_points(s) >= s.rules[OPENING_MIN]",
        "opening_points(s) > s.rules[OPENING_MIN]",
    ),
    Changed(
        "Laying before opening: growing does not open",
        "table.py",
        "    _use_card(s, JOKER if as_joker else card, s.meld_new[m] != 0)\n    _note_opening(s)\n",
        "    _use_card(s, JOKER if as_joker else card, s.meld_new[m] != 0)\n",
    ),
    Changed(
        "Laying before opening: older melds take cards too",
        "table.py",
        "if not opened and not s.meld_new[m]:",
        "if not opened and m < 0:",
    ),
    Changed(
        "Laying before opening: the minimum need not be within reach",
        "finish.py",
        "    if not laid or s.opened[s.player]:\n",
        "    if laid or not laid:\n",
    ),
    Changed(
        "Laying before opening: a first meld must open at once",
        "finish.py",
        "        answer = opening(s, work, n, least)\n",
        "        answer = 0\n",
    ),
    Changed(
        "Laying before opening: the search takes opened states for others",
        "finish.py",
        "np.uint64(owed * 2 + s.opened[s.player])",
        "np.uint64(owed)",
    ),
    Changed(
        "Laying before opening: opened for this turn only",
        "deal.py",
        "    s.opened_this_turn, s.laid_off_or_swapped = 0, 0\n",
        "    s.opened_this_turn, s.laid_off_or_swapped = 0, 0\n    s.opened[s.player] = 0\n",
    ),
    Changed(
        "Opening without joker: melds with one are counted on",
        "arrange.py",
        "    if jokers == 0 or s.rules[OPENING_JOKER]:\n",
        "    if jokers >= 0:\n",
    ),
    Changed(
        "Opening without joker: what counts may not go down before the joker",
        "arrange.py",
        "rest, most = places & ~jokers, 0",
        "rest, most = 0, 0",
    ),
    Changed(
        "Opening without joker: another part than the one that lies counts",
        "arrange.py",
        " and laid & ~part == 0",
        "",
    ),
    Changed(
        "Laying before opening: a glance sees one copy of each card",
        "opening.py",
        " + cards_value(s, twice & cards)",
        "",
    ),
    Changed(
        "Laying before opening: a glance sees no ace above the king",
        "opening.py",
        "        in_run |= in_run >> 13  # the ace above the king\n",
        "",
    ),
    Changed(
        "Swap: a glance at the discard forgets the jokers of runs",
        "table.py",
        "        return NUM_PLACES[jokers & suit_places(cards, base)]\n",
        "        return 0\n",
    ),
    Changed(
        "Swap: a glance at the discard forgets the jokers of sets",
        "table.py",
        "    return NUM_PLACES[jokers & suits]\n",
        "    return 0\n",
    ),
    Changed(
        "Swap: a glance at the discard forgets that any missing suit will do",
        "table.py",
        "        return min(NUM_PLACES[jokers], NUM_PLACES[suits])\n",
        "        return NUM_PLACES[jokers & suits]\n",
    ),
    Changed(
        "Taking the discard before opening: a glance leaves the taken card out",
        "opening.py",
        "    if taken != NONE:\n",
        "    if taken == JOKER:\n",
    ),
    # --- the discard
    Changed(
        "Taking the discard before opening: without an opening",
        "legal.py",
        "    return can_finish(after, work, n)\n",
        "    return True\n",
    ),
    Changed(
        "Taking the discard before opening: the card may go on an older meld",
        "table.py",
        "if card == s.taken and (on_new_meld or not s.opened_this_turn):",
        "if card == s.taken:",
    ),
    Changed(
        "Taking the discard before opening: not by a swap",
        "table.py",
        "    _use_card(s, card, s.meld_new[m] != 0)\n    p = s.player\n",
        "    _use_card(s, card, False)\n    p = s.player\n",
    ),
    Changed(
        "Taking the discard before opening: only into a new meld, not by growing",
        "table.py",
        "    _use_card(s, JOKER if as_joker else card, s.meld_new[m] != 0)\n",
        "    _use_card(s, JOKER if as_joker else card, False)\n",
    ),
    Changed(
        "The duty of a taken discard: none",
        "finish.py",
        "if s.taken != NONE or s.recovered > 0:\n        return False\n    laid",
        "if s.recovered > 0:\n        return False\n    laid",
    ),
    Changed(
        "The duty of a taken discard: only new melds pay it",
        "table.py",
        "if card == s.taken and (on_new_meld or not s.opened_this_turn):",
        "if card == s.taken and on_new_meld:",
    ),
    Changed(
        "Giving the discard back: the pile may be taken again",
        "legal.py",
        "if s.num_pile == 0 or s.returned:",
        "if s.num_pile == 0:",
    ),
    Changed(
        "Giving the discard back: after laying a meld too",
        "legal.py",
        "        if s.meld_new[m]:\n            return False\n    return True\n",
        "        if s.meld_new[m]:\n            return True\n    return True\n",
    ),
    Changed(
        "Giving the discard back: after a lay-off or swap too",
        "legal.py",
        "not s.rules[RETURN_TAKEN] or s.laid_off_or_swapped:",
        "not s.rules[RETURN_TAKEN]:",
    ),
    Changed(
        "first_player_upcard: every discard taken first is free",
        "legal.py",
        "is_first_turn_of_hand(s) and s.num_pile == 1",
        "s.num_pile >= 1",
    ),
    # --- the end of a turn
    Changed(
        "A card is left to discard: none",
        "finish.py",
        "return 0 if s.rules[CLOSE_WITHOUT_DISCARD] else 1",
        "return 0",
    ),
    Changed(
        "A card is left to discard: one in a first turn that may not close",
        "finish.py",
        "        return 2\n",
        "        return 1\n",
    ),
    Changed(
        "A card is left to discard: a barred last one will do",
        "finish.py",
        "return not last_discard_is_barred(s, card)",
        "return True",
    ),
    Changed(
        "Everything owed is paid: a recovered joker",
        "finish.py",
        "if s.taken != NONE or s.recovered > 0:\n        return False\n    laid",
        "if s.taken != NONE:\n        return False\n    laid",
    ),
    Changed(
        "Everything owed is paid: naturals",
        "finish.py",
        "            if naturals_missing(s, m):\n                return False\n    if not laid",
        "            if naturals_missing(s, m):\n                laid = True\n    if not laid",
    ),
    Changed(
        "Everything owed is paid: a taken and a recovered joker are one by one",
        "table.py",
        "    if card == JOKER and s.recovered > 0:\n",
        "    elif card == JOKER and s.recovered > 0:\n",
    ),
    Changed(
        "Attaching discards: melds of this turn do not count",
        "table.py",
        "    for m in range(s.num_melds):\n        if card == JOKER:\n",
        "    for m in range(s.num_melds):\n"
        "        if s.meld_new[m]:\n"
        "            continue\n"
        "        if card == JOKER:\n",
    ),
    Changed(
        "Attaching discards: a joker never attaches",
        "table.py",
        "            if has_room_for_joker(s, m):\n                return True\n",
        "            if has_room_for_joker(s, m):\n                return False\n",
    ),
    Changed(
        "Attaching discards: a joker always attaches",
        "table.py",
        "            if has_room_for_joker(s, m):\n                return True\n",
        "            return True\n",
    ),
    Changed(
        "Attaching discards: the card a joker stands for attaches",
        "table.py",
        "if s.meld_base[m] == card % 13 and not s.meld_places[m] >> (card // 13) & 1:",
        "if s.meld_base[m] == card % 13 and not (\n"
        "                s.meld_places[m] & ~s.meld_jokers[m]\n"
        "            ) >> (card // 13) & 1:",
    ),
    Changed(
        "Attaching discards: a full run attaches at its high end",
        "table.py",
        "            if high % 13 == card % 13 and run_end_is_open(s, m, high, False):",
        "            if high % 13 == card % 13:",
    ),
    Changed(
        "Attaching discards: a full run attaches at its low end",
        "table.py",
        "            if low == card % 13 and run_end_is_open(s, m, low, False):",
        "            if low == card % 13:",
    ),
    Changed(
        "Attaching discards: seats that are out count",
        "legal.py",
        "seats_in_match(s) >= 3",
        "s.rules[NUM_PLAYERS] >= 3",
    ),
    Changed(
        "Attaching discards: by the state at the start of the turn",
        "legal.py",
        "ban = s.rules[ATTACH_OPENED] if s.opened[s.player] else",
        "ban = s.rules[ATTACH_OPENED] if s.opened[s.player] and not s.opened_this_turn else",
    ),
    Changed(
        "Attaching discards: bans are never lifted",
        "legal.py",
        "return count if count > n else _list_cards(s, False, False, moves, n)",
        "return count",
    ),
    Changed(
        "Attaching discards: only the ban on attaching is lifted",
        "legal.py",
        "else _list_cards(s, False, False, moves, n)  # bans are lifted",
        "else _list_cards(s, False, joker_discard_is_barred(s), moves, n)",
    ),
    Changed(
        "Attaching discards: the bans count for a last card",
        "legal.py",
        "    count = _list_cards(s, False, False, moves, n)\n",
        "    joker_is_barred = joker_discard_is_barred(s)\n"
        "    count = _list_cards(s, attaching_is_barred(s), joker_is_barred, moves, n)\n",
    ),
    Changed(
        "Attaching discards: a barred last card is discarded",
        "legal.py",
        "    if count > n and last_discard_is_barred(s, np.int64(moves[n, 0]) - DISCARD_ID):\n"
        "        return n\n",
        "",
    ),
    Changed(
        "joker_discard: no joker closes under only_closing",
        "finish.py",
        "s.rules[JOKER_DISCARD] == _FORBID:",
        "s.rules[JOKER_DISCARD] >= 2:",
    ),
    Changed(
        "joker_discard: no joker closes under forbid_unopened",
        "finish.py",
        "s.rules[JOKER_DISCARD] == _FORBID:",
        "s.rules[JOKER_DISCARD] in (1, 3):",
    ),
    Changed(
        "close_without_discard: the hand goes on",
        "apply.py",
        "        if s.hand_size[s.player] == 0:  # close_without_discard\n            _close(s)\n",
        "",
    ),
    # --- closing in hand
    Changed(
        "Closing in hand: the exemption for any first meld",
        "finish.py",
        "return s.rules[HAND_CLOSE_EXEMPT] == 1 and s.hand_size[s.player] <= 1",
        "return s.rules[HAND_CLOSE_EXEMPT] == 1",
    ),
    Changed(
        "Closing in hand: the exemption with two cards left",
        "finish.py",
        "return s.rules[HAND_CLOSE_EXEMPT] == 1 and s.hand_size[s.player] <= 1",
        "return s.rules[HAND_CLOSE_EXEMPT] == 1 and s.hand_size[s.player] <= 2",
    ),
    Changed(
        "Closing in hand: not without the minimum",
        "apply.py",
        "in_hand = s.opened_this_turn != 0 or not s.opened[p]",
        "in_hand = s.opened_this_turn != 0",
    ),
    Changed(
        "Closing in hand: always",
        "apply.py",
        "in_hand = s.opened_this_turn != 0 or not s.opened[p]",
        "in_hand = s.opened[p] != 2",
    ),
    Changed(
        "Closing in hand: growing an own new meld spoils melds_only",
        "table.py",
        "    if not s.meld_new[m]:\n        s.laid_off_or_swapped = 1\n",
        "    s.laid_off_or_swapped = 1\n",
    ),
    Changed(
        "Closing in hand: a swap does not spoil melds_only",
        "table.py",
        "    s.laid_off_or_swapped = 1\n    _use_card(s, card, s.meld_new[m] != 0)\n",
        "    _use_card(s, card, s.meld_new[m] != 0)\n",
    ),
    Changed(
        "Closing in hand: the 100 does not stand for another penalty",
        "score.py",
        "if bonus == _FULL_100:",
        "if bonus == _FULL_100 and s.rules[UNOPENED_PENALTY] < 0:",
    ),
    Changed(
        "Closing in hand: the penalty is doubled under double_full100 of the opened only",
        "score.py",
        "return hand_value(s, seat) * (2 if bonus else 1)",
        "return hand_value(s, seat) * (2 if bonus == 1 else 1)",
    ),
    # --- the stock
    Changed(
        "When the stock is renewed: with a pile of one card",
        "apply.py",
        "if s.num_pile < 2 or (limit",
        "if s.num_pile < 1 or (limit",
    ),
    Changed(
        "When the stock is renewed: not shuffled",
        "apply.py",
        "    shuffle_stock(s)\n    return True\n",
        "    return True\n",
    ),
    Changed(
        "When the stock is renewed: the top card goes too",
        "apply.py",
        "    s.pile[0] = s.pile[s.num_pile - 1]\n",
        "    s.pile[0], s.stock[0] = s.pile[0], s.pile[s.num_pile - 1]\n",
    ),
    Changed(
        "max_turns: the stock is renewed first",
        "apply.py",
        "if turns >= s.rules[MAX_TURNS] or (s.num_stock == 0 and not _renew_stock(s)):",
        "if (s.num_stock == 0 and not _renew_stock(s)) or turns >= s.rules[MAX_TURNS]:",
    ),
    Changed(
        "max_turns: turns of one seat",
        "apply.py",
        "        turns += s.turns[q]\n",
        "        turns = max(turns, s.turns[q])\n",
    ),
    # --- points
    Changed(
        "What is left in hand: a closer who has not opened pays",
        "score.py",
        "if seat == closer or not s.in_match[seat]:",
        "if not s.in_match[seat]:",
    ),
    Changed(
        "What is left in hand: seats that are out pay",
        "score.py",
        "if seat == closer or not s.in_match[seat]:",
        "if seat == closer:",
    ),
    Changed(
        "lone_ace_in_hand: with other cards too",
        "score.py",
        "if s.hand_size[seat] == 1 and aces == 1 and graded == 0:",
        "if aces == 1 and graded == 0:",
    ),
    Changed(
        "lone_ace_in_hand: graded too",
        "score.py",
        "if s.hand_size[seat] == 1 and aces == 1 and graded == 0:",
        "if s.hand_size[seat] == 1 and aces == 1:",
    ),
    # --- the match
    Changed(
        "The deal passes: not at all",
        "deal.py",
        "    s.dealer = next_seat(s, np.int64(s.dealer))\n    deal_hand(s)\n",
        "    deal_hand(s)\n",
    ),
    Changed(
        "The deal passes: to seats that are out",
        "deal.py",
        "    s.dealer = next_seat(s, np.int64(s.dealer))\n    deal_hand(s)\n",
        "    s.dealer = (s.dealer + 1) % s.rules[NUM_PLAYERS]\n    deal_hand(s)\n",
    ),
    Changed(
        "The deal passes: the dealer begins",
        "deal.py",
        "    s.player = next_seat(s, np.int64(s.dealer))\n    s.phase = DRAW\n",
        "    s.player = s.dealer\n    s.phase = DRAW\n",
    ),
    Changed(
        "Out: only beyond the limit",
        "score.py",
        "        if not s.in_match[p] or s.totals[p] >= limit:\n",
        "        if not s.in_match[p] or s.totals[p] > limit:\n",
    ),
    Changed(
        "Out: a match decided at the cap is cut short",
        "score.py",
        "    elif s.rules[MAX_HANDS] >= 0 and s.hand_number",
        "    if s.rules[MAX_HANDS] >= 0 and s.hand_number",
    ),
    Changed(
        "Out: one who is out takes a turn",
        "state.py",
        "        if s.in_match[p]:\n            return p\n",
        "        return p\n",
    ),
    Changed(
        "Re-entry: with one below the limit",
        "score.py",
        "if below > 1 and may_return:",
        "if may_return:",
    ),
    Changed(
        "Re-entry: with the lowest total",
        "score.py",
        "        highest = max(highest, s.totals[p])\n        if last",
        "        highest = min(highest, s.totals[p]) if last != NONE else s.totals[p]\n"
        "        if last",
    ),
    Changed(
        "Nobody below the limit: all tied and untied play on",
        "score.py",
        "    if below == 0:\n        _win_lowest(s, True)\n",
        "    if below == 0:\n        _win_lowest(s, False)\n",
    ),
    Changed(
        "Nobody below the limit: the closer wins a play-off by closing",
        "score.py",
        "    if s.playoff:\n        _win_lowest(s, True)\n",
        "    if s.playoff and closer != NONE:\n"
        "        s.winner = team_of(s, closer)\n"
        "    elif s.playoff:\n"
        "        _win_lowest(s, True)\n",
    ),
    Changed(
        "mode: a tie in fixed_total is played off",
        "score.py",
        "            _win_lowest(s, False)\n",
        "            _win_lowest(s, True)\n",
    ),
    Changed(
        "Totals: a member's victory is his own",
        "score.py",
        "                if team_of(s, p) == team_of(s, closer):\n",
        "                if p == closer:\n",
    ),
    Changed(
        "Totals: points in victory_points",
        "score.py",
        "                    s.totals[p] += 1\n",
        "                    s.totals[p] += s.hand_points[p] + 1\n",
    ),
    Changed(
        "Playing in teams: neighbours are partners",
        "state.py",
        "return seat % 2 if",
        "return seat // 2 % 2 if",
    ),
    Changed(
        "Playing in teams: one opens for all",
        "table.py",
        "        s.opened[p] = 1\n",
        "        s.opened[p] = 1\n"
        "        if s.rules[31] > 0:\n"
        "            s.opened[(p + 2) % s.rules[0]] = 1\n",
    ),
    Changed(
        "Playing in teams: the closer's partners have no points",
        "score.py",
        "if seat == closer or not s.in_match[seat]:",
        "if not s.in_match[seat] or (closer >= 0 and team_of(s, seat) == team_of(s, closer)):",
    ),
    Changed(
        "Playing in teams: members count one by one when one is left",
        "score.py",
        "        if last == NONE or team_of(s, p) != team_of(s, last):\n            below += 1\n",
        "        below += 1\n",
    ),
    Changed(
        "Playing in teams: a tie between members is a tie",
        "score.py",
        "        if not s.in_match[p] or (s.rules[TEAMS] > 0 and p > 1):\n",
        "        if not s.in_match[p]:\n",
    ),
]
