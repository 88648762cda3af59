"""A reading at one place of a picture: log-likelihoods of all cards and their calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.vision.core.geometry import Quad
from companion.vision.core.labels import Floats
from companion.vision.core.sightings import EVEN, Sighting, softened

# Weight of a corner's reading relative to the whole card's, for cards at least `_LEGIBLE_WIDTH` pixels wide. A hidden
# or cut corner reads as "no card" or at random, so its evidence against a card is bounded.
_CORNER_WEIGHT, _LEGIBLE_WIDTH, _CORNER_BOUND = 0.5, 100.0, -4.0


@dataclass(frozen=True, eq=False)
class MaskedSoftmax:
    """The softmax that turns log-likelihoods into calibrated probabilities of the cards under consideration.

    temperature: divisor of the log-likelihoods. allowed: (57,) bool, the cards of ALL_CARDS under consideration; the
    last entry ("no card") is True.
    """

    temperature: float
    allowed: NDArray[np.bool_]

    def probabilities(self, logs: Floats) -> Floats:
        """Return (57,) probabilities that sum to 1; the last one is "no card"."""
        scaled = np.where(self.allowed, logs, -np.inf) / self.temperature
        odds = np.exp(scaled - scaled.max())
        return np.asarray(odds / odds.sum(), np.float32)

    def top_probability(self, logs: Floats) -> float:
        """Return the probability of the most probable card."""
        return float(self.probabilities(logs)[:-1].max())


@dataclass(frozen=True, eq=False)
class Reading:
    """A reading of a whole card or of a corner index.

    quad: a card's refined outline or an index' frame, (4, 2), clockwise from its own top left. logs: (57,)
    log-likelihoods of ALL_CARDS and "no card". softmax: their calibration. membership: membership probability of the
    learnt deck, 0 without one. cap: maximum confidence. middle: (57,) log-likelihoods of a whole card without its
    corners' contribution, None if nothing was added. corners: (57,) log-likelihoods of its two corners, None unless the
    networks alone read the card. score: of its box. is_non_index: whether a supposed index is known to be another sign
    of the learnt deck. is_out_of_deck: whether it matches none of that deck's corners. overrides_networks: whether the
    deck contradicts the networks on a design they know. foreign: log-odds of another maker's card in a whole card's
    outline.
    """

    quad: Quad
    logs: Floats
    softmax: MaskedSoftmax
    membership: float = 0.0
    cap: float = 1.0
    middle: Floats | None = None
    corners: tuple[Floats, Floats] | None = None
    score: float = 0.0
    is_non_index: bool = False
    is_out_of_deck: bool = False
    overrides_networks: bool = False
    foreign: float = 0.0

    @cached_property
    def probabilities(self) -> Floats:
        """(57,) calibrated probabilities; 0 for cards that are not under consideration."""
        return np.asarray(softened(self.softmax.probabilities(self.logs), self.cap), np.float32)

    @cached_property
    def center(self) -> tuple[float, float]:
        """Centre of `quad`, (x, y) in pixels."""
        x, y = self.quad.mean(0).tolist()
        return x, y

    @cached_property
    def card(self) -> Card:
        """The most probable card."""
        return ALL_CARDS[int(self.probabilities[:-1].argmax())]

    @property
    def confidence(self) -> float:
        """The calibrated probability of the most probable card."""
        return float(self.probabilities[:-1].max())

    @property
    def no_card(self) -> float:
        """The calibrated probability of "no card"."""
        return float(self.probabilities[-1])

    @property
    def is_member(self) -> bool:
        """Whether a card of the learnt deck is more likely than not."""
        return self.membership >= EVEN

    def capped(self, confidence: float) -> Reading:
        """Return the reading with its confidence capped, now and after later changes."""
        return replace(self, cap=min(self.cap, confidence))

    def sighting(self, whole: bool) -> Sighting:
        """Return the reading as the sighting that vision reports."""
        return Sighting.of(self.quad, self.probabilities, self.softmax.allowed, whole, self.cap)


def _corner_weight(card: Quad) -> float:
    """Return the weight of a corner's reading on a card with this outline; small corners weigh less."""
    width = min(float(np.hypot(*(card[1] - card[0]))), float(np.hypot(*(card[2] - card[3]))))
    return _CORNER_WEIGHT * min(1.0, (width / _LEGIBLE_WIDTH) ** 2)


def with_indices(card: Reading, indices: Sequence[Reading]) -> Reading:
    """Return the card's reading combined with those of its own indices.

    Indices found by the detector are framed better than corners cropped from the outline.
    """
    found = sum((np.maximum(index.logs, _CORNER_BOUND) for index in indices), np.zeros_like(card.logs))
    middle = card.logs if card.middle is None else card.middle
    return replace(card, logs=card.logs + np.float32(_corner_weight(card.quad)) * found, middle=middle)
