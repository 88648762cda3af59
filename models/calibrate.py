"""Fits what confidences of open cards and of corners in a fan mean, and checks those of each kind of reading: on drawn
cards as people show them, most of the pictures made worse, two decks of three for the fit and the third for the check.

What a pile's mean is fitted on matches, whose piles are nothing like drawn heaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from companion.dataset.scenes.compose import Scene, SceneMaker
from companion.dataset.scenes.hardships import SHARES, Hardship, suffer
from companion.dataset.scenes.layouts import Layout
from companion.models.evaluate import fit_temperature
from companion.vision.core.calibration import Calibration, Curve, Kind
from companion.vision.core.geometry import Image, corner_frames
from companion.vision.core.sightings import RUNNER_UP_BELOW, Sighting
from companion.vision.recognition.card_detector import CardDetector

# One deck's pictures: as people show cards, and piles as they lie.
SHOWN: Mapping[Layout, int] = {
    Layout.SINGLE: 8,
    Layout.SPREAD: 3,
    Layout.GRID: 2,
    Layout.FAN: 4,
    Layout.CASCADE: 3,
    Layout.HEAP: 1,
}
ALL: Mapping[Layout, int] = {**SHOWN, Layout.PILE: 8}
# Of the scenes so many are hard in themselves, and each is read as it is and so many times made worse.
_HARD, _WORSE = 0.15, 2
# Hardships that are laid out with the scene and cannot be put on its picture: it would be read twice as it is.
_LAID_OUT = frozenset({Hardship.FAR, Hardship.SLANTED, Hardship.FINGER})
# How far from a card's outline (px) the middle of what is read of it may lie: outlines and frames are a little off.
_NEAR = 25.0
# Fewer readings in doubt than this tell no line, fewer altogether no temperature. So many readings, in effect, say
# beforehand that confidences mean what they say: each right in its own probability.
_FEWEST, _BELIEVED = 40, 10.0
_OPEN = (Kind.ALONE, Kind.AMONG)
# So near to what it may be at most a reading is held back.
_HELD_BACK = 0.005
# Log-odds beyond which a reading tells the fit no more.
_STEEPEST = 30.0
# Bins of confidence.
_EDGES = (0.5, 0.7, 0.8, 0.9, RUNNER_UP_BELOW, 1.0)
_NORMAL_95 = 1.96


@dataclass(frozen=True, eq=False)
class Judged:
    """A reading of a kind, told without what is fitted here, and whether it is right."""

    kind: Kind
    sighting: Sighting
    right: bool


@dataclass(frozen=True)
class Bin:
    """Readings of about one confidence: how many, the mean of what was told, how many are right."""

    low: float
    high: float
    count: int
    told: float
    right: int

    @property
    def share(self) -> float:
        """Which share is right."""
        return self.right / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Between what the true share lies, 19 times in 20 (Wilson, Probable Inference, 1927)."""
        if not self.count:
            return 0.0, 1.0
        z2 = _NORMAL_95**2
        middle = (self.share + z2 / (2 * self.count)) / (1 + z2 / self.count)
        spread = self.share * (1 - self.share) / self.count + z2 / (4 * self.count**2)
        half = _NORMAL_95 * float(np.sqrt(spread)) / (1 + z2 / self.count)
        return middle - half, middle + half


def unfitted(current: Calibration) -> Calibration:
    """Return the calibration without all that differs from kind to kind."""
    return Calibration(current.card, current.index)


def drawn(
    detector: CardDetector, decks: Iterable[int], seed: int, layouts: Mapping[Layout, int] = ALL
) -> Iterator[Judged]:
    """Yield what is read of drawn decks, told by numbers, laid out so often in each way.

    detector: tells what is not fitted yet.
    """
    ways, shares = zip(*((way, share) for way, share in SHARES.items() if way not in _LAID_OUT), strict=True)
    odds = np.array(shares) / sum(shares)
    for number in decks:
        rng = np.random.default_rng((seed, number))
        scenes = SceneMaker((seed, number), (1280, 720), deck_count=1, hard=_HARD)
        for layout in (layout for layout, count in layouts.items() for _ in range(count)):
            scene = scenes.make(layout)
            quads = [card.quad for card in scene.cards if card.visible > 0.4]
            worse = [suffer(scene.image, ways[int(rng.choice(len(ways), p=odds))], quads, rng) for _ in range(_WORSE)]
            for image in (scene.image, *worse):
                yield from _read(detector, image, scene)


def _read(detector: CardDetector, image: Image, scene: Scene) -> Iterator[Judged]:
    if scene.layout is Layout.PILE:
        found = [sighting for sighting in detector.detect_pile(image) if sighting.whole]
        kinds = [Kind.PILE] * len(found)
    else:
        found = detector.detect(image)
        kinds = Calibration.kinds(found)
    left = list(scene.cards)
    for kind, sighting in sorted(zip(kinds, found, strict=True), key=lambda pair: -pair[1].confidence):
        # The outline that a corner tells is off, and upside down where a 0 or an 8 is: what was read is its index.
        seen = sighting.quad if sighting.whole else corner_frames(sighting.quad)[0]
        x, y = seen.mean(0).tolist()
        here = [c for c in left if c.card == sighting.card and cv2.pointPolygonTest(c.quad, (x, y), True) > -_NEAR]
        left = [card for card in left if not here or card is not here[0]]
        yield Judged(kind, sighting, bool(here))


def fitted(judged: Sequence[Judged], current: Calibration) -> Calibration:
    """Return the calibration with the temperature of corners in a fan and the lines, theirs and one of all open cards,
    that fit these readings best."""
    corners = [one for one in judged if one.kind is Kind.FANNED]
    new = replace(current, curves={})
    if len(corners) >= _FEWEST:
        temperature = fit_temperature([(one.sighting, one.right) for one in corners], 1.0)
        new = replace(new, fanned=round(temperature, 3))
    curves: dict[Kind, Curve] = {}
    for kinds in ((Kind.FANNED,), _OPEN):
        # What is held back is told with as much as it may be, whatever was read.
        ones = [one for one in judged if one.kind in kinds and one.sighting.confidence < one.sighting.most - _HELD_BACK]
        doubtful = [pair for pairs in told(ones, new).values() for pair in pairs if pair[0] < RUNNER_UP_BELOW]
        if len(doubtful) >= _FEWEST:
            curves |= dict.fromkeys(kinds, fit_curve(*map(np.array, zip(*doubtful, strict=True))))
    return replace(new, curves=curves)


def fit_curve(confidences: np.ndarray, right: np.ndarray) -> Curve:
    """Return the curve that tells best which of (N,) readings are right, rising, by Newton's method."""
    odds = np.log(confidences / (1 - confidences))
    rows = np.column_stack([odds, np.ones_like(odds)])
    believed = _BELIEVED / len(odds)
    wanted = (right + believed * confidences) / (1 + believed)
    line = np.array([1.0, 0.0])
    for _ in range(30):
        said = 1 / (1 + np.exp(-np.clip(rows @ line, -_STEEPEST, _STEEPEST)))
        curvature = rows.T @ (rows * (said * (1 - said))[:, None]) + 1e-6 * np.eye(2)
        line = line + np.linalg.solve(curvature, rows.T @ (wanted - said))
    slope, offset = line.round(3).tolist()
    if slope > 0:
        return Curve(slope, offset)
    # What is told more surely is never to be believed less.
    return Curve(0.0, round(float(np.log(wanted.sum() / (1 - wanted).sum())), 3))


def told(judged: Sequence[Judged], calibration: Calibration) -> dict[Kind, list[tuple[float, bool]]]:
    """Return with which confidence a calibration tells the readings, and whether they are right, by kind."""
    ones: dict[Kind, list[tuple[float, bool]]] = {}
    for one in judged:
        ones.setdefault(one.kind, []).append((calibration.calibrated(one.sighting, one.kind).confidence, one.right))
    return ones


def bins(ones: Sequence[tuple[float, bool]]) -> list[Bin]:
    """Return the readings of `told` by confidence; those below the least bin are in none."""
    found = []
    for low, high in pairwise(_EDGES):
        inside = [one for one in ones if low <= one[0] < high or (one[0] == high == 1.0)]
        mean = float(np.mean([confidence for confidence, _ in inside])) if inside else 0.0
        found.append(Bin(low, high, len(inside), mean, sum(right for _, right in inside)))
    return found


def rows(judged: Sequence[Judged], calibration: Calibration) -> Mapping[str, list[Bin]]:
    """Return the bins of all readings and of each kind, by name."""
    by_kind = told(judged, calibration)
    every = [one for ones in by_kind.values() for one in ones]
    return {"all": bins(every), **{kind.value: bins(by_kind[kind]) for kind in Kind if kind in by_kind}}
