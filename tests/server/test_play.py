"""A match set up and played through the API."""

from __future__ import annotations

from devices import MATCH
from flask.testing import FlaskClient


def test_a_match_is_set_up_and_played(playing: FlaskClient) -> None:
    view = playing.get("/api/view").json
    assert view["state"]["turn"] == "Ann"
    assert view["state"]["top"] == "red 5"
    outcome = playing.post("/api/moves", json={"do": "play", "card": "red skip"}).json
    assert outcome["rulings"][0]["sentences"] == ["Ben is skipped."]
    assert playing.get("/api/view").json["state"]["turn"] == "Cy"


def test_the_rules_of_the_match_are_reported_in_any_language(host: FlaskClient) -> None:
    assert host.get("/api/rules").status_code == 409
    host.post("/api/match", json={**MATCH, "options": {"jump_in": True}})
    reported = host.get("/api/rules").json["entries"]
    assert {"item", "card", "rule"} == {entry["part"] for entry in reported}
    assert "jump_in" in {entry["key"] for entry in reported}
    german = host.get("/api/rules?language=de").json["entries"]
    assert [entry["key"] for entry in german] == [entry["key"] for entry in reported]
    assert [entry["text"] for entry in german] != [entry["text"] for entry in reported]


def test_a_refused_move_is_explained_and_changes_nothing(playing: FlaskClient) -> None:
    before = playing.get("/api/view").json
    refused = playing.post("/api/moves", json={"do": "pass"})
    assert refused.status_code == 409
    assert refused.json["error"] == "wrong-phase"
    assert refused.json["message"].startswith("That is not possible now")
    assert playing.get("/api/view").json == before


def test_the_simulated_table_plays_the_match_that_is_set_up(host: FlaskClient) -> None:
    assert host.post("/api/camera", json={"source": "simulated"}).status_code == 200
    options = {"target": 120, "scoring": "low-total", "hand_size": 5}
    wishes = {"dealer": "Ben", "options": options, "turns": "relaxed"}
    assert host.post("/api/match", json={**MATCH, **wishes}).status_code == 200
    view = host.get("/api/view").json
    options = view["match"].pop("options")
    title = view["match"].pop("edition_title")
    assert title == "UNO Mario Kart"
    assert view["match"] == {**MATCH, "id": view["match"]["id"], "scoring": "low-total", "target": 120}
    assert (options["hand_size"], options["stacking"], options["challenge"]) == (5, "off", True)
    assert (view["state"]["dealer"], view["state"]["hands"], view["turns"]) == (
        "Ben", {"Ann": 5, "Ben": 5, "Cy": 5}, "relaxed",
    )  # fmt: skip
    assert host.get("/api/camera").json["source"] == "simulated"
    assert host.post("/api/camera", json={}).json["source"] is None


def test_the_history_says_whose_move_it_was(playing: FlaskClient) -> None:
    for move in ({"do": "draw"}, {"do": "pass"}, {"do": "play", "card": "red skip"}):
        playing.post("/api/moves", json=move)
    lines = playing.get("/api/history").json["lines"]
    assert [line["player"] for line in lines] == [None, "Ann", "Ann", "Ben"]


def test_the_host_says_who_acted(playing: FlaskClient) -> None:
    asked = playing.post("/api/moves", json={"do": "draw", "by": "Cy"}).json
    assert (asked["question"]["kind"], asked["rulings"]) == ("turn", [])
