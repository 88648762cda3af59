"""The look of a deck: every drawn parameter, and how decks are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from companion.dataset.artist.designs import CornerArt, Design, sample_design
from companion.dataset.artist.drawing import fonts as typefaces
from companion.dataset.artist.drawing.chance import chance, pick
from companion.dataset.artist.drawing.glyphs import (
    Lettering,
    sample_any_lettering,
    sample_index_lettering,
    sample_lettering,
)
from companion.dataset.artist.drawing.ink import Bgr, Finish, Tone
from companion.dataset.artist.drawing.palette import Inks, sample_inks, sample_paper, sample_wide_inks
from companion.dataset.artist.drawing.pictures import BoxKind, CreeperKind
from companion.dataset.artist.drawing.symbols import SymbolStyle, sample_odd_symbols, sample_symbols
from companion.dataset.artist.families import FAMILY_WEIGHTS, HOMEMADE, KEPT_OUT, PICTURED, StyleFamily
from companion.dataset.artist.middles import free_finish, hollow_finish, medley_finish, sample_finish, sample_middle
from companion.dataset.artist.parts import Badge, Ground, IndexStyle, Medallion, MiddleStyle
from companion.dataset.artist.wilds import WildIndex, WildKind


@dataclass(frozen=True)
class Style:
    """A deck's look. Colours BGR, lengths in millimetres on a card of 56 x 87, angles in degrees."""

    family: StyleFamily
    inks: Inks
    border: Bgr
    border_width: float
    inner_radius: float
    corner_radius: float
    ground: Ground
    wild_ground: Bgr
    lettering: Lettering
    index_lettering: Lettering
    middle: MiddleStyle
    index: IndexStyle
    symbols: SymbolStyle
    wild: WildKind
    wild_word: bool
    wild_order: tuple[int, int, int, int]
    draw_four_paper: bool
    """Whether the middle of wild draw four keeps a white shape on decks without one."""
    spelled: bool
    """Whether actions are spelled out in the middle."""
    item_icon: bool
    item_size: float
    box: BoxKind
    creeper: CreeperKind
    caption: bool
    """Whether small print runs below the middle."""
    gloss: float
    art_seed: int
    design: Design = field(default_factory=Design)

    @property
    def light_wilds(self) -> bool:
        """Whether wild cards are on a light ground, so that white signs would be lost."""
        return sum(self.wild_ground) > 3 * 140


def sample_style(
    rng: np.random.Generator,
    family: StyleFamily | None = None,
    fonts: Sequence[str] | None = None,
    pictures: Sequence[str] = (),
) -> Style:
    """Sample a deck's look, deterministic for the state of `rng`.

    `fonts`: fonts besides drawn digits, by default those of the computer; if empty, digits come from the built-in fonts
    and drawn ones. `pictures`: files that cards may show parts of.
    """
    if family is None:
        family = pick(rng, list(FAMILY_WEIGHTS.items()))
    inks = sample_inks(rng)
    lettering = sample_lettering(
        rng,
        typefaces.system_fonts() if fonts is None else fonts,
        0.6 if family is StyleFamily.WHITE_OVAL else 0.35,
        0.07 if family is StyleFamily.MEDLEY else 0.14,
    )
    middle = sample_middle(rng, family)
    border, border_width = _border(rng, family, inks)
    inner_radius = float(rng.uniform(1.5, 5.5))
    ground = _ground(rng, family)
    if ground in (Ground.DARK, Ground.PAPER):
        middle = replace(
            middle,
            medallion=Medallion.OUTLINED if middle.medallion is Medallion.FILLED else middle.medallion,
            paper=Tone.INK,
            finish=replace(middle.finish, fill=Tone.INK, halo_width=0.0),
        )
    order = tuple(int(i) for i in rng.permutation(4))
    black = int(rng.integers(12, 48))
    wild_ground = (black, black, black)
    if chance(rng, 0.05):
        wild_ground = (int(rng.integers(40, 120)), int(rng.integers(20, 60)), int(rng.integers(30, 90)))
    style = Style(
        family=family,
        inks=inks,
        border=border,
        border_width=border_width,
        inner_radius=inner_radius,
        corner_radius=float(rng.uniform(2.5, 4.8)),
        ground=ground,
        wild_ground=wild_ground,
        lettering=lettering,
        index_lettering=sample_index_lettering(rng, lettering),
        middle=middle,
        index=_index(rng, family, border_width, middle.finish, ground),
        symbols=_symbols(rng, family, middle.finish.fill is Tone.PAPER),
        wild=pick(
            rng,
            [
                (WildKind.OVAL, 0.55),
                (WildKind.DISC, 0.14),
                (WildKind.DIAMOND, 0.06),
                (WildKind.GROUND, 0.06),
                (WildKind.PIE, 0.05),
                (WildKind.STRIPES, 0.05),
                (WildKind.BLOBS, 0.09),
            ],
        ),
        wild_word=chance(rng, 0.3 if family is not StyleFamily.SPELLED_OUT else 0.9),
        wild_order=(order[0], order[1], order[2], order[3]),
        draw_four_paper=chance(rng, 0.7),
        spelled=family is StyleFamily.SPELLED_OUT,
        item_icon=family is StyleFamily.MARIO_KART or (family in KEPT_OUT and chance(rng, 0.3)),
        item_size=float(rng.uniform(8, 14)),
        box=pick(rng, [(BoxKind.CUBE, 0.35), (BoxKind.BLOCK, 0.3), (BoxKind.CRYSTAL, 0.25), (BoxKind.BARE, 0.1)]),
        creeper=pick(rng, [(CreeperKind.FACE, 0.7), (CreeperKind.FIGURE, 0.3)]),
        caption=chance(rng, 0.3 if family in PICTURED else 0.02),
        gloss=float(rng.uniform(0, 0.18)) if chance(rng, 0.3) else 0.0,
        art_seed=int(rng.integers(2**31)),
    )
    if family in HOMEMADE:
        return _homemade(rng, style, typefaces.system_fonts() if fonts is None else fonts, tuple(pictures))
    return style


_GROUNDS = {
    StyleFamily.PAINTED: ((Ground.PAINTED, 1.0),),
    StyleFamily.POSTER: ((Ground.PAINTED, 1.0),),
    StyleFamily.NEUTRAL: ((Ground.PAPER, 0.7), (Ground.DARK, 0.3)),
    StyleFamily.LEDGER: ((Ground.PAPER, 1.0),),
    StyleFamily.CHALKBOARD: ((Ground.DARK, 1.0),),
    StyleFamily.SCRAWLED: ((Ground.PAPER, 0.7), (Ground.FLAT, 0.2), (Ground.DARK, 0.1)),
    StyleFamily.OTHERWISE: ((Ground.FLAT, 0.6), (Ground.GRADIENT, 0.2), (Ground.SPLIT, 0.1), (Ground.STRIPES, 0.1)),
}
"""Grounds of homemade decks, with weights."""


def _homemade(rng: np.random.Generator, style: Style, fonts: Sequence[str], pictures: tuple[str, ...]) -> Style:
    """Return the style as a homemade deck."""
    family = style.family
    ground = pick(rng, _GROUNDS[family])
    design = sample_design(rng, family, pictures)
    inks = sample_wide_inks(rng, sample_paper(rng) if ground is Ground.PAPER else (250, 250, 250))
    if family is StyleFamily.LEDGER:
        fonts = [font for font in fonts if "serif" in font.lower() and "sans" not in font.lower()] or fonts
    lettering = sample_any_lettering(rng, fonts)
    border, width = (inks.paper if chance(rng, 0.6) else inks.dark), 0.0
    if family is StyleFamily.LEDGER or chance(rng, 0.35):
        width = float(rng.uniform(0.6, 3.5))
    wild = inks.paper if ground is Ground.PAPER and chance(rng, 0.7) else style.wild_ground
    colored = ground in (Ground.PAPER, Ground.DARK) or (ground is Ground.PAINTED and design.tint < 0.4)
    middle = replace(
        style.middle,
        medallion=pick(rng, [(Medallion.NONE, 0.75), (Medallion.OUTLINED, 0.1), (Medallion.FILLED, 0.15)]),
        paper=Tone.INK if ground is Ground.DARK else pick(rng, [(Tone.PAPER, 0.6), (Tone.INK, 0.4)]),
        size=float(rng.uniform(18, 52)),
        rotation=float(rng.uniform(-25, 25)) if chance(rng, 0.15) else 0.0,
        number=not design.indices or chance(rng, 0.88),
    )
    on = middle.paper if middle.medallion is Medallion.FILLED else _tone_of(ground, design)
    middle = replace(middle, finish=free_finish(rng, on, ground is Ground.PAINTED, colored and on is not Tone.INK))
    badge = pick(rng, [(None, 0.75), (Tone.INK if on is not Tone.INK else Tone.PAPER, 0.25)])
    if ground is Ground.PAINTED and colored and middle.finish.fill is not Tone.INK and not design.border_in_ink:
        badge = Tone.INK  # Otherwise nothing shows the colour.
    filled = design.corner_art in (CornerArt.TRIANGLES, CornerArt.ARCS)
    under = badge or (Tone.INK if filled else _tone_of(ground, design))
    size = float(np.clip(rng.normal(8.5, 2.5), 5.5, 14.0))
    index = replace(
        style.index,
        size=size,
        x=width + size * float(rng.uniform(0.45, 1.0)) + float(rng.uniform(0.0, 4.0)),
        y=width + size * float(rng.uniform(0.5, 0.9)) + float(rng.uniform(0.0, 6.0)),
        badge=badge,
        badge_shape=pick(rng, [(shape, 1.0) for shape in Badge]),
        finish=free_finish(
            rng, under, ground is Ground.PAINTED, colored and under is not Tone.INK and badge is None, True
        ),
        rotation=0.0,
    )
    corner = lettering if chance(rng, 0.7) else sample_any_lettering(rng, fonts)
    return replace(
        style,
        inks=inks,
        border=border,
        border_width=width,
        ground=ground,
        wild_ground=wild,
        lettering=lettering,
        # Small signs need thicker strokes to be readable.
        index_lettering=replace(corner, stem=max(corner.stem, 0.15)),
        middle=middle,
        index=index,
        symbols=sample_odd_symbols(rng, on is Tone.INK),
        wild=pick(rng, [(kind, 1.0) for kind in WildKind]),
        wild_word=chance(rng, 0.4),
        corner_radius=float(rng.uniform(1.2, 5.0)),
        spelled=False,
        item_icon=False,
        caption=chance(rng, 0.15),
        design=design,
    )


def _tone_of(ground: Ground, design: Design) -> Tone:
    """Return the tone of a ground, against which signs must contrast."""
    match ground:
        case Ground.PAPER:
            return Tone.PAPER
        case Ground.DARK:
            return Tone.DARK
        case Ground.PAINTED if design.tint < 0.4:
            return Tone.PAPER if design.panel > 0.4 else Tone.DARK
        case _:
            return Tone.INK


def _symbols(rng: np.random.Generator, family: StyleFamily, white: bool) -> SymbolStyle:
    symbols = sample_symbols(rng, white)
    if family is StyleFamily.MEDLEY and chance(rng, 0.5):
        thin = float(rng.uniform(0.4, 0.8))
        return replace(symbols, ring=symbols.ring * thin, arrow_shaft=symbols.arrow_shaft * thin)
    return symbols


_BADGES = {StyleFamily.MEDLEY: Badge.POLYGON, StyleFamily.BANNER: Badge.CORNER, StyleFamily.FACETED: Badge.SQUARE}
"""The shapes under the indices, for families that have their own."""


def _index(
    rng: np.random.Generator, family: StyleFamily, border_width: float, middle: Finish, ground: Ground
) -> IndexStyle:
    size = float(np.clip(rng.normal(9.2, 1.9), 6.0, 14.0))
    badge = None
    if ground in (Ground.DARK, Ground.PAPER):
        finish = Finish(fill=Tone.INK)
    else:
        if family in PICTURED or family is StyleFamily.MINIMAL:
            badge = pick(rng, [(None, 0.78), (Tone.PAPER, 0.14), (Tone.SHADE, 0.08)])
        elif family is StyleFamily.MEDLEY:
            badge = pick(rng, [(None, 0.5), (Tone.PAPER, 0.2), (Tone.DARK, 0.1), (Tone.TINT, 0.1), (Tone.SHADE, 0.1)])
        elif family in _BADGES:
            badge = pick(rng, [(None, 0.4), (Tone.PAPER, 0.4), (Tone.SHADE, 0.2)])
        finish = _index_finish(rng, family, badge, middle)
    inset = 0.25 * size if badge else 0.0
    return IndexStyle(
        size=size,
        x=border_width + inset + size * float(rng.uniform(0.5, 0.75)) + float(rng.uniform(0.4, 2.0)),
        y=border_width + inset + size * float(rng.uniform(0.58, 0.7)) + float(rng.uniform(0.6, 3.0)),
        rotation=float(rng.uniform(-12, 12)) if chance(rng, 0.06) else 0.0,
        finish=finish,
        badge=badge,
        badge_shape=_BADGES.get(family, Badge.DISC),
        cards_for_draw_two=chance(rng, 0.12),
        cards_for_draw_four=chance(rng, 0.1),
        wild=pick(
            rng,
            [
                (WildIndex.OVAL, 0.55),
                (WildIndex.DISC, 0.12),
                (WildIndex.WORD, 0.1),
                (WildIndex.LETTER, 0.05),
                (WildIndex.NONE, 0.18),
            ],
        ),
    )


def _index_finish(rng: np.random.Generator, family: StyleFamily, badge: Tone | None, middle: Finish) -> Finish:
    if family is StyleFamily.MEDLEY:
        return medley_finish(rng, Tone.INK if badge is None else badge)
    if badge is Tone.PAPER:
        return Finish(fill=pick(rng, [(Tone.INK, 0.7), (Tone.DARK, 0.3)]))
    if badge is not None:
        return Finish(fill=Tone.PAPER)
    if family is StyleFamily.HOLLOW and chance(rng, 0.5):
        return hollow_finish(float(rng.uniform(0.06, 0.1)))
    if chance(rng, 0.03):
        return Finish(fill=Tone.DARK)
    finish = sample_finish(rng, Tone.PAPER, 0.55, 0.8 if middle.shadow_x else 0.25)
    finish = replace(finish, outline_width=finish.outline_width * float(rng.uniform(1.0, 2.2)))
    # On pictures, rays and facets, white signs need an edge.
    if finish.outline_width == 0 and family in (*PICTURED, StyleFamily.WHITE_DISC_RAYS, StyleFamily.FACETED):
        return replace(finish, outline_width=float(rng.uniform(0.02, 0.07)))
    return finish


def _border(rng: np.random.Generator, family: StyleFamily, inks: Inks) -> tuple[Bgr, float]:
    odd = family in (StyleFamily.MINIMAL, StyleFamily.MEDLEY, *PICTURED, *KEPT_OUT)
    width = float(np.clip(rng.normal(3.9, 0.8), 2.0, 6.0))
    draw = rng.random()
    if draw < (0.22 if odd else 0.03):
        return inks.dark, width
    if odd and draw < 0.32:
        return inks.paper, 0.0
    return inks.paper, width


def _ground(rng: np.random.Generator, family: StyleFamily) -> Ground:
    if family in (StyleFamily.CLASSIC_OVAL, StyleFamily.WHITE_OVAL, StyleFamily.SPELLED_OUT):
        return pick(rng, [(Ground.FLAT, 0.92), (Ground.GRADIENT, 0.08)])
    if family is StyleFamily.FACETED:
        return Ground.FACETS
    if family is StyleFamily.HOLLOW:
        return pick(rng, [(Ground.STRIPES, 0.6), (Ground.FLAT, 0.4)])
    if family is StyleFamily.MINIMAL and chance(rng, 0.3):
        return pick(rng, [(Ground.DARK, 0.6), (Ground.PAPER, 0.4)])
    return pick(
        rng,
        [(Ground.FLAT, 0.45), (Ground.GRADIENT, 0.22), (Ground.RAYS, 0.13), (Ground.DOTS, 0.1), (Ground.SPLIT, 0.1)],
    )
