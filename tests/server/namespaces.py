"""Network namespaces for tests: a computer and a phone, joined by virtual cables. Needs root on Linux.

Every address exists only inside the two namespaces; nothing outside them is reachable.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _possible() -> bool:
    if sys.platform != "linux" or shutil.which("ip") is None or os.geteuid() != 0:
        return False
    name = f"probe-{uuid.uuid4().hex[:6]}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode != 0:
        return False
    _ip("netns", "del", name)
    return True


needs_namespaces = pytest.mark.skipif(not _possible(), reason="needs root and network namespaces")


@dataclass(frozen=True)
class Cable:
    """A virtual cable. name: of the computer's interface. address: the computer's, with prefix. phone: its peer's."""

    name: str
    address: str
    phone: str
    default_route: bool = False


@dataclass(frozen=True)
class Room:
    """Two namespaces, by name."""

    computer: str
    phone: str

    def run(self, where: str, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in a namespace and return its result."""
        return subprocess.run(
            ["ip", "netns", "exec", where, *command], capture_output=True, text=True, timeout=60, check=False
        )

    def reach(self, url: str) -> int:
        """Return the HTTP status that the phone gets from an address; 0 if nothing answers."""
        program = (
            "import ssl, sys, urllib.request as r\n"
            "context = ssl._create_unverified_context()\n"
            "try: print(r.urlopen(sys.argv[1] + '/api/me', timeout=20, context=context).status)\n"
            "except OSError as error: print(getattr(error, 'code', 0))\n"
        )
        return int(self.run(self.phone, [sys.executable, "-c", program, url]).stdout or 0)


@contextmanager
def room(*cables: Cable) -> Iterator[Room]:
    """Yield a computer and a phone with these cables between them."""
    token = uuid.uuid4().hex[:6]
    found = Room(f"computer-{token}", f"phone-{token}")
    try:
        for name in (found.computer, found.phone):
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        for place, cable in enumerate(cables):
            ends = (f"c{token}{place}", f"p{token}{place}")
            _ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
            _ip("link", "set", ends[0], "netns", found.computer, "name", cable.name)
            _ip("link", "set", ends[1], "netns", found.phone)
            for space, link, address in (
                (found.computer, cable.name, cable.address),
                (found.phone, ends[1], cable.phone),
            ):
                extra = ["nodad"] if ":" in address else []
                _ip("-n", space, "address", "add", address, "dev", link, *extra)
                _ip("-n", space, "link", "set", link, "up")
            if cable.default_route:
                _ip("-n", found.computer, "route", "add", "default", "via", cable.phone.partition("/")[0])
        yield found
    finally:
        for name in (found.computer, found.phone):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


@contextmanager
def companion(where: Room, data: Path, *arguments: str) -> Iterator[list[str]]:
    """Run `companion play` on the computer; yield the addresses printed for other devices."""
    program = "from companion.cli import main; main()"
    command = [sys.executable, "-u", "-c", program, "--data", str(data), "play", "--no-browser", *arguments]
    with subprocess.Popen(
        ["ip", "netns", "exec", where.computer, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        lines = []
        try:
            for line in process.stdout:
                lines.append(line)
                if line.startswith("Other devices:"):
                    yield re.findall(r"https?://[^\s,/]+", line)
                    break
            else:
                pytest.fail("".join(lines))
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
