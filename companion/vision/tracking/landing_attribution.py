"""Attributes a landed card to an arm, by time, place and carried colours.

A conditional logit model (McFadden, 1974): each arm gets a score at the moment that speaks most for it, "nobody seen"
gets 0, and their softmax is the probability. `companion train landings` fits it on simulated tables.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import Spot, distances
from companion.vision.core.geometry import CARD_RADIUS
from companion.vision.core.logit import Logit, Values, load_logits, save_logits
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import CERTAIN
from companion.vision.imaging.durations import ARM_PATIENCE, HAND_PATIENCE, INSTANT
from companion.vision.imaging.masks import Floats

MOMENT = (
    "seconds before",
    "distance",
    "shadow",
    "time since entry",
    "only just entered",
    "laid before",
    "load seen",
    "load like the card",
)
"""Features of an arm at a moment, relative to when and where the card came to rest; lengths in card lengths."""


@dataclass(frozen=True, eq=False)
class Landing:
    """A card that came to rest at a place and time (s), and the arms that were in the picture about then.

    already_laid: numbers of arms that laid theirs before. card: its colour histogram, None if not seen.
    """

    spot: Spot
    tracks: Sequence[Track]
    landed: float
    already_laid: Collection[int] = field(default=())
    card: Floats | None = None

    def moments(self, track: Track) -> Values:
        """Return the (N, len(MOMENT)) features of an arm at its N moments before the landing; N may be 0."""
        first, last = self.landed - ARM_PATIENCE, min(self.landed, track.split_at)
        numbers = [n for n, sample in enumerate(track.samples) if first <= sample.time <= last]
        constant = self._constant_features(track) if numbers else ()
        seconds = [self.landed - track.samples[number].time for number in numbers]
        away = [distances(track, number, [self.spot])[self.spot.kind] for number in numbers]
        rows = [[*moment, *constant] for moment in zip(seconds, away, strict=True)]
        return np.array(rows, np.float64).reshape(-1, len(MOMENT))

    def _constant_features(self, track: Track) -> tuple[float, ...]:
        """Return the features that all moments of an arm share."""
        age, has_laid = max(0.0, self.landed - track.samples[0].time), track.number in self.already_laid
        # What an arm that had laid its card carried was that card.
        load = None if has_laid else self.carried_similarity(track)
        entered = float(np.log(age + INSTANT)), INSTANT / (age + INSTANT)
        return float(track.is_shadow), *entered, float(has_laid), float(load is not None), load or 0.0

    def carried_similarity(self, track: Track) -> float | None:
        """Return the similarity (0 to 1) of what an arm carried to the card; None if either was not seen."""
        if self.card is None:
            return None
        return track.carried(self.card, self.spot.middle, self.spot.length, self.landed - HAND_PATIENCE)


@dataclass(frozen=True, eq=False)
class LandingModel:
    """Log-odds that an arm laid a card, against that of an arm nobody saw."""

    moment: Logit

    def attributed(self, landing: Landing) -> tuple[tuple[Track, float], ...]:
        """Return the arms that may have laid the card, best first, with probabilities; none if nobody is likelier."""
        scores = [self.score(landing.moments(track)) for track in landing.tracks]
        best = max(scores, default=-np.inf)
        if best < 0:
            return ()
        weights = [float(np.exp(score - best)) for score in scores]
        shares = [(track, weight / sum(weights)) for track, weight in zip(landing.tracks, weights, strict=True)]
        return tuple(sorted((pair for pair in shares if pair[1] >= 1 - CERTAIN), key=lambda pair: -pair[1]))

    def score(self, moments: Values) -> float:
        """Return the log-odds of an arm with these moments (N, len(MOMENT)) against nobody."""
        return float(self.moment.log_odds(moments).max(initial=-np.inf))

    @classmethod
    def load(cls, path: Path) -> LandingModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        return cls(**load_logits(path, {"moment": MOMENT}))

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        save_logits(path, {"moment": self.moment}, {"moment": MOMENT})


@cache
def shipped() -> LandingModel:
    """Return the shipped model; raises ModelFileError."""
    return LandingModel.load(model_folder() / "landings.json")


def arrival_time(spot: Spot, track: Track, began: float, ended: float) -> float:
    """Return when, between two times (s), a hand arrived at its nearest point to a pile; all of the card is as near."""
    there = [number for number, sample in enumerate(track.samples) if began <= sample.time <= ended]
    away = {number: distances(track, number, [spot])[spot.kind] for number in there}
    if not away:
        return began
    first = nearest = min(there, key=lambda number: away[number])
    while first - 1 in away and away[first - 1] <= away[nearest] + CARD_RADIUS:
        first -= 1
    return track.samples[first].time
