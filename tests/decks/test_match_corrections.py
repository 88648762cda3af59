"""Corrections made in a match become further views of a learnt deck."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, EditionName
from companion.cli import main
from companion.decks.model.card_views import PICTURE, outline
from companion.decks.service.build import build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.match_corrections import Corrected, with_corrections
from companion.decks.storage.deck_file import DeckFileError, FurtherView, LearntDeck, encoded, pack, unpack
from companion.decks.storage.library import DeckLibrary
from companion.editions import EDITIONS
from companion.vision.core.runtime import model_folder

RED_7, BLUE_3 = Card.parse("red 7"), Card.parse("blue 3")
QUAD = [(float(x), float(y)) for x, y in outline()]


def _face(seed: int) -> NDArray[np.uint8]:
    width, height = PICTURE
    rough = np.random.default_rng(seed).integers(0, 256, (6, 4, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.fixture
def deck() -> LearntDeck:
    return LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], (RED_7, BLUE_3), (_face(1), _face(2)), learns=True)


def _said(number: int, card: Card = RED_7, seed: int = 1) -> Corrected:
    return Corrected(f"r{number}", card, encoded(_face(seed)), QUAD)


def _readings(deck: LearntDeck) -> list[str]:
    return [view.reading for view in deck.further]


def test_correction_adds_a_view_while_it_stands(deck: LearntDeck) -> None:
    taught = with_corrections(deck, "m1", [_said(1), _said(2, BLUE_3, 2)])
    assert [(view.card, view.match, view.reading) for view in taught.further] == [
        (RED_7, "m1", "r1"),
        (BLUE_3, "m1", "r2"),
    ]
    assert _readings(with_corrections(taught, "m1", [_said(2, BLUE_3, 2)])) == ["r2"]
    assert _readings(with_corrections(taught, "m2", [])) == ["r1", "r2"]


def test_oldest_view_of_a_card_is_dropped(deck: LearntDeck) -> None:
    result = [_said(number) for number in range(6)]
    taught = with_corrections(with_corrections(deck, "m1", result[:1]), "m2", result[1:])
    assert _readings(taught) == ["r2", "r3", "r4", "r5"]
    assert _readings(with_corrections(taught, "m2", result[1:])) == _readings(taught)


@pytest.mark.parametrize(
    "unfit",
    [
        Corrected("r", RED_7, encoded(_face(1)), None),
        Corrected("r", RED_7, None, QUAD),
        Corrected("r", RED_7, b"no picture", QUAD),
        Corrected("r", RED_7, encoded(_face(1)), [(x / 9, y / 9) for x, y in QUAD]),
        Corrected("r", RED_7, encoded(_face(3)), QUAD),
    ],
    ids=["no outline", "no picture", "damaged", "tiny", "unlike any card"],
)
def test_dissimilar_picture_is_not_added(deck: LearntDeck, unfit: Corrected) -> None:
    assert with_corrections(deck, "m1", [unfit]).further == ()


@pytest.mark.parametrize("card", [BLUE_3, Card.parse("green 1")])
def test_picture_contradicting_the_deck_is_added(deck: LearntDeck, card: Card) -> None:
    assert [view.card for view in with_corrections(deck, "m1", [_said(1, card)]).further] == [card]


def test_views_survive_the_file_without_quality_loss(deck: LearntDeck) -> None:
    taught = with_corrections(unpack(pack(deck)), "m1", [_said(1)])
    again = unpack(pack(taught))
    assert again.learns
    assert again.further == taught.further
    for _ in range(3):
        again = unpack(pack(replace(again, name="Theirs")))
    assert all(np.array_equal(a, b) for a, b in zip(again.pictures, unpack(pack(deck)).pictures, strict=True))


def test_file_with_invalid_views_is_refused(deck: LearntDeck) -> None:
    view = FurtherView(RED_7, encoded(_face(1)), "m1", "r1")
    for further in ((view,) * 5, (replace(view, jpeg=encoded(_face(1)[:90])),)):
        with pytest.raises(DeckFileError):
            unpack(pack(replace(deck, further=further)))


def test_added_views_are_used_for_reading(deck: LearntDeck, tmp_path: Path) -> None:
    reader, _ = reading_parts()
    cache = tmp_path / "ours.npz"
    before = build_model(reader, deck, model_folder(), cache).cards
    after = build_model(reader, with_corrections(deck, "m1", [_said(1)]), model_folder(), cache).cards
    own = ALL_CARDS.index(RED_7)
    assert (after.cards == own).sum() == 2 * (before.cards == own).sum()


def test_learning_from_matches_is_off_by_default(deck: LearntDeck, tmp_path: Path) -> None:
    DeckLibrary(tmp_path / "decks").save(replace(deck, learns=False))
    for said, learns in ((None, False), ("on", True), ("off", False)):
        if said:
            assert (
                CliRunner().invoke(main, ["--data", str(tmp_path), "decks", "corrections", "Ours", said]).exit_code == 0
            )
        listed = CliRunner().invoke(main, ["--data", str(tmp_path), "decks", "list", "--json"])
        assert json.loads(listed.output)["learns"] is learns
