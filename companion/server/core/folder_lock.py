"""Lock of the data folder: one companion at a time. The system releases it when the process ends in any way."""

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
    """Another companion uses this folder; the message names it."""


class FolderLock:
    """Locks a data folder until `release`. Raises FolderInUseError, or OSError if the folder cannot be written."""

    def __init__(self, folder: Path) -> None:
        path = folder / _FILE
        # Do not truncate: the file names the current holder.
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
        """Release the lock."""
        self._file.close()


if sys.platform == "win32":
    import msvcrt

    # The locked byte lies far behind the text, so that others can still read it.
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
