"""Untrusted ZIP files: whatever is wrong with one raises ZipFileError, from a deck's file and from a backup alike."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator
from contextlib import suppress

import pytest

from companion.decks.storage.deck_file import DeckFileError, unpack
from companion.zip_files import MemberTooLargeError, ZipFileError, open_zip, read_member

CONTENT = random.Random(5).randbytes(3000) * 2


def zipped(compression: int = zipfile.ZIP_DEFLATED, name: str = "deck.json") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.writestr(name, CONTENT)
    return file.getvalue()


def spoilt(data: bytes, at: int, byte: int) -> bytes:
    return data[:at] + bytes([byte]) + data[at + 1 :]


def hostile() -> Iterator[tuple[str, bytes]]:
    """Yield files with one fault each, and the name of the fault."""
    data = zipped()
    directory = data.index(b"PK\x01\x02")
    yield "no ZIP file", b"deck"
    yield "cut", data[:-30]
    yield "another member", zipped(name="other.json")
    yield "damaged stream", spoilt(data, 60, data[60] ^ 0xFF)
    yield "invalid block", spoilt(data, len("deck.json") + 30, 0xFF)
    yield "encrypted", spoilt(data, directory + 8, data[directory + 8] | 1)
    yield "unknown compression", spoilt(data, directory + 10, 77)
    yield "bzip2", zipped(zipfile.ZIP_BZIP2)
    yield "lzma", zipped(zipfile.ZIP_LZMA)
    lzma = zipped(zipfile.ZIP_LZMA)
    yield "damaged lzma", spoilt(lzma, 90, lzma[90] ^ 0xFF)
    yield "wrong offset", spoilt(data, directory + 45, 0x7F)


FAULTS = dict(hostile())


def read(data: bytes, most: int = 10_000) -> bytes:
    with open_zip(io.BytesIO(data)) as archive:
        return read_member(archive, "deck.json", most)


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_stored_and_deflated_members_are_read(compression: int) -> None:
    assert read(zipped(compression)) == CONTENT


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_raises_one_error_with_a_sentence(fault: str) -> None:
    with pytest.raises(ZipFileError, match=r"^[^\n]+\.$"):
        read(FAULTS[fault])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_deck_with_such_a_fault_is_refused(fault: str) -> None:
    with pytest.raises(DeckFileError, match=r"^[^\n]+\.$"):
        unpack(FAULTS[fault])


def test_a_member_is_read_up_to_its_limit() -> None:
    assert read(zipped(), len(CONTENT)) == CONTENT
    with pytest.raises(MemberTooLargeError):
        read(zipped(), len(CONTENT) - 1)


def test_random_damage_raises_nothing_else() -> None:
    dice, data = random.Random(4), zipped()
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(dice.randrange(1, 12)):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
        with suppress(ZipFileError):
            read(bytes(changed))
