"""A round of photographs at a running server separates right, wrong, uncertain and missing readings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from folders import CLASSIC, EDITION, fill, running

from companion.cards import Card
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.referee.transcript import write_entry
from companion.rehearsal.device import Device, DeviceError
from companion.rehearsal.footage import SIZE, Footage, fitted
from companion.rehearsal.plan import Laid, Plan, plan_match
from companion.rehearsal.player import Fate, Rehearsal, Tally
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.stabilizer import Stabilizer

pytestmark = pytest.mark.slow

_BITS, _CELL = 6, 90
PHOTOS = Path(os.environ.get("COMPANION_PHOTOS", Path(__file__).resolve().parents[3] / "shared" / "photos"))
HANDS = [CLASSIC[start : start + count] for start, count in ((0, 2), (9, 3), (20, 4), (30, 5))]


def code(cards: Sequence[Card]) -> Image:
    """Return a picture whose black and white cells say which card it shows; a hand's are those of its first card."""
    width, height = SIZE
    number = CLASSIC.index(cards[0])
    # No two pictures look alike anywhere.
    cells = np.random.default_rng(number).integers(40, 216, (height // 40, width // 40, 3), np.uint8)
    picture = cv2.resize(cells, SIZE, interpolation=cv2.INTER_NEAREST)
    for bit in range(_BITS):
        x = 100 + bit * _CELL
        cv2.rectangle(picture, (x, height - 90), (x + _CELL, height - 10), (255 * (number >> bit & 1),) * 3, -1)
    return picture


class CodeReader:
    """Stands in for the networks: reads the code, and returns the configured wrong answer for some cards.

    Of those in `hidden` it sees only a corner, and reads it with low confidence.
    """

    def __init__(self) -> None:
        self.says: dict[Card, tuple[tuple[Card, float], ...]] = {}
        self.hidden: set[Card] = set()

    def __call__(self, image: Image) -> list[Sighting]:
        if image.shape[:2] != SIZE[::-1]:
            return []
        cells = [image[-60:-40, 100 + bit * _CELL + 30 : 100 + bit * _CELL + 60].mean() for bit in range(_BITS)]
        number = sum((cell > 128) << bit for bit, cell in enumerate(cells))
        if not all(cell < 60 or cell > 200 for cell in cells) or number >= len(CLASSIC):
            return []
        card = CLASSIC[number]
        said = ((card, 0.3),) if card in self.hidden else self.says.get(card, ((card, 0.99),))
        x, y = 500 + 2 * number, 200 + number
        quad = np.array([[x, y], [x + 160, y], [x + 160, y + 250], [x, y + 250]], np.float32)
        return [Sighting(quad, tuple(c for c, _ in said), tuple(p for _, p in said), card not in self.hidden)]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    fill(tmp_path / "photos", CLASSIC, HANDS, code)
    return plan_match(tmp_path / "photos", EDITION, 0, ("Ann", "Ben"), hand_size=3)


def play(
    plan: Plan, data: Path, reader: CodeReader | None, patience: int = 240
) -> tuple[Tally, list[dict[str, object]]]:
    with running(data, reader) as (services, device, _):
        tally = Rehearsal(device, plan, patience=patience).run()
        return tally, [dict(write_entry(line.move)) for line in services.table.view().history]


def laid(plan: Plan) -> list[Card]:
    return [planned.move.card for planned in plan.moves if isinstance(planned.move, Laid)]


def winner_gets_all(plan: Plan, tally: Tally) -> bool:
    points = sum(card.points for hand in plan.hands for card in hand.cards.elements())
    return points > 0 and sorted(tally.scores.values()) == [0] * (len(tally.scores) - 1) + [points]


def test_every_card_is_ruled_on_and_the_round_is_scored(plan: Plan, tmp_path: Path) -> None:
    tally, history = play(plan, tmp_path / "data", CodeReader())
    assert tally.count(Fate.RULED) == len(tally.cards) == len(laid(plan))
    assert history[: len(plan.moves)] == [write_entry(planned.move) for planned in plan.moves]
    assert winner_gets_all(plan, tally)


def test_what_is_read_badly_is_distinguished_and_mended(plan: Plan, tmp_path: Path) -> None:
    reader = CodeReader()
    start, first, second, *_, last = laid(plan)
    other = next(c for c in CLASSIC if c not in laid(plan) and c.color is first.color and c != start)
    reader.says = {
        first: ((other, 0.99),),
        second: ((second, 0.5), (next(c for c in CLASSIC if c.face is second.face and c != second), 0.45)),
    }
    # It comes last: a card that is not seen at all may pass for a pile that was taken away.
    reader.hidden = {last}
    tally, history = play(plan, tmp_path / "data", reader, patience=96)
    fates = [fate for _, fate in tally.cards]
    assert fates[0] is Fate.RULED
    assert fates[1] is Fate.WRONG
    assert fates[2] in (Fate.ASKED, Fate.RULED)
    assert set(fates[3:-1]) <= {Fate.RULED, Fate.ASKED}
    assert fates[-1] is Fate.MISSED
    assert history[: len(plan.moves)] == [write_entry(planned.move) for planned in plan.moves]
    assert winner_gets_all(plan, tally)


def test_a_device_learns_why_it_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as (_, device, address):
        with pytest.raises(DeviceError, match="match") as caught:
            device.post("/api/undo", {})
        assert caught.value.status == 409
        with pytest.raises(DeviceError):
            Device(address, "no token")
    with pytest.raises(DeviceError, match="cannot be reached"):
        device.get("/api/view")


def test_a_photograph_is_shown_whole_and_never_stands_quite_still() -> None:
    photo = np.zeros((800, 300, 3), np.uint8)
    photo[[0, -1]] = photo[:, [0, -1]] = 255
    seen = fitted(photo)
    assert seen.shape == (*SIZE[::-1], 3)
    assert abs(np.count_nonzero((seen == 0).all(2)) / seen[..., 0].size - 270 * 720 / (1280 * 720)) < 0.01
    footage = Footage(0)
    footage.show(photo)
    frames = [footage.next() for _ in range(12)]
    assert not any(np.array_equal(a, b) for a, b in pairwise(frames))
    assert cv2.absdiff(frames[-1], seen).mean() < 3


def test_a_fading_photograph_is_never_taken_for_a_moving_camera() -> None:
    for steps in range(7):
        footage = Footage(0)
        footage.show(code([CLASSIC[26]]))
        for _ in range(12):
            footage.next()
        footage.show(code([CLASSIC[0]]))
        faded = [footage.next() for _ in range(1 + steps)][-1]
        steady = Stabilizer()
        steady.stabilized(Frame(faded, 0.0, 0))
        arrived = Frame([footage.next() for _ in range(12)][-1], 0.1, 1)
        assert steady.stabilized(arrived) is arrived


def test_a_round_with_drawn_pictures_is_read_by_the_networks(tmp_path: Path) -> None:
    maker = SceneMaker(4, (640, 480), deck_count=3, fonts=())

    def draw(cards: Sequence[Card]) -> Image:
        return maker.make(Layout.CASCADE, cards).image

    fill(tmp_path / "photos", CLASSIC[::2], HANDS, draw)
    plan = plan_match(tmp_path / "photos", EDITION, 0, ("Ann", "Ben"), hand_size=2)
    tally, _ = play(plan, tmp_path / "data", None)
    assert tally.count(Fate.RULED) + tally.count(Fate.ASKED) >= 0.75 * len(tally.cards)
    assert winner_gets_all(plan, tally)


@pytest.mark.skipif(not PHOTOS.is_dir(), reason="no photographs here: name their folder by COMPANION_PHOTOS")
def test_a_round_with_real_photographs(tmp_path: Path) -> None:
    plan = plan_match(PHOTOS, EDITION, 0)
    tally, _ = play(plan, tmp_path, None)
    # The pictures come as a camera's do: a busy machine takes in fewer of them.
    assert tally.count(Fate.RULED) + tally.count(Fate.ASKED) >= 0.8 * len(tally.cards)
    assert sum(scan.right for scan in tally.hands) >= len(tally.hands) - 1
    assert winner_gets_all(plan, tally)
