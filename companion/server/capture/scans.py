"""Pictures of scanned hands that are not confirmed yet, held in memory for a limited time."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

MOST_SCANS = 16
"""Limit of held pictures: 4 MB at most."""


class Scans:
    """The held pictures. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, jpeg: bytes) -> str:
        """Hold a picture (JPEG bytes) and return its id."""
        scan = secrets.token_urlsafe(12)
        with self._lock:
            self._waiting[scan] = jpeg
            while len(self._waiting) > MOST_SCANS:
                self._waiting.popitem(last=False)
        return scan

    def find(self, scan: str) -> bytes | None:
        """Return the picture, None if it is no longer held."""
        return self._waiting.get(scan)
