"""Where cards and indices of a learnt deck lie, and which they are, told by its pictures where networks cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.decks.deckfile import LearntDeck
from companion.decks.look import CLASSES
from companion.decks.registration import Templates
from companion.decks.views import index_frames, outline, usual_spot
from companion.vision.geometry import Image, Quad, cut
from companion.vision.learnt import Placed

# Sizes (px) at which whole cards and indices are compared.
_CARD, _INDEX = (40, 60), (32, 32)
# Correlation from which on a picture is taken to fit, and at which it surely does: in other light on another table
# cards of unknown designs had .90 to .99 with their own pictures, .45 to .65 with pictures of other cards of pictures,
# and up to .92 with those that differ from them in a digit alone.
_FITS, _SURELY = 0.8, 0.9
# Nats for a correlation of one, of a whole card and of an index, and the most that can be said against a card.
_SHARPNESS, _INDEX_SHARPNESS, _MOST = 60.0, 15.0, 9.0
# Correlation of an index with its nearest copy, in the middle, under which the deck's outlines were too far off for
# what fits to tell digits apart, and from which on it tells them apart as said. On a design of pictures (.93) fans were
# read .99 with it and .94 without; on one of thin letters in discs (.72) .71 and .78.
_VAGUE, _TELLING = 0.75, 0.9


class Places:
    """Finds which of the deck's pictures lies about a place, and how.

    cards: the pictures' cards, as numbers of ALL_CARDS.
    """

    def __init__(self, templates: Templates, cards: Sequence[int], sharpness: float) -> None:
        self._sharpness = sharpness
        self._templates = templates
        self._cards = np.asarray(cards)
        self._unlaid = np.setdiff1d(np.arange(CLASSES - 1), self._cards)

    def find(self, image: Image, rough: Quad) -> Placed | None:
        """Return what lies about a rough outline (4, 2) in a (H, W, 3) BGR uint8 picture, None where nothing fits."""
        found = self._templates.find(image, rough)
        if found is None or found.fit < _FITS:
            return None
        best = np.full(CLASSES, -1.0, np.float32)
        np.maximum.at(best, self._cards, found.fits)
        # Nothing speaks for or against a face that was not laid.
        best[self._unlaid] = best.max()
        logs = np.maximum(self._sharpness * (best - best.max()), -_MOST)
        belonging = float(np.clip((found.fit - _FITS) / (_SURELY - _FITS), 0, 1))
        return Placed(found.quad, np.asarray(logs, np.float32), belonging)


def card_places(deck: LearntDeck, cards: Sequence[int]) -> Places:
    """Return what finds whole cards, upright or upside down."""
    return Places(Templates([cut(picture, outline(), *_CARD) for picture in deck.pictures], (0, 2)), cards, _SHARPNESS)


def index_places(deck: LearntDeck, cards: Sequence[int]) -> Places:
    """Return what finds upright indices, of either corner of each card."""
    spot = deck.spot or usual_spot()
    pictures = [cut(picture, frame, *_INDEX) for picture in deck.pictures for frame in index_frames(*spot)]
    shown = [card for card in cards for _ in range(2)]
    templates = Templates(pictures, (0,), small=True)
    trust = float(np.clip((_alike_copies(templates, shown) - _VAGUE) / (_TELLING - _VAGUE), 0, 1))
    return Places(templates, shown, _INDEX_SHARPNESS * trust)


def _alike_copies(templates: Templates, cards: Sequence[int]) -> float:
    """Return the correlation that pictures have with the nearest other one of their card, in the middle."""
    alike = templates.alike()
    np.fill_diagonal(alike, -1.0)
    return float(np.median(np.where(np.equal.outer(cards, cards), alike, -1.0).max(1)))
