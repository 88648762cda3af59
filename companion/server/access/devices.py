"""The devices that have joined, kept across restarts. The host sees them all and can sign out any one."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from companion.server.access.guests import BADGE_SECONDS, Guest, Role
from companion.storage.private import write_private

_log = logging.getLogger(__name__)

MOST_DEVICES = 200
"""Limit of remembered devices. Beyond it the oldest that is not a host is signed out."""

# A User-Agent is untrusted text: only these words are ever shown. The first match counts.
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
    """A device that has joined.

    id: of its guest. system: operating system, empty if unknown. joined: seconds since the epoch, by the system clock.
    age: seconds that a companion has run since then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    role: Role
    player: str | None
    system: str
    joined: float
    age: float = Field(default=0.0, ge=0)


_FILE = TypeAdapter(list[Device])


class Devices:
    """The devices whose badges are valid, in the order in which they joined. Thread-safe.

    Changes are written to `path` at once. A badge is valid for thirty days of companion running time; the system clock,
    which people set, is only shown. clock: returns monotonic seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._aged = clock()
        self._known = {device.id: device for device in self._read()}

    def knows(self, guest: Guest) -> bool:
        """Return whether this badge is valid."""
        return guest.id in self._known

    def current(self, guest: Guest) -> Guest | None:
        """Return the role and player that a badge has now, whatever its cookie says; None if it is not valid."""
        device = self._known.get(guest.id)
        return None if device is None else Guest(device.id, device.role, device.player)

    def all(self) -> list[Device]:
        """Return all devices, newest first."""
        with self._lock:
            return [*self._known.values()][::-1]

    def welcome(self, guest: Guest, user_agent: str) -> None:
        """Make a new guest's badge valid. Beyond the limit the oldest device that is not a host is signed out."""
        with self._lock:
            self._age()
            self._known = {id_: device for id_, device in self._known.items() if device.age < BADGE_SECONDS}
            self._known[guest.id] = Device(
                id=guest.id, role=guest.role, player=guest.player, system=_system(user_agent), joined=time.time()
            )
            while len(self._known) > MOST_DEVICES:
                del self._known[min(self._known, key=lambda id_: self._known[id_].role is Role.HOST)]
            self._write()

    def change(self, guest: Guest) -> bool:
        """Change the guest of a valid badge; return False if there is none."""
        with self._lock:
            old = self._known.get(guest.id)
            if old is None:
                return False
            self._known[guest.id] = old.model_copy(update={"role": guest.role, "player": guest.player})
            self._write()
            return True

    def rename(self, name_now: Callable[[str], str]) -> None:
        """Let all devices act for their players by the names that they have now."""
        with self._lock:
            renamed = {
                id_: device.model_copy(update={"player": name})
                for id_, device in self._known.items()
                if device.player is not None and (name := name_now(device.player)) != device.player
            }
            if renamed:
                self._known.update(renamed)
                self._write()

    def forget(self, player: str) -> None:
        """Remove this player from all devices."""
        with self._lock:
            for id_, device in self._known.items():
                if device.player == player:
                    self._known[id_] = device.model_copy(update={"player": None})
            self._write()

    def dismiss(self, id_: str) -> bool:
        """Invalidate a badge; return whether it was valid."""
        with self._lock:
            if self._known.pop(id_, None) is None:
                return False
            self._write()
            return True

    def close(self) -> None:
        """Save how long this companion has run."""
        with self._lock:
            self._age()
            self._write()

    def _age(self) -> None:
        passed, self._aged = self._clock() - self._aged, self._clock()
        self._known = {
            id_: device.model_copy(update={"age": device.age + passed}) for id_, device in self._known.items()
        }

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
            write_private(self._path, _FILE.dump_json(list(self._known.values())))
        except OSError as error:
            _log.warning("The devices could not be kept: %s", error)


def _system(user_agent: str) -> str:
    return next((name for pattern, name in _SYSTEMS.items() if re.search(pattern, user_agent)), "")
