"""Classifies an arm's visit to the draw pile: it was there already, came from the discard pile, or went on to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.table.state import thresholds
from companion.table.state.observations import Pending, Reach
from companion.table.state.seat_model import between
from companion.vision.core.events import Arm, CardLanded, PileEvent, PileKind, PileReached


class VisitHistory:
    """Remembers recent visits to the piles. Not thread-safe."""

    def __init__(self) -> None:
        self._stays: tuple[PileReached, ...] = ()
        self._laid: CardLanded | None = None

    def note(self, event: PileEvent) -> None:
        """Record an event."""
        if isinstance(event, PileReached):
            self._stays = (*self._stays, event)[-thresholds.MAX_VISITS :]
        elif isinstance(event, CardLanded):
            self._laid = event

    def reach(self, event: PileReached, now: float) -> Reach:
        """Return the observation of the visit to the draw pile recorded last. now: time of the report (s)."""
        began, came = event.began, event.began
        before = [stay for stay in self._stays[:-1] if stay.pile is PileKind.DRAW]
        for stay in reversed(before):
            if _goes_on(stay, event.arm, came):
                came = min(came, stay.began)
                # A hand that rested beside the pile comes for a card when it moves.
                began = came if stay.drawn[0] < thresholds.RESTING else began
        passing = self._is_passing(event.arm, came, event.time)
        again = came < event.began or any(stay.arm.track == event.arm.track for stay in before)
        return Reach(now, event.arm, event.drawn, event.time - began, passing, again)

    def with_late_observation(self, pending: Sequence[Pending]) -> tuple[Pending, ...]:
        """Return the pending observations updated by visits to the discard pile that are reported later."""
        return tuple(self._with_late(observation) for observation in pending)

    def _with_late(self, observation: Pending) -> Pending:
        what, left = observation.what, observation.at
        if not isinstance(what, Reach) or left is None or not self._is_passing(what.arm, left - what.stay, left):
            return observation
        return replace(observation, what=replace(what, passing=True))

    def _is_passing(self, arm: Arm, began: float, left: float) -> bool:
        """Return whether an arm at the draw pile between these times (s) came from the discard pile, or went on to it.

        It laid nothing there: who lays a card brings it along, and who has drawn one takes it home or lays it.
        """
        there = (stay for stay in self._stays if stay.pile is PileKind.DISCARD and not self._laid_in(stay))
        return any(
            _goes_on_to(stay, arm, began, left)
            or (stay.began <= began - thresholds.MIN_PASSING_SECONDS and _goes_on(stay, arm, began))
            for stay in there
        )

    def _laid_in(self, stay: PileReached) -> bool:
        """Return whether the arm laid a card in this visit."""
        laid = self._laid
        if laid is None or laid.arm is None or laid.arm.track != stay.arm.track:
            return False
        return stay.began <= laid.time <= stay.time + thresholds.SAME_ARM_SECONDS


def _goes_on(stay: PileReached, arm: Arm, began: float) -> bool:
    """Return whether the arm that arrived then (s) is the one of this visit and has not left since."""
    alike = between(stay.arm.direction, arm.direction) < thresholds.SAME_ARM_DEGREES
    return began - stay.time < thresholds.SAME_ARM_SECONDS and (stay.arm.track == arm.track or alike)


def _goes_on_to(stay: PileReached, arm: Arm, began: float, left: float) -> bool:
    """Return whether the arm that was elsewhere between these times (s) went on to this visit, or was at both.

    An arm seen there for less than half of that time, and not afterwards, passed on its way home.
    """
    if stay.arm.track != arm.track or not began < stay.began < left + thresholds.SAME_ARM_SECONDS:
        return False
    with_it = stay.time >= left - thresholds.PILE_ORDER_SECONDS and left - stay.began > (left - began) / 2
    return stay.time > left or with_it
