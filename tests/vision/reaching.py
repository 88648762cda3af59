"""Films of arms on a small drawn table: sleeves and skin are stripes of noise, so that no appearance is assumed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import HandVisit, Spot, VisitTracker
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import Image
from companion.vision.imaging.masks import Floats
from companion.vision.tracking.landing_attribution import Landing, shipped

WIDTH, HEIGHT, RATE = 320, 180, 20
DISCARD = Spot(PileKind.DISCARD, np.array([140.0, 90.0]), 40.0)
DRAW = Spot(PileKind.DRAW, np.array([190.0, 90.0]), 40.0)
MIDDLE = DISCARD.middle


def towards(degrees: float) -> NDArray[np.float64]:
    """Return the unit vector that points so many degrees clockwise from up."""
    return np.array([np.sin(np.radians(degrees)), -np.cos(np.radians(degrees))])


def table(seed: int = 0) -> Image:
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(90, 170, (12, 20, 3)).astype(np.float32)
    image = cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    for spot, color in ((DISCARD, (40, 60, 200)), (DRAW, (30, 30, 30))):
        x, y = spot.middle.astype(int)
        cv2.rectangle(image, (x - 13, y - 20), (x + 13, y + 20), color, -1)
    return np.clip(image, 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class Arm:
    """An arm that comes at `start` (s), stays at `goal` for `stay` and goes again; far away before and after."""

    degrees: float
    goal: NDArray[np.float64]
    start: float = 0.5
    stay: float = 0.4
    seed: int = 0
    width: int = 22
    way: float = 0.5

    def share(self, now: float) -> float:
        """Return how much of its way it is in, 0 to 1."""
        since = now - self.start
        return float(np.clip(min(since / self.way, (2 * self.way + self.stay - since) / self.way), 0, 1))

    def mask(self, now: float) -> NDArray[np.uint8]:
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        share = self.share(now)
        if share > 0:
            seat = MIDDLE + towards(self.degrees) * 330
            out = (seat - self.goal) / np.hypot(*(seat - self.goal))
            tip = self.goal + out * 220 * (1 - share)
            ends = [tuple(int(v) for v in point) for point in (tip + out * self.width / 2, tip + out * 500)]
            cv2.line(mask, ends[0], ends[1], 255, self.width, cv2.LINE_AA)
        return mask

    def paint(self, image: Image, now: float) -> None:
        rng = np.random.default_rng(self.seed + 50)
        ink = rng.uniform(20, 235, 3)
        texture = cv2.resize(rng.normal(0, 25, (24, 40, 3)), (WIDTH, HEIGHT)) + ink
        weight = self.mask(now)[..., None] / 255
        image[:] = np.clip(image * (1 - weight) + texture * weight, 0, 255).astype(np.uint8)


Film = Iterator[tuple[Image, float]]
Change = Callable[[Image, float], Image]


def film(
    seconds: float, arms: Sequence[Arm], change: Change | None = None, seed: int = 0
) -> Iterator[tuple[Image, float]]:
    """Yield frames with noise; `change` does something to each picture besides."""
    rng = np.random.default_rng(seed + 1)
    ground = table(seed)
    noise = rng.normal(0, 2, (HEIGHT + 16, WIDTH + 16, 3)).astype(np.float32)
    for number in range(int(seconds * RATE)):
        now = number / RATE
        image = ground.copy()
        for arm in arms:
            arm.paint(image, now)
        if change is not None:
            image = change(image, now)
        x, y = rng.integers(16, size=2)
        noisy = image + noise[y : y + HEIGHT, x : x + WIDTH]
        yield np.clip(noisy, 0, 255).astype(np.uint8), now


def follow(frames: Film) -> tuple[list[Track], list[HandVisit]]:
    watcher, finders = ArmDetector(), dict[int, VisitTracker]()
    tracks: dict[int, Track] = {}
    reaches: list[HandVisit] = []
    for image, time in frames:
        for track in watcher.feed(Frame(image, time, 0)):
            tracks[track.number] = track
            reaches += finders.setdefault(track.number, VisitTracker(track)).follow([DISCARD, DRAW])
    for track in watcher.finish():
        reaches += finders.setdefault(track.number, VisitTracker(track)).follow([DISCARD, DRAW])
    return list(tracks.values()), [reach for reach in reaches if reach.stayed]


def direction(reach: HandVisit) -> float:
    goal = DRAW.middle if reach.kind is PileKind.DRAW else None
    found = reach.track.direction(MIDDLE, reach.began, reach.ended, goal, 4.5 * DISCARD.length)
    assert found is not None
    return found[0]


def off(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


def attributed_to(
    spot: Spot, tracks: Sequence[Track], landed: float, already_laid: Collection[int] = (), card: Floats | None = None
) -> tuple[tuple[Track, float], ...]:
    """Return who laid a card by the shipped model."""
    return shipped().attributed(Landing(spot, tracks, landed, already_laid, card))
