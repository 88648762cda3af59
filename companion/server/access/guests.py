"""Identity of a device: a role and perhaps a player, in a signed cookie."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum

from flask import Request, Response
from itsdangerous import BadSignature, URLSafeSerializer

BADGE_SECONDS = 30 * 24 * 3600
"""Lifetime of a badge: by the browser's clock, and in companion running time since it was issued."""


class Role(Enum):
    """What a device may do. Each role includes the ones before it."""

    VIEWER = "viewer"
    PLAYER = "player"
    HOST = "host"

    @property
    def rank(self) -> int:
        """Rank of the role, from 0."""
        return list(Role).index(self)


@dataclass(frozen=True, slots=True)
class Guest:
    """A device that has joined. `player` is the player it acts for, None for none."""

    id: str
    role: Role
    player: str | None = None


class Badges:
    """Signs and reads the guests' cookies. `secret` is the signing key.

    Cookies carry no time: the list of devices decides which are valid.
    """

    def __init__(self, secret: bytes) -> None:
        self._signer = URLSafeSerializer(secret, salt="guest")
        # Browsers ignore ports in cookies: without a name of its own, two companions on one computer share a cookie.
        self._name = f"companion-{hashlib.sha256(b'cookie' + secret).hexdigest()[:8]}"

    def cookie(self, *, secure: bool) -> str:
        """Return the cookie's name. An insecure page must not overwrite a secure cookie: hence two names."""
        return f"__Host-{self._name}" if secure else self._name

    def read(self, request: Request) -> Guest | None:
        """Return who sent the request, None if the cookie is missing or forged."""
        try:
            value = self._signer.loads(request.cookies.get(self.cookie(secure=request.is_secure), ""))
            return Guest(str(value["id"]), Role(value["role"]), value.get("player"))
        except (BadSignature, KeyError, TypeError, ValueError):
            return None

    def write(self, request: Request, response: Response, guest: Guest | None) -> None:
        """Set the device's badge, or delete it."""
        name = self.cookie(secure=request.is_secure)
        if guest is None:
            response.delete_cookie(name, secure=request.is_secure, httponly=True, samesite="Strict")
            return
        value = {"id": guest.id, "role": guest.role.value, "player": guest.player}
        response.set_cookie(
            name,
            self._signer.dumps(value),
            max_age=BADGE_SECONDS,
            httponly=True,
            samesite="Strict",
            secure=request.is_secure,
        )
