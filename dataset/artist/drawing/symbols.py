"""The signs of the action cards: arrows of reverse, the barred circle of skip, the cards of draw two and draw four."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

import numpy as np

from companion.dataset.artist.drawing.chance import chance, pick
from companion.dataset.artist.drawing.ink import (
    Bgr,
    Box,
    Mask,
    Points,
    cropped,
    ellipse,
    fill,
    rounded,
    stroke,
    turned,
    union,
)
from companion.vision.core.geometry import Image

_SIDE = 256


class ReverseKind(Enum):
    """Drawings of reverse."""

    HOOKS = "two arrows with rounded tails"
    STRAIGHT = "two straight arrows"
    RING = "two arcs with heads"
    SWOOSH = "two bent arrows"
    LOOP = "one arrow round a circle"
    CROSSED = "two arrows across each other"
    DOUBLE = "one arrow with a head at each end"
    TURN = "an arrow that turns back"


class SkipKind(Enum):
    """Drawings of skip."""

    BARRED_RING = "ring with a bar"
    BARRED_DISC = "disc with a bar left out"
    CROSS = "cross"
    CROSSED_RING = "ring with a cross"
    BARRED_BOX = "square with a bar"
    BARRED_OCTAGON = "octagon with a bar"
    FORWARD = "two triangles and a bar"


class CardsKind(Enum):
    """Drawings of draw two and draw four."""

    STACK = "white cards over each other"
    SLANTED = "coloured cards with white edges"
    FAN = "cards in a fan"
    TEXT = "only +2 or +4"
    CARDS_AND_TEXT = "cards with +2 or +4 over them"


@dataclass(frozen=True)
class SymbolStyle:
    """How the action cards of a deck are drawn; lengths are shares of the symbol's height."""

    reverse: ReverseKind = ReverseKind.HOOKS
    reverse_turn: float = -45.0
    """Direction in which the upper arrow points, in degrees clockwise from the right."""
    arrow_shaft: float = 0.2
    arrow_head: float = 0.42
    arrow_gap: float = 0.02
    """Half the distance between the two arrows."""
    arrow_tail: float = 0.2
    """How far an arrow's tail extends past the middle."""
    mirrored: bool = False
    skip: SkipKind = SkipKind.BARRED_RING
    skip_turn: float = -45.0
    """Direction of the bar, in degrees clockwise from the right."""
    ring: float = 0.15
    scale: float = 1.0
    """Height of the signs in the middle, over that of the digits."""
    draw_two: CardsKind = CardsKind.STACK
    draw_four: CardsKind = CardsKind.SLANTED
    draw_four_stairs: bool = False
    card_lean: float = 12.0
    """Slant of the small cards to the right in degrees."""
    card_edge: float = 0.08
    card_outline: float = 0.03
    card_depth: float = 0.05
    """Length of the small cards' dark sides, to the left and below."""


def _mask(parts: Sequence[Points], holes: Sequence[Points] = ()) -> Mask:
    """Rasterise polygons around the origin, about 1 across."""
    mask = np.zeros((2 * _SIDE, 2 * _SIDE), np.uint8)
    for part in parts:
        fill(mask, part * _SIDE + _SIDE, 255)
    for hole in holes:
        fill(mask, hole * _SIDE + _SIDE, 0)
    return cropped(mask)


def _hook_arrow(style: SymbolStyle) -> Points:
    """Arrow to the right above the axis, with its tail's outer corner rounded."""
    shaft, head = style.arrow_shaft, min(style.arrow_head, 0.5)
    low = -style.arrow_gap
    high = low - shaft
    middle = (low + high) / 2
    tail, base, tip = -style.arrow_tail, 0.5 - head * 0.58, 0.5
    bend = np.deg2rad(np.linspace(180, 270, 10))
    reach = min(0.3, base - tail)
    corner = np.stack([tail + reach + reach * np.cos(bend), low + shaft * np.sin(bend)], axis=1)
    wings = np.array([[base, high], [base, middle - head / 2], [tip, middle], [base, middle + head / 2], [base, low]])
    return np.concatenate([[[tail, low]], corner, wings])


def _straight_arrow(shaft: float, head: float) -> Points:
    middle = -0.06 - head / 2 * 0.85
    base = 0.5 - head * 0.6
    half = shaft / 2
    return np.array(
        [
            [-0.5, middle - half],
            [base, middle - half],
            [base, middle - head / 2],
            [0.5, middle],
            [base, middle + head / 2],
            [base, middle + half],
            [-0.5, middle + half],
        ]
    )


def _arc_arrow(shaft: float, head: float, sweep: float, radius: tuple[float, float]) -> Points:
    """Arc above the axis, clockwise, ending in a head."""
    angles = np.deg2rad(np.linspace(180 + 8, 180 + sweep, 24))
    direction = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    size = np.array(radius)
    outer, inner = direction * (size + shaft / 2), direction * (size - shaft / 2)
    along = np.array([-direction[-1, 1], direction[-1, 0]])
    end = direction[-1] * size
    wings = np.array([end + direction[-1] * head / 2, end + along * head * 0.75, end - direction[-1] * head / 2])
    return np.concatenate([outer, wings, inner[::-1]])


def _turning(shaft: float, head: float) -> list[Points]:
    """An arrow that goes up on the right, round and down on the left."""
    arc = _arc_arrow(shaft, head, 180 - 8, (0.3, 0.3))
    leg = np.array(
        [[-0.3 - shaft / 2, -0.02], [-0.3 + shaft / 2, -0.02], [-0.3 + shaft / 2, 0.45], [-0.3 - shaft / 2, 0.45]]
    )
    return [arc, leg]


def _mirrored(parts: list[Points], style: SymbolStyle) -> list[Points]:
    return [part * np.array([-1.0, 1.0]) for part in parts] if style.mirrored else parts


@lru_cache(maxsize=128)
def reverse_mask(style: SymbolStyle) -> Mask:
    """Return a tight mask of the arrows of reverse, uint8 (h, w); treat it as read-only."""
    shaft, head = style.arrow_shaft, style.arrow_head
    match style.reverse:
        case ReverseKind.HOOKS:
            arrow = _hook_arrow(style)
        case ReverseKind.STRAIGHT:
            arrow = _straight_arrow(shaft * 0.8, head * 0.9)
        case ReverseKind.RING:
            arrow = _arc_arrow(shaft * 0.8, head * 0.85, 135, (0.4, 0.4))
        case ReverseKind.SWOOSH:
            arrow = _arc_arrow(shaft * 0.9, head * 0.9, 105, (0.36, 0.46))
        case ReverseKind.LOOP:
            return _mask(
                _mirrored([turned(_arc_arrow(shaft * 0.8, head * 0.85, 320, (0.4, 0.4)), style.reverse_turn)], style)
            )
        case ReverseKind.CROSSED:
            across = _straight_arrow(shaft * 0.7, head * 0.8) - np.array([0.0, _straight_arrow(shaft, head)[3, 1]])
            return _mask(
                [turned(across, 45.0 + style.reverse_turn / 3), turned(across, 135.0 + style.reverse_turn / 3)]
            )
        case ReverseKind.DOUBLE:
            half = _straight_arrow(shaft * 0.9, head)
            half = (half - np.array([0.0, half[3, 1]])) * np.array([0.5, 1.0]) + np.array([0.25, 0.0])
            return _mask([turned(half, style.reverse_turn), turned(-half, style.reverse_turn)])
        case ReverseKind.TURN:
            return _mask(_mirrored(_turning(shaft, head), style))
    if style.mirrored:
        arrow = arrow * np.array([1.0, -1.0])
    parts = [turned(arrow, style.reverse_turn), turned(-arrow, style.reverse_turn)]
    return _mask(parts)


@lru_cache(maxsize=128)
def skip_mask(style: SymbolStyle) -> Mask:
    """Return a tight mask of the barred circle of skip, uint8 (h, w); treat it as read-only."""
    ring = style.ring
    bar = np.array([[-0.5, -ring / 2], [0.5, -ring / 2], [0.5, ring / 2], [-0.5, ring / 2]]) * np.array([0.92, 0.9])
    bar = turned(bar, style.skip_turn)
    disc = ellipse(1, 1)
    if style.skip is SkipKind.BARRED_DISC:
        inner = turned(np.array([[-0.36, -0.1], [0.36, -0.1], [0.36, 0.1], [-0.36, 0.1]]), style.skip_turn)
        return _mask([disc], [inner])
    steps = [(disc, 255), (disc * (1 - 2 * ring), 0), (bar, 255)]
    match style.skip:
        case SkipKind.CROSS:
            steps = [(bar, 255), (turned(bar, 90.0), 255)]
        case SkipKind.CROSSED_RING:
            steps.append((turned(bar, 90.0), 255))
        case SkipKind.BARRED_BOX:
            box = rounded(0.9, 0.9, 0.1)
            steps = [(box, 255), (box * (1 - 2 * ring), 0), (turned(bar, -style.skip_turn - 45.0), 255)]
        case SkipKind.BARRED_OCTAGON:
            octagon = turned(ellipse(1, 1, count=8), 22.5)
            steps = [(octagon, 255), (octagon * (1 - 2 * ring), 0), (bar, 255)]
        case SkipKind.FORWARD:
            wedge = np.array([[-0.45, -0.35], [0.0, 0.0], [-0.45, 0.35]])
            post = np.array([[0.4, -0.35], [0.5, -0.35], [0.5, 0.35], [0.4, 0.35]])
            steps = [(wedge, 255), (wedge + np.array([0.42, 0.0]), 255), (post, 255)]
        case _:
            pass
    mask = np.zeros((2 * _SIDE, 2 * _SIDE), np.uint8)
    for points, value in steps:
        fill(mask, points * _SIDE + _SIDE, value)
    return cropped(mask)


@dataclass(frozen=True)
class LittleCard:
    """A card drawn on a card: centre and height as shares of the symbol's height, turned clockwise by degrees."""

    x: float
    y: float
    height: float
    turn: float
    color: Bgr


def draw_little_cards(
    canvas: Image,
    cards: Sequence[LittleCard],
    center: tuple[float, float],
    size: float,
    style: SymbolStyle,
    paper: Bgr,
    dark: Bgr,
) -> Box:
    """Draw small cards, the first at the bottom, on a BGR canvas around a centre; return the box around them.

    `size` is the symbol's height in pixels.
    """
    boxes = []
    for card in cards:
        tall = card.height * size
        wide = tall * 0.66
        shape = rounded(wide, tall, 0.08 * tall)
        shape[:, 0] -= shape[:, 1] * np.tan(np.deg2rad(style.card_lean))
        shape = turned(shape, card.turn) + np.array([center[0] + card.x * size, center[1] + card.y * size])
        outline, depth = style.card_outline * size, style.card_depth * size
        if depth > 0:
            for step in np.linspace(0, 1, max(2, int(depth / 2))):
                moved = shape + np.array([-step * depth, step * depth])
                stroke(canvas, moved, dark, 2 * outline, True)
                fill(canvas, moved, dark)
        if outline > 0:
            stroke(canvas, shape, dark, 2 * outline, True)
        fill(canvas, shape, paper)
        inner = shape.mean(axis=0) + (shape - shape.mean(axis=0)) * np.array(
            [1 - 2 * style.card_edge * 1.4, 1 - 2 * style.card_edge]
        )
        fill(canvas, inner, card.color)
        (x0, y0), (x1, y1) = shape.min(axis=0) - outline, shape.max(axis=0) + outline
        boxes.append((float(x0), float(y0), float(x1), float(y1)))
    return union(boxes)


def two_cards(style: SymbolStyle, ink: Bgr, paper: Bgr) -> tuple[LittleCard, ...]:
    """Return the small cards of draw two."""
    match style.draw_two:
        case CardsKind.STACK:
            return LittleCard(-0.12, 0.14, 0.7, 0, paper), LittleCard(0.12, -0.14, 0.7, 0, paper)
        case CardsKind.FAN:
            return LittleCard(-0.14, 0.04, 0.85, -16, ink), LittleCard(0.14, 0.04, 0.85, 14, ink)
        case _:
            return LittleCard(-0.15, 0.18, 0.68, 0, ink), LittleCard(0.15, -0.18, 0.68, 0, ink)


def four_cards(style: SymbolStyle, colors: Sequence[Bgr]) -> tuple[LittleCard, ...]:
    """Return the small cards of draw four; `colors` are four, BGR."""
    a, b, c, d = colors
    if style.draw_four is CardsKind.FAN:
        turns = (-36, -12, 12, 36)
        return tuple(
            LittleCard(0.34 * float(np.sin(np.deg2rad(t))), 0.1 - 0.22 * float(np.cos(np.deg2rad(t))), 0.7, t, color)
            for t, color in zip(turns, (a, b, c, d), strict=True)
        )
    if style.draw_four_stairs:
        return (
            LittleCard(0.36, -0.24, 0.44, 0, a),
            LittleCard(-0.08, -0.1, 0.44, 0, b),
            LittleCard(-0.34, 0.26, 0.44, 0, c),
            LittleCard(0.12, 0.08, 0.44, 0, d),
        )
    return (
        LittleCard(0.02, -0.25, 0.5, 0, a),
        LittleCard(0.2, -0.03, 0.5, 0, b),
        LittleCard(-0.04, 0.25, 0.5, 0, c),
        LittleCard(-0.22, 0.04, 0.5, 0, d),
    )


def sample_symbols(rng: np.random.Generator, white: bool) -> SymbolStyle:
    """Sample how action cards look; `white`: whether signs in the middle are white."""
    shaft = float(rng.uniform(0.14, 0.25))
    return SymbolStyle(
        reverse=pick(
            rng,
            [
                (ReverseKind.HOOKS, 0.55),
                (ReverseKind.STRAIGHT, 0.17),
                (ReverseKind.RING, 0.18),
                (ReverseKind.SWOOSH, 0.12),
            ],
        ),
        reverse_turn=pick(rng, [(-45.0, 0.6), (-60.0, 0.2), (-90.0, 0.1), (0.0, 0.1)]) + float(rng.normal(0, 5)),
        arrow_shaft=shaft,
        arrow_head=shaft * float(rng.uniform(1.8, 2.7)),
        arrow_gap=float(rng.uniform(0.005, 0.055)),
        arrow_tail=float(rng.uniform(-0.04, 0.2)),
        mirrored=chance(rng, 0.25),
        scale=float(rng.uniform(0.78, 1.12)),
        skip=pick(rng, [(SkipKind.BARRED_RING, 0.93), (SkipKind.BARRED_DISC, 0.07)]),
        skip_turn=pick(rng, [(-45.0, 0.75), (45.0, 0.12), (-70.0, 0.06), (0.0, 0.07)]) + float(rng.normal(0, 5)),
        ring=float(rng.uniform(0.1, 0.2)),
        draw_two=pick(
            rng,
            [
                (CardsKind.STACK, 0.5 if white else 0.12),
                (CardsKind.SLANTED, 0.25 if white else 0.6),
                (CardsKind.FAN, 0.08),
                (CardsKind.TEXT, 0.1),
                (CardsKind.CARDS_AND_TEXT, 0.07),
            ],
        ),
        draw_four=pick(
            rng,
            [(CardsKind.SLANTED, 0.7), (CardsKind.FAN, 0.1), (CardsKind.TEXT, 0.1), (CardsKind.CARDS_AND_TEXT, 0.1)],
        ),
        draw_four_stairs=chance(rng, 0.4),
        card_lean=float(rng.uniform(8, 24)) if not white or chance(rng, 0.4) else 0.0,
        card_edge=float(rng.uniform(0.03, 0.1)),
        card_outline=float(rng.uniform(0.01, 0.03)),
        card_depth=float(rng.uniform(0, 0.08)),
    )


def sample_odd_symbols(rng: np.random.Generator, white: bool) -> SymbolStyle:
    """Sample how action cards look, without conventions."""
    return replace(
        sample_symbols(rng, white),
        reverse=pick(rng, [(kind, 1.0) for kind in ReverseKind]),
        skip=pick(rng, [(kind, 3.0 if kind is SkipKind.BARRED_RING else 1.0) for kind in SkipKind]),
        arrow_shaft=float(rng.uniform(0.06, 0.24)),
        ring=float(rng.uniform(0.05, 0.2)),
        draw_two=pick(rng, [(kind, 2.0 if kind is CardsKind.TEXT else 1.0) for kind in CardsKind]),
        draw_four=pick(rng, [(kind, 2.0 if kind is CardsKind.TEXT else 1.0) for kind in CardsKind]),
    )
