"""Playing: taps, answers to questions, taking back, and correcting what was ruled before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from flask import Response
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from companion.cards import Card, Color
from companion.referee import moves
from companion.referee.effects import ChallengeSettled
from companion.referee.engine import apply
from companion.referee.errors import RefereeError
from companion.referee.state import Phase, State
from companion.referee.transcript import TranscriptError, read_move
from companion.server.access.guests import Guest, Role
from companion.server.errors import Fault, RefusalError, Rule
from companion.server.routes.api import Api, Media, known_guest
from companion.server.routes.fields import Body, CardName, Cards, KnownName, MoveName, shown_name
from companion.server.routes.payloads import (
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
from companion.server.services import services
from companion.table import NoMatchError, TableError, Turns

api = Api()

_ANYBODYS = (moves.Start, moves.Reshuffle, moves.Catch, moves.Count, moves.Hand, moves.Tally)
"""Moves about the table as a whole, which any player's device may note down."""


class MoveBody(Body):
    """A move as it stands in a transcript; which other fields it has depends on `do`."""

    do: MoveName
    card: CardName | None = None
    color: Color | None = None
    player: KnownName | None = None
    cards: Cards | int | None = None
    points: int | None = Field(default=None, ge=0, le=10_000)
    guilty: bool | None = None
    force: bool | None = None
    by: KnownName | None = None
    after: KnownName | None = None
    score: int | None = Field(default=None, ge=0, le=1_000_000)

    @model_validator(mode="after")
    def _a_fresh_name_can_be_shown(self) -> MoveBody:
        if self.do == "join" and self.player is not None and self.player != shown_name(self.player):
            raise PydanticCustomError(Rule.SPACES.value, "a name has no spaces around it")
        return self

    def move(self) -> moves.Move:
        """Return the move; raises RefusalError where a field is missing."""
        try:
            return read_move(self.model_dump(mode="json", exclude_none=True, include=set(MoveBody.model_fields)))
        except TranscriptError as error:
            raise RefusalError(422, "invalid", str(error), fault=Fault("", Rule.OTHER)) from error


class TapBody(MoveBody):
    """A move that is made now. scan: of a hand, what reading it from a picture answered; the picture is then kept."""

    scan: str | None = Field(default=None, max_length=40)


class AnswerBody(Body):
    """An answer to a question: the index of one of its choices, or the card that landed."""

    choice: int | None = Field(default=None, ge=0, le=50)
    card: CardName | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> AnswerBody:
        if (self.choice is None) == (self.card is None):
            raise ValueError("either a choice or a card is needed")
        return self


class AmendBody(Body):
    """The move that was made instead of accepted move `n`. drop: whether later moves that break are dropped."""

    n: int = Field(ge=1, le=1_000_000)
    move: MoveBody
    drop: bool = False


class ChallengeBody(Body):
    """The hand that was shown to the challenger; who has none left cannot be challenged (R28)."""

    cards: Cards = Field(min_length=1)


class ChallengeAnswer(Answer):
    """How the challenge ended."""

    guilty: bool
    outcome: OutcomeAnswer


class UndoQuery(Body):
    """scored: whether the undo may open a round again that has been scored."""

    scored: bool = False


class PreviewAnswer(Answer):
    """How the match would stand, which accepted moves would be dropped, and why the first of them cannot stand."""

    state: StateAnswer
    dropped: list[int]
    why: str | None


class WhoBody(Body):
    """Whose accepted move `n` was."""

    n: int = Field(ge=1, le=1_000_000)
    player: KnownName


class LineBody(Body):
    """Accepted move `n`."""

    n: int = Field(ge=1, le=1_000_000)


class MissedBody(LineBody):
    """Accepted move `n`, and the card that landed unseen just before it."""

    card: CardName


class SeatBody(Body):
    """Where a player sits: degrees clockwise from up in the camera's picture, about the discard pile."""

    player: KnownName
    direction: float = Field(ge=0, lt=360)


class TurnsBody(Body):
    """How the table learns who played and who drew."""

    turns: Turns


class HistoryAnswer(Answer):
    """All accepted moves."""

    lines: list[LineAnswer]


@api.route("GET", "/api/view", role=Role.VIEWER, answer=ViewAnswer)
def get_view() -> ViewAnswer:
    """Return everything that a screen shows."""
    return services().view()


@api.route("GET", "/api/history", role=Role.VIEWER, answer=HistoryAnswer)
def get_history() -> HistoryAnswer:
    """Return all accepted moves of the running match."""
    return HistoryAnswer(lines=[line_answer(line) for line in services().table.view().history])


@api.route("GET", "/api/pictures/<picture>", role=Role.VIEWER, answer=Media(("image/jpeg",)))
def get_picture(picture: str) -> Response:
    """Return the picture that a ruling or a question is based on."""
    return kept_picture_response(services().table.picture(picture))


@api.route("POST", "/api/moves", role=Role.PLAYER, body=TapBody, answer=OutcomeAnswer, errors=(409,))
def tap(body: TapBody) -> OutcomeAnswer:
    """Make a move that the camera does not see, or did not see."""
    move = _own(known_guest(), body.move())
    picture = None if body.scan is None or not isinstance(move, moves.Hand) else services().scans.find(body.scan)
    with _refusals():
        outcome = services().table.tap(move, picture)
    if isinstance(move, moves.Join) and (state := services().table.state) is not None:
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
    """Settle a question."""
    answer = Card.parse(body.card) if body.card is not None else body.choice
    assert answer is not None
    with _refusals():
        return outcome_answer(services().table.answer(question, answer))


@api.route("POST", "/api/questions/<int:question>/stand", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def let_stand(question: int) -> OutcomeAnswer:
    """Let the card stand that does not match."""
    with _refusals():
        return outcome_answer(services().table.let_stand(question))


@api.route("POST", "/api/questions/<int:question>/nothing", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def nothing_happened(question: int) -> OutcomeAnswer:
    """Drop what is in question; what waits behind it is ruled on."""
    with _refusals():
        return outcome_answer(services().table.nothing_happened(question))


@api.route("POST", "/api/take-back", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def take_back() -> OutcomeAnswer:
    """Take the top card back."""
    with _refusals():
        return outcome_answer(services().table.take_back())


@api.route("POST", "/api/undo", role=Role.PLAYER, query=UndoQuery, answer=OutcomeAnswer, errors=(409,))
def undo(query: UndoQuery) -> OutcomeAnswer:
    """Take the last move back."""
    with _refusals():
        return outcome_answer(services().table.undo(scored=query.scored))


@api.route("POST", "/api/redo", role=Role.PLAYER, answer=OutcomeAnswer, errors=(409,))
def redo() -> OutcomeAnswer:
    """Make the move again that was taken back last."""
    with _refusals():
        return outcome_answer(services().table.redo())


@api.route("POST", "/api/amend/preview", role=Role.PLAYER, body=AmendBody, answer=PreviewAnswer, errors=(409,))
def preview_amend(body: AmendBody) -> PreviewAnswer:
    """Say what an amendment would come to: which later moves no longer stand, why, and how the table would look."""
    move = body.move.move()
    with _refusals():
        found = services().table.preview_amend(body.n, move)
    why = None if found.why is None else services().caller.refuse(found.why)
    return PreviewAnswer(state=state_answer(found.state), dropped=list(found.dropped), why=why)


@api.route("POST", "/api/who", role=Role.PLAYER, body=WhoBody, answer=OutcomeAnswer, errors=(409,))
def say_who(body: WhoBody) -> OutcomeAnswer:
    """Say whose an accepted move was; what followed is worked out anew."""
    with _refusals():
        return outcome_answer(services().table.say_who(body.n, body.player))


@api.route("POST", "/api/drew", role=Role.PLAYER, body=LineBody, answer=OutcomeAnswer, errors=(409,))
def say_drew(body: LineBody) -> OutcomeAnswer:
    """Say that the card of an accepted play was drawn first; what followed is worked out anew."""
    with _refusals():
        return outcome_answer(services().table.say_drew(body.n))


@api.route("POST", "/api/missed", role=Role.PLAYER, body=MissedBody, answer=OutcomeAnswer, errors=(409,))
def say_missed(body: MissedBody) -> OutcomeAnswer:
    """Say that a card landed unseen just before an accepted move; what followed is worked out anew."""
    with _refusals():
        return outcome_answer(services().table.say_missed(body.n, Card.parse(body.card)))


@api.route("POST", "/api/drop", role=Role.PLAYER, body=LineBody, answer=OutcomeAnswer, errors=(409,))
def drop(body: LineBody) -> OutcomeAnswer:
    """Say that an accepted move never was; what followed is worked out anew."""
    with _refusals():
        return outcome_answer(services().table.drop(body.n))


@api.route("POST", "/api/place", role=Role.HOST, body=SeatBody, errors=(409,))
def place(body: SeatBody) -> None:
    """Say where a player sits, as the camera sees it."""
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
    """Let an accepted move have been another one."""
    move = body.move.move()
    with _refusals():
        return outcome_answer(services().table.amend(body.n, move, drop=body.drop))


@api.route("POST", "/api/challenge", role=Role.PLAYER, body=ChallengeBody, answer=ChallengeAnswer, errors=(409,))
def settle_challenge(body: ChallengeBody) -> ChallengeAnswer:
    """Settle a challenge by the hand that was shown; only the verdict is written down, never the hand."""
    state = services().table.state
    who = known_guest()
    if state is None or state.phase is not Phase.REVEAL or state.turn is None:
        raise RefusalError(409, "no-challenge", "No wild draw four is being challenged.")
    challenger = _challenger(state)
    if who.role is not Role.HOST and who.player != challenger:
        raise RefusalError(403, "not-allowed", f"The hand is shown to {challenger} alone.")
    cards = tuple(Card.parse(name) for name in body.cards)
    if services().table.color_is_guessed:
        raise RefusalError(409, "color-unknown", "Say first which colour was chosen for the wild card under it.")
    with _refusals():
        _, effects = apply(state, moves.Reveal(cards))
        guilty = next(effect.guilty for effect in effects if isinstance(effect, ChallengeSettled))
        if len(cards) != state.hands[state.turn]:
            services().table.tap(moves.Count(state.players[state.turn], len(cards)))
        outcome = services().table.tap(moves.Judge(guilty))
    return ChallengeAnswer(guilty=guilty, outcome=outcome_answer(outcome))


def _challenger(state: State | None) -> str | None:
    """Return who has challenged and is to be shown the hand, None where nobody is."""
    if state is None or state.phase is not Phase.REVEAL or state.turn is None:
        return None
    return state.players[state.seat_after(state.turn)]


def _own(who: Guest, move: moves.Move) -> moves.Move:
    """Return the move as this device may make it: a player's says whose it is; raises RefusalError."""
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
    """Turn what the table and the referee refuse into answers, worded by the caller."""
    try:
        yield
    except RefereeError as error:
        raise RefusalError(409, error.code, services().caller.refuse(error)) from error
    except NoMatchError as error:
        raise RefusalError(409, "no-match", str(error)) from error
    except TableError as error:
        raise RefusalError(409, "not-now", str(error)) from error
