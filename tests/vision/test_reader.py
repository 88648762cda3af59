"""Reading crops with the shipped networks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, Face
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import Scene, SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.geometry import CARD_MARGIN, index_frame, unit_square
from companion.vision.core.labels import COLOR_COUNT, FACE_COUNT, NO_CARD, color_class, face_class
from companion.vision.core.reading import MaskedSoftmax, Reading, with_indices
from companion.vision.core.runtime import Network, model_folder
from companion.vision.imaging.lighting import Light
from companion.vision.recognition.fusion import Evidence, shipped
from companion.vision.recognition.reader import Reader

ANY = MaskedSoftmax(1.0, np.ones(len(ALL_CARDS) + 1, bool))


@pytest.fixture(scope="module")
def reader() -> Reader:
    folder = model_folder()
    return Reader(Network(folder / "card-reader.onnx"), Network(folder / "index-reader.onnx"))


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    maker = SceneMaker(8, (800, 600), families=[StyleFamily.CLASSIC_OVAL], fonts=())
    return [maker.make(Layout.GRID) for _ in range(4)]


@pytest.mark.slow
def test_a_whole_card_is_read_alike_whichever_way_up_it_is_boxed(reader: Reader, scenes: list[Scene]) -> None:
    for scene in scenes:
        quads = [np.asarray(card.quad, np.float32) for card in scene.cards if card.visible > 0.95]
        turned = [np.roll(quad, 2, axis=0) for quad in quads]
        for one, other in zip(
            reader.read_cards(scene.image, quads), reader.read_cards(scene.image, turned), strict=True
        ):
            assert one.logs[:-1].argmax() == other.logs[:-1].argmax()
            assert np.abs(one.quad - np.roll(other.quad, 2, axis=0)).max() < 4


def test_an_index_is_found_upright_in_whichever_of_four_ways_it_is_boxed(reader: Reader, scenes: list[Scene]) -> None:
    right = upright = there = 0
    for scene in scenes:
        for card in scene.cards:
            # A zero, a skip or an eight looks the same upside down.
            if card.visible < 0.95 or card.card.face.value in ("0", "8", "skip"):
                continue
            frame = index_frame(np.asarray(card.indices[0].quad, np.float32))
            for turn, seen_turned in product(range(4), range(4)):
                boxed = np.roll(frame, turn, axis=0)
                (reading,) = reader.read_indices(scene.image, [boxed], views=[(0.0, seen_turned)])
                there += 1
                right += ALL_CARDS[int(reading.logs[:-1].argmax())] == card.card
                upright += bool(np.allclose(reading.quad, frame))
    assert there >= 160
    assert right / there > 0.85
    assert upright / there > 0.9


def _lone_arrow(ground: tuple[int, int, int], shaft: int, heading: float, filled: bool) -> np.ndarray:
    """Return a corner with one white arrow, as some makers print a reverse: (256, 256, 3) uint8 BGR."""
    image = np.full((256, 256, 3), ground, np.uint8)
    along = np.array([np.cos(heading), np.sin(heading)]) * 62
    aside = np.array([-along[1], along[0]]) / 62
    tail, tip, neck = 128 - along, 128 + along, 128 + along * 0.2
    if filled:
        half, wing = aside * shaft / 2, aside * shaft * 1.45
        shape = np.array([tail + half, tail - half, neck - half, neck - wing, tip, neck + wing, neck + half])
        cv2.fillPoly(image, [shape.astype(np.int32)], (250, 250, 250), cv2.LINE_AA)
    else:
        ends = [(int(x), int(y)) for x, y in (tail, tip)]
        cv2.arrowedLine(image, *ends, (250, 250, 250), shaft, cv2.LINE_AA, tipLength=0.45)
    return cv2.GaussianBlur(image, (0, 0), 2)


def test_a_lone_arrow_in_a_corner_is_often_read_as_a_reverse(reader: Reader) -> None:
    frame = np.array([[48, 48], [208, 48], [208, 208], [48, 208]], np.float32)
    grounds = ((200, 110, 20), (30, 30, 200), (60, 160, 60), (30, 200, 235))
    headings = np.radians((-90.0, -60.0, 0.0, 40.0))
    faces = Counter(
        ALL_CARDS[int(reading.logs[:-1].argmax())].face
        for ground, shaft, heading, filled in product(grounds, (18, 26, 34), headings, (False, True))
        for reading in reader.read_indices(_lone_arrow(ground, shaft, float(heading), filled), [frame])
    )
    assert faces.total() == 96
    assert faces[Face.REVERSE] >= 38  # 10 before the last layer was fitted to such arrows


def _logs(likely: dict[str, float]) -> np.ndarray:
    """Return the log-likelihoods of a reading that gives these cards their probabilities and all else next to none."""
    logs = np.full(len(ALL_CARDS) + 1, -9.0, np.float32)
    for name, probability in likely.items():
        logs[ALL_CARDS.index(Card.parse(name))] = np.log(probability)
    return logs


@pytest.mark.parametrize(("width", "read"), [(200, "red skip"), (30, "yellow skip")])
def test_separate_corner_confirms_a_doubtful_card_if_large_enough(width: int, read: str) -> None:
    quad = np.asarray(unit_square() * (width, 1.55 * width), np.float32)
    doubtful = Reading(quad, _logs({"yellow skip": 0.55, "red skip": 0.45}), ANY)
    corner = Reading(unit_square(), _logs({"red skip": 0.8, "yellow skip": 0.2}), ANY)
    assert ALL_CARDS[int(with_indices(doubtful, [corner]).logs.argmax())] == Card.parse(read)
    assert np.array_equal(with_indices(doubtful, []).logs, doubtful.logs)


def test_a_hidden_corner_does_not_outweigh_a_clear_card() -> None:
    quad = np.asarray(unit_square() * (200, 310), np.float32)
    clear = Reading(quad, _logs({"red 7": 0.999, "red 1": 0.001}), ANY)
    hidden = np.full(len(ALL_CARDS) + 1, -30.0, np.float32)
    hidden[-1] = 0.0
    assert ALL_CARDS[int(with_indices(clear, [Reading(unit_square(), hidden, ANY)]).logs.argmax())] == Card.parse(
        "red 7"
    )


def test_a_reading_is_drawn_together_until_it_is_no_more_confident_than_allowed() -> None:
    logs = np.full(len(ALL_CARDS) + 1, -9.0, np.float32)
    logs[3], logs[5] = 0.0, -4.0
    sure = Reading(unit_square(), logs, ANY)
    doubted = sure.capped(0.7)
    assert sure.confidence > 0.9
    assert 0.6 < doubted.confidence <= 0.7
    assert doubted.card == sure.card
    assert (np.argsort(-doubted.probabilities)[:2] == np.argsort(-sure.probabilities)[:2]).all()
    assert doubted.capped(0.9).confidence == doubted.confidence
    # Further evidence does not raise its confidence.
    assert with_indices(doubted, [replace(sure, quad=unit_square())]).confidence <= 0.7


class Says:
    """A network that says the same of every crop: a face, a colour, and the crop's own outline."""

    def __init__(self, card: Card, rest: int) -> None:
        row = np.full(FACE_COUNT + COLOR_COUNT, -5.0, np.float32)
        row[face_class(card.face)] = row[FACE_COUNT + color_class(card.color)] = 5.0
        inner = (unit_square() + CARD_MARGIN) / (1 + 2 * CARD_MARGIN)
        self._row = np.concatenate([row, inner.ravel() if rest == 8 else np.zeros(rest, np.float32)])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.tile(self._row, (len(x), 1)).astype(np.float32)


@pytest.mark.parametrize(("corner", "doubted"), [("red 5", True), ("red skip", False)])
def test_where_middle_and_corners_disagree_no_reading_is_sure(corner: str, doubted: bool) -> None:
    reader = Reader(Says(Card.parse("red skip"), 8), Says(Card.parse(corner), 4))  # type: ignore[arg-type]
    quad = np.array([[40, 40], [168, 40], [168, 239], [40, 239]], np.float32)
    picture = np.full((300, 220, 3), (30, 30, 200), np.uint8)
    (reading,) = reader.read_cards(picture, [quad])
    assert reading.corners is not None
    assert reading.middle is not None
    views = np.stack([reading.middle, *reading.corners]).astype(np.float64)
    (light,) = Light.on(picture, [reading.quad])
    own_makers = -6.0
    evidence = Evidence(reading.quad, views[0], views[1:], (True, True), 0.9, 0, 1, False, light, foreign=own_makers)
    (seen,) = shipped().sightings([evidence], reader.card_softmax)
    assert (seen.alternative is not None) is doubted
    assert {card.name for card in seen.cards[:2]} == {"red skip", "red 5"} if doubted else seen.card.name == "red skip"


# Too long for a card that lies sideways.
_PLACE = np.array([[40, 40], [150, 40], [150, 239], [40, 239]], np.float32)
_TABLE = np.full((300, 220, 3), (30, 30, 200), np.uint8)


class Counts(Says):
    """The same, which counts the crops and has a configured confidence."""

    def __init__(self, face: int, rest: int, sure: float = 1.0) -> None:
        super().__init__(Card.parse("red 5"), rest)
        self._row[:FACE_COUNT] = -5.0
        self._row[face] = 5.0
        self._row[:FACE_COUNT] *= sure
        self.crops = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.crops += len(x)
        return super().__call__(x)


class Falters:
    """The same, as sure of nothing the first time."""

    def __init__(self, network: Counts) -> None:
        self._network, self._times = network, 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self._times += 1
        said = self._network(x)
        return said * 0.3 if self._times == 1 else said * 2


@pytest.mark.parametrize(
    ("face", "sure", "cards", "corners"),
    [
        (face_class(Card.parse("red 5").face), 1.0, 2, 2),
        (face_class(Card.parse("red 5").face), 0.4, 3, 2),
        (NO_CARD, 1.0, 1, 0),
        (NO_CARD, 0.0, 3, 2),
    ],
    ids=["settled", "a third look", "none", "unclear"],
)
def test_no_more_is_looked_at_than_an_outline_is_worth(face: int, sure: float, cards: int, corners: int) -> None:
    whole, index = Counts(face, 8, sure), Counts(face, 4)
    reader = Reader(whole, index)  # type: ignore[arg-type]
    (reading,) = reader.read_cards(_TABLE, [_PLACE])
    assert (whole.crops, index.crops) == (cards, corners)
    assert np.allclose(reading.quad, _PLACE, atol=0.5)


def test_barely_visible_corner_is_not_read_again_on_request() -> None:
    index = Counts(NO_CARD, 4, 0.0)
    reader = Reader(Counts(NO_CARD, 8), index)  # type: ignore[arg-type]
    reader.read_indices(_TABLE, [_PLACE], least=0.4)
    assert index.crops == 1
    reader.read_indices(_TABLE, [_PLACE])
    assert index.crops == 1 + 3


def test_a_corner_that_two_views_settle_is_not_looked_at_a_third_time() -> None:
    index = Counts(face_class(Card.parse("red 5").face), 4, 0.5)
    reader = Reader(Counts(NO_CARD, 8), Falters(index))  # type: ignore[arg-type]
    (reading,) = reader.read_indices(_TABLE, [_PLACE])
    assert index.crops == 2
    assert reading.card == Card.parse("red 5")
