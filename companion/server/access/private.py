"""Files that nobody but their owner may read."""

from __future__ import annotations

import os
from pathlib import Path

# Without it, Windows would turn line feeds into two characters.
_BINARY = getattr(os, "O_BINARY", 0)


def write_private(path: Path, data: bytes) -> None:
    """Write a file anew that its owner alone may read; raises OSError."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb") as file:
        file.write(data)
