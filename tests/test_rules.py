"""The rules object: its fields, presets and every error it makes."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from scala40_env.rules import (
    PRESETS,
    TEAM_PLAYERS,
    Rules,
    RulesError,
    diff,
    rules_table,
    value_text,
)

RULES_PAGE = Path(__file__).parents[2] / "shared" / "rules" / "RULES.md"
RECORDS = RULES_PAGE.parent / "records"
NULLABLE = ["unopened_penalty", "reshuffles", "max_hands"]


def every_single_change() -> list[tuple[str, object]]:
    """Return (field, value) for every allowed value, the ends of long ranges only."""
    changes: list[tuple[str, object]] = []
    for name, spec in Rules.SPECS.items():
        long = isinstance(spec.allowed, range) and len(spec.allowed) > 20
        values = [spec.allowed[0], spec.allowed[-1]] if long else list(spec.allowed)
        changes += [(name, value) for value in values]
        changes += [(name, None)] if spec.nullable else []
    return changes


def error_of(make, *args, **kwargs) -> str:
    """Return the one-line message of the RulesError that a call makes."""
    with pytest.raises(RulesError) as caught:
        make(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def rules_page_table() -> list[list[str]]:
    """Return the rows (field, values, browser, fisca, italian) of the page of the rules."""
    if not RULES_PAGE.exists():
        pytest.skip(f"the page of the rules is not at {RULES_PAGE}: presets are not compared")
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", RULES_PAGE.read_text(encoding="utf-8"), re.M)
    return [[name, *(cell.strip() for cell in rest.rsplit("|", 3))] for name, rest in rows]


def test_fields_stand_in_the_order_of_the_page():
    assert [row[0] for row in rules_page_table()] == list(Rules.FIELDS)


def test_presets_equal_the_page():
    for name, _, *cells in rules_page_table():
        for preset, cell in zip(("browser", "fisca", "italian"), cells, strict=True):
            value = getattr(PRESETS[preset], name)
            assert value_text(value) == cell.strip("`"), (preset, name)


def test_allowed_strings_stand_in_the_order_of_the_page():
    for name, values, *_ in rules_page_table():
        spec = Rules.SPECS[name]
        if spec.kind is str and values != "same":
            words = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", values))
            assert tuple(words) == spec.allowed, name


def test_the_rules_of_every_recorded_match_are_accepted():
    if not RECORDS.exists():
        pytest.skip(f"no recorded matches at {RECORDS}: their rules are not tried")
    for path in RECORDS.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            values = json.loads(line)["rules"]
            assert Rules.from_dict(values).to_dict() == values, path.name


def test_there_are_38_fields_each_with_one_line_of_explanation():
    assert len(Rules.FIELDS) == 38
    for spec in Rules.SPECS.values():
        assert 0 < len(spec.explanation) <= 90
        assert "\n" not in spec.explanation


def test_defaults_are_the_browser_preset():
    assert Rules() == PRESETS["browser"] == Rules.preset() == Rules.from_dict({})
    assert list(PRESETS) == ["browser", "fisca", "italian"]
    assert len(set(PRESETS.values())) == 3


@pytest.mark.parametrize(("name", "value"), every_single_change())
def test_every_allowed_value_survives_every_inverse_pair(name, value):
    rules = Rules.preset("fisca", **{"num_players": TEAM_PLAYERS.get(str(value), 4), name: value})
    assert getattr(rules, name) == value
    assert Rules.decode(rules.encode()) == rules
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert Rules.parse_overrides([f"{name}={value_text(value)}"]) == {name: value}


def test_encode_is_int16_in_field_order():
    numbers = dict(zip(Rules.FIELDS, PRESETS["fisca"].encode(), strict=True))
    assert PRESETS["fisca"].encode().dtype == np.int16
    assert numbers["num_players"] == 2
    assert numbers["opening_joker"] == 1
    assert numbers["upcard_joker"] == 1  # redraw
    assert numbers["attach_discard_opened"] == 2  # forbid_if_3plus
    assert numbers["unopened_penalty"] == -1
    assert numbers["jokers_per_meld"] == 1
    assert numbers["max_turns"] == 400


@pytest.mark.parametrize("size", [0, 37, 39])
def test_decode_refuses_a_wrong_length(size):
    assert str(size) in error_of(Rules.decode, np.zeros(size, dtype=np.int16))


@pytest.mark.parametrize(("name", "number"), [("mode", 4), ("mode", -1), ("deal", 99)])
def test_decode_refuses_numbers_that_stand_for_nothing(name, number):
    array = Rules().encode()
    array[Rules.FIELDS.index(name)] = number
    message = error_of(Rules.decode, array)
    assert name in message and str(number) in message


@pytest.mark.parametrize("name", Rules.FIELDS)
def test_a_wrong_type_is_refused_in_every_field(name):
    for value in ([1], 1.0, b"x", object):
        assert name in error_of(Rules, **{name: value})


@pytest.mark.parametrize("name", Rules.FIELDS)
def test_a_text_that_is_no_value_is_refused_in_every_field(name):
    message = error_of(Rules, **{name: "nonsense"})
    assert "'nonsense'" in message
    assert Rules.SPECS[name].allowed_text() in message


@pytest.mark.parametrize("name", [n for n in Rules.FIELDS if n not in NULLABLE])
def test_null_is_refused_where_the_page_has_none(name):
    assert "null" in error_of(Rules, **{name: None})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_players", 1),
        ("num_players", 7),
        ("deal", 0),
        ("deal", 14),
        ("opening_min", -1),
        ("opening_min", 201),
        ("jokers_per_meld", 3),
        ("min_naturals", 0),
        ("min_naturals", 3),
        ("max_run", 2),
        ("max_run", 15),
        ("ace_low_value", 2),
        ("limit", 0),
        ("unopened_penalty", -1),
        ("reshuffles", -1),
        ("max_turns", 0),
        ("max_hands", 0),
    ],
)
def test_numbers_out_of_range_are_refused(name, value):
    assert f"{name} = {value} is not allowed" in error_of(Rules, **{name: value})


def test_a_bool_is_no_number_and_a_number_no_bool():
    assert "deal = true" in error_of(Rules, deal=True)
    assert "return_taken = 1" in error_of(Rules, return_taken=1)


@pytest.mark.parametrize(("teams", "players"), TEAM_PLAYERS.items())
def test_teams_fix_the_number_of_players(teams, players):
    assert Rules.preset("fisca", teams=teams).num_players == players
    assert PRESETS["fisca"].with_(teams=teams).num_players == players
    assert Rules.from_dict({"teams": teams}).num_players == players
    message = error_of(Rules, teams=teams, num_players=5)
    assert "num_players = 5" in message and f"teams = {teams}" in message


def test_teams_exclude_reentry():
    message = error_of(Rules, teams="2x2", num_players=4, reentry="once")
    assert "reentry = once" in message and "teams = 2x2" in message


@pytest.mark.parametrize("mode", ["fixed_total", "single_hand", "victory_points"])
def test_reentry_belongs_to_elimination(mode):
    message = error_of(Rules, mode=mode, reentry="unlimited")
    assert "reentry = unlimited" in message and f"mode = {mode}" in message


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rules.preset("browser", limmit=3),
        lambda: Rules.from_dict({"limmit": 3}),
        lambda: Rules().with_(limmit=3),
        lambda: Rules.parse_overrides(["limmit=3"]),
    ],
)
def test_an_unknown_field_is_named_with_the_nearest_one(make):
    message = error_of(make)
    assert "'limmit'" in message and "limit?" in message


@pytest.mark.parametrize("preset", ["fissca", "", 3, None, []])
def test_an_unknown_preset_is_named(preset):
    assert repr(preset) in error_of(Rules.preset, preset)
    assert repr(preset) in error_of(Rules.from_dict, {"preset": preset})


@pytest.mark.parametrize("values", [None, [], "browser", 3])
def test_rules_that_are_no_table_are_refused(values):
    assert repr(values) in error_of(Rules.from_dict, values)


def test_a_missing_field_has_its_presets_value():
    rules = Rules.from_dict({"preset": "fisca", "limit": 201})
    assert diff(rules, PRESETS["fisca"]) == {"limit": (201, 101)}
    assert rules.preset_name == "fisca"


def test_the_preset_name_is_kept_but_is_no_rule():
    long = Rules.preset("italian", limit=201).with_(deal=10)
    assert long.to_dict()["preset"] == "italian"
    assert list(long.to_dict()) == ["preset", *Rules.FIELDS]
    same = Rules(**{name: getattr(long, name) for name in Rules.FIELDS}, preset_name="browser")
    assert same == long and hash(same) == hash(long)


@pytest.mark.parametrize("name", PRESETS)
def test_without_a_name_the_nearest_preset_is_found(name):
    assert Rules.decode(PRESETS[name].with_(limit=77).encode()).preset_name == name


def test_rules_cannot_be_changed_in_place():
    with pytest.raises(FrozenInstanceError):
        Rules().limit = 5


def test_overrides_are_read_by_the_type_of_the_field():
    settings = ["limit=201", "reentry = once", "return_taken=FALSE", "reshuffles=null", "limit=151"]
    assert Rules.parse_overrides(settings) == {
        "limit": 151,
        "reentry": "once",
        "return_taken": False,
        "reshuffles": None,
    }
    assert Rules.parse_overrides(["teams=none"]) == {"teams": "none"}


@pytest.mark.parametrize(
    "setting", ["limit=", "limit=12.5", "limit=null", "return_taken=maybe", "mode=fast", "deal=14"]
)
def test_an_override_with_a_bad_value_is_named(setting):
    name, value = setting.split("=")
    assert f"{name} = {value} is not allowed" in error_of(Rules.parse_overrides, [setting])


@pytest.mark.parametrize("setting", ["limit", "", "limit:3"])
def test_an_override_without_an_equals_sign_is_named(setting):
    assert repr(setting) in error_of(Rules.parse_overrides, [setting])


@pytest.mark.parametrize("head", ["", "[rules]\n"])
def test_rules_from_a_toml_file(tmp_path, head):
    path = tmp_path / "house.toml"
    path.write_text(head + 'preset = "fisca"\nlimit = 201\nmax_hands = "null"\n')
    assert Rules.load_toml(path) == Rules.preset("fisca", limit=201, max_hands=None)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("limit = ", "house.toml"),
        ("limt = 5", "'limt'"),
        ("rules = 5", "house.toml"),
        ('limit = "null"', "limit = 'null'"),
        ("[training]\nsteps = 5", "'training'"),
    ],
)
def test_a_bad_toml_file_is_refused(tmp_path, content, named):
    path = tmp_path / "house.toml"
    path.write_text(content)
    assert named in error_of(Rules.load_toml, path)


def test_a_missing_toml_file_is_named(tmp_path):
    assert "house.toml" in error_of(Rules.load_toml, tmp_path / "house.toml")


def test_a_binary_file_is_no_toml_file(tmp_path):
    path = tmp_path / "house.toml"
    path.write_bytes(b"\xff\xfe")
    assert "house.toml" in error_of(Rules.load_toml, path)


def test_the_table_has_a_row_of_texts_for_each_field():
    rows = rules_table(PRESETS["fisca"])
    assert [row[0] for row in rows] == list(Rules.FIELDS)
    values = {name: value for name, value, _ in rows}
    assert values["unopened_penalty"] == "null"
    assert values["return_taken"] == "false"
    assert values["recovered_joker"] == "must_reuse"


def test_diff_of_equal_rules_is_empty():
    assert diff(Rules(), Rules()) == {}
    assert diff(Rules(), Rules(limit=5)) == {"limit": (101, 5)}
