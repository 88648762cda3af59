"""What is no arm: lamps, shadows, held cards, a moving camera, and ghosts of the background."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from reaching import DISCARD, HEIGHT, WIDTH, Arm, Change, direction, film, follow, off, table

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.shadows import has_wide_shadow, without_wide_shadows
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import Image
from companion.vision.imaging.background_model import BackgroundModel, Foreground


def lamp(image: Image, now: float) -> Image:
    gains = np.array([0.55, 0.6, 0.75]) if now > 0.8 else np.ones(3)
    return np.clip(image * gains, 0, 255).astype(np.uint8)


def exposure(image: Image, now: float) -> Image:
    return np.clip(image * (1 - 0.3 * np.clip(now - 0.6, 0, 1)), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("change", [lamp, exposure])
def test_light_is_no_arm(change: Change) -> None:
    tracks, _ = follow(film(2.2, [], change))
    assert tracks == []


@pytest.mark.parametrize("change", [lamp, exposure])
def test_an_arm_is_reported_while_the_light_changes(change: Change) -> None:
    _, reaches = follow(film(2.4, [Arm(200, DISCARD.middle)], change))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 200) < 20


def passer_by(image: Image, now: float) -> Image:
    """Return the picture in the soft shadow of somebody who steps before the lamp."""
    away = np.arange(WIDTH, dtype=np.float32) / WIDTH - (now - 1.0) / 1.5
    return (image * (1 - 0.4 * np.exp(-((away / 0.3) ** 4)))[None, :, None]).astype(np.uint8)


def saturated(image: Image, now: float) -> Image:
    """Return the picture as of a table that is blue through and through: almost no red, most of it noise."""
    bright = image[..., 2] > 220
    image[..., 2] = np.where(bright, image[..., 2], 1)
    return image


@pytest.mark.parametrize("change", [passer_by, saturated])
def test_arms_are_seen_in_a_passing_shadow_and_on_a_saturated_table(change: Change) -> None:
    arms = [Arm(200, DISCARD.middle, start=1.2), Arm(20, DISCARD.middle, start=3.2, seed=3)]
    _, reaches = follow(film(5.2, arms, change))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD] * 2
    assert all(off(direction(reach), arm.degrees) < 20 for reach, arm in zip(reaches, arms, strict=True))


def test_the_colours_at_a_hand_in_a_passing_shadow_show_nothing() -> None:
    arms = [Arm(200, DISCARD.middle, start=0.3), Arm(20, DISCARD.middle, start=1.6, seed=3)]
    watcher, colored = ArmDetector(), dict[float, bool]()
    watcher.top_card = np.array([[127, 70], [153, 70], [153, 110], [127, 110]], np.float32)
    for image, time in film(2.6, arms, lambda image, now: passer_by(image, now) if now > 1.5 else image):
        for track in watcher.feed(Frame(image, time, 0)):
            if track.last.time == time and track.last.separate:
                colored[time] = track.last.colors is not None
    assert any(tells for time, tells in colored.items() if time < 1.4)
    assert not any(tells for time, tells in colored.items() if 1.7 < time < 2.3)


def test_a_card_that_touches_the_rim_is_no_arm_once_it_is_known_to_lie_there() -> None:
    quad = np.array([[130, 140], [156, 140], [156, 180], [130, 180]], np.float32)
    arm = Arm(180, np.array([143.0, 150.0]), start=0.5)

    def lying(image: Image, now: float) -> Image:
        if now > 1.2:
            cv2.fillConvexPoly(image, quad.astype(np.int32), (230, 240, 235))
            arm.paint(image, now)
        return image

    watcher, seen = ArmDetector(), list[bool]()
    for image, time in film(4.0, [arm], lying):
        tracks = watcher.feed(Frame(image, time, 0))
        if time >= 1.3:
            watcher.top_card = quad
        seen.append(bool(time > 2.5 and tracks))
    assert not any(seen)


def test_a_shadow_beside_an_arm_does_not_turn_it() -> None:
    arm = Arm(180, DISCARD.middle)

    def shaded(image: Image, now: float) -> Image:
        cast = np.roll(arm.mask(now), (8, 26), axis=(0, 1))
        shade = cv2.GaussianBlur(cast, (0, 0), 1.5)[..., None] / 255 * 0.45
        own = arm.mask(now)[..., None] / 255
        return (image * (1 - shade * (1 - own))).astype(np.uint8)

    _, reaches = follow(film(2.2, [arm], shaded))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 180) < 22


def test_a_shadow_on_a_dark_table_is_no_more_than_a_shadow() -> None:
    table = np.full((90, 160, 3), (40, 26, 8), np.uint8)
    shaded = table.copy()
    shaded[20:60, 40:90] = shaded[20:60, 40:90] // 2
    shaded[60:80, 40:90] = (8, 26, 40)
    backdrop = BackgroundModel()
    backdrop.segment(table, 0.0)
    foreground = backdrop.segment(shaded, 0.1)
    assert foreground is not None
    assert foreground.mask[25:75, 45:85].all()
    assert not foreground.solid[25:55, 45:85].any()
    assert foreground.solid[63:77, 45:85].all()


def test_a_hand_is_seen_while_a_shadow_passes() -> None:
    """What changes alike all about is no noise, above which a hand would have to rise."""
    rng = np.random.default_rng(0)
    table = rng.uniform(60, 200, (90, 160, 1)).astype(np.float32) * np.ones(3, np.float32)
    table = cv2.blur(table, (5, 5))
    backdrop, foreground = BackgroundModel(), None
    for number in range(30):
        now = number / 15
        light = np.ones(160, np.float32)
        if now > 1.0:  # it comes from the left, an edge half the picture wide
            light = 1 - 0.5 * np.clip(((now - 1.0) * 240 - np.arange(160, dtype=np.float32)) / 80, 0, 1)
        image = table * light[None, :, None]
        if number == 29:
            image[60:, 130:150] = image[60:, 130:150] * np.array([1.0, 1.1, 1.2], np.float32)
        image += rng.normal(0, 1, image.shape)
        foreground = backdrop.segment(np.clip(image, 0, 255).astype(np.uint8), now)
        if foreground is not None:
            backdrop.update(np.ones_like(foreground.mask))
    assert foreground is not None
    assert foreground.mask[65:, 133:147].mean() > 0.9


def test_a_near_hand_of_the_tables_hue_is_no_shade() -> None:
    """It hides as much of the picture as a shadow does, but crosses the rim as an arm."""
    pale, solid = np.zeros((90, 160), np.uint8), np.zeros((90, 160), np.uint8)
    pale[20:60, :50] = 1
    assert not has_wide_shadow(pale, solid, 51.0)
    assert has_wide_shadow(pale, solid, 32.0)
    pale[:, :] = 0
    pale[:, 40:70] = 1  # no arm comes in on one side and goes out at the other
    assert has_wide_shadow(pale, solid, 25.0)
    pale[:, :] = 0
    pale[::3, ::2] = 1  # a shadow on a patterned table, in shreds
    assert has_wide_shadow(pale, solid, 51.0) == (pale.mean() >= 0.24)


def test_table_colored_hand_is_seen_beside_its_shadow() -> None:
    foreign, solid = np.zeros((90, 160), np.uint8), np.zeros((90, 160), np.uint8)
    foreign[50:, :] = 1  # a shadow from one side of the picture to the other
    foreign[20:60, 80:92] = 1  # a hand that looks like it, beyond its sleeve
    foreign[60:, 78:94] = solid[60:, 78:94] = 1
    foreign[10:16, 20:40] = 1  # a thread of shadow, with nothing of an arm
    left = without_wide_shadows(foreign, solid, 20.0)
    assert left[20:40, 80:92].all()
    assert left[60:, 78:94].all()
    assert not left[:, :60].any()


def test_a_card_laid_beside_held_cards_is_no_arm_that_waits() -> None:
    """It touches the cards that sway, as an arm does that comes out from behind them."""
    rng = np.random.default_rng(2)
    fan = cv2.resize(rng.uniform(20, 235, (8, 8, 3)).astype(np.float32), (64, 52), interpolation=cv2.INTER_NEAREST)

    def hold(image: Image, now: float) -> Image:
        image = image.copy()
        if now > 12:
            cv2.rectangle(image, (125, 85), (165, 140), (30, 220, 220), -1)
        x, y = 118 + round(5 * np.sin(3 * now)), 132 + round(4 * np.cos(2 * now))
        image[y:, x : x + 64] = fan[: HEIGHT - y]
        return image

    tracks, _ = follow(film(15.5, [], hold))
    assert not [track for track in tracks if track.last.time > 14]


@pytest.mark.slow
def test_arm_behind_held_cards_is_not_at_its_shadow() -> None:
    rng = np.random.default_rng(2)
    fan = cv2.resize(rng.uniform(20, 235, (8, 8, 3)).astype(np.float32), (64, 52), interpolation=cv2.INTER_NEAREST)
    arm = Arm(180, DISCARD.middle, start=14.0, seed=3)

    def hold(image: Image, now: float) -> Image:
        cast = np.max([np.roll(arm.mask(now), far, axis=1) for far in range(10, 80, 8)], axis=0)
        shade = cv2.GaussianBlur(cast, (0, 0), 1.5)[..., None] / 255 * 0.45
        image = (image * (1 - shade * (1 - arm.mask(now)[..., None] / 255))).astype(np.uint8)
        x, y = 118 + round(5 * np.sin(3 * now)), 132 + round(4 * np.cos(2 * now))
        image[y:, x : x + 64] = fan[: HEIGHT - y]
        return image

    _, reaches = follow(film(16.5, [arm], hold))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 180) < 25


def test_held_cards_and_two_arms_are_no_table_that_lies_elsewhere() -> None:
    """Where it is known to be restless, differences from the table are no evidence about the camera."""
    rng = np.random.default_rng(6)
    ground = rng.uniform(80, 160, (90, 160, 3)).astype(np.uint8)
    restless = np.ones((90, 160), np.uint8)
    restless[12:-12, 12:-12] = 0
    cards = restless * (np.arange(160) % 8 < 2).astype(np.uint8)  # fanned, one edge beside the other
    changed = np.where(cards[..., None] > 0, (20, 30, 230), ground).astype(np.uint8)
    changed[40:60, 60:100] = (20, 30, 230)
    for known, shifts in ((restless, False), (None, True)):
        backdrop, shifted = BackgroundModel(), False
        backdrop.segment(ground, 0.0, known)
        for number in range(1, 12):
            picture = ground.copy()
            picture[:, : 40 * number] = changed[:, : 40 * number]
            backdrop.segment(picture, 0.066 * number, known)
            shifted |= backdrop.displaced
        assert shifted is shifts


def test_a_near_hand_and_its_shadow_at_rest_are_no_table_that_lies_elsewhere() -> None:
    ground = np.random.default_rng(6).uniform(90, 150, (12, 20, 3)).repeat(8, axis=0).repeat(8, axis=1)[:90]
    shaded = ground.copy()
    for top in range(0, 90, 16):  # in stripes, so that the rest shows the light
        shaded[top : top + 8] *= 0.75
    shaded[:, 62:118] = (20, 30, 230)  # it reaches from one rim to the other
    backdrop = BackgroundModel()
    backdrop.segment(ground.astype(np.uint8), 0.0)
    for number in range(1, 12):
        picture = np.concatenate([shaded[:, : 60 * number], ground[:, 60 * number :]], axis=1)
        backdrop.segment(picture.astype(np.uint8), 0.066 * number)
        assert not backdrop.displaced


def test_hands_of_cards_all_about_the_table_are_no_push_of_the_camera() -> None:
    """All five begin to sway in the film's first second, and an arm comes in its third."""
    rng = np.random.default_rng(4)
    places = [(20, -30), (140, -30), (260, -30), (60, 150), (200, 150)]
    fans = [
        cv2.resize(rng.uniform(20, 235, (8, 8, 3)).astype(np.float32), (56, 60), interpolation=cv2.INTER_NEAREST)
        for _ in places
    ]

    def hold(image: Image, now: float) -> Image:
        image = cv2.copyMakeBorder(image, 60, 60, 0, 0, cv2.BORDER_REPLICATE)
        for number, (x, y) in enumerate(places):
            dx, dy = round(3 * np.sin(4 * now + number)), round(3 * np.cos(3 * now + 2 * number))
            image[60 + y + dy : 120 + y + dy, x + dx : x + dx + 56] = fans[number]
        return image[60:-60]

    _, reaches = follow(film(3.6, [Arm(90, DISCARD.middle, start=2.0, seed=3)], hold))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 90) < 20


def test_a_film_may_begin_with_an_arm_in_the_picture() -> None:
    there = Arm(0, DISCARD.middle, start=-1.0, stay=0.7, seed=7)
    later = Arm(180, DISCARD.middle, start=3.0, seed=8)
    _, reaches = follow(film(5.0, [there, later]))
    late = [reach for reach in reaches if reach.ended > 2.5]
    assert [reach.kind for reach in late] == [PileKind.DISCARD]
    assert off(direction(late[0]), 180) < 20


def test_a_hand_that_rests_at_the_rim_is_at_no_pile_and_leaves_no_ghost() -> None:
    resting = Arm(90, np.array([265.0, 120.0]), start=0.2, stay=9.0, seed=5)
    other = Arm(270, DISCARD.middle, start=11.5, seed=6)
    tracks, reaches = follow(film(13.5, [resting, other]))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 270) < 20
    # After the resting hand has gone nothing is seen until the other one comes.
    assert not any(10.9 < sample.time < 11.4 for track in tracks for sample in track.samples)


def test_a_moved_camera_is_no_arm_for_long() -> None:
    def moved(image: Image, now: float) -> Image:
        return np.roll(image, (25, 40), axis=(0, 1)) if now > 0.7 else image

    tracks, _ = follow(film(4.0, [], moved))
    assert not any(sample.time > 2.5 for track in tracks for sample in track.samples)


def grained(shift: Callable[[float], tuple[float, float]]) -> Change:
    """Give the table a grain, and shift the picture by so many pixels at each time."""
    grain = np.random.default_rng(5).uniform(0.6, 1.3, (HEIGHT // 6, WIDTH // 6, 3)).astype(np.float32)
    grain = cv2.resize(grain, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)

    def change(image: Image, now: float) -> Image:
        x, y = shift(now)
        way = np.array([[1, 0, x], [0, 1, y]], np.float32)
        moved = cv2.warpAffine(image * grain, way, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REFLECT)
        return np.clip(moved, 0, 255).astype(np.uint8)

    return change


def test_a_camera_that_was_set_up_shows_the_arms_that_come() -> None:
    """It swings for two seconds; who comes two seconds after that is seen, and nothing else."""
    swinging = grained(lambda now: (0.0, 0.0) if now > 2 else (10 * np.sin(4 * now), 8 * np.cos(3 * now)))
    tracks, reaches = follow(film(6.0, [Arm(180, DISCARD.middle, start=4.0)], swinging))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert all(not 2.5 < track.last.time < 4.0 for track in tracks)


def test_a_push_of_the_camera_leaves_no_ghosts() -> None:
    """It ends the arm that was there; who comes afterwards is seen."""
    pushed = grained(lambda now: (0.0, 0.0) if now < 1.0 else (9.0, 5.0))
    arms = [Arm(90, DISCARD.middle, start=0.5, stay=0.2), Arm(270, DISCARD.middle, start=3.0, seed=3)]
    tracks, reaches = follow(film(5.0, arms, pushed))
    assert all(track.last.time < 1.7 or track.samples[0].time > 2.4 for track in tracks)
    assert off(direction(reaches[-1]), 270) < 20


@pytest.mark.parametrize("part", [0.3, 0.75, 1.0])
def test_what_a_shadow_over_most_of_the_table_leaves_lit_is_nothing_that_came(part: float) -> None:
    ground = np.asarray(cv2.blur(table(), (5, 5)), np.uint8)
    gains = np.where(np.arange(ground.shape[1]) < part * ground.shape[1], 0.6, 1.0)[None, :, None]
    backdrop = BackgroundModel()
    backdrop.segment(ground, 0.0)
    foreground = backdrop.segment(np.asarray(ground * gains, np.uint8), 0.066)
    assert foreground is not None
    assert foreground.solid.mean() < 0.01


def test_what_fills_the_whole_picture_has_no_outline_to_have_left() -> None:
    everywhere = np.ones((9, 16), np.uint8)
    picture = np.zeros((9, 16, 3), np.float32)
    assert not Foreground(0.0, everywhere, everywhere, everywhere, picture, picture).has_vanished(everywhere)
