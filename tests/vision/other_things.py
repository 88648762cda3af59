"""Drawn pictures of things that are no UNO cards: chess boards, wiring diagrams, logos, poker cards, on tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import cv2
import numpy as np

from companion.vision.core.geometry import Image

_SIZE = (720, 960)
_INKS = ((40, 40, 200), (200, 90, 30), (60, 150, 40), (30, 190, 230), (20, 20, 20))


def ink(rng: np.random.Generator) -> tuple[int, int, int]:
    """Return a printed colour (BGR)."""
    return _INKS[int(rng.integers(len(_INKS)))]


def table(rng: np.random.Generator) -> Image:
    """Return an empty table top with a little grain."""
    color = np.array(rng.integers(60, 190, 3), np.float32)
    grain = cv2.GaussianBlur(rng.normal(0, 14, (*_SIZE, 1)).astype(np.float32), (0, 0), 3)
    return np.asarray(np.clip(color + grain.reshape(*_SIZE, 1), 0, 255), np.uint8)


def laid(rng: np.random.Generator, picture: Image, thing: Image, length: int) -> None:
    """Lay a thing turned at random on the picture, `length` pixels high, with a soft shadow."""
    height, width = thing.shape[:2]
    scale = length / height
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(0, 360)), scale)
    place = rng.uniform(0.3, 0.7, 2) * (_SIZE[1], _SIZE[0])
    turn[:, 2] += place - (width / 2, height / 2)
    size = _SIZE[1], _SIZE[0]
    mask = cv2.warpAffine(np.full((height, width), 255, np.uint8), turn, size, flags=cv2.INTER_AREA)
    shadow = cv2.GaussianBlur(np.roll(mask, (5, 4), (0, 1)), (0, 0), 5)[..., None] / np.float32(255)
    alpha = mask[..., None] / np.float32(255)
    under = picture * (1 - 0.35 * shadow) * (1 - alpha)
    picture[:] = (under * (1 - alpha) + cv2.warpAffine(thing, turn, size, flags=cv2.INTER_AREA) * alpha).astype(
        np.uint8
    )


def chess_board(rng: np.random.Generator) -> Image:
    """Return a board of eight by eight with round men on it."""
    picture = table(rng)
    board = np.full((560, 560, 3), 235, np.uint8)
    dark, light, mine = ink(rng), ink(rng), ink(rng)
    for row, column in np.ndindex(8, 8):
        corner = (30 + 62 * column, 30 + 62 * row)
        if (row + column) % 2:
            cv2.rectangle(board, corner, (corner[0] + 62, corner[1] + 62), dark, -1)
        if rng.random() < 0.3:
            center = (corner[0] + 31, corner[1] + 31)
            cv2.circle(board, center, 22, light if row < 4 else mine, -1, cv2.LINE_AA)
            cv2.circle(board, center, 14, (250, 250, 250), 2, cv2.LINE_AA)
    laid(rng, picture, board, int(rng.integers(420, 620)))
    return picture


def wiring_diagram(rng: np.random.Generator) -> Image:
    """Return a sheet, or a screen that fills the picture, with boxes, coloured lines, digits and arrows."""
    sheet = np.full((*_SIZE, 3), 250, np.uint8)
    boxes = []
    for _ in range(9):
        x, y = int(rng.integers(40, 760)), int(rng.integers(40, 560))
        width, height = (int(each) for each in rng.integers(60, 170, 2))
        cv2.rectangle(sheet, (x, y), (x + width, y + height), ink(rng), -1 if rng.random() < 0.5 else 4)
        text = str(rng.integers(0, 10)) if rng.random() < 0.6 else f"+{rng.integers(2, 5)}"
        cv2.putText(sheet, text, (x + 14, y + height - 14), cv2.FONT_HERSHEY_DUPLEX, 1.8, ink(rng), 4, cv2.LINE_AA)
        boxes.append((x + width // 2, y + height // 2))
    for start, end in pairwise(boxes):
        cv2.arrowedLine(sheet, start, end, ink(rng), 3, cv2.LINE_AA)
    if rng.random() < 0.5:
        return sheet
    picture = table(rng)
    laid(rng, picture, sheet, 520)
    return picture


def logos(rng: np.random.Generator) -> Image:
    """Return a picture with several round and slanted signs with letters, as on packages."""
    picture = table(rng)
    for _ in range(4):
        sign = np.full((260, 200, 3), 245, np.uint8)
        sign[:] = ink(rng) if rng.random() < 0.6 else (245, 245, 245)
        axes = (int(rng.integers(60, 95)), int(rng.integers(60, 120)))
        cv2.ellipse(sign, (100, 130), axes, float(rng.uniform(-40, 40)), 0, 360, ink(rng), -1, cv2.LINE_AA)
        word = "".join(rng.choice(list("ABDEGMORS"), int(rng.integers(1, 4))))
        cv2.putText(sign, word, (40, 150), cv2.FONT_HERSHEY_TRIPLEX, 1.9, (250, 250, 250), 5, cv2.LINE_AA)
        laid(rng, picture, sign, int(rng.integers(150, 300)))
    return picture


def poker_cards(rng: np.random.Generator) -> Image:
    """Return a picture with playing cards: white, an index and a suit in two corners, pips or a framed court figure."""
    picture = table(rng)
    for _ in range(int(rng.integers(1, 4))):
        card = np.full((350, 250, 3), 248, np.uint8)
        color = (40, 40, 200) if rng.random() < 0.5 else (25, 25, 25)
        index = str(rng.choice(["2", "5", "7", "9", "10", "J", "Q", "K", "A"]))
        for _ in range(2):
            cv2.putText(card, index, (10, 50), cv2.FONT_HERSHEY_DUPLEX, 1.5, color, 4, cv2.LINE_AA)
            suit(card, (28, 78), 14, color)
            card[:] = card[::-1, ::-1]
        if index in "JQKA":
            cv2.rectangle(card, (62, 60), (188, 290), (200, 150, 40), 3)
            cv2.circle(card, (125, 120), 30, (150, 190, 240), -1, cv2.LINE_AA)
            cv2.fillPoly(card, [np.array([[85, 285], [125, 150], [165, 285]])], (40, 180, 230), cv2.LINE_AA)
            cv2.fillPoly(card, [np.array([[95, 95], [125, 62], [155, 95]])], (40, 40, 200), cv2.LINE_AA)
        else:
            for pip in range(int(index)):
                suit(card, (90 + 70 * (pip % 2), 90 + 42 * (pip // 2)), 18, color)
        laid(rng, picture, card, int(rng.integers(220, 340)))
    return picture


def suit(card: Image, center: tuple[int, int], size: int, color: tuple[int, int, int]) -> None:
    """Draw a diamond or a heart."""
    x, y = center
    if color[2] > 100:
        points = [[x, y - size], [x + size, y], [x, y + size], [x - size, y]]
        cv2.fillPoly(card, [np.array(points)], color, cv2.LINE_AA)
        return
    for off in (-size // 2, size // 2):
        cv2.circle(card, (x + off, y), size // 2, color, -1, cv2.LINE_AA)
    cv2.fillPoly(card, [np.array([[x - size, y], [x + size, y], [x, y - size]])], color, cv2.LINE_AA)


THINGS: tuple[Callable[[np.random.Generator], Image], ...] = (chess_board, wiring_diagram, logos, poker_cards)


def other_things(count: int = 20, seed: int = 5) -> list[Image]:
    """Return so many pictures (720, 960, 3) BGR uint8, the kinds in turn."""
    rng = np.random.default_rng(seed)
    return [THINGS[number % len(THINGS)](rng) for number in range(count)]
