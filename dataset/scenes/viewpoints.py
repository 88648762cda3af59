"""Other views of a drawn scene: from low, as rectified again from there, and from far away."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes import camera
from companion.dataset.scenes.compose import Scene, SceneCard
from companion.vision.core.geometry import homography, project, sides, unit_square

AnyScene = TypeVar("AnyScene", bound=Scene)

# Side of the patch by which a view from low is rectified, over the picture's longer side, and error of its corners.
_PATCH, _ERROR = 0.2, 0.02


def from_low(scene: AnyScene, rng: np.random.Generator) -> tuple[AnyScene, AnyScene]:
    """Return the scene as a camera tilted by 40 to 66 degrees sees it, and that view rectified by a rough outline.

    Cards whose middle lies outside a view are not among its cards.
    """
    height, width = scene.image.shape[:2]
    middle = np.array([width, height]) / 2
    matrix = camera.table_homography(rng, (middle[0], middle[1]), max(middle), width, height, rng.uniform(1, 2), True)
    low = _seen(scene, matrix)
    patch = np.asarray((unit_square() - 0.5) * _PATCH * max(width, height) + middle, np.float32)
    outline = project(matrix, patch)
    rough = outline + rng.normal(0, _ERROR, (4, 2)) * max(sides(outline))
    level = homography(np.asarray(rough, np.float32), patch)
    return low, _seen(low, level)


def distant(scene: AnyScene, rng: np.random.Generator) -> AnyScene:
    """Return the scene with cards 45 to 80 px long, or at a quarter to a third of its size if there is none."""
    height, width = scene.image.shape[:2]
    lengths = [max(sides(card.quad)) for card in scene.cards]
    share = rng.uniform(45, 80) / float(np.median(lengths)) if lengths else rng.uniform(0.25, 0.33)
    share = min(1.0, share)
    move = rng.uniform(0, 1, 2) * (1 - share) * (width, height)
    return _seen(scene, np.array([[share, 0, move[0]], [0, share, move[1]], [0, 0, 1.0]]))


def otherwise(scene: AnyScene, rng: np.random.Generator) -> AnyScene:
    """Return the scene from low, rectified again, or from far away."""
    views = (*from_low(scene, rng), distant(scene, rng))
    return views[int(rng.integers(len(views)))]


def _seen(scene: AnyScene, matrix: NDArray[np.float64]) -> AnyScene:
    """Return the scene after a homography (3, 3) of its pixels, in a picture of the same size."""
    height, width = scene.image.shape[:2]
    # At twice the size first: warping alone would show small cards sharper than a camera does.
    large = cv2.warpPerspective(
        scene.image, np.diag([2, 2, 1]) @ matrix, (2 * width, 2 * height), borderMode=cv2.BORDER_REPLICATE
    )
    image = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
    cards = tuple(_card_seen(card, matrix) for card in scene.cards)
    inside = tuple(card for card in cards if ((card.quad.mean(0) > 0) & (card.quad.mean(0) < (width, height))).all())
    backs = tuple(project(matrix, back) for back in scene.backs)
    return replace(scene, image=np.asarray(image, np.uint8), cards=inside, backs=backs)


def _card_seen(card: SceneCard, matrix: NDArray[np.float64]) -> SceneCard:
    indices = tuple(replace(index, quad=project(matrix, index.quad)) for index in card.indices)
    return replace(card, quad=project(matrix, card.quad), indices=indices)
