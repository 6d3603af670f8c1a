"""The table as text."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from engine_play import RULE_SETS, play
from pettingzoo.test import render_test

from scala40_env.aec import env, raw_env
from scala40_env.cards import JOKER, NUM_CARDS, card_symbol
from scala40_env.game import Game
from scala40_env.melds import parse_meld
from scala40_env.render import WIDTH, meld_symbols, render_rich, render_text

POSITION = {
    "rules": {"preset": "browser"},
    "player": 1,
    "dealer": 0,
    "phase": "play",
    "hands": [["2S", "KH", "TD", "*"], ["5H", "5D", "5C", "AS", "AS", "*"]],
    "opened": [True, False],
    "table": ["8D 9D* TD", "7S 7H 7C", "JH QH KH"],
    "laid_this_turn": [2],
    "pile": ["4C", "9S", "QD"],
    "turns": [3, 2],
    "totals": [33, 8],
    "hand_number": 2,
}

PICTURE = """\
── Scala 40 · hand 3 · turn 6 · player_1 to play ─────────────────────────────
stock 86   pile 3    4♣ 9♠ [Q♦]
table 0: 8♦ 9♦★ 10♦   1: 7♠ 7♥ 7♣   2+ J♥ Q♥ K♥
  player_0       4 cards    opened       total 33    dealer
    2♠  K♥  10♦  ★
▸ player_1       6 cards    not opened   total 8
    A♠ A♠  5♥  5♦  5♣  ★
    (30 of 40 points laid)"""


def test_the_picture_of_a_position():
    assert render_text(Game.from_position(POSITION).array) == PICTURE


def test_one_seat_sees_its_own_hand_only():
    game = Game.from_position(POSITION)
    seen = render_text(game.view(0).array, seat=0, names=["Ada", "Bob"])
    assert "    2♠  K♥  10♦  ★" in seen
    assert "5♥" not in seen
    assert "▸ Bob            6 cards " in seen
    assert render_text(game.array, seat=0, names=["Ada", "Bob"]) == seen


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"taken": "5C", "laid_this_turn": []}, "(must lay 5♣)"),
        ({"phase": "draw", "returned": True, "laid_this_turn": []}, "(gave the discard back)"),
    ],
)
def test_what_a_turn_owes_is_shown(changes, note):
    game = Game.from_position({**POSITION, **changes})
    assert render_text(game.array).splitlines()[-1].strip() == note


def test_a_recovered_joker_is_shown():
    rules = {"preset": "italian"}
    changes = {
        "rules": rules,
        "recovered": 1,
        "opened": [True, True],
        "laid_off_or_swapped": True,
        "history": {"known_jokers": [0, 1]},
        "laid_this_turn": [],
    }
    game = Game.from_position({**POSITION, **changes})
    assert "(must lay a recovered ★)" in render_text(game.array)


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_card_of_the_hands_is_drawn_and_lines_are_short(name):
    for games, _ in play(RULE_SETS[name], 5, 150):
        lines = render_text(games).splitlines()
        assert max(map(len, lines)) <= WIDTH
        hands = " ".join(
            line for line in lines if line[4:5] not in " (" and line.startswith("    ")
        )
        for card in range(JOKER + 1):
            count = int(games["hands"][0, :, card].sum())
            assert hands.split().count(card_symbol(card)) == count, lines
        table = sum(line.count("★") for line in lines if line.startswith(("table", "      ")))
        assert table >= np.bitwise_count(games["meld_jokers"][0]).sum()


def test_the_end_of_a_hand_and_of_a_match_is_told():
    seen = set()
    for kwargs in (
        {"episode": "hand"},
        {"rules": {"teams": "2x2", "preset": "italian"}},
        {"rules": {"max_hands": 1}},
        {"rules": "italian"},
        {"rules": {"max_turns": 8, "max_hands": 1}},
    ):
        table = raw_env(**kwargs, render_mode="ansi")
        table.reset(seed=1)
        rng = np.random.default_rng(1)
        while not any([*table.terminations.values(), *table.truncations.values()]):
            legal = np.flatnonzero(table.action_mask())
            table.step(rng.choice(legal))
        title = table.render().splitlines()[0]
        seen |= {
            word
            for word in ("closed", "nobody closed", "wins the match", "team", "cut short")
            if word in title
        }
        assert len(title) == WIDTH
        assert " (+" in table.render()
        assert "▸" not in table.render()
    assert seen == {"closed", "nobody closed", "wins the match", "team", "cut short"}


def test_melds_have_stars_for_jokers():
    assert meld_symbols(parse_meld("8D 9D* TD")) == "8♦ 9♦★ 10♦"


def test_colours_do_not_change_the_text():
    game = Game.from_position(POSITION)
    text = render_rich(game.array)
    assert text.plain == render_text(game.array)
    red = {text.plain[span.start : span.end] for span in text.spans if span.style == "red"}
    assert {"K♥", "10♦", "5♥"} <= red
    assert not any("♠" in part or "♣" in part for part in red)


def test_pettingzoo_renders():
    render_test(env)


def test_human_rendering_prints_every_step(capsys):
    table = raw_env(render_mode="human")
    table.reset(seed=1)
    assert capsys.readouterr().out.count("── Scala 40") == 1
    table.step(0)
    assert capsys.readouterr().out.count("── Scala 40") == 1
    assert table.render() is None
    assert capsys.readouterr().out.count("stock") == 1


def test_rendering_without_a_mode_is_warned_of():
    table = raw_env()
    table.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert table.render() is None
    assert "render_mode" in str(caught[0].message)


def test_all_cards_of_a_deal_are_accounted_for():
    table = raw_env(render_mode="ansi", num_players=6)
    table.reset(seed=2)
    text = table.render()
    assert f"stock {NUM_CARDS - 6 * 13 - 1}" in text
    assert "pile 1" in text
    assert "no melds" in text
