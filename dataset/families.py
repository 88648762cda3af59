"""Kinds of decks that look alike, those drawn for training and those kept out of it."""

from __future__ import annotations

from enum import Enum


class StyleFamily(Enum):
    """Kinds of decks that look alike."""

    CLASSIC_OVAL = "classic oval"
    WHITE_OVAL = "white oval"
    WHITE_DISC_RAYS = "white disc with rays"
    THEMED = "themed"
    MARIO_KART = "mario kart"
    MINECRAFT = "minecraft"
    SPELLED_OUT = "spelled out"
    MINIMAL = "minimal"
    BANNER = "banner"
    HOLLOW = "hollow"
    FACETED = "faceted"


FAMILY_WEIGHTS = {
    StyleFamily.CLASSIC_OVAL: 0.25,
    StyleFamily.WHITE_OVAL: 0.25,
    StyleFamily.WHITE_DISC_RAYS: 0.09,
    StyleFamily.THEMED: 0.11,
    StyleFamily.MARIO_KART: 0.12,
    StyleFamily.MINECRAFT: 0.08,
    StyleFamily.SPELLED_OUT: 0.04,
    StyleFamily.MINIMAL: 0.06,
}
"""How often a deck drawn by lot is of a family; decks of the others are drawn only where they are asked for."""

KEPT_OUT = tuple(family for family in StyleFamily if family not in FAMILY_WEIGHTS)
"""Families that networks are measured on and never trained on, as a new deck is."""

PICTURED = (StyleFamily.THEMED, StyleFamily.MARIO_KART, StyleFamily.MINECRAFT)
"""Families whose ground is a picture."""
