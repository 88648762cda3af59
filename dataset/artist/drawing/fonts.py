"""Typefaces of this computer, and masks of texts set in them.

No font is shipped. A font is named by the path of its file, by `sans` or `italic` (built into OpenCV), or by
`strokes:SEED` (digits drawn by `strokes`). A missing font is replaced by `sans`.
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

from companion.dataset.artist.drawing import strokes

BUILT_IN = ("sans", "italic")
STROKES_PREFIX = "strokes:"
MASK_HEIGHT = 256
"""Nominal height in pixels of the capitals and digits in a mask of `text_mask`."""

_SUFFIXES = {".ttf", ".otf"}
_DIGITS = "0123456789"
# OpenType's usWeightClass of a text face.
_REGULAR = 400
# Minimum mean correlation of a font's digits with the built-in fonts' digits, as blurred thumbnails. Of 76 typefaces
# and 40 drawn ones none is below 0.65; a font of ornaments has 0.15, permuted digits have 0.44.
_DIGITS_ALIKE, _THUMB, _SOFT = 0.55, 24, 1.2


def font_folders() -> tuple[Path, ...]:
    """Return the folders in which this system keeps its fonts."""
    home = Path.home()
    if sys.platform == "win32":
        return (Path("C:/Windows/Fonts"),)
    if sys.platform == "darwin":
        return (Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts")
    return (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts", home / ".fonts")


@lru_cache(maxsize=1)
def system_fonts() -> tuple[str, ...]:
    """Return the paths of the TTF and OTF files of this computer that have readable digits, sorted by file name."""
    return fonts_in(*font_folders())


@lru_cache(maxsize=8)
def fonts_in(*folders: Path) -> tuple[str, ...]:
    """Return the same for the files in these folders; of files with the same name the last one."""
    paths = (path for folder in folders if folder.is_dir() for path in folder.rglob("*"))
    files = {path.name: path for path in paths if path.suffix.lower() in _SUFFIXES}
    return tuple(str(files[name]) for name in sorted(files) if _draws_digits(str(files[name])))


def split_fonts(fonts: Iterable[str], held_out: float = 0.15) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split fonts into those for training and those for testing, whole typefaces at a time.

    `held_out` is the share of typefaces for testing. The split depends only on the file names.
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
    """Whether the font draws ten different, readable digits."""
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
    """Whether ten tight masks, uint8 (h, w) each, look like the digits 0 to 9.

    Symbol fonts have other signs in their place.
    """
    thumbs = [_thumb(mask) for mask in masks]
    similarity = [
        max(float((thumb * _thumb(text_mask(digit, font))).sum()) for font in BUILT_IN)
        for digit, thumb in zip(_DIGITS, thumbs, strict=True)
    ]
    return float(np.mean(similarity)) >= _DIGITS_ALIKE


def _thumb(mask: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return a (S, S) thumbnail of a mask, centred on a square, with mean 0 and norm 1."""
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
    # Without a weight OpenCV uses that of the previous call.
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
    """Remove the slash or dot of a zero: cards have none."""
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
