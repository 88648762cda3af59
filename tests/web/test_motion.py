"""Movement that shows what happened: the card that won, totals that count up, a shell on its way; none when calm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from browsing import Server
from playwright.sync_api import BrowserContext, Page, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role

# Keeps the labels of the cards that burst, the numbers that were shown, and how what is thrown flies.
WITNESS = """
window.witness = { bursts: [], numbers: {}, thrown: [] };
// On a slow machine a whole count could fall between two frames: here they are 50 ms apart for who asks.
const frames = { last: 0, shown: 0 };
const request = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (then) => request((now) => {
  if (now !== frames.last) frames.shown += 50;
  frames.last = now;
  then(frames.shown);
});
const note = (element) => {
  const card = element.closest?.('.burst') && element.querySelector('.burst-card .card');
  if (card) window.witness.bursts.push(card.getAttribute('class'));
  if (element.matches?.('.thrown')) {
    const flight = element.firstElementChild.getAnimations()[0];
    flight.pause();
    window.witness.thrown.push([element, flight]);
  }
};
const number = (node) => {
  const element = node.nodeType === 1 ? node : node.parentElement;
  for (const one of element?.querySelectorAll?.('.leader-score, .lane-score') ?? []) number(one);
  if (!element?.matches?.('.leader-score, .lane-score')) return;
  const key = `${element.classList[0]} ${element.closest('[data-player]').dataset.player}`;
  (window.witness.numbers[key] ??= []).push(Number(element.textContent));
};
new MutationObserver((all) => {
  for (const one of all) {
    for (const node of one.addedNodes) {
      note(node);
      number(node);
    }
    number(one.target);
  }
}).observe(document, { childList: true, subtree: true, characterData: true });
"""

CALM = {"reduced": {"reduced_motion": "reduce"}, "own setting": {}}


def start(server: Server, target: int) -> None:
    """Start a match of three with a red 5 on the pile."""
    edition = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, replace(edition.options, target=target)))
    server.services.table.tap(moves.Start(Card.parse("red 5")))


def finish_round(server: Server) -> None:
    """Let Ann win the round with 16 points."""
    table = server.services.table
    table.tap(moves.Play(Card.parse("red 7")))
    table.tap(moves.Count("Ann", 0))
    table.tap(moves.Hand("Ben", (Card.parse("red 7"),)))
    table.tap(moves.Hand("Cy", (Card.parse("blue 9"),)))


@pytest.fixture
def watched(server: Server, device: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Returns a host's page that keeps what moved on it."""

    def opened(path: str, calm: str = "") -> Page:
        context = device(**CALM.get(calm, {}))
        context.add_init_script(WITNESS)
        if calm == "own setting":
            context.add_init_script("localStorage.setItem('calm', 'yes')")
        page = context.new_page()
        page.goto(server.invitation(Role.HOST))
        page.wait_for_url("**/table")
        page.goto(f"{server.url}{path}")
        page.wait_for_selector('body.ready[data-live="yes"]')
        return page

    return opened


def test_the_card_that_won_bursts_over_the_winner(server: Server, watched: Callable[..., Page]) -> None:
    start(server, target=10)
    page = watched("/table")
    expect(page.locator(".seat")).to_have_count(3)
    finish_round(server)
    page.wait_for_function("() => window.witness.bursts.length === 1")
    assert page.evaluate("window.witness.bursts") == ["card card-red"]
    expect(page.locator(".burst")).to_have_count(0)
    face = page.locator(".step-1 .avatar")
    page.wait_for_function("(one) => one.getAnimations().length === 0", arg=face.element_handle())
    assert face.evaluate("(one) => one.getBoundingClientRect().width") > 40
    # Who opens the scores sees it there; a table that is opened later shows the podium at rest.
    page.goto(f"{server.url}/scores")
    page.wait_for_function("() => window.witness.bursts.length === 1")
    page.goto(f"{server.url}/table")
    expect(page.locator(".step-1")).to_contain_text("Ann")
    assert page.evaluate("window.witness.bursts") == []


def test_totals_count_up_from_the_round_before(server: Server, watched: Callable[..., Page]) -> None:
    start(server, target=500)
    finish_round(server)
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    finish_round(server)
    page = watched("/scores")
    for shown in (".leader-score", ".lane-score"):
        # The page writes 32 before it counts: the count has ended when 32 follows a number between.
        numbers = f"window.witness.numbers['{shown[1:]} Ann']"
        page.wait_for_function(f"() => {numbers}?.some((one) => 16 < one && one < 32) && {numbers}.at(-1) === 32")
        counted = page.evaluate(numbers)
        assert all(one >= 16 for one in counted), counted
        assert set(page.evaluate(f"window.witness.numbers['{shown[1:]} Ben']")) == {0}
    # The next round counts on from what is shown.
    server.services.table.tap(moves.Start(Card.parse("red 5")))
    page.evaluate("window.witness.numbers = {}")
    finish_round(server)
    page.wait_for_function("() => window.witness.numbers['leader-score Ann']?.some((one) => 32 < one && one < 48)")
    expect(page.locator("[data-player=Ann] .leader-score")).to_have_text("48")


def test_a_shell_flies_to_whom_it_was_aimed_at(server: Server, watched: Callable[..., Page]) -> None:
    start(server, target=500)
    table = server.services.table
    page = watched("/table")
    table.tap(moves.Play(Card.parse("wild item box")))
    table.tap(moves.Flip(Card.parse("green 3")))
    page.wait_for_selector(".theatre-green-shell")
    table.tap(moves.Target("Cy"))
    page.wait_for_function("() => window.witness.thrown.length === 1")
    way = page.evaluate(
        """() => {
          const [scene, flight] = window.witness.thrown[0];
          const away = (part) => {
            flight.currentTime = part * flight.effect.getTiming().duration;
            const [one, other] = [scene.firstElementChild, document.querySelector('#ring [data-player="Cy"]')].map(
              (element) => element.getBoundingClientRect());
            return Math.hypot(one.x + one.width / 2 - other.x - other.width / 2,
              one.y + one.height / 2 - other.y - other.height / 2);
          };
          const found = [0, 0.3, 0.85].map(away);
          flight.play();
          return found;
        }"""
    )
    assert way[1] > way[0] > 100
    assert way[2] < 8
    expect(page.locator(".thrown")).to_have_count(0)


@pytest.mark.parametrize("calm", CALM)
def test_a_calm_screen_shows_what_happened_without_movement(
    calm: str, server: Server, watched: Callable[..., Page]
) -> None:
    start(server, target=500)
    table = server.services.table
    page = watched("/table", calm)
    table.tap(moves.Play(Card.parse("wild item box")))
    table.tap(moves.Flip(Card.parse("green 3")))
    table.tap(moves.Target("Cy"))
    expect(page.locator('[data-player="Cy"] .seat-count')).to_contain_text("8")
    start(server, target=10)
    finish_round(server)
    expect(page.locator(".step-1 .avatar")).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0
    witness = page.evaluate("({ bursts: witness.bursts, thrown: witness.thrown.length })")
    assert witness == {"bursts": [], "thrown": 0}
    page.goto(f"{server.url}/scores")
    expect(page.locator("[data-player=Ann] .leader-score")).to_have_text("16")
    assert set(page.evaluate("window.witness.numbers['leader-score Ann']")) == {16}
    assert page.evaluate("window.witness.bursts") == []


MOVED = """() => [...new Set(document.getAnimations().filter((one) => one.playState === 'running').flatMap((one) =>
  one.effect.getKeyframes().flatMap((frame) => Object.keys(frame))))].filter((name) =>
  !['offset', 'computedOffset', 'easing', 'composite'].includes(name)).sort()"""


def test_scenes_move_only_what_needs_no_painting(server: Server, watched: Callable[..., Page]) -> None:
    start(server, target=500)
    table = server.services.table
    page = watched("/table")
    expect(page.locator(".seat")).to_have_count(3)
    for card in ("red 3", "yellow 3", "green 3", "blue 3", "wild draw four"):
        start(server, target=500)
        table.tap(moves.Play(Card.parse("wild item box")))
        table.tap(moves.Flip(Card.parse(card)))
        page.wait_for_selector(".theatre-item")
        assert set(page.evaluate(MOVED)) <= {"transform", "translate", "rotate", "scale", "opacity"}, card
        page.keyboard.press("Escape")
        expect(page.locator(".theatre")).to_have_count(0)
