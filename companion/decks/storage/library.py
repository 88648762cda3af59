"""The folder of learnt decks, one file each, with the cached data for reading."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from companion.decks.storage.deck_file import MAX_BYTES, NAME, DeckFileError, LearntDeck, pack, unpack
from companion.editions import Edition

SUFFIX = ".deck"


@dataclass(frozen=True)
class DeckSummary:
    """Summary of a deck for lists: number of cards and of different faces.

    learns: whether matches add to it. further: number of pictures they added.
    """

    name: str
    edition: Edition
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
    """A folder of decks. Raises DeckFileError with one sentence if an operation fails."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A match may add to a deck while a user renames it or changes its settings.
        self._changing = threading.RLock()

    def list(self) -> list[DeckSummary]:
        """Return the decks by name; invalid files are skipped."""
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
        """Return the deck of this name; raises NoSuchDeckError if there is none."""
        return unpack(self.export(name))

    def export(self, name: str) -> bytes:
        """Return the file of the deck of this name; raises NoSuchDeckError if there is none."""
        path = self.path(name)
        if not path.is_file():
            raise NoSuchDeckError(name)
        return _bytes(path)

    def save(self, deck: LearntDeck) -> Path:
        """Write a deck, replacing one of the same name; returns its file."""
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
        """Store the deck of a file's bytes, optionally under another name; never overwrites a deck."""
        deck = unpack(data)
        deck = replace(deck, name=name or deck.name)
        if self.path(deck.name).exists():
            raise DeckFileError(f"There is a deck called {deck.name!r} already.")
        self.save(deck)
        return deck

    def rename(self, name: str, new: str) -> None:
        """Rename a deck to an unused name."""
        with self._changing:
            deck = self.load(name)
            if self.path(new) != self.path(name) and self.path(new).exists():
                raise DeckFileError(f"There is a deck called {new!r} already.")
            self.save(replace(deck, name=new))
            if self.path(new) != self.path(name):
                self.delete(name)

    def let_learn(self, name: str, learns: bool) -> None:
        """Set whether corrections in a match add to a deck; existing additions stay."""
        self.change(name, lambda deck: replace(deck, learns=learns))

    def change(self, name: str, change: Callable[[LearntDeck], LearntDeck]) -> None:
        """Apply a change to a deck, one at a time; raises NoSuchDeckError if there is none."""
        with self._changing:
            before = self.load(name)
            after = change(before)
            if after is not before:
                self.save(after)

    def delete(self, name: str) -> None:
        """Delete a deck and its cached data."""
        path = self.path(name)
        with self._changing:
            if not path.is_file():
                raise NoSuchDeckError(name)
            # Cached data lie beside it, those of other versions with other endings.
            for file in self.folder.glob(f"{path.stem}.*"):
                file.unlink(missing_ok=True)

    def path(self, name: str) -> Path:
        """Return the file of a deck; raises DeckFileError for an invalid name."""
        if not re.fullmatch(NAME, name) or not name.strip():
            raise DeckFileError("A deck's name has 1 to 60 characters and no slashes.")
        stem = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40]
        return self.folder / f"{stem}-{hashlib.sha256(name.encode()).hexdigest()[:8]}{SUFFIX}"


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DeckFileError(f"{path} is larger than a deck's file can be.")
        return path.read_bytes()
    except OSError as error:
        raise DeckFileError(f"{path} cannot be read: {error.strerror}.") from error
