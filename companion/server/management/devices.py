"""The joined devices: list them, sign one out."""

from __future__ import annotations

from companion.server.access.guests import Role
from companion.server.api.routing import Api, known_guest
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer
from companion.server.services.services import services

api = Api()


class DeviceAnswer(Answer):
    """A device that has joined.

    system: operating system, empty if unknown. joined: seconds since the epoch. connected: whether one of its pages is
    open. own: whether it is the requesting device.
    """

    id: str
    role: str
    player: str | None
    system: str
    joined: float
    connected: bool
    own: bool


class DevicesAnswer(Answer):
    """All devices, newest first."""

    devices: list[DeviceAnswer]


@api.route("GET", "/api/devices", role=Role.HOST, answer=DevicesAnswer)
def list_devices() -> DevicesAnswer:
    """List the devices that have joined."""
    own, asking = services(), known_guest().id
    return DevicesAnswer(
        devices=[
            DeviceAnswer(
                id=device.id,
                role=device.role.value,
                player=device.player,
                system=device.system,
                joined=device.joined,
                connected=own.streams.held_by(device.id) > 0,
                own=device.id == asking,
            )
            for device in own.devices.all()
        ]
    )


@api.route("DELETE", "/api/devices/<device>", role=Role.HOST)
def dismiss_device(device: str) -> None:
    """Sign a device out. Its live stream ends at once."""
    if not services().devices.dismiss(device):
        raise RefusalError(404, "no-such-device", "This device has left already.")
    services().hub.nudge()
