"""Play on the full screen in a web browser: a page on this machine, a match for every visitor.

Examples:
  scala40 serve                                  then open http://localhost:8000
  scala40 serve --port 8100 --players me hard    begin at once
"""

from __future__ import annotations

from dataclasses import dataclass

from scala40_env.commands import tui


@dataclass(frozen=True)
class Options(tui.Options):
    """How each match starts, and where the page is."""

    host: str = "localhost"
    """Name or address to listen at; with this machine's in its network, everybody there can play,
    and write matches to its files."""
    port: int = 8000
    """A free port."""


def run(options: Options) -> None:
    """Serve until Ctrl-C."""
    from scala40_env.play.tui.serve import serve

    serve(tui.tui_config(options), options.host, options.port)
