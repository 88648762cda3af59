"""What a learnt deck's prototypes add to the reader's output."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.decks.model.decision import shipped_decisions
from companion.decks.model.prototypes import CLASSES, UNNAMED, Prototypes, fit


def test_unlearnt_face_keeps_the_readers_reading() -> None:
    look = Prototypes(np.eye(3, dtype=np.float32)[:2], np.array([0, 1]), np.zeros(3, np.float32), 20.0, 0.05, 0.4, 0.6)
    logs = np.full((3, CLASSES), -9.0, np.float32)
    logs[[0, 1, 2], [2, 1, 2]] = -0.1
    # Half similar to the first learnt face, half similar again, and its exact copy.
    like = [0.55, 0.55, 0.99]
    features = np.array([[a, 0, np.sqrt(1 - a * a)] for a in like], np.float32)
    weighed, membership = look.weigh(logs, features)
    assert weighed.argmax(1).tolist() == [2, 0, 0]
    assert weighed[0].tolist() == logs[0].tolist()
    assert membership[0] == 0 < membership[1] < membership[2]


def test_faint_similarity_in_a_nearly_complete_deck() -> None:
    prototypes, mean = np.eye(3, dtype=np.float32)[:2], np.zeros(3, np.float32)
    logs = np.full((1, CLASSES), -9.0, np.float32)
    # The reader takes the first face for the second one, which it does not resemble, and considers a third.
    logs[0, [0, 1, 2]] = -6.0, -0.1, -2.0
    features = np.array([[0.55, -0.5, np.sqrt(1 - 0.55**2 - 0.25)]], np.float32)
    read = [
        int(
            Prototypes(prototypes, np.array([0, 1]), mean, 10.0, 0.5, 0.4, 0.5, prior).weigh(logs, features)[0].argmax()
        )
        for prior in (0.0, 4.0)
    ]
    assert read == [2, 0]


def test_crop_like_an_unnamed_card_is_a_card_without_name() -> None:
    """The reader decides which of the unnamed cards it is, whatever its best card is."""
    prototypes, mean = np.eye(3, dtype=np.float32)[:2], np.zeros(3, np.float32)
    logs = np.full((2, CLASSES), -9.0, np.float32)
    logs[:, [0, 1, 2]] = -0.1, -4.0, -3.0
    features = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.float32)
    look = Prototypes(prototypes, np.array([0, UNNAMED]), mean, 20.0, 0.1, 0.4, 0.6)
    weighed, membership = look.weigh(logs, features)
    assert weighed.argmax(1).tolist() == [2, 0]
    assert membership.tolist() == [1, 1]
    assert np.exp(weighed).sum(1) == pytest.approx(1)


@pytest.mark.parametrize("right", [True, False])
def test_good_reader_is_left_unchanged(right: bool) -> None:
    rng = np.random.default_rng(4)
    cards = [0, 1, 2, 3] * 2
    features = np.eye(8, dtype=np.float32)[cards][:, None] + rng.normal(0, 0.02, (8, 4, 8)).astype(np.float32)
    logs = np.full((8, 4, CLASSES), -12.0, np.float32)
    for row, card in zip(logs, cards, strict=True):
        row[:, card if right else 5] = -0.001
    look = fit(features, logs, cards, 2, shipped_decisions().card)
    weighed, _ = look.weigh(logs[:, 0], features[:, 0])
    assert weighed.argmax(1).tolist() == cards
    assert np.array_equal(weighed, logs[:, 0]) is right


def test_readings_are_corrected_by_the_decks_confusions() -> None:
    """In a design whose skip shows an S, the reader reports 5 for it as for its 5: then 5 is evidence for neither."""
    rng = np.random.default_rng(4)
    cards = [0, 1, 2, 3] * 2
    shapes = np.eye(8, dtype=np.float32)[:4]
    shapes[1] = shapes[0] + 0.3 * shapes[1]
    features = shapes[cards][:, None] + rng.normal(0, 0.02, (8, 4, 8)).astype(np.float32)
    logs = np.full((8, 4, CLASSES), -9.0, np.float32)
    for row, card in zip(logs, cards, strict=True):
        row[:, max(card, 1)] = -0.01
    look = fit(features, logs, cards, 2, shipped_decisions().card)
    assert look.sharpness > 0
    assert look.confusion is not None
    assert look.confusion[[0, 1], 1] == pytest.approx(0.99, abs=0.01)
    # For cards that were not learnt the reader is assumed right, except for faces and colours that others share.
    assert look.confusion[5, 5] == pytest.approx(0.99, abs=0.01)
    blue_0, blue_1 = (ALL_CARDS.index(Card.parse(name)) for name in ("blue 0", "blue 1"))
    assert Card.parse("red 0") == ALL_CARDS[0]
    assert look.confusion[blue_0, blue_1] == pytest.approx(0.99, abs=0.01)
    assert look.confusion[blue_0, :-1].sum() == pytest.approx(1)
    weighed, _ = look.weigh(logs[:, 0], features[:, 0])
    assert weighed.argmax(1).tolist() == cards
    taken, _ = replace(look, trust=0.5, confusion=None).weigh(logs[:, 0], features[:, 0])
    given, _ = replace(look, trust=0.5).weigh(logs[:, 0], features[:, 0])
    assert taken[0].argmax() == 1 != given[0].argmax() == 0
