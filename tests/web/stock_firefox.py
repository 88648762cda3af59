"""Stands between Playwright and a stock Firefox: what an ESR does not know yet of WebDriver BiDi is answered here.

Playwright starts this file as if it were Firefox. It starts the true one, and passes everything on but one command,
by which a colour scheme is set and without which no page opens; the scheme is then Firefox's own.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from typing import BinaryIO

UNKNOWN = b'"emulation.setMediaFeaturesOverride"'
_LISTENING = re.compile(rb"(WebDriver BiDi listening on ws://127\.0\.0\.1:)(\d+)")


def main() -> int:
    """Run Firefox with the arguments given, until it ends."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    assert program is not None
    process = subprocess.Popen([program, *sys.argv[1:]], stderr=subprocess.PIPE)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    assert process.stderr is not None
    for line in process.stderr:
        reported = _LISTENING.search(line)
        if reported:
            door = socket.create_server(("127.0.0.1", 0))
            threading.Thread(target=_serve, args=(door, int(reported[2])), daemon=True).start()
        sys.stderr.buffer.write(reported[1] + b"%d\n" % door.getsockname()[1] if reported else line)
        sys.stderr.buffer.flush()
    return process.wait()


def _serve(door: socket.socket, port: int) -> None:
    while True:
        here, _ = door.accept()
        there = socket.create_connection(("127.0.0.1", port))
        lock = threading.Lock()
        own = b":%d" % door.getsockname()[1]
        threading.Thread(target=_forth, args=(here, there, lock, own, b":%d" % port), daemon=True).start()
        threading.Thread(target=_back, args=(there, here, lock), daemon=True).start()


def _back(there: socket.socket, here: socket.socket, lock: threading.Lock) -> None:
    """Pass on what Firefox says, frame by frame, so that answers of ours fall between."""
    stream = there.makefile("rb")
    for line in iter(stream.readline, b"\r\n"):
        here.sendall(line)
    here.sendall(b"\r\n")
    while True:
        head = stream.read(2)
        if len(head) < 2:
            return here.close()
        frame = head + _rest(stream, head[1])
        with lock:
            here.sendall(frame)


def _forth(here: socket.socket, there: socket.socket, lock: threading.Lock, own: bytes, true: bytes) -> None:
    """Pass on what Playwright asks, but for what Firefox does not know."""
    stream = here.makefile("rb")
    for line in iter(stream.readline, b"\r\n"):
        there.sendall(line.replace(own, true))
    there.sendall(b"\r\n")
    while True:
        head = stream.read(2)
        if len(head) < 2:
            return there.close()
        rest = _rest(stream, head[1])
        asked = _unmasked(head[1], rest)
        if UNKNOWN in asked and head[0] & 0x80:
            answer = json.dumps({"type": "success", "id": json.loads(asked)["id"], "result": {}}).encode()
            with lock:
                here.sendall(bytes((0x81, len(answer))) + answer)
        else:
            there.sendall(head + rest)


def _rest(stream: BinaryIO, length: int) -> bytes:
    """Return what follows a frame's first two bytes (RFC 6455, section 5.2). length: the second of them."""
    more = {126: 2, 127: 8}.get(length & 0x7F, 0)
    long = stream.read(more)
    size = int.from_bytes(long) if more else length & 0x7F
    return long + stream.read(size + (4 if length & 0x80 else 0))


def _unmasked(length: int, rest: bytes) -> bytes:
    """Return the text of a frame of a client's."""
    start = {126: 2, 127: 8}.get(length & 0x7F, 0)
    mask, body = rest[start : start + 4], rest[start + 4 :]
    repeated = (mask * (len(body) // 4 + 1))[: len(body)]
    return (int.from_bytes(body) ^ int.from_bytes(repeated)).to_bytes(len(body)) if body else b""


if __name__ == "__main__":
    sys.exit(main())
