"""The editions that are there: those that ship, and the user's own in a folder."""

from __future__ import annotations

import difflib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.cards import EditionName
from companion.editions.definition.faults import Fault, InvalidEditionError
from companion.editions.definition.files import read_edition, read_folder
from companion.editions.definition.parsing import parse_edition
from companion.editions.definition.toml_text import to_toml
from companion.editions.edition import Edition

_FOLDERS = (Path(__file__).parent,)
FOLDER_NAME = "editions"
"""What the folder of the user's own editions is called in the data folder."""


class EditionExistsError(ValueError):
    """An edition with this ID is there already. `id` is the ID."""

    def __init__(self, edition_id: str) -> None:
        super().__init__(f"an edition {edition_id} is there already")
        self.id = edition_id


class NoSuchEditionError(KeyError):
    """There is no edition with this ID. `id` is the ID. known: the IDs that there are, to suggest a similar one."""

    def __init__(self, edition_id: str, known: Iterable[str] = ()) -> None:
        super().__init__(edition_id)
        self.id = edition_id
        self._known = known

    def __str__(self) -> str:
        similar = difflib.get_close_matches(self.id.lower(), self._known, 1)
        hint = f"did you mean {similar[0]}?" if similar else "`companion editions list` shows them"
        return f"there is no edition {self.id}; {hint}"


@cache
def printed() -> Mapping[str, Edition]:
    """Return the printed editions by ID, in the order of EditionName."""
    found: dict[str, Edition] = {}
    names = [name.value for name in EditionName]
    for name in sorted(names, key=lambda name: name != EditionName.CLASSIC.value):  # the others are based on it
        path = _shipped_files()[name]
        found[name] = read_edition(path.read_bytes(), path.name, found, ships=True)
    return MappingProxyType({name: found[name] for name in names})


@cache
def _shipped_files() -> Mapping[str, Path]:
    """Return the files that ship by ID: the printed editions first, then by name."""
    paths = {path.stem: path for folder in _FOLDERS for path in sorted(folder.glob("*.toml"))}
    names = [name.value for name in EditionName]
    return MappingProxyType({name: paths[name] for name in (*names, *sorted(paths.keys() - set(names)))})


@cache
def _shipped(edition_id: str) -> Edition:
    """Return an edition that ships; only files that are asked for are read."""
    path = _shipped_files()[edition_id]
    return printed().get(edition_id) or read_edition(path.read_bytes(), path.name, printed())


def shipped() -> Mapping[str, Edition]:
    """Return the editions that ship, by ID: the printed ones first."""
    return MappingProxyType({edition_id: _shipped(edition_id) for edition_id in _shipped_files()})


def edition_of(definition: Mapping[str, Any]) -> Edition:
    """Return the edition of a definition that a match log embeds; raises InvalidEditionError."""
    return parse_edition(definition, printed())


class Library(Mapping[str, Edition]):
    """All editions by ID: those that ship, replaced and followed by the user's own in a folder.

    find: returns the folder, which need not exist; None: only those that ship. Files are read again when the folder
    changed.
    """

    def __init__(self, find: Callable[[], Path] | None = None) -> None:
        self._find = find
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._own: dict[str, Edition] = {}
        self._faults: list[str] = []

    @property
    def folder(self) -> Path | None:
        """The folder of the user's own editions."""
        return None if self._find is None else self._find()

    def __getitem__(self, edition_id: str) -> Edition:
        if edition_id in printed():
            return printed()[edition_id]
        self._read()
        if edition_id in self._own:
            return self._own[edition_id]
        if edition_id in _shipped_files():
            return _shipped(edition_id)
        raise NoSuchEditionError(edition_id, self)

    def __iter__(self) -> Iterator[str]:
        self._read()
        yield from dict.fromkeys((*_shipped_files(), *self._own))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def faults(self) -> tuple[str, ...]:
        """One line for each fault of an own file that cannot be read."""
        self._read()
        return tuple(self._faults)

    def is_own(self, edition_id: str) -> bool:
        """Return whether the edition is one of the user's own files."""
        self._read()
        return edition_id in self._own

    def add(self, data: bytes, file: str, *, replace: bool = False) -> Edition:
        """Check an edition file and keep it; raises InvalidEditionError, EditionExistsError or OSError."""
        edition = read_edition(data, file, printed())
        if edition.id in self and not replace:
            raise EditionExistsError(edition.id)
        folder = self.folder
        if folder is None:
            raise InvalidEditionError((Fault((), "there is no folder to keep editions in"),), file)
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(name, folder / f"{edition.id}.toml")
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        return edition

    def remove(self, edition_id: str) -> None:
        """Delete one of the user's own files; raises NoSuchEditionError or OSError."""
        folder = self.folder
        if not self.is_own(edition_id) or folder is None:
            raise NoSuchEditionError(edition_id)
        (folder / f"{edition_id}.toml").unlink()

    def export(self, edition_id: str) -> str:
        """Return an edition as TOML: the file itself where there is one. Raises NoSuchEditionError."""
        edition = self[edition_id]
        folders = [self.folder] if self.is_own(edition_id) else list(_FOLDERS)
        paths = [folder / f"{edition.id}.toml" for folder in folders if folder is not None]
        path = next((path for path in paths if path.is_file()), None)
        return to_toml(edition.definition) if path is None else path.read_text("utf-8")

    def _read(self) -> None:
        folder = self.folder
        if folder is None:
            return
        try:
            files = sorted(folder.glob("*.toml"))
            seen = tuple((path.name, (stat := path.stat()).st_mtime_ns, stat.st_size) for path in files)
        except OSError:
            seen = ()
        if seen != self._seen:
            self._own, self._faults = read_folder(folder, printed())
            self._seen = seen


def canonical(edition: Edition) -> str:
    """Return the definition as JSON in one line, for sharing."""
    return json.dumps(edition.definition, separators=(",", ":"), ensure_ascii=False)
