"""A pytest plugin that makes the engine ignore one rule: ``--force-rule opening_joker=false``.

The rules stay what they are for everybody but the kernels, which get the forced value.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--force-rule", help="FIELD=VALUE that the engine plays whatever the rules")


def pytest_configure(config: pytest.Config) -> None:
    """Make the rules encode the forced value."""
    setting = config.getoption("--force-rule")
    if setting is None:
        return
    from scala40_env.rules import Rules

    (name, value), *_ = Rules.parse_overrides([setting]).items()
    place = Rules.FIELDS.index(name)
    allowed = Rules.SPECS[name].allowed
    number = -1 if value is None else allowed.index(value) if isinstance(value, str) else int(value)
    encode = Rules.encode

    def encode_forced(rules: Rules) -> NDArray[np.int16]:
        numbers = encode(rules)
        numbers[place] = number
        return numbers

    Rules.encode = encode_forced
