"""A family's own sounds and clips: audio files in the data folder, named after the events that they stand for."""

from __future__ import annotations

import re
from pathlib import Path

from flask import Response

from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer
from companion.server.services.services import services

api = Api()

FOLDER = "sounds"
_KINDS = {".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg", ".wav": "audio/wav", ".webm": "audio/webm"}
_MOST_BYTES = 5_000_000


class SoundsAnswer(Answer):
    """The own sounds: name of the event -> address of the file. Other events keep the built-in sound."""

    sounds: dict[str, str]


@api.route("GET", "/api/sounds", role=Role.VIEWER, answer=SoundsAnswer)
def list_sounds() -> SoundsAnswer:
    """List the own sounds, by the names of events as the pages have them, such as `uno` or `win`."""
    return SoundsAnswer(sounds={name: f"/api/sounds/{name}" for name in _files()})


@api.route("GET", "/api/sounds/<name>", role=Role.VIEWER, answer=Media(tuple(_KINDS.values())))
def get_sound(name: str) -> Response:
    """Return an own sound."""
    path = _files().get(name)
    if path is None:
        raise RefusalError(404, "no-sound", "There is no sound of this name.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RefusalError(404, "no-sound", "This sound cannot be read.") from error
    response = Response(data, content_type=_KINDS[path.suffix.lower()])
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


def _files() -> dict[str, Path]:
    folder = services().config.data / FOLDER
    if not folder.is_dir():
        return {}
    return {
        path.stem: path
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in _KINDS
        and re.fullmatch(r"[a-z][a-z-]{0,30}", path.stem)
        and path.is_file()
        and path.stat().st_size <= _MOST_BYTES
    }
