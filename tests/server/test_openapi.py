"""The API's description is complete and matches every response."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from devices import MATCH, StubReader
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from companion.server.access.guests import Role
from companion.server.app import APIS, create_app, services_of
from companion.server.core.config import ServerConfig

pytestmark = pytest.mark.slow

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

CASES = int(os.environ.get("COMPANION_FUZZ_CASES", "35"))
"""Per route and kind, as host; there are some 40 routes and two kinds. Where less can be asked, less is."""

STRANGERS_CASES = int(os.environ.get("COMPANION_FUZZ_STRANGERS", "2"))
"""The same of one who has not joined. With --junitxml the calls are recorded as properties of the tests."""


# Arbitrary bytes stand for an archive: the route must reject them, and its own tests restore real archives.
@schemathesis.serializer("application/zip")
def archive_bytes(ctx: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


# A stream does not end; leaving would end the session that the other cases need; cameras are none of the test's.
LEFT_OUT = {"/api/events", "/api/leave", "/api/cameras", "/api/cameras/<int:number>/preview"}
ROUTES = [route for api in APIS for route in api if route.path not in LEFT_OUT]
LABELS = [f"{route.method} {re.sub(r'<(?:int:)?', '{', route.path).replace('>', '}')}" for route in ROUTES]

ROLES = dict(zip(LABELS, [route.role for route in ROUTES], strict=True))


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    app = create_app(ServerConfig(data=tmp_path_factory.mktemp("data")), StubReader())
    services = services_of(app)
    device = app.test_client()
    device.post("/api/join", json={"token": services.pairing.invite(Role.HOST)})
    device.post("/api/match", json=MATCH)
    device.post("/api/moves", json={"do": "start", "card": "red 5"})
    cookie = device.get_cookie(services.badges.cookie(secure=False))
    assert cookie is not None
    found = schemathesis.openapi.from_wsgi("/api/openapi.json", app)
    found.config.update(headers={"Cookie": f"{cookie.key}={cookie.value}"})
    yield found
    services.close()


Check = Callable[[Any], None]
Record = Callable[[str, object], None]


def each_case(schema: Any, label: str, mode: GenerationMode, most: int, check: Check) -> int:
    """Check what fits a route's description, or does not, and return how many cases there were."""
    method, path = label.split(" ")
    made = 0

    @settings(
        max_examples=most,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        nonlocal made
        made += 1
        check(case)

    try:
        run()
    except Unsatisfiable:
        pytest.skip("whatever is sent to this route fits it")
    return made


MODES = pytest.mark.parametrize(
    "mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfitting"]
)


@MODES
@pytest.mark.parametrize("label", LABELS)
def test_no_case_breaks_the_server_or_its_description(
    label: str, mode: GenerationMode, schema: Any, record_property: Record
) -> None:
    made = each_case(schema, label, mode, CASES, lambda case: case.call_and_validate(checks=CHECKS))
    record_property("as host", made)


@MODES
@pytest.mark.parametrize("label", LABELS)
def test_no_stranger_breaks_the_server_or_is_let_in(
    label: str, mode: GenerationMode, schema: Any, record_property: Record
) -> None:
    def check(case: Any) -> None:
        answer = case.call(headers={"Cookie": "companion=forged"})
        assert answer.status_code < 500
        if ROLES[label] is not None:
            assert answer.status_code >= 400, answer.status_code

    record_property("as stranger", each_case(schema, label, mode, STRANGERS_CASES, check))


def test_every_route_is_described(tmp_path: Path) -> None:
    app = create_app(ServerConfig(data=tmp_path))
    found = app.test_client().get("/api/openapi.json").json
    described = {(method.upper(), path) for path, item in found["paths"].items() for method in item}
    assert len(described) == sum(1 for api in APIS for _ in api) + 1
    services_of(app).close()
