"""Comparison of two cards by their pictures alone: pushed, identical, or different."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.simulation import SimulatedTable
from companion.dataset.simulated.tabletop import PileCard, Tabletop
from companion.vision.core.geometry import Image, Quad
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


def moved(item: PileCard) -> PileCard:
    return replace(item, placement=OFF)


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
