"""How `companion play` ends: on signals, as a container's first process, or if it cannot start."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from namespaces import Cable, needs_namespaces, room

from companion.storage.store import FILE

PLAY = (sys.executable, "-u", "-c", "from companion.cli import main; main()", "--data")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")]


def start(data: Path, *prefix: str) -> subprocess.Popen[str]:
    """Start `companion play` and return it once its page is there."""
    command = [*prefix, *PLAY, str(data), "play", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if "/join#" in line:
            return process
    pytest.fail("no address was printed")


def end_with(process: subprocess.Popen[str], number: int, target: int | None = None) -> str:
    """Send a signal, and return what is printed until the end; fails if there is none."""
    os.kill(target or process.pid, number)
    try:
        out, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail("it goes on")
    return out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda each: each.name)
def test_signals_end_it_as_ctrl_c_does(number: signal.Signals, tmp_path: Path) -> None:
    process = start(tmp_path)
    assert "The match is kept" in end_with(process, number)
    assert process.returncode == 0
    # Closed properly, SQLite leaves no write-ahead log behind.
    assert [path.name for path in tmp_path.glob("*-wal")] == []


@pytest.mark.skipif(shutil.which("unshare") is None or os.geteuid() != 0, reason="needs root")
def test_the_first_process_of_a_container_ends_too(tmp_path: Path) -> None:
    process = start(tmp_path, "unshare", "--pid", "--fork", "--mount-proc")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert "The match is kept" in end_with(process, signal.SIGTERM, int(children[0]))


def test_it_ends_soon_though_pages_are_open(tmp_path: Path) -> None:
    command = [*PLAY, str(tmp_path), "play", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    printed = (re.search(r"http://([\d.]+):(\d+)/join#t=([^&\s]+)", line) for line in process.stdout)
    found = next(filter(None, printed))
    host, port, token = found[1], int(found[2]), found[3]
    joining = http.client.HTTPConnection(host, port)
    joining.request("POST", "/api/join", json.dumps({"token": token}), {"Content-Type": "application/json"})
    cookie = str(joining.getresponse().headers["Set-Cookie"]).partition(";")[0]
    streams = []
    for tab in range(6):
        stream = http.client.HTTPConnection(host, port)
        stream.request("GET", f"/api/events?tab=t{tab}", headers={"Cookie": cookie})
        assert stream.getresponse().status == 200
        streams.append(stream)
    begun = time.monotonic()
    assert "The match is kept" in end_with(process, signal.SIGTERM)
    print(f"ended after {time.monotonic() - begun:.2f} s")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--source", "/nope.mp4"), "/nope.mp4"),
        (("--lan", "--address", "203.0.113.9"), "203.0.113.9"),
        (("--deck", "no such deck"), "no such deck"),
    ],
    ids=["source", "address", "deck"],
)
def test_what_cannot_begin_ends_with_one_sentence(arguments: tuple[str, ...], named: str, tmp_path: Path) -> None:
    command = [*PLAY, str(tmp_path), "play", "--no-browser", "--port", "0", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1
    assert named in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    with sqlite3.connect(tmp_path / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@needs_namespaces
def test_the_last_port_leaves_none_for_https(tmp_path: Path) -> None:
    command = [*PLAY, str(tmp_path), "play", "--no-browser", "--lan", "--port", "65535"]
    with room(Cable("wlan0", "192.168.1.5/24", "192.168.1.6/24")) as place:
        ended = place.run(place.computer, command)
    assert ended.returncode == 1
    assert ended.stderr.strip().endswith("choose a lower --port.")
    assert len(ended.stderr.strip().splitlines()) == 1
