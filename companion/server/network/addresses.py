"""Where this computer is to be found on the local network. Nothing is sent to learn it."""

from __future__ import annotations

import ipaddress
import re
import socket


def lan_address() -> str | None:
    """Return this computer's address on the local network, None where it is on none."""
    for family, probe in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as sock:
                sock.connect((probe, 9))  # chooses a route; a datagram socket sends nothing
                found = str(sock.getsockname()[0])
        except OSError:
            continue
        if not ipaddress.ip_address(found).is_loopback:
            return found
    return None


def local_name() -> str | None:
    """Return the name under which computers nearby may find this one (`NAME.local`), None for none."""
    name = socket.gethostname().split(".")[0].lower()
    return f"{name}.local" if re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name) else None


def in_url(address: str) -> str:
    """Return the address as it stands in a URL."""
    return f"[{address}]" if ":" in address else address
