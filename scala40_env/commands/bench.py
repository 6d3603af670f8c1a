"""Measure the speed of the engine, the environments and the bots on this machine.

Examples:
  scala40 bench                    everything: some minutes
  scala40 bench --quick            a look, less exact
  scala40 bench --only batch       one measure
  scala40 bench --json > bench.json
"""

from scala40_env.bench import BenchConfig as Options
from scala40_env.bench import run as measure


def run(options: Options) -> None:
    """Measure and print."""
    measure(options)
