"""Detection of wrong and swapped labels in a learnt deck."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks.labels.label_swaps import without_swapped_names
from companion.decks.model.card_views import CardViews
from companion.decks.model.prototypes import CLASSES, UNNAMED
from companion.decks.service.build import without_refuted_names


def _views(shows: int, says: int, rng: np.random.Generator) -> CardViews:
    """Return the views of a card that the reader takes for the given, possibly different, card."""
    features = (np.eye(8)[shows] + rng.normal(0, 0.05, (6, 8))).astype(np.float32)
    logs = np.full((6, CLASSES), -12.0, np.float32)
    logs[:, says] = -0.01
    return CardViews(features, logs, features, logs, features[None, :0], logs[None, :0])


@pytest.mark.parametrize("agrees", [True, False])
def test_name_is_refuted_by_reader_and_similarity_together(agrees: bool) -> None:
    rng = np.random.default_rng(2)
    shown = [0, 1, 2, 3] * 2
    views = [_views(card, card if agrees else 5, rng) for card in shown]
    named = [3, *shown[1:]]
    assert without_refuted_names(views, named) == ([UNNAMED, *shown[1:]] if agrees else named)
    assert without_refuted_names(views, shown) == shown


@pytest.mark.parametrize("says_of_third", [0, 2])
def test_swapped_names_are_refuted_by_the_reader(says_of_third: int) -> None:
    rng = np.random.default_rng(2)
    shown = [0, 1, 2, 3] * 2
    # The third card may be read as the first one without being part of a swap.
    views = [_views(card, says_of_third if card == 2 else card, rng) for card in shown]
    assert without_swapped_names(views, shown) == shown
    exchanged = [{0: 1, 1: 0}.get(card, card) for card in shown]
    third = 2 if says_of_third == 2 else 0
    views = [_views(card, third if card == 2 else card, rng) for card in shown]
    assert without_swapped_names(views, exchanged) == [UNNAMED if card < 2 else card for card in shown]


@pytest.mark.parametrize("right", [1, 8])
def test_confirmed_names_stay_in_a_cycle_of_wrong_ones(right: int) -> None:
    rng = np.random.default_rng(2)
    shown = [0, 1, 2, 3] * 12 + [0] * right
    ring = [{0: 1, 1: 2, 2: 0}.get(card, card) for card in shown[:48]] + shown[48:]
    views = [_views(card, card, rng) for card in shown]
    # Labels the reader often confirms were not swapped.
    doubted = [UNNAMED if card < 3 else 3 for card in ring[:48]] if right == 1 else ring[:48]
    assert without_swapped_names(views, ring) == doubted + shown[48:]
