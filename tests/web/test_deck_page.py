"""From learning a deck card by card on its page to a match played with it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from browsing import PATIENCE_MS, Open, Server, pick
from playwright.sync_api import Page, expect

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.labels.naming import Naming, Question
from companion.decks.model.card_views import outline
from companion.decks.service.enrollment import EnrolledCard, Lesson
from companion.editions import EDITIONS
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.vision.core.geometry import Image, homography, unit_square

CARDS = ("red 7", "blue 3", "green skip", "red 7")
PAUSE = 0.1
"""Between two pictures that are sent (s): a lesson looks at thirty in a second."""


def table() -> Image:
    rng = np.random.default_rng(1)
    grain = cv2.GaussianBlur(rng.normal(0, 30, (480, 640, 1)), (0, 0), 4)[..., None]
    return np.clip(np.array([60, 90, 120]) + grain, 0, 255).astype(np.uint8)


def laid(on: Image, name: str, degrees: float, family: StyleFamily = StyleFamily.WHITE_OVAL) -> Image:
    """Return the picture with a card laid in its middle."""
    face = render(Card.parse(name), sample_style(np.random.default_rng(5), family, ()), 300).image
    height, width = face.shape[:2]
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    size = np.array([width, height], np.float32)
    quad = np.asarray(((unit_square() - 0.5) * size * 0.7) @ matrix.T + (320, 240), np.float32)
    warped = cv2.warpPerspective(face, homography(unit_square() * size, quad), (640, 480))
    alpha = warped[:, :, 3:] / 255
    return (warped[:, :, :3] * alpha + on * (1 - alpha)).astype(np.uint8)


def show(server: Server, picture: Image, seen: Callable[[], bool]) -> None:
    """Send a picture as a phone over the pile does, until it was seen."""
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    until = time.monotonic() + 3 * PATIENCE_MS / 1000
    while not seen() and time.monotonic() < until:
        server.services.camera.push(data)
        time.sleep(PAUSE)


class Followed:
    """How many pictures a lesson was shown."""

    def __init__(self, lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shown = 0
        show = lesson.show

        def followed_show(image: Image) -> int:
            found = show(image)
            self.shown += 1
            return found

        monkeypatch.setattr(lesson, "show", followed_show)


def test_a_deck_is_laid_named_kept_and_played_with(
    server: Server, open_as: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.read_with(None)
    server.services.camera.choose("phone")
    page = open_as(Role.HOST, page="")
    page.goto(f"{server.url}/deck")
    expect(page.locator('[name="source"][value="phone"]')).to_be_checked()
    expect(page.locator('[name="source"][value=""]')).to_have_count(0)  # a deck is not learnt by tapping
    page.fill("#deck-name", "Ours")
    page.select_option("#edition", "classic")
    page.click("#begin-lesson")
    page.wait_for_selector("#finish-lesson")
    pile = table()
    lesson = server.services.lessons.lesson
    assert lesson is not None
    followed = Followed(lesson, monkeypatch)
    show(server, pile, lambda: followed.shown > 0)
    for number, name in enumerate(CARDS):
        pile = laid(pile, name, 20 + 25 * number)
        show(server, pile, lambda number=number: len(lesson) > number)
        expect(page.locator("#lesson-status")).to_contain_text(f"{number + 1} cards seen")
    # All faces of the edition are on the wall, three of them with the picture taken.
    expect(page.locator("#wall figure")).to_have_count(54)
    expect(page.locator("#wall img")).to_have_count(3)
    expect(page.locator('#wall [data-card="red 7"]')).to_contain_text("2 times")
    name_otherwise(page, "green skip", "green reverse")
    name_otherwise(page, "green reverse", "green skip")
    page.click("#finish-lesson")
    expect(page.locator("#lesson-status")).to_contain_text(
        "Learnt: Ours, 4 of 108 cards, 2 asked", timeout=4 * PATIENCE_MS
    )
    assert [(deck.name, deck.cards, deck.faces) for deck in server.services.decks.list()] == [("Ours", 4, 3)]
    assert server.services.deck == "Ours"
    page.check('[data-learns="Ours"]')
    page.wait_for_function("async () => (await (await fetch('/api/decks')).json()).decks[0].learns")
    expect(page.locator('[data-learns="Ours"]')).to_be_checked()

    edition = EDITIONS[EditionName.CLASSIC]
    server.services.start(Header(edition, ("Ann", "Ben"), 1, edition.options))
    page.goto(f"{server.url}/table")
    # The pile is carried off, and a card of the deck begins.
    bare = iter(range(9))
    show(server, table(), lambda: next(bare, None) is None)
    show(server, laid(table(), "red 7", 70), lambda: len(server.services.table.view().history) > 0)
    expect(page.locator('.line[data-n="1"]')).to_contain_text("red 7")

    # Cards of another design come on the table.
    expect(page.locator("#notices")).not_to_contain_text("learnt deck")
    for name in ("red 7", "blue 3", "green skip"):
        server.services.reader()(laid(table(), name, 30, StyleFamily.MINIMAL))
    expect(page.locator("#notices")).to_contain_text("not of the learnt deck")


def test_where_too_much_is_in_doubt_the_page_says_by_itself_which_card_to_lay(
    server: Server, open_as: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, lesson = begin_lesson(server, open_as, "Strange")
    followed = Followed(lesson, monkeypatch)
    # Forty cards that the reader cannot name, of another pile than the one below.
    lesson.add([unreadable(100 + place) for place in range(40)])
    expect(page.locator("#lesson-status")).to_contain_text("40 cards seen")
    expect(page.locator("#wanted")).to_be_empty()
    page.click("#finish-lesson")
    expect(page.locator("#wanted")).to_contain_text("Lay red 0 now")
    expect(page.locator("#questions button")).to_have_count(0)
    page.click("#wanted button")
    expect(page.locator("#wanted")).to_contain_text("Lay red 1 now")
    pile = table()
    show(server, pile, lambda: followed.shown > 0)
    show(server, laid(pile, "blue 3", 20), lambda: len(lesson) > 40)
    expect(page.locator("#wanted")).to_contain_text("Lay red 2 now")
    assert lesson.naming().cards[40] == Card.parse("red 1")
    page.click("#finish-lesson")
    expect(page.locator("#lesson-status")).to_contain_text("Learnt: Strange, 41 of 108 cards", timeout=4 * PATIENCE_MS)


def test_invalid_answers_are_reported_and_cards_are_named(
    server: Server, open_as: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, lesson = begin_lesson(server, open_as, "Odd")
    lesson.add([unreadable(0)])
    red, blue, green = (Card.parse(name) for name in ("red 7", "blue 3", "green 9"))
    question = Question((0,), (red, blue))
    said = Naming((green,), (0.4,), (question,), fit=0.0, prompted_is_better=True)
    monkeypatch.setattr(lesson, "shown", lambda: said)
    expect(page.locator('#wall [data-card="green 9"] img')).to_have_count(1)
    expect(page.locator("#questions button")).to_have_count(0)
    said = replace(said, prompted_is_better=False)
    expect(page.locator("#questions button").first).to_have_text("red 7")
    expect(page.locator("#lesson-status")).not_to_contain_text("do not fit")
    said = replace(said, set_aside=True)
    expect(page.locator("#lesson-status")).to_contain_text("Your answers do not fit the cards and are left out")
    page.click("#finish-lesson")
    expect(page.locator("#wanted")).to_contain_text("Lay red 0 now")
    page.click("#finish-lesson")
    expect(page.locator("#lesson-status")).to_contain_text("Your answers do not fit the cards and are left out")


def test_a_picture_of_a_card_back_is_left_out(server: Server, open_as: Open) -> None:
    page, lesson = begin_lesson(server, open_as, "Backs")
    back, card = unreadable(1), unreadable(0)
    card.logs[:, ALL_CARDS.index(Card.parse("red 7"))] += 20
    # Between many names, one card of each would be asked for instead.
    back.logs[:, [ALL_CARDS.index(Card.parse(name)) for name in ("blue 3", "blue 4")]] += 10
    lesson.add([card, back])
    expect(page.locator("#lesson-progress")).to_contain_text(re.compile(r"2 of 108 cards in 0:\d\d\. About \d+:\d\d"))
    assert page.locator("#lesson-progress progress").get_attribute("max") == "108"
    page.click('#questions [data-act="no-card"]')
    expect(page.locator("#lesson-progress")).to_contain_text("1 of 108 cards")
    expect(page.locator("#questions button")).to_have_count(0)
    assert lesson.places == (0,)


def test_a_deck_whose_cards_are_hard_to_see_is_saved_only_if_that_is_meant(server: Server, open_as: Open) -> None:
    page, lesson = begin_lesson(server, open_as, "Black")
    # Two pictures of one card that have nothing in common, as black cards on a black table give.
    noise = np.random.default_rng(1).integers(0, 256, (2, 480, 320, 3), np.uint8)
    for place, picture in enumerate(noise):
        card = unreadable(place)
        card.logs[:, ALL_CARDS.index(Card.parse("red 7"))] += 20
        lesson.add([replace(card, picture=picture)])
    expect(page.locator("#lesson-progress")).to_contain_text("2 of 108 cards")
    for meant in (False, True):
        page.click("#finish-lesson")
        expect(page.locator("dialog")).to_contain_text("lay them on a cloth of another colour, in even light")
        assert server.services.decks.list() == []
        page.click("dialog .primary" if meant else "dialog .quiet")
    expect(page.locator("#lesson-status")).to_contain_text("Learnt: Black, 2 of 108 cards", timeout=4 * PATIENCE_MS)
    assert [deck.name for deck in server.services.decks.list()] == ["Black"]


def begin_lesson(server: Server, open_as: Open, name: str) -> tuple[Page, Lesson]:
    """Begin to learn a classic deck of that name on the page; the test lays its cards."""
    server.read_with(None)
    server.services.camera.choose("phone")
    page = open_as(Role.HOST, page="")
    page.goto(f"{server.url}/deck")
    page.fill("#deck-name", name)
    page.select_option("#edition", "classic")
    page.click("#begin-lesson")
    page.wait_for_selector("#finish-lesson")
    lesson = server.services.lessons.lesson
    assert lesson is not None
    return page, lesson


def unreadable(place: int) -> EnrolledCard:
    """Return a blank card whose features resemble no other's and of which every name is equally likely."""
    rng = np.random.default_rng(place)
    picture = np.zeros((480, 320, 3), np.uint8)
    features = rng.random((2, 256)) - 0.5
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    logs = np.full((3, len(ALL_CARDS) + 1), -np.log(len(ALL_CARDS) + 1))
    as_floats = [np.asarray(each, np.float32) for each in (features, logs)]
    return EnrolledCard(picture, outline(), *as_floats, place)


def name_otherwise(page: Page, card: str, other: str) -> None:
    """Tap a picture on the wall and say what it shows."""
    page.click(f'#wall [data-card="{card}"] button')
    pick(page, other)
    expect(page.locator(f'#wall [data-card="{other}"] img')).to_have_count(1)
    expect(page.locator(f'#wall [data-card="{card}"] img')).to_have_count(0)
