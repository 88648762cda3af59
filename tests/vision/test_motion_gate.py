"""When a look is needed: stillness, changes, and what an arm leaves behind."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image, Quad
from companion.vision.imaging.masks import NO_ARMS, ArmMasks
from companion.vision.imaging.zone import Zone
from companion.vision.pile.motion_gate import MotionGate, Still, View

GRAIN = np.random.default_rng(1).integers(60, 120, (45, 80, 3), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)
ZONE = Zone(320.0, 180.0, 100.0)
CARD: Quad = np.array([[290, 135], [350, 135], [350, 225], [290, 225]], np.float32)


def picture(card: int = 0, arm: int = 0) -> Image:
    """Return a table with a card of this tone in the pile's place, and an arm that reaches so far beside it."""
    image = GRAIN.copy()
    if card:
        image[135:225, 290:350] = card
        image[150:210:12, 300:340] = 255 - card
    image[:arm, 400:440] = (110, 140, 190)
    return image


def seen(stillness: MotionGate, images: list[Image], apart: float = 1 / 30, start: float = 0.0) -> list[Still | None]:
    return [
        stillness.take(View(Frame(image, start + n * apart, n)), ZONE) for n, image in enumerate(images, round(start))
    ]


def test_picture_is_still_after_two_equal_ones_and_settled_after_three() -> None:
    still = seen(MotionGate(), [picture(), picture(200), picture(200), picture(200)])
    assert [s if s is None else s.settled for s in still] == [None, None, False, True]
    assert still[3] is not None
    assert still[3].since == pytest.approx(1 / 30)


def test_pictures_far_apart_are_each_taken_alone() -> None:
    still = seen(MotionGate(), [picture(), picture(200), picture(60)], apart=1.0)
    assert still[0] is None
    assert [s is not None and s.isolated and s.moved and s.settled for s in still[1:]] == [True, True]


def known(stillness: MotionGate, card: int) -> View:
    """Let a card be known to lie there; return its picture."""
    still = seen(stillness, [picture(card)] * 3)[-1]
    assert still is not None
    stillness.set_reference(still.view)
    return still.view


@pytest.mark.parametrize(("card", "news"), [(200, False), (70, True)])
def test_only_what_differs_from_what_was_known_is_news(card: int, news: bool) -> None:
    stillness = MotionGate()
    known(stillness, 200)
    still = seen(stillness, [picture(card)] * 4, start=1.0)[-1]
    assert still is not None
    changed = stillness.changed_since_reference(still, ZONE, looking=False)
    assert (changed is not None and changed.any()) == news


@pytest.mark.parametrize(
    ("card", "arms", "leaving"), [(70, (200, 100), True), (200, (200, 100), False), (70, (0, 0), False)]
)
def test_an_arm_leaves_a_pile_that_it_changed_while_it_moves_beside_it(
    card: int, arms: tuple[int, int], leaving: bool
) -> None:
    stillness = MotionGate()
    known(stillness, 200)
    images = [picture(card, arm) for arm in arms]
    seen(stillness, images, start=1.0)
    last = View(Frame(images[-1], 1.0 + 1 / 30, 2))
    assert (stillness.changed_past_arm(last, ZONE) is not None) is leaving


@pytest.mark.parametrize(
    ("hidden", "arm", "news"),
    [
        (None, 0, True),
        ((slice(0, 50), slice(100, 110)), 200, True),
        ((slice(35, 39), slice(74, 78)), 0, True),
        ((slice(45, 90), slice(73, 88)), 0, False),
        ((slice(0, 45), slice(94, 100)), 0, True),
    ],
    ids=["no arm", "an arm beside it", "a fingertip's edge", "an arm over it", "an arm that was there before"],
)
def test_a_change_counts_unless_an_arm_hides_it(hidden: tuple[slice, slice] | None, arm: int, news: bool) -> None:
    stillness = MotionGate()
    known(stillness, 200)
    mask = np.zeros((90, 160), np.uint8)
    if hidden is not None:
        mask[hidden] = 1
    arms = NO_ARMS if hidden is None else ArmMasks(mask)
    *_, still = [stillness.take(View(Frame(picture(70, arm), 1 + n / 30, n), arms), ZONE) for n in range(4)]
    assert still is not None
    assert (stillness.changed_since_reference(still, ZONE, looking=False) is not None) == news


def test_an_outline_shows_the_same_where_nothing_but_its_surroundings_differ() -> None:
    plain = View(Frame(picture(200), 0.0, 0))
    assert View(Frame(picture(200, arm=200), 0.1, 1)).shows_as(plain, CARD)
    assert not View(Frame(picture(70), 0.1, 1)).shows_as(plain, CARD)
    # A camera that was switched to another size shows nothing that could be compared.
    assert not View(Frame(picture(200)[:180], 0.1, 1)).shows_as(plain, CARD)
