"""What is wrong with an edition file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MOST_FAULTS = 50
"""How many faults are collected at most."""

Path = tuple[str | int, ...]
"""Where a value is: keys of tables and places in lists, such as `("faces", "wild force", "when_played", 1)`."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. path: where; empty for the file as a whole. line: counted from 1, None if unknown."""

    path: Path
    message: str
    line: int | None = None

    @property
    def key(self) -> str:
        """The path as text, such as `faces.wild force.when_played[1].who`; empty for the file as a whole."""
        text = ""
        for part in self.path:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
        return "".join(character if character.isprintable() else "?" for character in text)


class InvalidEditionError(ValueError):
    """An edition cannot be read. faults: all that was found wrong with it, at least one. file: what it is called."""

    def __init__(self, faults: tuple[Fault, ...], file: str | None = None) -> None:
        self.faults = faults
        self.file = file
        super().__init__(next(iter(self.lines())))

    def lines(self) -> Iterator[str]:
        """Yield one line for each fault: `FILE:LINE: KEY: what is wrong`, without the parts that are not known."""
        for fault in self.faults:
            where = [] if self.file is None else [self.file if fault.line is None else f"{self.file}:{fault.line}"]
            yield ": ".join([*where, *([fault.key] if fault.path else []), fault.message])


class Faults:
    """Collects faults."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, path: Path, message: str) -> None:
        """Note one fault, if there are not too many already."""
        if len(self.found) < MOST_FAULTS:
            self.found.append(Fault(path, message))

    def check(self) -> None:
        """Raise InvalidEditionError if there are any."""
        if self.found:
            raise InvalidEditionError(tuple(self.found))
