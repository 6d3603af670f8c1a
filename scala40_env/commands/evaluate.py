"""Measure agents against each other: mirrored deals, 95 % intervals, ratings.

Examples:
  scala40 evaluate --players hard normal easy             every pairing
  scala40 evaluate --players hard normal --until 0.01     until it is known to one percent
  scala40 evaluate --players learned hard --pairs 5000 --json result.json
  scala40 evaluate --sprt runs/quick/best.npz hard        is the first one stronger?
  scala40 evaluate --players hard easy easy easy --set num_players=4
"""

from scala40_env.train.evaluate_command import EvaluateConfig as Options
from scala40_env.train.evaluate_command import run

__all__ = ["Options", "run"]
