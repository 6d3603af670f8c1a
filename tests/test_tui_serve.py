"""The full screen in a browser: `scala40 serve` answers on this machine, to its own page only."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from inspect import isawaitable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tui_scenes import QUICK, run

from scala40_env.play.tui.config import ConfigError
from scala40_env.play.tui.serve import serve

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FELT = (20, 80, 58)
"""The colour of the table."""

COUNT_PIXELS = """
(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,%s";
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const data = canvas.getImageData(0, 0, image.width, image.height).data;
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    count += data[i] == %d && data[i + 1] == %d && data[i + 2] == %d;
  return count / (data.length / 4);
})()
"""
"""The share of the pixels of a picture that are of one colour."""


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the matches of visitors are kept."""
    return tmp_path_factory.mktemp("states")


@pytest.fixture(scope="module")
def page(states: Path) -> Iterator[str]:
    """Serve a match and give its address."""
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    code = (
        "from scala40_env.play.tui import config, serve;"
        "begin = config.TuiConfig(players=('me', 'easy'), seed=7, save='kept');"
        f"serve.serve(begin, port={port})"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_STATE_HOME": str(states)},
    )
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


class Browser:
    """One page of a headless Chromium, by its debugging protocol."""

    def __init__(self, socket_: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket_
        self._number = 0

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method and return its result, which is empty if it failed."""
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        while True:
            answer = await self._socket.receive_json(timeout=60)
            if answer.get("id") == self._number:
                return answer.get("result", {})

    async def value(self, expression: str) -> Any:
        """Return what an expression of JavaScript gives."""
        call = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await self.call("Runtime.evaluate", **call)).get("result", {}).get("value")

    async def share_of(self, colour: tuple[int, int, int]) -> float:
        """Return how much of the page is of a colour; nothing as long as it cannot be drawn."""
        picture = (await self.call("Page.captureScreenshot")).get("data", "")
        return await self.value(COUNT_PIXELS % (picture, *colour)) or 0.0

    async def press(self, letter: str) -> None:
        """Press a key."""
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=letter)


@asynccontextmanager
async def chromium(home: Path, address: str) -> AsyncIterator[Browser]:
    """Open a page in a browser of its own."""
    program = await asyncio.create_subprocess_exec(
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
        f"--user-data-dir={home}", "--window-size=1000,700", "about:blank",
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        port_file = home / "DevToolsActivePort"
        await holds(lambda: port_file.exists() and "\n" in port_file.read_text())
        port = port_file.read_text().split()[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://localhost:{port}/json") as answer:
                tab = next(tab for tab in await answer.json() if tab["type"] == "page")
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket_:
                browser = Browser(socket_)
                await browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
                await browser.call("Page.navigate", url=address)
                yield browser
    finally:
        program.terminate()
        await program.wait()


async def holds(condition: Callable[[], Any], seconds: float = 120) -> None:
    """Wait until something holds, now or as a coroutine."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if await found if isawaitable(found) else found:
            return
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(0.2)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_shows_the_table_and_plays(page: str, states: Path, tmp_path: Path):
    async def visit() -> None:
        async with chromium(tmp_path, page) as browser:

            async def shows_table() -> bool:
                return await browser.share_of(FELT) > 0.2

            await holds(shows_table)
            await browser.press("s")
            await holds(lambda: any("draw" in file.read_text() for file in kept()))

    def kept() -> list[Path]:
        return list(states.glob("scala40/*.jsonl"))

    run(visit())


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_an_address_that_no_browser_finds_is_refused(host: str):
    with pytest.raises(ConfigError, match="is no address that a browser finds"):
        serve(QUICK, host=host)


def test_a_port_that_is_taken_is_one_line():
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"cannot listen at localhost:{port}: "):
            serve(QUICK, port=port)
