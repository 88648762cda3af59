"""A match in the browser: set up, played, undone, corrected, scored, on several screens and over a restart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from browsing import Open, Server, lay, pick, turn
from playwright.sync_api import BrowserContext, Page, Route, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.vision.core.events import CardLanded


def set_up(page: Page, *players: str) -> None:
    page.wait_for_selector("#add-player")
    for seat, player in enumerate(players):
        if seat >= page.locator(".players input").count():
            page.click("#add-player")
        page.locator(".players input").nth(seat).fill(player)
    page.click("#start")
    page.wait_for_url("**/table")


def act(page: Page, name: str) -> None:
    page.click(f'[data-act="{name}"]')


@pytest.fixture
def table(playing: Server, open_as: Open) -> Page:
    """The host's table page, with a match at Ann's first turn on a red 5."""
    page = open_as(Role.HOST)
    turn(page, "Ann")
    return page


def see(server: Server, *cards: tuple[str, float]) -> None:
    """Let the camera see a card land."""
    picture = np.full((90, 160, 3), 90, np.uint8)
    server.services.table.see(CardLanded(1.0, tuple((Card.parse(card), p) for card, p in cards), None, picture))


def test_a_match_is_set_up_and_played_by_taps(server: Server, open_as: Open) -> None:
    table = open_as(Role.HOST)
    table.goto(f"{server.url}/")
    set_up(table, "Ann", "Ben", "Cy")
    lay(table, "red 5")
    turn(table, "Ann")
    lay(table, "red skip")
    turn(table, "Cy")
    expect(table.locator("#caption")).to_contain_text("Ben is skipped.")
    act(table, "draw")
    act(table, "pass")
    turn(table, "Ann")
    lay(table, "wild draw four", "green")
    act(table, "accept")
    turn(table, "Cy")
    expect(table.locator(".in-force")).to_contain_text("green")
    expect(table.locator('[data-player="Ben"] .seat-count')).to_contain_text("11")


def test_a_card_that_does_not_match_is_asked_about(table: Page) -> None:
    lay(table, "blue 8")
    table.click("dialog .primary")
    expect(table.locator("#top .card")).to_have_attribute("aria-label", "blue 8")


def test_undo_is_one_tap(table: Page) -> None:
    act(table, "draw")
    expect(table.locator('[data-act="pass"]')).to_be_visible()
    act(table, "undo")
    expect(table.locator('[data-act="draw"]')).to_be_visible()
    expect(table.locator('[data-player="Ann"] .seat-count')).to_contain_text("7")


def test_a_ruling_is_corrected_and_what_followed_ruled_again(table: Page, server: Server) -> None:
    see(server, ("red 7", 0.99))
    turn(table, "Ben")
    lay(table, "red 3")
    turn(table, "Cy")
    table.click('.line[data-n="2"]')
    expect(table.locator("dialog .ruling-picture")).to_be_visible()
    table.click("#amend")
    pick(table, "red reverse")
    turn(table, "Ben")
    expect(table.locator("#ring")).to_contain_text("counter-clockwise")


def test_a_question_is_answered_by_a_tap(table: Page, server: Server) -> None:
    see(server, ("red 3", 0.50), ("red 8", 0.48))
    question = table.locator(".question")
    expect(question).to_contain_text("red 8")
    expect(question.locator(".card-choice")).to_have_count(2)
    question.get_by_role("button", name="red 8", exact=True).click()
    expect(question).to_have_count(0)
    expect(table.locator("#top .card")).to_have_attribute("aria-label", "red 8")
    turn(table, "Ben")


def test_two_screens_stay_equal(table: Page, open_as: Open) -> None:
    other = open_as(Role.VIEWER)
    expect(other.locator("#actions button")).to_have_count(0)
    for card, player in (("red 9", "Ben"), ("blue 9", "Cy"), ("blue reverse", "Ben")):
        lay(table, card)
        for screen in (table, other):
            turn(screen, player)
            expect(screen.locator("#top .card")).to_have_attribute("aria-label", card)
    expect(other.locator(".line")).to_have_text(table.locator(".line").all_text_contents())


def test_a_reload_and_a_restart_lose_nothing(table: Page, server: Server) -> None:
    lay(table, "red skip")
    turn(table, "Cy")
    table.reload()
    turn(table, "Cy")
    server.stop()
    expect(table.locator("#offline")).to_be_visible()
    server.start()
    expect(table.locator("#offline")).to_have_count(0)
    turn(table, "Cy")
    act(table, "draw")
    expect(table.locator("#caption")).to_contain_text("Cy draws one.")


def test_a_running_match_is_not_broken_off_unasked(table: Page, server: Server) -> None:
    first = server.services.table.match_id
    table.goto(f"{server.url}/")
    expect(table.locator("#resume")).to_contain_text("A match is running.")
    table.click('[data-known="Cy"]')
    table.click('[data-known="Ann"]')
    table.click("#start")
    expect(table.locator("dialog")).to_contain_text("A match is running.")
    assert server.services.table.match_id == first
    table.click("dialog .primary")
    table.wait_for_url("**/table")
    assert server.services.table.match_id != first
    # It is kept, and can be gone on with from both pages.
    table.goto(f"{server.url}/scores")
    expect(table.locator(f'[data-resume="{first}"]')).to_be_visible()
    table.goto(f"{server.url}/")
    table.click("#broken-off summary")
    table.click(f'[data-resume="{first}"]')
    table.wait_for_url("**/table")
    assert server.services.table.match_id == first


def test_a_match_that_is_over_runs_no_longer(server: Server, open_as: Open) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    options = replace(edition.options, target=10)
    server.services.start(Header(edition, ("Ann", "Ben"), 1, options))
    for move in (moves.Start(Card.parse("red 5")), moves.Count("Ann", 0), moves.Hand("Ben", (Card.parse("wild"),))):
        server.services.table.tap(move)
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/")
    page.wait_for_selector("#add-player")
    expect(page.locator("#resume")).to_be_empty()


def test_wrong_names_are_reported_where_they_stand(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/")
    page.click("#start")
    expect(page.locator("#setup-wrong")).to_have_text("At least 2 people play.")
    for seat, name in enumerate(("Ann", "ann")):
        page.locator(".players input").nth(seat).fill(name)
    page.click("#start")
    expect(page.locator("#setup-wrong")).to_have_text("ann is named twice.")
    expect(page.locator(".players input").nth(1)).to_be_focused()


def test_house_rules_are_ticked_and_remembered_as_ours(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/")
    page.click("#house-fold summary")
    expect(page.locator('[data-key="jump_in"]')).to_contain_text("turn")
    page.check("#option-jump_in")
    page.select_option("#option-stacking", "any")
    expect(page.locator('[value="ours"]')).to_be_checked()
    set_up(page, "Ann", "Ben")
    header = server.services.table.view().header
    assert header is not None
    assert (header.options.jump_in, header.options.stacking.value) == (True, "any")
    page.goto(f"{server.url}/")
    page.check('[value="official"]')
    page.click("#house-fold summary")
    expect(page.locator("#option-jump_in")).not_to_be_checked()
    page.check('[value="ours"]')
    expect(page.locator("#option-jump_in")).to_be_checked()


def test_what_the_server_offers_again_is_there_without_a_line_of_script(
    playing: Server, device: Callable[..., BrowserContext]
) -> None:
    context = device()

    def more(route: Route) -> None:
        answer = route.fetch()
        offered = answer.json()
        if "deck" in offered:
            comet = {"card": "wild comet", "count": 4, "title": "Comet", "points": 50, "wild": True}
            offered["deck"].append({**comet, "item": None, "sign": None, "chooses": True})
            offered["defaults"]["orbit"] = 3
        elif "editions" in offered:
            galaxy = {**offered["editions"][0], "name": "galaxy", "title": "UNO Galaxy"}
            offered["editions"].append(galaxy)
            orbit = {
                "name": "orbit",
                "kind": "number",
                "title": "Orbits",
                "sentence": "So many rounds about the table.",
            }
            offered["options"].append({**orbit, "values": [], "least": 1, "most": 9, "house": True})
            for edition in offered["editions"]:
                edition["defaults"]["orbit"] = 3
        else:
            offered["languages"]["eo"] = "Esperanto"
        route.fulfill(response=answer, json=offered)

    context.route("**/api/choices*", more)
    context.route("**/api/editions/*", more)
    context.route("**/api/me", more)
    page = context.new_page()
    page.goto(playing.invitation(Role.HOST))
    expect(page.locator('#palette [data-card="wild comet/red"]')).to_be_attached()
    page.goto(f"{playing.url}/")
    expect(page.get_by_role("radio", name="UNO Galaxy")).to_be_attached()
    page.click("#house-fold summary")
    expect(page.locator('[data-key="orbit"]')).to_contain_text("So many rounds about the table.")
    expect(page.locator("#option-orbit")).to_have_value("3")
    page.click("#settings")
    expect(page.locator('dialog option[value="eo"]')).to_have_text("Esperanto")


def test_where_nothing_happened_the_card_that_waits_is_ruled_on(table: Page, server: Server) -> None:
    see(server, ("red 3", 0.50), ("red 8", 0.48))
    question = table.locator(".question")
    expect(question).to_contain_text("red 8")
    see(server, ("red 9", 0.99))
    expect(question).to_contain_text("One more thing waits for the answer.")
    question.get_by_role("button", name="Nothing happened").click()
    expect(question).to_have_count(0)
    expect(table.locator("#top .card")).to_have_attribute("aria-label", "red 9")
    turn(table, "Ben")
