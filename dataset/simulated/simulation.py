"""The simulated table: a scripted match rendered frame by frame, with exact ground truth.

The same seed and arguments give the same frames. Light changes, sensor noise and motion blur are rendered; the truth
behind them is known.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, EditionName
from companion.dataset.artist.drawing.ink import Bgr
from companion.dataset.artist.faces import CardArt
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.compose import Deck, PhotoDeck, SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.surfaces import SurfaceBank
from companion.dataset.simulated.actions import (
    KNOCK_SECONDS,
    LIGHT_SECONDS,
    CarryOff,
    Fetch,
    Knock,
    Lay,
    Nudge,
    Reach,
    Rest,
    Shade,
    Step,
    Straighten,
    SwitchLight,
    TakeTop,
)
from companion.dataset.simulated.gestures import Gesture, Held, Owner, begin
from companion.dataset.simulated.looks import DAYLIGHT, draw_light
from companion.dataset.simulated.script import Nuisances, Script, write_script
from companion.dataset.simulated.sprites import Matrix, blend
from companion.dataset.simulated.tabletop import Pile, Tabletop
from companion.editions import Edition
from companion.vision.core.geometry import Image, Quad

# Exposure time (s) of the motion blur, as of a camera indoors.
_EXPOSURE_SECONDS = 1 / 60
# Maximum covered share of an unoccluded top card: a hand's edge is soft.
_OPEN = 0.002
_NOISE_TILE_MARGIN = 64
# Size of a phone's photograph, the smallest that the pages send (px).
_PHOTO = (1280, 960)


class PileChange(Enum):
    """A true event at the pile."""

    LANDED = "landed"
    TAKEN_BACK = "taken back"
    GONE = "gone"
    MOVED = "moved"


@dataclass(frozen=True)
class TrueEvent:
    """A true event at the pile.

    time: when the hand released it (s). clear: time of the first frame with a still and uncovered pile, None until
    then. card: the card that landed, or the new top card, None for none.
    """

    change: PileChange
    time: float
    clear: float | None
    card: Card | None


@dataclass(frozen=True)
class TrueCard:
    """A face-up card in a frame: its whole outline in pixels, its visible share, and whether a hand holds it."""

    card: Card
    quad: Quad
    visible: float
    held: bool


@dataclass(frozen=True, eq=False)
class SimulatedFrame:
    """A picture (H, W, 3) BGR uint8, its time in seconds, its number, and its ground truth."""

    image: Image
    time: float
    number: int
    pile: Pile
    held: Held | None
    cover: NDArray[np.uint8] | None
    """(H / 4, W / 4) alpha of the hand, None if there is none."""

    @property
    def top(self) -> TrueCard | None:
        """The pile's top card."""
        return self.cards[len(self.pile.cards) - 1] if self.pile.cards else None

    @property
    def covered(self) -> float:
        """Share of the top card that a hand covers; of the whole picture if there is no card."""
        if self.cover is None:
            return 0.0
        count = len(self.pile.cards)
        place = self.pile.owner == count - 1 if count else np.full(self.cover.shape, True)
        return float(np.count_nonzero(self.cover[place] > 64)) / max(1, int(np.count_nonzero(place)))

    @cached_property
    def cards(self) -> tuple[TrueCard, ...]:
        """All face-up cards: the pile's, bottom first, then the one in a hand."""
        owner, cover = self.pile.owner, self.cover
        seen = owner if cover is None else np.where(cover > 127, -1, owner)
        counts = np.bincount(seen.ravel() + 1, minlength=len(self.pile.cards) + 1)[1:]
        scale = owner.shape[1] / self.image.shape[1]
        cards = []
        for item, quad, count in zip(self.pile.cards, self.pile.quads, counts, strict=False):
            area = max(1.0, abs(cv2.contourArea(quad)) * scale**2)
            cards.append(TrueCard(item.card, quad, min(1.0, float(count) / area), held=False))
        if self.held is not None:
            cards.append(TrueCard(self.held.card, self.held.quad, self.held.visible, held=True))
        return tuple(cards)


class SimulatedTable:
    """A table that plays a match by itself.

    seed: of everything. script: the match, by default a random one of the edition. families, fonts: of the decks to
    sample, by default all. surfaces: table tops, by default drawn. photos: photographed cards, used where available.
    size: of the pictures (px). rate: frames per second. noise: whether the sensor has noise.
    """

    def __init__(
        self,
        seed: int = 0,
        script: Script | None = None,
        edition: Edition | EditionName = EditionName.MARIO_KART,
        nuisances: Nuisances | None = None,
        families: Sequence[StyleFamily] | None = None,
        fonts: Sequence[str] | None = None,
        surfaces: SurfaceBank | None = None,
        size: tuple[int, int] = (1280, 720),
        rate: float = 30.0,
        noise: bool = True,
        photos: Mapping[Card, Sequence[CardArt]] | None = None,
    ) -> None:
        self.seed = seed
        self.script = write_script(seed, edition, nuisances=nuisances) if script is None else script
        self.size = size
        self.rate = rate
        self.events: list[TrueEvent] = []
        self._families = families
        self._fonts = fonts
        self._surfaces = surfaces
        self._noise = noise
        self._photos = photos

    @property
    def deck_rng(self) -> np.random.Generator:
        """The random stream of deck, table and camera, restarted."""
        return np.random.default_rng([self.seed, 2])

    def frames(self, realtime: bool = False) -> Iterator[SimulatedFrame]:
        """Yield the frames from the beginning; in real time late ones are dropped. `events` is cleared, then filled as
        things happen.
        """
        film = _Film(self)
        self.events = film.events
        started = clock.monotonic()
        for number in range(int(self.script.duration * self.rate) + 1):
            if realtime:
                ahead = number / self.rate - (clock.monotonic() - started)
                if ahead > 0:
                    clock.sleep(ahead)
                elif ahead < -1 / self.rate:
                    continue
            yield film.shoot(number)

    def showing(self, script: Script, rate: float) -> SimulatedTable:
        """Return the same table, deck and camera with another script and frame rate."""
        other = copy(self)
        other.script, other.rate, other.events = script, rate, []
        return other

    def new_tabletop(self) -> Tabletop:
        """Return the table at the beginning."""
        rng = self.deck_rng
        deck = self._new_deck(rng)
        photos = None if self._photos is None else PhotoDeck(self._photos, rng)
        script = self.script
        # To detect draws, the camera must be set up for both piles.
        return Tabletop(rng, deck, self.size, script.draw_pile, self._surfaces, photos, both_piles=bool(script.chairs))

    def _new_deck(self, rng: np.random.Generator) -> Deck:
        family = None if self._families is None else self._families[int(rng.integers(len(self._families)))]
        style = sample_style(rng, family, self._fonts)
        colors = self.script.header.edition.colors.values()
        own = {rules.color: _bgr(rules.hex) for rules in colors if rules.color not in Color}
        return Deck(replace(style, inks=replace(style.inks, own=own)), rng)

    def photograph(self, cards: Sequence[Card], number: int = 0) -> Image:
        """Return a photograph of a hand in a row: (H, W, 3) uint8 BGR.

        number: of the photograph; another number changes placement and light.
        """
        deck = self._new_deck(self.deck_rng)
        seed = [self.seed, 4, number]
        # A maker of many scenes would draw dozens of table tops first.
        surfaces = self._surfaces or SurfaceBank(np.random.default_rng([*seed, 1]), 1)
        maker = SceneMaker(seed, size=_PHOTO, surfaces=surfaces, decks=[deck])
        return maker.make(Layout.CASCADE, cards).image

    def new_sensor(self) -> _Sensor:
        """Return the camera's sensor."""
        return _Sensor(np.random.default_rng([self.seed, 3]), self.size, self._noise)


def _bgr(color: str) -> Bgr:
    """Return BGR of a colour as `#rrggbb`."""
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return blue, green, red


_CHANGES: dict[type, PileChange] = {
    Lay: PileChange.LANDED,
    TakeTop: PileChange.TAKEN_BACK,
    CarryOff: PileChange.GONE,
    Nudge: PileChange.MOVED,
    Straighten: PileChange.MOVED,
}


class _Film:
    """One run of a script."""

    def __init__(self, table: SimulatedTable) -> None:
        self._script = table.script
        self._rate = table.rate
        self._top = table.new_tabletop()
        self._sensor = table.new_sensor()
        self._hands = np.random.default_rng([table.seed, 4])
        self._steps = list(reversed(table.script.steps))
        self._gesture: Gesture | None = None
        self._beside: list[Gesture] = []
        self._shades: list[tuple[float, Shade]] = []
        chairs = table.script.chairs
        light = draw_light(np.random.default_rng([table.seed, 11])) if chairs else DAYLIGHT
        seats = len(table.script.header.players)
        seeds = np.random.default_rng([table.seed, 5]).integers(2**31, size=10)
        self._owners = [
            Owner(int(seeds[seat]), seat / seats, chairs[seat] if chairs else None, light) for seat in range(seats)
        ]
        self._shake: tuple[Step, Matrix] | None = None
        self._pending: TrueEvent | None = None
        self.events: list[TrueEvent] = []

    def shoot(self, number: int) -> SimulatedFrame:
        """Return the frame with this number; numbers must rise."""
        now = number / self._rate
        while self._steps and self._steps[-1].time <= now:
            self._begin(self._steps.pop())
        self._move_camera(now)
        self._finish(now)
        picture = self._top.picture.copy()
        cover, held = None, None
        self._beside = [gesture for gesture in self._beside if now < gesture.ends]
        if self._gesture is not None:
            blend(picture, self._gesture.sprite(now, _EXPOSURE_SECONDS))
            cover, held = self._gesture.truth(now)
        for other in self._beside:
            other.progress(now)
            blend(picture, other.sprite(now, _EXPOSURE_SECONDS))
            more, _ = other.truth(now)
            cover = more if cover is None else np.maximum(cover, more)
        self._shades = [(began, shade) for began, shade in self._shades if now < began + shade.seconds]
        for began, shade in self._shades:
            picture = _shaded(picture, shade, (now - began) / shade.seconds)
        image = self._sensor.develop(picture, now, number)
        frame = SimulatedFrame(image, now, number, self._top.pile, held, cover)
        self._clear(frame)
        return frame

    def _begin(self, step: Step) -> None:
        match step.action:
            case SwitchLight(gains):
                self._sensor.switch(gains, step.time)
            case Knock():
                self._shake = step, self._top.pose
            case Shade() as shade:
                self._shades.append((step.time, shade))
            case Rest() | Fetch() | Reach(beside=True) as action:
                self._beside.append(begin(action, step.time, self._top, self._hands, self._owners[action.seat]))
            case action:
                self._finish(np.inf)
                self._gesture = begin(action, step.time, self._top, self._hands, self._owners[action.seat])

    def _finish(self, now: float) -> None:
        """Apply the hand's effects that are due, record events, and end its gesture when it is complete."""
        gesture = self._gesture
        if gesture is None:
            return
        settled = gesture.settled
        gesture.progress(now)
        change = _CHANGES.get(type(gesture.action))
        if gesture.settled and not settled and change is not None:
            cards = self._top.pile.cards
            self._pending = TrueEvent(change, now, None, cards[-1].card if cards else None)
            self.events.append(self._pending)
        if now >= gesture.ends:
            self._gesture = None

    def _clear(self, frame: SimulatedFrame) -> None:
        """Complete the last event once its top card is uncovered."""
        if self._pending is None or (self._gesture is not None and not self._gesture.settled):
            return
        if frame.covered <= _OPEN:
            self.events[-1] = replace(self._pending, clear=frame.time)
            self._pending = None

    def _move_camera(self, now: float) -> None:
        if self._shake is None:
            return
        step, before = self._shake
        assert isinstance(step.action, Knock)
        share = min(1.0, (now - step.time) / KNOCK_SECONDS)
        width, height = self._top.size
        swing = np.sin(share * 5 * np.pi) * (1 - share) * 0.02
        action = step.action
        turn, scale = share * action.turn, 1 + share * (action.scale - 1)
        cos, sin = scale * np.cos(turn), scale * np.sin(turn)
        x, y = (share * action.dx + swing) * width, (share * action.dy + swing) * height
        center = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1.0]])
        move = center @ np.array([[cos, -sin, x], [sin, cos, y], [0, 0, 1.0]]) @ np.linalg.inv(center)
        self._top.pose = move @ before
        if share == 1.0:
            self._shake = None


def _shaded(picture: Image, shade: Shade, share: float) -> Image:
    """Return the picture with the soft band of a shadow at this share of its way."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[0:45, 0:80].astype(np.float32)
    along = (x / 80 - 0.5) * np.cos(shade.turn) + (y / 45 - 0.5) * np.sin(shade.turn)
    band = np.exp(-(((along - (share - 0.5) * 2.4) / 0.3) ** 4))
    light = cv2.resize(1 - shade.dark * band.astype(np.float32), (width, height))
    return np.asarray(cv2.multiply(picture, cv2.merge([light] * 3), dtype=cv2.CV_8U), np.uint8)


def _positive_part(field: NDArray[np.float32]) -> Image:
    """Return what is above 0, as uint8, without a copy of the field."""
    part = np.empty(field.shape, np.uint8)
    return np.clip(field, 0, 255, out=part, casting="unsafe")


class _Sensor:
    """Light and sensor: drifting and switched gains, and noise."""

    def __init__(self, rng: np.random.Generator, size: tuple[int, int], noisy: bool) -> None:
        width, height = size
        self._gains = np.ones(3)
        self._target, self._switched = np.ones(3), -np.inf
        self._drift = float(rng.uniform(0.0, 0.03))
        self._period = float(rng.uniform(7, 30))
        self._seed = int(rng.integers(2**31))
        self._planes: tuple[Image, Image] | None = None
        if noisy:
            margin = _NOISE_TILE_MARGIN
            spread = float(rng.choice([1.5, 3.0, 6.0]))
            field = rng.standard_normal((height + margin, width + margin, 3), np.float32)
            np.rint(np.multiply(field, spread, out=field), out=field)
            self._planes = _positive_part(field), _positive_part(np.negative(field, out=field))

    def switch(self, gains: tuple[float, float, float], now: float) -> None:
        """Change the light from now on."""
        self._gains, self._target, self._switched = self._at(now), np.array(gains), now

    def develop(self, picture: Image, now: float, number: int) -> Image:
        """Return the picture (BGR uint8) in the current light, with this frame's noise."""
        drift = 1 + self._drift * np.sin(2 * np.pi * now / self._period)
        curve = np.arange(256)[None, :, None] * self._at(now) * drift
        image = cv2.LUT(picture, np.clip(curve, 0, 255).astype(np.uint8))
        if self._planes is not None:
            height, width = image.shape[:2]
            x, y = np.random.default_rng([self._seed, number]).integers(_NOISE_TILE_MARGIN, size=2)
            more, less = (plane[y : y + height, x : x + width] for plane in self._planes)
            image = cv2.subtract(cv2.add(image, more), less)
        return np.asarray(image, np.uint8)

    def _at(self, now: float) -> NDArray[np.float64]:
        share = min(1.0, max(0.0, (now - self._switched) / LIGHT_SECONDS))
        return np.asarray(self._gains + (self._target - self._gains) * share)
