"""The hall of fame on the score board, and matches that are damaged."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest
from browsing import Open, Server, downloads
from playwright.sync_api import expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.languages import Language
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.storage.store import FILE


@pytest.fixture
def won(server: Server) -> Server:
    """The server after a match of one round, that Ann won with 12 points; her banana peel hit Cy."""
    edition = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, replace(edition.options, target=10)))
    for move in (
        moves.Start(Card.parse("red 5")),
        moves.Play(Card.parse("wild item box")),
        moves.Flip(Card.parse("yellow 1")),
        moves.Count("Ann", 0),
        moves.Hand("Ben", (Card.parse("red 7"),)),
        moves.Hand("Cy", (Card.parse("blue 5"),)),
    ):
        server.services.table.tap(move)
    return server


def test_the_hall_of_fame_is_shown_and_forgets(won: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for language in Language:
        page.evaluate("(code) => localStorage.setItem('language', code)", language.value)
        page.goto(f"{won.url}/scores")
        expect(page.locator("#fame tbody tr")).to_have_count(3)
        assert "fame." not in page.locator("main").inner_text()
    ann = page.locator('#fame [data-player="Ann"]')
    expect(ann.locator("td").nth(1)).to_have_text("1")
    expect(ann.locator("td").nth(3)).to_have_text("12")
    expect(ann.locator("td").nth(5)).to_have_text("1")
    expect(page.locator('#fame [data-key="hits"]')).to_contain_text("Cy")
    page.locator('#fame [data-player="Cy"] button').click()
    page.locator("dialog button").last.click()
    expect(page.locator('#fame [data-player="Cy"]')).to_have_count(0)
    expect(page.locator('#fame [data-key="hits"]')).to_have_count(0)


@pytest.mark.parametrize("width", [360, 390])
def test_the_hall_of_fame_fits_a_phone(width: int, won: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, viewport={"width": width, "height": 780})
    for language in Language:
        page.evaluate("(code) => localStorage.setItem('language', code)", language.value)
        page.goto(f"{won.url}/scores")
        expect(page.locator("#fame tbody tr")).to_have_count(3)
        expect(page.locator("#versus tbody tr")).to_have_count(3)
        for place in ("#fame", "#versus", "#deeds", "#rounds"):
            assert page.locator(place).evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0, (place, language)
        # Each number has its word with it.
        labels = page.locator('#fame [data-player="Ann"] td[data-label]')
        words = labels.evaluate_all("(all) => all.map((one) => getComputedStyle(one, '::before').content)")
        assert len(words) == 8
        assert '""' not in words


def test_only_a_host_forgets(won: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.goto(f"{won.url}/scores")
    expect(page.locator("#fame tbody tr")).to_have_count(3)
    expect(page.locator("#fame tbody button")).to_have_count(0)


@downloads
def test_a_damaged_match_is_shown_and_can_be_exported(won: Server, open_as: Open) -> None:
    damaged = won.services.table.match_id
    edition = EDITIONS[EditionName.CLASSIC]
    won.services.start(Header(edition, ("Ann", "Ben"), 1, edition.options))
    with sqlite3.connect(won.services.config.data / FILE) as connection:
        connection.execute("UPDATE match SET winners = 'x' WHERE id = ?", (damaged,))
    page = open_as(Role.VIEWER)
    page.goto(f"{won.url}/scores")
    row = page.locator(f'[data-damaged="{damaged}"]')
    expect(row).to_contain_text("is damaged")
    with page.expect_download() as found:
        row.locator("a").click()
    assert "yellow 1" in found.value.path().read_text("utf-8")
