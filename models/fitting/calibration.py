"""Calibrates the confidences of corners in a fan, and checks the calibration of every kind of reading.

The pictures are drawn cards as people show them, most of them degraded. Two of three decks are for the fit, the third
for the check. `fitting.fusion` calibrates open cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import Scene, SceneMaker
from companion.dataset.scenes.hardships import finished, suffer
from companion.dataset.scenes.layouts import Layout
from companion.models.evaluation.pictures import fit_temperature
from companion.vision.core.calibration import Calibration, Kind
from companion.vision.core.geometry import Image, corner_frames
from companion.vision.core.sightings import RUNNER_UP_BELOW, Sighting
from companion.vision.recognition.card_detector import CardDetector

# Number of pictures per layout and deck: cards as people show them, then also piles.
SHOWN: Mapping[Layout, int] = {
    Layout.SINGLE: 8,
    Layout.SPREAD: 3,
    Layout.GRID: 2,
    Layout.FAN: 4,
    Layout.CASCADE: 3,
    Layout.HEAP: 1,
}
ALL: Mapping[Layout, int] = {**SHOWN, Layout.PILE: 8}
# Share of scenes that are hard by themselves, and how many degraded copies of each scene are read besides.
_HARD, _DEGRADED = 0.15, 2
# Maximum distance in pixels of a reading's centre from the card's outline: outlines are not exact.
_MAX_DISTANCE = 25.0
# Minimum number of readings to fit a temperature.
_MIN_READINGS = 40
# Edges of the confidence bins.
_EDGES = (0.5, 0.7, 0.8, 0.9, RUNNER_UP_BELOW, 1.0)
_NORMAL_95 = 1.96


@dataclass(frozen=True, eq=False)
class Judged:
    """A reading with its uncalibrated confidence, its kind, and whether it is right."""

    kind: Kind
    sighting: Sighting
    right: bool


@dataclass(frozen=True)
class Bin:
    """Readings in one confidence bin: their number, mean confidence, and how many are right."""

    low: float
    high: float
    count: int
    predicted: float
    right: int

    @property
    def share(self) -> float:
        """Share of the readings that are right."""
        return self.right / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the share (Wilson, Probable Inference, 1927)."""
        if not self.count:
            return 0.0, 1.0
        z2 = _NORMAL_95**2
        middle = (self.share + z2 / (2 * self.count)) / (1 + z2 / self.count)
        spread = self.share * (1 - self.share) / self.count + z2 / (4 * self.count**2)
        half = _NORMAL_95 * float(np.sqrt(spread)) / (1 + z2 / self.count)
        return middle - half, middle + half


def unfitted(current: Calibration) -> Calibration:
    """Return the calibration without the parts that differ by kind."""
    return Calibration(current.card, current.index)


def drawn(
    detector: CardDetector, decks: Iterable[int], seed: int, layouts: Mapping[Layout, int] = ALL
) -> Iterator[Judged]:
    """Yield the readings of drawn decks, given by number; `layouts` holds the number of pictures per layout.

    detector: must be uncalibrated.
    """
    for scene, image in pictures(decks, seed, layouts, _HARD, _DEGRADED):
        yield from judged(detector, image, scene)


def pictures(
    decks: Iterable[int],
    seed: int,
    layouts: Mapping[Layout, int],
    hard: float,
    degraded: int,
    at_once: int = 1,
    families: Mapping[StyleFamily, float] | None = None,
) -> Iterator[tuple[Scene, Image]]:
    """Yield the scenes of drawn decks, given by number, each with its picture as drawn and `degraded` worse ones.

    layouts: number of scenes per layout. hard: share of the scenes that are hard to read. at_once: number of decks
    behind each number, from which every scene takes one at random. families: with their weights, printed ones if None.
    """
    for number in decks:
        rng = np.random.default_rng((seed, number))
        scenes = SceneMaker((seed, number), (1280, 720), families, deck_count=at_once, hard=hard)
        for layout in (layout for layout, count in layouts.items() for _ in range(count)):
            scene = scenes.make(layout)
            quads = [card.quad for card in scene.cards if card.visible > 0.4]
            for image in (scene.image, *[suffer(scene.image, finished(rng), quads, rng) for _ in range(degraded)]):
                yield scene, image


def judged(detector: CardDetector, image: Image, scene: Scene) -> Iterator[Judged]:
    if scene.layout is Layout.PILE:
        found = [sighting for sighting in detector.detect_pile(image) if sighting.whole]
        kinds = [Kind.OPEN] * len(found)
    else:
        found = detector.detect(image)
        kinds = Calibration.kinds(found)
    left = list(scene.cards)
    for kind, sighting in sorted(zip(kinds, found, strict=True), key=lambda pair: -pair[1].confidence):
        # The outline inferred from a corner is inexact, and upside down for a 0 or an 8: use the corner's own centre.
        seen = sighting.quad if sighting.whole else corner_frames(sighting.quad)[0]
        x, y = seen.mean(0).tolist()
        here = [
            c for c in left if c.card == sighting.card and cv2.pointPolygonTest(c.quad, (x, y), True) > -_MAX_DISTANCE
        ]
        left = [card for card in left if not here or card is not here[0]]
        yield Judged(kind, sighting, bool(here))


def fitted(judged: Sequence[Judged], current: Calibration) -> Calibration:
    """Return the calibration with the best temperature for corners in a fan."""
    corners = [one for one in judged if one.kind is Kind.FANNED]
    if len(corners) < _MIN_READINGS:
        return current
    temperature = fit_temperature([(one.sighting, one.right) for one in corners], 1.0)
    return replace(current, fanned=round(temperature, 3))


def calibrated(judged: Sequence[Judged], calibration: Calibration) -> dict[Kind, list[tuple[float, bool]]]:
    """Return (calibrated confidence, whether right) of the readings by kind."""
    ones: dict[Kind, list[tuple[float, bool]]] = {}
    for one in judged:
        ones.setdefault(one.kind, []).append((calibration.calibrated(one.sighting, one.kind).confidence, one.right))
    return ones


def bins(ones: Sequence[tuple[float, bool]]) -> list[Bin]:
    """Return the readings by confidence bin. Readings below the lowest edge are left out."""
    found = []
    for low, high in pairwise(_EDGES):
        inside = [one for one in ones if low <= one[0] < high or (one[0] == high == 1.0)]
        mean = float(np.mean([confidence for confidence, _ in inside])) if inside else 0.0
        found.append(Bin(low, high, len(inside), mean, sum(right for _, right in inside)))
    return found


def rows(judged: Sequence[Judged], calibration: Calibration) -> Mapping[str, list[Bin]]:
    """Return the bins of all readings and of each kind, by name."""
    by_kind = calibrated(judged, calibration)
    every = [one for ones in by_kind.values() for one in ones]
    return {"all": bins(every), **{kind.value: bins(by_kind[kind]) for kind in Kind if kind in by_kind}}
