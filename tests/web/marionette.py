"""A Firefox as Debian ships it, driven over Marionette: the protocol built into it, that geckodriver speaks too.

Playwright's own Firefox is a patched one, and what it asks of a stock one is more than an ESR knows.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from browsing import PATIENCE_MS

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how WebDriver marks a reference to an element
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


class MarionetteError(Exception):
    """Firefox could not do what was asked; the message is its own."""


class Firefox:
    """A running Firefox without a window, with one tab. profile: an empty folder."""

    def __init__(self, program: str, profile: Path) -> None:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        command = [program, "--marionette", "--headless", "--no-remote", "--profile", str(profile)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._number = 0
        try:
            self._socket = socket.create_connection(("127.0.0.1", self._port(profile)), PATIENCE_MS / 1000)
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

    def click(self, selector: str) -> None:
        """Click an element where a pointer would meet it, as soon as it is there."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        found = self._send("WebDriver:FindElement", using="css selector", value=selector)
        self._send("WebDriver:ElementClick", id=found[_ELEMENT])

    def choose(self, selector: str, path: Path) -> None:
        """Choose a file in a field for one."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        found = self._send("WebDriver:FindElement", using="css selector", value=selector)
        self._send("WebDriver:ElementSendKeys", id=found[_ELEMENT], text=str(path))

    def evaluate(self, expression: str) -> Any:
        """Return what an expression has for a value in the page."""
        return self._send("WebDriver:ExecuteScript", script=f"return {expression};", args=[])

    def wait(self, expression: str) -> None:
        """Wait until an expression is true in the page; raises TimeoutError."""
        end = time.monotonic() + PATIENCE_MS / 1000
        # A page that is being left answers with an error; the next one is asked again.
        while not self._holds(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} at {self.evaluate('location.href')}")
            time.sleep(0.05)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.evaluate(f"Boolean({expression})"))
        except MarionetteError:
            return False

    def _port(self, profile: Path) -> int:
        end = time.monotonic() + PATIENCE_MS / 1000
        told = profile / "MarionetteActivePort"
        while not (told.is_file() and told.read_text("utf-8")):
            if time.monotonic() > end or self._process.poll() is not None:
                raise TimeoutError("Firefox does not begin.")
            time.sleep(0.05)
        return int(told.read_text("utf-8"))

    def _send(self, name: str, **parameters: object) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, name, parameters]).encode()
        self._stream.write(b"%d:%b" % (len(message), message))
        self._stream.flush()
        _, _, error, value = self._receive()
        if error is not None:
            raise MarionetteError(f"{name}: {error['message']}")
        return value.get("value", value)

    def _receive(self) -> Any:
        length = b""
        while (byte := self._stream.read(1)) != b":":
            if not byte:
                raise ConnectionError("Firefox is gone.")
            length += byte
        return json.loads(self._stream.read(int(length)))
