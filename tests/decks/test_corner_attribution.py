"""Corners on cards of a familiar deck: corners unlike the deck's own are no evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.decks.model.card_views import outline
from companion.vision.core.geometry import corner_frames
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.recognition.corners import merge_duplicates

pytestmark = pytest.mark.slow

ANY = MaskedSoftmax(1.0, np.ones(len(ALL_CARDS) + 1, bool))


def _reads(name: str, chance: float) -> np.ndarray:
    """Return (57,) log-likelihoods of a card; all others are equally likely."""
    logs = np.full(len(ALL_CARDS) + 1, np.log((1 - chance) / len(ALL_CARDS)), np.float32)
    logs[ALL_CARDS.index(Card.parse(name))] = np.log(chance)
    return logs


def _corner(name: str, chance: float, is_out_of_deck: bool = False, end: int = 0) -> Reading:
    return Reading(corner_frames(outline())[end], _reads(name, chance), ANY, is_out_of_deck=is_out_of_deck)


def test_of_two_frames_of_an_index_the_decks_one_counts() -> None:
    well, ill = _corner("green 3", 0.97), _corner("green reverse", 0.4, is_out_of_deck=True)
    for both in ([well, ill], [ill, well]):
        assert merge_duplicates(both) == [well]
    mean = replace(ill, is_out_of_deck=False)
    (result,) = merge_duplicates([well, mean])
    np.testing.assert_allclose(result.logs, (well.logs + mean.logs) / 2)
    (unlike,) = merge_duplicates([ill, replace(ill, logs=well.logs)])
    np.testing.assert_allclose(unlike.logs, (well.logs + ill.logs) / 2)
