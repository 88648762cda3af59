"""Files that only their owner may read."""

from __future__ import annotations

import os
from pathlib import Path

# Without it, Windows would translate line feeds.
_BINARY = getattr(os, "O_BINARY", 0)


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, atomically. Raises OSError."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb") as file:
        file.write(data)
    fresh.replace(path)


def make_private(path: Path) -> None:
    """Restrict a file to its owner, creating it if missing. Raises OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o600))
    path.chmod(0o600)
