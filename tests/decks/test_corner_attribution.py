"""Corners on cards of a familiar deck: corners unlike the deck's own are no evidence."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import MagicMock

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.decks.model.card_views import outline
from companion.vision.core.geometry import corner_frames
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import Reading, Scale
from companion.vision.core.runtime import model_folder
from companion.vision.recognition.assembly import Assembler
from companion.vision.recognition.corners import apart

pytestmark = pytest.mark.slow

ANY = Scale(1.0, np.ones(len(ALL_CARDS) + 1, bool))


def _reads(name: str, chance: float) -> np.ndarray:
    """Return (57,) log-likelihoods of a card; all others are equally likely."""
    logs = np.full(len(ALL_CARDS) + 1, np.log((1 - chance) / len(ALL_CARDS)), np.float32)
    logs[ALL_CARDS.index(Card.parse(name))] = np.log(chance)
    return logs


def _card(chance: float, membership: float, is_confirmed: bool = False) -> Reading:
    return Reading(outline(), _reads("yellow 7", chance), ANY, membership, is_confirmed=is_confirmed)


def _corner(name: str, chance: float, is_out_of_deck: bool = False, end: int = 0) -> Reading:
    return Reading(corner_frames(outline())[end], _reads(name, chance), ANY, is_out_of_deck=is_out_of_deck)


@pytest.fixture
def assembler() -> Assembler:
    return Assembler(MagicMock(seeks=False), ReadingLimits.load(model_folder() / "limits.json"))


@pytest.mark.parametrize(
    ("membership", "is_out_of_deck", "others"), [(0.9, True, 0), (0.9, False, 1), (0.0, True, 1), (0.0, False, 1)]
)
def test_corner_unlike_the_decks_belongs_to_its_card(
    assembler: Assembler, membership: float, is_out_of_deck: bool, others: int
) -> None:
    corner = _corner("green 1", 0.9, is_out_of_deck)
    assert len(assembler._unclaimed([corner], [_card(0.75, membership)])) == others


@pytest.mark.parametrize(
    ("corner", "is_confirmed", "others"), [("yellow 1", True, 0), ("green 1", True, 1), ("yellow 1", False, 1)]
)
def test_card_read_by_both_owns_a_misread_corner_of_its_color(
    assembler: Assembler, corner: str, is_confirmed: bool, others: int
) -> None:
    """A corner of another colour belongs to a neighbour in the hand."""
    card = _card(0.99, 0.0, is_confirmed)
    assert len(assembler._unclaimed([_corner(corner, 0.9)], [card])) == others


@pytest.mark.parametrize(("membership", "counts"), [(0.9, False), (0.0, True)])
def test_corner_unlike_the_decks_is_no_evidence_for_its_card(
    assembler: Assembler, membership: float, counts: bool
) -> None:
    card = _card(0.75, membership)
    assembler._reader.read_cards.return_value = [card]
    (result,) = assembler._whole_cards(
        np.zeros((520, 400, 3), np.uint8), [(outline(), 0.9)], [_corner("yellow 1", 0.7, True)]
    )
    assert (result.confidence != card.confidence) is counts


def test_of_two_frames_of_an_index_the_decks_one_counts() -> None:
    well, ill = _corner("green 3", 0.97), _corner("green reverse", 0.4, is_out_of_deck=True)
    for both in ([well, ill], [ill, well]):
        assert apart(both) == [well]
    mean = replace(ill, is_out_of_deck=False)
    (result,) = apart([well, mean])
    np.testing.assert_allclose(result.logs, (well.logs + mean.logs) / 2)
    (unlike,) = apart([ill, replace(ill, logs=well.logs)])
    np.testing.assert_allclose(unlike.logs, (well.logs + ill.logs) / 2)


@pytest.mark.parametrize(("overrides_networks", "counts"), [(False, True), (True, False)])
def test_low_score_box_must_be_read_by_the_networks(
    assembler: Assembler, overrides_networks: bool, counts: bool
) -> None:
    corner = replace(_corner("green 7", 0.78), overrides_networks=overrides_networks)
    assert assembler._is_worth_a_card(corner) is counts
