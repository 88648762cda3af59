"""Updates are numbered, replayed to returning listeners, and never wait for a listener."""

from __future__ import annotations

import threading

from companion.table.presentation.updates import UpdateKind, Updates


def _all(updates: Updates, after: int | None) -> list[int]:
    subscription = updates.subscribe(after)
    found = []
    while update := subscription.next(timeout=0):
        found.append(update.id)
    return found


def test_updates_are_replayed_from_the_last_one_seen() -> None:
    updates = Updates()
    for _ in range(5):
        updates.publish(UpdateKind.NOTICE)
    assert _all(updates, 0) == [1, 2, 3, 4, 5]
    assert _all(updates, 3) == [4, 5]
    assert _all(updates, None) == []
    assert _all(updates, 99) == [1, 2, 3, 4, 5], "an id from before a restart"
    assert updates.last == 5


def test_slow_listener_loses_the_oldest_and_is_reported() -> None:
    updates = Updates(kept=3)
    subscription = updates.subscribe()
    for _ in range(10):
        updates.publish(UpdateKind.NOTICE)
    seen = [update.id for _ in range(3) if (update := subscription.next(timeout=0))]
    assert (seen, subscription.lost) == ([8, 9, 10], 7)
    assert subscription.next(timeout=0.01) is None
    assert not subscription.closed


def test_many_listeners_get_everything_and_closing_wakes_them() -> None:
    updates = Updates()
    heard: list[list[int]] = [[] for _ in range(8)]

    def listen(mine: list[int]) -> None:
        subscription = updates.subscribe(0)
        while update := subscription.next(timeout=10):
            mine.append(update.id)
        assert subscription.closed

    threads = [threading.Thread(target=listen, args=(mine,)) for mine in heard]
    for thread in threads:
        thread.start()
    for _ in range(200):
        updates.publish(UpdateKind.NOTICE)
    updates.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert all(mine == list(range(1, 201)) for mine in heard)
