"""Who a device is: a role and perhaps a player, kept by the device itself in a signed cookie."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from flask import Request, Response
from itsdangerous import BadSignature, URLSafeSerializer

BADGE_SECONDS = 30 * 24 * 3600
"""How long a badge counts: by the browser's clock, and by how long companions have run since it was given."""


class Role(Enum):
    """What a device may do, each role all that the ones before it may."""

    VIEWER = "viewer"
    PLAYER = "player"
    HOST = "host"

    @property
    def rank(self) -> int:
        """The place among the roles, from 0."""
        return list(Role).index(self)


@dataclass(frozen=True, slots=True)
class Guest:
    """A device that has joined. `player` is the name of the seat it plays for, None for none."""

    id: str
    role: Role
    player: str | None = None


class Badges:
    """Makes and reads the cookies that guests carry. `secret` signs them.

    They carry no time: which of them still count is for the list of devices to say.
    """

    def __init__(self, secret: bytes) -> None:
        self._signer = URLSafeSerializer(secret, salt="guest")

    def read(self, request: Request) -> Guest | None:
        """Return who sent the request, None where the cookie is missing or forged."""
        try:
            value = self._signer.loads(request.cookies.get(_cookie(request), ""))
            return Guest(str(value["id"]), Role(value["role"]), value.get("player"))
        except (BadSignature, KeyError, TypeError, ValueError):
            return None

    def write(self, request: Request, response: Response, guest: Guest | None) -> None:
        """Let the device carry this badge from now on, or none."""
        name = _cookie(request)
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


def _cookie(request: Request) -> str:
    # Ports share cookies, and a page without TLS may not touch a secure one: two names keep them apart.
    return "__Host-companion" if request.is_secure else "companion"
