"""Finds possible outlines of a deck's cards, open or partly hidden, by scale- and rotation-invariant keypoints.

Each keypoint similar to one of the deck's gives a pose of that card. Keypoints whose poses agree outline a card; their
common transform is fitted robustly (Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.model.card_views import outline
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats

# Contrast threshold: half of Lowe's, as print in a dim room has little contrast.
_CONTRAST = 0.02
# Number of keypoints per deck picture, the strongest ones.
_MAX_CARD_KEYPOINTS = 90
# Longer side (px) of the image for keypoints: 1280 px outlined 79 of 81 cards of two designs; 640 px found the same in
# a fifth of the time with fewer false outlines.
_WIDTH = 640
# Minimum similarity of descriptors.
_MIN_SIMILARITY = 0.82
# Maximum difference of agreeing poses, in card lengths, and minimum number of keypoints that agree.
_MAX_DIFFERENCE, _MIN_AGREEING = 0.25, 3

Points = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Keypoints:
    """places: (N, 4) x, y, size (px) and direction (degrees). words: (N, 128) descriptors of unit length."""

    places: Floats
    words: Floats


class KeypointVoter:
    """Keypoints of a deck's stored pictures. known: their places and descriptors."""

    def __init__(self, known: Keypoints) -> None:
        self.known = known

    @classmethod
    def of(cls, pictures: Sequence[Image]) -> KeypointVoter:
        """Return the keypoints of stored pictures, on the cards only.

        They are found at half size: cards in pictures are smaller still, and finer print is not seen there.
        """
        card = outline()
        places, words = [], []
        for picture in pictures:
            found = _keypoints(picture, 0.5, _MAX_CARD_KEYPOINTS)
            inside = ((found.places[:, :2] > card[0]) & (found.places[:, :2] < card[2])).all(1)
            places.append(found.places[inside])
            words.append(found.words[inside])
        return cls(Keypoints(np.concatenate(places), np.concatenate(words)))

    def outlines(self, image: Image, about: Floats | None = None) -> list[Quad]:
        """Return possible outlines (4, 2) in a (H, W, 3) BGR uint8 picture, best first.

        Several may show one card; their orientation is undetermined. about: points (N, 2) that bound the search, None
        for the whole picture.
        """
        seen, known = self._pairs(_keypoints_around(image, about))
        card = outline()
        agree, lengthwise = _agreeing(seen, known, card)
        counts = agree.sum(1, dtype=np.int32)
        found: list[Quad] = []
        while counts.max(initial=0) >= _MIN_AGREEING:
            best = int(counts.argmax())
            chosen = np.flatnonzero(agree[best])
            source = known[chosen, :2].copy()
            # A card may match upside down, as its picture looks nearly the same that way.
            upside_down = np.real(lengthwise[chosen] * np.conj(lengthwise[best])) < 0
            source[upside_down] = card[0] + card[2] - source[upside_down]
            matrix, fits = cv2.estimateAffinePartial2D(source, np.ascontiguousarray(seen[chosen, :2]))
            if matrix is not None and fits.sum() >= _MIN_AGREEING:
                found.append(np.asarray(card @ matrix[:, :2].T + matrix[:, 2], np.float32))
                chosen = np.union1d(best, chosen[fits.ravel() > 0])
            counts -= agree[:, chosen].sum(1, dtype=np.int32)
            counts[chosen] = 0
            agree[:, chosen] = False
        return found

    def _pairs(self, found: Keypoints) -> tuple[Floats, Floats]:
        """Return the places (N, 4) of a picture's keypoints that are similar to some of the deck's, and of these."""
        if not len(self.known.words):
            return self.known.places, self.known.places
        similarities = found.words @ self.known.words.T
        nearest = similarities.argmax(1)
        similar = similarities[np.arange(len(nearest)), nearest] > _MIN_SIMILARITY
        return found.places[similar], self.known.places[nearest[similar]]


def _agreeing(seen: Floats, known: Floats, card: Quad) -> tuple[NDArray[np.bool_], Points]:
    """Return (N, N) whether the poses of pairs of places (N, 4) agree with each one, and (N,) the cards' long sides.

    Their difference is the distance of the centres and that of the long sides, whichever end is up.
    """
    corners = _points(card)
    turned = seen[:, 2] / known[:, 2] * np.exp(1j * np.deg2rad(seen[:, 3] - known[:, 3]))
    center = _points(seen) + turned * (corners.mean() - _points(known))
    lengthwise = turned * (corners[3] - corners[0])
    reach = (_MAX_DIFFERENCE * np.abs(lengthwise)).astype(np.float32)
    apart = np.hypot(*(np.subtract.outer(part, part) for part in (center.real, center.imag)))
    agree = np.asarray(apart < reach[:, None])
    one, other = np.nonzero(agree)
    difference = np.minimum(np.abs(lengthwise[one] - lengthwise[other]), np.abs(lengthwise[one] + lengthwise[other]))
    agree[one, other] = apart[one, other] + difference < reach[one]
    return agree, lengthwise


def _points(places: Floats) -> Points:
    """Return x and y of places (N, 2 or more) as complex numbers (N,)."""
    return np.asarray(places[:, 0] + 1j * places[:, 1], np.complex128)


def _keypoints_around(image: Image, about: Floats | None) -> Keypoints:
    """Return the keypoints of a picture, found at _WIDTH. about: points (N, 2) that bound the search."""
    height, width = image.shape[:2]
    left, top, right, bottom = 0, 0, width, height
    if about is not None:
        left, top = np.clip(np.floor(about.min(0)).astype(int), 0, (width - 1, height - 1)).tolist()
        right, bottom = np.clip(np.ceil(about.max(0)).astype(int), (left + 1, top + 1), (width, height)).tolist()
    found = _keypoints(image[top:bottom, left:right], min(1.0, _WIDTH / max(height, width)))
    found.places[:, :2] += (left, top)
    return found


def _keypoints(image: Image, scale: float, most: int = 0) -> Keypoints:
    """Return the `most` strongest keypoints of a picture, 0 for all, found after scaling it, in the picture's pixels.

    Descriptors are square-rooted (Arandjelovic and Zisserman, RootSIFT, 2012).
    """
    height, width = image.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    sift = cv2.SIFT_create(nfeatures=most, contrastThreshold=_CONTRAST)  # type: ignore[attr-defined]
    found, words = sift.detectAndCompute(cv2.resize(image, size, interpolation=cv2.INTER_AREA), None)
    places = np.array([(*one.pt, one.size, one.angle) for one in found], np.float32).reshape(-1, 4)
    # Keeps pixel centres aligned between scales.
    places[:, :2] = (places[:, :2] + 0.5) / scale - 0.5
    places[:, 2] /= scale
    words = np.zeros((0, 128), np.float32) if words is None else words
    return Keypoints(places, np.sqrt(words / (words.sum(1, keepdims=True) + 1e-6)).astype(np.float32))
