"""The people who play here. Each has a number that stays theirs as long as the data folder exists.

The pages derive a colour and a shape from it. A forgotten person who plays again starts over; that needs no list of
forgotten names, only the time of the latest deletion.
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
    """Names and numbers, stored in a file. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._numbers, self._since, self._forgotten = _load(path)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each person, from 0, in order of first appearance."""
        with self._lock:
            return dict(self._numbers)

    @property
    def since(self) -> dict[str, float]:
        """Time since which each person's matches count as theirs, in seconds since the epoch; 0 for all."""
        with self._lock:
            return {name: self._since.get(name, 0.0) for name in self._numbers}

    def meet(self, names: Iterable[str]) -> None:
        """Give new names the lowest free numbers."""
        with self._lock:
            fresh = [name for name in names if name not in self._numbers]
            for name in fresh:
                taken = set(self._numbers.values())
                self._numbers[name] = next(number for number in range(len(taken) + 1) if number not in taken)
                self._since[name] = self._forgotten
            if fresh:
                self._write()

    def forget(self, name: str) -> None:
        """Free a person's number and detach all matches so far; raises KeyError for an unknown name."""
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
    """Return numbers, start times and the time of the latest deletion. An older file is a plain mapping."""
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
