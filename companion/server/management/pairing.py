"""Joining: who this device is, invitations by QR code, the PIN, and access for other devices."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from enum import Enum
from typing import Annotated
from urllib.parse import urlsplit

import segno
from flask import Response, request
from pydantic import Field, model_validator

from companion.languages import Language
from companion.server.access.guests import Guest, Role
from companion.server.access.pairing import InvalidTokenError, TooManyTriesError, WrongPinError
from companion.server.api.routing import Api, Media, guest, is_signed_out, known_guest
from companion.server.core.errors import RefusalError
from companion.server.network.addresses import Kind
from companion.server.network.lan import LanAccessError
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body, KnownName
from companion.server.services.services import Services, services

api = Api()

_APPLE = re.compile("iPhone|iPad|Macintosh")
"""User-Agent of Apple's devices; an iPad says Macintosh."""


class MeAnswer(Answer):
    """Who this device is. languages: the available ones, code -> own name.

    signed_out: whether it had joined, and is not let in any more. demo: whether a simulated table plays by itself.
    """

    role: str | None
    signed_out: bool = False
    player: str | None
    language: str
    languages: dict[str, str]
    secure: bool
    players: list[str]
    demo: bool = False


class JoinBody(Body):
    """A token from a QR code, or the PIN, and the player who uses this device. watch: it is only to look."""

    token: str | None = Field(default=None, max_length=100)
    pin: str | None = Field(default=None, max_length=20)
    player: KnownName | None = None
    watch: bool = False

    @model_validator(mode="after")
    def _one_of_them(self) -> JoinBody:
        if (self.token is None) == (self.pin is None):
            raise ValueError("either a token or the PIN is needed")
        return self


class SeatBody(Body):
    """The player who uses this device, or none."""

    player: KnownName | None


class InvitedPage(Enum):
    """The page that an invited device opens first."""

    PLAYER = "player"
    TABLE = "table"
    CAMERA = "camera"
    SCORES = "scores"
    BROADCAST = "broadcast"
    TV = "tv"


class InvitationBody(Body):
    """The role, player and first page of an invited device."""

    role: Role = Role.PLAYER
    player: KnownName | None = None
    page: InvitedPage = InvitedPage.PLAYER


class InvitationAnswer(Answer):
    """A single-use address for one device, also as a QR code (SVG)."""

    url: str
    qr: str


class InterfaceAnswer(Answer):
    """An address of this computer. name: its network interface. kind: `lan`, `tunnel` or `virtual`."""

    name: str
    address: str
    kind: Kind
    served: bool


class PairingAnswer(Answer):
    """How devices join. interfaces: the addresses that can be served, the most likely one first."""

    pin: str
    open: bool
    addresses: list[str]
    interfaces: list[InterfaceAnswer]
    fingerprint: str | None


class LanBody(Body):
    """Whether other devices may connect, and at which of this computer's addresses; none for every local network's."""

    open: bool
    addresses: list[Annotated[str, Field(max_length=64)]] = Field(default=[], max_length=16)


@api.route("GET", "/api/me", role=None, answer=MeAnswer)
def get_me() -> MeAnswer:
    """Return who this device is."""
    return _me(guest())


@api.route("POST", "/api/join", role=None, body=JoinBody, answer=MeAnswer, errors=(401, 409, 429))
def join(body: JoinBody) -> Response:
    """Let this device join, by a token or by the PIN."""
    pairing = services().pairing
    if body.player is not None:
        _check_player(body.player)
    try:
        if body.token is not None:
            found = pairing.redeem(body.token)
        else:
            found = pairing.enter(body.pin or "", request.remote_addr or "")
    except InvalidTokenError as error:
        raise RefusalError(401, "invalid-token", "This code is used up or too old: ask for a new one.") from error
    except WrongPinError as error:
        raise RefusalError(401, "wrong-pin", "That is not the PIN.") from error
    except TooManyTriesError as error:
        message = f"Too many wrong PINs. Try again in {error.wait} seconds, or scan a code."
        raise RefusalError(429, "too-many-tries", message, error.wait) from error
    if body.watch:
        found = _as_watcher(found)
    elif body.player is not None and found.role is not Role.VIEWER:
        found = replace(found, player=body.player)
    services().devices.welcome(found, request.headers.get("User-Agent", ""))
    return _badged(found)


@api.route("POST", "/api/seat", role=Role.PLAYER, body=SeatBody, answer=MeAnswer, errors=(409,))
def take_seat(body: SeatBody) -> Response:
    """Set whose device this is."""
    if body.player is not None:
        _check_player(body.player)
    found = replace(known_guest(), player=body.player)
    if not services().devices.change(found):
        known_guest()  # raises if signed out meanwhile
    return _badged(found)


@api.route("POST", "/api/watch", role=Role.VIEWER, answer=MeAnswer)
def only_watch() -> Response:
    """Let this device only look from now on. To play, it joins again."""
    found = _as_watcher(known_guest())
    if not services().devices.change(found):
        known_guest()  # raises if signed out meanwhile
    return _badged(found)


@api.route("POST", "/api/leave", role=Role.VIEWER)
def leave() -> Response:
    """Sign this device out."""
    services().devices.dismiss(known_guest().id)
    services().hub.nudge()
    response = Response(status=204)
    services().badges.write(request, response, None)
    return response


@api.route("GET", "/api/pairing", role=Role.HOST, answer=PairingAnswer)
def get_pairing() -> PairingAnswer:
    """Return how devices can join."""
    return _pairing(services())


@api.route("POST", "/api/pairing/pin", role=Role.HOST, answer=PairingAnswer)
def renew_pin() -> PairingAnswer:
    """Replace the PIN."""
    services().pairing.renew_pin()
    return _pairing(services())


@api.route("POST", "/api/pairing/invitations", role=Role.HOST, body=InvitationBody, answer=InvitationAnswer)
def invite(body: InvitationBody) -> InvitationAnswer:
    """Create a single-use address with its QR code."""
    token = services().pairing.invite(body.role, body.player)
    # Only a secure page may use a phone's camera.
    base = address_for_phones(secure=body.page is InvitedPage.CAMERA)
    url = f"{base}/join#t={token}&p={body.page.value}"
    return InvitationAnswer(url=url, qr=qr_svg(url))


@api.route("POST", "/api/lan", role=Role.HOST, body=LanBody, answer=PairingAnswer, errors=(409,))
def set_lan_access(body: LanBody) -> PairingAnswer:
    """Open or close access for other devices on the network."""
    try:
        services().lan.set_open(body.open, body.addresses)
    except LanAccessError as error:
        raise RefusalError(409, "no-network", str(error)) from error
    return _pairing(services())


@api.route("GET", "/api/trust/authority.crt", role=None, answer=Media(("application/x-x509-ca-cert",)), errors=(404,))
def get_authority() -> Response:
    """Return the certificate authority for a device to install."""
    authority = services().lan.authority
    if authority is None:
        raise RefusalError(404, "no-authority", "This server has no certificate.")
    response = Response(authority[0], content_type="application/x-x509-ca-cert")
    # Safari offers to install an inline file, and merely saves an attachment.
    how = "inline" if _APPLE.search(request.headers.get("User-Agent", "")) else "attachment"
    response.headers["Content-Disposition"] = f'{how}; filename="uno-table-companion.crt"'
    return response


def qr_svg(text: str) -> str:
    """Return a QR code of the text as an SVG element."""
    out = io.BytesIO()
    segno.make(text, error="m").save(out, kind="svg", xmldecl=False, svgns=True, border=2, light="#fff", omitsize=True)
    return out.getvalue().decode()


def address_for_phones(*, secure: bool) -> str:
    """Return the address at which other devices reach the pages. secure: prefer HTTPS."""
    return _preferred(services().lan.addresses(), secure=secure) or request.host_url.rstrip("/")


def _as_watcher(found: Guest) -> Guest:
    return replace(found, role=Role.VIEWER, player=None)


def _preferred(addresses: list[str], *, secure: bool) -> str | None:
    fit = [address for address in addresses if address.startswith("https:") == secure]
    return next(iter(fit or addresses), None)


def _check_player(player: str) -> None:
    header = services().table.view().header
    if header is None or player not in header.players:
        raise RefusalError(409, "no-such-player", "Nobody of this name is playing.")


def _badged(found: Guest) -> Response:
    response = Response(_me(found).model_dump_json(), content_type="application/json")
    services().badges.write(request, response, found)
    return response


def _me(found: Guest | None) -> MeAnswer:
    header = services().table.view().header if found is not None else None
    players = [] if header is None else list(header.players)
    return MeAnswer(
        role=found.role.value if found else None,
        signed_out=found is None and is_signed_out(),
        player=found.player if found and found.player in players else None,
        language=services().language,
        languages={known.value: known.own_name for known in Language},
        secure=request.is_secure,
        players=players,
        demo=services().config.demo,
    )


def _pairing(value: Services) -> PairingAnswer:
    authority = value.lan.authority
    addresses = value.lan.addresses()
    hosts = {urlsplit(address).hostname for address in addresses}
    return PairingAnswer(
        pin=value.pairing.pin,
        open=value.lan.open,
        addresses=addresses,
        interfaces=[
            InterfaceAnswer(name=each.name, address=each.address, kind=each.kind, served=each.address in hosts)
            for each in value.lan.interfaces()
        ],
        fingerprint=authority[1] if authority else None,
    )
