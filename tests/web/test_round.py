"""A whole round from pictures: the networks read the simulated table, the browser taps what no camera sees.

Then the hands left over are drawn as they would lie on the table, photographed, read by the networks, and mended.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from browsing import PATIENCE_MS, Open, Server, answer, networks, pick
from playwright.sync_api import Page, expect

from companion.cards import Card, EditionName, Face
from companion.dataset.scenes.compose import SceneCard, SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.dataset.simulated.actions import CarryOff
from companion.dataset.simulated.script import CALM, Script, write_script
from companion.dataset.simulated.simulation import SimulatedTable
from companion.editions import EDITIONS
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.storage.journal import ReadBy
from companion.vision.capture.frames import Frame
from companion.vision.recognition.card_detector import CardDetector

# A round with an item box, a target to choose, a drawn card kept, and UNO called.
SEED = 16
HAND_SIZE = 4
_SHOWN = (moves.Start, moves.Play, moves.Flip)


class PatientTable:
    """The simulated table as a camera whose people wait for each other: it plays up to the given moment.

    So the round is played as fast as it is drawn and read, however slow the machine.
    """

    live = False
    name = "the patient table"

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._changed = threading.Condition()
        self._until = 0.0
        self._reached = -1.0
        self._over = False

    def frames(self) -> Iterator[Frame]:
        for frame in self._table.frames():
            with self._changed:
                self._reached = frame.time
                self._changed.notify_all()
                while frame.time > self._until and not self._over:
                    self._changed.wait()
                if self._over:
                    return
            yield Frame(frame.image, frame.time, frame.number)

    def go_on(self, until: float) -> None:
        """Show everything up to this time (s), and return when the table has made of it what it could."""
        with self._changed:
            self._until = until
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._reached > until, 4 * PATIENCE_MS / 1000), "nobody watches"

    def stop(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()


def set_up(page: Page, header: Header) -> None:
    """Fill in the set-up page and start the match."""
    page.wait_for_selector("#add-player")
    for seat, player in enumerate(header.players):
        page.locator(".players input").nth(seat).fill(player)
    page.click("#rules-fold summary")
    page.fill("#option-hand_size", str(header.options.hand_size))
    page.click("#start")
    page.wait_for_url("**/table")


def tap(page: Page, move: moves.Move) -> None:
    """Tap what the camera does not see."""
    match move:
        case moves.ChooseColor(color):
            page.click(f'[data-act="color-{color.value}"]')
        case moves.Target(player) | moves.Uno(player) | moves.Catch(player) | moves.Creeper(player):
            page.click(f'[data-act="{type(move).__name__.lower()}-{player}"]')
        case _:
            page.click(f'[data-act="{type(move).__name__.lower()}"]')


def limits(script: Script) -> list[float]:
    """Return for each move until when the table may go on before it must have been ruled on."""
    landings = [timed.time for timed in script.moves if isinstance(timed.entry, _SHOWN)]
    ends = [step.time for step in script.steps if isinstance(step.action, CarryOff)]
    marks = sorted([*landings, *ends, script.duration])
    return [next(mark for mark in marks if mark > timed.time) - 0.05 for timed in script.moves]


def play_round(page: Page, server: Server, script: Script, table: PatientTable) -> list[moves.Hand]:
    """Play the first round, and return the hands that are left over."""
    for number, (timed, until) in enumerate(zip(script.moves, limits(script), strict=True), 1):
        move = timed.entry
        assert not isinstance(move, moves.Undo)
        if isinstance(move, moves.Hand):
            return [
                each.entry
                for each in script.moves[number - 1 : number - 2 + len(script.header.players)]
                if isinstance(each.entry, moves.Hand)
            ]
        if isinstance(move, _SHOWN):
            table.go_on(until)
            if server.services.table.view().questions:
                page.wait_for_selector(".question")
                answer(page, move.card.name)
            if len(server.services.table.view().history) < number:
                page.click(f'[data-act="{type(move).__name__.lower()}"]')
                pick(page, move.card.name)
        elif len(server.services.table.view().history) < number:
            # A draw that the camera has seen needs no tap.
            tap(page, move)
        line = page.locator(f'.line[data-n="{number}"]')
        expect(line).to_be_visible()
        if isinstance(move, _SHOWN):
            expect(line).to_contain_text(move.card.name)
        expect(page.locator(".question")).to_have_count(0)
    raise AssertionError("the round did not end")


def photograph(cards: tuple[Card, ...], path: Path) -> None:
    """Draw these cards in an overlapping row, laid down by somebody who wants them read, and write the picture."""
    maker = SceneMaker(7, size=(1280, 960), layouts=[Layout.CASCADE], deck_count=1, fonts=())
    scenes = (maker.make(Layout.CASCADE, cards) for _ in range(50))
    cv2.imwrite(str(path), next(scene.image for scene in scenes if all(map(_readable, scene.cards))))


def _readable(card: SceneCard) -> bool:
    return any(index.visible > 0.98 for index in card.indices)


def mend(page: Page, cards: tuple[Card, ...]) -> int:
    """Tap until the hand on the page is this one; return how many of its cards the networks had read."""
    true = Counter(card.name for card in cards)
    read: int | None = None
    while True:
        shown = [text.split(",")[0] for text in page.locator(".hand .card-button > span").all_inner_texts()]
        surplus, missing = Counter(shown) - true, true - Counter(shown)
        read = (Counter(shown) & true).total() if read is None else read
        if not surplus and not missing:
            return read
        if surplus:
            page.locator(".hand .card-button").nth(shown.index(next(iter(surplus)))).click()
        else:
            page.click("#add-card")
        if missing:
            pick(page, next(iter(missing)))
        else:
            page.click("#remove-card")
        if not surplus:
            page.click("#picked")
        page.wait_for_selector("dialog", state="detached")


@networks
def test_a_round_is_played_and_scored_from_pictures(server: Server, open_as: Open, tmp_path: Path) -> None:
    edition = EDITIONS[EditionName.MARIO_KART]
    header = Header(edition, ("Ann", "Ben"), 1, replace(edition.options, hand_size=HAND_SIZE))
    script = write_script(SEED, header=header, longest=None, nuisances=CALM)
    server.read_with(CardDetector.shipped(edition.base).detect)
    page = open_as(Role.HOST)
    page.goto(f"{server.url}/")
    set_up(page, header)
    table = PatientTable(SimulatedTable(SEED, script=script, size=(960, 540), rate=10, fonts=(), noise=False))
    server.services.camera.watch(table, "test")
    left = play_round(page, server, script, table)
    table.stop()

    laid = [line for line in server.services.table.view().history if isinstance(line.move, _SHOWN)]
    read = [line for line in laid if line.read_by is ReadBy.CAMERA]
    assert len(laid) > HAND_SIZE
    assert any(card.move.card.face is Face.WILD_ITEM_BOX for card in laid)
    assert len(read) > len(laid) / 2, f"{len(read)} of {len(laid)} cards were read by the camera"

    points = 0
    for hand in left:
        page.goto(f"{server.url}/table")
        page.click(f'[data-act="hand-{hand.player}"]')
        photograph(hand.cards, tmp_path / "hand.jpg")
        page.set_input_files("#files", tmp_path / "hand.jpg")
        page.wait_for_selector(".hand .card-button")
        # People mend a card or two, and take out what is none; a hand of which most is wrong was not read.
        assert mend(page, hand.cards) > len(hand.cards) / 2
        points += sum(card.points for card in hand.cards)
        expect(page.locator(".scan-sum strong")).to_contain_text(str(sum(card.points for card in hand.cards)))
        page.click("#confirm")
        page.wait_for_url("**/scores")

    winner = next(player for player in header.players if player not in {hand.player for hand in left})
    expect(page.locator(f'.leader[data-player="{winner}"] .leader-score')).to_have_text(str(points))
    expect(page.locator("#rounds .won")).to_contain_text(str(points))
    expect(page.locator("#after .lane").first).to_be_visible()
    page.click('[data-round="1"]')
    picture = page.locator(f'[data-hand="{left[0].player}"] img')
    expect(picture).to_be_visible()
    assert np.prod(picture.evaluate("async (image) => (await image.decode(), [image.naturalWidth])")) > 500
