"""Pictures from edge to edge: paintings, stained glass, scenes, and crops of given pictures.

A picture is BGR uint8 (H, W, 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist.drawing import scenery
from companion.dataset.artist.drawing.ink import Bgr, mix, stroke
from companion.dataset.artist.drawing.palette import hsv
from companion.vision.core.geometry import Image

_PICTURE_SIDE = 512
"""Maximum longer side in pixels of given pictures: about the resolution of a card in a scene."""


def _colors(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Harmonious colours (count, 3): a few hues, from dark to light."""
    hue, spread = rng.uniform(0, 360), float(rng.choice([15.0, 50.0, 150.0]))
    rows = [
        hsv(hue + rng.normal(0, spread), rng.uniform(0.05, 0.9), value)
        for value in np.linspace(rng.uniform(0.05, 0.5), rng.uniform(0.6, 1.0), count)
    ]
    return np.array(rows, np.float32)


def noise(rng: np.random.Generator, height: int, width: int, cells: float, octaves: int = 4) -> NDArray[np.float32]:
    """Return (height, width) fractal noise in 0..1; its largest features are 1/`cells` of the height."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        rows = max(2, round(cells * 2**octave))
        grid = rng.random((rows, max(2, round(rows * width / height))), dtype=np.float32)
        total += cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC) / 2**octave
    low, high = float(total.min()), float(total.max())
    return np.asarray((total - low) / max(high - low, 1e-6), np.float32)


def _toned(field: NDArray[np.float32], colors: NDArray[np.float32]) -> Image:
    """Map a field in 0..1 to colours by a ramp."""
    ramp = cv2.resize(colors[None], (256, 1), interpolation=cv2.INTER_LINEAR)[0].clip(0, 255).astype(np.uint8)
    return np.asarray(ramp[(field * 255).astype(np.uint8)], np.uint8)


def _clouds(rng: np.random.Generator, height: int, width: int) -> Image:
    field = noise(rng, height, width, rng.uniform(1.5, 6), int(rng.integers(2, 6)))
    if rng.random() < 0.4:  # Marble: the noise distorts a wave.
        field = 0.5 + 0.5 * np.sin(field * rng.uniform(8, 30))
    return _toned(field.astype(np.float32), _colors(rng, int(rng.integers(3, 7))))


def _brushed(rng: np.random.Generator, height: int, width: int) -> Image:
    """A painting in short broad strokes."""
    under = _clouds(rng, height, width) if rng.random() < 0.5 else _scene(rng, height, width)
    canvas: Image = np.asarray(cv2.GaussianBlur(under, (0, 0), width * 0.02), np.uint8)
    length = width * rng.uniform(0.04, 0.14)
    turn = noise(rng, height, width, 3, 2) * 2 * np.pi
    for x, y in rng.uniform((0, 0), (width, height), (int(rng.integers(150, 500)), 2)):
        column, row = min(int(x), width - 1), min(int(y), height - 1)
        color = np.clip(under[row, column] + rng.normal(0, 14, 3), 0, 255)
        along = np.array([np.cos(turn[row, column]), np.sin(turn[row, column])]) * length * rng.uniform(0.4, 1)
        ends = np.array([[x, y], [x, y]]) + np.array([along, -along]) / 2
        stroke(canvas, ends, color.tolist(), length * rng.uniform(0.15, 0.4), False)
    return canvas


def _glass(rng: np.random.Generator, height: int, width: int) -> Image:
    """Voronoi cells in random colours, often with lines between."""
    seeds = np.full((height // 2, width // 2), 255, np.uint8)
    count = int(rng.integers(12, 90))
    seeds[rng.integers(0, seeds.shape[0], count), rng.integers(0, seeds.shape[1], count)] = 0
    _, cells = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    colors = _colors(rng, 8)[rng.integers(0, 8, int(cells.max()) + 1)] + rng.normal(0, 12, (int(cells.max()) + 1, 1))
    picture = np.clip(colors[cells], 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        edges = cv2.morphologyEx(cells.astype(np.float32), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
        picture[edges] = (20, 20, 20) if rng.random() < 0.7 else (235, 235, 235)
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def _scene(rng: np.random.Generator, height: int, width: int) -> Image:
    canvas = np.empty((height, width, 3), np.uint8)
    ground = hsv(rng.uniform(0, 360), rng.uniform(0.05, 0.8), rng.uniform(0.2, 1.0))
    scenery.draw_scenery(canvas, ground, rng)
    if rng.random() < 0.5:
        scenery.add_subject(canvas, rng)
    if rng.random() < 0.6:
        shade = 0.7 + 0.6 * noise(rng, height, width, 2, 5)
        canvas = np.clip(canvas * shade[..., None], 0, 255).astype(np.uint8)
    return canvas


def _shapes(rng: np.random.Generator, height: int, width: int) -> Image:
    """A gradient with plain shapes, as vector art has it."""
    colors = _colors(rng, 5)
    top, bottom = ((int(b), int(g), int(r)) for b, g, r in colors[[1, 3]])
    canvas = np.empty((height, width, 3), np.uint8)
    scenery.gradient(canvas, top, bottom)
    tones = [(int(b), int(g), int(r)) for b, g, r in colors]
    for _ in range(int(rng.integers(1, 4))):
        scenery.patches(canvas, tones, tones, rng)
    return canvas


def layered(rng: np.random.Generator, height: int, width: int) -> Image:
    """Return silhouettes one before another in flat colours, as on a printed poster."""
    colors = _colors(rng, 6)[::-1]
    canvas = np.empty((height, width, 3), np.uint8)
    canvas[:] = colors[0].astype(np.uint8)
    spot = (int(rng.uniform(0.2, 0.8) * width), int(rng.uniform(0.15, 0.45) * height))
    cv2.circle(canvas, spot, int(width * rng.uniform(0.08, 0.25)), colors[1].tolist(), cv2.FILLED)
    columns = np.arange(width)
    for layer, color in enumerate(colors[1:]):
        skyline = noise(rng, 2, width, 1.0, 1)[0] * 0.25 + noise(rng, 8, width, rng.uniform(2, 6), 3)[3] * 0.2
        top = ((0.3 + 0.13 * layer - 0.2 + skyline) * height).astype(int)
        canvas[np.arange(height)[:, None] >= top[columns][None, :]] = color.astype(np.uint8)
    return canvas


@lru_cache(maxsize=256)
def _kept(path: str) -> Image | None:
    picture = cv2.imread(path, cv2.IMREAD_COLOR)
    if picture is None:
        return None
    scale = min(1.0, _PICTURE_SIDE / max(picture.shape[:2]))
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _view(rng: np.random.Generator, height: int, width: int, files: Sequence[str]) -> Image:
    """A crop of one of the given pictures with other hue and contrast."""
    picture = _kept(files[int(rng.integers(len(files)))])
    if picture is None:
        return _clouds(rng, height, width)
    tall = int(picture.shape[0] * rng.uniform(0.4, 1.0))
    wide = min(int(tall * width / height), picture.shape[1])
    y, x = (int(rng.integers(0, size + 1)) for size in (picture.shape[0] - tall, picture.shape[1] - wide))
    part = cv2.resize(picture[y : y + tall, x : x + wide], (width, height), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.6:
        shifted = cv2.cvtColor(part, cv2.COLOR_BGR2HSV)
        shifted[..., 0] = (shifted[..., 0].astype(int) + int(rng.integers(180))) % 180
        shifted[..., 1] = np.clip(shifted[..., 1] * rng.uniform(0.5, 2.0), 0, 255)
        part = cv2.cvtColor(shifted, cv2.COLOR_HSV2BGR)
    low, gain = rng.uniform(-30, 30), rng.uniform(0.7, 1.6)
    return np.asarray(cv2.convertScaleAbs(part, alpha=gain, beta=low if low > 0 else 0), np.uint8)


_PAINTERS: tuple[Callable[[np.random.Generator, int, int], Image], ...] = (_clouds, _brushed, _glass, _scene, _shapes)


def paint(canvas: Image, rng: np.random.Generator, files: Sequence[str]) -> None:
    """Cover a canvas with a random picture; some are cropped from `files`."""
    height, width = canvas.shape[0] // 2, canvas.shape[1] // 2
    if files and rng.random() < 0.45:
        picture = _view(rng, height, width, files)
        if rng.random() < 0.4:
            scenery.add_subject(picture, rng)
    else:
        picture = _PAINTERS[int(rng.integers(len(_PAINTERS)))](rng, height, width)
    canvas[:] = cv2.resize(picture, canvas.shape[1::-1], interpolation=cv2.INTER_LINEAR)


def tinted(canvas: Image, ink: Bgr, share: float) -> None:
    """Tint a canvas in place towards one ink, dark to light; `share` from 0 to 1."""
    ramp = np.array([mix(ink, (0, 0, 0), 0.75), ink, mix(ink, (255, 255, 255), 0.6)], np.float32)
    grey = np.asarray(cv2.cvtColor(canvas, cv2.COLOR_BGR2GRAY), np.float32) / np.float32(255)
    canvas[:] = cv2.addWeighted(canvas, 1 - share, _toned(grey, ramp), share, 0)


def grained(canvas: Image, rng: np.random.Generator, amount: float) -> None:
    """Add the uneven tone of old paper or a board to a canvas in place; `amount` from 0 to 1."""
    height, width = canvas.shape[:2]
    tone = noise(rng, height // 2, width // 2, rng.uniform(2, 8), 5)
    shade = np.asarray(cv2.resize(1 - amount * (tone - 0.3), (width, height)), np.float32)
    canvas[:] = np.clip(canvas * shade[..., None], 0, 255).astype(np.uint8)


def wobbled(image: Image, seed: int, amount: float) -> Image:
    """Return a picture as drawn by an unsteady hand: points are displaced by up to about `amount` of its height."""
    height, width = image.shape[:2]
    rng = np.random.default_rng([seed, 7])
    cells = rng.uniform(7, 16)
    shift = [(noise(rng, height // 4, width // 4, cells, 2) - 0.5) * 2 * amount * height for _ in range(2)]
    x, y = (cv2.resize(part, (width, height)) for part in shift)
    map_x = np.arange(width, dtype=np.float32)[None, :] + x
    map_y = np.arange(height, dtype=np.float32)[:, None] + y
    return np.asarray(cv2.remap(image, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)
