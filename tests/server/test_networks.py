"""Addresses offered to other devices on computers with several networks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from namespaces import Cable, companion, needs_namespaces, room

pytestmark = pytest.mark.slow

WIFI = Cable("wlan0", "192.168.1.5/24", "192.168.1.6/24")
ETHERNET = Cable("enp3s0", "10.0.0.5/24", "10.0.0.6/24")
VPN = Cable("tun0", "10.8.0.2/24", "10.8.0.1/24", default_route=True)
BRIDGE = Cable("docker0", "172.17.0.1/16", "172.17.0.2/16")
CARRIER = Cable("wwan0", "100.64.3.4/24", "100.64.3.1/24")
GLOBAL = Cable("eth0", "2001:db8::5/64", "2001:db8::6/64")


def hosts(addresses: list[str]) -> set[str]:
    return {address.partition("//")[2].rpartition(":")[0] for address in addresses}


@needs_namespaces
def test_a_vpn_with_the_default_route_does_not_hide_the_wireless_network(tmp_path: Path) -> None:
    with room(WIFI, VPN, BRIDGE) as place, companion(place, tmp_path, "--lan", "--port", "8123") as addresses:
        assert addresses == ["https://192.168.1.5:8124", "http://192.168.1.5:8123"]
        assert [place.reach(address) for address in addresses] == [200, 200]
        assert place.reach("http://10.8.0.2:8123") == 0


@needs_namespaces
def test_a_hotspot_of_this_computer_needs_no_default_route(tmp_path: Path) -> None:
    hotspot = Cable("wlan0", "10.42.0.1/24", "10.42.0.7/24")
    with room(hotspot) as place, companion(place, tmp_path, "--lan", "--port", "8123") as addresses:
        assert hosts(addresses) == {"10.42.0.1"}
        assert place.reach(addresses[0]) == 200


@needs_namespaces
def test_all_local_networks_are_served(tmp_path: Path) -> None:
    with room(WIFI, ETHERNET) as place, companion(place, tmp_path, "--lan", "--port", "8123") as addresses:
        assert hosts(addresses) == {"192.168.1.5", "10.0.0.5"}
        assert [place.reach(address) for address in addresses] == [200] * 4


@needs_namespaces
def test_an_address_can_be_chosen(tmp_path: Path) -> None:
    arguments = ("--lan", "--port", "8123", "--address", "10.8.0.2")
    with room(WIFI, VPN) as place, companion(place, tmp_path, *arguments) as addresses:
        assert hosts(addresses) == {"10.8.0.2"}
        assert place.reach(addresses[0]) == 200
        assert place.reach("http://192.168.1.5:8123") == 0


@needs_namespaces
def test_an_address_of_another_computer_is_refused(tmp_path: Path) -> None:
    program = "from companion.cli import main; main()"
    command = [sys.executable, "-c", program, "--data", str(tmp_path), "play", "--no-browser", "--lan"]
    with room(WIFI) as place:
        ended = place.run(place.computer, [*command, "--address", "192.168.1.77"])
    assert ended.returncode == 1
    assert "192.168.1.77" in ended.stderr
    assert "192.168.1.5" in ended.stderr


@needs_namespaces
@pytest.mark.parametrize("cable", [CARRIER, GLOBAL], ids=["carrier", "global"])
def test_https_stays_valid_for_this_computer(cable: Cable, tmp_path: Path) -> None:
    """A foreign address in the certificate would violate the authority's name constraints, and break all its names."""
    with room(cable) as place, companion(place, tmp_path, "--lan", "--port", "8123") as addresses:
        assert [address.partition(":")[0] for address in addresses] == ["http"]
        assert place.reach(addresses[0]) == 200
    with room(WIFI, cable) as place, companion(place, tmp_path, "--lan", "--port", "8123"):
        verify = (
            "import socket, ssl, sys\n"
            "context = ssl.create_default_context(cafile=sys.argv[1])\n"
            "with socket.create_connection(('192.168.1.5', 8124), 5) as raw:\n"
            "    context.wrap_socket(raw, server_hostname=sys.argv[2])\n"
        )
        for name in ("192.168.1.5", "localhost"):
            command = [sys.executable, "-c", verify, str(tmp_path / "tls" / "authority.pem"), name]
            assert place.run(place.computer, command).stderr == ""
