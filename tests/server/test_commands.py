"""`companion play` and `companion demo` as processes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def running(data: Path, *arguments: str) -> Iterator[tuple[str, str]]:
    """Run the companion and yield its address and the token that makes this test the host."""
    command = [sys.executable, "-c", "from companion.cli import main; main()", "--data", str(data), *arguments]
    process = subprocess.Popen(
        [*command, "--no-browser", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            found = re.search(r"(http://[\d.:]+)/join#t=([^&\s]+)", line)
            if found:
                yield found[1], found[2]
                break
        else:
            pytest.fail(f"no address was printed: {process.stderr and process.stderr.read()}")
    finally:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "The match is kept" in out


def ask(address: str, path: str, body: object = None, cookie: str = "") -> tuple[dict[str, object], str]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    with urllib.request.urlopen(urllib.request.Request(address + path, data, headers)) as answer:
        return json.load(answer), str(answer.headers.get("Set-Cookie", "")).partition(";")[0]


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a process there")
def test_play_serves_until_it_is_stopped(tmp_path: Path) -> None:
    with running(tmp_path, "play") as (address, token):
        me, cookie = ask(address, "/api/join", {"token": token})
        assert me["role"] == "host"
        players = {"edition": "classic", "players": ["Ann", "Ben"]}
        ask(address, "/api/match", players, cookie)
    with running(tmp_path, "play") as (address, token):
        # The badge outlives a restart, and so does the match.
        choices, _ = ask(address, "/api/choices", cookie=cookie)
        assert choices["running"] is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a process there")
def test_demo_plays_by_itself(tmp_path: Path) -> None:
    with running(tmp_path, "demo") as (address, token):
        _, cookie = ask(address, "/api/join", {"token": token})
        view, _ = ask(address, "/api/view", cookie=cookie)
        assert view["match"] is not None
        camera, _ = ask(address, "/api/camera", cookie=cookie)
        assert camera["source"] == "simulated"
