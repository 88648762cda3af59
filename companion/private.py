"""Files that nobody but their owner may read."""

from __future__ import annotations

import os
from pathlib import Path

# Without it, Windows would turn line feeds into two characters.
_BINARY = getattr(os, "O_BINARY", 0)


def write_private(path: Path, data: bytes) -> None:
    """Write a file anew that its owner alone may read: all of it or, where that fails, nothing. Raises OSError."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb") as file:
        file.write(data)
    fresh.replace(path)


def make_private(path: Path) -> None:
    """Let its owner alone read the file, which is made where it is missing. Raises OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o600))
    path.chmod(0o600)
