"""Listens for this computer's browser and, if the host allows it, for other devices, with and without TLS."""

from __future__ import annotations

import ipaddress
import logging
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cheroot.wsgi import Server
from flask import Flask

from companion.server.access.certificates import Certificates, ensure_certificates
from companion.server.core.config import ServerConfig
from companion.server.network.addresses import Interface, in_url, interfaces, local_name, served
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
_LAST_PORT = 65535
_RELEASE_SECONDS = 5.0


class PortTakenError(Exception):
    """The port is not available; the message is one sentence for people."""


@dataclass(frozen=True)
class _Listener:
    server: Any
    urls: list[str]
    thread: threading.Thread


class GatedServer(Server):
    """An HTTP server on several addresses that accepts connections through a gate and logs its messages.

    Aborted connections are not logged. hosts: addresses to listen on, all at the same port. most_per_address: limit of
    connections per client address, None for no limit.
    """

    max_request_header_size = HEAD_BYTES
    max_request_body_size = _BODY_BYTES
    ConnectionClass = Connection

    def __init__(self, hosts: Sequence[str], port: int, app: Flask, most_per_address: int | None) -> None:
        super().__init__(
            (hosts[0], port), app, numthreads=_THREADS, server_name="companion", request_queue_size=_QUEUE,
            timeout=IDLE_SECONDS,
        )  # fmt: skip
        self.further: list[socket.socket] = []
        """Listening sockets besides the first. The gate closes them."""
        self.released = threading.Event()
        """Set when all addresses are free again, while requests may still be answered."""
        self._hosts = hosts[1:]
        self._most_per_address = most_per_address

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self.bind_addr[1])

    def prepare(self) -> None:
        """Listen; raises OSError."""
        super().prepare()
        self._connections: Any
        try:
            for host in self._hosts:
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                self.further.append(socket.create_server((host, self.port), family=family, backlog=_QUEUE))
        except OSError:
            for sock in self.further:
                sock.close()
            super().stop()
            raise
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
        self._local = self._listen([self._config.host], self._config.port, None)
        return self._local.urls[0]

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
        urls = [url for listener in self._lan for url in listener.urls]
        return sorted(urls, key=lambda url: not url.startswith("https"))

    def interfaces(self) -> list[Interface]:
        """Return this computer's addresses that can be served, the most likely one first."""
        return interfaces()

    @property
    def authority(self) -> tuple[bytes, str] | None:
        """The certificate authority as a file for devices, and its fingerprint."""
        found = self._certificates
        return None if found is None else (found.authority_der, found.fingerprint)

    def set_open(self, wanted: bool, addresses: Sequence[str] = ()) -> None:
        """Open or close access for other devices; raises LanAccessError."""
        with self._lock:
            if wanted and (addresses or not self._lan):
                self._lan = self._open_lan(self._chosen(addresses or self._config.addresses))
            elif not wanted:
                self._close_lan()

    def _chosen(self, addresses: Sequence[str]) -> list[str]:
        try:
            found = [each.address for each in served(interfaces(), addresses)]
        except LookupError as error:
            raise LanAccessError(f"Other devices cannot be let in: {error.args[0]}") from error
        if not found:
            raise LanAccessError("This computer is on no network that other devices could reach it by.")
        return found

    def _close_lan(self) -> None:
        for listener in self._lan:
            # Stopping waits for open streams, and one of them may belong to the page that asked.
            threading.Thread(target=listener.server.stop, daemon=True).start()
            listener.server.released.wait(_RELEASE_SECONDS)
        self._lan = []

    def _open_lan(self, hosts: list[str]) -> list[_Listener]:
        self._close_lan()
        port = self._local.server.port if self._local else self._config.port
        opened: list[_Listener] = []
        try:
            opened.append(self._listen(hosts, port, None))
            if self._config.tls:
                names = [*hosts, "127.0.0.1", "localhost", *filter(None, [local_name()]), *self._config.allowed_hosts]
                made = self._certificates = ensure_certificates(self._config.data / "tls", names)
                if secured := [host for host in hosts if host not in made.refused]:
                    opened.append(self._listen(secured, self._secure_port(port), made))
        except (PortTakenError, OSError) as error:
            for listener in opened:
                listener.server.stop()
            raise LanAccessError(f"Other devices cannot be let in: {error}") from error
        return opened

    def _secure_port(self, port: int) -> int:
        if self._config.tls_port is not None:
            return self._config.tls_port
        if port == _LAST_PORT:
            raise PortTakenError(f"HTTPS uses the port after {port}, which does not exist: choose a lower --port.")
        return port + 1 if port else 0

    def _listen(self, hosts: Sequence[str], port: int, certificates: Certificates | None) -> _Listener:
        local = all(host == "localhost" or ipaddress.ip_address(host).is_loopback for host in hosts)
        server = GatedServer(hosts, port, self._app, None if local else MOST_PER_ADDRESS)
        if certificates is not None:
            server.ssl_adapter = SslAdapter(str(certificates.certificate), str(certificates.key))
        try:
            server.prepare()
        except OSError as error:
            raise PortTakenError(f"port {port} is taken: choose another with --port.") from error
        scheme = "http" if certificates is None else "https"
        urls = [f"{scheme}://{in_url(host)}:{server.port}" for host in hosts]
        thread = threading.Thread(target=server.serve, name=f"serving {urls[0]}", daemon=True)
        thread.start()
        return _Listener(server, urls, thread)
