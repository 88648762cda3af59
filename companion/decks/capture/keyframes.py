"""Selects one picture per still period from a film or camera."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from queue import Queue

import cv2
import numpy as np

from companion.vision.capture.frames import SMALL_WIDTH
from companion.vision.core.geometry import Image, reduced

# Number of consecutive similar frames of a still picture: a fifth of a second of film.
_STILL_FRAMES = 5
# Frames are similar if at most this share of the reduced picture differs by more than this many grey levels. A hand
# covers far more, noise and moving shadows less.
_MAX_MOVED_SHARE, _MOVED_LEVELS = 0.002, 18
# Number of pictures read ahead: a few seconds of cards on a slow computer, 45 MB at 1280 x 720.
_READ_AHEAD = 16


def read_ahead(images: Iterable[Image]) -> Iterator[Image]:
    """Yield pictures that a thread reads ahead, so that none is missed while another is processed.

    Errors of the source are raised after the pictures before them.
    """
    waiting: Queue[Image | Exception | None] = Queue(_READ_AHEAD)

    def read() -> None:
        try:
            for image in images:
                waiting.put(image)
            waiting.put(None)
        except Exception as error:
            waiting.put(error)

    threading.Thread(target=read, name="lesson-camera", daemon=True).start()
    while (image := waiting.get()) is not None:
        if isinstance(image, Exception):
            raise image
        yield image


def keyframes(images: Iterable[Image]) -> Iterator[Image]:
    """Yield one of the (H, W, 3) BGR uint8 pictures each time the scene is still for a while after a movement."""
    last, still, reported = None, 0, False
    for image in images:
        small = cv2.GaussianBlur(reduced(image, SMALL_WIDTH), (0, 0), 1).astype(np.int16)
        if (
            last is not None
            and last.shape == small.shape
            and (np.abs(small - last) > _MOVED_LEVELS).mean() < _MAX_MOVED_SHARE
        ):
            still += 1
        else:
            still, reported = 0, False
        last = small
        if still >= _STILL_FRAMES and not reported:
            reported = True
            yield image
