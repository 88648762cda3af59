"""Writes a simulated match to a film file; its ground truth stays with the table."""

from __future__ import annotations

from pathlib import Path

import cv2

from companion.dataset.simulated.simulation import SimulatedTable


def write_film(table: SimulatedTable, path: Path) -> None:
    """Write the table's match to a film in its size and rate; the suffix (.mp4 or .avi) sets the format.

    Raises OSError if it cannot be written.
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
