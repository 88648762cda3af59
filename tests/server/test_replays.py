"""Instant replay: the ring of the last seconds, the clips and their limit, who may watch, privacy, the animation."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest
from devices import Join, StubReader
from flask.testing import FlaskClient

from companion.cards import Card, EditionName
from companion.editions import EDITIONS, Stacking
from companion.referee import moves
from companion.referee.state import Header
from companion.server.access.guests import Role
from companion.server.archive.highlights import Moment, best_of, highlights
from companion.server.capture.animation import Scene, animated
from companion.server.capture.clips import Clip, Clips
from companion.server.capture.frame_ring import FrameRing, Still, decoded, small_jpeg
from companion.server.services.replays import Replays
from companion.server.services.services import Services
from companion.table.presentation.view import HistoryLine
from companion.table.session.table import Table
from companion.vision.capture.frames import Frame
from companion.vision.core.events import Arm, CardLanded, PileKind, PileReached
from companion.vision.core.geometry import Image

WIDTH, HEIGHT = 320, 180
QUAD = np.array([[10, 10], [40, 10], [40, 60], [10, 60]], np.float32)


def picture(value: int = 90) -> Image:
    return np.full((HEIGHT, WIDTH, 3), value, np.uint8)


def noise(seed: int, side: int = 640) -> Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (side * 9 // 64, side // 4, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, (side, side * 9 // 16)), np.uint8)


def frames(began: float, ended: float, rate: int = 10) -> Iterator[Frame]:
    for number in range(round(began * rate), round(ended * rate) + 1):
        yield Frame(picture(number % 250), number / rate, number)


def landed(time: float, card: str, entered: float | None = None, direction: float = 90.0) -> CardLanded:
    arm = None if entered is None else Arm(direction, 10.0, round(time))
    return CardLanded(time, ((Card.parse(card), 0.9999),), QUAD, arm=arm, entered=entered)


def record(services: Services, began: float, ended: float) -> None:
    """Keep the frames of a time, as the camera's thread does."""
    for frame in frames(began, ended):
        if services.camera_records():
            services.camera.ring.add(frame)
        else:
            services.camera.ring.clear()


def saw(services: Services, event: CardLanded | PileReached) -> None:
    """Pass on an event as the camera does, with the size of these pictures."""
    services.replays.saw(event, services.table.see(event), (WIDTH, HEIGHT), mirrored=False)


@pytest.fixture
def kept(services: Services, monkeypatch: pytest.MonkeyPatch) -> list[Clip]:
    """All clips that are kept at first, in order."""
    found: list[Clip] = []
    keep = services.replays.clips.keep

    def recorded(clip: Clip, best: Collection[float] = ()) -> None:
        found.append(clip)
        keep(clip, best)

    monkeypatch.setattr(services.replays.clips, "keep", recorded)
    return found


@pytest.fixture
def laid(playing: FlaskClient, services: Services) -> FlaskClient:
    """A match in which the camera saw Ann play a red 7 on the red 5 that it knew."""
    saw(services, landed(1.0, "red 5"))
    record(services, 0, 9)
    saw(services, landed(8.0, "red 7", entered=6.5))
    return playing


def test_the_ring_keeps_the_newest_pictures_within_its_bytes() -> None:
    ring = FrameRing(50_000)
    for number in range(40):
        ring.add(Frame(noise(number, 200), number / 10, number))
    assert 40_000 < ring.size <= 50_000
    kept = ring.cut(0, 9)
    assert kept[-1].time == 3.9
    assert kept[0].time > 1
    assert sum(len(still.jpeg) for still in kept) == ring.size


def test_the_ring_begins_again_with_another_clock() -> None:
    ring = FrameRing()
    for frame in (*frames(5, 6), *frames(0, 1)):
        ring.add(frame)
    assert [still.time for still in ring.cut(0, 9)] == [frame.time for frame in frames(0, 1)]


def test_pictures_are_kept_small() -> None:
    ring = FrameRing()
    ring.add(Frame(noise(1, 1920), 0.0, 0))
    assert decoded(ring.cut(0, 1)[0].jpeg).shape == (360, 640, 3)


def clip(time: float, count: int = 40, seed: int = 0) -> Clip:
    jpeg = small_jpeg(noise(seed), 640, 60)
    return Clip(time, f"r{time}", tuple(Still(i / 10, jpeg) for i in range(count)), 3.0)


def test_clips_stay_within_their_bytes_and_the_best_stay_longest() -> None:
    clips = Clips(4 << 20)
    for number in range(40):
        clips.keep(clip(float(number), seed=number), best={3.0})
        assert clips.size <= 4 << 20
    kept = [number for number in range(40) if clips.at(float(number)) is not None]
    assert 3 in kept
    assert kept[1:] == [*range(kept[1], 40)]
    assert len(kept) > 8
    newest, oldest = clips.at(39.0), clips.at(float(kept[1]))
    assert newest is not None
    assert oldest is not None
    assert len(newest.stills) > len(oldest.stills) >= 6
    assert oldest.stills[-1].time == newest.stills[-1].time


def test_a_clip_that_was_dropped_meanwhile_is_not_lengthened() -> None:
    clips, kept = Clips(), clip(1.0)
    clips.keep(kept)
    clips.lengthen(kept, clip(2.0, count=1).stills)
    longer = clips.newest
    assert longer is not None
    assert len(longer.stills) == len(kept.stills) + 1
    clips.keep_only(())
    clips.lengthen(longer, clip(2.0, count=1).stills)
    assert clips.newest is None


def test_a_clip_lasts_from_the_arm_coming_in_to_the_card_lying_still(laid: FlaskClient, services: Services) -> None:
    answer = laid.get("/api/lines/2/replay").json
    assert answer["seconds"][0] == 0
    assert (answer["landed"], answer["seconds"][-1]) == (1.5, 2.5)
    assert len(answer["pictures"]) == len(answer["seconds"]) == 26
    assert decoded(base64.b64decode(answer["pictures"][0])).shape == (HEIGHT, WIDTH, 3)
    assert answer["outline"][2] == [pytest.approx(40 / WIDTH, abs=1e-3), pytest.approx(60 / HEIGHT, abs=1e-3)]


def test_a_clip_that_is_cut_at_its_event_goes_on_with_what_follows(playing: FlaskClient, services: Services) -> None:
    saw(services, landed(1.0, "red 5"))
    record(services, 0, 8)
    saw(services, landed(8.0, "red 7", entered=6.5))
    assert playing.get("/api/lines/2/replay").json["seconds"][-1] == 1.5
    record(services, 8.1, 12)
    assert playing.get("/api/lines/2/replay").json["seconds"][-1] == 2.5
    assert playing.post("/api/lines/2/check").json["pictures"] == 11


def test_a_clip_does_not_go_on_with_another_sources_pictures(playing: FlaskClient, services: Services) -> None:
    saw(services, landed(1.0, "red 5"))
    record(services, 0, 8)
    saw(services, landed(8.0, "red 7", entered=6.5))
    services.camera.ring.clear()
    record(services, 8, 12)
    assert playing.get("/api/lines/2/replay").json["seconds"][-1] == 1.5


def test_a_draw_that_was_seen_has_its_clip(laid: FlaskClient, services: Services) -> None:
    record(services, 9.1, 16)
    saw(services, PileReached(15.0, 14.0, Arm(210.0, 10.0, 2), PileKind.DRAW, (0.05, 0.95)))
    drawn = [line["n"] for line in laid.get("/api/history").json["lines"] if line["move"]["do"] == "draw"]
    if not drawn:  # it waits for what follows
        question = services.table.session.pending[0].what.time if services.table.session else 0.0
        found = services.replays.clips.at(question)
    else:
        found = services.replays.of_line(drawn[0])
    assert found is not None
    assert (found.stills[0].time, found.stills[-1].time) == (13.0, 16.0)


def test_a_line_without_a_camera_has_no_clip(laid: FlaskClient) -> None:
    laid.post("/api/moves", json={"do": "play", "card": "red 9"})
    for path in ("/api/lines/1/replay", "/api/lines/3/replay", "/api/lines/99/replay", "/api/questions/9/replay"):
        assert laid.get(path).json["error"] == "no-replay"


def test_players_and_the_host_may_watch_and_viewers_may_not(laid: FlaskClient, join: Join) -> None:
    for role, status in ((Role.PLAYER, 200), (Role.HOST, 200), (Role.VIEWER, 403)):
        assert join(role).get("/api/lines/2/replay").status_code == status
        assert join(role).get("/api/replays/best").status_code == status


def test_the_pictures_are_read_again(laid: FlaskClient, reader: StubReader) -> None:
    reader.cards = ["red 9"]
    answer = laid.post("/api/lines/2/check").json
    assert answer == {"pictures": 11, "cards": [{"card": "red 9", "share": 0.99}]}
    reader.cards = []
    assert laid.post("/api/lines/2/check").json == {"pictures": 11, "cards": []}


def test_a_question_about_a_card_can_be_replayed_and_checked(laid: FlaskClient, services: Services) -> None:
    record(services, 9.1, 16)
    saw(services, landed(15.0, "green 2", entered=14.0, direction=210.0))
    question = laid.get("/api/view").json["questions"][0]
    assert question["kind"] == "illegal"
    assert len(laid.get(f"/api/questions/{question['id']}/replay").json["pictures"]) == 21
    assert laid.post(f"/api/questions/{question['id']}/check").json["pictures"] == 11
    assert [one["kind"] for one in laid.get("/api/replays/best").json["moments"]] == ["wrong"]


def test_a_card_that_was_misread_was_no_wrong_play(laid: FlaskClient, services: Services) -> None:
    record(services, 9.1, 16)
    saw(services, landed(15.0, "green 2", entered=14.0, direction=210.0))
    question = laid.get("/api/view").json["questions"][0]
    assert laid.post(f"/api/questions/{question['id']}/answer", json={"card": "red 2"}).status_code == 200
    assert laid.get("/api/replays/best").json["moments"] == []


def test_no_picture_is_kept_while_a_challenged_hand_may_be_shown(
    kept: list[Clip], laid: FlaskClient, services: Services
) -> None:
    record(services, 9.1, 12)
    for move in ({"do": "play", "card": "wild draw four"}, {"do": "color", "color": "blue"}):
        assert laid.post("/api/moves", json=move).status_code == 200
    assert laid.get("/api/view").json["state"]["phase"] == "challenge"
    record(services, 12.1, 14)
    assert services.camera.ring.cut(0, 99) == ()
    assert laid.post("/api/moves", json={"do": "challenge"}).status_code == 200
    assert laid.get("/api/view").json["state"]["phase"] == "reveal"
    record(services, 14.1, 20)
    assert services.camera.ring.cut(0, 99) == ()
    assert laid.post("/api/moves", json={"do": "reveal", "guilty": False}).status_code == 200
    record(services, 20.1, 26)
    saw(services, landed(25.0, "blue 4", entered=10.0))
    assert kept[-1].stills[0].time == pytest.approx(20.1)


def test_nothing_is_recorded_without_a_match(services: Services) -> None:
    assert not services.camera_records()


def test_only_the_best_of_a_match_outlives_it(kept: list[Clip], laid: FlaskClient, services: Services) -> None:
    record(services, 9.1, 16)
    saw(services, landed(15.0, "green 2", entered=14.0, direction=210.0))
    assert len(kept) == 2
    laid.post("/api/match", json={"edition": "classic", "players": ["Ann", "Ben"]})
    assert [one.moment for one in services.replays.best()] == [Moment.WRONG]
    assert [services.replays.clips.at(clip.time) is not None for clip in kept].count(True) == 1
    assert services.camera.ring.size == 0


def test_forgetting_a_person_drops_all_clips(laid: FlaskClient, services: Services) -> None:
    services.people.meet(("Gus",))
    services.forget("Gus")
    assert services.replays.clips.size == 0


def history(*made: moves.Move) -> tuple[HistoryLine, ...]:
    edition = EDITIONS[EditionName.CLASSIC]
    options = replace(edition.options, stacking=Stacking.SAME, hand_size=3)
    table = Table()
    table.start_match(Header(edition, ("Ann", "Ben", "Cy"), 2, options))
    for move in made:
        table.tap(move)
    return table.view().history


def card(name: str) -> Card:
    return Card.parse(name)


def test_the_longest_stack_and_the_biggest_score_are_the_best() -> None:
    lines = history(
        moves.Start(card("red 5")),
        moves.Play(card("red draw two")),
        moves.Play(card("blue draw two")),
        moves.Play(card("green draw two")),
        moves.Accept(),
        moves.Play(card("green 1")),
        moves.Play(card("green draw two")),
        moves.Play(card("yellow draw two")),
        moves.Accept(),
    )
    assert [one.amount for one in highlights(lines)] == [4, 6, 4]
    best = best_of([*highlights(lines)])
    assert [(one.moment, one.player, one.card, one.amount) for one in best] == [
        (Moment.STACK, "Cy", card("green draw two"), 6)
    ]


def test_the_card_that_ended_a_round_carries_its_points() -> None:
    plays = [moves.Play(card(f"red {number}")) for number in (1, 2, 3, 4, 6, 7, 8)]
    hands = (moves.Hand("Ben", (card("blue 9"),)), moves.Hand("Cy", (card("wild"),)))
    best = best_of([*highlights(history(moves.Start(card("red 5")), *plays, *hands))])
    assert [(one.moment, one.player, one.card, one.amount) for one in best] == [
        (Moment.SCORE, "Ann", card("red 8"), 59)
    ]


def test_the_best_can_be_saved_as_one_animated_picture(laid: FlaskClient, services: Services) -> None:
    assert laid.get("/api/replays/best.webp").json["error"] == "no-replay"
    record(services, 9.1, 16)
    saw(services, landed(15.0, "green 2", entered=14.0, direction=210.0))
    answer = laid.get("/api/replays/best.webp")
    assert answer.content_type == "image/webp"
    done, found = cv2.imdecodeanimation(np.frombuffer(answer.data, np.uint8))
    assert done
    assert sum(found.durations) == 2 * 2000 + 1500
    assert found.frames[0].shape[:2] == (360, 640)


def test_an_animation_is_slower_than_life_and_names_who_and_what() -> None:
    stills = tuple(Still(i / 10, small_jpeg(noise(i), 640, 90)) for i in range(5))
    own = Clip(0.0, None, stills, 0.2, ((0.1, 0.1), (0.3, 0.1), (0.3, 0.6)))
    done, plain = cv2.imdecodeanimation(np.frombuffer(animated([Scene(own, "", "")]), np.uint8))
    assert done
    done, named = cv2.imdecodeanimation(np.frombuffer(animated([Scene(own, "José · red 5", "")]), np.uint8))
    assert done
    assert [*named.durations] == [200, 200, 200, 200, 1500]
    foot = slice(320, None)
    assert np.abs(named.frames[0][foot].astype(int) - plain.frames[0][foot]).max() > 100
    bare = replace(own, outline=None)
    done, bare_frames = cv2.imdecodeanimation(np.frombuffer(animated([Scene(bare, "", "")]), np.uint8))
    assert done
    outlined = [np.abs(a.astype(int) - b).max() > 100 for a, b in zip(plain.frames, bare_frames.frames, strict=True)]
    assert outlined == [False, False, True, True, True]


def test_replays_are_for_this_process_alone(laid: FlaskClient, services: Services) -> None:
    before = {path for path in services.config.data.rglob("*") if path.is_file()}
    laid.get("/api/lines/2/replay")
    laid.get("/api/replays/best.webp")
    assert {path for path in services.config.data.rglob("*") if path.is_file()} == before
    assert Replays(services.table, FrameRing()).of_line(2) is None
