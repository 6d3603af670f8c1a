"""The full screen in a web page, by textual-serve: every visitor plays a match of their own."""

from __future__ import annotations

import re
import shlex
import socket
import sys
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from ..i18n import _
from .config import ConfigError, TuiConfig

_LOCAL: Final = ("localhost", "127.0.0.1")
_ANY: Final = ("", "0.0.0.0", "::")
_REMOTE_FONT: Final = re.compile(r"<link[^>]*fonts\.googleapis\.com[^>]*>")
_HEAD: Final = """
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Scala 40</title>
    <style>
      @font-face {
        font-family: "Roboto Mono";
        src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf");
        font-weight: 100 700;
      }
      body, .shade, body .intro { margin: 0; background: #10201a !important; }
    </style>
    <script>
      // In a narrow window letters are so small that 60 columns fit.
      document.addEventListener("DOMContentLoaded", () => {
        const columns = 62, shape = 0.61;  // a letter is 0.61 times as wide as it is high
        const terminal = document.getElementById("terminal");
        const fitting = Math.floor(window.innerWidth / columns / shape);
        terminal.dataset.fontSize = Math.max(8, Math.min(terminal.dataset.fontSize, fitting));
        // Keys reach the game at once, without a click before.
        const waiting = setInterval(() => {
          const keys = terminal.querySelector(".xterm-helper-textarea");
          if (keys === null) return;
          keys.focus();
          clearInterval(waiting);
        }, 100);
      });
    </script>
  </head>"""


class GameServer(Server):
    """Serves the game to its own page only: other pages of the same browser get no connection."""

    async def handle_index(self, request: web.Request) -> web.Response:
        """Return the page, without what it would load from another host, and fit for a phone."""
        response = await super().handle_index(request)
        assert isinstance(response, web.Response)  # a page, no stream
        page = _REMOTE_FONT.sub("", response.text or "")
        response.text = page.replace("</head>", _HEAD, 1)
        return response

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Open a connection, unless a page of another site asks for it."""
        names = {self.host, urlsplit(self.public_url).hostname, *_LOCAL}
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).hostname not in names:
            raise web.HTTPForbidden(text=_("This game is played from its own page only."))
        return await super().handle_websocket(request)


def make_server(config: TuiConfig, host: str = "localhost", port: int = 8000) -> GameServer:
    """Return the server; nothing is listening yet."""
    command = [sys.executable, "-m", "scala40_env.play.tui", config.to_json()]
    return GameServer(shlex.join(command), host, port, "Scala 40")


def serve(config: TuiConfig | None = None, host: str = "localhost", port: int = 8000) -> None:
    """Serve the full screen until Ctrl-C.

    Args:
        config: how each match starts.
        host: the name or address to listen at; others than this machine's own can be reached by
            everybody in the network.
        port: a free port.

    Raises:
        ConfigError: nothing can listen there, or it is no address of one machine.
        ValueError: something in the settings does not exist or is damaged, as in `run_app`.
    """
    from .app import prepare

    config = config or TuiConfig()
    if host in _ANY:
        # The page names the address under which its parts are found.
        raise ConfigError(
            _("{host} is no address that a browser finds: give the one of this machine.").format(
                host=host
            )
        )
    prepare(config)  # errors are shown here, not in every visitor's page
    _check_port(host, port)
    make_server(config, host, port).serve()


def _check_port(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port)):
            pass
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            _("cannot listen at {host}:{port}: {reason}").format(
                host=host, port=port, reason=reason
            )
        ) from error
