"""Caches named arrays in a file, valid for one key."""

from __future__ import annotations

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
    data = io.BytesIO()
    np.savez(data, allow_pickle=False, **dict(arrays))
    try:
        file.write_bytes(key + data.getvalue())
    except OSError:
        return


def read_cache(file: Path, key: bytes) -> Arrays | None:
    """Return the arrays cached under a key, None if there are none."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if data[: len(key)] != key:
        return None
    try:
        with np.load(io.BytesIO(data[len(key) :]), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile):
        return None
