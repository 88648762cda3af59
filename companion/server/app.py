"""The application factory."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from importlib.metadata import version
from itertools import chain

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from companion.server.access import security
from companion.server.access.guests import Guest
from companion.server.api import pages
from companion.server.api.openapi import document
from companion.server.api.routing import Api, Media
from companion.server.core.config import ServerConfig
from companion.server.core.errors import RefusalAnswer, RefusalError
from companion.server.management import archive, backup, decks, devices, drafts, pairing, people, replays, sounds
from companion.server.network.compression import compress
from companion.server.routes import camera, choices, clips, editions, hands, lab, live, match, play, rules
from companion.server.schema.limits import JSON_LIMIT
from companion.server.services.services import Services, put, services
from companion.vision.pile.pile_tracker import Detect

_log = logging.getLogger(__name__)

_MODULES = (
    archive,
    backup,
    camera,
    choices,
    clips,
    decks,
    devices,
    drafts,
    editions,
    hands,
    lab,
    live,
    match,
    pairing,
    people,
    play,
    replays,
    rules,
    sounds,
)
APIS: tuple[Api, ...] = tuple(module.api for module in _MODULES)


def create_app(config: ServerConfig, detect: Detect | None = None) -> Flask:
    """Create the Flask application.

    detect: finds cards in a picture; None uses the configured networks. Raises StoreError if the data folder is
    unusable.
    """
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = JSON_LIMIT
    put(app, Services(config, detect))
    security.guard(app, config.allowed_hosts)
    compress(app)
    app.before_request(_recognise)
    app.register_error_handler(RefusalError, _answer_refusal)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(Exception, _answer_failure)
    app.register_blueprint(pages.blueprint())
    describing = _describing()
    for api in (*APIS, describing):
        api.install(app)
    return app


def services_of(app: Flask) -> Services:
    """Return the application's services."""
    with app.app_context():
        return services()


def _describing() -> Api:
    """Return the route that serves the API's own description."""
    own = Api()

    @own.route("GET", "/api/openapi.json", role=None, answer=Media(("application/json",)))
    def get_openapi() -> Response:
        """Describe this API."""
        found = document(chain(*APIS, own), version("uno-table-companion"))
        return Response(json.dumps(found), content_type="application/json")

    return own


def _recognise() -> None:
    found = services().badges.read(request)
    g.recognise = lambda: None if found is None else _named_now(services().devices.current(found))
    g.has_badge = found is not None


def _named_now(guest: Guest | None) -> Guest | None:
    """Return the guest with the present name of a player who was renamed in the running match (R56)."""
    if guest is None or guest.player is None:
        return guest
    return replace(guest, player=services().table.name_now(guest.player))


def _answer_refusal(refusal: RefusalError) -> Response:
    response = _json(refusal.answer, refusal.status)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def _answer_http(error: HTTPException) -> Response:
    if error.response is not None:
        return error.response  # type: ignore[return-value]
    code = {404: "not-found", 405: "wrong-method", 413: "too-large"}.get(error.code or 0, "bad-request")
    response = _json(RefusalAnswer(error=code, message=error.description or "This cannot be done."), error.code or 400)
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def _answer_failure(error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.path, exc_info=error)
    return _json(RefusalAnswer(error="failure", message="Something went wrong here; the log says what."), 500)


def _json(answer: RefusalAnswer, status: int) -> Response:
    response = Response(answer.model_dump_json(exclude_none=True), status=status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
