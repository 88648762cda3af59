"""Fits and checks how a learnt deck is searched, on fans, scattered and single cards of decks no network saw.

Every fifth deck is for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.dataset.gallery.decks import ArtDeck, Sources, art_deck, card_mask, distinct, edge_deck, printed_deck
from companion.dataset.scenes.sittings import Picture, Sitting
from companion.decks.matching.candidates import Comparer, Faces
from companion.decks.matching.card_parts import CardPart, PartEmbedding
from companion.decks.matching.card_search import CardSearch
from companion.decks.matching.cell_matching import CellMatcher
from companion.decks.matching.search_model import CARD_FEATURES, OUTLINE_FEATURES, SearchModel
from companion.decks.matching.selection import in_order, select
from companion.decks.matching.verification import VerifiedCard
from companion.decks.model.card_views import stored_picture
from companion.models.fitting.logistic import ridge_logistic, roc_area
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.core.labels import log_softmax
from companion.vision.core.logit import Logit
from companion.vision.detection.box_detector import BoxFinder
from companion.vision.recognition.outlines import is_card_shaped

# Height (px) of the drawn faces, radius of their corners over it, and the number of pictures of each deck: fans, then
# scattered cards, then single ones.
_FACE, _RADIUS, _PICTURES = 448, 0.055, (4, 2, 2)
# Error of an outline over its length, see `_moved`: of a learnt picture, and at most of a card that hides others.
_LAID_OFF, _LOOSE = 0.006, 0.03
# Overlap from which an outline is that of a card, and below which it certainly is not.
_SAME, _APART = 0.6, 0.4
# Levels by which faces differ, see `distinct`; minimum and maximum number of faces.
_DIFFER, _FEWEST, _MOST = 3.0, 10, 54
_RIDGE = 1e-3
_SHARPNESSES, _CELLS = np.geomspace(5, 60, 24), np.linspace(0, 4, 9)

# Half of the decks have pictures from edge to edge, which are found by the search alone.
_KINDS = (edge_deck, art_deck, edge_deck, printed_deck)


_Verified = tuple[VerifiedCard, int]
"""A card as it was verified, and the face that lies there, -1 if there is no card."""


@dataclass(frozen=True, eq=False)
class Case:
    """A deck with pictures of its cards. outlines: for each picture the outlines (4, 2) found in it."""

    faces: Faces
    matcher: CellMatcher
    pictures: tuple[Picture, ...]
    outlines: tuple[tuple[Quad, ...], ...]

    def face(self, picture: Picture, card: int) -> int:
        """Return the index of the face of a picture's card."""
        return int(np.searchsorted(self.faces.numbers, ALL_CARDS.index(picture.cards[card])))


def drawn(
    finder: BoxFinder, scales: Sequence[int], sources: Sources, numbers: Iterable[int], seed: int
) -> Iterator[Case]:
    """Yield decks with their pictures. finder: finds outlines of cards of any print at these scales."""
    embedding = PartEmbedding.shipped()
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        art = _KINDS[number % len(_KINDS)](sources, _FACE, rng)
        faces = _different_faces(art, rng)
        if len(faces) < _FEWEST:
            continue
        mask = card_mask(art.faces.shape[2], _FACE, _RADIUS)
        cards = ALL_CARDS[: len(faces)]
        sitting = Sitting(
            {card: np.dstack([face, mask]) for card, face in zip(cards, faces, strict=True)}, (seed, number)
        )
        laid = [stored_picture(one.image, _moved(one.quads[0], _LAID_OFF, rng)) for one in sitting.flip(cards)]
        fans, scattered, single = _PICTURES
        pictures = [
            *(sitting.fan() for _ in range(fans)),
            *(sitting.scattered() for _ in range(scattered)),
            *(sitting.single() for _ in range(single)),
        ]
        known = list(range(len(cards)))
        outlines = tuple(tuple(finder.propose_outlines(one.image, scales)) for one in pictures)
        yield Case(Faces.of(laid, known, embedding), CellMatcher.of(laid, known), tuple(pictures), outlines)


def _different_faces(art: ArtDeck, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return faces (N, H, W, 3) of a deck of which no two are alike, in random order."""
    firsts = np.unique(distinct(art.faces, _DIFFER))
    return art.faces[rng.permutation(firsts)[:_MOST]]


def _moved(quad: Quad, off: float, rng: np.random.Generator) -> Quad:
    """Return an outline (4, 2) as it may be found. off: standard deviation, over its length, of place and corners."""
    length = float(np.hypot(*(quad[3] - quad[0])))
    return np.asarray(quad + (rng.normal(0, off, 2) + rng.normal(0, off / 2, (4, 2))) * length, np.float32)


def fitted(cases: Sequence[Case]) -> SearchModel:
    """Return the model fitted to decks: first how outlines are judged, then how cards selected by that are."""
    rng = np.random.default_rng(1)
    looks = [look for case in cases for look in _looks(case, rng)]
    outline = _fitted_odds(looks)
    model = SearchModel(outline, Logit(np.zeros(len(CARD_FEATURES)), 0.0), Logit(np.array([1.0, 0.0]), 0.0))
    found = [ways for case in cases for ways in _selected(case, model)]
    every = [way for ways in found for way in ways]
    model = max(
        (replace(model, face=Logit(np.array(weights), 0.0)) for weights in product(_SHARPNESSES, _CELLS)),
        key=lambda some: np.mean([log_softmax(one.logs(some)[None])[0, face] for one, face in every if face >= 0]),
    )
    # What counts is the better way of each card, which the weights choose.
    model = _with_card_odds(model, every)
    return _with_card_odds(model, [_better(ways, model) for ways in found])


def checked(cases: Sequence[Case], model: SearchModel) -> str:
    """Return the figures on decks: how many cards are found, how many are wrong, and how well both are told apart."""
    found = [_better(ways, model) for case in cases for ways in _selected(case, model)]
    odds = np.array([one.odds(model) for one, _ in found])
    is_right = np.array([_is_right(way, model) for way in found])
    cards = sum(len(picture.cards) for case in cases for picture in case.pictures)
    accepted = odds > 0
    return (
        f"{cards} cards: {(accepted & is_right).sum()} found, {(accepted & ~is_right).sum()} wrong; "
        f"of {len(found)} verified ROC {roc_area(odds[is_right], odds[~is_right]):.3f}"
    )


def _better(ways: Sequence[_Verified], model: SearchModel) -> _Verified:
    return max(ways, key=lambda way: way[0].odds(model))


def _with_card_odds(model: SearchModel, found: Sequence[_Verified]) -> SearchModel:
    """Return the model with the odds of verified cards fitted to these."""
    return replace(model, card=_fitted_odds([(way[0].features(model), _is_right(way, model)) for way in found]))


def _is_right(way: _Verified, model: SearchModel) -> bool:
    one, face = way
    return int(one.logs(model).argmax()) == face


def _fitted_odds(looks: Sequence[tuple[tuple[float, ...], bool]]) -> Logit:
    features, right = zip(*looks, strict=True)
    weights, offset = ridge_logistic(np.array(features), np.array(right), _RIDGE * len(looks))
    return Logit(weights, offset)


def _selected(case: Case, model: SearchModel) -> Iterator[list[_Verified]]:
    """Yield the selected cards of the pictures, each in the ways in which it is verified."""
    search = CardSearch(case.faces, case.matcher, model=model)
    for picture, outlines in zip(case.pictures, case.outlines, strict=True):
        candidates, comparer = search.candidates(picture.image, outlines)
        for one in in_order(select(candidates, comparer, lambda one: one.quad), comparer):
            yield [(way, _face_at(way.quad, picture, case)) for way in search.verified(one, comparer)]


def _looks(case: Case, rng: np.random.Generator) -> Iterator[tuple[tuple[float, ...], bool]]:
    """Yield features of outlines as they are and corrected, and whether each holds a card of the most similar face."""
    odds = Logit(np.zeros(len(OUTLINE_FEATURES)), 0.0)
    for picture, outlines in zip(case.pictures, case.outlines, strict=True):
        quads = [quad for quad in outlines if is_card_shaped(quad)]
        if not quads:
            continue
        comparer = Comparer.of(picture.image, case.faces, case.matcher, PartEmbedding.shipped(), odds, quads)
        hidden = [(quad, *hiding) for quad in quads for hiding in _hidings(quad, picture, rng)]
        for _ in range(2):
            parts = [CardPart.of(picture.image, quad, above) for quad, above, _ in hidden]
            compared = list(zip(comparer.compare(parts), hidden, strict=True))
            for one, (quad, _, is_taken) in compared:
                card, overlap = _nearest(quad, picture.quads)
                is_named = one is not None and one.face == case.face(picture, card) and not is_taken
                if one is not None and not (is_named and _APART < overlap < _SAME):
                    yield one.features, is_named and overlap >= _SAME
            better = [(one.corrected, above, taken) for one, (_, above, taken) in compared if one is not None]
            hidden = [hiding for hiding in better if is_card_shaped(hiding[0]) and not hiding[2]]


def _hidings(quad: Quad, picture: Picture, rng: np.random.Generator) -> Iterator[tuple[list[Quad], bool]]:
    """Yield what hides an outline: none, some or all of the cards above, or also the card that lies there itself.

    The second value says whether the card there is hidden by itself, as a card that was found already.
    """
    card, overlap = _nearest(quad, picture.quads)
    is_there = overlap > _APART
    above = picture.quads[card + 1 :] if is_there else (*picture.quads[:card], *picture.quads[card + 1 :])
    for count in {0, len(above), int(rng.integers(len(above) + 1))}:
        yield [_moved(one, rng.uniform(0, _LOOSE), rng) for one in above[len(above) - count :]], False
    if is_there:
        yield [_moved(one, rng.uniform(0, _LOOSE), rng) for one in picture.quads[card:]], True


def _face_at(quad: Quad, picture: Picture, case: Case) -> int:
    """Return the index of the face of the card in an outline (4, 2), -1 if there is none."""
    card, overlap = _nearest(quad, picture.quads)
    return case.face(picture, card) if overlap >= _SAME else -1


def _nearest(quad: Quad, others: Sequence[Quad]) -> tuple[int, float]:
    """Return which of other outlines overlaps most with one, and its overlap."""
    overlaps = [intersection_over_union(quad, other) for other in others]
    return int(np.argmax(overlaps)), max(overlaps)
