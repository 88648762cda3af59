"""Which card of a pile covers the others, from one picture."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from footage import BLUE_3, GREEN_9, RED_7, lay, table

from companion.bench.simulation.pile_scoring import ExactSightings
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CameraHealth, CameraStatus, CardLanded
from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.pile.top_card import FEATURES, TopModel, features, shipped


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_the_card_laid_last_is_the_most_probable_top(seed: int) -> None:
    footage = table(lay(RED_7), lay(BLUE_3, 1.2, 8), lay(GREEN_9, -0.6, -10), seed=seed, size=(1280, 720))
    frame = list(footage.frames())[-1]
    sightings = [Sighting(card.quad, (card.card,), (0.98,), whole=True) for card in frame.cards]
    chances = shipped().probabilities(frame.image, sightings)
    assert [s.card for s in sightings] == [RED_7, BLUE_3, GREEN_9]
    assert chances.argmax() == 2
    assert chances[2] > 0.8
    assert chances.sum() <= 1
    backwards = shipped().probabilities(frame.image, sightings[::-1])
    assert np.allclose(backwards[::-1], chances)


def test_no_outlines_give_no_probabilities() -> None:
    picture = np.zeros((90, 160, 3), np.uint8)
    assert features(picture, []).shape == (0, len(FEATURES))
    assert shipped().probabilities(picture, []).shape == (0,)


def test_a_camera_switched_on_in_the_middle_of_a_round_sees_the_top_card() -> None:
    """The card below is read as well, is larger, and comes first."""
    footage = table(lay(RED_7), lay(BLUE_3, 1.2, 8), lay(GREEN_9, -0.6, -10), size=(1280, 720))
    frames = list(footage.frames())[-12:]

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        corner = np.array(divmod(image.__array_interface__["data"][0] - start, 1280 * 3), np.float32)[::-1] / (3, 1)
        cards = frames[-1].cards
        return [Sighting(np.asarray(c.quad - corner, np.float32), (c.card,), (0.98,), whole=True) for c in cards]

    tracker, events = PileTracker(detect), []
    for frame in frames:
        start = frame.image.__array_interface__["data"][0]
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    start = frames[-1].image.__array_interface__["data"][0]
    events += tracker.finish()
    landed = [event for event in events if isinstance(event, CardLanded)]
    assert [event.probabilities[0][0] for event in landed] == [GREEN_9]
    assert 0.8 < landed[0].probabilities[0][1] < 0.98


def test_a_grey_picture_is_reported_once_and_nothing_lands() -> None:
    exact, footage = ExactSightings(), table(lay(RED_7), lay(BLUE_3, 1.0))
    tracker, events = PileTracker(exact), []
    for frame in footage.frames():
        exact.show(frame)
        frame.image[:] = cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY)[..., None]
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    events += tracker.finish()
    assert [(type(e), getattr(e, "health", None)) for e in events] == [(CameraStatus, CameraHealth.COLORLESS)]


@pytest.mark.parametrize("covered", [False, True])
def test_a_landing_after_the_lens_was_covered_is_marked(covered: bool) -> None:
    """Only the first one: what lands later is seen landing."""
    exact, footage = ExactSightings(), table(lay(RED_7), lay(BLUE_3, 1.0), lay(GREEN_9, 2.0))
    tracker, events = PileTracker(exact), []
    for frame in footage.frames():
        exact.show(frame)
        dark = covered and 2.6 < frame.time < 3.9  # while the blue 3 is laid
        image = np.zeros_like(frame.image) if dark else frame.image
        events += tracker.feed(Frame(image, frame.time, frame.number))
    events += tracker.finish()
    landed = [event for event in events if isinstance(event, CardLanded)]
    assert [event.probabilities[0][0] for event in landed] == [RED_7, BLUE_3, GREEN_9]
    assert [event.after_dark for event in landed] == [False, covered, False]


@pytest.mark.parametrize("text", ["", "{}", '{"outline": {"intercept": 0}}', '{"outline": []}'])
def test_a_damaged_model_file_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "top.json").write_text(text)
    with pytest.raises(ModelFileError, match=r"top\.json"):
        TopModel.load(tmp_path / "top.json")


def test_a_saved_model_gives_the_same_probabilities(tmp_path: Path) -> None:
    shipped().save(tmp_path / "top.json")
    rows = np.random.default_rng(1).normal(0, 1, (5, len(FEATURES)))
    assert np.allclose(TopModel.load(tmp_path / "top.json").of_features(rows), shipped().of_features(rows))
