"""The live stream: what happens, sent to every screen as it happens, resumed where it broke off."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response, request
from pydantic import Field

from companion.server.access.guests import Guest, Role
from companion.server.broadcast import Stream
from companion.server.errors import RefusalError
from companion.server.routes.api import Api, Media, known_guest
from companion.server.routes.fields import Body
from companion.server.services import Services, services

api = Api()

HEARTBEAT_SECONDS = 15.0


class EventsQuery(Body):
    """Which tab of the browser listens: its new stream ends the one that its last page had."""

    tab: str = Field(default="", max_length=40)


@api.route(
    "GET", "/api/events", role=Role.VIEWER, query=EventsQuery, answer=Media(("text/event-stream",)), errors=(429,)
)
def get_events(query: EventsQuery) -> Response:
    """Stream what happens as server-sent events: `update`, `view` and `frame`, from Last-Event-ID on where given.

    A last `replaced` says that a newer page listens in its place: of the same tab, or of a device with too many.
    """
    own, who = services(), known_guest()
    slot = own.streams.take(who.id, query.tab, host=who.role is Role.HOST)
    if slot is None:
        raise RefusalError(429, "too-many-streams", "Too many pages are open on all devices: close some.", 10)
    own.hub.nudge()  # the stream that this one takes the place of ends
    stream = _stream(own, who, slot, request.headers.get("Last-Event-ID", ""))
    response = Response(stream, content_type="text/event-stream")
    # Werkzeug calls this however the stream ends, even where it never began.
    response.call_on_close(lambda: own.streams.leave(slot))
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _stream(own: Services, who: Guest, slot: Stream, last: str) -> Iterator[bytes]:
    seen = own.hub.resumes(last)
    if seen is None:
        boot, seen = own.hub.mark()
        # The view was made after the mark: nothing between the two is lost, at worst it is told twice.
        yield f"retry: 1000\nid: {boot}-{seen}\nevent: view\ndata: {own.view_json()}\n\n".encode()
    else:
        yield b"retry: 1000\n: resumed\n\n"
    for message in own.hub.listen(seen, HEARTBEAT_SECONDS, lambda: own.devices.knows(who) and not slot.replaced):
        yield b": still here\n\n" if message is None else message.encode(own.hub.boot)
    if slot.replaced:
        yield b"event: replaced\ndata: {}\n\n"
