"""Pictures with transparency that move over a table: cards, hands, piles.

All are premultiplied BGRA uint8, so that covering is one multiplication and one addition (Porter and Duff, Compositing
Digital Images, 1984, "over").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.clutter import draw_hand
from companion.vision.core.geometry import Image

Matrix = NDArray[np.float64]

_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)

HAND_TIP = (320, 90)
"""Pixel of the fingertips in a hand's sprite; the arm points down from there."""
HAND_REACH = 120
"""Length in pixels of the fingers of a hand's sprite."""
_HAND_SIZE = (640, 1700)

# Darkness and width of the shadow of lifted things, over the length of a card.
_SHADOW = 0.3
_SHADOW_SHIFT = 0.06


@dataclass(frozen=True, eq=False)
class Sprite:
    """A premultiplied (H, W, 4) picture with its top left at (x, y) of the frame, in pixels."""

    image: Image
    x: int
    y: int

    def alpha_at(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        """Return the (height, width) alpha of the sprite in a window of the frame; 0 outside."""
        window = np.zeros((height, width), np.uint8)
        target, source = _overlap((x, y, width, height), (self.x, self.y, self.image.shape[1], self.image.shape[0]))
        if target is not None:
            window[target] = self.image[source][..., 3]
        return window

    def moved(self, dx: int, dy: int) -> Sprite:
        """Return the sprite at another position."""
        return Sprite(self.image, self.x + dx, self.y + dy)


def premultiplied(image: Image) -> Image:
    """Return a straight-alpha BGRA picture as a premultiplied one."""
    alpha = cv2.merge([image[..., 3]] * 3)
    color = cv2.multiply(np.ascontiguousarray(image[..., :3]), alpha, scale=1 / 255)
    return np.asarray(cv2.merge([color, image[..., 3]]), np.uint8)


def blend(image: Image, sprite: Sprite) -> None:
    """Draw the sprite over the BGR picture, in place."""
    height, width = image.shape[:2]
    target, source = _overlap((0, 0, width, height), (sprite.x, sprite.y, sprite.image.shape[1], sprite.image.shape[0]))
    if target is None:
        return
    over = sprite.image[source]
    keep = cv2.merge([cv2.bitwise_not(np.ascontiguousarray(over[..., 3]))] * 3)
    under = cv2.multiply(image[target], keep, scale=1 / 255)
    image[target] = cv2.add(under, cv2.cvtColor(over, cv2.COLOR_BGRA2BGR))


def stack(sprites: Sequence[Sprite]) -> Sprite:
    """Merge sprites, later ones over earlier ones."""
    x, y = min(s.x for s in sprites), min(s.y for s in sprites)
    right = max(s.x + s.image.shape[1] for s in sprites)
    bottom = max(s.y + s.image.shape[0] for s in sprites)
    canvas = np.zeros((bottom - y, right - x, 4), np.uint8)
    for sprite in sprites:
        height, width = sprite.image.shape[:2]
        _cover(canvas[sprite.y - y : sprite.y - y + height, sprite.x - x : sprite.x - x + width], sprite.image)
    return Sprite(np.asarray(canvas, np.uint8), x, y)


def _cover(under: Image, over: Image) -> None:
    """Draw a premultiplied picture over another one of its size, in place."""
    keep = cv2.merge([cv2.bitwise_not(np.ascontiguousarray(over[..., 3]))] * 4)
    cv2.multiply(under, keep, under, scale=1 / 255)
    cv2.add(under, over, under)


def warp(image: Image, matrix: Matrix, window: tuple[int, int, int, int] | None = None) -> Sprite | None:
    """Return a premultiplied picture warped by a homography to the frame, None if nothing is visible.

    window: x, y, width and height of the only part of the frame to draw: an arm ends far outside the frame.
    """
    height, width = image.shape[:2]
    corners = _UNIT * (width, height)
    mapped = np.column_stack([corners, np.ones(4)]) @ matrix.T
    quad = mapped[:, :2] / mapped[:, 2:]
    x0, y0 = np.floor(quad.min(0)).astype(int) - 1
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 2
    if window is not None:
        x0, y0 = np.maximum((x0, y0), window[:2])
        x1, y1 = np.minimum((x1, y1), np.add(window[:2], window[2:]))
    if not (0 < x1 - x0 <= 6000 and 0 < y1 - y0 <= 6000):
        return None
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
    size = (int(x1 - x0), int(y1 - y0))
    return Sprite(np.asarray(cv2.warpPerspective(image, shift @ matrix, size), np.uint8), int(x0), int(y0))


def card_sprite(levels: Sequence[Image], matrix: Matrix) -> Sprite | None:
    """Return a card (a premultiplied pyramid) warped by a homography from the unit square."""
    mapped = np.column_stack([_UNIT, np.ones(4)]) @ matrix.T
    quad = mapped[:, :2] / mapped[:, 2:]
    longest = float(np.hypot(*(quad[3] - quad[0])))
    source = next((level for level in reversed(levels) if level.shape[0] >= longest * 0.95), levels[0])
    return warp(source, matrix @ np.diag([1 / source.shape[1], 1 / source.shape[0], 1.0]))


def hand_sprite(seed: int) -> Image:
    """Return a hand pointing up, premultiplied; see HAND_TIP and HAND_REACH.

    Colour and transparency follow from drawing it on black and on white.
    """
    width, height = _HAND_SIZE
    drawn = []
    for ground in (0, 255):
        image = np.full((height, width, 3), ground, np.uint8)
        owner = np.zeros((height, width), np.int16)
        draw_hand(image, owner, np.random.default_rng(seed), HAND_TIP, HAND_REACH, np.pi / 2)
        drawn.append(image)
    alpha = cv2.bitwise_not(cv2.absdiff(drawn[1], drawn[0]).max(-1))
    return np.asarray(cv2.merge([drawn[0], alpha]), np.uint8)


def with_shadow(
    sprite: Sprite, card_length: float, dark: float = _SHADOW, aside: float = _SHADOW_SHIFT, soft: float = 0.5
) -> Sprite:
    """Return the sprite with the shadow that it casts from a few centimetres above the table.

    dark: 0 to 1. aside: distance of the shadow in card lengths. soft: width of its edge over that.
    """
    shift = max(1, round(card_length * aside))
    pad = 2 * shift
    alpha = cv2.copyMakeBorder(np.ascontiguousarray(sprite.image[..., 3]), pad, pad, pad, pad, cv2.BORDER_CONSTANT)
    small = cv2.resize(alpha, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    blur = max(1, int(shift * soft))
    softened = cv2.resize(cv2.blur(small, (blur, blur)), alpha.shape[::-1])
    canvas = np.zeros((*alpha.shape, 4), np.uint8)
    canvas[shift:, shift:, 3] = cv2.convertScaleAbs(softened, alpha=dark)[:-shift, :-shift]
    _cover(canvas[pad:-pad, pad:-pad], sprite.image)
    return Sprite(canvas, sprite.x - pad, sprite.y - pad)


def streaked(sprite: Sprite, dx: float, dy: float) -> Sprite:
    """Return the sprite with motion blur along (dx, dy) pixels: the mean over its positions."""
    length = float(np.hypot(dx, dy))
    copies = min(8, int(length / 3))
    if copies < 2:
        return sprite
    pad_x, pad_y = int(abs(dx) / 2) + 1, int(abs(dy) / 2) + 1
    padded = cv2.copyMakeBorder(sprite.image, pad_y, pad_y, pad_x, pad_x, cv2.BORDER_CONSTANT)
    height, width = padded.shape[:2]
    total = np.zeros(padded.shape, np.uint16)
    for share in np.linspace(-0.5, 0.5, copies):
        x, y = round(share * dx), round(share * dy)
        target, source = _overlap((0, 0, width, height), (x, y, width, height))
        assert target is not None
        cv2.add(total[target], padded[source], total[target], dtype=cv2.CV_16U)
    mean = cv2.convertScaleAbs(total, alpha=1 / copies)
    return Sprite(np.asarray(mean, np.uint8), sprite.x - pad_x, sprite.y - pad_y)


def trimmed(sprite: Sprite | None) -> Sprite:
    """Return the sprite cropped to its content: a single transparent pixel if there is none."""
    if sprite is None:
        return Sprite(np.zeros((1, 1, 4), np.uint8), 0, 0)
    x, y, w, h = cv2.boundingRect(np.ascontiguousarray(sprite.image[..., 3]))
    part = sprite.image[y : y + h, x : x + w].copy() if w and h else np.zeros((1, 1, 4), np.uint8)
    return Sprite(part, sprite.x + x, sprite.y + y)


Window = tuple[slice, slice]


def _overlap(
    frame: tuple[int, int, int, int], part: tuple[int, int, int, int]
) -> tuple[Window, Window] | tuple[None, None]:
    """Return the intersection of two rectangles (x, y, width, height), relative to each one's top left."""
    x0, y0 = max(frame[0], part[0]), max(frame[1], part[1])
    x1, y1 = min(frame[0] + frame[2], part[0] + part[2]), min(frame[1] + frame[3], part[1] + part[3])
    if x0 >= x1 or y0 >= y1:
        return None, None
    in_frame = slice(y0 - frame[1], y1 - frame[1]), slice(x0 - frame[0], x1 - frame[0])
    in_part = slice(y0 - part[1], y1 - part[1]), slice(x0 - part[0], x1 - part[0])
    return in_frame, in_part
