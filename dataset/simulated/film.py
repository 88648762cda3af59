"""A simulated match as a film file, for whatever takes a film: the truth of it stays with the table."""

from __future__ import annotations

from pathlib import Path

import cv2

from companion.dataset.simulated.simulation import SimulatedTable


def write_film(table: SimulatedTable, path: Path) -> None:
    """Write the table's match to a film, its kind told by the file's name (.mp4 or .avi), in the table's size and rate.

    Raises OSError where that cannot be done.
    """
    kind = "MJPG" if path.suffix == ".avi" else "mp4v"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*kind), table.rate, table.size)
    if not writer.isOpened():
        raise OSError(f"{path} cannot be written as a film")
    try:
        for frame in table.frames():
            writer.write(frame.image)
    finally:
        writer.release()
