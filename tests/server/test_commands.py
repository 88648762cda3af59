"""`companion play` and `companion demo` as processes."""

from __future__ import annotations

import http.client
import json
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from companion.server.access.links import HostLinks, signing_key


@contextmanager
def running(data: Path, *arguments: str) -> Iterator[tuple[str, str]]:
    """Run the companion and yield its address and the token that makes this test the host."""
    command = [sys.executable, "-c", "from companion.cli import main; main()", "--data", str(data), *arguments]
    port = () if "--port" in arguments else ("--port", "0")
    process = subprocess.Popen(
        [*command, "--no-browser", *port], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a process there")
def test_the_host_gets_back_by_a_fresh_link(tmp_path: Path) -> None:
    assert "No companion is running" in link(tmp_path).stderr
    with running(tmp_path, "play") as (address, token):
        ask(address, "/api/join", {"token": token})
        for _ in range(2):
            found = re.search(r"(http://[\d.:]+)/join#t=(\S+)", link(tmp_path).stdout)
            assert found
            assert found[1] == address
            me, _ = ask(address, "/api/join", {"token": found[2]})
            assert me["role"] == "host"
            with pytest.raises(urllib.error.HTTPError):
                ask(address, "/api/join", {"token": found[2]})
    assert "No companion is running" in link(tmp_path).stderr


def link(data: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from companion.cli import main; main()", "--data", str(data), "link"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_link_of_another_data_folder_is_worth_nothing(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    one, two = (HostLinks(signing_key(tmp_path / folder)) for folder in ("one", "two"))
    assert not one.redeem(two.make())
    made = one.make()
    # All bits of the first character count, unlike those of the last.
    assert not one.redeem(("A" if made[0] != "A" else "B") + made[1:])
    assert one.redeem(one.make())


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a process there")
def test_the_demo_logs_nobody_out_of_the_match(tmp_path: Path) -> None:
    with running(tmp_path, "play") as (address, token), running(tmp_path, "demo") as (shown, its_token):
        _, cookie = ask(address, "/api/join", {"token": token})
        # A browser sends both cookies to both, as cookies know no port.
        _, another = ask(shown, "/api/join", {"token": its_token}, cookie)
        assert cookie.partition("=")[0] != another.partition("=")[0]
        for where in (address, shown):
            me, _ = ask(where, "/api/me", cookie=f"{cookie}; {another}")
            assert me["role"] == "host"


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a process there")
@pytest.mark.parametrize("left_open", [True, False])
def test_a_page_left_open_is_used_again(left_open: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, opened, port = tmp_path / "data", tmp_path / "opened", free_port()
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\ntouch "{opened}"\n')
    script.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    with running(data, "play", "--port", str(port)) as (address, token):
        _, cookie = ask(address, "/api/join", {"token": token})
    command = [sys.executable, "-u", "-c", "from companion.cli import main; main()", "--data", str(data), "play"]
    over = threading.Event()

    def page() -> None:
        while not over.wait(0.05):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            with suppress(OSError, http.client.HTTPException):
                connection.request("GET", "/api/events?tab=t", headers={"Cookie": cookie})
                if connection.getresponse().status == 200:
                    over.wait(20)

    thread = threading.Thread(target=page, daemon=True)
    if left_open:
        thread.start()
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if left_open:
            assert any("connected again" in line for line in process.stdout)
        else:
            while not opened.exists() and process.poll() is None:
                time.sleep(0.1)
    finally:
        over.set()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert "connected again" not in out
    assert opened.exists() != left_open


def free_port() -> int:
    """Return a free port that the system gives to nobody else: those it hands out are higher."""
    for port in random.sample(range(20_000, 32_000), 50):
        with socket.socket() as sock, suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port
    pytest.fail("no port is free")
