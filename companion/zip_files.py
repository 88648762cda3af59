"""Reading of untrusted ZIP files: each fault of the file raises one error, and no member is larger than is allowed."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

_PART = 1024 * 1024
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, RuntimeError, ValueError)
"""What zipfile raises for a file that is damaged, encrypted, or of a later format."""


class ZipFileError(Exception):
    """The file is no ZIP file, is damaged or encrypted, lacks the member, or is compressed in an unsupported way.

    The message is one sentence for people.
    """


class MemberTooLargeError(ZipFileError):
    """A member has more bytes than are allowed."""


@contextmanager
def open_zip(file: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP file for reading; raises ZipFileError."""
    try:
        archive = zipfile.ZipFile(file)
    except _FAULTS as error:
        raise ZipFileError("This is no ZIP file, or a damaged one.") from error
    with archive:
        yield archive


def read_parts(archive: zipfile.ZipFile, name: str, most: int) -> Iterator[bytes]:
    """Yield the bytes of a member in parts; raises ZipFileError, and MemberTooLargeError beyond `most` bytes.

    The size that the archive declares is not trusted. Only stored and deflated members are read.
    """
    read = 0
    try:
        if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ZipFileError(f"{name} in this file is compressed in an unsupported way.")
        with archive.open(name) as member:
            while part := member.read(_PART):
                read += len(part)
                if read > most:
                    raise MemberTooLargeError(f"{name} in this file is larger than {most // 1_000_000} MB.")
                yield part
    except _FAULTS as error:
        raise ZipFileError(f"{name} in this file is missing or damaged.") from error


def read_member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return the bytes of a member; raises as `read_parts` does."""
    return b"".join(read_parts(archive, name, most))
