"""Slow, silent or numerous clients do not block others."""

from __future__ import annotations

import http.client
import resource
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.server.access.certificates import ensure_certificates
from companion.server.network import connections
from companion.server.network.connections import SslAdapter
from companion.server.network.listeners import GatedServer
from companion.server.services.services import Services

pytestmark = pytest.mark.slow

Start = Callable[..., int]
HOST = "127.0.0.1"
PATIENCE_S = 60.0


@pytest.fixture
def start(app: Flask, tmp_path: Path) -> Iterator[Start]:
    """Serves the application and returns the port."""
    with ExitStack() as stack:

        def started(*, secure: bool = False, most: int | None = None) -> int:
            server = GatedServer([HOST], 0, app, most)
            if secure:
                made = ensure_certificates(tmp_path / "tls", [HOST])
                server.ssl_adapter = SslAdapter(str(made.certificate), str(made.key))
            server.prepare()
            threading.Thread(target=server.serve, daemon=True).start()
            stack.callback(server.stop)
            return int(server.port)

        yield started


def ask(port: int, *, secure: bool = False) -> http.client.HTTPConnection:
    """Return a connection that has asked something and been answered."""
    if secure:
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            HOST, port, timeout=PATIENCE_S, context=trusting
        )
    else:
        connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)
    connection.request("GET", "/api/me")
    answer = connection.getresponse()
    assert (answer.status, answer.read()[:1]) == (200, b"{")
    return connection


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_a_connection_is_asked_many_things(start: Start, secure: bool) -> None:
    with closing(ask(start(secure=secure), secure=secure)) as connection:
        for body in (b"", b"{}", b'{"pin": "1"}' + b" " * 50_000, b"{" * 65_000):
            connection.request("POST", "/api/join", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status in (401, 422)
            answer.read()
        connection.request("GET", "/web/css/base.css")
        assert len(connection.getresponse().read()) > 1000


def test_two_requests_at_once_are_both_answered(start: Start) -> None:
    asked = f"GET /api/me HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    with socket.create_connection((HOST, start()), timeout=PATIENCE_S) as client:
        client.sendall(asked + asked[:20])
        came = client.recv(65536)
        client.sendall(asked[20:])
        while came.count(b"HTTP/1.1 200") < 2:
            came += client.recv(65536)


@pytest.mark.parametrize("begun", [b"", b"\x16\x03\x01\x02"], ids=["silent", "half a handshake"])
def test_nobody_waits_for_another_ones_handshake(start: Start, begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 3600.0)  # nobody is dropped meanwhile
    port = start(secure=True)
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(socket.create_connection((HOST, port))).sendall(begun)
        ask(port, secure=True).close()


def test_nobody_waits_for_another_ones_request(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 3600.0)  # nobody is dropped meanwhile
    port = start()
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(socket.create_connection((HOST, port))).sendall(b"GET /api/me HTTP/1.1\r\nHo")
        ask(port).close()


def test_who_speaks_plainly_to_the_secure_port_is_reported(start: Start) -> None:
    with socket.create_connection((HOST, start(secure=True)), timeout=PATIENCE_S) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert b"https alone" in client.recv(1000)


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_who_never_comes_to_the_point_is_dropped(start: Start, secure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with socket.create_connection((HOST, start(secure=secure)), timeout=PATIENCE_S) as client:
        client.sendall(b"\x16" if secure else b"GET")
        assert client.recv(100) == b""


def test_a_body_that_drips_is_given_up(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(connections, "LINGER_SECONDS", 0.1)
    head = f"POST /api/join HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"
    with socket.create_connection((HOST, start()), timeout=PATIENCE_S) as client:
        client.sendall(head.encode() + b"{")
        assert b" 200 " not in client.recv(1000)


def test_one_address_holds_only_so_many_connections(start: Start) -> None:
    port = start(most=5)
    with ExitStack() as stack:
        held = [stack.enter_context(closing(ask(port))) for _ in range(5)]
        with socket.create_connection((HOST, port), timeout=PATIENCE_S) as refused:
            assert refused.recv(1) == b""
        held[0].close()
        # That it has ended is heard a moment later.
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return ask(port).close()
            except (OSError, http.client.HTTPException):
                assert time.monotonic() < until, "the place stays taken"
                time.sleep(0.02)


def test_the_oldest_that_waits_makes_room(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 10)
    monkeypatch.setattr(connections, "HEAD_SECONDS", 3600.0)  # they are not dropped for their silence
    port = start()
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection((HOST, port), timeout=PATIENCE_S)) for _ in range(12)]
        ask(port).close()
        assert silent[0].recv(1) == b""


def refused_upload(port: int, size: int) -> bytes:
    """Return what is answered to somebody who has not joined and sends a body of this size."""
    head = (
        f"POST /api/hands/read HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        f"Content-Length: {size}\r\n\r\n"
    )
    with socket.create_connection((HOST, port), timeout=PATIENCE_S) as client:
        client.sendall(head.encode())
        sent = 0
        try:
            while sent < size:
                sent += client.send(bytes(65536))
        except OSError:
            pass
        return client.recv(100)


def test_a_body_that_is_refused_takes_no_memory(start: Start) -> None:
    port = start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers: list[bytes] = []
    threads = [threading.Thread(target=lambda: answers.append(refused_upload(port, 60_000_000))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 100, f"{grown:.0f} MB"


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_who_is_refused_hears_why_and_is_not_cut_off(start: Start, secure: bool) -> None:
    size = 3_000_000
    head = (
        f"POST /api/hands/read HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        f"Content-Length: {size}\r\n\r\n"
    )
    with closing(ask(start(secure=secure), secure=secure)) as connection:
        client = connection.sock
        client.sendall(head.encode() + b"x")
        assert client.recv(12) == b"HTTP/1.1 401"
        # A connection closed with something unread is reset, which is all that most senders would hear.
        for _ in range(size // 65536):
            client.sendall(bytes(65536))


def test_fifty_uploads_at_once_are_all_answered(start: Start, host: FlaskClient, services: Services) -> None:
    port = start()
    _, jpeg = cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 255, (700, 900, 3), np.uint8))
    cookie = host.get_cookie(services.badges.cookie(secure=False))
    assert cookie is not None
    headers = {"Cookie": f"{cookie.key}={cookie.value}", "Content-Type": "image/jpeg"}
    found: list[int] = []

    def upload(number: int) -> None:
        with closing(http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)) as connection:
            mine = headers if number % 2 else {"Content-Type": "image/jpeg"}
            connection.request("POST", "/api/camera/frames", jpeg.tobytes(), mine)
            found.append(connection.getresponse().status)

    threads = [threading.Thread(target=upload, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200] * 25 + [401] * 25
