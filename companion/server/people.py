"""The people who play here: each has a number of their own for as long as the data folder lives.

The pages draw a colour and a shape from it, so that a person looks the same on every screen and every evening.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable
from pathlib import Path

_log = logging.getLogger(__name__)


class People:
    """Names and their numbers, kept in a file. May be used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._numbers = _load(path)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each person, from 0, in the order in which they first played."""
        with self._lock:
            return dict(self._numbers)

    def meet(self, names: Iterable[str]) -> None:
        """Give those who have none the lowest numbers that are free."""
        with self._lock:
            fresh = [name for name in names if name not in self._numbers]
            for name in fresh:
                taken = set(self._numbers.values())
                self._numbers[name] = next(number for number in range(len(taken) + 1) if number not in taken)
            if fresh:
                self._write()

    def forget(self, name: str) -> None:
        """Let a person's number go."""
        with self._lock:
            if self._numbers.pop(name, None) is not None:
                self._write()

    def _write(self) -> None:
        try:
            self._path.write_text(json.dumps(self._numbers, ensure_ascii=False), "utf-8")
        except OSError as error:
            _log.warning("Who plays here could not be kept: %s", error)


def _load(path: Path) -> dict[str, int]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: number for name, number in found.items() if isinstance(number, int) and number >= 0}
