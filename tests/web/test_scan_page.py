"""The scan page: what cannot be read is named, nothing is confirmed that is not awaited, and why it cannot be."""

from __future__ import annotations

from pathlib import Path

import cv2
from browsing import Open, Server, colored
from playwright.sync_api import expect

from companion.cards import Card
from companion.referee import moves
from companion.server.access.guests import Role


def test_a_document_is_refused_by_name(playing: Server, open_as: Open, tmp_path: Path) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan")
    (tmp_path / "rules.pdf").write_bytes(b"%PDF-1.4")
    page.set_input_files("#files", tmp_path / "rules.pdf")
    expect(page.locator(".toast")).to_contain_text("rules.pdf is no picture and no film")
    expect(page.locator(".outlined")).to_have_count(0)


def test_where_no_hand_is_awaited_there_is_nothing_to_confirm(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan")
    expect(page.locator("#nobody")).to_contain_text("No hand is awaited now.")
    expect(page.locator("#add-card")).to_be_visible()
    expect(page.locator("#confirm, #points-form, #whose")).to_have_count(0)


def test_the_tables_camera_is_offered_only_where_there_is_one(playing: Server, open_as: Open) -> None:
    playing.services.camera.choose("phone")
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan")
    expect(page.locator("#table-picture")).to_be_visible()
    playing.services.camera.choose(None)
    page.reload()
    expect(page.locator("#photo")).to_be_attached()
    expect(page.locator("#table-picture")).to_have_count(0)


def test_a_hand_that_cannot_be_confirmed_says_why(playing: Server, open_as: Open) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan?player=Ben")
    expect(page.locator("#confirm")).to_be_disabled()
    expect(page.locator("#hindrance")).to_have_text("Photograph the cards or add them first.")
    page.click("#add-card")
    page.click("dialog .chip-yellow")
    for _ in range(3):
        page.click('dialog [data-card="yellow 9"]')
    page.click("#picked")
    expect(page.locator("#confirm")).to_be_disabled()
    expect(page.locator("#hindrance")).to_have_text("Too many of yellow 9: the deck holds 2.")
    page.click(".hand [data-place='0']")
    page.click("#remove-card")
    expect(page.locator("#confirm")).to_be_enabled()
    expect(page.locator("#hindrance")).to_have_count(0)


def test_tapped_cards_are_not_suspected_to_be_hidden(playing: Server, open_as: Open) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan?player=Ben")
    page.click("#add-card")
    page.click('dialog [data-card="red 2"]')
    page.click("#picked")
    expect(page.locator("#expected")).to_have_text("Cards expected: 7, entered: 1.")


def test_after_the_last_hand_the_board_leads_to_the_next_round(playing: Server, open_as: Open) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    playing.services.table.tap(moves.Hand("Ben", (Card.parse("red 1"),)))
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan")
    page.fill("#points", "30")
    page.click("#enter-points")
    page.wait_for_url("**/scores")
    expect(page.locator(".after-round h2")).to_have_text("Ann wins round 1")
    page.click("#next-round")
    page.wait_for_url("**/table")


def test_a_picture_is_decoded_once(playing: Server, open_as: Open, tmp_path: Path) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.add_init_script(
        "window.decoded = 0; const make = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { window.decoded += 1; return make.call(URL, blob); };"
    )
    page.goto(f"{playing.url}/scan?player=Ben")
    playing.reader.cards = ["red 9", "blue 8"]
    cv2.imwrite(str(tmp_path / "hand.jpg"), colored(300, 500))
    page.set_input_files("#files", tmp_path / "hand.jpg")
    expect(page.locator(".hand .card-button")).to_have_count(2)
    decoded = page.evaluate("window.decoded")
    page.click(".hand [data-place='0']")
    page.click("#remove-card")
    expect(page.locator(".hand .card-button")).to_have_count(1)
    expect(page.locator(".outlined canvas")).to_have_count(1)
    assert page.locator(".outlined img").evaluate("(image) => image.naturalWidth") > 0
    assert page.evaluate("window.decoded") == decoded
