"""Editions through the API: list, read, check, save, preview, try and play."""

from __future__ import annotations

import subprocess
import time
from typing import Any

import cv2
import numpy as np
import pytest
from devices import Join
from flask.testing import FlaskClient

from companion.cards import Card, EditionName
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.editions.library import Library, shipped
from companion.server.access.guests import Role
from companion.server.services.lab_process import LabTask, reports
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


def _finished(host: FlaskClient) -> Any:
    """Return what the laboratory found once it has finished."""
    deadline = time.monotonic() + 120
    while (found := host.get("/api/lab").json)["running"]:
        assert time.monotonic() < deadline, "the laboratory does not end"
        time.sleep(0.05)
    return found


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
        "sign": "demand",
        "chooses": True,
        "picture": None,
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
    assert 10 < len(found["turns"]) < 60
    assert all(set(move["hands"]) == {"Ann", "Ben", "Cy"} for move in found["turns"])
    assert "Roar" not in lion["described"]
    assert "draw until a card (red) comes" in lion["described"]


def test_a_deck_too_small_for_three_is_previewed_with_two(host: FlaskClient) -> None:
    file = ZOO + "[options]\nhand_size = 40\n"
    found = host.post("/api/editions/preview", json={"file": file}).json
    assert set(found["turns"][0]["hands"]) == {"Ann", "Ben"}


def test_a_draft_is_written_as_a_file_that_says_the_same(host: FlaskClient) -> None:
    read = host.post("/api/editions/check", json={"file": ZOO}).json
    written = host.post("/api/editions/draft", json={"definition": read["definition"]}).json
    assert written["faults"] == []
    assert host.post("/api/editions/check", json={"file": written["file"]}).json["definition"] == read["definition"]
    faulty = {**read["definition"], "deck": {"wild lion": 99}}
    assert host.post("/api/editions/draft", json={"definition": faulty}).json["faults"][0]["key"] == "deck.wild lion"
    assert host.post("/api/editions/draft", json={"definition": {"faces": {"wild lion": 3}}}).status_code == 422


def test_a_small_edition_is_shared_as_a_code_and_a_large_one_by_its_address(
    host: FlaskClient, client: FlaskClient
) -> None:
    host.post("/api/editions", json={"file": ZOO})
    small = host.post("/api/editions/share", json={"edition": "zoo"}).json
    assert (small["holds"], small["text"]) == ("file", ZOO)
    large = host.post("/api/editions/share", json={"edition": "no-mercy"}).json
    assert large["holds"] == "link"
    token = large["text"].partition("#t=")[2].partition("&")[0]
    assert large["text"].endswith("&next=/edition?show=no-mercy")
    assert client.post("/api/join", json={"token": token}).json["role"] == "viewer"
    assert "out_at = 25" in client.get("/api/editions/no-mercy/file").text


def test_a_running_match_keeps_its_edition_for_the_pages(host: FlaskClient) -> None:
    host.post("/api/editions", json={"file": ZOO})
    host.post("/api/match", json={"edition": "zoo", "players": ["Ann", "Ben"]})
    host.post("/api/editions", json={"file": ZOO.replace("= 4", "= 7"), "replace": True})
    assert host.get("/api/editions/zoo").json["edition"]["cards"] == 115
    assert host.get("/api/editions/zoo?playing=true").json["edition"]["cards"] == 112
    host.delete("/api/editions/zoo")
    assert host.get("/api/editions/zoo").status_code == 404
    assert "wild lion" in host.get("/api/editions/zoo?playing=true").json["file"]


def test_the_laboratory_reports(host: FlaskClient) -> None:
    assert host.get("/api/lab").json["wanted"] == 0
    begun = host.post("/api/lab", json={"edition": "zelda", "rounds": 20, "options": {"jump_in": True}}).json
    assert (begun["running"], begun["wanted"]) == (True, 20)
    found = _finished(host)
    assert found["rounds"] == len(found["lengths"]) + found["unfinished"] == 20
    assert sum(found["wins"]) + found["unfinished"] == 20
    assert found["drawn"]["wild triforce"] > 0
    assert host.post("/api/lab", json={"edition": "zelda", "options": {"roar": True}}).status_code == 422
    assert host.post("/api/lab", json={"edition": "zelda", "options": {"hand_size": 30}}).status_code == 422
    host.post("/api/lab", json={"file": ZOO, "rounds": 2, "players": 2})
    assert _finished(host)["players"] == 2


def test_the_laboratory_stops_when_its_time_is_up() -> None:
    task = LabTask(edition="classic", file=None, options={}, players=3, rounds=1000, seconds=0.0)
    assert [report.rounds for report in reports(task)] == [1]
    assert [report.rounds for report in reports(task.model_copy(update={"seconds": 600.0, "rounds": 2}))][-1] == 2


def test_another_task_of_the_laboratory_ends_the_one_before(host: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    start = subprocess.Popen

    def recorded(*args: Any, **named: Any) -> subprocess.Popen[str]:
        started.append(start(*args, **named))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", recorded)
    host.post("/api/lab", json={"rounds": 10_000})
    (first,) = started
    host.post("/api/lab", json={"rounds": 3})
    assert first.wait(60) != 0
    assert _finished(host)["rounds"] == 3
    host.post("/api/lab", json={"rounds": 10_000})
    assert host.delete("/api/lab").status_code == 204
    assert host.get("/api/lab").json["running"] is False


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


def test_a_special_card_is_drawn_as_the_learnt_deck_shows_it(host: FlaskClient, services: Services) -> None:
    blank, box = np.zeros((480, 320, 3), np.uint8), np.full((480, 320, 3), 200, np.uint8)
    cards = (Card.parse("red 7"), Card.parse("wild item box"))
    services.decks.save(LearntDeck("Our box", EDITIONS[EditionName.MARIO_KART], cards, (blank, box)))

    def pictures() -> dict[str, str | None]:
        deck = host.get("/api/editions/mario-kart").json["deck"]
        return {each["card"]: each["picture"] for each in deck if each["picture"]}

    assert pictures() == {}
    host.post("/api/decks/choose", json={"name": "Our box"})
    # Standard cards are drawn better than photographed.
    address = "/api/decks/faces/wild%20item%20box?deck=Our%20box"
    assert pictures() == {"wild item box": address}
    found = host.get(address)
    assert found.mimetype == "image/jpeg"
    assert cv2.imdecode(np.frombuffer(found.data, np.uint8), cv2.IMREAD_COLOR).mean() > 190
    assert host.get("/api/decks/faces/red%207?deck=Our%20box").status_code == 404
    host.post("/api/decks/choose", json={"name": None})
    assert pictures() == {}
    assert host.get(address).status_code == 404
