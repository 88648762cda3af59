"""What homemade decks print besides: pictures as grounds, coloured corners, small signs by the indices."""

from __future__ import annotations

import cv2
import numpy as np

from companion.dataset.artist.designs import CornerArt, Partner
from companion.dataset.artist.drawing import paintings, scenery
from companion.dataset.artist.drawing.ink import ellipse, fill, flood
from companion.dataset.artist.press import Center, Sheet


def picture(sheet: Sheet) -> None:
    """Cover the ground with a picture, tinted and covered by a panel as the design says."""
    design, inner = sheet.style.design, sheet.inner()
    if design.layered:
        height, width = inner.shape[0] // 2, inner.shape[1] // 2
        inner[:] = cv2.resize(paintings.layered(sheet.rng(), height, width), inner.shape[1::-1])
    else:
        paintings.paint(inner, sheet.rng(), design.pictures)
    if design.tint > 0:
        paintings.tinted(inner, sheet.ink, min(design.tint, 1.0))
    if design.panel > 0:
        plain = np.empty_like(inner)
        flood(plain, sheet.tones.paper)
        inner[:] = cv2.addWeighted(inner, 1 - 0.7 * design.panel, plain, 0.7 * design.panel, 0)


def ground(sheet: Sheet) -> None:
    """Print what is under the signs: grain, and colour in the corners or along the sides."""
    design, inner = sheet.style.design, sheet.inner()
    if design.grain > 0:
        paintings.grained(inner, np.random.default_rng(sheet.style.art_seed), design.grain)
    height, width = inner.shape[:2]
    reach = width * (0.2 + sheet.style.art_seed % 7 * 0.05)
    color = sheet.tones.dark if sheet.card.color is None else sheet.ink
    ends = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    match design.corner_art:
        case CornerArt.TRIANGLES:
            lean = 1.0 + sheet.style.art_seed % 3 * 0.3
            for corner, side in ((ends[0], 1.0), (ends[2], -1.0)):
                fill(inner, corner + side * np.array([[0.0, 0.0], [reach, 0.0], [0.0, reach * lean]]), color)
        case CornerArt.ARCS:
            for corner in ends:
                fill(inner, ellipse(1.4 * reach, 1.4 * reach) + corner, color)
        case CornerArt.STRIP:
            wide = 0.5 * reach
            for left in (0.0, width - wide):
                fill(inner, np.array([[left, 0.0], [left + wide, 0.0], [left + wide, height], [left, height]]), color)
        case CornerArt.NONE:
            pass


def partner(sheet: Sheet, center: Center, size: float) -> None:
    """Print the small sign beside an index of a size in pixels around a centre, if the deck has one."""
    style = sheet.style
    small = size * (0.45 + style.art_seed % 5 * 0.07)
    away = 0.72 * size + 0.5 * small
    offset = (0.0, away) if style.design.partner_below else (away, 0.0)
    at = np.array([center[0] + offset[0], center[1] + offset[1]])
    color = sheet.ink if style.art_seed % 3 else sheet.tones.dark
    match style.design.partner:
        case Partner.DISC:
            fill(sheet.canvas, ellipse(small, small) + at, color)
        case Partner.DIAMOND:
            fill(sheet.canvas, ellipse(small, 1.3 * small, count=4) + at, color)
        case Partner.STAR:
            fill(sheet.canvas, scenery.star(5, 0.45) * 1.2 * small + at, color)
        case Partner.BLOT:
            fill(sheet.canvas, scenery.blot(np.random.default_rng(style.art_seed)) * 1.1 * small + at, color)
        case Partner.NONE:
            pass
