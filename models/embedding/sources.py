"""What training decks are drawn with, and what is kept out of training to measure on."""

from __future__ import annotations

from pathlib import Path

from companion.dataset.artist.drawing.fonts import fonts_in, split_fonts, system_fonts
from companion.dataset.artist.families import HOMEMADE_KEPT_OUT, KEPT_OUT, TRAINING_WEIGHTS
from companion.dataset.gallery.decks import Sources
from companion.dataset.gallery.marks import TRAINING_MARKS, MarkKind
from companion.dataset.scenes.surfaces import list_pictures


def training_sources(fonts: Path | None, backgrounds: Path | None) -> Sources:
    """Return what decks are drawn with for training: folders of more typefaces and of pictures may be given."""
    kept, _ = _typefaces(fonts)
    pictures = tuple(map(str, list_pictures(backgrounds))) if backgrounds else ()
    return Sources(kept, pictures, TRAINING_MARKS, tuple(TRAINING_WEIGHTS.items()))


def held_out_sources(fonts: Path | None) -> Sources:
    """Return what decks are drawn with that no network is trained on: other typefaces, marks, families and pictures."""
    _, tested = _typefaces(fonts)
    families = tuple((family, 1.0) for family in (*KEPT_OUT, *HOMEMADE_KEPT_OUT))
    kinds = (MarkKind.PIPS, MarkKind.RUNES, MarkKind.WORDS, MarkKind.GLYPHS)
    return Sources(tested, (), kinds, families, curves=True)


def _typefaces(fonts: Path | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return split_fonts((*system_fonts(), *(fonts_in(fonts) if fonts else ())))
