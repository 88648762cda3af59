"""What was read somewhere in a picture, as a value: the log-likelihoods of all cards, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.vision.core.geometry import Quad
from companion.vision.core.labels import Floats
from companion.vision.core.sightings import NAMED_MOST, Sighting, drawn_together

# What a corner's reading counts against the whole card's, where the card is at least so many pixels wide. A corner that
# is hidden or cut reads as 'no card' or at random, so what it can say against a card is bounded.
_CORNER_WEIGHT, _LEGIBLE_WIDTH, _CORNER_BOUND = 0.5, 100.0, -4.0
KNOWN = 0.5
"""How surely what is read must be of the learnt deck for its reading to be taken as it is."""


class Backing(IntEnum):
    """What besides its looks speaks for an outline."""

    NOTHING = 0
    INDEX = 1
    """A corner index lies where the card would have one."""
    BOX = 2
    """It is surely boxed."""


@dataclass(frozen=True, eq=False)
class Scale:
    """How log-likelihoods become calibrated probabilities of the cards that are considered.

    temperature: divisor of the log-likelihoods. allowed: (57,) bool, which of ALL_CARDS are considered, and last True.
    """

    temperature: float
    allowed: NDArray[np.bool_]

    def probabilities(self, logs: Floats) -> Floats:
        """Return (57,) probabilities that sum to 1, last that of no card."""
        scaled = np.where(self.allowed, logs, -np.inf) / self.temperature
        odds = np.exp(scaled - scaled.max())
        return np.asarray(odds / odds.sum(), np.float32)

    def surest(self, logs: Floats) -> float:
        """Return the probability of the likeliest card."""
        return float(self.probabilities(logs)[:-1].max())


@dataclass(frozen=True, eq=False)
class Reading:
    """What was read somewhere in a picture: of a whole card, or of a corner index.

    quad: a card's refined outline, or an index' frame, (4, 2), clockwise from its own top left. logs: (57,)
    log-likelihoods of ALL_CARDS and, last, of no card. scale: what they mean. belonging: how surely (0 to 1) it is of
    the learnt deck that is read with, 0 where there is none. most: how sure it may be at most. middle: of a whole card
    the (57,) log-likelihoods without what its corners add, None where nothing was added. is_print: whether it is taken
    for an index, and yet is known to be another of the learnt deck's signs. is_unlike: whether it looks like nothing in
    the corners of that deck. overrules: whether that deck tells the index otherwise than the networks, which know its
    design. is_borne_out: whether it surely tells the card as they do.
    """

    quad: Quad
    logs: Floats
    scale: Scale
    belonging: float = 0.0
    most: float = 1.0
    middle: Floats | None = None
    is_print: bool = False
    is_unlike: bool = False
    overrules: bool = False
    is_borne_out: bool = False

    @cached_property
    def probabilities(self) -> Floats:
        """(57,) calibrated probabilities, 0 for cards that are not considered."""
        return np.asarray(drawn_together(self.scale.probabilities(self.logs), self.most), np.float32)

    @cached_property
    def center(self) -> tuple[float, float]:
        """Where the middle of `quad` lies, (x, y) in pixels."""
        x, y = self.quad.mean(0).tolist()
        return x, y

    @cached_property
    def _likeliest(self) -> tuple[int, int]:
        first, second = np.argsort(-self.probabilities[:-1], kind="stable")[:2]
        return int(first), int(second)

    @property
    def card(self) -> Card:
        """The likeliest card."""
        return ALL_CARDS[self._likeliest[0]]

    @property
    def confidence(self) -> float:
        """The likeliest card's calibrated probability."""
        return float(self.probabilities[self._likeliest[0]])

    @property
    def runner_up(self) -> Card:
        """The second likeliest card."""
        return ALL_CARDS[self._likeliest[1]]

    @property
    def nothing(self) -> float:
        """The calibrated probability of no card."""
        return float(self.probabilities[-1])

    @property
    def known(self) -> bool:
        """Whether it is of the learnt deck that is read with, rather than not."""
        return self.belonging >= KNOWN

    def at_most(self, confidence: float) -> Reading:
        """Return the reading, at most so sure whatever is found out besides."""
        return replace(self, most=min(self.most, confidence))

    def sighting(self, whole: bool) -> Sighting:
        """Return the reading as what vision tells the rest."""
        order = [int(i) for i in np.argsort(-self.probabilities[:-1]) if self.scale.allowed[i]]
        cards = tuple(ALL_CARDS[i] for i in order)
        return Sighting(self.quad, cards, tuple(float(self.probabilities[i]) for i in order), whole, most=self.most)


def _corner_weight(card: Quad) -> float:
    """Return what a corner's reading counts on a card with this outline: a corner of a few pixels tells little."""
    width = min(float(np.hypot(*(card[1] - card[0]))), float(np.hypot(*(card[2] - card[3]))))
    return _CORNER_WEIGHT * min(1.0, (width / _LEGIBLE_WIDTH) ** 2)


def with_indices(card: Reading, indices: Sequence[Reading]) -> Reading:
    """Return the card's reading with what its own indices add.

    Those that were found by themselves are better framed than the corners that the outline tells.
    """
    found = sum((np.maximum(index.logs, _CORNER_BOUND) for index in indices), np.zeros_like(card.logs))
    middle = card.logs if card.middle is None else card.middle
    return replace(card, logs=card.logs + np.float32(_corner_weight(card.quad)) * found, middle=middle)


def as_corners_say(card: Reading, corners: Sequence[Reading]) -> Reading:
    """Return what both corners of a card tell where its middle seems another one: never beyond doubt."""
    logs = np.stack([corner.logs for corner in corners]).sum(axis=0)
    return replace(card, logs=np.asarray(logs, np.float32), scale=corners[0].scale).at_most(NAMED_MOST)
