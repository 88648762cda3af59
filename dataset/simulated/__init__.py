"""The simulated table: a match played by drawn hands as a camera sees it, with the truth of every frame.

It is a source of pictures like any camera and registers itself as one: `simulated`, or `simulated:SEED`.
"""

from companion.vision.capture.frames import FrameSource
from companion.vision.capture.sources import register


def _open(seed: str) -> FrameSource | None:
    # Drawing takes long to load, and is wanted only where somebody names this source.
    from companion.dataset.simulated.source import open_simulated

    return open_simulated(seed)


register("simulated", _open)
