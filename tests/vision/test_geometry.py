"""Outlines and crops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.vision.core import geometry

CARD = np.array([[100, 50], [156, 50], [156, 137], [100, 137]], np.float32)


def test_expand_grows_a_rectangle_about_its_centre() -> None:
    grown = geometry.expand(CARD, 0.1)
    assert np.allclose(grown, [[94.4, 41.3], [161.6, 41.3], [161.6, 145.7], [94.4, 145.7]], atol=1e-3)


def test_cut_takes_what_the_quad_encloses_upright() -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    image[50:93, 100:156] = (255, 0, 0)
    image[93:137, 100:156] = (0, 0, 255)
    crop = geometry.cut(image, CARD, 56, 87)
    assert (crop[5:38] == (255, 0, 0)).all()
    assert (crop[50:82] == (0, 0, 255)).all()
    upside_down = geometry.cut(image, np.roll(CARD, 2, axis=0), 56, 87)
    assert (upside_down[5:38, 1:] == (0, 0, 255)).all()


def test_cut_averages_when_it_shrinks() -> None:
    stripes = np.zeros((400, 400, 3), np.uint8)
    stripes[:, ::2] = 255
    whole = np.array([[0, 0], [400, 0], [400, 400], [0, 400]], np.float32)
    crop = geometry.cut(stripes, whole, 40, 40)
    assert abs(float(crop[4:-4, 4:-4].mean()) - 127) < 12


def test_cut_outside_the_picture_is_grey() -> None:
    crop = geometry.cut(np.zeros((50, 50, 3), np.uint8), CARD + 500, 20, 30)
    assert crop.shape == (30, 20, 3)
    assert (crop == 127).all()


def test_corner_frames_are_half_a_turn_apart() -> None:
    top_left, bottom_right = geometry.corner_frames(CARD)
    turned_top_left, turned_bottom_right = geometry.corner_frames(np.roll(CARD, 2, axis=0))
    assert np.allclose(top_left, turned_bottom_right, atol=1e-3)
    assert np.allclose(bottom_right, turned_top_left, atol=1e-3)
    sides = np.hypot(*(top_left[1] - top_left[0])), np.hypot(*(top_left[3] - top_left[0]))
    assert sides[0] == pytest.approx(sides[1], rel=0.01)


@given(st.floats(-3.2, 3.2), st.floats(0.2, 5), st.integers(0, 3))
def test_portrait_keeps_the_outline_and_puts_a_short_edge_first(angle: float, scale: float, roll: int) -> None:
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    quad = np.roll(np.asarray((CARD - CARD.mean(0)) @ turn * scale, np.float32), roll, axis=0)
    upright = geometry.portrait(quad)
    assert geometry.aspect(upright) <= 1
    assert {tuple(corner) for corner in upright} == {tuple(corner) for corner in quad}


def test_intersection_over_smaller() -> None:
    assert geometry.intersection_over_smaller(CARD, CARD) == pytest.approx(1)
    half = CARD + np.array([28, 0], np.float32)
    assert geometry.intersection_over_smaller(CARD, half) == pytest.approx(0.5, abs=0.01)
    assert geometry.intersection_over_smaller(CARD, CARD + 1000) == 0
    assert geometry.intersection_over_smaller(CARD, np.zeros((4, 2), np.float32)) == 0


def test_an_outline_lies_on_another_one_if_half_of_the_smaller_one_does() -> None:
    small = CARD * np.float32(0.5) + np.array([50, 25], np.float32)
    assert geometry.lies_on(CARD, small)
    assert geometry.lies_on(CARD, CARD + np.array([27, 0], np.float32))
    assert not geometry.lies_on(CARD, CARD + np.array([29, 0], np.float32))


def test_a_grid_holds_the_centres_of_an_outlines_cells_row_by_row() -> None:
    grid = geometry.grid_in(CARD, 2, 3)
    assert np.allclose(grid[:2], [[114, 64.5], [142, 64.5]], atol=1e-3)
    assert np.allclose(grid[2:], [[114, 93.5], [142, 93.5], [114, 122.5], [142, 122.5]], atol=1e-3)
