"""Measures a detector on labelled pictures: figures per card, the confusion matrix and calibration.

Labelled pictures are generated scenes (JSON lines of dataset/scenes/generate.py) or photos with labels.json: a list of
{"file", "cards": [names], "kind", "source", "flags"} beside images/.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.dataset.scenes.generate import CARD_VISIBLE, INDEX_VISIBLE
from companion.vision.core.calibration import Calibration
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector

# Minimum number of sightings to fit a temperature.
_MIN_SIGHTINGS = 30


@dataclass(frozen=True)
class Labelled:
    """A picture file, its face-up cards, its groups, and whether unlabelled cards may be in view."""

    path: Path
    cards: Counter[Card]
    groups: tuple[str, ...]
    lenient: bool = False


@dataclass(frozen=True)
class Figures:
    """Sums over pictures; the properties are shares."""

    pictures: int = 0
    exact: int = 0
    there: int = 0
    claimed: int = 0
    hit: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(a + b for a, b in zip(self.astuple(), other.astuple(), strict=True)))

    def astuple(self) -> tuple[int, ...]:
        """Return the five sums."""
        return (self.pictures, self.exact, self.there, self.claimed, self.hit)

    @property
    def exact_share(self) -> float:
        """Share of pictures whose cards were all read, without false positives."""
        return self.exact / max(self.pictures, 1)

    @property
    def precision(self) -> float:
        """Share of the predicted cards that are right."""
        return self.hit / self.claimed if self.claimed else 1.0

    @property
    def recall(self) -> float:
        """Share of the labelled cards that were predicted."""
        return self.hit / self.there if self.there else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def labelled_photos(folder: Path) -> list[Labelled]:
    """Return the pictures of a folder with labels.json, leaving out low-resolution ones, grouped by kind and source."""
    rows = json.loads((folder / "labels.json").read_text("utf-8"))
    return [
        Labelled(
            folder / "images" / row["file"],
            Counter(map(Card.parse, row["cards"])),
            (row["kind"].split("_")[0], f"source {row['source']}"),
            "ignore_extra" in row["flags"],
        )
        for row in rows
        if "lowres" not in row["flags"]
    ]


def labelled_scenes(folder: Path, split: str = "val") -> list[Labelled]:
    """Return generated scenes; a card counts if it, or one of its indices, is visible enough to be labelled."""
    labelled = []
    for line in (folder / f"{split}.jsonl").read_text().splitlines():
        row = json.loads(line)
        cards = Counter(Card.parse(entry["card"]) for entry in row["cards"] if _readable(entry))
        path = folder / "images" / split / f"{row['image']}.jpg"
        labelled.append(Labelled(path, cards, (str(row["layout"]),)))
    return labelled


def _readable(entry: dict[str, object]) -> bool:
    indices: list[dict[str, float]] = entry["indices"]  # type: ignore[assignment]
    return float(entry["visible"]) >= CARD_VISIBLE or any(index["visible"] >= INDEX_VISIBLE for index in indices)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Reading:
    """One picture's label and its sightings."""

    label: Labelled
    sightings: tuple[Sighting, ...]

    def figures(self) -> Figures:
        """Return this picture's sums, comparing cards as multisets."""
        found = Counter(sighting.card for sighting in self.sightings)
        there = self.label.cards
        hit = (found & there).total()
        exact = there <= found if self.label.lenient else there == found
        return Figures(1, int(exact), there.total(), hit if self.label.lenient else found.total(), hit)


def read_all(detector: CardDetector, labelled: Iterable[Labelled]) -> Iterator[Reading]:
    """Yield the reading of each picture."""
    for label in labelled:
        image = cv2.imread(str(label.path), cv2.IMREAD_COLOR)
        assert image is not None, f"{label.path} cannot be read"
        yield Reading(label, tuple(detector.detect(np.asarray(image, np.uint8))))


def table(readings: Sequence[Reading]) -> dict[str, Figures]:
    """Return the figures of all pictures and of each group."""
    sums: dict[str, Figures] = {}
    for reading in readings:
        for group in ("all", *reading.label.groups):
            sums[group] = sums.get(group, Figures()) + reading.figures()
    return sums


def paired(readings: Sequence[Reading]) -> Iterator[tuple[Card, Sighting]]:
    """Yield (true card, sighting) pairs: exact matches, and misreadings that are unambiguous because one card and one
    sighting of a picture are left.
    """
    for reading in readings:
        missing = Counter(reading.label.cards)
        wrong = []
        for sighting in sorted(reading.sightings, key=lambda s: -s.confidence):
            if missing[sighting.card] > 0:
                missing[sighting.card] -= 1
                yield sighting.card, sighting
            else:
                wrong.append(sighting)
        left = list(missing.elements())
        if len(left) == 1 and len(wrong) == 1:
            yield left[0], wrong[0]


def judged(readings: Sequence[Reading]) -> Iterator[tuple[Sighting, bool]]:
    """Yield each sighting and whether it is right, comparing multisets; of equals the most confident one counts."""
    for reading in readings:
        missing = Counter(reading.label.cards)
        for sighting in sorted(reading.sightings, key=lambda s: -s.confidence):
            yield sighting, missing[sighting.card] > 0
            missing[sighting.card] -= 1


def correctness(readings: Sequence[Reading]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each sighting's confidence and whether it is right; pictures with unlabelled cards are left out."""
    pairs = list(judged([reading for reading in readings if not reading.label.lenient]))
    return np.array([sighting.confidence for sighting, _ in pairs]), np.array([right for _, right in pairs], bool)


def coverage_at(confidences: NDArray[np.float64], right: NDArray[np.bool_], precision: float) -> tuple[float, float]:
    """Return the largest share of sightings above a confidence threshold that reaches this precision, and the
    threshold; (0, 1) if none does.
    """
    order = np.argsort(-confidences)
    kept = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(kept >= precision)
    if not len(good):
        return 0.0, 1.0
    return float((good[-1] + 1) / len(order)), float(confidences[order][good[-1]])


def fit_temperature(pairs: Sequence[tuple[Sighting, bool]], current: float) -> float:
    """Return the temperature that maximises the likelihood of which sightings are right.

    pairs: sightings and whether they are right. current: the temperature that they were read with, returned if there
    are too few. Temperature scaling: Guo et al., On Calibration of Modern Neural Networks, 2017.
    """
    if len(pairs) < _MIN_SIGHTINGS:
        return current
    rows = np.log(np.maximum(np.array([sighting.probabilities[:4] for sighting, _ in pairs]), 1e-9))
    hits = np.array([right for _, right in pairs])

    def loss(ratio: float) -> float:
        odds = np.exp((rows - rows[:, :1]) / ratio)
        confidence = np.clip(1 / odds.sum(1), 1e-4, 1 - 1e-4)
        return float(-np.log(np.where(hits, confidence, 1 - confidence)).mean())

    grid = np.exp(np.linspace(np.log(0.4), np.log(5), 60))
    return float(current * grid[int(np.argmin([loss(ratio) for ratio in grid]))])


def fitted(readings: Sequence[Reading], current: Calibration) -> Calibration:
    """Return the calibration that fits these readings best, which were made with the `current` one."""
    whole = [pair for pair in judged(readings) if pair[0].whole]
    corners = [pair for pair in judged(readings) if not pair[0].whole]
    in_fans = [
        pair
        for reading in readings
        if Calibration.is_fan(reading.sightings)
        for pair in judged([reading])
        if not pair[0].whole and pair[0].card.color is not None
    ]
    card, index = fit_temperature(whole, current.card), fit_temperature(corners, current.index)
    enough = len(in_fans) >= _MIN_SIGHTINGS
    fanned = fit_temperature(in_fans, current.index * current.fanned) / index if enough else current.fanned
    return Calibration(card, index, fanned)


def calibrate(detector_folder: Path, readings: Sequence[Reading], current: Calibration) -> Calibration:
    """Fit and save calibration.json from readings made with the `current` calibration; return the new one."""
    new = fitted(readings, current)
    new.save(detector_folder / "calibration.json")
    return new


def draw_reliability(readings: Sequence[Reading], path: Path) -> None:
    """Draw the reliability diagram (needs matplotlib)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    confidences, right = correctness(readings)
    edges = np.array([0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0001])
    bins = np.digitize(confidences, edges) - 1
    used = [i for i in range(len(edges) - 1) if (bins == i).any()]
    figure, axis = plt.subplots(figsize=(5, 4.5))
    axis.plot([0, 1], [0, 1], color="0.7", lw=1)
    means = [confidences[bins == i].mean() for i in used]
    shares = [right[bins == i].mean() for i in used]
    axis.plot(means, shares, "o-")
    for x, y, i in zip(means, shares, used, strict=True):
        axis.annotate(str(int((bins == i).sum())), (x, y), textcoords="offset points", xytext=(4, -10), fontsize=7)
    axis.set(xlabel="confidence", ylabel="share right", title="Reliability (number of readings beside each point)")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_confusion(readings: Sequence[Reading], path: Path) -> None:
    """Draw the confusion matrix over faces and, beside it, over colours (needs matplotlib)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    pairs = list(paired(readings))
    faces = list(dict.fromkeys(card.face.value for card in ALL_CARDS))
    colors = ["red", "yellow", "green", "blue", "wild"]
    figure, axes = plt.subplots(1, 2, figsize=(13, 7), width_ratios=[3, 1.4])
    face_pairs = [(true.face.value, sighting.card.face.value) for true, sighting in pairs]
    color_pairs = [(_color_name(true), _color_name(sighting.card)) for true, sighting in pairs]
    for axis, names, named in ((axes[0], faces, face_pairs), (axes[1], colors, color_pairs)):
        counts = np.zeros((len(names), len(names)), int)
        for true_name, read_name in named:
            counts[names.index(true_name), names.index(read_name)] += 1
        axis.imshow(counts / np.maximum(counts.sum(1, keepdims=True), 1), cmap="Blues", vmin=0, vmax=1)
        for i, j in np.argwhere(counts):
            axis.text(j, i, str(counts[i, j]), ha="center", va="center", fontsize=7, color="w" if i == j else "C3")
        axis.set_xticks(range(len(names)), names, rotation=70)
        axis.set_yticks(range(len(names)), names)
        axis.set(xlabel="read", ylabel="is")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _color_name(card: Card) -> str:
    return card.color.value if card.color else "wild"
