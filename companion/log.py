"""Logging: one format, to the terminal's error stream or to a file."""

from __future__ import annotations

import logging
from pathlib import Path

_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def set_up_logging(level: int, file: Path | None = None) -> None:
    """Log our messages from this level and other libraries' warnings; raises OSError if the file is not writable."""
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.StreamHandler() if file is None else logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger("companion").setLevel(level)


def verbose_level(count: int) -> int:
    """Return the level for this many `--verbose` flags."""
    return (logging.WARNING, logging.INFO, logging.DEBUG)[min(count, 2)]
