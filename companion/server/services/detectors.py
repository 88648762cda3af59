"""The detectors that read the match's pictures, with the selected learnt deck, in the edition in play."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from companion.decks.model.edition_cards import deck_cards
from companion.decks.service.deck_detector import deck_detector
from companion.decks.service.membership import DeckFit
from companion.decks.storage.library import DeckLibrary
from companion.editions import Edition
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.table_tracker import FindBacks

_log = logging.getLogger(__name__)


class Detectors:
    """Detectors by the shipped networks, loaded on demand. Thread-safe.

    decks: where learnt decks are stored. edition: returns the edition in play. model: folder of the networks, None for
    the shipped ones. changed: called when it turns out whether the cards are of the selected deck.
    """

    def __init__(
        self,
        decks: DeckLibrary,
        edition: Callable[[], Edition | None],
        model: Path | None,
        changed: Callable[[], None],
    ) -> None:
        self._decks, self._edition, self._model, self._changed = decks, edition, model, changed
        self._lock = threading.Lock()
        self._loaded: dict[Edition | None, CardDetector] = {}
        self._fit: DeckFit | None = None
        self.deck: str | None = None
        """Name of the selected learnt deck."""

    def choose(self, name: str | None) -> None:
        """Read with this learnt deck, or with none; raises DeckFileError."""
        fit = None if name is None else DeckFit(self._decks.load(name))
        with self._lock:
            self.deck, self._fit = name, fit
            self._loaded.clear()

    def refresh(self, name: str) -> None:
        """Reload a deck that has learnt something. Reading continues with the old one meanwhile."""
        edition = self._edition()
        try:
            detector = deck_detector(self._decks, name, edition, self._model)
        except ModelFileError as error:
            _log.warning("What the deck has learnt is read with later: %s", error)
            return
        with self._lock:
            if self.deck == name:
                self._loaded = {edition: detector}

    @property
    def is_another_deck(self) -> bool:
        """Whether most recently read cards are not of the selected deck."""
        return self._fit is not None and self._fit.is_another

    def pile(self) -> Detect:
        """Return the detector for the pile; raises ModelFileError."""
        # The camera outlives a match, and the next match may use another edition.
        self._networks()
        return lambda image: self._compared(image, lambda networks: networks.detect_pile(image))

    def closeup(self) -> Detect:
        """Return the detector for the pile's surroundings; raises ModelFileError."""
        self._networks()
        return lambda image: self._networks().detect_closeup(image)

    def picture(self) -> Detect:
        """Return the detector for any picture; raises ModelFileError."""
        self._networks()
        return lambda image: self._compared(image, lambda networks: networks.detect(image))

    def backs(self) -> FindBacks:
        """Return the detector for face-down cards; raises ModelFileError."""
        self._networks()
        return lambda image: self._networks().backs(image)

    def _networks(self) -> CardDetector:
        edition = self._edition()
        with self._lock:
            if edition not in self._loaded:
                if self.deck is not None:
                    self._loaded[edition] = deck_detector(self._decks, self.deck, edition, self._model)
                else:
                    cards = None if edition is None else deck_cards(edition)
                    self._loaded[edition] = CardDetector.shipped(cards, self._model)
            return self._loaded[edition]

    def _compared(self, image: Image, detect: Callable[[CardDetector], list[Sighting]]) -> list[Sighting]:
        """Return the cards found, after comparing them with the selected deck."""
        networks = self._networks()
        found = detect(networks)
        if self._fit is not None:
            before = self._fit.is_another
            self._fit.see(networks.reader, image, found)
            if self._fit.is_another is not before:
                self._changed()
        return found


class GivenDetectors(Detectors):
    """The same detector for every purpose, without any networks; it finds no card backs."""

    def __init__(self, detect: Detect, decks: DeckLibrary) -> None:
        super().__init__(decks, lambda: None, None, lambda: None)
        self._detect = detect

    def refresh(self, name: str) -> None:
        """Do nothing: a learnt deck does not change the detector."""

    def pile(self) -> Detect:
        """Return the detector."""
        return self._detect

    def closeup(self) -> Detect:
        """Return the detector."""
        return self._detect

    def picture(self) -> Detect:
        """Return the detector."""
        return self._detect

    def backs(self) -> FindBacks:
        """Return a detector that finds nothing."""
        return lambda _: []
