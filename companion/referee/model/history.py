"""A persistent append-only list: appending takes constant time and leaves the original unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Generic, TypeVar, overload

_T = TypeVar("_T")

# A branch keeps up to this many items itself before it copies the shared list. Speculative branches are rarely longer.
_APART = 64


class History(Sequence[_T], Generic[_T]):
    """An immutable sequence that shares storage with the sequences it was grown or cut from.

    It is a prefix of a shared append-only list, followed by items of its own. The first history to grow appends to the
    shared list. A second branch from the same point finds the place taken and keeps its items itself. Histories may be
    shared between threads: the thread that loses the race for a place keeps its items itself too.
    """

    __slots__ = ("_apart", "_items", "_shared")

    def __init__(self, items: Iterable[_T] = ()) -> None:
        self._items = list(items)
        self._shared = len(self._items)
        self._apart: tuple[_T, ...] = ()

    def grown(self, item: _T) -> History[_T]:
        """Return a history with this item appended."""
        if not self._apart and len(self._items) == self._shared:
            self._items.append(item)
            if self._items[self._shared] is item:
                return self._view(self._shared + 1)
        if len(self._apart) == _APART:
            return History((*self, item))
        return self._view(self._shared, (*self._apart, item))

    def cut(self, length: int) -> History[_T]:
        """Return the first `length` items as a history."""
        return self._view(min(length, self._shared), self._apart[: max(0, length - self._shared)])

    def _view(self, shared: int, apart: tuple[_T, ...] = ()) -> History[_T]:
        history: History[_T] = History.__new__(History)
        history._items, history._shared, history._apart = self._items, shared, apart
        return history

    def __len__(self) -> int:
        return self._shared + len(self._apart)

    @overload
    def __getitem__(self, place: int) -> _T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_T, ...]: ...

    def __getitem__(self, place: int | slice) -> _T | tuple[_T, ...]:
        length = len(self)
        if isinstance(place, slice):
            return tuple(self[at] for at in range(*place.indices(length)))
        if not -length <= place < length:
            raise IndexError(place)
        at = place if place >= 0 else place + length
        return self._items[at] if at < self._shared else self._apart[at - self._shared]

    def __iter__(self) -> Iterator[_T]:
        return chain(islice(self._items, self._shared), self._apart)

    def __reversed__(self) -> Iterator[_T]:
        return chain(reversed(self._apart), (self._items[at] for at in range(self._shared - 1, -1, -1)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History | tuple):
            return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"History({list(self)!r})"
