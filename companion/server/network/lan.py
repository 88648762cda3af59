"""Interface to the listeners for other devices on the local network."""

from __future__ import annotations

from collections.abc import Sequence

from companion.server.network.addresses import Interface


class LanAccess:
    """Access for other devices, opened and closed by the command that runs the server. The default offers none."""

    def addresses(self) -> list[str]:
        """Return the page addresses for other devices, HTTPS first; empty while access is closed."""
        return []

    def interfaces(self) -> list[Interface]:
        """Return this computer's addresses that can be served, the most likely one first."""
        return []

    def set_open(self, wanted: bool, addresses: Sequence[str] = ()) -> None:
        """Open or close access for other devices; raises LanAccessError.

        addresses: the ones of this computer to serve, by default the configured ones or every local network's.
        """
        raise LanAccessError("This server cannot change who may connect.")

    @property
    def open(self) -> bool:
        """Whether other devices can connect."""
        return False

    @property
    def authority(self) -> tuple[bytes, str] | None:
        """The certificate authority as a file to install, and its fingerprint; None without TLS."""
        return None


class LanAccessError(Exception):
    """Access cannot be opened; the message is one sentence for people."""
