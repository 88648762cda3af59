"""Fits and checks the model of what covers what on drawn piles, whose order is known.

Every fourth table is for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import EditionName
from companion.cards import deck as cards_of
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.compose import Deck
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.script import LIVELY, write_script
from companion.dataset.simulated.simulation import SimulatedTable
from companion.dataset.simulated.tabletop import Tabletop
from companion.models.fitting.logistic import Checked, calibration_error, conditional_logit
from companion.vision.core.geometry import Image, Quad, intersection_over_union
from companion.vision.core.logit import Logit
from companion.vision.imaging.zone import Zone
from companion.vision.pile.pile_state import zone_about
from companion.vision.pile.top_card import TopModel, features
from companion.vision.recognition.card_detector import CardDetector

Values = NDArray[np.float64]

# Minimum IoU of an outline with the top card's to be that card.
_IS_IT = 0.6
# Numbers of cards on a pile, and ranges of their scatter (mm) and of the share that lies straight.
_CARDS, _SCATTER, _STRAIGHT = (1, 9), (3.0, 40.0), (0.0, 0.9)
# Looks at each table.
_LOOKS = 3
# Ridge penalty on the weights of standardised features.
_RIDGE = 1.0


@dataclass(frozen=True, eq=False)
class Pile:
    """One look at a pile. features: (N, D) of its outlines. top: number of the top card's outline, N if none is."""

    features: Values
    top: int


def drawn(detector: CardDetector, numbers: Iterable[int], seed: int) -> Iterator[Pile]:
    """Yield looks at drawn piles."""
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        top, table, edition = _table(rng, number)
        cards = sorted(cards_of(edition), key=str)
        scatter, straight = rng.uniform(*_SCATTER), rng.uniform(*_STRAIGHT)
        sensor = table.new_sensor()
        for _ in range(_LOOKS):
            for _ in range(int(rng.integers(*_CARDS)) if not top.pile.cards else int(rng.integers(1, 4))):
                x, y = rng.normal(0, scatter, 2).clip(-60, 60)
                angle = rng.normal(0, 0.25) if rng.random() < straight else rng.uniform(-np.pi, np.pi)
                card = cards[int(rng.integers(len(cards)))]
                top.lay(top.new_card(card, Placement(float(x), float(y), float(angle))))
            picture = sensor.develop(top.picture, 0.0, 0)
            yield _look(detector, picture, top.pile.quads, rng)


def fitted(piles: Sequence[Pile]) -> TopModel:
    """Return the ridge conditional logit."""
    right = [np.arange(len(pile.features)) == pile.top for pile in piles]
    weights, intercept = conditional_logit([pile.features for pile in piles], right, _RIDGE)
    return TopModel(Logit(weights, intercept))


def checked(piles: Sequence[Pile], model: TopModel) -> Checked:
    """Return how well the model chooses on these piles, and the expected calibration error of its choices."""
    chosen = []
    for pile in piles:
        chances = model.of_features(pile.features)
        chances = np.append(chances, 1 - chances.sum())
        chosen.append((float(chances.max()), int(chances.argmax()) == pile.top))
    said = np.array([chance for chance, _ in chosen])
    right = np.array([is_right for _, is_right in chosen])
    return Checked.of("looks name the top card", said, right, calibration_error(said, right))


def _look(detector: CardDetector, picture: Image, quads: Sequence[Quad], rng: np.random.Generator) -> Pile:
    """Look at a window around the pile, as the tracker does, or at the whole picture."""
    corner = np.zeros(2, np.float32)
    if rng.random() < 0.75:
        zone = zone_about(quads[-5:])
        rows, columns = zone.window(picture.shape[1], picture.shape[0], float(rng.uniform(Zone.VIEW, 1.8)))
        corner, picture = np.array([columns.start, rows.start], np.float32), picture[rows, columns]
    sightings = detector.detect_closeup(picture) if rng.random() < 0.5 else detector.detect_pile(picture)
    overlaps = [intersection_over_union(s.quad, quads[-1] - corner) for s in sightings]
    best = int(np.argmax(overlaps)) if overlaps else 0
    top = best if overlaps and overlaps[best] > _IS_IT else len(sightings)
    return Pile(features(picture, sightings), top)


def _table(rng: np.random.Generator, number: int) -> tuple[Tabletop, SimulatedTable, EditionName]:
    edition = list(EditionName)[number % len(EditionName)]
    seed = int(rng.integers(2**31))
    script = write_script(seed, edition, [f"Player {seat}" for seat in range(4)], LIVELY, 1, lively=True)
    deck = Deck(sample_style(rng), rng)
    table = SimulatedTable(seed, script, edition)
    return Tabletop(rng, deck, table.size, script.draw_pile, both_piles=bool(number % 2)), table, edition
