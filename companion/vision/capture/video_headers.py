"""Detects truncated video files by their structure: MP4/MOV (ISO/IEC 14496-12), AVI (RIFF), Matroska/WebM (RFC 9559).

Frame counts cannot tell: an edit list hides samples, and containers with variable frame rate only estimate the count.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

_MATROSKA = b"\x1a\x45\xdf\xa3"


def is_truncated(path: Path) -> bool:
    """Return whether the file ends before the size that its own headers declare. Unknown formats are not truncated."""
    try:
        with path.open("rb") as file:
            return _declared_end(file) > os.fstat(file.fileno()).st_size
    except (OSError, struct.error):
        return False


def _declared_end(file: BinaryIO) -> int:
    head = file.read(12)
    if head[:4] == b"RIFF":
        return 8 + int(struct.unpack("<I", head[4:8])[0])
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free"):
        return _box_end(file)
    if head[:4] == _MATROSKA:
        return _segment_end(file)
    return 0


def _box_end(file: BinaryIO) -> int:
    """Return where the last top-level box ends."""
    at, size = 0, os.fstat(file.fileno()).st_size
    while True:
        file.seek(at)
        head = file.read(16)
        if at >= size or len(head) < 8:
            return at
        length = int(struct.unpack(">I", head[:4])[0])
        if length == 1:
            length = int(struct.unpack(">Q", head[8:16])[0])
        if length < 8:  # 0: to the end of the file
            return size
        at += length


def _segment_end(file: BinaryIO) -> int:
    """Return where the segment ends, 0 if its size is unknown, as in live recordings."""
    file.seek(4)
    header, _ = _vint(file)
    file.seek(header, os.SEEK_CUR)
    if file.read(4) != b"\x18\x53\x80\x67":
        return 0
    segment, unknown = _vint(file)
    return 0 if segment == unknown else file.tell() + segment


def _vint(file: BinaryIO) -> tuple[int, int]:
    """Read a variable-size integer of EBML (RFC 8794, section 4); with the greatest of its width, meaning unknown."""
    first = file.read(1)
    width = 9 - int.from_bytes(first, "big").bit_length()
    data = first + file.read(width - 1)
    if width > 8 or len(data) < width:
        raise struct.error("no integer")
    greatest = (1 << 7 * width) - 1
    return int.from_bytes(data, "big") & greatest, greatest
