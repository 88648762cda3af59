"""Reads crops: what card a whole card or a corner index is, and where exactly a card's outline runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.vision.calibration import Calibration
from companion.vision.geometry import (
    CARD_CROP,
    CARD_MARGIN,
    INDEX_CROP,
    Image,
    Quad,
    corner_frames,
    cut,
    expand,
    homography,
    portrait,
    project,
    sides,
    unit_square,
)
from companion.vision.labels import COLOR_COUNT, FACE_COUNT, Floats, card_log_likelihoods, log_softmax
from companion.vision.learnt import Deck
from companion.vision.light import is_color_doubtful
from companion.vision.runtime import Network
from companion.vision.sightings import Sighting

INDEX_VIEWS = ((-0.1, 2), (0.0, 0), (0.12, 1))
"""How an index is read: frames grown by so much, turned by so many quarters.

What boxes are off by evens out, and so do the network's slips, which differ from view to view (test-time augmentation:
Krizhevsky et al. 2012).
"""
# A corner that the first view shows with this probability is that card: of 242 in 24 drawn hands half were, and the
# mean of the views never told another card.
_AT_A_GLANCE = 0.85
# What a corner's reading counts against the whole card's, where the card is at least so many pixels wide. A corner that
# is hidden or cut reads as 'no card' or at random, so what it can say against a card is bounded.
_CORNER_WEIGHT, _LEGIBLE_WIDTH, _CORNER_BOUND = 0.5, 100.0, -4.0
# How surely a card must be of the learnt deck for its reading to be taken as it is.
_KNOWN = 0.5
# How surely it must be of the deck, and what log-likelihood the likeliest card must have, of a whole card and of an
# index, for its outline to be taken as it is; else it is told by the deck's pictures. In well-fitting outlines nearly
# all cards have more; an index is small, and its pictures tell less.
_SURELY, _CLEARLY, _CLEARLY_INDEX = 0.95, -0.05, -0.35

# Over which ratio of its sides an outline may be of a card seen sideways: at 60 degrees 56 x 87 mm look like 56 x 43,
# which perspective may make longer: of one or two cards that are not read so surely the second is enough. Among more
# cards those that are hardly read are hidden by others.
_MAYBE_SIDEWAYS, _UNLIKELY_SIDEWAYS, _HARDLY_READ, _FEW = 0.72, 0.6, 0.8, 2
# Where both corners are read so surely as one other card than the middle, somebody may have spelled a word there or
# the middle's light may be odd: then the reading is unsure, which is below `UNSURE_BELOW`.
_SURE_CORNER, _DISPUTED = 0.9, 0.7
# What was told of a card so wide by its middle alone, none of whose corners says that with the second probability, and
# what was told in odd light, are below `NAMED_BELOW`: of five sure mistakes in 282 drawn pictures four were such.
_CORNERS_WIDTH, _SAID = 50.0, 0.1
_NAMED_MOST = 0.96


@dataclass(frozen=True, eq=False)
class Scale:
    """How log-likelihoods become calibrated probabilities of the cards that are considered.

    temperature: divisor of the log-likelihoods. allowed: (57,) bool, which of ALL_CARDS are considered, and last True.
    """

    temperature: float
    allowed: NDArray[np.bool_]

    def probabilities(self, logs: Floats) -> Floats:
        """Return (57,) probabilities that sum to 1, last that of no card."""
        scaled = np.where(self.allowed, logs, -np.inf) / self.temperature
        odds = np.exp(scaled - scaled.max())
        return np.asarray(odds / odds.sum(), np.float32)

    def surest(self, logs: Floats) -> float:
        """Return the probability of the likeliest card."""
        return float(self.probabilities(logs)[:-1].max())


@dataclass(frozen=True, eq=False)
class Reading:
    """What was read somewhere in a picture: of a whole card, or of a corner index.

    quad: a card's refined outline, or an index' frame, (4, 2), clockwise from its own top left. logs: (57,)
    log-likelihoods of ALL_CARDS and, last, of no card. scale: what they mean. belonging: how surely (0 to 1) it is of
    the learnt deck that is read with, 0 where there is none. most: how sure it may be at most.
    """

    quad: Quad
    logs: Floats
    scale: Scale
    belonging: float = 0.0
    most: float = 1.0

    @cached_property
    def probabilities(self) -> Floats:
        """(57,) calibrated probabilities, 0 for cards that are not considered."""
        found = self.scale.probabilities(self.logs)
        if found[:-1].max() <= self.most:
            return found
        # The log-likelihoods are drawn together until no card is surer.
        low, high = 0.0, 1.0
        for _ in range(12):
            middle = (low + high) / 2
            surer = self.scale.probabilities(self.logs * np.float32(middle))[:-1].max() > self.most
            low, high = (low, middle) if surer else (middle, high)
        return self.scale.probabilities(self.logs * np.float32(low))

    @cached_property
    def _likeliest(self) -> tuple[int, int]:
        first, second = np.argsort(-self.probabilities[:-1], kind="stable")[:2]
        return int(first), int(second)

    @property
    def card(self) -> Card:
        """The likeliest card."""
        return ALL_CARDS[self._likeliest[0]]

    @property
    def confidence(self) -> float:
        """The likeliest card's calibrated probability."""
        return float(self.probabilities[self._likeliest[0]])

    @property
    def runner_up(self) -> Card:
        """The second likeliest card."""
        return ALL_CARDS[self._likeliest[1]]

    @property
    def nothing(self) -> float:
        """The calibrated probability of no card."""
        return float(self.probabilities[-1])

    def at_most(self, confidence: float) -> Reading:
        """Return the reading, at most so sure whatever is found out besides."""
        return replace(self, most=min(self.most, confidence))

    def sighting(self, whole: bool) -> Sighting:
        """Return the reading as what vision tells the rest."""
        order = [int(i) for i in np.argsort(-self.probabilities[:-1]) if self.scale.allowed[i]]
        cards = tuple(ALL_CARDS[i] for i in order)
        return Sighting(self.quad, cards, tuple(float(self.probabilities[i]) for i in order), whole)


def _corner_weight(card: Quad) -> float:
    """Return what a corner's reading counts on a card with this outline: a corner of a few pixels tells little."""
    width = min(float(np.hypot(*(card[1] - card[0]))), float(np.hypot(*(card[2] - card[3]))))
    return _CORNER_WEIGHT * min(1.0, (width / _LEGIBLE_WIDTH) ** 2)


def with_indices(card: Reading, indices: Sequence[Reading]) -> Reading:
    """Return the card's reading with what its own indices add.

    Those that were found by themselves are better framed than the corners that the outline tells.
    """
    found = sum((np.maximum(index.logs, _CORNER_BOUND) for index in indices), np.zeros_like(card.logs))
    return replace(card, logs=card.logs + np.float32(_corner_weight(card.quad)) * found)


def as_corners_say(card: Reading, corners: Sequence[Reading]) -> Reading:
    """Return what both corners of a card tell where its middle seems another one: never beyond doubt."""
    logs = np.stack([corner.logs for corner in corners]).sum(axis=0)
    return replace(card, logs=np.asarray(logs, np.float32), scale=corners[0].scale).at_most(_NAMED_MOST)


def _aspect(quad: Quad) -> float:
    """Return the width of an outline over its height."""
    width = np.hypot(*(quad[1] - quad[0])) + np.hypot(*(quad[2] - quad[3]))
    return float(width / max(np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1])), 1e-6))


def _disputed(card: Reading, corners: Sequence[Reading]) -> bool:
    """Whether both corners surely say another card than the whole does."""
    first, second = corners
    return (
        first.card == second.card != card.card
        and min(first.confidence, second.confidence) >= _SURE_CORNER
        and card.confidence > _DISPUTED
    )


def _is_told_by_middle_alone(card: Reading, corners: Sequence[Reading]) -> bool:
    """Whether a card is large enough for its corners to be made out, and neither shows what the whole does."""
    said = ALL_CARDS.index(card.card)
    return sides(card.quad)[0] >= _CORNERS_WIDTH and all(corner.probabilities[said] < _SAID for corner in corners)


def _is_oddly_lit(image: Image, card: Reading) -> bool:
    return card.card.color is not None and is_color_doubtful(image, card.quad, card.card.color)


def _input(crops: Sequence[Image]) -> NDArray[np.float32]:
    stack = np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stack).astype(np.float32) / np.float32(255)


def _logs(output: Floats) -> Floats:
    return card_log_likelihoods(output[:, :FACE_COUNT], output[:, FACE_COUNT : FACE_COUNT + COLOR_COUNT])


def _mean(logs: Sequence[Floats]) -> Floats:
    """Return the logarithms of the mean probabilities."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)), np.float32)


@dataclass(frozen=True, eq=False)
class _Pass:
    """What one look at a whole card's crop gives: its outline, log-likelihoods (57,), and belonging to the deck."""

    outline: Quad
    logs: Floats
    belonging: float


class Reader:
    """Reads cards and indices with the two exported networks.

    calibration: what the networks' confidences mean. cards: those considered, all where None. deck: what is known of
    the deck's own looks.
    """

    def __init__(
        self,
        card_network: Network,
        index_network: Network,
        calibration: Calibration | None = None,
        cards: Collection[Card] | None = None,
        deck: Deck | None = None,
    ) -> None:
        self._cards = card_network
        self._indices = index_network
        self._deck = deck
        calibration = calibration or Calibration()
        allowed = np.array([cards is None or card in cards for card in ALL_CARDS] + [True])
        self._card_scale = Scale(calibration.card, allowed)
        self._index_scale = Scale(calibration.index, allowed)

    def read_cards(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """Return a reading for each rough outline (4, 2) in the (H, W, 3) BGR uint8 picture.

        Two passes: the first finds the outline within the rough one, the second reads the card in it both ways up. Then
        the corners are read by themselves at the picture's full resolution, which tells more where the middle shows no
        number.
        """
        if not quads:
            return []
        rough = [portrait(quad) for quad in quads]
        refined = [portrait(one.outline) for one in self._pass(image, rough)]
        read_so = self._both_ways(image, refined)
        # A camera low above the table sees a card that lies towards it shorter than wide: it stands sideways then.
        unsure = [len(quads) <= _FEW and self._card_scale.surest(one.logs) < _HARDLY_READ for one in read_so]
        least = [_UNLIKELY_SIDEWAYS if hardly else _MAYBE_SIDEWAYS for hardly in unsure]
        low = [i for i, quad in enumerate(refined) if _aspect(quad) > least[i]]
        for i, sideways in zip(low, self._both_ways(image, [np.roll(refined[i], 1, axis=0) for i in low]), strict=True):
            if sideways.logs[:-1].max() > read_so[i].logs[:-1].max():
                read_so[i] = sideways
        if self._deck is not None:
            read_so = [self._placed(image, one, self._deck) for one in read_so]
        outlines = [one.outline for one in read_so]
        corners = [frame for outline in outlines for frame in corner_frames(outline)]
        corner_logs, _, _ = self._index_scores(image, corners)
        read = [Reading(frame, row, self._index_scale) for frame, row in zip(corners, corner_logs, strict=True)]
        cards = [Reading(one.outline, one.logs, self._card_scale, one.belonging) for one in read_so]
        whole = []
        for i, card in enumerate(cards):
            own = read[2 * i : 2 * i + 2]
            # On a card of the learnt deck only what is of the deck in its corners counts.
            reading = with_indices(card, [one for one in own if one.belonging >= card.belonging * _KNOWN])
            # What a learnt deck's card is known to look like needs no such caution.
            if card.belonging >= _KNOWN:
                pass
            elif _disputed(card, own):
                reading = reading.at_most(_DISPUTED)
            elif _is_told_by_middle_alone(card, own) or _is_oddly_lit(image, reading):
                reading = reading.at_most(_NAMED_MOST)
            whole.append(reading)
        return whole

    def _placed(self, image: Image, seen: _Pass, deck: Deck) -> _Pass:
        """Return what is read where a picture of the deck fits, if what was seen is not surely read already."""
        if seen.belonging >= _SURELY and seen.logs.max() > _CLEARLY:
            return seen
        placed = deck.place_card(image, seen.outline)
        if placed is None:
            return seen
        views = self._pass(image, [placed.quad, np.roll(placed.quad, 2, axis=0)])
        logs = log_softmax(np.asarray(_mean([view.logs for view in views]) + placed.logs, np.float32)[None])[0]
        belonging = max(placed.belonging, *(view.belonging for view in views))
        return _Pass(placed.quad, logs, belonging)

    def _both_ways(self, image: Image, quads: Sequence[Quad]) -> list[_Pass]:
        """Return a finer outline for each, and the mean of what is read in it upright and upside down."""
        upright = self._pass(image, quads)
        turned = self._pass(image, [np.roll(quad, 2, axis=0) for quad in quads])
        return [
            _Pass(
                np.mean((a.outline, np.roll(b.outline, 2, axis=0)), axis=0, dtype=np.float32),
                _mean((a.logs, b.logs)),
                max(a.belonging, b.belonging),
            )
            for a, b in zip(upright, turned, strict=True)
        ]

    def _pass(self, image: Image, quads: Sequence[Quad]) -> list[_Pass]:
        if not quads:
            return []
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        crops = _input([cut(image, edge, *CARD_CROP) for edge in edges])
        if self._deck is None:
            output = self._cards(crops)
            logs, belonging = _logs(output), np.zeros(len(output), np.float32)
        else:
            output, features = self._cards.with_features(crops)
            logs, belonging = self._deck.weigh_cards(_logs(output), features)
        found = output[:, FACE_COUNT + COLOR_COUNT :].reshape(-1, 4, 2)
        outlines = [
            project(homography(unit_square(), edge), corners) for edge, corners in zip(edges, found, strict=True)
        ]
        return [_Pass(*one) for one in zip(outlines, logs, belonging.tolist(), strict=True)]

    def knowing(self, deck: Deck) -> Reader:
        """Return what reads by the same networks, with what is known of a deck's looks."""
        reader = copy(self)
        reader._deck = deck
        return reader

    @property
    def knows_deck(self) -> bool:
        """Whether it reads with a learnt deck."""
        return self._deck is not None

    def belongings(self, image: Image, quads: Sequence[Quad]) -> list[float]:
        """Return how surely (0 to 1) a card of the learnt deck lies in each rough outline, at a glance."""
        return [one.belonging for one in self._pass(image, [portrait(quad) for quad in quads])] if quads else []

    def no_card_probabilities(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N,) how likely the card reader finds no card in each rough outline, be it a covered one."""
        if not quads:
            return np.zeros(0, np.float32)
        return np.asarray([np.exp(one.logs[-1]) for one in self._pass(image, quads)], np.float32)

    def read_indices(
        self, image: Image, frames: Sequence[Quad], views: Sequence[tuple[float, int]] = INDEX_VIEWS
    ) -> list[Reading]:
        """Return a reading for each square (4, 2) about an index that may stand in any of four directions.

        It is the mean over the `views`: by how much the frame is grown, and by how many quarters it is turned. What the
        first shows clearly is not looked at again, but with a learnt deck.
        """
        if not frames:
            return []
        logs, turns, belonging = self._index_scores(image, frames, *views[0])
        again = [
            i for i, row in enumerate(logs) if self._deck is not None or self._index_scale.surest(row) < _AT_A_GLANCE
        ]
        if again and len(views) > 1:
            more = [self._index_scores(image, [frames[i] for i in again], *view) for view in views[1:]]
            for whole, part, middle in ((logs, 0, np.mean), (turns, 1, np.mean), (belonging, 2, np.median)):
                whole[again] = middle([whole[again], *(scores[part] for scores in more)], axis=0)
        read = [
            Reading(np.roll(frame, -int(turn), axis=0), row, self._index_scale, float(belongs))
            for frame, turn, row, belongs in zip(frames, turns.argmax(1), logs, belonging, strict=True)
        ]
        return read if self._deck is None else [self._placed_index(image, one, self._deck) for one in read]

    def _placed_index(self, image: Image, seen: Reading, deck: Deck) -> Reading:
        """Return what is read where an index of the deck fits, if what was seen is not surely read already."""
        if seen.belonging >= _SURELY and seen.logs.max() > _CLEARLY_INDEX:
            return seen
        placed = deck.place_index(image, seen.quad)
        if placed is None:
            return seen
        logs, _, belonging = self._index_scores(image, [placed.quad])
        # What was seen before in a frame that fitted well counts as much.
        share = seen.belonging / 2
        blended = share * seen.logs + (1 - share) * logs[0] + placed.logs
        together = log_softmax(np.asarray(blended, np.float32)[None])[0]
        return replace(seen, logs=together, belonging=max(placed.belonging, float(belonging[0])))

    def _index_scores(
        self, image: Image, frames: Sequence[Quad], growth: float = 0.0, turn: int = 0
    ) -> tuple[Floats, Floats, Floats]:
        """Return (N, 57) log-likelihoods, (N, 4) those of the quarter turns by which the frames stand turned, and (N,)
        how surely they are of the learnt deck."""
        edges = [np.roll(expand(frame, growth), -turn, axis=0) for frame in frames]
        crops = _input([cut(image, edge, INDEX_CROP, INDEX_CROP) for edge in edges])
        if self._deck is None:
            output = self._indices(crops)
            logs, belonging = _logs(output), np.zeros(len(output), np.float32)
        else:
            output, features = self._indices.with_features(crops)
            logs, belonging = self._deck.weigh_indices(_logs(output), features)
        return logs, np.roll(log_softmax(output[:, FACE_COUNT + COLOR_COUNT :]), turn, axis=1), belonging

    def describe_cards(self, image: Image, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods and (N, D) features of whole cards as they are outlined, (4, 2) each."""
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        output, features = self._cards.with_features(_input([cut(image, edge, *CARD_CROP) for edge in edges]))
        return _logs(output), features

    def describe_indices(self, image: Image, frames: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return the same of the squares (4, 2) about upright indices."""
        crops = [cut(image, frame, INDEX_CROP, INDEX_CROP) for frame in frames]
        output, features = self._indices.with_features(_input(crops))
        return _logs(output), features
