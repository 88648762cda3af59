"""Drafts of editions: check a file, write one, preview what its cards do, and share it as a QR code."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from pydantic import Field

from companion.caller import Caller
from companion.editions import Edition
from companion.editions.definition.faults import InvalidEditionError
from companion.editions.definition.toml_text import to_toml
from companion.laboratory import Turn, example_of, sample_turns
from companion.languages import Language
from companion.referee.moves import Draw, Play
from companion.referee.phase import Phase
from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.management.pairing import address_for_phones, qr_svg
from companion.server.routes.editions import (
    EditionSummaryAnswer,
    FileBody,
    edition_of_file,
    known_edition,
    read_text,
    sample_header,
    summary_of,
)
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body, EditionId
from companion.server.services.services import services

api = Api()

_PREVIEWED_TURNS = 10
_MOST_MOVES = 200
"""A turn has few moves; so many are never needed."""
_SEED = 7
_MOST_IN_QR = 1500
"""Bytes of a file that a phone reads well from a QR code on a screen."""


class FileFaultAnswer(Answer):
    """One fault of a file: its line from 1, its key such as `faces.wild lion.points`, and what is wrong."""

    line: int | None
    key: str
    message: str


class CheckAnswer(Answer):
    """The faults of a file; without any, the edition and the file's values."""

    faults: list[FileFaultAnswer]
    edition: EditionSummaryAnswer | None
    definition: dict[str, Any] | None


class DefinitionBody(Body):
    """The values of an edition file."""

    definition: dict[str, Any]


class DraftAnswer(CheckAnswer):
    """The values as a file, and what a check of it finds."""

    file: str


class PreviewBody(FileBody):
    """An edition file to preview. seed: another number plays another match."""

    language: Language | None = None
    seed: int = Field(default=_SEED, ge=0, le=1_000_000)


class PreviewMoveAnswer(Answer):
    """One move: who did what, what the caller says, and how many cards everybody holds then."""

    move: str
    sentences: list[str]
    hands: dict[str, int]


class CardExampleAnswer(Answer):
    """What happens when a special card is played: from its play until its program has ended.

    described: what the card does, as the rules sheet has it.
    """

    face: str
    title: str
    described: str
    moves: list[PreviewMoveAnswer]


class EditionPreviewAnswer(Answer):
    """An example of each special card, and the first turns of a random match."""

    examples: list[CardExampleAnswer]
    turns: list[PreviewMoveAnswer]


class Held(Enum):
    """What a QR code of an edition holds: the file itself, or the address of a page that offers it."""

    FILE = "file"
    LINK = "link"


class ShareBody(Body):
    """The edition to share."""

    edition: EditionId


class ShareAnswer(Answer):
    """A QR code (SVG), and the text in it."""

    holds: Held
    text: str
    qr: str


@api.route("POST", "/api/editions/check", role=Role.PLAYER, body=FileBody, answer=CheckAnswer)
def check_edition(body: FileBody) -> CheckAnswer:
    """Check an edition file."""
    try:
        edition = read_text(body.file)
    except InvalidEditionError as error:
        faults = [FileFaultAnswer(line=each.line, key=each.key, message=each.message) for each in error.faults]
        return CheckAnswer(faults=faults, edition=None, definition=None)
    found = summary_of(edition, services().caller)
    return CheckAnswer(faults=[], edition=found, definition=dict(edition.definition))


@api.route("POST", "/api/editions/draft", role=Role.PLAYER, body=DefinitionBody, answer=DraftAnswer)
def write_draft(body: DefinitionBody) -> DraftAnswer:
    """Write an edition's values as a file and check it."""
    try:
        file = to_toml(body.definition)
    except (AttributeError, RecursionError) as error:  # no table where one belongs, or a value nested too deeply
        message = "The definition is no edition: its parts must be tables, not deeper than 8."
        raise RefusalError(422, "invalid", message, fault=Fault("definition", Rule.OTHER)) from error
    checked = check_edition(FileBody.model_construct(file=file))
    return DraftAnswer(file=file, faults=checked.faults, edition=checked.edition, definition=checked.definition)


@api.route("POST", "/api/editions/preview", role=Role.PLAYER, body=PreviewBody, answer=EditionPreviewAnswer)
def preview_edition(body: PreviewBody) -> EditionPreviewAnswer:
    """Return what the caller says when each special card is played, and the first turns of a random match."""
    edition, caller = edition_of_file(body.file), Caller(body.language or services().language)
    header = sample_header(edition)
    examples = [
        CardExampleAnswer(
            face=face.value,
            title=caller.face(face, edition),
            described=caller.describe_face(edition.face_rules(face), edition, edition.options),
            moves=[_move(turn, caller) for turn in example_of(header, face, body.seed)],
        )
        for face in header.rules.played
    ]
    turns = [_move(turn, caller) for turn in _first_turns(sample_turns(header, _MOST_MOVES, body.seed))]
    return EditionPreviewAnswer(examples=examples, turns=turns)


@api.route("POST", "/api/editions/share", role=Role.HOST, body=ShareBody, answer=ShareAnswer)
def share_edition(body: ShareBody) -> ShareAnswer:
    """Return an edition as a QR code: the file itself if it is small, else a single-use address that offers it."""
    edition: Edition = known_edition(body.edition)
    text = services().editions.export(edition.id)
    if len(text.encode()) <= _MOST_IN_QR:
        return ShareAnswer(holds=Held.FILE, text=text, qr=qr_svg(text))
    base = address_for_phones(secure=False)
    url = f"{base}/join#t={services().pairing.invite(Role.VIEWER)}&next=/edition?show={edition.id}"
    return ShareAnswer(holds=Held.LINK, text=url, qr=qr_svg(url))


def _first_turns(moves: Iterator[Turn]) -> Iterator[Turn]:
    """Yield the moves of the first ten turns: each begins with a play or a draw by a player whose turn it is."""
    turns = 0
    for move in moves:
        turns += move.before.phase is Phase.TURN and isinstance(move.move, Play | Draw)
        if turns > _PREVIEWED_TURNS:
            return
        yield move


def _move(turn: Turn, caller: Caller) -> PreviewMoveAnswer:
    state = turn.after
    hands = dict(zip(state.players, state.hands, strict=True))
    said = caller.say(turn.effects, turn.before, state)
    return PreviewMoveAnswer(move=caller.move(turn.move, turn.before), sentences=said, hands=hands)
