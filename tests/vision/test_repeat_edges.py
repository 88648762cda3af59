"""An identical card laid almost exactly on another leaves a visible edge; a pushed card moves its edge."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_card import bare_table, outline, with_card

from companion.vision.core.geometry import Image
from companion.vision.pile.outline_comparison import Comparison

OLD = outline((320, 240), 4)
NEARBY = [((327, 246), 4), ((312, 244), 10), ((322, 230), -3)]


def pile(center: tuple[float, float] = (320, 240), degrees: float = 4.0, under: Image | None = None) -> Image:
    """Return a picture with a red 7 at this place, on the table or on what lies there."""
    return with_card(bare_table() if under is None else under, "red 7", outline(center, degrees))


@pytest.mark.parametrize(("center", "degrees"), NEARBY)
def test_an_identical_card_laid_on_its_like_counts_as_laid(center: tuple[float, float], degrees: float) -> None:
    after = pile(center, degrees, under=pile())
    assert Comparison(pile(), after).laid_on_like(OLD, outline(center, degrees)) > 0.9


@pytest.mark.parametrize(("center", "degrees"), NEARBY)
def test_a_pushed_card_does_not_count_as_laid(center: tuple[float, float], degrees: float) -> None:
    assert Comparison(pile(), pile(center, degrees)).laid_on_like(OLD, outline(center, degrees)) == 0.0


@pytest.mark.parametrize("center", [(350, 250), (300, 275), (325, 285)])
def test_a_card_pushed_farther_does_not_count_as_laid(center: tuple[float, float]) -> None:
    assert Comparison(pile(), pile(center, 12)).laid_on_like(OLD, outline(center, 12)) == 0.0


@pytest.mark.parametrize("center", [(350, 250), (300, 275), (325, 285)])
def test_an_identical_card_laid_farther_off_counts_as_laid(center: tuple[float, float]) -> None:
    assert Comparison(pile(), pile(center, 12, under=pile())).laid_on_like(OLD, outline(center, 12)) > 0.9


def test_an_untouched_card_does_not_count_as_laid() -> None:
    assert Comparison(pile(), pile()).laid_on_like(OLD, outline((324, 243), 4)) == 0.0


def test_a_change_of_light_alone_is_no_card() -> None:
    darker = np.asarray(pile() * 0.8, np.uint8)
    assert Comparison(pile(), darker).laid_on_like(OLD, outline((324, 243), 4)) == 0.0


def test_a_card_is_recognised_in_dimmer_light() -> None:
    center, degrees = NEARBY[0]
    after = np.asarray(pile(center, degrees, under=pile()) * 0.8, np.uint8)
    assert Comparison(pile(), after).laid_on_like(OLD, outline(center, degrees)) > 0.9


def test_pictures_of_different_sizes_are_not_compared() -> None:
    assert Comparison(pile(), pile()[:-20]).laid_on_like(OLD, OLD) == 0.0
