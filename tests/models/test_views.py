"""Training scenes: views match their boxes, and shards hold the networks' training data."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.dataset.scenes.generate import Recipe
from companion.models.training_data.crops import FalseBox, false_crops
from companion.models.training_data.stream import VIEWS, Drawing, shards
from companion.models.training_data.views import MOST_BOXES, Outline, turned_box, view
from companion.vision.core.labels import NO_CARD
from companion.vision.core.runtime import model_folder
from companion.vision.detection.box_detector import BoxKind

_CARD = np.array([[60, 40], [120, 60], [90, 150], [30, 130]], np.float32)


def _corners(box: np.ndarray, size: int) -> np.ndarray:
    _, x, y, width, height, angle = box
    return cv2.boxPoints(((x * size, y * size), (width * size, height * size), float(np.rad2deg(angle))))


def test_a_view_boxes_what_its_matrix_shows() -> None:
    rng = np.random.default_rng(3)
    whole = 0
    for _ in range(60):
        shown = view([Outline(BoxKind.CARD, _CARD, 1.0)], 200, 160, rng)
        if len(shown.boxes) == 0:
            continue
        corners = _corners(shown.boxes[0], 160)
        if (corners < 0.5).any() or (corners > 159.5).any():
            continue
        # Maps the view's corners to the given rectangle.
        places = np.column_stack([corners / 80 - 1, np.ones(4)]) @ shown.matrix.T
        back = (places + 1) * 100
        nearest = np.linalg.norm(back[:, None] - _CARD[None], axis=2).min(1)
        if nearest.max() < 1.5:
            whole += 1
    assert whole > 20


@pytest.mark.parametrize("degrees", [-170, -60, -45, 0, 30, 100, 134])
def test_a_turned_box_has_the_angle_of_its_longer_side(degrees: float) -> None:
    points = cv2.boxPoints(((50.0, 60.0), (40.0, 20.0), degrees))
    x, y, longer, shorter, angle = turned_box(points)
    assert (x, y, longer, shorter) == pytest.approx((50, 60, 40, 20), abs=1e-3)
    assert -np.pi / 4 <= angle < 3 * np.pi / 4
    assert np.cos(2 * (angle - np.deg2rad(degrees))) == pytest.approx(1, abs=1e-4)


def test_cut_cards_are_boxed_if_enough_is_visible() -> None:
    rng = np.random.default_rng(4)
    frame = np.array([[0, 0], [160, 0], [160, 160], [0, 160]], np.float32)
    boxed = []
    for visible in np.linspace(0.8, 1.0, 200):
        shown = view([Outline(BoxKind.INDEX, _CARD, visible)], 200, 160, rng)
        moved = np.linalg.solve(shown.matrix[:, :2], (_CARD / 100 - 1 - shown.matrix[:, 2]).T).T * 80 + 80
        area, _ = cv2.intersectConvexConvex(moved.astype(np.float32), frame)
        seen = visible * area / cv2.contourArea(moved.astype(np.float32))
        if abs(seen - 0.85) > 0.005:
            assert len(shown.boxes) == (seen > 0.85)
            boxed.append(len(shown.boxes))
    assert 0.2 < np.mean(boxed) < 0.8


@pytest.mark.slow
def test_shards_hold_pictures_their_views_and_crops_for_both_readers() -> None:
    drawing = Drawing(Recipe("train", 0, seed=5, size=320), model_folder() / "detector.onnx", size=256)
    shard = next(shards(drawing, 0, 2))
    count = len(shard.pictures)
    assert shard.pictures.shape == (count, 3, 320, 320)
    assert shard.pictures.dtype == np.uint8
    assert shard.matrices.shape == (count, VIEWS, 2, 3)
    assert shard.boxes.shape == (count, VIEWS, MOST_BOXES, 6)
    boxes = shard.boxes[shard.boxes[..., 0] >= 0]
    assert set(boxes[:, 0]) == {kind.number for kind in BoxKind}
    assert (boxes[:, 3] >= boxes[:, 4]).all()
    assert ((boxes[:, 1:3] > 0) & (boxes[:, 1:3] < 1)).all()
    for kind, images, targets in shard.crops.parts():
        assert len(images) == len(shard.crops.clear[kind]) == len(targets["face"]) > 10
        spoilt = (images != shard.crops.clear[kind]).any(axis=(1, 2, 3))
        assert 0.2 < spoilt.mean() < 0.8
    again, other = next(shards(drawing, 0, 2)), next(shards(drawing, 1, 2))
    assert np.array_equal(shard.pictures, again.pictures)
    assert not np.array_equal(shard.pictures, other.pictures)


def test_false_boxes_become_crops_of_no_card() -> None:
    picture = np.full((200, 200, 3), 90, np.uint8)
    cards, indices = false_crops(picture, [FalseBox(True, _CARD), FalseBox(False, _CARD)], np.random.default_rng(1))
    assert [crop.face for crop in cards] == [crop.face for crop in indices] == [NO_CARD]
