"""Many tabs of one browser: one of them listens to the server, all of them are live and get their answers."""

from __future__ import annotations

from collections.abc import Callable

from browsing import PATIENCE_MS, Open, Server, until
from playwright.sync_api import BrowserContext, Page, expect

from companion.cards import Card
from companion.referee import moves
from companion.server.access.guests import Role

TABS = 8
WITHOUT_LOCKS = "delete Navigator.prototype.locks"
HIDE = """(state) => {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
  Object.defineProperty(document, 'hidden', { value: state === 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
ANSWERED = """async (patience) => {
  const late = new Promise((resolve) => setTimeout(resolve, patience, 'late'));
  const answer = fetch('/api/me').then((found) => found.json()).then((me) => me.role);
  return Promise.race([late, answer]);
}"""

# A toast is gone before the last tab is looked at.
KEEP_TOASTS = """() => {
  window.toasts = [];
  new MutationObserver(() => window.toasts.push(document.querySelector('.toast')?.textContent ?? ''))
    .observe(document.body, { childList: true });
}"""


def tabs_of(first: Page, count: int) -> list[Page]:
    """Return the page and new tabs of the same browser at the table."""
    pages = [first]
    while len(pages) < count:
        page = first.context.new_page()
        page.goto(first.url)
        page.wait_for_selector('body[data-live="yes"]')
        pages.append(page)
    return pages


def streams(server: Server) -> int:
    """Return the number of open streams of all devices."""
    return sum(server.services.streams.held_by(device.id) for device in server.services.devices.all())


def shows_turn(pages: list[Page], player: str) -> None:
    for page in pages:
        expect(page.locator(".seat.turn")).to_have_attribute("data-player", player)


def test_eight_tabs_load_stay_live_and_get_answers(playing: Server, open_as: Open) -> None:
    pages = tabs_of(open_as(Role.HOST), TABS)
    until(lambda: streams(playing) == 1)  # on a slow machine a tab listens itself at first, until it hears another
    for card, player in (("red 7", "Ben"), ("red 8", "Cy")):
        playing.services.table.tap(moves.Play(Card.parse(card)))
        shows_turn(pages, player)
    assert [page.evaluate(ANSWERED, PATIENCE_MS) for page in pages] == ["host"] * TABS


def test_a_tab_that_closes_hands_the_stream_on_and_nothing_is_lost(playing: Server, open_as: Open) -> None:
    first, *others = tabs_of(open_as(Role.VIEWER), 3)
    for page in others:
        page.goto(page.url.replace("/table", "/scores"))
        page.wait_for_selector('body[data-live="yes"]')
        page.evaluate(KEEP_TOASTS)
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    first.close()
    playing.services.table.tap(moves.Play(Card.parse("red skip")))
    for page in others:
        page.wait_for_function("() => window.toasts.some((text) => text.includes('Cy is skipped.'))")
    # A tab that listens and goes to another page hands on, too.
    for page in others:
        page.goto(page.url.replace("/scores", "/table"))
    shows_turn(others, "Ann")
    playing.services.table.tap(moves.Play(Card.parse("red 9")))
    shows_turn(others, "Ben")


def test_a_listener_that_does_not_answer_is_replaced(playing: Server, open_as: Open) -> None:
    silent = open_as(Role.VIEWER)
    # The tab holds the lock and is put to sleep: it hears and says nothing any more.
    silent.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    page = silent.context.new_page()
    page.goto(silent.url)
    page.wait_for_selector('body[data-live="yes"]')
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    shows_turn([page], "Ben")


def test_a_hidden_listener_hands_on_to_another_tab(playing: Server, open_as: Open) -> None:
    hidden, seen = tabs_of(open_as(Role.VIEWER), 2)
    own = seen.evaluate(
        "() => new Promise((found) => navigator.locks.query().then((all) => found(all.held[0].clientId)))"
    )
    hidden.evaluate(HIDE, "hidden")
    seen.wait_for_function(
        "(before) => navigator.locks.query().then(({ held }) => held.length && held[0].clientId !== before)", arg=own
    )
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    shows_turn([hidden, seen], "Ben")


def test_without_locks_a_hidden_tab_lets_its_stream_go(playing: Server, device: Callable[..., BrowserContext]) -> None:
    context = device()
    context.add_init_script(WITHOUT_LOCKS)
    first = context.new_page()
    first.goto(playing.invitation(Role.VIEWER))
    first.wait_for_selector('body.ready[data-live="yes"]')
    pages = [first]
    while len(pages) < TABS:
        pages[-1].evaluate(HIDE, "hidden")
        pages += tabs_of(pages[-1], 2)[1:]
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    shows_turn(pages[-1:], "Ben")
    # A tab that comes back learns what it missed.
    first.evaluate(HIDE, "visible")
    shows_turn([first], "Ben")
