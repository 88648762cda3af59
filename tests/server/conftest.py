"""The application in memory, and clients of every role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from devices import MATCH, Join, StubReader
from flask import Flask
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.services.services import Services


@pytest.fixture
def reader() -> StubReader:
    return StubReader()


@pytest.fixture
def app(tmp_path: Path, reader: StubReader) -> Iterator[Flask]:
    found = create_app(ServerConfig(data=tmp_path), reader)
    yield found
    services_of(found).close()


@pytest.fixture
def services(app: Flask) -> Services:
    return services_of(app)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A device that has not joined."""
    return app.test_client()


@pytest.fixture
def join(app: Flask, services: Services) -> Join:
    """Returns a new device that has joined in a role, perhaps for a player."""

    def joined(role: Role, player: str | None = None) -> FlaskClient:
        device = app.test_client()
        token = services.pairing.invite(role, player)
        assert device.post("/api/join", json={"token": token}).status_code == 200
        return device

    return joined


@pytest.fixture
def host(join: Join) -> FlaskClient:
    return join(Role.HOST)


@pytest.fixture
def playing(host: FlaskClient) -> FlaskClient:
    """The host's device, with a match at its first turn: Ann's, on a red 5."""
    assert host.post("/api/match", json=MATCH).status_code == 200
    assert host.post("/api/moves", json={"do": "start", "card": "red 5"}).status_code == 200
    return host
