"""Reads picture files within limits. A damaged or oversized file is reported by name."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.capture.image_headers import MAX_PIXELS, EncodingError, inspect

MAX_BYTES = 40_000_000
SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".avif", ".heic", ".heif"}
)
"""Names of picture files; HEIC cannot be decoded here, and is rejected with a hint."""


class PictureError(Exception):
    """A picture that cannot be used. `path` is the file, None for an upload."""

    def __init__(self, reason: str, path: Path | None = None) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path


def decode_picture(data: bytes, path: Path | None = None) -> NDArray[np.uint8]:
    """Return the picture as (H, W, 3) BGR uint8, rotated upright by its EXIF data; raises PictureError."""
    if len(data) > MAX_BYTES:
        raise PictureError(f"is larger than the {MAX_BYTES / 1e6:.0f} MB that are read", path)
    try:
        head = inspect(data)
    except EncodingError as error:
        raise PictureError(str(error), path) from error
    try:
        if head is not None and not head.ended:
            data = _ended(data, path)
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise PictureError("cannot be read as a picture", path)
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        size = f"{image.shape[1]} x {image.shape[0]}"
        raise PictureError(f"{size} pixels are more than the {MAX_PIXELS / 1e6:.0f} million that are read", path)
    return np.asarray(image, np.uint8)


def pictures_in(folder: Path) -> list[Path]:
    """Return a folder's picture files in natural order of their names (2 before 10).

    A file of unknown type counts as well unless it is text, so that a picture with an unusual name is reported rather
    than missed. Hidden files and known other types do not.
    """
    files = (file for file in folder.iterdir() if file.is_file() and _may_be_picture(file))
    return sorted(files, key=lambda file: [int(p) if p.isdecimal() else p for p in re.split(r"(\d+)", file.name)])


def _may_be_picture(file: Path) -> bool:
    if file.suffix.lower() in SUFFIXES:
        return True
    kind, _ = mimetypes.guess_type(file.name)
    if kind is not None or file.name.startswith(".") or file.name.lower() in ("thumbs.db", "desktop.ini"):
        return kind is not None and kind.startswith("image/")
    try:
        with file.open("rb") as opened:
            return b"\0" in opened.peek()
    except OSError:
        return True


def _ended(data: bytes, path: Path | None) -> bytes:
    """Return a JPEG with the end marker that it lacks; raises PictureError if more than the marker is missing.

    Decoders fill missing blocks with mid-grey, and the last block is in the lower right corner.
    """
    whole = data.removesuffix(b"\xff") + b"\xff\xd9"
    image = cv2.imdecode(np.frombuffer(whole, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    if image is None or (image[-8:, -8:] == 128).all():
        raise PictureError("is cut off", path)
    return whole


def load_picture(path: Path) -> NDArray[np.uint8]:
    """Return a file's picture as (H, W, 3) BGR uint8; raises PictureError, never another exception."""
    if path.is_dir():
        raise PictureError(f"holds no picture ({', '.join(sorted(SUFFIXES))})", path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PictureError(f"cannot be opened ({error.strerror})", path) from error
    return decode_picture(data, path)
