"""How turns are followed, given what the camera has seen so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.table.state import thresholds
from companion.table.state.seat_model import SeatRing
from companion.table.state.situation import Mode, Turns


@dataclass(frozen=True, slots=True)
class Watch:
    """How turns are followed, and how many arms the camera has seen laying cards and at the draw pile."""

    turns: Turns = Turns.CAMERA
    landings: int = 0
    reaches: int = 0

    @property
    def sees_both_piles(self) -> bool:
        """Whether the draw pile is in view; assumed until many cards have landed without a draw."""
        return self.reaches > 0 or self.landings < thresholds.LANDINGS_WITHOUT_DRAW

    def in_force(self, ring: SeatRing) -> Turns:
        """Return how turns can be followed now: by taps if directions do not help."""
        return Turns.TAPPED if self.turns is Turns.CAMERA and ring.is_uninformative else self.turns

    def mode(self, ring: SeatRing) -> Mode:
        """Return how observations are interpreted."""
        turns = self.in_force(ring)
        in_view = turns is not Turns.RELAXED and self.sees_both_piles
        seen = thresholds.MISSED_DRAW if self.reaches else thresholds.MISSED_DRAW_BEFORE_ANY_VISIT
        return Mode(turns, seen if in_view else thresholds.DRAW_OUT_OF_VIEW)

    def counting(self, *, landings: int = 0, reaches: int = 0) -> Watch:
        """Return the watch with additional arms counted."""
        return replace(self, landings=self.landings + landings, reaches=self.reaches + reaches)
