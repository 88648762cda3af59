"""WebKit, Safari's engine, as Debian ships it, driven over WebDriver's plain HTTP on a display of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from glob import glob
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from browsing import PATIENCE_MS, until
from engine import ELEMENT, Engine, EngineError

_BROWSERS = "/usr/lib/*/webkit2gtk-*/MiniBrowser"
# A camera that shows a test picture, and no question whether it may be used.
_ARGUMENTS = ["--automation", "--enable-media-stream=true", "--enable-mock-capture-devices=true"]

_ANSWERED_S = 3.0
"""What is asked of a page while it is put by is never answered; asked again later it is. Others take milliseconds."""


def programs() -> tuple[str, str, str] | None:
    """Return the driver, the browser and the display's server, None where one is missing."""
    found = (shutil.which("WebKitWebDriver"), next(iter(sorted(glob(_BROWSERS))), None), shutil.which("Xvfb"))
    return None if None in found else found  # type: ignore[return-value]


class WebKit(Engine):
    """A running WebKit with one window. folder: an empty one for its logs."""

    def __init__(self, folder: Path) -> None:
        found = programs()
        assert found is not None
        driver, browser, display = found
        self._session = ""
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            reading, writing = os.pipe()
            self._run(folder, [display, "-displayfd", str(writing), "-screen", "0", "1280x900x24"], pass_fds=(writing,))
            os.close(writing)
            with os.fdopen(reading) as reported:
                number = reported.readline().strip()
            self._port = _free_port()
            environment = {**os.environ, "DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1", "LANG": "C.UTF-8"}
            self._run(folder, [driver, f"--port={self._port}"], env=environment)
            options = {"webkitgtk:browserOptions": {"binary": browser, "args": _ARGUMENTS}}
            capabilities = {"alwaysMatch": {"pageLoadStrategy": "eager", "acceptInsecureCerts": True, **options}}
            begun = until(lambda: self._begin(capabilities), 4 * PATIENCE_MS / 1000)
            self._session = f"/session/{begun['sessionId']}"
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End it."""
        if self._session:
            self._send("DELETE", self._session)
        for process in reversed(self._processes):
            process.terminate()
            process.wait()

    def goto(self, url: str) -> None:
        """Open an address."""
        self._send("POST", f"{self._session}/url", url=url)

    def back(self) -> None:
        """Go back as the button does; WebDriver's own command waits for a load, which a kept page has none of."""
        self.evaluate("setTimeout(() => history.back())")

    def evaluate(self, expression: str) -> Any:
        """Return what an expression has for a value in the page; raises EngineError, also where no answer comes."""
        script = {"script": f"return {expression};", "args": []}
        try:
            return self._send("POST", f"{self._session}/execute/sync", _ANSWERED_S, **script)
        except TimeoutError:
            raise EngineError(f"no answer to {expression}") from None

    def _click(self, selector: str) -> None:
        self._send("POST", f"{self._session}/element/{self._find(selector)}/click")

    def _type(self, selector: str, text: str) -> None:
        self._send("POST", f"{self._session}/element/{self._find(selector)}/value", text=text)

    def _begin(self, capabilities: dict[str, Any]) -> Any:
        """Begin a session; returns None while the driver does not listen yet."""
        try:
            return self._send("POST", "/session", capabilities=capabilities)
        except ConnectionRefusedError:
            return None

    def _find(self, selector: str) -> str:
        found = self._send("POST", f"{self._session}/element", using="css selector", value=selector)
        return str(found[ELEMENT])

    def _run(self, folder: Path, command: list[str], **more: Any) -> None:
        with (folder / f"{Path(command[0]).name}.log").open("wb") as log:
            self._processes.append(subprocess.Popen(command, stdout=log, stderr=log, **more))

    def _send(self, method: str, path: str, patience: float = PATIENCE_MS / 1000, **parameters: object) -> Any:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=patience)
        try:
            body = json.dumps(parameters) if method == "POST" else None
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        finally:
            connection.close()
        if answer.status != 200:
            raise EngineError(f"{path}: {value['error']}: {value['message']}")
        return value


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
