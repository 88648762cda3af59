"""Merges network detections with matches from the learnt deck, keeping one result per card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.cards import ALL_CARDS
from companion.vision.core.geometry import (
    INDEX_SPOT,
    Quad,
    corner_frames,
    grid_in,
    homography,
    intersection_over_smaller,
    intersection_over_union,
    project,
    unit_square,
)
from companion.vision.core.labels import Floats, color_class, face_class
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import EVEN, Sighting
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.outlines import is_far_smaller, lies_small

_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])
# Minimum share of a card's sample points covered by a match to be the same card.
_SAME = 0.4
# Probability that such a detection's card is correct as read; that only its face is correct (a corner without its own
# colour takes the surrounding one); the rest is uniform.
_AS_READ, _BY_FACE = 0.6, 0.3
# Sample points per direction.
_PLACES = 6
# Maximum distance of a card's own corner from the nominal index position, over its sides; neighbours' corners in a hand
# are at least a third of the width away.
_OWN = 0.25
# Overlap from which an open detection is the matched card; two neighbours in a hand overlap less.
_OUTLINED = 0.7
# Overlap from which a detection with the same reading is the same card: two such errors had .69, neighbours in a hand
# less than half.
_ITSELF = 0.6
# Share of a card inside a larger outline from which it is part of it; two stacked identical cards overlap less.
_LIES_IN = 0.9


def merge_deck_matches(
    sightings: Sequence[Sighting],
    matches: Sequence[tuple[Reading, PictureMatch]],
    least: float = 0.0,
    sure: Sequence[Reading | Sighting] = (),
    stands: float = np.inf,
) -> list[Sighting]:
    """Return the matched cards, plus the detections that lie elsewhere or are more confident.

    least: minimum combined confidence of a match. sure: certain cards of the deck in the picture; much smaller matches
    are rejected. stands: confidence from which a detection cannot be replaced by a match.
    """
    standing = [sighting for sighting in sightings if sighting.confidence >= stands]
    matches = [pair for pair in matches if not any(_is_there(sighting, *pair) for sighting in standing)]
    matches = [pair for pair in matches if not any(_outweighs(sighting, *pair) for sighting in sightings)]
    if not matches:
        return list(sightings)
    shares = [_shares(sighting, [one for _, one in matches]) for sighting in sightings]
    cards, joined = [reading for reading, _ in matches], set[int]()
    for i, sighting in enumerate(sightings):
        at = int(np.argmax(shares[i]))
        if shares[i][at] >= _SAME and _is_its(sighting, cards[at], matches[at][1]):
            # A separately boxed corner is framed better than one derived from its card's outline.
            cards[at] = replace(cards[at], logs=cards[at].logs + _says(sighting))
            joined.add(i)
    counts = [card.confidence >= least and not is_far_smaller(card, sure) for card in cards]
    others = []
    for i, sighting in enumerate(sightings):
        taken = sum(share for share, counted in zip(shares[i], counts, strict=True) if counted)
        at = int(np.argmax(shares[i]))
        # An uncertain match still indicates a card.
        in_doubt = shares[i][at] >= _SAME and not counts[at]
        anothers = i not in joined and (
            _is_behind(sighting, cards, [one for _, one in matches])
            if sighting.whole
            else _is_anothers(sighting, cards[at], matches[at][1])
        )
        none = _is_far_larger(sighting, cards, counts) or _is_its_end(sighting, cards, counts)
        if (taken < _SAME or in_doubt or anothers) and not none:
            others.append(sighting)
    matched = [(card, one) for card, (_, one), counted in zip(cards, matches, counts, strict=True) if counted]
    return [*others, *(reading.sighting(whole=one.is_open) for reading, one in matched)]


def _is_there(sighting: Sighting, card: Reading, one: PictureMatch) -> bool:
    """Whether a match lies on a detection, or is a rim of that card which its outline misses."""
    if _shares(sighting, [one])[0] >= _SAME:
        return True
    return sighting.card == card.card and intersection_over_union(sighting.quad, one.quad) > _ITSELF


def _is_far_larger(sighting: Sighting, cards: Sequence[Reading], counts: Sequence[bool]) -> bool:
    """Whether a whole outline is much larger than a more confident matched card, as one around the whole table.

    Also if it reads as that very card, which lies inside it: its box was too large.
    """
    return sighting.whole and any(
        counted
        and card.confidence > sighting.confidence
        and (
            lies_small(card.quad, sighting.quad)
            or (card.card == sighting.card and intersection_over_smaller(card.quad, sighting.quad) > _LIES_IN)
        )
        for card, counted in zip(cards, counts, strict=True)
    )


def _is_its_end(corner: Sighting, cards: Sequence[Reading], counts: Sequence[bool]) -> bool:
    """Whether a corner reads as a matched card and lies at that card's index spot.

    The card is visible there even if its picture fits too badly to show it.
    """
    return not corner.whole and any(
        counted and card.card == corner.card and _is_at_an_end(corner_frames(corner.quad)[0].mean(0), card.quad)
        for card, counted in zip(cards, counts, strict=True)
    )


def _shares(sighting: Sighting, matches: Sequence[PictureMatch]) -> list[float]:
    """Return the share of a detection's sample points each match covers; all of them for equal outlines."""
    places = _places(sighting)
    return [1.0 if _has_outline(sighting, one) else float(one.shows(places).mean()) for one in matches]


def _has_outline(sighting: Sighting, one: PictureMatch) -> bool:
    return sighting.whole and intersection_over_union(sighting.quad, one.quad) > _OUTLINED


def _outweighs(sighting: Sighting, card: Reading, one: PictureMatch) -> bool:
    """Whether a detection shows another card than the match, with more confidence.

    Another colour must not be equally confident in the match: a corner may lack its own colour. Matches without a good
    fit turned a 7 and a 9, read at .99, into other colours.
    """
    confidence = card.confidence
    if sighting.card.color is not card.card.color:
        confidence = float(card.probabilities[:-1][color_class(card.card.color) == _COLORS].sum())
    if sighting.card == card.card or sighting.confidence < max(EVEN, confidence):
        return False
    if sighting.whole:
        return _has_outline(sighting, one)
    return _shares(sighting, [one])[0] >= _SAME and not _is_anothers(sighting, card, one)


def _is_its(sighting: Sighting, card: Reading, one: PictureMatch) -> bool:
    """Whether a detection on a matched card is that card and identifies it."""
    if sighting.whole:
        # An open card has been read as a whole already.
        return not one.is_open and _has_outline(sighting, one)
    return not _is_anothers(sighting, card, one)


def _is_anothers(corner: Sighting, card: Reading, one: PictureMatch) -> bool:
    """Whether a corner inside a match's visible part belongs to another card above it.

    If faces differ only in their signs, the visible part is overestimated.
    """
    return (
        not one.is_open
        and corner.confidence >= EVEN
        and corner.card != card.card
        and not _is_at_an_end(corner_frames(corner.quad)[0].mean(0), one.quad)
    )


def _is_behind(card: Sighting, others: Sequence[Reading], matches: Sequence[PictureMatch]) -> bool:
    """Whether a whole outline belongs to another card than the matches visible in it, partly hidden by them.

    It equals none of their outlines, and one of its own corners lies where none of them is visible.
    """
    if card.confidence < EVEN or any(_has_outline(card, one) for one in matches):
        return False
    places = _places(card)
    if any(other.card == card.card and one.shows(places).any() for other, one in zip(others, matches, strict=True)):
        return False
    corners = [grid_in(frame, _PLACES, _PLACES) for frame in corner_frames(card.quad)]
    return any(sum(float(one.shows(corner).mean()) for one in matches) < _SAME for corner in corners)


def _is_at_an_end(point: Floats, card: Quad) -> bool:
    """Whether a point (2,) lies near one of a card's index spots."""
    place = project(homography(card, unit_square()), point[None])[0]
    spot = np.array(INDEX_SPOT)
    return bool(min(np.abs(place - spot).max(), np.abs(place - (1 - spot)).max()) < _OWN)


def _says(sighting: Sighting) -> Floats:
    """Return (57,) log-likelihoods of a detection, allowing for errors, mainly in colour."""
    chances = np.zeros(len(ALL_CARDS), np.float32)
    chances[[ALL_CARDS.index(card) for card in sighting.cards]] = sighting.probabilities
    same_face = _FACES[:, None] == _FACES
    by_face = (same_face @ chances) / same_face.sum(1)
    mixed = _AS_READ * chances + _BY_FACE * by_face + (1 - _AS_READ - _BY_FACE) / len(ALL_CARDS)
    # The match already established that a card is present.
    return np.append(np.log(mixed), np.log(mixed).min()).astype(np.float32)


def _places(sighting: Sighting) -> Floats:
    """Return (N, 2) sample points of a detection: over the whole card, or in its visible corner."""
    return grid_in(sighting.quad if sighting.whole else corner_frames(sighting.quad)[0], _PLACES, _PLACES)
