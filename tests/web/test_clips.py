"""Instant replay on the table page: from the caption, from a line, from a question; a second look; the best saved."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from browsing import Open, Server, downloads, networks
from playwright.sync_api import Page, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.server.services.selfplay import SelfPlay
from companion.vision.capture.frames import Frame
from companion.vision.core.events import Arm, CardLanded

SIZE = (640, 360)
QUAD = np.array([[20, 20], [70, 20], [70, 95], [20, 95]], np.float32)
"""Where the stub reader finds its first card."""

COLORS = """() => {
  const pixel = document.querySelector('.clip canvas').getContext('2d').getImageData(320, 100, 1, 1).data;
  window.colors = new Set(window.colors).add(pixel.join());
  return window.colors.size > 2;
}"""
"""Whether a clip has shown three colours at one place since this was asked first."""


def picture(number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((SIZE[1], SIZE[0], 3), 40 + 4 * number, np.uint8)


def land(server: Server, time: float, card: str, direction: float) -> None:
    """Let the camera see three seconds, in the second of which a card comes to rest."""
    services = server.services
    for number in range(30):
        services.camera.ring.add(Frame(picture(number), time - 2 + number / 10, number))
    arm = Arm(direction, 10.0, round(time))
    last = picture(29)
    event = CardLanded(time, ((Card.parse(card), 0.9999),), QUAD, last, arm=arm, entered=time - 1.5)
    services.replays.saw(event, services.table.see(event), SIZE, mirrored=False)


@pytest.fixture
def table(playing: Server, open_as: Open) -> Page:
    """The host's table page, on which the camera saw Ann play a red 7."""
    land(playing, 3.0, "red 5", 30.0)
    land(playing, 13.0, "red 7", 90.0)
    page = open_as(Role.HOST)
    expect(page.locator('.line[data-n="2"]')).to_be_visible()
    return page


def test_a_tap_on_the_caption_plays_what_it_says(table: Page) -> None:
    table.locator("#caption").click()
    canvas = table.locator(".felt .clip canvas")
    expect(canvas).to_be_visible()
    table.wait_for_function(COLORS)
    table.click(".clip .quiet")
    expect(canvas).to_have_count(0)


def test_a_line_of_the_history_plays_and_is_read_again(table: Page, playing: Server) -> None:
    table.click('.line[data-n="2"]')
    expect(table.locator("dialog canvas")).to_be_visible()
    playing.reader.cards = ["red 9"]
    table.click('dialog [data-act="check"]')
    expect(table.locator(".clip-found")).to_contain_text("Read again in 10 pictures")
    table.click('.clip-found [data-card="red 9"]')
    expect(table.locator('.line[data-n="2"]')).to_contain_text("red 9")
    expect(table.locator(".clip")).to_have_count(0)


def test_a_question_is_checked_large_on_the_table(table: Page, playing: Server) -> None:
    land(playing, 23.0, "green 2", 210.0)
    playing.reader.cards = ["red 2"]
    table.click('.question [data-act="check"]')
    expect(table.locator(".felt .clip canvas")).to_be_visible()
    table.click('.clip-found [data-card="red 2"]')
    expect(table.locator(".question")).to_have_count(0)
    expect(table.locator('.line[data-n="3"]')).to_contain_text("red 2")


def test_a_clip_stands_still_where_motion_is_unwelcome(table: Page, open_as: Open) -> None:
    page = open_as(Role.PLAYER, "Ben", reduced_motion="reduce")
    page.click('.line[data-n="2"]')
    expect(page.locator("dialog canvas")).to_be_visible()
    slider = page.locator("dialog input[type=range]")
    expect(slider).to_have_value(slider.get_attribute("max") or "")


def test_a_viewer_sees_the_picture_but_no_replay(table: Page, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.click('.line[data-n="2"]')
    expect(page.locator("dialog .ruling-picture")).to_be_visible()
    expect(page.locator("dialog canvas, [data-act=check], [data-act=clip], [data-act=best]")).to_have_count(0)


@downloads
def test_the_best_is_saved_as_one_animated_picture(table: Page, playing: Server, tmp_path: Path) -> None:
    land(playing, 23.0, "green 2", 210.0)
    playing.services.watch("phone")
    table.reload()
    table.click('[data-act="best"]')
    expect(table.locator("dialog")).to_contain_text("A card that did not match. Ben: green 2")
    with table.expect_download() as download:
        table.click("#save-best")
    download.value.save_as(tmp_path / "best.webp")
    done, found = cv2.imreadanimation(str(tmp_path / "best.webp"))
    assert done
    assert len(found.frames) > 5


@pytest.mark.slow
@networks
def test_the_simulated_table_has_a_replay_of_its_plays(server: Server, open_as: Open) -> None:
    server.read_with(None)
    edition = EDITIONS[EditionName.CLASSIC]
    SelfPlay(server.services, Header(edition, ("Ann", "Ben"), 1, edition.options), 3).start()
    page = open_as(Role.HOST)
    page.locator(".line:not([data-n='1']):has(.line-card .card)").last.click(timeout=180_000)
    expect(page.locator("dialog canvas")).to_be_visible()
    page.click('dialog [data-act="check"]')
    expect(page.locator(".clip-found [data-card]").first).to_be_visible(timeout=60_000)
