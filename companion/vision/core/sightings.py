"""What vision tells the rest: one neutral, validated type per card seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.vision.core.geometry import Quad

UNSURE_BELOW = 0.75
"""Confidence under which a reading is called unsure and shown with its runner-up."""
NAMED_BELOW = 0.97
"""Confidence under which a reading's runner-up is written down beside it, sure enough as the reading is: of those above
it hardly one in 200 is wrong."""
NAMED_MOST = 0.96
"""How sure at most a reading is told to be that is not beyond doubt, so that its runner-up is named."""


def drawn_together(chances: NDArray[np.floating], most: float) -> NDArray[np.float64]:
    """Return (N,) probabilities, that of no card last, drawn together until no card has more than `most`.

    All log-likelihoods are divided by the same number, as little as it takes.
    """
    exact = np.asarray(chances, np.float64)
    if exact[:-1].max() <= most:
        return exact

    def less_sure(share: float) -> NDArray[np.float64]:
        odds = exact**share
        return np.asarray(odds / odds.sum(), np.float64)

    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if less_sure(middle)[:-1].max() > most else (middle, high)
    return less_sure(low)


class Handedness(IntEnum):
    """Which way round a card is seen: every edition prints the indices top left and bottom right."""

    MIRRORED = -1
    """They lie where a looking glass puts them."""
    UNTOLD = 0
    PRINTED = 1
    """They lie where they are printed."""


@dataclass(frozen=True, eq=False)
class Back:
    """What may be a card face down. quad: (4, 2) pixels of the picture. score: how likely it is one, 0 to 1."""

    quad: Quad
    score: float


@dataclass(frozen=True, eq=False)
class Sighting:
    """One physical card seen in a picture.

    quad: (4, 2) float32 pixels of the picture, clockwise from the card's own top left; for a fanned card as far as it
    can be told. cards and probabilities: the candidates, likeliest first, with calibrated probabilities that sum to at
    most 1 (what is missing goes to 'no card'). whole: whether the card lies open, or only a corner index was read.
    mirrored: whether it was read in the picture's mirror image. most: how sure it may be at most, whatever is known of
    readings like it. handedness: of a card that lies open, which way round it is seen by where its corners are.
    """

    quad: Quad
    cards: tuple[Card, ...]
    probabilities: tuple[float, ...]
    whole: bool
    mirrored: bool = False
    most: float = 1.0
    handedness: Handedness = Handedness.UNTOLD

    def __post_init__(self) -> None:
        if self.quad.shape != (4, 2):
            raise ValueError(f"a quad has four corners, not the shape {self.quad.shape}")
        if not self.cards or len(self.cards) != len(self.probabilities):
            raise ValueError(f"{len(self.cards)} cards with {len(self.probabilities)} probabilities")

    @property
    def card(self) -> Card:
        """The likeliest card."""
        return self.cards[0]

    @property
    def confidence(self) -> float:
        """The likeliest card's probability."""
        return self.probabilities[0]

    @property
    def runner_up(self) -> Card | None:
        """The second likeliest card, None where there is none."""
        return self.cards[1] if len(self.cards) > 1 else None

    @property
    def doubt(self) -> Card | None:
        """The card that an unsure reading may be instead, None for a sure one."""
        return self.runner_up if self.confidence < UNSURE_BELOW else None

    @property
    def alternative(self) -> Card | None:
        """The card that comes second, for a reading that is not beyond doubt, however sure."""
        return self.runner_up if self.confidence < NAMED_BELOW else None

    def tempered(self, temperature: float) -> Sighting:
        """Return the same with the log-likelihoods, that of 'no card' too, divided by `temperature`."""
        chances = self._chances() ** (1 / temperature)
        return self._with(chances / chances.sum(), self.most)

    def at_most(self, confidence: float) -> Sighting:
        """Return the same, at most so sure."""
        return self._with(self._chances(), min(self.most, confidence))

    def said(self, confidence: float) -> Sighting:
        """Return the same told with this confidence, at most what it may be and no less than keeps it the likeliest."""
        second = self.probabilities[1] / (1 - self.confidence) if len(self.probabilities) > 1 else 0.0
        confidence = max(min(confidence, self.most), second / (1 + second))
        rest = (1 - confidence) / (1 - self.confidence)
        return replace(self, probabilities=(confidence, *(p * rest for p in self.probabilities[1:])))

    def _chances(self) -> NDArray[np.float64]:
        return np.maximum([*self.probabilities, 1 - sum(self.probabilities)], 1e-12)

    def _with(self, chances: NDArray[np.float64], most: float) -> Sighting:
        return replace(self, probabilities=tuple(drawn_together(chances, most)[:-1].tolist()), most=most)

    def probability(self, card: Card) -> float:
        """Return the probability of one card, 0 where it is no candidate."""
        return dict(zip(self.cards, self.probabilities, strict=True)).get(card, 0.0)
