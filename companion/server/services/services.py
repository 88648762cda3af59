"""The services of one running server: creates its parts and connects them."""

from __future__ import annotations

import json
import logging
import threading
from typing import cast

from flask import Flask, current_app

from companion.caller import Caller
from companion.decks.service.enrollment import Lesson
from companion.decks.storage.library import DeckLibrary
from companion.editions.library import FOLDER_NAME, Library
from companion.languages import Language
from companion.referee.phase import Phase
from companion.referee.state import Header
from companion.server.access.devices import Devices
from companion.server.access.guests import Badges
from companion.server.access.links import HostLinks, signing_key
from companion.server.access.pairing import Pairing
from companion.server.archive.hall_of_fame import Hall
from companion.server.archive.people import People
from companion.server.archive.preferences import Preferences
from companion.server.capture.camera import Camera, named_source
from companion.server.capture.hold import Hold
from companion.server.capture.lessons import Lessons
from companion.server.capture.scans import Scans
from companion.server.capture.teaching import Teaching
from companion.server.core.config import ServerConfig
from companion.server.core.errors import RefusalError
from companion.server.core.folder_lock import FolderLock
from companion.server.network.broadcast import Hub, StreamSlots
from companion.server.network.lan import LanAccess
from companion.server.schema.answers import ViewAnswer, question_answer, ruling_answer, view_answer
from companion.server.services.detectors import Detectors, GivenDetectors
from companion.server.services.laboratory import Laboratory
from companion.server.services.learnt_faces import LearntFaces
from companion.server.services.replays import Replays
from companion.server.services.turn_timer import TurnTimer
from companion.storage.store import Store, StoreError
from companion.table.presentation.updates import Update
from companion.table.presentation.view import Turns
from companion.table.session.table import Table
from companion.vision.core.events import PileEvent
from companion.vision.core.runtime import ModelFileError
from companion.vision.pile.pile_state import Region
from companion.vision.pile.pile_tracker import Detect
from companion.vision.tracking.table_tracker import FindBacks

_RETRY_SECONDS = 2.0
"""Interval for retrying failed writes; the persistence layer backs off further."""

_log = logging.getLogger(__name__)


class Services:
    """The parts of one running server. detect: finds cards in pictures; None uses the shipped networks.

    Raises OSError if the data folder cannot be written, FolderInUseError if another companion uses it.
    """

    def __init__(self, config: ServerConfig, detect: Detect | None = None) -> None:
        self.config = config
        config.data.mkdir(parents=True, exist_ok=True)
        self._folder = FolderLock(config.data)
        self.store = Store(config.data)
        self.hub = Hub()
        self.streams = StreamSlots()
        self.scans = Scans()
        key = signing_key(config.data)
        self.pairing = Pairing(links=HostLinks(key))
        self.badges = Badges(key)
        self.devices = Devices(config.data / "devices.json")
        self.lan: LanAccess = LanAccess()
        self._lock = threading.RLock()
        self.decks = DeckLibrary(config.decks or config.data / "decks")
        self.editions = Library(lambda: config.data / FOLDER_NAME)
        self.laboratory = Laboratory()
        self._detectors = GivenDetectors(detect, self.decks) if detect else self._networks()
        if config.deck is not None:
            self.choose_deck(config.deck)
        self._language: Language = config.language
        self.preferences = Preferences(config.data)
        self.people = People(config.data / "people.json")
        self.hall = Hall(self.store, self.people)
        self.learnt_faces = LearntFaces(self.decks, lambda: self.deck)
        self.turn_timer = TurnTimer(config.data / "timer.json")
        self.table = Table(self.store, caller=self.caller)
        threading.Thread(target=self._pump, name="updates", daemon=True).start()
        self._taken_up = self._take_up()
        self.camera = Camera(self)
        self.replays = Replays(self.table, self.camera.ring)
        self.lessons = Lessons(self.camera.frame)
        self.teaching = Teaching(self.table, self.store, self.decks, lambda: self.deck, self._detectors.refresh)

    @property
    def caller(self) -> Caller:
        """The caller in the current language."""
        return Caller(self._language)

    @property
    def language(self) -> Language:
        """The language of the caller."""
        return self._language

    def speak(self, language: Language) -> None:
        """Change the caller's language. The table and pending writes are not affected."""
        with self._lock:
            if language == self._language:
                return
            self._language = language
            self.table.set_caller(Caller(language))
        self.tell_view()

    def start(self, header: Header, turns: Turns = Turns.CAMERA) -> str:
        """Begin another match and return its id. turns: how the table learns who played and who drew."""
        with self._lock:
            self.people.meet(header.players)
            self.devices.rename(self.table.name_now)
            self.replays.match_changes()
            found = self.table.start_match(header, turns=turns)
        self.go_on()
        return found

    def resume(self, match_id: str | None) -> str | None:
        """Continue a match because the host says so; by default the latest unfinished one. Raises NoSuchMatchError."""
        self.replays.match_changes()
        found = self.table.resume(match_id)
        self.go_on()
        return found

    def watch(self, text: str | None, region: Region | None = None, draw_pile: Region | None = None) -> None:
        """Watch a source by name, or none. It is held if it might show another table than the match's.

        Raises SourceError if it cannot be opened.
        """
        source = named_source(text)
        hold = None if text is None or source is None else self._reason_to_hold(text, live=source.live)
        self.camera.watch(source, text or "", region, draw_pile, hold)
        self.tell_view()

    def go_on(self) -> None:
        """Let the camera count for the running match."""
        self._taken_up = False
        self.camera.set_hold(None)
        self.tell_view()

    def begin_lesson(self, name: str, lesson: Lesson) -> None:
        """Learn a deck from what the camera sees, which does not count for the match meanwhile."""
        self.camera.set_hold(Hold.LESSON)
        self.lessons.begin(name, lesson)
        self.tell_view()

    def end_lesson(self) -> None:
        """End the lesson. If a match is on, the camera waits for somebody to say that its cards lie there again."""
        self.lessons.end()
        if self.camera.state.hold is Hold.LESSON:
            self.camera.set_hold(Hold.TAKEN_UP if self._match_is_on else None)
        self.tell_view()

    @property
    def _match_is_on(self) -> bool:
        state = self.table.state
        return state is not None and state.phase is not Phase.OVER

    def _reason_to_hold(self, text: str, *, live: bool) -> Hold | None:
        if not self._match_is_on:
            return None
        if self._taken_up:
            return Hold.TAKEN_UP
        before = self.camera.state.source
        made_up = not live or text.partition(":")[0] == "simulated"
        return Hold.SOURCE if text != before and (made_up or before is not None) else None

    def detector(self) -> Detect:
        """Return the detector for the pile in the current edition; raises ModelFileError."""
        return self._detectors.pile()

    def close_detector(self) -> Detect:
        """Return the detector for the pile's surroundings; raises ModelFileError."""
        return self._detectors.closeup()

    def back_finder(self) -> FindBacks:
        """Return the detector for face-down cards; raises ModelFileError."""
        return self._detectors.backs()

    def reader(self) -> Detect:
        """Return the detector for any picture; raises RefusalError if the networks are missing."""
        try:
            return self._detectors.picture()
        except ModelFileError as error:
            raise RefusalError(409, "no-reader", str(error)) from error

    def _networks(self) -> Detectors:
        return Detectors(self.decks, lambda: self.table.edition, self.config.model, self.tell_view)

    @property
    def deck(self) -> str | None:
        """Name of the selected learnt deck, None for none."""
        return self._detectors.deck

    @property
    def is_another_deck(self) -> bool:
        """Whether most recently read cards are not of the selected deck."""
        return self._detectors.is_another_deck

    def choose_deck(self, name: str | None) -> None:
        """Read with this learnt deck, or with none; raises DeckFileError."""
        self._detectors.choose(name)

    def forget(self, player: str) -> None:
        """Forget a person: in the hall of fame, the set-up defaults and every stored match.

        Raises KeyError for an unknown name, RefusalError if they are playing, StoreError.
        """
        with self._lock:
            if player not in self.people.numbers:
                raise KeyError(player)
            match_id, state = self.table.match_id, self.table.state
            plays = state is not None and player in state.standings
            if plays and state is not None and not state.winners:
                raise RefusalError(409, "playing", "This person is playing: that is possible once the match is over.")
            if not self.table.view().saved:
                raise RefusalError(409, "storage", "Something is still to be saved.")
            others = [name for name in self.people.numbers if name != player]
            self.store.forget(player, self.caller.somebody_template, others)
            self.people.forget(player)
            self.devices.forget(player)
            self.hall.clear()
            if plays:
                self.table.resume(match_id)
        self.replays.forget()
        self.preferences.forget(player)

    def camera_saw(self, event: PileEvent) -> None:
        """Pass an event to the table, and keep its clip."""
        frame = self.camera.frame()
        size = None if frame is None else (frame.image.shape[1], frame.image.shape[0])
        self.replays.saw(event, self.table.see(event), size, mirrored=self.camera.mirrors())

    def camera_records(self) -> bool:
        """Return whether pictures may be kept for replays now."""
        return self.replays.records

    def camera_showed(self, preview: str) -> None:
        """Send a preview to all screens."""
        self.hub.show(preview)

    def camera_changes(self) -> None:
        """Tell the table that another camera is used from now on."""
        self.table.camera_changed()

    def view(self, language: Language | None = None) -> ViewAnswer:
        """Return what all screens show. language: words it in another language than the caller's."""
        hold = self.camera.state.hold
        view = self.table.view(None if language is None or language == self._language else Caller(language))
        return view_answer(view, self._language, other_deck=self.is_another_deck, hold=hold and hold.value)

    def view_json(self) -> str:
        """Return the view as JSON."""
        return self.view().model_dump_json()

    def tell_view(self) -> None:
        """Send the view to all screens."""
        self.hub.publish("view", self.view_json(), whole=True)

    def close(self) -> None:
        """Stop everything. All data is on disk afterwards."""
        self.laboratory.stop()
        self.camera.close()
        self.table.close()
        self.store.close()
        self.devices.close()
        self.hub.close()
        self._folder.release()

    def _take_up(self) -> bool:
        """Continue the match that ran when the server was last stopped; return whether there was one."""
        try:
            return self.table.resume() is not None
        except StoreError as error:
            _log.warning("The last match could not be taken up again: %s", error)
            return False

    def _nudge(self) -> None:
        """Remind a player whose turn lasts too long, if the host wants that."""
        view = self.table.view()
        state = view.state
        player = None if state is None else state.actor
        if self.turn_timer.is_due(None if player is None else (player, len(view.history))):
            self.hub.publish("nudge", json.dumps({"player": player, "sentence": view.prompt}, ensure_ascii=False))

    def _pump(self) -> None:
        """Pass the table's updates to the screens, with a fresh view after each batch."""
        subscription = self.table.subscribe(0)
        while not subscription.closed:
            update = subscription.next(_RETRY_SECONDS)
            self._nudge()
            if update is None and not subscription.closed:
                self.table.retry()  # retries failed writes and shows the result
                continue
            while update is not None:
                self.hub.publish("update", _update_json(update))
                update = subscription.next(0)
            if not subscription.closed:
                self.tell_view()


def services() -> Services:
    """Return the current application's services."""
    return cast(Services, current_app.extensions["companion"])


def put(app: Flask, value: Services) -> None:
    """Attach these services to the application."""
    app.extensions["companion"] = value


def _update_json(update: Update) -> str:
    return json.dumps(
        {
            "kind": update.kind.value,
            "sentences": list(update.sentences),
            "ruling": None if update.ruling is None else ruling_answer(update.ruling).model_dump(),
            "question": None if update.question is None else question_answer(update.question).model_dump(),
            "notice": None if update.notice is None else update.notice.sentence,
        }
    )
