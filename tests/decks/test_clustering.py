"""Clustering of copies, and caching of arrays."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from companion.cards import Card, EditionName, deck
from companion.decks.labels.clustering import group_copies
from companion.decks.model.edition_cards import learnt_cards
from companion.decks.storage.cache import read_cache, write_cache
from companion.editions import EDITIONS

HELD = deck(EditionName.CLASSIC)


def _laid() -> list[Card]:
    return [card for card in HELD for _ in range(HELD[card])]


def _likeness(cards: list[Card], alike: dict[frozenset[Card], float]) -> np.ndarray:
    # Copies differ slightly, each by its own amount, so that no similarities are equal.
    table = np.random.default_rng(1).uniform(0, 0.01, (len(cards), len(cards)))
    for i, one in enumerate(cards):
        for j, other in enumerate(cards):
            table[i, j] += alike.get(frozenset((one, other)), 0.95 if one == other else 0.3)
    return np.asarray((table + table.T) / 2, np.float64)


def test_similar_faces_of_a_color_are_not_grouped_as_a_wild() -> None:
    cards = _laid()
    colors = ("red", "yellow", "green", "blue")
    pairs = {frozenset((Card.parse(f"{color} 3"), Card.parse(f"{color} 8"))): 0.9 for color in colors}
    # Copies of the other face are less similar, so similarity alone would merge the two faces first.
    unlike = {frozenset((Card.parse(f"{color} 7"),)): 0.85 for color in colors}
    groups = group_copies(_likeness(cards, pairs | unlike), HELD, 1.0, {})
    assert sorted(np.bincount(groups)) == sorted(HELD.values())
    assert len(set(zip(groups.tolist(), cards, strict=True))) == len(HELD)


def test_pictures_with_different_names_are_not_grouped() -> None:
    cards = [card for card in _laid() if card.name in {"red 3", "red 8"}]
    both = {frozenset((Card.parse("red 3"), Card.parse("red 8"))): 0.949}
    known = {i: int(card.name == "red 8") for i, card in enumerate(cards)}
    assert group_copies(_likeness(cards, both), HELD, 2 / len(HELD), known).tolist() == [0, 0, 1, 1]


def test_groups_have_the_editions_numbers_of_copies() -> None:
    held = learnt_cards(EDITIONS[EditionName.MARIO_KART]).held
    assert max(held.values()) == 8
    cards = [card for card in held for _ in range(held[card])]
    # Other faces' copies are less similar than these two faces are, and are grouped first nevertheless.
    pairs = {frozenset((Card.parse(f"{color} 3"), Card.parse(f"{color} 8"))): 0.9 for color in ("red", "blue")}
    unlike = {frozenset((Card.parse(f"{color} {face}"),)): 0.85 for color in ("red", "blue") for face in (5, 6, 7)}
    groups = group_copies(_likeness(cards, pairs | unlike), held, 1.0, {})
    assert sorted(np.bincount(groups)) == sorted(held.values())


def test_a_deck_without_copies_is_not_grouped() -> None:
    cards = list(HELD)
    assert len(set(group_copies(_likeness(cards, {}) + 0.6, Counter(cards), 1.0, {}))) == len(cards)


def test_cache_is_valid_only_undamaged_and_for_its_key(tmp_path: Path) -> None:
    file, key = tmp_path / "kept.npz", b"k" * 32
    assert read_cache(file, key) is None
    write_cache(file, key, {"numbers": np.arange(5), "levels": np.ones((2, 3), np.float16)})
    had = read_cache(file, key)
    assert had is not None
    assert had["numbers"].tolist() == [0, 1, 2, 3, 4]
    assert had["levels"].shape == (2, 3)
    assert read_cache(file, b"o" * 32) is None
    file.write_bytes(file.read_bytes()[:-40])
    assert read_cache(file, key) is None
    write_cache(tmp_path / "nowhere" / "kept.npz", key, {})
