"""Joining: the page that a device gets, and the message without a link."""

from __future__ import annotations

from collections.abc import Callable

from browsing import Open, Server
from playwright.sync_api import BrowserContext, expect

from companion.server.access.guests import Role


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


def test_every_page_of_a_demo_says_that_it_is_one(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    expect(page.locator("#demo")).to_have_count(0)
    playing.services.config = playing.services.config.model_copy(update={"demo": True})
    for path in ("table", "scores", "help"):
        page.goto(f"{playing.url}/{path}")
        expect(page.locator("#demo")).to_have_text("Demo")
        expect(page.locator("#demo")).to_have_attribute("title", "This is a demo: a simulated table plays by itself.")


def test_the_host_without_the_link_is_led_to_it(server: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.goto(f"{server.url}/")
    page.wait_for_url("**/join")
    expect(page.locator("#host-link")).to_contain_text("companion link --open")
