"""Search better figures for a computer level, by letting many candidates play at engine speed.

The result is a TOML file that every verb takes as a player. Ctrl-C keeps what was found.

Examples:
  scala40 tune --level hard --minutes 30 --folder runs/tune
  scala40 evaluate --players runs/tune/best.toml hard       measure the result
"""

from scala40_env.train.tune import TuneConfig as Options
from scala40_env.train.tune import run

__all__ = ["Options", "run"]
