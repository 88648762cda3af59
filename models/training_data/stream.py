"""An endless stream of drawn scenes, as training data of all three networks: pictures with views, and crops.

Nothing is written to disk (models/feed.py runs the worker processes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.compose import Scene
from companion.dataset.scenes.generate import CHUNK, Recipe, maker, scene_row
from companion.models.training_data.crops import (
    LAMP_SHARE,
    CardCrop,
    CropBatch,
    FalseBox,
    IndexCrop,
    Limits,
    crop_batch,
    false_crops,
    scene_crops,
    softened,
    under_lamp,
)
from companion.models.training_data.degradation import hardened
from companion.models.training_data.hard_negatives import false_boxes, miner
from companion.models.training_data.views import MOST_BOXES, outlines, view
from companion.vision.core.geometry import Image
from companion.vision.detection.box_detector import BoxFinder, BoxKind

VIEWS = 8
"""Views planned per scene; on a fast GPU the detector sees each scene about five times."""

_SCENES = 8
# How often the crops of a scene are cut, each time with other random changes. False boxes are cut more often, because
# only one scene in three or four has any.
_PASSES, _FALSE_PASSES = 2, 5
# Shares of the scenes that are mined for false boxes, of the crops that are degraded, of the others that are softened.
_MINED, _HARD, _SOFT = 0.2, 0.38, 0.18


@dataclass(frozen=True)
class Drawing:
    """What to draw: scenes by a recipe (whose count is ignored), views of `size` px.

    detector: the exported network that is mined for false positives.
    """

    recipe: Recipe
    detector: Path
    size: int = 512


@dataclass(frozen=True, eq=False)
class Shard:
    """Some scenes of S px with all training data.

    pictures: (N, 3, S, S) uint8 RGB. matrices, boxes: of VIEWS views of each, (N, VIEWS, 2, 3) and (N, VIEWS,
    MOST_BOXES, 6) float32, see models/views.py; rows with class -1 are padding.
    """

    pictures: NDArray[np.uint8]
    matrices: NDArray[np.float32]
    boxes: NDArray[np.float32]
    crops: CropBatch


def shards(drawing: Drawing, worker: int, workers: int) -> Iterator[Shard]:
    """Yield the shards of one worker without end: every `workers`-th chunk of the recipe's scenes."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((drawing.recipe.seed, worker, workers))
    finder = miner(drawing.detector, threads=1)
    for chunk in count(worker, workers):
        scenes = maker(drawing.recipe, chunk)
        for _ in range(CHUNK // _SCENES):
            yield _shard([scenes.make() for _ in range(_SCENES)], drawing, finder, rng)


def _shard(scenes: Sequence[Scene], drawing: Drawing, finder: BoxFinder, rng: np.random.Generator) -> Shard:
    matrices = np.zeros((len(scenes), VIEWS, 2, 3), np.float32)
    boxes = np.full((len(scenes), VIEWS, MOST_BOXES, 6), -1, np.float32)
    cards: list[CardCrop] = []
    indices: list[IndexCrop] = []
    for i, scene in enumerate(scenes):
        found = outlines(scene.cards)
        for k in range(VIEWS):
            shown = view(found, drawing.recipe.size, drawing.size, rng)
            matrices[i, k], boxes[i, k, : len(shown.boxes)] = shown.matrix, shown.boxes
        more_cards, more_indices = crops_of(scene, finder, rng)
        cards += more_cards
        indices += more_indices
    pictures = np.stack([scene.image for scene in scenes])[..., ::-1].transpose(0, 3, 1, 2)
    crops = crop_batch(cards, indices, lambda crop: spoilt(crop, rng))
    return Shard(np.ascontiguousarray(pictures), matrices, boxes, crops)


def crops_of(scene: Scene, finder: BoxFinder, rng: np.random.Generator) -> tuple[list[CardCrop], list[IndexCrop]]:
    """Return a scene's crops, some of them of the finder's false boxes."""
    false: list[FalseBox] = []
    if rng.random() < _MINED:
        boxes = false_boxes(finder, scene.image, [card.quad for card in scene.cards])
        false = [FalseBox(box.kind is BoxKind.CARD, box.quad) for box in boxes]
    row, limits = scene_row(scene), Limits()
    cards: list[CardCrop] = []
    indices: list[IndexCrop] = []
    for _ in range(_PASSES):
        picture = under_lamp(scene.image, rng) if rng.random() < LAMP_SHARE else scene.image
        groups = (scene_crops(picture, row, rng, limits), false_crops(picture, false * _FALSE_PASSES, rng))
        for more_cards, more_indices in groups:
            cards += more_cards
            indices += more_indices
    return cards, indices


def spoilt(crop: Image, rng: np.random.Generator) -> Image:
    """Return a (H, W, 3) BGR uint8 crop degraded, softened or as it is."""
    if rng.random() < _HARD:
        return hardened(crop, rng)
    return softened(crop, rng) if rng.random() < _SOFT else crop
