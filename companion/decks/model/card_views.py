"""What is kept of a laid card, and its crops that a deck is learnt from: as they are, and as they may look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.core.geometry import (
    INDEX_REACH,
    INDEX_SPOT,
    Image,
    Quad,
    corner_frames,
    cut,
    expand,
    index_frame,
    unit_square,
)
from companion.vision.core.labels import Floats
from companion.vision.detection.box_detector import BoxFinder, BoxKind
from companion.vision.recognition.corners import USUAL_SHARE
from companion.vision.recognition.reader import Reader

PICTURE = (320, 480)
"""Width and height in pixels of the straightened picture that is kept of a card."""
MARGIN = 0.12
"""Share of a card's width and height that it shows beyond the outline, on each side: a little more than is read."""

Spot = tuple[float, float, float]
"""Where something is on all cards of a design: x and y of its middle over the card's sides, its frame's width."""
MOST_SIGNS = 4
"""In how many places, and their like at the other end, a card has signs that are boxed as indices and are none."""

PLAIN, ALTERED = 2, 4
"""How many views of a whole card are as it is (both ways up), and how many altered."""
# How far corners of outlines are off (over the card's length), gains of the light in all and by colour, blur (px of the
# kept picture) and noise (levels) of the altered views: what the detector's outlines and other lamps bring.
_OFF, _GAIN, _TINT, _SOFT, _NOISE = 0.018, (0.65, 1.15), 0.08, (0.0, 2.2), 4.0
# Views of an index: how much the frame is grown; at each of the four quarter turns in which the detector may box it.
_GROWTHS = (-0.1, 0.0, 0.12)
UPRIGHT = slice(0, 2 * 4 * len(_GROWTHS), 4)
"""Which views of an index are upright ones of the two that a card has at the design's own spot."""
# Of so many cards the indices are looked for; found on this share of them, the design has some.
_LOOKED_AT, _FOUND = 28, 0.25
# Sides of the squares about a card's middle, over its width, that are looked at as if they were indices.
_MIDDLES = (0.45, 0.65, 0.85)
# What one corner can say against a card that the other says (nats): it may be hidden, or have another sign.
_BOUND = -6.0
# Chroma (Lab) up to which a colour is grey, over which more it counts entirely, and the most that is told apart.
_GREY, _COLORED, _CHROMA = 8.0, 20.0, 72.0
# Places at which something is boxed are others where they lie further apart, over the card's sides: signs are 0.2 and
# more of its width.
_APART = 0.12
# How far an index' middle may lie from the card's top and left edge, over its sides.
_CORNER = 0.42


@dataclass(frozen=True, eq=False)
class CardViews:
    """Features and log-likelihoods of one card's views: whole ones (V, D) and (V, 57), indices' (W, D), (W, 57).

    sign_features, sign_logs: those of signs that are boxed as indices and may be none, (S, 8, D) and (S, 8, 57).
    """

    features: Floats
    logs: Floats
    index_features: Floats
    index_logs: Floats
    sign_features: Floats
    sign_logs: Floats


def straightened(image: Image, quad: Quad) -> Image:
    """Return the card's picture as it is kept: upright or upside down, of size PICTURE with MARGIN about the card."""
    return cut(image, expand(quad, MARGIN), *PICTURE)


def outline() -> Quad:
    """Return the card's outline in a kept picture."""
    width, height = PICTURE
    inner = (unit_square() + MARGIN) / (1 + 2 * MARGIN)
    return np.asarray(inner * (width, height), np.float32)


def inks(picture: Image) -> Floats:
    """Return (256,) how much of a card's kept picture is of which colour, greys left out: square roots of shares."""
    lab = cv2.cvtColor(cv2.GaussianBlur(cut(picture, outline(), 64, 96), (0, 0), 1), cv2.COLOR_BGR2LAB)
    a, b = lab[:, :, 1].astype(np.float32) - 128, lab[:, :, 2].astype(np.float32) - 128
    colorful = np.clip((np.hypot(a, b) - _GREY) / _COLORED, 0, 1)
    reach = (-_CHROMA, _CHROMA)
    shares, _, _ = np.histogram2d(a.ravel(), b.ravel(), bins=16, range=[reach, reach], weights=colorful.ravel())
    soft = cv2.GaussianBlur(shares.astype(np.float32), (0, 0), 1) / lab[:, :, 0].size
    return np.asarray(np.sqrt(soft + 1e-5).ravel(), np.float32)


def usual_spot() -> Spot:
    """Return where most designs have their index."""
    return (*INDEX_SPOT, USUAL_SHARE * INDEX_REACH)


def index_spot(boxes: BoxFinder, pictures: Sequence[Image]) -> Spot | None:
    """Return where this design has its index; None where it seems to have none.

    Boxes in the card's other corner count turned by half.
    """
    seen, count = _boxed(boxes, pictures)
    return _middle([place for place in seen if max(place[:2]) < _CORNER], count)


def sign_spots(boxes: BoxFinder, pictures: Sequence[Image], spot: Spot | None) -> tuple[Spot, ...]:
    """Return where else cards of a design have what is boxed as an index, those that have most of it first.

    spot: where its index is. Of two ends the upper one.
    """
    seen, count = _boxed(boxes, pictures)
    x, y, _ = spot or usual_spot()
    left = [place for place in seen if np.hypot(place[0] - x, place[1] - y) > _APART]
    found: list[Spot] = []
    while left and len(found) < MOST_SIGNS:
        near = [[other for other in left if np.hypot(other[0] - a, other[1] - b) < _APART] for a, b, _ in left]
        most = max(near, key=len)
        middle = _middle(most, count)
        if middle is None:
            break
        found.append(middle)
        left = [place for place in left if place not in most]
    return tuple(found)


def _boxed(boxes: BoxFinder, pictures: Sequence[Image]) -> tuple[list[Spot], int]:
    """Return where indices are boxed on some pictures, turned to the upper end, and on how many it was looked."""
    chosen = pictures[:: max(1, len(pictures) // _LOOKED_AT)]
    card = outline()
    size = card[2] - card[0]
    seen: list[Spot] = []
    for picture in chosen:
        found = set()
        for box in boxes.find(picture, (416,)):
            if box.kind is not BoxKind.INDEX:
                continue
            frame = index_frame(box.quad)
            x, y = (frame.mean(0) - card[0]) / size
            x, y = (1 - x, 1 - y) if y > 0.5 else (x, y)
            side = float(np.hypot(*(frame[1] - frame[0]))) / float(size[0])
            if 0 < x < 1 and y > 0 and side < 1:
                found.add((float(x), float(y), side))
        seen += found
    return seen, len(chosen)


def _middle(places: Sequence[Spot], count: int) -> Spot | None:
    """Return the middle of places that are the same one on so many pictures, None where they are of too few."""
    if len(places) < _FOUND * count:
        return None
    x, y, side = np.median(np.array(places), axis=0)
    return float(x), float(y), float(side)


def study(
    reader: Reader, picture: Image, spot: Spot | None, rng: np.random.Generator, signs: Sequence[Spot] = ()
) -> CardViews:
    """Return the views of a card's kept picture. spot: where the design has its index. signs: and its other signs."""
    card = outline()
    whole = [reader.describe_cards(picture, [card, np.roll(card, 2, axis=0)])]
    length = float(card[3][1] - card[0][1])
    altered = []
    for _ in range(ALTERED // 2):
        other = _altered(picture, rng)
        off = np.asarray(card + rng.normal(0, _OFF, (4, 2)) * length, np.float32)
        whole.append(reader.describe_cards(other, [off, np.roll(off, 2, axis=0)]))
        altered.append(other)
    frames = [frame for place in dict.fromkeys((spot or usual_spot(), usual_spot())) for frame in index_frames(*place)]
    views = [expand(frame, growth) for frame in frames for growth in _GROWTHS]
    turned = [np.roll(view, -turn, axis=0) for view in views for turn in range(4)]
    indices = [reader.describe_indices(picture, turned)]
    indices.append(reader.describe_indices(altered[0], turned[:: len(_GROWTHS) + 2]))
    logs, features = (np.concatenate(parts) for parts in zip(*whole, strict=True))
    index_logs, index_features = (np.concatenate(parts) for parts in zip(*indices, strict=True))
    sign_logs, sign_features = _signs(reader, picture, signs, index_features.shape[1])
    return CardViews(features, logs, index_features, index_logs, sign_features, sign_logs)


def _signs(reader: Reader, picture: Image, signs: Sequence[Spot], width: int) -> tuple[Floats, Floats]:
    """Return (S, 8, 57) log-likelihoods and (S, 8, D) features of signs at both ends, in each of four directions."""
    if not signs:
        return np.zeros((0, 8, 57), np.float32), np.zeros((0, 8, width), np.float32)
    frames = [np.roll(frame, -turn, axis=0) for sign in signs for frame in index_frames(*sign) for turn in range(4)]
    logs, features = reader.describe_indices(picture, frames)
    return logs.reshape(len(signs), 8, -1), features.reshape(len(signs), 8, -1)


def looks_at(reader: Reader, picture: Image) -> tuple[Floats, Floats]:
    """Return (2, D) features of a card's kept picture both ways up, and (L, 57) what each look at a part of it says.

    The looks: its corners, what both say together and what either says; the whole card; its middle, as an index of some
    sizes.
    """
    card = outline()
    half, middle = float(card[1][0] - card[0][0]) / 2, card.mean(0)
    logs, features = reader.describe_cards(picture, [card, np.roll(card, 2, axis=0)])
    squares = [np.asarray(middle + (unit_square() * 2 - 1) * half * share, np.float32) for share in _MIDDLES]
    ways = [np.roll(square, turn, axis=0) for square in squares for turn in (0, 2)]
    said, _ = reader.describe_indices(picture, [*corner_frames(card), *ways])
    each = [_either(pair) for pair in (logs, *np.split(said[2:], len(squares)))]
    return features, np.concatenate([_by_corners(said[:2]), each]).astype(np.float32)


def _by_corners(said: Floats) -> Floats:
    first, second = (np.maximum(corner, corner[:-1].max() + _BOUND) for corner in said)
    return np.stack([first + second, _either(said)]).astype(np.float32)


def _either(pair: Floats) -> Floats:
    return np.asarray(np.logaddexp(*pair) - np.log(2), np.float32)


def index_frames(x: float, y: float, side: float) -> tuple[Quad, Quad]:
    """Return the squares about a kept picture's two indices, each upright for its own index.

    x, y, side: see `usual_spot`.
    """
    card = outline()
    size = card[2] - card[0]
    half = side * size[0] / 2
    center = card[0] + np.array([x, y]) * size
    first = np.asarray(center + (unit_square() * 2 - 1) * half, np.float32)
    second = np.asarray(card[0] + card[2] - first, np.float32)
    return first, second


def _altered(picture: Image, rng: np.random.Generator) -> Image:
    """Return the picture in other light, through another lens."""
    gains = rng.uniform(*_GAIN) * (1 + rng.uniform(-_TINT, _TINT, 3))
    soft = float(rng.uniform(*_SOFT))
    image = cv2.GaussianBlur(picture, (0, 0), soft) if soft > 0.3 else picture
    noisy = image * gains + rng.normal(0, _NOISE, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)
