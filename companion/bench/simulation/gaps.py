"""Gaps in what the camera sees of a simulated match, and how the top of the pile is reported after each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from companion.cards import Card
from companion.dataset.simulated.simulation import PileChange, TrueEvent
from companion.vision.core.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
)
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import UNSURE_BELOW

# Ranges in seconds of the time between gaps and of their duration: one to four plays fall into a gap. Seconds for which
# the pile must lie in view after one: before that the hand of the next change comes in.
_BETWEEN, _LASTS, _IN_VIEW = (9.0, 16.0), (4.0, 9.0), 1.0


class Gap(Enum):
    """Reasons why the camera sees nothing for a while."""

    COVERED = "lens covered"
    ASLEEP = "phone asleep"
    RESTARTED = "restarted"
    """The program was closed: the table is known again, the pile is not."""


class TopAfterGap(Enum):
    """How the top card was reported after a gap in which cards landed."""

    RIGHT = "right"
    ASKED = "asked"
    WRONG = "wrong"
    MISSED = "missed"


@dataclass(frozen=True)
class GapTime:
    """A gap from `start` to `end`, in seconds."""

    gap: Gap
    start: float
    end: float

    def picture(self, image: Image) -> Image | None:
        """Return what the camera sends instead of a (H, W, 3) BGR picture, None for nothing."""
        return np.zeros_like(image) if self.gap is Gap.COVERED else None

    def status(self, *, over: bool) -> list[PileEvent]:
        """Return what the capture reports at its start or end; a covered lens is not noticed."""
        if self.gap is Gap.COVERED:
            return []
        return [CameraStatus(self.end, CameraHealth.OK) if over else CameraStatus(self.start, CameraHealth.GONE)]


def gap_times(seed: int, duration: float) -> Iterator[GapTime]:
    """Yield the gaps of a match of this duration in seconds, the kinds in turn."""
    rng, now = np.random.default_rng([seed, 53]), 0.0
    for number in range(int(duration)):
        start = now + float(rng.uniform(*_BETWEEN))
        now = start + float(rng.uniform(*_LASTS))
        if now >= duration:
            return
        yield GapTime(list(Gap)[(number + seed) % len(Gap)], start, now)


def grade_gaps(
    gaps: Sequence[GapTime], truth: Sequence[TrueEvent], said: Sequence[tuple[float, PileEvent]]
) -> Counter[TopAfterGap]:
    """Return how the tops were reported after the gaps in which the last change was a landing.

    said: events with the time of the frame at which each was reported. Counts what is reported before the next change,
    unless that comes at once. The card of a new pile after a reshuffle is no play: where it is the old top, it need not
    be reported again.
    """
    counts: Counter[TopAfterGap] = Counter()
    for gap in gaps:
        during = [event for event in truth if gap.start <= event.time < gap.end]
        if not during or during[-1].change is not PileChange.LANDED:
            continue
        until = min((event.time for event in truth if event.time >= gap.end), default=np.inf)
        if until - gap.end < _IN_VIEW:
            continue
        landed = [e for at, e in said if gap.end <= at <= until and isinstance(e, CardLanded)]
        if not landed:
            place = truth.index(during[-1])
            relaid = any(event.change is PileChange.GONE for event in truth[max(0, place - 1) : place])
            known = relaid and _top_reported(said, until) == during[-1].card
            counts[TopAfterGap.RIGHT if known else TopAfterGap.MISSED] += 1
            continue
        card, confidence = landed[-1].probabilities[0]
        right = TopAfterGap.RIGHT if card == during[-1].card else TopAfterGap.WRONG
        counts[TopAfterGap.ASKED if confidence < UNSURE_BELOW else right] += 1
    return counts


def _top_reported(said: Sequence[tuple[float, PileEvent]], until: float) -> Card | None:
    """Return the top card by what was reported until a time, None for a bare table."""
    top = None
    for at, event in said:
        if at > until:
            break
        if isinstance(event, CardLanded | CardTakenBack):
            top = event.probabilities[0][0] if event.probabilities else None
        elif isinstance(event, PileGone):
            top = None
    return top
