"""Editions through the API: list, read, check, save, preview, try and play."""

from __future__ import annotations

from devices import Join
from flask.testing import FlaskClient

from companion.editions.library import Library, shipped
from companion.server.access.guests import Role
from companion.server.services.services import Services

ZOO = """format = 1
id = "zoo"
name = { en = "Zoo" }
[deck]
"wild lion" = 4
[faces."wild lion"]
name = { en = "Lion" }
text = { en = "Roar." }
when_played = [{ target = "others" }, { draw_until = { color = "red" }, who = "chosen" }, { dare = true }]
"""


def test_all_editions_are_listed_and_read(host: FlaskClient) -> None:
    listed = host.get("/api/editions?language=de").json
    assert [each["id"] for each in listed["editions"]] == list(shipped())
    assert listed["faults"] == []
    zelda = host.get("/api/editions/zelda").json
    assert zelda["edition"]["title"] == "UNO The Legend of Zelda"
    assert zelda["edition"]["checked"] == "retold"
    assert {
        "card": "wild triforce",
        "count": 4,
        "title": "Triforce",
        "points": 50,
        "wild": True,
        "item": None,
    } in zelda["deck"]
    assert zelda["file"] == Library().export("zelda") == host.get("/api/editions/zelda/file").text
    assert host.get("/api/editions/atlantis").status_code == 404


def test_a_file_is_checked(host: FlaskClient) -> None:
    assert host.post("/api/editions/check", json={"file": ZOO}).json["edition"]["id"] == "zoo"
    found = host.post("/api/editions/check", json={"file": ZOO.replace("others", "nobody")}).json
    assert found["edition"] is None
    assert found["faults"] == [
        {"line": 9, "key": "faces.wild lion.when_played[0].target", "message": "must be one of others, all"}
    ]
    refused = host.post("/api/editions", json={"file": "x = ["})
    assert refused.status_code == 422
    assert refused.json["field"] == "file"


def test_an_edition_is_kept_replaced_and_removed(host: FlaskClient, join: Join) -> None:
    assert join(Role.PLAYER, "Ann").post("/api/editions", json={"file": ZOO}).status_code == 403
    assert host.post("/api/editions", json={"file": ZOO}).json["own"] is True
    assert host.post("/api/editions", json={"file": ZOO}).status_code == 409
    changed = ZOO.replace('"wild lion" = 4', '"wild lion" = 6')
    assert host.post("/api/editions", json={"file": changed, "replace": True}).json["cards"] == 114
    assert host.get("/api/editions/zoo/file").text == changed
    assert host.delete("/api/editions/zoo").status_code == 204
    assert host.delete("/api/editions/zelda").status_code == 404


def test_a_preview_says_what_happens(host: FlaskClient) -> None:
    found = host.post("/api/editions/preview", json={"file": ZOO, "seed": 3}).json
    (lion,) = found["examples"]
    assert lion["title"] == "Lion"
    assert lion["moves"][0]["move"].endswith("Lion")
    said = [sentence for move in lion["moves"] for sentence in move["sentences"]]
    assert any("draw until you have a card (red)" in sentence for sentence in said)
    assert len(found["turns"]) == 30
    assert all(set(move["hands"]) == {"Ann", "Ben", "Cy"} for move in found["turns"])


def test_the_laboratory_reports(host: FlaskClient) -> None:
    found = host.post("/api/lab", json={"edition": "zelda", "rounds": 20, "options": {"jump_in": True}}).json
    assert found["rounds"] == 20
    assert sum(found["wins"]) + found["unfinished"] == 20
    assert host.post("/api/lab", json={"edition": "zelda", "options": {"roar": True}}).status_code == 422
    assert host.post("/api/lab", json={"file": ZOO, "rounds": 2, "players": 2}).json["players"] == 2


def test_a_themed_match_is_played_and_taken_up_again(host: FlaskClient, services: Services) -> None:
    host.post("/api/editions", json={"file": ZOO})
    begun = host.post("/api/match", json={"edition": "zoo", "players": ["Ann", "Ben", "Cy"]})
    assert begun.status_code == 200, begun.json
    for move in (
        {"do": "start", "card": "red 5"},
        {"do": "play", "card": "wild lion"},
        {"do": "target", "player": "Cy"},
    ):
        assert host.post("/api/moves", json=move).status_code == 200
    view = host.get("/api/view").json
    assert view["state"]["ask"] == {"verb": "draw_until", "why": "wild lion"}
    assert view["legal"]["took"] == [1, view["legal"]["took"][1]]
    assert view["match"]["edition_title"] == "Zoo"
    assert host.post("/api/moves", json={"do": "took", "cards": 3}).status_code == 200
    assert host.post("/api/moves", json={"do": "outcome", "yes": True}).status_code == 200
    host.delete("/api/editions/zoo")
    stored = services.store.load(begun.json["id"])
    assert stored.header.edition.id == "zoo"
    assert len(stored.lines) == 5
    exported = host.get(f"/api/matches/{begun.json['id']}/export").text
    assert '"definition"' in exported.splitlines()[0]
