"""Editions: list and read them, keep, download and remove files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from flask import Response
from pydantic import Field

from companion.caller import Caller
from companion.editions import Edition
from companion.editions.definition.faults import InvalidEditionError
from companion.editions.definition.files import read_edition
from companion.editions.definition.toml_text import to_toml
from companion.editions.edition import STANDARD
from companion.editions.library import EditionExistsError, NoSuchEditionError, printed
from companion.languages import Language
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.routes.choices import DeckCardAnswer, deck_answer
from companion.server.routes.rules import RuleAnswer, rule_answers
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body
from companion.server.schema.signs import sign_of_face, sign_of_mark
from companion.server.services.services import services

api = Api()

_PLAYERS = ("Ann", "Ben", "Cy")
_MOST_TEXT = 60_000
FileText = Annotated[str, Field(max_length=_MOST_TEXT)]


class EditionsQuery(Body):
    """Language of titles and sentences; the caller's by default."""

    language: Language | None = None


class EditionQuery(EditionsQuery):
    """playing: the edition as the running match has it, which need not be there any more."""

    playing: bool = False


class SpecialAnswer(Answer):
    """A special face, by its first card. sign: what is drawn on it."""

    card: str
    title: str
    sign: str | None


class EditionSummaryAnswer(Answer):
    """An edition in a list. checked: `unchecked`, `retold`, `sheet` or `own`. own: a file of the user's.

    specials: its special faces.
    """

    id: str
    title: str
    base: str
    cards: int
    checked: str
    sources: list[str]
    own: bool
    specials: list[SpecialAnswer]


class EditionsAnswer(Answer):
    """All editions, the printed ones first. faults: one line for each fault of an own file that cannot be read."""

    editions: list[EditionSummaryAnswer]
    faults: list[str]


class EditionColorAnswer(Answer):
    """A colour of an edition."""

    color: str
    title: str
    hex: str


class EditionMarkAnswer(Answer):
    """A mark of an edition. sign: what is drawn where there is no drawing of its own."""

    mark: str
    title: str
    sign: str | None


class OwnChoiceAnswer(Answer):
    """An option of the edition's own: its values, the default first, and one sentence."""

    name: str
    text: str
    values: list[bool | str]


class EditionDetailAnswer(Answer):
    """An edition with its deck, its defaults, its rules sheet with default options, and its file."""

    edition: EditionSummaryAnswer
    colors: list[EditionColorAnswer]
    marks: list[EditionMarkAnswer]
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


@api.route("GET", "/api/editions", role=Role.VIEWER, query=EditionsQuery, answer=EditionsAnswer)
def list_editions(query: EditionsQuery) -> EditionsAnswer:
    """List all editions."""
    own = services()
    caller = Caller(query.language or own.language)
    return EditionsAnswer(
        editions=[summary_of(edition, caller) for edition in own.editions.values()], faults=list(own.editions.faults)
    )


@api.route("GET", "/api/editions/<edition_id>", role=Role.VIEWER, query=EditionQuery, answer=EditionDetailAnswer)
def get_edition(edition_id: str, query: EditionQuery) -> EditionDetailAnswer:
    """Return an edition with its deck, its rules sheet and its file."""
    played = _played(edition_id) if query.playing else None
    edition, caller = played or known_edition(edition_id), Caller(query.language or services().language)
    return EditionDetailAnswer(
        edition=summary_of(edition, caller),
        colors=[
            EditionColorAnswer(color=color.value, title=caller.color(color, edition), hex=rules.hex)
            for color, rules in edition.colors.items()
        ],
        marks=[
            EditionMarkAnswer(mark=mark, title=caller.term(mark, edition), sign=sign_of_mark(rules))
            for mark, rules in edition.marks.items()
        ],
        deck=deck_answer(edition, caller),
        defaults={name: edition.options.plain(name) for name in edition.offered},
        profiles=list(edition.profiles),
        choices=[
            OwnChoiceAnswer(name=name, text=caller.choice_text(choice), values=list(choice.option.values))
            for name, choice in edition.choices.items()
        ],
        rules=rule_answers(caller.rules_sheet(sample_header(edition))),
        file=to_toml(edition.definition) if played else services().editions.export(edition_id),
    )


@api.route("GET", "/api/editions/<edition_id>/file", role=Role.VIEWER, answer=Media(("application/toml",)))
def export_edition(edition_id: str) -> Response:
    """Return an edition's file for download."""
    known_edition(edition_id)
    response = Response(services().editions.export(edition_id), content_type="application/toml; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{edition_id}.toml"'
    return response


@api.route("POST", "/api/editions", role=Role.HOST, body=KeepBody, answer=EditionSummaryAnswer, errors=(409,))
def keep_edition(body: KeepBody) -> EditionSummaryAnswer:
    """Check an edition file and keep it."""
    edition = edition_of_file(body.file)
    try:
        services().editions.add(body.file.encode(), f"{edition.id}.toml", replace=body.replace)
    except EditionExistsError as error:
        raise RefusalError(409, "edition-exists", str(error)) from error
    except OSError as error:
        raise RefusalError(409, "storage", f"The edition cannot be kept: {error.strerror}.") from error
    return summary_of(edition, services().caller)


@api.route("DELETE", "/api/editions/<edition_id>", role=Role.HOST, errors=(409,))
def remove_edition(edition_id: str) -> None:
    """Delete one of the user's own editions. Matches keep the edition they were played with."""
    try:
        services().editions.remove(edition_id)
    except NoSuchEditionError as error:
        raise RefusalError(404, "no-such-edition", f"There is no own edition {error.id}.") from error
    except OSError as error:
        raise RefusalError(409, "storage", f"The edition cannot be removed: {error.strerror}.") from error


def summary_of(edition: Edition, caller: Caller) -> EditionSummaryAnswer:
    """Return an edition as in a list."""
    firsts = {card.face: card for card in reversed(tuple(edition.deck))}
    return EditionSummaryAnswer(
        id=edition.id,
        title=caller.edition_title(edition),
        base=edition.base.value,
        cards=edition.size,
        checked=edition.checked.value,
        sources=list(edition.sources),
        own=services().editions.is_own(edition.id),
        specials=[
            SpecialAnswer(card=firsts[face].name, title=caller.face(face, edition), sign=sign_of_face(edition, face))
            for face in edition.faces
            if face not in STANDARD
        ],
    )


def known_edition(edition_id: str) -> Edition:
    """Return the edition of this ID; raises RefusalError if there is none."""
    editions: Mapping[str, Edition] = services().editions
    try:
        return editions[edition_id]
    except NoSuchEditionError as error:
        raise RefusalError(404, "no-such-edition", f"There is no edition {error.id}.") from error


def sample_header(edition: Edition) -> Header:
    """Return a match of three, or of two where the deck is too small, in which the first player begins."""
    players = _PLAYERS[: (edition.size - 1) // edition.options.hand_size]
    return Header(edition, players, len(players) - 1, edition.options)


def read_text(file: str) -> Edition:
    """Return the edition of a file's text; raises InvalidEditionError."""
    return read_edition(file.encode("utf-8", "surrogatepass"), "edition.toml", printed())


def edition_of_file(file: str) -> Edition:
    """Return the edition of a file; raises RefusalError with its first fault."""
    try:
        return read_text(file)
    except InvalidEditionError as error:
        raise RefusalError(422, "invalid", str(error), fault=Fault("file", Rule.OTHER)) from error


def _played(edition_id: str) -> Edition | None:
    """Return the edition of the running match if it has this ID."""
    state = services().table.state
    return None if state is None or state.header.edition.id != edition_id else state.header.edition
