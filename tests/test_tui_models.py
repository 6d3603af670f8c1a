"""What the full screen is built on: hand, choices, opening in preparation, moments. No screen."""

from __future__ import annotations

from typing import Any

import pytest
from tui_scenes import HAND, position, two_hands

from scala40_env.actions import DRAW, TAKE
from scala40_env.cards import JOKER, parse_card
from scala40_env.game import Game
from scala40_env.melds import meld_text
from scala40_env.play.match import Match, seat_players
from scala40_env.play.tui.choices import (
    NotNowError,
    cards_of_order,
    meld_choices,
    table_choices,
    takers,
)
from scala40_env.play.tui.config import ConfigError, TuiConfig, next_speed
from scala40_env.play.tui.desk import Desk
from scala40_env.play.tui.held import Held
from scala40_env.play.tui.keys import ANYWHERE, PLAY, REPLAY, SHEET, START
from scala40_env.play.tui.timeline import Timeline
from scala40_env.play.tui.warm_up import warmed_up
from scala40_env.play.words import Words
from scala40_env.rules import Rules

WORDS = Words()


def cards(text: str) -> list[int]:
    return [parse_card(word) for word in text.split()]


def desk(game: Game, *selected: str) -> Desk:
    """Return the desk of seat 0, with cards selected."""
    desk = Desk(Match(game, seat_players(["me", "easy"], 1)), WORDS)
    desk.held.select(cards(" ".join(selected)))
    return desk


# --- the hand --------------------------------------------------------------------------------


def test_a_drawn_card_is_marked_and_under_the_cursor():
    held = Held(cards("7S 9S 4D"))
    held.update(cards("7S 8S 9S 4D"))
    assert held.cards[held.cursor] == held.cards[held.fresh] == parse_card("8S")


def test_a_selection_stays_when_a_card_comes():
    held = Held(cards("7S 9S"))
    held.toggle(1)
    held.update(cards("7S 8S 9S"))
    assert held.chosen == cards("9S")


def test_of_two_equal_cards_one_can_be_selected():
    held = Held(cards("7S 7S 9S"))
    held.select(cards("7S"))
    assert held.chosen == cards("7S")
    held.select(cards("7S 7S"))
    assert held.chosen == cards("7S 7S")


def test_sorting_by_rank_and_back_keeps_cursor_and_selection():
    held = Held(cards("KS 2H 3S *"))
    held.toggle(held.cards.index(parse_card("2H")))
    held.sort()
    assert held.cards == cards("2H 3S KS *")
    assert held.chosen == cards("2H") and held.cursor == 0
    held.sort()
    assert held.cards == cards("3S KS 2H *")


def test_the_cursor_goes_round_and_an_empty_hand_is_harmless():
    held = Held(cards("2S 3S"))
    held.move(-1)
    assert held.cursor == 1
    held.update([])
    held.move(1)
    held.toggle()
    held.lift(True)
    assert (held.cursor, held.chosen, held.chosen_or_current) == (0, [], [])


# --- what cards can do -----------------------------------------------------------------------


def melds(game: Game, text: str) -> list[str]:
    return [meld_text(choice.meld) for choice in meld_choices(game, cards(text), WORDS)]


def test_a_joker_may_stand_for_several_cards_the_dearest_first():
    assert melds(position(opened=[True, True]), "7S 8S *") == ["7S 8S 9S*", "6S* 7S 8S"]
    assert melds(position(opened=[True, True]), "KS KH *") == ["KS KH KD*", "KS KH KC*"]


def test_two_jokers_have_all_their_readings():
    game = position("7S 9S * * KD 2C", opened=[True, True], rules={"jokers_per_meld": 2})
    assert melds(game, "7S 9S * *") == ["7S 8S* 9S TS*", "6S* 7S 8S* 9S"]


def test_a_long_meld_is_several_moves():
    game = position("5S 6S 7S 8S KD 2C", opened=[True, True])
    (choice,) = meld_choices(game, cards("5S 6S 7S 8S"), WORDS)
    assert len(choice.moves) == 2


@pytest.mark.parametrize(
    ("selected", "reason"),
    [("7S 8S KH", "7♠ 8♠ K♥ is neither a set nor a run."), ("2C 4D *", "neither a set nor a run")],
)
def test_cards_that_make_no_meld_are_refused_by_name(selected: str, reason: str):
    with pytest.raises(NotNowError, match=reason):
        meld_choices(position(), cards(selected), WORDS)


def test_a_meld_that_cannot_open_is_refused_with_the_points():
    game = position("2C 3C 4C 9D JS QH KD 5S 6H 7D", opened=[False, True])
    with pytest.raises(NotNowError, match="of the 40 points to open"):
        meld_choices(game, cards("2C 3C 4C"), WORDS)


def test_a_card_can_be_added_or_take_the_joker():
    choices = table_choices(position(opened=[True, True]), cards("QC"))
    assert [(choice.number, choice.is_swap) for choice in choices] == [(1, True), (2, False)]


def test_several_cards_go_to_one_meld_together():
    choices = table_choices(
        position("8H 9H KD 2C", opened=[True, True]), cards("9H 8H"), numbers=[0]
    )
    assert [meld_text(choice.meld) for choice in choices] == ["5H 6H 7H 8H 9H"]


def test_a_joker_can_go_to_either_end_of_a_run():
    choices = table_choices(position(opened=[True, True]), [JOKER], numbers=[0])
    assert {meld_text(c.meld) for c in choices} == {"4H* 5H 6H 7H", "5H 6H 7H 8H*"}


def test_of_identical_melds_each_can_be_meant():
    game = position("8H KD 2C", ("5H 6H 7H", "5H 6H 7H"), opened=[True, True])
    (choice,) = table_choices(game, cards("8H"), numbers=[1])
    assert choice.number == 0  # the engine offers the lowest of those that are alike


def test_melds_that_take_the_selected_card_are_known():
    game = position(opened=[True, True])
    assert takers(game, cards("QC")) == {1: True, 2: False}
    assert takers(game, cards("2C")) == takers(game, cards("QC JC")) == {}


def test_the_cards_of_an_order_are_those_of_the_hand():
    assert cards_of_order("meld KS KH KD*") == cards("KS KH *")
    assert cards_of_order("add 8S 2") == cards_of_order("discard 8S") == cards("8S")
    assert cards_of_order("draw") == []


# --- the desk --------------------------------------------------------------------------------


def stage(place: Desk, *melds: str) -> None:
    for text in melds:
        place.held.select(cards(text))
        assert place.carry_out(place.lay_choices()[0]) == []


def test_an_opening_is_prepared_before_it_is_played():
    place = desk(position())
    stage(place, "7S 8S 9S")
    assert place.staging.points == 24 and not place.staging.can_open
    assert len(place.match.game.table) == 3, "nothing is played yet"
    assert parse_card("7S") not in place.held.cards
    stage(place, "KS KH *")
    assert place.staging.points == 54 and place.staging.can_open
    assert [step.text for step in place.open()] == ["meld 7S 8S 9S", "meld KS KH KD*"]
    assert place.match.game.opened[0] and place.staging.is_empty


def test_too_few_points_do_not_open():
    place = desk(position())
    stage(place, "7S 8S 9S")
    with pytest.raises(NotNowError, match="24 of 40 points"):
        place.open()


def test_a_prepared_meld_can_grow():
    place = desk(position("7S 8S 9S TS KS KH * 4D 2C", table=()))
    stage(place, "7S 8S 9S")
    place.held.select(cards("TS"))
    place.carry_out(place.add_choices()[0])
    assert place.staging.points == 34
    assert [meld_text(meld) for meld in place.staging.melds] == ["7S 8S 9S TS"]


def test_undo_takes_the_last_prepared_meld_back_and_drop_all():
    place = desk(position())
    stage(place, "7S 8S 9S", "KS KH *")
    assert place.undo() == []
    assert place.staging.points == 24
    place.drop()
    assert place.staging.is_empty and sorted(place.held.cards) == sorted(cards(HAND))


def test_while_melds_are_prepared_nothing_else_is_played():
    place = desk(position())
    stage(place, "7S 8S 9S")
    place.held.select(cards("2C"))
    with pytest.raises(NotNowError, match="First open"):
        place.discard()
    with pytest.raises(NotNowError, match="First open"):
        place.add_choices(2)


def test_where_closing_in_hand_needs_no_points_few_are_enough():
    rules = {"preset": "fisca"}
    place = desk(position("2C 3C 4C KD", table=(), rules=rules, opened=[False, False]))
    stage(place, "2C 3C 4C")
    assert place.staging.points == 9 and place.staging.can_open


def test_without_a_minimum_melds_are_laid_at_once():
    game = position(table=(), opened=[False, False], rules={"opening_min": 0})
    place = desk(game, "7S", "8S", "9S")
    assert [step.text for step in place.carry_out(place.lay_choices()[0])] == ["meld 7S 8S 9S"]


@pytest.mark.parametrize(
    ("command", "keys", "selected", "reason"),
    [
        ("discard", {"phase": "draw"}, "2C", "First draw"),
        ("discard", {}, "2C QC", "just one card"),
        ("draw", {}, "", "already drawn"),
        ("give_back", {}, "", "no card that could be given back"),
        ("undo", {}, "", "go back"),
        ("open", {}, "", "three or more"),
        ("lay_choices", {}, "7S 8S", "three or more"),
        ("add_choices", {}, "2C", "not opened"),
        ("add_choices", {"table": ()}, "2C", "no meld on the table"),
        ("add_choices", {"opened": [True, True]}, "2C", "No meld can take"),
        ("add_choices", {"opened": [True, True]}, "7S 8S", "No meld can take"),
    ],
)
def test_what_is_not_possible_has_a_reason(
    command: str, keys: dict[str, Any], selected: str, reason: str
):
    place = desk(position(**keys), *selected.split())
    with pytest.raises(NotNowError, match=reason):
        getattr(place, command)()


@pytest.mark.parametrize(
    ("card", "number", "opened", "reason"),
    [
        ("2C", 0, True, "2♣ does not fit the meld 5♥ 6♥ 7♥"),
        ("QC", 2, False, "open"),
        ("QC", 1, False, "open"),
    ],
)
def test_a_meld_that_cannot_take_a_card_says_why(
    card: str, number: int, opened: bool, reason: str
):
    with pytest.raises(NotNowError, match=reason):
        desk(position(opened=[opened, True]), card).add_choices(number)


def test_nothing_is_possible_in_the_turn_of_another():
    place = desk(position(player=1, phase="draw"))
    for command in (place.draw, place.take, place.discard, place.lay_choices, place.undo):
        with pytest.raises(NotNowError, match="not your turn"):
            command()


def test_the_desk_follows_the_person_to_move():
    game = position("2C 3D", opened=[True, True])
    place = Desk(Match(game, seat_players(["me:Anna", "me:Ugo"], 1)), WORDS)
    place.discard()
    assert place.seat == 1 and sorted(place.held.cards) == game.hand(1)


# --- moments ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return Timeline.of(two_hands().game)


def test_a_timeline_has_a_moment_for_each_deal_and_move(timeline: Timeline):
    match = two_hands()
    assert len(timeline) == sum(1 + len(log.moves) for log in match.game.logs)
    last = timeline.moment(timeline.last())
    assert last.state.totals == match.game.totals and last.result == match.last_result


def test_moments_keep_their_state(timeline: Timeline):
    first = timeline.moment(0).state
    assert (first.hand_sizes, first.phase, first.table) == ([13, 13], "draw", [])


def test_a_hand_and_a_turn_are_found(timeline: Timeline):
    deal = timeline.moment(timeline.find(2))
    assert (deal.hand, deal.turn, deal.step) == (2, 0, None)
    number = timeline.find(2, 3)
    assert number is not None
    assert (timeline.moment(number).turn, timeline.moment(number - 1).turn) == (3, 2)
    assert timeline.find(9) is None


def test_turns_are_gone_over_whole(timeline: Timeline):
    number = timeline.next_turn(0)
    assert timeline.moment(number).turn == 1 and timeline.moment(number + 1).turn == 2
    assert timeline.previous_turn(timeline.next_turn(number)) == number
    assert timeline.previous_turn(0) == 0
    assert timeline.next_turn(timeline.last()) == timeline.last()


def test_a_live_match_is_played_as_it_is_looked_at():
    match = Match.new(Rules.preset("browser", mode="single_hand"), ["easy", "easy"], seed=2)
    live = Timeline.live(match)
    assert len(live) == 1 and live.moment(0).state.phase == "draw"
    assert live.has(3) and len(live) == 4
    assert live.moment(live.last()).winners == match.winners != []


# --- keys and settings -----------------------------------------------------------------------


@pytest.mark.parametrize("table", [(*PLAY, *ANYWHERE), (*REPLAY, *ANYWHERE), SHEET, START])
def test_no_key_has_two_meanings(table: tuple[Any, ...]):
    names = [name for key in table for name in key.names]
    assert len(names) == len(set(names))


def test_the_controls_of_the_browser_game_are_there():
    names = {name for key in PLAY for name in key.names}
    letters = {*"spaxbonl", "left", "right", "up", "down", "space", "home", "enter", "escape"}
    assert letters <= names


def test_the_letters_are_those_of_the_prompt():
    actions = {name: key.action for key in PLAY for name in key.names}
    assert {name: actions[name] for name in "spbmaxonlhu"} == {
        "s": "draw", "p": "take", "b": "give_back", "m": "lay", "a": "add", "x": "discard",
        "o": "sort", "n": "new", "l": "level", "h": "hint", "u": "undo",
    }  # fmt: skip


def test_warming_up_changes_no_match():
    def first_hand(match: Match) -> list[str]:
        while not match.game.hand_over and not match.is_over:
            match.agent_move()
        return [step.text for turn in match.chronicle.turns for step in turn.steps]

    cold, warm = (Match.new("browser", ["easy", "easy"], seed=2) for _ in range(2))
    assert first_hand(warmed_up(warm)) == first_hand(cold)


def test_speeds_end_at_both_ends():
    assert next_speed("normal", 1) == next_speed("slow", 1) == "slow"
    assert next_speed("instant", -1) == "instant"


def test_an_unknown_speed_is_named():
    with pytest.raises(ConfigError, match="'warp'; speeds: instant, fast, normal, slow"):
        TuiConfig(speed="warp")


def test_settings_go_to_another_process_and_back():
    config = TuiConfig(Rules.preset("fisca", limit=50), ("me", "hard"), seed=3, save="a.jsonl")
    assert TuiConfig.from_json(config.to_json()) == config
    assert TuiConfig.from_json(TuiConfig().to_json()) == TuiConfig()


def test_a_take_is_offered_only_where_the_game_offers_it():
    game = position("8C 9C KD", (), phase="draw", pile=["TC"], opened=[True, True])
    assert {DRAW, TAKE} == set(game.legal_moves())
    place = desk(game)
    place.take()
    assert parse_card("TC") in place.held.cards
    place.give_back()
    with pytest.raises(NotNowError, match="draw from the stock"):
        place.take()
