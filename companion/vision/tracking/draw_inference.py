"""Estimates how many cards a hand took at the draw pile, from its movement and from changes of the pile.

Two logistic regressions: one on the hand's movement, one that adds the draw pile's top where pictures show it.
`companion train draws` fits them on simulated tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from companion.vision.arms.arm_tracks import first_crossing
from companion.vision.arms.hand_visits import HandVisit, Spot, arm_of, turning_places, withdrawal_time
from companion.vision.core.events import PileReached
from companion.vision.core.logit import Logit, Values, load_logits, save_logits
from companion.vision.core.runtime import model_folder
from companion.vision.imaging.motion import HAND_PATIENCE, INSTANT, Floats, Zone
from companion.vision.pile.motion_gate import MOTION

MOVEMENT = (
    "distance",
    "arrival",
    "colours seen",
    "back taken",
    "among others",
    "shadow",
    "duration",
    "squared duration",
    "turning distance",
)
"""Features of a hand's movement; the last three are 0 for a hand among others, whose location is uncertain."""

TOP = ("movement", "change", "change and usual change", "change beside others")
"""Features of the draw pile's top, and the log-odds by the hand's movement."""

_NAMES = {"movement": MOVEMENT, "top": TOP}

# Maximum turning distance in card lengths.
_FARTHEST = 2.0
# Usual changed share of the draw pile's top by a draw before any was seen, and its weight in draws.
_CHANGED, _WORTH = 0.1, 2.0


class UsualChange:
    """Learns how much the draw pile's top changes when a card is taken; tidy piles change less."""

    def __init__(self) -> None:
        self._sum, self._weight = _WORTH * _log(_CHANGED), _WORTH

    @property
    def log_share(self) -> float:
        """The mean logarithm of the changed share."""
        return self._sum / self._weight

    def note(self, share: float, certainty: float) -> None:
        """Add the changed share of a draw with this probability."""
        self._sum += certainty * _log(share)
        self._weight += certainty


@dataclass(frozen=True, eq=False)
class DrawEvidence:
    """What was seen of a visit to the draw pile.

    back: colour histogram of the draw pile, None if unknown. share: changed share of its top, None if not seen. usual:
    logarithm of the usual change by a draw. alone: whether no other hand can have caused the change.
    """

    reach: HandVisit
    draw: Spot
    back: Floats | None = None
    share: float | None = None
    usual: float = 0.0
    alone: bool = True

    @cached_property
    def movement(self) -> Values:
        """The features (len(MOVEMENT),)."""
        reach, draw = self.reach, self.draw
        took = None
        if self.back is not None:
            took = reach.track.similarity_gained(self.back, draw.middle, draw.length, reach.began, reach.ended)
        own, among_others = np.zeros(3), _is_among_others(reach)
        if not among_others:
            lasted = float(np.log(reach.ended - reach.began + INSTANT))
            turned = min(_turned(reach, draw), _FARTHEST)
            own = np.array([lasted, lasted**2, turned])
        there = (reach.nearest, _came(reach), float(took is not None), took or 0.0)
        return np.array([*there, float(among_others), float(reach.track.is_shadow), *own])

    def top(self, movement: float) -> Values:
        """Return the features (len(TOP),) of a top that was seen. movement: log-odds of a draw by the movement."""
        assert self.share is not None
        return top_features(movement, self.share, self.usual, self.alone)


def top_features(movement: float, share: float, usual: float, alone: bool = True) -> Values:
    """Return the features (len(TOP),) of a change; parameters as in `DrawEvidence`."""
    change = _log(share)
    own, beside = (change, 0.0) if alone else (0.0, change)
    return np.array([movement, own, (own - usual) * usual * alone, beside])


@dataclass(frozen=True, eq=False)
class DrawModel:
    """Probability of a draw: by the hand's movement, and with the draw pile's top; `PileReached` defines the prior."""

    movement: Logit
    top: Logit

    def by_movement(self, evidence: DrawEvidence) -> float:
        """Return the probability of a draw by the hand's movement alone."""
        return float(self.movement.probabilities(evidence.movement))

    def probability(self, evidence: DrawEvidence) -> float:
        """Return the probability of a draw by everything that was seen."""
        if evidence.share is None:
            return self.by_movement(evidence)
        return float(self.top.probabilities(evidence.top(float(self.movement.log_odds(evidence.movement)))))

    @classmethod
    def load(cls, path: Path) -> DrawModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        return cls(**load_logits(path, _NAMES))

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        save_logits(path, {"movement": self.movement, "top": self.top}, _NAMES)


@cache
def shipped() -> DrawModel:
    """Return the shipped model; raises ModelFileError."""
    return DrawModel.load(model_folder() / "draws.json")


def visit_event(reach: HandVisit, zone: Zone, draw: Spot | None, drew: float) -> PileReached:
    """Return the event of a visit to either pile.

    zone: the discard pile's. draw: the draw pile if it is the one visited, with `drew`, the probability of a draw.
    """
    goal, drawn = (None, ()) if draw is None else (draw.middle, (1 - drew, drew))
    arm = arm_of(reach.track, zone, reach.began, reach.ended, goal)
    return PileReached(reach.ended, reach.began, arm, reach.kind, drawn)


def is_alone(reach: HandVisit, others: Iterable[HandVisit], drawn: Iterable[float], since: float) -> bool:
    """Whether nobody else can have caused a change at the draw pile; shadows do not count.

    others: unreported visits. drawn: end times (s) of reported ones. since: time (s) of the previous view of the pile.
    """
    nobody = all(other.track is reach.track or other.track.is_shadow for other in others)
    return nobody and not any(since < ended <= reach.ended for ended in drawn)


def _log(share: float) -> float:
    """Return the logarithm of a changed share, with an offset of what noise changes."""
    return float(np.log(share + MOTION))


def _is_among_others(reach: HandVisit) -> bool:
    """Whether a hand was mostly joined with others at the pile, so that its location is uncertain."""
    there = [sample.is_joined for sample in reach.track.samples if reach.began <= sample.time <= reach.ended]
    return bool(np.median(there))


def _came(reach: HandVisit) -> float:
    """Return the share of its reach by which the hand arrived at, or left, the pile; the larger of both.

    1 if unknown.
    """
    samples = reach.track.samples
    came = first_crossing(samples)
    if came is None:
        return 1.0
    began, ended = reach.began - HAND_PATIENCE, reach.ended + HAND_PATIENCE
    ways = [(s.time, float(np.hypot(*(s.tip - (came if s.crossing is None else s.crossing))))) for s in samples]
    there = max(depth for time, depth in ways if reach.began <= time <= reach.ended)
    return 1 - min(depth for time, depth in ways if began <= time <= ended) / max(1.0, there)


def _turned(reach: HandVisit, draw: Spot) -> float:
    """Return the distance from the pile at which the hand turned around in card lengths; 0 if unknown."""
    places = turning_places(reach.track, draw.length, withdrawal_time(reach.track, reach.ended))
    return min((float(np.hypot(*(place - draw.middle))) / draw.length for place in places), default=0.0)
