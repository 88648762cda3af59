"""Server configuration: one validated value, built by the command line or a test."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from companion.languages import Language


class ServerConfig(BaseModel):
    """Configuration of one server.

    data: folder of matches, pictures, keys and certificates. host: address for the host's own browser. port: of the
    pages, 0 for any free one. lan: whether other devices may connect from the start. tls: whether they may use HTTPS as
    well, on `tls_port`, by default the next port. addresses: the ones of this computer to serve to other devices, by
    default every local network's. allowed_hosts: further names by which browsers may call this computer. source: the
    first camera, as `open_source` names it. model: folder of the networks, None for the shipped ones. deck: the learnt
    deck to read with. decks: the folder of learnt decks, by default inside `data`. demo: whether nobody really plays,
    which the pages say.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Path
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    tls_port: int | None = Field(default=None, ge=0, le=65535)
    lan: bool = False
    tls: bool = True
    addresses: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    language: Language = Language.ENGLISH
    source: str | None = None
    model: Path | None = None
    deck: str | None = None
    decks: Path | None = None
    demo: bool = False
