"""The YOLO detector: picture to rotated boxes of whole cards and corner indices, with ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, intersection_over_union, portrait
from companion.vision.core.runtime import Network


class BoxKind(Enum):
    """The detector's classes, in the order of its output."""

    CARD = "card"
    INDEX = "index"

    @property
    def number(self) -> int:
        """The class's place in the output."""
        return list(BoxKind).index(self)


@dataclass(frozen=True, eq=False)
class Box:
    """A rotated rectangle (4, 2) in picture pixels, clockwise, with the detector's score."""

    kind: BoxKind
    quad: Quad
    score: float


STRIDE = 32
_PAD = 114
# Minimum score of the second head's outlines, which only are candidates, over the best score: out of focus or on an
# unusual table all are low. The best score counts as this much at least.
_MIN_OUTLINE_SHARE = 0.18
SAME_BOX, SAME_ON_PILE = 0.4, 0.85
"""IoU above which two boxes of a kind are duplicates, for non-maximum suppression. On a pile and in a fan cards overlap
strongly, so there the limit for cards is higher.
"""


def letterbox(image: Image, longest: int) -> tuple[NDArray[np.float32], float, tuple[int, int]]:
    """Return the detector's input (1, 3, H, W) RGB in 0..1, the scale used, and the (x, y) offset of the picture.

    The picture's longer side becomes `longest` pixels; grey padding extends it to multiples of the stride, as in
    ultralytics.
    """
    height, width = image.shape[:2]
    scale = longest / max(height, width)
    new_width, new_height = max(1, round(width * scale)), max(1, round(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(image, (new_width, new_height), interpolation=method)
    wider, higher = -new_width % STRIDE, -new_height % STRIDE
    left, top = wider // 2, higher // 2
    canvas = cv2.copyMakeBorder(small, top, higher - top, left, wider - left, cv2.BORDER_CONSTANT, value=(_PAD,) * 3)
    x = np.asarray(cv2.dnn.blobFromImage(canvas, 1 / 255, swapRB=True), np.float32)
    return x, scale, (left, top)


def decode(output: NDArray[np.float32], scale: float, offset: tuple[int, int], min_score: float) -> list[Box]:
    """Return the boxes scoring at least `min_score` in a raw (4 + classes + 1, N) output: x, y, w, h, scores, angle."""
    scores = output[4:-1]
    kinds = scores.argmax(0)
    best = scores.max(0)
    keep = np.flatnonzero(best >= min_score)
    x, y, width, height = output[:4, keep].astype(np.float64)
    angle = output[-1, keep].astype(np.float64)
    along = np.stack([np.cos(angle), np.sin(angle)], 1) * width[:, None] / 2
    across = np.stack([-np.sin(angle), np.cos(angle)], 1) * height[:, None] / 2
    center = np.stack([x, y], 1) - offset
    corners = [center - along - across, center + along - across, center + along + across, center - along + across]
    quads = np.asarray(np.stack(corners, 1) / scale, np.float32)
    classes = tuple(BoxKind)
    return [
        Box(classes[kind], quad, score)
        for kind, quad, score in zip(kinds[keep].tolist(), quads, best[keep].tolist(), strict=True)
    ]


def suppress(boxes: list[Box], max_iou: float) -> list[Box]:
    """Return the boxes, best first, without those whose IoU with a better one of their kind exceeds `max_iou`."""
    ordered = sorted(boxes, key=lambda box: -box.score)
    if not ordered:
        return []
    quads = np.stack([box.quad for box in ordered])
    are_cards = np.array([box.kind is BoxKind.CARD for box in ordered])
    low, high = quads.min(1), quads.max(1)
    apart = (high[:, None] < low[None]).any(2)
    may_overlap = ~(apart | apart.T) & (are_cards[:, None] == are_cards[None])
    kept: list[int] = []
    for i in range(len(ordered)):
        if all(intersection_over_union(quads[i], quads[j]) <= max_iou for j in kept if may_overlap[i, j]):
            kept.append(i)
    return [ordered[i] for i in kept]


@dataclass(frozen=True, eq=False)
class BoxFinder:
    """Finds boxes at one or several scales of a picture.

    network: the exported detector. scales: longer sides of the searched picture in pixels, the finest first. Several
    cover cards that fill the frame as well as small ones, because convolutions detect only the sizes they were trained
    on. min_score: of a box. outline_network: the network with its second head, see `with_outlines`.
    """

    network: Network
    scales: tuple[int, ...] = (640, 320)
    min_score: float = 0.35
    outline_network: Network | None = None

    def find(
        self,
        image: Image,
        scales: Sequence[int] | None = None,
        rotated: bool = False,
        min_score: float | None = None,
        on_pile: bool = False,
        known: Sequence[Box] = (),
    ) -> list[Box]:
        """Return the boxes in a (H, W, 3) BGR uint8 picture, best first, without duplicates.

        scales: overrides the default scales. rotated: search the picture rotated by a quarter turn, which finds some
        missed cards; boxes are in pixels of the unrotated picture. min_score: overrides the default. on_pile: whether
        the cards overlap on a pile. known: boxes of this picture at another scale, which are among the results.
        """
        min_score = self.min_score if min_score is None else min_score
        picture = np.ascontiguousarray(np.rot90(image)) if rotated else image
        boxes = _boxes(self.network, picture, self.scales if scales is None else scales, min_score)
        if rotated:
            boxes = [replace(box, quad=_unrotated(box.quad, image.shape[1])) for box in boxes]
        boxes += known
        if not on_pile:
            return suppress(boxes, SAME_BOX)
        indices = suppress([box for box in boxes if box.kind is BoxKind.INDEX], SAME_BOX)
        return suppress([*indices, *(box for box in boxes if box.kind is BoxKind.CARD)], SAME_ON_PILE)

    def with_outlines(self) -> BoxFinder:
        """Return a finder that also has the network's second head, if outlines.onnx is beside it.

        Raises ModelFileError if that file is damaged.
        """
        extension = self.network.path.with_name("outlines.onnx")
        if not extension.is_file():
            return self
        return replace(self, outline_network=Network.shared(self.network.path, self.network.threads, extension))

    def propose_outlines(self, image: Image, scales: Sequence[int]) -> list[Quad]:
        """Return upright outlines (4, 2) of cards of any print in a (H, W, 3) BGR uint8 picture, best first.

        Covered cards are among them, each by its whole outline, and cards may have several similar ones. The network's
        second head finds them at these scales; there are none without it.
        """
        network = self.outline_network
        if network is None:
            return []
        boxes = _boxes(lambda x: network.with_features(x)[1], image, scales, _MIN_OUTLINE_SHARE**2)
        best = max((box.score for box in boxes), default=0.0)
        likely = [box for box in boxes if box.score >= _MIN_OUTLINE_SHARE * best]
        return [portrait(box.quad) for box in suppress(likely, SAME_ON_PILE)]


def _boxes(
    run: Callable[[NDArray[np.float32]], NDArray[np.float32]], image: Image, scales: Sequence[int], min_score: float
) -> list[Box]:
    """Return the boxes of a network's output at several scales, duplicates included."""
    boxes: list[Box] = []
    for longest in scales:
        x, scale, offset = letterbox(image, longest)
        boxes += decode(run(x)[0], scale, offset, min_score)
    return boxes


def _unrotated(quad: Quad, width: int) -> Quad:
    """Return a quad found in a picture rotated a quarter turn anticlockwise in pixels of the original, `width` wide."""
    return np.column_stack([width - quad[:, 1], quad[:, 0]]).astype(np.float32)
