"""Estimation of the table plane from the cards lying on it."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import EditionName
from companion.decks.capture.pile_capture import LaidCard, Pile
from companion.decks.capture.table_plane import PLAIN, plane_of, ratio_on, rectangle_on, turn_on, upright_on
from companion.decks.model.card_views import straightened
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions import EDITIONS
from companion.vision.core.geometry import Quad, intersection_over_union, is_portrait, turned, unit_square

LYING = (-1, 20, 50, 75, 90, 130, 160)


def seen(degrees: float, short: float, about: float = 25.0, at: tuple[float, float] = (300.0, 200.0)) -> Quad:
    """Return the outline of a card, 60 x 92 on the table, foreshortened by a factor in a direction (degrees)."""
    angle, way = np.radians(degrees), np.radians(about)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    across = np.array([np.cos(way), np.sin(way)])
    squeezed = np.eye(2) - (1 - short) * np.outer(across, across)
    return np.asarray((unit_square() - 0.5) * (60, 92) @ turn.T @ squeezed.T + at, np.float32)


@pytest.mark.parametrize("short", [0.8, 0.68, 0.5])
def test_aspect_ratio_on_the_table_is_constant(short: float) -> None:
    cards = [seen(degrees, short) for degrees in LYING]
    assert any(not is_portrait(card) for card in cards) or short > 0.65
    plane = plane_of(cards)
    for card in cards:
        assert intersection_over_union(rectangle_on(plane, card), card) > 0.93
        assert ratio_on(plane, card) == pytest.approx(92 / 60, rel=0.06)
        assert upright_on(plane, card) is card
        assert np.array_equal(upright_on(plane, turned(card, -1)), turned(card, -2))


def test_rotation_on_the_table_preserves_shape() -> None:
    plane = plane_of([seen(degrees, 0.68) for degrees in LYING])
    card, other = seen(10, 0.68), seen(60, 0.68)
    middle = card.mean(0)
    assert np.abs((card - middle) @ turn_on(plane, 50).T + middle - other).max() < 2.5


def test_vertical_camera_or_other_shapes_give_no_tilt() -> None:
    assert plane_of([seen(degrees, 1.0) for degrees in LYING]) is PLAIN
    assert plane_of([]) is PLAIN
    assert plane_of([seen(degrees, 0.05) for degrees in LYING]) is PLAIN


def test_card_outlined_twice_keeps_the_last_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.asarray(np.random.default_rng(1).integers(0, 255, (480, 640, 3)), np.uint8)
    quad = seen(0, 1.0)
    outlines = [quad - 20, quad]
    monkeypatch.setattr(Pile, "show", lambda _, image: [LaidCard(image, quad, 0) for quad in outlines])
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC])
    assert (lesson.show(image), lesson.places) == (1, (0,))
    assert np.array_equal(lesson.pictures[0], straightened(image, quad))
