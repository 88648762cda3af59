"""What a learnt deck's prototypes add to the reader's output."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks.model.decision import shipped_decisions
from companion.decks.model.open_set import OpenSetModel
from companion.decks.model.prototypes import CLASSES, UNNAMED, Prototypes, fit

APART = OpenSetModel(20.0, 0.0, -15.0)


def test_unlearnt_face_keeps_the_readers_reading() -> None:
    look = Prototypes(np.eye(3, dtype=np.float32)[:2], np.array([0, 1]), np.zeros(3, np.float32), APART, False)
    logs = np.full((2, CLASSES), -9.0, np.float32)
    logs[:, 2] = -0.1
    # Half similar to the first learnt face, and its exact copy.
    features = np.array([[a, 0, np.sqrt(1 - a * a)] for a in (0.55, 0.99)], np.float32)
    weighed, membership = look.combine(logs, features)
    assert weighed.argmax(1).tolist() == [2, 0]
    assert membership[0] == 0 < membership[1]


def test_crop_like_an_unnamed_card_is_a_card_without_name() -> None:
    """The reader decides which of the unnamed cards it is, whatever its best card is."""
    prototypes, mean = np.eye(3, dtype=np.float32)[:2], np.zeros(3, np.float32)
    logs = np.full((2, CLASSES), -9.0, np.float32)
    logs[:, [0, 1, 2]] = -0.1, -4.0, -3.0
    features = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.float32)
    look = Prototypes(prototypes, np.array([0, UNNAMED]), mean, APART)
    weighed, membership = look.combine(logs, features)
    assert weighed.argmax(1).tolist() == [2, 0]
    assert (membership > 0.95).all()
    assert np.exp(weighed).sum(1) == pytest.approx(1)


@pytest.mark.parametrize("right", [True, False])
def test_good_reader_is_left_unchanged(right: bool) -> None:
    rng = np.random.default_rng(4)
    cards = [0, 1, 2, 3] * 2
    features = np.eye(8, dtype=np.float32)[cards][:, None] + rng.normal(0, 0.02, (8, 4, 8)).astype(np.float32)
    logs = np.full((8, 4, CLASSES), -12.0, np.float32)
    for row, card in zip(logs, cards, strict=True):
        row[:, card if right else 5] = -0.001
    look = fit(features, logs, cards, shipped_decisions().card)
    weighed, _ = look.combine(logs[:, 0], features[:, 0])
    assert weighed.argmax(1).tolist() == cards
    assert np.array_equal(weighed, logs[:, 0]) is right


def test_faces_that_a_reader_confuses_are_told_apart_by_similarity() -> None:
    """In a design whose skip shows an S, the reader reports 5 for it as for its 5."""
    rng = np.random.default_rng(4)
    cards = [0, 1, 2, 3] * 2
    shapes = np.eye(8, dtype=np.float32)[:4]
    shapes[1] = shapes[0] + 0.3 * shapes[1]
    features = shapes[cards][:, None] + rng.normal(0, 0.02, (8, 4, 8)).astype(np.float32)
    logs = np.full((8, 4, CLASSES), -9.0, np.float32)
    for row, card in zip(logs, cards, strict=True):
        row[:, max(card, 1)] = -0.01
    look = fit(features, logs, cards, shipped_decisions().card)
    assert look.identifies
    assert look.combine(logs[:, 0], features[:, 0])[0].argmax(1).tolist() == cards
