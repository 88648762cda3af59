"""Where cards of a deck may lie, whole or hidden but for a part: keypoints vote for outlines.

Each keypoint that is like one of the deck's tells where the whole card would lie; where several agree one may (Lowe,
Distinctive Image Features from Scale-Invariant Keypoints, 2004: Hough clusters, each checked by its own transform).
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

# Keypoints of each of the deck's pictures, of a picture, and how many of these vote: those most like the deck's.
_OF_CARD, _OF_PICTURE, _VOTES = 90, 2500, 1500
# The longer side (px) at which a picture's are found: at 1280 px they gave 79 of 81 cards of two designs an outline, at
# 640 px, in a fifth of the time, the same ones, and fewer outlines where none was.
_WIDTH = 640
# Likeness of words from which on a keypoint votes.
_ALIKE = 0.82
# Lengths (px) that cards have in pictures.
_LENGTHS = (60.0, 800.0)
# Votes agree whose cards lie so near (over the length), stand so alike (radians) and are so alike in size (logarithm).
_NEAR, _TURNED, _SIZED = 0.13, 0.2, 0.25
# So many must agree, by the transform that they give to within this share of a card's length, or so many pixels.
_AGREE, _EXACT, _LEAST = 3, 0.012, 2.5
# So many outlines are told at most.
_MOST = 30


class Voters:
    """The keypoints of a deck's kept pictures. known: their places in them, and what is about them."""

    def __init__(self, known: Keypoints) -> None:
        card = outline()
        self._card = card
        self._middle = card.mean(0)
        self._length = float(card[3][1] - card[0][1])
        self.known = known

    @classmethod
    def of(cls, pictures: Sequence[Image]) -> Voters:
        """Return those of kept pictures, on the cards alone."""
        card, parts = outline(), []
        for picture in pictures:
            found = keypoints(picture, _OF_CARD)
            parts.append(found.at(((found.places[:, :2] > card[0]) & (found.places[:, :2] < card[2])).all(1)))
        return cls(
            Keypoints(*(np.concatenate(part) for part in zip(*((p.places, p.words) for p in parts), strict=True)))
        )

    def outlines(self, image: Image, about: Floats | None = None) -> list[Quad]:
        """Return outlines (4, 2) that cards of the deck may have in a (H, W, 3) BGR uint8 picture, the likeliest first.

        Those of a card may be some; which end is the card's top is left open. about: points (N, 2) between which they
        show, all over the picture where None.
        """
        if not len(self.known.words):
            return []
        votes, seen, known = self._votes(_of(image, about))
        if len(votes) < _AGREE:
            return []
        agree, lengths = _agreeing(votes), np.exp(votes[:, 2])
        left, counts = np.ones(len(votes), bool), agree.sum(1, dtype=np.int32)
        found: list[Quad] = []
        while len(found) < _MOST:
            best = int(np.where(left, counts, 0).argmax())
            if not left[best] or counts[best] < _AGREE:
                break
            chosen = np.flatnonzero(agree[best] & left)
            done = chosen
            if len(chosen) >= _AGREE:
                quad, fits = self._outline(
                    seen[chosen], known[chosen], votes[chosen, 3] - votes[best, 3], lengths[best]
                )
                if quad is not None:
                    found.append(quad)
                    done = chosen[fits | (_apart(votes[best], votes[chosen]) < (0.3 * _NEAR * lengths[best]) ** 2)]
            left[done] = left[best] = False
            counts -= agree[:, done].sum(1, dtype=np.int32)
        return found

    def _votes(self, found: Keypoints) -> tuple[Floats, Floats, Floats]:
        """Return (N, 4) middles, logarithms of lengths and directions of cards, and the keypoints that tell them.

        Those are the picture's (N, 4) and the deck's.
        """
        alike = found.words @ self.known.words.T
        nearest = alike.argmax(1)
        similarity = alike[np.arange(len(nearest)), nearest]
        best = np.argsort(-similarity)[:_VOTES]
        best = best[similarity[best] > _ALIKE]
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
        """Return the outline that these keypoints give, and (N,) which of them lie as it says."""
        upside_down = np.abs((turned + np.pi) % (2 * np.pi) - np.pi) > np.pi / 2
        source = known[:, :2].copy()
        source[upside_down] = 2 * self._middle - source[upside_down]
        exact = max(_LEAST, _EXACT * length)
        target = np.ascontiguousarray(seen[:, :2])
        matrix, fits = cv2.estimateAffinePartial2D(source, target, ransacReprojThreshold=exact, maxIters=300)
        if matrix is None or fits.sum() < _AGREE:
            return None, np.zeros(len(seen), bool)
        return np.asarray(self._card @ matrix[:, :2].T + matrix[:, 2], np.float32), fits.ravel() > 0


def _agreeing(votes: Floats) -> NDArray[np.bool_]:
    """Return (N, N) which of (N, 4) votes agree with each, which says how near the others must be."""
    x, y, size, turn = np.ascontiguousarray(votes.T)
    # The nearest first: few of all pairs are left to be looked at more closely.
    apart, down = np.subtract.outer(x, x), np.subtract.outer(y, y)
    apart *= apart
    down *= down
    apart += down
    agree = np.asarray(apart < ((_NEAR * np.exp(size)) ** 2)[:, None])
    one, other = np.nonzero(agree)
    turned = (turn[one] - turn[other] + np.pi / 2) % np.pi - np.pi / 2
    agree[one, other] = (np.abs(size[one] - size[other]) < _SIZED) & (np.abs(turned) < _TURNED)
    return agree


def _apart(vote: Floats, others: Floats) -> Floats:
    """Return (N,) the squared distances of the middles that other votes (N, 4) tell from that of one."""
    return np.asarray(((others[:, :2] - vote[:2]) ** 2).sum(1), np.float32)


def _of(image: Image, about: Floats | None = None) -> Keypoints:
    """Return the keypoints of a picture, found at _WIDTH. about: points (N, 2) between which they are looked for."""
    height, width = image.shape[:2]
    scale = min(1.0, _WIDTH / max(height, width))
    left, top, right, bottom = 0, 0, width, height
    if about is not None:
        left, top = np.clip(np.floor(about.min(0)).astype(int), 0, (width - 1, height - 1)).tolist()
        right, bottom = np.clip(np.ceil(about.max(0)).astype(int), (left + 1, top + 1), (width, height)).tolist()
    size = (max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale)))
    part = cv2.resize(image[top:bottom, left:right], size, interpolation=cv2.INTER_AREA)
    found = keypoints(np.asarray(part, np.uint8), _OF_PICTURE)
    # A pixel's middle stays the middle of what it was made of.
    found.places[:, :2] = (found.places[:, :2] + 0.5) / scale - 0.5 + (left, top)
    found.places[:, 2] /= scale
    return found
