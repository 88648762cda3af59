"""A match as one picture to save or send, and the chart of the evenings."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from browsing import Open, Server, downloads
from playwright.sync_api import Page, expect

from companion.cards import Card, EditionName
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.storage.store import FILE

# As many rounds as make a chart; Ann wins with 100 points, Ben has 5.
ROUNDS = (("Ann", "wild"), ("Ben", "red 5"), ("Ann", "wild"))


@pytest.fixture
def won(server: Server) -> Server:
    """The server after a match that Ann won in three rounds."""
    edition = EDITIONS[EditionName.CLASSIC]
    set_up = Header(edition, ("Ann", "Ben"), 1, replace(edition.options, target=100))
    server.services.start(set_up)
    for winner, card in ROUNDS:
        loser = "Ben" if winner == "Ann" else "Ann"
        for move in (moves.Start(Card.parse("red 5")), moves.Count(winner, 0)):
            server.services.table.tap(move)
        server.services.table.tap(moves.Hand(loser, (Card.parse(card),)))
    return server


def kept(page: Page, folder: Path) -> np.ndarray:
    """Return the picture that the page saves, as rows of blue, green and red."""
    with page.expect_download() as found:
        page.click('[data-act="keep"]')
    assert found.value.suggested_filename.endswith(".png")
    path = folder / "kept.png"
    found.value.save_as(path)
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert 10_000 < len(data) < 2_000_000
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@downloads
def test_a_match_is_saved_as_a_picture(won: Server, open_as: Open, tmp_path: Path, scheme: str) -> None:
    page = open_as(Role.VIEWER, color_scheme=scheme)
    page.goto(f"{won.url}/scores")
    page.wait_for_selector('[data-act="keep"]')
    page.context.set_offline(True)  # all of it is made here
    picture = kept(page, tmp_path)
    height, width, _ = picture.shape
    assert (width, 700 < height < 1200) == (1080, True)
    colors = page.evaluate(
        "['--paper', '--person-0', '--person-1'].map((name) => {"
        " const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();"
        " return [1, 3, 5].map((at) => parseInt(value.slice(at, at + 2), 16)); })"
    )
    paper, ann, ben = (np.all(picture == color[::-1], axis=2) for color in colors)
    assert (paper[0, 0], paper[-1, -1]) == (True, True)
    assert paper.mean() < 0.9, "something is drawn"
    # Both have a mark and a line; Ann's climbs to the top of the chart.
    assert min(ann.sum(), ben.sum()) > 1000
    assert np.nonzero(ann[500:])[0].min() + 100 < np.nonzero(ben[500:])[0].min()


def test_a_device_that_can_sends_it(won: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.add_init_script(
        "navigator.canShare = () => true;"
        "navigator.share = async ({ files }) => { window.shared = [files[0].name, files[0].type, files[0].size]; };"
    )
    page.goto(f"{won.url}/scores")
    page.click('[data-act="send"]')
    page.wait_for_function("() => window.shared")
    name, kind, size = page.evaluate("window.shared")
    assert (name.endswith(".png"), kind, size > 10_000) == (True, "image/png", True)


@downloads
def test_what_cannot_be_sent_is_saved(won: Server, open_as: Open) -> None:
    page = open_as(Role.VIEWER)
    page.add_init_script(
        "navigator.canShare = () => true; navigator.share = async () => { throw new Error('no sheet'); };"
    )
    page.goto(f"{won.url}/scores")
    with page.expect_download():
        page.click('[data-act="send"]')
    expect(page.locator(".toast")).to_contain_text("saved instead")


def test_two_evenings_make_a_chart(won: Server, open_as: Open) -> None:
    page = open_as(Role.HOST)
    page.goto(f"{won.url}/scores")
    expect(page.locator("#fame tbody tr")).to_have_count(2)
    expect(page.locator("#evenings canvas")).to_have_count(0)
    first = won.services.table.match_id
    won.services.store.close()
    with sqlite3.connect(won.services.config.data / FILE) as connection:
        connection.execute("UPDATE match SET started = started - 7 * 86400 WHERE id = ?", (first,))
    edition = EDITIONS[EditionName.CLASSIC]
    set_up = Header(edition, ("Ben", "Ann"), 1, replace(edition.options, target=10))
    won.services.start(set_up)
    for move in (moves.Start(Card.parse("red 5")), moves.Count("Ben", 0), moves.Hand("Ann", (Card.parse("wild"),))):
        won.services.table.tap(move)
    page.goto(f"{won.url}/scores")
    expect(page.locator("#evenings canvas").first).to_be_visible()
    expect(page.locator("#evenings .u-series")).to_have_count(2)  # a legend without the evenings themselves
    page.click('[data-key="chart-points"]')
    expect(page.locator('[data-key="chart-points"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#evenings canvas")).to_have_count(1)
    hall = page.evaluate("fetch('/api/people/fame').then((answer) => answer.json())")
    assert [evening["won"] for evening in hall["evenings"]] == [{"Ann": 1, "Ben": 0}, {"Ann": 0, "Ben": 1}]
    assert [evening["points"] for evening in hall["evenings"]] == [{"Ann": 100, "Ben": 5}, {"Ann": 0, "Ben": 50}]
