"""A learnt deck and its file: a zip archive of the cards' pictures (JPEG), one JSON and the readers' features.

A file from a stranger is data: names, sizes, shapes and counts are checked before anything is read, and nothing of it
is ever run.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from companion.cards import Card, EditionName
from companion.decks.views import PICTURE
from companion.vision.encoded import EncodingError, PictureHead, inspect
from companion.vision.geometry import Image

MOST_CARDS = 240
"""Pictures that a deck may rest on: two decks of 112, and some laid again."""
MOST_BYTES = 40_000_000
"""Size that a deck's file may have, packed or unpacked: 240 pictures of 100 KB, and their features."""
NAME = r"^[^\x00-\x1f/\\<>]{1,60}$"
"""What decks may be called."""
_VERSION = 1
_QUALITY = 90
_INDEX = "deck.json"


class DeckFileError(Exception):
    """A deck's file that is missing, damaged or no such file. The message is one sentence for a user."""


@dataclass(frozen=True, eq=False)
class LearntDeck:
    """A deck whose cards are known: pictures[i], (480, 320, 3) BGR uint8, shows cards[i].

    asked: how many questions it took. spot: where the design has its index, None where it has none.
    """

    name: str
    edition: EditionName
    cards: tuple[Card, ...]
    pictures: tuple[Image, ...]
    spot: tuple[float, float, float] | None = None
    asked: int = 0

    @property
    def faces(self) -> int:
        """How many different cards were learnt."""
        return len(set(self.cards))


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")
    card: str = Field(max_length=40)
    picture: str = Field(pattern=r"^[0-9]{3}\.jpg$")


class _Index(BaseModel):
    model_config = ConfigDict(extra="forbid")
    version: int
    name: str = Field(pattern=NAME)
    edition: EditionName
    asked: int = Field(ge=0, le=1000)
    spot: tuple[float, float, float] | None
    cards: list[_Entry] = Field(min_length=1, max_length=MOST_CARDS)


def pack(deck: LearntDeck) -> bytes:
    """Return the deck's file."""
    entries, buffer = [], io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for i, (card, picture) in enumerate(zip(deck.cards, deck.pictures, strict=True)):
            name = f"{i:03}.jpg"
            ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            assert ok
            archive.writestr(_entry(name), data.tobytes())
            entries.append(_Entry(card=card.name, picture=name))
        index = _Index(
            version=_VERSION, name=deck.name, edition=deck.edition, asked=deck.asked, spot=deck.spot, cards=entries
        )
        archive.writestr(_entry(_INDEX), index.model_dump_json(indent=1))
    return buffer.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an archive member without a date: the same deck gives the same file."""
    return zipfile.ZipInfo(name)


def unpack(data: bytes) -> LearntDeck:
    """Return the deck of a file's bytes; raises DeckFileError where they are no deck, or a damaged or outsized one."""
    if len(data) > MOST_BYTES:
        raise DeckFileError(f"A deck's file has at most {MOST_BYTES // 1_000_000} MB.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MOST_CARDS + 1 or sum(member.file_size for member in members) > MOST_BYTES:
                raise DeckFileError("This file holds more than a deck does.")
            index = _Index.model_validate_json(archive.read(_INDEX))
            if index.version != _VERSION:
                raise DeckFileError("This deck is of another version of the companion.")
            cards = tuple(Card.parse(entry.card) for entry in index.cards)
            pictures = tuple(_picture(archive.read(entry.picture)) for entry in index.cards)
    except DeckFileError:
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, RuntimeError, OSError) as error:
        raise DeckFileError("This is no deck that the companion has learnt, or it is damaged.") from error
    spot = index.spot
    if spot is not None and not all(0 < value < 1 for value in spot):
        raise DeckFileError("This deck says of its corners what cannot be.")
    return LearntDeck(index.name, index.edition, cards, pictures, spot, index.asked)


def _picture(data: bytes) -> Image:
    width, height = PICTURE
    # The size stands in the file's head: nothing larger than a card's picture is decoded.
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
