"""What the watched pile tells the table: one small class per thing that can happen to it or to the camera.

An event says what was seen, never what it means: the rules have no part in its probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.vision.core.geometry import Quad

Picture = bytes | NDArray[np.uint8] | None
"""A JPEG file's bytes, an (H, W, 3) BGR picture, or none."""

Probabilities = tuple[tuple[Card, float], ...]
"""Cards of the edition with calibrated, prior-free probabilities, likeliest first, which sum to at most 1.

What is missing to 1 goes to 'no card at all'.
"""


class CameraHealth(Enum):
    """How the camera does."""

    OK = "ok"
    GONE = "gone"
    FROZEN = "frozen"
    KNOCKED = "knocked"
    MIRRORED = "mirrored"


class PileKind(Enum):
    """Which pile an arm was at."""

    DISCARD = "discard"
    DRAW = "draw"


@dataclass(frozen=True)
class Arm:
    """An arm that reaches in from the picture's rim.

    direction: where it comes from, degrees in [0, 360) clockwise from up in the picture, about the discard pile's
    middle. spread: standard deviation of that, degrees. track: a number that stays the same from the arm's coming to
    its leaving, so that one arm that goes from pile to pile can be told from two. came: the number that it had when it
    came into the picture, None where that is `track`: it has been at home since, and was in view all the while.
    """

    direction: float
    spread: float
    track: int
    came: int | None = None

    @property
    def person(self) -> int:
        """The number of whosever it is, while a part of the arm is in view."""
        return self.track if self.came is None else self.came


Rivals = tuple[tuple[Arm, float], ...]


@dataclass(frozen=True, eq=False)
class CardLanded:
    """A card has come to lie on top of the pile, and the hand is gone.

    time: seconds from the start of the source, of the first frame in which the card lay still.
    quad: (4, 2) float32 pixels of `picture`, clockwise from the card's own top left; None where it cannot be told.
    same_face: whether the card under it showed the same face as this one, which the eye alone could not tell apart.
    arm: the arm that laid it, None where none was seen. rivals: other arms that may have laid it instead, each with the
    probability that it did; the rest is `arm`'s.

    Raises ValueError where the probabilities are not positive numbers that sum to at most 1.
    """

    time: float
    probabilities: Probabilities
    quad: Quad | None = None
    picture: Picture = None
    same_face: bool = False
    arm: Arm | None = None
    rivals: Rivals = ()

    def __post_init__(self) -> None:
        _check(self.probabilities)


@dataclass(frozen=True, eq=False)
class CardTakenBack:
    """The top card was taken away again. `probabilities` are those of the card now on top, empty for a bare table.

    time: seconds from the start of the source. Raises ValueError as CardLanded does.
    """

    time: float
    probabilities: Probabilities
    picture: Picture = None

    def __post_init__(self) -> None:
        _check(self.probabilities)


@dataclass(frozen=True)
class PileGone:
    """The pile was carried off, as it is for a reshuffle. time: seconds from the start of the source."""

    time: float


@dataclass(frozen=True)
class PileMoved:
    """The pile was nudged or straightened; its top card is the same. time: seconds from the start of the source."""

    time: float


IDLE_SHARE = 1 / 3
"""Of the reaches for the draw pile by which `PileReached.drawn` was worked out, so many took nothing: its prior."""

NUMBER_SHARES = (0.7, 0.12, 0.08, 0.1)
"""Of those that took any, in so many one, two, three, and four cards or more were: as the number hardly shows, mostly
just these. Divided by them, `PileReached.drawn` tells how likely the picture is with each number."""


@dataclass(frozen=True)
class PileReached:
    """An arm has been at a pile and has gone from it, whether or not anything came of it.

    began, time: seconds from the start of the source, when its tip came to the pile and when it left. drawn: for the
    draw pile the probability of each number of cards taken, from 0 on, which sum to 1, nothing else being known than
    that `IDLE_SHARE` of reaches take none; empty for the discard pile.
    """

    time: float
    began: float
    arm: Arm
    pile: PileKind
    drawn: tuple[float, ...] = ()


@dataclass(frozen=True)
class CameraStatus:
    """The camera's health has changed. time: seconds from the start of the source; detail: one sentence, or nothing."""

    time: float
    health: CameraHealth
    detail: str = ""


PileEvent = CardLanded | CardTakenBack | PileGone | PileMoved | PileReached | CameraStatus

_ROUNDING = 1e-3  # float32 sums of fifty probabilities stray from 1 by less than this


def _check(probabilities: Probabilities) -> None:
    total = sum(probability for _, probability in probabilities)
    if not total <= 1 + _ROUNDING or any(not probability >= 0 for _, probability in probabilities):
        raise ValueError(f"probabilities that sum to {total}")
