"""How connections are taken in: nobody who is slow, silent or many holds up the others.

One thread accepts them, shakes hands with those that come over TLS and collects the head of each request, without ever
waiting for any of them; a worker thread is given a connection only when the head of a request is whole. Whoever takes
too long over a head is dropped, whoever takes too long over a body is too, and one address may hold only so many.
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
"""How long a connection may take over TLS' handshake and the head of its first request, or of each one after it."""

IDLE_SECONDS = 20
"""How long a connection may be silent between requests."""

BODY_SECONDS, BODY_BYTES_PER_SECOND = 20.0, 32 * 1024
"""A body may take so long, and longer by what has come of it at this rate: far below any wireless network's."""

MOST_CONNECTIONS = 256
"""How many may be open: of more, the one that has kept us waiting longest is dropped. Systems allow 1024 files."""

MOST_PER_ADDRESS = 40
"""How many one address may hold: a browser opens six, and keeps a live stream for each of its pages."""

LINGER_SECONDS, LINGER_BYTES = 2.0, 4 * 1024 * 1024
"""How much of a refused body is read and forgotten, so that the sender hears why instead of a broken connection."""

_CHUNK = 64 * 1024
_TICK = 0.25
_TLS_HANDSHAKE = 0x16
_PLAIN_ON_TLS = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis port speaks https alone."
)


class _Body(socket.SocketIO):
    """Reads what was read ahead, then the socket, until a deadline that moves on with what comes."""

    def __init__(self, sock: socket.socket, ahead: bytes) -> None:
        super().__init__(sock, "r")
        self.ahead = memoryview(ahead)
        self._deadline = time.monotonic() + BODY_SECONDS

    def readinto(self, buffer: Any) -> int | None:
        """Read into the buffer; raises TimeoutError where too little came for too long."""
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
    """A request's bytes as cheroot reads them."""

    def __init__(self, body: _Body) -> None:
        super(StreamReader, self).__init__(body, _CHUNK)
        self.bytes_read = 0
        self._body = body

    def rest(self) -> bytearray:
        """Return what was read and not asked for: the beginning of a next request."""
        buffered = self.peek() if self.has_data() else b""  # type: ignore[no-untyped-call]
        return bytearray(buffered + bytes(self._body.ahead))


class Request(HTTPRequest):
    """A request whose body, where nobody wanted it, is not read into memory."""

    def simple_response(self, status: str, msg: str = "") -> None:
        """Answer what never reached the application."""
        self.close_connection = self.conn.linger_over_body = True
        super().simple_response(status, msg)

    def send_headers(self) -> None:
        """Answer; a connection with a body that nobody read is closed, and its body forgotten as it comes."""
        unread = bool(self.chunked_read or getattr(self.rfile, "remaining", 0))
        if unread:
            self.close_connection = True
            self.conn.linger_over_body = True
        super().send_headers()


class Connection(HTTPConnection):
    """A connection as a worker has it."""

    RequestHandlerClass = Request
    linger_over_body = False
    gone = False

    def close(self) -> None:
        """Close, where a body was refused only after the sender could hear it."""
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
    """A connection whose next request's head is not whole yet. deadline: when its patience ends."""

    sock: Any
    address: tuple[Any, ...]
    deadline: float
    secure: bool = False
    shaken: bool = True
    head: bytearray = field(default_factory=bytearray)


class Gate(ConnectionManager):
    """Accepts a server's connections and hands those to its workers that have something to say."""

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
        server.socket.setblocking(False)

    @property
    def can_add_keepalive_connection(self) -> bool:
        """Whether connections may stay open between requests: the gate itself drops those of too many."""
        return True

    def put(self, conn: Any) -> None:
        """Take a connection back from a worker, for its next request. Called by workers."""
        address, secure = (conn.remote_addr, conn.remote_port), self.server.ssl_adapter is not None
        conn.socket.setblocking(False)
        waiting = _Waiting(conn.socket, address, time.monotonic() + IDLE_SECONDS, secure, head=conn.rfile.rest())
        # It is watched by the gate's own thread, which alone touches its list.
        self._returned.append(waiting)
        self._wake.send(b"!")

    def forget(self, address: str) -> None:
        """Count one connection of this address less."""
        with self._lock:
            self._held[address] -= 1
            if self._held[address] <= 0:
                del self._held[address]

    def close(self) -> None:
        """Close all connections that wait."""
        for waiting in list(self._waiting.values()):
            self._drop(waiting)
        self._selector.close()
        self._woken.close()
        self._wake.close()

    def _run(self, expiration_interval: float) -> None:
        checked = time.monotonic()
        while not self._stop_requested:
            for fd, _ in list(self._selector.select(timeout=_TICK)):
                if fd == self.server.socket.fileno():
                    self._accept()
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

    def _accept(self) -> None:
        while True:
            try:
                sock, address = self.server.socket.accept()
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
        self._step(waiting)  # something may have come already, and TLS keeps what it has read to itself

    def _step(self, waiting: _Waiting) -> None:
        """Go as far as what has come allows."""
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
        """Go on with the handshake; returns whether it is done."""
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
        """Let a worker answer the request whose head is whole, or too long, which cheroot says."""
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
    """Makes the two files of a connection, of which the first begins with what was read ahead."""

    def __init__(self, ahead: bytes) -> None:
        self._ahead = ahead

    def __call__(self, sock: Any, mode: str = "r", bufsize: int = _CHUNK) -> Any:
        return _Reader(_Body(sock, self._ahead)) if "r" in mode else StreamWriter(sock, mode, bufsize)


class SslAdapter(BuiltinSSLAdapter):
    """Puts TLS over a socket without shaking hands yet."""

    def wrap(self, sock: socket.socket) -> ssl.SSLSocket:
        """Return the socket under TLS; raises OSError."""
        wrapped: ssl.SSLSocket = self.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return wrapped
