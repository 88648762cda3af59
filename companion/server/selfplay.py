"""A simulated table that plays by itself: the camera sees what it lays, and what no camera sees is tapped for it.

Its players know what they laid, so they answer too what the table asks about a card.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from companion.dataset.simulated.script import write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedTable
from companion.dataset.simulated.source import SimulatedSource
from companion.referee import moves
from companion.referee.errors import RefereeError
from companion.referee.state import Header
from companion.server.services import Services
from companion.table import QuestionKind, TableError, UpdateKind
from companion.vision.runtime import ModelFileError

SOURCE = "simulated"
"""What names the simulated table among the cameras."""

_SEEN = (moves.Start, moves.Play, moves.Flip, moves.Reshuffle, moves.Undo)
_ABOUT_CARDS = (QuestionKind.CARD, QuestionKind.DOUBT)
_TICK = 0.25
_RATE = 30.0
# How long people look at a question before they answer it.
_HESITATION = 1.5
# How long a tap waits for the camera to have told what came before it.
_PATIENCE = 8.0


class SelfPlay:
    """Plays a simulated match by a server, until another match or camera takes its place.

    header: how it is set up; the same header and seed make the same match. It is played to its end. speed: how many
    times as fast as people play, with as many fewer pictures of each second.
    """

    def __init__(
        self, services: Services, header: Header, seed: int = 0, *, relaxed_turns: bool = False, speed: float = 1.0
    ) -> None:
        self._services = services
        self._relaxed = relaxed_turns
        script = write_script(seed, header=header, longest=None)
        self._table = SimulatedTable(seed, script=script, rate=_RATE / speed)
        self._speed = speed
        self._match = ""

    def start(self) -> str:
        """Begin the match, let the camera watch it, and return the match's id."""
        self._match = self._services.start(self._table.script.header, relaxed_turns=self._relaxed)
        with suppress(ModelFileError):
            self._services.detector()  # loaded before anything moves, as loading takes a while
        self._services.camera.watch(SimulatedSource(self._table, speed=self._speed), SOURCE)
        for work in (self._tap_along, self._answer_along):
            threading.Thread(target=work, name="self-play", daemon=True).start()
        return self._match

    @property
    def ended(self) -> bool:
        """Whether all of the match has been shown, or another took its place."""
        frame = self._services.camera.frame()
        return not self._on or (frame is not None and frame.time >= self._table.script.duration - 1)

    @property
    def _on(self) -> bool:
        """Whether the match is still the one that is played and watched."""
        return self._services.table.match_id == self._match and self._services.camera.state.source == SOURCE

    def _tap_along(self) -> None:
        for timed in self._table.script.moves:
            if isinstance(timed.entry, _SEEN):
                continue
            self._wait_until(timed.time)
            if not self._on:
                return
            assert not isinstance(timed.entry, moves.Undo)
            self._tap(timed.entry)

    def _answer_along(self) -> None:
        updates = self._services.table.subscribe()
        while self._on and not updates.closed:
            update = updates.next(_HESITATION)
            if update is None or update.question is None or update.kind is not UpdateKind.QUESTION:
                continue
            laid = [event.card for event in self._table.events if event.change is PileChange.LANDED]
            time.sleep(_HESITATION)
            question = update.question
            if question.kind in _ABOUT_CARDS and laid and laid[-1] is not None:
                with suppress(RefereeError, TableError):
                    self._services.table.answer(question.id, laid[-1])

    def _wait_until(self, seconds: float) -> None:
        while self._on:
            frame = self._services.camera.frame()
            if frame is not None and frame.time >= seconds:
                return
            time.sleep(_TICK)

    def _tap(self, move: moves.Move) -> None:
        """Make the move as soon as the table is ready for it; what the camera missed is left to whoever watches."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            try:
                self._services.table.tap(move)
                return
            except RefereeError:
                time.sleep(_TICK)
            except TableError:
                return
