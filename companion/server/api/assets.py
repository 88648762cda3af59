"""Static files of the pages: versions for caching, and the modules to preload."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

_IMPORT = re.compile(r"""^(?:import|export)\b[^"';]*?(?:from )?["'](\.{1,2}/[^"']+)["'];""", re.MULTILINE)


class Assets:
    """The files of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._named = ""

    def version(self) -> str:
        """Return a hash over all files. It is part of every file's address, so browsers may cache files forever."""
        digest = blake2b(digest_size=6)
        for path in sorted(self.folder.rglob("*.*")):
            stat = path.stat()
            digest.update(f"{path.relative_to(self.folder)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
        self._named = digest.hexdigest()
        return self._named

    def is_current(self, version: str) -> bool:
        """Return whether the files on disk still have this version. Usually a page has just named it."""
        return version == self._named or version == self.version()

    def scripts(self, name: str) -> tuple[str, ...]:
        """Return a script and everything it imports statically, as paths below the folder, nearest first.

        The page preloads them, so that the browser does not discover them one by one.
        """
        found = [name]
        for script in found:
            path = self.folder / script
            found += [one for one in _imports(path, self.folder, path.stat().st_mtime_ns) if one not in found]
        return tuple(found)


@lru_cache(maxsize=256)
def _imports(path: Path, folder: Path, changed: int) -> tuple[str, ...]:
    """Return what a script imports, as paths below the folder. changed: modification time, for the cache."""
    named = dict.fromkeys(_IMPORT.findall(path.read_text("utf-8")))
    return tuple((path.parent / one).resolve().relative_to(folder.resolve()).as_posix() for one in named)
