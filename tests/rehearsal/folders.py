"""Shared fixtures of the rehearsal's tests: folders of labelled pictures and a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2

from companion.cards import ALL_CARDS, Card, EditionName, Face
from companion.editions import EDITIONS
from companion.rehearsal.device import Device
from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.network.listeners import Listeners
from companion.server.services.services import Services
from companion.vision.core.geometry import Image
from companion.vision.pile.pile_tracker import Detect

CLASSIC = [card for card in ALL_CARDS if card.face not in (Face.WILD_ITEM_BOX, Face.WILD_CREEPER)]


def label(folder: Path, pictures: Mapping[str, Sequence[Card]]) -> None:
    """Write what is in the pictures."""
    rows = [
        {"file": name, "cards": [card.name for card in cards], "kind": "drawn", "source": "test", "flags": []}
        for name, cards in pictures.items()
    ]
    (folder / "labels.json").write_text(json.dumps(rows), "utf-8")


def fill(folder: Path, singles: Sequence[Card], hands: Sequence[Sequence[Card]], draw: Callable[..., Image]) -> None:
    """Fill the folder with labelled pictures that `draw` makes of some cards."""
    pictures = {f"{i}.png": [card] for i, card in enumerate(singles)}
    pictures |= {f"hand{i}.png": list(hand) for i, hand in enumerate(hands)}
    (folder / "images").mkdir(parents=True)
    for name, cards in pictures.items():
        cv2.imwrite(str(folder / "images" / name), draw(cards))
    label(folder, pictures)


@contextmanager
def running(data: Path, detect: Detect | None = None) -> Iterator[tuple[Services, Device, str]]:
    """Yield the services of a running server, a device that has joined as a host, and the server's address."""
    config = ServerConfig(data=data, port=0)
    app = create_app(config, detect)
    services = services_of(app)
    listeners = Listeners(app, config)
    address = listeners.start()
    try:
        yield services, Device(address, services.pairing.invite(Role.HOST)), address
    finally:
        services.close()
        listeners.stop()


EDITION = EDITIONS[EditionName.CLASSIC]
