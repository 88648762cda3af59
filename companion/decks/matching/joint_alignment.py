"""Joint alignment of a deck's pictures by the print they share.

Each outline was found separately and may be inexact, or follow a frame printed on the card. Keypoints and their matches
in the other pictures move each picture to the common position (in the manner of Learned-Miller, Data Driven Image
Models through Continuous Joint Alignment, 2006) if it then is more similar to them; on plain cards some keypoints
belong to the ground below.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.keypoints import keypoints
from companion.decks.model.card_views import outline
from companion.decks.model.thumbnails import both_ways, small
from companion.vision.core.geometry import Image, Quad, project
from companion.vision.core.labels import Floats

# Number of keypoints per picture, and rounds: on a black deck with outlines rotated by about 60 degrees the third and
# fourth round still corrected four cards.
_MAX_KEYPOINTS, _ROUNDS = 100, 4
# Tolerance of matching places (px of a stored picture).
_MAX_DISTANCE = 8.0
# Minimum number of agreeing keypoints; ratio to those agreeing with the current position, required beyond this rotation
# in degrees; maximum rotation and scale, beyond which matches belong to other print.
_MIN_AGREEING, _MIN_GAIN, _UPRIGHT_ROTATION, _MAX_ROTATION, _MAX_SCALE = 8, 1.6, 4.0, 75.0, 1.33

# Number of similar pictures compared before and after a move, half of a colour's. On a plain design the largest moves,
# of three well-placed cards, lowered these correlations from .61, .88 and .75 to .36, .48 and .56; half of all moves by
# more than 6 px were like that.
_NEIGHBOURS = 12

_Matrix = NDArray[np.float64]


def joint_alignment(pictures: Sequence[Image]) -> list[_Matrix]:
    """Return for each stored picture the (2, 3) matrix from its pixels to the common frame.

    Cards may be upside down: matches rotated by a half turn around the card's centre count.
    """
    found = [keypoints(picture, _MAX_KEYPOINTS) for picture in pictures]
    owners = np.concatenate([np.full(len(one.places), i) for i, one in enumerate(found)])
    words = np.concatenate([one.words for one in found])
    matrices: list[_Matrix] = [np.eye(2, 3) for _ in pictures]
    likes = []
    for i, one in enumerate(found):
        similarities = one.words @ words.T
        similarities[:, owners == i] = -1.0
        likes.append(similarities.argmax(1) if similarities.size else np.zeros(0, np.intp))
    angles = np.concatenate([one.places[:, 3] for one in found])
    middle = outline().mean(0)
    for _ in range(_ROUNDS):
        turns = np.array([_turn(matrix) for matrix in matrices])
        lie = np.concatenate([_moved(one.places[:, :2], matrix) for one, matrix in zip(found, matrices, strict=True)])
        stand = angles + turns[owners]
        moved = []
        for one, near, matrix, turn in zip(found, likes, matrices, turns, strict=True):
            target = lie[near].copy()
            off = np.abs((stand[near] - one.places[:, 3] - turn + 180) % 360 - 180)
            target[off > 90] = 2 * middle - target[off > 90]
            moved.append(_better(np.ascontiguousarray(one.places[:, :2]), target, matrix))
        matrices = moved
    before = np.stack([small(picture, outline()) for picture in pictures])
    after = np.stack([small(picture, _card(matrix)) for picture, matrix in zip(pictures, matrices, strict=True)])
    gained = _matched_among(after, before) >= _matched_among(before, before)
    return [matrix if gains else np.eye(2, 3) for matrix, gains in zip(matrices, gained, strict=True)]


def _card(matrix: _Matrix) -> Quad:
    """Return the card's outline in a stored picture after a move."""
    return project(np.linalg.inv(np.vstack([matrix, [0, 0, 1]])), outline())


def _matched_among(seen: Floats, others: Floats) -> Floats:
    """Return (N,) the similarity of each of N thumbnails to its most similar ones among the N others."""
    similarities = both_ways(seen, others)
    own = np.arange(len(seen))
    similarities[:, own, own] = -1.0
    return np.asarray(np.sort(np.concatenate(similarities, axis=1), axis=1)[:, -_NEIGHBOURS:].mean(1), np.float32)


def _better(places: Floats, target: Floats, matrix: _Matrix) -> _Matrix:
    """Return the matrix that maps most places (N, 2) to their targets, the given one if none is clearly better."""
    if len(places) < _MIN_AGREEING:
        return matrix
    other, agree = cv2.estimateAffinePartial2D(places, target, ransacReprojThreshold=_MAX_DISTANCE, maxIters=300)
    if other is None:
        return matrix
    found = np.asarray(other, np.float64)
    turn, scale = _turn(found), float(np.hypot(found[0, 0], found[0, 1]))
    before = int((np.hypot(*(_moved(places, matrix) - target).T) < _MAX_DISTANCE).sum())
    least = max(_MIN_AGREEING, before if abs(turn) < _UPRIGHT_ROTATION else _MIN_GAIN * before)
    fits = int(agree.sum()) >= least and abs(turn) < _MAX_ROTATION and 1 / _MAX_SCALE < scale < _MAX_SCALE
    return found if fits else matrix


def _moved(places: Floats, matrix: _Matrix) -> Floats:
    return np.asarray(places @ matrix[:, :2].T + matrix[:, 2], np.float32)


def _turn(matrix: _Matrix) -> float:
    return float(np.degrees(np.arctan2(matrix[1, 0], matrix[0, 0])))
