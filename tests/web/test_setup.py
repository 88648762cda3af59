"""The set-up page: the guide of a first visit, and one screen afterwards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from browsing import GUIDED, Open, Server
from playwright.sync_api import BrowserContext, Route, expect

from companion.cards import Card, EditionName
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.table import Turns
from companion.vision.core.sightings import Sighting


def test_a_first_visit_shows_in_three_steps_how_the_camera_is_placed(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/")
    expect(page.locator("#guide [aria-current=step]")).to_contain_text("Choose")
    page.check("#guide [value=phone]")
    page.wait_for_function("async () => (await (await fetch('/api/camera')).json()).source === 'phone'")
    page.click("#guide-next")
    expect(page.locator("#guide [aria-current=step]")).to_contain_text("Place")
    expect(page.locator("#guide-dark")).to_be_visible()
    # The camera helper answers to what the phone sends: nothing but the dark.
    _, jpeg = cv2.imencode(".jpg", np.zeros((360, 640, 3), np.uint8))
    server.services.camera.push(jpeg.tobytes())
    expect(page.locator("#guide .helper")).to_contain_text("Too dark")
    expect(page.locator("#guide-dark")).to_have_count(0)
    page.click("#guide-next")
    page.click("#guide-next")
    expect(page.locator("#guide")).to_be_empty()
    expect(page.locator(".players input").first).to_be_focused()
    # All is back where it belongs, and the way is not shown again.
    page.click("#camera-fold summary")
    expect(page.locator("#camera-fold [value=phone]")).to_be_checked()
    page.reload()
    page.wait_for_selector("#add-player")
    expect(page.locator("#guide")).to_be_empty()


def test_the_way_in_may_be_skipped(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/")
    page.click("#guide-skip")
    expect(page.locator("#guide")).to_be_empty()
    page.reload()
    page.wait_for_selector("#add-player")
    expect(page.locator("#guide")).to_be_empty()


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768)])
def test_a_match_of_four_is_set_up_on_one_screen(
    size: tuple[int, int], server: Server, device: Callable[..., BrowserContext]
) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    # People from earlier evenings are offered, and a match runs.
    known = ("Eve", "Fay", "Gus", "Hal", "Ivy", "Jo", "Konstantin", "Lea")
    server.services.start(Header(edition, known, 0, edition.options))
    context = device(viewport={"width": size[0], "height": size[1]})
    context.add_init_script(f"{GUIDED} localStorage.setItem('language', 'de');")
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
    for part in ("#start", "#camera-fold > summary", ".players li:last-child", "[data-known=Fay]"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1], part


def test_the_turn_setting_is_chosen_before_the_match(server: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, page="")
    page.fill(".players li:nth-child(1) input", "Ann")
    page.fill(".players li:nth-child(2) input", "Ben")
    page.click("#table-fold summary")
    expect(page.locator("[name=turns][value=camera]")).to_be_checked()
    page.check("[name=turns][value=tapped]")
    page.click("#start")
    page.wait_for_url("**/table")
    assert server.services.table.view().turns is Turns.TAPPED


def test_the_learnt_deck_is_chosen_on_the_setup_page(server: Server, open_as: Open) -> None:
    blank = np.zeros((480, 320, 3), np.uint8)
    server.services.decks.save(LearntDeck("Ours", EditionName.CLASSIC, (Card.parse("red 7"),), (blank,)))
    page = open_as(Role.HOST, page="")
    page.click("#camera-fold summary")
    expect(page.locator("#learnt-deck")).to_have_value("")
    for name, chosen in (("Ours", "Ours"), ("", None)):
        page.select_option("#learnt-deck", name)
        page.wait_for_function(
            "async (chosen) => (await (await fetch('/api/decks')).json()).chosen === chosen", arg=chosen
        )


def test_the_setup_page_says_what_hinders_the_camera_and_takes_the_draw_pile(server: Server, open_as: Open) -> None:
    server.services.camera.choose("phone")
    _, data = cv2.imencode(".jpg", np.full((360, 640, 3), (90, 160, 150), np.uint8))
    server.services.camera.push(data.tobytes())
    page = open_as(Role.HOST, page="")
    page.click("#camera-fold summary")
    server.services.camera.push(data.tobytes())
    expect(page.locator(".helper")).to_contain_text("No card is seen")
    server.reader.cards = ["red 7"]
    expect(page.locator(".helper")).to_contain_text("too small")
    page.click("#mark-draw-pile")
    box = page.locator("canvas.marking").bounding_box()
    assert box is not None
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
    page.evaluate(GUIDED)
    page.goto(f"{server.url}/")
    page.click("#camera-fold summary")
    camera = page.get_by_label("Logitech C920")
    expect(camera).not_to_be_checked()
    camera.check()
    page.wait_for_function("async () => (await (await fetch('/api/camera')).json()).source === '63'")
    server.stop()
    server.start()
    page.goto(f"{server.url}/")
    page.click("#camera-fold summary")
    expect(page.get_by_label("Logitech C920 (used last time)")).to_be_checked()
    assert server.services.camera.state.source == "63"


def test_an_old_picture_is_not_said_to_be_well(server: Server, open_as: Open) -> None:
    sharp = np.random.default_rng(1).integers(60, 200, (360, 640, 3), np.uint8)
    quad = np.array([[200, 100], [300, 100], [300, 255], [200, 255]], np.float32)
    server.read_with(lambda _: [Sighting(quad, (Card.parse("red 7"),), (0.99,), True)])
    server.services.camera.choose("phone")
    page = open_as(Role.HOST, page="")
    page.click("#camera-fold summary")
    server.services.camera.push(cv2.imencode(".jpg", sharp)[1].tobytes())
    expect(page.locator(".camera-status")).to_contain_text("gone")
    # What comes after an answer has been shown is asked for only then.
    for _ in range(2):
        with page.expect_response(lambda response: response.url.endswith("/api/camera/advice")) as seen:
            pass
    assert seen.value.json()["advice"]["hindrance"] == "nothing"
    expect(page.locator(".helper")).to_be_hidden()
