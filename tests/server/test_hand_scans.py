"""The picture behind a scanned hand: kept when the hand is confirmed, with its ruling and in its round."""

from __future__ import annotations

import io

import cv2
import numpy as np
from devices import MATCH, Join, StubReader
from flask.testing import FlaskClient
from test_camera import CHALLENGED, jpeg, read

from companion.server.access.guests import Role
from companion.server.capture.scans import MOST_SCANS, Scans
from companion.server.services.services import Services


def width(picture: bytes) -> int:
    return int(cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).shape[1])


def end_round(playing: FlaskClient) -> str:
    """Let Ann go out, and return the running match's id."""
    assert playing.post("/api/moves", json={"do": "count", "player": "Ann", "cards": 0}).status_code == 200
    return str(playing.get("/api/view").json["match"]["id"])


def confirm(client: FlaskClient, player: str, cards: list[str], scan: object) -> None:
    body = {"do": "hand", "player": player, "cards": cards, "scan": scan}
    assert client.post("/api/moves", json=body).status_code == 200


def test_the_picture_of_a_confirmed_hand_is_kept(playing: FlaskClient, join: Join, reader: StubReader) -> None:
    match = end_round(playing)
    reader.cards = ["red 7", "wild item box"]
    scan = read(playing, "player=Ben")["scan"]
    # People may mend what was read; the picture is that of the reading all the same.
    confirm(playing, "Ben", ["red 1", "wild item box"], scan)
    line = playing.get("/api/history").json["lines"][-1]
    assert (line["move"]["do"], line["move"]["player"]) == ("hand", "Ben")
    assert width(playing.get(f"/api/pictures/{line['picture']}").data) == 320
    (hand,) = playing.get(f"/api/matches/{match}").json["rounds"][0]["hands"]
    assert hand == {"player": "Ben", "cards": ["red 1", "wild item box"], "points": 51, "picture": line["picture"]}
    confirm(playing, "Cy", ["blue 2"], None)
    assert playing.get("/api/history").json["lines"][-1]["picture"] is None
    # Another match may run by now.
    playing.post("/api/match", json=MATCH)
    viewer = join(Role.VIEWER)
    assert width(viewer.get(f"/api/matches/{match}/pictures/{hand['picture']}").data) == 320
    assert viewer.get(f"/api/pictures/{hand['picture']}").status_code == 404
    assert viewer.get(f"/api/matches/{match}/pictures/nothing").status_code == 404
    assert viewer.get(f"/api/matches/nothing/pictures/{hand['picture']}").status_code == 404


def test_a_grey_picture_of_a_hand_is_refused(playing: FlaskClient, reader: StubReader) -> None:
    end_round(playing)
    reader.cards = ["red 7"]
    grey = cv2.imencode(".jpg", np.random.default_rng(0).integers(0, 255, (180, 320), np.uint8))[1].tobytes()
    form = {"pictures": [(io.BytesIO(jpeg()), "1.jpg"), (io.BytesIO(grey), "2.jpg")]}
    answer = playing.post("/api/hands/read?player=Ben", data=form)
    assert (answer.status_code, answer.json["error"]) == (422, "no-colors")


def test_of_several_pictures_the_one_that_shows_most_is_kept(playing: FlaskClient, reader: StubReader) -> None:
    end_round(playing)
    reader.by_width = {400: ["red 7", "red 8", "red 9"]}
    form = {"pictures": [(io.BytesIO(jpeg(wide)), f"{wide}.jpg") for wide in (300, 400, 500)]}
    confirm(playing, "Ben", ["red 7"], playing.post("/api/hands/read?player=Ben", data=form).json["scan"])
    line = playing.get("/api/history").json["lines"][-1]
    assert width(playing.get(f"/api/pictures/{line['picture']}").data) == 400


def test_a_hand_that_is_not_confirmed_is_forgotten(playing: FlaskClient, services: Services) -> None:
    match = end_round(playing)
    scan = read(playing, "player=Ben")["scan"]
    assert isinstance(scan, str)
    # A refused hand keeps nothing either, and only a hand has a picture to be kept.
    refused = playing.post("/api/moves", json={"do": "hand", "player": "Ann", "cards": [], "scan": scan})
    assert refused.status_code == 409
    playing.post("/api/moves", json={"do": "count", "player": "Ben", "cards": 5, "scan": scan})
    confirm(playing, "Cy", ["blue 2"], "nothing")
    assert all(line["picture"] is None for line in playing.get("/api/history").json["lines"])
    assert [each.pictures for each in services.store.matches() if each.id == match] == [0]


def test_a_challenged_hand_is_never_kept(playing: FlaskClient) -> None:
    for move in CHALLENGED:
        playing.post("/api/moves", json=move)
    assert read(playing, "purpose=challenge&player=Ann")["scan"] is None


def test_only_so_many_pictures_wait() -> None:
    scans = Scans()
    ids = [scans.keep(bytes([number])) for number in range(MOST_SCANS + 1)]
    assert scans.find(ids[0]) is None
    assert [scans.find(one) for one in ids[1:]] == [bytes([number]) for number in range(1, MOST_SCANS + 1)]
