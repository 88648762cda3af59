"""Fits the fusion of a card's evidence on drawn pictures, and checks it on other ones.

The pictures show scenes of drawn decks, and the discard pile of one simulated table for each deck. Every fourth deck is
for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.scenes.layouts import Layout
from companion.dataset.simulated.simulation import SimulatedTable
from companion.models.fitting.calibration import SHOWN, pictures
from companion.models.fitting.logistic import calibration_error, ridge_logistic
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.core.labels import COLORS, FACES, card_classes
from companion.vision.core.sightings import RUNNER_UP_BELOW
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.fusion import LIGHT_FEATURES, Evidence, EvidenceArrays, FusionModel, features

Values = NDArray[np.float64]

PICTURES: Mapping[Layout, int] = {**SHOWN, Layout.PILE: 4}
"""Number of pictures per layout and deck."""
RATE = 0.5
"""Pictures per second of a simulated table."""
# Least IoU of an outline with a card's to be that card, and least visible share of a card to learn its face from.
_IS_IT, _VISIBLE = 0.6, 0.3
# Ridge penalties: of the weights of the evidence, and of the confidence's standardised features.
_RIDGE, _CONFIDENCE_RIDGE = 1e-3, 1.0
# Maximum number of steps of L-BFGS; confidences of the table.
_STEPS, _LEVELS = 60, (0.5, 0.75, 0.9, RUNNER_UP_BELOW)


class TrueCard(Protocol):
    """A card in a picture: its (4, 2) outline in pixels, and its visible share."""

    @property
    def card(self) -> Card: ...
    @property
    def quad(self) -> Quad: ...
    @property
    def visible(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Judged:
    """Evidence, the number of the true card in ALL_CARDS (-1 if there is none), and how much of it is visible."""

    evidence: Evidence
    truth: int
    visible: float


@dataclass(frozen=True)
class Checked:
    """Candidates, those whose most probable card is right, (accepted, wrong) by confidence, calibration error."""

    cards: int
    right: int
    accepted: Mapping[float, tuple[int, int]]
    calibration_error: float

    def __str__(self) -> str:
        levels = "; ".join(
            f"{wrong} of {count} wrong at {level:.2f}" for level, (count, wrong) in self.accepted.items()
        )
        return (
            f"{self.right} of {self.cards} candidates right; {levels}; "
            f"expected calibration error {self.calibration_error:.3f}"
        )


def drawn(detector: CardDetector, decks: Iterable[int], seed: int) -> Iterator[Judged]:
    """Yield the candidates of drawn decks, given by number: each scene as drawn and degraded, and a table's piles."""
    for deck in decks:
        for scene, image in pictures([deck], seed, PICTURES, hard=0.3, degraded=1):
            yield from labelled(detector.evidence(image, scene.layout is Layout.PILE)[0], scene.cards)
        edition = list(EditionName)[deck % len(EditionName)]
        for frame in SimulatedTable(seed + deck, edition=edition, rate=RATE).frames():
            if frame.pile.cards and not frame.covered:
                yield from labelled(detector.evidence(frame.image, on_pile=True)[0], frame.cards)


def labelled(found: Iterable[Evidence], cards: Sequence[TrueCard]) -> Iterator[Judged]:
    """Yield the evidence with the card that it shows: of several at one place, as on a pile, the most visible one."""
    for one in found:
        fitting = [card for card in cards if intersection_over_union(card.quad, one.quad) >= _IS_IT]
        if fitting:
            best = max(fitting, key=lambda card: card.visible)
            yield Judged(one, ALL_CARDS.index(best.card), best.visible)
        else:
            yield Judged(one, -1, 0.0)


def fitted(judged: Sequence[Judged]) -> FusionModel:
    """Return the fitted model: the weights of the evidence by L-BFGS, the confidence by Newton's method.

    Needs torch, which the `train` extra installs.
    """
    everything = EvidenceArrays.of([one.evidence for one in judged])
    truth = np.array([one.truth for one in judged])
    legible = np.array([one.truth >= 0 and one.visible > _VISIBLE for one in judged])
    model = _fused(everything.only(legible), truth[legible])
    logs = model.log_probabilities(everything)
    weights, intercept = ridge_logistic(features(everything, logs), logs.argmax(1) == truth, _CONFIDENCE_RIDGE)
    return replace(model, confidence=np.append(weights, intercept))


def _fused(cards: EvidenceArrays, truth: NDArray[np.int_]) -> FusionModel:
    import torch

    def tensor(values: object) -> torch.Tensor:
        return torch.as_tensor(np.asarray(values, np.float64))

    own_face, own_color = card_classes()
    faces, colors, boxed, light = (tensor(x) for x in (cards.faces, cards.colors, cards.boxed, cards.light))
    by_size, target = tensor(cards.by_size), tensor(truth).long()
    weights = {
        "middle": tensor(np.zeros((2, 2))),
        "corner": tensor(np.full((2, 2), -0.5)),
        "boxed": tensor(np.zeros((2, 2))),
        "floors": tensor(np.full(2, -4.0)),
        "light": tensor(np.zeros((len(LIGHT_FEATURES), len(COLORS)))),
        "faces": tensor(np.zeros((3, len(FACES)))),
    }
    for one in weights.values():
        one.requires_grad_()

    def loss() -> torch.Tensor:
        """The cross-entropy of `FusionModel.scores`, with the ridge."""
        middle, corner, found = (
            torch.nn.functional.softplus(by_size @ weights[name]) for name in ("middle", "corner", "boxed")
        )
        by_face, by_middle, by_corner = weights["faces"]
        face, color = by_face + faces[:, 0] * (middle[:, :1] + by_middle), colors[:, 0] * middle[:, 1:]
        for end in (0, 1):
            is_boxed = boxed[:, end : end + 1]
            weight = corner * (1 - is_boxed) + found * is_boxed
            low, pale = weights["floors"]
            face = face + torch.logaddexp(faces[:, 1 + end], low) * (weight[:, :1] + by_corner)
            color = color + torch.logaddexp(colors[:, 1 + end], pale) * weight[:, 1:]
        color = color + torch.nn.functional.pad(light @ weights["light"], (0, 1))
        scores = face[:, own_face] + color[:, own_color]
        # Hues separate colours more sharply than the other evidence does.
        ridge = sum((one**2).sum() * (_RIDGE / 10 if name == "light" else _RIDGE) for name, one in weights.items())
        return torch.nn.functional.cross_entropy(scores, target) + ridge

    optimizer = torch.optim.LBFGS(list(weights.values()), max_iter=_STEPS, line_search_fn="strong_wolfe")

    def closure() -> float:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return float(value.detach())

    optimizer.step(closure)
    found = {name: one.detach().numpy() for name, one in weights.items()}
    return FusionModel(**found, confidence=np.zeros(0))


def checked(judged: Sequence[Judged], model: FusionModel) -> Checked:
    """Return how well the model reads these candidates."""
    arrays = EvidenceArrays.of([one.evidence for one in judged])
    logs = model.log_probabilities(arrays)
    sure = model.confidences(arrays, logs)
    right = logs.argmax(1) == np.array([one.truth for one in judged])
    accepted = {level: (int((sure >= level).sum()), int((~right[sure >= level]).sum())) for level in _LEVELS}
    return Checked(len(judged), int(right.sum()), accepted, calibration_error(sure, right))
