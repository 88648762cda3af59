"""Start a match or resume one."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from companion.cards import Card
from companion.editions import InvalidOptionError
from companion.languages import Language
from companion.referee.model.scoring import highest_draws
from companion.referee.state import MAX_PLAYERS, Header
from companion.referee.transcript import TranscriptError, read_header
from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.schema.answers import Answer
from companion.server.schema.fields import Body, CardName
from companion.server.schema.match import MatchBody
from companion.server.services.selfplay import SOURCE, SelfPlay
from companion.server.services.services import services
from companion.server.services.turn_timer import MOST_SECONDS
from companion.storage.store import NoSuchMatchError, StoreError
from companion.table.presentation.view import Turns

api = Api()


class ResumeBody(Body):
    """The match to resume; by default the latest unfinished one."""

    id: str | None = Field(default=None, max_length=100)


class DealerBody(Body):
    """The cards drawn for the deal, one per remaining player."""

    cards: list[CardName] = Field(min_length=1, max_length=MAX_PLAYERS)


class DealerAnswer(Answer):
    """Who drew the highest card, as list positions; several draw again."""

    highest: list[int]


class LanguageBody(Body):
    """The caller's language."""

    language: Language


class TimerBody(Body):
    """After how many seconds a player is reminded of a turn, 0 for never."""

    seconds: int = Field(ge=0, le=MOST_SECONDS)


class TimerAnswer(Answer):
    """After how many seconds a player is reminded of a turn, 0 for never."""

    seconds: int


class StartedAnswer(Answer):
    """The running match, null if there was none to resume."""

    id: str | None


@api.route("POST", "/api/match", role=Role.HOST, body=MatchBody, answer=StartedAnswer)
def start_match(body: MatchBody) -> StartedAnswer:
    """Begin a match; the running one is kept. If the simulated table is watched, it plays the match by itself."""
    header = _header(body)
    own = services()
    if body.language is not None:
        own.speak(body.language)
    own.preferences.keep_match(body.model_dump(mode="json"), ours=body.ours)
    return _start(header, body.turns)


@api.route("POST", "/api/match/resume", role=Role.HOST, body=ResumeBody, answer=StartedAnswer, errors=(404, 409))
def resume_match(body: ResumeBody) -> StartedAnswer:
    """Resume an interrupted match."""
    try:
        return StartedAnswer(id=services().resume(body.id))
    except NoSuchMatchError as error:
        raise RefusalError(404, "no-such-match", str(error)) from error
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error


@api.route("POST", "/api/match/rematch", role=Role.HOST, answer=StartedAnswer, errors=(409,))
def start_rematch() -> StartedAnswer:
    """Begin another match with the same people, rules and options; the next player deals."""
    own = services()
    view = own.table.view()
    if view.header is None or view.state is None:
        raise RefusalError(409, "no-match", "There is no match that could be played again.")
    header = replace(view.header, dealer=(view.state.dealer + 1) % len(view.header.players))
    return _start(header, view.turns)


@api.route("POST", "/api/dealer", role=Role.HOST, body=DealerBody, answer=DealerAnswer)
def find_dealer(body: DealerBody) -> DealerAnswer:
    """Return who drew the highest card."""
    return DealerAnswer(highest=list(highest_draws([Card.parse(name) for name in body.cards])))


@api.route("POST", "/api/language", role=Role.HOST, body=LanguageBody)
def set_language(body: LanguageBody) -> None:
    """Change the caller's language."""
    services().speak(body.language)


@api.route("GET", "/api/turn-timer", role=Role.VIEWER, answer=TimerAnswer)
def get_turn_timer() -> TimerAnswer:
    """Return after how many seconds a player is reminded of a turn, 0 for never."""
    return TimerAnswer(seconds=services().turn_timer.seconds)


@api.route("POST", "/api/turn-timer", role=Role.HOST, body=TimerBody, answer=TimerAnswer)
def set_turn_timer(body: TimerBody) -> TimerAnswer:
    """Set after how many seconds a player is reminded of a turn by an event `nudge` on the live stream."""
    services().turn_timer.set(body.seconds)
    return TimerAnswer(seconds=body.seconds)


def _start(header: Header, turns: Turns) -> StartedAnswer:
    own = services()
    itself = own.camera.state.source == SOURCE
    return StartedAnswer(id=SelfPlay(own, header, turns=turns).start() if itself else own.start(header, turns))


def _header(body: MatchBody) -> Header:
    editions = services().editions
    if body.edition not in editions:
        known = ", ".join(editions)
        fault = Fault("edition", Rule.UNKNOWN)
        raise RefusalError(
            422, "invalid", f"There is no edition {body.edition}; one of {known} is needed.", fault=fault
        )
    match: dict[str, object] = {
        "edition": body.edition,
        "profile": body.profile,
        "players": list(body.players),
        "options": {**body.options, **body.choices},
    }
    if body.dealer is not None:
        match["dealer"] = body.dealer
    try:
        return read_header({"match": match}, editions)
    except TranscriptError as error:
        cause = error.__cause__
        option = cause.option if isinstance(cause, InvalidOptionError) else None
        fault = Fault("players", Rule.OTHER) if option is None else Fault(f"options.{option}", Rule.OPTION)
        raise RefusalError(422, "invalid", str(error), fault=fault) from error
