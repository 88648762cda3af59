"""Adds corrections from the running match to the selected learnt deck, if the deck allows it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from companion.cards import Card
from companion.decks.service.match_corrections import Corrected, with_corrections
from companion.decks.storage.deck_file import DeckFileError, LearntDeck
from companion.decks.storage.library import DeckLibrary
from companion.storage.store import Store, StoreError
from companion.table.session.table import Table

_log = logging.getLogger(__name__)


class Teaching:
    """Follows a table in its own thread until the table closes.

    chosen: returns the name of the selected deck. changed: called with the name of a deck that has changed.
    """

    def __init__(
        self,
        table: Table,
        store: Store,
        decks: DeckLibrary,
        chosen: Callable[[], str | None],
        changed: Callable[[str], None],
    ) -> None:
        self._table = table
        self._store = store
        self._decks = decks
        self._chosen = chosen
        self._changed = changed
        # The deck and match seen last, with their corrections.
        self._known: tuple[str, str, tuple[tuple[str, Card], ...]] | None = None
        threading.Thread(target=self._follow, name="teaching", daemon=True).start()

    def _follow(self) -> None:
        subscription = self._table.subscribe()
        while not subscription.closed:
            if subscription.next(None) is not None:
                try:
                    self.look()
                except (DeckFileError, StoreError) as error:
                    _log.warning("The corrections could not be learnt from: %s", error)

    def look(self) -> None:
        """Add the current corrections to the selected deck; raises DeckFileError, StoreError."""
        name, match, corrected = self._chosen(), self._table.match_id, self._table.corrected()
        if name is None or match is None or self._known == (name, match, corrected):
            return
        if not self._decks.load(name).learns:
            return
        self._known = name, match, corrected
        standing = [one for reading, card in corrected if (one := self._correction(match, reading, card)) is not None]
        changed = False

        def teach(deck: LearntDeck) -> LearntDeck:
            nonlocal changed
            taught = with_corrections(deck, match, standing)
            changed = taught.further != deck.further
            return taught if changed else deck

        self._decks.change(name, teach)
        if changed:
            self._changed(name)

    def _correction(self, match: str, reading: str, card: Card) -> Corrected | None:
        """Return a reading together with people's correction; the original reading is evidence for the name as well."""
        kept = self._store.reading(match, reading)
        return None if kept is None else Corrected(reading, card, kept.picture, kept.quad)
