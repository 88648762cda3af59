"""What the printed cards that the networks read mean in a deck with other cards: plain data, without any rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, EditionName, deck
from companion.vision.core.labels import Floats


@dataclass(frozen=True, eq=False)
class DeckCards:
    """The deck's cards by the printed card that is read for them; a printed card without any is not considered.

    by_printed: several cards for one printed card share its probability, so that they are asked for. shares: (56, 56)
    how a reading of each card of ALL_CARDS is shared among the numbers that stand for the deck's cards; None as read.
    """

    by_printed: Mapping[Card, tuple[Card, ...]]
    shares: Floats | None = None

    @classmethod
    def printed(cls, edition: EditionName) -> Self:
        """Return the cards of a printed edition, which mean themselves."""
        return cls({card: (card,) for card in deck(edition)})

    @cached_property
    def considered(self) -> NDArray[np.bool_]:
        """(56,) which cards of ALL_CARDS are considered."""
        return np.array([bool(self.by_printed.get(card)) for card in ALL_CARDS])

    def shared(self, logs: Floats) -> Floats:
        """Return (N, 57) log-likelihoods of the numbers that stand for the deck's cards, from those of ALL_CARDS."""
        if self.shares is None:
            return logs
        # The smallest number stands for zero, which has no logarithm.
        odds = np.maximum(np.exp(logs[:, :-1]) @ self.shares, np.finfo(np.float32).tiny)
        return np.concatenate([np.asarray(np.log(odds), np.float32), logs[:, -1:]], 1)
