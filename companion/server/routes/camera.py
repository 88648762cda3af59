"""The camera: available devices, the current source, its picture, and frames sent by a phone."""

from __future__ import annotations

import cv2
from flask import Response
from pydantic import Field

from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.api.uploads import check_picture
from companion.server.capture.camera import CameraState
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer, SeenCardAnswer, seen_card
from companion.server.schema.fields import Body
from companion.server.services.services import services
from companion.vision.capture.frames import SourceError
from companion.vision.capture.image_files import PictureError
from companion.vision.capture.sources import webcam
from companion.vision.capture.webcams import is_webcam, list_webcams
from companion.vision.recognition.mirror import find_oriented
from companion.vision.tracking.camera_advice import Advice, Obstacle, advise

api = Api()


class CameraBody(Body):
    """What to watch: a camera's number, `phone`, `simulated`, a video file or a stream address; null for nothing.

    region, draw_pile: left, top, width and height in pixels of the piles; null to find them.
    """

    source: str | None = Field(default=None, max_length=1000)
    region: tuple[int, int, int, int] | None = None
    draw_pile: tuple[int, int, int, int] | None = None


class CameraAnswer(Answer):
    """The camera's state. hold: why it does not count for the match: `lesson`, `taken-up` or `source`."""

    source: str | None
    name: str | None
    width: int
    height: int
    drops: int
    trouble: str | None
    hold: str | None


class WebcamAnswer(Answer):
    """A camera of this computer. source: names it even after replugging, if possible. number: its current one."""

    source: str
    name: str
    number: int


class CamerasAnswer(Answer):
    """The cameras of this computer. last: the source of the one that was watched last, null for none."""

    cameras: list[WebcamAnswer]
    last: str | None


class FrameAnswer(Answer):
    """What happened to a frame: whether the phone is being watched, and how many frames were skipped."""

    watched: bool
    drops: int


class AdviceAnswer(Answer):
    """What hinders reading the table, the worst first; `nothing` if all is well.

    measured, wanted: see `companion.vision.tracking.camera_advice.Advice`. nearer: the fraction of its distance by
    which the camera should move closer. quad: the measured outline in pixels.
    """

    hindrance: str
    measured: float
    wanted: float
    nearer: float
    quad: list[list[float]] | None


class HelpAnswer(Answer):
    """What would improve the picture, and the picture's size."""

    advice: AdviceAnswer
    width: int
    height: int


class LookAnswer(HelpAnswer):
    """The cards that the camera sees now, together with the advice."""

    cards: list[SeenCardAnswer]


@api.route("GET", "/api/camera", role=Role.VIEWER, answer=CameraAnswer)
def get_camera() -> CameraAnswer:
    """Return the camera's state."""
    return _answer(services().camera.state)


@api.route("POST", "/api/camera", role=Role.HOST, body=CameraBody, answer=CameraAnswer, errors=(409,))
def choose_camera(body: CameraBody) -> CameraAnswer:
    """Watch another source."""
    try:
        services().watch(body.source, body.region, body.draw_pile)
    except SourceError as error:
        raise RefusalError(409, "no-source", str(error)) from error
    except ValueError as error:
        raise RefusalError(409, "no-source", "That names no camera.") from error
    if body.source is not None and is_webcam(body.source):
        services().preferences.keep_camera(body.source)
    return _answer(services().camera.state)


@api.route("POST", "/api/camera/go-on", role=Role.PLAYER, answer=CameraAnswer)
def go_on() -> CameraAnswer:
    """Let a camera that was held back count for the running match from now on."""
    services().go_on()
    return _answer(services().camera.state)


@api.route("GET", "/api/cameras", role=Role.HOST, answer=CamerasAnswer)
def list_cameras() -> CamerasAnswer:
    """List the cameras of this computer."""
    found = list_webcams(services().camera.state.source)
    return CamerasAnswer(
        cameras=[WebcamAnswer(source=one.source, name=one.name, number=one.number) for one in found],
        last=services().preferences.camera,
    )


@api.route("GET", "/api/cameras/<int:number>/preview", role=Role.HOST, answer=Media(("image/jpeg",)), errors=(409,))
def preview_camera(number: int) -> Response:
    """Return one picture from a camera of this computer."""
    if number >= 64:
        raise RefusalError(404, "no-camera", "There is no such camera.")
    try:
        frame = next(iter(webcam(number).frames()))
    except (SourceError, StopIteration) as error:
        raise RefusalError(409, "no-picture", str(error) or "There is no picture.") from error
    _, data = cv2.imencode(".jpg", cv2.resize(frame.image, (480, 270), interpolation=cv2.INTER_AREA))
    return _jpeg(data.tobytes())


@api.route("GET", "/api/camera/picture", role=Role.VIEWER, answer=Media(("image/jpeg",)), errors=(404,))
def get_camera_picture() -> Response:
    """Return the camera's newest frame."""
    data = services().camera.preview()
    if data is None:
        raise RefusalError(404, "no-picture", "The camera has sent no picture yet.")
    return _jpeg(data)


@api.route("POST", "/api/camera/frames", role=Role.PLAYER, pictures=1, answer=FrameAnswer)
def push_frame(pictures: list[bytes]) -> FrameAnswer:
    """Accept a frame from a phone. Send the next one only after this one is answered."""
    check_picture(pictures[0])
    try:
        watched = services().camera.push(pictures[0])
    except PictureError as error:
        raise RefusalError(422, "not-a-picture", "The picture is damaged.") from error
    return FrameAnswer(watched=watched, drops=services().camera.state.drops)


@api.route("POST", "/api/camera/look", role=Role.HOST, answer=LookAnswer, errors=(409,))
def look() -> LookAnswer:
    """Read the cards in view now, independently of the match, with advice."""
    frame = services().camera.frame()
    if frame is None:
        raise RefusalError(409, "no-picture", "The camera has sent no picture yet.")
    height, width = frame.image.shape[:2]
    found = find_oriented(services().reader(), frame.image, services().camera.mirrors())
    advice = advise(frame.image, found, services().camera.draw_pile())
    if advice.obstacle is Obstacle.NOTHING and services().is_another_deck:
        advice = Advice(Obstacle.OTHER_DECK, quad=advice.quad)
    return LookAnswer(
        cards=[seen_card(sighting, 0) for sighting in found], advice=_advice(advice), width=width, height=height
    )


@api.route("POST", "/api/camera/advice", role=Role.PLAYER, answer=HelpAnswer, errors=(409,))
def help_camera() -> HelpAnswer:
    """Return advice for whoever holds the camera, without what is seen."""
    seen = look()
    return HelpAnswer(advice=seen.advice, width=seen.width, height=seen.height)


def _advice(advice: Advice) -> AdviceAnswer:
    return AdviceAnswer(
        hindrance=advice.obstacle.value,
        measured=round(advice.measured, 2),
        wanted=advice.wanted,
        nearer=round(advice.nearer, 2),
        quad=None if advice.quad is None else [[round(float(x), 1), round(float(y), 1)] for x, y in advice.quad],
    )


def _answer(state: CameraState) -> CameraAnswer:
    return CameraAnswer(
        source=state.source,
        name=state.name,
        width=state.width,
        height=state.height,
        drops=state.drops,
        trouble=state.trouble,
        hold=None if state.hold is None else state.hold.value,
    )


def _jpeg(data: bytes) -> Response:
    response = Response(data, content_type="image/jpeg")
    response.headers["Cache-Control"] = "no-store"
    return response
