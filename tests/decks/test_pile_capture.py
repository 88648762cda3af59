"""Cards laid on a pile: detection of the changed region and the outline of the card."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, EditionName
from companion.dataset.gallery.decks import ArtDeck, Sources, edge_deck
from companion.dataset.scenes.sittings import Sitting
from companion.decks.capture.change_outline import PictureChange, most_distinct
from companion.decks.capture.pile_capture import Pile
from companion.decks.model.card_views import stored_picture
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image, Quad, homography, intersection_over_union, unit_square

from .laid import BLUE_3, RED_7, bare_table, cut_faces, shipped_outlines, with_card

pytestmark = pytest.mark.slow


def _outlined(before: Image, after: Image) -> Quad:
    """Return the outline of the card laid between two pictures."""
    pile = Pile(shipped_outlines, each=True)
    assert pile.show(before) == []
    *_, laid = pile.show(after)
    return laid.quad


def test_changed_region_is_the_card() -> None:
    rng = np.random.default_rng(1)
    pile, _ = with_card(bare_table(rng), RED_7, (320, 240), 20)
    after, truth = with_card(pile, BLUE_3, (330, 236), 35)
    noisy = np.clip(after + rng.normal(0, 4, after.shape), 0, 255).astype(np.uint8)
    assert intersection_over_union(_outlined(pile, noisy), truth) > 0.93
    assert PictureChange(pile, pile).rectangle is None


def test_card_on_an_identical_one_is_found() -> None:
    rng = np.random.default_rng(1)
    pile, _ = with_card(bare_table(rng), RED_7, (320, 240), 20)
    after, truth = with_card(pile, RED_7, (334, 236), 17)
    noisy = np.clip(after + rng.normal(0, 2, after.shape), 0, 255).astype(np.uint8)
    box = np.asarray(truth + np.random.default_rng(2).normal(0, 4, (4, 2)), np.float32)
    pile_of_two = Pile(shipped_outlines, each=True, boxed=lambda image: [box])
    assert pile_of_two.show(pile) == []
    *_, laid = pile_of_two.show(noisy)
    assert intersection_over_union(laid.quad, truth) > 0.93


def test_one_grey_level_on_a_dark_table_is_no_gain() -> None:
    table = np.full((480, 640, 3), 5, np.uint8)
    table[:, 330:] = 6
    pile, lies = with_card(table, RED_7, (480, 240), 20)
    after, laid = with_card(pile, BLUE_3, (160, 240), 35)
    assert np.median(pile) == 5
    assert np.median(after) == 6
    changed = PictureChange(pile, after).difference
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
    assert intersection_over_union(_outlined(before, after), truth) > 0.93


@pytest.mark.parametrize("ways", [(30, 50, 35, 2, 88, 45, 0, 3, 91), (1, 3, 0, 2, 45, 88, 60, 120)])
def test_cards_are_found_under_strong_camera_tilt(ways: Sequence[float]) -> None:
    """Equally rotated cards leave the direction of foreshortening open until others lie differently."""
    rng = np.random.default_rng(1)
    table, pile, truths = bare_table(rng), Pile(shipped_outlines, each=True), list[Quad]()
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
    pile = Pile(shipped_outlines, legibility=lambda image, quad: 0.0)
    laid = [one.place for picture in [bare_table(rng), *_pile_of_pictures(rng, 6)] for one in pile.show(picture)]
    assert set(laid) == set(range(6))


def test_card_taken_from_the_table_is_not_found() -> None:
    rng = np.random.default_rng(4)
    pile, table, (card, *_) = (
        Pile(shipped_outlines, legibility=lambda image, quad: 0.0),
        bare_table(rng),
        _pile_of_pictures(rng, 1),
    )
    darker = np.asarray(table * 0.95, np.uint8)
    assert [len(pile.show(picture)) for picture in (table, card, darker, card)] == [0, 1, 0, 1]


@pytest.mark.parametrize("each", [False, True])
def test_dull_card_on_a_bright_one_is_found(each: bool) -> None:
    """Its edges are weaker than those it covers, as if the bright one had been taken away."""
    table = bare_table(np.random.default_rng(4))
    red, quad = with_card(table, RED_7, (320, 240), 10)
    bright, dull = red.copy(), red.copy()
    cv2.fillConvexPoly(bright, (quad + 3).round().astype(np.int32), (255, 255, 255))
    cv2.fillConvexPoly(dull, (quad + 6).round().astype(np.int32), (table.mean((0, 1)) + 12).tolist())
    pile = Pile(shipped_outlines, each, legibility=lambda image, quad: 0.0)
    shown = [len(pile.show(picture)) for picture in (table, red, bright, dull)]
    assert shown == [0, 1 + each, 1, 1]


def _first_likeness(deck: ArtDeck, seed: int) -> float:
    """Return the correlation of the first learnt picture of a lesson with the card, either way up."""
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True)
    first, second = Sitting(cut_faces(deck), (seed,)).flip(ALL_CARDS[:2])
    truth = stored_picture(first.image, first.quads[0]).ravel()
    lesson.show(first.image)
    lesson.show(second.image)
    seen = lesson.pictures[0]
    return max(float(np.corrcoef(way.ravel(), truth)[0, 1]) for way in (seen, seen[::-1, ::-1]))


def test_first_card_with_a_picture_from_edge_to_edge_is_outlined() -> None:
    """Nothing shows where it was laid, and what the networks read in its outlines is noise."""
    decks = [edge_deck(Sources(), 300, np.random.default_rng(seed)) for seed in range(6)]
    likenesses = [_first_likeness(deck, seed) for seed, deck in enumerate(decks)]
    assert sum(one > 0.85 for one in likenesses) >= 5, likenesses


def test_outline_with_an_edge_on_all_sides_is_the_most_distinct() -> None:
    image, truth = with_card(bare_table(np.random.default_rng(1)), RED_7, (320, 240), 20)
    aside = [np.asarray(truth + (truth[1] - truth[0]) * share, np.float32) for share in (-0.3, 0.2, 0.5)]
    for quads in ([*aside, truth], [truth, *aside]):
        assert np.array_equal(most_distinct(image, quads), truth)
