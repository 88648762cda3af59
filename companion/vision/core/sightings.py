"""One neutral, validated type per card seen: the interface between vision and its users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.vision.core.geometry import Quad

UNSURE_BELOW = 0.75
"""Below this confidence a reading is unsure and shown with its runner-up."""
RUNNER_UP_BELOW = 0.97
"""Below this confidence a reading's runner-up is recorded. Above it, fewer than 1 in 200 readings are wrong."""
EVEN, FAIRLY, NEARLY, CERTAIN = 0.5, 0.8, 0.9, 0.95
"""Probabilities from which something is more likely than not, fairly and nearly certain, and needs no further look.
A reading that was put in doubt has at most the last one, so that its runner-up is recorded.

If two crops of a card agree and the second is certain, a third changed none of 705 cards.
"""


def softened(chances: NDArray[np.floating], cap: float) -> NDArray[np.float64]:
    """Return (N,) probabilities, "no card" last, softened until no card exceeds `cap`.

    All log-likelihoods are divided by the same temperature, the smallest one that suffices.
    """
    exact = np.asarray(chances, np.float64)
    if exact[:-1].max() <= cap:
        return exact

    def less_sure(share: float) -> NDArray[np.float64]:
        odds = exact**share
        return np.asarray(odds / odds.sum(), np.float64)

    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if less_sure(middle)[:-1].max() > cap else (middle, high)
    return less_sure(low)


class Handedness(IntEnum):
    """Handedness of a card in the picture: every edition prints indices top left and bottom right."""

    MIRRORED = -1
    """The indices lie where a mirror puts them."""
    UNKNOWN = 0
    PRINTED = 1
    """The indices lie where they are printed."""


@dataclass(frozen=True, eq=False)
class Back:
    """A possible face-down card. quad: (4, 2) pixels of the picture. score: its probability."""

    quad: Quad
    score: float


@dataclass(frozen=True, eq=False)
class Sighting:
    """One physical card seen in a picture.

    quad: (4, 2) float32 pixels of the picture, clockwise from the card's own top left; estimated for a fanned card.
    cards, probabilities: the candidates, most probable first, calibrated; they sum to at most 1 and the remainder is
    "no card". whole: whether the card is open, or only a corner index was read. mirrored: whether it was read in the
    mirrored picture. cap: maximum confidence. handedness: of an open card, from the positions of its indices. other:
    probability of "not a card of this deck", which the candidates' probabilities allow for.
    """

    quad: Quad
    cards: tuple[Card, ...]
    probabilities: tuple[float, ...]
    whole: bool
    mirrored: bool = False
    cap: float = 1.0
    handedness: Handedness = Handedness.UNKNOWN
    other: float = 0.0

    def __post_init__(self) -> None:
        if self.quad.shape != (4, 2):
            raise ValueError(f"a quad has four corners, not the shape {self.quad.shape}")
        if not self.cards or len(self.cards) != len(self.probabilities):
            raise ValueError(f"{len(self.cards)} cards with {len(self.probabilities)} probabilities")

    @classmethod
    def of(
        cls, quad: Quad, chances: NDArray[np.floating], allowed: NDArray[np.bool_], whole: bool, cap: float = 1.0
    ) -> Sighting:
        """Return the sighting with (57,) probabilities of ALL_CARDS and "no card"; allowed: (57,) the candidates."""
        order = [int(i) for i in np.argsort(-chances[:-1]) if allowed[i]]
        cards = tuple(ALL_CARDS[i] for i in order)
        return cls(quad, cards, tuple(float(chances[i]) for i in order), whole, cap=cap)

    @property
    def card(self) -> Card:
        """The most probable card."""
        return self.cards[0]

    @property
    def confidence(self) -> float:
        """The most probable card's probability."""
        return self.probabilities[0]

    @property
    def clarity(self) -> float:
        """The most probable card's probability if a card of the deck lies there: how well it is read."""
        return self.given_card.confidence

    @property
    def runner_up(self) -> Card | None:
        """The second most probable card, None if there is none."""
        return self.cards[1] if len(self.cards) > 1 else None

    @property
    def doubt(self) -> Card | None:
        """The runner-up of an unsure reading, None for a sure one."""
        return self.runner_up if self.confidence < UNSURE_BELOW else None

    @property
    def alternative(self) -> Card | None:
        """The runner-up of a reading that is not certain."""
        return self.runner_up if self.confidence < RUNNER_UP_BELOW else None

    def tempered(self, temperature: float) -> Sighting:
        """Return the sighting with all log-likelihoods, "no card" included, divided by `temperature`."""
        chances = self._chances() ** (1 / temperature)
        return self._with(chances / chances.sum(), self.cap)

    def capped(self, confidence: float) -> Sighting:
        """Return the sighting with its confidence capped."""
        return self._with(self._chances(), min(self.cap, confidence))

    def with_confidence(self, confidence: float) -> Sighting:
        """Return the sighting with this confidence, within its cap and without changing its top card."""
        second = self.probabilities[1] / (1 - self.confidence) if len(self.probabilities) > 1 else 0.0
        confidence = max(min(confidence, self.cap), second / (1 + second))
        rest = (1 - confidence) / (1 - self.confidence)
        return replace(self, probabilities=(confidence, *(p * rest for p in self.probabilities[1:])))

    def with_other(self, other: float) -> Sighting:
        """Return the sighting with this probability that no card of the deck lies there."""
        return replace(self, probabilities=tuple(p * (1 - other) for p in self.probabilities), other=other)

    @property
    def is_probably_no_card(self) -> bool:
        """Whether another thing lies there: almost certainly in an open card's outline, more probably at a corner."""
        return self.other > 0 and self.confidence < 1 - CERTAIN if self.whole else self.other >= EVEN

    @property
    def given_card(self) -> Sighting:
        """The sighting under the condition that a card of the deck lies there."""
        return replace(self, probabilities=tuple(p / max(1e-9, 1 - self.other) for p in self.probabilities), other=0.0)

    def as_deck_cards(self, by_printed: Mapping[Card, tuple[Card, ...]]) -> Sighting:
        """Return a sighting of printed cards as one of a deck's cards. by_printed: see `DeckCards`."""
        chances: dict[Card, float] = {}
        for card, chance in zip(self.cards, self.probabilities, strict=True):
            cards = by_printed.get(card, ())
            for each in cards:
                chances[each] = chances.get(each, 0.0) + chance / len(cards)
        order = sorted(chances, key=lambda card: -chances[card])
        if not order or tuple(order) == self.cards:
            return self
        return replace(self, cards=tuple(order), probabilities=tuple(chances[card] for card in order))

    def _chances(self) -> NDArray[np.float64]:
        return np.maximum([*self.probabilities, 1 - sum(self.probabilities)], 1e-12)

    def _with(self, chances: NDArray[np.float64], cap: float) -> Sighting:
        return replace(self, probabilities=tuple(softened(chances, cap)[:-1].tolist()), cap=cap)

    def probability(self, card: Card) -> float:
        """Return the probability of one card, 0 if it is no candidate."""
        return dict(zip(self.cards, self.probabilities, strict=True)).get(card, 0.0)
