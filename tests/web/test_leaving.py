"""While a round is played: a player leaves or is renamed, and the target is changed, on the host's table page."""

from __future__ import annotations

from browsing import Open, Server
from playwright.sync_api import Page, expect

from companion.languages import Language
from companion.server.access.guests import Role


def menu(page: Page, player: str) -> None:
    page.click(f'.seat[data-player="{player}"]')
    page.click('[data-act="acting-change"]')


def test_a_player_leaves_in_the_middle_of_a_round(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    menu(page, "Cy")
    expect(page.locator("dialog")).to_contain_text("under the draw pile")
    page.click('dialog [data-leave="Cy"]')
    expect(page.locator(".seat")).to_have_count(2)
    expect(page.locator("#caption")).to_contain_text("Cy leaves with 0 points.")
    page.click('[data-act="undo"]')
    expect(page.locator(".seat")).to_have_count(3)


def test_who_is_on_turn_leaves(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    state = playing.services.table.state
    assert state is not None
    page.click("#more summary")
    page.click('[data-act="change-turn"]')
    page.click(f'dialog [data-leave="{state.actor}"]')
    expect(page.locator(f'.seat[data-player="{state.actor}"]')).to_have_count(0)


def test_a_player_has_another_name(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    menu(page, "Cy")
    page.fill('dialog [name="name"]', "Ben")
    page.click("dialog .primary")
    expect(page.locator("body")).to_contain_text("Somebody is called Ben already.")
    page.click('[data-act="acting-change"]')
    page.fill('dialog [name="name"]', "  Cyril ")
    page.click("dialog .primary")
    expect(page.locator('.seat[data-player="Cyril"]')).to_be_visible()
    state = playing.services.table.state
    assert state is not None
    assert state.players == ("Ann", "Ben", "Cyril")


def test_the_match_gets_another_target(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click("#more summary")
    page.click('[data-act="retarget"]')
    page.fill('dialog [name="points"]', "120")
    page.click("dialog .primary")
    expect(page.locator("#caption")).to_contain_text("The match ends at 120 points.")
    state = playing.services.table.state
    assert state is not None
    assert state.header.options.target == 120


def test_every_language_has_the_words(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for language in Language:
        page.evaluate("(code) => localStorage.setItem('language', code)", language.value)
        page.goto(f"{playing.url}/table")
        menu(page, "Cy")
        assert "leaving" not in page.locator("dialog").inner_text()
        page.keyboard.press("Escape")
