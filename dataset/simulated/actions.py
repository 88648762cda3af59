"""What hands, light and camera do at a simulated table, each as a value.

Lengths are millimetres of the table plane, angles radians clockwise as seen, times seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement


@dataclass(frozen=True)
class Pace:
    """How long a hand needs to come (s), stays, and needs to leave again."""

    approach: float
    hold: float
    leave: float

    @property
    def contact(self) -> float:
        """Seconds from the start until the hand has let go of what it brought, or has taken what it came for."""
        return self.approach + self.hold / 2

    @property
    def total(self) -> float:
        """Seconds from the start until the hand is gone."""
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
    """A hand shifts and turns the topmost `count` cards, all of them where None."""

    seat: int
    pace: Pace
    dx: float
    dy: float
    turn: float
    count: int | None = None


@dataclass(frozen=True)
class Straighten:
    """A hand pushes the pile together; `wobble` (mm, and hundredths of a radian) is how untidy it stays."""

    seat: int
    pace: Pace
    wobble: float


@dataclass(frozen=True)
class Reach:
    """A hand comes to a place of the table and leaves, with the topmost `count` cards of the draw pile where `draws`.

    beside: whether it may do so while another hand is at work.
    """

    seat: int
    pace: Pace
    x: float
    y: float
    draws: bool = False
    count: int = 1
    beside: bool = False


@dataclass(frozen=True)
class Rest:
    """A hand comes a little way over the table and rests there, whatever else goes on."""

    seat: int
    pace: Pace


@dataclass(frozen=True)
class Fetch:
    """A hand reaches over to a place of the table and comes back with a cup, whatever else goes on."""

    seat: int
    pace: Pace
    x: float
    y: float


@dataclass(frozen=True)
class Shade:
    """Somebody steps before the light: a soft shadow passes over the table in a direction, in so many seconds."""

    turn: float
    seconds: float
    dark: float


@dataclass(frozen=True)
class SwitchLight:
    """The light changes within a fifth of a second: the gains of blue, green and red."""

    gains: tuple[float, float, float]


@dataclass(frozen=True)
class Knock:
    """The camera is knocked: it shakes, and then looks elsewhere by a share of the frame, turned and scaled."""

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
    """An action and when it begins."""

    time: float
    action: Action


FLIP_SECONDS = 0.5
"""How much longer a card takes that is fetched from the draw pile."""
