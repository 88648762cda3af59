"""Strips of small pictures around each error."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from companion.bench.simulation.rulings import Slip
from companion.vision.core.geometry import Image

_SECONDS_APART = 1 / 6
_TILE = (480, 270)
# Times of a strip's tiles in seconds relative to the error.
_TILES = (-2.5, -1.7, -1.2, -0.8, -0.5, -0.33, -0.16, 0.0, 1.0)
_COLUMNS = 3


class Film:
    """Small pictures of a whole match at a fixed rate; strips are cut from it afterwards."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._jpegs: list[bytes] = []

    def take(self, image: Image, time: float) -> None:
        """Store a (H, W, 3) BGR uint8 picture if enough seconds have passed since the last one."""
        if self._times and time < self._times[-1] + _SECONDS_APART:
            return
        small = cv2.resize(image, _TILE, interpolation=cv2.INTER_AREA)
        self._times.append(time)
        self._jpegs.append(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())

    def save(self, slips: Iterable[Slip], folder: Path, name: str) -> None:
        """Write one JPEG per error into the folder, named by `name`, time and kind; raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        for slip in slips:
            tiles = [self._at(slip.time + shift) for shift in _TILES]
            rows = [np.hstack(tiles[i : i + _COLUMNS]) for i in range(0, len(tiles), _COLUMNS)]
            strip = np.vstack([_caption(f"{name} {slip.time:.1f} s {slip.kind}: {slip.truth} / {slip.said}"), *rows])
            path = folder / f"{name}-{slip.time:06.1f}-{slip.kind.replace(' ', '-')}.jpg"
            path.write_bytes(cv2.imencode(".jpg", strip, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())

    def _at(self, time: float) -> Image:
        place = min(int(np.searchsorted(self._times, time)), len(self._jpegs) - 1)
        tile = cv2.imdecode(np.frombuffer(self._jpegs[place], np.uint8), cv2.IMREAD_COLOR)
        assert tile is not None
        cv2.putText(tile, f"{self._times[place]:.2f}", (6, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 255), 1)
        return np.asarray(tile, np.uint8)


def _caption(text: str) -> Image:
    bar = np.full((26, _TILE[0] * _COLUMNS, 3), 255, np.uint8)
    cv2.putText(bar, text, (6, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
    return bar
