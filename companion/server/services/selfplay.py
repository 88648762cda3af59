"""A simulated table that plays by itself. The camera sees its cards; what no camera sees is tapped for it.

Its players know what they played, so they answer questions about cards and correct misreadings as people would. Match
follows match until something else is played or watched.
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
from companion.server.core.errors import RefusalError
from companion.server.services.hand_scanning import hold_picture, scan_hand
from companion.server.services.services import Services
from companion.table.presentation.updates import UpdateKind
from companion.table.presentation.view import QuestionKind, Turns
from companion.table.session.errors import TableError
from companion.vision.core.runtime import ModelFileError

_log = logging.getLogger(__name__)

SOURCE = "simulated"
"""Source name of the simulated table."""

_SEEN = (moves.Start, moves.Play, moves.Flip, moves.Reshuffle, moves.Undo)
_ABOUT_CARDS = (QuestionKind.CARD, QuestionKind.DOUBT)
_TICK = 0.25
_RATE = 30.0
# Seconds before a question is answered.
_HESITATION = 1.5
# Seconds that a tap waits for the camera's earlier events before the match is corrected.
PATIENCE = 8.0
# Seconds that the podium is shown before the rematch.
APPLAUSE = 12.0


class SelfPlay:
    """Plays simulated matches on a server until another match or camera replaces them.

    header: set-up of the first match; the dealer rotates afterwards. The same header and seed give the same match.
    speed: a factor on the pace of people, with proportionally fewer frames per second.
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
        """Begin the match, watch it with the camera, and return the match's id."""
        self._match = self._services.start(self._table.script.header, self._turns)
        with suppress(ModelFileError):
            self._services.detector()  # loads the networks first, which takes a while
        self._services.camera.watch(SimulatedSource(self._table, speed=self._speed), SOURCE)
        threading.Thread(target=self._tap_along, name="self-play", daemon=True).start()
        threading.Thread(target=self._answer_along, name="self-play answers", daemon=True).start()
        return self._match

    @property
    def ended(self) -> bool:
        """Whether the match is over or has been replaced."""
        frame = self._services.camera.frame()
        return not self._on or (frame is not None and frame.time >= self._table.script.duration - 1)

    @property
    def _on(self) -> bool:
        """Whether the match is still being played and watched."""
        return self._services.table.match_id == self._match and self._services.camera.state.source == SOURCE

    def _tap_along(self) -> None:
        script = self._table.script
        for place, timed in enumerate(script.moves):
            self._wait_until(timed.time)
            if not self._on:
                return
            if isinstance(timed.entry, _SEEN):
                # Wait for the camera before a next move that depends on it.
                if place + 1 < len(script.moves) and script.moves[place + 1].time - timed.time < PATIENCE:
                    continue
                self._agree(place)
            else:
                self._agree(place, timed.entry)
        self._wait(APPLAUSE)
        if self._on:
            header = replace(script.header, dealer=(script.header.dealer + 1) % len(script.header.players))
            SelfPlay(self._services, header, self._seed + 1, turns=self._turns, speed=self._speed).start()

    def _agree(self, place: int, tapped: moves.Move | None = None) -> None:
        """Bring the table to the script's state after this step; `tapped` is the move tapped there."""
        truth = Match(self._table.script.header)
        for timed in self._table.script.moves[: place + (tapped is None)]:
            truth = truth.undo() if isinstance(timed.entry, moves.Undo) else truth.apply(timed.entry)
        deadline = time.monotonic() + PATIENCE
        while self._on and time.monotonic() < deadline and not self._stands(truth):
            time.sleep(_TICK)
        if not self._on:
            return
        if not self._stands(truth):
            self.mend(truth)
        if tapped is not None:
            picture = self._scan(tapped, place) if isinstance(tapped, moves.Hand) else None
            with suppress(RefereeError, TableError):
                self._services.table.tap(tapped, picture)

    def _scan(self, hand: moves.Hand, place: int) -> bytes | None:
        """Photograph and scan a leftover hand as people do; misreadings are corrected before confirmation.

        Returns the picture to be stored with the ruling, None if nothing can be read.
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
        """Whether the table's state matches the script. Late calls and tapped counts are ignored."""
        state = self._services.table.state
        return state is not None and _essence(state) == _essence(truth.state)

    def mend(self, truth: Match) -> None:
        """Undo what is wrong, and tap the correct moves from there."""
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
        """Wait until the film has reached this time."""
        while self._on:
            frame = self._services.camera.frame()
            if frame is not None and frame.time >= seconds:
                return
            time.sleep(_TICK)

    def _wait(self, seconds: float) -> None:
        """Wait as long as the match is on."""
        end = time.monotonic() + seconds
        while self._on and time.monotonic() < end:
            time.sleep(_TICK)


def _essence(state: State) -> tuple[object, ...]:
    """Return the parts of a state that must be right for play to continue."""
    return state.phase, state.round, state.turn, state.direction, state.top, state.color, state.hands, state.scores


def _unsigned(move: moves.Move) -> moves.Move:
    """Return the move without its player."""
    return replace(move, by=None) if isinstance(move, moves.ActorMove) else move
