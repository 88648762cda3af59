"""A player leaves and another joins between two rounds, on the host's table page."""

from __future__ import annotations

import pytest
from browsing import Open, Server
from playwright.sync_api import expect

from companion.cards import Card
from companion.languages import Language
from companion.referee import moves
from companion.server.access.guests import Role


@pytest.fixture
def between(playing: Server) -> Server:
    """The server after a round that Ann won with 12 points."""
    for move in (
        moves.Count("Ann", 0),
        moves.Hand("Ben", (Card.parse("red 7"),)),
        moves.Hand("Cy", (Card.parse("blue 5"),)),
    ):
        playing.services.table.tap(move)
    return playing


def test_who_leaves_and_comes_back_keeps_the_points(between: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click('[data-act="comings"]')
    page.click('[data-leave="Ann"]')
    expect(page.locator(".seat")).to_have_count(2)
    expect(page.locator("#caption")).to_contain_text("Ann leaves with 12 points. Ben deals.")
    page.click('[data-act="comings"]')
    page.fill('[name="comer"]', "Dan")
    page.select_option('[name="after"]', "Ben")
    page.fill('[name="points"]', "3")
    page.click("dialog .primary")
    expect(page.locator('.seat[data-player="Dan"]')).to_contain_text("3 points")
    page.click('[data-act="comings"]')
    page.click('[data-back="Ann"]')
    page.click("dialog .primary")
    expect(page.locator('.seat[data-player="Ann"]')).to_contain_text("12 points")
    state = between.services.table.state
    assert state is not None
    assert (state.players, state.scores, state.left) == (("Ben", "Dan", "Cy", "Ann"), (0, 3, 0, 12), ())
    page.click('[data-act="undo"]')
    expect(page.locator(".seat")).to_have_count(3)
    page.goto(f"{between.url}/scores")
    expect(page.locator('.leader[data-player="Ann"]')).to_contain_text("Left")


def test_it_is_asked_in_every_language_and_only_of_the_host(between: Server, open_as: Open) -> None:
    viewer = open_as(Role.VIEWER)
    expect(viewer.locator(".seat")).to_have_count(3)
    expect(viewer.locator('[data-act="comings"]')).to_have_count(0)
    page = open_as(Role.HOST)
    for language in Language:
        page.evaluate("(code) => localStorage.setItem('language', code)", language.value)
        page.goto(f"{between.url}/table")
        page.click('[data-act="comings"]')
        assert "comings" not in page.locator("dialog").inner_text()
        page.keyboard.press("Escape")


def test_the_last_but_one_is_asked_before_the_match_ends(between: Server, open_as: Open) -> None:
    between.services.table.tap(moves.Leave("Cy"))
    page = open_as(Role.HOST)
    page.click('[data-act="comings"]')
    page.click('[data-leave="Ben"]')
    expect(page.locator("dialog")).to_contain_text("the match is over")
    page.click("dialog .primary")
    expect(page.locator("#podium")).to_contain_text("Ann")
    state = between.services.table.state
    assert state is not None
    assert state.winners == (0,)


def test_a_name_that_cannot_be_shown_is_refused_in_the_screens_language(between: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.evaluate("localStorage.setItem('language', 'de')")
    page.goto(f"{between.url}/table")
    page.click('[data-act="comings"]')
    page.fill('[name="comer"]', "D\u200bn")
    page.click("dialog .primary")
    expect(page.locator(".toast")).to_have_text("Dieser Name hat Zeichen, die sich nicht anzeigen lassen.")
    assert between.services.table.state is not None
    assert len(between.services.table.state.players) == 3
