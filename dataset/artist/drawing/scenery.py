"""Picture-like art for the middle of cards: invented landscapes, figures, machines and patterns.

Everything is drawn on a BGR canvas (H, W, 3) in place; sizes follow the canvas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from companion.dataset.artist.drawing.chance import chance
from companion.dataset.artist.drawing.ink import Bgr, Points, ellipse, fill, mix, rounded, stroke, turned
from companion.dataset.artist.drawing.palette import hsv
from companion.vision.core.geometry import Image


def _any_color(rng: np.random.Generator, vivid: bool = True) -> Bgr:
    return hsv(rng.uniform(0, 360), rng.uniform(0.4 if vivid else 0.05, 1.0 if vivid else 0.5), rng.uniform(0.35, 1.0))


def gradient(canvas: Image, top: Bgr, bottom: Bgr) -> None:
    """Fill the canvas with a gradient from top to bottom."""
    ramp = np.linspace(np.array(top, np.float32), np.array(bottom, np.float32), canvas.shape[0])
    canvas[:] = cv2.resize(ramp.astype(np.uint8)[:, None, :], canvas.shape[1::-1], interpolation=cv2.INTER_NEAREST)


def rays(canvas: Image, center: tuple[float, float], color: Bgr, count: int, share: float, turn: float) -> None:
    """Draw rays from a centre to beyond the rim; `share` is the part of the full circle that they cover."""
    reach = float(np.hypot(*canvas.shape[:2])) * 1.1
    middle = np.array(center)
    for index in range(count):
        start = turn + index * 360 / count
        angles = np.deg2rad([start, start + 360 / count * share])
        fan = np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach
        fill(canvas, np.vstack([middle, middle + fan]), color)


def dots(canvas: Image, color: Bgr, pitch: float) -> None:
    """Draw halftone dots, growing from top to bottom."""
    height, width = canvas.shape[:2]
    rows = int(height / pitch) + 1
    for row in range(rows):
        radius = pitch * 0.45 * (row + 1) / rows
        for column in range(int(width / pitch) + 2):
            x = (column + 0.5 * (row % 2)) * pitch
            cv2.circle(canvas, (int(x), int(row * pitch)), max(1, int(radius)), color, cv2.FILLED)


def stripes(canvas: Image, color: Bgr, pitch: float, turn: float) -> None:
    """Draw fine parallel lines, `pitch` pixels apart, turned clockwise by some degrees from upright."""
    height, width = canvas.shape[:2]
    reach = float(np.hypot(height, width)) / 2
    for offset in np.arange(-reach, reach, pitch):
        line = turned(np.array([[offset, -reach], [offset, reach]]), turn) + np.array([width / 2, height / 2])
        stroke(canvas, line, color, pitch / 5, False)


def facets(canvas: Image, ink: Bgr, rng: np.random.Generator) -> None:
    """Fill the canvas with triangles in lighter and darker shades of a colour."""
    height, width = canvas.shape[:2]
    columns = int(rng.integers(4, 9))
    rows = round(columns * height / width)
    xs, ys = np.meshgrid(np.linspace(0, width, columns + 1), np.linspace(0, height, rows + 1))
    knots = np.stack([xs, ys], axis=2)
    knots[1:-1, 1:-1] += rng.uniform(-0.35, 0.35, (rows - 1, columns - 1, 2)) * width / columns
    for row in range(rows):
        for column in range(columns):
            a, b = knots[row, column], knots[row, column + 1]
            c, d = knots[row + 1, column + 1], knots[row + 1, column]
            for triangle in ((a, b, c), (a, c, d)):
                ground = (255, 255, 255) if chance(rng, 0.5) else (0, 0, 0)
                fill(canvas, np.array(triangle), mix(ink, ground, float(rng.uniform(0.0, 0.3))))


def patches(canvas: Image, cuts: Sequence[Bgr], blots: Sequence[Bgr], rng: np.random.Generator) -> None:
    """Draw random plain shapes over the canvas: half planes, blots and triangles."""
    height, width = canvas.shape[:2]
    for _ in range(int(rng.integers(1, 7))):
        center = rng.uniform((0, 0), (width, height))
        if rng.random() < 0.3:
            angle = rng.uniform(0, 360)
            half = turned(np.array([[0, -2], [2, -2], [2, 2], [0, 2]], np.float64) * height, angle)
            fill(canvas, half + center, cuts[int(rng.integers(len(cuts)))])
        else:
            color = blots[int(rng.integers(len(blots)))]
            fill(canvas, blot(rng) * rng.uniform(0.2, 0.9) * width + center, color)


def blot(rng: np.random.Generator) -> Points:
    """Return points of an irregular shape, about 1 across, around the origin, with three to twelve corners."""
    count = int(rng.integers(3, 13))
    angles = np.sort(rng.uniform(0, 2 * np.pi, count)) if count > 4 else np.linspace(0, 2 * np.pi, count + 1)[:-1]
    radii = rng.uniform(0.35, 0.65, count)
    points = np.stack([np.cos(angles) * radii, np.sin(angles) * radii], axis=1)
    return turned(points, rng.uniform(0, 360))


def star(points: int, inner: float, turn: float = 0.0) -> Points:
    """Return points of a star of diameter 1 around the origin; `inner` is its inner radius as a share of the outer."""
    angles = np.linspace(0, 2 * np.pi, 2 * points, endpoint=False) + np.deg2rad(turn) - np.pi / 2
    radii = np.where(np.arange(2 * points) % 2 == 0, 0.5, 0.5 * inner)
    return np.stack([np.cos(angles) * radii, np.sin(angles) * radii], axis=1)


def _hills(canvas: Image, rng: np.random.Generator) -> None:
    height, width = canvas.shape[:2]
    base = hsv(rng.uniform(60, 170), rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.9))
    for layer in range(int(rng.integers(1, 4))):
        xs = np.linspace(0, width, 24)
        level = height * (0.5 + 0.15 * layer + rng.uniform(-0.05, 0.1))
        ys = level + height * rng.uniform(0.02, 0.12) * np.sin(xs / width * rng.uniform(3, 12) + rng.uniform(0, 6))
        ridge = np.stack([xs, ys], axis=1)
        fill(canvas, np.vstack([ridge, [[width, height], [0, height]]]), mix(base, (20, 20, 20), 0.2 * layer))


def _clouds(canvas: Image, rng: np.random.Generator) -> None:
    height, width = canvas.shape[:2]
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(0, width), rng.uniform(0, 0.4 * height)
        for _ in range(4):
            size = width * rng.uniform(0.08, 0.2)
            shape = ellipse(size * 1.4, size, count=24) + np.array([x + rng.uniform(-1, 1) * size, y])
            fill(canvas, shape, (250, 246, 240))


def _buildings(canvas: Image, rng: np.random.Generator) -> None:
    height, width = canvas.shape[:2]
    color = _any_color(rng, False)
    x = 0.0
    while x < width:
        wide, tall = width * rng.uniform(0.08, 0.22), height * rng.uniform(0.15, 0.5)
        cv2.rectangle(canvas, (int(x), int(height * 0.8 - tall)), (int(x + wide), height), color, cv2.FILLED)
        for row in range(3):
            y = int(height * 0.8 - tall * (0.85 - 0.25 * row))
            cv2.rectangle(canvas, (int(x + wide * 0.3), y), (int(x + wide * 0.6), y + 8), (120, 230, 250), cv2.FILLED)
        x += wide * rng.uniform(1.0, 1.4)


class _Figure:
    """Draws outlined shapes given in shares of a figure's height around its centre."""

    def __init__(self, canvas: Image, rng: np.random.Generator, spread: float) -> None:
        height, width = canvas.shape[:2]
        self.canvas = canvas
        self.size = height * rng.uniform(0.4, 0.75)
        self.center = np.array([width * rng.uniform(0.5 - spread, 0.5 + spread), height * rng.uniform(0.42, 0.6)])
        self.line = rng.choice([0.0, 0.012, 0.02])
        self.angle = np.deg2rad(rng.uniform(-18, 18))

    def shape(self, points: Points, color: Bgr) -> None:
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        placed = points @ np.array([[cos, sin], [-sin, cos]]) * self.size + self.center
        fill(self.canvas, placed, color)
        if self.line:
            stroke(self.canvas, placed, (28, 22, 22), self.line * self.size, True)

    def oval(self, x: float, y: float, wide: float, tall: float, color: Bgr) -> None:
        self.shape(ellipse(wide, tall, count=30) + np.array([x, y]), color)


def _person(canvas: Image, rng: np.random.Generator) -> None:
    figure = _Figure(canvas, rng, 0.12)
    skin = hsv(rng.uniform(15, 35), rng.uniform(0.25, 0.6), rng.uniform(0.4, 1.0))
    cloth, second, dark = _any_color(rng), _any_color(rng), (30, 24, 24)
    for side in (-1, 1):
        figure.shape(rounded(0.12, 0.34, 0.05) + np.array([side * 0.09, 0.4]), second)
        figure.oval(side * 0.12, 0.56, 0.2, 0.1, dark)
        reach = rng.uniform(-0.28, 0.2)
        arm = np.array([[side * 0.12, -0.05], [side * 0.36, reach], [side * 0.36, reach + 0.1], [side * 0.12, 0.1]])
        figure.shape(arm, cloth)
        figure.oval(side * 0.38, reach + 0.04, 0.12, 0.12, _any_color(rng) if rng.random() < 0.4 else skin)
    figure.shape(rounded(0.36, 0.46, 0.12) + np.array([0, 0.12]), cloth)
    figure.oval(0, -0.3, 0.42, 0.42, skin)
    _head(figure, rng, skin)


def _head(figure: _Figure, rng: np.random.Generator, skin: Bgr) -> None:
    hat = _any_color(rng)
    match int(rng.integers(4)):
        case 0:
            cap = _half_disc(0.46, 0.26) + np.array([0, -0.36])
            figure.shape(cap, hat)
            figure.shape(rounded(0.34, 0.07, 0.03) + np.array([0.16, -0.36]), hat)
        case 1:
            figure.shape(star(9, 0.6) * 0.55 + np.array([0, -0.42]), hat)
            figure.oval(0, -0.28, 0.36, 0.34, skin)
        case 2:
            for side in (-1, 1):
                ear = np.array([[side * 0.05, -0.46], [side * 0.2, -0.62], [side * 0.22, -0.36]])
                figure.shape(ear, skin)
        case _:
            figure.shape(
                np.array([[-0.22, -0.44], [-0.2, -0.62], [0, -0.5], [0.2, -0.62], [0.22, -0.44]]), (50, 210, 250)
            )
    for side in (-1, 1):
        figure.oval(side * 0.085, -0.31, 0.09, 0.13, (252, 252, 252))
        figure.oval(side * 0.075, -0.3, 0.045, 0.075, (30, 24, 24))
    if rng.random() < 0.5:
        figure.oval(0, -0.22, 0.12, 0.09, mix(skin, (60, 60, 220), 0.3))
    figure.shape(-_half_disc(0.18, 0.06) + np.array([0, -0.19]), (40, 30, 90))


def _half_disc(wide: float, tall: float) -> Points:
    angles = np.linspace(np.pi, 2 * np.pi, 16)
    return np.stack([np.cos(angles) * wide / 2, np.sin(angles) * tall], axis=1)


def _vehicle(canvas: Image, rng: np.random.Generator) -> None:
    figure = _Figure(canvas, rng, 0.05)
    body, trim = _any_color(rng), _any_color(rng)
    figure.size *= 0.75
    figure.shape(
        np.array([[-0.55, 0.2], [-0.5, 0.0], [-0.1, -0.06], [0.4, 0.02], [0.6, 0.2], [0.5, 0.3], [-0.5, 0.3]]), body
    )
    figure.oval(-0.08, -0.2, 0.28, 0.3, hsv(rng.uniform(15, 35), 0.45, 0.95))
    figure.shape(_half_disc(0.32, 0.2) + np.array([-0.08, -0.22]), trim)
    for x in (-0.36, 0.36):
        figure.oval(x, 0.3, 0.28, 0.28, (34, 30, 30))
        figure.oval(x, 0.3, 0.13, 0.13, (200, 200, 205))


def _animal(canvas: Image, rng: np.random.Generator) -> None:
    figure = _Figure(canvas, rng, 0.08)
    coat, belly = _any_color(rng), _any_color(rng, False)
    figure.oval(0, 0.22, 0.5, 0.5, coat)
    figure.oval(0, 0.26, 0.3, 0.34, belly)
    for side in (-1, 1):
        figure.oval(side * 0.2, 0.46, 0.2, 0.1, coat)
        figure.oval(side * 0.2, -0.38, 0.14, 0.14 + rng.uniform(0, 0.25), coat)
    figure.oval(0, -0.16, 0.5, 0.42, coat)
    for side in (-1, 1):
        figure.oval(side * 0.11, -0.2, 0.12, 0.14, (252, 252, 252))
        figure.oval(side * 0.1, -0.19, 0.06, 0.08, (20, 16, 16))
    figure.oval(0, -0.07, 0.22, 0.13, belly)
    figure.oval(0, -0.1, 0.08, 0.05, (30, 24, 30))


def _emblem(canvas: Image, rng: np.random.Generator) -> None:
    height, width = canvas.shape[:2]
    center = np.array([width / 2, height / 2])
    size = width * rng.uniform(0.5, 0.95)
    for ring in range(int(rng.integers(1, 4))):
        points = int(rng.integers(3, 12))
        shape = star(points, rng.uniform(0.4, 0.95), rng.uniform(0, 90)) * size * (1 - 0.25 * ring) + center
        fill(canvas, shape, _any_color(rng))


def _jumble(canvas: Image, rng: np.random.Generator) -> None:
    height, width = canvas.shape[:2]
    for _ in range(int(rng.integers(8, 24))):
        center = np.array([rng.uniform(0, width), rng.uniform(0.1 * height, 0.9 * height)])
        size = width * rng.uniform(0.08, 0.4)
        match int(rng.integers(3)):
            case 0:
                shape = ellipse(size, size * rng.uniform(0.4, 1.2), rng.uniform(0, 180), count=24)
            case 1:
                shape = star(int(rng.integers(3, 7)), rng.uniform(0.4, 0.9), rng.uniform(0, 90)) * size
            case _:
                shape = rounded(size, size * rng.uniform(0.2, 1.0), size * 0.05)
        fill(canvas, shape + center, _any_color(rng))


_SUBJECTS: tuple[Callable[[Image, np.random.Generator], None], ...] = (
    _person,
    _person,
    _person,
    _vehicle,
    _animal,
    _animal,
    _emblem,
    _jumble,
)


def draw_scenery(canvas: Image, ink: Bgr, rng: np.random.Generator) -> None:
    """Draw a picture over the whole canvas, its ground mostly in the card's ink."""
    height, width = canvas.shape[:2]
    middle = (width * rng.uniform(0.3, 0.7), height * rng.uniform(0.35, 0.65))
    if rng.random() < 0.75:
        gradient(canvas, mix(ink, (255, 255, 255), rng.uniform(0, 0.35)), mix(ink, (0, 0, 0), rng.uniform(0, 0.35)))
    else:
        canvas[:] = ink
    draw = rng.random()
    if draw < 0.3:
        rays(canvas, middle, mix(ink, (255, 255, 255), rng.uniform(0.1, 0.4)), int(rng.integers(7, 20)), 0.5, 0.0)
    elif draw < 0.45:
        dots(canvas, mix(ink, (0, 0, 0), 0.25), width / rng.uniform(9, 18))
    elif draw < 0.65:
        _hills(canvas, rng)
    elif draw < 0.78:
        _buildings(canvas, rng)
    if rng.random() < 0.25:
        _clouds(canvas, rng)
    add_subject(canvas, rng)


def add_subject(canvas: Image, rng: np.random.Generator) -> None:
    """Draw a figure, a machine or a pattern over what the canvas shows."""
    _SUBJECTS[int(rng.integers(len(_SUBJECTS)))](canvas, rng)


def draw_pixels(canvas: Image, ink: Bgr, rng: np.random.Generator) -> None:
    """Draw blocky ground and a blocky figure over the whole canvas."""
    height, width = canvas.shape[:2]
    columns = int(rng.integers(10, 18))
    rows = round(columns * height / width)
    noise = rng.uniform(0.82, 1.12, (rows, columns, 1))
    grid = np.clip(np.array(ink) * noise, 0, 255)
    if rng.random() < 0.6:
        level = int(rows * rng.uniform(0.6, 0.8))
        soil = np.array(hsv(rng.uniform(20, 40), 0.6, 0.5)) * rng.uniform(0.75, 1.1, (rows - level, columns, 1))
        grid[level:] = np.clip(soil, 0, 255)
        grid[level] = np.array(hsv(rng.uniform(80, 130), 0.65, 0.65))
    wide, tall = columns // 2, int(rows * 0.55)
    half = (wide + 1) // 2
    left, top = (columns - wide) // 2, int(rows * 0.2)
    palette = np.array([_any_color(rng), _any_color(rng), _any_color(rng, False), (30, 30, 30)])
    cells = rng.integers(0, 4, (tall, half))
    solid = rng.random((tall, half)) < np.linspace(0.55, 0.95, half)[None, :]
    for row in range(tall):
        for column in range(half):
            if solid[row, column]:
                color = palette[cells[row // 2, column]]
                grid[top + row, left + column] = color
                grid[top + row, left + wide - 1 - column] = color
    canvas[:] = cv2.resize(grid.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
