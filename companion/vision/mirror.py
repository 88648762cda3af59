"""Mirrored pictures: front cameras show the table as a looking glass does, and digits read wrongly or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import Face
from companion.vision.geometry import Image
from companion.vision.sightings import Sighting

# On 24 mirrored photographs hardly a card was read with this confidence that a mirror does not leave as it is.
_SURELY = 0.95
_ALIKE = frozenset({Face.ZERO, Face.EIGHT, Face.SKIP, Face.REVERSE, *(face for face in Face if face.is_wild)})
"""Faces that look about the same in a mirror."""


def flipped(image: Image) -> Image:
    """Return a (H, W, 3) picture with left and right swapped."""
    return np.asarray(cv2.flip(image, 1), np.uint8)


def is_doubtful(sightings: Sequence[Sighting]) -> bool:
    """Whether so little was read surely, and no digit that has two sides, that the picture may be mirrored."""
    two_sided = any(s.confidence >= _SURELY and s.card.face not in _ALIKE for s in sightings)
    return not two_sided and 2 * _sure(sightings) <= len(sightings)


def is_mirrored(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether a picture is mirrored, by what was read in it and in its mirror image.

    Some cards look the same in a mirror, so those read surely there must be more than twice as many. Arrows count only
    if they are arrows both ways: a slanted or blurred digit's mirror image may look like them.
    """
    arrows = any(sighting.card.face is Face.REVERSE for sighting in as_it_is)
    told = [sighting for sighting in turned if arrows or sighting.card.face is not Face.REVERSE]
    return _sure(told) > 2 * _sure(as_it_is)


def _sure(sightings: Sequence[Sighting]) -> int:
    return sum(sighting.confidence >= _SURELY for sighting in sightings)


def back(sighting: Sighting, width: int) -> Sighting:
    """Return what was seen in the mirror image of a picture `width` pixels wide as it lies in the picture itself.

    Its outline stays clockwise on screen, from what is its top left there.
    """
    quad = np.array([width, 0], np.float32) + sighting.quad[[1, 0, 3, 2]] * np.array([-1, 1], np.float32)
    return replace(sighting, quad=quad, mirrored=True)
