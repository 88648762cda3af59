"""How homemade decks differ from printed ones: where the colour is, how actions are signed, what stands by an index.

Sampled for the families whose cards are pictures, paper or scrawls.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from companion.cards import Face
from companion.dataset.artist.drawing.chance import chance, pick
from companion.dataset.artist.families import StyleFamily


class Spelling(Enum):
    """How an action is written on a card."""

    SYMBOL = "symbol"
    LETTER = "one letter"
    SHORT = "letters and digits"
    WORD = "word"


class Partner(Enum):
    """A small sign beside an index, in the card's colour or not."""

    NONE = "none"
    DISC = "disc"
    DIAMOND = "diamond"
    STAR = "star"
    BLOT = "lopsided shape"


class CornerArt(Enum):
    """What the corners show besides the index, or instead of it."""

    NONE = "nothing"
    TRIANGLES = "triangles in the card's colour in two corners"
    ARCS = "quarter discs in the card's colour in all corners"
    STRIP = "a strip of the card's colour along two sides"


_LETTERS = {Face.SKIP: "S", Face.REVERSE: "R", Face.DRAW_TWO: "D", Face.WILD: "W", Face.WILD_DRAW_FOUR: "F"}
_WORDS = {Face.SKIP: ("SKIP",), Face.REVERSE: ("REVERSE",), Face.DRAW_TWO: ("DRAW", "TWO")}
_LOWER = {Face.SKIP: ("Skip",), Face.REVERSE: ("Reverse",), Face.DRAW_TWO: ("Draw", "Two")}


@dataclass(frozen=True)
class Design:
    """How a deck differs from printed ones. The default does not differ."""

    middle: Spelling = Spelling.SYMBOL
    corner: Spelling = Spelling.SYMBOL
    draw_two: str = "+2"
    draw_four: str = "+4"
    lower: bool = False
    """Whether words are in lower case."""
    indices: bool = True
    """Whether the corners have indices."""
    partner: Partner = Partner.NONE
    partner_below: bool = True
    """Whether the small sign is below the index instead of beside it."""
    corner_art: CornerArt = CornerArt.NONE
    border_in_ink: bool = False
    tint: float = 0.0
    """How strongly a picture is tinted with the card's ink, 0 to 1."""
    panel: float = 0.0
    """Opacity of the plain panel between ground and sign, 0 to 1."""
    grain: float = 0.0
    wobble: float = 0.0
    """Amplitude of the unsteady hand, over the card's height."""
    layered: bool = False
    """Whether pictures are layered silhouettes."""
    pictures: tuple[str, ...] = ()
    """Picture files to crop grounds from."""

    def corner_text(self, face: Face) -> str | None:
        """Return the text for the face in a corner, None for its symbol."""
        match self.corner:
            case Spelling.LETTER if face in _LETTERS:
                return _LETTERS[face]
            case Spelling.SHORT if face in (Face.SKIP, Face.REVERSE):
                return _LETTERS[face] + ("K" if face is Face.SKIP else "V") * (len(self.draw_two) % 2)
            case Spelling.WORD if face in (Face.SKIP, Face.REVERSE):
                return (_LOWER if self.lower else _WORDS)[face][0]
            case _ if face is Face.DRAW_TWO and self.draw_two != "+2":
                return self.draw_two
            case _:
                return None

    def middle_words(self, face: Face) -> tuple[str, ...] | None:
        """Return the words for the face in the middle, None for its symbol."""
        match self.middle:
            case Spelling.LETTER if face in (Face.SKIP, Face.REVERSE, Face.DRAW_TWO):
                return (_LETTERS[face],)
            case Spelling.SHORT if face is Face.DRAW_TWO:
                return (self.draw_two,)
            case Spelling.WORD if face in _WORDS:
                return (_LOWER if self.lower else _WORDS)[face]
            case _:
                return None


def _tint(rng: np.random.Generator, family: StyleFamily) -> float:
    if family in (StyleFamily.PAINTED, StyleFamily.POSTER):
        return float(pick(rng, [(0.0, 0.4), (0.5, 0.2), (0.85, 0.4)])) * float(rng.uniform(0.8, 1.1))
    return 0.0


def sample_design(rng: np.random.Generator, family: StyleFamily, pictures: tuple[str, ...]) -> Design:
    """Sample the design of a homemade deck of this family."""
    plain = family in (StyleFamily.NEUTRAL, StyleFamily.SCRAWLED)
    shown = chance(rng, 0.82 if family is not StyleFamily.LEDGER else 1.0)
    art = [(CornerArt.NONE, 0.7), (CornerArt.TRIANGLES, 0.12), (CornerArt.ARCS, 0.08), (CornerArt.STRIP, 0.1)]
    partner = pick(rng, [(kind, 0.62 if kind is Partner.NONE else 0.09) for kind in Partner])
    if family is StyleFamily.LEDGER:
        partner = pick(rng, [(Partner.DIAMOND, 0.4), (Partner.DISC, 0.3), (Partner.NONE, 0.3)])
    return Design(
        middle=pick(
            rng, [(Spelling.SYMBOL, 0.62), (Spelling.LETTER, 0.12), (Spelling.SHORT, 0.13), (Spelling.WORD, 0.13)]
        ),
        corner=pick(
            rng, [(Spelling.SYMBOL, 0.55), (Spelling.LETTER, 0.2), (Spelling.SHORT, 0.1), (Spelling.WORD, 0.15)]
        ),
        draw_two=pick(rng, [("+2", 0.6), ("D2", 0.2), ("2+", 0.08), ("x2", 0.05), ("DT", 0.07)]),
        draw_four=pick(rng, [("+4", 0.65), ("D4", 0.2), ("W4", 0.05), ("4+", 0.05), ("WD", 0.05)]),
        lower=chance(rng, 0.3),
        indices=shown,
        partner=partner,
        partner_below=chance(rng, 0.65),
        corner_art=pick(rng, art) if family is not StyleFamily.SCRAWLED else CornerArt.NONE,
        border_in_ink=chance(rng, 0.35 if plain or family is StyleFamily.LEDGER else 0.2),
        tint=_tint(rng, family),
        panel=float(rng.uniform(0.3, 1.0)) if family is StyleFamily.PAINTED and chance(rng, 0.3) else 0.0,
        grain=_grain(rng, family),
        wobble=_wobble(rng, family),
        layered=family is StyleFamily.POSTER,
        pictures=pictures,
    )


def _grain(rng: np.random.Generator, family: StyleFamily) -> float:
    if family in (StyleFamily.LEDGER, StyleFamily.CHALKBOARD):
        return float(rng.uniform(0.2, 0.5))
    return float(rng.uniform(0.03, 0.25)) if chance(rng, 0.25) else 0.0


def _wobble(rng: np.random.Generator, family: StyleFamily) -> float:
    if family is StyleFamily.SCRAWLED:
        return float(rng.uniform(0.006, 0.02))
    if family is StyleFamily.CHALKBOARD:
        return float(rng.uniform(0.005, 0.012))
    return float(rng.uniform(0.003, 0.012)) if chance(rng, 0.06) else 0.0
