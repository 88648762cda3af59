"""Samples the middle of a deck: the shape under the sign, the sign's size and its print."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.dataset.artist.drawing.chance import chance, pick
from companion.dataset.artist.drawing.ink import Finish, Pattern, Tone
from companion.dataset.artist.families import HOMEMADE, StyleFamily
from companion.dataset.artist.parts import Medallion, MiddleStyle, Outline


def _shadow(rng: np.random.Generator, length: float) -> tuple[float, float]:
    """Usually a shadow to the left and below."""
    side = pick(rng, [(-1.0, 0.75), (1.0, 0.25)])
    down = pick(rng, [(1.0, 0.9), (-1.0, 0.1)])
    return side * length * float(rng.uniform(0.3, 1.0)), down * length * float(rng.uniform(0.2, 1.0))


def sample_finish(rng: np.random.Generator, fill: Tone, outlined: float, shadowed: float) -> Finish:
    """Sample the print of a mark; `outlined` and `shadowed` are probabilities."""
    shadow = _shadow(rng, float(rng.uniform(0.02, 0.085))) if chance(rng, shadowed) else (0.0, 0.0)
    return Finish(
        fill=fill,
        outline_width=float(rng.uniform(0.012, 0.05)) if chance(rng, outlined) else 0.0,
        shadow_x=shadow[0],
        shadow_y=shadow[1],
        halo_width=float(rng.uniform(0.02, 0.06)) if chance(rng, 0.06) else 0.0,
    )


def hollow_finish(width: float) -> Finish:
    """Return the print of a mark with a white edge only, `width` as a share of its height."""
    return Finish(fill=Tone.INK, outline=Tone.PAPER, outline_width=width)


def _on_paper(rng: np.random.Generator, dark: float, paper: float) -> Finish:
    """Sample the print of a mark on white: usually in ink, with these probabilities in black or white."""
    fill = pick(rng, [(Tone.INK, 1 - dark - paper), (Tone.DARK, dark), (Tone.PAPER, paper)])
    finish = sample_finish(rng, fill, 0.8, 0.75)
    if fill is Tone.PAPER:
        # White on white needs an outline.
        return replace(finish, outline_width=float(rng.uniform(0.03, 0.065)))
    return finish


_CONTRASTS = {
    Tone.PAPER: ((Tone.INK, 0.65), (Tone.DARK, 0.35)),
    Tone.TINT: ((Tone.DARK, 0.6), (Tone.PAPER, 0.4)),
    Tone.DARK: ((Tone.PAPER, 0.4), (Tone.INK, 0.4), (Tone.TINT, 0.2)),
    Tone.SHADE: ((Tone.PAPER, 0.7), (Tone.TINT, 0.3)),
    Tone.INK: ((Tone.PAPER, 0.75), (Tone.DARK, 0.25)),
}
"""Readable tones of marks on a ground of each tone, with weights."""


def medley_finish(rng: np.random.Generator, ground: Tone) -> Finish:
    """Sample the print of a mark on a ground of a tone, without conventions."""
    fill = pick(rng, _CONTRASTS[ground])
    finish = sample_finish(rng, fill, 0.5, 0.3)
    if chance(rng, 0.5):
        return finish
    # A second colour equal to the ground would leave only the edge.
    second = pick(rng, [(tone, 1.0) for tone in Tone if tone not in (ground, fill)])
    pattern = pick(rng, [(Pattern.CORE, 0.6), (Pattern.HATCHED, 0.2), (Pattern.HALVED, 0.2)])
    return replace(finish, pattern=pattern, second=second, second_share=float(rng.uniform(0.3, 0.75)))


def free_finish(rng: np.random.Generator, ground: Tone, busy: bool, colored: bool, small: bool = False) -> Finish:
    """Sample the print of a mark on a ground of a tone.

    On a `busy` ground it has an edge; if `colored`, its fill or edge has the card's colour; edges of `small` marks are
    wider.
    """
    fill = Tone.INK if colored and not chance(rng, 0.12) else pick(rng, _CONTRASTS[ground])
    edge = Tone.PAPER if fill in (Tone.DARK, Tone.INK, Tone.SHADE) and chance(rng, 0.5) else Tone.DARK
    if colored and fill is not Tone.INK:
        edge = Tone.INK
    if fill is edge:
        edge = Tone.PAPER
    finish = Finish(fill=fill, outline=edge)
    if busy or (colored and fill is not Tone.INK) or chance(rng, 0.35):
        finish = replace(finish, outline_width=float(rng.uniform(0.03, 0.08)))
    if chance(rng, 0.2):
        dx, dy = _shadow(rng, float(rng.uniform(0.02, 0.07)))
        finish = replace(finish, shadow_x=dx, shadow_y=dy)
    if chance(rng, 0.15):  # Hollow: the ground's tone inside a coloured edge.
        finish = replace(finish, fill=ground, outline=fill, outline_width=float(rng.uniform(0.035, 0.08)) * (1 + small))
    elif chance(rng, 0.22):
        pattern = pick(rng, [(Pattern.CORE, 0.2), (Pattern.INLINE, 0.4), (Pattern.CUT, 0.25), (Pattern.HATCHED, 0.15)])
        finish = replace(
            finish,
            pattern=pattern,
            second=ground if chance(rng, 0.6) else edge,
            second_share=float(rng.uniform(0.2, 0.7)),
        )
    return finish


def sample_middle(rng: np.random.Generator, family: StyleFamily) -> MiddleStyle:
    """Sample the middle of a family's deck."""
    rotation = 0.0
    if chance(rng, 0.25):
        rotation = float(rng.uniform(-25, 30))
    if family in HOMEMADE:
        return _medley_middle(rng, rotation)
    return _printed_middle(rng, family, rotation)


def _printed_middle(rng: np.random.Generator, family: StyleFamily, rotation: float) -> MiddleStyle:
    match family:
        case StyleFamily.CLASSIC_OVAL:
            return MiddleStyle(
                width=float(rng.uniform(33, 44)),
                height=float(rng.uniform(64, 82)),
                turn=float(rng.uniform(15, 38)),
                line=float(rng.uniform(0.9, 2.6)),
                size=float(rng.uniform(24, 40)),
                rotation=rotation,
                finish=sample_finish(rng, Tone.PAPER, 0.75, 0.85),
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
                finish=sample_finish(rng, Tone.PAPER if medallion is not Medallion.FILLED else Tone.INK, 0.3, 0.3),
            )
        case StyleFamily.MEDLEY:
            return _medley_middle(rng, float(rng.uniform(-90, 90)) if chance(rng, 0.2) else rotation)
        case StyleFamily.BANNER:
            paper = pick(rng, [(Tone.PAPER, 0.6), (Tone.TINT, 0.2), (Tone.DARK, 0.2)])
            thick = float(rng.uniform(24, 38))
            return MiddleStyle(
                medallion=Medallion.FILLED,
                outline=Outline.BAND,
                width=120.0,
                height=thick,
                turn=float(pick(rng, [(0.0, 0.35), (-32.0, 0.65)])),
                paper=paper,
                size=thick * float(rng.uniform(0.65, 0.95)),
                rotation=rotation,
                finish=sample_finish(rng, Tone.PAPER if paper is Tone.DARK else Tone.INK, 0.3, 0.3),
            )
        case StyleFamily.HOLLOW:
            return MiddleStyle(
                medallion=Medallion.NONE,
                size=float(rng.uniform(32, 50)),
                rotation=rotation,
                finish=hollow_finish(float(rng.uniform(0.03, 0.06))),
            )
        case StyleFamily.FACETED:
            filled = chance(rng, 0.5)
            across = float(rng.uniform(32, 46))
            return MiddleStyle(
                medallion=Medallion.FILLED if filled else Medallion.OUTLINED,
                outline=pick(rng, [(Outline.HEXAGON, 0.5), (Outline.STAR, 0.5)]),
                width=across,
                height=across * float(rng.uniform(1.0, 1.3)),
                turn=float(pick(rng, [(0.0, 0.6), (30.0, 0.4)])),
                line=float(rng.uniform(0.8, 2.6)),
                paper=pick(rng, [(Tone.PAPER, 0.7), (Tone.DARK, 0.3)]) if filled else Tone.PAPER,
                size=across * float(rng.uniform(0.45, 0.65)),
                rotation=rotation,
                finish=sample_finish(rng, Tone.INK if filled else Tone.PAPER, 0.4, 0.4),
            )
        case _:
            raise ValueError(f"{family.value} decks are drawn as homemade ones")


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
            finish=sample_finish(rng, Tone.INK if filled else Tone.PAPER, 0.8, 0.7),
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
        finish=sample_finish(rng, Tone.PAPER, 1.0, 0.6),
    )


def _medley_middle(rng: np.random.Generator, rotation: float) -> MiddleStyle:
    medallion = pick(
        rng,
        [
            (Medallion.PATCHES, 0.3),
            (Medallion.FILLED, 0.35),
            (Medallion.OUTLINED, 0.1),
            (Medallion.RAYS, 0.1),
            (Medallion.PICTURE, 0.05),
            (Medallion.NONE, 0.1),
        ],
    )
    filled = medallion in (Medallion.FILLED, Medallion.RAYS)
    paper = pick(rng, [(Tone.PAPER, 0.5), (Tone.TINT, 0.2), (Tone.DARK, 0.2), (Tone.SHADE, 0.1)])
    finish = medley_finish(rng, paper if filled else Tone.INK)
    if medallion in (Medallion.PATCHES, Medallion.PICTURE):
        # Patches are of all tones, so a mark needs an edge of its own.
        finish = replace(finish, outline_width=float(rng.uniform(0.03, 0.07)), halo_width=0.0)
        if finish.fill is Tone.DARK:
            finish = replace(finish, outline=Tone.PAPER)
    across = float(rng.uniform(26, 52))
    return MiddleStyle(
        medallion=medallion,
        outline=pick(rng, [(Outline.OVAL, 0.3), (Outline.DIAMOND, 0.15), (Outline.FRAME, 0.2), (Outline.BLOT, 0.35)]),
        width=across,
        height=across * float(rng.uniform(0.8, 1.6)),
        turn=float(rng.uniform(-60, 60)),
        line=float(rng.uniform(0.6, 4.0)),
        paper=paper,
        rim=chance(rng, 0.5),
        number=chance(rng, 0.9),
        size=across * float(rng.uniform(0.4, 0.8)),
        rotation=rotation,
        finish=finish,
    )
