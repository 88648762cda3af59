"""Decks of any art in composed scenes. Their cards' names mean nothing: only the detector is trained on them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.faces import CardArt
from companion.dataset.artist.styles import sample_style
from companion.dataset.gallery.decks import ArtDeck, Sources, art_deck, card_mask
from companion.dataset.scenes.compose import FACE_HEIGHT, Deck


class GalleryDeck(Deck):
    """Faces of a deck of any art, each under the name of some card."""

    def __init__(self, art: ArtDeck, rng: np.random.Generator) -> None:
        super().__init__(sample_style(rng), rng, other_back=True)
        self._art = art
        self._numbers = dict(zip(ALL_CARDS, np.resize(rng.permutation(len(art.faces)), len(ALL_CARDS)), strict=True))
        height, width = art.faces.shape[1:3]
        self._alpha = card_mask(width, height, float(rng.uniform(0.0, 0.055)))

    def render(self, card: Card) -> CardArt:
        """Return a face with transparent corners, and the boxes of its indices if it has any."""
        number = int(self._numbers[card])
        image = cv2.merge([*cv2.split(self._art.faces[number]), self._alpha])
        x0, y0, x1, y1 = self._art.corners[number].tolist()
        if np.isnan(x0):
            return CardArt(np.asarray(image, np.uint8), ())
        height, width = image.shape[:2]
        return CardArt(
            np.asarray(image, np.uint8), ((x0, y0, x1, y1), (width - x1, height - y1, width - x0, height - y0))
        )


def gallery_decks(
    count: int, fonts: Sequence[str], pictures: Sequence[str], rng: np.random.Generator
) -> list[GalleryDeck]:
    """Return random decks of any art to make scenes of."""
    sources = Sources(tuple(fonts), tuple(pictures))
    return [GalleryDeck(art_deck(sources, FACE_HEIGHT, rng), rng) for _ in range(count)]
