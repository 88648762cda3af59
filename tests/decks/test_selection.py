"""Which outlines hold cards: those on top are taken first, the others are judged by what remains visible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from companion.decks.matching.candidates import Candidate, Comparer, Faces
from companion.decks.matching.card_parts import CardPart, PartEmbedding
from companion.decks.matching.cell_matching import CellMatcher
from companion.decks.matching.search_model import shipped_search_model
from companion.decks.matching.selection import below, in_order, select
from companion.vision.core.geometry import Image, Quad

from .test_card_search import CARDS, _deck, _faces, _lay, _lit, _table, lying

pytestmark = pytest.mark.slow

LOW, TOP = lying(330, 300, -10), lying(400, 310, 12)
LOW_CARD, TOP_CARD = CARDS[1], CARDS[0]


@dataclass(frozen=True)
class Scene:
    """A picture of a card on top of another one, and how its outlines are compared with the deck."""

    image: Image
    comparer: Comparer

    def seen(self, *quads: Quad) -> list[Candidate]:
        """Return outlines as candidates that nothing hides."""
        found = self.comparer.compare([CardPart.of(self.image, quad) for quad in quads])
        assert all(one is not None for one in found)
        return [one for one in found if one is not None]

    def number(self, one: Candidate) -> int:
        return int(self.comparer.faces.numbers[one.face])


@pytest.fixture(scope="module")
def faces() -> Faces:
    return Faces.of(_deck(_faces(5)).all_pictures, CARDS, PartEmbedding.shipped())


@pytest.fixture(scope="module")
def scene(faces: Faces) -> Scene:
    drawn, picture = _faces(5), _table(800, 600)
    _lay(picture, drawn[1], LOW)
    _lay(picture, drawn[0], TOP)
    odds, image = shipped_search_model().outline, _lit(picture)
    matcher = CellMatcher.of(_deck(drawn).all_pictures, CARDS)
    return Scene(image, Comparer.of(image, faces, matcher, PartEmbedding.shipped(), odds, [LOW, TOP]))


def _selected(candidates: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """Return the selected candidates, all of which are cards, by what the others leave visible of them."""
    return in_order(select(candidates, scene.comparer, lambda one: one.quad), scene.comparer)


def test_the_card_whose_print_shows_lies_on_top_even_if_it_gains_a_little_below(scene: Scene) -> None:
    low, top = scene.seen(LOW, TOP)
    below_top, below_low = scene.comparer.compare([low.part.below([TOP]), top.part.below([LOW])])
    assert below_top is not None
    assert below_low is not None
    advantage = (below_top.odds - low.odds) - (below_low.odds - top.odds)
    doubtful = replace(top, odds=top.odds - advantage - 1)
    assert [scene.number(one) for one in in_order([low, doubtful], scene.comparer) if one.part.share < 1] == [LOW_CARD]


def test_a_covering_card_comes_first_and_the_covered_one_is_read_by_the_rest(scene: Scene) -> None:
    low, top = scene.seen(LOW, TOP)
    assert top.odds > low.odds
    found = _selected([low, top], scene)
    assert [scene.number(one) for one in found] == [TOP_CARD, LOW_CARD]
    first, second = found
    assert first.part.share == 1
    assert second.part.share == CardPart.of(scene.image, LOW, [TOP]).share < 0.7
    # What covers it looks like another card.
    assert second.similarities.max() > low.similarities.max() + 0.1
    assert second.odds > low.odds


def test_a_refuted_candidate_hides_nothing(scene: Scene) -> None:
    low, top, near = scene.seen(LOW, TOP, np.asarray(TOP + 2, np.float32))
    asked: list[Candidate] = []

    def verify(one: Candidate) -> Quad | None:
        asked.append(one)
        return None if scene.number(one) == TOP_CARD else one.quad

    select([low, replace(top, odds=top.odds + 9), near], scene.comparer, verify)
    assert [scene.number(one) for one in asked] == [TOP_CARD, LOW_CARD], (
        "an outline like the refuted one is not verified"
    )
    assert (asked[1].part.visible == low.part.visible).all()


def test_of_two_cards_the_likelier_order_counts(scene: Scene) -> None:
    """The covered card is taken first here, as if it looked a little likelier."""
    low, top = scene.seen(LOW, TOP)
    found = _selected([replace(low, odds=top.odds + 0.1), top], scene)
    assert [scene.number(one) for one in found] == [LOW_CARD, TOP_CARD]
    assert found[1].part.share == 1
    assert found[0].part.share < 0.7


def test_outlines_of_parts_of_cards_are_explained_by_these_cards(scene: Scene) -> None:
    """An outline somewhat off a card looks like that card, until the card itself is found."""
    off = np.asarray(TOP + 0.2 * (TOP[1] - TOP[0]), np.float32)
    across = np.asarray((LOW + TOP) / 2, np.float32)
    low, top, likely, mixed = scene.seen(LOW, TOP, off, across)
    assert scene.number(likely) == TOP_CARD
    assert likely.odds > 0
    assert [scene.number(one) for one in _selected([low, top, likely, mixed], scene)] == [TOP_CARD, LOW_CARD]


def test_what_is_left_below_found_cards_is_compared_again(scene: Scene) -> None:
    low, top, beside, moved = scene.seen(LOW, TOP, lying(650, 300, 0), np.asarray(LOW + 3, np.float32))
    again, same = below([low, top, beside], [top], scene.comparer)
    assert again.part.share < low.part.share
    assert again.similarities.max() > low.similarities.max() + 0.1
    assert (same.part.visible == beside.part.visible).all(), "nothing hides it"
    assert below([low], [moved], scene.comparer) == [], "it is the same card"


def test_a_card_on_top_of_a_found_one_is_not_hidden_by_it(scene: Scene) -> None:
    low, top = scene.seen(LOW, TOP)
    (found,) = below([top], [low], scene.comparer)
    assert found.part.share == 1
    assert scene.number(found) == TOP_CARD


def test_an_outline_across_a_found_card_is_a_part_of_it(scene: Scene) -> None:
    """It is no card on top either, even if it looked much likelier than what it leaves of the card."""
    off = np.asarray(TOP + 0.3 * (TOP[1] - TOP[0]), np.float32)
    top, across = scene.seen(TOP, off)
    assert scene.number(across) == TOP_CARD
    assert all(one.odds < -2 for one in below([across], [top], scene.comparer))
    assert below([replace(across, odds=across.odds + 20)], [top], scene.comparer) == []


def test_a_part_is_compared_once(scene: Scene) -> None:
    first, again, other = scene.seen(LOW, LOW.copy(), TOP)
    assert again.similarities is first.similarities
    assert other.similarities is not first.similarities


def test_bare_outlines_are_not_selected(scene: Scene) -> None:
    assert _selected([], scene) == []
    bare = scene.seen(lying(650, 450, 40))
    assert _selected([replace(one, odds=-9.0) for one in bare], scene) == []


def test_only_parts_that_something_hides_are_compared_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = lying(650, 300, 0)
    low, top, alone = scene.seen(LOW, TOP, beside)
    compare, times = Comparer.compare, Counter[float]()

    def counted(self: Comparer, parts: Sequence[CardPart]) -> list[Candidate | None]:
        times.update(float(part.quad[0, 0]) for part in parts)
        return compare(self, parts)

    monkeypatch.setattr(Comparer, "compare", counted)
    _selected([low, replace(top, odds=99.0), replace(alone, odds=9.0)], scene)
    # Once in the end, and the covered card below the other one, too.
    assert times[float(beside[0, 0])] == 1
    assert times[float(LOW[0, 0])] == 3
