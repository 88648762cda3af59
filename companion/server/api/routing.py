"""Declares API routes: role, request and response models. Checks and documentation derive from the declaration.

A view receives what it declared (`body`, `query`, `pictures`, path fields) and returns the declared response.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from http import HTTPStatus
from typing import Any, get_type_hints

from flask import Flask, Response, g, request
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from companion.server.access.guests import Guest, Role
from companion.server.core.errors import Fault, RefusalError, Rule
from companion.server.schema.limits import FRAME_LIMIT, JSON_LIMIT, PICTURE_LIMIT, PICTURE_TYPES

_HELD = threading.BoundedSemaphore(3)
"""Limits how many requests hold several pictures in memory at once; the others' uploads wait on disk."""

View = Callable[..., Any]


@dataclass(frozen=True)
class Media:
    """A response that is not JSON: its content types."""

    types: tuple[str, ...]


@dataclass(frozen=True)
class Route:
    """One route of the API. `role` is the lowest role that may use it, None for everybody.

    body, query: models of the JSON body and the query. pictures: how many pictures are accepted; 1 means as the body
    itself, more as a multipart form. upload: content type of a file as the body, which the view reads
    itself. answer: the response model or media, None for an empty response. errors: statuses
    besides those that follow from the rest.
    """

    method: str
    path: str
    summary: str
    role: Role | None
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    pictures: int
    upload: str
    answer: type[BaseModel] | Media | None
    errors: tuple[int, ...]
    view: View = field(compare=False)

    @property
    def statuses(self) -> tuple[int, ...]:
        """All error statuses."""
        found = {HTTPStatus.BAD_REQUEST, *self.errors}
        if self.role is not None:
            found |= {HTTPStatus.UNAUTHORIZED}
            if self.role is not Role.VIEWER:
                found |= {HTTPStatus.FORBIDDEN}
        if self.method != "GET":
            found |= {HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE}
        if self.body or self.pictures or self.upload:
            found |= {HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.UNPROCESSABLE_ENTITY}
        if self.query:
            found |= {HTTPStatus.UNPROCESSABLE_ENTITY}
        if "<" in self.path:
            found |= {HTTPStatus.NOT_FOUND}
        return tuple(sorted(int(status) for status in found))


class Api:
    """A set of routes, collected by decorators and added to an application."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        return iter(self.routes)

    def route(
        self,
        method: str,
        path: str,
        *,
        role: Role | None,
        body: type[BaseModel] | None = None,
        query: type[BaseModel] | None = None,
        pictures: int = 0,
        upload: str = "",
        answer: type[BaseModel] | Media | None = None,
        errors: tuple[int, ...] = (),
    ) -> Callable[[View], View]:
        """Return a decorator that makes a function the view of this route. Its docstring becomes the summary."""

        def register(view: View) -> View:
            summary = (inspect.getdoc(view) or "").split("\n")[0]
            self.routes.append(Route(method, path, summary, role, body, query, pictures, upload, answer, errors, view))
            return view

        return register

    def install(self, app: Flask) -> None:
        """Add the routes to the application."""
        for route in self.routes:
            name = f"{route.view.__module__}.{route.view.__name__}"
            app.add_url_rule(route.path, name, _checked(route), methods=[route.method], provide_automatic_options=False)


def guest() -> Guest | None:
    """Return who sent the current request, None if not joined or signed out."""
    found = g.recognise()
    assert found is None or isinstance(found, Guest)
    return found


def known_guest() -> Guest:
    """Return who sent the current request to a route with a role; raises RefusalError if signed out meanwhile."""
    found = guest()
    if found is None:
        raise _not_joined()
    return found


def _checked(route: Route) -> View:
    hints = get_type_hints(route.view)

    @wraps(route.view)
    def run(**path: Any) -> Response:
        _check_role(route)
        given: dict[str, Any] = {name: hints.get(name, str)(value) for name, value in path.items()}
        if route.query is not None:
            given["query"] = _validated(route.query, request.args.to_dict())
        if route.body is not None:
            given["body"] = _read_body(route.body)
        if route.pictures:
            _receive_pictures(route.pictures)
        if route.body is not None or route.pictures:
            _check_role(route)  # the body may have taken long to arrive
        with _HELD if route.pictures > 1 else nullcontext():
            if route.pictures:
                given["pictures"] = _read_pictures(route.pictures)
            return _respond(route.view(**given))

    return run


def _check_role(route: Route) -> None:
    if route.role is None:
        return
    who = guest()
    if who is None:
        raise _not_joined()
    if who.role.rank < route.role.rank:
        raise RefusalError(403, "not-allowed", f"Only a {route.role.value} may do that.")


def is_signed_out() -> bool:
    """Return whether the current request carries a genuine badge that is no longer valid."""
    return bool(g.has_badge) and guest() is None


def _not_joined() -> RefusalError:
    if is_signed_out():
        message = "The host has signed this device out, or it has not been used for a month: join again."
        return RefusalError(401, "signed-out", message)
    return RefusalError(401, "not-joined", "This device has not joined: scan the host's code or enter the PIN.")


def _validated(model: type[BaseModel], values: object) -> BaseModel:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _invalid(error) from error


def _read_body(model: type[BaseModel]) -> BaseModel:
    request.max_content_length = JSON_LIMIT
    if request.mimetype != "application/json":
        raise RefusalError(415, "not-json", "The request must be JSON.")
    try:
        return model.model_validate_json(request.get_data())
    except ValidationError as error:
        raise _invalid(error) from error


def _invalid(error: ValidationError) -> RefusalError:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    limits = (value for name, value in first.get("ctx", {}).items() if name in _LIMITS)
    fault = Fault(place, _RULES.get(first["type"], Rule.OTHER), next(limits, None))
    return RefusalError(422, "invalid", f"{place}: {first['msg']}" if place else str(first["msg"]), fault=fault)


_LIMITS = frozenset({"max_length", "min_length", "ge", "gt", "le", "lt"})
_RULES = {
    "missing": Rule.MISSING,
    "string_too_long": Rule.TOO_LONG,
    "string_too_short": Rule.NO_NAME,
    "greater_than_equal": Rule.TOO_SMALL,
    "greater_than": Rule.TOO_SMALL,
    "less_than_equal": Rule.TOO_LARGE,
    "less_than": Rule.TOO_LARGE,
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "float_type", "float_parsing"), Rule.NO_NUMBER),
    "too_long": Rule.TOO_MANY,
    "too_short": Rule.TOO_FEW,
    "enum": Rule.UNKNOWN,
    "literal_error": Rule.UNKNOWN,
    **{rule.value: rule for rule in Rule},
}
"""pydantic's error types -> our rules; our own validators use our names."""


def _read_pictures(most: int) -> list[bytes]:
    if most == 1:
        return [request.get_data()]
    files = request.files.getlist("pictures")
    found = [file.stream.read(PICTURE_LIMIT + 1) for file in files]
    if any(len(data) > PICTURE_LIMIT for data in found):
        raise RequestEntityTooLarge
    return found


def _receive_pictures(most: int) -> None:
    """Wait until pictures have arrived; those of a form are buffered on disk."""
    request.max_content_length = FRAME_LIMIT if most == 1 else PICTURE_LIMIT * most
    if most == 1:
        if request.mimetype not in PICTURE_TYPES:
            raise RefusalError(415, "not-a-picture", "The request must be a JPEG, PNG or WebP picture.")
        request.get_data()
        return
    if request.mimetype != "multipart/form-data":
        raise RefusalError(415, "not-a-form", "The pictures must come as a form.")
    request.max_form_memory_size = PICTURE_LIMIT
    request.max_form_parts = most + 2
    if not 1 <= len(request.files.getlist("pictures")) <= most:
        raise RefusalError(422, "invalid", f"One to {most} pictures can be read at a time.")


def _respond(answer: object) -> Response:
    if isinstance(answer, Response):
        return answer
    if answer is None:
        return Response(status=204)
    assert isinstance(answer, BaseModel)
    response = Response(answer.model_dump_json(), content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
