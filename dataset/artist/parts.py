"""Parts of a deck's look: its middle, its corners, its ground."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from companion.dataset.artist.drawing.ink import Finish, Tone
from companion.dataset.artist.wilds import WildIndex


class Medallion(Enum):
    """The shape under the middle of a card."""

    OUTLINED = "outlined shape"
    FILLED = "filled shape"
    RAYS = "filled shape with rays around it"
    PICTURE = "picture"
    PIXELS = "pixel art"
    PATCHES = "plain shapes of all sizes"
    NONE = "nothing"


class Outline(Enum):
    """The shape of a medallion."""

    OVAL = "oval"
    DIAMOND = "diamond"
    FRAME = "rounded frame"
    BAND = "band from edge to edge"
    HEXAGON = "hexagon"
    STAR = "star"
    BLOT = "lopsided shape of many corners"


class Ground(Enum):
    """How the ground shows the card's colour."""

    FLAT = "flat"
    GRADIENT = "gradient"
    RAYS = "rays"
    DOTS = "dots"
    SPLIT = "two shades"
    FACETS = "triangles in many shades"
    STRIPES = "fine stripes"
    DARK = "black, with the colour in the signs"
    PAPER = "white, with the colour in the signs"
    PAINTED = "a picture from edge to edge"


class Badge(Enum):
    """The shape under an index."""

    DISC = "disc"
    CORNER = "quarter disc that fills the corner"
    SQUARE = "square"
    POLYGON = "triangle, pentagon or octagon"


@dataclass(frozen=True)
class MiddleStyle:
    """The middle of a card; lengths in millimetres on a card of 56 x 87."""

    medallion: Medallion = Medallion.OUTLINED
    outline: Outline = Outline.OVAL
    width: float = 37.0
    height: float = 74.0
    turn: float = 28.0
    """Degrees clockwise."""
    line: float = 1.6
    paper: Tone = Tone.PAPER
    rim: bool = False
    """Whether a picture fills only the outline, with a line around it, instead of the ground."""
    number: bool = True
    """Whether the middle shows the number or symbol."""
    size: float = 32.0
    rotation: float = 0.0
    """Clockwise rotation of the number in degrees."""
    finish: Finish = field(default_factory=Finish)


@dataclass(frozen=True)
class IndexStyle:
    """The small number or symbol in the corners; lengths in millimetres."""

    size: float = 9.0
    x: float = 9.0
    """x of its centre from the card's left edge."""
    y: float = 11.0
    """y of its centre from the card's top edge."""
    rotation: float = 0.0
    finish: Finish = field(default_factory=Finish)
    badge: Tone | None = None
    """Colour of the shape under it, if any."""
    badge_shape: Badge = Badge.DISC
    cards_for_draw_two: bool = False
    """Whether draw two shows small cards instead of +2."""
    wild: WildIndex = WildIndex.OVAL
    cards_for_draw_four: bool = False
