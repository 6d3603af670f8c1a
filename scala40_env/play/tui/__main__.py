"""What the web server starts for each visitor: ``python -m scala40_env.play.tui JSON``."""

import sys

from ..saves import new_save_path
from .app import run_app
from .config import TuiConfig

if __name__ == "__main__":
    config = TuiConfig.from_json(sys.argv[1])
    run_app(config if config.save is None else config.with_save(new_save_path()))
