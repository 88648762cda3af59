"""Response models of the API. `view_answer` builds the largest one from the table's view."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Response
from pydantic import BaseModel, ConfigDict

from companion.caller import Caller
from companion.editions.program import ChooseTarget, DrawCards, PoolHands, SwapHands
from companion.referee.moves import Reveal
from companion.referee.phase import Phase
from companion.referee.state import Header, State
from companion.referee.transcript import write_effect, write_entry, write_state
from companion.server.core.errors import RefusalError
from companion.table.presentation.view import HistoryLine, Outcome, Question, Ruling, View
from companion.vision.core.sightings import Sighting

SHOWN_LINES = 40
"""How many lines of history a view carries; GET /api/history returns all."""


class Answer(BaseModel):
    """Base of all responses."""

    model_config = ConfigDict(extra="forbid")


class RulingAnswer(Answer):
    """The latest ruling."""

    n: int
    sentences: list[str]
    effects: list[dict[str, Any]]
    read_by: str
    picture: str | None
    time: float


class ChoiceAnswer(Answer):
    """One possible answer to a question."""

    label: str
    card: str | None
    probability: float


class QuestionAnswer(Answer):
    """What the table is uncertain about."""

    id: int
    kind: str
    sentence: str
    choices: list[ChoiceAnswer]
    picture: str | None
    waiting: int


class LineAnswer(Answer):
    """An accepted move as in a transcript, with its effects. `player` made the move, if anybody did; `known` says how
    that is known: seen, inferred or tapped.
    """

    n: int
    player: str | None
    known: str
    move: dict[str, Any]
    effects: list[dict[str, Any]]
    sentences: list[str]
    read_by: str
    picture: str | None
    time: float


class MatchAnswer(Answer):
    """The running match's set-up. options: all rule options, as a transcript spells them."""

    id: str
    edition: str
    edition_title: str
    players: list[str]
    scoring: str
    target: int
    options: dict[str, bool | int | str]


class AskAnswer(Answer):
    """What a special card asks: its verb, and the face or mark that asks."""

    verb: str
    why: str


class AimAnswer(Answer):
    """What happens to the player who is named next: a verb, such as `swap` or `draw`, and how many cards."""

    verb: str
    count: int | None


class StateAnswer(Answer):
    """The state of the match."""

    phase: str
    round: int
    dealer: str
    turn: str | None
    next: str | None
    direction: str
    top: str | None
    color: str | None
    debt: int
    hands: dict[str, int]
    scores: dict[str, int]
    winners: list[str]
    left: dict[str, int]
    round_winner: str | None
    called: list[str]
    challenger: str | None
    ask: AskAnswer | None = None
    out: list[str] = []


class LegalAnswer(Answer):
    """What may be done next.

    asked: what a special card asks the actor, in the phases `took`, `shed` and `outcome`. took: the least and most
    cards that can have been drawn. shed: how many cards may be laid off at most; `cards` are those that fit.
    wrong_uno: whom a call of UNO would cost cards. doubler: who may lay a second copy of the card on top.
    why: the face or mark whose program waits. aim: what naming a player is for. shows: the cards that are shown when
    drawn.
    """

    actor: str | None
    cards: list[str]
    jump: str | None
    jumpers: list[str]
    draw: bool
    can_pass: bool
    color: bool
    debt: int
    answer: bool
    take: bool
    reveal: bool
    targets: list[str]
    uno: list[str]
    catch: list[str]
    creeper: list[str]
    hand: list[str]
    in_round: bool
    reshuffle: bool
    seating: bool
    wrong_uno: list[str]
    doubler: str | None
    asked: AskAnswer | None
    took: list[int] | None
    shed: int | None
    outcome: bool
    why: str | None
    aim: AimAnswer | None
    shows: list[str]


class CameraHealthAnswer(Answer):
    """The camera's health, and whether most cards seen last belong to another deck than the selected one."""

    health: str | None
    detail: str
    since: float
    other_deck: bool
    hold: str | None


class NoticeAnswer(Answer):
    """A message for the host."""

    kind: str
    sentence: str


class SeatAnswer(Answer):
    """A player's learnt place: the direction of their arms (degrees clockwise from up in the picture) with its
    certainty, 0 to 1; the cards owed to the draw pile, and how many were seen to be taken.
    """

    player: str
    direction: float | None
    certainty: float
    owed: int
    taken: int


class ViewAnswer(Answer):
    """Everything that a screen shows of the running match."""

    language: str
    match: MatchAnswer | None
    state: StateAnswer | None
    legal: LegalAnswer | None
    prompt: str
    ruling: RulingAnswer | None
    questions: list[QuestionAnswer]
    history: list[LineAnswer]
    history_length: int
    camera: CameraHealthAnswer
    notices: list[NoticeAnswer]
    turns: str
    turns_in_force: str
    seats: list[SeatAnswer]
    saved: bool


class OutcomeAnswer(Answer):
    """The result of a tap: rulings, a question, or nothing new."""

    rulings: list[RulingAnswer]
    question: QuestionAnswer | None


class SeenCardAnswer(Answer):
    """A card read in one of the pictures; `other` is the runner-up if the reading is uncertain.

    quad: its corners in that picture's pixels, clockwise from the card's own top left.
    """

    card: str
    confidence: float
    other: str | None
    quad: list[list[float]]
    picture: int


def seen_card(sighting: Sighting, picture: int) -> SeenCardAnswer:
    """Convert a sighting in the picture of this number."""
    return SeenCardAnswer(
        card=sighting.card.name,
        confidence=round(sighting.confidence, 4),
        other=None if sighting.doubt is None else sighting.doubt.name,
        quad=[[round(float(x), 1), round(float(y), 1)] for x, y in sighting.quad],
        picture=picture,
    )


def kept_picture_response(data: bytes | None) -> Response:
    """Return a kept picture (JPEG bytes) as a response; raises RefusalError if there is none."""
    if data is None:
        raise RefusalError(404, "no-picture", "This picture is not kept any more.")
    response = Response(data, content_type="image/jpeg")
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


def match_answer(match_id: str, header: Header, caller: Caller) -> MatchAnswer:
    """Convert a match's set-up."""
    options = header.options
    return MatchAnswer(
        id=match_id,
        edition=header.edition.id,
        edition_title=caller.edition_title(header.edition),
        players=list(header.players),
        scoring=options.scoring.value,
        target=options.target,
        options={name: options.plain(name) for name in header.edition.offered},
    )


def view_answer(view: View, language: str, *, other_deck: bool = False, hold: str | None = None) -> ViewAnswer:
    """Convert a view.

    other_deck: whether the camera sees cards of another deck than the selected one. hold: why the camera does not
    count.
    """
    match = None
    if view.header is not None and view.match_id is not None:
        match = match_answer(view.match_id, view.header, Caller(language))
    legal = view.legal
    return ViewAnswer(
        language=language,
        match=match,
        state=None if view.state is None else state_answer(view.state),
        legal=None
        if legal is None or view.state is None
        else LegalAnswer(
            actor=legal.actor,
            cards=sorted(card.name for card in legal.cards),
            jump=None if legal.jump is None else legal.jump.name,
            jumpers=list(legal.jumpers),
            draw=legal.draw,
            can_pass=legal.can_pass,
            color=legal.color,
            debt=legal.debt,
            answer=legal.answer,
            take=legal.take,
            reveal=legal.reveal,
            targets=list(legal.targets),
            uno=list(legal.uno),
            catch=list(legal.catch),
            creeper=list(legal.creeper),
            hand=list(legal.hand),
            in_round=legal.in_round,
            reshuffle=legal.reshuffle,
            seating=legal.seating,
            wrong_uno=list(legal.wrong_uno),
            doubler=legal.doubler,
            asked=None if legal.asked is None else AskAnswer(verb=legal.asked.verb, why=legal.asked.why),
            took=None if legal.took is None else list(legal.took),
            shed=legal.shed,
            outcome=legal.outcome,
            **_program_of(view.state),
        ),
        prompt=view.prompt,
        ruling=None if view.ruling is None else ruling_answer(view.ruling),
        questions=[question_answer(question) for question in view.questions],
        history=[line_answer(line) for line in view.history[-SHOWN_LINES:]],
        history_length=len(view.history),
        camera=CameraHealthAnswer(
            health=view.camera.health.value if view.camera.health else None,
            detail=view.camera.detail,
            since=view.camera.since,
            other_deck=other_deck,
            hold=hold,
        ),
        notices=[NoticeAnswer(kind=notice.kind.value, sentence=notice.sentence) for notice in view.notices],
        turns=view.turns.value,
        turns_in_force=view.turns_in_force.value,
        seats=[SeatAnswer(**asdict(seat)) for seat in view.seats],
        saved=view.saved,
    )


def _program_of(state: State) -> dict[str, Any]:
    """Return what LegalAnswer says of the program that waits: `why`, `aim` and `shows`."""
    faces = state.header.edition.shown_when_drawn
    return {
        "why": None if state.running is None else state.running.why,
        "aim": _aim(state),
        "shows": [card.name for card in state.header.edition.deck if card.face in faces],
    }


def _aim(state: State) -> AimAnswer | None:
    """Return what naming a player is for, None if nobody is to be named."""
    if state.phase is not Phase.TARGET:
        return None
    running = state.running
    if running is None:
        return AimAnswer(verb=SwapHands.verb, count=None)  # a seven, R42
    meant = running.step if isinstance(running.step, PoolHands) else next(iter(running.steps[1:]), None)
    if meant is None:
        return AimAnswer(verb=ChooseTarget.verb, count=None)
    return AimAnswer(verb=meant.verb, count=meant.count if isinstance(meant, DrawCards) else None)


def state_answer(state: State) -> StateAnswer:
    players = state.players
    turn = state.turn
    return StateAnswer.model_validate(
        {
            **write_state(state),
            "left": dict(state.left),
            "next": None if turn is None else players[state.seat_after(turn)],
            "round_winner": None if state.round_winner is None else players[state.round_winner],
            "called": [players[seat] for seat in sorted(state.called)],
            "challenger": state.challenger,
        }
    )


def ruling_answer(ruling: Ruling) -> RulingAnswer:
    """Convert a ruling."""
    return RulingAnswer(
        n=ruling.n,
        sentences=list(ruling.sentences),
        effects=[write_effect(effect) for effect in ruling.effects],
        read_by=ruling.read_by.value,
        picture=ruling.picture,
        time=ruling.time,
    )


def question_answer(question: Question) -> QuestionAnswer:
    """Convert a question."""
    return QuestionAnswer(
        id=question.id,
        kind=question.kind.value,
        sentence=question.sentence,
        choices=[
            ChoiceAnswer(
                label=choice.label,
                card=None if choice.card is None else choice.card.name,
                probability=choice.probability,
            )
            for choice in question.choices
        ],
        picture=question.picture,
        waiting=question.waiting,
    )


def line_answer(line: HistoryLine) -> LineAnswer:
    """Convert a line of history. A challenged hand was shown to one player only: it is left out."""
    return LineAnswer(
        n=line.n,
        player=line.player,
        known=line.known.value,
        move={"do": "reveal"} if isinstance(line.move, Reveal) else write_entry(line.move),
        effects=[write_effect(effect) for effect in line.effects],
        sentences=list(line.sentences),
        read_by=line.read_by.value,
        picture=line.picture,
        time=line.time,
    )


def outcome_answer(outcome: Outcome) -> OutcomeAnswer:
    """Convert the result of a tap."""
    return OutcomeAnswer(
        rulings=[ruling_answer(ruling) for ruling in outcome.rulings],
        question=None if outcome.question is None else question_answer(outcome.question),
    )
