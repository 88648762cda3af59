"""Safari's behaviour on phones, emulated in Chromium: silence before a tap, a camera taken away, an iPad."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from browsing import ARGUMENTS, CHROMIUM, PATIENCE_MS, Open, Server
from playwright.sync_api import BrowserContext, Playwright, expect

from companion.cards import Card
from companion.referee import moves
from companion.server.access.guests import Role

IPAD = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15"
QUIET = "Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: false } });"


def test_a_page_that_is_kept_quiet_asks_for_a_tap(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.click("#speak")
    page.add_init_script(QUIET)
    page.reload()
    expect(page.locator(".toast")).to_have_text("Tap once to hear this screen.")
    page.wait_for_selector('body[data-live="yes"]')
    playing.services.table.tap(moves.Play(Card.parse("red skip")))
    page.wait_for_function("() => window.spoken.includes('Ben is skipped.')")
    page.evaluate("window.spoken.length = 0")  # a quiet page only seems to speak
    page.click("#caption")
    page.wait_for_function("() => window.spoken.includes('Ben is skipped.')")


def test_an_ipad_gets_an_iphones_steps(server: Server, device: Callable[..., BrowserContext]) -> None:
    for fingers, steps in ((5, "iphone"), (0, "macos")):
        context = device(user_agent=IPAD)
        context.add_init_script(f"Object.defineProperty(navigator, 'maxTouchPoints', {{ value: {fingers} }});")
        page = context.new_page()
        page.goto(f"{server.url}/trust")
        opened = page.locator("#trust details[open]")
        expect(opened).to_have_count(1)
        words = page.evaluate("fetch('/web/i18n/en.json').then((answer) => answer.json())")
        expect(opened.locator("summary")).to_have_text(words[f"trust.{steps}"])


def test_a_camera_that_was_taken_away_comes_back_with_the_page(playing: Server, playwright: Playwright) -> None:
    fake = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *fake])
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(playing.invitation(Role.HOST))
    page.wait_for_url("**/table")
    page.goto(f"{playing.url}/camera")
    page.click("#begin")
    page.wait_for_selector("#camera-status[data-sent]")
    page.evaluate("document.querySelector('video').srcObject.getTracks().forEach((track) => track.stop())")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_function("() => document.querySelector('video').srcObject.getTracks()[0].readyState === 'live'")
    sent = int(page.locator("#camera-status").get_attribute("data-sent") or 0)
    page.wait_for_function(
        "(before) => Number(document.querySelector('#camera-status').dataset.sent) > before", arg=sent
    )
    browser.close()


def test_a_film_that_shows_no_frame_before_it_plays_is_scanned(playing: Server, open_as: Open, tmp_path: Path) -> None:
    playing.reader.cards = ["red 7"]
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan?player=Ben")
    # A film of this browser's own, of a canvas that changes.
    film = page.evaluate(
        """async () => {
          const canvas = document.createElement('canvas');
          const pen = canvas.getContext('2d');
          const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
          const parts = [];
          recorder.ondataavailable = (event) => parts.push(event.data);
          recorder.start();
          for (let i = 0; i < 12; i++) {
            pen.fillStyle = `hsl(${i * 30} 80% 50%)`;
            pen.fillRect(0, 0, 300, 150);
            pen.fillStyle = 'white';
            for (let x = 0; x < 300; x += 20) pen.fillRect(x, 0, 10, 150);
            await new Promise((then) => setTimeout(then, 50));
          }
          await new Promise((then) => { recorder.onstop = then; recorder.stop(); });
          return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
        }"""
    )
    (tmp_path / "hand.webm").write_bytes(bytes(film))
    page.evaluate(
        """() => {
          const play = HTMLMediaElement.prototype.play;
          const listen = HTMLMediaElement.prototype.addEventListener;
          let played = null;
          const wait = new Promise((then) => { played = then; });
          HTMLMediaElement.prototype.play = function () { played(); return play.call(this); };
          HTMLMediaElement.prototype.addEventListener = function (name, then, how) {
            listen.call(this, name, name === 'loadeddata' ? () => wait.then(then) : then, how);
          };
        }"""
    )
    page.set_input_files("#files", tmp_path / "hand.webm")
    expect(page.locator(".hand .card-button").first).to_be_visible()
