"""Network outputs as probabilities over cards."""

from __future__ import annotations

import numpy as np

from companion.cards import ALL_CARDS, Card, Color, Face
from companion.vision.core import labels


def test_a_clear_face_and_colour_make_the_card() -> None:
    for card in ALL_CARDS:
        face = np.full((1, labels.FACE_COUNT), -9, np.float32)
        color = np.full((1, labels.COLOR_COUNT), -9, np.float32)
        face[0, labels.face_class(card.face)] = 9
        color[0, labels.color_class(card.color)] = 9
        logs = labels.card_log_likelihoods(face, color)
        assert logs.shape == (1, len(ALL_CARDS) + 1)
        assert ALL_CARDS[int(logs[0].argmax())] == card


def test_no_card_is_the_last_column_and_needs_no_colour() -> None:
    face = np.zeros((1, labels.FACE_COUNT), np.float32)
    face[0, labels.NO_CARD] = 20
    logs = labels.card_log_likelihoods(face, np.zeros((1, labels.COLOR_COUNT), np.float32))
    assert int(logs[0].argmax()) == len(ALL_CARDS)


def test_probabilities_of_cards_sum_to_at_most_one() -> None:
    rng = np.random.default_rng(0)
    face = rng.normal(0, 3, (50, labels.FACE_COUNT)).astype(np.float32)
    color = rng.normal(0, 3, (50, labels.COLOR_COUNT)).astype(np.float32)
    assert (np.exp(labels.card_log_likelihoods(face, color)).sum(1) <= 1 + 1e-5).all()


def test_classes_are_those_of_the_cards() -> None:
    assert labels.FACES[labels.face_class(Face.WILD_CREEPER)] is Face.WILD_CREEPER
    assert labels.color_class(Card.parse("wild").color) == labels.WILD_COLOR
    assert labels.COLORS[labels.color_class(Color.GREEN)] is Color.GREEN
