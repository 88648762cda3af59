"""What the light on a card leaves open of its colour."""

from __future__ import annotations

import cv2
import numpy as np

from companion.cards import Color
from companion.vision.geometry import Image, Quad, cut

# Width and height in pixels at which a card's light is looked at.
_LOOK = (32, 48)
# Where the most colourful quarter of a card has less than this saturation (of 255), its colour can be told by hardly
# more than the light. One in a hundred hard pictures is so pale.
_PALE = 24
# A lamp colours what is white: where the brightest of the card and of the picture in one channel are so many times
# those in another, nothing is white. Under a cold lamp green looks blue, under a green one yellow looks green.
_CAST = 1.3
# Where so much of a card is as bright as the sensor goes in two channels of three, yellow may be green or orange.
_CLIPPED, _CLIPPED_SHARE = 250, 0.12
_BRIGHTEST = 98
"""Percentile that stands for the brightest: less than that may be a gleam."""


def is_color_doubtful(image: Image, quad: Quad, color: Color) -> bool:
    """Whether a card with this outline (4, 2) in a (H, W, 3) BGR picture may well have another colour than was read.

    So it is where it lies in pale, coloured or too bright light.
    """
    small = cut(image, quad, *_LOOK)
    if float(np.percentile(cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 1], 75)) < _PALE:
        return True
    if color is Color.YELLOW:
        return bool(((small >= _CLIPPED).sum(axis=2) == 2).mean() > _CLIPPED_SHARE)
    if color is Color.RED:
        return False
    lights = [np.percentile(part.reshape(-1, 3), _BRIGHTEST, axis=0) for part in (small, image[::8, ::8])]
    cold = all(blue > _CAST * red for blue, _, red in lights)
    green = all(g > _CAST * max(blue, red) for blue, g, red in lights)
    return cold or (green and color is Color.GREEN)
