"""Accepts connections so that no slow, silent or greedy client delays the others.

One thread accepts connections, performs TLS handshakes and collects request heads without blocking. A worker thread
gets a connection only once a request head is complete. Slow heads and slow bodies are dropped, and the number of
connections per address is limited.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from cheroot.connections import ConnectionManager, prevent_socket_inheritance
from cheroot.makefile import StreamReader, StreamWriter
from cheroot.server import HTTPConnection, HTTPRequest
from cheroot.ssl.builtin import BuiltinSSLAdapter

HEAD_BYTES = 32 * 1024
HEAD_SECONDS = 10.0
"""Seconds for a TLS handshake and a complete request head."""

IDLE_SECONDS = 20
"""Seconds that a connection may idle between requests."""

BODY_SECONDS, BODY_BYTES_PER_SECOND = 20.0, 32 * 1024
"""Time for a request body: a base in seconds, extended by the bytes received at this minimum rate."""

MOST_CONNECTIONS = 256
"""Limit of open connections. Beyond it, the one that has waited longest is dropped. Systems allow about 1024 files."""

MOST_PER_ADDRESS = 40
"""Limit per address. A browser opens six, plus a live stream per page."""

LINGER_SECONDS, LINGER_BYTES = 2.0, 4 * 1024 * 1024
"""How much of a rejected body is read and discarded, so that the sender gets the error instead of a reset."""

_CHUNK = 64 * 1024
_TICK = 0.25
_TLS_HANDSHAKE = 0x16
_PLAIN_ON_TLS = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis port speaks https alone."
)


class _Body(socket.SocketIO):
    """Reads the buffered bytes, then the socket, until a deadline that moves with the bytes received."""

    def __init__(self, sock: socket.socket, ahead: bytes) -> None:
        super().__init__(sock, "r")
        self.ahead = memoryview(ahead)
        self._deadline = time.monotonic() + BODY_SECONDS

    def readinto(self, buffer: Any) -> int | None:
        """Read into the buffer; raises TimeoutError if the sender is too slow."""
        if self.ahead:
            count = min(len(buffer), len(self.ahead))
            buffer[:count] = self.ahead[:count]
            self.ahead = self.ahead[count:]
            return count
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)  # type: ignore[attr-defined]
        try:
            found = super().readinto(buffer)
        finally:
            self._sock.settimeout(IDLE_SECONDS)  # type: ignore[attr-defined]
        self._deadline += (found or 0) / BODY_BYTES_PER_SECOND
        return found


class _Reader(StreamReader):
    """A request's bytes, as cheroot reads them."""

    def __init__(self, body: _Body) -> None:
        super(StreamReader, self).__init__(body, _CHUNK)
        self.bytes_read = 0
        self._body = body

    def rest(self) -> bytearray:
        """Return the bytes read but not consumed: the start of the next request."""
        buffered = self.peek() if self.has_data() else b""  # type: ignore[no-untyped-call]
        return bytearray(buffered + bytes(self._body.ahead))


class Request(HTTPRequest):
    """A request whose body is not read into memory unless a view asks for it."""

    def simple_response(self, status: str, msg: str = "") -> None:
        """Respond to a request that never reached the application."""
        self.close_connection = self.conn.linger_over_body = True
        super().simple_response(status, msg)

    def send_headers(self) -> None:
        """Send the response. If its body was not read, discard the body and close the connection."""
        unread = bool(self.chunked_read or getattr(self.rfile, "remaining", 0))
        if unread:
            self.close_connection = True
            self.conn.linger_over_body = True
        super().send_headers()


class Connection(HTTPConnection):
    """A connection, as a worker sees it."""

    RequestHandlerClass = Request
    linger_over_body = False
    gone = False

    def close(self) -> None:
        """Close the connection; after a rejected body, only once the sender could read the response."""
        if not self.gone:
            self.gone = True
            if self.linger_over_body:
                with suppress(OSError, ValueError):
                    self._linger()
            self.server.left(self)
        super().close()

    def _linger(self) -> None:
        self.socket.shutdown(socket.SHUT_WR)
        deadline, read = time.monotonic() + LINGER_SECONDS, 0
        while read < LINGER_BYTES and (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            came = len(self.socket.recv(_CHUNK))
            if not came:
                return
            read += came


@dataclass(eq=False)
class _Waiting:
    """A connection whose next request head is incomplete. deadline: when it is dropped."""

    sock: Any
    address: tuple[Any, ...]
    deadline: float
    secure: bool = False
    shaken: bool = True
    head: bytearray = field(default_factory=bytearray)


class Gate(ConnectionManager):
    """Accepts a server's connections and passes those with a complete request head to its workers."""

    _selector: Any
    _stop_requested: bool

    def __init__(self, server: Any, most_per_address: int | None) -> None:
        super().__init__(server)
        self._most_per_address = most_per_address
        self._waiting: dict[int, _Waiting] = {}
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._returned: deque[_Waiting] = deque()
        self._woken, self._wake = socket.socketpair()
        self._woken.setblocking(False)
        self._selector.register(self._woken.fileno(), selectors.EVENT_READ)
        self._listening = {sock.fileno(): sock for sock in (server.socket, *server.further)}
        for sock in self._listening.values():
            sock.setblocking(False)
        for sock in server.further:
            self._selector.register(sock.fileno(), selectors.EVENT_READ)

    @property
    def can_add_keepalive_connection(self) -> bool:
        """Whether connections may be kept alive. The gate itself drops surplus ones."""
        return True

    def put(self, conn: Any) -> None:
        """Take a connection back from a worker, for its next request. Called by workers."""
        address, secure = (conn.remote_addr, conn.remote_port), self.server.ssl_adapter is not None
        conn.socket.setblocking(False)
        waiting = _Waiting(conn.socket, address, time.monotonic() + IDLE_SECONDS, secure, head=conn.rfile.rest())
        # Only the gate's thread touches the list of connections.
        self._returned.append(waiting)
        self._wake.send(b"!")

    def forget(self, address: str) -> None:
        """Decrease the count of connections from this address."""
        with self._lock:
            self._held[address] -= 1
            if self._held[address] <= 0:
                del self._held[address]

    def close(self) -> None:
        """Close all waiting connections."""
        for waiting in list(self._waiting.values()):
            self._drop(waiting)
        self._selector.close()
        for sock in (self._woken, self._wake, *self.server.further):
            sock.close()
        self.server.released.set()

    def _run(self, expiration_interval: float) -> None:
        checked = time.monotonic()
        while not self._stop_requested:
            for fd, _ in list(self._selector.select(timeout=_TICK)):
                if fd in self._listening:
                    self._accept(self._listening[fd])
                elif fd == self._woken.fileno():
                    self._woken.recv(_CHUNK)
                    while self._returned:
                        self._watch(self._returned.popleft())
                elif fd in self._waiting:
                    self._step(self._waiting[fd])
            now = time.monotonic()
            if now - checked >= _TICK:
                checked = now
                for waiting in [each for each in self._waiting.values() if each.deadline < now]:
                    self._drop(waiting)

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                sock, address = listening.accept()
            except OSError:
                return
            prevent_socket_inheritance(sock)
            sock.setblocking(False)
            secure = self.server.ssl_adapter is not None
            waiting = _Waiting(sock, address, time.monotonic() + HEAD_SECONDS, secure, not secure)
            with self._lock:
                self._held[address[0]] += 1
                held, total = self._held[address[0]], self._held.total()
            if self._most_per_address is not None and held > self._most_per_address:
                self._drop(waiting)
                continue
            if total > MOST_CONNECTIONS and self._waiting:
                self._drop(min(self._waiting.values(), key=lambda each: each.deadline))
            self._watch(waiting)

    def _watch(self, waiting: _Waiting) -> None:
        self._waiting[waiting.sock.fileno()] = waiting
        self._selector.register(waiting.sock.fileno(), selectors.EVENT_READ, waiting)
        self._step(waiting)  # bytes may have arrived already, and TLS buffers what it has read

    def _step(self, waiting: _Waiting) -> None:
        """Proceed as far as the received bytes allow."""
        try:
            if not waiting.shaken and not self._shake(waiting):
                return
            while b"\r\n\r\n" not in waiting.head and len(waiting.head) <= HEAD_BYTES:
                came = waiting.sock.recv(_CHUNK)
                if not came:
                    self._drop(waiting)
                    return
                if not waiting.head:
                    waiting.deadline = min(waiting.deadline, time.monotonic() + HEAD_SECONDS)
                waiting.head += came
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except (OSError, ValueError):
            self._drop(waiting)
            return
        self._hand_over(waiting)

    def _shake(self, waiting: _Waiting) -> bool:
        """Continue the handshake; return whether it is complete."""
        if not isinstance(waiting.sock, ssl.SSLSocket):
            first = waiting.sock.recv(1, socket.MSG_PEEK)
            if first and first[0] != _TLS_HANDSHAKE:
                waiting.sock.send(_PLAIN_ON_TLS)
                raise ConnectionAbortedError
            self._forget(waiting)
            waiting.sock = self.server.ssl_adapter.wrap(waiting.sock)
            self._waiting[waiting.sock.fileno()] = waiting
            self._selector.register(waiting.sock.fileno(), selectors.EVENT_READ, waiting)
        waiting.sock.do_handshake()
        waiting.shaken = True
        return True

    def _hand_over(self, waiting: _Waiting) -> None:
        """Pass a complete request head, or one that is too long, to a worker. cheroot rejects the latter."""
        self._forget(waiting)
        waiting.sock.settimeout(IDLE_SECONDS)
        conn = Connection(self.server, waiting.sock, _Makefile(bytes(waiting.head)))
        conn.remote_addr, conn.remote_port = waiting.address[:2]
        conn.ssl_env = self.server.ssl_adapter.get_environ(waiting.sock) if waiting.secure else {}
        self.server.process_conn(conn)

    def _forget(self, waiting: _Waiting) -> None:
        del self._waiting[waiting.sock.fileno()]
        self._selector.unregister(waiting.sock.fileno())

    def _drop(self, waiting: _Waiting) -> None:
        if waiting.sock.fileno() in self._waiting:
            self._forget(waiting)
        self.forget(waiting.address[0])
        waiting.sock.close()


class _Makefile:
    """Creates a connection's two file objects. The reader starts with the buffered bytes."""

    def __init__(self, ahead: bytes) -> None:
        self._ahead = ahead

    def __call__(self, sock: Any, mode: str = "r", bufsize: int = _CHUNK) -> Any:
        return _Reader(_Body(sock, self._ahead)) if "r" in mode else StreamWriter(sock, mode, bufsize)


class SslAdapter(BuiltinSSLAdapter):
    """Wraps a socket in TLS without performing the handshake yet."""

    def wrap(self, sock: socket.socket) -> ssl.SSLSocket:
        """Return the socket wrapped in TLS; raises OSError."""
        wrapped: ssl.SSLSocket = self.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return wrapped
