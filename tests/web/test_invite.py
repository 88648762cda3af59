"""The host's dialog about other devices: at which addresses of this computer they are served."""

from __future__ import annotations

from collections.abc import Sequence

from browsing import Open, Server
from playwright.sync_api import expect

from companion.server.access.guests import Role
from companion.server.network.addresses import Interface, Kind
from companion.server.network.lan import LanAccess


class TwoNetworks(LanAccess):
    """A computer on Wi-Fi with a VPN; by default only the Wi-Fi is served."""

    def __init__(self) -> None:
        self.served = ["192.168.1.5"]

    def addresses(self) -> list[str]:
        return [f"https://{address}:8001" for address in self.served]

    def interfaces(self) -> list[Interface]:
        return [Interface("wlan0", "192.168.1.5", Kind.LAN), Interface("tun0", "10.8.0.2", Kind.TUNNEL)]

    def set_open(self, wanted: bool, addresses: Sequence[str] = ()) -> None:
        assert wanted
        self.served = list(addresses)

    @property
    def open(self) -> bool:
        return True


def test_the_host_chooses_the_addresses_that_are_served(playing: Server, open_as: Open) -> None:
    lan = TwoNetworks()
    playing.services.lan = lan
    page = open_as(Role.HOST)
    page.click("#invite")
    vpn, wifi = page.get_by_label("10.8.0.2"), page.get_by_label("192.168.1.5")
    expect(page.locator("#addresses")).to_contain_text("tun0 · VPN")
    expect(wifi).to_be_checked()
    expect(vpn).not_to_be_checked()
    # The second choice may come before the first one is drawn.
    page.evaluate(
        """() => ["10.8.0.2", "192.168.1.5"].forEach((one) =>
            document.querySelector(`#addresses [data-key="${one}"] input`).click())"""
    )
    expect(page.locator("dialog .break")).to_contain_text("10.8.0.2")
    assert lan.served == ["10.8.0.2"]
    # One address stays, or no device could join.
    vpn.click()
    expect(page.locator(".toast")).to_have_text("At least one address is needed.")
    expect(vpn).to_be_checked()
    assert lan.served == ["10.8.0.2"]


def test_a_computer_with_one_address_offers_no_choice(playing: Server, open_as: Open) -> None:
    lan = TwoNetworks()
    playing.services.lan = lan
    lan.interfaces = lambda: [Interface("wlan0", "192.168.1.5", Kind.LAN)]  # type: ignore[method-assign]
    page = open_as(Role.HOST)
    page.click("#invite")
    page.wait_for_selector("dialog .qr")
    expect(page.locator("#addresses")).to_have_count(0)
