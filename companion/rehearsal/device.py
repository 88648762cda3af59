"""A device without a browser: it joins a running companion and uses its HTTP API as the pages do."""

from __future__ import annotations

import json
import secrets
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

_SECONDS = 60


class DeviceError(Exception):
    """The companion cannot be reached, or refuses. The message is its sentence; status: HTTP's, None without a
    response.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Device:
    """One joined device; its methods are thread-safe and raise DeviceError."""

    def __init__(self, address: str, token: str) -> None:
        """Join the companion at an address such as http://127.0.0.1:8000, with an invitation's token."""
        self._address = address
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        # Never use a proxy for this computer.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
        self.post("/api/join", {"token": token})

    def get(self, path: str) -> Any:
        """Return the JSON at a path."""
        return self._send(path, None, None)

    def post(self, path: str, body: object) -> Any:
        """Send JSON and return the response, None if it is empty."""
        return self._send(path, json.dumps(body).encode(), "application/json")

    def post_picture(self, path: str, jpeg: bytes) -> Any:
        """Send a picture as the request's body."""
        return self._send(path, jpeg, "image/jpeg")

    def post_form(self, path: str, jpeg: bytes) -> Any:
        """Send a picture as the file of a form."""
        mark = secrets.token_hex(16)
        disposition = 'Content-Disposition: form-data; name="pictures"; filename="hand.jpg"'
        head = f"--{mark}\r\n{disposition}\r\nContent-Type: image/jpeg\r\n\r\n"
        return self._send(
            path, head.encode() + jpeg + f"\r\n--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"
        )

    def _send(self, path: str, data: bytes | None, kind: str | None) -> Any:
        headers = {} if kind is None else {"Content-Type": kind}
        request = urllib.request.Request(self._address + path, data, headers)
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                found = answer.read()
        except urllib.error.HTTPError as error:
            raise DeviceError(_refusal(error), error.code) from error
        except OSError as error:
            raise DeviceError(f"The companion at {self._address} cannot be reached: {error}.") from error
        return json.loads(found) if found else None


def _refusal(error: urllib.error.HTTPError) -> str:
    """Return the sentence of a refusal."""
    try:
        return str(json.load(error)["message"])
    except (ValueError, LookupError, TypeError):
        return str(error)
