"""Corrections on the table page: undo and redo, amendments, whose a line was, missed cards, who sits where."""

from __future__ import annotations

from dataclasses import replace

import pytest
from browsing import PEOPLE, Open, Server, lay, pick, turn
from playwright.sync_api import expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.vision.core.events import Arm, CardLanded


def test_undo_says_what_it_undoes(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 7")
    expect(page.locator('[data-act="undo"]')).to_have_text("Undo: red 7 (Ann)")
    playing.services.table.tap(moves.Count("Ann", 0))
    for player in ("Ben", "Cy"):
        playing.services.table.tap(moves.Hand(player, (Card.parse("red 1"),)))
    expect(page.locator("#caption")).to_contain_text("Turn up a card")  # the last hand's view, not the first one's
    page.click('[data-act="undo"]')
    expect(page.locator("dialog")).to_contain_text("a round that was scored")


def test_what_was_undone_is_done_again(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 7")
    page.click('[data-act="undo"]')
    turn(page, "Ann")
    page.click('[data-act="redo"]')
    turn(page, "Ben")


def test_an_amendment_says_first_what_no_longer_stands(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for card in ("red 9", "blue 9"):
        lay(page, card)
        expect(page.locator("#top .card")).to_have_attribute("aria-label", card)
    page.click('.line[data-n="2"]')
    page.click("#amend")
    pick(page, "red 8")
    expect(page.locator("dialog")).to_contain_text("Move 3 no longer stands.")
    page.click("dialog .primary")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 8")
    turn(page, "Ben")


def test_an_amendment_to_a_card_that_does_not_match_can_be_let_stand(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 9")
    page.click('.line[data-n="2"]')
    page.click("#amend")
    pick(page, "blue 8")
    expect(page.locator("dialog")).to_contain_text("does not match")
    page.click("dialog .primary")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "blue 8")
    expect(page.locator("#caption")).to_contain_text("Ann: blue 8 instead of red 9.")


def test_one_undo_takes_back_what_one_tap_did(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click('[data-act="draw-pass"]')
    turn(page, "Ben")
    lay(page, "wild draw four", "green")
    expect(page.locator(".in-force")).to_contain_text("green")
    page.click('[data-act="undo"]')
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 5")
    turn(page, "Ben")
    page.click('[data-act="undo"]')
    turn(page, "Ann")
    expect(page.locator(".line")).to_have_count(1)


def test_one_tap_says_whose_a_line_was(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 9")
    page.click('.line[data-n="2"]')
    page.click('[data-who="Ben"]')
    expect(page.locator('.line:has-text("red 9")')).to_contain_text("Ben: red 9")
    turn(page, "Cy")


def test_one_tap_says_that_a_card_was_drawn_first_and_one_that_it_was_not(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 9")
    turn(page, "Ben")
    page.click('.line[data-n="2"]')
    page.click("#drew")
    expect(page.locator('.line[data-n="3"]')).to_contain_text("Ann: red 9")
    page.click('.line[data-n="2"]')
    page.click("#drop")
    expect(page.locator('.line[data-n="2"]')).to_contain_text("Ann: red 9")
    expect(page.locator('.line[data-n="3"]')).to_have_count(0)
    turn(page, "Ben")


def test_a_card_that_was_missed_is_put_before_a_line(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 9")
    page.click('.line[data-n="2"]')
    page.click("#missed")
    page.click('dialog [data-card="red 4"]')
    expect(page.locator('.line[data-n="2"]')).to_contain_text("Ann: red 4")
    expect(page.locator('.line[data-n="3"]')).to_contain_text("Ben: red 9")
    turn(page, "Cy")


@pytest.mark.parametrize("button", ["#missed", "#amend"])
def test_the_picker_of_a_card_beside_a_wild_begins_with_a_colour(playing: Server, open_as: Open, button: str) -> None:
    page = open_as(Role.HOST)
    playing.services.table.tap(moves.Play(Card.parse("wild item box")))
    page.click('.line[data-n="2"]')
    page.click(button)
    expect(page.locator("dialog .chip-red")).to_have_attribute("aria-pressed", "true")
    expect(page.locator('dialog [data-card="red 4"]')).to_be_visible()


def test_it_is_asked_who_played_where_an_arm_comes_from_between_two(server: Server, open_as: Open) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    server.services.start(Header(edition, PEOPLE[:3], 2, replace(edition.options, jump_in=True)))
    table = server.services.table
    table.tap(moves.Start(Card.parse("red 5")))
    for player, direction in zip(PEOPLE, (20.0, 140.0, 260.0), strict=False):
        table.place(player, direction)
    page = open_as(Role.HOST)
    page.wait_for_selector("#palette")
    table.see(CardLanded(60.0, ((Card.parse("red 5"), 0.9999),), same_face=True, arm=Arm(200.0, 30.0, 1)))
    question = page.locator(".question")
    expect(question).to_contain_text("Who played the red 5: ")
    question.get_by_role("button", name="Cy", exact=True).click()
    expect(question).to_have_count(0)
    expect(page.locator(".line").first).to_contain_text("Cy: red 5")
    turn(page, "Ann")


def test_the_page_says_that_arms_do_not_show_people_apart(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    expect(page.locator("#notices")).to_be_empty()
    page.click("#more summary")
    page.click('[data-act="seats"]')
    for player in ("Ann", "Ben", "Cy"):
        page.check(f'[name=seated][value="{player}"]')
        page.click('[data-direction="180"]')
        expect(page.locator('[data-direction="180"] .mark')).to_have_count(("Ann", "Ben", "Cy").index(player) + 1)
    page.keyboard.press("Escape")
    expect(page.locator("#notices")).to_contain_text("cannot tell your arms apart")
    expect(page.locator("#notices .notice-line")).to_have_count(1)
    page.click("#settings")
    page.check("dialog [value=tapped]")
    expect(page.locator("#notices")).to_be_empty()


def test_players_are_placed_where_they_sit(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click("#more summary")
    page.click('[data-act="seats"]')
    for player, direction in (("Ann", 180), ("Ben", 270), ("Cy", 30)):
        page.check(f'[name=seated][value="{player}"]')
        page.click(f'[data-direction="{direction}"]')
        expect(page.locator(f'[data-direction="{direction}"] .mark')).to_have_count(1)
    page.keyboard.press("Escape")
    assert [seat.direction for seat in playing.services.table.view().seats] == pytest.approx([180, 270, 30])
    seat = page.locator('#ring [data-player="Ann"]')
    expect(seat).to_have_css("--y", "1.0000")
    expect(page.locator("#notices")).to_be_empty()
