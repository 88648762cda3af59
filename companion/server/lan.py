"""Whether other devices on the local network can connect, and where."""

from __future__ import annotations


class LanAccess:
    """The ways in from other devices, opened and shut by the command that runs the server; here there are none."""

    def addresses(self) -> list[str]:
        """Return the pages' addresses for other devices, the secure one first; none while they are shut out."""
        return []

    def set_open(self, wanted: bool) -> None:
        """Let other devices in, or shut them out; raises LanAccessError where that cannot be."""
        raise LanAccessError("This server cannot change who may connect.")

    @property
    def open(self) -> bool:
        """Whether other devices can connect."""
        return False

    @property
    def authority(self) -> tuple[bytes, str] | None:
        """The certificate authority as a file for devices, and its fingerprint; None where there is no TLS."""
        return None


class LanAccessError(Exception):
    """The way in cannot be opened; the message is one sentence for people."""
