"""What takes seconds to work out, kept in a file: named arrays, good for one key."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


def keep(file: Path, key: bytes, arrays: Arrays) -> None:
    """Write the arrays; where that cannot be done they are worked out anew the next time."""
    data = io.BytesIO()
    np.savez(data, allow_pickle=False, **dict(arrays))
    try:
        file.write_bytes(key + data.getvalue())
    except OSError:
        return


def kept(file: Path, key: bytes) -> Arrays | None:
    """Return the arrays that were kept under a key, None where there are none."""
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
