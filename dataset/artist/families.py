"""Style families of decks: those for training and those held out for measuring."""

from __future__ import annotations

from enum import Enum


class StyleFamily(Enum):
    """Style families of decks."""

    CLASSIC_OVAL = "classic oval"
    WHITE_OVAL = "white oval"
    WHITE_DISC_RAYS = "white disc with rays"
    THEMED = "themed"
    MARIO_KART = "mario kart"
    MINECRAFT = "minecraft"
    SPELLED_OUT = "spelled out"
    MINIMAL = "minimal"
    MEDLEY = "medley"
    PAINTED = "painted from edge to edge"
    NEUTRAL = "colour in the signs alone"
    SCRAWLED = "drawn by hand"
    OTHERWISE = "signed otherwise"
    BANNER = "banner"
    HOLLOW = "hollow"
    FACETED = "faceted"
    POSTER = "poster"
    LEDGER = "ledger"
    CHALKBOARD = "chalkboard"


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
"""Sampling weights of printed families, about as common as in real life."""

HOMEMADE_WEIGHTS = {
    StyleFamily.PAINTED: 0.5,
    StyleFamily.NEUTRAL: 0.45,
    StyleFamily.SCRAWLED: 0.25,
    StyleFamily.OTHERWISE: 0.45,
}
"""Sampling weights of homemade families in training. They are high because the first networks read them worst."""

TRAINING_WEIGHTS = {**FAMILY_WEIGHTS, StyleFamily.MEDLEY: 0.7, **HOMEMADE_WEIGHTS}
"""Sampling weights of families in training. Medleys mix parts as no printer would, so that the networks generalise to
unknown designs (domain randomisation: Tobin et al. 2017).
"""

KEPT_OUT = (StyleFamily.BANNER, StyleFamily.HOLLOW, StyleFamily.FACETED)
"""Printed families that are never trained on: they stand for an unknown deck."""

HOMEMADE_KEPT_OUT = (StyleFamily.POSTER, StyleFamily.LEDGER, StyleFamily.CHALKBOARD)
"""Homemade families that are never trained on."""

PICTURED = (StyleFamily.THEMED, StyleFamily.MARIO_KART, StyleFamily.MINECRAFT)
"""Families with a picture as ground."""

HOMEMADE = (*HOMEMADE_WEIGHTS, *HOMEMADE_KEPT_OUT)
"""Families of homemade decks."""
