"""Photographed cards of the user's own deck, laid on drawn tables beside drawn decks."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, UnknownCardError
from companion.dataset.artist.faces import CardArt, width_of
from companion.dataset.scenes.surfaces import list_pictures

_HEIGHT = 352
_CORNER_RADIUS = 0.055
# Usual position of the corner indices, as shares of width and height.
_INDEX = (0.07, 0.05, 0.24, 0.185)


class CardPhotoError(ValueError):
    """The name of a card photo is not a card. `path` is the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: the file name must be a card's name, such as 'red 7.jpg' or 'red 7 (2).jpg'")
        self.path = path


def card_art(picture: NDArray[np.uint8]) -> CardArt:
    """Return a card's art from its upright, tightly cropped picture (H, W, 3) BGR uint8; the corners are rounded."""
    width = width_of(_HEIGHT)
    face = cv2.resize(picture, (width, _HEIGHT), interpolation=cv2.INTER_AREA)
    alpha = np.zeros((_HEIGHT, width), np.uint8)
    radius = round(_CORNER_RADIUS * width)
    cv2.rectangle(alpha, (radius, 0), (width - radius, _HEIGHT), 255, cv2.FILLED)
    cv2.rectangle(alpha, (0, radius), (width, _HEIGHT - radius), 255, cv2.FILLED)
    for x in (radius, width - radius - 1):
        for y in (radius, _HEIGHT - radius - 1):
            cv2.circle(alpha, (x, y), radius, 255, cv2.FILLED, cv2.LINE_AA)
    x0, y0, x1, y1 = _INDEX
    box = (x0 * width, y0 * _HEIGHT, x1 * width, y1 * _HEIGHT)
    opposite = (width - box[2], _HEIGHT - box[3], width - box[0], _HEIGHT - box[1])
    return CardArt(np.dstack([face, alpha]), (box, opposite))


def load_card_photos(folder: Path) -> dict[Card, list[CardArt]]:
    """Return the card photos of a folder, by the cards in their file names.

    Each picture shows one upright card, cropped at its edges. Raises CardPhotoError for other names.
    """
    arts: dict[Card, list[CardArt]] = {}
    for path in list_pictures(folder):
        name = re.sub(r"\s*\(\d+\)$", "", path.stem).strip().lower()
        try:
            card = Card.parse(name)
        except UnknownCardError as error:
            raise CardPhotoError(path) from error
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if picture is not None:
            arts.setdefault(card, []).append(card_art(np.asarray(picture, np.uint8)))
    return arts
