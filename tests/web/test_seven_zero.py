"""Swapped hands and jump-ins: what the screens show of a seven, a zero and a jump-in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from browsing import Open, Server, lay
from playwright.sync_api import Page, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role


@pytest.fixture
def swapping(server: Server) -> Server:
    """The server with a match in which a seven swaps hands, a zero passes them on, and equal cards jump in."""
    edition = EDITIONS[EditionName.CLASSIC]
    options = replace(edition.options, seven_zero=True, jump_in=True)
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, options))
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    for player, cards in (("Ann", 7), ("Ben", 5), ("Cy", 3)):
        server.services.table.tap(moves.Count(player, cards))
    return server


def counts(page: Page, *cards: int) -> None:
    for player, count in zip(("Ann", "Ben", "Cy"), cards, strict=True):
        expect(page.locator(f'#ring [data-player="{player}"] .seat-count > span[aria-hidden]')).to_have_text(str(count))


def test_a_seven_asks_whom_to_swap_with(swapping: Server, open_as: Open) -> None:
    page, phone = open_as(Role.HOST), open_as(Role.PLAYER, "Ann", page="player")
    lay(page, "red 7")
    expect(page.locator("#caption")).to_contain_text("Ann")
    for screen in (page, phone):
        expect(screen.locator('[data-act^="target-"]')).to_have_text(
            ["Exchange hands with Ben", "Exchange hands with Cy"]
        )
    # The seats that may be meant are marked, and only these.
    expect(page.locator("#ring .awaited")).to_have_count(2)
    phone.click('[data-act="target-Cy"]')
    counts(page, 3, 5, 6)
    expect(page.locator("#caption")).to_contain_text("Ann and Cy swap hands.")
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ben")
    expect(page.locator(".line").first).to_contain_text("Cy")


def test_a_zero_passes_all_hands_on(swapping: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 0")
    counts(page, 3, 6, 5)
    expect(page.locator("#caption")).to_contain_text("All hands pass one seat to the left.")
    expect(page.locator('[data-act^="target-"]')).to_have_count(0)
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ben")


def test_who_jumps_in_is_named(swapping: Server, open_as: Open) -> None:
    page, phone = open_as(Role.HOST), open_as(Role.PLAYER, "Cy", page="player")
    lay(page, "red 9")
    jump = phone.locator('[data-act="jump"]')
    expect(jump).to_contain_text("red 9")
    jump.click()
    expect(page.locator("#caption")).to_contain_text("Cy jumps in")
    expect(page.locator(".line").first).to_contain_text("Cy: red 9")
    counts(page, 6, 5, 2)
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ann")
