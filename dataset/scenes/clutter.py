"""Distractors: hands and arms, phones, glasses, boxes, paper, coins, playing cards of other games.

Each function draws on a BGR uint8 picture in place. Where an object may hide cards, it updates `owner`, the (H, W)
int16 map of the card that is visible at each pixel.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image

Owner = NDArray[np.int16]
OCCLUDER = -2


def _skin(rng: np.random.Generator) -> tuple[float, float, float]:
    hsv = np.array([[[rng.uniform(4, 17), rng.uniform(45, 150), rng.uniform(60, 245)]]], np.uint8)
    b, g, r = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    return b, g, r


def _paint(image: Image, owner: Owner, mask: NDArray[np.uint8], ink: NDArray[np.float32], soft: float) -> None:
    """Blend `ink` (3,) or (H, W, 3) into the picture where `mask` (0..255) is set."""
    alpha = cv2.GaussianBlur(mask, (0, 0), soft) if soft > 0.3 else mask
    box = cv2.boundingRect(alpha)
    x, y, w, h = box
    if w == 0 or h == 0:
        return
    part = (slice(y, y + h), slice(x, x + w))
    weight = alpha[part].astype(np.float32)[..., None] / 255
    paint = ink[part] if ink.ndim == 3 else ink
    image[part] = (image[part] * (1 - weight) + paint * weight).astype(np.uint8)
    owner[part][alpha[part] > 127] = OCCLUDER


def draw_hand(
    image: Image, owner: Owner, rng: np.random.Generator, tip: tuple[float, float], reach: float, heading: float
) -> None:
    """Draw a hand: fingers of `reach` px that end at about `tip` (px), with the arm coming from `heading` (radians)."""
    height, width = owner.shape
    skin = np.array(_skin(rng), np.float32)
    away = np.array([np.cos(heading), np.sin(heading)])
    side = np.array([-away[1], away[0]])
    thick = max(2, int(reach * rng.uniform(0.2, 0.28)))
    mask = np.zeros((height, width), np.uint8)
    shade = np.zeros((height, width), np.uint8)
    point = np.array(tip)
    palm = point + away * reach * 1.55
    fingers = int(rng.integers(1, 5))
    for i in range(fingers):
        offset = (i - (fingers - 1) / 2) * thick * 1.02
        start = point + side * offset + away * abs(offset) * rng.uniform(0.1, 0.5) + rng.normal(0, reach * 0.05, 2)
        knuckle = palm + side * offset * 0.9 - away * reach * 0.5
        _stroke(mask, start, knuckle, thick)
        _stroke(shade, start + side * thick * 0.3, knuckle + side * thick * 0.3, max(1, thick // 3))
    if rng.random() < 0.7:
        hand = rng.choice([-1, 1])
        thumb = point + side * hand * reach * rng.uniform(0.5, 1.0) + away * reach * rng.uniform(0.2, 0.7)
        _stroke(mask, thumb, palm + side * hand * thick, int(thick * 1.1))
    axes = (int(thick * 2.3), int(reach * 0.8))
    cv2.ellipse(mask, tuple(int(v) for v in palm), axes, float(np.degrees(heading) - 90), 0, 360, 255, -1)
    wrist = palm + away * reach * 0.6
    far = palm + away * max(height, width) * 1.5
    _stroke(mask, palm, far, int(thick * 2.9))
    tone = np.empty((height, width, 3), np.float32)
    tone[:] = skin
    tone -= cv2.GaussianBlur(shade, (0, 0), max(1.0, thick / 4)).astype(np.float32)[..., None] * rng.uniform(0.1, 0.35)
    _paint(image, owner, mask, np.clip(tone, 0, 255, out=tone), rng.uniform(0.5, 1.5))
    if rng.random() < 0.6:
        sleeve = np.zeros((height, width), np.uint8)
        _stroke(sleeve, wrist + away * reach * rng.uniform(0.2, 1.5), far, int(thick * rng.uniform(3.2, 4.4)))
        _paint(image, owner, sleeve, rng.uniform(10, 240, 3).astype(np.float32), rng.uniform(0.5, 1.5))


def _stroke(mask: NDArray[np.uint8], start: NDArray[np.float64], end: NDArray[np.float64], thick: int) -> None:
    ends = [tuple(int(np.clip(v, -8000, 8000)) for v in p) for p in (start, end)]
    thick = min(thick, 2 * sum(mask.shape))  # A hand near the horizon is larger than OpenCV can draw.
    cv2.line(mask, ends[0], ends[1], 255, max(1, thick), cv2.LINE_AA)
    for p in ends:
        cv2.circle(mask, p, max(1, thick // 2), 255, -1, cv2.LINE_AA)


def draw_object(image: Image, owner: Owner, rng: np.random.Generator, covers: bool) -> None:
    """Draw a random object; it hides cards drawn before only if `covers`."""
    target = owner if covers else np.zeros_like(owner)
    height, width = owner.shape
    size = min(height, width) * rng.uniform(0.08, 0.5)
    center = (rng.uniform(0, width), rng.uniform(0, height))
    turn = float(rng.uniform(0, 360))
    kind = rng.integers(0, 7)
    if kind == 0:
        _phone(image, target, rng, center, size, turn)
    elif kind == 1:
        _glass(image, target, rng, center, size * 0.4)
    elif kind == 2:
        _sheet(image, target, rng, center, size, turn)
    elif kind == 3:
        _keyboard(image, target, rng, center, size * 1.5, turn)
    elif kind == 4:
        for _ in range(int(rng.integers(1, 6))):
            spot = (center[0] + rng.normal(0, size / 3), center[1] + rng.normal(0, size / 3))
            _glass(image, target, rng, spot, size * 0.08 + 2)
    elif kind == 5:
        _box(image, target, rng, center, size, turn)
    else:
        _playing_card(image, target, rng, center, size * 0.7, turn)


def _quad_mask(owner: Owner, center: tuple[float, float], sides: tuple[float, float], turn: float) -> NDArray[np.uint8]:
    mask = np.zeros(owner.shape, np.uint8)
    cv2.fillPoly(mask, [cv2.boxPoints((center, sides, turn)).astype(np.int32)], 255, cv2.LINE_AA)
    return mask


def _phone(
    image: Image, owner: Owner, rng: np.random.Generator, center: tuple[float, float], size: float, turn: float
) -> None:
    body = rng.uniform(0, 90, 3).astype(np.float32)
    _paint(image, owner, _quad_mask(owner, center, (size * 0.5, size), turn), body, 1.0)
    glass = rng.uniform(0, 255, 3).astype(np.float32) * rng.choice([0.2, 1.0])
    _paint(image, owner, _quad_mask(owner, center, (size * 0.45, size * 0.93), turn), glass, 0.5)


def _glass(image: Image, owner: Owner, rng: np.random.Generator, center: tuple[float, float], radius: float) -> None:
    for scale in (1.0, rng.uniform(0.6, 0.92)):
        mask = np.zeros(owner.shape, np.uint8)
        cv2.circle(mask, (int(center[0]), int(center[1])), max(1, int(radius * scale)), 255, -1, cv2.LINE_AA)
        _paint(image, owner, mask, rng.uniform(0, 255, 3).astype(np.float32), 0.7)


def _sheet(
    image: Image, owner: Owner, rng: np.random.Generator, center: tuple[float, float], size: float, turn: float
) -> None:
    """Numbers and words, on paper or directly on the table."""
    ink = rng.uniform(0, 120, 3) if rng.random() < 0.7 else rng.uniform(150, 255, 3)
    # Without paper: print on a box, a board or a table cloth.
    if rng.random() < 0.6:
        paper = (255 - ink if rng.random() < 0.5 else rng.uniform(140, 255, 3)).astype(np.float32)
        _paint(image, owner, _quad_mask(owner, center, (size, size * rng.uniform(0.6, 1.4)), turn), paper, 0.6)
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    for line in np.linspace(-0.35, 0.35, int(rng.integers(2, 7))):
        text = "".join(rng.choice(list("0123456789 ABCDEFGHIK+-"), int(rng.integers(2, 9))))
        stamp = np.zeros((40, 22 * len(text)), np.uint8)
        cv2.putText(stamp, text, (2, 32), int(rng.integers(0, 5)), 1.0, 255, int(rng.integers(1, 4)), cv2.LINE_AA)
        scale = size * 0.8 / stamp.shape[1] * rng.uniform(0.4, 1.0)
        scale = min(scale, size * 0.14 / 40)
        matrix = np.array([[along[0], -along[1], 0], [along[1], along[0], 0]]) * scale
        start = np.array(center) - along * size * 0.4 + np.array([-along[1], along[0]]) * line * size
        matrix[:, 2] = start
        mask = cv2.warpAffine(stamp, matrix, (owner.shape[1], owner.shape[0]))
        _paint(image, owner, np.asarray(mask, np.uint8), ink.astype(np.float32), 0.0)


def _keyboard(
    image: Image, owner: Owner, rng: np.random.Generator, center: tuple[float, float], size: float, turn: float
) -> None:
    shell, key = rng.uniform(20, 230), rng.uniform(5, 80)
    _paint(image, owner, _quad_mask(owner, center, (size, size * 0.4), turn), np.full(3, shell, np.float32), 0.6)
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    across = np.array([-along[1], along[0]])
    keys, print_ = np.zeros(owner.shape, np.uint8), np.zeros(owner.shape, np.uint8)
    face, scale = int(rng.integers(0, 4)), size * rng.uniform(0.0008, 0.0014)
    for row in range(4):
        for column in range(12):
            spot = np.array(center) + along * (column - 5.5) * size * 0.08 + across * (row - 1.5) * size * 0.085
            box = cv2.boxPoints((tuple(spot), (size * 0.066, size * 0.07), turn))
            cv2.fillPoly(keys, [box.astype(np.int32)], 255, cv2.LINE_AA)
            legend = "QWERTYUIOPASDFGHJKLZXCVBNM1234567890+?"[int(rng.integers(38))]
            corner = (int(spot[0] - size * 0.02), int(spot[1] + size * 0.02))
            cv2.putText(print_, legend, corner, face, scale, 255, 1 + int(size > 250), cv2.LINE_AA)
    _paint(image, owner, keys, np.full(3, key, np.float32), 0.0)
    _paint(image, owner, print_, np.full(3, 255.0 if key < 90 else 20.0, np.float32), 0.0)


def _box(
    image: Image, owner: Owner, rng: np.random.Generator, center: tuple[float, float], size: float, turn: float
) -> None:
    """A box or book: coloured, framed, often with a word and a number, never in a card's corners."""
    sides = (size * rng.uniform(0.5, 1.0), size)
    _paint(image, owner, _quad_mask(owner, center, sides, turn), rng.uniform(0, 255, 3).astype(np.float32), 0.6)
    inner = (sides[0] * rng.uniform(0.5, 0.9), sides[1] * rng.uniform(0.3, 0.9))
    _paint(image, owner, _quad_mask(owner, center, inner, turn), rng.uniform(0, 255, 3).astype(np.float32), 0.6)


def _playing_card(
    image: Image, owner: Owner, rng: np.random.Generator, center: tuple[float, float], size: float, turn: float
) -> None:
    """A French-suited card: white, with rank and pips in red or black."""
    _paint(image, owner, _quad_mask(owner, center, (size * 0.7, size), turn), np.full(3, 245, np.float32), 0.6)
    ink = np.array(rng.choice([0, 1]) * np.array([40, 30, 200]), np.float32)
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    across = np.array([-along[1], along[0]])
    for i, j in ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0), (-1, 0), (1, 0))[: int(rng.integers(1, 8))]:
        spot = np.array(center) + along * i * size * 0.16 + across * j * size * 0.3
        mask = np.zeros(owner.shape, np.uint8)
        pip = cv2.boxPoints((tuple(spot), (size * 0.09, size * 0.09), turn + 45))
        cv2.fillPoly(mask, [pip.astype(np.int32)], 255, cv2.LINE_AA)
        _paint(image, owner, mask, ink, 0.0)
