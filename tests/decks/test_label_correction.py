"""Correction of a deck's labels by the design and by people's statements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, Color, EditionName, Face, deck
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.sittings import drawn_faces
from companion.decks.labels.label_correction import corrected_names
from companion.decks.model.card_views import CardViews, stored_picture
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED
from companion.decks.service.build import build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.match_feedback import copies_of, votes
from companion.decks.storage.deck_file import FurtherView, LearntDeck, encoded
from companion.editions import EDITIONS
from companion.vision.core.geometry import unit_square
from companion.vision.core.labels import COLORS, FACES, Floats, color_class, face_class
from companion.vision.core.runtime import model_folder

HELD = deck(EditionName.CLASSIC)
NUMBERS = [ALL_CARDS.index(card) for card in sorted(HELD.elements(), key=str)]
RED_7, BLUE_7, GREEN_2, WILD, DRAW_FOUR = (
    ALL_CARDS.index(Card.parse(name)) for name in ("red 7", "blue 7", "green 2", "wild", "wild draw four")
)
WIDTH = len(FACES) + len(COLORS) + 1


def _look(card: int) -> Floats:
    """Return the features of a card of a design in which face and colour contribute independently."""
    row = np.zeros(WIDTH, np.float32)
    row[face_class(ALL_CARDS[card].face)] = 1
    row[len(FACES) + color_class(ALL_CARDS[card].color)] = 1
    return row


def _units(cards: list[int], seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    rows = np.stack([_look(card) for card in cards])[:, None] + rng.normal(0, 0.05, (len(cards), 2, WIDTH))
    rows -= rows.mean((0, 1))
    return np.asarray(rows / np.linalg.norm(rows, axis=2, keepdims=True), np.float32)


def _named(card: int, said: int) -> list[int]:
    return [said if other == card else other for other in NUMBERS]


def test_names_supported_by_the_design_stay() -> None:
    assert corrected_names(_units(NUMBERS), NUMBERS, HELD) == NUMBERS


def test_swapped_names_are_corrected_by_the_design() -> None:
    swapped = {RED_7: GREEN_2, GREEN_2: RED_7}
    given = [swapped.get(card, card) for card in NUMBERS]
    assert corrected_names(_units(NUMBERS), given, HELD) == NUMBERS


def _votes(shows: int, said: int, times: int) -> Floats:
    votes_for = np.zeros((len(NUMBERS), NOTHING), np.float32)
    votes_for[NUMBERS.index(shows), said] = times
    return votes_for


@pytest.mark.parametrize(("times", "prevails"), [(0, False), (1, False), (2, False), (4, True)])
def test_overruling_the_design_takes_many_corrections(times: int, prevails: bool) -> None:
    names = corrected_names(_units(NUMBERS), NUMBERS, HELD, _votes(RED_7, BLUE_7, times))
    assert {name for name, card in zip(names, NUMBERS, strict=True) if card == RED_7} == {BLUE_7 if prevails else RED_7}


@pytest.mark.parametrize(
    ("corrected", "confirmed", "prevails"), [(1, 0, False), (2, 0, True), (2, 1, False), (3, 1, True)]
)
def test_without_design_evidence_corrections_outvote_a_name(corrected: int, confirmed: int, prevails: bool) -> None:
    # The design is no evidence for wilds; the deck's own wilds are missing.
    given = [WILD if card == DRAW_FOUR else card for card in NUMBERS if card != WILD]
    shows = [card for card in NUMBERS if card != WILD]
    said = np.zeros((len(shows), NOTHING), np.float32)
    said[shows.index(DRAW_FOUR), DRAW_FOUR] = corrected
    said[shows.index(DRAW_FOUR), WILD] = confirmed
    assert corrected_names(_units(shows), given, HELD, said) == (shows if prevails else given)


def test_one_correction_names_an_unnamed_picture() -> None:
    given = _named(RED_7, UNNAMED)
    assert corrected_names(_units(NUMBERS), given, HELD) == given
    named = corrected_names(_units(NUMBERS), given, HELD, _votes(RED_7, RED_7, 1))
    assert named[NUMBERS.index(RED_7)] == RED_7


def test_refuted_name_is_removed_if_no_copy_is_left() -> None:
    shows = [GREEN_2 if card == RED_7 else card for card in NUMBERS]
    names = corrected_names(_units(shows), NUMBERS, HELD)
    assert names == _named(RED_7, UNNAMED)


def _views(units: Floats) -> list[CardViews]:
    logs = np.zeros((2, CLASSES), np.float32)
    return [CardViews(rows, logs, rows, logs) for rows in units]


def test_view_is_a_copy_of_the_most_similar_picture() -> None:
    given = _named(RED_7, BLUE_7)
    further = _views(_units(NUMBERS, 2)[[NUMBERS.index(RED_7)] * 2])
    of, close = copies_of(_views(_units(NUMBERS)), given, further, [RED_7, GREEN_2])
    assert close.all()
    assert {NUMBERS[one] for one in of} == {RED_7}
    said = votes(of, [RED_7, GREEN_2], len(NUMBERS))
    assert said.sum() == 2
    assert said[:, RED_7].sum() == said[:, GREEN_2].sum() == 1


def test_unlearnt_face_is_no_copy() -> None:
    laid = [card for card in NUMBERS if card != RED_7]
    unseen = _views(_units(NUMBERS, 2)[[NUMBERS.index(RED_7)]])
    every = _units(NUMBERS)
    views = _views(every[[i for i, card in enumerate(NUMBERS) if card != RED_7]])
    assert not copies_of(views, laid, unseen, [RED_7])[1].any()


@pytest.mark.slow
def test_view_is_used_where_its_name_prevails() -> None:
    cards = [Card(face, color) for color in Color for face in (Face.ONE, Face.FIVE, Face.SEVEN)]
    faces = drawn_faces(sample_style(np.random.default_rng(3)), dict.fromkeys(cards, 1))
    kept = []
    for card in cards:
        face = np.ascontiguousarray(faces[card][:, :, :3])
        kept.append(stored_picture(face, np.asarray(unit_square() * face.shape[1::-1], np.float32)))
    reader, _ = reading_parts()
    laid = LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], tuple(cards), tuple(kept))
    first = encoded(np.asarray(kept[0] * 0.9, np.uint8))
    read = {}
    for said in (cards[0], cards[3]):
        deck_now = replace(laid, further=(FurtherView(said, first, "m1", "r1"),))
        numbers, counts = np.unique(build_model(reader, deck_now, model_folder()).cards.cards, return_counts=True)
        read[said] = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    right, wrong = (ALL_CARDS.index(cards[i]) for i in (0, 3))
    assert read[cards[0]][right] == 2 * read[cards[0]][wrong]
    assert len(set(read[cards[3]].values())) == 1
