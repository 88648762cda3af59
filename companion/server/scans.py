"""Pictures of hands that were read but not confirmed yet: held in memory for a while, and forgotten unless wanted."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

MOST_SCANS = 16
"""How many pictures wait to be confirmed: 4 MB at most."""


class Scans:
    """The waiting pictures. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, jpeg: bytes) -> str:
        """Hold the picture (JPEG bytes) for now, and return the id to ask for it by."""
        scan = secrets.token_urlsafe(12)
        with self._lock:
            self._waiting[scan] = jpeg
            while len(self._waiting) > MOST_SCANS:
                self._waiting.popitem(last=False)
        return scan

    def find(self, scan: str) -> bytes | None:
        """Return the picture, None where it is not held (any more)."""
        return self._waiting.get(scan)
