"""Finds possible outlines of a deck's cards, open or partly hidden, by keypoint voting.

Each keypoint similar to one of the deck's votes for an outline; agreeing votes are verified (Lowe, Distinctive Image
Features from Scale-Invariant Keypoints, 2004: Hough clusters, each checked by its own transform).
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.keypoints import Keypoints, keypoints
from companion.decks.model.card_views import outline
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats

# Number of keypoints per deck picture, per image, and of voting keypoints, the most similar ones.
_MAX_CARD_KEYPOINTS, _MAX_PICTURE_KEYPOINTS, _VOTES = 90, 2500, 1500
# Longer side (px) of the image for keypoints: 1280 px outlined 79 of 81 cards of two designs; 640 px found the same in
# a fifth of the time with fewer false outlines.
_WIDTH = 640
# Minimum descriptor similarity of a vote.
_MIN_SIMILARITY = 0.82
# Range of card lengths (px).
_LENGTHS = (60.0, 800.0)
# Tolerances of agreeing votes: distance (over the length), rotation (radians), size (logarithm).
_MAX_DISTANCE, _MAX_ROTATION, _MAX_SCALE = 0.13, 0.2, 0.25
# Minimum number of consistent votes; tolerance as a share of the card's length, at least this many pixels.
_MIN_AGREEING, _EXACT, _MIN_SIZE = 3, 0.012, 2.5
# Maximum number of outlines.
_MAX_OUTLINES = 30


class KeypointVoter:
    """Keypoints of a deck's stored pictures. known: their places and descriptors."""

    def __init__(self, known: Keypoints) -> None:
        card = outline()
        self._card = card
        self._middle = card.mean(0)
        self._length = float(card[3][1] - card[0][1])
        self.known = known

    @classmethod
    def of(cls, pictures: Sequence[Image]) -> KeypointVoter:
        """Return the keypoints of stored pictures, on the cards only.

        They are found at half size: cards in pictures are smaller still, and finer print is not seen there.
        """
        card, parts = outline(), []
        for picture in pictures:
            found = _scaled_keypoints(picture, 0.5, _MAX_CARD_KEYPOINTS)
            parts.append(found.at(((found.places[:, :2] > card[0]) & (found.places[:, :2] < card[2])).all(1)))
        return cls(
            Keypoints(*(np.concatenate(part) for part in zip(*((p.places, p.words) for p in parts), strict=True)))
        )

    def outlines(self, image: Image, about: Floats | None = None) -> list[Quad]:
        """Return possible outlines (4, 2) in a (H, W, 3) BGR uint8 picture, best first.

        Several may belong to one card; their orientation is undetermined. about: points (N, 2) that bound the search,
        None for the whole picture.
        """
        if not len(self.known.words):
            return []
        votes, seen, known = self._votes(_keypoints_around(image, about))
        if len(votes) < _MIN_AGREEING:
            return []
        agree, lengths = _agreeing(votes), np.exp(votes[:, 2])
        left, counts = np.ones(len(votes), bool), agree.sum(1, dtype=np.int32)
        found: list[Quad] = []
        while len(found) < _MAX_OUTLINES:
            best = int(np.where(left, counts, 0).argmax())
            if not left[best] or counts[best] < _MIN_AGREEING:
                break
            chosen = np.flatnonzero(agree[best] & left)
            done = chosen
            if len(chosen) >= _MIN_AGREEING:
                quad, fits = self._outline(
                    seen[chosen], known[chosen], votes[chosen, 3] - votes[best, 3], lengths[best]
                )
                if quad is not None:
                    found.append(quad)
                    done = chosen[
                        fits | (_are_apart(votes[best], votes[chosen]) < (0.3 * _MAX_DISTANCE * lengths[best]) ** 2)
                    ]
            left[done] = left[best] = False
            counts -= agree[:, done].sum(1, dtype=np.int32)
        return found

    def _votes(self, found: Keypoints) -> tuple[Floats, Floats, Floats]:
        """Return (N, 4) votes: centre, log length and direction, with the keypoints that cast them.

        These are the picture's (N, 4) and the deck's.
        """
        similarities = found.words @ self.known.words.T
        nearest = similarities.argmax(1)
        similarity = similarities[np.arange(len(nearest)), nearest]
        best = np.argsort(-similarity)[:_VOTES]
        best = best[similarity[best] > _MIN_SIMILARITY]
        seen, known = found.places[best], self.known.places[nearest[best]]
        scale, turn = seen[:, 2] / known[:, 2], np.deg2rad(seen[:, 3] - known[:, 3])
        off = (self._middle - known[:, :2]) * scale[:, None]
        cos, sin = np.cos(turn), np.sin(turn)
        x = seen[:, 0] + cos * off[:, 0] - sin * off[:, 1]
        y = seen[:, 1] + sin * off[:, 0] + cos * off[:, 1]
        usual = (scale * self._length > _LENGTHS[0]) & (scale * self._length < _LENGTHS[1])
        votes = np.stack([x, y, np.log(scale * self._length), turn], 1)
        return votes[usual].astype(np.float32), seen[usual], known[usual]

    def _outline(
        self, seen: Floats, known: Floats, turned: Floats, length: float
    ) -> tuple[Quad | None, NDArray[np.bool_]]:
        """Return the outline given by these keypoints, and (N,) which of them are consistent with it."""
        upside_down = np.abs((turned + np.pi) % (2 * np.pi) - np.pi) > np.pi / 2
        source = known[:, :2].copy()
        source[upside_down] = 2 * self._middle - source[upside_down]
        exact = max(_MIN_SIZE, _EXACT * length)
        target = np.ascontiguousarray(seen[:, :2])
        matrix, fits = cv2.estimateAffinePartial2D(source, target, ransacReprojThreshold=exact, maxIters=300)
        if matrix is None or fits.sum() < _MIN_AGREEING:
            return None, np.zeros(len(seen), bool)
        return np.asarray(self._card @ matrix[:, :2].T + matrix[:, 2], np.float32), fits.ravel() > 0


def _agreeing(votes: Floats) -> NDArray[np.bool_]:
    """Return (N, N) which of (N, 4) votes agree with each one, which sets the tolerance."""
    x, y, size, turn = np.ascontiguousarray(votes.T)
    # Nearest first, so that few pairs are examined closely.
    apart, down = np.subtract.outer(x, x), np.subtract.outer(y, y)
    apart *= apart
    down *= down
    apart += down
    agree = np.asarray(apart < ((_MAX_DISTANCE * np.exp(size)) ** 2)[:, None])
    one, other = np.nonzero(agree)
    turned = (turn[one] - turn[other] + np.pi / 2) % np.pi - np.pi / 2
    agree[one, other] = (np.abs(size[one] - size[other]) < _MAX_SCALE) & (np.abs(turned) < _MAX_ROTATION)
    return agree


def _are_apart(vote: Floats, others: Floats) -> Floats:
    """Return (N,) the squared distances of other votes' (N, 4) centres from one vote's."""
    return np.asarray(((others[:, :2] - vote[:2]) ** 2).sum(1), np.float32)


def _keypoints_around(image: Image, about: Floats | None = None) -> Keypoints:
    """Return the keypoints of a picture, found at _WIDTH. about: points (N, 2) that bound the search."""
    height, width = image.shape[:2]
    scale = min(1.0, _WIDTH / max(height, width))
    left, top, right, bottom = 0, 0, width, height
    if about is not None:
        left, top = np.clip(np.floor(about.min(0)).astype(int), 0, (width - 1, height - 1)).tolist()
        right, bottom = np.clip(np.ceil(about.max(0)).astype(int), (left + 1, top + 1), (width, height)).tolist()
    found = _scaled_keypoints(image[top:bottom, left:right], scale, _MAX_PICTURE_KEYPOINTS)
    found.places[:, :2] += (left, top)
    return found


def _scaled_keypoints(image: Image, scale: float, most: int) -> Keypoints:
    """Return up to `most` keypoints of a picture, found after scaling it, in the picture's pixels."""
    height, width = image.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    found = keypoints(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), most)
    # Keeps pixel centres aligned between scales.
    found.places[:, :2] = (found.places[:, :2] + 0.5) / scale - 0.5
    found.places[:, 2] /= scale
    return found
