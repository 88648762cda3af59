"""Keeps the running match in the store, and in memory for as long as the store cannot be written."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import replace

from companion.journal import Reading
from companion.store import Batch, NoSuchMatchError, RefusedBatchError, Store, StoreError, StoreFullError

RETRY_SECONDS = 5.0
"""How long after a failed write the next one is tried, so that a slow disk does not hold up the game."""

PICTURES_HELD = 64
"""How many pictures are held in memory, for screens and until they are written: 16 MB at most."""

_log = logging.getLogger(__name__)


class Keeper:
    """Writes batches in order. Not to be used by two threads at once.

    What the disk cannot take waits and is written first when it can. A match that the store will not take, because it
    was deleted or does not fit, is set aside alone: others go on. store: None keeps everything in memory, which is then
    no trouble worth a notice. clock: seconds that only go up, whatever people do to the time of day.
    """

    def __init__(self, store: Store | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._waiting: deque[Batch] = deque()
        self._retry_at = 0.0
        self._pictures: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._aside: dict[str, StoreError] = {}
        self._match: str | None = None
        self._disk: StoreError | None = None

    @property
    def trouble(self) -> StoreError | None:
        """Why not all is on the disk: what ails the disk, or else the match written to last; None for nothing."""
        return self._disk or (self._aside.get(self._match) if self._match else None)

    @property
    def saved(self) -> bool:
        """Whether everything of the match written to last is on the disk."""
        return self._store is not None and not self._waiting and self._match not in self._aside

    def write(self, batch: Batch) -> None:
        """Write the batch durably, or hold it while the store cannot be written; `trouble` says why."""
        self._match = batch.match_id
        for reading in batch.readings:
            self._hold(batch.match_id, reading)
        if self._store is None or batch.match_id in self._aside:
            return
        bare = tuple(replace(reading, picture=None) for reading in batch.readings)
        if self._waiting:
            # Pictures would fill the memory; their newest are held above.
            self._waiting.append(replace(batch, readings=bare))
            self.retry()
            return
        try:
            self._write(batch)
        except StoreFullError as error:
            # There may be room for the moves, which matter more.
            self._fail(error, replace(batch, readings=bare))
            self.retry(now=True)
        except StoreError as error:
            self._fail(error, replace(batch, readings=bare))

    def retry(self, *, now: bool = False) -> None:
        """Write what waits, if it is time to try again."""
        if self._store is None or not self._waiting or (not now and self._clock() < self._retry_at):
            return
        try:
            while self._waiting:
                if self._waiting[0].match_id not in self._aside:
                    self._write(self._waiting[0])
                self._waiting.popleft()
        except StoreError as error:
            self._disk = error
            self._retry_at = self._clock() + RETRY_SECONDS
        else:
            self._disk = None
            _log.info("what waited is on the disk")

    def picture(self, match_id: str, reading_id: str) -> bytes | None:
        """Return the reading's picture as JPEG bytes, None where it is not kept or cannot be read."""
        held = self._pictures.get((match_id, reading_id))
        if held is not None or self._store is None:
            return held
        try:
            return self._store.picture(match_id, reading_id)
        except StoreError:
            return None

    def holds(self, match_id: str) -> bool:
        """Return whether something of this match is in memory alone."""
        return match_id in self._aside or any(batch.match_id == match_id for batch in self._waiting)

    def _write(self, batch: Batch) -> None:
        """Write a batch; raises StoreError for what ails the disk. What ails its match alone sets that aside."""
        assert self._store is not None
        try:
            self._store.write(batch)
        except NoSuchMatchError:
            self._set_aside(batch, RefusedBatchError(batch.match_id, "it was deleted", self._store.path))
        except RefusedBatchError as error:
            self._set_aside(batch, error)

    def _set_aside(self, batch: Batch, error: StoreError) -> None:
        """Write nothing more of this match: what came later would not fit to what is missing."""
        _log.warning("the match %s goes on in memory alone: %s", batch.match_id, error)
        self._aside[batch.match_id] = error

    def _fail(self, error: StoreError, batch: Batch) -> None:
        _log.warning("the match goes on in memory: %s", error)
        self._disk = error
        self._waiting.append(batch)
        self._retry_at = self._clock() + RETRY_SECONDS

    def _hold(self, match_id: str, reading: Reading) -> None:
        if reading.picture is not None:
            self._pictures[match_id, reading.id] = reading.picture
            while len(self._pictures) > PICTURES_HELD:
                self._pictures.popitem(last=False)
