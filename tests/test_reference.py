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
