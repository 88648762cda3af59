"""Comparison of two cards by their pictures alone: pushed, identical, or different."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.simulation import SimulatedTable
from companion.dataset.simulated.tabletop import PileCard, Tabletop
from companion.vision.core.geometry import Image, Quad, expand
from companion.vision.pile.outline_comparison import Comparison

RED_7 = Card.parse("red 7")
OFF = Placement(3.0, -2.5, 0.12)


def pile(seed: int) -> Tabletop:
    """Return a table with a tidy pile of three cards, a red 7 on top."""
    top = SimulatedTable(seed, fonts=()).new_tabletop()
    for name, angle in (("blue 3", 0.2), ("green 9", -0.2), ("red 7", 0.0)):
        top.lay(top.new_card(Card.parse(name), Placement(0.0, 0.0, angle)))
    return top


def filmed(before: Tabletop, after: Tabletop, light: float = 1.0) -> tuple[Comparison, Quad, Quad]:
    """Return two tables, filmed with noise of their own, the second in another light, and their top cards' outlines."""
    rng = np.random.default_rng(5)

    def film(image: Image, light: float) -> Image:
        return np.asarray(np.clip(image * light + rng.normal(0, 3, image.shape), 0, 255), np.uint8)

    quads = [top.pile.quads[-1] + rng.normal(0, 0.7, (4, 2)).astype(np.float32) for top in (before, after)]
    return Comparison(film(before.picture, 1.0), film(after.picture, light)), quads[0], quads[1]


def likelihood(before: Tabletop, after: Tabletop, light: float = 1.0) -> float:
    comparison, old, new = filmed(before, after, light)
    return comparison.laid_on_like(old, new)


def moved(item: PileCard) -> PileCard:
    return replace(item, placement=OFF)


@pytest.mark.slow
@pytest.mark.parametrize("light", [1.0, 0.7])
def test_a_like_card_mostly_leaves_the_rim_of_the_one_under_it(light: float) -> None:
    reported = 0
    for seed in range(8):
        after = pile(seed)
        after.lay(after.new_card(RED_7, OFF))
        reported += likelihood(pile(seed), after, light) > 0.0
    # Some rims are too like the card beside them.
    assert reported >= 5


def test_a_like_card_is_reported_though_its_face_is_half_black_and_half_white() -> None:
    def lay(image: Image, angle: float) -> Quad:
        middle = (200.0, 200.0)
        for width, height, tone in ((160, 250, 245), (116, 176, 20)):
            box = cv2.boxPoints((middle, (width, height), angle))
            cv2.fillConvexPoly(image, np.round(box * 16).astype(np.int32), (tone, tone, tone), cv2.LINE_AA, 4)
        return np.asarray(cv2.boxPoints((middle, (160, 250), angle)), np.float32)

    before = np.full((400, 400, 3), 120, np.uint8)
    old = lay(before, 0.0)
    after = before.copy()
    new = lay(after, 14.0)
    assert Comparison(before, after).laid_on_like(old, new) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [1, 3], ids=["its top card", "all of it"])
def test_a_card_is_never_sure_to_have_been_laid_where_one_was_pushed(seed: int, count: int) -> None:
    after = pile(seed)
    cards = after.pile.cards
    after.arrange((*cards[:-count], *map(moved, cards[-count:])))
    assert likelihood(pile(seed), after) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_face_gone_means_pushed_with_oversized_outlines(seed: int) -> None:
    after = pile(seed)
    cards = after.pile.cards
    after.arrange((*cards[:-1], moved(cards[-1])))
    comparison, old, new = filmed(pile(seed), after)
    assert comparison.laid_on_like(expand(old, 0.05), expand(new, 0.05)) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_card_left_alone_is_no_other_one(seed: int) -> None:
    assert likelihood(pile(seed), pile(seed)) == 0.0
    assert likelihood(pile(seed), pile(seed), light=0.7) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("light", [1.0, 0.6])
def test_a_card_that_was_pushed_looks_like_itself_and_a_wild_does_not(light: float) -> None:
    for seed in range(8):
        pushed, wild = pile(seed), pile(seed)
        pushed.arrange((*pushed.pile.cards[:-1], moved(pushed.pile.cards[-1])))
        wild.lay(wild.new_card(Card.parse("wild"), OFF))
        for after, alike in ((pushed, True), (wild, False)):
            comparison, old, new = filmed(pile(seed), after, light)
            assert (comparison.similarity(old, new) > 0.6) is alike, seed
