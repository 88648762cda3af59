"""Which role may use which route: every route of the API is tried by every role."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from devices import Join
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.server.access.guests import Role
from companion.server.api.routing import Route
from companion.server.app import APIS
from companion.server.services.services import Services

ROUTES = [route for api in APIS for route in api]
LESSER = [(route, role) for route in ROUTES for role in Role if route.role is not None and role.rank < route.role.rank]
IDS = [f"{route.method} {route.path}" for route in ROUTES]


def ask(client: FlaskClient, route: Route) -> TestResponse:
    path = re.sub(r"<int:\w+>", "1", route.path)
    path = re.sub(r"<\w+>", "nothing", path)
    return client.open(path, method=route.method, json={} if route.body else None)


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES, ids=IDS)
def test_without_a_badge_only_open_routes_answer(client: FlaskClient, route: Route) -> None:
    answer = ask(client, route)
    refused = answer.status_code == 401 and answer.json["error"] == "not-joined"
    assert refused == (route.role is not None)


@pytest.mark.slow
@pytest.mark.parametrize(("route", "role"), LESSER, ids=[f"{r.method} {r.path} {role.value}" for r, role in LESSER])
def test_a_lesser_role_is_refused(join: Join, route: Route, role: Role) -> None:
    answer = ask(join(role), route)
    assert answer.status_code == 403
    assert answer.json["error"] == "not-allowed"


@pytest.mark.slow
@pytest.mark.parametrize("route", [route for route in ROUTES if route.path != "/api/events"], ids=lambda r: r.path)
def test_the_host_is_let_in_everywhere(host: FlaskClient, route: Route) -> None:
    assert ask(host, route).status_code not in (401, 403, 500)


def test_no_route_of_the_api_escapes_the_checks(app: Flask) -> None:
    known = {route.path for route in ROUTES} | {"/api/openapi.json"}
    assert {rule.rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/api")} == known


def test_every_route_says_what_it_does() -> None:
    assert all(route.summary.endswith(".") for route in ROUTES)


def test_a_players_device_acts_for_its_player_alone(playing: FlaskClient, join: Join) -> None:
    ben = join(Role.PLAYER, "Ben")
    early = ben.post("/api/moves", json={"do": "draw"}).json
    assert (early["rulings"], early["question"]["kind"]) == ([], "turn")
    assert ben.post("/api/undo").status_code == 200
    assert ben.post("/api/moves", json={"do": "uno", "player": "Ann"}).status_code == 403
    ann = join(Role.PLAYER, "Ann")
    assert ann.post("/api/moves", json={"do": "draw"}).status_code == 200


def test_a_device_without_a_seat_is_asked_for_one(playing: FlaskClient, join: Join) -> None:
    nobody = join(Role.PLAYER)
    assert nobody.post("/api/moves", json={"do": "draw"}).json["error"] == "no-seat"
    assert nobody.post("/api/seat", json={"player": "Ann"}).json["player"] == "Ann"
    assert nobody.post("/api/moves", json={"do": "draw"}).status_code == 200


def test_a_viewer_cannot_take_a_seat(playing: FlaskClient, join: Join) -> None:
    assert join(Role.VIEWER).post("/api/seat", json={"player": "Ann"}).status_code == 403


def by_invitation(app: Flask, services: Services) -> FlaskClient:
    watcher = app.test_client()
    assert watcher.post("/api/join", json={"token": services.pairing.invite(Role.VIEWER)}).status_code == 200
    return watcher


def by_pin_and_a_tap(app: Flask, services: Services) -> FlaskClient:
    watcher = app.test_client()
    assert watcher.post("/api/join", json={"pin": services.pairing.pin}).json["role"] == "player"
    assert watcher.post("/api/watch").json["role"] == "viewer"
    return watcher


def by_pin_as_watcher(app: Flask, services: Services) -> FlaskClient:
    watcher = app.test_client()
    joined = watcher.post("/api/join", json={"pin": services.pairing.pin, "watch": True, "player": "Ann"}).json
    assert (joined["role"], joined["player"]) == ("viewer", None)
    return watcher


def by_a_players_code_and_a_tap(app: Flask, services: Services) -> FlaskClient:
    watcher = app.test_client()
    assert watcher.post("/api/join", json={"token": services.pairing.invite(Role.PLAYER, "Ann")}).status_code == 200
    old = watcher.get_cookie(services.badges.cookie(secure=False))
    assert old is not None
    assert watcher.post("/api/watch").status_code == 200
    # Bringing back the cookie of the player does not bring back the role.
    watcher.set_cookie(old.key, old.value)
    return watcher


WAYS_IN = [by_invitation, by_pin_and_a_tap, by_pin_as_watcher, by_a_players_code_and_a_tap]
ABOVE_VIEWERS = [route for route in ROUTES if route.role is not None and route.role is not Role.VIEWER]


@pytest.mark.parametrize("way", WAYS_IN, ids=lambda way: way.__name__)
def test_a_watcher_only_looks_whatever_the_way_in(
    way: Callable[[Flask, Services], FlaskClient], app: Flask, services: Services, playing: FlaskClient
) -> None:
    watcher = way(app, services)
    assert {f"{r.method} {r.path}": ask(watcher, r).status_code for r in ABOVE_VIEWERS} == {
        f"{r.method} {r.path}": 403 for r in ABOVE_VIEWERS
    }
    assert watcher.get("/api/view").status_code == 200


def test_a_device_that_is_signed_out_reads_why(host: FlaskClient, join: Join) -> None:
    player = join(Role.PLAYER)
    assert player.get("/api/me").json["signed_out"] is False
    device = next(each for each in host.get("/api/devices").json["devices"] if not each["own"])
    assert host.delete(f"/api/devices/{device['id']}").status_code == 204
    refused = player.get("/api/view")
    assert (refused.status_code, refused.json["error"]) == (401, "signed-out")
    assert player.get("/api/me").json["signed_out"] is True
