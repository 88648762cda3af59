"""The OpenAPI 3.1 description, generated from the routes so that it cannot be outdated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from companion.server.api.routing import Media, Route
from companion.server.core.errors import RefusalAnswer
from companion.server.schema.limits import MOST_PICTURES, PICTURE_TYPES

_FIELD = re.compile(r"<(?:(\w+):)?(\w+)>")
_REF = "#/components/schemas/{model}"


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """Return the OpenAPI document of these routes."""
    routes = list(routes)
    taken: set[type[BaseModel]] = {route.body for route in routes if route.body}
    given: set[type[BaseModel]] = {route.answer for route in routes if isinstance(route.answer, type)} | {RefusalAnswer}
    models = [(model, "validation") for model in sorted(taken, key=_name)]
    models += [(model, "serialization") for model in sorted(given, key=_name)]
    places, schemas = models_json_schema(models, ref_template=_REF)  # type: ignore[arg-type]
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = _FIELD.sub(r"{\2}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, places)
    return {
        "openapi": "3.1.0",
        "info": {"title": "UNO table companion", "version": version},
        "paths": paths,
        "components": {
            "schemas": schemas.get("$defs", {}),
            "securitySchemes": {
                "badge": {"type": "apiKey", "in": "cookie", "name": "companion-<id>"},
            },
        },
    }


def _name(model: type[BaseModel]) -> str:
    return model.__name__


def _operation(route: Route, places: dict[Any, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": route.view.__name__,
        "parameters": _parameters(route),
        "responses": _responses(route, places),
    }
    if route.role is not None:
        operation["security"] = [{"badge": []}]
        operation["x-role"] = route.role.value
    if route.body is not None:
        content = {"application/json": {"schema": places[route.body, "validation"]}}
        operation["requestBody"] = {"required": True, "content": content}
    if route.upload:
        binary = {"schema": {"type": "string", "format": "binary"}}
        operation["requestBody"] = {"required": True, "content": {route.upload: binary}}
    if route.pictures == 1:
        content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in PICTURE_TYPES}
        operation["requestBody"] = {"required": True, "content": content}
    if route.pictures > 1:
        files = {"type": "array", "minItems": 1, "maxItems": MOST_PICTURES}
        files["items"] = {"type": "string", "format": "binary"}
        schema = {"type": "object", "required": ["pictures"], "properties": {"pictures": files}}
        operation["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": schema}}}
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    found = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if kind == "int" else {"type": "string", "minLength": 1},
        }
        for kind, name in _FIELD.findall(route.path)
    ]
    if route.query is not None:
        schema = route.query.model_json_schema()
        required = schema.get("required", [])
        found += [
            {"name": name, "in": "query", "required": name in required, "schema": _inlined(part, schema)}
            for name, part in schema["properties"].items()
        ]
    return found


def _inlined(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a field's schema with its references resolved."""
    ref = part.get("$ref")
    return schema["$defs"][ref.rpartition("/")[2]] if ref else part


def _responses(route: Route, places: dict[Any, Any]) -> dict[str, Any]:
    if route.answer is None:
        done: dict[str, Any] = {"204": {"description": "Done."}}
    elif isinstance(route.answer, Media):
        content = {kind: {"schema": {"type": "string"}} for kind in route.answer.types}
        done = {"200": {"description": "Done.", "content": content}}
    else:
        done = {"200": {"description": "Done.", "content": {"application/json": {"schema": _answer(route, places)}}}}
    problem = {"application/json": {"schema": places[RefusalAnswer, "serialization"]}}
    for status in route.statuses:
        done[str(status)] = {"description": HTTPStatus(status).phrase, "content": problem}
    return done


def _answer(route: Route, places: dict[Any, Any]) -> Any:
    return places[route.answer, "serialization"]
