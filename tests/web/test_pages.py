"""Single pages: the player's page, hand scan, joining, voice, item scenes, phone as camera."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import cv2
import numpy as np
import pytest
from browsing import ARGUMENTS, CHROMIUM, PATIENCE_MS, Open, OpenLan, Server, answer, colored, networks, pick
from playwright.sync_api import BrowserContext, Page, Playwright, Route, expect

from companion.cards import Card, Color, EditionName, Face
from companion.dataset.simulated.actions import Lay
from companion.dataset.simulated.script import CALM, write_script
from companion.dataset.simulated.simulation import SimulatedTable
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector


@pytest.fixture
def hand_picture(tmp_path: Path) -> Path:
    path = tmp_path / "hand.jpg"
    cv2.imwrite(str(path), colored(300, 500))
    return path


def test_a_players_page_shakes_and_offers_its_own_buttons(playing: Server, open_as: Open) -> None:
    ben = open_as(Role.PLAYER, "Ben", "player")
    expect(ben.locator("#turn")).to_contain_text("You are next.")
    expect(ben.locator('[data-act="draw"]')).to_have_count(0)
    assert ben.evaluate("window.shaken") == 0
    playing.services.table.tap(moves.Play(Card.parse("red 6")))
    expect(ben.locator("#turn")).to_contain_text("Your turn!")
    ben.wait_for_function("() => window.shaken === 1")
    ben.click('[data-act="draw"]')
    expect(ben.locator('[data-act="pass"]')).to_be_visible()
    ben.click('[data-act="pass"]')
    expect(ben.locator("#turn")).to_contain_text("Cy is on turn.")


def test_a_device_joins_by_pin_and_takes_a_seat(playing: Server, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.goto(f"{playing.url}/player")
    page.wait_for_url("**/join")
    page.fill("#pin", "000000" if playing.services.pairing.pin != "000000" else "111111")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("That is not the PIN.")
    page.fill("#pin", playing.services.pairing.pin)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Cy").click()
    page.wait_for_url("**/player")
    expect(page.locator("#who")).to_contain_text("You are Cy.")


def test_the_page_speaks_once_it_was_asked_to(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.wait_for_selector("#top .card")
    playing.services.table.tap(moves.Play(Card.parse("red skip")))
    expect(page.locator("#caption")).to_contain_text("Ben is skipped.")
    assert page.evaluate("window.spoken") == []
    page.click("#speak")
    page.wait_for_function("() => window.spoken.length > 0")
    playing.services.table.tap(moves.Play(Card.parse("red reverse")))
    page.wait_for_function("() => window.spoken.includes('Play changes direction.')")
    page.click("#speak")
    playing.services.table.tap(moves.Draw())
    expect(page.locator("#caption")).to_contain_text("draws one")
    assert not any("draws one" in said for said in page.evaluate("window.spoken"))


def test_an_item_gets_its_moment(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.wait_for_selector("#top .card")
    playing.services.table.tap(moves.Play(Card(Face.WILD_ITEM_BOX)))
    playing.services.table.tap(moves.Flip(Card.parse("blue 3")))
    page.wait_for_selector(".theatre-lightning")
    expect(page.locator("#caption")).to_contain_text("Lightning!")


def test_a_scanned_hand_is_mended_by_taps(playing: Server, open_as: Open, hand_picture: Path) -> None:
    page = open_as(Role.HOST)
    playing.services.table.tap(moves.Count("Ann", 0))
    playing.services.table.amend(2, moves.Count("Ben", 3))
    playing.services.table.tap(moves.Count("Ann", 0))
    playing.reader.cards = ["red 7", "red 7"]
    page.goto(f"{playing.url}/scan?player=Ben")
    page.set_input_files("#files", hand_picture)
    expect(page.locator("#expected")).to_have_text("3 cards expected, 2 found: is one hidden?")
    expect(page.locator(".outlined canvas")).to_have_count(1)
    page.click("#add-card")
    page.click('dialog [data-card="red 7"]')
    page.click("#picked")
    expect(page.get_by_role("alert")).to_contain_text("Too many of red 7")
    expect(page.locator("#confirm")).to_be_disabled()
    page.click('.hand [data-place="2"]')
    page.click('dialog [data-card="wild item box"]')
    expect(page.locator(".scan-sum")).to_contain_text("64 points")
    page.click('.hand [data-place="0"]')
    page.click("#remove-card")
    expect(page.locator(".scan-sum")).to_contain_text("57 points")
    page.click("#add-card")
    page.click("dialog .chip-green")
    page.click('dialog [data-card="green 1"]')
    page.click("#picked")
    page.click("#confirm")
    page.wait_for_url("**/scan?player=Cy")
    expect(page.locator("#taken")).to_contain_text("Ben: 58 points, next Cy.")


def test_a_hand_is_tapped_card_after_card(playing: Server, open_as: Open) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.click('[data-act="hand-Ben"]')
    page.click("#add-card")
    for card in ("red 7", "red 9", "wild item box"):
        page.click(f'dialog [data-card="{card}"]')
    page.click("dialog .chip-blue")
    page.click('dialog [data-card="blue skip"]')
    expect(page.locator(".picker-sum")).to_have_text("4 cards, 86 points")
    # One tap takes a card away again.
    page.click('.picker-chosen [data-place="1"]')
    expect(page.locator(".picker-sum")).to_have_text("3 cards, 77 points")
    page.click("#picked")
    page.click("#confirm")
    expect(page.locator("#taken")).to_contain_text("Ben: 77 points, next Cy.")
    expect(page.locator("#whose")).to_have_value("Cy")
    expect(page.locator(".hand .card-button")).to_have_count(0)


def test_a_hand_is_entered_by_its_points_and_mended_by_one_tap(playing: Server, open_as: Open) -> None:
    playing.services.table.tap(moves.Count("Ann", 0))
    page = open_as(Role.HOST)
    page.goto(f"{playing.url}/scan?player=Ben")
    page.fill("#points", "73")
    page.click("#enter-points")
    expect(page.locator("#taken")).to_contain_text("Ben: 73 points, next Cy.")
    page.click("#mend-last")
    expect(page.locator("#title")).to_contain_text("Ben")
    expect(page.locator("#points")).to_have_value("73")
    page.fill("#points", "37")
    page.keyboard.press("Enter")
    expect(page.locator("#taken")).to_contain_text("Ben: 37 points, next Cy.")
    page.fill("#points", "20")
    page.keyboard.press("Enter")
    page.wait_for_url("**/scores")
    expect(page.locator('.leader[data-player="Ann"] .leader-score')).to_have_text("57")
    page.goto(f"{playing.url}/table")
    page.click('.line[data-n="3"]')
    expect(page.locator("dialog")).to_contain_text("37 points")


def test_a_challenged_hand_is_for_the_challenger_alone(playing: Server, open_as: Open, hand_picture: Path) -> None:
    for move in (moves.Play(Card(Face.WILD_DRAW_FOUR)), moves.ChooseColor(Color.BLUE), moves.Challenge()):
        playing.services.table.tap(move)
    playing.reader.cards = ["red 7", "blue 2", "green 3", "green 4", "blue skip", "yellow 0"]
    cy = open_as(Role.PLAYER, "Cy", "player")
    expect(cy.locator('[data-act="reveal"]')).to_have_count(0)
    cy.goto(f"{playing.url}/scan?purpose=challenge")
    expect(cy.locator("#scan")).to_contain_text("This hand is shown to Ben alone.")
    ben = open_as(Role.PLAYER, "Ben", "player")
    ben.click('[data-act="reveal"]')
    ben.set_input_files("#files", hand_picture)
    expect(ben.locator(".hand .card-button")).to_have_count(6)
    ben.click("#confirm")
    expect(ben.locator("#scan")).to_contain_text("Ann could not play that.")
    cy.goto(f"{playing.url}/table")
    expect(cy.locator("#history")).to_contain_text("Ben is right")
    assert "yellow 0" not in cy.content()


def test_another_device_is_invited(playing: Server, open_as: Open, device: Callable[..., BrowserContext]) -> None:
    page = open_as(Role.HOST)
    page.click("#invite")
    # While the doors are closed, a code would lead nowhere.
    expect(page.locator("dialog")).to_contain_text("Only this computer can connect")
    expect(page.locator("dialog .qr, dialog .pin")).to_have_count(0)
    page.keyboard.press("Escape")
    playing.services.lan = OpenLan(playing.url)
    page.click("#invite")
    address = page.locator("dialog .break")
    anyones = address.inner_text()
    page.select_option("dialog select", label="Ben")
    expect(address).not_to_have_text(anyones)
    expect(address).to_contain_text("/join#t=")
    guest = device().new_page()
    guest.goto(address.inner_text())
    guest.wait_for_url("**/player")
    expect(guest.locator("#who")).to_contain_text("You are Ben.")


@pytest.mark.parametrize("role", [Role.HOST, Role.PLAYER])
def test_a_code_for_the_camera_leads_to_it_every_time(
    role: Role, playing: Server, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    # A device that has not joined, then one that has, then the same code again, which is used up by then.
    page.goto(f"{playing.url}/join")
    page.wait_for_selector("#pin")
    code = playing.invitation(role, None, "camera")
    for address in (code, playing.invitation(role, None, "camera"), code):
        page.goto(address)
        expect(page.locator("#begin")).to_have_text("Start the camera")


def test_the_code_shown_is_for_what_was_chosen_last(playing: Server, open_as: Open) -> None:
    playing.services.lan = OpenLan(playing.url)
    page = open_as(Role.HOST)
    page.click("#invite")
    address = page.locator("dialog .break")
    expect(address).to_contain_text("p=player")
    held: list[Route] = []
    # The code for a viewer comes later than that for a camera, which was asked for after it.
    page.route("**/api/pairing/invitations", lambda route: held.append(route) if not held else route.continue_())
    page.select_option("dialog select", label="somebody who only watches")
    page.select_option("dialog select", label="a phone as the camera")
    expect(address).to_contain_text("p=camera")
    with page.expect_response("**/api/pairing/invitations"):
        held[0].continue_()
    expect(address).to_contain_text("p=camera")


def test_the_host_signs_a_single_device_out(playing: Server, open_as: Open) -> None:
    playing.services.lan = OpenLan(playing.url)
    host, ben, viewer = open_as(Role.HOST), open_as(Role.PLAYER, "Ben", "player"), open_as(Role.VIEWER)
    host.click("#invite")
    expect(host.locator(".devices li")).to_have_count(3)
    host.get_by_role("button", name="Sign out Ben").click()
    expect(host.locator(".devices li")).to_have_count(2)
    ben.wait_for_url("**/join")
    pin = playing.services.pairing.pin
    host.click("#new-pin")
    expect(host.locator("dialog .pin")).not_to_have_text(pin)
    playing.services.table.tap(moves.Play(Card.parse("red 6")))
    expect(viewer.locator("#top .card")).to_have_attribute("aria-label", "red 6")


def test_the_host_changes_turns_and_camera_in_mid_match(playing: Server, open_as: Open) -> None:
    host = open_as(Role.HOST)
    host.wait_for_selector("#top .card")
    host.click("#settings")
    expect(host.locator("dialog [value=camera]")).to_be_checked()
    host.check("dialog [value=tapped]")
    expect(host.locator("dialog [value=simulated]")).to_have_count(0)
    host.check("dialog [value=phone]")
    host.wait_for_function("async () => (await (await fetch('/api/view')).json()).turns === 'tapped'")
    host.wait_for_function("async () => (await (await fetch('/api/camera')).json()).source === 'phone'")
    host.keyboard.press("Escape")
    host.reload()
    host.click("#settings")
    expect(host.locator("dialog [value=tapped]")).to_be_checked()
    expect(host.locator("dialog [value=phone]")).to_be_checked()
    host.check('dialog [name=source][value=""]')
    host.wait_for_function("async () => (await (await fetch('/api/camera')).json()).source === null")
    viewer = open_as(Role.VIEWER)
    viewer.click("#settings")
    expect(viewer.locator("dialog")).to_be_visible()
    expect(viewer.locator("dialog [name=turns]")).to_have_count(0)


def test_a_scored_hand_is_mended_later(playing: Server, open_as: Open, hand_picture: Path) -> None:
    page = open_as(Role.HOST)
    playing.services.table.tap(moves.Count("Ann", 0))
    playing.reader.cards = ["red 7", "blue 2"]
    page.goto(f"{playing.url}/scan?player=Ben")
    page.set_input_files("#files", hand_picture)
    expect(page.locator(".hand .card-button")).to_have_count(2)
    page.click("#confirm")
    page.wait_for_url("**/scan?player=Cy")
    page.goto(f"{playing.url}/table")
    page.click(".line >> nth=0")
    expect(page.locator("dialog .ruling-picture")).to_be_visible()
    expect(page.locator("dialog .hand-cards .card")).to_have_count(2)
    page.click("#amend-hand")
    expect(page.locator(".outlined img")).to_be_visible()
    page.click('.hand [data-place="0"]')
    pick(page, "red 1")
    page.click("#confirm")
    page.wait_for_url("**/scan?player=Cy")
    last = playing.services.table.view().history[-1]
    assert last.move == moves.Hand("Ben", (Card.parse("red 1"), Card.parse("blue 2")))
    assert last.picture is not None


def test_a_chosen_color_is_corrected(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    for move in (moves.Play(Card(Face.WILD_DRAW_FOUR)), moves.ChooseColor(Color.BLUE), moves.Accept()):
        playing.services.table.tap(move)
    page.click('.line[data-n="3"]')
    page.click("dialog .chip-green")
    expect(page.locator(".in-force")).to_contain_text("green")


def test_a_line_names_its_player_once(playing: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    playing.services.table.tap(moves.Draw())
    expect(page.locator('.line[data-n="2"] .line-text')).to_have_text("Ann draws one.")
    page.click('.line[data-n="2"]')
    expect(page.locator("dialog .stack > p").first).to_have_text("Ann draws one.", use_inner_text=True)


def test_a_screen_chooses_its_language(playing: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.click("#settings")
    page.select_option("dialog select >> nth=0", "fr")
    page.wait_for_selector('html[lang="fr"]')
    expect(page.locator("#history-title")).to_have_text("Ce qui a été décidé")
    expect(page).to_have_title(re.compile("^Table · "))


class ColorReader:
    """Stands in for the networks on footage of plain coloured cards: red is a red 7, blue a blue 7."""

    def __call__(self, image: Image) -> list[Sighting]:
        hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
        found: list[tuple[int, Sighting]] = []
        for name, low, high in (("red 7", (170, 90, 60), (180, 255, 255)), ("blue 7", (100, 90, 60), (125, 255, 255))):
            mask = cv2.inRange(hsv, np.array(low), np.array(high))
            outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
            for outline in outlines:
                x, y, width, height = cv2.boundingRect(outline)
                if width * height > 2000:
                    quad = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)
                    found.append((width * height, Sighting(quad, (Card.parse(name),), (0.97,), True)))
        # The card on top shows its whole face, those under it less.
        return [sighting for _, sighting in sorted(found, key=lambda one: -one[0])[:1]]


def _lay(image: Image, x: int, y: int, color: tuple[int, int, int]) -> None:
    """Draw a card with something on it."""
    cv2.rectangle(image, (x, y), (x + 110, y + 170), color, -1)
    for row in range(y + 14, y + 160, 22):
        cv2.line(image, (x + 12, row), (x + 98, row + 6), tuple(part // 3 for part in color), 8)


def film(path: Path) -> None:
    """Write footage: a bare table, a red card, and a blue one laid on top of it, each for some seconds."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(b"YUV4MPEG2 W640 H360 F10:1 Ip A1:1 C420jpeg\n")
        for number in range(120):
            image = np.full((360, 640, 3), (70, 110, 90), np.uint8)
            if number >= 25:
                _lay(image, 260, 100, (60, 30, 200))
            if number >= 65:
                _lay(image, 268, 96, (200, 90, 30))
            noisy = cv2.add(image, rng.integers(0, 4, image.shape, np.uint8))
            file.write(b"FRAME\n" + cv2.cvtColor(noisy, cv2.COLOR_BGR2YUV_I420).tobytes())


def film_table(path: Path) -> Card:
    """Write footage of a simulated table on which a card has been turned up and lies; return that card.

    It is motion JPEG, which Chromium shows at 30 frames per second and starts again at its end: were the empty table in
    it, the card would be taken back each time.
    """
    script = write_script(1, nuisances=CALM)
    second = [step.time for step in script.steps if isinstance(step.action, Lay)][1]
    table = SimulatedTable(1, script=script, size=(960, 540), rate=30, fonts=())
    frames = takewhile(lambda frame: frame.time < second, table.frames())
    pictures = [cv2.imencode(".jpg", frame.image)[1].tobytes() for frame in frames]
    path.write_bytes(b"".join(pictures[-15:] * 4))
    start = script.moves[0].entry
    assert isinstance(start, moves.Start)
    return start.card


@contextmanager
def filmed(playwright: Playwright, server: Server, footage: Path) -> Iterator[tuple[Page, Page]]:
    """Yield the camera page of a host whose camera shows the footage, and the table page beside it."""
    edition = EDITIONS[EditionName.MARIO_KART]
    server.services.start(Header(edition, ("Ann", "Ben"), 1, edition.options))
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[
            *ARGUMENTS,
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={footage}",
        ],
    )
    context = browser.new_context()
    context.set_default_timeout(2 * PATIENCE_MS)
    camera = context.new_page()
    camera.goto(server.invitation(Role.HOST))
    camera.wait_for_url("**/table")
    camera.goto(f"{server.url}/camera")
    camera.click("#begin")
    table = context.new_page()
    table.goto(f"{server.url}/table")
    yield camera, table
    browser.close()


def test_a_phone_as_camera_leads_to_rulings(server: Server, playwright: Playwright, tmp_path: Path) -> None:
    film(tmp_path / "pile.y4m")
    server.read_with(ColorReader())
    with filmed(playwright, server, tmp_path / "pile.y4m") as (camera, table):
        # The footage starts again at its end; any card that lies still is ruled on.
        expect(table.locator("#history")).to_contain_text("7")
        expect(table.locator(".live img")).to_be_visible()
        expect(camera.locator("#camera-status")).to_contain_text("pictures per second")


@networks
def test_the_networks_rule_on_the_phones_pictures(server: Server, playwright: Playwright, tmp_path: Path) -> None:
    card = film_table(tmp_path / "pile.mjpeg")
    server.read_with(CardDetector.shipped(EditionName.MARIO_KART).detect)
    with filmed(playwright, server, tmp_path / "pile.mjpeg") as (_, table):
        table.wait_for_selector(".line, .question")
        if table.locator(".question").count():
            answer(table, card.name)
        line = table.locator(".line").last
        expect(line).to_contain_text(card.name)
        expect(line.locator(".by-camera")).to_be_attached()
        # The list is drawn again once the clip of the landing is there.
        expect(table.get_by_role("button", name="Replay")).to_be_visible()
        line.click()
        # The clip of the landing, or its picture where the clip was dropped.
        expect(table.locator("dialog .clip-player, dialog .ruling-picture").first).to_be_visible()


def test_without_a_secure_page_single_photos_are_taken(
    playing: Server, device: Callable[..., BrowserContext], hand_picture: Path
) -> None:
    context = device()
    context.add_init_script("Object.defineProperty(navigator, 'mediaDevices', { value: undefined })")
    page: Page = context.new_page()
    page.goto(playing.invitation(Role.HOST))
    page.wait_for_url("**/table")
    page.goto(f"{playing.url}/camera")
    page.set_input_files("#shot", hand_picture)
    expect(page.locator("#camera-status")).to_have_text("The photo has been taken in.")
    assert playing.services.camera.state.source == "phone"
