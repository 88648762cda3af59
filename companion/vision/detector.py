"""Picture -> sightings: every face-up card once, whether it lies open or shows only a corner.

YOLO boxes whole cards and corner indices; whole cards are read in a refined outline and claim their own indices; each
index left over is one fanned or half-hidden card, two of them at opposite corners being the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.cards import ALL_CARDS, EditionName, deck
from companion.vision.boxes import Box, BoxFinder, BoxKind
from companion.vision.calibration import Calibration
from companion.vision.geometry import (
    INDEX_REACH,
    Image,
    Quad,
    homography,
    index_frame,
    intersection_over_smaller,
    project,
    unit_square,
)
from companion.vision.labels import Floats
from companion.vision.reader import CardReading, IndexReading, Reader
from companion.vision.runtime import Network
from companion.vision.sightings import Sighting

MODEL_FOLDER = Path(__file__).resolve().parent.parent / "models"
_CHECKOUT_MODELS = Path(__file__).resolve().parents[2] / "models"

UNSURE_BELOW = 0.75
"""Confidence under which a reading is called unsure and shown with its runner-up."""

# A box must be at least this likely to be a card at all; chosen on the generated validation scenes.
_NO_CARD_LIMIT = 0.5
_INDEX_NO_CARD_LIMIT = 0.35
# Where on a whole card, in its own unit square, its indices are; anything else inside it lies on top of it or is print.
_CORNER_ZONE = (0.34, 0.3)
# Two whole cards sharing more of the smaller one than this are the same card boxed twice.
_SAME_CARD = 0.72


def model_folder() -> Path:
    """Return the folder of the shipped networks, beside the package in a checkout, inside it in an installation."""
    return MODEL_FOLDER if MODEL_FOLDER.is_dir() else _CHECKOUT_MODELS


class CardDetector:
    """Finds and reads cards. One instance may be used from several threads.

    edition: only its cards are considered, all where None. folder: detector.onnx, card-reader.onnx, index-reader.onnx
    and calibration.json. scales: longer sides in pixels at which the picture is searched. Raises ModelFileError where a
    file is missing or damaged.
    """

    def __init__(
        self,
        edition: EditionName | None = None,
        folder: Path | None = None,
        scales: tuple[int, ...] = (640, 320),
        threads: int = 0,
    ) -> None:
        folder = folder or model_folder()
        self._boxes = BoxFinder(Network(folder / "detector.onnx", threads), scales)
        self._reader = Reader(
            Network(folder / "card-reader.onnx", threads), Network(folder / "index-reader.onnx", threads)
        )
        self._calibration = Calibration.load(folder / "calibration.json")
        allowed = set(ALL_CARDS if edition is None else deck(edition))
        self._allowed = np.array([card in allowed for card in ALL_CARDS] + [True])

    def detect(self, image: Image) -> list[Sighting]:
        """Return the face-up cards in a (H, W, 3) BGR uint8 picture, whole ones first, each from the left."""
        boxes = self._boxes.find(image)
        whole = self._whole_cards(image, [box for box in boxes if box.kind is BoxKind.CARD])
        indices = self._loose_indices(image, [box for box in boxes if box.kind is BoxKind.INDEX], whole)
        sightings = [self._sighting(reading.quad, reading.logs, whole=True) for reading in whole]
        sightings += [self._sighting(card.quad, card.logs, whole=False) for card in _joined(indices)]
        return sorted(sightings, key=lambda sighting: (not sighting.whole, float(sighting.quad[:, 0].mean())))

    def _whole_cards(self, image: Image, boxes: Sequence[Box]) -> list[CardReading]:
        readings = self._reader.read_cards(image, [box.quad for box in boxes])
        kept: list[CardReading] = []
        for reading in readings:
            if self._probabilities(reading.logs, True)[-1] > _NO_CARD_LIMIT or not _is_card_shaped(reading.quad):
                continue
            if all(_overlap(reading.quad, other.quad) < _SAME_CARD for other in kept):
                kept.append(reading)
        return kept

    def _loose_indices(self, image: Image, boxes: Sequence[Box], whole: Sequence[CardReading]) -> list[IndexReading]:
        free = [box for box in boxes if not any(_claims(card.quad, box.quad) for card in whole)]
        readings = self._reader.read_indices(image, [index_frame(box.quad) for box in free])
        return [r for r in readings if self._probabilities(r.logs, False)[-1] < _INDEX_NO_CARD_LIMIT]

    def _probabilities(self, logs: Floats, whole: bool) -> Floats:
        scaled = np.where(self._allowed, logs, -np.inf) / self._calibration.temperature(whole)
        odds = np.exp(scaled - scaled.max())
        return np.asarray(odds / odds.sum(), np.float32)

    def _sighting(self, quad: Quad, logs: Floats, whole: bool) -> Sighting:
        probabilities = self._probabilities(logs, whole)[:-1]
        order = [int(i) for i in np.argsort(-probabilities) if self._allowed[i]]
        return Sighting(
            quad,
            tuple(ALL_CARDS[i] for i in order),
            tuple(float(probabilities[i]) for i in order),
            whole,
        )


def _overlap(a: Quad, b: Quad) -> float:
    return intersection_over_smaller(a, b)


def _is_card_shaped(quad: Quad) -> bool:
    """Whether an outline is convex and not a sliver: what a card can look like short of seeing its edge."""
    if not cv2.isContourConvex(quad.reshape(-1, 1, 2)):
        return False
    width = np.hypot(*(quad[1] - quad[0])) + np.hypot(*(quad[2] - quad[3]))
    height = np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1]))
    return bool(0.2 < width / max(height, 1e-6) < 1.6)


def _claims(card: Quad, index: Quad) -> bool:
    """Whether an index' centre lies on the card where the card's own indices are, or within its own middle symbol."""
    x, y = project(homography(card, unit_square()), index.mean(0, keepdims=True))[0]
    if not (-0.05 <= x <= 1.05 and -0.05 <= y <= 1.05):
        return False
    across, down = _CORNER_ZONE
    at_corner = (x < across and y < down) or (x > 1 - across and y > 1 - down)
    # A middle symbol is found as an index now and then; a real index of another card is much smaller than that.
    share = abs(cv2.contourArea(index)) / max(abs(cv2.contourArea(card)), 1.0)
    in_middle = 0.2 < x < 0.8 and 0.2 < y < 0.8
    return at_corner or (in_middle and share > 0.02)


def _card_outline(reading: IndexReading) -> Quad:
    """Return about where the card lies whose top-left index was read, from the index' size and direction."""
    frame = reading.quad
    scale = 1 / INDEX_REACH / 0.135
    along, down = (frame[1] - frame[0]) * scale, (frame[3] - frame[0]) * scale * 87 / 56
    start = frame.mean(0) - 0.155 * along - 0.12 * down
    return np.asarray([start, start + along, start + along + down, start + down], np.float32)


def _joined(readings: Sequence[IndexReading]) -> list[IndexReading]:
    """Return one reading per card, with the card's outline: opposite corners of one card are put together."""
    left = sorted(readings, key=lambda reading: -float(reading.logs[:-1].max()))
    cards: list[IndexReading] = []
    while left:
        first = left.pop(0)
        partner = next((other for other in left if _opposite(first, other)), None)
        if partner is None:
            cards.append(IndexReading(_card_outline(first), first.logs))
        else:
            left.remove(partner)
            cards.append(IndexReading(_card_outline(first), first.logs + partner.logs))
    return cards


def _opposite(a: IndexReading, b: IndexReading) -> bool:
    """Whether two indices can be the two corners of one card: same card read, turned half round, a diagonal apart."""
    if int(a.logs[:-1].argmax()) != int(b.logs[:-1].argmax()):
        return False
    right_a, right_b = a.quad[1] - a.quad[0], b.quad[1] - b.quad[0]
    side_a, side_b = float(np.hypot(*right_a)), float(np.hypot(*right_b))
    if not 0.6 < side_a / max(side_b, 1e-6) < 1.7:
        return False
    if float(right_a @ right_b) > -0.7 * side_a * side_b:
        return False
    outline = _card_outline(a)
    expected = outline[0] + 0.845 * (outline[1] - outline[0]) + 0.88 * (outline[3] - outline[0])
    reach = float(np.hypot(*(outline[3] - outline[0])))
    return bool(np.hypot(*(expected - b.quad.mean(0))) < 0.4 * reach)
