"""Decks, names and points."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest

from companion.cards import (
    ALL_CARDS,
    COLORED_FACES,
    WILD_FACES,
    Card,
    Color,
    EditionName,
    Face,
    UnknownCardError,
    deck,
)
from companion.editions import EDITIONS
from companion.referee.model.scoring import hand_points, highest_draws

WILDS = {
    EditionName.MARIO_KART: {"wild draw four": 4, "wild item box": 8},
    EditionName.MINECRAFT: {"wild": 4, "wild draw four": 4, "wild creeper": 4},
    EditionName.CLASSIC: {"wild": 4, "wild draw four": 4},
}


@pytest.mark.parametrize("edition", list(EditionName))
def test_decks(edition: EditionName) -> None:
    cards = Counter({card.name: copies for card, copies in deck(edition).items()})
    expected = dict(WILDS[edition])
    for color in ("red", "yellow", "green", "blue"):
        expected[f"{color} 0"] = 1
        for face in (*range(1, 10), "draw two", "reverse", "skip"):
            expected[f"{color} {face}"] = 2
    assert cards == expected
    assert EDITIONS[edition].size == cards.total() == (108 if edition is EditionName.CLASSIC else 112)
    assert EDITIONS[edition].id == EDITIONS[edition].base.value == edition.value
    assert bool(EDITIONS[edition].shown_when_drawn) == (edition is EditionName.MINECRAFT)
    assert EDITIONS[edition].deck == deck(edition)


def test_names_are_parsed_back() -> None:
    assert len({card.name for card in ALL_CARDS}) == len(ALL_CARDS) == 56
    for card in ALL_CARDS:
        assert Card.parse(card.name) is card
        assert str(card) == card.name


@pytest.mark.parametrize("name", ["", "red", "7", "red 10", "Red 7", "red  7", "red wild", "wild reverse"])
def test_what_names_no_card(name: str) -> None:
    with pytest.raises(UnknownCardError) as refused:
        Card.parse(name)
    assert refused.value.name == name
    assert str(refused.value) == f"no card is called {name!r}"


@pytest.mark.parametrize(("face", "color"), [(Face.WILD, Color.RED), (Face.SEVEN, None)])
def test_impossible_cards(face: Face, color: Color | None) -> None:
    with pytest.raises(ValueError, match="cannot have the colour"):
        Card(face, color)


def test_points() -> None:
    """R1."""
    assert [Card(Face(str(number)), Color.RED).points for number in range(10)] == list(range(10))
    assert {Card(face, Color.BLUE).points for face in COLORED_FACES if not face.is_number} == {20}
    assert {Card(face).points for face in WILD_FACES} == {50}
    assert hand_points([]) == 0
    assert hand_points(map(Card.parse, ("blue 3", "green skip", "wild item box"))) == 73


def test_marks_follow_from_colours() -> None:
    kart = EDITIONS[EditionName.MARIO_KART]
    marks = {card: [rules.mark.id for rules in kart.marks_of(card)] for card in kart.deck}
    for card, found in marks.items():
        color = None if card.color is None else card.color.value
        expected = {"red": "mushroom", "yellow": "banana peel", "green": "green shell", "blue": "lightning"}
        assert found == [expected.get(color or "", "bob-omb")]


def test_ids_that_only_some_editions_have() -> None:
    rose, gift = Color.named("rose"), Face.named("gift")
    assert rose is Color.named("rose")
    assert Color.named("red") is Color.RED
    assert rose not in list(Color)
    card = Card(gift, rose)
    assert card is Card(Face.named("gift"), Color.named("rose"))
    assert pickle.loads(pickle.dumps(card)) is card
    assert card.name == "rose gift"
    assert [Face.named(name).is_wild for name in ("wild", "wild cat", "wildcat", "gift")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("drawn", "highest"),
    [
        (("red 3", "blue 7", "wild"), (1,)),
        (("red 3", "blue 3", "green skip"), (0, 1)),
        (("wild", "red draw two", "red 0"), (0, 1, 2)),
    ],
)
def test_who_deals(drawn: tuple[str, ...], highest: tuple[int, ...]) -> None:
    """R3."""
    assert highest_draws([Card.parse(name) for name in drawn]) == highest
