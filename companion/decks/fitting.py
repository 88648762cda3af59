"""Whether the cards that were read are of the learnt deck at all: their pictures beside those it was learnt from."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.cards import Card
from companion.decks.deckfile import LearntDeck
from companion.decks.views import outline
from companion.vision.geometry import Image, cut
from companion.vision.labels import Floats
from companion.vision.sightings import Sighting

# Size (px) of the grey pictures that are compared, and their blur: outlines are off by a little.
_SIZE, _BLUR = (32, 48), 1.2
# Correlation under which a card is of another design: in other light on another table nine of ten cards of two designs
# had 0.88 and more with their own deck's pictures; of five other designs nine of ten had less than 0.79.
_LIKE = 0.82
# So many different whole cards must have been read for a judgement, which rests on the last so many.
_ENOUGH, _LAST = 3, 12


class DeckFit:
    """Compares whole cards as they are read with the deck's pictures of them."""

    def __init__(self, deck: LearntDeck) -> None:
        self._known = [(card, _grey(cut(picture, outline(), *_SIZE))) for card, picture in _pairs(deck)]
        self._likeness: dict[Card, float] = {}

    def see(self, image: Image, sightings: Sequence[Sighting]) -> None:
        """Take the cards read in a (H, W, 3) BGR uint8 picture."""
        for sighting in sightings:
            kept = [picture for card, picture in self._known if card == sighting.card]
            if not sighting.whole or not kept:
                continue
            seen = _grey(cut(image, sighting.quad, *_SIZE))
            # A card that lies there for long is one card.
            self._likeness.pop(sighting.card, None)
            self._likeness[sighting.card] = _likeness(seen, kept)
        for card in list(self._likeness)[:-_LAST]:
            del self._likeness[card]

    @property
    def is_another(self) -> bool:
        """Whether most of the cards seen so far are of another design."""
        return len(self._likeness) >= _ENOUGH and float(np.median(list(self._likeness.values()))) < _LIKE


def fits(deck: LearntDeck, card: Card, picture: Image) -> bool:
    """Return whether a kept picture is like those that the deck has of this card; none fits where it has none."""
    seen = _grey(cut(picture, outline(), *_SIZE))
    known = [_grey(cut(one, outline(), *_SIZE)) for of, one in _pairs(deck) if of == card]
    return bool(known) and _likeness(seen, known) >= _LIKE


def _likeness(seen: Floats, known: Sequence[Floats]) -> float:
    return max(float((seen * way).mean()) for one in known for way in (one, one[::-1, ::-1]))


def _pairs(deck: LearntDeck) -> list[tuple[Card, Image]]:
    return list(zip(deck.cards, deck.pictures, strict=True))


def _grey(picture: Image) -> Floats:
    """Return the picture in grey with mean 0 and deviation 1, so that light does not count."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (0, 0), _BLUR).astype(np.float32)
    return np.asarray((grey - grey.mean()) / (grey.std() + 1e-3), np.float32)
