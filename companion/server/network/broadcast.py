"""Message hub for server-sent events: numbered messages for every client, and a newest frame that may be skipped."""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

KEPT = 256


@dataclass(frozen=True, slots=True)
class Message:
    """One message to the clients. `number` counts from 1; 0 marks a message that is not replayed after a reconnect."""

    number: int
    event: str
    data: str

    def encode(self, boot: str) -> bytes:
        """Return the message as a server-sent event."""
        mark = f"id: {boot}-{self.number}\n" if self.number else ""
        return f"{mark}event: {self.event}\ndata: {self.data}\n\n".encode()


class Hub:
    """Distributes messages to any number of listeners. Publishing never waits for a listener."""

    def __init__(self) -> None:
        self.boot = secrets.token_hex(4)
        """Distinguishes the message numbers of this process from those of an earlier one."""
        self._changed = threading.Condition()
        self._kept: deque[Message] = deque()
        self._last = self._forgotten = 0
        self._frame: Message | None = None
        self._frames = 0
        self._closed = False

    def publish(self, event: str, data: str, *, whole: bool = False) -> None:
        """Publish a message. Clients that reconnect get the ones they missed.

        whole: the message replaces all earlier ones of its event, which are then dropped. A view holds the whole match.
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
        """Publish a preview frame. A slow listener only gets the newest."""
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
        """Wake all listeners so that they check again whether they may stay."""
        with self._changed:
            self._changed.notify_all()

    def mark(self) -> tuple[str, int]:
        """Return the process id and the number of the latest message."""
        with self._changed:
            return self.boot, self._last

    def resumes(self, mark: str) -> int | None:
        """Return the message number after which a client with this Last-Event-ID resumes; None to start over."""
        boot, _, number = mark.partition("-")
        if boot != self.boot or not number.isdecimal() or len(number) > 12:
            return None
        with self._changed:
            return int(number) if self._forgotten <= int(number) <= self._last else None

    def listen(
        self, seen: int, patience: float, welcome: Callable[[], bool] = lambda: True
    ) -> Iterator[Message | None]:
        """Yield messages after number `seen` as they arrive, and None after `patience` seconds without one.

        Ends as soon as `welcome` returns False; call `nudge` after a change of its result.
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
    """One open stream: its guest and browser tab. replaced: a newer stream has taken its place."""

    guest: str
    tab: str
    host: bool = False
    replaced: bool = False


class StreamSlots:
    """Limits the open streams per device and in total."""

    def __init__(self, each: int = 6, total: int = 36) -> None:
        self._each, self._total = each, total
        self._lock = threading.Lock()
        self._open: list[Stream] = []

    def take(self, guest: str, tab: str = "", *, host: bool = False) -> Stream | None:
        """Open a stream, or return None if the limits forbid it.

        A new stream replaces the one of the same tab, whose end may only be noticed at the next write. An empty `tab`
        matches none. A device at its limit loses its oldest stream. At the total limit, the device with the most
        streams loses one; a host may displace any stream but another host's.
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
        """Return the number of open streams of this device."""
        return sum(stream.guest == guest for stream in self._open)

    def _replace(self, guest: str) -> None:
        """End a device's oldest stream."""
        oldest = next(stream for stream in self._open if stream.guest == guest)
        oldest.replaced = True
        self._open.remove(oldest)

    def leave(self, stream: Stream) -> None:
        """Close a stream."""
        with self._lock:
            self._open = [other for other in self._open if other is not stream]
