"""Searches a picture for all cards of a deck by its pictures, topmost first, each by its visible part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.cell_matching import ACROSS, DOWN, SIZE, CellMask, CellMatcher, CellStatistics
from companion.decks.matching.fan_continuation import neighbours
from companion.decks.matching.keypoints import Keypoints, KeypointVoter
from companion.decks.matching.verification import Verification, verify, verify_aligned
from companion.decks.model.card_views import outline
from companion.decks.model.open_set import MAX_NATS, OUTLIER_SHARE
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED
from companion.decks.storage.cache import Arrays
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import (
    Image,
    Quad,
    grid_in,
    homography,
    intersection_over_smaller,
    intersection_over_union,
    lies_on,
    sides,
    unit_square,
)
from companion.vision.core.labels import Floats
from companion.vision.detection.box_detector import SAME_ON_PILE
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.imaging.motion import filled
from companion.vision.recognition.outlines import is_card_shaped

# Overlap above which outlines are examined once.
_SAME_OUTLINE_IOU = 0.92
# Scale of the occlusion mask, and margin (px of a card's picture) around covering cells.
_MASK_SCALE, _COVER_MARGIN = 0.25, 9
# Minimum number of informative cells of a card; minimum visible share of a card identified before the search.
_MIN_CELLS, _MIN_VISIBLE_SHARE = 5, 0.5
# Minimum evidence for a card.
_MIN_EVIDENCE = 0.2
# Tolerance of a box around a card or its end, over the card's length.
_BOX_TOLERANCE = 0.3
# Candidate weights in nats per variance of a cell's error (neighbouring pixels are correlated, and inexact outlines add
# errors).
_NATS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
# Number of pictures used to fit the weight; tolerance in nats per picture for equal likelihoods.
_MAX_FIT_PICTURES, _EQUAL_NATS = 48, 1e-3
# Cached arrays, and the type of those that may be rounded.
_CACHED, _CACHED_TYPE = ("faces", "numbers", "differ", "nats", "places", "words"), np.float16


@dataclass(frozen=True, eq=False)
class _Examined:
    """An examined outline: evidence where earlier cards leave it free.

    statistics: statistics beside the deck's pictures.
    """

    verification: Verification
    free: CellMask
    statistics: CellStatistics

    @property
    def evidence(self) -> float:
        return self.verification.evidence(self.free)


class _Examiner:
    """Outlines of a (H, W, 3) BGR uint8 picture, each examined once."""

    def __init__(self, image: Image, matcher: CellMatcher) -> None:
        self._image = image
        self._matcher = matcher
        self._verified: dict[tuple[bytes, bytes], _Examined] = {}
        self._aligned: dict[tuple[bytes, bytes], Verification] = {}

    def examine(self, quads: Sequence[Quad], covered: NDArray[np.uint8]) -> list[_Examined]:
        """Return the evidence for outlines (4, 2) where nothing covers them, without mostly covered ones.

        covered: (h, w) occlusion mask.
        """
        return [seen for quad in quads if (seen := self._examine(quad, covered)) is not None]

    def _examine(self, quad: Quad, covered: NDArray[np.uint8]) -> _Examined | None:
        free = _free(quad, covered)
        if free.sum() < _MIN_CELLS or not is_card_shaped(quad):
            return None
        statistics = self._matcher.coarse_statistics(self._image, quad)
        return self._verify(quad, statistics, free)

    def _verify(self, quad: Quad, statistics: CellStatistics, free: CellMask) -> _Examined:
        key = quad.tobytes(), free.tobytes()
        if key not in self._verified:
            self._verified[key] = _Examined(verify(self._matcher, quad, statistics, free), free, statistics)
        return self._verified[key]

    def again(self, old: _Examined, covered: NDArray[np.uint8]) -> _Examined | None:
        """Return the updated evidence for an outline that a new card may cover."""
        free = _free(old.verification.quad, covered)
        if (free == old.free).all():
            return old
        if free.sum() < _MIN_CELLS:
            return None
        return self._verify(old.verification.quad, old.statistics, free)

    def aligned(self, seen: _Examined) -> Verification:
        """Return the result of examining an outline at full size."""
        key = seen.verification.quad.tobytes(), seen.free.tobytes()
        if key not in self._aligned:
            self._aligned[key] = verify_aligned(self._matcher, self._image, seen.verification, seen.free)
        return self._aligned[key]


class TemplateSearch:
    """Searches for a deck's cards.

    nats: informativeness of its pictures, in nats per variance. prior: nats against a card that was not learnt, None
    for an incomplete deck.
    """

    def __init__(self, matcher: CellMatcher, voter: KeypointVoter, nats: float, prior: float | None = 0.0) -> None:
        self._matcher = matcher
        self._nats = nats
        self._voter = voter
        self._prior = prior
        self._unlearnt = np.setdiff1d(np.arange(NOTHING), matcher.cards)
        self._unseen = self._unlearnt if prior is None else self._unlearnt[:0]
        self._doubtful = UNNAMED in matcher.cards

    @classmethod
    def of(cls, deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0) -> TemplateSearch:
        """Return the search for a deck. cards: its pictures', numbers of ALL_CARDS or UNNAMED."""
        return cls(
            CellMatcher.of(deck.laid, cards), KeypointVoter.of(deck.laid), informativeness(deck.laid, cards), prior
        )

    @classmethod
    def from_arrays(cls, arrays: Arrays, prior: float | None = 0.0) -> TemplateSearch:
        """Load from arrays. Raises KeyError if they do not match."""
        faces, numbers, differ, nats, places, words = (arrays[name] for name in _CACHED)
        matcher = CellMatcher(faces.astype(np.float32), numbers.astype(np.intp), differ)
        return cls(matcher, KeypointVoter(Keypoints(places, words.astype(np.float32))), float(nats), prior)

    def arrays(self) -> Arrays:
        """Return the arrays that are expensive to compute."""
        matcher, known = self._matcher, self._voter.known
        words = known.words.astype(_CACHED_TYPE)
        values = (
            matcher.faces.astype(_CACHED_TYPE),
            matcher.numbers,
            matcher.differ,
            np.array(self._nats),
            known.places,
            words,
        )
        return dict(zip(_CACHED, values, strict=True))

    def search(
        self,
        image: Image,
        known: Sequence[Quad],
        sure: Sequence[tuple[Quad, int]] = (),
        boxed: Sequence[Quad] | None = None,
        hand: bool = False,
    ) -> list[PictureMatch]:
        """Return the cards in a (H, W, 3) BGR uint8 picture, topmost first, without the `sure` ones.

        known: outlines (4, 2) that may contain some. sure: outlines and numbers of cards already identified. boxed:
        detections of cards or parts; if `sure` and `known` explain all of them, there are no other cards. Otherwise, or
        if it is None, keypoints add outlines. hand: whether `sure` are cards of a fan that occlude one another, and
        `boxed` shows only the others.
        """
        there, covered = self._lying_cards(image, sure, hand)
        outlines = _others([quad for quad in known if _others([quad], there)], (), _SAME_OUTLINE_IOU)
        examiner = _Examiner(image, self._matcher)
        seen = examiner.examine(outlines, covered)
        lying = [*there, *(one.verification.quad for one in seen if one.evidence >= _MIN_EVIDENCE)]
        left = boxed if hand else None
        if boxed is not None and (hand or explains_all(lying, boxed)):
            found = self._cards_in(examiner, seen, covered, there, left)
            lying = [*there, *(one.quad for one in found)]
            if explains_all(lying, boxed):
                return found
        about = None if boxed is None else _search_points(boxed, lying, hand)
        further = [quad for quad in self._voter.outlines(image, about) if _others([quad], there)]
        more = _others([*outlines, *_containing_boxes(further, left)], (), _SAME_OUTLINE_IOU)[len(outlines) :]
        return self._cards_in(examiner, [*seen, *examiner.examine(more, covered)], covered, there, left)

    def _lying_cards(
        self, image: Image, sure: Sequence[tuple[Quad, int]], hand: bool
    ) -> tuple[list[Quad], NDArray[np.uint8]]:
        """Return the outlines of the confirmed sure cards, and (h, w) the area they cover."""
        covered = np.zeros([round(side * _MASK_SCALE) for side in image.shape[:2]], np.uint8)
        there = []
        every = [filled(quad, covered.shape, _MASK_SCALE) for quad, _ in sure] if hand else []
        lies = np.sum(every, axis=0, dtype=np.uint8)
        for i, (quad, card) in enumerate(sure):
            shown = self._matcher.shown(image, quad, card)
            if hand:
                # The unexplained boxes lie beside these cards: all of a card that no other covers is assumed visible,
                # even if its picture fits badly.
                shown = shown | _free(quad, lies - every[i])
            if hand or shown.mean() > _MIN_VISIBLE_SHARE:
                covered |= _cover(quad, shown, covered.shape)
                there.append(quad)
        return there, covered

    def _cards_in(
        self,
        examiner: _Examiner,
        seen: list[_Examined],
        covered: NDArray[np.uint8],
        there: Sequence[Quad],
        left: Sequence[Quad] | None,
    ) -> list[PictureMatch]:
        """Return the cards in outlines, topmost first, and in extrapolated ones.

        covered: (h, w) occlusion mask of the cards there. left: boxes of the extrapolated ones, if known.
        """
        found: list[PictureMatch] = []
        turned_about = 0
        while True:
            # An outline with little evidence may be a hidden card once another one is found above it.
            best = max(seen, key=lambda one: one.evidence, default=None)
            if best is None or best.evidence < _MIN_EVIDENCE:
                # The arrangement of a hand suggests further cards.
                lying = [*there, *(one.quad for one in found)]
                around = [quad for card in lying[turned_about:] for quad in neighbours(card)]
                turned_about = len(lying)
                beside = [quad for quad in _containing_boxes(around, left) if _others([quad], lying)]
                likely = [one for one in examiner.examine(beside, covered) if one.evidence >= _MIN_EVIDENCE]
                if not likely:
                    return found
                seen = [*seen, *likely]
                continue
            taken = best
            seen = [one for one in seen if one is not taken]
            one = examiner.aligned(taken)
            free = _free(one.quad, covered)
            shown, informative = one.shown & free, one.informative & free
            if not _others([one.quad], [*there, *(other.quad for other in found)]):
                continue
            # Cards that are not found yet may cover most of it.
            if informative.sum() < _MIN_CELLS:
                continue
            found.append(self._match_of(one, shown))
            covered = covered | _cover(one.quad, shown, covered.shape)
            seen = [again for old in seen if (again := examiner.again(old, covered)) is not None]

    def _match_of(self, one: Verification, shown: CellMask) -> PictureMatch:
        logs = np.asarray(_logs(one.scores, self._nats), np.float32)
        least = -MAX_NATS if self._prior is None else -self._prior
        logs[self._unlearnt] = logs[UNNAMED] if self._doubtful else np.minimum(logs[self._unlearnt], least)
        logs[NOTHING] = -MAX_NATS
        return PictureMatch(one.quad, logs[:CLASSES], shown, self._unseen)


def informativeness(pictures: Sequence[Image], cards: Sequence[int]) -> float:
    """Return the informativeness of a deck's pictures in nats per variance.

    One copy of each card identifies the stored pictures, numbers of ALL_CARDS or UNNAMED; badly outlined ones, or
    designs that differ in a thin sign, are little informative.
    """
    first = {card: i for i, card in reversed(list(enumerate(cards))) if card < NOTHING}
    asked = [i for i, card in enumerate(cards) if card < NOTHING and first[card] != i]
    if not asked:
        return _NATS[-1]
    matcher = CellMatcher.of([pictures[i] for i in first.values()], list(first))
    whole = np.ones((DOWN, ACROSS), bool)
    rows = []
    for i in asked[:: -(-len(asked) // _MAX_FIT_PICTURES)]:
        compared = matcher.compare_closely(pictures[i], outline(), whole)
        rows.append((cards[i], compared.scores))

    def log_likelihood(nats: float) -> float:
        right = []
        for card, scores in rows:
            logs = _logs(matcher.scores_of_cards(scores), nats)[list(first)]
            right.append(np.exp(logs[list(first).index(card)]) / np.exp(logs).sum())
        return float(np.log((1 - OUTLIER_SHARE) * np.array(right) + OUTLIER_SHARE / len(first)).mean())

    likely = [log_likelihood(nats) for nats in _NATS]
    return max(nats for nats, likelihood in zip(_NATS, likely, strict=True) if likelihood >= max(likely) - _EQUAL_NATS)


def _logs(scores: Floats, nats: float) -> Floats:
    """Return log-likelihoods from scores of cards, 0 for the best."""
    return np.asarray(np.maximum(nats * (scores - scores.max()), -MAX_NATS), np.float32)


def _others(quads: Sequence[Quad], known: Sequence[Quad], same: float = SAME_ON_PILE) -> list[Quad]:
    """Return the outlines that are not known, without duplicates. same: overlap of duplicates."""
    others: list[Quad] = []
    for quad in quads:
        if all(intersection_over_union(quad, other) < same for other in [*known, *others]):
            others.append(quad)
    return others


def explains_all(cards: Sequence[Quad], boxed: Sequence[Quad]) -> bool:
    """Whether there are cards and each box lies on one of them."""
    return bool(cards) and all(any(lies_on(box, card) for card in cards) for box in boxed)


def _containing_boxes(quads: Sequence[Quad], left: Sequence[Quad] | None) -> list[Quad]:
    """Return the outlines that contain any unexplained box; all if there is no information."""
    return [quad for quad in quads if left is None or any(explains_all([quad], [box]) for box in left)]


def _search_points(boxed: Sequence[Quad], cards: Sequence[Quad], hand: bool) -> Floats | None:
    """Return points (N, 2) that bound the cards of unexplained boxes.

    Without known cards, a box that contains all others is a card. None if no card size is known, or if a box lies half
    on a card and a neighbour may be anywhere around it, unless a hand is known.
    """
    left = [box for box in boxed if not explains_all(cards, [box])]
    if not cards and len(left) > 1:
        largest = max(left, key=lambda box: float(cv2.contourArea(box)))
        if explains_all([largest], left):
            cards, left = [largest], [largest]
    elif not hand and any(intersection_over_smaller(box, card) > 0 for box in left for card in cards):
        return None
    if not cards or not left:
        return None
    length = float(np.median([max(sides(card)) for card in cards]))
    room = [max(_BOX_TOLERANCE * length, length - max(sides(box))) for box in left]
    return np.concatenate([box + way * much for box, much in zip(left, room, strict=True) for way in (-1, 1)])


def _free(quad: Quad, covered: NDArray[np.uint8]) -> CellMask:
    """Return the cells of a card inside the picture that no earlier card covers."""
    places = grid_in(quad, ACROSS, DOWN) * _MASK_SCALE
    height, width = covered.shape
    inside = (places >= 0).all(1) & (places[:, 0] < width) & (places[:, 1] < height)
    free = np.zeros(len(places), bool)
    at = places[inside].astype(int)
    free[inside] = covered[at[:, 1], at[:, 0]] == 0
    return free.reshape(DOWN, ACROSS)


def _cover(quad: Quad, shown: CellMask, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return (H, W) the mask of a card's visible cells."""
    cells = cv2.resize(shown.astype(np.uint8), SIZE, interpolation=cv2.INTER_NEAREST)
    wide = cv2.dilate(cells, np.ones((_COVER_MARGIN, _COVER_MARGIN), np.uint8))
    edge = unit_square() * np.array(SIZE, np.float32)
    matrix = homography(edge, np.asarray(quad * _MASK_SCALE, np.float32))
    covered = cv2.warpPerspective(wide, matrix, (shape[1], shape[0]), flags=cv2.INTER_NEAREST)
    return np.asarray(covered, np.uint8)
