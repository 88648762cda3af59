"""A person who is forgotten leaves no trace in stored data, in file contents or in later exports."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from devices import MATCH, Join
from flask.testing import FlaskClient

from companion.exports import EXPORTS
from companion.server.access.guests import Role
from companion.server.services.services import Services
from companion.storage.forgetting import names_in, stand_in, without
from companion.storage.store import FILE

NAME = "Wilhelmine"
PLAYERS = ["Ann", NAME, "Cy"]


def play(host: FlaskClient, *moves: dict[str, object]) -> None:
    for move in moves:
        assert host.post("/api/moves", json=move).status_code == 200, move


def bytes_of(folder: Path) -> bytes:
    """All bytes of all files in the data folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def leave_in_free_pages(services: Services, text: str) -> None:
    """Write something into the file and delete it as SQLite does where nobody asks it to wipe."""
    services.store.close()
    connection = sqlite3.connect(services.config.data / FILE)
    connection.execute("PRAGMA secure_delete = OFF")
    connection.executemany("INSERT INTO pending VALUES (?, ?, ?)", [("x", n, text * 50) for n in range(50)])
    connection.commit()
    connection.execute("DELETE FROM pending WHERE match = 'x'")
    connection.commit()
    connection.close()


@pytest.fixture
def match(host: FlaskClient) -> str:
    """A match that Wilhelmine has won, after lines of every kind with her name were undone and changed; its id."""
    started = host.post("/api/match", json={**MATCH, "players": PLAYERS, "options": {"target": 20}}).json["id"]
    play(
        host,
        {"do": "start", "card": "red 5"},
        {"do": "play", "card": "red 7"},
        {"do": "draw", "by": NAME},
        {"do": "pass", "by": NAME},
        {"do": "count", "player": NAME, "cards": 3},
    )
    host.post("/api/undo")
    amended = host.post("/api/amend", json={"n": 3, "move": {"do": "draw", "by": NAME.lower()}})
    assert amended.status_code == 200
    play(
        host,
        {"do": "count", "player": NAME, "cards": 0},
        {"do": "hand", "player": "Ann", "cards": ["blue skip"]},
        {"do": "hand", "player": "Cy", "cards": ["blue 9"]},
    )
    return str(started)


def test_no_trace_is_left(match: str, host: FlaskClient, join: Join, services: Services) -> None:
    folder = services.config.data
    join(Role.PLAYER, NAME)
    leave_in_free_pages(services, f"only there: {NAME}")
    assert f"only there: {NAME}".encode() in bytes_of(folder)
    assert NAME.encode() in bytes_of(folder)
    board = host.get(f"/api/matches/{match}").json
    assert host.post("/api/people/forget", json={"player": NAME}).status_code == 204
    assert NAME.lower().encode() not in bytes_of(folder).lower()
    after = host.get(f"/api/matches/{match}").json
    assert after["winners"] == ["Player 2"]
    renamed = json.loads(json.dumps(board).replace(NAME, "Player 2"))
    assert after == renamed
    for export in EXPORTS:
        text = host.get(f"/api/matches/{match}/export?format={export}").get_data(as_text=True)
        assert NAME.lower() not in text.lower()
        assert "Player 2" in text or export == "moves-csv"
    assert NAME not in host.get("/api/view").get_data(as_text=True)
    assert host.get("/api/matches").json["matches"][0]["players"] == ["Ann", "Player 2", "Cy"]
    assert list(host.get("/api/people/fame").json["people"]) == ["Ann", "Cy"]
    # The match is over but on the table: what was its last move can still be taken back.
    assert host.post("/api/undo?scored=true").status_code == 200
    services.close()
    assert NAME.encode() not in bytes_of(folder)


def test_who_plays_is_not_forgotten(host: FlaskClient, services: Services) -> None:
    host.post("/api/match", json={**MATCH, "players": PLAYERS})
    host.post("/api/moves", json={"do": "leave", "player": NAME})
    refused = host.post("/api/people/forget", json={"player": NAME})
    assert (refused.status_code, refused.json["error"]) == (409, "playing")
    assert NAME in services.people.numbers
    # Another match, and she is no longer of those who play: the unfinished one can be taken up under the other name.
    old = services.table.match_id
    host.post("/api/match", json={**MATCH, "players": ["Ann", "Cy"]})
    assert host.post("/api/people/forget", json={"player": NAME}).status_code == 204
    assert host.post("/api/match/resume", json={"id": old}).status_code == 200
    assert host.get("/api/view").json["state"]["left"] == {"Player 2": 0}


def test_what_the_table_remembers_of_a_match_is_searched_too(match: str, host: FlaskClient, services: Services) -> None:
    """As of a line that was ruled on and put right since, with a tap by name behind it."""
    services.store.close()
    memory = {"trail": {"gone": [{"entry": {"do": "draw", "by": NAME}}], "seen": [{"tap": {"do": "pass", "by": NAME}}]}}
    with sqlite3.connect(services.config.data / FILE) as connection:
        connection.execute("UPDATE match SET memory = ? WHERE id = ?", (json.dumps(memory), match))
    assert host.post("/api/people/forget", json={"player": NAME}).status_code == 204
    services.store.close()
    assert NAME.encode() not in b"".join(path.read_bytes() for path in services.config.data.glob(f"{FILE}*"))
    with sqlite3.connect(services.config.data / FILE) as connection:
        (kept,) = connection.execute("SELECT memory FROM match WHERE id = ?", (match,)).fetchone()
    assert json.loads(kept) == json.loads(json.dumps(memory).replace(NAME, "Player 2"))


def test_a_damaged_match_is_searched_as_text(match: str, host: FlaskClient, services: Services) -> None:
    services.store.close()
    with sqlite3.connect(services.config.data / FILE) as connection:
        connection.execute("UPDATE match SET winners = winners || 'x'")
    assert host.post("/api/people/forget", json={"player": NAME}).status_code in (204, 409)
    services.store.close()
    assert NAME.encode() not in b"".join(path.read_bytes() for path in services.config.data.glob(f"{FILE}*"))


def test_a_stand_in_is_like_nobody_else() -> None:
    names = ["Ann", "Player 2", "Cy"]
    assert stand_in("Ann", names, (), "Player {number}") == "Player 1"
    assert stand_in("player 2", names, (), "Player {number}") == "Player 3"
    assert stand_in("Cy", names, ("PLAYER 3",), "Player {number}") == "Player 4"


def test_names_are_found_where_they_stand_and_nowhere_else() -> None:
    line = '{"do": "amend", "n": 2, "move": {"do": "hand", "player": "red 7", "cards": ["red 7"]}}'
    assert names_in([line, '{"do": "join", "player": "Dan", "after": "Cy"}', "{"]) == ["red 7", "Dan", "Cy"]
    assert json.loads(without(line, "RED 7", "Player 1"))["move"] == {
        "do": "hand",
        "player": "Player 1",
        "cards": ["red 7"],
    }
    assert without('["Ann", "Zoë"]', "Zoë", "X") == '["Ann", "X"]'
    assert without(line, "Ann", "X") is line
    assert without('{"player": "Zo\\u00eb', "Zoë", "X") == '{"player": "X'
