"""Cards that the networks made out and cards of a learnt deck that its pictures told: one for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.cards import ALL_CARDS
from companion.vision.core.geometry import (
    INDEX_SPOT,
    Quad,
    corner_frames,
    homography,
    intersection_over_smaller,
    intersection_over_union,
    project,
    unit_square,
)
from companion.vision.core.labels import Floats, color_class, face_class
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import Sighting
from companion.vision.detection.deck_protocol import Sought
from companion.vision.recognition.outlines import is_far_smaller, lies_small

_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])
# Share of a card's places on which cards told by their pictures show, from which on it is one of them.
_SAME = 0.4
# What such a sighting says of a card is by these shares what it was read as; its face, in whatever colour, as a corner
# without colour of its own takes that of what lies about it; and nothing.
_AS_READ, _BY_FACE = 0.6, 0.3
# Places looked at in each direction.
_PLACES = 6
# How far a card's own corner lies from where an index usually is, over its sides: those of a hand's neighbours lie a
# third of its width and more beside it.
_OWN = 0.25
# A corner elsewhere on a card that is partly hidden, read so surely, is one of a card that lies on it.
_ANOTHERS = 0.5
# What was made out as a card that lies open is the sought one where the outlines share so much: of two neighbours in a
# hand these do by less.
_OUTLINED = 0.7
# A card that reads as one made out is that one where their outlines share so much: two such mistakes had .69 in common,
# like neighbours in a hand have less than half.
_ITSELF = 0.6
# What was made out so surely, and more surely than a sought card's picture tells it to be another one, stands: pictures
# that fitted nothing made a 7 and a 9, made out with .99, those of other colours.
_FAIRLY = 0.5
# A card lies in a larger outline by so much of it; of two like cards that lie on each other less does.
_LIES_IN = 0.9


def with_sought(
    sightings: Sequence[Sighting],
    sought: Sequence[tuple[Reading, Sought]],
    least: float = 0.0,
    sure: Sequence[Reading | Sighting] = (),
    stands: float = np.inf,
) -> list[Sighting]:
    """Return what was sought and found, and of what was made out otherwise what lies elsewhere or is told more surely.

    least: how surely what was sought must be read, with what was made out there, to count. sure: the deck's cards
    that surely lie there: what is far smaller than one of them is none. stands: how surely what was made out must be
    read for nothing that was sought to count in its place.
    """
    standing = [sighting for sighting in sightings if sighting.confidence >= stands]
    sought = [pair for pair in sought if not any(_is_there(sighting, *pair) for sighting in standing)]
    sought = [pair for pair in sought if not any(_is_surer(sighting, *pair) for sighting in sightings)]
    if not sought:
        return list(sightings)
    shares = [_shares(sighting, [one for _, one in sought]) for sighting in sightings]
    cards, joined = [reading for reading, _ in sought], set[int]()
    for i, sighting in enumerate(sightings):
        at = int(np.argmax(shares[i]))
        if shares[i][at] >= _SAME and _is_its(sighting, cards[at], sought[at][1]):
            # A corner that was boxed by itself is better framed than where its card's outline has it.
            cards[at] = replace(cards[at], logs=cards[at].logs + _says(sighting))
            joined.add(i)
    counts = [card.confidence >= least and not is_far_smaller(card, sure) for card in cards]
    others = []
    for i, sighting in enumerate(sightings):
        taken = sum(share for share, counted in zip(shares[i], counts, strict=True) if counted)
        at = int(np.argmax(shares[i]))
        # What the pictures found there and left in doubt is a card all the same.
        in_doubt = shares[i][at] >= _SAME and not counts[at]
        anothers = i not in joined and (
            _is_behind(sighting, cards, [one for _, one in sought])
            if sighting.whole
            else _is_anothers(sighting, cards[at], sought[at][1])
        )
        none = _is_far_larger(sighting, cards, counts) or _is_its_end(sighting, cards, counts)
        if (taken < _SAME or in_doubt or anothers) and not none:
            others.append(sighting)
    told = [(card, one) for card, (_, one), counted in zip(cards, sought, counts, strict=True) if counted]
    return [*others, *(reading.sighting(whole=one.open) for reading, one in told)]


def _is_there(sighting: Sighting, card: Reading, one: Sought) -> bool:
    """Whether a sought card lies where one was made out, or is that one's rim, which its outline has missed."""
    if _shares(sighting, [one])[0] >= _SAME:
        return True
    return sighting.card == card.card and intersection_over_union(sighting.quad, one.quad) > _ITSELF


def _is_far_larger(sighting: Sighting, cards: Sequence[Reading], counts: Sequence[bool]) -> bool:
    """Whether a whole outline is far larger than a surer card that was sought and counts, as about all the table.

    Or was read as that very card, which lies in it: its box was too large.
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
    """Whether a corner is read as a sought card that counts and lies where that has an index.

    It shows there then, even if its picture fits too badly to say so.
    """
    return not corner.whole and any(
        counted and card.card == corner.card and _is_at_an_end(corner_frames(corner.quad)[0].mean(0), card.quad)
        for card, counted in zip(cards, counts, strict=True)
    )


def _shares(sighting: Sighting, sought: Sequence[Sought]) -> list[float]:
    """Return on what share of a sighting's places each sought card shows: on all where it has the same outline."""
    places = _places(sighting)
    return [1.0 if _has_outline(sighting, one) else float(one.shows(places).mean()) for one in sought]


def _has_outline(sighting: Sighting, one: Sought) -> bool:
    return sighting.whole and intersection_over_union(sighting.quad, one.quad) > _OUTLINED


def _is_surer(sighting: Sighting, card: Reading, one: Sought) -> bool:
    """Whether a sought card was made out as another one, more surely than its picture tells it.

    That must not tell another colour as surely either, whatever the face: a corner may lack its own.
    """
    told = card.confidence
    if sighting.card.color is not card.card.color:
        told = float(card.probabilities[:-1][color_class(card.card.color) == _COLORS].sum())
    if sighting.card == card.card or sighting.confidence < max(_FAIRLY, told):
        return False
    if sighting.whole:
        return _has_outline(sighting, one)
    return _shares(sighting, [one])[0] >= _SAME and not _is_anothers(sighting, card, one)


def _is_its(sighting: Sighting, card: Reading, one: Sought) -> bool:
    """Whether what was made out on a sought card is that card itself, and tells what it is."""
    if sighting.whole:
        # An open one was read as a whole card already.
        return not one.open and _has_outline(sighting, one)
    return not _is_anothers(sighting, card, one)


def _is_anothers(corner: Sighting, card: Reading, one: Sought) -> bool:
    """Whether a corner that lies where a sought card seems to show is one of another card that lies on it.

    Where faces are alike but for their signs, more of one seems to show than does.
    """
    return (
        not one.open
        and corner.confidence >= _ANOTHERS
        and corner.card != card.card
        and not _is_at_an_end(corner_frames(corner.quad)[0].mean(0), one.quad)
    )


def _is_behind(card: Sighting, others: Sequence[Reading], sought: Sequence[Sought]) -> bool:
    """Whether a whole outline is that of another card than those sought ones that show in it, partly hidden by them.

    It has the outline of none of them, and one of its own corners lies where none of them shows.
    """
    if card.confidence < _ANOTHERS or any(_has_outline(card, one) for one in sought):
        return False
    places = _places(card)
    if any(other.card == card.card and one.shows(places).any() for other, one in zip(others, sought, strict=True)):
        return False
    corners = [_grid_in(frame) for frame in corner_frames(card.quad)]
    return any(sum(float(one.shows(corner).mean()) for one in sought) < _SAME for corner in corners)


def _is_at_an_end(point: Floats, card: Quad) -> bool:
    """Whether a point (2,) lies about where a card has one of its indices."""
    place = project(homography(card, unit_square()), point[None])[0]
    spot = np.array(INDEX_SPOT)
    return bool(min(np.abs(place - spot).max(), np.abs(place - (1 - spot)).max()) < _OWN)


def _says(sighting: Sighting) -> Floats:
    """Return (57,) log-likelihoods of what a sighting says of each card, which may be off, in its colour above all."""
    chances = np.zeros(len(ALL_CARDS), np.float32)
    chances[[ALL_CARDS.index(card) for card in sighting.cards]] = sighting.probabilities
    same_face = _FACES[:, None] == _FACES
    by_face = (same_face @ chances) / same_face.sum(1)
    mixed = _AS_READ * chances + _BY_FACE * by_face + (1 - _AS_READ - _BY_FACE) / len(ALL_CARDS)
    # That there is a card the pictures have told.
    return np.append(np.log(mixed), np.log(mixed).min()).astype(np.float32)


def _places(sighting: Sighting) -> Floats:
    """Return (N, 2) places in the picture at which a card was seen: all over it, or in the corner that shows."""
    return _grid_in(sighting.quad if sighting.whole else corner_frames(sighting.quad)[0])


def _grid_in(quad: Quad) -> Floats:
    """Return (N, 2) places of the picture all over an outline."""
    steps = (np.arange(_PLACES) + 0.5) / _PLACES
    grid = np.stack(np.meshgrid(steps, steps), 2).reshape(-1, 2)
    return project(homography(unit_square(), quad), grid)
