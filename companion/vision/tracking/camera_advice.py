"""What stands in the way of reading the table: a picture and what was seen in it -> the one thing to mend first.

Everything is measured on the picture; the limits are those from which photographs made worse, as worse table cameras
would have seen them, were read wrongly more often than one time in twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from companion.vision.core.geometry import CARD_SIZE, Image, Quad, cut, tilt
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import length_of
from companion.vision.imaging.restoration import blur, without_grain


class Hindrance(Enum):
    """What stands in the way, the worst first."""

    DARK = "dark"
    NO_PILE = "no pile"
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
    """What to mend first.

    measured and wanted: the card's length in pixels, degrees from the vertical, how much of its sharpness is lost, how
    much of it glares, its white's brightness (0 to 255), how much of the draw pile is in view; 0 where nothing is
    measured. quad: (4, 2) the card that this was measured on, or the draw pile, in pixels; None where there is none.
    """

    hindrance: Hindrance
    measured: float = 0.0
    wanted: float = 0.0
    quad: Quad | None = None

    @property
    def nearer(self) -> float:
        """By which share of its distance the camera should come nearer, where the cards are too small."""
        return max(0.0, 1 - self.measured / self.wanted) if self.hindrance is Hindrance.SMALL else 0.0


@dataclass(frozen=True, eq=False)
class InView:
    """How much of the draw pile is in the picture (0 to 1), and its outline (4, 2) in pixels where it is known."""

    share: float
    quad: Quad | None = None

    @classmethod
    def of(cls, quad: Quad, width: int, height: int, card: float = 0.0) -> InView:
        """Return how much of an outline is in a picture of this size.

        card: area in square pixels that it has at least where the rim cuts it: what is made out of such a card may end
        at the rim, or not much beyond it.
        """
        whole = max(1.0, abs(cv2.contourArea(quad)))
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        inside = float(cv2.intersectConvexConvex(quad, frame)[0])
        return cls(inside / (whole if inside > _WHOLE * whole else max(whole, card)), quad)


# Length in pixels under which cards are read wrongly too often, and that which a mended camera should show.
_SHORTEST, _LONG_ENOUGH = 85.0, 120.0
_MOST_TILT = 52.0
"""Degrees from the vertical: 45 cost nothing, 60 one card in four."""
_MOST_BLUR = 0.62
"""Sharpness lost, as `blur` measures it: 0.3 in clear photographs, 0.57 with motion over a twentieth of a card, 0.63
over a tenth, 0.68 over a fifth, which hardly a reading survives."""
_MOST_GLARE = 0.5
_BLOWN_OUT = 250
"""From which level (of 255) on a channel is as bright as the sensor goes."""
_STEP = 4
"""How many pixels apart, across and down, a picture is looked at for a gleam."""
_LEAST_WHITE = 65.0
_LEAST_OF_DRAW_PILE = 0.8
"""In eight simulated matches with 0.45 to 0.86 of it in view 8 of 39 draws were missed, in twenty others 2 of 55."""
_WHOLE = 0.97
"""Share of an outline in the picture from which the rim cuts nothing off: outlines are that much off."""
_HIDES_A_CARD = _MOST_GLARE * _SHORTEST**2 * CARD_SIZE[0] / CARD_SIZE[1]
"""Area in square pixels of the least gleam that can hide a card large enough to be read: of 145 pictures of tables and
floors, 1280 x 720, none has one."""
_FILLED = 0.6
"""Share of the rectangle about it that a gleam fills at least: an ellipse has 0.79 of it, a back's white border 0.4."""
_LOOK = (128, 192)
"""Width and height in pixels at which a card's light and sharpness are measured."""


def advise(image: Image, sightings: Sequence[Sighting], draw_pile: InView | None = None) -> Advice:
    """Return the worst of what stands in the way of reading a (H, W, 3) BGR uint8 picture of the table.

    sightings: the cards that were seen in it. draw_pile: how much of the draw pile is in the
    whole picture, None where that is not known.
    """
    card = _card(sightings)
    if card is None:
        white = float(np.percentile(image[::4, ::4].max(axis=2), 98))
        if white < _LEAST_WHITE:
            return Advice(Hindrance.DARK, white, _LEAST_WHITE)
        lamp = gleam(image)
        return Advice(Hindrance.NO_PILE) if lamp is None else Advice(Hindrance.GLARE, 1.0, _MOST_GLARE, lamp)
    crop = cut(image, card.quad, *_LOOK)
    found = (
        _below(Hindrance.DARK, float(np.percentile(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), 95)), _LEAST_WHITE),
        Advice(Hindrance.MIRRORED) if card.mirrored else None,
        _below(Hindrance.SMALL, length_of(card.quad), _SHORTEST, _LONG_ENOUGH),
        _above(Hindrance.SLANTED, tilt(card.quad), _MOST_TILT),
        _above(Hindrance.BLURRED, blur(without_grain(crop)), _MOST_BLUR),
        _above(Hindrance.GLARE, glare(crop), _MOST_GLARE),
    )
    for advice in found:
        if advice is not None:
            return Advice(advice.hindrance, advice.measured, advice.wanted, card.quad)
    if draw_pile is not None and draw_pile.share < _LEAST_OF_DRAW_PILE:
        return Advice(Hindrance.DRAW_PILE, draw_pile.share, _LEAST_OF_DRAW_PILE, draw_pile.quad)
    return Advice(Hindrance.NOTHING, quad=card.quad)


def _card(sightings: Sequence[Sighting]) -> Sighting | None:
    """Return the card to measure on: the surest that lies open, else the surest of all."""
    return max(sightings, key=lambda sighting: (sighting.whole, sighting.confidence), default=None)


def _below(hindrance: Hindrance, measured: float, least: float, wanted: float | None = None) -> Advice | None:
    return Advice(hindrance, measured, least if wanted is None else wanted) if measured < least else None


def _above(hindrance: Hindrance, measured: float, most: float) -> Advice | None:
    return Advice(hindrance, measured, most) if measured > most else None


def glare(crop: Image) -> float:
    """Return which share of a card's crop is as bright as the sensor goes, in all colours."""
    return float((crop.min(axis=2) >= _BLOWN_OUT).mean())


def gleam(image: Image) -> Quad | None:
    """Return the turned rectangle (4, 2) about a picture's largest gleam, None where none is as large as a card."""
    bright = np.asarray(image[::_STEP, ::_STEP].min(axis=2) >= _BLOWN_OUT, np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bright)
    # The first is the rest.
    areas = stats[1:, cv2.CC_STAT_AREA]
    if not len(areas) or areas.max() * _STEP**2 < _HIDES_A_CARD:
        return None
    y, x = np.nonzero(labels == 1 + int(areas.argmax()))
    outline = cv2.minAreaRect(np.column_stack([x, y]).astype(np.float32))
    if areas.max() < _FILLED * max(outline[1][0] * outline[1][1], 1.0):
        return None
    return np.asarray(cv2.boxPoints(outline) * _STEP, np.float32)


def in_words(advice: Advice) -> str:
    """Return one English sentence for the command line."""
    match advice.hindrance:
        case Hindrance.DARK:
            return f"It is too dark: white is {advice.measured:.0f} of 255. Switch a light on."
        case Hindrance.NO_PILE:
            return "No card is seen. Point the camera at the discard pile."
        case Hindrance.MIRRORED:
            return "The picture is mirrored. Switch mirroring off in the camera's settings."
        case Hindrance.SMALL:
            return f"The cards are too small, {advice.measured:.0f} px long. Come nearer {_share(advice.nearer)}."
        case Hindrance.SLANTED:
            return (
                f"The camera looks too much from the side, {advice.measured:.0f} degrees. Hold it more upright above."
            )
        case Hindrance.BLURRED:
            lost = f"{advice.measured:.0%} of its sharpness is lost"
            return f"The picture is blurred, {lost}. Let the camera focus, hold it still, or give it more light."
        case Hindrance.GLARE:
            return f"A lamp glares on {advice.measured:.0%} of the pile's card. Move the lamp or the camera a little."
        case Hindrance.DRAW_PILE:
            seen = f"Only {advice.measured:.0%} of the draw pile is" if advice.measured else "The draw pile is not"
            return f"{seen} in view. Turn the camera to show both piles."
        case Hindrance.OTHER_DECK:
            return "These cards are not of the deck that was learnt. Choose another one, or none."
        case Hindrance.NOTHING:
            return "All is well: the pile is in view."


def _share(nearer: float) -> str:
    """Return a share of the distance in words, to the nearest that people use."""
    words = ((0.25, "by a quarter"), (0.33, "by a third"), (0.5, "by half"), (0.67, "by two thirds"))
    return min(words, key=lambda pair: abs(pair[0] - nearer))[1]
