"""Decides whether camera events may touch the running match: only what lies on this table now does."""

from __future__ import annotations

from companion.table.presentation.view import CameraPause


class CameraGate:
    """The reasons for which camera events are dropped. Not thread-safe."""

    def __init__(self) -> None:
        self._reasons: set[CameraPause] = set()

    @property
    def pause(self) -> CameraPause | None:
        """The reason to show, None if camera events count."""
        return next((reason for reason in CameraPause if reason in self._reasons), None)

    def close(self, reason: CameraPause) -> None:
        """Drop camera events from now on."""
        self._reasons.add(reason)

    def open(self, reason: CameraPause) -> bool:
        """Remove a reason; returns whether camera events count again because of it."""
        closed = bool(self._reasons)
        self._reasons.discard(reason)
        return closed and not self._reasons

    def begin(self) -> None:
        """Start with another match: only a lesson still pauses the camera."""
        self._reasons &= {CameraPause.LESSON}
