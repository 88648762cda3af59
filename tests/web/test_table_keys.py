"""A tapped match on the table page: items, keys and debts."""

from __future__ import annotations

from browsing import Open, Server, lay
from playwright.sync_api import expect

from companion.cards import Card
from companion.referee import moves
from companion.server.access.guests import Role


def test_no_debt_is_shown_at_a_seat_where_no_camera_sees_draws(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    playing.services.table.tap(moves.Play(Card.parse("red draw two")))
    expect(page.locator("#caption")).to_contain_text("draws two")
    expect(page.locator('[data-player="Ben"] .seat-tag').first).not_to_contain_text("of 2 drawn")


def test_escape_leaves_another_players_turn_and_control_z_takes_back(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click('#ring [data-player="Cy"] button')
    expect(page.locator("#prompt")).to_contain_text("Cy")
    page.keyboard.press("Escape")
    expect(page.locator("#prompt")).to_be_empty()
    lay(page, "red 7")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 7")
    page.keyboard.press("Control+z")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 5")
    page.click('[data-act="redo"]')
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 7")
    expect(page.locator('[data-act="redo"]')).to_have_count(0)


def test_arrow_keys_move_through_the_cards(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.focus('#palette [data-card="red 2"]')
    page.keyboard.press("ArrowRight")
    expect(page.locator('#palette [data-card="red 3"]')).to_be_focused()


def test_the_challenge_says_what_is_at_stake(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "wild draw four", "green")
    expect(page.locator('[data-act="accept"]')).to_have_text("Accept: draw 4")
    expect(page.locator('[data-act="challenge"]')).to_have_text("Challenge: 6 if wrong")


def test_enter_in_a_name_starts_no_match(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    page.reload()
    page.fill(".players li:nth-child(1) input", "Ann")
    page.fill(".players li:nth-child(2) input", "Ben")
    page.keyboard.press("Enter")
    expect(page.locator(".players input")).to_have_count(3)
    assert "/table" not in page.url
