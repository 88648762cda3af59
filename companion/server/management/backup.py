"""Backup and restoration in the browser, for the host."""

from __future__ import annotations

import tempfile

from flask import Response, request

from companion.backup import BackupError, restore_backup, write_backup
from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer
from companion.server.schema.limits import BACKUP_LIMIT
from companion.server.schema.match import last_match
from companion.server.services.services import services
from companion.storage.records import StoreError

api = Api()

_KIND = "application/zip"
_PART = 1024 * 1024


class RestoredAnswer(Answer):
    """What a backup added. known: matches and decks that were there already. refused: one sentence for each fault."""

    matches: int
    decks: int
    known: int
    refused: list[str]


@api.route("GET", "/api/backup", role=Role.HOST, answer=Media((_KIND,)), errors=(409,))
def get_backup() -> Response:
    """Return matches, pictures, decks and names in one file. Keys and devices are not in it."""
    own = services()
    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the response)
    try:
        write_backup(own.config.data, own.decks.folder, file)
    except (BackupError, OSError) as error:
        file.close()
        raise RefusalError(409, "storage", str(error)) from error
    size = file.tell()
    file.seek(0)
    response = Response(iter(lambda: file.read(_PART), b""), content_type=_KIND)
    response.call_on_close(file.close)
    response.headers["Content-Length"] = str(size)
    response.headers["Content-Disposition"] = 'attachment; filename="companion-backup.zip"'
    return response


@api.route("POST", "/api/restore", role=Role.HOST, upload=_KIND, answer=RestoredAnswer, errors=(409,))
def restore() -> RestoredAnswer:
    """Add what a backup, sent as the body, holds. Nothing that is there already is overwritten."""
    request.max_content_length = BACKUP_LIMIT
    if request.mimetype != _KIND:
        raise RefusalError(415, "not-a-backup", "The request must be a backup.")
    own = services()
    with tempfile.TemporaryFile() as file:
        while part := request.stream.read(_PART):
            file.write(part)
        try:
            found = restore_backup(file, own.store, own.decks)
        except BackupError as error:
            raise RefusalError(422, "not-a-backup", str(error)) from error
        except StoreError as error:
            raise RefusalError(409, "storage", str(error)) from error
    own.people.meet(found.people)
    own.preferences.adopt(last_match(found.choices))
    own.hall.clear()
    return RestoredAnswer(
        matches=len(found.matches), decks=len(found.decks), known=found.known, refused=list(found.refused)
    )
