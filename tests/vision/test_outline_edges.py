"""An identical card laid almost exactly on another leaves a visible edge; a pushed card moves its edge."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_card import bare_table, outline, with_card

from companion.vision.core.geometry import Image
from companion.vision.pile.outline_comparison import NO_EDGES, edges_between

OLD = outline((320, 240), 4)
NEARBY = [((327, 246), 4), ((312, 244), 10), ((322, 230), -3)]
FARTHER = [((350, 250), 12), ((300, 275), 12), ((325, 285), 12)]


def pile(center: tuple[float, float] = (320, 240), degrees: float = 4.0, under: Image | None = None) -> Image:
    """Return a picture with a red 7 at this place, on the table or on what lies there."""
    return with_card(bare_table() if under is None else under, "red 7", outline(center, degrees))


@pytest.mark.parametrize("light", [1.0, 0.8])
@pytest.mark.parametrize(("center", "degrees"), [*NEARBY, *FARTHER])
def test_a_pushed_card_changes_the_old_edge_more_than_one_laid_on_its_like(
    center: tuple[float, float], degrees: float, light: float
) -> None:
    new = outline(center, degrees)
    laid = np.asarray(pile(center, degrees, under=pile()) * light, np.uint8)
    pushed = np.asarray(pile(center, degrees) * light, np.uint8)
    visible, face, gone, _, edge = edges_between(pile(), laid, OLD, new)
    moved = edges_between(pile(), pushed, OLD, new)
    assert visible > 0.1
    assert face > 0.1  # The new face lies elsewhere.
    assert edge < 0.15 < moved[4]
    assert gone < 0.25
    assert gone <= moved[2]


@pytest.mark.parametrize("light", [1.0, 0.8])
def test_an_untouched_card_changes_nothing(light: float) -> None:
    again = np.asarray(pile() * light, np.uint8)
    _, face, gone, _, edge = edges_between(pile(), again, OLD, outline((324, 243), 4))
    assert max(face, gone, edge) < 0.1


def test_a_hidden_edge_shows_nothing() -> None:
    visible, _, gone, print_there, edge = edges_between(pile(), pile(), OLD, OLD)
    assert visible < 0.15
    assert (gone, print_there, edge) == (0, 0, 0)


def test_pictures_of_different_sizes_are_not_compared() -> None:
    assert edges_between(pile(), pile()[:-20], OLD, OLD) == NO_EDGES
