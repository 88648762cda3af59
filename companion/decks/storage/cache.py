"""Caches named arrays in a file, valid for one key."""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


def write_cache(file: Path, key: bytes, arrays: Arrays) -> None:
    """Write the arrays; if that fails they are recomputed next time."""
    with contextlib.suppress(OSError), file.open("wb") as stream:
        stream.write(key)
        np.savez(stream, allow_pickle=False, **dict(arrays))


def read_cache(file: Path, key: bytes) -> Arrays | None:
    """Return the arrays cached under a key, None if there are none."""
    try:
        data = file.read_bytes()
        if not data.startswith(key):
            return None
        with np.load(io.BytesIO(data[len(key) :]), allow_pickle=False) as arrays:
            return dict(arrays)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile):
        return None
