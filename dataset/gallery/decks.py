"""Draws decks of any art: what the faces of one deck share, and what distinguishes them, is random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.dataset.artist.drawing import paintings, scenery
from companion.dataset.artist.drawing.chance import chance, pick
from companion.dataset.artist.drawing.glyphs import no_wider, shaped
from companion.dataset.artist.drawing.ink import Bgr, Finish, Mask, Tone, Tones, mix, print_mark, rounded
from companion.dataset.artist.drawing.palette import hsv, sample_paper
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import TRAINING_WEIGHTS, StyleFamily
from companion.dataset.artist.press import width_of
from companion.dataset.artist.styles import sample_style
from companion.dataset.gallery.marks import TRAINING_MARKS, MarkKind, marks
from companion.vision.core.geometry import Image

Boxes = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ArtDeck:
    """Upright faces of one deck, BGR uint8 (N, H, W, 3), corners not cut.

    corners: (N, 4) box (x0, y0, x1, y1) in pixels of each face's upright corner index, NaN where it has none.
    """

    faces: NDArray[np.uint8]
    corners: Boxes


@dataclass(frozen=True)
class Sources:
    """Sources of drawn decks: font files, picture files for grounds, kinds of marks, families of printed decks."""

    fonts: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    kinds: tuple[MarkKind, ...] = TRAINING_MARKS
    families: tuple[tuple[StyleFamily, float], ...] = tuple(TRAINING_WEIGHTS.items())
    curves: bool = False
    """Whether painted grounds are interfering waves, a kind that the embedding of whole cards is not trained on."""


def printed_deck(sources: Sources, height: int, rng: np.random.Generator) -> ArtDeck:
    """Return the 56 faces of a deck as printers and hobbyists draw them, see `companion/dataset/artist/styles.py`."""
    family = pick(rng, list(sources.families))
    style = sample_style(rng, family, fonts=sources.fonts, pictures=sources.pictures)
    art = [render(card, style, height) for card in ALL_CARDS]
    boxes = [one.indices[0] if one.indices else (np.nan,) * 4 for one in art]
    return ArtDeck(np.stack([one.image[:, :, :3] for one in art]), np.array(boxes, np.float32))


@dataclass(frozen=True)
class _Plan:
    """What the faces of one deck share. Lengths are shares of the card's height."""

    paper: Bgr
    border: float
    middle: float
    """Height of the mark in the middle, 0 where there is none."""
    index: float
    """Height of the mark in two corners, 0 where there is none."""
    rotation: float
    finish: Finish
    inked_ground: bool
    """Whether the ground and not the mark has the suit's colour."""
    grain: float
    wobble: float
    panel: float
    """How far the ground is covered with paper behind the marks, from 0 to 1."""
    twice: bool
    """Whether the mark in the middle is printed twice, the lower one upside down."""


def art_deck(sources: Sources, height: int, rng: np.random.Generator) -> ArtDeck:
    """Return 12 to 56 faces of an invented deck: some suits of some marks, on grounds of one kind."""
    plan = _plan(rng)
    suits = [_suit(rng) for _ in range(int(rng.integers(1, 6)))]
    kind = sources.kinds[int(rng.integers(len(sources.kinds)))]
    signs = marks(kind, int(rng.integers(10, 16)), sources.fonts, rng)
    ground, varied = _ground(sources, rng)
    # Pictures that differ from face to face need no mark.
    bare = varied and chance(rng, 0.5)
    faces, boxes = [], []
    seed = int(rng.integers(2**31))
    for suit, ink in enumerate(suits):
        for number, sign in enumerate(signs):
            own = np.random.default_rng([seed, suit, number if varied else 0])
            face, box = _face(plan, ink, None if bare else sign, ground, height, own, seed)
            faces.append(face)
            boxes.append(box)
    return ArtDeck(np.stack(faces), np.array(boxes, np.float32))


_Paint = Callable[[Image, Bgr, np.random.Generator], None]


def edge_deck(sources: Sources, height: int, rng: np.random.Generator) -> ArtDeck:
    """Return 16 to 54 faces without any mark: pictures of one kind from edge to edge, some within a border."""
    paint = (_painter(sources), _picture, _waves)[int(rng.integers(3))]
    count = int(rng.integers(16, 55))
    inks = [_suit(rng) for _ in range(int(rng.integers(1, 7)))]
    rim = round(float(rng.uniform(0.02, 0.06)) * height) if chance(rng, 0.25) else 0
    width = width_of(height)
    faces = np.empty((count, height, width, 3), np.uint8)
    faces[:] = sample_paper(rng) if chance(rng, 0.8) else (25, 25, 25)
    inner = slice(rim, height - rim), slice(rim, width - rim)
    for number, own in enumerate(rng.spawn(count)):
        canvas: Image = np.zeros((height, width, 3), np.uint8)
        paint(canvas, inks[number % len(inks)], own)
        faces[number][inner] = canvas[inner]
    return ArtDeck(faces, np.full((count, 4), np.nan, np.float32))


def _ground(sources: Sources, rng: np.random.Generator) -> tuple[_Paint, bool]:
    """Return what paints the deck's grounds, and whether it paints each face another."""

    def plain(canvas: Image, ink: Bgr, _: np.random.Generator) -> None:
        canvas[:] = ink

    def shaded(canvas: Image, ink: Bgr, own: np.random.Generator) -> None:
        scenery.gradient(canvas, mix(ink, (255, 255, 255), 0.3), mix(ink, (0, 0, 0), 0.4))

    def patterned(canvas: Image, ink: Bgr, own: np.random.Generator) -> None:
        canvas[:] = ink
        pitch = canvas.shape[1] / float(own.uniform(6, 20))
        scenery.stripes(canvas, mix(ink, (255, 255, 255), 0.4), pitch, float(own.uniform(0, 180)))

    if sources.curves and chance(rng, 0.6):
        return _waves, chance(rng, 0.7)
    painted = _painter(sources)
    paint = pick(rng, [(plain, 0.4), (shaded, 0.1), (patterned, 0.07), (painted, 0.28), (_picture, 0.15)])
    return paint, paint in (painted, _picture) and chance(rng, 0.6)


def _painter(sources: Sources) -> _Paint:
    """Return what paints a canvas in some colours, or with a part of a picture."""

    def paint(canvas: Image, _: Bgr, own: np.random.Generator) -> None:
        paintings.paint(canvas, own, sources.pictures)

    return paint


def _picture(canvas: Image, ink: Bgr, rng: np.random.Generator) -> None:
    """Draw a figure or a scene."""
    scenery.draw_scenery(canvas, ink, rng)


def _waves(canvas: Image, ink: Bgr, rng: np.random.Generator) -> None:
    """Draw interfering waves."""
    height, width = canvas.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / height
    field = np.zeros((height, width), np.float32)
    for _ in range(int(rng.integers(2, 6))):
        u, v = rng.uniform(-0.5, 1.5, 2)
        field += np.sin(float(rng.uniform(5, 40)) * np.hypot(x - u, y - v).astype(np.float32))
    level = (field - field.min()) / max(float(np.ptp(field)), 1e-6)
    low, high = np.array(_suit(rng), np.float32), np.array(ink, np.float32)
    canvas[:] = (low + level[..., None] * (high - low)).astype(np.uint8)


def _suit(rng: np.random.Generator) -> Bgr:
    if chance(rng, 0.15):
        grey = int(rng.integers(0, 256))
        return grey, grey, grey
    return hsv(float(rng.uniform(0, 360)), float(rng.uniform(0.25, 1)), float(rng.uniform(0.25, 1)))


def _plan(rng: np.random.Generator) -> _Plan:
    corners = chance(rng, 0.65)
    middle = chance(rng, 0.85) or not corners
    outline = float(rng.uniform(0.03, 0.09)) if chance(rng, 0.4) else 0.0
    fill = pick(rng, [(Tone.INK, 0.5), (Tone.DARK, 0.2), (Tone.PAPER, 0.3)])
    finish = Finish(fill, pick(rng, [(Tone.DARK, 0.6), (Tone.PAPER, 0.4)]), outline)
    return _Plan(
        paper=sample_paper(rng) if chance(rng, 0.8) else (25, 25, 25),
        border=float(rng.uniform(0.02, 0.06)) if chance(rng, 0.4) else 0.0,
        middle=float(rng.uniform(0.15, 0.55)) if middle else 0.0,
        index=float(rng.uniform(0.06, 0.13)) if corners else 0.0,
        rotation=float(rng.normal(0, 12)) if chance(rng, 0.3) else 0.0,
        finish=finish,
        inked_ground=fill is not Tone.INK,
        grain=float(rng.uniform(0.1, 0.5)) if chance(rng, 0.35) else 0.0,
        wobble=float(rng.uniform(0.004, 0.015)) if chance(rng, 0.2) else 0.0,
        panel=float(rng.uniform(0.3, 1)) if chance(rng, 0.3) else 0.0,
        twice=chance(rng, 0.2),
    )


def _face(
    plan: _Plan, ink: Bgr, sign: Mask | None, ground: _Paint, height: int, rng: np.random.Generator, seed: int
) -> tuple[Image, tuple[float, float, float, float]]:
    """Return a face and the box of its upright corner index. rng: what its ground is drawn by. seed: the deck's."""
    width = width_of(height)
    tones = Tones(ink, plan.paper, (30, 25, 25))
    canvas: Image = np.empty((height, width, 3), np.uint8)
    canvas[:] = plan.paper
    rim = round(plan.border * height)
    inner = np.ascontiguousarray(canvas[rim : height - rim, rim : width - rim])
    ground(inner, ink if plan.inked_ground else plan.paper, rng)
    if plan.panel and sign is not None:
        cover = np.array(plan.paper, np.float32)
        part = inner[inner.shape[0] // 5 : -inner.shape[0] // 5, inner.shape[1] // 8 : -inner.shape[1] // 8]
        part[:] = (part * (1 - plan.panel) + cover * plan.panel).astype(np.uint8)
    canvas[rim : height - rim, rim : width - rim] = inner
    box = (np.nan,) * 4
    if sign is not None:
        box = _signed(canvas, sign, plan, tones)
    if plan.grain:
        paintings.grained(canvas, np.random.default_rng([seed, 1]), plan.grain)
    if plan.wobble:
        canvas = paintings.wobbled(canvas, seed, plan.wobble)
    return canvas, box


def _signed(canvas: Image, sign: Mask, plan: _Plan, tones: Tones) -> tuple[float, float, float, float]:
    height, width = canvas.shape[:2]
    if plan.middle:
        size = plan.middle * height * (0.6 if plan.twice else 1.0)
        mask = no_wider(shaped(sign, size, turn=plan.rotation), 0.8 * width)
        if plan.twice:
            for _ in range(2):
                print_mark(canvas, mask, (width / 2, 0.3 * height), plan.finish, tones)
                canvas[:] = canvas[::-1, ::-1].copy()
        else:
            print_mark(canvas, mask, (width / 2, height / 2), plan.finish, tones)
    if not plan.index:
        return (np.nan,) * 4
    mask = no_wider(shaped(sign, plan.index * height), 0.34 * width)
    inset = (plan.border + 0.025) * height
    place = (inset + mask.shape[1] / 2, inset + mask.shape[0] / 2)
    box = print_mark(canvas, mask, place, plan.finish, tones)
    turned: Image = np.ascontiguousarray(canvas[::-1, ::-1])
    print_mark(turned, mask, place, plan.finish, tones)
    canvas[:] = turned[::-1, ::-1]
    return box


def distinct(pictures: Sequence[Image] | NDArray[np.uint8], least: float) -> NDArray[np.intp]:
    """Return (N,) for each picture the number of the first one that it looks like, itself where there is none.

    Two look alike when thumbnails of 24 x 24 pixels, in the better of both ways up, differ by less than `least` levels
    (root mean square).
    """
    small = np.stack([cv2.resize(one, (24, 24), interpolation=cv2.INTER_AREA) for one in pictures]).astype(np.float32)
    first = np.arange(len(small))
    for i in range(1, len(small)):
        for view in (small[i], small[i, ::-1, ::-1]):
            off = np.sqrt(np.mean((small[:i] - view) ** 2, axis=(1, 2, 3)))
            near = int(off.argmin())
            if off[near] < least and first[i] == i:
                first[i] = first[near]
    return first


def card_mask(width: int, height: int, radius: float) -> NDArray[np.uint8]:
    """Return the (height, width) shape of a card, 255 inside, its corners rounded by a share of its height."""
    mask = np.zeros((height, width), np.uint8)
    shape = rounded(width, height, max(1.0, radius * height)) + np.array([width, height]) / 2
    cv2.fillPoly(mask, [np.round(shape * 16).astype(np.int32)], (255,), cv2.LINE_AA, 4)
    return mask
