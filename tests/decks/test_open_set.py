"""Incomplete decks: faces that were not learnt are read as without the deck, and no learnt face gains from them."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks.model.open_set import OpenSetModel
from companion.decks.model.prototypes import CLASSES, NOTHING, Prototypes
from companion.vision.core.geometry import unit_square
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.detection.deck_protocol import PictureMatch, add_picture_evidence

pytestmark = pytest.mark.slow

LAID = np.array([0, 1])
UNLEARNT = np.arange(2, NOTHING)


def _read(best: int, chance: float) -> Floats:
    """Return (1, 57) log-likelihoods of a reader with this confidence in one card, equal for all others."""
    logs = np.full((1, CLASSES), np.log((1 - chance) / (CLASSES - 1)), np.float32)
    logs[0, best] = np.log(chance)
    return logs


@pytest.mark.parametrize(("like", "nats"), [(0.8, -1.0), (0.99, 0.9), (0.4, -np.log(49))])
def test_similarity_decides_membership_and_reader_the_face(like: float, nats: float) -> None:
    """Similarity counts at most as much as one outlier in fifty allows: 49 to 1."""
    weighed, membership = _weighed(OpenSetModel(10.0, 0.0, -9.0), like, 5)
    chances = np.exp(weighed)
    assert chances.sum() == pytest.approx(1, abs=1e-4)
    assert chances[LAID].sum() / chances[UNLEARNT].sum() == pytest.approx(np.exp(nats), rel=1e-3)
    plain = np.exp(log_softmax(_read(5, 0.96)[:, UNLEARNT]))[0]
    assert chances[UNLEARNT] / chances[UNLEARNT].sum() == pytest.approx(plain, rel=1e-3)
    assert chances[0] > 100 * chances[1]
    # A card read as a face that was not learnt has no membership.
    assert (membership > 0) == (nats > 0)


def test_good_reader_separates_unlearnt_similar_faces() -> None:
    apart = OpenSetModel(10.0, 1.0, -9.0)
    said_unlaid, _ = _weighed(apart, 0.95, 5)
    said_laid, _ = _weighed(apart, 0.95, 0)
    assert said_unlaid[:NOTHING].argmax() == 5
    assert said_laid[:NOTHING].argmax() == 0


def test_open_set_odds_are_fitted_to_copies_and_others() -> None:
    spread = np.linspace(-2, 2, 401).astype(np.float32) * 0.05
    silent = np.zeros_like(spread)
    apart = OpenSetModel.of(_rows(0.9 + spread, silent), _rows(0.6 + spread, silent))
    odds = apart.odds(np.array([0.75, 0.95, 0.55], np.float32), np.zeros(3, np.float32))
    assert odds == pytest.approx([0, np.log(49), -np.log(49)], abs=0.1)
    # If others are as similar as copies, similarity is no evidence; neither is evidence for the wrong side.
    for copies, others in ((0.7, 0.7), (0.6, 0.9)):
        alike = OpenSetModel.of(_rows(copies + spread, silent), _rows(others + spread, silent))
        assert alike.odds(np.array([0.4, 0.9], np.float32), np.zeros(2, np.float32)) == pytest.approx([0, 0], abs=0.02)
    # A reader that was right on both sides decides where similarity does not; one that was wrong on both does not.
    right = OpenSetModel.of(_rows(0.7 + spread, 3 + spread), _rows(0.7 + spread, -3 + spread))
    assert right.odds(np.array([0.7], np.float32), np.array([-4.0], np.float32))[0] < -2
    wrong = OpenSetModel.of(_rows(0.7 + spread, -3 + spread), _rows(0.7 + spread, 3 + spread))
    assert wrong.trust == 0


def _rows(similarity: Floats, said: Floats) -> Floats:
    return np.stack([similarity, said], 1).astype(np.float32)


def _weighed(apart: OpenSetModel, like: float, said: int) -> tuple[Floats, float]:
    """Return (57,) the log-likelihoods of a card this similar to the first learnt face, read as another one, and its
    membership.
    """
    prototypes, mean = np.eye(3, dtype=np.float32)[:2], np.zeros(3, np.float32)
    look = Prototypes(prototypes, LAID, mean, apart, False)
    weighed, membership = look.combine(_read(said, 0.96), np.array([[like, 0, np.sqrt(1 - like**2)]], np.float32))
    return weighed[0], float(membership[0])


@pytest.mark.parametrize("best", [0, 1])
def test_pictures_separate_learnt_faces_only(best: int) -> None:
    read = np.full(CLASSES, np.log(0.04 / (CLASSES - 3)), np.float32)
    read[[0, 1, 5]] = np.log([0.3, 0.26, 0.4])
    pictures = np.full(CLASSES, -9.0, np.float32)
    pictures[best] = 0.0
    whole = np.ones((12, 8), bool)
    chances = np.exp(add_picture_evidence(read, PictureMatch(unit_square(), pictures, whole, UNLEARNT)))
    own = np.exp(read)
    assert chances[UNLEARNT].sum() / chances[LAID].sum() == pytest.approx(
        own[UNLEARNT].sum() / own[LAID].sum(), rel=1e-3
    )
    assert chances[best] / chances[LAID].sum() > 0.99
    complete = np.exp(add_picture_evidence(read, PictureMatch(unit_square(), pictures, whole)))
    assert complete[best] > 0.99
