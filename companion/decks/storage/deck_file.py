"""A learnt deck and its file: a zip archive of the cards' pictures (JPEG) and one JSON document.

Files are untrusted: names, sizes, shapes and counts are checked before anything is decoded, and nothing is executed.
"""

from __future__ import annotations

import io
import itertools
import zipfile
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from companion.cards import Card, EditionName
from companion.decks.model.card_views import PICTURE, Spot
from companion.editions import EDITIONS, Edition
from companion.editions.library import edition_of
from companion.vision.capture.image_headers import EncodingError, PictureHead, inspect
from companion.vision.core.geometry import Image
from companion.zip_files import ZipFileError, open_zip, read_member

MAX_CARDS = 240
"""Maximum number of pictures: two decks of 112 cards and some repetitions."""
MAX_FURTHER, MAX_PER_CARD = 100, 4
"""Maximum number of further views from matches, in total and per card: a few lamps and tables in a small file that
loads in seconds.
"""
MAX_BYTES = 40_000_000
"""Maximum file size in bytes, packed or unpacked: 340 pictures of 100 KB plus metadata."""
NAME = r"^[^\x00-\x1f/\\<>]{1,60}$"
"""Valid deck names."""
_VERSION = 1
_QUALITY = 90
_INDEX = "deck.json"


class DeckFileError(Exception):
    """A missing, damaged or invalid deck file. The message is one sentence for the user."""


@dataclass(frozen=True)
class FurtherView:
    """A picture from a match whose card people named, usually after a misreading.

    jpeg: the stored picture, of size PICTURE. match, reading: identifiers of the match and of the reading.
    """

    card: Card
    jpeg: bytes
    match: str
    reading: str

    @property
    def picture(self) -> Image:
        """The (480, 320, 3) BGR uint8 picture; raises DeckFileError if the bytes are not one of that size."""
        return _picture(self.jpeg)


@dataclass(frozen=True, eq=False)
class LearntDeck:
    """A deck with known cards: pictures[i], (480, 320, 3) BGR uint8, shows cards[i].

    asked: number of questions during learning. spot: index position of the design, None without indices. learns:
    whether corrections in a match add views, oldest first in `further`. jpegs: the pictures as stored in a file, so
    that rewriting loses no quality. unnamed: pictures of cards with an uncertain name, of size PICTURE, JPEG.
    """

    name: str
    edition: Edition
    cards: tuple[Card, ...]
    pictures: tuple[Image, ...]
    spot: Spot | None = None
    asked: int = 0
    learns: bool = False
    further: tuple[FurtherView, ...] = ()
    jpegs: tuple[bytes, ...] = ()
    unnamed: tuple[bytes, ...] = ()

    @cached_property
    def unnamed_pictures(self) -> tuple[Image, ...]:
        """The pictures of cards with an uncertain name; raises DeckFileError if the bytes are not pictures of that
        size.
        """
        return tuple(map(_picture, self.unnamed))

    @property
    def all_pictures(self) -> tuple[Image, ...]:
        """The pictures of all cards, those without a name last; raises like `unnamed_pictures`."""
        return (*self.pictures, *self.unnamed_pictures)

    @property
    def faces(self) -> int:
        """Number of different cards learnt."""
        return len(set(self.cards))


class _UnnamedEntry(BaseModel):
    model_config = ConfigDict(extra="forbid")
    picture: str = Field(pattern=r"^[0-9]{3}\.jpg$")


class _Entry(_UnnamedEntry):
    card: str = Field(max_length=40)


class _Further(_Entry):
    match: str = Field(max_length=60)
    reading: str = Field(max_length=60)


class _Index(BaseModel):
    model_config = ConfigDict(extra="forbid")
    version: int
    name: str = Field(pattern=NAME)
    edition: str = Field(max_length=40)
    definition: dict[str, Any] | None = None
    asked: int = Field(ge=0, le=1000)
    spot: Spot | None
    cards: list[_Entry] = Field(min_length=1, max_length=MAX_CARDS)
    learns: bool = False
    further: list[_Further] = Field(default=[], max_length=MAX_FURTHER)
    unnamed: list[_UnnamedEntry] = Field(default=[], max_length=MAX_CARDS)
    # Older files state where the design has signs that look like indices; they are not used.
    signs: list[Spot] = Field(default=[], exclude=True)


def pack(deck: LearntDeck) -> bytes:
    """Return the deck's file."""
    buffer, numbers = io.BytesIO(), itertools.count()
    jpegs = deck.jpegs or [encoded(picture) for picture in deck.pictures]
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        # Members have no date, so that the same deck gives the same file.
        def add(jpeg: bytes) -> str:
            """Add a picture to the archive and return its name there."""
            name = f"{next(numbers):03}.jpg"
            archive.writestr(zipfile.ZipInfo(name), jpeg)
            return name

        index = _Index(
            version=_VERSION,
            name=deck.name,
            edition=deck.edition.id,
            definition=None if deck.edition.is_printed else dict(deck.edition.definition),
            asked=deck.asked,
            spot=deck.spot,
            cards=[_Entry(card=card.name, picture=add(jpeg)) for card, jpeg in zip(deck.cards, jpegs, strict=True)],
            learns=deck.learns,
            further=[
                _Further(card=view.card.name, picture=add(view.jpeg), match=view.match, reading=view.reading)
                for view in deck.further
            ],
            unnamed=[_UnnamedEntry(picture=add(jpeg)) for jpeg in deck.unnamed],
        )
        archive.writestr(zipfile.ZipInfo(_INDEX), index.model_dump_json(indent=1))
    return buffer.getvalue()


def encoded(picture: Image) -> bytes:
    """Return a picture encoded for storage, JPEG."""
    ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    assert ok
    return data.tobytes()


def unpack(data: bytes) -> LearntDeck:
    """Return the deck of a file's bytes; raises DeckFileError if they are invalid, damaged or too large."""
    if len(data) > MAX_BYTES:
        raise DeckFileError(f"A deck's file has at most {MAX_BYTES // 1_000_000} MB.")
    try:
        with open_zip(io.BytesIO(data)) as archive:
            member = partial(read_member, archive, most=MAX_BYTES)
            members = archive.infolist()
            if len(members) > MAX_CARDS + MAX_FURTHER + 1 or sum(each.file_size for each in members) > MAX_BYTES:
                raise DeckFileError("This file holds more than a deck does.")
            index = _Index.model_validate_json(member(_INDEX))
            if index.version != _VERSION:
                raise DeckFileError("This deck is of another version of the companion.")
            edition = _edition(index)
            cards = tuple(edition.card(entry.card) for entry in index.cards)
            jpegs = tuple(member(entry.picture) for entry in index.cards)
            pictures = tuple(map(_picture, jpegs))
            further = tuple(
                FurtherView(edition.card(entry.card), member(entry.picture), entry.match, entry.reading)
                for entry in index.further
            )
            unnamed = tuple(member(entry.picture) for entry in index.unnamed)
    except (ZipFileError, KeyError, ValueError, RecursionError) as error:
        raise DeckFileError("This is no deck that the companion has learnt, or it is damaged.") from error
    spot = index.spot
    if spot and not all(0 < value < 1 for value in spot):
        raise DeckFileError("This deck says of its corners what cannot be.")
    for jpeg in [*(view.jpeg for view in further), *unnamed]:
        _picture(jpeg)
    if any(count > MAX_PER_CARD for count in Counter(view.card for view in further).values()):
        raise DeckFileError("This file holds more than a deck does.")
    return LearntDeck(index.name, edition, cards, pictures, spot, index.asked, index.learns, further, jpegs, unnamed)


def _edition(index: _Index) -> Edition:
    """Return a file's edition; one that is not printed is in the file. Raises ValueError."""
    if index.definition is None:
        return EDITIONS[EditionName(index.edition)]
    edition = edition_of(index.definition)
    if edition.is_printed or edition.id != index.edition:
        raise ValueError(f"the file says {index.edition}, and describes {edition.id}")
    return edition


def _picture(data: bytes) -> Image:
    width, height = PICTURE
    # The header states the size: nothing larger than a card's picture is decoded.
    try:
        head = inspect(data)
    except EncodingError as error:
        raise DeckFileError("A picture in this deck is damaged.") from error
    if head != PictureHead("jpeg", width, height):
        raise DeckFileError("A picture in this deck is not of a card's size.")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None or image.shape != (height, width, 3):
        raise DeckFileError("A picture in this deck is damaged.")
    return np.asarray(image, np.uint8)
