"""The set-up page: the guide of a first visit, and one screen afterwards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from browsing import Open, Server, at_rest, box_of, colored
from playwright.sync_api import BrowserContext, Route, expect

from companion.cards import Card, EditionName
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.languages import Language
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.table.presentation.view import Turns
from companion.vision.core.sightings import Sighting


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (844, 390), (360, 640)])
def test_a_first_visit_shows_names_and_start(
    size: tuple[int, int], server: Server, device: Callable[..., BrowserContext]
) -> None:
    page = device(viewport={"width": size[0], "height": size[1]}).new_page()
    page.goto(server.invitation(Role.HOST, page=""))
    page.wait_for_selector("#step-camera [value=phone]")
    steps = page.locator(".setup-step h2")
    expect(steps).to_have_text(["1Who plays?", "2Which deck?", "3Which camera?"])
    start = page.locator("#start").bounding_box()
    assert start is not None
    assert start["y"] + start["height"] <= size[1]
    for seat in range(2):
        field = page.locator(".players input").nth(seat)
        field.fill(f"Ann {seat}")
        box = field.bounding_box()
        assert box is not None
        # What is typed into lies above the row with Start, which is always in view.
        assert box["y"] + box["height"] <= start["y"], seat
    if size == (1280, 800):
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
        expect(page.locator("[name=edition]")).to_have_count(3)
        expect(page.locator(".deck-art .card")).to_have_count(9)


def test_the_camera_step_shows_what_the_camera_sees_and_what_hinders_it(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    expect(page.locator("#camera-hint")).to_be_hidden()
    page.check("#step-camera [value=phone]")
    expect(page.locator("#camera-hint")).to_contain_text("From above")
    # The camera helper answers to what the phone sends: nothing but the dark.
    _, jpeg = cv2.imencode(".jpg", np.zeros((360, 640, 3), np.uint8))
    server.services.camera.push(jpeg.tobytes())
    expect(page.locator("#step-camera .helper")).to_contain_text("Too dark")
    expect(page.locator("#camera-hint")).to_be_hidden()
    # Without a camera nothing of it is left, and whose turn it is is tapped.
    page.click("#table-fold summary")
    expect(page.locator("[name=turns][value=camera]")).to_be_checked()
    page.check("#step-camera [value='']")
    expect(page.locator("#step-camera .live")).to_be_hidden()
    expect(page.locator("[name=turns][value=tapped]")).to_be_checked()


def test_enter_goes_to_the_next_name_and_starts_nothing(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    fields = page.locator(".players input")
    fields.first.fill("Ann")
    fields.first.press("Enter")
    expect(fields.nth(1)).to_be_focused()
    page.keyboard.type("Ben")
    page.keyboard.press("Enter")
    expect(fields.nth(2)).to_be_focused()
    # An empty last field ends the names.
    page.keyboard.press("Enter")
    expect(page.locator("#start")).to_be_focused()
    assert server.services.table.match_id is None


def test_profiles_say_what_they_change(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    says = page.locator("#profile-says")
    expect(says).to_have_text("The rules as printed on the sheet.")
    page.get_by_text("Dealer’s colour", exact=True).click()
    expect(says).to_have_text("Wild at the start: the dealer · Green shell on yourself: no")
    page.click("#rules-fold summary")
    page.fill("#option-target", "200")
    page.locator("#option-target").press("Tab")
    expect(page.locator("[value=ours]")).to_be_checked()
    expect(says).to_contain_text("Target score: 200")


def test_an_option_that_changes_keeps_the_focus_and_the_next_entry(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    page.click("#rules-fold summary")
    page.locator("#option-target").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("200")
    page.keyboard.press("Tab")
    expect(page.locator("#option-hand_size")).to_be_focused()
    page.keyboard.type("9")
    page.keyboard.press("Tab")
    expect(page.locator("#option-target")).to_have_value("200")
    expect(page.locator("#option-hand_size")).to_have_value("9")


@pytest.mark.parametrize("language", Language)
def test_the_rule_profiles_stand_in_one_row(
    language: Language, server: Server, device: Callable[..., BrowserContext]
) -> None:
    context = device(viewport={"width": 1280, "height": 800})
    context.add_init_script(f"localStorage.setItem('language', '{language.value}')")
    page = context.new_page()
    page.goto(server.invitation(Role.HOST, page=""))
    page.wait_for_selector("#step-game .pick")
    at_rest(page)
    boxes = page.locator("#step-game .pick").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map(({ top, height }) => [top, height])"
    )
    assert len(boxes) == 3
    assert all(box == boxes[0] for box in boxes), boxes


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768)])
def test_a_match_of_four_is_set_up_on_one_screen(
    size: tuple[int, int], server: Server, device: Callable[..., BrowserContext]
) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    # People from earlier evenings are offered, and a match runs.
    known = ("Eve", "Fay", "Gus", "Hal", "Ivy", "Jo", "Konstantin", "Lea")
    server.services.start(Header(edition, known, 0, edition.options))
    context = device(viewport={"width": size[0], "height": size[1]})
    context.add_init_script("localStorage.setItem('language', 'de')")
    page = context.new_page()
    page.goto(server.invitation(Role.HOST))
    page.wait_for_url("**/table")
    page.goto(f"{server.url}/")
    # Names come first, and whoever played before is one tap.
    page.click('[data-known="Eve"]')
    expect(page.locator(".players input").first).to_have_value("Eve")
    for seat, player in enumerate(("Ann", "Ben", "Cy"), 1):
        if seat >= page.locator(".players input").count():
            page.click("#add-player")
        page.locator(".players input").nth(seat).fill(player)
    expect(page.locator("#resume")).to_contain_text("läuft")
    assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
    for part in ("#start", "#step-camera [value='']", ".players li:last-child", "[data-known=Fay]"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1], part


def test_the_turn_setting_is_chosen_before_the_match(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    page.fill(".players li:nth-child(1) input", "Ann")
    page.fill(".players li:nth-child(2) input", "Ben")
    page.click("#table-fold summary")
    expect(page.locator("[name=turns][value=tapped]")).to_be_checked()
    page.check("[name=turns][value=relaxed]")
    page.click("#start")
    page.wait_for_url("**/table")
    assert server.services.table.view().turns is Turns.RELAXED


def test_the_learnt_deck_is_chosen_on_the_setup_page(server: Server, open_as: Open) -> None:
    blank = np.zeros((480, 320, 3), np.uint8)
    server.services.decks.save(LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], (Card.parse("red 7"),), (blank,)))
    page = open_as(Role.HOST, page="")
    expect(page.locator("#learnt-deck")).to_have_value("")
    for name, chosen in (("Ours", "Ours"), ("", None)):
        page.select_option("#learnt-deck", name)
        page.wait_for_function(
            "async (chosen) => (await (await fetch('/api/decks')).json()).chosen === chosen", arg=chosen
        )


def test_the_setup_page_says_what_hinders_the_camera_and_takes_the_draw_pile(server: Server, open_as: Open) -> None:
    server.services.camera.choose("phone")
    _, data = cv2.imencode(".jpg", colored(360, 640))
    server.services.camera.push(data.tobytes())
    page = open_as(Role.HOST, page="")
    server.services.camera.push(data.tobytes())
    expect(page.locator(".helper")).to_contain_text("No card is seen")
    server.reader.cards = ["red 7"]
    expect(page.locator(".helper")).to_contain_text("too small")
    page.wait_for_function("() => document.querySelector('.live img').naturalWidth === 640")
    page.click("#mark-draw-pile")
    box = box_of(page, "canvas.marking")
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    with page.expect_request(lambda request: request.url.endswith("/api/camera") and request.method == "POST") as sent:
        page.mouse.up()
    assert sent.value.post_data_json["draw_pile"] == pytest.approx([160, 90, 160, 90], abs=3)
    expect(page.locator(".toast")).to_have_text("The draw pile is marked.")


def test_a_camera_is_offered_by_name_and_taken_again_the_next_evening(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)

    def one_camera(route: Route) -> None:
        listed = route.fetch().json()
        route.fulfill(json={**listed, "cameras": [{"source": "63", "name": "Logitech C920", "number": 63}]})

    page.route("**/api/cameras", one_camera)
    page.route("**/preview", lambda route: route.fulfill(status=404))
    page.goto(f"{server.url}/")
    camera = page.get_by_label("Logitech C920")
    expect(camera).not_to_be_checked()
    camera.check()
    page.wait_for_function("async () => (await (await fetch('/api/camera')).json()).source === '63'")
    server.stop()
    server.start()
    page.goto(f"{server.url}/")
    expect(page.get_by_label("Logitech C920 (used last time)")).to_be_checked()
    assert server.services.camera.state.source == "63"


def test_an_old_picture_is_not_said_to_be_well(server: Server, open_as: Open) -> None:
    sharp = np.random.default_rng(1).integers(60, 200, (360, 640, 3), np.uint8)
    quad = np.array([[200, 100], [300, 100], [300, 255], [200, 255]], np.float32)
    server.read_with(lambda _: [Sighting(quad, (Card.parse("red 7"),), (0.99,), True)])
    server.services.camera.choose("phone")
    page = open_as(Role.HOST, page="")
    server.services.camera.push(cv2.imencode(".jpg", sharp)[1].tobytes())
    expect(page.locator(".camera-status")).to_contain_text("gone")
    # What comes after an answer has been shown is asked for only then.
    for _ in range(2):
        with page.expect_response(lambda response: response.url.endswith("/api/camera/advice")) as seen:
            pass
    assert seen.value.json()["advice"]["hindrance"] == "nothing"
    expect(page.locator(".helper")).to_be_hidden()
