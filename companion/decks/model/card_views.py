"""The stored picture of a learnt card, and the crops a deck is learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.core.geometry import (
    INDEX_REACH,
    INDEX_SPOT,
    Image,
    Quad,
    corner_frames,
    cut,
    expand,
    framed,
    index_frame,
    turned,
    unit_square,
)
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.detection.box_detector import BoxFinder, BoxKind
from companion.vision.recognition.corners import USUAL_SHARE
from companion.vision.recognition.reader import INDEX_VIEWS, Reader

PICTURE = (320, 480)
"""Width and height in pixels of a card's stored, rectified picture."""
MARGIN = 0.12
"""Margin around the card in its stored picture, as a share of its width and height: slightly more than the reader
needs.
"""

Spot = tuple[float, float, float]
"""Position of a design's index: x and y of the centre over the card's sides, width of its frame."""

_CROP_SCALES = tuple(growth for growth, _ in INDEX_VIEWS)
"""Enlargements of the frame of an index view, for each of the four quarter turns in which it may be detected."""
UPRIGHT = slice(2 * len(_CROP_SCALES))
"""Indices of the upright views of the two corner indices at the design's position."""
# Side of the square around a card's middle, over its width, that is read as if it were an index.
_MIDDLE = 0.65


@dataclass(frozen=True, eq=False)
class CardViews:
    """Features and log-likelihoods of one card's views: whole (2, D) and (2, 57), indices (W, D) and (W, 57).

    The whole card is seen in both orientations.
    """

    features: Floats
    logs: Floats
    index_features: Floats
    index_logs: Floats


def stored_picture(image: Image, quad: Quad) -> Image:
    """Return the card's stored picture, upright or upside down, of size PICTURE with MARGIN around the card."""
    return cut(image, expand(quad, MARGIN), *PICTURE)


def outline() -> Quad:
    """Return the card's outline in a stored picture."""
    return framed(*PICTURE, MARGIN)


def usual_spot() -> Spot:
    """Return the index position of most designs."""
    return (*INDEX_SPOT, USUAL_SHARE * INDEX_REACH)


def design_spot(boxes: BoxFinder, pictures: Sequence[Image]) -> Spot | None:
    """Return the index position of a design, the median over its cards' pictures; None without indices.

    Boxes at the lower end count after a half turn. Cards with indices have two, so there are at least as many as cards.
    """
    card = outline()
    size = card[2] - card[0]
    found: list[Spot] = []
    for picture in pictures:
        for box in boxes.find(picture, (416,)):
            frame = index_frame(box.quad)
            x, y = (frame.mean(0) - card[0]) / size
            x, y = (1 - x, 1 - y) if y > 0.5 else (x, y)
            side = float(np.hypot(*(frame[1] - frame[0]))) / float(size[0])
            if box.kind is BoxKind.INDEX and 0 < x < 0.5 and y > 0 and side < 1:
                found.append((float(x), float(y), side))
    if len(found) < len(pictures):
        return None
    x, y, side = np.median(np.array(found), axis=0)
    return float(x), float(y), float(side)


def picture_views(reader: Reader, picture: Image, spot: Spot | None) -> CardViews:
    """Return the views of a card's stored picture. spot: index position of the design."""
    card = outline()
    logs, features = reader.describe_cards(picture, [card, turned(card, 2)])
    views = [expand(frame, growth) for frame in index_frames(*(spot or usual_spot())) for growth in _CROP_SCALES]
    frames = [turned(view, turn) for turn in range(4) for view in views]
    if spot is not None:
        # Where a card is outlined, corners are read upright at the usual position.
        frames += [expand(frame, growth) for frame in index_frames(*usual_spot()) for growth in _CROP_SCALES]
    index_logs, index_features = reader.describe_indices(picture, frames)
    return CardViews(features, logs, index_features, index_logs)


@dataclass(frozen=True, eq=False)
class NamingEvidence:
    """What a laid card is named by.

    picture: its stored picture. features: (2, D) of the whole card in both orientations. logs: (3, 57) readings of
    either corner, of the whole card, and of its middle as an index.
    """

    picture: Image
    features: Floats
    logs: Floats

    @property
    def legibility(self) -> float:
        """The mean of the highest probabilities by corners and by whole card."""
        return float(np.exp(log_softmax(self.logs[:2]))[:, :-1].max(1).mean())


def naming_evidence(reader: Reader, picture: Image) -> NamingEvidence:
    """Return the features and readings of a card's stored picture."""
    card = outline()
    half = float(card[1][0] - card[0][0]) / 2 * _MIDDLE
    square = np.asarray(card.mean(0) + (unit_square() * 2 - 1) * half, np.float32)
    whole, features = reader.describe_cards(picture, [card, turned(card, 2)])
    index_logs, _ = reader.describe_indices(picture, [*corner_frames(card), square, turned(square, 2)])
    # Each part is read in two ways, of which one is right.
    parts = np.stack([index_logs[:2], whole, index_logs[2:]])
    return NamingEvidence(picture, features, np.asarray(np.logaddexp(parts[:, 0], parts[:, 1]) - np.log(2), np.float32))


def index_frames(x: float, y: float, side: float) -> tuple[Quad, Quad]:
    """Return the squares around a stored picture's two indices, each upright for its own index.

    x, y, side: see `usual_spot`.
    """
    card = outline()
    size = card[2] - card[0]
    half = side * size[0] / 2
    center = card[0] + np.array([x, y]) * size
    first = np.asarray(center + (unit_square() * 2 - 1) * half, np.float32)
    second = np.asarray(card[0] + card[2] - first, np.float32)
    return first, second
