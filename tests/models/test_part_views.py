"""Views of parts of cards: their masks, and how far their outlines are off."""

from __future__ import annotations

import importlib.util

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

if importlib.util.find_spec("torch") is None:
    pytest.skip("needs the train extra", allow_module_level=True)

from companion.models.embedding.gallery import Gallery
from companion.models.embedding.network import SIZE
from companion.models.embedding.part_views import PartPhotographer, PartView, packed
from companion.vision.core.geometry import CARD_MARGIN, Quad, unit_square

pytestmark = pytest.mark.train

RED, BLUE, GREEN = (30, 30, 230), (230, 30, 30), (30, 200, 30)
COUNT = 30
WIDTH, HEIGHT = SIZE


@pytest.fixture(scope="module")
def camera() -> PartPhotographer:
    """One red face in a deck of blue ones on a green table."""
    faces = np.empty((24, 144, 92, 3), np.uint8)
    faces[:] = BLUE
    faces[0] = RED
    numbers, nothing = np.arange(24), np.full((24, 4), np.nan, np.float32)
    tiles = np.empty((1, 224, 224, 3), np.uint8)
    tiles[:] = GREEN
    return PartPhotographer(Gallery(faces, np.zeros(24, np.intp), nothing, numbers, numbers, tiles), [1])


def _shown(view: PartView) -> NDArray[np.intp]:
    """Return (H, W) the channel that is brightest, -1 where a pixel has no clear colour."""
    image = view.image.astype(int)
    order = np.sort(image, 2)
    return np.where(order[..., 2] > 1.6 * order[..., 1] + 8, image.argmax(2), -1)


def _outline(corners: NDArray[np.float32]) -> Quad:
    margin = CARD_MARGIN / (1 + 2 * CARD_MARGIN)
    return np.asarray((unit_square() * (1 - 2 * margin) + margin + corners) * SIZE, np.float32)


def _inside(quad: Quad) -> NDArray[np.bool_]:
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), (1,))
    return mask > 0


def test_views_and_masks_have_the_networks_size(camera: PartPhotographer) -> None:
    views = [take(0) for take in (camera.whole, camera.covered, camera.beside, camera.nothing)]
    for view in views:
        assert view.image.shape == (HEIGHT, WIDTH, 3)
        assert view.mask.shape == (HEIGHT, WIDTH)
        assert view.image.dtype == view.mask.dtype == np.uint8
        assert view.corners.shape == (4, 2)
        assert view.corners.dtype == np.float32
    crops = packed(views)
    assert crops.shape == (4, 4, HEIGHT, WIDTH)
    assert np.array_equal(crops[1, 0], views[1].image[..., 2])
    assert np.array_equal(crops[1, 3], views[1].mask * 255)


def test_views_are_black_where_the_mask_hides_them(camera: PartPhotographer) -> None:
    for take in (camera.covered, camera.beside, camera.nothing):
        views = [take(0) for _ in range(COUNT)]
        assert any(not view.mask.all() for view in views)
        for view in views:
            assert not view.image[view.mask == 0].any()
            assert view.mask.any()


def test_a_mask_leaves_of_a_covered_card_what_can_be_seen(camera: PartPhotographer) -> None:
    """Some covering cards are not found, so not in every view."""
    own = []
    for view in (camera.covered(0) for _ in range(COUNT)):
        shown = _shown(view)[_inside(_outline(view.corners)) & (view.mask > 0)]
        red, blue = ((shown == channel).sum() for channel in (2, 0))
        own.append(red / max(1, red + blue))
    assert np.median(own) > 0.95
    assert np.mean(own) > 0.75


def test_corners_lead_from_the_outline_to_the_card(camera: PartPhotographer) -> None:
    """The red card must fill the outline moved by the corners, and not the one moved the other way."""
    hits, misses = [], []
    for view in (camera.whole(0) for _ in range(COUNT)):
        if np.abs(view.corners).mean() < 0.03:
            continue
        red = _shown(view) == 2
        there, opposite = _inside(_outline(view.corners)), _inside(_outline(-view.corners))
        for overlaps, inside in ((hits, there), (misses, opposite)):
            overlaps.append((red & inside).sum() / max(1, (red | inside).sum()))
    assert len(hits) > 3
    assert np.median(hits) > 0.8
    assert np.median(hits) > np.median(misses) + 0.1


def test_the_card_is_elsewhere_where_the_outline_lies_beside_it(camera: PartPhotographer) -> None:
    card, beside = (
        np.mean([(_shown(take(0)) == 2).mean() for _ in range(COUNT)]) for take in (camera.whole, camera.beside)
    )
    assert beside < card / 2
    assert not camera.beside(0).corners.any()
    assert not camera.nothing(0).corners.any()
