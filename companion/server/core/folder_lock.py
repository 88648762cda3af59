"""Lock of the data folder: one companion at a time. The system releases it when the process ends in any way."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

from companion.storage.file_locks import can_lock, take
from companion.storage.records import NoLocksError, StoreError

_FILE = "companion.lock"
_log = logging.getLogger(__name__)


class FolderInUseError(StoreError):
    """Another companion uses this folder; the message names it."""


class FolderLock:
    """Locks a data folder until `release`. Raises FolderInUseError, NoLocksError, OSError."""

    def __init__(self, folder: Path) -> None:
        path = folder / _FILE
        # Do not truncate: the file names the current holder.
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
        try:
            taken = take(self._file)
        except OSError as error:
            if not can_lock(folder):
                self._file.close()
                raise NoLocksError(folder) from error
            _log.warning("The drive of %s cannot lock files (%s). Start no second companion with it.", folder, error)
            return
        if not taken:
            holder = self._file.read().strip() or "another program"
            self._file.close()
            message = (
                f"The data folder {folder} is in use by {holder}: end that first, or name another with --data. "
                "`companion link` opens its page."
            )
            raise FolderInUseError(message, path)
        self._file.truncate(0)
        self._file.write(f"another companion (process {os.getpid()}, begun {time.strftime('%Y-%m-%d %H:%M')})")
        self._file.flush()

    def release(self) -> None:
        """Release the lock."""
        self._file.close()
