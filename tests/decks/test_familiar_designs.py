"""Designs that the networks read well without the deck, so that no search by picture is needed."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks.model.card_views import UPRIGHT, CardViews
from companion.decks.model.prototypes import CLASSES
from companion.decks.service.build import is_familiar
from companion.vision.core.labels import Floats

pytestmark = pytest.mark.slow

_CARDS = 40


def _logs(views: int, card: int, misread: bool) -> Floats:
    says = np.full((views, CLASSES), -9.0, np.float32)
    says[:, card + misread] = 0
    return says


def _views(card: int, whole: bool, index: bool) -> CardViews:
    return CardViews(
        np.zeros((2, 2), np.float32),
        _logs(2, card, not whole),
        np.zeros((UPRIGHT.stop, 2), np.float32),
        _logs(UPRIGHT.stop, card, not index),
    )


@pytest.mark.parametrize(
    ("whole", "index", "known"),
    [(1.0, 0.9, True), (0.95, 0.9, True), (1.0, 0.6, True), (0.95, 0.1, False), (0.75, 1.0, False), (0.0, 0.0, False)],
)
def test_familiarity_depends_on_whole_cards_and_indices(whole: float, index: float, known: bool) -> None:
    views = [_views(card, card < whole * _CARDS, card < index * _CARDS) for card in range(_CARDS)]
    assert is_familiar(views, list(range(_CARDS))) is known


@pytest.mark.parametrize(
    ("whole", "index", "known"), [(0.5, 0.9, True), (0.5, 0.7, False), (0.9, 0.5, False), (0.975, 0.1, True)]
)
def test_for_incomplete_decks_indices_or_cards_suffice(whole: float, index: float, known: bool) -> None:
    views = [_views(card, card < whole * _CARDS, card < index * _CARDS) for card in range(_CARDS)]
    assert is_familiar(views, list(range(_CARDS)), doubtful=True) is known
    assert not is_familiar(views, list(range(_CARDS)))
