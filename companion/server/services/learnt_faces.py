"""The pictures of special cards in the learnt deck that is read with, for the cards that pages draw."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from companion.cards import Card
from companion.decks.storage.deck_file import DeckFileError
from companion.decks.storage.library import DeckLibrary
from companion.editions.edition import STANDARD


class LearntFaces:
    """One picture of each special card of the selected deck, read again when its file has changed. Thread-safe.

    chosen: returns the name of the selected deck, None without one.
    """

    def __init__(self, decks: DeckLibrary, chosen: Callable[[], str | None]) -> None:
        self._decks, self._chosen = decks, chosen
        self._lock = threading.Lock()
        self._seen: tuple[Path, int] | None = None
        self._pictures: Mapping[Card, bytes] = {}

    def pictures(self) -> Mapping[Card, bytes]:
        """Return the pictures (JPEG bytes) by card, none without a deck that can be read."""
        name = self._chosen()
        with self._lock:
            try:
                seen = None if name is None else (path := self._decks.path(name), path.stat().st_mtime_ns)
                if seen != self._seen:
                    self._pictures = {} if name is None else self._load(name)
                    self._seen = seen
            except (DeckFileError, OSError):
                self._pictures, self._seen = {}, None
            return self._pictures

    def _load(self, name: str) -> dict[Card, bytes]:
        deck = self._decks.load(name)
        found: dict[Card, bytes] = {}
        for card, jpeg in zip(deck.cards, deck.jpegs, strict=False):
            if card.face not in STANDARD:
                found.setdefault(card, jpeg)
        return found
