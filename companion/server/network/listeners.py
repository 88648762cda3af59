"""Listens for this computer's browser and, if the host allows it, for other devices, with and without TLS."""

from __future__ import annotations

import ipaddress
import logging
import threading
from dataclasses import dataclass
from typing import Any

from cheroot.wsgi import Server
from flask import Flask

from companion.server.access.certificates import Certificates, ensure_certificates
from companion.server.core.config import ServerConfig
from companion.server.network.addresses import in_url, lan_address, local_name
from companion.server.network.connections import (
    HEAD_BYTES,
    IDLE_SECONDS,
    MOST_PER_ADDRESS,
    Connection,
    Gate,
    SslAdapter,
)
from companion.server.network.lan import LanAccess, LanAccessError
from companion.server.schema.limits import MOST_PICTURES, PICTURE_LIMIT

_log = logging.getLogger(__name__)

# Every open page occupies one thread for its live stream.
_THREADS = 48
# Upper bound for any request; the routes have narrower limits.
_BODY_BYTES = MOST_PICTURES * PICTURE_LIMIT + 64 * 1024
# Backlog of connections until they are accepted.
_QUEUE = 128


class PortTakenError(Exception):
    """The port is not available; the message is one sentence for people."""


@dataclass(frozen=True)
class _Listener:
    server: Any
    url: str
    thread: threading.Thread


class _Server(Server):
    """An HTTP server that accepts connections through a gate and logs its messages.

    Aborted connections are not logged. most_per_address: limit of connections per address, None for no limit.
    """

    max_request_header_size = HEAD_BYTES
    max_request_body_size = _BODY_BYTES
    ConnectionClass = Connection

    def __init__(self, address: tuple[str, int], app: Flask, most_per_address: int | None) -> None:
        super().__init__(
            address, app, numthreads=_THREADS, server_name="companion", request_queue_size=_QUEUE, timeout=IDLE_SECONDS
        )
        self._most_per_address = most_per_address

    def prepare(self) -> None:
        """Listen; raises OSError."""
        super().prepare()
        self._connections: Any
        self._connections._selector.close()
        self._connections = Gate(self, self._most_per_address)

    def left(self, connection: Connection) -> None:
        """Take note of a closed connection."""
        if self.ready:
            self._connections.forget(connection.remote_addr)

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        _log.debug("%s", msg, exc_info=traceback)


class Listeners(LanAccess):
    """The servers of one application. `start` opens the local one."""

    def __init__(self, app: Flask, config: ServerConfig) -> None:
        self._app, self._config = app, config
        self._lock = threading.Lock()
        self._local: _Listener | None = None
        self._lan: list[_Listener] = []
        self._certificates: Certificates | None = None

    def start(self) -> str:
        """Listen for this computer's browser and return the address; raises PortTakenError."""
        self._local = self._listen(self._config.host, self._config.port, None)
        return self._local.url

    def stop(self) -> None:
        """Stop listening."""
        with self._lock:
            for listener in (*self._lan, *([self._local] if self._local else [])):
                listener.server.stop()
            self._lan, self._local = [], None

    @property
    def open(self) -> bool:
        """Whether other devices can connect."""
        return bool(self._lan)

    def addresses(self) -> list[str]:
        """Return the page addresses for other devices, HTTPS first."""
        return sorted((listener.url for listener in self._lan), key=lambda url: not url.startswith("https"))

    @property
    def authority(self) -> tuple[bytes, str] | None:
        """The certificate authority as a file for devices, and its fingerprint."""
        found = self._certificates
        return None if found is None else (found.authority_der, found.fingerprint)

    def set_open(self, wanted: bool) -> None:
        """Open or close access for other devices; raises LanAccessError."""
        with self._lock:
            if wanted and not self._lan:
                self._lan = self._open_lan()
            elif not wanted:
                for listener in self._lan:
                    # Stopping waits for open streams, and one of them may belong to the page that asked.
                    threading.Thread(target=listener.server.stop, daemon=True).start()
                self._lan = []

    def _open_lan(self) -> list[_Listener]:
        address = lan_address()
        if address is None:
            raise LanAccessError("This computer is on no network that other devices could reach it by.")
        port = self._local.server.bind_addr[1] if self._local else self._config.port
        opened: list[_Listener] = []
        try:
            opened.append(self._listen(address, port, None))
            if self._config.tls:
                names = [address, "127.0.0.1", "localhost", *filter(None, [local_name()])]
                self._certificates = ensure_certificates(self._config.data / "tls", names)
                tls_port = self._config.tls_port
                secure = port + 1 if tls_port is None and port else tls_port or 0
                opened.append(self._listen(address, secure, self._certificates))
        except (PortTakenError, OSError) as error:
            for listener in opened:
                listener.server.stop()
            raise LanAccessError(f"Other devices cannot be let in: {error}") from error
        return opened

    def _listen(self, host: str, port: int, certificates: Certificates | None) -> _Listener:
        local = ipaddress.ip_address(host).is_loopback if host != "localhost" else True
        server = _Server((host, port), self._app, None if local else MOST_PER_ADDRESS)
        if certificates is not None:
            server.ssl_adapter = SslAdapter(str(certificates.certificate), str(certificates.key))
        try:
            server.prepare()
        except OSError as error:
            raise PortTakenError(f"port {port} is taken: choose another with --port.") from error
        scheme = "http" if certificates is None else "https"
        url = f"{scheme}://{in_url(host)}:{server.bind_addr[1]}"
        thread = threading.Thread(target=server.serve, name=f"serving {url}", daemon=True)
        thread.start()
        return _Listener(server, url, thread)
