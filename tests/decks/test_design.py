"""A design's consistency: which names may be swapped, and which swaps the pictures support."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.decks.labels.design import descriptors, doubtful, expected_similarity, swapped, swaps, unit

NAMES = ("red skip", "red reverse", "blue skip", "blue reverse", "red 7", "blue 7")


def numbers(names: tuple[str, ...]) -> NDArray[np.intp]:
    return np.array([ALL_CARDS.index(Card.parse(name)) for name in names], np.intp)


def appearance(names: tuple[str, ...]) -> NDArray[np.float32]:
    """Return features of a design in which every face and every colour has its own direction."""
    cards = [Card.parse(name) for name in names]
    faces, colors = sorted({card.face.value for card in cards}), ["red", "blue"]
    rows = np.zeros((len(cards), len(faces) + len(colors)), np.float32)
    for row, card in zip(rows, cards, strict=True):
        row[faces.index(card.face.value)] = 1.0
        assert card.color is not None
        row[len(faces) + colors.index(card.color.value)] = 1.0
    return unit(rows)


def scores(names: tuple[str, ...], margin: float) -> NDArray[np.float32]:
    """Return the reader's scores that prefer these names by some nats."""
    base = np.zeros((len(names), len(ALL_CARDS)), np.float32)
    base[np.arange(len(names)), numbers(names)] = margin
    return base


HELD = np.full(len(ALL_CARDS), 2, np.intp)


def test_two_faces_and_two_colours_may_be_swapped() -> None:
    found = list(swaps(scores(NAMES, 1.0), numbers(NAMES), HELD))
    pairs = {frozenset(ALL_CARDS[name] for name in swap.names.tolist()) for swap in found}
    assert frozenset(Card.parse(name) for name in NAMES[:4]) in pairs
    assert all(swap.margin == pytest.approx(1.0) for swap in found)


def test_a_swap_exchanges_the_names() -> None:
    (skips,) = [
        swap for swap in swaps(scores(NAMES[:4], 1.0), numbers(NAMES[:4]), HELD)
        if ALL_CARDS[swap.names[0]] == Card.parse("red reverse")
    ]  # fmt: skip
    assert [str(ALL_CARDS[name]) for name in skips.names.tolist()] == [
        "red reverse",
        "red skip",
        "blue reverse",
        "blue skip",
    ]


def test_faces_of_different_counts_are_not_swapped() -> None:
    held = np.where([card.face.value == "skip" for card in ALL_CARDS], 8, HELD)
    for swap in swaps(scores(NAMES, 1.0), numbers(NAMES), held):
        faces = {ALL_CARDS[name].face.value for name in swap.names.tolist()}
        assert faces != {"skip", "reverse"}


def test_a_wild_has_no_colour_to_swap() -> None:
    names = ("wild", "red 7", "blue 7")
    for swap in swaps(scores(names, 1.0), numbers(names), HELD):
        assert 0 not in swap.groups


def test_faces_that_the_reader_names_the_other_way_are_swapped_back() -> None:
    wrong = ("red reverse", "red skip", "blue reverse", "blue skip", "red 7", "blue 7")
    names = swapped(scores(NAMES, 0.5), appearance(NAMES), numbers(wrong), HELD, ())
    assert names.tolist() == numbers(NAMES).tolist()


def test_known_names_are_not_swapped() -> None:
    wrong = ("red reverse", "red skip", "blue reverse", "blue skip", "red 7", "blue 7")
    names = swapped(scores(NAMES, 0.5), appearance(NAMES), numbers(wrong), HELD, range(len(NAMES)))
    assert names.tolist() == numbers(wrong).tolist()


def test_names_that_fit_stay() -> None:
    names = swapped(scores(NAMES, 0.5), appearance(NAMES), numbers(NAMES), HELD, ())
    assert names.tolist() == numbers(NAMES).tolist()


def test_names_the_reader_prefers_clearly_are_not_in_doubt() -> None:
    assert doubtful(scores(NAMES, 9.0), numbers(NAMES), HELD, ()) == []


def test_names_in_doubt_come_least_clear_first_and_without_known_ones() -> None:
    base = scores(NAMES, 1.0)
    base[4:] *= 0.2
    found = doubtful(base, numbers(NAMES), HELD, ())
    assert found
    assert [swap.margin for swap in found] == sorted(swap.margin for swap in found)
    assert doubtful(base, numbers(NAMES), HELD, range(len(NAMES))) == []


def test_a_card_is_expected_to_look_like_its_face_and_colour() -> None:
    similarity = expected_similarity(appearance(NAMES), numbers(NAMES))
    assert similarity.shape == (len(NAMES), len(ALL_CARDS))
    for group, name in enumerate(numbers(NAMES).tolist()):
        own = similarity[group, name]
        others = [similarity[group, other] for other in numbers(NAMES).tolist() if other != name]
        assert own > max(others), NAMES[group]


def test_one_group_alone_is_not_compared() -> None:
    assert not expected_similarity(appearance(NAMES[:1]), numbers(NAMES[:1])).any()


def test_features_have_unit_length() -> None:
    rng = np.random.default_rng(3)
    found = descriptors(rng.normal(size=(7, 2, 12)).astype(np.float32))
    assert found.shape == (7, 2, 12)
    assert np.linalg.norm(found, axis=2) == pytest.approx(1.0, abs=1e-5)
    assert not unit(np.zeros((2, 3), np.float32)).any()
