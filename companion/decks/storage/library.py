"""The decks that were learnt, one file each in a folder, and what of them is kept to read with at once."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from companion.cards import EditionName
from companion.decks.storage.deck_file import MOST_BYTES, NAME, DeckFileError, LearntDeck, pack, unpack

SUFFIX = ".deck"


@dataclass(frozen=True)
class DeckSummary:
    """What a list of decks says of one: how many cards it rests on, how many different ones they are.

    learns: whether matches add to it. further: how many pictures they have added.
    """

    name: str
    edition: EditionName
    cards: int
    faces: int
    learns: bool = False
    further: int = 0


class NoSuchDeckError(DeckFileError):
    """No deck has this name. `name` is the name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no deck called {name!r}; `companion decks list` shows those there are.")
        self.name = name


class DeckLibrary:
    """A folder of decks. Raises DeckFileError, with one sentence, where something cannot be done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A match adds to a deck while people rename it or turn its switch.
        self._changing = threading.RLock()

    def list(self) -> list[DeckSummary]:
        """Return the decks there are, by name; files that are no decks are left out."""
        found = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            try:
                deck = unpack(_bytes(path))
            except DeckFileError:
                continue
            counts = len(deck.cards), deck.faces
            found.append(DeckSummary(deck.name, deck.edition, *counts, deck.learns, len(deck.further)))
        return sorted(found, key=lambda summary: summary.name.casefold())

    def load(self, name: str) -> LearntDeck:
        """Return the deck of this name; raises NoSuchDeckError where there is none."""
        return unpack(self.export(name))

    def export(self, name: str) -> bytes:
        """Return the file of the deck of this name; raises NoSuchDeckError where there is none."""
        path = self.path(name)
        if not path.is_file():
            raise NoSuchDeckError(name)
        return _bytes(path)

    def save(self, deck: LearntDeck) -> Path:
        """Write a deck in place of one of the same name; returns its file."""
        path = self.path(deck.name)
        partial = path.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(pack(deck))
            partial.replace(path)
        except OSError as error:
            raise DeckFileError(f"{path} cannot be written: {error.strerror}.") from error
        return path

    def add(self, data: bytes, name: str | None = None) -> LearntDeck:
        """Keep the deck of a file's bytes, under another name where one is given; none is ever written over."""
        deck = unpack(data)
        deck = replace(deck, name=name or deck.name)
        if self.path(deck.name).exists():
            raise DeckFileError(f"There is a deck called {deck.name!r} already.")
        self.save(deck)
        return deck

    def rename(self, name: str, new: str) -> None:
        """Give a deck another name that no deck has."""
        with self._changing:
            deck = self.load(name)
            if self.path(new) != self.path(name) and self.path(new).exists():
                raise DeckFileError(f"There is a deck called {new!r} already.")
            self.save(replace(deck, name=new))
            if self.path(new) != self.path(name):
                self.delete(name)

    def let_learn(self, name: str, learns: bool) -> None:
        """Let what people correct in a match add to a deck from now on, or not; what it has learnt stays."""
        self.change(name, lambda deck: replace(deck, learns=learns))

    def change(self, name: str, change: Callable[[LearntDeck], LearntDeck]) -> None:
        """Keep a deck as it is after a change, one change at a time; raises NoSuchDeckError where there is none."""
        with self._changing:
            before = self.load(name)
            after = change(before)
            if after is not before:
                self.save(after)

    def delete(self, name: str) -> None:
        """Delete a deck, and what was worked out from it."""
        path = self.path(name)
        with self._changing:
            if not path.is_file():
                raise NoSuchDeckError(name)
            # Beside it lies what was worked out from it, other versions' files with other endings included.
            for file in self.folder.glob(f"{path.stem}.*"):
                file.unlink(missing_ok=True)

    def path(self, name: str) -> Path:
        """Return the file of a deck; raises DeckFileError where a deck cannot be called that."""
        if not re.fullmatch(NAME, name) or not name.strip():
            raise DeckFileError("A deck's name has 1 to 60 characters and no slashes.")
        plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40]
        return self.folder / f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}{SUFFIX}"


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DeckFileError(f"{path} is larger than a deck's file can be.")
        return path.read_bytes()
    except OSError as error:
        raise DeckFileError(f"{path} cannot be read: {error.strerror}.") from error
