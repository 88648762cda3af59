"""Consistency of whole-card outlines: one per card, similar sizes, card-like shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from companion.vision.core.geometry import Image, Quad, aspect, clipped, intersection_over_smaller
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.corners import is_another_card

# Minimum area relative to a more confident card, for any camera position.
_FAR_SMALLER = 0.2
# Overlap (over the smaller area) above which two outlines are the same card.
SAME_CARD = 0.65


def drop_duplicates(readings: Sequence[Reading], indices: Sequence[Reading], image: Image) -> list[Reading]:
    """Return the readings, best first, without duplicate boxes.

    Outlines are compared inside the picture; beyond it they are estimates.
    """
    height, width = image.shape[:2]
    kept: list[Reading] = []
    for reading in readings:
        part = clipped(reading.quad, width, height)
        if not any(
            intersection_over_smaller(part, clipped(other.quad, width, height)) > SAME_CARD
            and not is_another_card(reading, other, indices)
            for other in kept
        ):
            kept.append(reading)
    return kept


def is_far_smaller(card: Reading | Sighting, others: Iterable[Reading | Sighting]) -> bool:
    """Whether an outline is far smaller than a more confident card's, so that it is no card."""
    return any(card.confidence < other.confidence and is_too_small_beside(card.quad, other.quad) for other in others)


def similar_in_size(quad: Quad, other: Quad) -> bool:
    """Whether neither outline is too small beside the other one for both to be cards."""
    return not (is_too_small_beside(quad, other) or is_too_small_beside(other, quad))


def is_too_small_beside(quad: Quad, other: Quad) -> bool:
    """Whether an outline is too small beside another one for both to be cards."""
    return bool(abs(cv2.contourArea(quad)) < _FAR_SMALLER * abs(cv2.contourArea(other)))


def is_card_shaped(quad: Quad) -> bool:
    """Whether an outline is convex and not a sliver."""
    return cv2.isContourConvex(quad.reshape(-1, 1, 2)) and 0.2 < aspect(quad) < 1.6


def touches_similar_card(card: Quad, others: Iterable[Quad]) -> bool:
    """Whether a card of similar size overlaps or touches a card's outline, as far as their centres tell."""
    reach = float(np.hypot(*(card[2] - card[0])))
    return any(np.hypot(*(other.mean(0) - card.mean(0))) < reach and similar_in_size(card, other) for other in others)
