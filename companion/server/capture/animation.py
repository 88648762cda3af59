"""Clips as one animated picture (WebP), slowed down, with who and what written into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from companion.server.capture.clips import Clip
from companion.server.capture.frame_ring import decoded
from companion.vision.core.geometry import Image


@dataclass(frozen=True, slots=True)
class Scene:
    """One clip and its caption. who: a name and a card; what: one sentence; either may be empty."""

    clip: Clip
    who: str
    what: str


@dataclass(frozen=True, slots=True)
class Look:
    """How an animation is drawn: width and height in pixels, WebP quality (0 to 100), durations in milliseconds.

    slower: factor on the clip's own durations. longest: of one picture. still: of each clip's last picture.
    """

    size: tuple[int, int] = (640, 360)
    quality: int = 60
    slower: float = 2.0
    longest: int = 400
    still: int = 1500


def animated(scenes: Sequence[Scene], look: Look | None = None) -> bytes:
    """Return the scenes one after another as an animated WebP picture that repeats. Raises ValueError without one."""
    look = look or Look()
    if not scenes:
        raise ValueError("an animation needs at least one scene")
    animation = cv2.Animation()
    animation.frames = [_drawn(scene, i, look) for scene in scenes for i in range(len(scene.clip.stills))]
    animation.durations = [ms for scene in scenes for ms in _durations(scene.clip, look)]
    done, data = cv2.imencodeanimation(".webp", animation, [cv2.IMWRITE_WEBP_QUALITY, look.quality])
    assert done
    return bytes(data)


def _durations(clip: Clip, look: Look) -> list[int]:
    times = [still.time for still in clip.stills]
    slowed = [round(1000 * look.slower * (b - a)) for a, b in pairwise(times)]
    return [*(min(ms, look.longest) for ms in slowed), look.still]


def _drawn(scene: Scene, place: int, look: Look) -> Image:
    """Return one picture of a clip, fitted into the frame, with the card's outline once it lies still."""
    still = scene.clip.stills[place]
    image = decoded(still.jpeg)
    if scene.clip.outline is not None and still.time >= scene.clip.landed:
        corners = np.asarray(scene.clip.outline) * [image.shape[1], image.shape[0]]
        cv2.polylines(image, [corners.round().astype(np.int32)], isClosed=True, color=(255, 255, 255), thickness=2)
    canvas = _fitted(image, look.size)
    line = look.size[1] // 12
    rows = [text for text in (scene.who, scene.what) if text]
    top = look.size[1] - line * (len(rows) + 1)
    if rows:
        canvas[top:] = (canvas[top:] * 0.3).astype(np.uint8)
    font = cv2.FontFace("sans")
    for row, text in enumerate(rows):
        _write(canvas, text, (line, top + line * (row + 1)), font, line * 2 // 3)
    return canvas


def _write(canvas: Image, text: str, place: tuple[int, int], font: cv2.FontFace, size: int) -> None:
    """Write white text on one line, smaller if it would not fit. place: left end of its baseline (px)."""
    white, weight, room = (255, 255, 255), 600, canvas.shape[1] - 2 * place[0]
    wide = cv2.getTextSize((0, 0), text, (0, 0), font, size, weight)[2]
    cv2.putText(canvas, text, place, white, font, size if wide <= room else max(8, size * room // wide), weight)


def _fitted(image: Image, size: tuple[int, int]) -> Image:
    """Return a picture scaled into a frame of this width and height, in the middle of black."""
    height, width = image.shape[:2]
    scale = min(size[0] / width, size[1] / height)
    inner = (min(size[0], round(width * scale)), min(size[1], round(height * scale)))
    canvas = np.zeros((size[1], size[0], 3), np.uint8)
    left, top = (size[0] - inner[0]) // 2, (size[1] - inner[1]) // 2
    canvas[top : top + inner[1], left : left + inner[0]] = cv2.resize(image, inner, interpolation=cv2.INTER_LINEAR)
    return canvas
