"""Contact sheets of drawn decks."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.press import width_of
from companion.dataset.artist.styles import Style, sample_style


def contact_sheet(
    rows: Sequence[tuple[Style, Sequence[Card]]], height: int = 160, boxes: bool = False
) -> NDArray[np.uint8]:
    """Draw cards on a grey sheet, BGR uint8 (H, W, 3): a row for each style with the cards given for it.

    `height` is that of a card in pixels; with `boxes` the index boxes are drawn.
    """
    gap = 6
    columns = max(len(cards) for _, cards in rows)
    width = width_of(height)
    sheet = np.full(((height + gap) * len(rows) + gap, (width + gap) * columns + gap, 3), 110, np.uint8)
    for row, (style, cards) in enumerate(rows):
        for column, card in enumerate(cards):
            art = render(card, style, height)
            y, x = gap + row * (height + gap), gap + column * (width + gap)
            place = sheet[y : y + height, x : x + width]
            alpha = art.image[:, :, 3:] / np.float32(255)
            place[:] = (art.image[:, :, :3] * alpha + place * (1 - alpha)).astype(np.uint8)
            for box in art.indices if boxes else ():
                x0, y0, x1, y1 = (round(value) for value in box)
                cv2.rectangle(place, (x0, y0), (x1, y1), (255, 0, 255), 1)
    return sheet


def family_sheet(
    family: StyleFamily | None, seed: int, decks: int = 8, cards: int = 14, fonts: Sequence[str] | None = None
) -> NDArray[np.uint8]:
    """Draw random cards of some decks of a family (any if None); BGR uint8 (H, W, 3)."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(decks):
        style = sample_style(rng, family, fonts)
        chosen = rng.choice(len(ALL_CARDS), cards, replace=False)
        rows.append((style, [ALL_CARDS[int(i)] for i in chosen]))
    return contact_sheet(rows)
