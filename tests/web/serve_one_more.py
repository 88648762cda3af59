"""Serves the pages with one edition, one option and one language more, as long as somebody holds its standard input."""

from __future__ import annotations

import sys
from pathlib import Path

import one_more  # noqa: F401 - before the companion, so that it is there from the start

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.network.listeners import Listeners

config = ServerConfig(data=Path(sys.argv[1]), port=0)
app = create_app(config, lambda image: [])
listeners = Listeners(app, config)
url = listeners.start()
print(f"{url}/join#t={services_of(app).pairing.invite(Role.HOST)}&p=table", flush=True)
sys.stdin.read()
services_of(app).close()
listeners.stop()
