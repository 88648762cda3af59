"""Table tops: drawn textures, or crops from a folder of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}


def list_pictures(folder: Path) -> list[Path]:
    """Return the picture files anywhere under `folder`, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES)


def smooth_noise(rng: np.random.Generator, height: int, width: int, cells: float) -> NDArray[np.float32]:
    """Return (height, width) float32 noise in about -1..1 whose features are 1/`cells` of the longer side."""
    scale = cells / max(height, width)
    coarse = rng.uniform(-1, 1, (max(2, round(height * scale) + 1), max(2, round(width * scale) + 1)))
    smooth = cv2.resize(coarse.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(smooth, np.float32)


def _tint(rng: np.random.Generator) -> NDArray[np.float32]:
    """Return a random BGR colour, favouring the browns, greys, blacks and whites of furniture."""
    kind = rng.random()
    if kind < 0.35:
        hsv = (rng.uniform(8, 22), rng.uniform(40, 170), rng.uniform(50, 230))
    elif kind < 0.7:
        hsv = (rng.uniform(0, 180), rng.uniform(0, 40), rng.choice([rng.uniform(5, 60), rng.uniform(60, 250)]))
    else:
        hsv = (rng.uniform(0, 180), rng.uniform(50, 255), rng.uniform(30, 255))
    bgr = cv2.cvtColor(np.array([[hsv]], np.uint8), cv2.COLOR_HSV2BGR)
    return np.asarray(bgr[0, 0], np.float32)


def _plain(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    return np.full((size, size, 3), _tint(rng), np.float32)


def _wood(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    x = np.mgrid[0:size, 0:size][1].astype(np.float32) / size
    warp = smooth_noise(rng, size, size, rng.uniform(1, 4)) * rng.uniform(0.02, 0.12)
    rings = np.sin((x + warp) * rng.uniform(20, 160) + 4 * smooth_noise(rng, size, size, 3))
    grain = cv2.resize(rng.normal(0, 1, (size // 64, size)).astype(np.float32), (size, size))
    tone = 1 + rng.uniform(0.03, 0.2) * rings + rng.uniform(0.02, 0.1) * grain
    image = _tint(rng) * tone[..., None]
    if rng.random() < 0.5:
        planks = int(rng.integers(2, 9))
        board = np.floor(x * planks).astype(int)
        image = image * rng.uniform(0.75, 1.15, planks + 1).astype(np.float32)[board][..., None]
        image[np.abs(x * planks - np.round(x * planks)) < 0.012] *= 0.55
    return np.asarray(image, np.float32)


def _cloth(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    period = rng.uniform(3, 14)
    weave = np.sin(x * 2 * np.pi / period) * np.sin(y * 2 * np.pi / period)
    folds = smooth_noise(rng, size, size, rng.uniform(2, 6))
    tone = 1 + rng.uniform(0.02, 0.2) * weave + rng.uniform(0, 0.2) * folds
    return np.asarray(_tint(rng) * tone[..., None], np.float32)


def _speckled(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    noise = sum(smooth_noise(rng, size, size, cells) / np.sqrt(cells) for cells in (6, 24, 96, 320))
    blend = np.clip(0.5 + np.asarray(noise) * rng.uniform(0.5, 3), 0, 1)[..., None]
    return np.asarray(_tint(rng) * blend + _tint(rng) * (1 - blend), np.float32)


def _printed(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    """A busy printed cloth: leaves, dots, stripes and rings in a few colours."""
    inks = [_tint(rng).tolist() for _ in range(int(rng.integers(2, 6)))]
    image = np.full((size, size, 3), inks[0], np.float32)
    reach = size * rng.uniform(0.01, 0.12)
    kind = rng.integers(0, 4)
    for _ in range(int(rng.integers(40, 260))):
        center = tuple(int(v) for v in rng.uniform(0, size, 2))
        ink = inks[int(rng.integers(1, len(inks)))]
        angle = float(rng.uniform(0, 360))
        if kind == 0:
            cv2.ellipse(image, center, (int(reach), int(reach * 0.3) + 1), angle, 0, 360, ink, -1, cv2.LINE_AA)
        elif kind == 1:
            cv2.circle(image, center, int(reach * rng.uniform(0.3, 1)) + 1, ink, int(rng.choice([-1, 3])), cv2.LINE_AA)
        elif kind == 2:
            box = cv2.boxPoints((center, (reach * 2, reach * rng.uniform(0.2, 2)), angle))
            cv2.fillPoly(image, [box.astype(np.int32)], ink, cv2.LINE_AA)
        else:
            far = (center[0] + int(rng.normal(0, reach * 6)), center[1] + int(rng.normal(0, reach * 6)))
            cv2.line(image, center, far, ink, int(rng.integers(1, 12)), cv2.LINE_AA)
    return image


def _tiled(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    image = _speckled(rng, size)
    pitch, joint = int(rng.integers(size // 14, size // 3)), int(rng.integers(2, 9))
    grout = _tint(rng)
    for start in range(int(rng.integers(0, pitch)), size, pitch):
        image[start : start + joint] = grout
        image[:, start : start + joint] = grout
    return image


def _parquet(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    """Short boards, laid crosswise square by square."""
    y, x = np.mgrid[0:size, 0:size]
    square, boards = int(rng.integers(size // 8, size // 3)), int(rng.integers(3, 7))
    crosswise = (x // square + y // square) % 2 == 0
    across = np.where(crosswise, x, y) % square * boards / square
    board = np.floor(across).astype(int) + boards * (x // square + size * (y // square))
    shades = rng.uniform(0.75, 1.15, 997).astype(np.float32)[board % 997]
    grain = cv2.resize(rng.normal(1, 0.06, (size // 24, size)).astype(np.float32), (size, size))
    image = _tint(rng) * (shades * np.where(crosswise, grain, grain.T))[..., None]
    image[np.abs(across - np.round(across)) < 0.04] *= 0.6
    return np.asarray(image, np.float32)


def _checked(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    """A woven cloth with stripes of one colour both ways."""
    pitch, share = int(rng.integers(size // 24, size // 6)), rng.uniform(0.3, 0.6)
    stripe = (np.arange(size) % pitch < share * pitch).astype(np.float32)
    blend = 0.5 * (stripe[:, None] + stripe[None, :])[..., None]
    weave = 1 + 0.05 * np.sin(np.arange(size)[:, None] * 1.9) * np.sin(np.arange(size)[None, :] * 1.9)
    image = (_tint(rng) * blend + np.float32(rng.uniform(190, 250)) * (1 - blend)) * weave[..., None]
    return np.asarray(image, np.float32)


def _terrazzo(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    """Angular chips of stone in a smooth ground."""
    image = np.full((size, size, 3), _tint(rng), np.float32)
    inks = [_tint(rng).tolist() for _ in range(int(rng.integers(3, 6)))]
    for _ in range(int(rng.integers(200, 700))):
        angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(4, 8))))
        radii = size * rng.uniform(0.004, 0.025) * rng.uniform(0.6, 1.2, angles.size)
        chip = rng.uniform(0, size, 2) + np.stack([np.cos(angles), np.sin(angles)], axis=1) * radii[:, None]
        cv2.fillPoly(image, [chip.astype(np.int32)], inks[int(rng.integers(len(inks)))], cv2.LINE_AA)
    return image


_PAINTERS = (_plain, _wood, _wood, _cloth, _speckled, _printed, _tiled)
_KEPT_OUT = (_parquet, _checked, _terrazzo)


def draw_surface(rng: np.random.Generator, size: int = 768, kept_out: bool = False) -> Image:
    """Return a (size, size, 3) BGR uint8 texture of a random table top, of a training or a held-out kind."""
    painters = _KEPT_OUT if kept_out else _PAINTERS
    painter = painters[int(rng.integers(len(painters)))]
    image = painter(rng, size)
    image += rng.normal(0, rng.uniform(0, 4), (size, size, 1)).astype(np.float32)
    return np.clip(image, 0, 255).astype(np.uint8)


class SurfaceBank:
    """A cache of table tops, because drawing one takes longer than composing a scene.

    `pictures`: files, mixed evenly with drawn textures, or used alone if not `drawn`. kept_out: use kinds that no
    network is trained on. further: (H, W, 3) BGR uint8 pictures beside these.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        count: int = 24,
        pictures: Sequence[Path] = (),
        drawn: bool = True,
        kept_out: bool = False,
        further: Sequence[Image] = (),
    ) -> None:
        self._surfaces: list[Image] = list(further)
        for i in range(count):
            surface = None
            if pictures and (i % 2 or not drawn):
                surface = cv2.imread(str(pictures[int(rng.integers(len(pictures)))]), cv2.IMREAD_COLOR)
            self._surfaces.append(
                draw_surface(rng, kept_out=kept_out) if surface is None else np.asarray(surface, np.uint8)
            )

    def view(self, rng: np.random.Generator, width: int, height: int) -> Image:
        """Return a (height, width, 3) BGR uint8 view of a random table top, rotated, scaled and in perspective."""
        surface = self._surfaces[int(rng.integers(len(self._surfaces)))]
        side = max(width, height)
        scale = side / surface.shape[1] * rng.uniform(0.6, 2.5)
        turn = rng.uniform(0, 2 * np.pi)
        cos, sin = scale * np.cos(turn), scale * np.sin(turn)
        matrix = np.array([[cos, -sin, rng.uniform(-side, 0)], [sin, cos, rng.uniform(-side, 0)], [0, 0, 1.0]])
        matrix[2, :2] = rng.uniform(-0.3, 0.3, 2) / side
        view = cv2.warpPerspective(surface, matrix, (width, height), borderMode=cv2.BORDER_REFLECT)
        tone = rng.uniform(0.7, 1.2, 3) if rng.random() < 0.5 else np.ones(3)
        return np.asarray(cv2.multiply(view, np.array([*tone, 1.0])), np.uint8)
