"""The reference itself is checked: against the shared data, and rule by rule where they are silent.

The shared data never reach some corners of the rules; the small tests below the data pass are
named after the sentence of the rules that they check.
"""

from __future__ import annotations

import pytest
import reference as ref
import shared_data

# --------------------------------------------------------------------------------------------------
# The shared data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", shared_data.record_files(), ids=lambda path: path.stem)
def test_records_replay(path):
    """Same legal moves at every decision, same points, totals and winner."""
    for number, record in enumerate(shared_data.records(path)):
        assert ref.replay(record) == [], f"{path.name}, match {number}"


def test_records_are_there():
    shared_data.require(shared_data.RECORDS)
    assert len(shared_data.record_files()) >= 23


def test_positions_have_the_same_legal_moves():
    wrong = {}
    for case in shared_data.positions():
        legal = ref.legal_moves(ref.from_position(case["position"]))
        assert len(set(legal)) == len(legal)
        if legal != sorted(case["legal"]):
            wrong[case["id"]] = set(legal) ^ set(case["legal"])
    assert not wrong


def test_positions_come_back_the_same():
    for case in shared_data.positions():
        state = ref.from_position(case["position"])
        assert ref.from_position(ref.to_position(state)) == state


# --------------------------------------------------------------------------------------------------
# The worked cases
# --------------------------------------------------------------------------------------------------

# Cases that the rules overrule, with the reason. None so far.
OVERRULED: dict[str, str] = {}


def position(hand, table=(), *, others=5, rules=None, **fields):
    """A state in which seat 0 holds `hand` in its fourth turn, the other seats unseen cards."""
    rules = rules or ref.make_rules()
    n = rules["num_players"]
    base = {
        "rules": rules,
        "dealer": n - 1,
        "phase": "play",
        "hands": [list(hand)] + [[]] * (n - 1),
        "table": list(table),
        "pile": [],
        "turns": [3] * n,
        "opened": [True] * n,
    }
    base.update(fields)
    if "hands" not in fields:
        # The others get what is left of the lower cards, so that nobody holds a joker by chance.
        spare = [c for c in ref.unseen_cards(ref.from_position(base)) if c != "*"]
        base["hands"] = [list(hand)] + [spare[others * i : others * (i + 1)] for i in range(n - 1)]
    return ref.from_position(base)


def unopened(hand, table=(), **fields):
    """As `position`, but seat 0 has not opened."""
    n = fields.get("rules", {"num_players": 2})["num_players"]
    return position(hand, table, **{"opened": [False] + [True] * (n - 1), **fields})


def useless(cards, count):
    """Cards that fit to nothing given nor to each other, two of each name."""
    names = {card[:2] for card in cards if card != "*"}
    found = []
    for name in ref.PACK:
        together = {shape for card in [*names, *found] for shape in ref.SHAPES_WITH[card]}
        if name not in names and not together & set(ref.SHAPES_WITH[name]):
            found += [name, name]
    assert len(found) >= count
    return found[:count]


def play(state, *moves):
    """Play moves that must be legal."""
    for move in moves:
        legal = ref.legal_moves(state)
        assert move in legal, f"{move!r} is not among {legal}"
        ref.apply(state, move)
    return state


def lays(melds):
    """The moves that lay melds one after another: three cards each, then grown."""
    for number, meld in enumerate(melds):
        yield "meld " + " ".join(meld[:3])
        for token in meld[3:]:
            yield f"add {token} {number}"


def can_play(state, moves):
    """Whether a series of moves is legal from here to a discard."""
    for move in moves:
        if move not in ref.legal_moves(state):
            return False
        ref.apply(state, move)
    return True


def hands_worth(points):
    """A hand of two cards or more with these points, of an opened player; none for 0."""
    tens, rest = divmod(points, 10)
    cards = ["KS", "KS", "KH", "KH", "KD", "KD", "KC", "KC"][:tens]
    if rest == 1:
        cards = cards[1:] + ["9S", "2S"]
    elif rest:
        cards.append(f"{rest}S")
    return cards


def case_meld_valid(rules, given, expect):
    meld = ref.read_meld(given["cards"], rules)
    assert (meld is not None) == expect["valid"]
    if "type" in expect:
        assert ref.is_set(meld) == (expect["type"] == "set")


def case_meld_value(rules, given, expect):
    assert ref.meld_value(ref.read_meld(given["cards"], rules), rules) == expect


def case_open(rules, given, expect):
    melds = given["melds"]
    tokens = [token for meld in melds for token in meld]
    assert sum(ref.meld_value(" ".join(meld), rules) for meld in melds) == expect["value"]
    cards = [ref.hand_card(token) for token in tokens]
    hand = given.get("hand_before") or cards + useless([*tokens, "6S", "7S", "8S"], 4)
    table, last = [], []
    if "layoff_points" in given or "then" in given:
        table, last = ["5S 6S 7S"], ["add 8S 0"]
        hand = [*hand, "8S"]
    state = unopened(hand, rules=rules)
    moves = list(lays(melds))
    if table:
        state = unopened(hand, table, rules=rules)
        moves = [m if m.startswith("meld") else m[:-1] + "1" for m in moves] + last
    assert can_play(state, moves) == expect["legal"]
    if expect["legal"]:
        assert state.opened[0] or given.get("closes")
        leave = [move for move in ref.legal_moves(state) if move.startswith("discard")]
        assert leave
        if given.get("hand_before"):
            ref.apply(state, leave[0])
            assert state.closer == 0 and state.closed_in_hand


def case_layoff(rules, given, expect):
    hand = [ref.hand_card(given["card"]), *useless([given["card"]], 3)]
    make = position if given["opened"] else unopened
    laid = [0] if given.get("meld_laid_this_turn") else []
    state = make(hand, [" ".join(given["meld"])], rules=rules, laid_this_turn=laid)
    assert (f"add {given['card']} 0" in ref.legal_moves(state)) == expect["legal"]


def case_swap(rules, given, expect):
    card = given["card"]
    hand = [card, *useless([*given["meld"], "AS"], 3)]
    make = position if given["opened"] else unopened
    taken = card if given.get("card_is_taken_discard") else None
    state = make(hand, [" ".join(given["meld"])], rules=rules, taken=taken)
    assert (f"swap {card} 0" in ref.legal_moves(state)) == expect["legal"]
    if not expect["legal"]:
        return
    ref.apply(state, f"swap {card} 0")
    may_end = any(move.startswith("discard") for move in ref.legal_moves(state))
    assert may_end == (rules["recovered_joker"] == "keep")
    if "taken_used" in expect:
        assert state.taken is None
    if "then" in given:
        play(state, "add 8S* 0")


def case_take(rules, given, expect):
    action = given.get("action")
    if action == "take 8S":
        state = position(["8S", "KD"], ["9S 9H 9D"], rules=rules, phase="draw", pile=["8S", "9C"])
        play(state, "take")
        assert state.taken == "9C" and state.pile == ["8S"]
        return
    if action == "take 8S again" or action == "return":
        state = position(["KD", "2H"], ["5S 6S 7S"], rules=rules, phase="draw", pile=["8S"])
        play(state, "take", "return")
        assert ref.legal_moves(state) == ["draw"]
        return
    if action:
        hand = given.get("hand", ["8S", "KD", "2H"])
        state = position(hand, ["5S 6S 7S"], rules=rules, taken="8S")
        assert (action in ref.legal_moves(state)) == expect["legal"]
        return
    hand = given.get("hand", useless([given["top"]], 6))
    make = position if given["opened"] else unopened
    turns = [0, 0] if given.get("first_turn_of_hand") else [3, 3]
    state = make(
        hand, [" ".join(m) for m in given.get("table", [])],
        rules=rules, phase="draw", pile=[given["top"]], turns=turns,
    )  # fmt: skip
    assert ("take" in ref.legal_moves(state)) == expect["legal"]
    if expect["legal"]:
        ref.apply(state, "take")
        assert (state.taken is not None) == expect.get("must_use", True)
        assert f"discard {given['top']}" in ref.legal_moves(state) or state.taken


def case_discard(rules, given, expect):
    rules = {**rules, "num_players": given.get("seats_at_start", given["players"])}
    table = [" ".join(meld) for meld in given.get("table", [])]
    card = given["card"]
    tokens = [card, *" ".join(table).split()]
    hand = [card, *useless(tokens, min(4, given["hand_after"]))]
    if given.get("all_hand_cards_banned"):
        hand = ["8S", "8S", "4S", "4S"]
    make = position if given["opened"] else unopened
    state = make(hand, table, rules=rules)
    for seat in range(given["players"], rules["num_players"]):
        state.hands[seat].clear()
        state.seats_in[seat] = False
    if given.get("recovered_this_turn") and rules["recovered_joker"] == "must_reuse":
        state.recovered = 1
    assert (f"discard {card}" in ref.legal_moves(state)) == expect["legal"]
    if expect.get("closes"):
        ref.apply(state, f"discard {card}")
        assert state.phase == "over" and state.closer == 0


def case_close(rules, given, expect):
    action = given["action"]
    full = "2S 3S 4S 6H 7H 8H 9C TC JC QC 5S 5H 5D KD".split()
    moves = [*lays([full[:3], full[3:6], full[6:10], full[10:13]])]
    if "6S 6H 6D" in action:
        state = position(given["hand"], rules=rules)
        assert can_play(state, ["meld 6S 6H 6D"]) == expect["legal"]
    elif "layoff 8S" in action:
        state = position(given["hand"], ["5S 6S 7S"], rules=rules)
        play(state, "add 8S 0", "add 4S 0", "discard KD")
    elif "13 cards" in action:
        state = unopened(full, rules=rules, turns=[given["lap"] - 1] * 2)
        assert can_play(state, [*moves, "discard KD"]) == expect["legal"]
        assert not expect.get("hand_close") or state.closed_in_hand
    elif "leaving two cards" in action:
        state = unopened([*full[:10], "KD", "2H"], rules=rules, turns=[0, 0])
        play(state, *moves[:4], "discard KD")
    elif action.startswith("partner"):
        rules = ref.make_rules(num_players=4, teams="2x2")
        state = position(["KD"], rules=rules, dealer=1, player=0)
        play(state, "discard KD")
    else:
        state = position(["KD"], rules=rules)
        play(state, "discard KD")
        assert ref.legal_moves(state) == []
        return
    if expect["legal"] and expect.get("closes", True):
        assert state.phase == "over" and state.closer == 0
    else:
        assert state.phase == "play" or state.closer is None


def case_score(rules, given, expect):
    if given.get("closer") is True:
        state = play(position(["KD"], rules=rules), "discard KD")
        assert state.hand_points[0] == expect
        return
    in_hand = given.get("closer_hand_close", False)
    if isinstance(given.get("closer"), dict):
        assert rules["hand_close_definition"] == "melds_only" and given["closer"]["layoffs_used"]
        hand = "KS KH KD KC 8S 2D".split()
        state = unopened(
            hand, ["5S 6S 7S"], rules=rules, hands=[hand, given["hand"]], opened=[False, True]
        )
        play(state, "meld KS KH KD", "add KC 1", "add 8S 0", "discard 2D")
        assert not state.closed_in_hand
        assert state.hand_points == [0, expect]
        return
    points = ref.points_of(ref.Counter(given["hand"]), given.get("opened", True), in_hand, rules)
    assert points == expect


def case_exhaust(rules, given, expect):
    if "deal" in given:
        rules = {**rules, "num_players": given["players"]}
        deal = ref.shuffled_deal(rules, ref.random.Random(1), 0)
        assert len(deal["stock"]) == expect["stock_after_upcard"]
        return
    pile = given["pile"]
    state = position(
        [pile[-1], "KS"], rules=rules, pile=pile[:-1], stock=[], reshuffles=given["reshuffles_done"]
    )
    ref.apply(state, f"discard {pile[-1]}", restock=lambda cards: cards)
    assert len(state.stock) == expect["new_stock"] and state.pile == expect["pile"]
    assert (state.phase == "over") == expect["hand_over"]


def case_match(rules, given, expect):
    names = given.get("order") or list(given.get("totals") or given["hand"])
    n = len(names)
    rules = {**rules, "num_players": n}
    points = given.get("hand") or {name: 0 for name in names}
    hands = [hands_worth(points[name]) for name in names]
    closer = next((i for i, name in enumerate(names) if points[name] == 0), None)
    totals = given.get("totals") or dict.fromkeys(names, 0)
    used = given.get("used", {})
    state = position(
        ["2S"],
        rules=rules,
        totals=[totals[name] for name in names],
        reentries=[used.get(name, 0) for name in names],
        dealer=0,
    )
    state.hands = [ref.Counter(hand) for hand in hands]
    ref.finish_hand(state, None if given.get("exhausted") else closer)
    if "next_dealer" in expect:
        assert names[state.dealer] == expect["next_dealer"]
        assert names[ref.next_seat(state, state.dealer)] == expect["first"]
        return
    assert state.match_over == expect["over"]
    if "winner" in expect:
        assert names[state.winner] == expect["winner"]
    if "totals" in expect:
        assert dict(zip(names, state.totals, strict=True)) == expect["totals"]
    if "out" in expect and not state.match_over:
        assert [x for x, s in zip(names, state.seats_in, strict=True) if not s] == expect["out"]


def test_cases_come_out_as_written():
    wrong = []
    for case in shared_data.cases():
        presets = list(ref.PRESETS) if case["preset"] == "any" else [case["preset"]]
        params = dict(case["given"].get("params", {}))
        if "teams" in params:
            params["num_players"] = ref.TEAM_PLAYERS[params["teams"]]
        for preset in presets:
            rules = ref.make_rules(preset, **params)
            try:
                globals()["case_" + case["kind"]](rules, case["given"], case["expect"])
            except AssertionError as error:
                wrong.append(f"{case['id']} {preset}: {error}"[:200])
    assert "\n".join(line for line in wrong if line.split()[0] not in OVERRULED) == ""


# --------------------------------------------------------------------------------------------------
# Melds, lay-offs and swaps
# --------------------------------------------------------------------------------------------------

TWO_TO_KING = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"


def moves_of(state, *words):
    """The legal moves that begin with one of these words."""
    return [move for move in ref.legal_moves(state) if move.split()[0] in words]


def test_a_run_from_2_to_king_takes_an_ace_at_either_end():
    state = position(["AS", "*", "8D", "8D"], [TWO_TO_KING])
    assert moves_of(state, "add") == ["add AS 0", "add AS 0 low", "add AS* 0", "add AS* 0 low"]
    low = state.copy()
    play(low, "add AS 0 low")
    assert low.table == ["AS " + TWO_TO_KING]
    assert moves_of(low, "add") == ["add AS* 0"]
    play(low, "add AS* 0")
    assert low.table == [f"AS {TWO_TO_KING} AS*"]
    play(state, "add AS 0")
    assert state.table == [TWO_TO_KING + " AS"]
    assert moves_of(state, "add") == ["add AS* 0"]


def test_two_natural_aces_never_share_a_run():
    for run in ("AS " + TWO_TO_KING, TWO_TO_KING + " AS"):
        state = position(["AS", "8D", "8D"], [run])
        assert moves_of(state, "add") == []


def test_no_swap_in_a_run_of_14_where_the_other_ace_is_natural():
    for run in (f"AS {TWO_TO_KING} AS*", f"AS* {TWO_TO_KING} AS"):
        assert moves_of(position(["AS", "8D", "8D"], [run]), "swap") == []
    run = f"AS {TWO_TO_KING} AS".replace("9S", "9S*")
    assert not ref.valid_meld(run, ref.make_rules())


def test_a_natural_ace_replaces_the_low_one_of_two_joker_aces():
    rules = ref.make_rules(jokers_per_meld=2)
    state = position(["AS", "8D", "8D"], [f"AS* {TWO_TO_KING} AS*"], rules=rules)
    play(state, "swap AS 0")
    assert state.table == [f"AS {TWO_TO_KING} AS*"]
    other = position(["AS", "8D", "8D"], state.table, rules=rules)
    assert moves_of(other, "swap") == []


def test_max_run_stops_growth_at_both_ends():
    hand = ["AS", "*", "8D", "8D"]
    assert moves_of(position(hand, [TWO_TO_KING], rules=ref.make_rules(max_run=12)), "add") == []
    thirteen = position(hand, [TWO_TO_KING], rules=ref.make_rules(max_run=13))
    assert len(moves_of(thirteen, "add")) == 4
    play(thirteen, "add AS 0 low")
    assert moves_of(thirteen, "add") == []


def test_any_missing_lets_any_absent_suit_replace_the_joker():
    rules = ref.make_rules(set_joker="any_missing")
    state = position(["7D", "7C", "2H", "2H"], ["7S 7H 7D*"], rules=rules)
    assert moves_of(state, "add", "swap") == ["add 7C 0", "swap 7C 0", "swap 7D 0"]
    play(state, "swap 7C 0")
    assert state.table == ["7S 7H 7C"]
    declared = position(["7D", "7C", "2H", "2H"], ["7S 7H 7D*"])
    assert moves_of(declared, "add", "swap") == ["add 7C 0", "swap 7D 0"]


def test_any_missing_with_several_jokers_own_suit_first_then_the_order_of_suits():
    rules = ref.make_rules(set_joker="any_missing", jokers_per_meld=2)
    for card, result in (("7S", "7S 7H* 7D"), ("7H", "7S* 7H 7D"), ("7C", "7H* 7D 7C")):
        state = position([card, "2H", "2H"], ["7S* 7H* 7D"], rules=rules)
        expected = ["add 7C 0"] if card == "7C" else []
        assert moves_of(state, "add", "swap") == [*expected, f"swap {card} 0"]
        play(state, f"swap {card} 0")
        assert state.table == [result]


def test_three_jokers_are_never_a_meld():
    rules = ref.make_rules(jokers_per_meld=0, min_naturals=1)
    state = position(["*", "*", "*", "8D", "2H"], rules=rules)
    assert all(move.count("*") == 2 for move in moves_of(state, "meld"))
    assert "meld 7D* 8D 9D*" in ref.legal_moves(state)


def test_a_meld_short_of_naturals_may_be_laid_if_it_is_grown_in_the_same_turn():
    rules = ref.make_rules(jokers_per_meld=2, min_naturals=2)
    assert moves_of(position(["*", "*", "8D", "2H"], rules=rules), "meld") == []
    state = position(["*", "*", "8D", "JD", "5C", "KS"], rules=rules)
    assert moves_of(state, "meld") == ["meld 8D 9D* TD*", "meld 9D* TD* JD"]
    play(state, "meld 8D 9D* TD*")
    assert ref.legal_moves(state) == ["add JD 0"]


def test_a_swap_grows_a_meld_short_of_naturals():
    rules = ref.make_rules(jokers_per_meld=2, min_naturals=2)
    state = position(["*", "*", "8D", "9D", "2H", "4H"], rules=rules)
    play(state, "meld 8D 9D* TD*")
    assert ref.legal_moves(state) == ["swap 9D 0"]


def test_identical_melds_offer_only_the_lowest_number():
    table = ["5S 6S 7S", "9D TD JD", "5S 6S 7S"]
    state = position(["8S", "2H", "2H"], table)
    assert moves_of(state, "add") == ["add 8S 0"]
    state.laid_this_turn = [2]
    assert moves_of(state, "add") == ["add 8S 0", "add 8S 2"]


# --------------------------------------------------------------------------------------------------
# Opening
# --------------------------------------------------------------------------------------------------


def test_a_first_meld_is_legal_only_if_40_can_still_be_reached():
    state = unopened(["KS", "KH", "KD", "2H", "3H", "4H", "8C", "8C"])
    assert moves_of(state, "meld") == []
    state = unopened(["KS", "KH", "KD", "KC", "2H", "3H", "4H", "8C"])
    play(state, "meld 2H 3H 4H")
    assert ref.legal_moves(state) == [
        f"meld {m}" for m in ("KH KD KC", "KS KD KC", "KS KH KC", "KS KH KD")
    ]
    assert not state.opened[0]
    play(state, "meld KS KH KD")
    assert not state.opened[0]
    assert ref.legal_moves(state) == ["add KC 1"]
    play(state, "add KC 1")
    assert state.opened[0] and state.opened_this_turn


def test_nothing_goes_on_older_melds_before_40():
    state = unopened(["KS", "KH", "KD", "KC", "8S", "2H"], ["5S 6S 7S"])
    assert moves_of(state, "add") == []
    play(state, "meld KS KH KD")
    assert ref.legal_moves(state) == ["add KC 1"]
    play(state, "add KC 1", "add 8S 0", "discard 2H")
    assert state.phase == "over"


def test_opening_min_0_the_first_meld_opens():
    rules = ref.make_rules(opening_min=0, opening_joker=False)
    state = unopened(["2S", "3S", "*", "8S", "2H"], ["5S 6S 7S"], rules=rules)
    assert moves_of(state, "add") == []
    play(state, "meld 2S 3S 4S*", "add 8S 0")


def test_opening_joker_false_counts_only_melds_without():
    rules = ref.make_rules(opening_joker=False)
    hand = ["KS", "KH", "KD", "*", "2H", "3H", "4H", "5H", "9C", "9S", "JC"]
    state = unopened(hand, rules=rules)
    assert "meld KS KH KD" in ref.legal_moves(state)
    # With a joker among the kings only 14 could count.
    assert "meld KS KH KD*" not in ref.legal_moves(state)
    # A meld with the joker may go down first while 44 are still there without it.
    play(state, "meld 9S 9H* 9C", "meld KS KH KD", "meld 2H 3H 4H")
    assert not state.opened[0]
    play(state, "add 5H 2")
    assert state.opened[0]


def test_opening_joker_false_a_joker_added_takes_the_points_out():
    rules = ref.make_rules(opening_joker=False)
    state = unopened(["KS", "KH", "KD", "*", "KS", "KH", "KD", "KC", "9C"], rules=rules)
    play(state, "meld KS KH KD")
    state_with_joker = state.copy()
    play(state_with_joker, "add KC* 0")
    turn = ref.turn_of(state_with_joker)
    assert ref.opening_points(turn.table, turn.mine, rules) == 0
    play(state_with_joker, "meld KS KH KD", "add KC 1")
    assert state_with_joker.opened[0]
    short = unopened(["KS", "KH", "KD", "*", "2H", "3H", "4H", "AH", "9C"], rules=rules)
    play(short, "meld KS KH KD")
    assert "add KC* 0" not in ref.legal_moves(short)


def test_once_opened_a_joker_no_longer_matters():
    rules = ref.make_rules(opening_joker=False)
    state = unopened(["KS", "KH", "KD", "KC", "TD", "JD", "QD", "*", "9C"], rules=rules)
    play(state, "meld TD JD QD", "meld KS KH KD", "add KC* 1", "discard 9C")
    assert state.opened[0]


# --------------------------------------------------------------------------------------------------
# The taken discard
# --------------------------------------------------------------------------------------------------


def test_taking_before_opening_needs_an_opening_that_uses_the_card():
    kings = ["KS", "KH", "KD", "KC", "2H", "9C", "9C", "4D"]
    lay_off_only = unopened(kings, ["5S 6S 7S"], phase="draw", pile=["8S"])
    assert ref.legal_moves(lay_off_only) == ["draw"]
    joins = unopened([*kings, "9S"], phase="draw", pile=["9H"])
    assert ref.legal_moves(joins) == ["draw", "take"]
    play(joins, "take", "meld KS KH KD", "add KC 0")
    assert joins.opened[0] and joins.taken == "9H"
    assert ref.legal_moves(joins) == ["meld 9S 9H 9C"]


def test_a_card_taken_to_open_goes_on_melds_of_this_turn_also_by_growing_or_swap():
    # 8S fits the old run and the new one; laid on the old one it leaves the duty open.
    hand = ["KS", "KH", "KD", "KC", "5S", "6S", "7S", "2H", "2H"]
    state = unopened(hand, ["5S 6S 7S"], phase="draw", pile=["8S"])
    play(state, "take", "meld KS KH KD", "add KC 1")
    assert ref.legal_moves(state) == ["meld 5S 6S 7S", "meld 6S 7S 8S"]
    play(state, "meld 5S 6S 7S")
    assert ref.legal_moves(state) == ["add 8S 2"]
    # By a swap in a meld of this turn, not in an older one.
    hand = ["KS", "KH", "KD", "KC", "*", "7S", "9S", "2H", "2H", "4D"]
    state = unopened(hand, ["7S 8S* 9S"], phase="draw", pile=["8S"])
    play(state, "take", "meld KS KH KD", "add KC 1", "meld 7S 8S* 9S")
    assert "swap 8S 0" not in ref.legal_moves(state)
    assert ref.legal_moves(state) == ["swap 8S 2"]
    play(state, "swap 8S 2")
    assert state.taken is None and "discard *" in ref.legal_moves(state)


def test_an_identical_copy_meets_the_duty_and_the_other_may_go_anywhere():
    hand = ["KS", "KH", "KD", "KC", "8S", "8H", "8D", "2H"]
    state = unopened(hand, ["5S 6S 7S"], phase="draw", pile=["8S"])
    play(state, "take", "meld KS KH KD", "add KC 1", "add 8S 0")
    assert state.taken == "8S"
    play(state, "meld 8S 8H 8D", "discard 2H")
    opened = position(["8S", "8H", "8D"], rules=ref.make_rules(), taken="8S")
    opened.hands[0]["8S"] = 2
    play(opened, "meld 8S 8H 8D", "discard 8S")


def test_a_taken_joker_opens_even_without_jokers_in_the_opening():
    rules = ref.make_rules(opening_joker=False)
    hand = ["KS", "KH", "KD", "KC", "9S", "9H", "2H", "2H"]
    state = unopened(hand, rules=rules, phase="draw", pile=["*"])
    play(state, "take", "meld KS KH KD", "add KC 0")
    assert moves_of(state, "discard") == []
    play(state, "meld 9S 9H 9D*", "discard 2H")


def test_never_means_only_the_stock_before_opening():
    rules = ref.make_rules("fisca")
    hand = ["KS", "KH", "KD", "2H", "2H"]
    assert ref.legal_moves(unopened(hand, rules=rules, phase="draw", pile=["KC"])) == ["draw"]
    assert "take" in ref.legal_moves(position(hand, rules=rules, phase="draw", pile=["KC"]))


def test_return_only_before_any_table_move():
    state = position(["KS", "KH", "2S", "3S", "4S", "9C"], phase="draw", pile=["5C", "KD"])
    play(state, "take")
    assert "return" in ref.legal_moves(state)
    laid = play(state.copy(), "meld 2S 3S 4S")
    assert "return" not in ref.legal_moves(laid)
    play(state, "return")
    assert state.pile == ["5C", "KD"] and ref.legal_moves(state) == ["draw"]
    play(state, "draw")
    assert "return" not in ref.legal_moves(state) and moves_of(state, "discard")
    never = position(["KS", "KH", "9C"], rules=ref.make_rules("fisca"), phase="draw", pile=["KD"])
    assert "return" not in ref.legal_moves(play(never, "take"))


def test_return_does_not_count_as_finishing():
    state = position(["2H", "9C", "4D"], ["5S 6S 7S"], phase="draw", pile=["KD"])
    assert ref.legal_moves(state) == ["draw"]


def test_first_player_upcard_keep():
    for preset in ref.PRESETS:
        rules = ref.make_rules(preset, first_player_upcard="keep")
        rng = ref.random.Random(5)
        state = ref.new_match(rules, ref.shuffled_deal(rules, rng, 1))
        card = state.pile[0]
        assert ref.legal_moves(state) == ["draw", "take"]
        play(state, "take")
        assert state.kept and state.taken is None
        assert "return" not in ref.legal_moves(state)
        ref.apply(state, f"discard {card}")
        # The next player has a first turn too, but the turned card is no longer free.
        assert not ref.keeps_upcard(state)


# --------------------------------------------------------------------------------------------------
# The recovered joker
# --------------------------------------------------------------------------------------------------


def test_must_reuse_needs_a_place_for_the_joker():
    rules = ref.make_rules("fisca")
    full = position(["7D", "2H", "9C"], ["7S 7H 7D* 7C"], rules=rules)
    assert moves_of(full, "swap") == []
    back = position(["7D", "2H", "9C"], ["7S 7H 7D*"], rules=rules)
    play(back, "swap 7D 0")
    assert ref.legal_moves(back) == ["add 7C* 0"]
    keep = position(["7D", "2H", "9C"], ["7S 7H 7D* 7C"])
    assert moves_of(play(keep, "swap 7D 0"), "discard") == ["discard *", "discard 2H", "discard 9C"]


def test_any_joker_laid_after_the_swap_counts_but_not_one_before():
    rules = ref.make_rules("fisca")
    state = position(["7D", "*", "2H", "2D", "9C"], ["7S 7H 7D* 7C", "4S 5S 6S"], rules=rules)
    after = play(state.copy(), "swap 7D 0", "add 7S* 1")
    assert after.recovered == 0 and "discard 9C" in ref.legal_moves(after)
    play(state, "meld 2H 2D 2C*")
    assert "swap 7D 0" in ref.legal_moves(state)  # 4S 5S 6S still has room
    play(state, "swap 7D 0")
    assert state.recovered == 1 and moves_of(state, "discard") == []


def test_one_joker_laid_after_the_swap_meets_both_duties():
    rules = ref.make_rules("fisca")
    table = ["7S 7H 7D* 7C", "4S 5S 6S"]
    state = position(["7D", "2H", "9C"], table, rules=rules, phase="draw", pile=["*"])
    play(state, "take", "swap 7D 0")
    assert state.taken == "*" and state.recovered == 1
    play(state, "add 7S* 1")
    assert state.taken is None and state.recovered == 0
    assert "discard 9C" in ref.legal_moves(state)


# --------------------------------------------------------------------------------------------------
# Closing
# --------------------------------------------------------------------------------------------------

LOW_13 = "2S 2H 2D 3S 3H 3D 4S 4H 4D AC 2C 3C 4C".split()  # 37 points
LOW_MOVES = ["meld 2S 2H 2D", "meld 3S 3H 3D", "meld 4S 4H 4D", "meld AC 2C 3C", "add 4C 3"]


def test_closing_in_hand_under_the_exemption_in_a_full_deal():
    rules = ref.make_rules("fisca", hand_close_bonus="double")
    state = unopened([*LOW_13, "KD"], rules=rules)
    play(state, *LOW_MOVES)
    assert not state.opened[0] and ref.legal_moves(state) == ["discard KD"]
    play(state, "discard KD")
    assert state.closer == 0 and state.closed_in_hand
    without = unopened([*LOW_13, "KD"], rules=ref.make_rules("italian"))
    assert moves_of(without, "meld") == []
    # Two cards too many: neither 40 nor a closing is in reach.
    assert moves_of(unopened([*LOW_13, "KD", "9D"], rules=rules), "meld") == []


def test_the_exempt_closing_discard_may_be_a_joker_except_under_forbid():
    for ban in ("allow", "forbid_unopened", "only_closing", "forbid"):
        rules = ref.make_rules("fisca", joker_discard=ban, jokers_per_meld=1)
        state = unopened(["2S", "2H", "2D", "2C", "AC", "*"], rules=rules)
        play_on = can_play(state, ["meld 2S 2H 2D", "add 2C 0"])
        assert not play_on  # AC and the joker are left: two cards
        state = unopened(["2S", "2H", "2D", "2C", "*"], rules=rules)
        assert can_play(state, ["meld 2S 2H 2D", "add 2C 0", "discard *"]) == (ban != "forbid")


def test_first_turn_close_off_keeps_two_cards():
    rules = ref.make_rules("italian")
    hand = ["KS", "KH", "KD", "KC", "9D", "8S"]
    first = unopened(hand, ["5S 6S 7S"], rules=rules, turns=[0, 0])
    play(first, "meld KS KH KD", "add KC 1")
    assert moves_of(first, "add") == []
    play(first, "discard 9D")
    assert first.phase == "draw"
    second = unopened(hand, ["5S 6S 7S"], rules=rules, turns=[1, 0])
    play(second, "meld KS KH KD", "add KC 1", "add 8S 0", "discard 9D")
    assert second.closer == 0


def test_first_turn_close_off_also_bars_emptying_the_hand():
    for turns, legal in (([0, 0], False), ([1, 1], True)):
        rules = ref.make_rules("italian", close_without_discard=True)
        state = unopened(["KS", "KH", "KD", "KC"], rules=rules, turns=turns)
        assert can_play(state, ["meld KS KH KD", "add KC 0"]) == legal


def test_close_without_discard_must_meet_all_duties_and_counts_as_closing_in_hand():
    rules = ref.make_rules(close_without_discard=True)
    state = unopened(
        ["KS", "KH", "KD", "KC"], rules=rules, hands=[["KS", "KH", "KD", "KC"], ["2S"]]
    )
    play(state, "meld KS KH KD", "add KC 0")
    assert state.phase == "over" and state.closed_in_hand and state.hand_points == [0, 4]
    reuse = ref.make_rules("fisca", close_without_discard=True)
    state = position(["7D"], ["7S 7H 7D* 7C"], rules=reuse)
    assert ref.legal_moves(state) == ["discard 7D"]
    state = position(["7D"], ["7S 7H 7D*"], rules=reuse)
    play(state, "swap 7D 0", "add 7C* 0")
    assert state.closer == 0


def test_close_without_discard_needs_the_naturals():
    rules = ref.make_rules(close_without_discard=True, jokers_per_meld=2)
    assert moves_of(position(["8S", "*", "*"], rules=rules), "meld") == []


def test_no_move_leads_to_a_barred_last_card():
    table = ["5S 6S 7S", "9H TH JH"]
    hand = ["8S", "8H"]
    free = position(hand, table)
    assert moves_of(free, "add") == ["add 8H 1", "add 8S 0"]
    closing = position(hand, table, rules=ref.make_rules(attach_discard_closing="forbid"))
    assert ref.legal_moves(closing) == ["discard 8H", "discard 8S"]
    no_discard = ref.make_rules(attach_discard_closing="forbid", close_without_discard=True)
    state = play(position(hand, table, rules=no_discard), "add 8S 0")
    assert ref.legal_moves(state) == ["add 8H 1"]
    play(state, "add 8H 1")
    assert state.closer == 0


def test_only_the_closing_ban_counts_for_a_last_card():
    rules = ref.make_rules(attach_discard_opened="forbid", joker_discard="only_closing")
    assert ref.legal_moves(position(["8S"], ["5S 6S 7S"], rules=rules)) == ["discard 8S"]
    assert ref.legal_moves(position(["*"], ["5S 6S 7S"], rules=rules)) == ["discard *"]
    rules = ref.make_rules(attach_discard_closing="forbid")
    state = position(["8S", "2H"], ["5S 6S 7S"], rules=rules)
    assert "discard 8S" in ref.legal_moves(state)


# --------------------------------------------------------------------------------------------------
# Barred discards
# --------------------------------------------------------------------------------------------------


def test_bans_are_lifted_when_every_card_is_barred():
    rules = ref.make_rules(attach_discard_opened="forbid", joker_discard="forbid")
    state = position(["8S", "*"], ["5S 6S 7S"], rules=rules)
    assert moves_of(state, "discard") == ["discard *", "discard 8S"]
    state = position(["8S", "*", "2H"], ["5S 6S 7S"], rules=rules)
    assert moves_of(state, "discard") == ["discard 2H"]


def test_what_attaches():
    rules = ref.make_rules()
    assert ref.attaches("8S", ("5S 6S 7S",), rules)
    assert not ref.attaches("9D", ("8D 9D* TD",), rules)
    assert ref.attaches("*", ("5S 6S 7S",), rules)
    assert not ref.attaches("*", ("8D 9D* TD",), rules)
    assert not ref.attaches("*", ("7S 7H 7D 7C",), rules)
    assert ref.attaches("*", ("8D 9D* TD",), ref.make_rules(jokers_per_meld=2))
    assert not ref.attaches("*", ("5S 6S 7S",), ref.make_rules(max_run=3))
    missing = ref.make_rules(set_joker="any_missing")
    assert ref.attaches("7C", ("7S 7H 7D*",), missing)
    assert not ref.attaches("7D", ("7S 7H 7D*",), missing)


def test_attach_bans_go_by_the_state_at_the_discard_and_count_melds_of_this_turn():
    rules = ref.make_rules(attach_discard_unopened="forbid", attach_discard_opened="allow")
    hand = ["KS", "KH", "KD", "KC", "8S", "2H"]
    state = unopened(hand, ["5S 6S 7S"], rules=rules)
    assert "discard 8S" not in ref.legal_moves(state)
    play(state, "meld KS KH KD", "add KC 1")
    assert "discard 8S" in ref.legal_moves(state)
    rules = ref.make_rules(attach_discard_unopened="allow", attach_discard_opened="forbid")
    state = unopened(["KS", "KH", "KD", "TD", "JD", "QD", "KC", "2H"], rules=rules)
    play(state, "meld TD JD QD", "meld KS KH KD")
    assert moves_of(state, "discard") == ["discard 2H"]


def test_forbid_if_3plus_counts_the_players_of_this_hand():
    rules = ref.make_rules(num_players=4, attach_discard_opened="forbid_if_3plus")
    for others, legal in (([["2C"], [], []], True), ([["2C"], ["3C"], []], False)):
        state = position(["8S", "2H"], ["5S 6S 7S"], rules=rules, hands=[["8S", "2H"], *others])
        assert ("discard 8S" in ref.legal_moves(state)) == legal


# --------------------------------------------------------------------------------------------------
# Points of a hand
# --------------------------------------------------------------------------------------------------


def closing_points(rules, other_hand, other_opened=True, in_hand=True):
    """What the other seat pays when seat 0 closes, in hand or not."""
    hand = ["KS", "KH", "KD", "KC", "2H"] if in_hand else ["2H"]
    state = position(
        hand, rules=rules, hands=[hand, other_hand], opened=[not in_hand, other_opened]
    )
    if in_hand:
        play(state, "meld KS KH KD", "add KC 0")
    play(state, "discard 2H")
    assert state.closed_in_hand == in_hand
    return state.hand_points[1]


def test_doubling_and_penalties():
    hand = ["*", "AD", "3C"]  # 39
    browser = ref.make_rules()
    assert closing_points(browser, hand) == 78
    assert closing_points(browser, hand, in_hand=False) == 39
    assert closing_points(browser, hand, other_opened=False) == 200
    assert closing_points(browser, hand, other_opened=False, in_hand=False) == 100
    single = ref.make_rules(penalty_doubled=False)
    assert closing_points(single, hand, other_opened=False) == 100
    no_penalty = ref.make_rules(unopened_penalty=None)
    assert closing_points(no_penalty, hand, other_opened=False) == 78
    for penalty in (None, 60):
        full100 = ref.make_rules(hand_close_bonus="double_full100", unopened_penalty=penalty)
        assert closing_points(full100, hand, other_opened=False) == 100
        assert closing_points(full100, hand) == 78
        expected = 39 if penalty is None else 60
        assert closing_points(full100, hand, other_opened=False, in_hand=False) == expected


def test_melds_only_forbids_older_melds_and_swaps_not_own_growth():
    hand = ["KS", "KH", "KD", "KC", "8S", "2H"]
    for definition, doubled in (("same_turn", True), ("melds_only", False)):
        rules = ref.make_rules(hand_close_definition=definition)
        state = unopened(hand, ["5S 6S 7S"], rules=rules)
        play(state, "meld KS KH KD", "add KC 1", "add 8S 0", "discard 2H")
        assert state.closed_in_hand == doubled
        cards = ["KS", "KH", "KD", "KC", "*", "7S", "8S", "9S"]
        state = unopened(cards, rules=rules)
        play(state, "meld KS KH KD", "add KC 0", "meld 7S 8S* 9S", "swap 8S 1", "discard *")
        assert state.closed_in_hand == doubled


def test_lone_ace():
    rules = ref.make_rules(lone_ace_in_hand=1)
    assert ref.hand_value(ref.Counter(["AS"]), rules) == 1
    assert ref.hand_value(ref.Counter(["AS", "AS"]), rules) == 22
    graded = ref.make_rules(lone_ace_in_hand=1, card_values="graded")
    assert ref.hand_value(ref.Counter(["AS"]), graded) == 14
    assert ref.hand_value(ref.Counter(["*"]), graded) == 25


# --------------------------------------------------------------------------------------------------
# The end of the stock
# --------------------------------------------------------------------------------------------------


def at_the_last_card(**fields):
    """Seat 0 of two has drawn the last card of the stock and holds KD and 2H."""
    changes = fields.pop("changes", {})
    base = {"stock": [], "pile": ["5C", "6C", "7C"], "hands": [["KD", "2H"], ["9S", "9S"]]}
    return position(["KD", "2H"], rules=ref.make_rules(**changes), **{**base, **fields})


def test_the_stock_is_renewed_without_the_top_card():
    state = at_the_last_card()
    ref.apply(state, "discard 2H", restock=lambda cards: cards[::-1])
    assert (state.stock, state.pile, state.reshuffles) == (["7C", "6C", "5C"], ["2H"], 1)
    assert state.player == 1 and state.phase == "draw"


def test_no_renewal_beyond_reshuffles_or_with_only_one_card_on_the_pile():
    for changes, fields in (
        ({"reshuffles": 1}, {"reshuffles": 1}),
        ({"reshuffles": 0}, {}),
        ({"reshuffles": None}, {"pile": []}),
    ):
        state = at_the_last_card(changes=changes, **fields)
        ref.apply(state, "discard 2H", restock=lambda cards: pytest.fail("renewed"))
        assert state.phase == "over" and state.closer is None and state.hand_points == [0, 0]
    state = at_the_last_card(changes={"reshuffles": None}, reshuffles=9)
    ref.apply(state, "discard 2H", restock=lambda cards: cards)
    assert state.phase == "draw"


def test_exhausted_score_has_penalties_but_no_bonus():
    changes = {"reshuffles": 0, "exhausted_result": "score"}
    state = at_the_last_card(changes=changes, opened=[True, False])
    ref.apply(state, "discard 2H")
    assert state.hand_points == [10, 100] and state.totals == [10, 100]
    assert state.closer is None and not state.match_over


def test_max_turns_ends_the_hand_before_any_renewal():
    state = at_the_last_card(changes={"max_turns": 7}, turns=[3, 3])
    ref.apply(state, "discard 2H", restock=lambda cards: pytest.fail("renewed"))
    assert state.phase == "over" and state.closer is None
    closing = at_the_last_card(changes={"max_turns": 7}, hands=[["KD"], ["9S", "9S"]])
    ref.apply(closing, "discard KD")
    assert closing.closer == 0


# --------------------------------------------------------------------------------------------------
# The end of a match
# --------------------------------------------------------------------------------------------------


def after_hand(rules, totals, points, closer=None, **fields):
    """The state after a hand with these points; None as points: the seat is out."""
    places = [[] if p is None else [ref.PACK[seat]] for seat, p in enumerate(points)]
    state = position(places[0], rules=rules, hands=places, totals=totals, **fields)
    # These hands need not come from one deck: only their points matter.
    state.hands = [ref.Counter(hands_worth(p or 0)) for p in points]
    ref.finish_hand(state, closer)
    return state


def scored(**changes):
    """Rules under which hands without a closer count."""
    return ref.make_rules(exhausted_result="score", **changes)


def test_the_deal_skips_seats_that_are_out():
    rules = scored(num_players=4)
    state = after_hand(rules, [10, 99, 100, 20], [0, 30, 30, 10], closer=0, dealer=0)
    assert state.seats_in == [True, False, False, True] and state.dealer == 3
    ref.start_hand(state, ref.shuffled_deal(rules, ref.random.Random(0), 3, state.seats_in))
    assert state.player == 0 and [sum(h.values()) for h in state.hands] == [13, 0, 0, 13]
    # After a void hand too.
    void = after_hand(ref.make_rules(num_players=4), [10, 120, 0, 20], [9, None, 9, 9], dealer=0)
    assert void.dealer == 2 and void.totals == [10, 120, 0, 20]


def test_several_out_at_once_and_one_left():
    state = after_hand(ref.make_rules(num_players=3), [90, 95, 100], [20, 30, 0], closer=2)
    assert state.winner == 2 and state.totals == [110, 125, 100]


def test_reentry_needs_two_below_and_an_allowance():
    rules = ref.make_rules(num_players=4, reentry="once")
    state = after_hand(rules, [90, 95, 40, 70], [20, 30, 0, 7], closer=2)
    assert state.totals == [77, 77, 40, 77] and state.reentries == [1, 1, 0, 0]
    again = after_hand(rules, [90, 95, 40, 70], [20, 30, 0, 7], closer=2, reentries=[1, 0, 0, 0])
    assert again.totals == [110, 77, 40, 77] and again.seats_in == [False, True, True, True]
    alone = after_hand(rules, [90, 95, 40, 99], [20, 30, 0, 7], closer=2)
    assert alone.winner == 2 and alone.totals == [110, 125, 40, 106]
    rules = ref.make_rules(num_players=3, reentry="unlimited")
    often = after_hand(rules, [90, 95, 40], [20, 3, 0], closer=2, reentries=[7, 0, 0])
    assert often.totals == [98, 98, 40] and often.reentries == [8, 0, 0]


def test_nobody_below_the_limit_the_lowest_total_wins():
    state = after_hand(scored(num_players=3), [90, 95, 99], [20, 30, 10])
    assert state.winner == 2
    # One who went out earlier does not come back into it.
    state = after_hand(scored(num_players=3), [90, 95, 102], [20, 30, None])
    assert state.winner == 0
    tie = after_hand(scored(num_players=3), [90, 95, 110], [20, 15, None])
    assert tie.playoff and tie.seats_in == [True, True, False]


def test_a_tie_at_the_bottom_is_played_off_among_those_tied():
    rules = scored(num_players=4, reentry="unlimited")
    state = after_hand(rules, [90, 95, 100, 99], [20, 15, 20, 40], dealer=3)
    assert state.playoff and state.winner is None
    assert state.totals == [110, 110, 120, 139]
    assert state.seats_in == [True, True, False, False] and state.dealer == 0
    ref.start_hand(state, ref.shuffled_deal(rules, ref.random.Random(0), 0, state.seats_in))
    assert state.player == 1
    assert ref.from_position(ref.to_position(state)).playoff
    # A void play-off changes nothing: they play again.
    void = state.copy()
    void.rules = {**rules, "exhausted_result": "void"}
    ref.finish_hand(void, None)
    assert void.winner is None and void.seats_in == state.seats_in and void.dealer == 1
    # Only the totals count, and nobody re-enters.
    state.hands = [ref.Counter(["2S"]), ref.Counter(["3S"]), ref.Counter(), ref.Counter()]
    state.opened = [True, True, False, False]
    ref.finish_hand(state, None)
    assert state.winner == 0 and state.totals == [112, 113, 120, 139]


def test_in_a_play_off_the_closer_wins_by_his_total_only():
    rules = scored(num_players=3, lone_ace_in_hand=0)
    state = after_hand(rules, [120, 120, 150], [5, 0, None], closer=1)
    assert state.winner == 1
    tie = position(["AS"], rules=rules, hands=[["AS"], ["2S"], []], totals=[120, 120, 150])
    tie.hands[1].clear()
    ref.finish_hand(tie, 1)
    assert tie.hand_points == [0, 0, 0] and tie.winner is None and tie.playoff


def test_max_hands_cuts_short_but_not_a_decided_match():
    rules = ref.make_rules(max_hands=3)
    cut = after_hand(rules, [10, 20], [0, 30], closer=0, hand_number=2)
    assert cut.truncated and cut.winner is None and cut.match_over
    on = after_hand(rules, [10, 20], [0, 30], closer=0, hand_number=1)
    assert not on.match_over
    won = after_hand(rules, [10, 90], [0, 30], closer=0, hand_number=2)
    assert won.winner == 0 and not won.truncated
    tied = after_hand(scored(max_hands=3), [100, 100], [5, 5], hand_number=2)
    assert tied.truncated and tied.winner is None


def test_fixed_total_lowest_wins_and_a_tie_lets_all_play_on():
    rules = ref.make_rules(num_players=3, mode="fixed_total", limit=300)
    state = after_hand(rules, [290, 95, 102], [20, 7, 0], closer=2)
    assert state.winner is None and state.totals == [310, 102, 102]
    assert state.seats_in == [True, True, True]
    state = after_hand(rules, [310, 102, 102], [0, 7, 5], closer=0)
    assert state.winner == 2
    assert after_hand(rules, [210, 102, 102], [0, 7, 5], closer=0).winner is None


def test_single_hand_the_closer_wins_and_a_hand_without_closer_is_played_again():
    rules = ref.make_rules(num_players=3, mode="single_hand")
    assert after_hand(rules, [0, 0, 0], [20, 0, 150], closer=1).winner == 1
    again = after_hand(rules, [0, 0, 0], [20, 5, 15])
    assert not again.match_over and again.totals == [0, 0, 0] and all(again.seats_in)
    again = after_hand(scored(mode="single_hand", num_players=3), [0, 0, 99], [20, 5, 15])
    assert not again.match_over and again.totals == [20, 5, 114] and all(again.seats_in)


def test_victory_points_count_hands_won():
    rules = scored(num_players=4, mode="victory_points", limit=3, teams="2x2")
    state = after_hand(rules, [1, 2, 1, 2], [20, 5, 0, 7], closer=2)
    assert state.totals == [2, 2, 2, 2] and state.hand_points == [20, 5, 0, 7]
    assert after_hand(rules, [1, 2, 1, 2], [20, 0, 5, 7], closer=1).winner == 1
    assert after_hand(rules, [1, 2, 1, 2], [20, 3, 5, 7]).totals == [1, 2, 1, 2]


def test_team_points():
    for points, expected in (("sum", [10, 30, 10, 30]), ("worst", [10, 25, 10, 25])):
        rules = ref.make_rules(num_players=4, teams="2x2", team_points=points)
        state = after_hand(rules, [10, 0, 10, 0], [8, 5, 0, 25], closer=2)
        assert state.totals == expected and state.hand_points == [8, 5, 0, 25]
        pays = {**rules, "partner_of_closer_pays": True}
        state = after_hand(pays, [10, 0, 10, 0], [8, 5, 0, 25], closer=2)
        assert state.totals == [18, expected[1], 18, expected[3]]
    six = ref.make_rules(num_players=6, teams="2x3", team_points="sum")
    state = after_hand(six, [0] * 6, [2, 3, 4, 5, 6, 0], closer=5)
    assert state.totals == [12, 0, 12, 0, 12, 0]


def test_partner_of_closer_pays_with_nobody_below_the_limit():
    rules = ref.make_rules(num_players=4, teams="2x2", partner_of_closer_pays=True)
    state = after_hand(rules, [90, 95, 90, 95], [20, 9, 0, 3], closer=2)
    assert state.totals == [110, 107, 110, 107] and state.winner == 1
    tie = after_hand(rules, [90, 95, 90, 95], [20, 12, 0, 3], closer=2)
    assert tie.winner is None and tie.playoff and all(tie.seats_in)
    out = after_hand(rules, [90, 5, 90, 5], [20, 9, 0, 3], closer=2)
    assert out.winner == 1


# --------------------------------------------------------------------------------------------------
# Deals, records, and the search itself
# --------------------------------------------------------------------------------------------------


def test_redraw_never_turns_a_joker_up():
    rules = ref.make_rules("fisca", num_players=6)
    for seed in range(200):
        deal = ref.shuffled_deal(rules, ref.random.Random(seed), 0)
        assert deal["upcard"] != "*"
        ref.new_match(rules, deal)
    plain = ref.make_rules("italian")
    upcards = {ref.shuffled_deal(plain, ref.random.Random(s), 0)["upcard"] for s in range(200)}
    assert "*" in upcards


def test_unknown_rules_and_impossible_teams_are_errors():
    with pytest.raises(ValueError, match="'limits'"):
        ref.make_rules(limits=5)
    with pytest.raises(ValueError, match="4 players"):
        ref.make_rules(teams="2x2")
    with pytest.raises(ValueError, match="re-entry"):
        ref.make_rules(teams="2x2", num_players=4, reentry="once")


def exhaustive(turn, setting, memo):
    """Whether a turn can be finished, with no early answer of any kind."""
    if not turn.hand:
        allowed = setting.rules["close_without_discard"] and ref.may_empty_hand(turn, setting)
        return allowed and ref.duties_met(turn, setting)
    if ref.discards(turn, setting):
        return True
    if turn not in memo:
        following = ref.table_moves(turn, setting)
        memo[turn] = any(exhaustive(after, setting, memo) for _, after in following)
    return memo[turn]


def check_search(monkeypatch, seeds, changed_fields):
    """Random matches in which every list of legal moves is also made without early answers."""
    kinds = set()
    for seed in seeds:
        rng = ref.random.Random(seed)
        rules = ref.random_rules(rng, changed_fields)
        rules["max_hands"] = 2
        rules["max_turns"] = min(rules["max_turns"], 60)
        recorder = ref.Recorder(rules, rng)
        for state, legal in recorder.decisions():
            with monkeypatch.context() as patched:
                patched.setattr(ref, "can_finish", exhaustive)
                assert ref.legal_moves(state) == legal, ref.to_position(state)
            assert legal and len(set(legal)) == len(legal)
            kinds.update(move.split()[0] for move in legal)
            recorder.play(ref.random_choice(legal, rng, 0.8))
        assert ref.replay(recorder.record) == []
    assert kinds == {"draw", "take", "return", "meld", "add", "swap", "discard"}


def test_early_answers_of_the_search_change_nothing(monkeypatch):
    check_search(monkeypatch, range(2, 20), 12)


@pytest.mark.slow
def test_early_answers_of_the_search_change_nothing_for_long(monkeypatch):
    check_search(monkeypatch, range(100, 300), 12)
