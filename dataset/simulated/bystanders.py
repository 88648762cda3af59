"""What else the camera sees of people: hands of cards at the picture's edge, heads leaning in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.layouts import Placement
from companion.dataset.scenes.surfaces import smooth_noise
from companion.dataset.simulated.looks import dressed_hand
from companion.dataset.simulated.seating import Chair
from companion.dataset.simulated.sprites import HAND_REACH, HAND_TIP, Sprite, blend, stack, warp, with_shadow
from companion.dataset.simulated.tabletop import Tabletop
from companion.vision.core.geometry import Image

# Held hands: number of cards, angle between neighbours (radians), and distance of the centre outside the picture, over
# the way from pile to edge.
_CARDS, _TURN, _OUT = (3, 8), 0.17, (0.9, 1.02)
# Amplitude (card lengths) and period (s) of a held hand's sway.
_SWAY, _PERIOD = (0.02, 0.08), (1.5, 5.0)
# Heads: width over the picture's width, how far they come in over that, interval (s), duration (s) and transition (s).
_HEAD, _IN, _EVERY, _LASTS, _WAY = (0.16, 0.3), (0.3, 0.7), (7.0, 14.0), (2.0, 5.0), 0.8


class Bystander(Protocol):
    """Something in front of the table, independent of the game."""

    def show(self, image: Image, time: float) -> None:
        """Draw it into the (H, W, 3) BGR uint8 picture of a time (s)."""


class HeldCards:
    """A player's hand of cards, held at the picture's edge and swaying."""

    def __init__(self, rng: np.random.Generator, top: Tabletop, chair: Chair) -> None:
        share = _way_to_rim(top, chair) * rng.uniform(*_OUT)
        x, y = chair.x * share, chair.y * share
        inward = float(np.arctan2(-y, -x))
        middle, toward = top.point(x, y), top.point(0.7 * x, 0.7 * y)
        count = int(rng.integers(*_CARDS))
        backs = [
            top.back_sprite(Placement(x + 9 * turn, y - 9 * turn, inward + np.pi / 2 + turn, face_up=False))
            for turn in (np.arange(count) - (count - 1) / 2) * _TURN
        ]
        along = (toward - middle) / max(1e-6, float(np.hypot(*(toward - middle))))
        scale = top.card_length() * 0.8 / HAND_REACH
        turn = np.array([[-along[1], -along[0], middle[0]], [along[0], -along[1], middle[1]], [0, 0, 1.0]])
        start = np.array([[scale, 0, -HAND_TIP[0] * scale], [0, scale, -HAND_TIP[1] * scale], [0, 0, 1.0]])
        hand = warp(dressed_hand(int(rng.integers(2**31)), bool(rng.integers(2))), turn @ start)
        sprites = [sprite for sprite in (*backs, hand) if sprite is not None]
        self._sprite = with_shadow(stack(sprites), top.card_length())
        self._sway = rng.uniform(*_SWAY, 2) * top.card_length()
        self._period, self._phase = rng.uniform(*_PERIOD, 2), rng.uniform(0, 6.3, 2)

    def show(self, image: Image, time: float) -> None:
        """See Bystander."""
        dx, dy = np.round(self._sway * np.sin(2 * np.pi * time / self._period + self._phase)).astype(int)
        blend(image, self._sprite.moved(int(dx), int(dy)))


@dataclass(frozen=True)
class _Visit:
    start: float
    end: float


class LeaningHead:
    """A person who leans in over the table now and then."""

    def __init__(self, rng: np.random.Generator, top: Tabletop, chair: Chair, duration: float) -> None:
        share = _way_to_rim(top, chair)
        rim, pile = top.point(chair.x * share, chair.y * share), top.point(0, 0)
        self._inward = (pile - rim) / max(1e-6, float(np.hypot(*(pile - rim))))
        size = round(rng.uniform(*_HEAD) * top.size[0])
        self._away, self._deep = rim - self._inward * size * 0.6, float(size * rng.uniform(*_IN))
        self._sprite = Sprite(_head(rng, size), -size // 2, -size // 2)
        self._visits: list[_Visit] = []
        now = float(rng.uniform(1, 6))
        while now < duration:
            lasts = float(rng.uniform(*_LASTS))
            self._visits.append(_Visit(now, now + lasts))
            now += lasts + float(rng.uniform(*_EVERY))

    def show(self, image: Image, time: float) -> None:
        """See Bystander."""
        for visit in self._visits:
            share = min((time - visit.start) / _WAY, (visit.end - time) / _WAY, 1.0)
            if share > 0:
                nod = 0.06 * np.sin(2.1 * time)
                x, y = self._away + self._inward * (self._deep + 0.1 * self._deep) * share * (1 + nod)
                blend(image, self._sprite.moved(round(x), round(y)))


def _head(rng: np.random.Generator, size: int) -> Image:
    """Return hair from above, a premultiplied (size, size, 4) picture."""
    alpha = np.zeros((size, size), np.uint8)
    axes = (int(size * 0.48), int(size * rng.uniform(0.36, 0.46)))
    cv2.ellipse(alpha, (size // 2, size // 2), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    tone = 1 + 0.5 * smooth_noise(rng, size, size, 40) + 0.3 * smooth_noise(rng, size, size, 6)
    color = rng.uniform(10, 150, 3)[None, None] * tone[..., None]
    covered: NDArray[np.float32] = (alpha / 255).astype(np.float32)
    return np.dstack([np.clip(color, 0, 255) * covered[..., None], alpha]).astype(np.uint8)


def _way_to_rim(top: Tabletop, chair: Chair) -> float:
    """Return the share of the way from the pile to a chair at which the picture ends."""
    shares = np.linspace(0.05, 1.0, 96)
    places = np.array([top.point(chair.x * share, chair.y * share) for share in shares])
    inside = ((places >= 0) & (places <= np.array(top.size))).all(axis=1)
    return float(shares[inside].max(initial=shares[0]))
