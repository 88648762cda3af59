"""Players who join or leave between rounds: permissions, score board, exports, restart."""

from __future__ import annotations

from devices import MATCH, Join
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.services.services import Services


def move(device: FlaskClient, do: str, status: int = 200, **more: object) -> dict[str, object]:
    answer = device.post("/api/moves", json={"do": do, **more})
    assert answer.status_code == status, answer.json
    assert isinstance(answer.json, dict)
    return answer.json


def play_round(host: FlaskClient, winner: str, **hands: list[str]) -> None:
    move(host, "start", card="red 5")
    move(host, "count", player=winner, cards=0)
    for player, cards in hands.items():
        move(host, "hand", player=player, cards=cards)


def board(host: FlaskClient) -> dict[str, object]:
    found = host.get(f"/api/matches/{host.get('/api/view').json['match']['id']}").json
    assert isinstance(found, dict)
    return found


def test_people_come_and_go_and_all_add_up(host: FlaskClient, services: Services) -> None:
    host.post("/api/match", json={**MATCH, "options": {"target": 60}, "dealer": "Cy"})
    play_round(host, "Ann", Ben=["red 7"], Cy=["blue skip"])
    assert host.get("/api/view").json["legal"]["seating"] is True
    said = move(host, "leave", player="Ann")["rulings"][0]["sentences"]  # type: ignore[index]
    assert said == ["Ann leaves with 27 points.", "Ben deals."]
    move(host, "join", player="Dan", after="Ben", score=5)
    view = host.get("/api/view").json
    assert view["match"]["players"] == ["Ben", "Dan", "Cy"]
    assert (view["state"]["dealer"], view["state"]["scores"]) == ("Ben", {"Ben": 0, "Dan": 5, "Cy": 0})
    assert view["state"]["left"] == {"Ann": 27}
    assert "Dan" in host.get("/api/people").json["people"]
    play_round(host, "Dan", Ben=["wild item box"], Cy=["blue 5"])
    found = board(host)
    assert (found["players"], found["left"], found["winners"]) == (["Ann", "Ben", "Cy", "Dan"], ["Ann"], ["Dan"])
    assert found["scores"] == {"Ben": 0, "Dan": 60, "Cy": 0, "Ann": 27}
    assert found["totals"] == [{"Ann": 27, "Ben": 0, "Cy": 0, "Dan": 0}, {"Ann": 27, "Ben": 0, "Cy": 0, "Dan": 60}]
    table = host.get(f"/api/matches/{found['id']}/export?format=rounds-csv").get_data(as_text=True).lstrip("\ufeff")
    assert table.splitlines() == [
        "round,winner,Ann,Ben,Cy,Dan",
        "1,Ann,27,0,0,0",
        "2,Dan,0,0,0,55",
        "total,,27,0,0,60",
    ]
    rows = host.get(f"/api/matches/{found['id']}/export?format=moves-csv").get_data(as_text=True)
    assert "Dan joins with 5 points." in rows
    fame = host.get("/api/people/fame").json["people"]
    assert {name: (one["won"], one["points"]) for name, one in fame.items()} == {
        "Dan": (1, 60),
        "Ann": (0, 27),
        "Ben": (0, 0),
        "Cy": (0, 0),
    }
    assert board(host) == found
    before = services.table.state
    services.close()
    again = services_of(create_app(services.config))
    again.table.resume(str(found["id"]))
    assert again.table.state == before
    again.close()


def test_an_undo_brings_people_back_to_their_places(host: FlaskClient) -> None:
    host.post("/api/match", json=MATCH)
    before = host.get("/api/view").json
    move(host, "leave", player="Ben")
    move(host, "join", player="Dan")
    assert [seat["player"] for seat in host.get("/api/view").json["seats"]] == ["Ann", "Cy", "Dan"]
    for _ in range(2):
        answer = host.post("/api/undo").json
    assert "Ben is playing." in answer["rulings"][0]["sentences"]
    after = host.get("/api/view").json
    assert (after["state"], after["seats"]) == (before["state"], before["seats"])
    for _ in range(2):
        assert host.post("/api/redo").status_code == 200
    assert host.get("/api/view").json["match"]["players"] == ["Ann", "Cy", "Dan"]


def test_fewer_than_two_end_the_match(host: FlaskClient) -> None:
    host.post("/api/match", json={**MATCH, "players": ["Ann", "Ben"], "dealer": None})
    move(host, "leave", player="Ann")
    assert (board(host)["over"], board(host)["winners"]) == (True, ["Ben"])


def test_who_may_let_people_come_and_go(playing: FlaskClient, join: Join) -> None:
    assert playing.post("/api/undo").status_code == 200
    ben = join(Role.PLAYER, "Ben")
    move(ben, "leave", 403, player="Ann")
    move(ben, "join", 403, player="Dan")
    move(ben, "leave", player="Ben")
    assert ben.get("/api/me").json["player"] is None
    for name in ("  Dan", "\u200b", ""):
        move(playing, "join", 422, player=name)
    move(playing, "join", 409, player="ANN")


def test_a_player_leaves_in_the_middle_of_a_round(playing: FlaskClient, join: Join) -> None:
    """R55: the others keep their places and their debts, the turn moves on, and an undo brings everything back."""
    state = playing.get("/api/view").json["state"]
    assert state["phase"] == "turn"
    before = playing.get("/api/view").json
    gone, nxt = state["turn"], state["next"]
    said = move(playing, "leave", player=gone)["rulings"][0]["sentences"]  # type: ignore[index]
    assert said == [f"{gone} leaves with 0 points.", "Put those cards under the draw pile.", f"{nxt} is next."]
    after = playing.get("/api/view").json
    assert after["state"]["turn"] == nxt
    assert gone not in after["state"]["hands"]
    assert [seat["player"] for seat in after["seats"]] == after["match"]["players"]
    quiet = next(name for name in after["match"]["players"] if name != nxt)
    said = move(playing, "leave", player=quiet)["rulings"][0]["sentences"]  # type: ignore[index]
    assert said[:1] == [f"{quiet} leaves with 0 points."]
    assert f"{nxt} is next." not in said
    playing.post("/api/undo")
    assert playing.post("/api/undo").status_code == 200
    again = playing.get("/api/view").json
    assert (again["state"], again["seats"]) == (before["state"], before["seats"])


def test_a_renamed_player_keeps_the_device_the_points_and_the_history(
    host: FlaskClient, join: Join, services: Services
) -> None:
    host.post("/api/match", json={**MATCH, "options": {"target": 60}, "dealer": "Cy"})
    ann = join(Role.PLAYER, "Ann")
    play_round(host, "Ann", Ben=["red 7"], Cy=["blue skip"])
    move(ann, "rename", 403, player="Ben", name="Bob")
    move(ann, "rename", 409, player="Ann", name="ben")
    for name in ("  Dan", "\u200b", ""):
        move(host, "rename", 422, player="Ann", name=name)
    move(ann, "rename", player="Ann", name="Anna")
    assert ann.get("/api/me").json["player"] == "Anna"
    assert "Anna" in host.get("/api/people").json["people"]
    move(host, "start", card="red 5")
    move(ann, "count", player="Anna", cards=5)
    assert host.get("/api/view").json["history"][-1]["player"] == "Anna"
    assert (board(host)["players"], board(host)["scores"]) == (["Anna", "Ben", "Cy"], {"Anna": 27, "Ben": 0, "Cy": 0})
    table = host.get(f"/api/matches/{board(host)['id']}/export?format=rounds-csv").get_data(as_text=True)
    assert table.lstrip("\ufeff").splitlines()[:2] == ["round,winner,Anna,Ben,Cy", "1,Anna,27,0,0"]
    assert board(host)["rounds"][0]["winner"] == "Anna"  # type: ignore[index]
    assert board(host)["deeds"]["Anna"]["rounds_won"] == 1  # type: ignore[index]
    for _ in range(3):
        assert host.post("/api/undo").status_code == 200
    assert ann.get("/api/me").json["player"] == "Ann"
    host.post("/api/redo")
    host.post("/api/match", json={**MATCH, "players": ["Anna", "Ben"], "dealer": None})
    assert ann.get("/api/me").json["player"] == "Anna"


def test_the_host_alone_changes_the_target(playing: FlaskClient, join: Join) -> None:
    move(join(Role.PLAYER, "Ben"), "retarget", 403, points=100)
    move(playing, "retarget", 422, points=0)
    move(playing, "retarget", points=100)
    assert playing.get("/api/view").json["match"]["target"] == 100
    assert playing.get("/api/view").json["state"]["phase"] == "turn"
    playing.post("/api/undo")
    assert playing.get("/api/view").json["match"]["target"] == 500
