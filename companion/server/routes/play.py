"""Playing: taps, answers to questions, undo, and corrections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from flask import Response
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from companion.cards import Card, UnknownCardError
from companion.languages import Language
from companion.referee import moves
from companion.referee.effects import ChallengeSettled
from companion.referee.engine import apply
from companion.referee.errors import RefereeError
from companion.referee.state import State
from companion.referee.transcript import TranscriptError, read_move
from companion.server.access.guests import Guest, Role
from companion.server.api.routing import Api, Media, known_guest
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.schema.answers import (
    Answer,
    LineAnswer,
    OutcomeAnswer,
    StateAnswer,
    ViewAnswer,
    kept_picture_response,
    line_answer,
    outcome_answer,
    state_answer,
)
from companion.server.schema.fields import Body, Cards, ColorName, KnownName, MoveName, TableCardName, shown_name
from companion.server.services.hand_scanning import challenged_state
from companion.server.services.services import services
from companion.table.presentation.view import Turns
from companion.table.session.errors import NoMatchError, TableError

api = Api()

_ANYBODYS = (moves.Start, moves.Reshuffle, moves.Catch, moves.Count, moves.Hand, moves.Tally)
"""Moves about the whole table, which any player's device may enter."""


class MoveBody(Body):
    """A move as in a transcript. Which other fields it has depends on `do`."""

    do: MoveName
    card: TableCardName | None = None
    color: ColorName | None = None
    player: KnownName | None = None
    cards: Cards | int | None = None
    points: int | None = Field(default=None, ge=0, le=10_000)
    guilty: bool | None = None
    force: bool | None = None
    by: KnownName | None = None
    after: KnownName | None = None
    name: KnownName | None = None
    score: int | None = Field(default=None, ge=0, le=1_000_000)
    count: int | None = Field(default=None, ge=0, le=300)
    yes: bool | None = None

    @model_validator(mode="after")
    def _a_fresh_name_can_be_shown(self) -> MoveBody:
        fresh = self.player if self.do == "join" else self.name
        if fresh is not None and fresh != shown_name(fresh):
            raise PydanticCustomError(Rule.SPACES.value, "a name has no spaces around it")
        return self

    def move(self) -> moves.Move:
        """Return the move; raises RefusalError if a field is missing."""
        try:
            fields = self.model_dump(mode="json", exclude_none=True, include=set(MoveBody.model_fields))
            return read_move(fields, services().table.edition)
        except TranscriptError as error:
            raise RefusalError(422, "invalid", str(error), fault=Fault("", Rule.OTHER)) from error


class TapBody(MoveBody):
    """A move made now.

    scan: of a hand, the id that reading its picture returned; the picture is then kept. also: a second move of the same
    tap, made if it is legal after the first; one undo takes back both.
    """

    scan: str | None = Field(default=None, max_length=40)
    also: MoveBody | None = None


class AnswerBody(Body):
    """The answer to a question: the index of a choice, or the card that landed."""

    choice: int | None = Field(default=None, ge=0, le=50)
    card: TableCardName | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> AnswerBody:
        if (self.choice is None) == (self.card is None):
            raise ValueError("either a choice or a card is needed")
        return self


class AmendBody(Body):
    """The move that replaces accepted move `n`. drop: drop later moves that become illegal."""

    n: int = Field(ge=1, le=1_000_000)
    move: MoveBody
    drop: bool = False


class ChallengeBody(Body):
    """The hand shown to the challenger. A player without cards cannot be challenged (R28)."""

    cards: Cards = Field(min_length=1)


class ChallengeAnswer(Answer):
    """The verdict of the challenge."""

    guilty: bool
    outcome: OutcomeAnswer


class ViewQuery(Body):
    """language: of the sentences, the caller's by default."""

    language: Language | None = None


class UndoQuery(Body):
    """scored: allow the undo to reopen a scored round."""

    scored: bool = False


class PreviewAnswer(Answer):
    """How the match would stand, which accepted moves would be dropped, and why the first of them becomes illegal."""

    state: StateAnswer
    dropped: list[int]
    why: str | None


class WhoBody(Body):
    """Who made accepted move `n`."""

    n: int = Field(ge=1, le=1_000_000)
    player: KnownName


class LineBody(Body):
    """An accepted move, by number."""

    n: int = Field(ge=1, le=1_000_000)


class MissedBody(LineBody):
    """Accepted move `n`, and the card that landed unseen just before it."""

    card: TableCardName


class SeatBody(Body):
    """Where a player sits: degrees clockwise from up in the picture, around the discard pile."""

    player: KnownName
    direction: float = Field(ge=0, lt=360)


class TurnsBody(Body):
    """How the table learns who played and who drew."""

    turns: Turns


class HistoryAnswer(Answer):
    """All accepted moves."""

    lines: list[LineAnswer]


@api.route("GET", "/api/view", role=Role.VIEWER, query=ViewQuery, answer=ViewAnswer)
def get_view(query: ViewQuery) -> ViewAnswer:
    """Return everything that a screen shows; `language` in the answer is the caller's, whatever was requested."""
    return services().view(query.language)


@api.route("GET", "/api/history", role=Role.VIEWER, answer=HistoryAnswer)
def get_history() -> HistoryAnswer:
    """Return all accepted moves of the running match."""
    return HistoryAnswer(lines=[line_answer(line) for line in services().table.view().history])


@api.route("GET", "/api/pictures/<picture>", role=Role.VIEWER, answer=Media(("image/jpeg",)))
def get_picture(picture: str) -> Response:
    """Return the picture behind a ruling or question."""
    return kept_picture_response(services().table.picture(picture))


@api.route("POST", "/api/moves", role=Role.PLAYER, body=TapBody, answer=OutcomeAnswer, errors=(409,))
def tap(body: TapBody) -> OutcomeAnswer:
    """Make a move that the camera does not or did not see."""
    who = known_guest()
    move = _own(who, body.move())
    then = None if body.also is None else _own(who, body.also.move())
    picture = None if body.scan is None or not isinstance(move, moves.Hand) else services().scans.find(body.scan)
    with _refusals():
        outcome = services().table.tap(move, picture, then=then)
    if isinstance(move, moves.Join | moves.Rename) and (state := services().table.state) is not None:
        services().people.meet(state.players)
    return outcome_answer(outcome)


@api.route(
    "POST",
    "/api/questions/<int:question>/answer",
    role=Role.PLAYER,
    body=AnswerBody,
    answer=OutcomeAnswer,
    errors=(409,),
)
def answer_question(question: int, body: AnswerBody) -> OutcomeAnswer:
    """Answer a question."""
    answer = _card(body.card) if body.card is not None else body.choice
    assert answer is not None
    with _refusals():
        return outcome_answer(services().table.answer(question, answer))


@api.route("POST", "/api/questions/<int:question>/stand", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def let_stand(question: int) -> OutcomeAnswer:
    """Let a card stand although it does not match."""
    with _refusals():
        return outcome_answer(services().table.let_stand(question))


@api.route("POST", "/api/questions/<int:question>/nothing", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def nothing_happened(question: int) -> OutcomeAnswer:
    """Discard the question; what waits behind it is ruled on."""
    with _refusals():
        return outcome_answer(services().table.nothing_happened(question))


@api.route("POST", "/api/take-back", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def take_back() -> OutcomeAnswer:
    """Take the top card back."""
    with _refusals():
        return outcome_answer(services().table.take_back())


@api.route("POST", "/api/undo", role=Role.PLAYER, query=UndoQuery, answer=OutcomeAnswer, errors=(409,))
def undo(query: UndoQuery) -> OutcomeAnswer:
    """Undo the last move."""
    with _refusals():
        return outcome_answer(services().table.undo(scored=query.scored))


@api.route("POST", "/api/redo", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def redo() -> OutcomeAnswer:
    """Redo the move that was undone last."""
    with _refusals():
        return outcome_answer(services().table.redo())


@api.route("POST", "/api/amend/preview", role=Role.PLAYER, body=AmendBody, answer=PreviewAnswer, errors=(409,))
def preview_amend(body: AmendBody) -> PreviewAnswer:
    """Return the consequences of an amendment: which later moves become illegal, why, and the resulting state."""
    move = body.move.move()
    with _refusals():
        found = services().table.preview_amend(body.n, move)
    why = None if found.why is None else services().caller.refuse(found.why)
    return PreviewAnswer(state=state_answer(found.state), dropped=list(found.dropped), why=why)


@api.route("POST", "/api/who", role=Role.PLAYER, body=WhoBody, answer=OutcomeAnswer, errors=(409,))
def say_who(body: WhoBody) -> OutcomeAnswer:
    """Set who made an accepted move; later moves are recomputed."""
    with _refusals():
        return outcome_answer(services().table.say_who(body.n, body.player))


@api.route("POST", "/api/drew", role=Role.PLAYER, body=LineBody, answer=OutcomeAnswer, errors=(409,))
def say_drew(body: LineBody) -> OutcomeAnswer:
    """State that the card of an accepted play was drawn first; later moves are recomputed."""
    with _refusals():
        return outcome_answer(services().table.say_drew(body.n))


@api.route("POST", "/api/missed", role=Role.PLAYER, body=MissedBody, answer=OutcomeAnswer, errors=(409,))
def say_missed(body: MissedBody) -> OutcomeAnswer:
    """State that a card landed unseen just before an accepted move; later moves are recomputed."""
    with _refusals():
        return outcome_answer(services().table.say_missed(body.n, _card(body.card)))


@api.route("POST", "/api/drop", role=Role.PLAYER, body=LineBody, answer=OutcomeAnswer, errors=(409,))
def drop(body: LineBody) -> OutcomeAnswer:
    """Remove an accepted move; later moves are recomputed."""
    with _refusals():
        return outcome_answer(services().table.drop(body.n))


@api.route("POST", "/api/place", role=Role.HOST, body=SeatBody, errors=(409,))
def place(body: SeatBody) -> None:
    """Set where a player sits, as the camera sees it."""
    with _refusals():
        services().table.place(body.player, body.direction)
    services().tell_view()


@api.route("POST", "/api/turns", role=Role.HOST, body=TurnsBody, errors=(409,))
def set_turns(body: TurnsBody) -> None:
    """Set how the table learns who played and who drew."""
    with _refusals():
        services().table.set_turns(body.turns)
    services().tell_view()


@api.route("POST", "/api/amend", role=Role.PLAYER, body=AmendBody, answer=OutcomeAnswer, errors=(409,))
def amend(body: AmendBody) -> OutcomeAnswer:
    """Replace an accepted move by another."""
    move = body.move.move()
    with _refusals():
        return outcome_answer(services().table.amend(body.n, move, drop=body.drop))


@api.route("POST", "/api/challenge", role=Role.PLAYER, body=ChallengeBody, answer=ChallengeAnswer, errors=(409,))
def settle_challenge(body: ChallengeBody) -> ChallengeAnswer:
    """Settle a challenge by the shown hand. Only the verdict is recorded, never the hand."""
    state = challenged_state(known_guest(), services().table.state)
    seat = state.turn
    assert seat is not None
    cards = tuple(map(_card, body.cards))
    if services().table.color_is_guessed:
        raise RefusalError(409, "color-unknown", "Say first which colour was chosen for the wild card under it.")
    with _refusals():
        _, effects = apply(state, moves.Reveal(cards))
        guilty = next(effect.guilty for effect in effects if isinstance(effect, ChallengeSettled))
        if len(cards) != state.hands[seat]:
            services().table.tap(moves.Count(state.players[seat], len(cards)))
        outcome = services().table.tap(moves.Judge(guilty))
    return ChallengeAnswer(guilty=guilty, outcome=outcome_answer(outcome))


def _card(name: str) -> Card:
    """Return the card of this name in the edition that is played; raises RefusalError if there is none."""
    edition = services().table.edition
    try:
        return Card.parse(name) if edition is None else edition.card(name)
    except UnknownCardError as error:
        raise RefusalError(422, "invalid", str(error), fault=Fault("card", Rule.UNKNOWN)) from error


def _challenger(state: State | None) -> str | None:
    """Return who has challenged and may see the hand, None if nobody has."""
    return None if state is None else state.challenger


def _own(who: Guest, move: moves.Move) -> moves.Move:
    """Return the move as this device may make it: a player's device names its player. Raises RefusalError."""
    if who.role is Role.HOST or isinstance(move, _ANYBODYS):
        return move
    if who.player is None:
        raise RefusalError(403, "no-seat", "Say first whose device this is.")
    if isinstance(move, moves.Judge | moves.Reveal):
        challenger = _challenger(services().table.state)
        if challenger not in (None, who.player):
            raise RefusalError(403, "not-allowed", f"The hand is shown to {challenger} alone.")
        return move
    if isinstance(move, moves.ActorMove):
        return replace(move, by=who.player)
    if isinstance(move, moves.PlayerMove) and move.player == who.player:
        return move
    raise RefusalError(403, "not-allowed", "Another player's device must do that.")


@contextmanager
def _refusals() -> Iterator[None]:
    """Convert errors of the table and the referee to API errors, worded by the caller."""
    try:
        yield
    except RefereeError as error:
        raise RefusalError(409, error.code, services().caller.refuse(error)) from error
    except NoMatchError as error:
        raise RefusalError(409, "no-match", str(error)) from error
    except TableError as error:
        raise RefusalError(409, "not-now", str(error)) from error
