"""What an arm did just before it was told of at the draw pile: it was there already, or came from the discard pile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.table.observations import Pending, Reach
from companion.table.ring import between
from companion.vision.events import Arm, CardLanded, PileEvent, PileKind, PileReached

_REMEMBERED = 6
"""How many stays at the piles are remembered: arms are told of up to a second late, and seldom more than three come."""

_AT_ONCE_SECONDS = 0.3
"""Within which an arm that left one place has come from it: in less it has not been away, see `PUTS_AWAY_SECONDS`."""

_BEFORE_SECONDS = 0.1
"""How much earlier it must have been at the other pile: of less, it is seen too late which it came to first."""

_ALIKE = 10.0
"""Degrees within which an arm that comes as another goes is that one, lost out of sight for a moment."""


class Visits:
    """Remembers who was at the piles lately. Not to be used by two threads at once."""

    def __init__(self) -> None:
        self._stays: tuple[PileReached, ...] = ()
        self._laid: CardLanded | None = None

    def note(self, event: PileEvent) -> None:
        """Take in an event."""
        if isinstance(event, PileReached):
            self._stays = (*self._stays, event)[-_REMEMBERED:]
        elif isinstance(event, CardLanded):
            self._laid = event

    def reach(self, event: PileReached, now: float) -> Reach:
        """Return the observation of a stay at the draw pile that was noted last. now: when it is told of (s)."""
        began = event.began
        for stay in reversed(self._stays[:-1]):
            if stay.pile is PileKind.DRAW and _goes_on(stay, event.arm, began):
                began = min(began, stay.began)
        passing = self._is_passing(event.arm, began)
        return Reach(now, event.arm, event.drawn, event.time - began, passing, began < event.began)

    def with_late(self, pending: Sequence[Pending]) -> tuple[Pending, ...]:
        """Return what is pending with what stays at the discard pile tell of arms that were told of before them."""
        return tuple(self._with_late(observation) for observation in pending)

    def _with_late(self, observation: Pending) -> Pending:
        what, left = observation.what, observation.at
        if not isinstance(what, Reach) or left is None or not self._is_passing(what.arm, left - what.stay):
            return observation
        return replace(observation, what=replace(what, passing=True))

    def _is_passing(self, arm: Arm, began: float) -> bool:
        """Return whether an arm at the draw pile from then on (s) came from the discard pile, having laid nothing."""
        return any(
            stay.pile is PileKind.DISCARD
            and stay.began <= began - _BEFORE_SECONDS
            and _goes_on(stay, arm, began)
            and not self._laid_in(stay)
            for stay in self._stays
        )

    def _laid_in(self, stay: PileReached) -> bool:
        """Return whether the arm laid a card in this stay."""
        laid = self._laid
        if laid is None or laid.arm is None or laid.arm.track != stay.arm.track:
            return False
        return stay.began <= laid.time <= stay.time + _AT_ONCE_SECONDS


def _goes_on(stay: PileReached, arm: Arm, began: float) -> bool:
    """Return whether the arm that came then (s) is the one of this stay, and has not been away since."""
    alike = between(stay.arm.direction, arm.direction) < _ALIKE
    return began - stay.time < _AT_ONCE_SECONDS and (stay.arm.track == arm.track or alike)
