"""The simulated table as a source of pictures: `simulated`, or `simulated:SEED`."""

from __future__ import annotations

import time
from collections.abc import Iterator

from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.capture.frames import Frame


class SimulatedSource:
    """A simulated table as a camera, in real time or as fast as it is rendered. `table` has the ground truth.

    speed: multiple of real time, as far as rendering keeps up.
    """

    def __init__(self, table: SimulatedTable, live: bool = True, speed: float = 1.0) -> None:
        self.table = table
        self._speed = speed
        self.live = live
        self.name = f"simulated table {table.seed}"
        self._film = self._shoot()

    def frames(self) -> Iterator[Frame]:
        """Yield the match from its beginning, or from where it was interrupted."""
        while (frame := next(self._film, None)) is not None:
            yield frame

    def _shoot(self) -> Iterator[Frame]:
        began = time.monotonic()
        for frame in self.table.frames(realtime=self.live and self._speed == 1):
            if self.live and self._speed > 1:
                time.sleep(max(0.0, frame.time / self._speed - (time.monotonic() - began)))
            yield Frame(frame.image, frame.time, frame.number)


def open_simulated(seed: str) -> SimulatedSource | None:
    """Return the table of this seed, the first one if empty; None if it is no number."""
    return SimulatedSource(SimulatedTable(int(seed or 0))) if not seed or seed.isdecimal() else None
