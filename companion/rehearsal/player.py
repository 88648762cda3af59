"""Plays a planned match at a running companion, as people with a phone would, and counts the outcome of each card.

One thread sends pictures as a phone's camera page does; the other taps what no camera sees, answers questions, corrects
wrong rulings, and scans the hands at the end.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import cv2

from companion.referee.moves import Hand, Move, Reveal
from companion.referee.transcript import write_entry
from companion.rehearsal.device import Device, DeviceError
from companion.rehearsal.footage import SIZE, Footage
from companion.rehearsal.plan import Laid, LeftHand, Plan
from companion.vision.capture.image_files import load_picture

FRAME_SECONDS = 1 / 12
_JPEG_QUALITY = 85
# Frames between two looks at the table.
_TICK = 3
# Frames for which a card stays in view after its ruling, to catch false rulings.
_LINGERING = 15
# Seconds in which even a busy companion reads `_LINGERING` frames.
_STALLED_SECONDS = 120.0
_ABOUT_CARDS = ("card", "doubt", "illegal")

_log = logging.getLogger(__name__)


class Fate(Enum):
    """Outcome of a card that was laid."""

    RULED = "ruled on rightly"
    ASKED = "asked about, then ruled on rightly"
    WRONG = "ruled on wrongly"
    MISSED = "not noticed"


@dataclass(frozen=True)
class ScannedHand:
    """A photographed hand, and its reading. Both are multisets of card names."""

    hand: LeftHand
    read: Counter[str]

    @property
    def right(self) -> bool:
        """Whether exactly the cards of the hand were read."""
        return self.read == Counter(card.name for card in self.hand.cards.elements())


@dataclass(frozen=True)
class Tally:
    """Result of a match: the outcome of each card with its photograph, the scanned hands, and the final scores."""

    cards: tuple[tuple[Path, Fate], ...]
    hands: tuple[ScannedHand, ...]
    scores: dict[str, int]

    def count(self, fate: Fate) -> int:
        """Return the number of cards with this outcome."""
        return sum(each is fate for _, each in self.cards)

    @property
    def sentences(self) -> list[str]:
        """The result in sentences."""
        fates = ", ".join(f"{self.count(fate)} {fate.value}" for fate in Fate)
        hands = [
            f"{scan.hand.player}'s hand of {scan.hand.cards.total()}: "
            + ("read rightly" if scan.right else f"{(scan.read & _names(scan.hand)).total()} cards read rightly")
            for scan in self.hands
        ]
        astray = [f"{photo.name} was {fate.value}." for photo, fate in self.cards if fate in (Fate.WRONG, Fate.MISSED)]
        scores = ", ".join(f"{player} {points}" for player, points in self.scores.items())
        return [
            f"{len(self.cards)} cards laid: {fates}.",
            *astray,
            *(f"{hand}." for hand in hands),
            f"Scores: {scores}.",
        ]


class Rehearsal:
    """Plays a plan at the companion that `host`, a device, has joined as a host.

    patience: frames that the companion reads before a card without a ruling is tapped. A busy machine reads fewer per
    second, so it has more time to rule.
    """

    def __init__(self, host: Device, plan: Plan, seed: int = 0, patience: int = 150) -> None:
        self._host, self._plan = host, plan
        self._patience = patience
        self._camera = _PhoneCamera(host, Footage(seed))
        self._made: list[Move] = []
        self._fates: list[tuple[Path, Fate]] = []

    def run(self) -> Tally:
        """Play the round to its end. Raises DeviceError, and PictureError if a photograph cannot be read."""
        header = self._plan.header
        body = {
            "edition": header.edition.id,
            "players": list(header.players),
            "dealer": header.players[header.dealer],
            # No arm lays the photographs, so turns are tapped.
            "turns": "tapped",
            "options": {
                "scoring": header.options.scoring.value,
                "target": header.options.target,
                "hand_size": header.options.hand_size,
            },
        }
        self._host.post("/api/match", body)
        # The photographs fill the picture, so the pile may be anywhere in it.
        self._host.post("/api/camera", {"source": "phone", "region": [0, 0, *SIZE]})
        with self._camera.running():
            for planned in self._plan.moves:
                self._made.append(planned.move)
                if planned.photo is None:
                    self._tap(planned.move)
                else:
                    assert isinstance(planned.move, Laid)
                    self._camera.show(planned.photo)
                    self._fates.append((planned.photo, self._await(planned.move.card.name)))
                    self._mend()
            hands = tuple(map(self._scan, self._plan.hands))
        scores = self._host.get("/api/view")["state"]["scores"]
        return Tally(tuple(self._fates), hands, scores)

    def _await(self, card: str) -> Fate:
        """Wait until the laid card is ruled on, answer questions about it, and return its outcome."""
        asked = False
        for _ in range(0, self._patience, _TICK):
            view = self._host.get("/api/view")
            if view["history_length"] >= len(self._made) and not view["questions"]:
                break
            for question in view["questions"]:
                if question["kind"] not in _ABOUT_CARDS:
                    return Fate.WRONG
                asked = True
                self._answer(question["id"], card)
            self._camera.linger(_TICK)
        self._camera.linger(_LINGERING)
        agreed, lines = self._agreed()
        if agreed == lines == len(self._made):
            return Fate.ASKED if asked else Fate.RULED
        return Fate.MISSED if agreed == lines == len(self._made) - 1 and not asked else Fate.WRONG

    def _answer(self, question: int, card: str) -> None:
        try:
            self._host.post(f"/api/questions/{question}/answer", {"card": card})
        except DeviceError as error:  # it was settled meanwhile
            _log.info("The answer was not taken: %s", error)

    def _agreed(self) -> tuple[int, int]:
        """Return the numbers of leading accepted moves that agree with the true ones, and of accepted moves."""
        lines = self._host.get("/api/history")["lines"]
        pairs = zip(lines, self._made, strict=False)
        differing = (n for n, (line, move) in enumerate(pairs) if _without_player(line["move"]) != _shown(move))
        return next(differing, min(len(lines), len(self._made))), len(lines)

    def _mend(self) -> None:
        """Undo the wrong moves and tap the true ones, as the host would."""
        while self._host.get("/api/view")["questions"]:
            self._host.post("/api/undo", {})
        agreed, lines = self._agreed()
        for _ in range(agreed, lines):
            self._host.post("/api/undo", {})
        for move in self._made[agreed:]:
            self._tap(move)

    def _tap(self, move: Move) -> None:
        self._host.post("/api/moves", write_entry(move))

    def _scan(self, hand: LeftHand) -> ScannedHand:
        """Scan a leftover hand's photograph, correct misread cards, and enter it."""
        jpeg = _as_jpeg(load_picture(hand.photo))
        found = self._host.post_form(f"/api/hands/read?{urlencode({'player': hand.player})}", jpeg)
        entered = Hand(hand.player, tuple(hand.cards.elements()))
        self._host.post("/api/moves", {**write_entry(entered), "scan": found["scan"]})
        return ScannedHand(hand, Counter(card["card"] for card in found["cards"]))


class _PhoneCamera:
    """Sends footage frame by frame, each after the previous response, at most twelve a second."""

    def __init__(self, device: Device, footage: Footage) -> None:
        self._device, self._footage = device, footage
        self._changed = threading.Condition()
        self._read = 0
        self._stopped = False
        self._error: DeviceError | None = None

    def show(self, photo: Path) -> None:
        """Fade to this photograph; raises PictureError."""
        picture = load_picture(photo)
        with self._changed:
            self._footage.show(picture)

    def linger(self, frames: int) -> None:
        """Return after the companion read this number of frames.

        Raises DeviceError if frames cannot be sent, or if that takes longer than `_STALLED_SECONDS`.
        """
        with self._changed:
            until = self._read + frames
            if not self._changed.wait_for(lambda: self._read >= until or self._stopped, _STALLED_SECONDS):
                raise DeviceError("The companion reads no frames: restart it.")
            if self._error is not None:
                raise self._error

    @contextmanager
    def running(self) -> Iterator[None]:
        """Send frames while the context lasts."""
        thread = threading.Thread(target=self._send, name="photographs", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._stopped = True
            thread.join()

    def _send(self) -> None:
        sent = 0
        while not self._stopped:
            begun = time.monotonic()
            with self._changed:
                frame = self._footage.next()
            try:
                skipped = self._device.post_picture("/api/camera/frames", _as_jpeg(frame))["drops"]
            except DeviceError as error:
                with self._changed:
                    self._error, self._stopped = error, True
                    self._changed.notify_all()
                return
            sent += 1
            with self._changed:
                self._read = sent - skipped
                self._changed.notify_all()
            time.sleep(max(0.0, begun + FRAME_SECONDS - time.monotonic()))


def _as_jpeg(image: Any) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1].tobytes())


def _without_player(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key != "by"}


def _shown(move: Move) -> dict[str, Any]:
    """Return the move as the history shows it to all: a challenged hand is not public."""
    return {"do": "reveal"} if isinstance(move, Reveal) else dict(write_entry(move))


def _names(hand: LeftHand) -> Counter[str]:
    return Counter(card.name for card in hand.cards.elements())
