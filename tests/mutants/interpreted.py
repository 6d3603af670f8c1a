"""A pytest plugin that runs the engine as plain Python, so that a changed rule needs no compiling.

Kernels are written for numba. Run as Python they need records with attributes, and integers that
are wide enough not to overflow where numba would have widened them. Load it before anything else::

    NUMBA_DISABLE_JIT=1 python -m pytest -p interpreted tests/test_rules_page.py

Only for tests: it is a thousand times slower than the compiled engine.
"""

from __future__ import annotations

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"  # numba reads it when it is imported

import numpy as np

np.seterr(over="ignore")  # the generator multiplies modulo 2**64


def _widened(dtype: np.dtype) -> np.dtype:
    """The same record with attributes, and with all integers of 64 bits."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_widened(base), shape))
    if dtype.names is not None:
        fields = [(name, _widened(dtype[name])) for name in dtype.names]
        return np.dtype((np.record, np.dtype(fields)))
    return dtype if dtype == np.uint64 else np.dtype(np.int64)


def _prepare_engine() -> None:
    """Widen the records and tables of the engine before the kernels import them."""
    from scala40_env.engine import kernel

    kernel.kernel = kernel.entry = lambda function: function
    from scala40_env.engine import state

    state.GAME = _widened(state.GAME)
    from scala40_env.engine import tables

    for name, value in list(vars(tables).items()):
        if isinstance(value, np.ndarray) and value.dtype != np.uint64:
            setattr(tables, name, value.astype(np.int64))
    from scala40_env.engine import work  # not before: it imports kernels, and they the tables

    work.WORK = _widened(work.WORK)


_prepare_engine()
