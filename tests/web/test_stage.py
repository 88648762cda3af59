"""The stage: no part of the table lies on another one, on any screen, and what must be tapped is in view."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from browsing import Open, Server, begin, box_of, lay, overlaps
from playwright.sync_api import BrowserContext, Page, expect

from companion.cards import Card
from companion.languages import Language
from companion.referee import moves
from companion.server.access.guests import Role

SIZES = [(360, 640), (390, 844), (844, 390), (1024, 768), (1280, 800), (1920, 1080)]

# The parts that scroll by themselves, and the largest buttons that are not in view.
INNER_SCROLLING = """() => [...document.querySelectorAll('main, main *')].filter((one) => {
  const { overflowX, overflowY } = getComputedStyle(one);
  return (/auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight + 1)
    || (/auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth + 1);
}).map((one) => one.id || one.className)"""

PARTS = ".seat, #top > .card, .in-force, #caption, #palette, #live .live"


def assert_well_laid_out(page: Page, size: tuple[int, int]) -> None:
    assert overlaps(page, PARTS) == []
    assert page.evaluate(INNER_SCROLLING) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    felt, within = page.locator(".felt").bounding_box(), page.locator(".seat").all()
    assert felt is not None
    for seat in within:
        box = seat.bounding_box()
        assert box is not None
        assert felt["y"] <= box["y"], seat.inner_text()
        assert box["y"] + box["height"] <= felt["y"] + felt["height"], seat.inner_text()
        assert felt["x"] <= box["x"], seat.inner_text()
        assert box["x"] + box["width"] <= felt["x"] + felt["width"], seat.inner_text()


def assert_in_view(page: Page, size: tuple[int, int], selector: str) -> None:
    box = page.locator(selector).bounding_box()
    assert box is not None
    assert box["y"] >= 0, selector
    assert box["y"] + box["height"] <= size[1], selector
    foot = page.locator(".bar nav").bounding_box()
    if foot is not None and foot["y"] > size[1] / 2:
        assert box["y"] + box["height"] <= foot["y"] + 1, selector


@pytest.mark.parametrize("size", SIZES)
def test_no_part_of_the_table_lies_on_another(size: tuple[int, int], server: Server, open_as: Open) -> None:
    begin(server, 2)
    page = open_as(Role.HOST, viewport={"width": size[0], "height": size[1]})
    for players in (2, 4, 7, 10):
        begin(server, players, "red 5", "red draw two")
        expect(page.locator(".seat")).to_have_count(players)
        expect(page.locator("#top .card")).to_have_attribute("aria-label", "red draw two")
        assert_well_laid_out(page, size)
        assert_in_view(page, size, '[data-act="draw-pass"]')
        smallest = page.evaluate(
            "() => Math.min(...[...document.querySelectorAll('#palette .palette-large .tile')].map((tile) =>"
            " Math.min(tile.getBoundingClientRect().width, tile.getBoundingClientRect().height)))"
        )
        assert smallest >= 44


# The least width of the camera's picture, as a share of the table's.
@pytest.mark.parametrize(
    ("size", "least"),
    [
        ((360, 640), 0.9),
        ((390, 844), 0.9),
        ((768, 1024), 0.8),
        ((844, 390), 0.8),
        ((1280, 800), 0.4),
        ((1920, 1080), 0.4),
    ],
)
def test_the_camera_picture_is_part_of_the_stage(
    size: tuple[int, int], least: float, server: Server, device: Callable[..., BrowserContext]
) -> None:
    server.services.camera.choose("phone")
    context = device(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    begin(server, 4, "red 5", "red 7")
    page.goto(server.invitation(Role.HOST))
    page.wait_for_selector(".seat")
    # On a slow machine the camera falls silent, which a notice above the table reports: it would shift the parts.
    page.evaluate("document.querySelector('#notices').remove()")
    noise = np.random.default_rng(1)

    def send_picture() -> None:
        picture = cv2.imencode(".jpg", noise.integers(0, 255, (720, 1280, 3), np.uint8))[1].tobytes()
        kind = {"Content-Type": "image/jpeg"}
        answer = context.request.post(f"{server.url}/api/camera/frames", data=picture, headers=kind)
        assert answer.ok, answer.text()

    send_picture()
    expect(page.locator(".felt #live img")).to_be_visible()
    for players in (4, 7, 10):
        send_picture()
        begin(server, players, "red 5", "red draw two")
        expect(page.locator(".seat")).to_have_count(players)
        expect(page.locator("#top .card")).to_have_attribute("aria-label", "red draw two")
        assert_well_laid_out(page, size)
        assert_in_view(page, size, ".felt #live .live")
        assert_in_view(page, size, '[data-act="draw"]')
        if players == 4:
            shown, felt = page.locator("#live .live").bounding_box(), page.locator(".felt").bounding_box()
            assert shown is not None
            assert felt is not None
            assert shown["width"] >= least * felt["width"]


def test_the_cards_stay_in_place_when_uno_can_be_called(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 9")
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 9")
    before = box_of(page, '#palette [data-card="red 2"]')
    playing.services.table.tap(moves.Count("Ben", 2))
    expect(page.locator('[data-act="uno-Ben"]')).to_be_visible()
    assert box_of(page, '#palette [data-card="red 2"]') == before


def test_the_caption_has_a_fixed_place(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.wait_for_selector("#caption span")
    before = box_of(page, "#caption")
    for card in ("wild item box", "blue 3"):  # turns up the longest ruling: lightning
        playing.services.table.tap((moves.Play if card.startswith("wild") else moves.Flip)(Card.parse(card)))
    expect(page.locator("#caption")).to_contain_text("Everyone but Ann draws one")
    assert box_of(page, "#caption") == before
    lines = page.locator(".caption-lines")
    assert lines.evaluate("({scrollHeight, clientHeight}) => scrollHeight - clientHeight") <= 4


def test_the_television_has_a_page_of_its_own(playing: Server, open_as: Open) -> None:
    size = (1920, 1080)
    screen = open_as(Role.VIEWER, page="tv", viewport={"width": size[0], "height": size[1]})
    expect(screen.locator(".seat")).to_have_count(3)
    expect(screen.locator("header.bar")).to_be_hidden()
    expect(screen.locator(".side")).to_be_hidden()
    letters = screen.locator("#caption .caption-lines").evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
    assert letters >= size[1] / 18  # about 3 cm on a screen of 50 inches
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    expect(screen.locator("#top .card")).to_have_attribute("aria-label", "red 7")
    host = open_as(Role.HOST, page="tv", viewport={"width": 1280, "height": 800})
    lay(host, "red 9")
    assert host.evaluate("document.documentElement.scrollHeight") <= 800
    assert_well_laid_out(host, (1280, 800))
    host.click("#drawer")
    expect(host.locator(".side")).to_be_hidden()
    host.click("#drawer")
    expect(host.locator("#palette .tile").first).to_be_visible()


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (844, 390)])
def test_my_turn_fills_a_phone_and_what_i_may_do_is_in_view(
    size: tuple[int, int], server: Server, open_as: Open
) -> None:
    begin(server, 4)
    page = open_as(Role.PLAYER, "Ann", page="player", viewport={"width": size[0], "height": size[1]})
    expect(page.locator(".turn-word")).to_have_text("Your turn!")
    assert_well_laid_out(page, size)
    assert overlaps(page, ".felt, .turn-word, .player-dock") == []
    assert_in_view(page, size, ".turn-word")
    assert_in_view(page, size, '[data-act="draw"]')
    mine = page.evaluate("getComputedStyle(document.body).backgroundColor")
    # Deep and saturated in the dark, too, where people's colours are pale: white words are read on it.
    assert saturation(page) > 0.6
    page.emulate_media(color_scheme="dark")
    assert saturation(page) > 0.6
    page.emulate_media(color_scheme="light")
    assert page.locator("#who .mark").evaluate("(mark) => getComputedStyle(mark).color") == "rgb(255, 255, 255)"
    server.services.table.tap(moves.Play(Card.parse("red 7")))
    expect(page.locator(".turn-word")).to_have_text("Ben is on turn.")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != mine


def saturation(page: Page) -> float:
    """Return the saturation (HSV, 0 to 1) of the page's background as it is painted."""
    picture = cv2.imdecode(np.frombuffer(page.screenshot(animations="disabled"), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    # The left edge beside the table.
    blue, green, red = picture[picture.shape[0] // 2, 1].tolist()
    return (max(blue, green, red) - min(blue, green, red)) / max(blue, green, red, 1)


def test_an_item_hides_no_button_of_a_player(playing: Server, open_as: Open) -> None:
    page = open_as(Role.PLAYER, "Ann", page="player", viewport={"width": 390, "height": 844})
    playing.services.table.tap(moves.Play(Card.parse("wild item box")))
    playing.services.table.tap(moves.Flip(Card.parse("green 3")))
    page.wait_for_selector(".theatre-green-shell")
    page.click('#actions [data-act="target-Ben"]')  # fails if the scene lies over it
    expect(page.locator('[data-player="Ben"] .seat-count')).to_contain_text("8")


def test_a_chosen_voice_speaks_its_own_language_tag(playing: Server, device: Callable[..., BrowserContext]) -> None:
    context = device()
    context.add_init_script(
        "speechSynthesis.getVoices = () => [{ voiceURI: 'Kate', name: 'Kate', lang: 'en-GB' }];"
        "speechSynthesis.speak = (words) => window.spoken.push(words.lang);"
        "localStorage.setItem('voice.name', 'Kate');"
    )
    page = context.new_page()
    page.goto(playing.invitation(Role.VIEWER))
    page.wait_for_selector(".seat")
    page.click("#speak")
    page.wait_for_function("() => window.spoken.includes('en-GB')")


def test_the_settings_set_the_turn_timer_and_lead_to_the_television(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click("#settings")
    page.select_option("#turn-timer", "60")
    expect(page.locator('dialog a[href="/broadcast"]')).to_be_visible()
    page.wait_for_function("fetch('/api/turn-timer').then((one) => one.json()).then((one) => one.seconds === 60)")
    page.click('dialog a[href="/tv"]')
    expect(page.locator("body.on-stage .seat")).to_have_count(3)


def test_a_screen_with_a_language_of_its_own_has_the_whole_table_in_it(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.evaluate("localStorage.setItem('language', 'de')")
    page.reload()
    page.wait_for_selector("#palette .tile")
    playing.services.table.tap(moves.Play(Card.parse("red skip")))
    expect(page.locator("#caption")).to_have_text("Ben setzt aus. Cy ist dran.")
    expect(page.locator(".line").first).to_contain_text("Ben setzt aus.")
    other = open_as(Role.VIEWER)
    expect(other.locator("#caption")).to_have_text("Ben is skipped. It is Cy’s turn.")
    playing.services.speak(Language.FRENCH)
    expect(other.locator("#caption")).to_contain_text("Cy")
    expect(other.locator("#history-title")).to_have_text("Ce qui a été décidé")
    expect(page.locator("#caption")).to_have_text("Ben setzt aus. Cy ist dran.")


def test_a_round_shifts_no_layout(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, viewport={"width": 1280, "height": 800})
    page.wait_for_selector("#palette .tile")
    page.evaluate("document.fonts.ready")
    page.evaluate(
        """() => {
          window.shift = 0;
          new PerformanceObserver((list) => {
            for (const one of list.getEntries()) window.shift += one.value;
          }).observe({ type: 'layout-shift' });
        }"""
    )
    table = playing.services.table
    for card in ("red 7", "red skip", "red reverse", "red draw two", "blue draw two", "blue 4", "blue 9"):
        table.tap(moves.Play(Card.parse(card)))
        expect(page.locator("#top .card")).to_have_attribute("aria-label", card)
    table.tap(moves.Play(Card.parse("wild item box")))
    table.tap(moves.Flip(Card.parse("red 3")))
    page.wait_for_selector(".theatre")
    page.locator(".theatre").wait_for(state="detached")
    assert page.evaluate("window.shift") < 0.05


def test_no_picture_of_a_camera_that_was_switched_off_is_requested(playing: Server, open_as: Open) -> None:
    playing.services.camera.choose("phone")
    page = open_as(Role.HOST)
    missing: list[str] = []
    page.on("response", lambda answer: missing.append(answer.url) if answer.status == 404 else None)
    playing.services.camera.choose(None)
    expect(page.locator("#camera-panel")).to_be_hidden()
    # A frame that was announced before is heard after it.
    playing.services.hub.publish("frame", '{"n": 7, "width": 4, "height": 3, "pile": null}')
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "red 7")
    page.evaluate("fetch('/api/view')")
    assert missing == []
