"""Pictures are checked by their structure before decoding; truncated, huge and malicious ones are refused."""

from __future__ import annotations

import random
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.vision.capture.frames import SourceError
from companion.vision.capture.image_files import PictureError, decode_picture, pictures_in
from companion.vision.capture.image_headers import EncodingError, PictureHead, inspect
from companion.vision.capture.sources import VideoFile

_RNG = np.random.default_rng(3)
IMAGE = cv2.GaussianBlur(_RNG.integers(0, 255, (90, 160, 3), np.uint8), (9, 9), 3)


def encoded(kind: str, *options: int) -> bytes:
    _, data = cv2.imencode(f".{kind}", IMAGE, list(options))
    return data.tobytes()


def chunk(name: bytes, data: bytes, length: int | None = None) -> bytes:
    return (
        struct.pack(">I", len(data) if length is None else length)
        + name
        + data
        + struct.pack(">I", zlib.crc32(name + data))
    )


def png(width: int = 4, height: int = 4, *parts: bytes, depth: int = 8, color: int = 2) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(parts)


WHOLE = {
    "jpeg": encoded("jpg"),
    "progressive": encoded("jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    "png": encoded("png"),
    "webp": encoded("webp", cv2.IMWRITE_WEBP_QUALITY, 80),
    "lossless": encoded("webp", cv2.IMWRITE_WEBP_QUALITY, 101),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_picture_is_known_by_its_head_and_decoded(name: str) -> None:
    kind = {"progressive": "jpeg", "lossless": "webp"}.get(name, name)
    assert inspect(WHOLE[name]) == PictureHead(kind, 160, 90)
    assert decode_picture(WHOLE[name]).shape == (90, 160, 3)


@pytest.mark.parametrize("name", WHOLE)
def test_a_picture_that_is_cut_off_is_none(name: str) -> None:
    data = WHOLE[name]
    # Of a plain JPEG, a few missing bytes spoil a corner at most.
    for share in (0.02, 0.1, 1 / 3, 0.9, *([] if name == "jpeg" else [0.999])):
        cut = data[: max(12, int(len(data) * share))]
        with pytest.raises(PictureError):
            decode_picture(cut)


@pytest.mark.parametrize(
    "data",
    [
        png() + struct.pack(">I", 0xF000_0000) + b"IDAT" + bytes(4),
        png(4, 4, chunk(b"IDAT", b"", 0x7FFF_FFFF)),
        png(60_000, 60_000, chunk(b"IDAT", b"x"), chunk(b"IEND", b"")),
        png(7_000, 8_000, chunk(b"IDAT", b"x"), chunk(b"IEND", b""), depth=16, color=6),
        png(4, 4, chunk(b"acTL", bytes(8)), chunk(b"IDAT", b"x"), chunk(b"IEND", b"")),
        png(0, 4, chunk(b"IDAT", b"x"), chunk(b"IEND", b"")),
        png(4, 4, *[chunk(b"tEXt", b"")] * 30_000, chunk(b"IDAT", b"x"), chunk(b"IEND", b"")),
        b"\xff\xd8" + b"\xff" * 5_000_000,
        b"\xff\xd8" + b"\xff\xd0" * 100_000,
        WHOLE["progressive"][:-2] + b"\xff\xda\x00\x02" * 1000 + b"\xff\xd9",
        b"RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff",
        b"RIFF\x10\x00\x00\x00WEBPANMF\x00\x00\x00\x00",
    ],
)
def test_what_would_exhaust_a_decoder_never_reaches_one(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(cv2, "imdecode", decode)
    with pytest.raises(EncodingError):
        inspect(data)
    with pytest.raises(PictureError):
        decode_picture(data)


def test_a_jpeg_with_stray_bytes_or_without_its_end_is_read() -> None:
    data = WHOLE["jpeg"]
    segment = data.index(b"\xff\xdb")
    stray = data[:segment] + b"\x00\x01" + data[segment:]
    for odd in (stray, data[:-2], data[:-1]):
        assert (decode_picture(odd) == decode_picture(data)).all()


@pytest.mark.parametrize("kind", ["gif", "avif"])
def test_further_formats_are_known_by_their_head(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(kind)
    assert inspect(data) == PictureHead(kind, 160, 90)
    assert decode_picture(data).shape == (90, 160, 3)
    size = struct.pack("<HH", 160, 90) if kind == "gif" else struct.pack(">II", 160, 90)
    huge = struct.pack("<HH", 65_000, 65_000) if kind == "gif" else struct.pack(">II", 60_000, 60_000)
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("decoded"))
    with pytest.raises(PictureError, match="pixels"):
        decode_picture(data.replace(size, huge))


def test_a_folder_lists_all_pictures_and_nothing_else(tmp_path: Path) -> None:
    shown = ["a1.jpg", "a2.JPE", "a10.jfif", "b.avif", "c.HEIC", "d.gif", "e.cr2", "odd.photo"]
    for name in (*shown, "notes.txt", "labels.json", "film.mp4", ".DS_Store", "Thumbs.db", "LICENSE"):
        binary = name not in ("LICENSE", "notes.txt")
        (tmp_path / name).write_bytes(b"\x00\x01" if binary else b"words")
    (tmp_path / "sub.jpg").mkdir()
    assert [path.name for path in pictures_in(tmp_path)] == shown


def test_a_picture_in_a_phone_s_own_format_gets_advice() -> None:
    with pytest.raises(PictureError, match="JPEG"):
        decode_picture(b"\0\0\0\x24ftypheic" + bytes(40))


def test_rubbish_is_refused_and_nothing_else_happens() -> None:
    dice = random.Random(5)
    for data in WHOLE.values():
        for _ in range(200):
            spoilt = bytearray(data)
            for _ in range(dice.randrange(1, 12)):
                spoilt[dice.randrange(min(len(spoilt), 300))] = dice.randrange(256)
            with suppress(EncodingError):
                inspect(bytes(spoilt))


def test_a_film_that_breaks_off_is_no_healthy_one(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, (160, 90))
    for _ in range(75):
        writer.write(IMAGE)
    writer.release()
    assert len(list(VideoFile(path).frames())) == 75
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 3])
    taken = []
    with pytest.raises(SourceError, match="breaks off after 1 seconds"):
        taken.extend(frame.number for frame in VideoFile(path).frames())
