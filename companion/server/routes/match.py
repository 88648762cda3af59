"""Setting a match up, and taking one up again."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field, StrictBool, StrictInt, StrictStr

from companion.cards import Card, EditionName
from companion.languages import Language
from companion.referee.editions import InvalidOptionError
from companion.referee.scoring import highest_draws
from companion.referee.state import MAX_PLAYERS, MIN_PLAYERS, Header
from companion.referee.transcript import TranscriptError, read_header
from companion.server.access.guests import Role
from companion.server.errors import Fault, RefusalError, Rule
from companion.server.routes.api import Api
from companion.server.routes.fields import Body, CardName, OptionName, PlayerName, ProfileName
from companion.server.routes.payloads import Answer
from companion.server.selfplay import SOURCE, SelfPlay
from companion.server.services import services
from companion.store import NoSuchMatchError, StoreError
from companion.table import Turns

api = Api()

_MOST = 1_000_000
"""No number of a match comes near it."""

OptionValue = StrictBool | Annotated[StrictInt, Field(ge=0, le=_MOST)] | Annotated[StrictStr, Field(max_length=40)]


OUR_RULES = "our_rules"
"""Where the family's own rules stand among what was chosen last."""


class MatchBody(Body):
    """How a match is set up. `options` are those of the rules that differ from the profile's; see `/api/choices`.

    ours: whether these are the family's own rules, to be offered as such from now on. turns: how the table learns who
    played and who drew.
    """

    edition: EditionName
    profile: ProfileName = "official"
    players: list[PlayerName] = Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)
    dealer: PlayerName | None = None
    options: dict[OptionName, OptionValue] = Field(default_factory=dict)
    language: Language | None = None
    turns: Turns = Turns.CAMERA
    ours: bool = False


class ResumeBody(Body):
    """Which match to take up again; the latest that is not over where none is named."""

    id: str | None = Field(default=None, max_length=100)


class DealerBody(Body):
    """The cards drawn for the deal, one by each player who still takes part."""

    cards: list[CardName] = Field(min_length=1, max_length=MAX_PLAYERS)


class DealerAnswer(Answer):
    """Who drew the highest card, as positions in the list; several draw again."""

    highest: list[int]


class LanguageBody(Body):
    """The language that the caller is to speak."""

    language: Language


class StartedAnswer(Answer):
    """The match that runs now, None where there was none to go on with."""

    id: str | None


@api.route("POST", "/api/match", role=Role.HOST, body=MatchBody, answer=StartedAnswer)
def start_match(body: MatchBody) -> StartedAnswer:
    """Begin a match; the one that ran is kept. Where the simulated table is watched, it plays the match by itself."""
    header = _header(body)
    own = services()
    if body.language is not None:
        own.speak(body.language)
    wishes = body.model_dump(mode="json")
    own.remember({**wishes, OUR_RULES: wishes["options"] if body.ours else own.wishes.get(OUR_RULES)})
    return _start(header, body.turns)


@api.route("POST", "/api/match/resume", role=Role.HOST, body=ResumeBody, answer=StartedAnswer, errors=(404, 409))
def resume_match(body: ResumeBody) -> StartedAnswer:
    """Go on with a match that was broken off."""
    try:
        return StartedAnswer(id=services().table.resume(body.id))
    except NoSuchMatchError as error:
        raise RefusalError(404, "no-such-match", str(error)) from error
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error


@api.route("POST", "/api/match/rematch", role=Role.HOST, answer=StartedAnswer, errors=(409,))
def start_rematch() -> StartedAnswer:
    """Begin another match of the same people, rules and options; the next player deals."""
    own = services()
    view = own.table.view()
    if view.header is None or view.state is None:
        raise RefusalError(409, "no-match", "There is no match that could be played again.")
    header = replace(view.header, dealer=(view.state.dealer + 1) % len(view.header.players))
    return _start(header, view.turns)


@api.route("POST", "/api/dealer", role=Role.HOST, body=DealerBody, answer=DealerAnswer)
def find_dealer(body: DealerBody) -> DealerAnswer:
    """Say who drew the highest card."""
    return DealerAnswer(highest=list(highest_draws([Card.parse(name) for name in body.cards])))


@api.route("POST", "/api/language", role=Role.HOST, body=LanguageBody)
def set_language(body: LanguageBody) -> None:
    """Let the caller speak another language."""
    services().speak(body.language)


def _start(header: Header, turns: Turns) -> StartedAnswer:
    own = services()
    itself = own.camera.state.source == SOURCE
    return StartedAnswer(id=SelfPlay(own, header, turns=turns).start() if itself else own.start(header, turns))


def _header(body: MatchBody) -> Header:
    match: dict[str, object] = {
        "edition": body.edition.value,
        "profile": body.profile,
        "players": list(body.players),
        "options": dict(body.options),
    }
    if body.dealer is not None:
        match["dealer"] = body.dealer
    try:
        return read_header({"match": match})
    except TranscriptError as error:
        cause = error.__cause__
        option = cause.option if isinstance(cause, InvalidOptionError) else None
        fault = Fault("players", Rule.OTHER) if option is None else Fault(f"options.{option}", Rule.OPTION)
        raise RefusalError(422, "invalid", str(error), fault=fault) from error
