"""Advice about what prevents reading: drawn pictures degraded in one way each."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.doctor import State, check_picture
from companion.settings import Settings
from companion.vision.core.geometry import Image, Quad, tilt, unit_square
from companion.vision.core.sightings import Sighting
from companion.vision.tracking.camera_advice import Obstacle, Visibility, advise, glare, in_words
from companion.vision.tracking.camera_hints import CameraHints

SIX = Card.parse("red 6")
FLAT = np.array([[300, 200], [428, 200], [428, 400], [300, 400]], np.float32)


def table(quad: Quad = FLAT) -> Image:
    """A card with this outline on a brown table, 1280 x 720."""
    face = render(SIX, sample_style(np.random.default_rng(5), StyleFamily.CLASSIC_OVAL, ()), 448).image
    corners = unit_square() * np.array(face.shape[1::-1], np.float32)
    warped = cv2.warpPerspective(face, cv2.getPerspectiveTransform(corners, quad), (1280, 720), flags=cv2.INTER_AREA)
    alpha = warped[..., 3:] / np.float32(255)
    return np.asarray(warped[..., :3] * alpha + np.float32([60, 90, 120]) * (1 - alpha), np.uint8)


def seen(quad: Quad = FLAT, mirrored: bool = False) -> list[Sighting]:
    return [Sighting(quad, (SIX,), (0.99,), True, mirrored)]


def from_low(degrees: float) -> Quad:
    """The outline of a card seen from so far away from the vertical, weakly in perspective."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    corners = np.array([[-56, -87], [56, -87], [56, 87], [-56, 87]]) * 1.2
    depth = 1 - corners[:, 1] * sin / 2500
    return np.asarray(np.column_stack([corners[:, 0], corners[:, 1] * cos]) / depth[:, None] + (600, 350), np.float32)


def test_all_is_well_with_a_clear_card() -> None:
    advice = advise(table(), seen())
    assert advice.obstacle is Obstacle.NOTHING
    assert advice.quad is not None


def test_an_empty_table_has_no_pile_and_a_dark_one_is_dark() -> None:
    empty = np.full((720, 1280, 3), (60, 90, 120), np.uint8)
    assert advise(empty, []).obstacle is Obstacle.NO_PILE
    assert advise(empty // 4, []).obstacle is Obstacle.DARK
    assert advise(table() // 6, seen()).obstacle is Obstacle.DARK


def test_a_camera_in_night_mode_has_no_colors_and_no_lamp_to_blame() -> None:
    grey = np.repeat(cv2.cvtColor(table(), cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    assert advise(grey, seen()).obstacle is Obstacle.COLORLESS
    assert advise(np.full_like(grey, 255), []).obstacle is Obstacle.NO_PILE


def test_small_cards_ask_for_a_nearer_camera() -> None:
    small = FLAT[0] + (FLAT - FLAT[0]) * np.float32(0.31)
    advice = advise(table(small), seen(small))
    assert advice.obstacle is Obstacle.SMALL
    assert advice.measured == pytest.approx(62, abs=1)
    assert in_words(advice) == "The cards are too small, 62 px long. Come nearer by half."


@pytest.mark.parametrize("degrees", [0, 20, 40, 60])
@pytest.mark.parametrize("turned", [0, 2])
def test_the_camera_s_slant_is_measured_on_a_card_either_way_up(degrees: int, turned: int) -> None:
    assert tilt(np.roll(from_low(degrees), turned, axis=0)) == pytest.approx(degrees, abs=6)


def test_a_low_camera_is_advised_to_rise() -> None:
    quad = from_low(62)
    advice = advise(table(quad), seen(quad))
    assert advice.obstacle is Obstacle.SLANTED
    assert advice.quad is quad


def test_motion_blurs_and_lamps_glare() -> None:
    moved = np.asarray(cv2.blur(table(), (41, 1)), np.uint8)
    assert advise(moved, seen()).obstacle is Obstacle.BLURRED
    lit = table()
    cv2.circle(lit, (364, 300), 75, (255, 255, 255), -1)
    advice = advise(lit, seen())
    assert advice.obstacle is Obstacle.GLARE
    assert glare(np.zeros((9, 9, 3), np.uint8)) == 0


def test_a_back_s_white_border_is_no_lamp() -> None:
    back = np.full((720, 1280, 3), (60, 90, 120), np.uint8)
    cv2.rectangle(back, (300, 200), (428, 400), (255, 255, 255), 8)
    assert advise(back, []).obstacle is Obstacle.NO_PILE


@pytest.mark.parametrize("levels", [4, 12])
def test_grain_hides_no_blur_and_is_none(levels: int) -> None:
    grain = np.random.default_rng(levels).normal(0, levels, (720, 1280, 3))
    moved = np.asarray(cv2.blur(table(), (41, 1)), np.uint8)
    for picture, hindrance in ((moved, Obstacle.BLURRED), (table(), Obstacle.NOTHING)):
        assert advise(np.clip(picture + grain, 0, 255).astype(np.uint8), seen()).obstacle is hindrance


def test_a_lamp_that_hides_the_whole_card_is_no_missing_card() -> None:
    advice = advise(outshone(), [])
    assert advice.obstacle is Obstacle.GLARE
    assert advice.quad is not None
    assert np.abs(advice.quad.mean(0) - FLAT.mean(0)).max() < 8
    spark = np.full((720, 1280, 3), (60, 90, 120), np.uint8)
    cv2.circle(spark, (364, 300), 20, (255, 255, 255), -1)
    assert advise(spark, []).obstacle is Obstacle.NO_PILE


def test_a_mirrored_picture_and_a_draw_pile_out_of_view_are_reported() -> None:
    assert advise(table(), seen(mirrored=True)).obstacle is Obstacle.MIRRORED
    outside, beside = (Visibility.of(FLAT + np.float32([x, 0]), 1280, 720) for x in (940, 400))
    assert 0 < outside.share < 0.5
    assert beside.share == pytest.approx(1)
    assert advise(table(), seen(), outside).obstacle is Obstacle.DRAW_PILE
    assert advise(table(), seen(), beside).obstacle is Obstacle.NOTHING
    assert advise(table(), seen(), Visibility(0.0)).obstacle is Obstacle.DRAW_PILE


def test_there_are_words_for_everything() -> None:
    said = {in_words(advise(table() // 6, seen())), in_words(advise(table(), seen(mirrored=True)))}
    assert len(said) == 2
    assert all(sentence.endswith(".") for sentence in said)
    assert in_words(advise(table(), seen(), Visibility(0.3))).startswith("Only 30% of the draw pile is in view.")
    assert in_words(advise(table(), seen(), Visibility(0.0))).startswith("The draw pile is not in view.")


def test_helper_gives_each_advice_once_and_ignores_a_passing_hand() -> None:
    reported: list[Obstacle] = []
    helper = CameraHints(lambda _: seen(), lambda advice: reported.append(advice.obstacle))
    dark = table() // 6
    for picture in (table(), dark, table(), dark, dark, dark, table(), table()):
        helper(picture)
    assert reported == [Obstacle.DARK, Obstacle.NOTHING]


def test_the_helper_says_that_the_draw_pile_is_out_of_view() -> None:
    reported: list[Obstacle] = []
    views = iter([None, None, Visibility(0.0), Visibility(0.0), Visibility(0.9), Visibility(0.9)])
    helper = CameraHints(lambda _: seen(), lambda advice: reported.append(advice.obstacle), lambda: next(views))
    for _ in range(6):
        helper(table())
    assert reported == [Obstacle.DRAW_PILE, Obstacle.NOTHING]


def small() -> Image:
    return table(FLAT[0] + (FLAT - FLAT[0]) * np.float32(0.31))


def glaring() -> Image:
    lit = table()
    cv2.ellipse(lit, (364, 300), (50, 95), 0, 0, 360, (255, 255, 255), -1)
    return lit


def outshone() -> Image:
    """The card under a lamp that leaves nothing of it."""
    lit = table()
    cv2.circle(lit, (364, 300), 130, (255, 255, 255), -1)
    return lit


def three(mirrored: bool) -> Image:
    """Three cards side by side, of which a mirror leaves none as it is."""
    pictures = [table(FLAT + np.float32([x, 0])) for x in (-200, 100, 400)]
    together = np.where(np.arange(1280)[None, :, None] < 350, pictures[0], pictures[1])
    together = np.where(np.arange(1280)[None, :, None] < 650, together, pictures[2])
    return np.ascontiguousarray(together[:, ::-1] if mirrored else together)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (np.full((720, 1280, 3), (60, 90, 120), np.uint8), "No card is seen."),
        (np.full((720, 1280, 3), (15, 22, 30), np.uint8), "It is too dark: white is 30 of 255."),
        (small(), "The cards are too small, 6"),
        (table(from_low(60)), "The camera looks too much from the side, "),
        (np.asarray(cv2.blur(table(), (1, 25)), np.uint8), "The picture is blurred, "),
        (glaring(), "A lamp glares on "),
        (outshone(), "A lamp glares on 100% "),
        (three(mirrored=True), "The picture is mirrored."),
    ],
    ids=["no pile", "dark", "small", "slanted", "blurred", "glare", "outshone", "mirrored"],
)
def test_the_doctor_says_what_spoils_a_picture_that_it_reads_itself(tmp_path: Path, picture: Image, said: str) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), picture)
    check = check_picture(tmp_path / "table.png", Settings())
    assert check.state is State.WARNING
    assert check.advice.startswith(said)


@pytest.mark.parametrize("picture", [table(), three(mirrored=False)], ids=["one card", "three cards"])
def test_the_doctor_finds_nothing_in_the_way_of_a_clear_picture(tmp_path: Path, picture: Image) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), picture)
    check = check_picture(tmp_path / "table.png", Settings())
    assert check.state is State.OK
    assert "red 6" in check.found
