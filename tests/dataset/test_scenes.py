"""Scenes and their labels."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.camera import Lens
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.generate import Recipe, generate, yolo_labels
from companion.dataset.scenes.layouts import Layout, place
from companion.dataset.scenes.photos import CardPhotoError, load_card_photos
from companion.dataset.scenes.surfaces import SurfaceBank, draw_surface

pytestmark = pytest.mark.slow


def maker(seed: int, **options: object) -> SceneMaker:
    surfaces = SurfaceBank(np.random.default_rng(seed), count=3)
    return SceneMaker(seed, (320, 240), surfaces=surfaces, deck_count=2, fonts=(), **options)  # type: ignore[arg-type]


def test_the_seed_decides_everything() -> None:
    first, second, other = (maker(seed) for seed in (5, 5, 6))
    for _ in range(4):
        a, b = first.make(), second.make()
        assert np.array_equal(a.image, b.image)
        assert [card.card for card in a.cards] == [card.card for card in b.cards]
    assert not np.array_equal(a.image, other.make().image)


def test_held_out_table_tops_differ() -> None:
    for seed in range(6):
        drawn = [draw_surface(np.random.default_rng(seed), 96, kept_out) for kept_out in (True, True, False)]
        assert np.array_equal(drawn[0], drawn[1])
        assert not np.array_equal(drawn[0], drawn[2])
        assert all(surface.std() > 0 and surface.shape == (96, 96, 3) for surface in drawn)


@pytest.mark.parametrize("layout", list(Layout))
def test_every_layout_has_valid_labels(layout: Layout) -> None:
    scenes = maker(7)
    for _ in range(3):
        scene = scenes.make(layout)
        assert scene.image.shape == (240, 320, 3)
        assert scene.image.dtype == np.uint8
        for card in scene.cards:
            assert card.quad.shape == (4, 2)
            assert 0 <= card.visible <= 1
            assert len(card.indices) <= 2
            for index in card.indices:
                assert 0 <= index.visible <= 1
                assert cv2.pointPolygonTest(card.quad, index.quad.mean(0).tolist(), False) >= 0


def test_a_covered_card_is_less_visible() -> None:
    shares = [card.visible for _ in range(8) for card in maker(_).make(Layout.FAN).cards[:-1]]
    assert np.median(shares) < 0.8


def test_labels_hold_visible_cards_only_and_lie_in_the_frame() -> None:
    scenes = maker(11)
    rows = [line.split() for _ in range(25) for line in yolo_labels(scenes.make()).splitlines()]
    assert rows
    for row in rows:
        assert row[0] in ("0", "1")
        assert len(row) == 9
        assert all(0 <= float(value) <= 1 for value in row[1:])
    assert yolo_labels(scenes.make(Layout.EMPTY)) == ""


def test_layouts_place_the_last_card_on_top() -> None:
    assert len(place(Layout.SINGLE, np.random.default_rng(0))) == 1
    assert all(not p.face_up for p in place(Layout.EMPTY, np.random.default_rng(3)))


def test_lens_moves_points_as_it_moves_the_picture() -> None:
    lens = Lens(-0.1, 400, 300)
    image = np.zeros((300, 400, 3), np.uint8)
    cv2.circle(image, (60, 50), 4, (255, 255, 255), -1)
    bent = lens.bend(image)
    ys, xs = np.nonzero(bent[..., 0] > 127)
    expected = lens.bend_points(np.array([[60, 50]], np.float32))[0]
    assert np.hypot(xs.mean() - expected[0], ys.mean() - expected[1]) < 1.0
    assert np.hypot(*(expected - (60, 50))) > 5


def test_generate_writes_a_data_set_and_resumes(tmp_path: Path) -> None:
    recipe = Recipe("val", 5, seed=3, size=160)
    generate(tmp_path, recipe, workers=1)
    rows = [json.loads(line) for line in (tmp_path / "val.jsonl").read_text().splitlines()]
    assert [row["image"] for row in rows] == [f"{i:06d}" for i in range(5)]
    picture = tmp_path / "images" / "val" / "000002.jpg"
    assert cv2.imread(str(picture)).shape == (160, 160, 3)
    assert (tmp_path / "labels" / "val" / "000002.txt").exists()
    written = picture.stat().st_mtime_ns
    generate(tmp_path, recipe, workers=1)
    assert picture.stat().st_mtime_ns == written


def test_training_and_validation_fonts_differ() -> None:
    train, val = Recipe("train", 1, 0).fonts(), Recipe("val", 1, 0).fonts()
    assert not set(train) & set(val)


def test_card_photos_are_laid_on_tables(tmp_path: Path) -> None:
    style = sample_style(np.random.default_rng(0), None, ())
    for name in ("red 7", "wild"):
        art = render(Card.parse(name), style, 200)
        cv2.imwrite(str(tmp_path / f"{name}.png"), art.image[..., :3])
    cv2.imwrite(str(tmp_path / "red 7 (2).png"), art.image[..., :3])
    photos = load_card_photos(tmp_path)
    assert {card.name: len(arts) for card, arts in photos.items()} == {"red 7": 2, "wild": 1}
    scenes = maker(1, photos=photos, photo_share=1.0)
    names = {card.card.name for _ in range(4) for card in scenes.make(Layout.SPREAD).cards}
    assert names == {"red 7", "wild"}


def test_a_card_photo_must_be_named_after_its_card(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "IMG_1.png"), np.zeros((9, 9, 3), np.uint8))
    with pytest.raises(CardPhotoError, match="IMG_1"):
        load_card_photos(tmp_path)


def test_all_cards_appear() -> None:
    scenes = maker(2, layouts=[Layout.SPREAD])
    seen = {card.card for _ in range(30) for card in scenes.make().cards}
    assert len(seen) > 0.8 * len(ALL_CARDS)
