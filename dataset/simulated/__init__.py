"""The simulated table: a match played by drawn hands, seen by a camera, with ground truth for every frame.

It registers itself as a source of pictures: `simulated`, or `simulated:SEED`.
"""

from companion.vision.capture.frames import FrameSource
from companion.vision.capture.sources import register


def _open(seed: str) -> FrameSource | None:
    # Imported on demand: drawing takes long to load.
    from companion.dataset.simulated.source import open_simulated

    return open_simulated(seed)


register("simulated", _open)
