"""How well arms tell who did what: what was seen of a lively simulated match, held against who truly did it."""

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

# How much earlier (s) than the hand lets go a card may lie still, and how much later it may first be seen to.
_EARLY, _LATE = 0.3, 2.5
# How long (s) after a hand has gone its reach may end: tips are lost out of sight a little later.
_LINGERS = 0.4


class Count(Enum):
    """What is counted about hands."""

    LANDINGS = "landings told"
    RIGHT_ARM = "landings with the right arm"
    DRAWS = "draws"
    FOUND = "draws found"
    RIGHT_DRAWER = "draws with the right arm"
    INVENTED = "draws invented"


def directions(script: Script, top: Tabletop) -> list[float]:
    """Return where each player sits in the picture, degrees clockwise from up about the discard pile."""
    pile = top.point(0, 0)
    away = [top.point(chair.x, chair.y) - pile for chair in script.chairs]
    return [float(np.degrees(np.arctan2(x, -y)) % 360) for x, y in away]


def grade_hands(script: Script, seats: Sequence[float], said: Iterable[PileEvent]) -> Counter[Count]:
    """Return the counts of one match. seats: where its players truly sit, degrees; an arm is the nearest one's."""
    counts: Counter[Count] = Counter()
    events = list(said)
    landings = [event for event in events if isinstance(event, CardLanded)]
    draws = [event for event in events if isinstance(event, PileReached) and event.pile is PileKind.DRAW]
    for step in script.steps:
        match step.action:
            case Lay(seat=seat):
                _grade_landing(counts, step, seat, seats, landings)
                # A card fetched from the draw pile is a reach for it, and no draw.
                if step.action.from_draw_pile:
                    draws = [event for event in draws if not step.time < event.time < _gone(step) + _LINGERS]
            case Reach(draws=True, seat=seat):
                counts[Count.DRAWS] += 1
                seen = [event for event in draws if step.time < event.time < _gone(step) + _LINGERS]
                if seen:
                    # Of several people drawing at once, each is held against the arm that is most likely his.
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
    told = next((event for event in landings if landed - _EARLY < event.time < landed + _LATE), None)
    if told is not None:
        landings.remove(told)
        counts[Count.LANDINGS] += 1
        counts[Count.RIGHT_ARM] += told.arm is not None and whose(told.arm, seats) == seat


def _gone(step: Step) -> float:
    assert isinstance(step.action, Lay | Reach)
    return step.time + step.action.pace.total + FLIP_SECONDS * getattr(step.action, "from_draw_pile", False)


def whose(arm: Arm, seats: Sequence[float]) -> int:
    """Return the seat that an arm comes nearest from."""
    return min(range(len(seats)), key=lambda seat: between(arm.direction, seats[seat]))
