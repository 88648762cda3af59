"""One companion at a time in a data folder: a lock that the system takes back when its holder ends, however it ends."""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path
from typing import IO

from companion.records import StoreError

_FILE = "companion.lock"
_log = logging.getLogger(__name__)


class FolderInUseError(StoreError):
    """Another companion runs in this folder; the message says which."""


class FolderLock:
    """Holds a data folder from its making until `release`. Raises FolderInUseError; OSError where it cannot write."""

    def __init__(self, folder: Path) -> None:
        path = folder / _FILE
        # Not truncated: while another holds it, it says who.
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
        try:
            taken = _take(self._file)
        except OSError as error:  # a file system that knows no locks
            _log.warning("%s cannot be locked: %s. Start no second companion with it.", folder, error)
            return
        if not taken:
            holder = self._file.read().strip() or "another program"
            self._file.close()
            message = f"The data folder {folder} is in use by {holder}: end that first, or name another with --data."
            raise FolderInUseError(message, path)
        self._file.truncate(0)
        self._file.write(f"another companion (process {os.getpid()}, begun {time.strftime('%Y-%m-%d %H:%M')})")
        self._file.flush()

    def release(self) -> None:
        """Let others have the folder."""
        self._file.close()


if sys.platform == "win32":
    import msvcrt

    # Far behind what stands in the file, so that others can still read who holds it.
    _PLACE = 2**30

    def _take(file: IO[str]) -> bool:
        file.seek(_PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            file.seek(0)
        return True

else:
    import fcntl

    def _take(file: IO[str]) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
