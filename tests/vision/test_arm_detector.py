"""Reported arms: their number, origin and pile."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from reaching import DISCARD, DRAW, HEIGHT, MIDDLE, RATE, Arm, direction, film, follow, off, table

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import Spot
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import Image

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("degrees", range(10, 360, 50))
@pytest.mark.parametrize("spot", [DISCARD, DRAW], ids=lambda spot: spot.kind.value)
def test_an_arm_is_reported_with_its_pile_and_where_it_comes_from(degrees: float, spot: Spot) -> None:
    _, reaches = follow(film(2.2, [Arm(degrees, spot.middle, seed=int(degrees))]))
    assert [reach.kind for reach in reaches] == [spot.kind]
    assert off(direction(reaches[0]), degrees) < 20
    assert 0.6 < reaches[0].began < reaches[0].ended < 1.9


def test_an_arm_that_passes_over_a_pile_has_not_reached_it() -> None:
    _, reaches = follow(film(2.2, [Arm(270, np.array([265.0, 90.0]))]))
    assert reaches == []


@pytest.mark.parametrize("length", [60, 16])
def test_a_hand_as_wide_as_cards_seen_near_make_it_is_an_arm_and_no_body(length: int) -> None:
    watcher = ArmDetector()
    watcher.top_card = np.array([[0, 0], [10, 0], [10, length], [0, length]], np.float32)
    alone = 0
    for image, time in film(1.5, [Arm(190, DISCARD.middle, width=70)]):
        alone = max([alone, *(sum(s.separate for s in track.samples) for track in watcher.feed(Frame(image, time, 0)))])
    assert (alone > 5) == (length == 60)


def test_two_arms_at_once_are_two() -> None:
    arms = [Arm(120, DRAW.middle, seed=1), Arm(250, DISCARD.middle - np.array([8, 0]), start=0.6, seed=2)]
    _, reaches = follow(film(2.4, arms))
    by_kind = {reach.kind: direction(reach) for reach in reaches}
    assert len({reach.track.number for reach in reaches}) == 2
    assert off(by_kind[PileKind.DRAW], 120) < 22
    assert off(by_kind[PileKind.DISCARD], 250) < 22


def test_arms_that_cross_keep_their_seats() -> None:
    left = Arm(215, DRAW.middle + np.array([0, 6]), seed=3, width=16, way=0.6)
    right = Arm(140, DISCARD.middle + np.array([-10, 4]), start=0.7, seed=4, width=16, way=0.6)
    _, reaches = follow(film(2.8, [left, right]))
    found = sorted(direction(reach) for reach in reaches)
    assert off(found[0], 140) < 25
    assert off(found[-1], 215) < 25


def test_whoever_holds_cards_in_view_is_seen_to_reach_in_from_behind_them() -> None:
    """Cards that are held sway all the time, and lie over the arm where it comes in."""
    rng = np.random.default_rng(2)
    fan = cv2.resize(rng.uniform(20, 235, (8, 8, 3)).astype(np.float32), (64, 52), interpolation=cv2.INTER_NEAREST)

    def hold(image: Image, now: float) -> Image:
        image = image.copy()
        x, y = 128 + round(5 * np.sin(3 * now)), 132 + round(4 * np.cos(2 * now))
        image[y:, x : x + 64] = fan[: HEIGHT - y]
        return image

    arms = [Arm(180, spot.middle, start=start, seed=3) for start, spot in ((14.0, DISCARD), (16.5, DRAW))]
    tracks, reaches = follow(film(19.0, arms, hold))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD, PileKind.DRAW]
    assert all(off(direction(reach), 180) < 20 for reach in reaches)
    assert not [track for track in tracks if 10 < track.samples[0].time < 13.9 or track.last.time > 18.6]


def test_an_arm_that_was_nearly_gone_and_comes_again_is_another() -> None:
    """Its last finger ends are in the picture all the while, so that it never leaves."""
    draws = [Arm(180, DRAW.middle, seed=5), Arm(180, np.array([165.0, 165.0]), start=1.2, stay=0.4, way=0.2, seed=5)]
    lays = Arm(180, DISCARD.middle, start=1.7, seed=5)
    tracks, reaches = follow(film(3.6, [*draws, lays]))
    assert [reach.kind for reach in reaches] == [PileKind.DRAW, PileKind.DISCARD]
    drew, laid = (reach.track for reach in reaches)
    assert drew.number != laid.number
    assert (drew.entered_as, laid.entered_as) == (None, drew.number)
    assert drew.split_at == laid.samples[0].time
    assert all(track.gone for track in tracks)


def test_an_arm_without_a_rim_keeps_its_direction() -> None:
    """A sleeve in the table's own colour hides where the arm comes in, but for its first frames."""
    arm = Arm(270, DISCARD.middle, seed=9)
    ground = table()

    def hide(image: Image, now: float) -> Image:
        if now > 0.85:
            image = image.copy()
            image[:, :40] = ground[:, :40]
        return image

    _, reaches = follow(film(2.2, [arm], hide))
    assert reaches
    assert off(direction(reaches[0]), 270) < 25


def test_one_arm_from_pile_to_pile_is_one_track() -> None:
    """As when a card is flipped: fetched from the draw pile and laid on the other one."""

    class Flip(Arm):
        def mask(self, now: float) -> NDArray[np.uint8]:
            goal = DRAW.middle if now < 1.25 else DISCARD.middle
            share = np.clip((now - 1.25) / 0.3, 0, 1)
            between = DRAW.middle + (goal - DRAW.middle) * share
            return Arm(self.degrees, between, self.start, self.stay, self.seed).mask(now)

    _, reaches = follow(film(3.2, [Flip(170, DRAW.middle, stay=1.1, seed=10)]))
    assert [reach.kind for reach in reaches] == [PileKind.DRAW, PileKind.DISCARD]
    assert reaches[0].track.number == reaches[1].track.number


def test_finger_ends_that_leave_the_picture_beyond_the_pile_are_no_second_arm() -> None:
    tracks, _ = follow(film(3.6, [Arm(180, np.array([140.0, -15.0]), stay=0.5, seed=11, way=1.2)]))
    longest = max(tracks, key=lambda track: len(track.samples))
    found = longest.direction(MIDDLE, 0.0, 9.0)
    assert found is not None
    assert off(found[0], 180) < 15


class Laying(Arm):
    """An arm that lets go of something that lies there from then on."""

    def paint(self, image: Image, now: float) -> None:
        if now > self.start + self.way + 0.1:
            x, y = self.goal.astype(int)
            cv2.rectangle(image, (x - 14, y - 20), (x + 14, y + 20), (90, 200, 60), -1)
        super().paint(image, now)


def test_the_card_that_an_arm_leaves_behind_is_none_of_it() -> None:
    tracks, reaches = follow(film(3.0, [Laying(250, DISCARD.middle, seed=13, width=16)]))
    assert len(tracks) == 1
    assert tracks[0].last.time < 2.3
    assert np.hypot(*(tracks[0].last.tip - DISCARD.middle)) > 40
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]


def test_an_arm_that_lies_along_the_rim_comes_from_where_it_points() -> None:
    arm = Arm(258, np.array([215.0, 158.0]), start=0.5, stay=0.6, seed=16, width=30)
    tracks, _ = follow(film(2.6, [arm]))
    assert len({track.number for track in tracks if len(track.samples) > 2}) == 1
    found = tracks[0].direction(MIDDLE, 0.9, 1.7)
    assert found is not None
    assert 225 < found[0] < 290


def test_an_arm_that_comes_out_of_a_body_at_the_rim_is_reported_by_its_own_side() -> None:
    """As a phone leaning on books sees it: somebody sits in the picture, and leans a little to and fro."""
    arm = Arm(320, DISCARD.middle, start=1.2, seed=12)

    def body(image: Image, now: float) -> Image:
        image = image.copy()
        height = int(26 + 4 * np.sin(4 * now))
        if now > 0.3:
            rng = np.random.default_rng(3)
            cloth = cv2.resize(rng.normal(70, 25, (8, 40, 3)).astype(np.float32), (250, height))
            image[:height, 20:270] = np.clip(cloth, 0, 255).astype(np.uint8)
        arm.paint(image, now)
        return image

    _, reaches = follow(film(3.0, [], body))
    at_pile = [reach for reach in reaches if reach.kind is PileKind.DISCARD]
    assert at_pile
    assert off(direction(at_pile[0]), 320) < 30


def test_a_camera_that_was_switched_to_another_size_begins_again() -> None:
    watcher, tracks = ArmDetector(), list[Track]()
    for image, time in film(1.2, [Arm(190, DISCARD.middle)]):
        tracks = watcher.feed(Frame(image, time, 0))
    assert tracks
    for number in (1, 2):
        assert watcher.feed(Frame(table()[:, :-40], 1.2 + number / RATE, number)) == []
        assert watcher.moved is (number == 1)


def test_film_at_25_fps_uses_every_frame_and_at_30_every_second() -> None:
    looked: dict[int, int] = {}
    for rate in (25, 30):
        watcher = ArmDetector()
        arm = Arm(200, DISCARD.middle, start=0.2, stay=0.4, way=0.8)
        tracks: list[Track] = []
        for number in range(2 * rate):
            image = table()
            arm.paint(image, number / rate)
            tracks = watcher.feed(Frame(image, number / rate, number))
        looked[rate] = len(tracks[0].samples)
    assert looked[30] > 10
    assert 1.4 * looked[30] < looked[25] < 1.9 * looked[30]
