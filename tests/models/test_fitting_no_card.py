"""The fit of "not a card of this deck", and what the fusion makes of it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cards import ALL_CARDS, Card
from companion.cli import main
from companion.dataset.others.scenes import Kind
from companion.dataset.scenes.layouts import Layout
from companion.models.fitting import no_card
from companion.models.fitting.no_card import Outline, Sign, checked, fitted
from companion.vision.core.geometry import Quad, corner_frames, unit_square
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.detection.crops import CardPrediction
from companion.vision.imaging.lighting import Light
from companion.vision.recognition.corners import no_card_elsewhere
from companion.vision.recognition.fusion import (
    CORNER_FEATURES,
    OTHER_FEATURES,
    CornerEvidence,
    Evidence,
    FusionModel,
    shipped,
)
from companion.vision.recognition.occluded_cards import OccludedCards
from companion.vision.recognition.reader import Reader

FOLDER = model_folder()
SCALE = MaskedSoftmax(1.0, np.ones(len(ALL_CARDS) + 1, np.bool_))
WHITE = Light(0.7, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.8, 0.5, 0.2)
QUAD = np.asarray(unit_square() * (200, 310), np.float32)


def _logs(chance: float, none: float) -> np.ndarray:
    """A reading with this probability of a red 5, and of no card."""
    row = np.full(len(ALL_CARDS) + 1, np.log((1 - chance - none) / len(ALL_CARDS)))
    row[ALL_CARDS.index(Card.parse("red 5"))] = np.log(chance)
    row[-1] = np.log(none)
    return row


def _outline(rng: np.random.Generator, is_card: bool) -> Outline:
    """A clear middle; the corners of cards read alike, those of other things are no corners."""
    corner = _logs(0.9, 0.001) if is_card else _logs(0.02, rng.uniform(0.9, 0.97))
    evidence = Evidence(QUAD, _logs(0.95, 0.001), np.stack([corner] * 2), (True, True), 0.9, 0, 1, False, WHITE)
    return Outline(evidence, is_card)


def _sign(rng: np.random.Generator, is_index: bool) -> Sign:
    """A clear index; behind it lies a card, or nothing."""
    behind = _logs(0.3, 0.01) if is_index else _logs(0.01, rng.uniform(0.8, 0.98))
    return Sign(CornerEvidence(_logs(0.95, 0.001), behind, int(is_index), is_index, False), is_index)


def _found(seed: int) -> list[Outline | Sign]:
    rng = np.random.default_rng(seed)
    return [one(rng, is_one) for is_one in [True, False] * 150 for one in (_outline, _sign)]


def test_the_fit_separates_other_things_whose_middle_is_read_with_the_same_confidence() -> None:
    result = checked(_found(2), fitted(_found(1), shipped()))
    assert (result.cards.count, result.others.count, result.indices.count, result.other_signs.count) == (150,) * 4
    assert max(result.cards.wrong, result.others.wrong, result.indices.wrong, result.other_signs.wrong) <= 3
    assert "of 150 other things" in str(result)


def test_the_probability_of_no_card_takes_its_share_of_a_confident_reading() -> None:
    found = [one for one in _found(3) if isinstance(one, Outline)]
    is_card = np.array([one.is_card for one in found])
    model = fitted(_found(1), shipped())
    seen = model.sightings([one.evidence for one in found], SCALE)
    assert {one.card.name for one in seen} == {"red 5"}
    sure = np.array([one.confidence for one in seen])
    assert sure[is_card].mean() > 0.9
    assert sure[~is_card].mean() < 0.2
    assert all(sum(one.probabilities) < 0.3 for one, card in zip(seen, is_card, strict=True) if not card)


def test_what_lies_around_a_card_decides_between_cards_that_look_alike() -> None:
    signs = {is_card: [_sign_off(is_card, far) for far in (300.0, 500.0, 700.0)] for is_card in (True, False)}
    rng = np.random.default_rng(1)
    found: list[Outline | Sign] = []
    for is_card in [True, False] * 150:
        one = _outline(rng, True).evidence
        beside = no_card_elsewhere(one.quad, signs[is_card][: int(rng.integers(2, 4))])
        found += [Outline(replace(one, elsewhere=beside), is_card), _sign(rng, is_card)]
    model = fitted(found, shipped())
    card = _outline(rng, True).evidence
    around = [signs[True], signs[False], [*signs[True], *(_sign_off(False, 900.0 + k) for k in range(8))]]
    cards = [replace(card, elsewhere=no_card_elsewhere(QUAD, there)) for there in around]
    beside_cards, beside_others, beside_both = (one.confidence for one in model.sightings(cards, SCALE))
    assert beside_cards > 0.9
    assert beside_others < 0.5
    assert beside_both > 0.5


def test_what_the_card_reader_sees_of_other_makers_cards_counts() -> None:
    rng, found = np.random.default_rng(5), _found(1)
    for is_card in [True, False] * 150:
        evidence = replace(_outline(rng, True).evidence, foreign=rng.normal(-5 if is_card else 3))
        found.append(Outline(evidence, is_card))
    evidence = _outline(rng, True).evidence
    own, another = fitted(found, shipped()).sightings([replace(evidence, foreign=odds) for odds in (-6.0, 4.0)], SCALE)
    assert own.confidence > 0.9 > 0.5 > another.confidence


def test_indices_on_the_card_itself_are_not_around_it() -> None:
    own = Reading(corner_frames(QUAD)[0], _logs(0.9, 0.001).astype(np.float32), SCALE)
    assert no_card_elsewhere(QUAD, []) == no_card_elsewhere(QUAD, [own]) == (0.0, 0.0)
    odds = np.log(0.3 / 0.69)
    for count in (1, 3):
        off = [_sign_off(False, 300.0 + 100 * k) for k in range(count)]
        assert no_card_elsewhere(QUAD, [own, *off]) == pytest.approx((count * odds, count), abs=0.05)
    certain = replace(own, quad=own.quad + 400, logs=np.where(np.arange(57) == 56, 0, -90).astype(np.float32))
    assert no_card_elsewhere(QUAD, [certain]) == (10.0, 1.0)


def _sign_off(is_index: bool, far: float) -> Reading:
    """A clear index, or one that may be none, so far to the right of the card."""
    logs = _logs(0.95, 0.001) if is_index else _logs(0.1, 0.3)
    return Reading(corner_frames(QUAD)[0] + np.float32([far, 0]), logs.astype(np.float32), SCALE)


def test_without_that_fit_nothing_is_another_thing() -> None:
    model = replace(
        fitted(_found(1), shipped()),
        other=FusionModel.never(OTHER_FEATURES),
        other_corner=FusionModel.never(CORNER_FEATURES),
    )
    evidence = [one.evidence for one in _found(4) if isinstance(one, Outline)]
    assert all(sum(one.probabilities) > 0.99 for one in model.sightings(evidence, SCALE))
    assert max(model.corner_other_probabilities([one.evidence for one in _found(4) if isinstance(one, Sign)])) < 0.01


def test_a_corner_without_a_card_behind_it_is_left_out_unless_a_learnt_deck_knows_it() -> None:
    model = fitted(_found(1), shipped())
    hidden = OccludedCards(cast(Reader, _Behind(_logs(0.01, 0.95))), ReadingLimits.load(FOLDER / "limits.json"), model)
    image = np.zeros((900, 900, 3), np.uint8)
    sign = Reading(corner_frames(QUAD)[0], _logs(0.95, 0.001).astype(np.float32), SCALE)
    (seen,) = hidden.find(image, [sign], [], *[[sign]] * 3)
    assert seen.is_probably_no_card
    (learnt,) = hidden.find(image, [replace(sign, membership=1.0)], [], *[[sign]] * 3)
    assert not learnt.is_probably_no_card
    on_card = OccludedCards(cast(Reader, _Behind(_logs(0.3, 0.01))), ReadingLimits.load(FOLDER / "limits.json"), model)
    beside = Sighting(QUAD + 60, (Card.parse("red 1"),), (0.99,), True)
    (own,) = on_card.find(image, [sign], [beside], *[[sign]] * 3)
    assert not own.is_probably_no_card


class _Behind:
    """A card reader that sees the same in every outline."""

    searches_deck = False

    def __init__(self, logs: np.ndarray) -> None:
        self._logs = logs

    def predict_cards(self, image: np.ndarray, quads: list[Quad]) -> list[CardPrediction]:
        return [CardPrediction(quad, self._logs.astype(np.float32), 0.0) for quad in quads]


@pytest.mark.slow
def test_the_command_adds_it_to_the_fusion_and_leaves_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(no_card, "PICTURES", {Layout.SINGLE: 2})
    monkeypatch.setattr(no_card, "OTHERS", (Kind.FRENCH, Kind.CHECKS))
    monkeypatch.setattr(no_card, "DECKS", 1)
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    before = FusionModel.load(tmp_path / "fusion.json")
    result = CliRunner().invoke(main, ["train", "no-card", "--models", str(tmp_path), "--decks", "4"])
    assert result.exit_code == 0, result.output
    assert "taken for no card" in result.output
    after = FusionModel.load(tmp_path / "fusion.json")
    assert not np.array_equal(after.other, before.other)
    assert not np.array_equal(after.other_corner, before.other_corner)
    assert np.array_equal(after.confidence, before.confidence)
    assert np.array_equal(after.light, before.light)
