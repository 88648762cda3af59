"""The devices that have joined: kept over restarts, so that the host sees them all and can sign a single one out."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from companion.server.access.guests import BADGE_SECONDS, Guest, Role

_log = logging.getLogger(__name__)

MOST_DEVICES = 200
"""How many are remembered: the oldest is signed out when one more joins."""

# What a browser says of itself is not to be trusted as a text: only these words are ever shown. The first that fits.
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS|Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


class Device(BaseModel):
    """A device that has joined. id: of its guest. system: what it runs, empty where unknown. joined: epoch seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    role: Role
    player: str | None
    system: str
    joined: float


_FILE = TypeAdapter(list[Device])


class Devices:
    """The devices whose badges count. May be used from any thread; what changes is written to `path` at once.

    clock: returns seconds since the epoch.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._known = {device.id: device for device in self._read()}

    def knows(self, guest: Guest) -> bool:
        """Return whether this badge still counts."""
        return guest.id in self._known

    def all(self) -> list[Device]:
        """Return all devices, the one that joined last first."""
        with self._lock:
            return sorted(self._known.values(), key=lambda device: -device.joined)

    def welcome(self, guest: Guest, user_agent: str) -> None:
        """Let this guest's badge count from now on, or with another player."""
        with self._lock:
            now = self._clock()
            old = self._known.get(guest.id)
            joined = now if old is None else old.joined
            self._known[guest.id] = Device(
                id=guest.id, role=guest.role, player=guest.player, system=_system(user_agent), joined=joined
            )
            fresh = sorted(self._known.values(), key=lambda device: -device.joined)[:MOST_DEVICES]
            self._known = {device.id: device for device in fresh if device.joined > now - BADGE_SECONDS}
            self._write()

    def dismiss(self, id_: str) -> bool:
        """Let this badge count no longer; returns whether it did."""
        with self._lock:
            if self._known.pop(id_, None) is None:
                return False
            self._write()
            return True

    def _read(self) -> list[Device]:
        try:
            return _FILE.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            _log.warning("The devices that had joined are forgotten: %s", error)
            return []

    def _write(self) -> None:
        try:
            self._path.write_bytes(_FILE.dump_json(list(self._known.values())))
        except OSError as error:
            _log.warning("The devices could not be kept: %s", error)


def _system(user_agent: str) -> str:
    return next((name for pattern, name in _SYSTEMS.items() if re.search(pattern, user_agent)), "")
