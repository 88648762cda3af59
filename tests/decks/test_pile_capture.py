"""Cards laid on a pile: detection of the changed region and the outline of the card."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.decks.capture.change_outline import PictureChange, card_like, changed_card, changes
from companion.decks.capture.pile_capture import Pile, usual_size
from companion.vision.core.geometry import Image, Quad, expand, homography, intersection_over_smaller, unit_square

from .laid import BLUE_3, RED_7, bare_table, with_card

pytestmark = pytest.mark.slow


def test_changed_region_is_the_card() -> None:
    rng = np.random.default_rng(1)
    pile, _ = with_card(bare_table(rng), RED_7, (320, 240), 20)
    after, truth = with_card(pile, BLUE_3, (330, 236), 35)
    noisy = np.clip(after + rng.normal(0, 4, after.shape), 0, 255).astype(np.uint8)
    found = changed_card(PictureChange(pile, noisy))
    assert found is not None
    assert intersection_over_smaller(found, truth) > 0.95
    assert abs(cv2.contourArea(found)) == pytest.approx(abs(cv2.contourArea(truth)), rel=0.1)
    assert changed_card(PictureChange(pile, pile)) is None


@pytest.mark.parametrize("ways", [(30, 50, 35, 2, 88, 45, 0, 3, 91), (1, 3, 0, 2, 45, 88, 60, 120)])
def test_cards_are_found_under_strong_camera_tilt(ways: Sequence[float]) -> None:
    """Equally rotated cards leave the direction of foreshortening open until others lie differently."""
    rng = np.random.default_rng(1)
    table, pile, truths = bare_table(rng), Pile(each=True), list[Quad]()
    size, squeezed = (640, 326), np.array([1.0, 326 / 480], np.float32)
    found = {one.place: one.quad for one in pile.show(cv2.resize(table, size, interpolation=cv2.INTER_AREA))}
    for number, degrees in enumerate(ways):
        table, truth = with_card(table, (RED_7, BLUE_3)[number % 2], (320 + 5 * (number % 3), 240), degrees)
        truths.append(truth * squeezed)
        shown = np.clip(table + rng.normal(0, 2, table.shape), 0, 255).astype(np.uint8)
        found |= {one.place: one.quad for one in pile.show(cv2.resize(shown, size, interpolation=cv2.INTER_AREA))}
    # The bare table counts as the first card, because every picture is expected to show one.
    assert sorted(found) == list(range(len(ways) + 1))
    for place, truth in enumerate(truths, start=1):
        ends = found[place] if np.abs(found[place] - truth).max() < 20 else np.roll(found[place], 2, axis=0)
        assert np.abs(ends - truth).max() < 8


def test_one_grey_level_on_a_dark_table_is_no_gain() -> None:
    table = np.full((480, 640, 3), 5, np.uint8)
    table[:, 330:] = 6
    pile, lies = with_card(table, RED_7, (480, 240), 20)
    after, laid = with_card(pile, BLUE_3, (160, 240), 35)
    assert np.median(pile) == 5
    assert np.median(after) == 6
    changed = changes(pile, after)
    inside = cv2.fillConvexPoly(np.zeros((480, 640), np.uint8), lies.round().astype(np.int32), 1) > 0
    assert float(changed[inside].max()) < 2
    beyond = cv2.fillConvexPoly(np.zeros((480, 640), np.uint8), laid.round().astype(np.int32), 1) > 0
    assert float(np.median(changed[beyond])) > 20


def test_gain_on_a_black_table_is_taken_from_the_pile() -> None:
    """Otherwise all of the pile around a card would count as changed."""
    rng = np.random.default_rng(3)
    before = np.full((480, 640, 3), 4, np.uint8)
    for degrees in (0, 40, 75):
        before, _ = with_card(before, RED_7, (320, 240), degrees)
    after, truth = with_card(before, BLUE_3, (320, 240), 20)
    after = np.clip(after * 0.88 + rng.normal(0, 1, after.shape), 0, 255).astype(np.uint8)
    found = changed_card(PictureChange(before, after))
    assert found is not None
    assert abs(cv2.contourArea(found)) == pytest.approx(abs(cv2.contourArea(truth)), rel=0.05)


def test_card_on_an_identical_one_is_found() -> None:
    rng = np.random.default_rng(1)
    pile, under = with_card(bare_table(rng), RED_7, (320, 240), 20)
    after, truth = with_card(pile, RED_7, (334, 236), 17)
    noisy = np.clip(after + rng.normal(0, 2, after.shape), 0, 255).astype(np.uint8)
    found = card_like(PictureChange(pile, noisy), under)
    assert found is not None
    assert np.abs(found - truth).max() < 5
    assert card_like(PictureChange(pile, pile), under) is None


def test_card_size_is_that_of_the_largest_agreeing_outlines() -> None:
    def square(side: float) -> Quad:
        return np.asarray(unit_square() * side, np.float32)

    signs = [square(side) for side in (20, 21, 20, 20.5, 45, 33)]
    cards = [square(side) for side in (100, 102, 99)]
    size = usual_size([*signs, *cards, square(160)])
    assert size is not None
    assert 99 <= size[2, 0] <= 102
    assert usual_size([square(side) for side in (20, 50, 100, 160)]) is None


@pytest.mark.parametrize("boxed", [True, False])
def test_detected_box_completes_a_changed_sign(boxed: bool) -> None:
    """Black cards on a black pile: only the sign in the middle changes."""
    before = np.full((480, 640, 3), 30, np.uint8)
    after = before.copy()
    after[205:275, 295:345] = 200
    card = np.array([[260, 150], [380, 150], [380, 330], [260, 330]], np.float32)
    pile = Pile(each=True, boxed=lambda image: [card + 200, card] if boxed else [])
    assert pile.show(before) == []
    *_, laid = pile.show(after)
    share = cv2.contourArea(laid.quad) / cv2.contourArea(card)
    assert share > 0.9 if boxed else share < 0.3


def test_a_box_is_read_no_further_than_needed_to_beat_the_clearest_one() -> None:
    before = np.full((480, 640, 3), 30, np.uint8)
    after = before.copy()
    after[150:330, 260:380] = 200
    card = np.array([[260, 150], [380, 150], [380, 330], [260, 330]], np.float32)
    boxes, clear, asked = [card + 3, card - 4, card + 5], iter([0.1, 0.6, 0.9, 0.5]), list[float]()

    def clearness(image: Image, quad: Quad, least: float) -> float:
        asked.append(least)
        return next(clear, 0.0)

    pile = Pile(boxed=lambda image: boxes, clearness=clearness)
    assert pile.show(before) == []
    *_, laid = pile.show(after)
    assert np.array_equal(laid.quad, boxes[1])
    assert asked[:4] == pytest.approx([0.0, 0.3, 0.6, 0.9])


def test_card_outlined_later_keeps_its_place() -> None:
    """Square signs are no cards until the card size is known."""
    picture = np.full((480, 640, 3), 150, np.uint8)
    picture[150:330, 260:380] = 30
    pictures = [picture.copy()]
    for top, level in ((170, 200), (250, 90)):
        picture[top : top + 60, 290:350] = level
        pictures.append(picture.copy())
    for level in (60, 110) * 5:
        picture[150:330, 260:380] = level
        pictures.append(picture.copy())
    pile = Pile(each=True)
    laid = [pile.show(shown) for shown in pictures]
    assert not any(laid[:3])
    every = [one for some in laid for one in some]
    assert {one.place for one in every} == set(range(len(pictures)))
    assert all(np.array_equal(one.image, pictures[one.place]) for one in every)


def _pile_of_pictures(rng: np.random.Generator, count: int) -> list[Image]:
    """Return pictures of a table on which cards with pictures from edge to edge are laid, each on the one before."""
    shown = bare_table(rng)
    pictures = []
    for number in range(count):
        _, quad = with_card(shown, RED_7, (290 + 30 * (number % 3), 260 - 40 * (number % 2)), 25 * number)
        art = cv2.resize(rng.uniform(0, 255, (9, 6, 3)).astype(np.uint8), (108, 168), interpolation=cv2.INTER_CUBIC)
        whole = homography(unit_square() * np.array([108, 168], np.float32), quad)
        inside = cv2.warpPerspective(np.ones((168, 108), np.uint8), whole, (640, 480)) > 0
        shown = np.where(inside[..., None], cv2.warpPerspective(art, whole, (640, 480)), shown).astype(np.uint8)
        pictures.append(shown)
    return pictures


def test_cards_with_pictures_like_their_surroundings_are_found() -> None:
    """Pictures from edge to edge on each other do not stand out from the pile."""
    rng = np.random.default_rng(4)
    pile = Pile(clearness=lambda image, quad, least: 0.0)
    laid = [one.place for picture in [bare_table(rng), *_pile_of_pictures(rng, 6)] for one in pile.show(picture)]
    assert set(laid) == set(range(6))


def test_card_taken_from_the_table_is_not_found() -> None:
    rng = np.random.default_rng(4)
    pile, table, (card, *_) = Pile(clearness=lambda image, quad, least: 0.0), bare_table(rng), _pile_of_pictures(rng, 1)
    assert [len(pile.show(picture)) for picture in (table, card, table)] == [0, 1, 0]


def test_boxes_around_the_pile_do_not_change_card_size() -> None:
    """Different cards give the card size; then a corner's sign changes, with a box around the whole pile."""
    card = np.array([[260, 150], [380, 150], [380, 330], [260, 330]], np.float32)
    picture = np.full((480, 640, 3), 150, np.uint8)
    pile = Pile(each=True, boxed=lambda image: [expand(card, 0.3)])
    laid = [pile.show(picture.copy())]
    for level in (30, 90, 30, 90, 30):
        picture[150:330, 260:380] = level
        laid.append(pile.show(picture.copy()))
    for level in (200, 30, 200, 30, 200):
        picture[155:185, 265:285] = level
        laid.append(pile.show(picture.copy()))
    areas = [cv2.contourArea(one.quad) / cv2.contourArea(card) for one in laid[-1]]
    assert len(areas) == 1
    assert 0.9 < areas[0] < 1.15
