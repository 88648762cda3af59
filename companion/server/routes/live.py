"""The live stream: server-sent events for every screen, resumable after a break."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response, request
from pydantic import Field

from companion.server.access.guests import Guest, Role
from companion.server.api.routing import Api, Media, known_guest
from companion.server.core.errors import RefusalError
from companion.server.network.broadcast import Stream
from companion.server.schema.fields import Body
from companion.server.services.services import Services, services

api = Api()

HEARTBEAT_SECONDS = 15.0


class EventsQuery(Body):
    """Who listens, and from where on.

    tab: the browser tab; its new stream ends the one of its previous page. after: the id of the last message that the
    browser knows, as in Last-Event-ID, which counts more.
    """

    tab: str = Field(default="", max_length=40)
    after: str = Field(default="", max_length=40)


@api.route(
    "GET", "/api/events", role=Role.VIEWER, query=EventsQuery, answer=Media(("text/event-stream",)), errors=(429,)
)
def get_events(query: EventsQuery) -> Response:
    """Stream server-sent events `update`, `view`, `nudge` and `frame`, resuming after Last-Event-ID or `after`.

    A final `replaced` says that a newer page listens instead: of the same tab, or of a device with too many streams.
    """
    own, who = services(), known_guest()
    slot = own.streams.take(who.id, query.tab, host=who.role is Role.HOST)
    if slot is None:
        raise RefusalError(429, "too-many-streams", "Too many pages are open on all devices: close some.", 10)
    own.hub.nudge()  # ends the replaced stream
    stream = _stream(own, who, slot, request.headers.get("Last-Event-ID", query.after))
    response = Response(stream, content_type="text/event-stream")
    # Werkzeug calls this however the stream ends, even if it never started.
    response.call_on_close(lambda: own.streams.leave(slot))
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _stream(own: Services, who: Guest, slot: Stream, last: str) -> Iterator[bytes]:
    seen = own.hub.resumes(last)
    if seen is None:
        boot, seen = own.hub.mark()
        # The view is made after the mark, so nothing is lost; at worst a message arrives twice.
        yield f"retry: 1000\nid: {boot}-{seen}\nevent: view\ndata: {own.view_json()}\n\n".encode()
    else:
        yield b"retry: 1000\n: resumed\n\n"
    for message in own.hub.listen(seen, HEARTBEAT_SECONDS, lambda: own.devices.knows(who) and not slot.replaced):
        yield b": still here\n\n" if message is None else message.encode(own.hub.boot)
    if slot.replaced:
        yield b"event: replaced\ndata: {}\n\n"
