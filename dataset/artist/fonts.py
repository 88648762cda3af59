"""Typefaces: which ones this computer has, and masks of texts set in them.

No font is shipped. A font is named by a text: the path of a font file, `sans` or `italic` (built into OpenCV), or
`strokes:SEED` (digits drawn by `strokes`). A font that is not there is replaced by `sans`.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist import strokes

BUILT_IN = ("sans", "italic")
STROKES_PREFIX = "strokes:"
MASK_HEIGHT = 256
"""Nominal height in pixels of the capitals and digits in a mask of `text_mask`."""

_SUFFIXES = {".ttf", ".otf"}
_DIGITS = "0123456789"
# OpenType's usWeightClass of a text face.
_REGULAR = 400
# Mean likeness (1: the same) to the built-in fonts' digits, as pictures of so many pixels a side with softened edges,
# from which signs in the digits' places are digits: of 76 typefaces and 40 drawn ones none has less than .65; one of
# ornaments has .15, digits in others' places have .44.
_DIGITS_ALIKE, _THUMB, _SOFT = 0.55, 24, 1.2


def _folders() -> tuple[Path, ...]:
    home = Path.home()
    if sys.platform == "win32":
        return (Path("C:/Windows/Fonts"),)
    if sys.platform == "darwin":
        return (Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts")
    return (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts", home / ".fonts")


@lru_cache(maxsize=1)
def system_fonts() -> tuple[str, ...]:
    """Return the paths of the TTF and OTF files of this computer that draw the digits, sorted by file name."""
    return fonts_in(*_folders())


@lru_cache(maxsize=8)
def fonts_in(*folders: Path) -> tuple[str, ...]:
    """Return the same of the files anywhere under these folders; of those of one name the last."""
    paths = (path for folder in folders if folder.is_dir() for path in folder.rglob("*"))
    files = {path.name: path for path in paths if path.suffix.lower() in _SUFFIXES}
    return tuple(str(files[name]) for name in sorted(files) if _draws_digits(str(files[name])))


def split_fonts(fonts: Iterable[str], held_out: float = 0.15) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split font names into those to train with and those to test with, whole typefaces at a time.

    `held_out` is the share of typefaces to test with. The split depends on the names of the files alone.
    """
    kept: list[str] = []
    tested: list[str] = []
    for font in fonts:
        typeface = Path(font).stem.split("-")[0].split("[")[0].lower()
        draw = int.from_bytes(hashlib.sha256(typeface.encode()).digest()[:4], "big") / 2**32
        (tested if draw < held_out else kept).append(font)
    return tuple(kept), tuple(tested)


@lru_cache(maxsize=256)
def _face(font: str) -> cv2.FontFace:
    if font not in BUILT_IN and not Path(font).is_file():
        font = "sans"
    try:
        return cv2.FontFace(font)
    except cv2.error:
        return cv2.FontFace("sans")


def _draw(text: str, face: cv2.FontFace, size: int, weight: int) -> NDArray[np.uint8]:
    canvas = np.zeros((2 * size, (len(text) + 2) * size), np.uint8)
    cv2.putText(canvas, text, (size // 2, int(1.5 * size)), (255,), face, size, weight)
    return canvas


def _crop(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    x, y, width, height = cv2.boundingRect(mask)
    return np.ascontiguousarray(mask[y : y + height, x : x + width])


def _draws_digits(font: str) -> bool:
    """Whether the font draws every digit as one, each in its own way and with more than hairlines."""
    try:
        face = cv2.FontFace(font)
        masks = [_crop(_draw(character, face, 40, 0)) for character in _DIGITS + "+?"]
    except cv2.error:
        return False
    digits = masks[: len(_DIGITS)]
    if any(mask.size == 0 for mask in masks) or any(mask.shape[0] < 12 for mask in digits):
        return False
    return len({(mask.shape, mask.tobytes()) for mask in masks}) == len(masks) and are_digits(digits)


def are_digits(masks: Sequence[NDArray[np.uint8]]) -> bool:
    """Whether ten tight masks, uint8 (h, w) each, look like the digits from 0 to 9.

    Fonts of ornaments have signs in the digits' places that nobody could play with.
    """
    thumbs = [_thumb(mask) for mask in masks]
    similarity = [
        max(float((thumb * _thumb(text_mask(digit, font))).sum()) for font in BUILT_IN)
        for digit, thumb in zip(_DIGITS, thumbs, strict=True)
    ]
    return float(np.mean(similarity)) >= _DIGITS_ALIKE


def _thumb(mask: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return a small (S, S) picture of a mask, in the middle of a square, with mean 0 and length 1."""
    height, width = mask.shape
    side = max(height, width)
    top, left = (side - height) // 2, (side - width) // 2
    square = cv2.copyMakeBorder(
        mask, top, side - height - top, left, side - width - left, cv2.BORDER_CONSTANT, value=(0.0,)
    )
    small = cv2.resize(square, (_THUMB, _THUMB), interpolation=cv2.INTER_AREA).astype(np.float32)
    soft = cv2.GaussianBlur(small, (0, 0), _SOFT)
    soft -= soft.mean()
    return np.asarray(soft / max(float(np.linalg.norm(soft)), 1e-6), np.float32)


@lru_cache(maxsize=512)
def text_mask(text: str, font: str, weight: int = 0) -> NDArray[np.uint8]:
    """Return a tight mask of the text, uint8 (height, width), 255 inside; treat it as read-only.

    `weight` (100 to 1000) works with variable fonts only, 0 is the regular one. The capital height is MASK_HEIGHT
    pixels.
    """
    # Where none is given OpenCV draws with the one that it drew with last.
    weight = weight or _REGULAR
    if font.startswith(STROKES_PREFIX):
        if text.isdigit() and len(text) == 1:
            return _crop(strokes.digit_mask(int(text), strokes.StrokeFont.sample(_seed(font)), MASK_HEIGHT))
        font, weight = "sans", 800
    face = _face(font)
    trial = _crop(_draw("8", face, 64, weight))
    size = round(MASK_HEIGHT * 64 / max(trial.shape[0], 16))
    mask = _crop(_draw(text, face, size, weight))
    if mask.size == 0:
        mask = _crop(_draw(text, _face("sans"), size, 800))
    return _without_slash(mask) if text == "0" else mask


def _without_slash(zero: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Empty the counter of a zero with a slash or a dot: cards have none."""
    filled = np.zeros_like(zero)
    outlines, _ = cv2.findContours((zero > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(filled, outlines, -1, 255, cv2.FILLED)
    holes = cv2.findNonZero(((filled > 0) & (zero < 128)).astype(np.uint8))
    if holes is not None and len(holes) > 50:
        cv2.fillConvexPoly(zero, cv2.convexHull(holes), 0)
    return zero


@lru_cache(maxsize=512)
def stem(font: str, weight: int = 0) -> float:
    """Return the thickness of the font's strokes, in heights of a digit."""
    mask = cv2.copyMakeBorder(text_mask("1", font, weight), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0.0,))
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    return 2 * float(depth.max()) / MASK_HEIGHT


def _seed(font: str) -> int:
    digits = font[len(STROKES_PREFIX) :]
    return int(digits) if digits.isdigit() else 0
