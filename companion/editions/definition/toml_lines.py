"""Finds the line of each key of a TOML text, which Python's parser does not report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from companion.editions.definition.faults import Path

_TOKEN = re.compile(
    r'(?P<text>"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*')"
    r"|(?P<comment>\#[^\n]*)|(?P<newline>\n)|(?P<mark>[\[\]{}=,.])|(?P<bare>[^\s\[\]{}=,.\"'#]+)|(?P<space>[^\S\n]+)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def key_lines(text: str) -> dict[Path, int]:
    """Return the line, counted from 1, of each key and list entry of a text that is valid TOML."""
    return _Scanner(text).lines()


class _Scanner:
    """Walks over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._place = 0
        self._found: dict[Path, int] = {}
        self._arrays: dict[Path, int] = {}

    def lines(self) -> dict[Path, int]:
        """Return the lines."""
        table: Path = ()
        while self._place < len(self._tokens):
            kind, value, line = self._tokens[self._place]
            if kind == "newline":
                self._place += 1
            elif (kind, value) == ("mark", "["):
                table = self._header(line)
            else:
                self._pair(table)
        return self._found

    def _peek(self) -> tuple[str, str, int]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "", 0)

    def _header(self, line: int) -> Path:
        double = self._tokens[self._place + 1 : self._place + 2] == [("mark", "[", line)]
        self._place += 2 if double else 1
        path = self._key(())
        self._place += 2 if double else 1
        if double:
            number = self._arrays.get(path, 0)
            self._arrays[path] = number + 1
            path = (*path, number)
        self._found.setdefault(path, line)
        return path

    def _key(self, table: Path) -> Path:
        """Return the path of a dotted key."""
        path = table
        while True:
            kind, value, line = self._peek()
            if kind not in ("bare", "text"):
                return path
            path = (*path, _plain(value) if kind == "text" else value)
            self._found.setdefault(path, line)
            self._place += 1
            if self._peek()[:2] != ("mark", "."):
                return path
            self._place += 1

    def _pair(self, table: Path) -> None:
        path = self._key(table)
        self._place += 1  # the equals sign
        self._value(path)

    def _value(self, path: Path) -> None:
        kind, value, _ = self._peek()
        if (kind, value) == ("mark", "["):
            self._list(path)
        elif (kind, value) == ("mark", "{"):
            self._inline(path)
        else:
            while self._peek()[0] in ("bare", "text") or self._peek()[:2] == ("mark", "."):
                self._place += 1

    def _list(self, path: Path) -> None:
        self._place += 1
        number = 0
        while True:
            kind, value, line = self._peek()
            if kind == "end" or (kind, value) == ("mark", "]"):
                self._place += 1
                return
            if kind == "newline" or value == ",":
                self._place += 1
                continue
            self._found.setdefault((*path, number), line)
            self._value((*path, number))
            number += 1

    def _inline(self, path: Path) -> None:
        self._place += 1
        while True:
            kind, value, _ = self._peek()
            if kind == "end" or (kind, value) == ("mark", "}"):
                self._place += 1
                return
            if kind == "newline" or value == ",":
                self._place += 1
                continue
            self._pair(path)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield kind, text and line of each token that is neither space nor comment."""
    line = 1
    for found in _TOKEN.finditer(text):
        kind = str(found.lastgroup)
        if kind not in ("space", "comment"):
            yield kind, found[0], line
        line += found[0].count("\n")


def _plain(text: str) -> str:
    """Return what a quoted key says."""
    if text[0] == "'":
        return text[1:-1]
    return _ESCAPE.sub(
        lambda found: (
            chr(int(found[1][1:], 16))
            if found[1][0] in "uU" and len(found[1]) > 1
            else _ESCAPED.get(found[1], found[1])
        ),
        text[1:-1],
    )
