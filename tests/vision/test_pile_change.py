"""Changes of a pile inferred from one look."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.simulation import SimulatedTable
from companion.dataset.simulated.tabletop import Tabletop
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import describe, difference
from companion.vision.pile.features import Evidence, KnownCard
from companion.vision.pile.outline_comparison import Comparison
from companion.vision.pile.pile_change import Change, judge
from companion.vision.pile.pile_state import updated_places

RED_7, BLUE_3, GREEN_9 = Card.parse("red 7"), Card.parse("blue 3"), Card.parse("green 9")
WILD, GREEN_7, BLUE_7 = Card.parse("wild"), Card.parse("green 7"), Card.parse("blue 7")


def outline(x: float, y: float, width: float = 60, height: float = 90) -> Quad:
    """Return the upright outline of a card whose top left corner lies at (x, y)."""
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)


@pytest.mark.parametrize(("replaced", "change"), [(True, Change.LANDED), (False, Change.NONE)])
def test_little_changed_picture_is_a_landing_if_reading_and_look_differ(replaced: bool, change: Change) -> None:
    images = np.random.default_rng(0).integers(0, 255, (2, 18, 32, 3), dtype=np.uint8)
    before, other = (image.repeat(10, axis=0).repeat(10, axis=1) for image in images)
    quad = outline(100, 60)
    sightings = [Sighting(quad + 2, (BLUE_3, RED_7), (0.95, 0.01), whole=True)]
    pictures = Comparison(before, other if replaced else before)
    judgement = judge(Evidence([KnownCard(RED_7, quad)], sightings, np.zeros((180, 320), np.uint8), 1.0, pictures))
    assert judgement.change is change


@pytest.mark.parametrize(
    ("old", "confidence", "change"),
    [
        (0.5, 0.96, Change.LANDED),
        (0.5, 0.9, Change.NONE),
        (0.6, 0.999, Change.LANDED),
        (0.7, 0.999, Change.NONE),
    ],
)
def test_confident_reading_needs_less_visual_difference(old: float, confidence: float, change: Change) -> None:
    images = np.random.default_rng(0).integers(0, 255, (2, 18, 32, 3), dtype=np.uint8)
    before, other = (image.repeat(10, axis=0).repeat(10, axis=1) for image in images)
    mixed = np.asarray(old * before + (1 - old) * other, np.uint8)
    quad = outline(100, 60)
    sightings = [Sighting(quad + 2, (BLUE_3, RED_7), (confidence, 0.01), whole=True)]
    changed = np.zeros((180, 320), np.uint8)
    assert (
        judge(Evidence([KnownCard(RED_7, quad)], sightings, changed, 1.0, Comparison(before, mixed))).change is change
    )


@pytest.mark.parametrize(("confidence", "change"), [(0.99, Change.LANDED), (0.3, Change.TAKEN_BACK)])
def test_a_card_read_where_a_better_read_one_lies_did_not_come_to_light(confidence: float, change: Change) -> None:
    deep, below = outline(100, 60), outline(112, 63)
    top, new = outline(108, 55), outline(102, 62)
    known = [KnownCard(WILD, deep), KnownCard(RED_7, below), KnownCard(BLUE_3, top)]
    changed = np.zeros((180, 320), np.uint8)
    changed[62:142, 102:168] = 1
    sightings = [Sighting(new, (WILD,), (confidence,), whole=True), Sighting(below, (RED_7,), (0.85,), whole=True)]
    assert judge(Evidence(known, sightings, changed, 1.0)).change is change


@pytest.mark.parametrize(("pushed", "change"), [(False, Change.TAKEN_BACK), (True, Change.MOVED)])
def test_same_face_near_the_place_below_means_taken_back_or_pushed(pushed: bool, change: Change) -> None:
    below = outline(100, 60)
    top = below + np.array([25, 0], np.float32)
    changed = np.zeros((180, 320), np.uint8)
    changed[60:150, 100 if pushed else 125 : 185] = 1
    pile = [KnownCard(GREEN_9, below + 30), KnownCard(RED_7, below), KnownCard(RED_7, top)]
    now = below + np.array([2, 1], np.float32)
    assert (
        judge(Evidence(pile, [Sighting(now, (RED_7, BLUE_3), (0.99, 0.01), whole=True)], changed, 1.0)).change is change
    )


@pytest.mark.parametrize("off", [25, 8])
def test_an_identical_card_is_taken_back_if_the_one_below_lies_where_it_did(off: int) -> None:
    below = outline(100, 60)
    changed = np.zeros((180, 320), np.uint8)
    # The shadow that the card cast on the one below is gone as well.
    changed[60:150, 100 + off // 2 : 160 + off] = 1
    pile = [
        KnownCard(GREEN_9, below + 30),
        KnownCard(RED_7, below),
        KnownCard(RED_7, below + np.array([off, 0], np.float32)),
    ]
    judgement = judge(Evidence(pile, [Sighting(below, (RED_7, BLUE_3), (0.99, 0.01), whole=True)], changed, 1.0))
    assert (judgement.change, judgement.remaining) == (Change.TAKEN_BACK, 2)


def test_a_card_taken_back_is_reported_though_the_one_below_was_pushed() -> None:
    below = outline(100, 60)
    top = outline(70, 80, 90, 60)
    changed = np.zeros((180, 320), np.uint8)
    changed[80:140, 70:160] = 1
    pile = [KnownCard(GREEN_9, below + 40), KnownCard(BLUE_3, below), KnownCard(RED_7, top)]
    sighting = Sighting(below + np.array([-14, 10], np.float32), (BLUE_3, RED_7), (0.99, 0.01), whole=True)
    judgement = judge(Evidence(pile, [sighting], changed, 1.0))
    assert (judgement.change, judgement.remaining) == (Change.TAKEN_BACK, 2)


def test_cards_pushed_from_under_a_new_one_keep_their_new_place() -> None:
    def seen(card: Card, x: float, y: float, whole: bool = True) -> Sighting:
        return Sighting(outline(x, y), (card, WILD), (0.99, 0.005), whole)

    pile = [
        KnownCard(GREEN_9, outline(40, 40)),
        KnownCard(BLUE_3, outline(150, 90)),
        KnownCard(RED_7, outline(100, 60)),
    ]
    sightings = [
        seen(RED_7, 100, 60),
        seen(BLUE_3, 165, 100),
        seen(GREEN_9, 42, 41),
        seen(GREEN_9, 60, 40, whole=False),
    ]
    green, blue, red = updated_places(pile, sightings)
    assert (blue.quad == outline(165, 100)).all()
    # An outline that differs little, or that only an index supports, is no better than the known one.
    assert (green.quad == outline(40, 40)).all()
    assert (red.quad == outline(100, 60)).all()
    (_, elsewhere, _) = updated_places(pile, [seen(BLUE_3, 190, 150)])
    assert (elsewhere.quad == outline(150, 90)).all()


@pytest.mark.parametrize(("beside", "change"), [(0, Change.NONE), (4, Change.NONE), (12, Change.LANDED)])
def test_a_card_from_which_a_hand_was_taken_has_not_landed_again(beside: int, change: Change) -> None:
    quad = outline(100, 60)
    below, top = quad + np.array([40, 0], np.float32), quad
    sightings = [
        Sighting(top, (RED_7, BLUE_3), (0.99, 0.01), whole=True),
        Sighting(below + beside, (BLUE_3, RED_7), (0.99, 0.01), whole=True),
    ]
    changed = np.zeros((180, 320), np.uint8)
    changed[50:170, 128:230] = 1
    assert judge(Evidence([KnownCard(BLUE_3, below), KnownCard(RED_7, top)], sightings, changed, 1.0)).change is change


@pytest.mark.parametrize(("rows", "change"), [(18, Change.MOVED), (4, Change.LANDED)])
def test_a_card_was_pushed_unless_where_it_lay_it_shows_as_it_did(rows: int, change: Change) -> None:
    old = outline(100, 60)
    sighting = Sighting(old + np.array([45, 0], np.float32), (RED_7, BLUE_3), (0.99, 0.01), whole=True)
    changed = np.zeros((180, 320), np.uint8)
    changed[60:150, 140:210] = 1
    changed[60 : 60 + rows, 100:140] = 1
    assert judge(Evidence([KnownCard(RED_7, old)], [sighting], changed, 1.0)).change is change


@pytest.mark.parametrize(("covers", "change"), [(7, Change.NONE), (12, Change.LANDED)])
def test_pushed_lower_card_beside_an_untouched_top_is_no_landing(covers: int, change: Change) -> None:
    below, top = outline(100, 60), outline(112, 75)
    known = [KnownCard(GREEN_9, below + 90), KnownCard(RED_7, below), KnownCard(WILD, top)]
    changed = np.zeros((180, 320), np.uint8)
    changed[40:150, 60 : 112 + covers] = 1
    now = below - np.array([18, 0], np.float32)
    sightings = [Sighting(top, (WILD,), (0.99,), whole=True), Sighting(now, (RED_7, BLUE_3), (0.99, 0.01), whole=True)]
    assert judge(Evidence(known, sightings, changed, 1.0)).change is change


def test_inexact_outline_of_a_covered_card_is_no_push() -> None:
    changed = np.zeros((180, 320), np.uint8)
    changed[64:154, 104:164] = 1
    sightings = [
        Sighting(outline(104, 64), (BLUE_3, RED_7), (0.99, 0.01), whole=True),
        Sighting(outline(130, 112, height=78), (RED_7, BLUE_3), (0.9, 0.05), whole=True),
    ]
    pile = [KnownCard(BLUE_3, outline(100, 60)), KnownCard(RED_7, outline(130, 100))]
    judgement = judge(Evidence(pile, sightings, changed, 1.0))
    assert judgement.change is Change.LANDED
    assert judgement.top is sightings[0]


@pytest.mark.parametrize(("news", "change"), [(1, Change.LANDED), (0, Change.NONE)])
def test_corner_on_a_changed_top_is_asked_about(news: int, change: Change) -> None:
    quad = np.array([[100, 100], [160, 100], [160, 190], [100, 190]], np.float32)
    sightings = [
        Sighting(quad, (RED_7, BLUE_3), (0.9, 0.05), whole=True),
        Sighting(quad + 12, (GREEN_9, BLUE_3), (0.95, 0.02), whole=False),
    ]
    judgement = judge(Evidence([KnownCard(RED_7, quad)], sightings, np.full((180, 320), news, np.uint8), 1.0))
    assert judgement.change is change
    assert judgement.top is sightings[news]
    assert judgement.landing_probability == (0.5 if news else 1.0)


@pytest.mark.parametrize(("covers", "change"), [(False, Change.NONE), (True, Change.LANDED)])
def test_known_lower_card_lands_only_if_it_covers_the_missed_top(covers: bool, change: Change) -> None:
    below, top = outline(100, 60), outline(130, 80)
    changed = np.zeros((180, 320), np.uint8)
    changed[60:150, 100:130] = 1
    if covers:
        changed[80:150, 130:160] = 1
    sighting = Sighting(below + 1, (BLUE_3, RED_7), (0.99, 0.01), whole=True)
    assert judge(Evidence([KnownCard(BLUE_3, below), KnownCard(RED_7, top)], [sighting], changed, 1.0)).change is change


def test_new_corner_names_what_covers_an_unchanged_reading() -> None:
    images = np.random.default_rng(0).integers(0, 255, (2, 18, 32, 3), dtype=np.uint8)
    before, other = (image.repeat(10, axis=0).repeat(10, axis=1) for image in images)
    quad = outline(100, 60)
    old = Sighting(quad + 4, (RED_7, BLUE_3), (0.99, 0.01), whole=True)
    corner = Sighting(quad + 12, (GREEN_9, BLUE_3), (0.9, 0.02), whole=False)
    changed = np.ones((180, 320), np.uint8)
    judgement = judge(Evidence([KnownCard(RED_7, quad)], [old, corner], changed, 1.0, Comparison(before, other)))
    assert (judgement.change, judgement.top, judgement.landing_probability) == (Change.LANDED, corner, 0.5)


@pytest.mark.parametrize(("recolored", "change"), [(True, Change.LANDED), (False, Change.NONE)])
def test_same_face_in_another_color_lands_where_color_changed(recolored: bool, change: Change) -> None:
    face = np.random.default_rng(0).integers(60, 200, (18, 32), dtype=np.uint8).repeat(10, axis=0).repeat(10, axis=1)
    table = np.full((180, 320, 3), 128, np.uint8)
    before, after = table.copy(), table.copy()
    quad = outline(100, 60)
    for image, shares in ((before, (0.5, 1.0, 0.5)), (after, (1.0, 0.7, 0.4) if recolored else (0.5, 1.0, 0.5))):
        image[60:150, 100:160] = (face[60:150, 100:160, None] * np.array(shares)).astype(np.uint8)
    sighting = Sighting(quad + 2, (BLUE_7, RED_7), (0.99, 0.01), whole=True)
    changed = np.zeros((180, 320), np.uint8)
    assert (
        judge(Evidence([KnownCard(GREEN_7, quad)], [sighting], changed, 1.0, Comparison(before, after))).change
        is change
    )


def test_a_card_pushed_from_under_the_one_that_was_taken_back_is_no_new_one() -> None:
    images = np.random.default_rng(0).integers(0, 255, (2, 18, 32, 3), dtype=np.uint8)
    before, after = (image.repeat(10, axis=0).repeat(10, axis=1) for image in images)
    below, top = outline(100, 60), outline(80, 80, 90, 60)
    changed = np.zeros((180, 320), np.uint8)
    changed[80:140, 80:170] = 1
    pile = [KnownCard(GREEN_9, below + 30), KnownCard(BLUE_3, below), KnownCard(RED_7, top)]
    sighting = Sighting(below + np.array([-18, 12], np.float32), (BLUE_3, RED_7), (0.99, 0.01), whole=True)
    judgement = judge(Evidence(pile, [sighting], changed, 1.0, Comparison(before, after)))
    assert (judgement.change, judgement.remaining) == (Change.TAKEN_BACK, 2)


@pytest.mark.parametrize("known", [1, 2])
def test_card_pushed_with_the_top_is_no_landing(known: int) -> None:
    """Nor is one that was only read there, as after a gap in the camera's view, and not seen to land."""
    below, top = outline(100, 60), outline(120, 75)
    changed = np.zeros((180, 320), np.uint8)
    changed[30:180, 80:220] = 1
    sightings = [
        Sighting(top + np.array([20, 8], np.float32), (RED_7, BLUE_3), (0.99, 0.01), whole=True),
        Sighting(below - np.array([8, 20], np.float32), (BLUE_3, RED_7), (0.99, 0.01), whole=True),
    ]
    pile = [KnownCard(BLUE_3, below), KnownCard(RED_7, top)]
    assert judge(Evidence(pile[-known:], sightings, changed, 1.0, last_read=pile)).change is Change.MOVED


@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize("count", [1, 2, 3], ids=["its top card", "both like cards", "all of it"])
def test_a_pushed_card_is_no_new_one_beside_its_like(seed: int, count: int) -> None:
    """The card below it has the same face, is open too and may have moved as well."""
    places = (BLUE_3, -9.0, 4.0, 0.3), (WILD, -16.0, 8.0, 0.3), (WILD, 20.0, -12.0, -0.6)

    def table(pushed: int) -> Tabletop:
        top = SimulatedTable(seed, fonts=()).new_tabletop()
        for below, (card, x, y, angle) in enumerate(places):
            dx, dy, turn = (-16.0, -10.0, 0.2) if below >= len(places) - pushed else (0.0, 0.0, 0.0)
            top.lay(top.new_card(card, Placement(x + dx, y + dy, angle + turn)))
        return top

    before, after = table(0), table(count)
    pile = [KnownCard(item.card, quad) for item, quad in zip(before.pile.cards, before.pile.quads, strict=True)]
    sightings = [Sighting(quad, (WILD, RED_7), (0.99, 0.005), whole=True) for quad in after.pile.quads[1:]]
    changed = difference(describe(before.picture, 0.0), describe(after.picture, 1.0))
    pictures = Comparison(before.picture, after.picture)
    scale = changed.shape[1] / before.picture.shape[1]
    judgement = judge(Evidence(pile, sightings, changed, scale, pictures, np.array([0.02, 0.95])))
    assert (judgement.change, judgement.top) == (Change.MOVED, sightings[1])


@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize("pushed", [18.0, 30.0, 42.0])
def test_a_pushed_card_is_no_new_one_if_it_uncovers_one_that_no_look_has_shown(seed: int, pushed: float) -> None:
    def table(x: float) -> Tabletop:
        top = SimulatedTable(seed, fonts=()).new_tabletop()
        top.lay(top.new_card(GREEN_9, Placement(-2.0, 3.0, 0.4)))
        top.lay(top.new_card(WILD, Placement(x, 2.0, 0.3)))
        return top

    before, after = table(0.0), table(pushed)
    pile = [KnownCard(WILD, before.pile.quads[1])]
    sightings = [
        Sighting(quad, (card, RED_7), (0.99, 0.005), whole=True)
        for card, quad in zip((GREEN_9, WILD), after.pile.quads, strict=True)
    ]
    changed = difference(describe(before.picture, 0.0), describe(after.picture, 1.0))
    pictures = Comparison(before.picture, after.picture)
    scale = changed.shape[1] / before.picture.shape[1]
    tops = np.array([0.02, 0.95])
    judgement = judge(Evidence(pile, sightings, changed, scale, pictures, tops, last_read=pile))
    assert (judgement.change, judgement.top) == (Change.MOVED, sightings[1])


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_card_that_no_look_has_shown_comes_to_light_where_the_top_was_taken_back(seed: int) -> None:
    cards = (
        (BLUE_3, Placement(10.0, -8.0, 1.2)),
        (GREEN_9, Placement(-12.0, 3.0, 0.4)),
        (WILD, Placement(8.0, 2.0, -0.3)),
    )

    def table(count: int) -> Tabletop:
        top = SimulatedTable(seed, fonts=()).new_tabletop()
        for card, place in cards[:count]:
            top.lay(top.new_card(card, place))
        return top

    before, after = table(3), table(2)
    blue, green, wild = before.pile.quads
    pile = [KnownCard(BLUE_3, blue), KnownCard(WILD, wild)]
    sighting = Sighting(green, (GREEN_9, RED_7), (0.99, 0.005), whole=True)
    changed = difference(describe(before.picture, 0.0), describe(after.picture, 1.0))
    pictures = Comparison(before.picture, after.picture)
    scale = changed.shape[1] / before.picture.shape[1]
    judgement = judge(Evidence(pile, [sighting], changed, scale, pictures, last_read=pile))
    assert (judgement.change, judgement.top, judgement.remaining) == (Change.TAKEN_BACK, sighting, 2)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_card_where_the_picture_is_unchanged_has_not_landed_however_open_it_lies(seed: int) -> None:
    cards = (
        (GREEN_9, Placement(45.0, 4.0, 0.4)),
        (BLUE_3, Placement(-20.0, 3.0, -0.3)),
        (RED_7, Placement(-12.0, 9.0, 1.1)),
    )

    def table(count: int) -> Tabletop:
        top = SimulatedTable(seed, fonts=()).new_tabletop()
        for card, place in cards[:count]:
            top.lay(top.new_card(card, place))
        return top

    before, after = table(2), table(3)
    pile = [KnownCard(item.card, quad) for item, quad in zip(before.pile.cards, before.pile.quads, strict=True)]
    green, _, red = (
        Sighting(quad, (item.card, WILD), (0.99, 0.005), whole=True)
        for item, quad in zip(after.pile.cards, after.pile.quads, strict=True)
    )
    changed = difference(describe(before.picture, 0.0), describe(after.picture, 1.0))
    pictures = Comparison(before.picture, after.picture)
    scale = changed.shape[1] / before.picture.shape[1]
    judgement = judge(Evidence(pile, [green, red], changed, scale, pictures, np.array([0.95, 0.05])))
    assert (judgement.change, judgement.top) == (Change.LANDED, red)


@pytest.mark.parametrize(("on_top", "change"), [(0.9, Change.LANDED), (0.1, Change.NONE)])
def test_a_copy_of_a_lower_card_has_landed_if_it_lies_on_the_top_now(on_top: float, change: Change) -> None:
    below, top = outline(100, 60), outline(110, 70)
    sightings = [
        Sighting(top + 3, (GREEN_9, RED_7), (0.6, 0.1), whole=True),
        Sighting(below + 8, (RED_7, BLUE_3), (0.99, 0.005), whole=True),
    ]
    chances = np.array([1 - on_top, on_top])
    pile, changed = [KnownCard(RED_7, below), KnownCard(GREEN_9, top)], np.ones((180, 320), np.uint8)
    judgement = judge(Evidence(pile, sightings, changed, 1.0, top_probabilities=chances))
    assert (judgement.change, judgement.top) == (change, sightings[change is Change.LANDED])


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize(("pushed", "change"), [(False, Change.LANDED), (True, Change.NONE)])
def test_a_like_card_has_landed_only_where_the_lower_cards_lie_as_they_did(
    pushed: bool, change: Change, known: int
) -> None:
    """Lower cards count that were only read, as after a gap in the camera's view, and not seen to land."""

    def table(spread: float, *tops: Placement) -> Tabletop:
        top = SimulatedTable(3, fonts=()).new_tabletop()
        for card, x in ((GREEN_9, -spread), (BLUE_3, spread)):
            top.lay(top.new_card(card, Placement(x, 0.0, 0.1)))
        for place in tops:
            top.lay(top.new_card(RED_7, place))
        return top

    old, new = Placement(0.0, 0.0, 0.0), Placement(4.0, -3.0, 0.1)
    before = table(66.0, old)
    after = table(86.0 if pushed else 66.0, old, new)
    pile = [KnownCard(item.card, quad) for item, quad in zip(before.pile.cards, before.pile.quads, strict=True)]
    sightings = [Sighting(after.pile.quads[-1], (RED_7, BLUE_3), (0.99, 0.01), whole=True)]
    changed = difference(describe(before.picture, 0.0), describe(after.picture, 1.0))
    scale = changed.shape[1] / before.picture.shape[1]
    pictures = Comparison(before.picture, after.picture)
    assert judge(Evidence(pile[-known:], sightings, changed, scale, pictures, last_read=pile)).change is change


@pytest.mark.parametrize(("beside", "change"), [(0, Change.LANDED), (25, Change.TAKEN_BACK)])
def test_other_card_was_underneath_only_if_the_known_one_left(beside: int, change: Change) -> None:
    old = outline(100, 60)
    changed = np.zeros((180, 320), np.uint8)
    changed[75:90, 100:160] = 1
    changed[60:150, 100 : 100 + beside] = 1
    sighting = Sighting(old + np.array([beside, 0], np.float32), (BLUE_3, RED_7), (0.99, 0.005), whole=True)
    assert judge(Evidence([KnownCard(RED_7, old)], [sighting], changed, 1.0)).change is change


def test_noise_on_a_low_contrast_face_is_no_repeat_landing() -> None:
    quad = outline(100, 60, 200, 300)
    noise = np.random.default_rng(0).normal(0, 12, (2, 240, 140, 3))

    def picture(grain: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Image:
        image = np.full((420, 400, 3), 60, np.uint8)
        image[60:360, 100:300] = 110
        image[180:240, 160:240] = 122
        image[90:330, 130:270] = np.clip(image[90:330, 130:270] + grain, 0, 255)
        return image

    pictures = Comparison(picture(noise[0]), picture(noise[1]))
    again = quad + np.array([2, 1], np.float32)
    assert pictures.laid_on_like(quad, again) > 0.9
    sightings = [Sighting(again, (RED_7, BLUE_3), (0.99, 0.005), whole=True)]
    changed = np.ones((210, 200), np.uint8)
    assert judge(Evidence([KnownCard(RED_7, quad)], sightings, changed, 0.5, pictures)).change is Change.NONE


@pytest.mark.parametrize(
    ("off", "changed_to", "about", "change"),
    [
        (1, 0.3, False, Change.LANDED),
        (1, 0.05, False, Change.NONE),
        (1, 0.3, True, Change.NONE),
        (6, 0.3, False, Change.NONE),
    ],
)
def test_repeat_landing_needs_change_inside_and_none_around(
    off: int, changed_to: float, about: bool, change: Change
) -> None:
    image = np.random.default_rng(0).integers(0, 255, (24, 32, 3), dtype=np.uint8).repeat(10, axis=0).repeat(10, axis=1)
    quad = outline(100, 60)
    sightings = [Sighting(quad + np.array([off, 0], np.float32), (RED_7, BLUE_3), (0.99, 0.005), whole=True)]
    changed = np.full((240, 320), about, np.uint8)
    changed[66 : 66 + round(90 * changed_to), 100:160] = 1
    pictures = Comparison(image, np.roll(image, off, axis=1))
    judgement = judge(Evidence([KnownCard(RED_7, quad)], sightings, changed, 1.0, pictures))
    assert judgement.change is change
    if change is Change.LANDED:
        assert judgement.landing_probability == 0.3
