"""A simulated table that plays by itself: the camera sees what it lays, and what no camera sees is tapped for it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from companion.cards import EditionName
from companion.referee import moves
from companion.referee.errors import RefereeError
from companion.server.house import House
from companion.table import TableError
from companion.vision.runtime import ModelFileError
from companion.vision.sources import SimulatedSource

_SEEN = (moves.Start, moves.Play, moves.Flip, moves.Reshuffle, moves.Undo)
_TICK = 0.25
# How long a tap waits for the camera to have told what came before it.
_PATIENCE = 8.0


class SelfPlay:
    """Plays a simulated match in a house: the same seed, the same match."""

    def __init__(self, house: House, edition: EditionName, seed: int) -> None:
        from companion.dataset.simulation import SimulatedTable

        self._house = house
        self._table = SimulatedTable(seed, edition=edition)
        self._thread = threading.Thread(target=self._tap_along, name="self-play", daemon=True)

    def start(self) -> None:
        """Begin the match, and let the camera watch it."""
        self._house.start(self._table.script.header, relaxed_turns=False)
        with suppress(ModelFileError):
            self._house.detector()  # loaded before anything moves, as loading takes a while
        self._house.camera.watch(SimulatedSource(self._table), "simulated")
        self._thread.start()

    def _tap_along(self) -> None:
        for timed in self._table.script.moves:
            if isinstance(timed.entry, _SEEN):
                continue
            self._wait_until(timed.time)
            assert not isinstance(timed.entry, moves.Undo)
            self._tap(timed.entry)

    def _wait_until(self, seconds: float) -> None:
        while True:
            frame = self._house.camera.frame()
            if frame is not None and frame.time >= seconds:
                return
            time.sleep(_TICK)

    def _tap(self, move: moves.Move) -> None:
        """Make the move as soon as the table is ready for it; what the camera missed is left to whoever watches."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            try:
                self._house.table.tap(move)
                return
            except RefereeError:
                time.sleep(_TICK)
            except TableError:
                return
