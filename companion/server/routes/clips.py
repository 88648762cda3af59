"""Instant replay: the clip behind a line or question, a second look at it, and the evening's best as one picture."""

from __future__ import annotations

from base64 import b64encode

from flask import Response

from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.capture.animation import Scene, animated
from companion.server.capture.clips import Clip
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer
from companion.server.services.replays import read_again
from companion.server.services.services import services
from companion.vision.recognition.mirror import find_oriented

api = Api()


class ClipAnswer(Answer):
    """A clip. pictures: JPEG, base64. seconds: their times from the first one. landed: when the card lies still.

    outline: corners of the card there, x and y from 0 to 1 of the picture's width and height; null if unknown.
    """

    pictures: list[str]
    seconds: list[float]
    landed: float
    outline: list[list[float]] | None


class RereadAnswer(Answer):
    """A card and its share, 0 to 1, over the pictures that were read again."""

    card: str
    share: float


class SecondLookAnswer(Answer):
    """A second look. pictures: how many show the card lying still. cards: what they show, the best first."""

    pictures: int
    cards: list[RereadAnswer]


class HighlightAnswer(Answer):
    """One of the evening's best: `stack`, `score` or `wrong`. amount: cards owed or points."""

    kind: str
    player: str | None
    card: str | None
    amount: int


class HighlightsAnswer(Answer):
    """The evening's best, in the order of time."""

    moments: list[HighlightAnswer]


@api.route("GET", "/api/lines/<int:n>/replay", role=Role.PLAYER, answer=ClipAnswer)
def get_line_replay(n: int) -> ClipAnswer:
    """Return the clip behind an accepted move."""
    return _answer(_there(services().replays.of_line(n)))


@api.route("GET", "/api/questions/<int:question>/replay", role=Role.PLAYER, answer=ClipAnswer)
def get_question_replay(question: int) -> ClipAnswer:
    """Return the clip behind a question."""
    return _answer(_there(services().replays.of_question(question)))


@api.route("POST", "/api/lines/<int:n>/check", role=Role.PLAYER, answer=SecondLookAnswer, errors=(409,))
def check_line(n: int) -> SecondLookAnswer:
    """Read the clip behind an accepted move again."""
    return _checked(_there(services().replays.of_line(n)))


@api.route("POST", "/api/questions/<int:question>/check", role=Role.PLAYER, answer=SecondLookAnswer, errors=(409,))
def check_question(question: int) -> SecondLookAnswer:
    """Read the clip behind a question again."""
    return _checked(_there(services().replays.of_question(question)))


@api.route("GET", "/api/replays/best", role=Role.PLAYER, answer=HighlightsAnswer)
def list_best() -> HighlightsAnswer:
    """List the evening's best moments."""
    return HighlightsAnswer(
        moments=[
            HighlightAnswer(
                kind=one.moment.value,
                player=one.player,
                card=None if one.card is None else one.card.name,
                amount=one.amount,
            )
            for one in services().replays.best()
        ]
    )


@api.route("GET", "/api/replays/best.webp", role=Role.PLAYER, answer=Media(("image/webp",)), errors=(404,))
def save_best() -> Response:
    """Return the evening's best as one animated picture."""
    own, scenes = services(), []
    for one in own.replays.best():
        clip = own.replays.clips.at(one.time)
        card = "" if one.card is None else own.caller.card(one.card)
        if clip is not None:
            scenes.append(Scene(clip, " · ".join(filter(None, (one.player, card))), " ".join(one.sentences)))
    if not scenes:
        raise RefusalError(404, "no-replay", "There is no such moment yet.")
    response = Response(animated(scenes), content_type="image/webp")
    response.headers["Cache-Control"] = "no-store"
    return response


def _there(clip: Clip | None) -> Clip:
    if clip is None:
        raise RefusalError(404, "no-replay", "The replay is not kept any more.")
    return clip


def _checked(clip: Clip) -> SecondLookAnswer:
    detect = services().reader()
    pictures, cards = read_again(clip, lambda image: find_oriented(detect, image, clip.mirrored))
    return SecondLookAnswer(
        pictures=pictures, cards=[RereadAnswer(card=one.card.name, share=round(one.share, 4)) for one in cards]
    )


def _answer(clip: Clip) -> ClipAnswer:
    first = clip.stills[0].time
    return ClipAnswer(
        pictures=[b64encode(still.jpeg).decode() for still in clip.stills],
        seconds=[round(still.time - first, 3) for still in clip.stills],
        landed=round(clip.landed - first, 3),
        outline=None if clip.outline is None else [[round(x, 4), round(y, 4)] for x, y in clip.outline],
    )
