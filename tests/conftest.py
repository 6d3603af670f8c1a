"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every machine, and no deadline: a kernel may be compiled inside one.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
