"""The people who play here: each has a number of their own for as long as the data folder lives.

The pages draw a colour and a shape from it, so that a person looks the same on every screen and every evening. Who was
forgotten and plays again begins afresh; that needs no list of forgotten names, only when somebody was last forgotten.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterable
from pathlib import Path

_log = logging.getLogger(__name__)


class People:
    """Names and their numbers, kept in a file. May be used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._numbers, self._since, self._forgotten = _load(path)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each person, from 0, in the order in which they first played."""
        with self._lock:
            return dict(self._numbers)

    @property
    def since(self) -> dict[str, float]:
        """From when on each person's matches are theirs, in seconds since the epoch: 0 for all of them."""
        with self._lock:
            return {name: self._since.get(name, 0.0) for name in self._numbers}

    def meet(self, names: Iterable[str]) -> None:
        """Give those who have none the lowest numbers that are free."""
        with self._lock:
            fresh = [name for name in names if name not in self._numbers]
            for name in fresh:
                taken = set(self._numbers.values())
                self._numbers[name] = next(number for number in range(len(taken) + 1) if number not in taken)
                self._since[name] = self._forgotten
            if fresh:
                self._write()

    def forget(self, name: str) -> None:
        """Let a person's number go, and all matches so far; raises KeyError where nobody has this name."""
        with self._lock:
            del self._numbers[name]
            self._since.pop(name, None)
            self._forgotten = time.time()
            self._write()

    def _write(self) -> None:
        kept = {"numbers": self._numbers, "since": self._since, "forgotten": self._forgotten}
        try:
            self._path.write_text(json.dumps(kept, ensure_ascii=False), "utf-8")
        except OSError as error:
            _log.warning("Who plays here could not be kept: %s", error)


def _load(path: Path) -> tuple[dict[str, int], dict[str, float], float]:
    """Return numbers, since when, and when somebody was last forgotten; a file of numbers alone is an older one."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}, {}, 0.0
    if not isinstance(found, dict):
        return {}, {}, 0.0
    numbers = found.get("numbers")
    if not isinstance(numbers, dict):
        numbers, found = found, {}
    since, forgotten = found.get("since"), found.get("forgotten")
    return (
        {name: number for name, number in numbers.items() if isinstance(number, int) and number >= 0},
        {name: float(when) for name, when in since.items() if isinstance(when, int | float)}
        if isinstance(since, dict)
        else {},
        float(forgotten) if isinstance(forgotten, int | float) else 0.0,
    )
