"""The table page in play: one tap per card, the acting player, sounds, the race, the layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from browsing import PEOPLE, Open, Server, at_rest, begin, box_of, lay, overlaps, turn
from playwright.sync_api import BrowserContext, expect

from companion.cards import Card, EditionName, Face
from companion.editions import EDITIONS, Stacking
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role

# Counts the waves that the page sounds, by their kind.
EARS = """
window.heard = [];
class Param { setValueAtTime() {} exponentialRampToValueAtTime() {} }
class Node_ { constructor() { this.frequency = new Param(); this.gain = new Param(); }
  connect(to) { return to; } start() { window.heard.push(this.type); } stop() {} }
window.AudioContext = class {
  constructor() { this.state = 'running'; this.currentTime = 0; this.destination = new Node_(); }
  createOscillator() { return new Node_(); }
  createGain() { return new Node_(); }
  resume() { return Promise.resolve(); }
};
"""


def test_a_card_is_one_tap_and_so_is_drawing_and_passing(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    lay(page, "red 7")
    turn(page, "Ben")
    page.click('[data-act="draw-pass"]')
    turn(page, "Cy")
    lay(page, "wild draw four", "green")
    expect(page.locator(".in-force")).to_contain_text("green")
    expect(page.locator('[data-act="accept"]')).to_be_visible()


def test_a_turn_without_a_camera_takes_one_tap(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.evaluate("window.taps = 0; addEventListener('click', () => { window.taps += 1; }, true)")
    turns = (
        ("red 7", "", "Ben"),
        (None, "", "Cy"),
        ("wild item box", "", "Cy"),
        ("red skip", "", "Cy"),  # turned up: a mushroom, and Cy goes again
        ("red reverse", "", "Ben"),
        ("red draw two", "", "Cy"),
        ("wild draw four", "blue", "Ben"),
    )
    for taps, (card, color, after) in enumerate(turns, 1):
        if card is None:
            page.click('[data-act="draw-pass"]')
        else:
            lay(page, card, color)
        turn(page, after)
        assert page.evaluate("window.taps") == taps, card


def test_what_fits_is_bright_and_the_rest_is_asked_about(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    expect(page.locator('#palette [data-card="red 2"]')).to_have_class("tile chip-red")
    expect(page.locator('#palette [data-card="blue 2"]')).to_have_class("tile tile-pale tile-blue")
    lay(page, "blue 2")
    expect(page.locator("dialog")).to_contain_text("Are you sure?")


def test_a_tap_on_a_seat_says_who_acted(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.click('[data-player="Cy"] .seat-in')
    expect(page.locator("#prompt")).to_contain_text("What did Cy do?")
    lay(page, "red 9")
    # Ann and Ben were passed over: that they drew and passed is asked.
    page.locator(".question button").first.click()
    turn(page, "Ann")
    expect(page.locator('.line:has-text("red 9")')).to_contain_text("Cy: red 9")


def test_the_item_swallows_no_tap_and_offers_what_must_be_chosen(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.wait_for_selector("#palette")
    playing.services.table.tap(moves.Play(Card(Face.WILD_ITEM_BOX)))
    playing.services.table.tap(moves.Flip(Card.parse("green 3")))
    page.wait_for_selector(".theatre-green-shell")
    page.click('.theatre [data-choose="target-Ben"]')
    expect(page.locator('[data-player="Ben"] .seat-count')).to_contain_text("8")
    expect(page.locator(".theatre")).to_have_count(0)
    playing.services.table.tap(moves.Play(Card(Face.WILD_ITEM_BOX)))
    playing.services.table.tap(moves.Flip(Card.parse("red 3")))
    page.wait_for_selector(".theatre-mushroom")
    box = page.locator("#settings").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("dialog")).to_contain_text("Settings")


def test_things_sound_and_a_new_sentence_stops_an_old_one(
    playing: Server, device: Callable[..., BrowserContext]
) -> None:
    context = device()
    context.add_init_script(EARS)
    page = context.new_page()
    page.goto(playing.invitation(Role.VIEWER))
    page.wait_for_selector(".seat")
    page.evaluate("speechSynthesis.cancel = () => window.spoken.push('-')")
    playing.services.table.tap(moves.Play(Card.parse("red skip")))
    turn(page, "Cy")
    assert page.evaluate("window.heard") == []
    page.click("#speak")
    playing.services.table.tap(moves.Play(Card.parse("red reverse")))
    page.wait_for_function("() => window.spoken.includes('Ben is next.')")
    assert page.evaluate("window.heard") == ["triangle", "triangle"]
    assert page.evaluate("window.spoken.slice(-3)") == ["-", "Play changes direction.", "Ben is next."]
    page.click("#settings")
    page.select_option("#much", "effects")
    page.keyboard.press("Escape")
    playing.services.table.tap(moves.Play(Card.parse("red 3")))
    turn(page, "Ann")
    playing.services.table.tap(moves.Play(Card.parse("red skip")))
    page.wait_for_function("() => window.spoken.at(-1) === 'Cy is skipped.'")


def test_people_keep_their_colour_and_shape(server: Server, open_as: Open) -> None:
    begin(server, 3)
    page = open_as(Role.HOST)
    before = page.locator('[data-player="Cy"] .mark').first.evaluate("(mark) => [mark.style.color, mark.innerHTML]")
    edition = EDITIONS[EditionName.CLASSIC]
    server.services.start(Header(edition, ("Zoe", "Cy"), 0, edition.options))
    page.wait_for_selector('[data-player="Zoe"]')
    mark = page.locator('[data-player="Cy"] .mark').first
    assert mark.evaluate("(mark) => [mark.style.color, mark.innerHTML]") == before
    assert page.locator('[data-player="Zoe"] .mark').first.evaluate("(mark) => mark.style.color") != before[0]


def test_karts_race_and_the_podium_leads_to_a_rematch(server: Server, open_as: Open) -> None:
    edition = EDITIONS[EditionName.MARIO_KART]
    header = Header(edition, ("Ann", "Ben", "Cy"), 2, edition.options)
    server.services.start(header)
    page = open_as(Role.HOST)

    def play_round(winner: str, *cards: str) -> None:
        table = server.services.table
        table.tap(moves.Start(Card.parse("red 5")))
        table.tap(moves.Draw())
        table.tap(moves.Pass())
        table.tap(moves.Count(winner, 0))
        for player in header.players:
            if player != winner:
                table.tap(moves.Hand(player, tuple(map(Card.parse, cards))))

    expect(page.locator("#caption")).to_contain_text("Turn up a card")
    play_round("Ann", "wild item box")
    page.wait_for_selector(".theatre-race")
    part = page.locator('#race .lane[data-player="Ann"] .lane-track')
    expect(part).to_have_attribute("style", f"--part: {100 / header.options.target:.4f}; --color: var(--person-0);")
    expect(page.locator('#race .lane[data-player="Ann"]')).to_contain_text("100")
    while not server.services.table.view().state.winners:  # type: ignore[union-attr]
        play_round("Ben", "wild item box", "wild draw four", "blue skip")
    expect(page.locator(".podium .step-1")).to_contain_text("Ben")
    expect(page.locator(".awards")).to_contain_text("drew 2 cards")
    page.click('[data-act="rematch"]')
    expect(page.locator("#caption")).to_contain_text("Turn up a card")
    assert server.services.table.view().header.dealer != header.dealer  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720), (1920, 1080)])
def test_everything_that_is_tapped_is_in_view(size: tuple[int, int], server: Server, open_as: Open) -> None:
    begin(server, 10, "red 5", "red 7")
    page = open_as(Role.HOST, viewport={"width": size[0], "height": size[1]})
    page.evaluate("localStorage.setItem('language', 'de')")
    page.reload()
    page.wait_for_selector("#palette .tile")
    at_rest(page)
    for button in page.locator("#actions button:visible, #palette button:visible, [data-act=undo]").all():
        box = button.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1], button.inner_text()
    assert overlaps(page, ".seat, #top .card, .side") == []
    bar = page.locator("header.bar").bounding_box()
    assert bar is not None
    assert bar["height"] < 80
    # A longer colour's name, or a longer sentence of one line, moves nothing.
    before = box_of(page, "#top .card")
    server.services.table.tap(moves.Play(Card.parse("yellow 7")))
    expect(page.locator("#top .card")).to_have_attribute("aria-label", "gelb 7")
    assert box_of(page, "#top .card") == before


@pytest.mark.parametrize("size", [(390, 844), (1024, 768), (1920, 1080)])
def test_seats_lie_within_the_felt_and_hold_what_they_show(
    size: tuple[int, int], server: Server, open_as: Open
) -> None:
    begin(server, 4, "red 5", "red 7")
    page = open_as(Role.HOST, viewport={"width": size[0], "height": size[1]})
    page.wait_for_selector(".seat.turn")
    at_rest(page)
    outside = page.evaluate(
        """() => {
          const felt = document.querySelector('.felt').getBoundingClientRect();
          const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1
            && a.bottom <= b.bottom + 1;
          return [...document.querySelectorAll('.seat')].filter((seat) => {
            const box = seat.getBoundingClientRect();
            return !within(box, felt) || [...seat.querySelectorAll('.seat-who, .seat-count > *:not(.visually-hidden)')]
              .some((part) => !within(part.getBoundingClientRect(), box));
          }).map((seat) => seat.innerText);
        }"""
    )
    assert outside == []


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (1280, 800)])
@pytest.mark.parametrize("people", [3, 4, 6])
def test_seats_lie_clear_of_the_pile_wherever_people_sit(
    size: tuple[int, int], people: int, server: Server, open_as: Open
) -> None:
    page = open_as(Role.HOST, viewport={"width": size[0], "height": size[1]})
    for turned in range(0, 360 // people, 15):
        begin(server, people)
        for seat, player in enumerate(PEOPLE[:people]):
            server.services.table.place(player, (turned + seat * 360 / people) % 360)
        server.services.table.tap(moves.Play(Card.parse("red 7")))
        expect(page.locator(f'#ring [data-player="{PEOPLE[0]}"]')).to_have_attribute("data-at", str(turned))
        assert overlaps(page, ".seat, #top .card") == overlaps(page, ".seat, .in-force") == [], turned


def test_on_a_phone_all_pages_are_in_the_bar_at_the_foot(server: Server, open_as: Open) -> None:
    begin(server, 10)
    page = open_as(Role.HOST, viewport={"width": 390, "height": 844})
    page.wait_for_selector(".seat")
    at_rest(page)
    for link in page.locator("nav a").all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] > 760
    assert overlaps(page, ".seat, #top .card") == []


def test_the_stage_shows_the_table_alone_and_keeps_awake(
    playing: Server, device: Callable[..., BrowserContext]
) -> None:
    context = device()
    context.add_init_script(
        "window.locks = 0; Object.defineProperty(navigator, 'wakeLock', { value: {"
        " request: async () => { window.locks += 1; return { released: false, release: async () => {} }; } } });"
    )
    page = context.new_page()
    page.goto(playing.invitation(Role.HOST))
    page.wait_for_selector(".seat")
    page.wait_for_function("() => window.locks === 1")
    page.click("#full")
    expect(page.locator("header.bar")).to_be_hidden()
    expect(page.locator(".seat").first).to_be_visible()
    page.click("#full")
    expect(page.locator("header.bar")).to_be_visible()


def test_without_a_camera_there_is_no_camera_panel(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.wait_for_selector("#palette .tile")
    expect(page.locator("#camera-panel")).to_be_hidden()
    playing.services.camera.choose("phone")
    expect(page.locator("#camera-panel")).to_be_visible()
    expect(page.locator("#palette .tile")).to_have_count(0)


def test_a_players_phone_shows_the_game_while_it_waits(playing: Server, open_as: Open) -> None:
    page = open_as(Role.PLAYER, "Ben", page="player", viewport={"width": 390, "height": 844})
    expect(page.locator(".seat")).to_have_count(3)
    expect(page.locator(".lane")).to_have_count(3)
    playing.services.table.tap(moves.Count("Ben", 2))
    playing.services.table.tap(moves.Play(Card.parse("red 7")))
    page.click('[data-act="uno-Ben"]')
    expect(page.locator('[data-player="Ben"] .seat-uno')).to_be_visible()


def test_the_rules_are_one_tap_away(server: Server, open_as: Open) -> None:
    edition = EDITIONS[EditionName.MARIO_KART]
    options = replace(edition.options, stacking=Stacking.ANY)
    server.services.start(Header(edition, ("Ann", "Ben"), 1, options))
    for page in (open_as(Role.HOST), open_as(Role.PLAYER, "Ann", page="player")):
        page.click("#rules")
        expect(page.locator("dialog .sheet").last).to_contain_text("tack")
        expect(page.locator('dialog [data-key="banana peel"]')).to_contain_text("two")


def test_a_debt_stands_big_and_is_stacked_on_or_taken(server: Server, open_as: Open) -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    options = replace(edition.options, stacking=Stacking.SAME, seven_zero=True, jump_in=True)
    server.services.start(Header(edition, ("Ann", "Ben", "Cy"), 2, options))
    page = open_as(Role.HOST)
    lay(page, "red 5")
    for number, card in enumerate(("red draw two", "blue draw two", "green draw two"), 1):
        lay(page, card)
        expect(page.locator(".debt")).to_have_text(f"{2 * number} to draw")
    page.click('[data-act="accept"]')
    expect(page.locator('[data-player="Ann"] .seat-count')).to_contain_text("12")
    expect(page.locator(".debt")).to_have_count(0)
    # A seven asks whom, and a tap on the seat answers.
    lay(page, "green 7")
    page.wait_for_selector('[data-act="target-Ann"]')
    page.click('[data-player="Ann"] .seat-in')
    expect(page.locator('[data-player="Ben"] .seat-count')).to_contain_text("12")
    # Whoever holds the same card may jump in.
    page.click('[data-player="Ann"] .seat-in')
    lay(page, "green 7")
    expect(page.locator(".line").first).to_contain_text("Ann: green 7")


def test_an_items_consequence_stays_readable_when_its_colour_was_tapped(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.evaluate(
        """() => {
          window.scenes = [];
          new MutationObserver(() => {
            const scene = document.querySelector('.theatre');
            const words = scene ? scene.querySelector('.theatre-what')?.textContent ?? '' : '-';
            const color = document.querySelector('.in-force').textContent;
            if (scene) window.scenes.push(`${words} / ${color}`);
          }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }"""
    )
    lay(page, "wild item box")
    lay(page, "wild draw four", "blue")  # turned up: a bob-omb, with its colour in the same tap
    expect(page.locator(".in-force")).to_contain_text("blue")
    shown = page.evaluate("window.scenes")
    assert "draws two" in shown[-1]
    assert shown[-1].endswith("/ blue"), "the scene is still there once the colour is chosen"
    page.locator(".theatre").wait_for(state="detached")
    lay(page, "wild item box")
    lay(page, "blue 3")  # a lightning
    page.wait_for_selector(".theatre-lightning")
    assert page.locator(".theatre").count() == 1
    page.keyboard.press("Escape")
    expect(page.locator(".theatre")).to_have_count(0)


def test_nothing_moves_on_a_calm_screen(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST, reduced_motion="reduce")
    page.wait_for_selector("#palette .tile")
    lay(page, "wild item box")
    lay(page, "green 3")
    expect(page.locator('[data-act="target-Ben"]')).to_be_visible()
    assert page.locator(".theatre").count() == 0
