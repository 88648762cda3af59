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
from companion.vision.core.labels import Floats, card_classes, color_class
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import EVEN, Sighting
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.outlines import is_far_smaller, is_too_small_beside

_FACES, _COLORS = card_classes()
# Minimum share of a detection's sample points that a match covers to be the same card.
_MIN_COVERAGE = 0.4
# Probability that such a detection's card is correct as read; that only its face is correct (a corner without its own
# colour takes the surrounding one); the rest is uniform.
_AS_READ, _BY_FACE = 0.6, 0.3
# Sample points per direction.
_GRID = 6
# Maximum distance of a card's own corner from the nominal index position, over its sides; neighbours' corners in a hand
# are at least a third of the width away.
_SPOT_REACH = 0.25
# IoU from which an open detection is the matched card; two neighbours in a hand overlap less.
_SAME_OUTLINE = 0.7
# IoU from which a detection with the same reading is the same card: two such errors had .69, neighbours in a hand less
# than half.
_SAME_READING = 0.6
# Share of a card inside a larger outline from which it is part of it; two stacked identical cards overlap less.
_INSIDE = 0.9


def merge_deck_matches(
    sightings: Sequence[Sighting],
    matches: Sequence[tuple[Reading, PictureMatch]],
    min_confidence: float = 0.0,
    identified: Sequence[Reading | Sighting] = (),
    keep_from: float = np.inf,
) -> list[Sighting]:
    """Return the matched cards, plus the detections that lie elsewhere or are more confident.

    min_confidence: combined confidence from which a match is accepted. identified: certain cards of the deck in the
    picture; much smaller matches are rejected. keep_from: confidence from which a detection cannot be replaced.
    """
    fixed = [sighting for sighting in sightings if sighting.confidence >= keep_from]
    matches = [pair for pair in matches if not any(_is_detected(sighting, *pair) for sighting in fixed)]
    matches = [pair for pair in matches if not any(_contradicts(sighting, *pair) for sighting in sightings)]
    if not matches:
        return list(sightings)
    coverage = [_coverage(sighting, [match for _, match in matches]) for sighting in sightings]
    cards, merged = [card for card, _ in matches], set[int]()
    for i, sighting in enumerate(sightings):
        at = int(np.argmax(coverage[i]))
        if coverage[i][at] >= _MIN_COVERAGE and _identifies(sighting, cards[at], matches[at][1]):
            # A separately boxed corner is framed better than one derived from its card's outline.
            cards[at] = replace(cards[at], logs=cards[at].logs + _tolerant_logs(sighting))
            merged.add(i)
    accepted = [card.confidence >= min_confidence and not is_far_smaller(card, identified) for card in cards]
    kept = []
    for i, sighting in enumerate(sightings):
        covered = sum(share for share, is_accepted in zip(coverage[i], accepted, strict=True) if is_accepted)
        at = int(np.argmax(coverage[i]))
        # An uncertain match still indicates a card.
        is_doubtful = coverage[i][at] >= _MIN_COVERAGE and not accepted[at]
        is_another = i not in merged and (
            _is_below(sighting, cards, [match for _, match in matches])
            if sighting.whole
            else _is_of_card_above(sighting, cards[at], matches[at][1])
        )
        is_none = _is_far_larger(sighting, cards, accepted) or _is_corner_of(sighting, cards, accepted)
        if (covered < _MIN_COVERAGE or is_doubtful or is_another) and not is_none:
            kept.append(sighting)
    rows = zip(cards, matches, accepted, strict=True)
    return [*kept, *(card.sighting(whole=match.is_open) for card, (_, match), is_accepted in rows if is_accepted)]


def _is_detected(sighting: Sighting, card: Reading, match: PictureMatch) -> bool:
    """Whether a match lies on a detection, or is a rim of that card which its outline misses."""
    if _coverage(sighting, [match])[0] >= _MIN_COVERAGE:
        return True
    return sighting.card == card.card and intersection_over_union(sighting.quad, match.quad) > _SAME_READING


def _is_far_larger(sighting: Sighting, cards: Sequence[Reading], accepted: Sequence[bool]) -> bool:
    """Whether a whole outline is much larger than a more confident matched card, as one around the whole table.

    Also if it reads as that very card, which lies inside it: its box was too large.
    """
    return sighting.whole and any(
        is_accepted
        and card.confidence > sighting.confidence
        and (
            is_too_small_beside(card.quad, sighting.quad)
            or (card.card == sighting.card and intersection_over_smaller(card.quad, sighting.quad) > _INSIDE)
        )
        for card, is_accepted in zip(cards, accepted, strict=True)
    )


def _is_corner_of(corner: Sighting, cards: Sequence[Reading], accepted: Sequence[bool]) -> bool:
    """Whether a corner reads as a matched card and lies at that card's index spot.

    The card is visible there even if its picture fits too badly to show it.
    """
    return not corner.whole and any(
        is_accepted and card.card == corner.card and _is_at_index_spot(corner, card.quad)
        for card, is_accepted in zip(cards, accepted, strict=True)
    )


def _coverage(sighting: Sighting, matches: Sequence[PictureMatch]) -> list[float]:
    """Return the share of a detection's sample points each match covers; all of them for equal outlines."""
    points = _sample_points(sighting)
    return [1.0 if _has_outline(sighting, match) else float(match.shows(points).mean()) for match in matches]


def _has_outline(sighting: Sighting, match: PictureMatch) -> bool:
    return sighting.whole and intersection_over_union(sighting.quad, match.quad) > _SAME_OUTLINE


def _contradicts(sighting: Sighting, card: Reading, match: PictureMatch) -> bool:
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
        return _has_outline(sighting, match)
    return _coverage(sighting, [match])[0] >= _MIN_COVERAGE and not _is_of_card_above(sighting, card, match)


def _identifies(sighting: Sighting, card: Reading, match: PictureMatch) -> bool:
    """Whether a detection on a matched card is that card and identifies it."""
    if sighting.whole:
        # An open card has been read as a whole already.
        return not match.is_open and _has_outline(sighting, match)
    return not _is_of_card_above(sighting, card, match)


def _is_of_card_above(corner: Sighting, card: Reading, match: PictureMatch) -> bool:
    """Whether a corner inside a match's visible part belongs to another card above it.

    If faces differ only in their signs, the visible part is overestimated.
    """
    is_another = corner.confidence >= EVEN and corner.card != card.card
    return is_another and not match.is_open and not _is_at_index_spot(corner, match.quad)


def _is_below(card: Sighting, others: Sequence[Reading], matches: Sequence[PictureMatch]) -> bool:
    """Whether a whole outline belongs to another card than the matches visible in it, partly hidden by them.

    It equals none of their outlines, and one of its own corners lies where none of them is visible.
    """
    if card.confidence < EVEN or any(_has_outline(card, match) for match in matches):
        return False
    points = _sample_points(card)
    same = (match for other, match in zip(others, matches, strict=True) if other.card == card.card)
    if any(match.shows(points).any() for match in same):
        return False
    corners = [grid_in(frame, _GRID, _GRID) for frame in corner_frames(card.quad)]
    return any(sum(float(match.shows(corner).mean()) for match in matches) < _MIN_COVERAGE for corner in corners)


def _is_at_index_spot(corner: Sighting, card: Quad) -> bool:
    """Whether a corner lies near one of a card's index spots."""
    center = corner_frames(corner.quad)[0].mean(0)
    place = project(homography(card, unit_square()), center[None])[0]
    spot = np.array(INDEX_SPOT)
    return bool(min(np.abs(place - spot).max(), np.abs(place - (1 - spot)).max()) < _SPOT_REACH)


def _tolerant_logs(sighting: Sighting) -> Floats:
    """Return (57,) log-likelihoods of a detection, allowing for errors, mainly in colour."""
    probabilities = np.zeros(len(ALL_CARDS), np.float32)
    probabilities[[ALL_CARDS.index(card) for card in sighting.cards]] = sighting.probabilities
    same_face = _FACES[:, None] == _FACES
    by_face = (same_face @ probabilities) / same_face.sum(1)
    mixed = _AS_READ * probabilities + _BY_FACE * by_face + (1 - _AS_READ - _BY_FACE) / len(ALL_CARDS)
    # The match already established that a card is present.
    return np.append(np.log(mixed), np.log(mixed).min()).astype(np.float32)


def _sample_points(sighting: Sighting) -> Floats:
    """Return (N, 2) sample points of a detection: over the whole card, or in its visible corner."""
    return grid_in(sighting.quad if sighting.whole else corner_frames(sighting.quad)[0], _GRID, _GRID)
