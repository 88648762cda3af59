"""A match to look back on, state by state."""

from __future__ import annotations

from flask.testing import FlaskClient


def test_each_move_comes_with_its_sentences_and_the_state_after_it(playing: FlaskClient) -> None:
    playing.post("/api/moves", json={"do": "play", "card": "red skip"})
    playing.post("/api/moves", json={"do": "draw"})
    running = playing.get("/api/view").json["match"]["id"]
    found = playing.get(f"/api/matches/{running}/replay").json
    assert found["match"]["players"] == ["Ann", "Ben", "Cy"]
    assert [moment["line"]["move"]["do"] for moment in found["moments"]] == ["start", "play", "draw"]
    assert [moment["state"]["turn"] for moment in found["moments"]] == ["Ann", "Cy", "Cy"]
    assert [moment["state"]["top"] for moment in found["moments"]] == ["red 5", "red skip", "red skip"]
    assert found["moments"][1]["line"]["sentences"] == ["Ben is skipped."]
    assert found["moments"][2]["state"]["hands"]["Cy"] == 8


def test_what_was_taken_back_is_not_part_of_it(playing: FlaskClient) -> None:
    playing.post("/api/moves", json={"do": "play", "card": "red 7"})
    playing.post("/api/undo")
    running = playing.get("/api/view").json["match"]["id"]
    assert len(playing.get(f"/api/matches/{running}/replay").json["moments"]) == 1


def test_a_challenged_hand_stays_secret(playing: FlaskClient) -> None:
    for move in (
        {"do": "play", "card": "wild draw four"},
        {"do": "color", "color": "red"},
        {"do": "challenge"},
    ):
        assert playing.post("/api/moves", json=move).status_code == 200, move
    cards = [f"yellow {number}" for number in range(1, 7)]
    assert playing.post("/api/challenge", json={"cards": cards}).status_code == 200
    running = playing.get("/api/view").json["match"]["id"]
    assert "yellow 1" not in playing.get(f"/api/matches/{running}/replay").text


def test_a_match_that_is_not_there_is_refused(playing: FlaskClient) -> None:
    assert playing.get("/api/matches/nothing/replay").status_code == 404
