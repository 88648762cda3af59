"""Reads picture files within limits. A damaged or oversized file is reported by name."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.capture.image_headers import MAX_PIXELS, EncodingError, inspect

MAX_BYTES = 40_000_000
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})


class PictureError(Exception):
    """A picture that cannot be used. `path` is the file, None for an upload."""

    def __init__(self, reason: str, path: Path | None = None) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path


def decode_picture(data: bytes, path: Path | None = None) -> NDArray[np.uint8]:
    """Return the picture as (H, W, 3) BGR uint8, rotated upright by its EXIF data; raises PictureError."""
    if len(data) > MAX_BYTES:
        raise PictureError(f"{len(data) / 1e6:.0f} MB is more than the {MAX_BYTES / 1e6:.0f} MB that are read", path)
    try:
        inspect(data)
    except EncodingError as error:
        raise PictureError(str(error), path) from error
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise PictureError("cannot be read as a picture", path) from error
    if image is None:
        raise PictureError("cannot be read as a picture", path)
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        size = f"{image.shape[1]} x {image.shape[0]}"
        raise PictureError(f"{size} pixels are more than the {MAX_PIXELS / 1e6:.0f} million that are read", path)
    return np.asarray(image, np.uint8)


def load_picture(path: Path) -> NDArray[np.uint8]:
    """Return a file's picture as (H, W, 3) BGR uint8; raises PictureError, never another exception."""
    if path.is_dir():
        raise PictureError(f"holds no picture ({', '.join(sorted(SUFFIXES))})", path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PictureError(f"is larger than the {MAX_BYTES / 1e6:.0f} MB that are read", path)
        data = path.read_bytes()
    except OSError as error:
        raise PictureError(f"cannot be opened ({error.strerror})", path) from error
    return decode_picture(data, path)
