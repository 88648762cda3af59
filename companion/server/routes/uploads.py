"""Pictures from outside: their kind and size are read from their first bytes before anything decodes them."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from companion.server.errors import RefusalError
from companion.vision.pictures import PictureError, decode_picture

MOST_PIXELS = 50_000_000
LONGEST_SIDE = 16_000


def read_picture(data: bytes) -> NDArray[np.uint8]:
    """Return the picture as (H, W, 3) BGR uint8; raises RefusalError where it is none or too large."""
    check_picture(data)
    try:
        return decode_picture(data)
    except PictureError as error:
        raise RefusalError(422, "not-a-picture", "The picture is damaged.") from error


def check_picture(data: bytes) -> None:
    """Look at the picture's head; raises RefusalError where it is none or too large to be decoded."""
    size = picture_size(data)
    if size is None:
        raise RefusalError(422, "not-a-picture", "This is no JPEG, PNG or WebP picture.")
    width, height = size
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE and width * height <= MOST_PIXELS):
        raise RefusalError(422, "picture-too-large", f"{width} x {height} pixels cannot be read.")


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height that the file's head declares, None where it is no JPEG, PNG or WebP."""
    try:
        if data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR":
            width, height = struct.unpack(">II", data[16:24])
            return width, height
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
        if data[:3] == b"\xff\xd8\xff":
            return _jpeg_size(data)
    except (struct.error, IndexError):
        return None
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker in (0x01, *range(0xD0, 0xD8)):
            at += 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None
