"""Text files as editors and shells of any system write them: UTF-8 or UTF-16, with or without a byte order mark."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes) -> str:
    """Return the text; raises UnicodeDecodeError if it is neither UTF-8 nor UTF-16 with a byte order mark."""
    return data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig")


def utf8_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file in UTF-8, as they arrive; UTF-16 is read whole. Raises UnicodeDecodeError."""
    first = file.readline()
    if first.startswith(_UTF16):
        yield from decode(first + file.read()).encode().splitlines(keepends=True)
        return
    if first:
        yield first
    yield from file
