"""Actions of hands, light and camera at a simulated table.

Lengths are millimetres of the table plane, angles radians clockwise, times seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement


@dataclass(frozen=True)
class Pace:
    """Durations (s) of a hand's approach, stay and retreat."""

    approach: float
    hold: float
    leave: float

    @property
    def contact(self) -> float:
        """Seconds from the start until the hand releases or takes its cards."""
        return self.approach + self.hold / 2

    @property
    def total(self) -> float:
        """Seconds from the start until the hand has left."""
        return self.approach + self.hold + self.leave


@dataclass(frozen=True)
class Lay:
    """A hand lays a card on the pile, from its seat or from the draw pile."""

    seat: int
    pace: Pace
    card: Card
    placement: Placement
    from_draw_pile: bool = False


@dataclass(frozen=True)
class TakeTop:
    """A hand takes the top card away."""

    seat: int
    pace: Pace


@dataclass(frozen=True)
class CarryOff:
    """A hand carries the whole pile away."""

    seat: int
    pace: Pace


@dataclass(frozen=True)
class Nudge:
    """A hand shifts and rotates the topmost `count` cards, all if None."""

    seat: int
    pace: Pace
    dx: float
    dy: float
    turn: float
    count: int | None = None


@dataclass(frozen=True)
class Straighten:
    """A hand straightens the pile; `wobble` (mm, and hundredths of a radian) is the remaining disorder."""

    seat: int
    pace: Pace
    wobble: float


@dataclass(frozen=True)
class Reach:
    """A hand comes to a place of the table and leaves, with the topmost `count` cards of the draw pile if `draws`.

    beside: whether it may do so while another hand is there. aside: if not 0, the hand is high above the table and only
    its shadow comes to the place, so many card lengths to its right and below it in the picture.
    """

    seat: int
    pace: Pace
    x: float
    y: float
    draws: bool = False
    count: int = 1
    beside: bool = False
    aside: float = 0.0


@dataclass(frozen=True)
class Rest:
    """A hand rests at the table's edge, independently of the game."""

    seat: int
    pace: Pace


@dataclass(frozen=True)
class Fetch:
    """A hand fetches a cup from the table, independently of the game."""

    seat: int
    pace: Pace
    x: float
    y: float


@dataclass(frozen=True)
class Shade:
    """A person's soft shadow passes over the table in a direction, for a number of seconds."""

    turn: float
    seconds: float
    dark: float


@dataclass(frozen=True)
class SwitchLight:
    """The light changes within 0.2 s: gains of blue, green and red."""

    gains: tuple[float, float, float]


@dataclass(frozen=True)
class Knock:
    """The camera is knocked: it shakes, then its view is shifted by a share of the frame, rotated and scaled."""

    dx: float
    dy: float
    turn: float
    scale: float


HandAction = Lay | TakeTop | CarryOff | Nudge | Straighten | Reach | Rest | Fetch
Action = HandAction | SwitchLight | Knock | Shade

KNOCK_SECONDS = 0.6
LIGHT_SECONDS = 0.2


@dataclass(frozen=True)
class Step:
    """An action and its start time."""

    time: float
    action: Action


FLIP_SECONDS = 0.5
"""Extra seconds for a card that is fetched from the draw pile."""
