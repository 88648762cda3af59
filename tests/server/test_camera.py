"""The camera through the API: a phone's pictures, reading what it sees, and hands read from pictures."""

from __future__ import annotations

import io
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from devices import Join, StubReader
from flask.testing import FlaskClient

from companion.cards import Card, EditionName
from companion.decks.model.edition_cards import deck_cards
from companion.editions import EDITIONS
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.services.services import Services
from companion.vision.core.deck_cards import DeckCards
from companion.vision.core.events import CardLanded
from companion.vision.core.runtime import model_folder
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.camera_advice import Obstacle

CHALLENGED = (
    {"do": "play", "card": "wild draw four"},
    {"do": "color", "color": "blue"},
    {"do": "challenge"},
)


def jpeg(width: int = 320, height: int = 180) -> bytes:
    picture = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def read(client: FlaskClient, query: str, pictures: int = 1) -> dict[str, object]:
    form = {"pictures": [(io.BytesIO(jpeg()), f"{i}.jpg") for i in range(pictures)]}
    answer = client.post(f"/api/hands/read?{query}", data=form)
    assert answer.status_code == 200, answer.json
    assert isinstance(answer.json, dict)
    return answer.json


def test_a_phones_picture_is_shown_and_read(playing: FlaskClient, reader: StubReader) -> None:
    assert playing.get("/api/camera/picture").status_code == 404
    assert playing.post("/api/camera/look").json["error"] == "no-picture"
    assert playing.post("/api/camera", json={"source": "phone"}).json["source"] == "phone"
    while playing.get("/api/camera/picture").status_code == 404:
        sent = playing.post("/api/camera/frames", data=jpeg(), content_type="image/jpeg")
        assert sent.json["watched"]
        time.sleep(0.05)
    shown = playing.get("/api/camera/picture")
    assert cv2.imdecode(np.frombuffer(shown.data, np.uint8), cv2.IMREAD_COLOR).shape == (180, 320, 3)
    reader.cards = ["blue 9"]
    seen = playing.post("/api/camera/look").json
    assert [card["card"] for card in seen["cards"]] == ["blue 9"]
    assert seen["advice"]["hindrance"] in {hindrance.value for hindrance in Obstacle}
    assert seen["advice"]["quad"] is None or len(seen["advice"]["quad"]) == 4


def test_a_players_phone_is_helped_to_see_and_learns_no_card(
    playing: FlaskClient, reader: StubReader, join: Join
) -> None:
    playing.post("/api/camera", json={"source": "phone"})
    ben = join(Role.PLAYER, "Ben")
    while playing.get("/api/camera/picture").status_code == 404:
        ben.post("/api/camera/frames", data=jpeg(), content_type="image/jpeg")
        time.sleep(0.05)
    reader.cards = ["blue 9"]
    helped = ben.post("/api/camera/advice").json
    assert set(helped) == {"advice", "width", "height"}
    assert (helped["width"], helped["height"]) == (320, 180)
    assert helped["advice"]["hindrance"] in {hindrance.value for hindrance in Obstacle}


def test_a_phone_learns_that_nobody_watches_it(playing: FlaskClient) -> None:
    sent = playing.post("/api/camera/frames", data=jpeg(), content_type="image/jpeg")
    assert sent.json == {"watched": False, "drops": 0}


@pytest.mark.parametrize("source", ["nowhere.mp4", "simulated:x", "\x00", "-1"])
def test_what_names_no_camera_is_refused(source: str, playing: FlaskClient) -> None:
    refused = playing.post("/api/camera", json={"source": source})
    assert (refused.status_code, refused.json["error"]) == (409, "no-source")


def test_a_hand_is_read_with_what_is_doubtful_about_it(playing: FlaskClient, reader: StubReader) -> None:
    reader.cards = ["red 7", "red 7", "red 7", "wild item box"]
    hand = read(playing, "player=Ben", pictures=2)
    assert (hand["points"], hand["expected"], hand["impossible"]) == (71, 7, ["red 7"])
    assert hand["pictures"] == [{"width": 320, "height": 180}] * 2
    assert len(hand["cards"]) == 4  # type: ignore[arg-type]


def test_a_challenged_hand_is_read_for_the_challenger_alone(
    playing: FlaskClient, join: Join, reader: StubReader
) -> None:
    for move in CHALLENGED:
        playing.post("/api/moves", json=move)
    cy = join(Role.PLAYER, "Cy")
    form = {"pictures": (io.BytesIO(jpeg()), "hand.jpg")}
    assert cy.post("/api/hands/read?purpose=challenge&player=Ann", data=form).status_code == 403
    assert cy.post("/api/challenge", json={"cards": ["red 7"]}).status_code == 403
    reader.cards = ["red 7", "yellow 0", "green 3", "green 4", "green 5", "blue skip"]
    ben = join(Role.PLAYER, "Ben")
    assert len(read(ben, "purpose=challenge&player=Ann")["cards"]) == 6  # type: ignore[arg-type]
    assert ben.post("/api/challenge", json={"cards": []}).status_code == 422
    assert ben.post("/api/challenge", json={"cards": reader.cards}).json["guilty"] is True
    seen = cy.get("/api/history").get_data(as_text=True)
    assert "yellow 0" not in seen
    match = cy.get("/api/view").json["match"]["id"]
    assert "yellow 0" not in cy.get(f"/api/matches/{match}/export").get_data(as_text=True)


def test_without_a_challenge_there_is_none_to_settle(playing: FlaskClient) -> None:
    assert playing.post("/api/challenge", json={"cards": ["red 7"]}).json["error"] == "no-challenge"


def test_what_another_camera_sees_first_lay_there_before(playing: FlaskClient, services: Services) -> None:
    landed = CardLanded(1.0, ((Card.parse("red 7"), 0.99),), None, None)
    services.table.see(landed)
    assert playing.get("/api/view").json["state"]["turn"] == "Ben"
    assert playing.post("/api/camera", json={"source": "phone"}).status_code == 200
    services.table.see(landed)
    assert playing.get("/api/view").json["state"]["turn"] == "Ben"
    assert playing.get("/api/view").json["camera"]["health"] is None
    services.table.see(landed)
    assert playing.get("/api/view").json["state"]["turn"] == "Cy"


@pytest.mark.skipif(not (model_folder() / "detector.onnx").is_file(), reason="the networks are not there yet")
def test_a_camera_reads_the_edition_that_is_played_by_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[DeckCards | None] = []
    shipped = CardDetector.shipped
    monkeypatch.setattr(CardDetector, "shipped", lambda cards, model: (read.append(cards), shipped(cards, model))[1])
    app = create_app(ServerConfig(data=tmp_path))
    services = services_of(app)
    find = services.detector()
    edition = EDITIONS[EditionName.MINECRAFT]
    services.start(Header(edition, ("Ann", "Ben"), 1, edition.options))
    find(np.zeros((90, 160, 3), np.uint8))
    assert [cards and cards.by_printed for cards in read] == [None, deck_cards(edition).by_printed]
    services.close()
