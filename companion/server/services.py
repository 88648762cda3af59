"""The services of one running server: what it keeps, and how its parts hang together."""

from __future__ import annotations

import json
import logging
import secrets
import threading
from pathlib import Path
from typing import cast

from flask import Flask, current_app

from companion.caller import Caller
from companion.cards import EditionName
from companion.decks.service.deck_detector import deck_detector
from companion.decks.service.membership import DeckFit
from companion.decks.storage.library import DeckLibrary
from companion.languages import Language
from companion.private import write_private
from companion.referee.state import Header
from companion.server.access.devices import Devices
from companion.server.access.guests import Badges
from companion.server.access.pairing import Pairing
from companion.server.broadcast import Hub, StreamSlots
from companion.server.camera import Camera
from companion.server.config import ServerConfig
from companion.server.errors import RefusalError
from companion.server.hall_of_fame import Hall
from companion.server.lan import LanAccess
from companion.server.lessons import Lessons
from companion.server.lock import FolderLock
from companion.server.people import People
from companion.server.routes.payloads import ViewAnswer, question_answer, ruling_answer, view_answer
from companion.server.scans import Scans
from companion.server.teaching import Teaching
from companion.store import Store, StoreError
from companion.table import Table, Turns, Update
from companion.vision.core.events import PileEvent
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.table_tracker import FindBacks

_RETRY_SECONDS = 2.0
"""How often it is tried again to write what could not be written; the keeper spaces the tries further."""

_log = logging.getLogger(__name__)


class Services:
    """One running server's parts. detect: finds cards in pictures, the shipped networks where None.

    Raises OSError where the data folder cannot be written, FolderInUseError where another companion runs in it.
    """

    def __init__(self, config: ServerConfig, detect: Detect | None = None) -> None:
        self.config = config
        config.data.mkdir(parents=True, exist_ok=True)
        self._folder = FolderLock(config.data)
        self.store = Store(config.data)
        self.hub = Hub()
        self.streams = StreamSlots()
        self.scans = Scans()
        self.pairing = Pairing()
        self.badges = Badges(_secret(config.data / "secret.key"))
        self.devices = Devices(config.data / "devices.json")
        self.lan: LanAccess = LanAccess()
        self._detect = detect
        self._detectors: dict[EditionName | None, CardDetector] = {}
        self._lock = threading.RLock()
        self.decks = DeckLibrary(config.decks or config.data / "decks")
        self.deck: str | None = None
        self._fit: DeckFit | None = None
        if config.deck is not None:
            self.choose_deck(config.deck)
        self._language: Language = config.language
        self._wishes = config.data / "preferences.json"
        self.people = People(config.data / "people.json")
        self.hall = Hall(self.store, self.people)
        self.table = Table(self.store, caller=self.caller)
        threading.Thread(target=self._pump, name="updates", daemon=True).start()
        self._take_up()
        self.camera = Camera(self)
        self.lessons = Lessons(self.camera.frame)
        self.teaching = Teaching(self.table, self.store, self.decks, lambda: self.deck, self._refresh_deck)

    @property
    def caller(self) -> Caller:
        """The caller in the present language."""
        return Caller(self._language)

    @property
    def language(self) -> Language:
        """The language of the caller."""
        return self._language

    def speak(self, language: Language) -> None:
        """Let the caller speak this language from now on; the table and what waits to be saved stay as they are."""
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
            return self.table.start_match(header, turns=turns)

    def detector(self) -> Detect:
        """Return what finds the cards of a pile, of the edition being played at the time; raises ModelFileError."""
        # A camera outlives its match, and the next one may be of another edition.
        self._load()
        return self._detect or (lambda image: self._fitting(image, self._networks().detect_pile(image)))

    def close_detector(self) -> Detect:
        """Return what does that in pictures of the pile's surroundings; raises ModelFileError."""
        self._load()
        return self._detect or (lambda image: self._networks().detect_closeup(image))

    def back_finder(self) -> FindBacks:
        """Return what finds cards face down; raises ModelFileError."""
        self._load()
        return (lambda _: []) if self._detect else (lambda image: self._networks().backs(image))

    def _load(self) -> None:
        if self._detect is None:
            self._networks()

    def _networks(self) -> CardDetector:
        edition = self.table.edition
        with self._lock:
            if edition not in self._detectors:
                if self.deck is None:
                    self._detectors[edition] = CardDetector.shipped(edition, self.config.model)
                else:
                    self._detectors[edition] = deck_detector(self.decks, self.deck, edition, self.config.model)
            return self._detectors[edition]

    def choose_deck(self, name: str | None) -> None:
        """Read with this learnt deck from now on, with none where None; raises DeckFileError where it cannot be."""
        fit = None if name is None else DeckFit(self.decks.load(name))
        with self._lock:
            self.deck, self._fit = name, fit
            self._detectors.clear()

    def _refresh_deck(self, name: str) -> None:
        """Read with what a deck has learnt since; until that is worked out, reading goes on as before."""
        edition = self.table.edition
        if self._detect is not None:
            return
        try:
            detector = deck_detector(self.decks, name, edition, self.config.model)
        except ModelFileError as error:
            _log.warning("What the deck has learnt is read with later: %s", error)
            return
        with self._lock:
            if self.deck == name:
                self._detectors = {edition: detector}

    @property
    def is_another_deck(self) -> bool:
        """Whether most of the cards read last are not of the learnt deck that is read with."""
        return self._fit is not None and self._fit.is_another

    def _fitting(self, image: Image, found: list[Sighting]) -> list[Sighting]:
        if self._fit is not None:
            before = self._fit.is_another
            self._fit.see(image, found)
            if self._fit.is_another is not before:
                self.tell_view()
        return found

    def reader(self) -> Detect:
        """Return what finds the cards; raises RefusalError where there are no networks."""
        try:
            self._load()
        except ModelFileError as error:
            raise RefusalError(409, "no-reader", str(error)) from error
        return self._detect or (lambda image: self._fitting(image, self._networks().detect(image)))

    @property
    def wishes(self) -> dict[str, object]:
        """What was chosen for the last match, empty where there was none."""
        try:
            found = json.loads(self._wishes.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def remember(self, wishes: dict[str, object]) -> None:
        """Keep what was chosen, to be offered next time."""
        try:
            self._wishes.write_text(json.dumps(wishes), "utf-8")
        except OSError as error:
            _log.warning("The choices could not be kept: %s", error)

    def forget(self, player: str) -> None:
        """Forget a person: in the hall of fame, in what is offered for the next match and in every match kept.

        Raises KeyError where nobody has this name, RefusalError where they are playing, StoreError.
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
        wishes = self.wishes
        if isinstance(players := wishes.get("players"), list) and player in players:
            self.remember({**wishes, "players": [name for name in players if name != player], "dealer": None})

    def camera_saw(self, event: PileEvent) -> None:
        """Let the table know what happened to the pile."""
        self.table.see(event)

    def camera_showed(self, preview: str) -> None:
        """Tell all screens of a new preview."""
        self.hub.show(preview)

    def camera_changes(self) -> None:
        """Let the table know that what is seen from now on is seen by another camera."""
        self.table.camera_changed()

    def view(self) -> ViewAnswer:
        """Return what all screens show."""
        return view_answer(self.table.view(), self._language, other_deck=self.is_another_deck)

    def view_json(self) -> str:
        """Return the view as it is sent."""
        return self.view().model_dump_json()

    def tell_view(self) -> None:
        """Send the view to all screens."""
        self.hub.publish("view", self.view_json(), whole=True)

    def close(self) -> None:
        """Stop everything; what is to be kept is on disk."""
        self.camera.close()
        self.table.close()
        self.store.close()
        self.devices.close()
        self.hub.close()
        self._folder.release()

    def _take_up(self) -> None:
        """Go on with the match that ran when the last server was stopped."""
        try:
            self.table.resume()
        except StoreError as error:
            _log.warning("The last match could not be taken up again: %s", error)

    def _pump(self) -> None:
        """Hand the table's updates on to the screens, and a fresh view after each batch of them."""
        subscription = self.table.subscribe(0)
        while not subscription.closed:
            update = subscription.next(_RETRY_SECONDS)
            if update is None and not subscription.closed:
                self.table.retry()  # what could not be written is written as soon as it can be, and that is shown
                continue
            while update is not None:
                self.hub.publish("update", _update_json(update))
                update = subscription.next(0)
            if not subscription.closed:
                self.tell_view()


def services() -> Services:
    """Return the present application's services."""
    return cast(Services, current_app.extensions["companion"])


def put(app: Flask, value: Services) -> None:
    """Let the application have these services."""
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


def _secret(path: Path) -> bytes:
    """Return the key that signs badges, made at the first start."""
    try:
        found = path.read_bytes()
        if len(found) >= 32:
            return found
    except FileNotFoundError:
        pass
    secret = secrets.token_bytes(32)
    write_private(path, secret)
    return secret
