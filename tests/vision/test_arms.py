"""Arms on small drawn tables: no look of a hand is assumed, so stripes of noise do for sleeves and skins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.arms import ArmWatcher
from companion.vision.backdrop import Backdrop, Difference
from companion.vision.events import PileKind
from companion.vision.frames import Frame
from companion.vision.geometry import Image
from companion.vision.reaches import Reach, ReachFinder, Spot
from companion.vision.tracks import Track

WIDTH, HEIGHT, RATE = 320, 180, 20
DISCARD = Spot(PileKind.DISCARD, np.array([140.0, 90.0]), 40.0)
DRAW = Spot(PileKind.DRAW, np.array([190.0, 90.0]), 40.0)
MIDDLE = DISCARD.middle


def towards(degrees: float) -> NDArray[np.float64]:
    """Return the unit vector that points so many degrees clockwise from up."""
    return np.array([np.sin(np.radians(degrees)), -np.cos(np.radians(degrees))])


def table(seed: int = 0) -> Image:
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(90, 170, (12, 20, 3)).astype(np.float32)
    image = cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    for spot, color in ((DISCARD, (40, 60, 200)), (DRAW, (30, 30, 30))):
        x, y = spot.middle.astype(int)
        cv2.rectangle(image, (x - 13, y - 20), (x + 13, y + 20), color, -1)
    return np.clip(image, 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class Arm:
    """An arm that comes at `start` (s), stays at `goal` for `stay` and goes again; far away before and after."""

    degrees: float
    goal: NDArray[np.float64]
    start: float = 0.5
    stay: float = 0.4
    seed: int = 0
    width: int = 22
    way: float = 0.5

    def share(self, now: float) -> float:
        """Return how much of its way it is in, 0 to 1."""
        since = now - self.start
        return float(np.clip(min(since / self.way, (2 * self.way + self.stay - since) / self.way), 0, 1))

    def mask(self, now: float) -> NDArray[np.uint8]:
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        share = self.share(now)
        if share > 0:
            seat = MIDDLE + towards(self.degrees) * 330
            out = (seat - self.goal) / np.hypot(*(seat - self.goal))
            tip = self.goal + out * 220 * (1 - share)
            ends = [tuple(int(v) for v in point) for point in (tip + out * self.width / 2, tip + out * 500)]
            cv2.line(mask, ends[0], ends[1], 255, self.width, cv2.LINE_AA)
        return mask

    def paint(self, image: Image, now: float) -> None:
        rng = np.random.default_rng(self.seed + 50)
        ink = rng.uniform(20, 235, 3)
        texture = cv2.resize(rng.normal(0, 25, (24, 40, 3)), (WIDTH, HEIGHT)) + ink
        weight = self.mask(now)[..., None] / 255
        image[:] = np.clip(image * (1 - weight) + texture * weight, 0, 255).astype(np.uint8)


Film = Iterator[tuple[Image, float]]
Change = Callable[[Image, float], Image]


def film(
    seconds: float, arms: Sequence[Arm], change: Change | None = None, seed: int = 0
) -> Iterator[tuple[Image, float]]:
    """Yield frames with noise; `change` does something to each picture besides."""
    rng = np.random.default_rng(seed + 1)
    ground = table(seed)
    noise = rng.normal(0, 2, (HEIGHT + 16, WIDTH + 16, 3)).astype(np.float32)
    for number in range(int(seconds * RATE)):
        now = number / RATE
        image = ground.copy()
        for arm in arms:
            arm.paint(image, now)
        if change is not None:
            image = change(image, now)
        x, y = rng.integers(16, size=2)
        noisy = image + noise[y : y + HEIGHT, x : x + WIDTH]
        yield np.clip(noisy, 0, 255).astype(np.uint8), now


def follow(frames: Film) -> tuple[list[Track], list[Reach]]:
    watcher, finders = ArmWatcher(), dict[int, ReachFinder]()
    tracks: dict[int, Track] = {}
    reaches: list[Reach] = []
    for image, time in frames:
        for track in watcher.feed(Frame(image, time, 0)):
            tracks[track.number] = track
            reaches += finders.setdefault(track.number, ReachFinder(track)).follow([DISCARD, DRAW])
    for track in watcher.finish():
        reaches += finders.setdefault(track.number, ReachFinder(track)).follow([DISCARD, DRAW])
    return list(tracks.values()), [reach for reach in reaches if reach.stayed]


def direction(reach: Reach) -> float:
    goal = DRAW.middle if reach.kind is PileKind.DRAW else None
    found = reach.track.direction(MIDDLE, reach.began, reach.ended, goal, 4.5 * DISCARD.length)
    assert found is not None
    return found[0]


def off(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


@pytest.mark.parametrize("degrees", range(10, 360, 50))
@pytest.mark.parametrize("spot", [DISCARD, DRAW], ids=lambda spot: spot.kind.value)
def test_an_arm_is_told_with_its_pile_and_where_it_comes_from(degrees: float, spot: Spot) -> None:
    _, reaches = follow(film(2.2, [Arm(degrees, spot.middle, seed=int(degrees))]))
    assert [reach.kind for reach in reaches] == [spot.kind]
    assert off(direction(reaches[0]), degrees) < 20
    assert 0.6 < reaches[0].began < reaches[0].ended < 1.9


def test_an_arm_that_passes_over_a_pile_has_not_reached_it() -> None:
    _, reaches = follow(film(2.2, [Arm(270, np.array([265.0, 90.0]))]))
    assert reaches == []


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
def test_an_arm_is_told_while_the_light_changes(change: Change) -> None:
    _, reaches = follow(film(2.4, [Arm(200, DISCARD.middle)], change))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 200) < 20


def passer_by(image: Image, now: float) -> Image:
    """Return the picture in the soft shadow of somebody who steps before the lamp."""
    away = np.arange(WIDTH, dtype=np.float32) / WIDTH - (now - 1.0) / 1.5
    return (image * (1 - 0.4 * np.exp(-((away / 0.3) ** 4)))[None, :, None]).astype(np.uint8)


def saturated(image: Image, now: float) -> Image:
    """Return the picture as of a table that is blue through and through: hardly any red, of which noise is the most."""
    bright = image[..., 2] > 220
    image[..., 2] = np.where(bright, image[..., 2], 1)
    return image


@pytest.mark.parametrize("change", [passer_by, saturated])
def test_arms_are_seen_in_a_passing_shadow_and_on_a_saturated_table(change: Change) -> None:
    arms = [Arm(200, DISCARD.middle, start=1.2), Arm(20, DISCARD.middle, start=3.2, seed=3)]
    _, reaches = follow(film(5.2, arms, change))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD] * 2
    assert all(off(direction(reach), arm.degrees) < 20 for reach, arm in zip(reaches, arms, strict=True))


def test_a_card_that_touches_the_rim_is_no_arm_once_it_is_known_to_lie_there() -> None:
    quad = np.array([[130, 140], [156, 140], [156, 180], [130, 180]], np.float32)
    arm = Arm(180, np.array([143.0, 150.0]), start=0.5)

    def lying(image: Image, now: float) -> Image:
        if now > 1.2:
            cv2.fillConvexPoly(image, quad.astype(np.int32), (230, 240, 235))
            arm.paint(image, now)
        return image

    watcher, seen = ArmWatcher(), list[bool]()
    for image, time in film(4.0, [arm], lying):
        tracks = watcher.feed(Frame(image, time, 0))
        if time >= 1.3:
            watcher.lies(quad)
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
    backdrop = Backdrop()
    backdrop.look(table, 0.0)
    difference = backdrop.look(shaded, 0.1)
    assert difference is not None
    assert difference.foreign[25:75, 45:85].all()
    assert not difference.solid[25:55, 45:85].any()
    assert difference.solid[63:77, 45:85].all()


def test_a_hand_in_the_edge_of_a_passing_shadow_is_no_ghost() -> None:
    wide, firm = np.zeros((90, 160), np.uint8), np.zeros((90, 160), np.uint8)
    wide[20:70, 20:140], firm[50:70, 60:90] = 1, 1
    picture, table = np.zeros((90, 160, 3), np.float32), np.zeros((90, 160, 3), np.float32)
    table[wide > 0] = 1.0  # the table's edge is where the shadow began; the hand has come
    picture[firm > 0] = 2.0
    gone = np.zeros_like(firm)
    assert Difference(0.0, wide, gone, gone, picture * 0, table).was_here(wide)
    assert not Difference(0.0, wide, firm, gone, picture, table).was_here(wide)


@pytest.mark.parametrize("length", [60, 16])
def test_a_hand_as_wide_as_cards_seen_near_make_it_is_an_arm_and_no_body(length: int) -> None:
    watcher = ArmWatcher()
    watcher.lies(np.array([[0, 0], [10, 0], [10, length], [0, length]], np.float32))
    alone = 0
    for image, time in film(1.5, [Arm(190, DISCARD.middle, width=70)]):
        alone = max([alone, *(track.alone for track in watcher.feed(Frame(image, time, 0)))])
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


def test_a_hand_that_rests_at_the_rim_is_at_no_pile_and_leaves_no_ghost() -> None:
    resting = Arm(90, np.array([265.0, 120.0]), start=0.2, stay=9.0, seed=5)
    other = Arm(270, DISCARD.middle, start=11.5, seed=6)
    tracks, reaches = follow(film(13.5, [resting, other]))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert off(direction(reaches[0]), 270) < 20
    # After the resting hand has gone nothing is seen until the other one comes.
    assert not any(10.9 < sample.time < 11.4 for track in tracks for sample in track.samples)


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


def test_held_cards_and_two_arms_are_no_table_that_lies_elsewhere() -> None:
    """Where it is known to be restless, what differs from the table does not tell of the camera."""
    rng = np.random.default_rng(6)
    ground = rng.uniform(80, 160, (90, 160, 3)).astype(np.uint8)
    restless = np.ones((90, 160), np.uint8)
    restless[12:-12, 12:-12] = 0
    changed = np.where(restless[..., None] > 0, 255 - ground, ground).astype(np.uint8)
    changed[40:60, 60:100] = (20, 30, 230)
    for known, shifts in ((restless, False), (None, True)):
        backdrop, shifted = Backdrop(), False
        backdrop.look(ground, 0.0, known)
        for number in range(1, 12):
            picture = ground.copy()
            picture[:, : 40 * number] = changed[:, : 40 * number]
            backdrop.look(picture, 0.066 * number, known)
            shifted |= backdrop.shifted
        assert shifted is shifts


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


def test_a_camera_that_is_being_set_up_shows_no_arms() -> None:
    """It swings for two seconds; who comes a second and a half after that is seen."""
    swinging = grained(lambda now: (0.0, 0.0) if now > 2 else (10 * np.sin(4 * now), 8 * np.cos(3 * now)))
    tracks, reaches = follow(film(6.0, [Arm(180, DISCARD.middle, start=4.0)], swinging))
    assert [reach.kind for reach in reaches] == [PileKind.DISCARD]
    assert all(track.samples[0].time > 3.5 for track in tracks)


def test_a_push_of_the_camera_leaves_no_ghosts() -> None:
    """It ends the arm that was there; who comes afterwards is seen."""
    pushed = grained(lambda now: (0.0, 0.0) if now < 1.0 else (9.0, 5.0))
    arms = [Arm(90, DISCARD.middle, start=0.5, stay=0.2), Arm(270, DISCARD.middle, start=3.0, seed=3)]
    tracks, reaches = follow(film(5.0, arms, pushed))
    assert [track.last.time < 1.1 or track.samples[0].time > 2.4 for track in tracks] == [True, True]
    assert off(direction(reaches[-1]), 270) < 20


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


def test_an_arm_that_comes_out_of_a_body_at_the_rim_is_told_by_its_own_side() -> None:
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


def test_what_fills_the_whole_picture_has_no_outline_to_have_left() -> None:
    everywhere = np.ones((9, 16), np.uint8)
    picture = np.zeros((9, 16, 3), np.float32)
    assert not Difference(0.0, everywhere, everywhere, everywhere, picture, picture).was_here(everywhere)


def test_every_frame_of_a_film_at_25_a_second_is_looked_at_and_every_other_one_at_30() -> None:
    looked: dict[int, int] = {}
    for rate in (25, 30):
        watcher = ArmWatcher()
        arm = Arm(200, DISCARD.middle, start=0.2, stay=0.4, way=0.8)
        tracks: list[Track] = []
        for number in range(2 * rate):
            image = table()
            arm.paint(image, number / rate)
            tracks = watcher.feed(Frame(image, number / rate, number))
        looked[rate] = len(tracks[0].samples)
    assert looked[30] > 10
    assert 1.4 * looked[30] < looked[25] < 1.9 * looked[30]
