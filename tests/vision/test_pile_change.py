"""Changes of a pile inferred from one look, on drawn tables with known cards and exact outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.simulation import SimulatedTable
from companion.dataset.simulated.tabletop import PileCard, Tabletop
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import difference, glance
from companion.vision.pile.features import LOOK, OUTLINE, Evidence, Lying
from companion.vision.pile.outline_comparison import Comparison
from companion.vision.pile.pile_change import Change, ChangeModel, Judgement, Way, hypotheses, judge, shipped
from companion.vision.pile.pile_state import where_seen

RED_7, BLUE_3, GREEN_9 = Card.parse("red 7"), Card.parse("blue 3"), Card.parse("green 9")
WILD, YELLOW_1 = Card.parse("wild"), Card.parse("yellow 1")
WILD_DRAW_FOUR = Card.parse("wild draw four")
FIRST, SECOND, THIRD = Placement(-9.0, 4.0, 0.3), Placement(7.0, 5.0, -0.9), Placement(2.0, -6.0, 1.4)
SEEDS = [3, 4, 5]
# Visible share from which a card is read as whole.
_SEEN = 0.5


def outline(x: float, y: float, width: float = 60, height: float = 90) -> Quad:
    """Return the upright outline of a card whose top left corner lies at (x, y)."""
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)


def table(seed: int, *cards: tuple[Card, Placement]) -> Tabletop:
    """Return a table with these cards, lowest first."""
    top = SimulatedTable(seed, fonts=()).new_tabletop()
    for card, place in cards:
        top.lay(top.new_card(card, place))
    return top


def seen(top: Tabletop) -> list[Sighting]:
    """Return the cards that are mostly visible."""
    counts = np.bincount(top.pile.owner.ravel() + 1, minlength=len(top.pile.cards) + 1)[1:]
    most = counts.max(initial=1)
    return [
        Sighting(quad, (item.card, WILD if item.card != WILD else RED_7), (0.99, 0.005), whole=True)
        for item, quad, count in zip(top.pile.cards, top.pile.quads, counts, strict=True)
        if count >= _SEEN * most
    ]


def look(
    before: Tabletop, after: Tabletop, sightings: Sequence[Sighting] | None = None, light: float = 1.0
) -> Evidence:
    """Return a look at the second table after the first one was known, filmed with noise and in another light."""
    rng = np.random.default_rng(1)
    images = [
        np.clip(top.picture * gain + rng.normal(0, 2, top.picture.shape), 0, 255).astype(np.uint8)
        for top, gain in ((before, 1.0), (after, light))
    ]
    known = [Lying(item.card, quad) for item, quad in zip(before.pile.cards, before.pile.quads, strict=True)]
    there = seen(after) if sightings is None else list(sightings)
    changed = difference(glance(images[0], 0.0), glance(images[1], 1.0))
    last = np.array([float(intersection_over_union(s.quad, after.pile.quads[-1]) > 0.9) for s in there])
    tops = np.clip(last, 0.02, 0.95)
    return Evidence(known, there, changed, changed.shape[1] / images[0].shape[1], Comparison(*images), lambda: tops)


def judged(before: Tabletop, after: Tabletop, light: float = 1.0) -> Judgement:
    return judge(look(before, after, light=light), shipped())


def rearranged(top: Tabletop, *items: PileCard) -> Tabletop:
    top.arrange(items)
    return top


def moved(item: PileCard, dx: float, dy: float, turn: float) -> PileCard:
    at = item.placement
    return replace(item, placement=Placement(at.x + dx, at.y + dy, at.angle + turn))


@pytest.mark.parametrize("light", [1.0, 0.7])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_that_was_laid_has_landed(seed: int, light: float) -> None:
    pile = (BLUE_3, FIRST), (GREEN_9, SECOND)
    judgement = judged(table(seed, *pile), table(seed, *pile, (RED_7, THIRD)), light)
    assert (judgement.change, judgement.left) == (Change.LANDED, 2)
    assert judgement.top is not None
    assert judgement.top.card == RED_7
    assert judgement.belief > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_a_like_card_laid_elsewhere_has_landed(seed: int) -> None:
    pile = (BLUE_3, FIRST), (RED_7, SECOND)
    judgement = judged(table(seed, *pile), table(seed, *pile, (RED_7, Placement(-12.0, -10.0, 0.8))))
    assert judgement.change is Change.LANDED


@pytest.mark.parametrize("light", [1.0, 0.7])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_untouched_pile_has_not_changed(seed: int, light: float) -> None:
    pile = (BLUE_3, FIRST), (GREEN_9, SECOND)
    assert judged(table(seed, *pile), table(seed, *pile), light).change is Change.NONE


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_that_was_taken_back_reveals_the_one_below(seed: int) -> None:
    pile = (BLUE_3, FIRST), (GREEN_9, SECOND)
    judgement = judged(table(seed, *pile, (RED_7, THIRD)), table(seed, *pile))
    assert (judgement.change, judgement.left) == (Change.TAKEN_BACK, 2)
    assert judgement.top is not None
    assert judgement.top.card == GREEN_9


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [1, 3], ids=["its top card", "all of it"])
def test_a_pile_that_was_pushed_has_moved(seed: int, count: int) -> None:
    pile = (BLUE_3, FIRST), (GREEN_9, SECOND), (RED_7, THIRD)
    after = table(seed, *pile)
    cards = after.pile.cards
    pushed = (*cards[:-count], *(moved(item, 14.0, 9.0, 0.15) for item in cards[-count:]))
    judgement = judged(table(seed, *pile), rearranged(after, *pushed))
    assert judgement.change is Change.MOVED
    assert judgement.top is not None
    assert judgement.top.card == RED_7


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [1, 2, 3], ids=["its top card", "both like cards", "all of it"])
def test_a_pushed_card_is_no_new_one_beside_its_like(seed: int, count: int) -> None:
    """The card below it has the same face, is open too and may have moved as well."""
    pile = (BLUE_3, FIRST), (WILD_DRAW_FOUR, Placement(-16.0, 8.0, 0.3)), (WILD_DRAW_FOUR, Placement(20.0, -12.0, -0.6))
    after = table(seed, *pile)
    cards = after.pile.cards
    pushed = (*cards[:-count], *(moved(item, -16.0, -10.0, 0.2) for item in cards[-count:]))
    evidence = look(table(seed, *pile), rearranged(after, *pushed))
    judgement = judge(evidence, shipped())
    assert [s.card for s in evidence.sightings][-2:] == [WILD_DRAW_FOUR, WILD_DRAW_FOUR]
    assert (judgement.change, judgement.top) == (Change.MOVED, evidence.sightings[-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bare_table_means_that_the_pile_is_gone(seed: int) -> None:
    assert judged(table(seed, (BLUE_3, FIRST), (GREEN_9, SECOND)), table(seed)).change is Change.GONE


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missed_top_card_in_an_unchanged_picture_is_still_there(seed: int) -> None:
    top = table(seed, (BLUE_3, FIRST), (GREEN_9, SECOND))
    judgement = judge(look(top, table(seed, (BLUE_3, FIRST), (GREEN_9, SECOND)), []), shipped())
    assert judgement.change is Change.NONE


@pytest.mark.parametrize("seed", SEEDS)
def test_a_covered_card_that_is_read_as_well_has_not_landed(seed: int) -> None:
    """It lies where it did, and the picture is unchanged there."""
    pile = (BLUE_3, FIRST), (GREEN_9, SECOND)
    before, after = table(seed, *pile), table(seed, *pile, (RED_7, THIRD))
    sightings = [
        Sighting(quad, (item.card,), (0.98,), whole=True)
        for item, quad in zip(after.pile.cards, after.pile.quads, strict=True)
    ]
    judgement = judge(look(before, after, sightings), shipped())
    assert judgement.top is sightings[-1]


def test_a_card_that_was_there_before_is_no_first_landing() -> None:
    """Nothing was known of the pile, as if a back of the draw pile had been read as a face."""
    sighting = Sighting(outline(100, 60), (RED_7,), (0.99,), whole=True)
    changed = np.zeros((180, 320), np.uint8)
    assert judge(Evidence([], [sighting], changed, 1.0), shipped()).change is Change.NONE
    changed[60:150, 100:160] = 1
    judgement = judge(Evidence([], [sighting], changed, 1.0), shipped())
    assert (judgement.change, judgement.top) == (Change.LANDED, sighting)


def test_each_outline_may_be_new_the_top_or_revealed() -> None:
    sightings = [
        Sighting(outline(100, 60), (RED_7,), (0.99,), whole=True),
        Sighting(outline(130, 70), (BLUE_3,), (0.99,), whole=True),
        Sighting(outline(20, 20), (GREEN_9,), (0.9,), whole=False),
    ]
    known = [Lying(BLUE_3, outline(132, 72)), Lying(RED_7, outline(98, 60))]
    found = hypotheses(Evidence(known, sightings, np.zeros((180, 320), np.uint8), 1.0))
    ways = [(one.way, None if one.outline is None else one.outline.card) for one in found]
    assert ways[:3] == [(Way.UNCHANGED, None), (Way.HIDDEN, None), (Way.GONE, None)]
    assert set(ways[3:]) == {
        (Way.LANDED, RED_7),
        (Way.TOP, RED_7),
        (Way.MISREAD, RED_7),
        (Way.LANDED, BLUE_3),
        (Way.REVEALED, BLUE_3),
        (Way.CORNER, GREEN_9),
    }


def test_features_have_names() -> None:
    evidence = look(table(3, (BLUE_3, FIRST)), table(3, (BLUE_3, FIRST), (RED_7, THIRD)))
    assert len(evidence.values) == len(LOOK)
    assert all(len(one.values) == len(OUTLINE) for one in evidence.whole)
    named = dict(zip(OUTLINE, evidence.whole[-1].values, strict=True))
    assert named["change"] > 0.3
    assert named["face of the top"] == 0
    assert 0 < named["overlap with the top"] < 0.9


def test_a_card_that_was_only_read_counts_as_one_below() -> None:
    """As after a gap in the camera's view: it was not seen to land."""
    sighting = Sighting(outline(130, 70), (BLUE_3,), (0.99,), whole=True)
    top, other = Lying(RED_7, outline(98, 60)), Lying(BLUE_3, outline(132, 72))
    evidence = Evidence([top], [sighting], np.zeros((180, 320), np.uint8), 1.0, others=[top, other])
    overlap, left = evidence.whole[0].below
    assert overlap > 0.8
    assert left == 0


def test_the_most_probable_hypothesis_is_reported() -> None:
    class Certain(ChangeModel):
        def of_features(self, ways: Sequence[Way], outlines: np.ndarray, look: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
            return np.array([0.7 if way is Way.CORNER else 0.3 / (len(ways) - 1) for way in ways])

    corner = Sighting(outline(20, 20), (GREEN_9,), (0.9,), whole=False)
    evidence = Evidence([Lying(RED_7, outline(98, 60))], [corner], np.zeros((180, 320), np.uint8), 1.0)
    judgement = judge(evidence, Certain(shipped().outline, shipped().look))
    assert (judgement.change, judgement.top, judgement.belief) == (Change.UNCLEAR, corner, 0.7)


def test_cards_pushed_from_under_a_new_one_keep_their_new_place() -> None:
    def seen(card: Card, x: float, y: float, whole: bool = True) -> Sighting:
        return Sighting(outline(x, y), (card, WILD), (0.99, 0.005), whole)

    pile = [Lying(GREEN_9, outline(40, 40)), Lying(BLUE_3, outline(150, 90)), Lying(RED_7, outline(100, 60))]
    sightings = [
        seen(RED_7, 100, 60),
        seen(BLUE_3, 165, 100),
        seen(GREEN_9, 42, 41),
        seen(GREEN_9, 60, 40, whole=False),
    ]
    green, blue, red = where_seen(pile, sightings)
    assert (blue.quad == outline(165, 100)).all()
    # An outline that differs little, or that only an index supports, is no better than the known one.
    assert (green.quad == outline(40, 40)).all()
    assert (red.quad == outline(100, 60)).all()
    (_, elsewhere, _) = where_seen(pile, [seen(BLUE_3, 190, 150)])
    assert (elsewhere.quad == outline(150, 90)).all()
