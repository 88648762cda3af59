"""The score board, past matches and their exports."""

from __future__ import annotations

import json

from devices import MATCH, Join
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.archive.people import People
from companion.server.services.services import Services


def finish_round(host: FlaskClient, winner: str, **hands: list[str]) -> None:
    """Let the winner go out in the running round, and score the hands that are left."""
    assert host.post("/api/moves", json={"do": "count", "player": winner, "cards": 0}).status_code == 200
    for player, cards in hands.items():
        assert host.post("/api/moves", json={"do": "hand", "player": player, "cards": cards}).status_code == 200


def scores(client: FlaskClient) -> dict[str, object]:
    match = client.get("/api/view").json["match"]["id"]
    found = client.get(f"/api/matches/{match}").json
    assert isinstance(found, dict)
    return found


def test_rounds_add_up(playing: FlaskClient) -> None:
    finish_round(playing, "Ann", Ben=["red 7", "wild item box"], Cy=["blue skip"])
    playing.post("/api/moves", json={"do": "start", "card": "red 5"})
    finish_round(playing, "Cy", Ann=["red 1"], Ben=["red 2"])
    board = scores(playing)
    assert board["scores"] == {"Ann": 77, "Ben": 0, "Cy": 3}
    assert board["totals"] == [{"Ann": 77, "Ben": 0, "Cy": 0}, {"Ann": 77, "Ben": 0, "Cy": 3}]
    assert [(one["number"], one["winner"], one["points"]) for one in board["rounds"]] == [
        (1, "Ann", {"Ann": 77}),
        (2, "Cy", {"Cy": 3}),
    ]


def test_an_undone_round_is_gone_from_the_board(playing: FlaskClient) -> None:
    finish_round(playing, "Ann", Ben=["red 7"], Cy=["blue skip"])
    assert playing.post("/api/undo?scored=true").status_code == 200
    assert scores(playing)["totals"] == []


def test_deeds_are_counted(playing: FlaskClient) -> None:
    for move in ({"do": "draw"}, {"do": "pass"}, {"do": "play", "card": "red draw two"}):
        playing.post("/api/moves", json=move)
    deeds = scores(playing)["deeds"]
    assert isinstance(deeds, dict)
    assert (deeds["Ann"]["drawn"], deeds["Ben"]["played"], deeds["Cy"]["drawn"]) == (1, 1, 2)


def test_a_match_is_exported_three_ways(playing: FlaskClient) -> None:
    finish_round(playing, "Ann", Ben=["red 7"], Cy=["blue skip"])
    match = scores(playing)["id"]
    table = playing.get(f"/api/matches/{match}/export?format=rounds-csv").get_data(as_text=True).lstrip("\ufeff")
    assert table.splitlines() == ["round,winner,Ann,Ben,Cy", "1,Ann,27,0,0", "total,,27,0,0"]
    assert playing.get(f"/api/matches/{match}/export?format=rounds-json").json["scores"]["Ann"] == 27
    lines = playing.get(f"/api/matches/{match}/export").get_data(as_text=True).splitlines()
    assert json.loads(lines[0])["match"]["players"] == MATCH["players"]
    assert json.loads(lines[1]) == {"do": "start", "card": "red 5"}


def test_past_matches_are_listed_and_can_be_deleted(playing: FlaskClient, join: Join) -> None:
    old = scores(playing)["id"]
    assert playing.delete(f"/api/matches/{old}").status_code == 409
    playing.post("/api/match", json=MATCH)
    listed = join(Role.VIEWER).get("/api/matches").json["matches"]
    assert {one["id"]: one["running"] for one in listed}[old] is False
    assert playing.delete(f"/api/matches/{old}").status_code == 204
    assert playing.get(f"/api/matches/{old}").status_code == 404


def test_a_match_is_taken_up_again(playing: FlaskClient) -> None:
    old = scores(playing)["id"]
    playing.post("/api/match", json=MATCH)
    assert playing.post("/api/match/resume", json={"id": old}).json == {"id": old}
    assert playing.get("/api/view").json["state"]["top"] == "red 5"
    assert playing.post("/api/match/resume", json={"id": "nothing"}).status_code == 404


def test_a_rematch_is_played_by_the_same_people_and_the_next_one_deals(playing: FlaskClient, host: FlaskClient) -> None:
    old = scores(playing)
    started = playing.post("/api/match/rematch").json["id"]
    view = playing.get("/api/view").json
    assert view["match"]["id"] == started != old["id"]
    assert view["match"]["players"] == MATCH["players"]
    assert view["state"]["dealer"] == "Ann"


def test_without_a_match_there_is_no_rematch(host: FlaskClient) -> None:
    assert host.post("/api/match/rematch").status_code == 409


def test_what_stands_out_is_reported(playing: FlaskClient) -> None:
    for move in ({"do": "play", "card": "red draw two"}, {"do": "draw"}, {"do": "pass"}):
        assert playing.post("/api/moves", json=move).status_code == 200
    found = {one["kind"]: (one["players"], one["amount"]) for one in scores(playing)["awards"]}
    assert found["drawn"] == (["Ben"], 2)
    assert found["hand"] == (["Ben"], 9)
    assert "late" not in found


def test_people_keep_their_numbers(playing: FlaskClient, services: Services) -> None:
    assert playing.get("/api/people").json["people"] == {"Ann": 0, "Ben": 1, "Cy": 2}
    playing.post("/api/match", json={**MATCH, "players": ["Dee", "Cy"], "dealer": None})
    assert playing.get("/api/people").json["people"] == {"Ann": 0, "Ben": 1, "Cy": 2, "Dee": 3}
    services.people.forget("Ben")
    playing.post("/api/match", json={**MATCH, "players": ["Eve", "Cy"], "dealer": None})
    assert People(services.config.data / "people.json").numbers == {"Ann": 0, "Cy": 2, "Dee": 3, "Eve": 1}


def play_match(host: FlaskClient) -> str:
    """Let Ann win a match of one round with 27 points after her banana peel hit Cy, and return its id."""
    started = host.post("/api/match", json={**MATCH, "options": {"target": 20}, "dealer": "Cy"}).json["id"]
    for move in (
        {"do": "start", "card": "red 5"},
        {"do": "play", "card": "wild item box"},
        {"do": "flip", "card": "yellow 1"},
    ):
        assert host.post("/api/moves", json=move).status_code == 200, move
    finish_round(host, "Ann", Ben=["red 7"], Cy=["blue skip"])
    return str(started)


def test_the_hall_of_fame_is_of_all_matches_that_ended(host: FlaskClient) -> None:
    host.post("/api/match", json=MATCH)
    assert host.get("/api/people/fame").json == {"people": {}, "records": [], "evenings": []}
    first = play_match(host)
    play_match(host)
    hall = host.get("/api/people/fame").json
    assert list(hall["people"]) == ["Ann", "Ben", "Cy"]
    ann, cy = hall["people"]["Ann"], hall["people"]["Cy"]
    assert (ann["matches"], ann["won"], ann["points"], ann["best_round"], ann["hits_given"]) == (2, 2, 54, 27, 2)
    assert (cy["matches"], cy["won"], cy["hits_taken"], cy["hits_given"]) == (2, 0, 2, 0)
    record = next(one for one in hall["records"] if one["kind"] == "hits")
    assert record == {"kind": "hits", "players": ["Cy"], "amount": 1, "match": first}
    # A match that is taken back from its end counts no longer.
    assert host.post("/api/undo?scored=true").status_code == 200
    assert host.get("/api/people/fame").json["people"]["Ann"]["won"] == 1


def test_who_was_forgotten_begins_without_statistics(host: FlaskClient, services: Services) -> None:
    play_match(host)
    assert host.post("/api/people/forget", json={"player": "Cy"}).status_code == 204
    assert host.post("/api/people/forget", json={"player": "Cy"}).status_code == 404
    hall = host.get("/api/people/fame").json
    assert list(hall["people"]) == ["Ann", "Ben"]
    assert all("Cy" not in one["players"] for one in hall["records"])
    assert "Cy" not in host.get("/api/choices").json["last"]["players"]
    assert "Cy" not in (services.config.data / "people.json").read_text("utf-8")
    play_match(host)
    people = host.get("/api/people/fame").json["people"]
    assert {name: one["matches"] for name, one in people.items()} == {"Ann": 2, "Ben": 2, "Cy": 1}
    assert People(services.config.data / "people.json").since == services.people.since


def test_an_older_file_of_people_is_read(services: Services) -> None:
    path = services.config.data / "older.json"
    path.write_text('{"Ann": 0, "Ben": 2}', "utf-8")
    assert People(path).numbers == {"Ann": 0, "Ben": 2}
    assert People(path).since == {"Ann": 0, "Ben": 0}


def test_a_restart_finds_the_match_on_the_table(playing: FlaskClient, services: Services) -> None:
    running = playing.get("/api/view").json["match"]["id"]
    services.close()
    again = create_app(services.config)
    assert services_of(again).table.match_id == running
    services_of(again).close()


def test_the_caller_changes_language_in_mid_match(playing: FlaskClient) -> None:
    assert playing.post("/api/language", json={"language": "de"}).status_code == 204
    said = playing.post("/api/moves", json={"do": "play", "card": "red skip"}).json["rulings"][0]["sentences"]
    assert said == ["Ben setzt aus."]
    refused = playing.post("/api/moves", json={"do": "pass"}).json["message"]
    assert "Das geht" in refused


def test_the_highest_card_deals(host: FlaskClient) -> None:
    assert host.post("/api/dealer", json={"cards": ["red 3", "blue 9", "wild"]}).json == {"highest": [1]}
    assert host.post("/api/dealer", json={"cards": ["red 3", "blue 3"]}).json == {"highest": [0, 1]}
