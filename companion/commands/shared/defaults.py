"""Maps settings to the command options whose defaults they provide."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from companion.settings import Settings

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "server.port": ("play.port", "demo.port"),
    "server.lan": ("play.lan", "demo.lan"),
    "server.tls": ("play.tls", "demo.tls"),
    "server.addresses": ("play.addresses", "demo.addresses"),
    "server.browser": ("play.browser", "demo.browser"),
    "table.edition": ("read.edition", "score.edition", "watch.edition", "learn.edition", "demo.edition"),
    "table.language": ("play.language", "demo.language"),
    "camera.source": ("play.source",),
    "reader.model": ("read.model", "score.model", "learn.model", "watch.model", "play.model", "demo.model"),
}
"""Setting -> command parameters."""


def option_defaults(settings: Settings) -> dict[str, dict[str, object]]:
    """Return click's default map: command -> parameter -> default, without unset ones."""
    defaults: dict[str, dict[str, object]] = {}
    for setting, parameters in OPTIONS.items():
        section, _, key = setting.partition(".")
        value = getattr(getattr(settings, section), key)
        if value is None:
            continue
        for parameter in parameters:
            command, _, name = parameter.partition(".")
            defaults.setdefault(command, {})[name] = value.value if isinstance(value, Enum) else value
    return defaults
