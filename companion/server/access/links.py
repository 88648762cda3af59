"""Links that make a browser the host. They are signed with the data folder's key, so any process that may read it can
make one.
"""

from __future__ import annotations

import secrets
import threading
from pathlib import Path

from itsdangerous import BadSignature, URLSafeTimedSerializer

from companion.storage.private import write_private

LINK_SECONDS = 15 * 60
_SALT = "host link"
_KEY, _ADDRESS = "secret.key", "address.txt"


class HostLinks:
    """Makes and redeems signed tokens. Each works once. Thread-safe."""

    def __init__(self, key: bytes) -> None:
        self._signer = URLSafeTimedSerializer(key, salt=_SALT)
        self._lock = threading.Lock()
        self._used: set[str] = set()

    def make(self) -> str:
        """Return a new token, valid for LINK_SECONDS."""
        return self._signer.dumps(secrets.token_urlsafe(12))

    def redeem(self, token: str) -> bool:
        """Return whether the token is genuine, fresh and unused, and use it up."""
        try:
            name = self._signer.loads(token, max_age=LINK_SECONDS)
        except BadSignature:
            return False
        with self._lock:
            fresh = name not in self._used
            self._used.add(name)
        return fresh


def signing_key(folder: Path) -> bytes:
    """Return the data folder's key, which signs badges and links; created at the first start. Raises OSError."""
    path = folder / _KEY
    try:
        found = path.read_bytes()
        if len(found) >= 32:
            return found
    except FileNotFoundError:
        pass
    key = secrets.token_bytes(32)
    write_private(path, key)
    return key


def publish_address(folder: Path, address: str) -> None:
    """Note the address at which a companion serves this data folder. Raises OSError."""
    write_private(folder / _ADDRESS, address.encode())


def withdraw_address(folder: Path) -> None:
    """Remove the note."""
    (folder / _ADDRESS).unlink(missing_ok=True)


def fresh_link(folder: Path) -> str | None:
    """Return a link that makes a browser the host of the companion that serves this data folder, None if none does."""
    try:
        address = (folder / _ADDRESS).read_text("utf-8")
        key = (folder / _KEY).read_bytes()
    except OSError:
        return None
    return f"{address}/join#t={HostLinks(key).make()}"
