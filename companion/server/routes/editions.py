"""Editions: list and read them, check, keep and remove files, preview a file, and run the laboratory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from flask import Response
from pydantic import Field

from companion.caller import Caller
from companion.editions import Edition, InvalidOptionError
from companion.editions.faults import InvalidEditionError
from companion.editions.files import read_edition
from companion.editions.library import EditionExistsError, NoSuchEditionError, printed
from companion.laboratory import Turn, example_of, report, sample_turns
from companion.languages import Language
from companion.referee.state import Header
from companion.referee.transcript import TranscriptError, read_options
from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.routes.choices import DeckCardAnswer, deck_answer
from companion.server.routes.rules import RuleAnswer, rule_answers
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body, EditionId
from companion.server.services.services import services

api = Api()

_PLAYERS = ("Ann", "Ben", "Cy")
_MOST_TEXT = 60_000
_PREVIEWED_MOVES = 30
_SEED = 7

FileText = Annotated[str, Field(max_length=_MOST_TEXT)]


class EditionsQuery(Body):
    """Language of titles and sentences; the caller's by default."""

    language: Language | None = None


class EditionSummaryAnswer(Answer):
    """An edition in a list. checked: `unchecked`, `retold`, `sheet` or `own`. own: a file of the user's."""

    id: str
    title: str
    base: str
    cards: int
    checked: str
    sources: list[str]
    own: bool


class EditionsAnswer(Answer):
    """All editions, the printed ones first. faults: one line for each fault of an own file that cannot be read."""

    editions: list[EditionSummaryAnswer]
    faults: list[str]


class EditionColorAnswer(Answer):
    """A colour of an edition."""

    color: str
    title: str
    hex: str


class OwnChoiceAnswer(Answer):
    """An option of the edition's own: its values, the default first, and one sentence."""

    name: str
    text: str
    values: list[bool | str]


class EditionDetailAnswer(Answer):
    """An edition with its deck, its defaults, its rules sheet with default options, and its file."""

    edition: EditionSummaryAnswer
    colors: list[EditionColorAnswer]
    deck: list[DeckCardAnswer]
    defaults: dict[str, bool | int | str]
    profiles: list[str]
    choices: list[OwnChoiceAnswer]
    rules: list[RuleAnswer]
    file: str


class FileBody(Body):
    """An edition file as TOML."""

    file: FileText


class KeepBody(FileBody):
    """An edition file to keep. replace: put it in the place of one with the same ID."""

    replace: bool = False


class FileFaultAnswer(Answer):
    """One fault of a file: its line from 1, its key such as `faces.wild lion.points`, and what is wrong."""

    line: int | None
    key: str
    message: str


class CheckAnswer(Answer):
    """The faults of a file; without any, the edition."""

    faults: list[FileFaultAnswer]
    edition: EditionSummaryAnswer | None


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
    """What happens when a special card is played: from its play until its program has ended."""

    face: str
    title: str
    moves: list[PreviewMoveAnswer]


class EditionPreviewAnswer(Answer):
    """An example of each special card, and the first ten turns of a random match."""

    examples: list[CardExampleAnswer]
    turns: list[PreviewMoveAnswer]


class LabBody(Body):
    """What to try: an edition by ID, or a file."""

    edition: EditionId = "classic"
    file: FileText | None = None
    options: dict[Annotated[str, Field(max_length=40)], bool | int | Annotated[str, Field(max_length=40)]] = Field(
        default_factory=dict, max_length=40
    )
    players: int = Field(default=4, ge=2, le=10)
    rounds: int = Field(default=200, ge=1, le=1000)


class LabAnswer(Answer):
    """What random rounds show. lengths: turns of each finished round. drawn: cards in a round by reason."""

    rounds: int
    players: int
    turns: float
    lengths: list[int]
    beginner_wins: float
    leader_caught: float
    drawn: dict[str, float]
    wins: list[int]
    eliminated: float
    unfinished: int


@api.route("GET", "/api/editions", role=Role.VIEWER, query=EditionsQuery, answer=EditionsAnswer)
def list_editions(query: EditionsQuery) -> EditionsAnswer:
    """List all editions."""
    own = services()
    caller = Caller(query.language or own.language)
    return EditionsAnswer(
        editions=[_summary(edition, caller) for edition in own.editions.values()], faults=list(own.editions.faults)
    )


@api.route("GET", "/api/editions/<edition_id>", role=Role.VIEWER, query=EditionsQuery, answer=EditionDetailAnswer)
def get_edition(edition_id: str, query: EditionsQuery) -> EditionDetailAnswer:
    """Return an edition with its deck, its rules sheet and its file."""
    own = services()
    edition, caller = _known(edition_id), Caller(query.language or own.language)
    header = Header(edition, _PLAYERS, 0, edition.options)
    return EditionDetailAnswer(
        edition=_summary(edition, caller),
        colors=[
            EditionColorAnswer(color=color.value, title=caller.color(color, edition), hex=rules.hex)
            for color, rules in edition.colors.items()
        ],
        deck=deck_answer(edition, caller),
        defaults={name: edition.options.plain(name) for name in edition.offered},
        profiles=list(edition.profiles),
        choices=[
            OwnChoiceAnswer(name=name, text=caller.choice_text(choice), values=list(choice.option.values))
            for name, choice in edition.choices.items()
        ],
        rules=rule_answers(caller.rules_sheet(header)),
        file=own.editions.export(edition_id),
    )


@api.route("GET", "/api/editions/<edition_id>/file", role=Role.VIEWER, answer=Media(("application/toml",)))
def export_edition(edition_id: str) -> Response:
    """Return an edition's file for download."""
    _known(edition_id)
    response = Response(services().editions.export(edition_id), content_type="application/toml; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{edition_id}.toml"'
    return response


@api.route("POST", "/api/editions/check", role=Role.PLAYER, body=FileBody, answer=CheckAnswer)
def check_edition(body: FileBody) -> CheckAnswer:
    """Check an edition file."""
    try:
        edition = read_edition(body.file.encode("utf-8", "surrogatepass"), "edition.toml", printed())
    except InvalidEditionError as error:
        faults = [FileFaultAnswer(line=each.line, key=each.key, message=each.message) for each in error.faults]
        return CheckAnswer(faults=faults, edition=None)
    return CheckAnswer(faults=[], edition=_summary(edition, services().caller))


@api.route("POST", "/api/editions", role=Role.HOST, body=KeepBody, answer=EditionSummaryAnswer, errors=(409,))
def keep_edition(body: KeepBody) -> EditionSummaryAnswer:
    """Check an edition file and keep it."""
    edition = _read(body.file)
    try:
        services().editions.add(body.file.encode(), f"{edition.id}.toml", replace=body.replace)
    except EditionExistsError as error:
        raise RefusalError(409, "edition-exists", str(error)) from error
    except OSError as error:
        raise RefusalError(409, "storage", f"The edition cannot be kept: {error.strerror}.") from error
    return _summary(edition, services().caller)


@api.route("DELETE", "/api/editions/<edition_id>", role=Role.HOST, errors=(409,))
def remove_edition(edition_id: str) -> None:
    """Delete one of the user's own editions. Matches keep the edition they were played with."""
    try:
        services().editions.remove(edition_id)
    except NoSuchEditionError as error:
        raise RefusalError(404, "no-such-edition", f"There is no own edition {error.id}.") from error
    except OSError as error:
        raise RefusalError(409, "storage", f"The edition cannot be removed: {error.strerror}.") from error


@api.route("POST", "/api/editions/preview", role=Role.PLAYER, body=PreviewBody, answer=EditionPreviewAnswer)
def preview_edition(body: PreviewBody) -> EditionPreviewAnswer:
    """Return what the caller says when each special card is played, and ten turns of a random match."""
    edition, caller = _read(body.file), Caller(body.language or services().language)
    header = Header(edition, _PLAYERS, len(_PLAYERS) - 1, edition.options)
    examples = [
        CardExampleAnswer(
            face=face.value,
            title=caller.face(face, edition),
            moves=[_move(turn, caller) for turn in example_of(header, face, body.seed)],
        )
        for face in header.rules.played
    ]
    turns = [_move(turn, caller) for turn in sample_turns(header, _PREVIEWED_MOVES, body.seed)]
    return EditionPreviewAnswer(examples=examples, turns=turns)


@api.route("POST", "/api/lab", role=Role.HOST, body=LabBody, answer=LabAnswer, errors=(404,))
def run_lab(body: LabBody) -> LabAnswer:
    """Play random rounds and report their length, who wins, and what makes people draw."""
    edition = _known(body.edition) if body.file is None else _read(body.file)
    try:
        options = read_options(edition, "official", body.options)
        found = report(edition, options, body.players, body.rounds)
    except (TranscriptError, InvalidOptionError) as error:
        raise RefusalError(422, "invalid", str(error), fault=Fault("options", Rule.OPTION)) from error
    return LabAnswer(
        rounds=found.rounds,
        players=found.players,
        turns=found.turns_mean,
        lengths=list(found.turns),
        beginner_wins=found.beginner_wins,
        leader_caught=found.leader_caught,
        drawn=found.drawn,
        wins=list(found.wins),
        eliminated=found.eliminated,
        unfinished=found.unfinished,
    )


def _summary(edition: Edition, caller: Caller) -> EditionSummaryAnswer:
    return EditionSummaryAnswer(
        id=edition.id,
        title=caller.edition_title(edition),
        base=edition.base.value,
        cards=edition.size,
        checked=edition.checked.value,
        sources=list(edition.sources),
        own=services().editions.is_own(edition.id),
    )


def _known(edition_id: str) -> Edition:
    """Return the edition of this ID; raises RefusalError if there is none."""
    editions: Mapping[str, Edition] = services().editions
    try:
        return editions[edition_id]
    except NoSuchEditionError as error:
        raise RefusalError(404, "no-such-edition", f"There is no edition {error.id}.") from error


def _read(file: str) -> Edition:
    """Return the edition of a file; raises RefusalError with its first fault."""
    try:
        return read_edition(file.encode("utf-8", "surrogatepass"), "edition.toml", printed())
    except InvalidEditionError as error:
        raise RefusalError(422, "invalid", str(error), fault=Fault("file", Rule.OTHER)) from error


def _move(turn: Turn, caller: Caller) -> PreviewMoveAnswer:
    state = turn.after
    hands: dict[str, Any] = dict(zip(state.players, state.hands, strict=True))
    said = caller.say(turn.effects, turn.before, state)
    return PreviewMoveAnswer(move=caller.move(turn.move, turn.before), sentences=said, hands=hands)
