"""The camera model: pose, lens distortion, light and sensor."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.surfaces import smooth_noise
from companion.vision.core.geometry import Image

Floats = NDArray[np.float32]


def table_homography(
    rng: np.random.Generator,
    center: tuple[float, float],
    radius: float,
    width: int,
    height: int,
    fill: float,
    slanted: bool = False,
) -> NDArray[np.float64]:
    """Return the 3 x 3 homography from the table plane (mm) to the pixels of a random camera that looks at the cards.

    A circle of `radius` mm around `center` takes about `fill` of the frame's shorter side. Rotation, tilt (mostly below
    35 degrees), focal length and aim are sampled. Pinhole model: Hartley and Zisserman, Multiple View Geometry, 2nd
    edition, section 8.1.1.
    """
    focal = max(width, height) * rng.uniform(0.8, 1.8)
    turn = rng.uniform(-np.pi, np.pi) if rng.random() < 0.6 else rng.normal(0, 0.1)
    tilt = np.radians(rng.uniform(40, 66) if slanted else min(abs(rng.normal(0, 22)), 58))
    distance = 2 * radius * focal / (fill * min(width, height))
    distance = max(distance, 1.6 * radius * np.sin(tilt))
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    lean = np.array([[1, 0], [0, np.cos(tilt)], [0, -np.sin(tilt)]])
    columns = lean @ rotate
    shift = -columns @ np.array(center) + np.array([0, 0, distance])
    aim = rng.normal(0, 0.08 + 0.12 * (fill < 0.6), 2) * (width, height)
    intrinsics = np.array([[focal, 0, width / 2 + aim[0]], [0, focal, height / 2 + aim[1]], [0, 0, 1.0]])
    return np.asarray(intrinsics @ np.column_stack([columns, shift]), np.float64)


@dataclass(frozen=True)
class Lens:
    """First-order radial distortion (Brown 1966) around the picture's centre; `k` < 0 is a barrel."""

    k: float
    width: int
    height: int

    def bend_points(self, points: Floats) -> Floats:
        """Return the distorted positions of (..., 2) undistorted pixel positions."""
        center = np.array([self.width, self.height], np.float32) / 2
        offset = (points - center) / center.max()
        return np.asarray(center + (points - center) * (1 + self.k * (offset**2).sum(-1, keepdims=True)), np.float32)

    def bend(self, image: Image) -> Image:
        """Return the distorted picture, same size."""
        center = np.array([self.width, self.height], np.float32) / 2
        x = np.arange(self.width, dtype=np.float32)[None, :] - center[0]
        y = np.arange(self.height, dtype=np.float32)[:, None] - center[1]
        bent = (x**2 + y**2) / center.max() ** 2
        # Inverse of bend_points as a second-order series, accurate enough for |k| <= 0.12.
        scale = 1 - self.k * bent + 3 * (self.k * bent) ** 2
        map_x, map_y = center[0] + x * scale, center[1] + y * scale
        return np.asarray(cv2.remap(image, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def light(image: Image, rng: np.random.Generator) -> Image:
    """Return the scene under uneven, coloured light with cast shadows and glare; same shape and type (BGR uint8)."""
    height, width = image.shape[:2]
    field = 1 + rng.uniform(0, 0.35) * smooth_noise(rng, height // 8, width // 8, rng.uniform(1, 4))
    if rng.random() < 0.3:
        field *= _cast_shadow(rng, height // 8, width // 8)
    gains = 1 + rng.normal(0, rng.choice([0.02, 0.06, 0.14]), 3)
    colored = field[..., None] * gains.astype(np.float32)
    lit = cv2.multiply(image, cv2.resize(colored, (width, height)), dtype=cv2.CV_8U)
    if rng.random() < 0.25:
        lit = cv2.add(lit, cv2.merge([_glare(rng, height, width)] * 3), dtype=cv2.CV_8U)
    return np.asarray(lit, np.uint8)


def _cast_shadow(rng: np.random.Generator, height: int, width: int) -> Floats:
    mask = np.zeros((height, width), np.float32)
    corners = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * (width, height)
    cv2.fillPoly(mask, [cv2.convexHull(corners.astype(np.int32))], 1.0)
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 8))
    return np.asarray(1 - soft * rng.uniform(0.15, 0.6), np.float32)


def _glare(rng: np.random.Generator, height: int, width: int) -> Floats:
    spot = np.zeros((height // 4, width // 4), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        center = (int(rng.uniform(0, width // 4)), int(rng.uniform(0, height // 4)))
        axes = (int(rng.uniform(2, width // 14)), int(rng.uniform(2, height // 14)))
        cv2.ellipse(spot, center, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(60, 260)), -1)
    soft = cv2.GaussianBlur(spot, (0, 0), rng.uniform(1.5, 14))
    return np.asarray(cv2.resize(soft, (width, height)), np.float32)


def develop(image: Image, rng: np.random.Generator) -> Image:
    """Return the picture after exposure, focus, motion, sensor noise and JPEG; same shape and type (BGR uint8)."""
    image = _tone(image, rng)
    height, width = image.shape[:2]
    kind = rng.random()
    if kind < 0.35:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.8)), np.uint8)
    elif kind < 0.5:
        image = _motion_blur(image, rng)
    elif kind < 0.65:
        shrink = rng.uniform(0.35, 0.9)
        image = coarsened(image, int(width * shrink), int(height * shrink))
    elif kind < 0.75:
        soft = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.8, 2.0))
        amount = rng.uniform(0.3, 1.2)
        image = np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), np.uint8)
    if rng.random() < 0.6:
        spread = rng.choice([2.0, 5.0, 12.0])
        noise = np.empty(image.shape, np.int16)
        cv2.setRNGSeed(int(rng.integers(2**31)))
        cv2.randn(noise, np.zeros(3), np.full(3, spread))
        image = np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)
    if rng.random() < 0.5:
        encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 90))])[1]
        image = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
    return image


def coarsened(image: Image, width: int, height: int) -> Image:
    """Return the picture at a lower resolution, enlarged to its own size."""
    small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


def _tone(image: Image, rng: np.random.Generator) -> Image:
    """Exposure, gamma, contrast and white balance in one table per channel, then saturation."""
    values = np.arange(256, dtype=np.float32) / 255
    exposure = np.exp(rng.normal(0, 0.25)) if rng.random() < 0.8 else rng.uniform(0.25, 0.6)
    gamma, contrast = np.exp(rng.normal(0, 0.18)), rng.uniform(0.75, 1.3)
    curve = (np.clip(values * exposure, 0, 1) ** gamma - 0.5) * contrast + 0.5 + rng.normal(0, 0.03)
    balance = 1 + rng.normal(0, 0.06, 3)
    table = np.clip(curve[:, None] * balance * 255, 0, 255).astype(np.uint8)[None]
    image = np.asarray(cv2.LUT(image, table), np.uint8)
    if rng.random() < 0.6:
        gray = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        amount = rng.uniform(0.55, 1.5)
        image = np.asarray(cv2.addWeighted(image, amount, gray, 1 - amount, 0), np.uint8)
    return image


def _motion_blur(image: Image, rng: np.random.Generator) -> Image:
    length = int(rng.integers(3, 10))
    kernel = np.zeros((length, length), np.float32)
    middle = (length - 1) / 2
    direction = rng.uniform(0, np.pi)
    step = np.array([np.cos(direction), np.sin(direction)]) * middle
    start, end = (middle - step).round().astype(int), (middle + step).round().astype(int)
    cv2.line(kernel, start.tolist(), end.tolist(), 1.0)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)
