"""One line of messages to all screens: numbered ones that each must get, and a newest frame that each may miss."""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

KEPT = 256


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent to the screens. `number` counts up from 1; 0 is for what need not be caught up with."""

    number: int
    event: str
    data: str

    def encode(self, boot: str) -> bytes:
        """Return the message as a server-sent event."""
        mark = f"id: {boot}-{self.number}\n" if self.number else ""
        return f"{mark}event: {self.event}\ndata: {self.data}\n\n".encode()


class Hub:
    """Takes messages in and hands them to any number of listeners; publishing waits for none of them."""

    def __init__(self) -> None:
        self.boot = secrets.token_hex(4)
        """Tells the numbers of this run from those of another."""
        self._changed = threading.Condition()
        self._kept: deque[Message] = deque()
        self._last = self._forgotten = 0
        self._frame: Message | None = None
        self._frames = 0
        self._closed = False

    def publish(self, event: str, data: str, *, whole: bool = False) -> None:
        """Send a message that listeners who come back are given later.

        whole: whether it tells all that earlier ones of this event told, so that those need not be kept: a view holds
        the whole match.
        """
        with self._changed:
            self._last += 1
            if whole:
                self._kept = deque(message for message in self._kept if message.event != event)
            elif len(self._kept) == KEPT:
                self._forgotten = self._kept.popleft().number
            self._kept.append(Message(self._last, event, data))
            self._changed.notify_all()

    def show(self, data: str) -> None:
        """Send a frame; a listener who is busy finds the newest and no other."""
        with self._changed:
            self._frames += 1
            self._frame = Message(0, "frame", data)
            self._changed.notify_all()

    def close(self) -> None:
        """End all listeners' streams."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def nudge(self) -> None:
        """Wake all listeners, though there is nothing new: some may not be welcome any more."""
        with self._changed:
            self._changed.notify_all()

    def mark(self) -> tuple[str, int]:
        """Return run and number of the latest message."""
        with self._changed:
            return self.boot, self._last

    def resumes(self, mark: str) -> int | None:
        """Return the number after which a listener with this last id goes on, None where it must begin anew."""
        boot, _, number = mark.partition("-")
        if boot != self.boot or not number.isdecimal() or len(number) > 12:
            return None
        with self._changed:
            return int(number) if self._forgotten <= int(number) <= self._last else None

    def listen(
        self, seen: int, patience: float, welcome: Callable[[], bool] = lambda: True
    ) -> Iterator[Message | None]:
        """Yield messages after the one numbered `seen` as they come, None after `patience` seconds without any.

        It ends when `welcome` says so: after a change of that, call `nudge`.
        """
        frames = -1
        while True:
            with self._changed:
                if welcome() and not self._has_news(seen, frames):
                    self._changed.wait(patience)
                if self._closed or not welcome():
                    return
                news = [message for message in self._kept if message.number > seen]
                if self._frames > frames:
                    frames = self._frames
                    if self._frame is not None:
                        news.append(self._frame)
                seen = self._last
            if news:
                yield from news
            else:
                yield None

    def _has_news(self, seen: int, frames: int) -> bool:
        return self._closed or self._last > seen or self._frames > frames


@dataclass(eq=False, slots=True)
class Stream:
    """One open stream: whose it is, and of which tab of the browser. replaced: whether a newer one has its place."""

    guest: str
    tab: str
    host: bool = False
    replaced: bool = False


class StreamSlots:
    """How many streams are open, per device and in all, so that nobody takes up all there is."""

    def __init__(self, each: int = 6, total: int = 36) -> None:
        self._each, self._total = each, total
        self._lock = threading.Lock()
        self._open: list[Stream] = []

    def take(self, guest: str, tab: str = "", *, host: bool = False) -> Stream | None:
        """Return one more stream, None where there may be no more.

        A tab shows one page: its new stream takes the place of the one that its last page had, which may not be known
        to have ended until it is next written to. An empty `tab` is none. A device's oldest stream makes room for its
        newest; where all are taken, that of the device that holds most does, and any for the host's, but no host's.
        """
        with self._lock:
            for stream in self._open:
                stream.replaced |= bool(tab) and (stream.guest, stream.tab) == (guest, tab)
            self._open = [stream for stream in self._open if not stream.replaced]
            if self.held_by(guest) >= self._each:
                self._replace(guest)
            elif len(self._open) >= self._total:
                greedy = max(self._open, key=lambda stream: (not stream.host, self.held_by(stream.guest)))
                if greedy.host or (self.held_by(greedy.guest) == 1 and not host):
                    return None
                self._replace(greedy.guest)
            self._open.append(Stream(guest, tab, host))
            return self._open[-1]

    def held_by(self, guest: str) -> int:
        """Return how many streams this device has open."""
        return sum(stream.guest == guest for stream in self._open)

    def _replace(self, guest: str) -> None:
        """End the oldest stream of a device."""
        oldest = next(stream for stream in self._open if stream.guest == guest)
        oldest.replaced = True
        self._open.remove(oldest)

    def leave(self, stream: Stream) -> None:
        """Count one stream less."""
        with self._lock:
            self._open = [other for other in self._open if other is not stream]
