"""Validates encoded pictures before a decoder sees them: format, size, completeness.

Decoders trust a file's own fields: a PNG of 45 bytes can claim four gigabytes, a JPEG with a thousand scans is decoded
a thousand times. This module reads only the structure, in time linear in the file's size.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

MAX_PIXELS = 60_000_000
"""Large phone cameras have 50 megapixels, some slightly more."""

_MOST_BYTES = 4 * MAX_PIXELS  # Decoded size at eight bits with transparency.
_MOST_SCANS = 32  # A progressive JPEG has about ten.
_MOST_PARTS = 20_000  # A PNG of 40 MB has five thousand chunks of the usual 8 kB.

# Brands of HEIC, the phones' format, in the first box of the file (ISO/IEC 23008-12, annex B); no decoder is at hand.
_HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"})
# Brands of AVIF: a picture and a sequence. The size of each item stands in an `ispe` box before the pictures' data.
_AVIF = frozenset({b"avif", b"avis"})

_NOT_FILL = re.compile(rb"[^\xff]")


class EncodingError(ValueError):
    """The file is incomplete or too large to decode. The message completes a sentence that starts with its name."""


@dataclass(frozen=True, slots=True)
class PictureHead:
    """The format a file declares. kind: `jpeg`, `png`, `webp`, `gif` or `avif`. width, height: pixels as stored.

    ended: False for a JPEG without end marker, of which only the decoder can tell how much is missing.
    """

    kind: str
    width: int
    height: int
    ended: bool = True


def inspect(data: bytes) -> PictureHead | None:
    """Return the file's format and size, None if unknown; raises EncodingError if cut off, malformed or too large."""
    try:
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            head = _png(data)
        elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            head = _webp(data)
        elif data[:3] == b"\xff\xd8\xff":
            head = _jpeg(data)
        elif data[:6] in (b"GIF87a", b"GIF89a"):
            head = PictureHead("gif", *struct.unpack("<HH", data[6:10]))
        elif data[4:8] == b"ftyp" and data[8:12] in _AVIF:
            head = _avif(data)
        elif data[4:8] == b"ftyp" and data[8:12] in _HEIC:
            raise EncodingError("is an HEIC picture: choose JPEG in the phone's camera settings, or save it as JPEG")
        else:
            return None
    except (struct.error, IndexError) as error:
        raise EncodingError("is cut off") from error
    if not 0 < head.width * head.height <= MAX_PIXELS:
        raise EncodingError(f"has {head.width} x {head.height} pixels: {MAX_PIXELS / 1e6:.0f} million can be read")
    return head


def _avif(data: bytes) -> PictureHead:
    """Return the size of the largest item, which a decoder may have to hold."""
    if data[8:12] == b"avis":
        raise EncodingError("is animated")
    items = [found.end() + 4 for found in re.finditer(b"ispe", data.partition(b"mdat")[0])]
    if not items:
        raise EncodingError("has no head")
    sizes = [struct.unpack(">II", data[at : at + 8]) for at in items]
    return PictureHead("avif", *max(sizes, key=math.prod))


def _png(data: bytes) -> PictureHead:
    chunks = _chunks(data, 8, ">", 4)
    name, start, length = next(chunks, (b"", 0, 0))
    if name != b"IHDR" or length != 13:
        raise EncodingError("has no head")
    width, height, depth, color = struct.unpack(">IIBB", data[start : start + 10])
    if width * height * {2: 3, 4: 2, 6: 4}.get(color, 1) * max(1, depth // 8) > _MOST_BYTES:
        raise EncodingError(f"has {width} x {height} pixels of too many bits")
    names = set()
    for name, _, _ in chunks:
        names.add(name)
        if name == b"acTL":
            raise EncodingError("is animated")
        if name == b"IEND":
            break
    if not names >= {b"IDAT", b"IEND"}:
        raise EncodingError("is cut off")
    return PictureHead("png", width, height)


def _webp(data: bytes) -> PictureHead:
    found = None
    for name, start, _ in _chunks(data, 12, "<", 0):
        if name in (b"ANIM", b"ANMF"):
            raise EncodingError("is animated")
        if name == b"VP8L":
            bits = int.from_bytes(data[start + 1 : start + 5], "little")
            found = PictureHead("webp", 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
        if name == b"VP8 ":
            if data[start + 3 : start + 6] != b"\x9d\x01\x2a":
                raise EncodingError("has no head")
            width, height = struct.unpack("<HH", data[start + 6 : start + 10])
            found = PictureHead("webp", width & 0x3FFF, height & 0x3FFF)
    if found is None:
        raise EncodingError("is cut off")
    return found


def _chunks(data: bytes, at: int, order: str, trailer: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, start and length of each chunk of PNG (`>`, trailer of 4 bytes) or RIFF; raises EncodingError."""
    for _ in range(_MOST_PARTS):
        if at == len(data):
            return
        if order == ">":
            length, name = struct.unpack(">I4s", data[at : at + 8])
        else:
            name, length = struct.unpack("<4sI", data[at : at + 8])
        end = at + 8 + length + trailer
        if end > len(data):
            raise EncodingError("is cut off")
        yield name, at + 8, length
        # RIFF pads chunks to an even length; the last chunk of some files lacks the padding.
        at = end if trailer else min(end + (length & 1), len(data))
    raise EncodingError("has too many parts")


def _jpeg(data: bytes) -> PictureHead:
    head, progressive = None, False
    at = 2
    for _ in range(_MOST_PARTS):
        # Decoders skip stray bytes between segments.
        start = data.find(b"\xff", at)
        mark = _NOT_FILL.search(data, start) if start >= 0 else None
        if mark is None:
            raise EncodingError("is cut off")
        marker, at = data[mark.start()], mark.end()
        if marker in (0x01, *range(0xD0, 0xD8)):
            continue
        if marker == 0xDA and head is not None:
            end = data.find(b"\xff\xd9", at)
            # A progressive one without its end would be decoded at lower quality without notice.
            if end < 0 and progressive:
                raise EncodingError("is cut off")
            if data.count(b"\xff\xda", at, len(data) if end < 0 else end) >= _MOST_SCANS:
                raise EncodingError("has too many scans")
            return head if end >= 0 else replace(head, ended=False)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 3 : at + 7])
            head = PictureHead("jpeg", width, height)
            progressive = marker not in (0xC0, 0xC1)
        at += int(struct.unpack(">H", data[at : at + 2])[0])
    raise EncodingError("has too many parts")
