"""Drawn pictures of things that are no card of the deck."""

from __future__ import annotations

import numpy as np
import pytest

from companion.dataset.artist.drawing.fonts import system_fonts
from companion.dataset.others import cards, prints
from companion.dataset.others.scenes import Kind, other_scenes


@pytest.mark.parametrize(
    "draw",
    [
        *(cards.french_card, cards.picture_card, cards.number_card, cards.word_card, cards.domino, cards.tile),
        *(prints.checkered_board, prints.track_board, prints.diagram, prints.screen, prints.cover),
        *(prints.logo, prints.token),
    ],
    ids=lambda draw: draw.__name__,
)
def test_things_differ_from_each_other_and_show_something(draw: cards.Artist) -> None:
    things = [draw(np.random.default_rng(seed), system_fonts()) for seed in range(6)]
    for thing in things:
        height, width = thing.art.shape[:2]
        assert thing.art[height // 2, width // 2, 3] == 255
        assert thing.art[..., :3][thing.art[..., 3] > 0].std() > 4
        assert width / height == pytest.approx(thing.size[0] / thing.size[1], rel=0.05)
    assert len({thing.art.tobytes() for thing in things}) == len(things)


def test_every_kind_of_picture_is_drawn_once_without_a_card_and_again_the_same() -> None:
    kinds = [Kind.FRENCH, Kind.BACKS, Kind.CHECKS]
    one, other = (list(other_scenes([3], 9, kinds)) for _ in range(2))
    assert [scene.kind for scene in one] == kinds
    assert all(scene.cards == () and scene.image.shape == (720, 1280, 3) for scene in one)
    assert all(np.array_equal(a.image, b.image) for a, b in zip(one, other, strict=True))
    (next_one,) = other_scenes([4], 9, kinds[:1])
    assert not np.array_equal(next_one.image, one[0].image)
