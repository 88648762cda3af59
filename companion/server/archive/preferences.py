"""What the set-up page begins with: the last match's set-up and the last camera, stored in a file."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from pathlib import Path

PREFERENCES = "preferences.json"
"""Name of the file in the data folder."""

_CAMERA = "camera"
_RULES = "our_rules"

_log = logging.getLogger(__name__)


class Preferences:
    """The last choices. Thread-safe; a file that cannot be written is logged, for a match goes on without it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PREFERENCES
        self._lock = threading.Lock()

    @property
    def match(self) -> dict[str, object]:
        """The last match's set-up as JSON, with the family's own rules; empty if there was none."""
        with self._lock:
            return {name: value for name, value in self._read().items() if name != _CAMERA}

    @property
    def camera(self) -> str | None:
        """The camera of this computer that was watched last, by its stable name."""
        with self._lock:
            found = self._read().get(_CAMERA)
        return found if isinstance(found, str) else None

    def keep_match(self, match: dict[str, object], *, ours: bool) -> None:
        """Keep a set-up. ours: its options become the family's own rules."""
        with self._lock:
            before = self._read()
            rules = match["options"] if ours else before.get(_RULES)
            self._write({_CAMERA: before.get(_CAMERA), **match, _RULES: rules})

    def keep_camera(self, source: str) -> None:
        """Keep a camera."""
        with self._lock:
            self._write({**self._read(), _CAMERA: source})

    def forget(self, player: str) -> None:
        """Take a person out of the last set-up."""
        with self._lock:
            found = self._read()
            players = found.get("players")
            if isinstance(players, list) and player in players:
                self._write({**found, "players": [name for name in players if name != player], "dealer": None})

    def adopt(self, match: Mapping[str, object] | None) -> bool:
        """Take over the set-up of a backup, validated by `last_match`. Return whether it was taken over.

        None, for an invalid one, is not taken over; nor is any if there is a set-up already.
        """
        with self._lock:
            before = self._read()
            if match is None or "players" in before:
                return False
            self._write({**before, **match})
            return True

    def _read(self) -> dict[str, object]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, found: dict[str, object]) -> None:
        try:
            self._path.write_text(json.dumps(found), "utf-8")
        except OSError as error:
            _log.warning("The choices could not be kept: %s", error)
