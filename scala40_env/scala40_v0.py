"""The environment under its versioned name, as PettingZoo's own: `scala40_v0.env()`."""

from .aec import env, raw_env

__all__ = ["env", "raw_env"]
