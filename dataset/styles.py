"""What a deck looks like: every drawn parameter, and how decks are drawn by lot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from companion.dataset import fonts as typefaces
from companion.dataset.chance import chance, pick
from companion.dataset.glyphs import Lettering, sample_index_lettering, sample_lettering
from companion.dataset.ink import Bgr, Finish, Tone
from companion.dataset.palette import Inks, sample_inks
from companion.dataset.parts import Ground, IndexStyle, Medallion, MiddleStyle, Outline
from companion.dataset.pictures import BoxKind, CreeperKind
from companion.dataset.symbols import SymbolStyle, sample_symbols
from companion.dataset.wilds import WildIndex, WildKind


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


_PICTURED = (StyleFamily.THEMED, StyleFamily.MARIO_KART, StyleFamily.MINECRAFT)


def sample_style(
    rng: np.random.Generator, family: StyleFamily | None = None, fonts: Sequence[str] | None = None
) -> Style:
    """Draw a deck's look by lot, the same one for the same state of `rng`.

    `fonts` are the fonts to choose from besides drawn digits, those of the computer where None; with an empty
    sequence digits come from the built-in fonts and drawn ones.
    """
    if family is None:
        family = pick(rng, list(FAMILY_WEIGHTS.items()))
    inks = sample_inks(rng)
    lettering = sample_lettering(
        rng, typefaces.system_fonts() if fonts is None else fonts, 0.6 if family is StyleFamily.WHITE_OVAL else 0.35
    )
    middle = _middle(rng, family, lettering)
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
    return Style(
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
        symbols=sample_symbols(rng, middle.finish.fill is Tone.PAPER),
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
        item_icon=family is StyleFamily.MARIO_KART,
        item_size=float(rng.uniform(8, 14)),
        box=pick(rng, [(BoxKind.CUBE, 0.35), (BoxKind.BLOCK, 0.3), (BoxKind.CRYSTAL, 0.25), (BoxKind.BARE, 0.1)]),
        creeper=pick(rng, [(CreeperKind.FACE, 0.7), (CreeperKind.FIGURE, 0.3)]),
        caption=chance(rng, 0.3 if family in _PICTURED else 0.02),
        gloss=float(rng.uniform(0, 0.18)) if chance(rng, 0.3) else 0.0,
        art_seed=int(rng.integers(2**31)),
    )


def _shadow(rng: np.random.Generator, length: float) -> tuple[float, float]:
    """A shadow to the left and below most often."""
    side = pick(rng, [(-1.0, 0.75), (1.0, 0.25)])
    down = pick(rng, [(1.0, 0.9), (-1.0, 0.1)])
    return side * length * float(rng.uniform(0.3, 1.0)), down * length * float(rng.uniform(0.2, 1.0))


def _finish(rng: np.random.Generator, fill: Tone, outlined: float, shadowed: float) -> Finish:
    """Draw how a mark is printed: `outlined` and `shadowed` are the chances of an outline and of a shadow."""
    shadow = _shadow(rng, float(rng.uniform(0.02, 0.085))) if chance(rng, shadowed) else (0.0, 0.0)
    return Finish(
        fill=fill,
        outline_width=float(rng.uniform(0.012, 0.05)) if chance(rng, outlined) else 0.0,
        shadow_x=shadow[0],
        shadow_y=shadow[1],
        halo_width=float(rng.uniform(0.02, 0.06)) if chance(rng, 0.06) else 0.0,
    )


def _on_paper(rng: np.random.Generator, dark: float, paper: float) -> Finish:
    """Draw how a mark is printed on white: in ink most often, with the chances given in black or white."""
    fill = pick(rng, [(Tone.INK, 1 - dark - paper), (Tone.DARK, dark), (Tone.PAPER, paper)])
    finish = _finish(rng, fill, 0.8, 0.75)
    if fill is Tone.PAPER:
        # White on white is told by its outline alone.
        return replace(finish, outline_width=float(rng.uniform(0.03, 0.065)))
    return finish


def _middle(rng: np.random.Generator, family: StyleFamily, lettering: Lettering) -> MiddleStyle:
    rotation = 0.0
    if chance(rng, 0.25):
        rotation = float(rng.uniform(-25, 30))
    match family:
        case StyleFamily.CLASSIC_OVAL:
            return MiddleStyle(
                width=float(rng.uniform(33, 44)),
                height=float(rng.uniform(64, 82)),
                turn=float(rng.uniform(15, 38)),
                line=float(rng.uniform(0.9, 2.6)),
                size=float(rng.uniform(24, 40)),
                rotation=rotation,
                finish=_finish(rng, Tone.PAPER, 0.75, 0.85),
            )
        case StyleFamily.WHITE_OVAL | StyleFamily.SPELLED_OUT:
            return MiddleStyle(
                medallion=Medallion.FILLED,
                width=float(rng.uniform(31, 45)),
                height=float(rng.uniform(60, 84)),
                turn=float(rng.uniform(15, 40)),
                size=float(rng.uniform(22, 38)),
                rotation=rotation,
                finish=_on_paper(rng, 0.07, 0.07),
            )
        case StyleFamily.WHITE_DISC_RAYS:
            across = float(rng.uniform(28, 44))
            return MiddleStyle(
                medallion=Medallion.RAYS,
                width=across,
                height=across * float(pick(rng, [(1.0, 0.8), (1.2, 0.2)])),
                turn=float(rng.uniform(0, 40)),
                size=across * float(rng.uniform(0.5, 0.8)),
                rotation=rotation,
                finish=_on_paper(rng, 0.12, 0.15),
            )
        case StyleFamily.THEMED | StyleFamily.MARIO_KART | StyleFamily.MINECRAFT:
            return _pictured_middle(rng, family, rotation)
        case StyleFamily.MINIMAL:
            medallion = pick(rng, [(Medallion.NONE, 0.35), (Medallion.FILLED, 0.35), (Medallion.OUTLINED, 0.3)])
            across = float(rng.uniform(26, 46))
            return MiddleStyle(
                medallion=medallion,
                outline=pick(rng, [(Outline.OVAL, 0.5), (Outline.DIAMOND, 0.25), (Outline.FRAME, 0.25)]),
                width=across,
                height=across * float(rng.uniform(1.0, 1.6)),
                turn=float(pick(rng, [(0.0, 0.7), (20.0, 0.3)])),
                line=float(rng.uniform(0.6, 3.0)),
                size=across * float(rng.uniform(0.5, 0.8)),
                rotation=rotation,
                number=chance(rng, 0.93),
                finish=_finish(rng, Tone.PAPER if medallion is not Medallion.FILLED else Tone.INK, 0.3, 0.3),
            )


def _pictured_middle(rng: np.random.Generator, family: StyleFamily, rotation: float) -> MiddleStyle:
    art = Medallion.PIXELS if family is StyleFamily.MINECRAFT else Medallion.PICTURE
    if chance(rng, 0.35):
        # Some of these decks keep the oval and the number in the middle.
        filled = chance(rng, 0.5)
        return MiddleStyle(
            medallion=Medallion.FILLED if filled else Medallion.OUTLINED,
            width=float(rng.uniform(32, 44)),
            height=float(rng.uniform(56, 80)),
            turn=float(rng.uniform(10, 35)),
            line=float(rng.uniform(0.9, 2.4)),
            size=float(rng.uniform(22, 36)),
            rotation=rotation,
            finish=_finish(rng, Tone.INK if filled else Tone.PAPER, 0.8, 0.7),
        )
    rim = chance(rng, 0.45)
    return MiddleStyle(
        medallion=art,
        outline=pick(rng, [(Outline.OVAL, 0.8), (Outline.FRAME, 0.2)]) if rim else Outline.OVAL,
        width=float(rng.uniform(34, 46)),
        height=float(rng.uniform(54, 78)),
        turn=float(rng.uniform(10, 35)) if chance(rng, 0.8) else 0.0,
        line=float(rng.uniform(0.8, 2.4)),
        rim=rim,
        number=chance(rng, 0.15),
        size=float(rng.uniform(18, 30)),
        rotation=rotation,
        finish=_finish(rng, Tone.PAPER, 1.0, 0.6),
    )


def _index(
    rng: np.random.Generator, family: StyleFamily, border_width: float, middle: Finish, ground: Ground
) -> IndexStyle:
    size = float(np.clip(rng.normal(9.2, 1.9), 6.0, 14.0))
    badge = None
    if ground in (Ground.DARK, Ground.PAPER):
        finish = Finish(fill=Tone.INK)
    else:
        if family in _PICTURED or family is StyleFamily.MINIMAL:
            badge = pick(rng, [(None, 0.78), (Tone.PAPER, 0.14), (Tone.SHADE, 0.08)])
        finish = _index_finish(rng, family, badge, middle)
    inset = 0.25 * size if badge else 0.0
    return IndexStyle(
        size=size,
        x=border_width + inset + size * float(rng.uniform(0.5, 0.75)) + float(rng.uniform(0.4, 2.0)),
        y=border_width + inset + size * float(rng.uniform(0.58, 0.7)) + float(rng.uniform(0.6, 3.0)),
        rotation=float(rng.uniform(-12, 12)) if chance(rng, 0.06) else 0.0,
        finish=finish,
        badge=badge,
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
    if badge is Tone.PAPER:
        return Finish(fill=pick(rng, [(Tone.INK, 0.7), (Tone.DARK, 0.3)]))
    if badge is not None:
        return Finish(fill=Tone.PAPER)
    if chance(rng, 0.03):
        return Finish(fill=Tone.DARK)
    finish = _finish(rng, Tone.PAPER, 0.55, 0.8 if middle.shadow_x else 0.25)
    finish = replace(finish, outline_width=finish.outline_width * float(rng.uniform(1.0, 2.2)))
    # Over pictures and rays, white signs need an edge.
    if finish.outline_width == 0 and (family in _PICTURED or family is StyleFamily.WHITE_DISC_RAYS):
        return replace(finish, outline_width=float(rng.uniform(0.02, 0.07)))
    return finish


def _border(rng: np.random.Generator, family: StyleFamily, inks: Inks) -> tuple[Bgr, float]:
    odd = family in (StyleFamily.MINIMAL, StyleFamily.THEMED, StyleFamily.MINECRAFT, StyleFamily.MARIO_KART)
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
    if family is StyleFamily.MINIMAL and chance(rng, 0.3):
        return pick(rng, [(Ground.DARK, 0.6), (Ground.PAPER, 0.4)])
    return pick(
        rng,
        [(Ground.FLAT, 0.45), (Ground.GRADIENT, 0.22), (Ground.RAYS, 0.13), (Ground.DOTS, 0.1), (Ground.SPLIT, 0.1)],
    )
