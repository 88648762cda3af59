"""Films of simulated matches, and variants of them as other cameras and other people would make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np

from companion.dataset.simulated.actions import Reach
from companion.dataset.simulated.bystanders import Bystander, HeldCards, LeaningHead
from companion.dataset.simulated.script import Script, Writer
from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image

RATE = 30.0
"""Frames per second of a film."""
# Frames per second of a slow camera.
_SLOW = 10.0
# Gain at dusk, and the sensor's noise then (standard deviation, grey levels).
_DUSK, _DUSK_NOISE = 0.3, 5.0
# Scale and JPEG quality of a film that a messenger has reduced and compressed.
_SHRUNK, _QUALITY = 0.5, 35
# Amplitude of a swaying camera over the picture's height, and its periods in seconds in x and y.
_SWAYS, _SWAY_SECONDS = 0.006, (2.3, 3.1)
# Ranges in seconds of the interval between hands resting on the draw pile, and of their stay.
_REST_EVERY, _RESTS = (6.0, 14.0), (2.0, 8.0)


class Alteration(Enum):
    """How a film differs from the match as seen by a good camera."""

    PLAIN = "plain"
    MIRRORED = "mirrored"
    DIM = "dim"
    COARSE = "coarse"
    SLOW = "slow"
    SWAYING = "swaying"
    HELD = "held"
    LEANING = "leaning"
    RESTING = "resting"


@dataclass(frozen=True)
class AlteredFilm:
    """A table's match as a film: a source of frames that ends."""

    table: SimulatedTable
    alteration: Alteration
    live: bool = False

    @property
    def name(self) -> str:
        """See FrameSource."""
        return f"film {self.table.seed}, {self.alteration.value}"

    def frames(self) -> Iterator[Frame]:
        """See FrameSource."""
        table, rng = self.table, np.random.default_rng([self.table.seed, 12])
        if self.alteration is Alteration.SLOW:
            table = table.showing(table.script, _SLOW)
        elif self.alteration is Alteration.RESTING:
            table = table.showing(_with_resting_hands(table.script, rng), table.rate)
        bystanders, develop = self._bystanders(rng), self._development(rng)
        for frame in table.frames():
            image = frame.image.copy()
            for bystander in bystanders:
                bystander.show(image, frame.time)
            yield Frame(develop(image, frame.time), frame.time, frame.number)

    def _bystanders(self, rng: np.random.Generator) -> Sequence[Bystander]:
        script, top = self.table.script, self.table.new_tabletop()
        if self.alteration is Alteration.HELD:
            return [HeldCards(rng, top, chair) for chair in script.chairs]
        if self.alteration is Alteration.LEANING:
            chair = script.chairs[int(rng.integers(len(script.chairs)))]
            return [LeaningHead(rng, top, chair, script.duration)]
        return []

    def _development(self, rng: np.random.Generator) -> Callable[[Image, float], Image]:
        match self.alteration:
            case Alteration.MIRRORED:
                return lambda image, _: np.asarray(cv2.flip(image, 1), np.uint8)
            case Alteration.COARSE:
                return lambda image, _: _coarse(image)
            case Alteration.SWAYING:
                return _swaying
            case Alteration.DIM:
                return lambda image, _: _dim(image, rng)
            case _:
                return lambda image, _: image


def _coarse(image: Image) -> Image:
    small = cv2.resize(image, None, fx=_SHRUNK, fy=_SHRUNK, interpolation=cv2.INTER_AREA)
    _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _dim(image: Image, rng: np.random.Generator) -> Image:
    noise = rng.normal(0, _DUSK_NOISE, image.shape[:2]).astype(np.float32)
    return np.asarray(np.clip(image * np.float32(_DUSK) + noise[..., None], 0, 255), np.uint8)


def _swaying(image: Image, time: float) -> Image:
    dx, dy = (_SWAYS * image.shape[0] * np.sin(2 * np.pi * time / np.array(_SWAY_SECONDS))).tolist()
    move = np.array([[1, 0, dx], [0, 1, dy]])
    warped = cv2.warpAffine(image, move, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, np.uint8)


def _with_resting_hands(script: Script, rng: np.random.Generator) -> Script:
    """Return the script with hands that rest on the draw pile now and then without taking a card."""
    writer = Writer(rng, len(script.header.players), 0.0, 0.0, script.draw_pile)
    writer.wait(*_REST_EVERY)
    while writer.now < script.duration:
        x, y = np.array(script.draw_pile) + rng.normal(0, 8, 2)
        pace = writer.pace(float(rng.uniform(*_RESTS)))
        writer.act(Reach(writer.any_seat(), pace, float(x), float(y), beside=True), pace.total)
        writer.wait(*_REST_EVERY)
    steps = sorted([*script.steps, *writer.steps], key=lambda step: step.time)
    return replace(script, steps=tuple(steps))
