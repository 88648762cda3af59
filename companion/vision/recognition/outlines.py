"""Outlines of whole cards against one another: one for each card, all of about one size, of a card's shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from companion.vision.core.geometry import (
    Image,
    Quad,
    clipped,
    corner_frames,
    homography,
    intersection_over_smaller,
    project,
    unit_square,
)
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.corners import lies_across

# An outline of less than this share of a surer one's area is no card beside it, however near the camera is.
_FAR_SMALLER = 0.2
# Two whole cards sharing more of the smaller one than this are the same card boxed twice.
SAME_CARD = 0.65
# An outline of less than this share of the area of one that it lies in is a part of it.
_PART = 0.6
# A corner read with less than the first, no farther than so much of an open card's sides from it, is its own if it
# reads alike: so it was on three photographs of one card, however they were spoilt.
_CLEAR, _ECHO = 0.82, 0.5
# A corner on an open card tells a card of at least so much of its area, or is print: one that did not had a fifth.
_PRINT = 0.3


def one_each(readings: Sequence[Reading], indices: Sequence[Reading], image: Image) -> list[Reading]:
    """Return the readings, best first, without second boxes of a card and without boxes of a card's part.

    Cards are all of one size, so an outline much smaller than another that it lies in is a piece of that card's print.
    Of outlines that reach out of the picture, what lies in it is compared: the rest is guessed.
    """
    height, width = image.shape[:2]
    kept: list[Reading] = []
    for reading in readings:
        area = abs(cv2.contourArea(reading.quad))
        part = clipped(reading.quad, width, height)
        rivals = [
            other
            for other in kept
            if intersection_over_smaller(part, clipped(other.quad, width, height)) > SAME_CARD
            and not lies_across(reading, other, indices)
        ]
        if not rivals:
            kept.append(reading)
        elif all(abs(cv2.contourArea(other.quad)) < _PART * area for other in rivals):
            kept = [other for other in kept if all(other is not rival for rival in rivals)] + [reading]
    return kept


def of_one_size(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings without those far smaller than a surer one: cards in a picture are of about one size."""
    return [sighting for sighting in sightings if not is_far_smaller(sighting, sightings)]


def is_far_smaller(card: Reading | Sighting, others: Iterable[Reading | Sighting]) -> bool:
    """Whether an outline is far smaller than another card's that is surer, so that no card is there."""
    return any(card.confidence < other.confidence and lies_small(card.quad, other.quad) for other in others)


def lies_small(quad: Quad, other: Quad) -> bool:
    """Whether an outline is so much smaller than another one that cards do not lie in both."""
    return bool(abs(cv2.contourArea(quad)) < _FAR_SMALLER * abs(cv2.contourArea(other)))


def without_echo(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings without a doubtful corner that is the one open card's own, or its print.

    Where a card's outline is off, its own corner lies beside it; a second card like it seldom does. What lies on it is
    as large as it is.
    """
    if len(sightings) != 2 or not sightings[0].whole or sightings[1].whole:
        return list(sightings)
    card, corner = sightings
    at = project(homography(card.quad, unit_square()), corner_frames(corner.quad)[0].mean(0)[None])[0]
    away = float(np.abs(at - 0.5).max()) - 0.5
    own = corner.card == card.card and away < _ECHO
    printed = away < 0 and abs(cv2.contourArea(corner.quad)) < _PRINT * abs(cv2.contourArea(card.quad))
    doubtful = corner.confidence < min(_CLEAR, card.confidence)
    return [card] if doubtful and (own or printed) else [card, corner]


def is_card_shaped(quad: Quad) -> bool:
    """Whether an outline is convex and not a sliver: what a card can look like short of seeing its edge."""
    if not cv2.isContourConvex(quad.reshape(-1, 1, 2)):
        return False
    width = np.hypot(*(quad[1] - quad[0])) + np.hypot(*(quad[2] - quad[3]))
    height = np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1]))
    return bool(0.2 < width / max(height, 1e-6) < 1.6)
