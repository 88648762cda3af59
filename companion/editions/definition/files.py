"""Edition files: TOML text to edition, with file and line of whatever is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.editions.definition.faults import Fault, InvalidEditionError
from companion.editions.definition.faults import Path as KeyPath
from companion.editions.definition.parsing import MOST_BYTES, parse_edition
from companion.editions.definition.toml_lines import key_lines
from companion.editions.edition import Edition

# A key with thousands of parts takes Python's parser minutes, so it never sees one.
_LONG_KEY = re.compile(r"(?:[^\s.=\[\]{},#]+[ \t]*\.[ \t]*){64}")
_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read_edition(data: bytes, file: str, printed: Mapping[str, Edition], *, ships: bool = False) -> Edition:
    """Return the edition that a file holds; raises InvalidEditionError. file: what it is called in messages.

    printed: the printed editions that it may be based on. ships: it may have one of their IDs.
    """
    definition, text = _definition(data, file)
    try:
        return parse_edition(definition, printed, ships=ships)
    except InvalidEditionError as error:
        lines = key_lines(text)
        raise InvalidEditionError(tuple(_placed(fault, lines) for fault in error.faults), file) from None


def _definition(data: bytes, file: str) -> tuple[dict[str, Any], str]:
    """Return the values and the text of a TOML file; raises InvalidEditionError."""
    if len(data) > MOST_BYTES:
        raise InvalidEditionError((Fault((), f"is larger than {MOST_BYTES // 1024} KiB"),), file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidEditionError((Fault((), "is not UTF-8", data.count(b"\n", 0, error.start) + 1),), file) from None
    text = text.replace("\r\n", "\n")
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise InvalidEditionError((Fault((), "a key has too many parts", line),), file)
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = _AT.search(message)
        last = text.count("\n") + (not text.endswith("\n"))
        place = int(found[1]) if found is not None and found[1] else max(1, last)
        fault = Fault((), f"is no TOML: {_AT.sub('', message)}", place)
    except (ValueError, RecursionError):
        # Python's parser does not say where a number is too long, a date impossible or a list too deep.
        fault = Fault((), "is no TOML that can be read: a value is too long or nested too deeply", _deepest_line(text))
    raise InvalidEditionError((fault,), file)


def _deepest_line(text: str) -> int:
    """Return the line with the most brackets or the longest number."""
    lines = text.split("\n")
    heavy = [
        max(line.count("["), line.count("{"), max(map(len, re.findall(r"\d+", line)), default=0)) for line in lines
    ]
    return heavy.index(max(heavy)) + 1


def _placed(fault: Fault, lines: Mapping[KeyPath, int]) -> Fault:
    """Return the fault with the line of its key, or of the table that lacks it."""
    path: KeyPath = fault.path
    while path and path not in lines:
        path = path[:-1]
    return replace(fault, line=lines.get(path, 1))


def read_folder(folder: Path, printed: Mapping[str, Edition]) -> tuple[dict[str, Edition], list[str]]:
    """Return the user's editions in a folder by ID, and one line for each fault of a file that cannot be read."""
    found: dict[str, Edition] = {}
    faults: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            edition = read_edition(path.read_bytes(), path.name, printed)
            if edition.id != path.stem:
                raise InvalidEditionError((Fault(("id",), f"must be {path.stem}, as the file is called"),), path.name)
        except InvalidEditionError as error:
            faults += error.lines()
        except OSError as error:
            faults.append(f"{path.name}: cannot be read: {error.strerror}")
        else:
            found[edition.id] = edition
    return found, faults
