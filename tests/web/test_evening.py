"""A whole evening in the browser: set-up, four rounds with a scan each, podium, rematch; without a script error."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest
from browsing import Open, Server, colored, lay
from playwright.sync_api import Page, expect

from companion.referee import moves
from companion.server.access.guests import Role


def enter_hands(page: Page, server: Server, winner: str, picture: Path) -> None:
    """Enter the other hands of a round: the first from a picture, the second as points."""
    others = [player for player in ("Ann", "Ben", "Cy") if player != winner]
    awaited = server.services.table.view().legal
    assert awaited is not None
    assert sorted(awaited.hand) == others
    server.reader.cards = ["red 9", "blue 8"]
    page.goto(f"{server.url}/scan")
    page.set_input_files("#files", picture)
    expect(page.locator(".hand .card-button")).to_have_count(2)
    expect(page.locator(".scan-sum strong")).to_have_text("17 points")
    page.click("#confirm")
    expect(page.locator("#taken")).to_contain_text("17 points, next")
    page.fill("#points", "20")
    page.click("#enter-points")
    page.wait_for_url("**/scores")


@pytest.mark.slow
@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_an_evening_from_the_set_up_to_the_rematch(
    size: dict[str, int], server: Server, open_as: Open, tmp_path: Path
) -> None:
    picture = tmp_path / "hand.jpg"
    cv2.imwrite(str(picture), colored(300, 500))
    page = open_as(Role.HOST, page="", viewport=size)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    # Who plays, which deck, which camera, and Start.
    page.locator(".players input").first.fill("Ann")
    page.keyboard.press("Enter")
    page.keyboard.type("Ben")
    page.keyboard.press("Enter")
    page.keyboard.type("Cy")
    page.locator(".deck-pick").filter(has_text="Classic UNO").click()
    page.click("#rules-fold summary")
    page.locator("#option-target").press("Control+A")
    page.keyboard.type("100")
    page.keyboard.press("Tab")
    page.check("#with-sound")
    page.click("#start")
    page.wait_for_url("**/table")
    for number, (winner, opening) in enumerate((("Ann", "red 5"), ("Ben", "green 3"), ("Ann", "yellow 2")), 1):
        lay(page, opening)
        for card in (f"{opening.split()[0]} 7", f"{opening.split()[0]} skip"):
            lay(page, card)
        server.services.table.tap(moves.Count(winner, 0))
        enter_hands(page, server, winner, picture)
        # 37 points a round: Ann has 74 after three, and 111 after four.
        expect(page.locator(".after-round h2")).to_have_text(f"{winner} wins round {number}")
        expect(page.locator(f".after-round .lane[data-player={winner}]")).to_be_visible()
        page.click("#next-round")
        page.wait_for_url("**/table")
    lay(page, "blue 1")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "blue 1")
    server.services.table.tap(moves.Count("Ann", 0))
    enter_hands(page, server, "Ann", picture)
    expect(page.locator("#after .step-1")).to_contain_text("Ann")
    expect(page.locator("#after .step-1")).to_contain_text("111 points")
    expect(page.locator("[data-act=keep]")).to_be_visible()
    page.click("[data-act=rematch]")
    page.wait_for_url("**/table")
    expect(page.locator(".seat")).to_have_count(3)
    lay(page, "red 5")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 5")
    assert errors == []
