"""Learnt decks: list, select, rename, delete, and learn one at the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import cv2
from flask import Response
from pydantic import Field

from companion.cards import Card, UnknownCardError
from companion.decks.service.deck_detector import HARD_TO_SEE, model_of_deck, reading_parts
from companion.decks.service.enrollment import Lesson
from companion.decks.storage.deck_file import NAME, DeckFileError
from companion.decks.storage.library import NoSuchDeckError
from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.core.errors import RefusalError
from companion.server.routes.editions import known_edition
from companion.server.schema.answers import Answer, kept_picture_response
from companion.server.schema.fields import Body, EditionId, TableCardName
from companion.server.services.services import services
from companion.vision.core.runtime import ModelFileError

api = Api()

DeckName = Annotated[str, Field(min_length=1, max_length=60, pattern=NAME)]


class DeckAnswer(Answer):
    """A learnt deck: how many pictures it contains, and how many different cards they show.

    `learns`: whether corrections in a match are added. `further`: how many pictures were added so.
    """

    name: str
    edition: str
    cards: int
    faces: int
    learns: bool
    further: int


class DecksAnswer(Answer):
    """All learnt decks by name, and the selected one.

    `mostly_nameless`: most names of the cards just learnt are uncertain, so the deck is not used for reading.
    """

    decks: list[DeckAnswer]
    chosen: str | None
    mostly_nameless: bool = False


class FinishQuery(Body):
    """anyway: save the deck even if its pictures tell its cards apart worse than reading does."""

    anyway: bool = False


class FaceQuery(Body):
    """The deck that the picture is of; only the selected one has pictures."""

    deck: str | None = Field(default=None, max_length=60)


class ChooseBody(Body):
    """The deck to read with, null for none."""

    name: DeckName | None


class RenameBody(Body):
    """A deck's new name."""

    name: DeckName
    new: DeckName


class DeleteBody(Body):
    """The deck to delete."""

    name: DeckName


class LearnsBody(Body):
    """Whether corrections in a match are added to the deck."""

    name: DeckName
    learns: bool


class LessonBody(Body):
    """A deck to learn. `sorted`: it was sorted by colour."""

    name: DeckName
    edition: EditionId
    sorted: bool = False


class NamedBody(Body):
    """The card that a picture of the lesson shows, null for none; its copies get the same name."""

    picture: int = Field(ge=0, le=1000)
    card: TableCardName | None


class PromptBody(Body):
    """A requested card that the players do not have, if any."""

    missing: TableCardName | None = None


class DoubtAnswer(Answer):
    """Pictures of one card, by number, with its candidates, the most probable first."""

    pictures: list[int]
    options: list[str]


class LessonAnswer(Answer):
    """A lesson: the card assumed for each picture, and the open questions, the most informative first.

    `prompted`: so much is uncertain that laying one of each card by name is easier. `set_aside`: the answers contradict
    the pictures and are ignored. `wanted`: the card to lay next in a lesson by name. `faces`: the edition's different
    cards. `whole`: its number of cards. `asked`: questions answered. `revised`: how many times pictures were left out.
    `seconds`: since the lesson began.
    `seen`: cards laid so far, of which the latest may not be named yet.
    """

    running: bool
    name: str
    cards: list[str]
    questions: list[DoubtAnswer]
    prompted: bool
    set_aside: bool
    wanted: str | None
    faces: list[str]
    whole: int
    asked: int
    revised: int
    seconds: float
    seen: int


@contextmanager
def _said_plainly() -> Iterator[None]:
    try:
        yield
    except NoSuchDeckError as error:
        raise RefusalError(404, "no-such-deck", "There is no such deck.") from error
    except DeckFileError as error:
        raise RefusalError(409, "deck", str(error)) from error
    except ModelFileError as error:
        raise RefusalError(409, "no-reader", str(error)) from error


@api.route("GET", "/api/decks", role=Role.VIEWER, answer=DecksAnswer)
def list_decks() -> DecksAnswer:
    """List the learnt decks."""
    return _decks()


def _decks(mostly_nameless: bool = False) -> DecksAnswer:
    found = services().decks.list()
    decks = [
        DeckAnswer(
            name=one.name,
            edition=one.edition.id,
            cards=one.cards,
            faces=one.faces,
            learns=one.learns,
            further=one.further,
        )
        for one in found
    ]
    return DecksAnswer(
        decks=decks,
        chosen=services().deck,
        mostly_nameless=mostly_nameless,
    )


@api.route(
    "GET", "/api/decks/faces/<card>", role=Role.VIEWER, query=FaceQuery, answer=Media(("image/jpeg",)), errors=(404,)
)
def get_face(card: str, query: FaceQuery) -> Response:
    """Return the picture of a special card in the selected deck."""
    if query.deck not in (None, services().deck):
        return kept_picture_response(None)
    found = {known.name: picture for known, picture in services().learnt_faces.pictures().items()}
    return kept_picture_response(found.get(card))


@api.route("POST", "/api/decks/choose", role=Role.HOST, body=ChooseBody, answer=DecksAnswer, errors=(404, 409))
def choose_deck(body: ChooseBody) -> DecksAnswer:
    """Select the deck to read with, or none."""
    with _said_plainly():
        services().choose_deck(body.name)
    return _decks()


@api.route("POST", "/api/decks/rename", role=Role.HOST, body=RenameBody, answer=DecksAnswer, errors=(404, 409))
def rename_deck(body: RenameBody) -> DecksAnswer:
    """Rename a deck."""
    with _said_plainly():
        services().decks.rename(body.name, body.new)
        if services().deck == body.name:
            services().choose_deck(body.new)
    return _decks()


@api.route("POST", "/api/decks/learns", role=Role.HOST, body=LearnsBody, answer=DecksAnswer, errors=(404, 409))
def let_deck_learn(body: LearnsBody) -> DecksAnswer:
    """Set whether corrections in a match are added to a deck."""
    with _said_plainly():
        services().decks.let_learn(body.name, body.learns)
    return _decks()


@api.route("POST", "/api/decks/delete", role=Role.HOST, body=DeleteBody, answer=DecksAnswer, errors=(404, 409))
def delete_deck(body: DeleteBody) -> DecksAnswer:
    """Delete a deck."""
    with _said_plainly():
        services().decks.delete(body.name)
        if services().deck == body.name:
            services().choose_deck(None)
    return _decks()


@api.route("GET", "/api/decks/lesson", role=Role.HOST, answer=LessonAnswer)
def get_lesson() -> LessonAnswer:
    """Return the state of the lesson."""
    return _state()


def _state() -> LessonAnswer:
    lessons = services().lessons
    lesson = lessons.lesson
    naming = lesson.shown() if lesson is not None and len(lesson) else None
    held = lesson.edition.deck if lesson is not None else {}
    wanted = lesson.wanted if lesson is not None else None
    return LessonAnswer(
        running=lesson is not None,
        name=lessons.name,
        cards=[card.name for card in naming.cards] if naming else [],
        questions=[
            DoubtAnswer(pictures=list(one.pictures), options=[card.name for card in one.options])
            for one in (naming.questions if naming else ())
        ],
        prompted=naming is not None and naming.prompted_is_better,
        set_aside=naming is not None and naming.set_aside,
        wanted=wanted.name if wanted else None,
        faces=[card.name for card in held],
        whole=sum(held.values()),
        asked=lesson.asked if lesson is not None else 0,
        revised=lesson.revised if lesson is not None else 0,
        seen=len(lesson) if lesson is not None else 0,
        seconds=round(lessons.seconds, 1),
    )


@api.route("POST", "/api/decks/lesson", role=Role.HOST, body=LessonBody, answer=LessonAnswer, errors=(404, 409))
def begin_lesson(body: LessonBody) -> LessonAnswer:
    """Begin to learn a deck from the cards laid before the camera."""
    with _said_plainly():
        services().decks.path(body.name)
        reader, boxes = reading_parts(services().config.model)
    edition = known_edition(body.edition)
    services().begin_lesson(body.name, Lesson(reader, boxes, edition, by_color=body.sorted))
    return _state()


@api.route("POST", "/api/decks/lesson/answers", role=Role.HOST, body=NamedBody, answer=LessonAnswer, errors=(404, 409))
def answer_question(body: NamedBody) -> LessonAnswer:
    """Name the card in a picture of the lesson, or leave the picture out."""
    lesson = _lesson()
    if body.picture >= len(lesson):
        raise RefusalError(404, "no-such-picture", "The lesson has no such picture.")
    if body.card is None:
        lesson.drop(body.picture)
    else:
        lesson.answer(body.picture, _card(lesson, body.card))
    return _state()


@api.route("POST", "/api/decks/lesson/prompts", role=Role.HOST, body=PromptBody, answer=LessonAnswer, errors=(409,))
def prompt_cards(body: PromptBody) -> LessonAnswer:
    """Ask for one of each card by name, or skip one of them."""
    lesson = _lesson()
    if body.missing is None:
        lesson.prompt()
    else:
        lesson.skip(_card(lesson, body.missing))
    return _state()


@api.route("POST", "/api/decks/lesson/finish", role=Role.HOST, query=FinishQuery, answer=DecksAnswer, errors=(409,))
def finish_lesson(query: FinishQuery) -> DecksAnswer:
    """Save the deck as it is known now, and read with it.

    A deck whose pictures tell its cards apart worse than reading does is refused as `hard-to-see`, unless `anyway`.
    """
    lesson, name = _lesson(), services().lessons.name
    services().lessons.settle()
    if not len(lesson):
        raise RefusalError(409, "no-cards", "No card was laid yet.")
    with _said_plainly():
        deck = lesson.finish(name)
        model = services().config.model
        looks = model_of_deck(services().decks, deck, reading_parts(model)[0], model)
        if looks.hard_to_see and not query.anyway:
            raise RefusalError(409, "hard-to-see", HARD_TO_SEE)
        services().decks.save(deck)
        services().choose_deck(name)
    services().end_lesson()
    return _decks(looks.mostly_nameless)


@api.route("DELETE", "/api/decks/lesson", role=Role.HOST)
def end_lesson() -> None:
    """End the lesson without saving anything."""
    services().end_lesson()


@api.route(
    "GET",
    "/api/decks/lesson/pictures/<int:number>",
    role=Role.HOST,
    answer=Media(("image/jpeg",)),
    errors=(409,),
)
def get_lesson_picture(number: int) -> Response:
    """Return the picture of a card of the lesson."""
    pictures = _lesson().pictures
    if number >= len(pictures):
        raise RefusalError(404, "no-such-picture", "The lesson has no such picture.")
    _, data = cv2.imencode(".jpg", cv2.resize(pictures[number], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
    return Response(data.tobytes(), mimetype="image/jpeg")


def _card(lesson: Lesson, name: str) -> Card:
    """Return the card of this name; raises RefusalError if the lesson's edition has none."""
    try:
        return lesson.edition.card(name)
    except UnknownCardError as error:
        raise RefusalError(422, "invalid", f"The deck has no card {name}.") from error


def _lesson() -> Lesson:
    lesson = services().lessons.lesson
    if lesson is None:
        raise RefusalError(409, "no-lesson", "No deck is being learnt.")
    return lesson
