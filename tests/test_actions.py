"""The action space: every id has one meaning, and every conversion goes both ways."""

from __future__ import annotations

import pytest

from scala40_env import actions
from scala40_env.actions import Move
from scala40_env.cards import JOKER
from scala40_env.engine import tables
from scala40_env.melds import RUN, SET, Meld, three_card_melds


def test_space_has_1208_ids_each_with_its_own_name():
    names = [actions.action_name(a) for a in range(actions.NUM_ACTIONS)]
    assert actions.NUM_ACTIONS == 1208
    assert len(set(names)) == 1208


@pytest.mark.parametrize(
    "name",
    [
        "DRAW_ID", "TAKE_ID", "RETURN_ID", "DISCARD_ID", "MELD_ID", "ADD_ID", "SWAP_ID",
        "TARGET_ID", "NUM_ACTIONS", "ON_SET", "ON_LOW", "ON_HIGH",
    ],
)  # fmt: skip
def test_kernels_have_the_same_numbers(name):
    assert getattr(actions, name) == getattr(tables, name)


def test_kernels_have_the_same_melds():
    for number in range(tables.NUM_MELDS):
        shape = number // tables.NUM_PATTERNS
        meld = actions.action_meld(actions.MELD_ID + number)
        assert meld == Meld(
            tables.SHAPE_KIND[shape],
            tables.SHAPE_BASE[shape],
            tables.SHAPE_PLACES[shape],
            tables.MELD_JOKERS[number],
        )


def test_every_three_card_meld_has_its_id():
    ids = [actions.meld_id(meld) for meld in three_card_melds()]
    assert sorted(ids) == list(range(actions.MELD_ID, actions.ADD_ID))
    assert [actions.action_meld(a) for a in ids] == three_card_melds()


def test_every_add_has_its_id():
    ids = [
        actions.add_id(end, card, as_joker)
        for end in range(3)
        for as_joker in (False, True)
        for card in range(52)
    ]
    assert ids == list(range(actions.ADD_ID, actions.SWAP_ID))
    assert [actions.add_id(*actions.action_add(a)) for a in ids] == ids


def test_every_swap_has_its_id():
    ids = [actions.swap_id(kind, card) for kind in (SET, RUN) for card in range(52)]
    assert ids == list(range(actions.SWAP_ID, actions.TARGET_ID))
    assert [actions.swap_id(*actions.action_swap(a)) for a in ids] == ids


def test_every_discard_and_target_has_its_id():
    discards = [actions.discard_id(card) for card in range(JOKER + 1)]
    assert discards == list(range(actions.DISCARD_ID, actions.MELD_ID))
    assert [actions.discard_card(a) for a in discards] == list(range(53))
    targets = [actions.target_id(m) for m in range(36)]
    assert targets == list(range(actions.TARGET_ID, actions.NUM_ACTIONS))
    assert [actions.target_number(a) for a in targets] == list(range(36))


def test_every_id_is_of_exactly_one_kind():
    kinds = (actions.is_discard, actions.is_meld, actions.is_add, actions.is_swap)
    for a in range(actions.DISCARD_ID, actions.NUM_ACTIONS):
        assert sum(is_kind(a) for is_kind in (*kinds, actions.is_target)) == 1
        assert actions.is_table_move(a) == any(is_kind(a) for is_kind in kinds[1:])


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (actions.discard_id, (53,)),
        (actions.add_id, (3, 0)),
        (actions.add_id, (0, JOKER)),
        (actions.swap_id, (2, 0)),
        (actions.swap_id, (0, JOKER)),
        (actions.target_id, (36,)),
        (actions.meld_id, (Meld(RUN, 0, 0b1111),)),
        (actions.meld_id, (Meld(SET, 0, 0b1111),)),
        (actions.meld_id, (Meld(RUN, 0, 0b10101),)),
        (actions.meld_id, (Meld(SET, 0, 0b111, 0b111),)),
        (actions.action_meld, (actions.ADD_ID,)),
        (actions.action_add, (actions.SWAP_ID,)),
        (actions.action_swap, (actions.TARGET_ID,)),
        (actions.target_number, (actions.SWAP_ID,)),
        (actions.action_name, (actions.NUM_ACTIONS,)),
        (actions.action_name, (-1,)),
    ],
)
def test_what_is_not_in_the_space_is_refused(call, arguments):
    with pytest.raises(ValueError):
        call(*arguments)


def test_a_move_is_two_ids_only_where_several_melds_could_take_the_card():
    add, swap = Move(actions.add_id(1, 7), 3), Move(actions.swap_id(RUN, 7), 0)
    legal = [actions.DRAW, add, Move(add.action, 5), swap]
    assert actions.move_ids(add, legal) == (add.action, actions.TARGET_ID + 3)
    assert actions.move_ids(swap, legal) == (swap.action,)
    for move in legal:
        assert actions.move_of_ids(actions.move_ids(move, legal), legal) == move


def test_ids_that_say_too_little_or_too_much_are_refused():
    add = actions.add_id(1, 7)
    legal = [Move(add, 3), Move(add, 5)]
    for ids in ([add], [add, actions.TARGET_ID + 4], [actions.DRAW_ID]):
        with pytest.raises(ValueError, match="legal moves have the ids"):
            actions.move_of_ids(ids, legal)


def test_table_of_the_space_covers_every_id_once():
    covered = []
    for ids, count, _ in actions.describe_space():
        first, _, last = ids.partition("-")
        covered += range(int(first), int(last or first) + 1)
        assert int(last or first) - int(first) + 1 == count
    assert covered == list(range(1208))
