"""Finds the worst obstacle to reading the table in a picture and its sightings, such as distance, tilt or glare.

The limits are those beyond which more than 1 in 20 degraded photographs were misread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from companion.vision.core.geometry import CARD_CROP, CARD_WIDTH, NEARLY_ALL, Image, Quad, averaged, cut, tilt
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.lighting import CLIPPED
from companion.vision.imaging.motion import MEDIUM_WIDTH, is_colorless
from companion.vision.imaging.restoration import blur, without_grain
from companion.vision.imaging.zone import length_of


class Obstacle(Enum):
    """Obstacles, worst first."""

    DARK = "dark"
    NO_PILE = "no pile"
    COLORLESS = "colorless"
    MIRRORED = "mirrored"
    SMALL = "small"
    SLANTED = "slanted"
    BLURRED = "blurred"
    GLARE = "glare"
    DRAW_PILE = "draw pile"
    OTHER_DECK = "other deck"
    NOTHING = "nothing"


@dataclass(frozen=True, eq=False)
class Advice:
    """The first thing to improve.

    measured, wanted: the card's length in pixels, degrees from the vertical, lost sharpness, glaring share, brightness
    of white (0 to 255), or visible share of the draw pile; 0 if nothing is measured. quad: (4, 2) the measured card or
    draw pile, in pixels; None if there is none.
    """

    obstacle: Obstacle
    measured: float = 0.0
    wanted: float = 0.0
    quad: Quad | None = None

    @property
    def nearer(self) -> float:
        """Share of its distance by which the camera should move closer if the cards are too small."""
        return max(0.0, 1 - self.measured / self.wanted) if self.obstacle is Obstacle.SMALL else 0.0


@dataclass(frozen=True, eq=False)
class Visibility:
    """Visible share of the draw pile (0 to 1), and its outline (4, 2) in pixels if known."""

    share: float
    quad: Quad | None = None

    @classmethod
    def of(cls, quad: Quad, width: int, height: int, card: float = 0.0) -> Visibility:
        """Return the visible share of an outline in a picture. card: minimum area of one cut by the border."""
        whole = max(1.0, abs(cv2.contourArea(quad)))
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        inside = float(cv2.intersectConvexConvex(quad, frame)[0])
        return cls(inside / (whole if inside > NEARLY_ALL * whole else max(whole, card)), quad)


# Length in pixels below which cards are misread too often, and the recommended length.
_SHORTEST, _LONG_ENOUGH = 85.0, 120.0
# Degrees from the vertical; sharpness lost, as measured by `blur`, by motion over a tenth of a card; glaring share of a
# card; level of white; visible share of the draw pile.
_MOST_TILT, _MOST_BLUR, _MOST_GLARE, _LEAST_WHITE, _LEAST_OF_DRAW_PILE = 52.0, 0.62, 0.5, 65.0, 0.8
# Minimum area in square pixels of a highlight that can hide a readable card.
_HIDES_A_CARD = float(_MOST_GLARE * _SHORTEST * _SHORTEST * CARD_WIDTH)


def advise(image: Image, sightings: Sequence[Sighting], draw_pile: Visibility | None = None) -> Advice:
    """Return the worst obstacle to reading a (H, W, 3) BGR uint8 picture of the table, with the cards seen in it."""
    # The card to measure on: the most confident open one, else the most confident one.
    card = max(sightings, key=lambda sighting: (sighting.whole, sighting.confidence), default=None)
    if card is None:
        white = float(np.percentile(image[::4, ::4].max(axis=2), 98))
        if white < _LEAST_WHITE:
            return Advice(Obstacle.DARK, white, _LEAST_WHITE)
        # In night mode a camera sends equal channels and overexposes: no lamp is to blame.
        lamp = highlight(image) if np.ptp(image[::4, ::4], axis=2).any() else None
        return Advice(Obstacle.NO_PILE) if lamp is None else Advice(Obstacle.GLARE, 1.0, _MOST_GLARE, lamp)
    crop = cut(image, card.quad, *CARD_CROP)
    obstacles = (
        _below(Obstacle.DARK, float(np.percentile(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), 95)), _LEAST_WHITE),
        Advice(Obstacle.COLORLESS) if is_colorless(image) else None,
        Advice(Obstacle.MIRRORED) if card.mirrored else None,
        _below(Obstacle.SMALL, length_of(card.quad), _SHORTEST, _LONG_ENOUGH),
        _above(Obstacle.SLANTED, tilt(card.quad), _MOST_TILT),
        _above(Obstacle.BLURRED, blur(without_grain(crop)), _MOST_BLUR),
        _above(Obstacle.GLARE, glare(crop), _MOST_GLARE),
    )
    for advice in obstacles:
        if advice is not None:
            return Advice(advice.obstacle, advice.measured, advice.wanted, card.quad)
    if draw_pile is not None and draw_pile.share < _LEAST_OF_DRAW_PILE:
        return Advice(Obstacle.DRAW_PILE, draw_pile.share, _LEAST_OF_DRAW_PILE, draw_pile.quad)
    return Advice(Obstacle.NOTHING, quad=card.quad)


def _below(obstacle: Obstacle, measured: float, least: float, wanted: float | None = None) -> Advice | None:
    return Advice(obstacle, measured, least if wanted is None else wanted) if measured < least else None


def _above(obstacle: Obstacle, measured: float, most: float) -> Advice | None:
    return Advice(obstacle, measured, most) if measured > most else None


def glare(crop: Image) -> float:
    """Return the share of a card's crop that is saturated in all channels."""
    return float((crop.min(axis=2) >= CLIPPED).mean())


def highlight(image: Image) -> Quad | None:
    """Return the rotated rectangle (4, 2) around the largest highlight, None if none is as large as a card."""
    bright = np.asarray(averaged(image, MEDIUM_WIDTH).min(axis=2) >= CLIPPED, np.uint8)
    scale = image.shape[1] / MEDIUM_WIDTH
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bright)
    # The first component is the background.
    areas = stats[1:, cv2.CC_STAT_AREA]
    if not len(areas) or areas.max() * scale**2 < _HIDES_A_CARD:
        return None
    lamp = labels == 1 + int(areas.argmax())
    y, x = np.nonzero(lamp)
    outline = cv2.minAreaRect(np.column_stack([x, y]).astype(np.float32))
    if not lamp[round(outline[0][1]), round(outline[0][0])]:
        return None  # The white border of a card's back.
    return np.asarray(cv2.boxPoints(outline) * scale, np.float32)


def in_words(advice: Advice) -> str:
    """Return one English sentence for the command line."""
    match advice.obstacle:
        case Obstacle.DARK:
            return f"It is too dark: white is {advice.measured:.0f} of 255. Switch a light on."
        case Obstacle.NO_PILE:
            return "No card is seen. Point the camera at the discard pile."
        case Obstacle.COLORLESS:
            return "The picture has no colours. Switch night mode off, or a light on."
        case Obstacle.MIRRORED:
            return "The picture is mirrored. Switch mirroring off in the camera's settings."
        case Obstacle.SMALL:
            return f"The cards are too small, {advice.measured:.0f} px long. Come nearer {_share(advice.nearer)}."
        case Obstacle.SLANTED:
            return (
                f"The camera looks too much from the side, {advice.measured:.0f} degrees. Hold it more upright above."
            )
        case Obstacle.BLURRED:
            lost = f"{advice.measured:.0%} of its sharpness is lost"
            return f"The picture is blurred, {lost}. Let the camera focus, hold it still, or give it more light."
        case Obstacle.GLARE:
            return f"A lamp glares on {advice.measured:.0%} of the pile's card. Move the lamp or the camera a little."
        case Obstacle.DRAW_PILE:
            seen = f"Only {advice.measured:.0%} of the draw pile is" if advice.measured else "The draw pile is not"
            return f"{seen} in view. Turn the camera to show both piles."
        case Obstacle.OTHER_DECK:
            return "These cards are not of the deck that was learnt. Choose another one, or none."
        case Obstacle.NOTHING:
            return "All is well: the pile is in view."


def _share(nearer: float) -> str:
    """Return a share of the distance in words, rounded to a common fraction."""
    words = ((0.25, "by a quarter"), (0.33, "by a third"), (0.5, "by half"), (0.67, "by two thirds"))
    return min(words, key=lambda pair: abs(pair[0] - nearer))[1]
