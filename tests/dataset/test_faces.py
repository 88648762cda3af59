"""Tests of the drawn cards: faces, backs, styles, wear."""

import pickle
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, Color, Face
from companion.dataset.artist.backs import render_other_back
from companion.dataset.artist.condition.wear import wear
from companion.dataset.artist.drawing import fonts
from companion.dataset.artist.drawing.glyphs import Lettering, emboldened
from companion.dataset.artist.drawing.ink import Finish, Pattern, Tone, Tones, print_mark
from companion.dataset.artist.faces import render, render_back, width_of
from companion.dataset.artist.families import (
    FAMILY_WEIGHTS,
    HOMEMADE,
    HOMEMADE_KEPT_OUT,
    HOMEMADE_WEIGHTS,
    KEPT_OUT,
    TRAINING_WEIGHTS,
    StyleFamily,
)
from companion.dataset.artist.preview import family_sheet
from companion.dataset.artist.styles import Style, sample_style

HEIGHT = 160


def style_of(family: StyleFamily | None = None, seed: int = 1, names: tuple[str, ...] | None = ()) -> Style:
    return sample_style(np.random.default_rng(seed), family, names)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(StyleFamily))
def test_every_card_renders_with_its_indices_inside_and_inked(family: StyleFamily) -> None:
    for seed in range(4):
        style = style_of(family, seed)
        assert style.design.indices or family in HOMEMADE
        for card in ALL_CARDS:
            art = render(card, style, HEIGHT)
            assert art.image.shape == (HEIGHT, width_of(HEIGHT), 4)
            assert art.image.dtype == np.uint8
            assert art.image[0, 0, 3] < 128 < art.image[HEIGHT // 2, 50, 3]
            assert len(art.indices) in ((0, 2) if card.face.is_wild else (2 if style.design.indices else 0,))
            for place, (x0, y0, x1, y1) in enumerate(art.indices):
                assert 0 <= x0 < x1 <= width_of(HEIGHT)
                assert 0 <= y0 < y1 <= HEIGHT
                assert (x1 - x0) * (y1 - y0) > 20
                assert (y0 + y1 < HEIGHT) == (place == 0)
                inside = art.image[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1, :3].astype(int)
                assert inside.std(axis=(0, 1)).max() > 8


def test_random_decks_are_of_no_held_out_family() -> None:
    drawn = {style_of(seed=seed).family for seed in range(200)}
    assert drawn == set(FAMILY_WEIGHTS)
    assert not drawn & {*KEPT_OUT, *HOMEMADE_KEPT_OUT}


def test_training_and_held_out_families_are_disjoint() -> None:
    assert set(TRAINING_WEIGHTS) == {*FAMILY_WEIGHTS, StyleFamily.MEDLEY, *HOMEMADE_WEIGHTS}
    assert set(StyleFamily) == {*TRAINING_WEIGHTS, *KEPT_OUT, *HOMEMADE_KEPT_OUT}
    assert len(StyleFamily) == len(TRAINING_WEIGHTS) + len(KEPT_OUT) + len(HOMEMADE_KEPT_OUT)


@pytest.mark.parametrize("family", HOMEMADE)
def test_homemade_cards_show_their_colour(family: StyleFamily) -> None:
    for seed in range(6):
        style = style_of(family, seed)
        red, blue = (render(Card(Face.FIVE, color), style, HEIGHT).image for color in (Color.RED, Color.BLUE))
        # The same five: nothing else differs, except pictures that depend on the colour.
        redder = red[:, :, 2].astype(int) - red[:, :, 0] > blue[:, :, 2].astype(int) - blue[:, :, 0] + 40
        assert redder.mean() > 0.005, (family, seed)


@pytest.mark.parametrize("pattern", list(Pattern))
def test_a_mark_shows_its_second_colour_beside_its_first(pattern: Pattern) -> None:
    canvas = np.zeros((60, 40, 3), np.uint8)
    mask = np.full((40, 20), 255, np.uint8)
    tones = Tones(ink=(0, 0, 200), paper=(250, 250, 250), dark=(30, 0, 0))
    print_mark(canvas, mask, (20.0, 30.0), Finish(Tone.PAPER, pattern=pattern, second=Tone.INK), tones)
    first, second = ((canvas == tone).all(axis=2).mean() for tone in (tones.paper, tones.ink))
    assert first + second == pytest.approx(mask.size / canvas[:, :, 0].size)
    assert first > 0.05
    assert bool(second > 0.05) is (pattern is not Pattern.PLAIN)


def test_the_second_index_is_the_first_turned_round() -> None:
    art = render(Card(Face.FIVE, Color.BLUE), style_of(StyleFamily.CLASSIC_OVAL), HEIGHT)
    first, second = art.indices
    assert second == pytest.approx(
        (width_of(HEIGHT) - first[2], HEIGHT - first[3], width_of(HEIGHT) - first[0], HEIGHT - first[1])
    )


def test_the_same_seed_gives_the_same_deck() -> None:
    for family in StyleFamily:
        style = style_of(family, 7)
        assert style == style_of(family, 7)
        assert pickle.loads(pickle.dumps(style)) == style
        card = Card(Face.SIX, Color.GREEN)
        assert np.array_equal(render(card, style, HEIGHT).image, render(card, style, HEIGHT).image)
    assert style_of(seed=1) != style_of(seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(StyleFamily))
def test_different_faces_look_different(family: StyleFamily) -> None:
    style = style_of(family, 3)
    cards = [card for card in ALL_CARDS if card.color in (Color.RED, None)]
    pictures = [render(card, style, HEIGHT).image.astype(int) for card in cards]
    for i, first in enumerate(pictures):
        for second in pictures[:i]:
            assert (np.abs(first - second).max(axis=2) > 40).mean() > 0.002


def test_nothing_crashes_without_system_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "font_folders", lambda: ())
    fonts.system_fonts.cache_clear()
    try:
        assert fonts.system_fonts() == ()
        for seed in range(5):
            render(Card(Face.NINE, Color.YELLOW), style_of(seed=seed, names=None), HEIGHT)
    finally:
        fonts.system_fonts.cache_clear()


@pytest.mark.parametrize("font", fonts.BUILT_IN)
def test_the_weight_of_a_text_does_not_depend_on_earlier_texts(font: str) -> None:
    fonts.text_mask.cache_clear()
    before = fonts.text_mask("8", font).copy()
    assert (fonts.text_mask("8", font, 800) > 127).mean() > (before > 127).mean()
    fonts.text_mask.cache_clear()
    assert np.array_equal(fonts.text_mask("8", font), before)


def test_symbol_fonts_have_no_digits() -> None:
    assert fonts.are_digits([fonts.text_mask(digit, "strokes:7") for digit in "0123456789"])
    assert not fonts.are_digits([fonts.text_mask(digit, "strokes:7") for digit in "1234567890"]), "each in its place"
    assert not fonts.are_digits([fonts.text_mask(letter, "sans") for letter in "?*XHAWK+LN"])


def test_no_system_font_is_a_symbol_font() -> None:
    for font in fonts.system_fonts():
        assert Path(font).stem not in ("D050000L", "wingding", "Wingdings-Regular", "ZapfDingbats"), font


def test_a_missing_font_falls_back() -> None:
    assert fonts.text_mask("8", "/nowhere/Missing.ttf").max() == 255


def test_fonts_are_split_by_typeface() -> None:
    names = [f"/f/{face}-{cut}.ttf" for face in map(str, range(60)) for cut in ("Bold", "Italic")]
    kept, tested = fonts.split_fonts(names, 0.3)
    assert set(kept) | set(tested) == set(names)
    assert not {name.split("-")[0] for name in kept} & {name.split("-")[0] for name in tested}
    assert 10 < len(tested) < 80


@pytest.mark.parametrize(("draw", "least"), [(render_back, 10), (render_other_back, 1)])
def test_backs_render(draw: Callable[[Style, int], NDArray[np.uint8]], least: float) -> None:
    for seed in range(12):
        back = draw(style_of(seed=seed), HEIGHT)
        assert back.shape == (HEIGHT, width_of(HEIGHT), 4)
        assert cv2.cvtColor(back[:, :, :3], cv2.COLOR_BGR2GRAY).std() > least
        assert np.array_equal(back, draw(style_of(seed=seed), HEIGHT))


def test_wear_changes_the_card_more_the_more_it_is_played() -> None:
    image = render(Card(Face.ONE, Color.RED), style_of(), HEIGHT).image
    changes = []
    for amount in (0.0, 0.2, 1.0):
        worn = [wear(image, np.random.default_rng(seed), amount) for seed in range(6)]
        changes.append(np.mean([np.abs(w.astype(int) - image).mean() for w in worn]))
    assert changes[0] == 0 < changes[1] < changes[2] < 60


def test_contact_sheet_has_the_decks_below_each_other() -> None:
    sheet = family_sheet(StyleFamily.MINIMAL, 0, decks=2, cards=3, fonts=())
    assert sheet.shape[2] == 3
    assert sheet.shape[0] > 320


def test_a_hairline_is_never_thinned_to_nothing() -> None:
    hairline = np.full((fonts.MASK_HEIGHT, 3), 255, np.uint8)
    assert emboldened(hairline, Lettering("sans", stem=0.0)).any()
