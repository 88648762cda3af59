"""A Firefox as Debian ships it, driven over Marionette: the protocol built into it, that geckodriver speaks too.

Playwright's own Firefox is a patched one, and what it asks of a stock one is more than an ESR knows.
"""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path
from typing import Any

from browsing import PATIENCE_MS, until
from engine import ELEMENT, Engine, EngineError

_PREFERENCES = {
    "marionette.port": 0,  # any free one; Firefox writes into its profile which
    "intl.accept_languages": "en-GB",
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
    # A camera that shows a test picture, and no question whether it may be used.
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
}

_BEGUN_S = 4 * PATIENCE_MS / 1000
"""How long a Firefox may take to begin, or to do what is asked (s)."""


class Firefox(Engine):
    """A running Firefox without a window, with one tab. profile: an empty folder."""

    def __init__(self, program: str, profile: Path) -> None:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        command = [program, "--marionette", "--headless", "--no-remote", "--profile", str(profile)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._number = 0
        try:
            self._socket = socket.create_connection(("127.0.0.1", self._port(profile)), _BEGUN_S)
            self._stream = self._socket.makefile("rwb")
            self._receive()  # Firefox begins with a greeting
            self._send("WebDriver:NewSession", pageLoadStrategy="eager")
        except BaseException:
            self._process.kill()
            raise

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()

    def goto(self, url: str) -> None:
        """Open an address."""
        self._send("WebDriver:Navigate", url=url)

    def back(self) -> None:
        """Go back as the browser's button does."""
        self._send("WebDriver:Back")

    def evaluate(self, expression: str) -> Any:
        """Return what an expression has for a value in the page; raises EngineError."""
        return self._send("WebDriver:ExecuteScript", script=f"return {expression};", args=[])

    def _click(self, selector: str) -> None:
        self._send("WebDriver:ElementClick", id=self._find(selector))

    def _type(self, selector: str, text: str) -> None:
        self._send("WebDriver:ElementSendKeys", id=self._find(selector), text=text)

    def _find(self, selector: str) -> str:
        found = self._send("WebDriver:FindElement", using="css selector", value=selector)
        return str(found[ELEMENT])

    def _port(self, profile: Path) -> int:
        reported = profile / "MarionetteActivePort"

        def read() -> str:
            if self._process.poll() is not None:
                raise ConnectionError("Firefox does not begin.")
            return reported.read_text("utf-8") if reported.is_file() else ""

        return int(until(read, _BEGUN_S))

    def _send(self, name: str, **parameters: object) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, name, parameters]).encode()
        self._stream.write(b"%d:%b" % (len(message), message))
        self._stream.flush()
        _, _, error, value = self._receive()
        if error is not None:
            raise EngineError(f"{name}: {error['message']}")
        return value.get("value", value)

    def _receive(self) -> Any:
        length = b""
        while (byte := self._stream.read(1)) != b":":
            if not byte:
                raise ConnectionError("Firefox is gone.")
            length += byte
        return json.loads(self._stream.read(int(length)))
