"""How a device joins: by a token that works once (in a QR code), or by a PIN that may be tried only now and then."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from companion.server.access.guests import Guest, Role

TOKEN_SECONDS = 15 * 60
PIN_DIGITS = 6
TRIES, TRIES_BY_ALL, TRY_SECONDS = 5, 40, 5 * 60
JOINS = 12
"""How often one address may join by PIN within TRY_SECONDS: all devices at a table, even from behind one address."""
_MOST_TOKENS = 200


class InvalidTokenError(Exception):
    """The token was never given out, was used already, or is too old."""


class WrongPinError(Exception):
    """This is not the PIN."""


class TooManyTriesError(Exception):
    """The PIN was tried too often. `wait` is how many seconds to leave it alone."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class _Invitation:
    role: Role
    player: str | None
    expires: float


class Pairing:
    """Tokens and the PIN. May be used from any thread. clock: returns seconds that only go up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._invitations: dict[str, _Invitation] = {}
        self._tries: dict[str, deque[float]] = {}
        self._all_tries: deque[float] = deque()
        self._joins: dict[str, deque[float]] = {}
        self._pin = _new_pin()

    @property
    def pin(self) -> str:
        """The PIN by which players join."""
        return self._pin

    def renew_pin(self) -> str:
        """Make another PIN and return it; the old one is good for nothing."""
        with self._lock:
            self._pin = _new_pin()
            return self._pin

    def invite(self, role: Role, player: str | None = None) -> str:
        """Return a token that lets one device join in this role within a quarter of an hour."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            now = self._clock()
            self._invitations = {key: value for key, value in self._invitations.items() if value.expires > now}
            while len(self._invitations) >= _MOST_TOKENS:
                del self._invitations[next(iter(self._invitations))]
            self._invitations[token] = _Invitation(role, player, now + TOKEN_SECONDS)
        return token

    def redeem(self, token: str) -> Guest:
        """Return the guest that the token makes, and use it up; raises InvalidTokenError."""
        with self._lock:
            invitation = self._invitations.pop(token, None)
            if invitation is None or invitation.expires <= self._clock():
                raise InvalidTokenError
        return Guest(secrets.token_urlsafe(9), invitation.role, invitation.player)

    def enter(self, pin: str, address: str) -> Guest:
        """Return a player for the right PIN; raises WrongPinError, TooManyTriesError."""
        with self._lock:
            now = self._clock()
            own = self._tries.setdefault(address, deque())
            joins = self._joins.setdefault(address, deque())
            for tries, most in ((own, TRIES), (self._all_tries, TRIES_BY_ALL), (joins, JOINS)):
                while tries and tries[0] <= now - TRY_SECONDS:
                    tries.popleft()
                if len(tries) >= most:
                    raise TooManyTriesError(max(1, round(tries[0] + TRY_SECONDS - now)))
            if not hmac.compare_digest(pin.encode(), self._pin.encode()):
                own.append(now)
                self._all_tries.append(now)
                raise WrongPinError
            del self._tries[address]
            joins.append(now)
        return Guest(secrets.token_urlsafe(9), Role.PLAYER)


def _new_pin() -> str:
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}}"
