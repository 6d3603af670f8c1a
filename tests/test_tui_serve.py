"""The full screen in a browser: `scala40 serve` answers on this machine, to its own page only."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator

import aiohttp
import pytest
from tui_scenes import QUICK, run

from scala40_env.play.tui.config import ConfigError
from scala40_env.play.tui.serve import serve


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    """Serve a match and give its address."""
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    code = (
        "from scala40_env.play.tui import config, serve;"
        f"serve.serve(config.TuiConfig(players=('me', 'easy'), seed=7), port={port})"
    )
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    address = f"http://localhost:{port}"
    try:
        run(answers(address))
        yield address
    finally:
        server.terminate()
        server.wait()


async def answers(address: str) -> None:
    """Wait until a server answers."""
    for _ in range(600):
        try:
            urllib.request.urlopen(address).close()
            return
        except urllib.error.URLError:
            await asyncio.sleep(0.1)
    raise AssertionError("no answer")


def test_the_page_loads_nothing_from_elsewhere(page: str):
    text = urllib.request.urlopen(page).read().decode()
    assert "Scala 40" in text
    hosts = set(re.findall(r"(?:https?|ws)://[^/\"']+", text))
    assert hosts - {"http://www.w3.org"} == {page, page.replace("http", "ws")}


def test_the_game_comes_through_the_socket_to_its_own_page_only(page: str):
    async def connect(origin: str) -> bytes:
        seen = b""
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{page}/ws?width=80&height=24", origin=origin) as socket_,
        ):
            while b"Stock" not in seen:
                seen += (await socket_.receive(timeout=60)).data
        return seen

    assert b"Table" in run(connect(page))
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        run(connect("http://elsewhere.example"))


def test_a_port_that_is_taken_is_one_line():
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"cannot listen at localhost:{port}: "):
            serve(QUICK, port=port)
