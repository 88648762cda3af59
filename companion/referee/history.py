"""A list that only grows, as a value: taking another item in costs nothing, however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

_T = TypeVar("_T")


class History(Sequence[_T], Generic[_T]):
    """An immutable sequence that shares its items with those that it was grown from or cut short of.

    It shows the first `length` items of a list that is only ever appended to. The first to grow a history appends to
    that list; one that grows it another way finds the place taken and copies. Threads may share histories: whoever
    finds another's item in its place has lost the race and copies too.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[_T] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def grown(self, item: _T) -> History[_T]:
        """Return the history with one more item."""
        length = self._length
        if len(self._items) == length:
            self._items.append(item)
            if self._items[length] is item:
                return self._view(self._items, length + 1)
        return History((*self, item))

    def cut(self, length: int) -> History[_T]:
        """Return the first `length` items as a history."""
        return self._view(self._items, min(length, self._length))

    @classmethod
    def _view(cls, items: list[_T], length: int) -> History[_T]:
        history = cls.__new__(cls)
        history._items = items
        history._length = length
        return history

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> _T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_T, ...]: ...

    def __getitem__(self, place: int | slice) -> _T | tuple[_T, ...]:
        if isinstance(place, slice):
            start, stop, step = place.indices(self._length)
            return tuple(
                self._items[start:stop:step] if step > 0 else [self._items[at] for at in range(start, stop, step)]
            )
        if not -self._length <= place < self._length:
            raise IndexError(place)
        return self._items[place if place >= 0 else place + self._length]

    def __iter__(self) -> Iterator[_T]:
        return iter(self._items[: self._length])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History | tuple):
            return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"History({list(self)!r})"
