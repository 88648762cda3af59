"""Cuts training crops for the readers out of labelled scenes, as inexactly as the detector boxes cards.

A batch holds whole scenes: one crop for each readable card and index, and some crops without a card.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.dataset.scenes.camera import coarsened
from companion.models.training_data.degradation import hardened
from companion.models.training_data.hard_negatives import false_file
from companion.vision.core.geometry import (
    CARD_CROP,
    CARD_MARGIN,
    INDEX_CROP,
    Image,
    Quad,
    corner_frames,
    cut,
    expand,
    homography,
    index_frame,
    intersection_over_smaller,
    portrait,
    project,
    sides,
    unit_square,
)
from companion.vision.core.labels import NO_CARD, color_class, face_class

IGNORE = -100
"""Target of a head that a crop gives no label for."""

LAMP_SHARE = 0.15
_SOFT_SHARE = 0.2


@dataclass(frozen=True)
class Limits:
    """Which cards and indices are used: minimum visible share, and minimum length in pixels of the shorter side."""

    card_visible: float = 0.45
    index_visible: float = 0.8
    card_side: float = 20.0
    index_side: float = 6.5


EASY = Limits(card_visible=0.93, index_visible=0.97, card_side=45.0, index_side=10.0)
"""Large, unoccluded cards for the first epochs: shapes are learnt fastest from them."""


@dataclass(frozen=True)
class CardCrop:
    """A crop (192, 128, 3) BGR uint8 with its classes and the outline's corners (4, 2) as shares of the crop."""

    image: Image
    face: int
    color: int
    corners: Quad


@dataclass(frozen=True)
class IndexCrop:
    """A crop (64, 64, 3) BGR uint8 with its classes and the number of clockwise quarter turns it was given."""

    image: Image
    face: int
    color: int
    turn: int


def _shaken(quad: Quad, rng: np.random.Generator, amount: float) -> Quad:
    """Return the quad randomly rotated, shifted, scaled and skewed; `amount` 1 corresponds to the detector's error."""
    center = quad.mean(0)
    width, height = sides(quad)
    angle = rng.normal(0, 0.05) * amount
    scale = np.exp(rng.normal(0, 0.05, 2) * amount)
    cos, sin = np.cos(angle), np.sin(angle)
    along = (quad[1] - quad[0]) / max(width, 1e-6)
    basis = np.array([along, [-along[1], along[0]]])
    local = (quad - center) @ basis.T * scale
    turned = local @ np.array([[cos, sin], [-sin, cos]])
    moved = turned + rng.normal(0, 0.035, 2) * amount * (width, height)
    moved = moved + rng.normal(0, 0.015, (4, 2)) * amount * (width, height)
    return np.asarray(moved @ basis + center, np.float32)


def _as_boxed(quad: Quad, rng: np.random.Generator, width: int, height: int) -> Quad:
    """Return the rectangle that the detector gives for an outline, or for its part inside the frame."""
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, part = cv2.intersectConvexConvex(quad, frame)
    if area < 16 or part is None or rng.random() < 0.15:
        return quad
    box = np.asarray(cv2.boxPoints(cv2.minAreaRect(part)), np.float32)
    # Same winding, and the nearest start corner.
    if cv2.contourArea(box, oriented=True) * cv2.contourArea(quad, oriented=True) < 0:
        box = box[::-1]
    start = int(np.argmin([np.abs(np.roll(box, -k, axis=0) - quad).sum() for k in range(4)]))
    return portrait(np.roll(box, -start, axis=0)) if rng.random() < 0.9 else np.roll(box, -start, axis=0)


def _matched(corners: Quad) -> Quad:
    """Return the corners in the order that is nearest to the unit square's."""
    turns = [np.roll(corners, -k, axis=0) for k in range(4)]
    return turns[int(np.argmin([np.abs(turn - unit_square()).sum() for turn in turns]))]


def card_crop(image: Image, quad: Quad, card: Card, rng: np.random.Generator) -> CardCrop:
    """Return a training crop of a card with this outline in the picture."""
    height, width = image.shape[:2]
    loose = rng.random() < 0.5
    box = _as_boxed(quad, rng, width, height) if loose else quad
    box = _shaken(box, rng, 1.0 if loose else 0.35)
    if rng.random() < 0.5:
        box = np.roll(box, 2, axis=0)
    edge = expand(box, CARD_MARGIN)
    corners = project(homography(edge, unit_square()), quad)
    return CardCrop(cut(image, edge, *CARD_CROP), face_class(card.face), color_class(card.color), _matched(corners))


def index_crop(image: Image, frame: Quad, card: Card, rng: np.random.Generator) -> IndexCrop:
    """Return a training crop of the index in this square, perturbed and turned by a random number of quarters."""
    width, _ = sides(frame)
    scale = np.exp(rng.normal(0, 0.13))
    angle = rng.normal(0, 0.12)
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    center = frame.mean(0)
    shaken = (frame - center) @ np.array([[cos, sin], [-sin, cos]]) + center + rng.normal(0, 0.05, 2) * width
    turn = int(rng.integers(4))
    edge = np.asarray(np.roll(shaken, turn, axis=0), np.float32)
    crop = cut(image, edge, INDEX_CROP, INDEX_CROP)
    return IndexCrop(crop, face_class(card.face), color_class(card.color), turn)


def _empty_quad(rng: np.random.Generator, width: int, height: int, aspect: float) -> Quad:
    side = float(np.exp(rng.uniform(np.log(20), np.log(min(width, height) * 0.8))))
    center = (float(rng.uniform(0, width)), float(rng.uniform(0, height)))
    box = cv2.boxPoints((center, (side, side * aspect), float(rng.uniform(0, 180))))
    return np.asarray(np.roll(box, -1, axis=0), np.float32)


def scene_crops(
    image: Image, row: dict[str, object], rng: np.random.Generator, limits: Limits, false: Sequence[FalseBox] = ()
) -> tuple[list[CardCrop], list[IndexCrop]]:
    """Return the crops of one scene; `row` is its line of the labels (see dataset/scenes/generate.py)."""
    height, width = image.shape[:2]
    cards: list[CardCrop] = []
    indices: list[IndexCrop] = []
    outlines: list[Quad] = []
    for entry in row["cards"]:  # type: ignore[attr-defined]
        quad, card = np.array(entry["quad"], np.float32), Card.parse(entry["card"])
        outlines.append(quad)
        if entry["visible"] >= limits.card_visible and min(sides(quad)) >= limits.card_side:
            cards.append(card_crop(image, quad, card, rng))
        frames = corner_frames(quad)
        for index, nominal in zip(entry["indices"], frames, strict=False):
            index_quad = np.array(index["quad"], np.float32)
            if index["visible"] >= limits.index_visible and min(sides(index_quad)) >= limits.index_side:
                frame = nominal if rng.random() < 0.35 else index_frame(index_quad)
                indices.append(index_crop(image, frame, card, rng))
    for aspect in (1.55, 1.0):
        quad = _empty_quad(rng, width, height, aspect)
        if any(intersection_over_smaller(quad, other) > 0.04 for other in outlines):
            continue
        if aspect > 1:
            cards.append(CardCrop(cut(image, quad, *CARD_CROP), NO_CARD, IGNORE, unit_square()))
        else:
            indices.append(IndexCrop(cut(image, quad, INDEX_CROP, INDEX_CROP), NO_CARD, IGNORE, IGNORE))
    backs = [FalseBox(True, np.array(quad, np.float32)) for quad in row.get("backs", ())]  # type: ignore[attr-defined]
    more_cards, more_indices = false_crops(image, [*false, *backs], rng)
    return cards + more_cards, indices + more_indices


def false_crops(
    image: Image, false: Sequence[FalseBox], rng: np.random.Generator
) -> tuple[list[CardCrop], list[IndexCrop]]:
    """Return the crops of false boxes in a (H, W, 3) BGR uint8 picture, one for each."""
    cards: list[CardCrop] = []
    indices: list[IndexCrop] = []
    for box in false:
        if box.is_card:
            edge = expand(portrait(_shaken(box.quad, rng, 0.7)), CARD_MARGIN)
            cards.append(CardCrop(cut(image, edge, *CARD_CROP), NO_CARD, IGNORE, unit_square()))
        else:
            frame = np.roll(index_frame(_shaken(box.quad, rng, 1.0)), int(rng.integers(4)), axis=0)
            indices.append(IndexCrop(cut(image, frame, INDEX_CROP, INDEX_CROP), NO_CARD, IGNORE, IGNORE))
    return cards, indices


@dataclass(frozen=True, eq=False)
class FalseBox:
    """A false positive of the detector for a card or an index, see models/mine.py."""

    is_card: bool
    quad: Quad


def _false_boxes(folder: Path, split: str) -> dict[str, list[FalseBox]]:
    """Return the false boxes by picture name; empty if none were mined."""
    path = false_file(folder, split)
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    return {
        row["image"]: [FalseBox(box["kind"] == "card", np.array(box["quad"], np.float32)) for box in row["boxes"]]
        for row in rows
    }


@dataclass(frozen=True)
class CropBatch:
    """Crops as (N, 3, H, W) uint8 RGB arrays with their targets: classes int64 (N,), corners float32 (N, 8)."""

    card_images: NDArray[np.uint8]
    card_targets: dict[str, NDArray[np.generic]]
    index_images: NDArray[np.uint8]
    index_targets: dict[str, NDArray[np.generic]]
    clear: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    """The same crops before degradation, by reader."""

    def parts(self) -> tuple[tuple[str, NDArray[np.uint8], dict[str, NDArray[np.generic]]], ...]:
        """Return (reader, crops, targets) of the card reader and of the index reader."""
        return (("card", self.card_images, self.card_targets), ("index", self.index_images, self.index_targets))


def _stack(images: list[Image], width: int, height: int) -> NDArray[np.uint8]:
    if not images:
        return np.zeros((0, 3, height, width), np.uint8)
    return np.ascontiguousarray(np.stack(images)[..., ::-1].transpose(0, 3, 1, 2))


def under_lamp(image: Image, rng: np.random.Generator) -> Image:
    """Return the picture under a coloured, often dim lamp without white balance."""
    gains = np.exp(rng.normal(0, 0.3, 3))
    exposure = rng.uniform(0.45, 1.1)
    table = np.arange(256, dtype=np.float32)[:, None] * (gains / gains.max() * exposure)
    return np.asarray(cv2.LUT(image, np.clip(table, 0, 255).astype(np.uint8)[None]), np.uint8)


def softened(crop: Image, rng: np.random.Generator) -> Image:
    """Return the crop at a lower resolution, as of a distant or unfocused card."""
    height, width = crop.shape[:2]
    share = rng.uniform(0.3, 0.8)
    return coarsened(crop, round(width * share), round(height * share))


def _at_random(
    change: Callable[[Image, np.random.Generator], Image], share: float, rng: np.random.Generator
) -> Callable[[Image], Image]:
    return lambda crop: change(crop, rng) if rng.random() < share else crop


def crop_batch(
    cards: Sequence[CardCrop], indices: Sequence[IndexCrop], spoil: Callable[[Image], Image] | None = None
) -> CropBatch:
    """Return the crops as a batch. `spoil` degrades a (H, W, 3) BGR uint8 crop; None leaves them as they are."""
    images = {"card": [crop.image for crop in cards], "index": [crop.image for crop in indices]}
    sizes = {"card": CARD_CROP, "index": (INDEX_CROP, INDEX_CROP)}
    clear = {kind: _stack(crops, *sizes[kind]) for kind, crops in images.items()}
    shown = clear
    if spoil is not None:
        shown = {kind: _stack([*map(spoil, crops)], *sizes[kind]) for kind, crops in images.items()}
    return CropBatch(
        shown["card"],
        {
            "face": np.array([crop.face for crop in cards], np.int64),
            "color": np.array([crop.color for crop in cards], np.int64),
            "corners": np.array([crop.corners.ravel() for crop in cards], np.float32).reshape(-1, 8),
        },
        shown["index"],
        {
            "face": np.array([crop.face for crop in indices], np.int64),
            "color": np.array([crop.color for crop in indices], np.int64),
            "turn": np.array([crop.turn for crop in indices], np.int64),
        },
        clear,
    )


def _with_false(order: NDArray[np.intp], mined: Sequence[int], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the scenes of a batch; a quarter of them have mined boxes."""
    if not mined:
        return order
    kept = order[: len(order) - len(order) // 4]
    return np.concatenate([kept, rng.choice(mined, len(order) - len(kept))])


def batches(
    folder: Path, split: str, scenes: int, seed: int, epoch: int, limits: Limits, hard: float = 0.0
) -> Iterator[CropBatch]:
    """Yield the crops of `scenes` scenes at a time, in an order and with random changes that `seed` and `epoch` decide.

    In split 'train' some crops are lit by a coloured lamp or softened. hard: share of the crops that are degraded
    instead; a quarter of each batch then has mined boxes, because degraded background is easily taken for a card.
    """
    rows = [json.loads(line) for line in (folder / f"{split}.jsonl").read_text().splitlines()]
    false = _false_boxes(folder, split)
    rng = np.random.default_rng((seed, epoch))
    order = rng.permutation(len(rows))
    mined = [i for i, row in enumerate(rows) if row["image"] in false] if hard else []
    for start in range(0, len(order), scenes):
        cards: list[CardCrop] = []
        indices: list[IndexCrop] = []
        for i in _with_false(order[start : start + scenes], mined, rng):
            image = cv2.imread(str(folder / "images" / split / f"{rows[i]['image']}.jpg"), cv2.IMREAD_COLOR)
            assert image is not None, f"{rows[i]['image']} is missing from {folder}"
            picture = np.asarray(image, np.uint8)
            if split == "train" and rng.random() < LAMP_SHARE:
                picture = under_lamp(picture, rng)
            more_cards, more_indices = scene_crops(picture, rows[i], rng, limits, false.get(rows[i]["image"], ()))
            cards += more_cards
            indices += more_indices
        if split == "train" and not hard:
            soften = _at_random(softened, _SOFT_SHARE, rng)
            cards = [replace(crop, image=soften(crop.image)) for crop in cards]
            indices = [replace(crop, image=soften(crop.image)) for crop in indices]
        yield crop_batch(cards, indices, _at_random(hardened, hard, rng) if split == "train" and hard else None)
