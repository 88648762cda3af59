"""Events that vision reports to the table: one small class per change of the pile, of an arm or of the camera.

An event describes what was seen, not what it means. Its probabilities do not depend on the rules, its times are seconds
from the start of the source.
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
"""Cards of the edition with calibrated probabilities, most probable first. No prior is included; the sum is at most 1.

The remainder is the probability of "no card".
"""


class CameraHealth(Enum):
    """Health of the camera."""

    OK = "ok"
    GONE = "gone"
    FROZEN = "frozen"
    KNOCKED = "knocked"
    MIRRORED = "mirrored"
    COLORLESS = "colorless"


class PileKind(Enum):
    """The pile an arm visited."""

    DISCARD = "discard"
    DRAW = "draw"


@dataclass(frozen=True)
class Arm:
    """An arm that reaches in from the picture's border.

    direction: where it comes from, in degrees [0, 360) clockwise from up, seen from the middle of the discard pile.
    spread: its standard deviation in degrees. track: identifier that is constant while the arm is in view. entered_as:
    identifier at the time it entered, or None if it equals `track`.
    """

    direction: float
    spread: float
    track: int
    entered_as: int | None = None

    @property
    def person(self) -> int:
        """Identifier of the person the arm belongs to, constant while a part of the arm is in view."""
        return self.track if self.entered_as is None else self.entered_as


Rivals = tuple[tuple[Arm, float], ...]


@dataclass(frozen=True, eq=False)
class CardLanded:
    """A card landed on top of the pile and the hand has left.

    time: of the first frame in which the card lies still. quad: (4, 2) float32 pixels of `picture`, clockwise from the
    card's own top left, or None if unknown. same_face: whether the card below shows the same face. arm: the arm that
    laid it, or None if no arm was seen. rivals: other arms that may have laid it, each with its probability; the
    remainder belongs to `arm`. after_dark: whether the picture was dark since the last landing, as under a covered
    lens, so that cards may have landed unseen. entered: when `arm` came into the picture.

    Raises ValueError if the probabilities are not positive or sum to more than 1.
    """

    time: float
    probabilities: Probabilities
    quad: Quad | None = None
    picture: Picture = None
    same_face: bool = False
    arm: Arm | None = None
    rivals: Rivals = ()
    after_dark: bool = False
    entered: float | None = None

    def __post_init__(self) -> None:
        _check(self.probabilities)


@dataclass(frozen=True, eq=False)
class CardTakenBack:
    """The top card was removed. `probabilities` describe the card that is now on top; empty for a bare table.

    Raises ValueError like `CardLanded`.
    """

    time: float
    probabilities: Probabilities
    picture: Picture = None

    def __post_init__(self) -> None:
        _check(self.probabilities)


@dataclass(frozen=True)
class PileGone:
    """The pile was removed, for example to reshuffle."""

    time: float


@dataclass(frozen=True)
class PileMoved:
    """The pile was nudged or straightened; the top card is unchanged."""

    time: float


IDLE_SHARE = 1 / 3
"""Prior share of visits to the draw pile that take no card, as assumed by `PileReached.drawn`."""


@dataclass(frozen=True)
class PileReached:
    """An arm visited a pile and left, whether or not anything changed.

    began, time: when its tip arrived and left. drawn: for the draw pile, the probability of 0, 1, ... cards taken, the
    last one also of more (sums to 1), under the prior `IDLE_SHARE` and equal shares of the other numbers; empty for
    the discard pile.
    """

    time: float
    began: float
    arm: Arm
    pile: PileKind
    drawn: tuple[float, ...] = ()


@dataclass(frozen=True)
class CameraStatus:
    """The camera's health changed. detail: one sentence or empty."""

    time: float
    health: CameraHealth
    detail: str = ""


PileEvent = CardLanded | CardTakenBack | PileGone | PileMoved | PileReached | CameraStatus


def _check(probabilities: Probabilities) -> None:
    total = sum(probability for _, probability in probabilities)
    too_many = total > 1 and not np.isclose(total, 1)
    if too_many or any(not probability >= 0 for _, probability in probabilities):
        raise ValueError(f"probabilities that sum to {total}")
