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
"""How often a deck drawn by lot is of a family, as decks that people play with are."""

HOMEMADE_WEIGHTS = {
    StyleFamily.PAINTED: 0.5,
    StyleFamily.NEUTRAL: 0.45,
    StyleFamily.SCRAWLED: 0.25,
    StyleFamily.OTHERWISE: 0.45,
}
"""How often a deck that networks are trained on is of a kind that people draw themselves: what the first networks read
worst in other people's card art, they see most of."""

TRAINING_WEIGHTS = {**FAMILY_WEIGHTS, StyleFamily.MEDLEY: 0.7, **HOMEMADE_WEIGHTS}
"""How often a deck that networks are trained on is of a family. Medleys mix parts as no printer would, so that what is
learnt holds for designs that nobody thought of (domain randomisation: Tobin et al. 2017)."""

KEPT_OUT = (StyleFamily.BANNER, StyleFamily.HOLLOW, StyleFamily.FACETED)
"""Printers' families that networks are measured on and never trained on, as a new deck is."""

HOMEMADE_KEPT_OUT = (StyleFamily.POSTER, StyleFamily.LEDGER, StyleFamily.CHALKBOARD)
"""Homemade families that networks are measured on and never trained on."""

PICTURED = (StyleFamily.THEMED, StyleFamily.MARIO_KART, StyleFamily.MINECRAFT)
"""Families whose ground is a picture."""

HOMEMADE = (*HOMEMADE_WEIGHTS, *HOMEMADE_KEPT_OUT)
"""Families of decks as people draw and print them for themselves."""
