"""Advisory file locks, and whether a drive knows them: network drives often do not."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    # The locked byte lies far behind the text, so that others can still read it.
    _PLACE = 2**30

    def take(file: IO[str]) -> bool:
        """Lock an open file until it is closed; return False if another process holds it. Raises OSError."""
        file.seek(_PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            file.seek(0)
        return True

    def can_lock(folder: Path) -> bool:
        """Return whether files in the folder can be locked."""
        return True

else:
    import fcntl

    def take(file: IO[str]) -> bool:
        """Lock an open file until it is closed; return False if another process holds it. Raises OSError."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def can_lock(folder: Path) -> bool:
        """Return whether files in the folder can be locked in the way that SQLite locks them."""
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
