"""The house-rule laboratory: random rounds in the background, and what they show."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from companion.caller import Caller
from companion.editions import InvalidOptionError
from companion.languages import Language
from companion.referee.state import MAX_PLAYERS, MIN_PLAYERS, Header
from companion.referee.transcript import TranscriptError, read_options
from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.routes.editions import FileText, edition_of_file, known_edition
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body, EditionId
from companion.server.services.lab_process import LabTask
from companion.server.services.laboratory import LabStand
from companion.server.services.services import services

api = Api()

MOST_SECONDS = 20.0

_SEATS = tuple(f"Player {seat}" for seat in range(1, MAX_PLAYERS + 1))
_Word = Annotated[str, Field(max_length=40)]


class LabBody(Body):
    """What to try: an edition by ID, or a file."""

    edition: EditionId = "classic"
    file: FileText | None = None
    options: dict[_Word, bool | int | _Word] = Field(default_factory=dict, max_length=40)
    players: int = Field(default=4, ge=MIN_PLAYERS, le=MAX_PLAYERS)
    rounds: int = Field(default=1000, ge=1, le=10_000)
    language: Language | None = None


class LabAnswer(Answer):
    """How far the laboratory is, and what the rounds so far show.

    wanted: how many rounds were asked for. lengths: turns of each finished round. drawn: cards in a round by reason.
    titles: the names of the cards and marks among the reasons.
    """

    running: bool
    wanted: int
    rounds: int
    players: int
    lengths: list[int]
    beginner_wins: float
    leader_caught: float
    drawn: dict[str, float]
    titles: dict[str, str]
    wins: list[int]
    eliminated: float
    unfinished: int


@api.route("GET", "/api/lab", role=Role.HOST, answer=LabAnswer)
def get_lab() -> LabAnswer:
    """Return what the latest random rounds show so far."""
    return _answer(services().laboratory.stand)


@api.route("POST", "/api/lab", role=Role.HOST, body=LabBody, answer=LabAnswer, errors=(404, 409))
def begin_lab(body: LabBody) -> LabAnswer:
    """Begin random rounds in the background, at most 20 seconds long. Those that run end."""
    edition = known_edition(body.edition) if body.file is None else edition_of_file(body.file)
    file = body.file
    if file is None and not edition.is_printed:
        file = services().editions.export(edition.id)
    try:
        Header(edition, _SEATS[: body.players], 0, read_options(edition, "official", body.options))
    except (TranscriptError, InvalidOptionError) as error:
        raise RefusalError(422, "invalid", str(error), fault=Fault("options", Rule.OPTION)) from error
    task = LabTask(
        edition=edition.id,
        file=file,
        options=body.options,
        players=body.players,
        rounds=body.rounds,
        seconds=MOST_SECONDS,
    )
    caller = Caller(body.language or services().language)
    titles = {face.value: caller.face(face, edition) for face in edition.copies}
    titles |= {mark: caller.term(mark, edition) for mark in edition.marks}
    try:
        return _answer(services().laboratory.begin(task, titles))
    except OSError as error:
        message = f"The laboratory cannot be started: {error.strerror}."
        raise RefusalError(409, "no-laboratory", message) from error


@api.route("DELETE", "/api/lab", role=Role.HOST)
def stop_lab() -> None:
    """End the random rounds. What they have shown stays."""
    services().laboratory.stop()


def _answer(stand: LabStand) -> LabAnswer:
    found = stand.report
    return LabAnswer(
        running=stand.running,
        wanted=stand.wanted,
        rounds=found.rounds,
        players=found.players,
        lengths=list(found.turns),
        beginner_wins=found.beginner_wins,
        leader_caught=found.leader_caught,
        drawn=found.drawn,
        titles=dict(stand.titles),
        wins=list(found.wins),
        eliminated=found.eliminated,
        unfinished=found.unfinished,
    )
