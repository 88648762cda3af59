"""Scores arms: compares the observed arms of a lively simulated match with who truly acted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum

import numpy as np

from companion.dataset.simulated.actions import FLIP_SECONDS, Lay, Reach, Step
from companion.dataset.simulated.script import Script
from companion.dataset.simulated.tabletop import Tabletop
from companion.table.state.seat_model import between
from companion.vision.core.events import Arm, CardLanded, PileEvent, PileKind, PileReached

# Tolerance in seconds by which a card may be reported still before its hand lets go, and after.
_EARLY, _LATE = 0.3, 2.5
# Tolerance in seconds by which a visit may end after its hand has gone: tips are lost slightly late.
_LINGERS = 0.4


class Count(Enum):
    """What is counted about arms."""

    LANDINGS = "landings reported"
    RIGHT_ARM = "landings with the right arm"
    DRAWS = "draws"
    FOUND = "draws found"
    RIGHT_DRAWER = "draws with the right arm"
    INVENTED = "draws invented"


def directions(script: Script, top: Tabletop) -> list[float]:
    """Return the seats' directions in the picture, in degrees clockwise from up around the discard pile."""
    pile = top.point(0, 0)
    away = [top.point(chair.x, chair.y) - pile for chair in script.chairs]
    return [float(np.degrees(np.arctan2(x, -y)) % 360) for x, y in away]


def grade_arms(script: Script, seats: Sequence[float], said: Iterable[PileEvent]) -> Counter[Count]:
    """Return one match's counts. seats: true directions of its players in degrees; an arm belongs to the nearest."""
    counts: Counter[Count] = Counter()
    events = list(said)
    landings = [event for event in events if isinstance(event, CardLanded)]
    draws = [event for event in events if isinstance(event, PileReached) and event.pile is PileKind.DRAW]
    for step in script.steps:
        match step.action:
            case Lay(seat=seat):
                _grade_landing(counts, step, seat, seats, landings)
                # A card fetched from the draw pile is a visit to it, but no draw.
                if step.action.from_draw_pile:
                    draws = [event for event in draws if not step.time < event.time < _gone(step) + _LINGERS]
            case Reach(draws=True, seat=seat):
                counts[Count.DRAWS] += 1
                seen = [event for event in draws if step.time < event.time < _gone(step) + _LINGERS]
                if seen:
                    # If several people draw at once, compare each with the nearest arm.
                    nearest = min(seen, key=lambda event: between(event.arm.direction, seats[seat]))
                    draws.remove(nearest)
                    counts[Count.FOUND] += 1
                    counts[Count.RIGHT_DRAWER] += whose(nearest.arm, seats) == seat
    counts[Count.INVENTED] += sum(event.drawn[0] < 0.5 for event in draws)
    return counts


def _grade_landing(
    counts: Counter[Count], step: Step, seat: int, seats: Sequence[float], landings: list[CardLanded]
) -> None:
    assert isinstance(step.action, Lay)
    landed = step.time + step.action.pace.contact + FLIP_SECONDS * step.action.from_draw_pile
    reported = next((event for event in landings if landed - _EARLY < event.time < landed + _LATE), None)
    if reported is not None:
        landings.remove(reported)
        counts[Count.LANDINGS] += 1
        counts[Count.RIGHT_ARM] += reported.arm is not None and whose(reported.arm, seats) == seat


def _gone(step: Step) -> float:
    assert isinstance(step.action, Lay | Reach)
    return step.time + step.action.pace.total + FLIP_SECONDS * getattr(step.action, "from_draw_pile", False)


def whose(arm: Arm, seats: Sequence[float]) -> int:
    """Return the seat nearest to an arm's direction."""
    return min(range(len(seats)), key=lambda seat: between(arm.direction, seats[seat]))
