"""Tests of `bench decks`: its pictures, and the report on a small deck."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import cast

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.bench.accuracy.decks import corrected, decks
from companion.cards import Card, Color, EditionName, Face
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.sittings import Sitting, drawn_faces, faces_in
from companion.decks.model.card_views import stored_picture
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image, unit_square
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector

pytestmark = pytest.mark.slow

FACES = drawn_faces(
    sample_style(np.random.default_rng(3), StyleFamily.CLASSIC_OVAL),
    [Card(face, color) for color in Color for face in (Face.ZERO, Face.SEVEN)],
)


def test_the_same_seed_gives_the_same_pictures_and_another_one_others() -> None:
    first, again, other = (Sitting(FACES, (seed,)).fan() for seed in (1, 1, 2))
    assert (first.image == again.image).all()
    assert first.cards == again.cards
    assert (first.image != other.image).any()


def test_a_flip_covers_card_by_card_before_a_camera_that_stands_still() -> None:
    cards = [*FACES][:2]
    one, two = Sitting(FACES, (4,)).flip(cards)
    changed = np.abs(one.image.astype(int) - two.image).max(2) > 60
    assert 0.002 < changed.mean() < 0.2
    assert [*one.cards, *two.cards] == cards


def test_scattered_cards_are_no_more_than_a_deck_has() -> None:
    picture = Sitting(FACES, (5,)).scattered()
    assert 5 <= len(picture.cards) <= 8
    assert all(count <= (1 if card.face is Face.ZERO else 2) for card, count in Counter(picture.cards).items())


def test_a_design_in_a_folder_is_learnt_and_read(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for card, face in FACES.items():
        cv2.imwrite(str(folder / f"{card}.png"), face)
    assert faces_in(folder).keys() == FACES.keys()
    few = ["--singles", "1", "--scattered", "1", "--fans", "2", "--json"]
    answer = CliRunner().invoke(decks, ["--designs", str(tmp_path), *few], catch_exceptions=False)
    row = json.loads(answer.stdout)["mine"]
    assert (row["names"], row["asked"]) == (1.0, 0)
    assert row["singles"] == 1.0
    assert row["scattered"] > 0.8
    # All of two hands are exact where no card is missed or invented.
    assert (row["exact hands"] == 1) is (row["fans"] == 1)
    assert row["exact hands"] in (0, 0.5, 1)


@pytest.mark.parametrize("said", [["--families", "nonsense"], ["--families", "banner", "--designs", "."]])
def test_what_cannot_be_measured_is_said(said: list[str]) -> None:
    assert CliRunner().invoke(decks, said).exit_code == 2


def test_names_are_exchanged_and_nobody_is_asked_of_what_cannot_be_reported(tmp_path: Path) -> None:
    folder = tmp_path / "blots"
    folder.mkdir()
    for card, face in FACES.items():
        # Faces without a sign, which nobody could name.
        cv2.imwrite(str(folder / f"{card}.png"), cv2.GaussianBlur(face, (0, 0), 60))
    few = ["--singles", "0", "--scattered", "0", "--fans", "0", "--wrong", "2", "--json"]
    rows = {}
    for order in ("given", "any"):
        said = CliRunner().invoke(decks, ["--designs", str(tmp_path), "--order", order, *few], catch_exceptions=False)
        rows[order] = json.loads(said.stdout)["blots"]
    assert rows["given"]["names"] < 1
    assert "wrong" not in rows["given"]
    assert rows["any"]["wrong"] == 0


def test_what_is_misread_is_corrected_as_at_the_table() -> None:
    shown = tuple(FACES)[:2]
    faces = [np.ascontiguousarray(FACES[card][:, :, :3]) for card in shown]
    kept = [stored_picture(face, np.asarray(unit_square() * face.shape[1::-1], np.float32)) for face in faces]
    deck = LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], shown, tuple(kept))

    class Misreading:
        def detect(self, image: Image) -> list[Sighting]:
            return [
                replace(one, cards=shown[:1], probabilities=(1.0,))
                for one in CardDetector.shipped(EditionName.CLASSIC).detect(image)
            ]

    sitting = Sitting({card: FACES[card] for card in shown}, (6,))
    reported, taught = corrected(deck, cast(CardDetector, Misreading()), sitting, 4)
    assert 0 < reported < 4
    assert {view.card for view in taught.further} == {shown[1]}
