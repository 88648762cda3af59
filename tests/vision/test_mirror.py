"""Mirrored pictures are recognised and read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from footage import lay, reported, table

from companion.cards import Card, EditionName
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.capture.frames import Frame
from companion.vision.core.events import Arm, CardLanded, PileEvent, PileKind, PileMoved, PileReached
from companion.vision.core.geometry import Image, clipped, intersection_over_union
from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import Handedness, Sighting
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.mirror import (
    MirrorCorrection,
    MirrorModel,
    flipped,
    shipped,
    unmirrored,
    unmirrored_event,
)

QUAD = np.array([[10, 20], [60, 25], [55, 100], [5, 95]], np.float32)


def seen(name: str, confidence: float) -> Sighting:
    return Sighting(QUAD, (Card.parse(name),), (confidence,), True)


def test_outlines_lie_in_the_mirrored_picture_where_they_lie_in_the_other() -> None:
    moved = unmirrored(seen("red 7", 0.9), 200)
    assert moved.mirrored
    assert np.allclose(moved.quad, [[140, 25], [190, 20], [195, 95], [145, 100]])


PRINTED = replace(seen("blue 5", 0.999), handedness=Handedness.PRINTED)
MIRRORED = replace(seen("blue 2", 0.95), handedness=Handedness.MIRRORED)


def test_the_mirror_image_is_looked_at_unless_a_card_is_clearly_seen_as_printed() -> None:
    model = shipped()
    assert model.is_doubtful([])
    assert model.is_doubtful([seen("red 7", 0.6)])
    assert model.is_doubtful([MIRRORED])
    assert not model.is_doubtful([PRINTED])
    assert not model.is_doubtful([PRINTED, seen("red 7", 0.999)])


def test_a_picture_is_mirrored_if_its_mirror_image_reads_better() -> None:
    model = shipped()
    assert model.is_mirrored([seen("red 4", 0.6)], [replace(seen("red 7", 0.99), handedness=Handedness.PRINTED)])
    assert model.is_mirrored([], [PRINTED])
    assert model.is_mirrored([MIRRORED], [PRINTED])
    assert not model.is_mirrored([PRINTED], [MIRRORED])
    assert not model.is_mirrored([seen("red 8", 0.99)], [seen("red 8", 0.99)]), "mirrored pictures are rare"
    assert not model.is_mirrored([PRINTED, seen("red 7", 0.9)], [seen("green 8", 0.96)]), "fewer are detected"


def test_arrows_show_nothing() -> None:
    assert shipped().evidence([seen("red reverse", 0.6)], [seen("red reverse", 0.99)]) == 0
    assert shipped().evidence([seen("red 2", 0.9)], [seen("red reverse", 0.99)]) < 0


def test_evidence_of_one_orientation_is_the_opposite_of_the_other_one() -> None:
    one, other = [PRINTED, seen("red 3", 0.7)], [seen("red reverse", 0.9)]
    assert shipped().evidence(one, other) == pytest.approx(-shipped().evidence(other, one))


def test_a_model_is_stored_and_loaded(tmp_path: Path) -> None:
    shipped().save(tmp_path / "mirror.json")
    assert MirrorModel.load(tmp_path / "mirror.json").evidence([], [PRINTED]) == shipped().evidence([], [PRINTED])
    (tmp_path / "mirror.json").write_text('{"once": {}}')
    with pytest.raises(ModelFileError):
        MirrorModel.load(tmp_path / "mirror.json")


def test_an_outline_that_reaches_out_of_the_picture_is_clipped() -> None:
    assert clipped(QUAD, 200, 200) is QUAD
    half = clipped(QUAD + np.float32([-30, 0]), 200, 200)
    assert half[:, 0].min() >= 0
    assert clipped(QUAD + np.float32([900, 0]), 200, 200).shape == (4, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_a_mirrored_picture_is_read_and_said_to_be_one(seed: int) -> None:
    scene = SceneMaker(seed, (800, 600), families=[StyleFamily.CLASSIC_OVAL], fonts=()).make(Layout.GRID)
    detector = CardDetector.shipped(EditionName.CLASSIC)
    straight, mirrored = detector.detect(scene.image), detector.detect(flipped(scene.image))
    assert straight
    assert not any(sighting.mirrored for sighting in straight)
    assert all(sighting.mirrored for sighting in mirrored)
    assert sorted(s.card.name for s in straight) == sorted(s.card.name for s in mirrored)
    width = scene.image.shape[1]
    for one in straight:
        assert max(intersection_over_union(unmirrored(one, width).quad, other.quad) for other in mirrored) > 0.8


LIT_LEFT = np.zeros((40, 200, 3), np.uint8)
LIT_LEFT[:, :50] = 255


def reads_if_lit_on_the_right(image: Image) -> list[Sighting]:
    """As a reader does whose cards can be read one way round alone."""
    return [seen("red 7", 0.999)] if image[0, -1, 0] else [seen("red 4", 0.5)]


def test_a_camera_that_mirrors_is_found_out_and_read_through_from_then_on() -> None:
    turns: list[bool] = []
    eyes = MirrorCorrection(reads_if_lit_on_the_right, reads_if_lit_on_the_right, turns.append)
    for _ in range(4):
        eyes.detect_pile(LIT_LEFT)
    assert turns == [True]
    assert eyes.mirrors
    for found in (eyes.detect_pile(LIT_LEFT), eyes.detect_closeup(LIT_LEFT)):
        assert [(s.card.name, s.mirrored) for s in found] == [("red 7", True)]
        assert np.allclose(found[0].quad, unmirrored(seen("red 7", 0.999), 200).quad)
    for _ in range(4):
        eyes.detect_pile(flipped(LIT_LEFT))
    assert turns == [True, False]
    assert [s.mirrored for s in eyes.detect_closeup(flipped(LIT_LEFT))] == [False]


class CellMask:
    """A reader before which one card after another lies; each is read otherwise in a mirror."""

    def __init__(self, mirrors: bool) -> None:
        self.mirrors = mirrors
        self.straight, self.reversed = seen("red 7", 0.99), seen("red 4", 0.5)
        self.looks = 0

    def lay(self, straight: tuple[str, float], reversed_: tuple[str, float]) -> None:
        self.straight, self.reversed = seen(*straight), seen(*reversed_)

    def __call__(self, image: Image) -> list[Sighting]:
        self.looks += 1
        return [self.reversed if bool(image[0, 0, 0]) is self.mirrors else self.straight]


MIRRORED_CARDS = (
    (("blue 5", 0.999), ("blue 2", 0.98)),
    (("red 8", 0.999), ("red 8", 0.95)),
    (("green 3", 0.999), ("green 2", 0.7)),
    (("yellow 9", 0.999), ("yellow 0", 0.96)),
)


@pytest.mark.parametrize("mirrors", [False, True])
def test_first_cards_are_read_both_ways_until_mirroring_is_decided(mirrors: bool) -> None:
    reported: list[bool] = []
    shown = CellMask(mirrors)
    eyes = MirrorCorrection(shown, shown, reported.append)
    for straight, reversed_ in MIRRORED_CARDS:
        shown.lay(straight, reversed_)
        for _ in range(3):
            assert [s.card.name for s in eyes.detect_pile(LIT_LEFT)] == [straight[0]]
    assert eyes.mirrors is mirrors
    assert reported == [True] * mirrors
    # Once more for each of the first cards, until it is settled.
    assert 12 < shown.looks <= 12 + 4


def test_a_card_read_in_a_mirror_as_the_arrow_before_it_is_read_as_it_is() -> None:
    shown = CellMask(mirrors=False)
    eyes = MirrorCorrection(shown, shown)
    shown.lay(("yellow reverse", 0.9), ("yellow reverse", 0.8))
    # While a hand covers one end of the arrow, the other one looks as printed in the mirror.
    shown.reversed = replace(shown.reversed, handedness=Handedness.PRINTED)
    eyes.detect_pile(LIT_LEFT)
    shown.lay(("yellow reverse", 0.99), ("yellow reverse", 0.8))
    eyes.detect_pile(LIT_LEFT)
    shown.lay(("yellow 0", 0.999), ("yellow reverse", 0.72))
    shown.reversed = replace(shown.reversed, handedness=Handedness.PRINTED)
    assert [s.card.name for s in eyes.detect_pile(LIT_LEFT)] == ["yellow 0"]
    assert not eyes.mirrors


def test_corner_places_reveal_a_mirror_for_symmetric_readings() -> None:
    printed, turned = (
        replace(seen(name, 0.999), handedness=way)
        for name, way in (("blue 5", Handedness.PRINTED), ("blue 2", Handedness.MIRRORED))
    )
    eyes = MirrorCorrection(lambda image: [printed] if image[0, -1, 0] else [turned], lambda _: [])
    assert [s.card.name for s in eyes.detect_pile(LIT_LEFT)] == ["blue 5"]


UPRIGHT = np.array([[0, 0], [56, 0], [56, 87], [0, 87]], np.float32)
LYING = np.array([[0, 0], [87, 0], [87, 56], [0, 56]], np.float32)


def test_a_card_that_a_mirror_leaves_as_it_is_shows_it_by_how_it_lies() -> None:
    lying, upright = replace(seen("red 8", 0.999), quad=LYING), replace(seen("red 8", 0.999), quad=UPRIGHT)
    assert shipped().evidence([lying], [upright]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["red 4", "green reverse"])
def test_a_mirrored_picture_of_a_card_that_reads_alike_is_said_to_be_one(name: str) -> None:
    card = [frame.image for frame in table(lay(Card.parse(name)), seed=7).frames()][-1]
    detector = CardDetector.shipped(EditionName.CLASSIC)
    for image, mirrored in ((card, False), (flipped(card), True)):
        assert [(s.card.name, s.mirrored) for s in detector.detect(image)] == [(name, mirrored)]


@pytest.mark.slow
def test_the_first_card_of_a_mirrored_film_shows_that_the_camera_mirrors() -> None:
    # This 3 reads as a 3 both ways, with high confidence.
    footage = table(lay(Card.parse("green 3")), seed=7)
    detector = CardDetector.shipped(EditionName.CLASSIC)
    eyes = MirrorCorrection(detector.detect_pile, detector.detect_closeup)
    tracker = PileTracker(eyes.detect_pile, detect_closeup=eyes.detect_closeup)
    events: list[PileEvent] = []
    for frame in footage.frames():
        events += tracker.feed(Frame(flipped(frame.image), frame.time, frame.number))
    assert reported(events) == [(CardLanded, "green 3")]
    assert eyes.mirrors


def test_arrows_in_a_mirror_show_nothing() -> None:
    shown = CellMask(mirrors=False)
    eyes = MirrorCorrection(shown, shown)
    for color in ("red", "blue", "green"):
        shown.lay((f"{color} 2", 0.7), (f"{color} reverse", 0.99))
        eyes.detect_pile(LIT_LEFT)
    assert not eyes.mirrors


def test_what_reads_alike_both_ways_makes_no_camera_mirror() -> None:
    eyes = MirrorCorrection(lambda image: [seen("red 8", 0.99)], lambda _: [])
    for _ in range(60):
        eyes.detect_pile(LIT_LEFT)
    assert not eyes.mirrors


def test_an_empty_table_is_barely_looked_at_in_the_mirror() -> None:
    looks: list[int] = []

    def nothing(_: Image) -> list[Sighting]:
        looks.append(1)
        return []

    eyes = MirrorCorrection(nothing, nothing)
    for _ in range(240):
        eyes.detect_pile(LIT_LEFT)
    assert 240 < len(looks) <= 255


def test_people_sit_the_other_way_round_in_a_mirror() -> None:
    arm = Arm(80.0, 9.0, 3)
    landed = CardLanded(1.0, (), None, None, arm=arm)
    reached = PileReached(2.0, 1.5, Arm(0.0, 9.0, 4), PileKind.DRAW)
    directions = [event.arm.direction for event in map(unmirrored_event, (landed, reached)) if event.arm is not None]
    assert directions == [280.0, 0.0]
    moved = PileMoved(3.0)
    assert unmirrored_event(moved) is moved
