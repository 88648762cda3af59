"""Learnt decks: which there are, which one is read with, and learning one at the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import cv2
from flask import Response
from pydantic import Field

from companion.cards import Card, EditionName
from companion.cards import deck as deck_of
from companion.decks.service.deck_detector import deck_looks, reading_parts
from companion.decks.service.enrollment import Lesson
from companion.decks.storage.deck_file import NAME, DeckFileError
from companion.decks.storage.library import NoSuchDeckError
from companion.server.access.guests import Role
from companion.server.errors import RefusalError
from companion.server.routes.api import Api, Media
from companion.server.routes.fields import Body, CardName
from companion.server.routes.payloads import Answer
from companion.server.services import services
from companion.vision.core.runtime import ModelFileError

api = Api()

DeckName = Annotated[str, Field(min_length=1, max_length=60, pattern=NAME)]


class DeckAnswer(Answer):
    """A learnt deck: how many pictures it rests on, and how many different cards they show.

    `learns`: whether what people correct in a match adds to it. `further`: how many pictures that has added.
    """

    name: str
    edition: EditionName
    cards: int
    faces: int
    learns: bool
    further: int


class DecksAnswer(Answer):
    """All learnt decks by name, and the one that is read with.

    `hard_to_see`: whether the cards just learnt could hardly be told from what lay beneath them. `mostly_nameless`:
    whether the names of most of them are in doubt, so that they are read as without the deck.
    """

    decks: list[DeckAnswer]
    chosen: str | None
    hard_to_see: bool = False
    mostly_nameless: bool = False


class ChooseBody(Body):
    """The deck to read with, none where null."""

    name: DeckName | None


class RenameBody(Body):
    """What a deck is to be called."""

    name: DeckName
    new: DeckName


class DeleteBody(Body):
    """The deck to delete."""

    name: DeckName


class LearnsBody(Body):
    """Whether what people correct in a match adds to a deck from now on."""

    name: DeckName
    learns: bool


class LessonBody(Body):
    """A deck to be learnt. `sorted`: it was sorted by colour before."""

    name: DeckName
    edition: EditionName
    sorted: bool = False


class NamedBody(Body):
    """What a picture of the lesson shows, which names its copies too."""

    picture: int = Field(ge=0, le=1000)
    card: CardName


class PromptBody(Body):
    """A card that people do not have, where there is one."""

    missing: CardName | None = None


class DoubtAnswer(Answer):
    """Pictures of one card, by number, and what it may be, the likeliest first."""

    pictures: list[int]
    options: list[str]


class LessonAnswer(Answer):
    """A lesson: the cards by picture, as they are taken for now, and what is in doubt, the most telling first.

    `prompted`: so much is in doubt that laying one card of each by name is less trouble. `set_aside`: the answers do
    not fit the cards, which are taken for what they were without any. `wanted`: the card to be laid next, where they
    are laid by name. `faces`: the different cards of the edition. `whole`: how many cards it has. `asked`: questions
    answered. `revised`: how many pictures have taken the place of another, as some do once it is known how large the
    cards are.
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


def _decks(hard_to_see: bool = False, mostly_nameless: bool = False) -> DecksAnswer:
    found = services().decks.list()
    decks = [
        DeckAnswer(
            name=one.name,
            edition=one.edition,
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
        hard_to_see=hard_to_see,
        mostly_nameless=mostly_nameless,
    )


@api.route("POST", "/api/decks/choose", role=Role.HOST, body=ChooseBody, answer=DecksAnswer, errors=(404, 409))
def choose_deck(body: ChooseBody) -> DecksAnswer:
    """Read with a learnt deck from now on, or without one."""
    with _said_plainly():
        services().choose_deck(body.name)
    return _decks()


@api.route("POST", "/api/decks/rename", role=Role.HOST, body=RenameBody, answer=DecksAnswer, errors=(404, 409))
def rename_deck(body: RenameBody) -> DecksAnswer:
    """Give a deck another name."""
    with _said_plainly():
        services().decks.rename(body.name, body.new)
        if services().deck == body.name:
            services().choose_deck(body.new)
    return _decks()


@api.route("POST", "/api/decks/learns", role=Role.HOST, body=LearnsBody, answer=DecksAnswer, errors=(404, 409))
def let_deck_learn(body: LearnsBody) -> DecksAnswer:
    """Let what people correct in a match add to a deck from now on, or not."""
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
    """Return how far the lesson has come."""
    return _state()


def _state() -> LessonAnswer:
    lessons = services().lessons
    lesson = lessons.lesson
    naming = lesson.naming() if lesson is not None and len(lesson) else None
    held = deck_of(lesson.edition) if lesson is not None else Counter[Card]()
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
    )


@api.route("POST", "/api/decks/lesson", role=Role.HOST, body=LessonBody, answer=LessonAnswer, errors=(409,))
def begin_lesson(body: LessonBody) -> LessonAnswer:
    """Begin to learn a deck from the cards laid before the camera from now on."""
    with _said_plainly():
        services().decks.path(body.name)
        reader, boxes = reading_parts(services().config.model)
    services().lessons.begin(body.name, Lesson(reader, boxes, body.edition, by_color=body.sorted))
    return _state()


@api.route("POST", "/api/decks/lesson/answers", role=Role.HOST, body=NamedBody, answer=LessonAnswer, errors=(404, 409))
def answer_question(body: NamedBody) -> LessonAnswer:
    """Say what a picture of the lesson shows."""
    lesson = _lesson()
    if body.picture >= len(lesson):
        raise RefusalError(404, "no-such-picture", "The lesson has no such picture.")
    lesson.answer(body.picture, Card.parse(body.card))
    return _state()


@api.route("POST", "/api/decks/lesson/prompts", role=Role.HOST, body=PromptBody, answer=LessonAnswer, errors=(409,))
def prompt_cards(body: PromptBody) -> LessonAnswer:
    """Have one card of each laid by name from now on, or pass over one of them."""
    lesson = _lesson()
    if body.missing is None:
        lesson.prompt()
    else:
        lesson.pass_over(Card.parse(body.missing))
    return _state()


@api.route("POST", "/api/decks/lesson/finish", role=Role.HOST, answer=DecksAnswer, errors=(409,))
def finish_lesson() -> DecksAnswer:
    """Keep the deck as it is known now, and read with it."""
    lesson, name = _lesson(), services().lessons.name
    if not len(lesson):
        raise RefusalError(409, "no-cards", "No card was laid yet.")
    with _said_plainly():
        deck = lesson.finish(name)
        services().decks.save(deck)
        model = services().config.model
        looks = deck_looks(services().decks, deck, reading_parts(model)[0], model)
        services().choose_deck(name)
    services().lessons.end()
    return _decks(looks.hard_to_see, looks.mostly_nameless)


@api.route("DELETE", "/api/decks/lesson", role=Role.HOST)
def end_lesson() -> None:
    """End the lesson without keeping anything."""
    services().lessons.end()


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


def _lesson() -> Lesson:
    lesson = services().lessons.lesson
    if lesson is None:
        raise RefusalError(409, "no-lesson", "No deck is being learnt.")
    return lesson
