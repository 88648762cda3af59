"""This computer's addresses, and which of them other devices at the table can use. Sends nothing."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import ifaddr

_TUNNEL = re.compile(
    r"^(tun|tap|wg|utun|ppp|ipsec|zt|nordlynx|proton|gpd|cscotun)|vpn|wireguard|tailscale|zerotier|tunnel|tap-windows",
    re.IGNORECASE,
)
# The hotspot of Windows is a "Wi-Fi Direct Virtual Adapter": a real network.
_VIRTUAL = re.compile(
    r"^(docker|br-|virbr|veth|vmnet|vboxnet|lxc|lxd|cni|flannel|podman)"
    r"|hyper-v|vethernet|vmware|virtualbox|(?<!wi-fi direct )virtual",
    re.IGNORECASE,
)
_CARRIER = ipaddress.ip_network("100.64.0.0/10")
"""Shared address space of carriers and of mesh VPNs (RFC 6598)."""


class Kind(Enum):
    """What an interface connects to, the most useful first."""

    LAN = "lan"
    TUNNEL = "tunnel"
    VIRTUAL = "virtual"


@dataclass(frozen=True)
class Interface:
    """An address of this computer. name: of the network interface, as the system shows it."""

    name: str
    address: str
    kind: Kind

    @property
    def private(self) -> bool:
        """Whether the address belongs to a private network."""
        return is_private(self.address)


def is_private(address: str) -> bool:
    """Return whether an IP address belongs to a private network; carriers' shared addresses do not."""
    found = ipaddress.ip_address(address)
    return found.is_private and not (found.version == 4 and found in _CARRIER)


def interfaces() -> list[Interface]:
    """Return this computer's addresses that other devices might reach, the most likely one first.

    An interface with an IPv4 address is listed by that; loopback and interfaces that are down are left out.
    """
    found = []
    for adapter in ifaddr.get_adapters():
        if _is_down(adapter.name):
            continue
        addresses = [(ip, str(ip.ip if ip.is_IPv4 else ip.ip[0])) for ip in adapter.ips]
        usable = [(ip, text) for ip, text in addresses if not _is_local(text)]
        for ip, text in [pair for pair in usable if pair[0].is_IPv4] or usable:
            kind = _kind(f"{adapter.name}\n{adapter.nice_name}", text, ip.network_prefix)
            found.append(Interface(adapter.nice_name, text, kind))
    first = default_address()
    order = list(Kind)
    return sorted(
        found,
        key=lambda each: (
            order.index(each.kind),
            not each.private,
            ":" in each.address,
            each.address.startswith("169.254."),
            each.address != first,
        ),
    )


def served(known: Sequence[Interface], wanted: Iterable[str] = ()) -> list[Interface]:
    """Return the interfaces to serve: those wanted, by default every private one on a local network, else the first.

    Raises LookupError with one sentence if a wanted address is not this computer's.
    """
    by_address = {each.address: each for each in known}
    chosen = []
    for address in wanted:
        if address not in by_address:
            have = ", ".join(by_address) or "none that others could reach"
            raise LookupError(f"this computer has no address {address}; it has {have}.")
        chosen.append(by_address[address])
    return chosen or [each for each in known if each.kind is Kind.LAN and each.private] or list(known[:1])


def default_address() -> str | None:
    """Return the address that the default route would use, None without one."""
    for family, probe in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as sock:
                sock.connect((probe, 9))  # only selects a route: a datagram socket sends nothing here
                found = str(sock.getsockname()[0])
        except OSError:
            continue
        if not ipaddress.ip_address(found).is_loopback:
            return found
    return None


def local_name() -> str | None:
    """Return the name by which devices nearby may find this computer (`NAME.local`), None if it has none."""
    name = socket.gethostname().split(".")[0].lower()
    return f"{name}.local" if re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name) else None


def in_url(address: str) -> str:
    """Return the address as a URL spells it."""
    return f"[{address}]" if ":" in address else address


def _is_local(address: str) -> bool:
    found = ipaddress.ip_address(address)
    # A link-local IPv6 address needs a zone, which browsers do not accept.
    return found.is_loopback or found.is_multicast or (found.version == 6 and found.is_link_local)


def _kind(names: str, address: str, prefix: int) -> Kind:
    found = ipaddress.ip_address(address)
    point_to_point = found.version == 4 and prefix >= 31
    if point_to_point or found in _CARRIER or any(_TUNNEL.search(name) for name in names.split("\n")):
        return Kind.TUNNEL
    return Kind.VIRTUAL if any(_VIRTUAL.search(name) for name in names.split("\n")) else Kind.LAN


def _is_down(name: str) -> bool:
    """Return whether Linux reports the interface as down; elsewhere only connected ones have addresses."""
    try:
        return (Path("/sys/class/net") / name / "operstate").read_text().strip() == "down"
    except (OSError, ValueError):
        return False
