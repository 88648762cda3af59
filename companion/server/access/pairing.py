"""How a device joins: with a single-use token from a QR code, or with a rate-limited PIN."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from companion.server.access.guests import Guest, Role
from companion.server.access.links import HostLinks

TOKEN_SECONDS = 15 * 60
PIN_DIGITS = 6
TRIES, TRIES_BY_ALL, TRY_SECONDS = 5, 40, 5 * 60
JOINS = 12
"""Joins by PIN per address within TRY_SECONDS: a whole table, even behind one address."""
_MOST_TOKENS = 200


class InvalidTokenError(Exception):
    """The token is unknown, used or expired."""


class WrongPinError(Exception):
    """The PIN is wrong."""


class TooManyTriesError(Exception):
    """Too many attempts with the PIN. `wait` is the number of seconds until the next one is allowed."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class _Invitation:
    role: Role
    player: str | None
    expires: float


class Pairing:
    """Tokens and the PIN. Thread-safe. links: the host's signed tokens. clock: returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, links: HostLinks | None = None) -> None:
        self._clock, self._links = clock, links
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
        """Replace the PIN and return the new one."""
        with self._lock:
            self._pin = _new_pin()
            return self._pin

    def invite(self, role: Role, player: str | None = None) -> str:
        """Return a token with which one device can join in this role within 15 minutes."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            now = self._clock()
            self._invitations = {key: value for key, value in self._invitations.items() if value.expires > now}
            while len(self._invitations) >= _MOST_TOKENS:
                del self._invitations[next(iter(self._invitations))]
            self._invitations[token] = _Invitation(role, player, now + TOKEN_SECONDS)
        return token

    def redeem(self, token: str) -> Guest:
        """Return the token's guest and invalidate the token; raises InvalidTokenError."""
        if self._links is not None and self._links.redeem(token):
            return Guest(secrets.token_urlsafe(9), Role.HOST)
        with self._lock:
            invitation = self._invitations.pop(token, None)
            if invitation is None or invitation.expires <= self._clock():
                raise InvalidTokenError
        return Guest(secrets.token_urlsafe(9), invitation.role, invitation.player)

    def enter(self, pin: str, address: str) -> Guest:
        """Return a player for the correct PIN; raises WrongPinError, TooManyTriesError."""
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
