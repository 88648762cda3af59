"""Pages under stress: fast navigation, hidden and shown again, updated during a tap, with clear errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from browsing import ARGUMENTS, CHROMIUM, PATIENCE_MS, Open, Server, box_of, lay
from playwright.sync_api import BrowserContext, Playwright, Route, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role


def test_pages_turned_quickly_never_go_blank(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for _ in range(5):
        for path in ("/scores", "/table"):
            page.goto(f"{playing.url}{path}", wait_until="domcontentloaded")
            page.wait_for_selector("body[data-live=yes]")
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ann")
    expect(page.locator("#offline")).to_have_count(0)


def test_a_page_shows_its_bar_before_any_script_runs(playing: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.route("**/js/*.js", lambda route: route.abort())
    page.goto(f"{playing.url}/table", wait_until="domcontentloaded")
    expect(page.locator(".bar .brand svg")).to_be_visible()


def test_a_page_put_by_and_shown_again_listens_again(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ann")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ben")
    playing.services.table.tap(moves.Play(Card.parse("red 8")))
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Cy")


SLOW_ONCE = """
const asked = window.fetch;
let waited = false;
window.fetch = async (path, options) => {
  if (path === "/api/people" && !waited) {
    waited = true;
    await new Promise((resolve) => { window.hurry = resolve; });
  }
  return asked(path, options);
};
"""


def test_an_answer_that_comes_late_puts_no_old_view_over_a_new_one(server: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    expect(page.locator("body")).to_contain_class("no-match")
    page.evaluate(SLOW_ONCE)
    edition = EDITIONS[EditionName.CLASSIC]
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, edition.options))
    page.wait_for_function("() => window.hurry")
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    server.services.table.tap(moves.Play(Card.parse("red 7")))
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 300))")
    page.evaluate("window.hurry()")
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ben")
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 300))")
    expect(page.locator(".seat.turn")).to_have_attribute("data-player", "Ben")


def test_a_copied_tab_and_its_twin_both_stay_live(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    with page.context.expect_page() as opened:
        page.evaluate("window.open('/table')")  # a window opened by a page gets a copy of its session storage
    twin = opened.value
    assert page.evaluate("sessionStorage.tab") is not None
    for card, player in (("red 7", "Ben"), ("red 8", "Cy")):
        playing.services.table.tap(moves.Play(Card.parse(card)))
        for screen in (page, twin):
            expect(screen.locator(".seat.turn")).to_have_attribute("data-player", player)


def test_what_stays_keeps_the_focus_and_the_finger(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    seat = page.locator('[data-player="Cy"] .seat-in')
    seat.focus()
    marked = seat.evaluate_handle("(element) => element")
    # The finger goes down, the page is redrawn, the finger comes up: that is a tap.
    box = box_of(page, '[data-player="Cy"] .seat-in')
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    playing.services.table.tap(moves.Count("Ann", 5))
    expect(page.locator('[data-player="Ann"] .seat-count')).to_contain_text("5")
    page.mouse.up()
    expect(seat).to_have_attribute("aria-pressed", "true")
    assert marked.evaluate("(element) => element.isConnected && document.activeElement === element")


def test_a_pressed_state_is_written_out(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click(".line >> nth=0")
    page.click("#amend")
    expect(page.locator("dialog .chip-red")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("dialog .chip-blue")).to_have_attribute("aria-pressed", "false")
    page.click("dialog .chip-blue")
    expect(page.locator("dialog .chip-blue")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("dialog .chip-blue")).to_be_focused()


def test_a_page_whose_script_fails_says_so(playing: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()

    def broken(route: Route) -> None:
        route.fulfill(body="export const drawRing = null; throw new Error('broken');", content_type="text/javascript")

    page.route("**/js/ring.js", broken)
    page.goto(playing.invitation(Role.VIEWER))
    page.wait_for_url("**/table")
    expect(page.locator("#failed")).to_contain_text("could not be drawn")
    page.unroute("**/js/ring.js")
    page.click("#failed button")
    page.wait_for_selector(".seat")
    expect(page.locator("#failed")).to_have_count(0)


def test_a_page_whose_script_is_missing_says_so(playing: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.route("**/js/table.js", lambda route: route.fulfill(status=404))
    page.goto(playing.invitation(Role.VIEWER))
    expect(page.locator("#failed")).to_be_visible()


def test_the_headline_is_never_empty(server: Server, playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    caption = page.locator("#caption")
    expect(caption).to_contain_text("Ann begins.")
    page.click('[data-act="draw"]')
    page.click('[data-act="pass"]')
    expect(caption).to_contain_text("Ann passes. It is Ben’s turn.")
    expect(page.locator(".line").first).to_contain_text("Ann: Passed")
    lay(page, "red 9")
    expect(caption).to_contain_text("Red 9. It is Cy’s turn.")
    server.services.table.tap(moves.Count("Ann", 0))
    server.services.table.tap(moves.Hand("Ben", (Card.parse("red 1"),)))
    expect(page.locator(".line").first).to_contain_text("Ben holds one card")
    expect(caption).not_to_have_text("")


def test_the_scores_stand_whatever_the_browsers_language(server: Server, device: Callable[..., BrowserContext]) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    server.services.start(Header(edition, ("Ann", "Ben"), 1, edition.options))
    for _ in range(3):
        for move in (
            moves.Start(Card.parse("red 5")),
            moves.Count("Ann", 0),
            moves.Hand("Ben", (Card.parse("red 1"),)),
        ):
            server.services.table.tap(move)
    context = device()
    context.add_init_script(
        "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })"
    )
    page = context.new_page()
    page.goto(server.invitation(Role.VIEWER))
    page.wait_for_url("**/table")
    page.goto(f"{server.url}/scores")
    expect(page.locator('.leader[data-player="Ann"]')).to_contain_text("3")
    expect(page.locator("#chart canvas").first).to_be_visible()
    expect(page.locator("#failed")).to_have_count(0)


def test_unplayable_film_and_phone_picture_are_refused_with_a_reason(
    playing: Server, open_as: Open, tmp_path: Path
) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan?player=Ben")
    for name, words in (("hand.mov", "cannot show that film"), ("IMG_1.HEIC", "HEIC")):
        (tmp_path / name).write_bytes(b"\0" * 2000)
        page.set_input_files("#files", tmp_path / name)
        expect(page.locator(".toast")).to_contain_text(words)
    expect(page.locator(".hand .card-button")).to_have_count(0)


def test_one_card_is_one_card(playing: Server, open_as: Open) -> None:
    playing.services.table.tap(moves.Count("Ben", 1))
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan?player=Ben")
    page.click("#add-card")
    for _ in range(2):
        page.click('dialog [data-card="red 2"]')
    page.click("#picked")
    expect(page.locator("#expected")).to_contain_text("Cards expected: 1, entered: 2.")


def test_another_camera_goes_on_sending(playing: Server, playwright: Playwright) -> None:
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[*ARGUMENTS, "--use-fake-device-for-media-stream=device-count=2", "--use-fake-ui-for-media-stream"],
    )
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(playing.invitation(Role.HOST))
    page.wait_for_url("**/table")
    page.goto(f"{playing.url}/camera")
    page.click("#begin")
    page.wait_for_selector("#camera-status[data-sent]")
    page.select_option("#camera select", index=1)
    sent = int(page.locator("#camera-status").get_attribute("data-sent") or 0)
    page.wait_for_function(
        "(before) => Number(document.querySelector('#camera-status').dataset.sent) > before + 20", arg=sent
    )
    # The button that started the camera stops it, and starts it again.
    begin = page.locator("#begin")
    expect(begin).to_have_text("Stop")
    begin.click()
    expect(page.locator("#camera-status")).to_have_text("The camera is stopped.")
    expect(begin).to_have_text("Start the camera")
    begin.click()
    expect(begin).to_have_text("Stop")
    browser.close()


def test_what_is_refused_is_said_in_the_screens_language(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.evaluate("localStorage.setItem('language', 'de')")
    page.goto(f"{playing.url}/")
    page.click("#step-camera details summary")
    page.fill("#source-other", "/nowhere.mp4")
    page.click("#step-camera details button")
    expect(page.locator(".toast")).to_have_text("Diese Kamera lässt sich nicht öffnen.")
