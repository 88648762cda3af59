"""Serves the application: to this computer at once, to the network when the host says so, there also over TLS."""

from __future__ import annotations

import ipaddress
import logging
import threading
from dataclasses import dataclass
from typing import Any

from cheroot.wsgi import Server
from flask import Flask

from companion.server.access.certificates import Certificates, ensure_certificates
from companion.server.config import ServerConfig
from companion.server.connections import HEAD_BYTES, IDLE_SECONDS, MOST_PER_ADDRESS, Connection, Gate, SslAdapter
from companion.server.lan import LanAccess, LanAccessError
from companion.server.network import in_url, lan_address, local_name
from companion.server.routes.api import MOST_PICTURES, PICTURE_LIMIT

_log = logging.getLogger(__name__)

# Every open page holds one thread for its live stream.
_THREADS = 48
# The routes have narrower limits; this is for what never reaches one.
_BODY_BYTES = MOST_PICTURES * PICTURE_LIMIT + 64 * 1024
# Connections that the system holds until they are accepted, which the gate does at once.
_QUEUE = 128


class PortTakenError(Exception):
    """Nothing can listen on this port; the message is one sentence for people."""


@dataclass(frozen=True)
class _Listener:
    server: Any
    url: str
    thread: threading.Thread


class _Server(Server):
    """Takes its connections through a gate, and leaves what it has to say to the log.

    Browsers that break connections off are nothing to tell anybody. most_per_address: connections of one address, any
    number where None.
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
        """Take in that a connection is closed."""
        if self.ready:
            self._connections.forget(connection.remote_addr)

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        _log.debug("%s", msg, exc_info=traceback)


class Listeners(LanAccess):
    """The servers of one application. Open the local one with `start`."""

    def __init__(self, app: Flask, config: ServerConfig) -> None:
        self._app, self._config = app, config
        self._lock = threading.Lock()
        self._local: _Listener | None = None
        self._lan: list[_Listener] = []
        self._certificates: Certificates | None = None

    def start(self) -> str:
        """Listen for this computer's own browser and return the address; raises PortTakenError."""
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
        """Return the pages' addresses for other devices, the secure one first."""
        return sorted((listener.url for listener in self._lan), key=lambda url: not url.startswith("https"))

    @property
    def authority(self) -> tuple[bytes, str] | None:
        """The certificate authority as a file for devices, and its fingerprint."""
        found = self._certificates
        return None if found is None else (found.authority_der, found.fingerprint)

    def set_open(self, wanted: bool) -> None:
        """Let other devices on the network in, or shut them out; raises LanAccessError."""
        with self._lock:
            if wanted and not self._lan:
                self._lan = self._open_lan()
            elif not wanted:
                for listener in self._lan:
                    # Stopping waits for open streams, of which one may be the asking page's.
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
