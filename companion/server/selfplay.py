"""A simulated table that plays by itself: the camera sees what it lays, and what no camera sees is tapped for it.

Its players know what they laid, so they answer what the table asks about a card, and mend what it took otherwise, as
people at a table would. One match follows another, until something else is played or watched.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace

from companion.dataset.simulated.script import write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedTable
from companion.dataset.simulated.source import SimulatedSource
from companion.referee import moves
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.state import Header, State
from companion.server.errors import RefusalError
from companion.server.scanning import hold_picture, scan_hand
from companion.server.services import Services
from companion.table import QuestionKind, TableError, Turns, UpdateKind
from companion.vision.core.runtime import ModelFileError

_log = logging.getLogger(__name__)

SOURCE = "simulated"
"""What names the simulated table among the cameras."""

_SEEN = (moves.Start, moves.Play, moves.Flip, moves.Reshuffle, moves.Undo)
_ABOUT_CARDS = (QuestionKind.CARD, QuestionKind.DOUBT)
_TICK = 0.25
_RATE = 30.0
# How long people look at a question before they answer it.
_HESITATION = 1.5
# How long a tap waits for the camera to have told what came before it, before people mend it (s).
_PATIENCE = 8.0
# How long the podium is looked at before the rematch (s).
_APPLAUSE = 12.0


class SelfPlay:
    """Plays simulated matches by a server, until another match or camera takes their place.

    header: how the first is set up; in each of the next the next player deals. The same header and seed make the same
    match. Each is played to its end. speed: how many times as fast as people play, with as many fewer pictures of each
    second.
    """

    def __init__(
        self, services: Services, header: Header, seed: int = 0, *, turns: Turns = Turns.CAMERA, speed: float = 1.0
    ) -> None:
        self._services = services
        self._seed = seed
        self._turns = turns
        script = write_script(seed, header=header, longest=None)
        self._table = SimulatedTable(seed, script=script, rate=_RATE / speed)
        self._speed = speed
        self._match = ""

    def start(self) -> str:
        """Begin the match, let the camera watch it, and return the match's id."""
        self._match = self._services.start(self._table.script.header, self._turns)
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
        script = self._table.script
        for place, timed in enumerate(script.moves):
            self._wait_until(timed.time)
            if not self._on:
                return
            if isinstance(timed.entry, _SEEN):
                # What the camera makes of it is waited for before the next move that needs it.
                if place + 1 < len(script.moves) and script.moves[place + 1].time - timed.time < _PATIENCE:
                    continue
                self._agree(place)
            else:
                self._agree(place, timed.entry)
        self._wait(_APPLAUSE)
        if self._on:
            header = replace(script.header, dealer=(script.header.dealer + 1) % len(script.header.players))
            SelfPlay(self._services, header, self._seed + 1, turns=self._turns, speed=self._speed).start()

    def _agree(self, place: int, tapped: moves.Move | None = None) -> None:
        """See to it that the table stands where the script does after this place; `tapped` is what is tapped there."""
        truth = Match(self._table.script.header)
        for timed in self._table.script.moves[: place + (tapped is None)]:
            truth = truth.undo() if isinstance(timed.entry, moves.Undo) else truth.apply(timed.entry)
        deadline = time.monotonic() + _PATIENCE
        while self._on and time.monotonic() < deadline and not self._stands(truth):
            time.sleep(_TICK)
        if not self._on:
            return
        if not self._stands(truth):
            self._mend(truth)
        if tapped is not None:
            picture = self._scan(tapped, place) if isinstance(tapped, moves.Hand) else None
            with suppress(RefereeError, TableError):
                self._services.table.tap(tapped, picture)

    def _scan(self, hand: moves.Hand, place: int) -> bytes | None:
        """Photograph a leftover hand and let it be read, as people do; what was misread they mend before they confirm.

        Returns the picture to be kept behind the ruling, None where nothing can be read.
        """
        photo = self._table.photograph(hand.cards, place)
        try:
            found = scan_hand(self._services, [photo], hand.player).hand
        except (ModelFileError, RefusalError) as error:
            _log.info("The hand of %s was not scanned: %s", hand.player, error)
            return None
        read = Counter(held.sighting.card for held in found.cards)
        _log.info("%d of %s's %d cards were read", (read & Counter(hand.cards)).total(), hand.player, len(hand.cards))
        kept = hold_picture(self._services, [photo], found)
        return None if kept is None else self._services.scans.find(kept)

    def _stands(self, truth: Match) -> bool:
        """Whether the table shows what is true; later calls and tapped counts do not matter."""
        state = self._services.table.state
        return state is not None and _essence(state) == _essence(truth.state)

    def _mend(self, truth: Match) -> None:
        """Take back what is wrong, and tap what is true from there on."""
        table, true = self._services.table, [_unsigned(step.move) for step in truth.history]
        with suppress(RefereeError, TableError):
            while True:
                view = table.view()
                made = [_unsigned(line.move) for line in view.history]
                if not view.questions and made == true[: len(made)]:
                    break
                table.undo(scored=True)
            for move in true[len(made) :]:
                table.tap(move)

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
        """Wait until the film is there."""
        while self._on:
            frame = self._services.camera.frame()
            if frame is not None and frame.time >= seconds:
                return
            time.sleep(_TICK)

    def _wait(self, seconds: float) -> None:
        """Wait, as long as the match is on."""
        end = time.monotonic() + seconds
        while self._on and time.monotonic() < end:
            time.sleep(_TICK)


def _essence(state: State) -> tuple[object, ...]:
    """Return what must be right about a state for play to go on rightly."""
    return state.phase, state.round, state.turn, state.direction, state.top, state.color, state.hands, state.scores


def _unsigned(move: moves.Move) -> moves.Move:
    """Return the move without whose it was said to be."""
    return replace(move, by=None) if isinstance(move, moves.ActorMove) else move
