"""Corrections through the API: previews, dropped moves, undo and redo, the acting player, seats."""

from __future__ import annotations

from flask.testing import FlaskClient

from companion.cards import Card
from companion.server.services.services import Services
from companion.table.presentation.view import Turns
from companion.vision.core.events import Arm, CardLanded


def _tap(client: FlaskClient, *moves: dict[str, object]) -> None:
    for move in moves:
        assert client.post("/api/moves", json=move).status_code == 200


def _view(client: FlaskClient) -> dict[str, object]:
    return dict(client.get("/api/view").json)


def test_an_amendment_is_previewed_and_then_drops_what_no_longer_stands(playing: FlaskClient) -> None:
    _tap(playing, {"do": "play", "card": "red 3"}, {"do": "play", "card": "red 9"})
    before = _view(playing)
    amendment = {"n": 2, "move": {"do": "play", "card": "wild draw four"}}
    found = playing.post("/api/amend/preview", json=amendment).json
    assert (found["dropped"], found["state"]["top"], found["state"]["phase"]) == ([3], "wild draw four", "color")
    assert found["why"].startswith("That is not possible now")
    assert _view(playing) == before, "a preview changes nothing"
    assert playing.post("/api/amend", json=amendment).status_code == 409
    assert _view(playing) == before
    assert playing.post("/api/amend", json={**amendment, "drop": True}).status_code == 200
    after = _view(playing)
    assert (after["state"], after["history_length"]) == (found["state"], 2)


def test_a_preview_of_what_stands_drops_nothing(playing: FlaskClient) -> None:
    _tap(playing, {"do": "play", "card": "red 3"})
    found = playing.post("/api/amend/preview", json={"n": 2, "move": {"do": "play", "card": "red 4"}}).json
    assert (found["dropped"], found["why"], found["state"]["top"]) == ([], None, "red 4")
    assert playing.post("/api/amend/preview", json={"n": 9, "move": {"do": "draw"}}).status_code == 409


def test_a_scored_round_is_opened_only_when_that_is_meant(host: FlaskClient) -> None:
    match = {"edition": "classic", "players": ["Ann", "Ben"], "options": {"hand_size": 1}}
    assert host.post("/api/match", json=match).status_code == 200
    _tap(host, {"do": "start", "card": "red 1"}, {"do": "play", "card": "red 2"})
    _tap(host, {"do": "hand", "player": "Ben", "cards": ["red 3"]})
    before = _view(host)
    refused = host.post("/api/undo")
    assert (refused.status_code, refused.json["error"]) == (409, "not-now")
    assert _view(host) == before
    assert host.post("/api/undo?scored=true").status_code == 200
    assert host.get("/api/view").json["state"]["phase"] == "scoring"
    assert host.post("/api/redo").status_code == 200
    assert host.get("/api/view").json["state"] == before["state"]
    assert host.post("/api/redo").status_code == 409


def test_one_call_changes_whose_a_move_was(playing: FlaskClient) -> None:
    _tap(playing, {"do": "play", "card": "red 3"})
    assert playing.post("/api/who", json={"n": 2, "player": "Ben"}).status_code == 200
    lines = playing.get("/api/history").json["lines"]
    assert [(line["player"], line["move"]["do"]) for line in lines][1:] == [
        ("Ann", "draw"), ("Ann", "pass"), ("Ben", "play"),
    ]  # fmt: skip
    assert lines[-1]["known"] == "tapped"
    assert playing.post("/api/who", json={"n": 1, "player": "Ben"}).status_code == 409
    assert playing.post("/api/who", json={"n": 2, "player": "Zoe"}).status_code == 409


def test_one_amendment_adds_a_draw_and_one_removes_a_move(playing: FlaskClient) -> None:
    _tap(playing, {"do": "play", "card": "red 3"})
    assert playing.post("/api/drew", json={"n": 2}).status_code == 200
    assert [line["move"]["do"] for line in playing.get("/api/history").json["lines"]] == ["start", "draw", "play"]
    assert playing.post("/api/drew", json={"n": 3}).status_code == 409
    assert playing.post("/api/drop", json={"n": 2}).status_code == 200
    assert [line["move"]["do"] for line in playing.get("/api/history").json["lines"]] == ["start", "play"]
    assert playing.post("/api/drop", json={"n": 1}).status_code == 409


def test_one_call_says_that_a_card_was_missed(playing: FlaskClient) -> None:
    _tap(playing, {"do": "play", "card": "red 3"}, {"do": "draw"}, {"do": "pass"}, {"do": "play", "card": "red 7"})
    for n in (4, 3):
        assert playing.post("/api/drop", json={"n": n}).status_code == 200
    assert playing.post("/api/missed", json={"n": 3, "card": "red 9"}).status_code == 200
    lines = playing.get("/api/history").json["lines"]
    assert [(line["player"], line["move"]["card"]) for line in lines][1:] == [
        ("Ann", "red 3"), ("Ben", "red 9"), ("Cy", "red 7"),
    ]  # fmt: skip
    assert (lines[2]["read_by"], lines[2]["picture"]) == ("corrected", None)
    assert playing.post("/api/missed", json={"n": 3, "card": "blue 1"}).status_code == 409
    assert playing.post("/api/missed", json={"n": 1, "card": "red 1"}).status_code == 409
    assert playing.post("/api/missed", json={"n": 3, "card": "red 77"}).status_code == 422


def test_a_hand_settles_no_challenge_over_a_colour_that_nobody_named(host: FlaskClient, services: Services) -> None:
    match = {"edition": "classic", "players": ["Ann", "Ben", "Cy"]}
    assert host.post("/api/match", json=match).status_code == 200
    for name, arm in (("red 5", 260.0), ("wild", 20.0), ("wild draw four", 140.0)):
        services.table.see(CardLanded(0.0, ((Card.parse(name), 1.0),), arm=Arm(arm, 4.0, int(arm))))
    _tap(host, {"do": "color", "color": "red"}, {"do": "challenge"})
    assert host.post("/api/challenge", json={"cards": ["red 3"]}).json["error"] == "color-unknown"
    assert host.post("/api/amend", json={"n": 3, "move": {"do": "color", "color": "red"}}).status_code == 200
    assert host.post("/api/challenge", json={"cards": ["red 3"]}).json["guilty"] is True


def test_people_are_placed(playing: FlaskClient) -> None:
    for player, direction in (("Ann", 20.0), ("Ben", 140.0), ("Cy", 260.0)):
        assert playing.post("/api/place", json={"player": player, "direction": direction}).status_code == 204
    seats = playing.get("/api/view").json["seats"]
    assert [(seat["player"], round(seat["direction"])) for seat in seats] == [("Ann", 20), ("Ben", 140), ("Cy", 260)]
    assert playing.post("/api/place", json={"player": "Ann", "direction": 360}).status_code == 422
    assert playing.post("/api/place", json={"player": "Zoe", "direction": 3}).status_code == 409


def test_how_turns_are_followed_is_the_hosts_choice(playing: FlaskClient, services: Services) -> None:
    for turns in Turns:
        assert playing.post("/api/turns", json={"turns": turns.value}).status_code == 204
        view = playing.get("/api/view").json
        assert (view["turns"], view["turns_in_force"]) == (turns.value, turns.value)
        assert services.table.view().turns is turns
    assert playing.post("/api/turns", json={"turns": "guessed"}).status_code == 422
