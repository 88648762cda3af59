"""What a camera leaves in memory when another one is watched."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Iterator

import numpy as np

from companion.server.services.services import Services
from companion.vision.capture.frames import Frame

PATIENCE = 30.0


class Film:
    """A source of grey pictures."""

    name, live = "film", True

    def frames(self) -> Iterator[Frame]:
        for number in range(1000):
            yield Frame(np.full((90, 160, 3), 90, np.uint8), number / 20, number)
            time.sleep(0.05)


def test_a_source_that_was_replaced_is_freed(services: Services) -> None:
    film = Film()
    freed = weakref.ref(film)
    services.camera.watch(film, "film")
    del film
    deadline = time.monotonic() + PATIENCE
    while services.camera.frame() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    gc.disable()  # Only what the camera does itself counts.
    try:
        services.camera.watch(None, "")
        while freed() is not None and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        gc.enable()
    assert freed() is None
