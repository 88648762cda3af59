"""Arms in several parts: a wrist like the table, a thumb outside the picture, overlapping hands."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from reaching import DRAW, HEIGHT, WIDTH, Arm, direction, film, follow, off, table

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.arm_geometry import solid_pixels, split_arms
from companion.vision.arms.frame_border import border_of
from companion.vision.arms.mask_bridging import Bridges
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import Image
from companion.vision.tracking.draw_pile import square_at


def test_a_hand_beyond_a_wrist_like_the_table_is_the_arms() -> None:
    ground = table()

    def hide(image: Image, _: float) -> Image:
        image = image.copy()
        image[:, 228:242] = ground[:, 228:242]
        return image

    tracks, reaches = follow(film(2.4, [Arm(90, DRAW.middle, seed=2)], hide))
    assert [reach.kind for reach in reaches] == [PileKind.DRAW]
    assert off(direction(reaches[0]), 90) < 15
    assert len([track for track in tracks if len(track.samples) > 2]) == 1


@pytest.mark.parametrize(
    ("gap", "other", "moves", "joined"),
    [
        (8, 0, True, True),
        (14, 0, True, False),
        (8, 0, False, False),
        (8, 18, True, False),
    ],
)
def test_what_lies_far_beyond_or_still_or_by_another_arm_is_not_the_arms(
    gap: int, other: int, moves: bool, joined: bool
) -> None:
    parts = np.zeros((90, 160), np.uint8)
    parts[40:50, :40] = parts[40:50, 40 + gap : 60 + gap] = 1
    if other:
        parts[: 40 - other, 50:60] = 1
    moved = parts if moves else np.zeros_like(parts)
    before = cv2.connectedComponents(parts)[0]
    assert cv2.connectedComponents(Bridges().join(parts, moved))[0] == before - joined


def test_a_hand_keeps_its_arm_while_it_lies_still() -> None:
    bridges, parts = Bridges(), np.zeros((90, 160), np.uint8)
    parts[40:50, :40] = parts[40:50, 46:66] = 1
    for moved in (parts, np.zeros_like(parts), np.zeros_like(parts)):
        assert cv2.connectedComponents(bridges.join(parts, moved))[0] == 2


@pytest.mark.parametrize("known", [False, True])
def test_what_differs_at_the_draw_pile_once_a_card_was_drawn_is_no_hand(known: bool) -> None:
    watcher, x, y = ArmDetector(), *DRAW.middle.astype(int)
    if known:
        watcher.draw_pile = square_at(DRAW)
    left, arm, last = np.random.default_rng(5).uniform(20, 235, (20, 30, 3)), Arm(90, DRAW.middle, width=14), 0.0
    for image, time in film(2.6, []):
        if time < 1.3:
            arm.paint(image, time)
        else:
            image[y - 10 : y + 10, x - 15 : x + 15] = left
        for track in watcher.feed(Frame(image, time, 0)):
            last = max(last, track.last.time)
    assert (last < 1.3) == known


@pytest.mark.slow
@pytest.mark.parametrize("known", [False, True])
def test_a_pile_at_the_rim_is_nothing_that_somebody_holds(known: bool) -> None:
    rng = np.random.default_rng(2)
    watcher = ArmDetector()
    if known:
        watcher.draw_pile = np.array([[120, 130], [200, 130], [200, 180], [120, 180]], np.float32)
    for image, time in film(14.0, []):
        image[140:, 130:190] = rng.uniform(20, 235, (HEIGHT - 140, 60, 3))
        watcher.feed(Frame(image, time, 0))
    assert (watcher.masks.ignored is None) is known


def test_hands_that_hide_half_the_table_are_not_taken_for_it() -> None:
    goals = [(20, (90, 60)), (60, (150, 90)), (100, (120, 110)), (140, (90, 120))]
    arms = [
        Arm(degrees, np.array(goal, float), start=0.6 + 0.02 * number, stay=1.6, seed=number, width=62)
        for number, (degrees, goal) in enumerate(goals)
    ]
    hidden = np.zeros((HEIGHT, WIDTH), np.bool_)
    for arm in arms:
        hidden |= arm.mask(2.0) > 0
    assert hidden.mean() > 0.5
    watcher, seen = ArmDetector(), [0.0]
    for image, time in film(1.7, arms):
        watcher.feed(Frame(image, time, 0))
        seen.append(0.0 if watcher.masks.hidden is None else float(watcher.masks.hidden.mean()))
    assert min(seen[-4:]) > 0.4


def test_hand_along_the_border_keeps_its_fingers_beside_the_thumb() -> None:
    part = np.zeros((90, 160), np.bool_)
    part[:20, :90] = True  # a sleeve along the upper rim
    part[8:20, 90:125] = True  # fingers
    part[20:50, 60:68] = True  # a thumb
    rim = border_of(*part.shape)
    (arm,) = split_arms(part, solid_pixels(part, part.astype(np.uint8)), rim.crossings(part), rim, 32.0)
    assert np.hypot(*(arm.tip - (64, 49))) < 5
    assert any(np.hypot(*(end - (124, 14))) < 8 for end in arm.fingertips)
    assert all(end[1] >= 5 for end in arm.fingertips)  # not the elbow, which lies at the rim
