"""Joining: where a device is led, and what it is told without a link."""

from __future__ import annotations

from collections.abc import Callable

from browsing import Server
from playwright.sync_api import BrowserContext, expect


def test_whoever_joins_by_the_pin_lands_on_the_own_turn(playing: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.goto(f"{playing.url}/")
    page.wait_for_url("**/join")
    page.fill("#pin", playing.services.pairing.pin)
    page.keyboard.press("Enter")
    # Each player is offered with a face of their own.
    seats = page.locator(".actions-big button")
    expect(seats).to_have_text(["Ann", "Ben", "Cy"])
    faces = seats.evaluate_all("(all) => all.map((one) => one.querySelector('.avatar').innerHTML)")
    assert len(set(faces)) == 3
    seats.nth(1).click()
    page.wait_for_url("**/player")
    expect(page.locator("#who")).to_contain_text("You are Ben.")


def test_the_host_without_the_link_is_led_to_it(server: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.goto(f"{server.url}/")
    page.wait_for_url("**/join")
    expect(page.locator("#host-link")).to_contain_text("companion link --open")
