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
from companion.vision.imaging.durations import HAND_PATIENCE, INSTANT
from companion.vision.imaging.masks import Floats
from companion.vision.imaging.zone import Zone
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
_PRIOR_SHARE, _PRIOR_WEIGHT = 0.1, 2.0


class UsualChange:
    """Learns how much the draw pile's top changes when a card is taken; tidy piles change less."""

    def __init__(self) -> None:
        self._sum, self._weight = _PRIOR_WEIGHT * _log_share(_PRIOR_SHARE), _PRIOR_WEIGHT

    @property
    def log_share(self) -> float:
        """The mean logarithm of the changed share."""
        return self._sum / self._weight

    def add(self, share: float, certainty: float) -> None:
        """Add the changed share of a draw with this probability."""
        self._sum += certainty * _log_share(share)
        self._weight += certainty


@dataclass(frozen=True, eq=False)
class DrawEvidence:
    """What was seen of a visit to the draw pile.

    back: colour histogram of the draw pile, None if unknown. share: changed share of its top, None if not seen. usual:
    logarithm of the usual change by a draw. alone: whether no other hand can have caused the change.
    """

    visit: HandVisit
    draw: Spot
    back: Floats | None = None
    share: float | None = None
    usual: float = 0.0
    only_hand: bool = True

    @cached_property
    def movement(self) -> Values:
        """The features (len(MOVEMENT),)."""
        visit, draw = self.visit, self.draw
        took = None
        if self.back is not None:
            took = visit.track.similarity_gained(self.back, draw.middle, draw.length, visit.began, visit.ended)
        joined = [s.is_joined for s in visit.track.samples if visit.began <= s.time <= visit.ended]
        # Mostly joined with others at the pile, its location is uncertain.
        own, among_others = np.zeros(3), bool(np.median(joined))
        if not among_others:
            lasted = float(np.log(visit.ended - visit.began + INSTANT))
            turning = min(_turning_distance(visit, draw), _FARTHEST)
            own = np.array([lasted, lasted**2, turning])
        there = (visit.nearest, _arrival_share(visit), float(took is not None), took or 0.0)
        return np.array([*there, float(among_others), float(visit.track.is_shadow), *own])

    def top(self, movement: float) -> Values:
        """Return the features (len(TOP),) of a top that was seen. movement: log-odds of a draw by the movement."""
        assert self.share is not None
        return top_features(movement, self.share, self.usual, self.only_hand)


def top_features(movement: float, share: float, usual: float, only_hand: bool = True) -> Values:
    """Return the features (len(TOP),) of a change; parameters as in `DrawEvidence`."""
    change = _log_share(share)
    own, beside = (change, 0.0) if only_hand else (0.0, change)
    return np.array([movement, own, (own - usual) * usual * only_hand, beside])


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


def visit_event(visit: HandVisit, zone: Zone, draw: Spot | None, drew: float) -> PileReached:
    """Return the event of a visit to either pile.

    zone: the discard pile's. draw: the draw pile if it is the one visited, with `drew`, the probability of a draw.
    """
    goal, drawn = (None, ()) if draw is None else (draw.middle, (1 - drew, drew))
    arm = arm_of(visit.track, zone, visit.began, visit.ended, goal)
    return PileReached(visit.ended, visit.began, arm, visit.kind, drawn)


def is_only_hand(visit: HandVisit, others: Iterable[HandVisit], drawn: Iterable[float], since: float) -> bool:
    """Whether nobody else can have caused a change at the draw pile; shadows do not count.

    others: unreported visits. drawn: end times (s) of reported ones. since: time (s) of the previous view of the pile.
    """
    nobody = all(other.track is visit.track or other.track.is_shadow for other in others)
    return nobody and not any(since < ended <= visit.ended for ended in drawn)


def _log_share(share: float) -> float:
    """Return the logarithm of a changed share, with an offset of what noise changes."""
    return float(np.log(share + MOTION))


def _arrival_share(visit: HandVisit) -> float:
    """Return the share of its reach by which the hand arrived at, or left, the pile: the larger one; 1 if unknown."""
    samples = visit.track.samples
    crossing = first_crossing(samples)
    if crossing is None:
        return 1.0
    began, ended = visit.began - HAND_PATIENCE, visit.ended + HAND_PATIENCE
    ways = [(s.time, float(np.hypot(*(s.tip - (crossing if s.crossing is None else s.crossing))))) for s in samples]
    there = max(depth for time, depth in ways if visit.began <= time <= visit.ended)
    return 1 - min(depth for time, depth in ways if began <= time <= ended) / max(1.0, there)


def _turning_distance(visit: HandVisit, draw: Spot) -> float:
    """Return the distance from the pile at which the hand turned around in card lengths; 0 if unknown."""
    places = turning_places(visit.track, draw.length, withdrawal_time(visit.track, visit.ended))
    return min((float(np.hypot(*(place - draw.middle))) / draw.length for place in places), default=0.0)
