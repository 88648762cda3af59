"""All cards of the deck in a picture, told by its pictures alone: from the topmost down, each by what shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.cell_matching import ACROSS, DOWN, SIZE, Beside, Prints, Shown
from companion.decks.matching.fan_continuation import continued
from companion.decks.matching.hough_voting import Voters
from companion.decks.matching.keypoints import Keypoints
from companion.decks.matching.verification import Proof, glance, proof
from companion.decks.model.card_views import outline
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED
from companion.decks.storage.cache import Arrays
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import (
    Image,
    Quad,
    homography,
    intersection_over_smaller,
    intersection_over_union,
    project,
    sides,
    unit_square,
)
from companion.vision.core.labels import Floats
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.imaging.motion import filled
from companion.vision.recognition.outlines import is_card_shaped

# Outlines that share more are looked at once.
_SAME = 0.92
# An outline that shares more with a card found is that card: neighbours in a fan share less.
_TWICE = 0.85
# What is boxed lies on a card that has such a share of it.
_ON = 0.5
# Scale at which is kept what cards cover, and by how much (px of a card's picture) that is more than their cells.
_SCALE, _MORE = 0.25, 9
# A card shows so many cells of its own, so many of them with print, and so large a share of those that no other hides.
_CELLS, _TELLING, _SHARE = 8, 5, 0.5
# In a hand such a share is enough, as it may be hidden by cards of which a corner alone was made out: the wild of one
# showed 23 of 48 cells.
_SHARE_IN_HAND = 0.4
# What speaks for a card at least.
_LEAST = 0.2
# A box shows a whole card or an end of one: its edges may be off by such a share of a card's length.
_ABOUT = 0.3
# So many outlines are tried to which the cards found lead on.
_FURTHER = 12
# Nats for a cell's error of one variance that are tried: neighbouring pixels err together, but a cell has many, and
# outlines that are off by more than a pixel count as errors, too. And the most that is said against a card.
_NATS, _MOST = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5), 9.0
# So many pictures are asked, which of the others' cards they are; the share of them that may be lost altogether; and by
# how many nats a picture likelihoods are no different: where all are told rightly, whatever an error tells.
_ASKED, _LOST, _EQUAL = 48, 0.02, 1e-3
# What is kept to seek with at once, and as what numbers that need not be exact.
_KEPT, _SHORT = ("faces", "numbers", "differ", "nats", "found", "places", "words"), np.float16
# The mean error of a cell (variances) of a card that fits well.
_FITS = 0.2
# Pictures of which less held-out copies are told rightly, and more by the networks, were outlined wrongly: of a black
# deck laid on itself that was so 0 of 17 were, of it outlined rightly .28, of ten decks of unlike designs .33 to 1.
_TRUSTED = 0.15


@dataclass(frozen=True, eq=False)
class _Seen:
    """What an outline shows by itself, where cards found before leave it free, and how much speaks for it.

    look: what lies there beside the deck's pictures. told: what speaks for it by how others lie.
    """

    proof: Proof
    free: Shown
    look: Beside
    told: float

    @property
    def worth(self) -> float:
        return max(self.told, self.proof.worth(self.free))


class _Looked:
    """What outlines in a (H, W, 3) BGR uint8 picture show, each looked at once."""

    def __init__(self, image: Image, prints: Prints) -> None:
        self._image = image
        self._prints = prints
        self._glances: dict[tuple[bytes, bytes], _Seen] = {}
        self._proofs: dict[tuple[bytes, bytes], Proof] = {}

    def at_glances(self, quads: Sequence[Quad], covered: NDArray[np.uint8], told: float = 0.0) -> list[_Seen]:
        """Return what outlines (4, 2) show where nothing covers them, without those of which hardly any is free.

        covered: (h, w) what cards hide. told: what speaks for them by how others lie.
        """
        return [seen for quad in quads if (seen := self._at_a_glance(quad, covered, told)) is not None]

    def _at_a_glance(self, quad: Quad, covered: NDArray[np.uint8], told: float) -> _Seen | None:
        free = _free(quad, covered)
        if free.sum() < _CELLS or not is_card_shaped(quad):
            return None
        look = self._prints.at_a_glance(self._image, quad)
        return replace(self._glance(quad, look, free), told=told)

    def _glance(self, quad: Quad, look: Beside, free: Shown) -> _Seen:
        key = quad.tobytes(), free.tobytes()
        if key not in self._glances:
            self._glances[key] = _Seen(glance(self._prints, quad, look, free), free, look, 0.0)
        return self._glances[key]

    def again(self, old: _Seen, covered: NDArray[np.uint8]) -> _Seen | None:
        """Return the same of an outline of which a card found since may hide more."""
        free = _free(old.proof.quad, covered)
        if (free == old.free).all():
            return old
        if free.sum() < _CELLS:
            return None
        return replace(self._glance(old.proof.quad, old.look, free), told=old.told)

    def detect_closeup(self, seen: _Seen) -> Proof:
        """Return what is told of an outline at a second look."""
        key = seen.proof.quad.tobytes(), seen.free.tobytes()
        if key not in self._proofs:
            self._proofs[key] = proof(self._prints, self._image, seen.proof, seen.free)
        return self._proofs[key]


@dataclass(frozen=True)
class Telling:
    """What a deck's pictures tell of its copies: nats for a cell's error of one variance, at most as many as are tried.

    found: share of held-out copies that they tell rightly, 1 where there is no copy.
    """

    nats: float
    found: float


class Seeker:
    """Seeks a deck's cards.

    telling: what its pictures tell. prior: nats against a card that was not laid, None where only a part was.
    """

    def __init__(self, prints: Prints, voters: Voters, telling: Telling, prior: float | None = 0.0) -> None:
        self._prints = prints
        self._telling = telling
        self._voters = voters
        self._prior = prior
        self._unlaid = np.setdiff1d(np.arange(NOTHING), prints.cards)
        self._unseen = self._unlaid if prior is None else self._unlaid[:0]
        self._doubtful = UNNAMED in prints.cards

    @classmethod
    def of(cls, deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0) -> Seeker:
        """Return what seeks a deck. cards: its pictures', as numbers of ALL_CARDS or UNNAMED."""
        return cls(Prints.of(deck.laid, cards), Voters.of(deck.laid), telling(deck.laid, cards), prior)

    @classmethod
    def kept(cls, arrays: Arrays, prior: float | None = 0.0) -> Seeker:
        """Return what was written as arrays. Raises KeyError where they are others."""
        faces, numbers, differ, nats, found, places, words = (arrays[name] for name in _KEPT)
        prints = Prints(faces.astype(np.float32), numbers.astype(np.intp), differ)
        telling = Telling(float(nats), float(found))
        return cls(prints, Voters(Keypoints(places, words.astype(np.float32))), telling, prior)

    def arrays(self) -> Arrays:
        """Return what took long to find."""
        prints, known = self._prints, self._voters.known
        told = np.array(self._telling.nats), np.array(self._telling.found)
        words = known.words.astype(_SHORT)
        values = (prints.faces.astype(_SHORT), prints.numbers, prints.differ, *told, known.places, words)
        return dict(zip(_KEPT, values, strict=True))

    def is_worse_than(self, read: float) -> bool:
        """Whether the deck's pictures are hardly of its cards. read: share of them that the networks name rightly."""
        return self._telling.found < min(_TRUSTED, read)

    def seek(
        self,
        image: Image,
        known: Sequence[Quad],
        sure: Sequence[tuple[Quad, int]] = (),
        boxed: Sequence[Quad] | None = None,
        hand: bool = False,
    ) -> list[PictureMatch]:
        """Return the cards in a (H, W, 3) BGR uint8 picture, the topmost first, without those that are sure.

        known: outlines (4, 2) in which some may lie. sure: outlines of cards, numbers of ALL_CARDS, that lie there.
        boxed: what shows cards or parts of them: where each lies on a card that is sure or told in a known outline,
        there are no others. Else, or where that is None, keypoints tell of further outlines. hand: whether the sure
        ones are a hand's, which hide one another, and boxed is what shows the others alone.
        """
        there, covered = self._lying(image, sure, hand)
        outlines = _others([quad for quad in known if _others([quad], there)], (), _SAME)
        looked = _Looked(image, self._prints)
        seen = looked.at_glances(outlines, covered)
        lying = [*there, *(one.proof.quad for one in seen if one.worth >= _LEAST)]
        left = boxed if hand else None
        if boxed is not None and (hand or _explain(lying, boxed)):
            found = self._told(looked, seen, covered, there, left)
            lying = [*there, *(one.quad for one in found)]
            if _explain(lying, boxed):
                return found
        about = None if boxed is None else _about(boxed, lying, hand)
        further = [quad for quad in self._voters.outlines(image, about) if _others([quad], there)]
        more = _others([*outlines, *_showing(further, left)], (), _SAME)[len(outlines) :]
        return self._told(looked, [*seen, *looked.at_glances(more, covered)], covered, there, left)

    def _lying(
        self, image: Image, sure: Sequence[tuple[Quad, int]], hand: bool
    ) -> tuple[list[Quad], NDArray[np.uint8]]:
        """Return the outlines of those sure cards that lie as they say, and (h, w) what they hide."""
        covered = np.zeros([round(side * _SCALE) for side in image.shape[:2]], np.uint8)
        there = []
        every = [filled(quad, covered.shape, _SCALE) for quad, _ in sure] if hand else []
        lies = np.sum(every, axis=0, dtype=np.uint8)
        for i, (quad, card) in enumerate(sure):
            shown = self._prints.shown(image, quad, card)
            if hand:
                # What was left lies beside these: all of one that no other may hide hides it, if its picture fits ill.
                shown = shown | _free(quad, lies - every[i])
            if hand or shown.mean() > _SHARE:
                covered |= _cover(quad, shown, covered.shape)
                there.append(quad)
        return there, covered

    def _told(
        self,
        looked: _Looked,
        seen: list[_Seen],
        covered: NDArray[np.uint8],
        there: Sequence[Quad],
        left: Sequence[Quad] | None,
    ) -> list[PictureMatch]:
        """Return the cards that lie in outlines, the topmost first, and in those to which they lead on.

        covered: (h, w) what cards hide that lie there. left: what shows those to which they lead on, if that is known.
        """
        found: list[PictureMatch] = []
        further: list[Quad] = []
        while True:
            # What little speaks for may show to be a hidden card once another is found on top of it.
            best = max(seen, key=lambda one: one.worth, default=None)
            if best is None or best.worth < _LEAST:
                # How a hand goes on beyond the cards found tells of others.
                lying = [*there, *(one.quad for one in found)]
                onward = _others(_showing(continued(lying), left), [*lying, *further])[: _FURTHER - len(further)]
                further += onward
                likely = looked.at_glances(onward, covered, _LEAST)
                if not likely:
                    return found
                seen = [*seen, *likely]
                continue
            taken = best
            seen = [one for one in seen if one is not taken]
            one = looked.detect_closeup(taken)
            free = _free(one.quad, covered)
            shown, telling = one.shown & free, one.telling & free
            if not _others([one.quad], [*there, *(other.quad for other in found)]):
                continue
            least = _SHARE if left is None else _SHARE_IN_HAND
            if shown.sum() < max(_CELLS, least * free.sum()) or telling.sum() < _TELLING:
                continue
            found.append(self._sought(one, shown))
            covered = covered | _cover(one.quad, shown, covered.shape)
            seen = [again for old in seen if (again := looked.again(old, covered)) is not None]

    def _sought(self, one: Proof, shown: Shown) -> PictureMatch:
        logs = np.asarray(_logs(one.scores, one.shown, self._telling.nats), np.float32)
        least = -_MOST if self._prior is None else -self._prior
        logs[self._unlaid] = logs[UNNAMED] if self._doubtful else np.minimum(logs[self._unlaid], least)
        logs[NOTHING] = -_MOST
        return PictureMatch(one.quad, logs[:CLASSES], shown, self._unseen)


def telling(pictures: Sequence[Image], cards: Sequence[int]) -> Telling:
    """Return what a deck's pictures tell.

    Kept pictures of cards, numbers of ALL_CARDS, are told by one copy of each card: those that were outlined badly, or
    differ in a thin sign alone, tell little.
    """
    first = {card: i for i, card in reversed(list(enumerate(cards))) if card < NOTHING}
    asked = [i for i, card in enumerate(cards) if card < NOTHING and first[card] != i]
    if not asked:
        return Telling(_NATS[-1], 1.0)
    prints = Prints.of([pictures[i] for i in first.values()], list(first))
    whole = np.ones((DOWN, ACROSS), bool)
    rows = []
    for i in asked[:: -(-len(asked) // _ASKED)]:
        compared = prints.compare_closely(pictures[i], outline(), whole)
        rows.append((cards[i], compared.scores, compared.shown(int(compared.scores.argmax()))))

    def told(nats: float) -> float:
        right = []
        for card, scores, shown in rows:
            logs = _logs(prints.scores_of_cards(scores), shown, nats)[list(first)]
            right.append(np.exp(logs[list(first).index(card)]) / np.exp(logs).sum())
        return float(np.log((1 - _LOST) * np.array(right) + _LOST / len(first)).mean())

    likely = [told(nats) for nats in _NATS]
    found = np.mean([prints.scores_of_cards(scores).argmax() == card for card, scores, _ in rows])
    nats = max(nats for nats, worth in zip(_NATS, likely, strict=True) if worth >= max(likely) - _EQUAL)
    return Telling(nats, float(found))


def _logs(scores: Floats, shown: Shown, nats: float) -> Floats:
    """Return what scores of cards tell, the likeliest's being 0."""
    best = float(scores.max())
    # Where even the likeliest card fits badly, by blur or lamp, differences tell less.
    ill = max(1.0, -best / (_FITS * max(1.0, float(shown.sum()))))
    return np.asarray(np.maximum(nats / ill * (scores - best), -_MOST), np.float32)


_MIDDLES = np.stack(np.meshgrid((np.arange(ACROSS) + 0.5) / ACROSS, (np.arange(DOWN) + 0.5) / DOWN), 2).reshape(-1, 2)


def _others(quads: Sequence[Quad], known: Sequence[Quad], same: float = _TWICE) -> list[Quad]:
    """Return the outlines that are none of those known, none twice. same: what one shares with such a one."""
    others: list[Quad] = []
    for quad in quads:
        if all(intersection_over_union(quad, other) < same for other in [*known, *others]):
            others.append(quad)
    return others


def _explain(cards: Sequence[Quad], boxed: Sequence[Quad]) -> bool:
    """Whether there are cards, and each of what was boxed lies on one of them."""
    return bool(cards) and all(any(intersection_over_smaller(box, card) >= _ON for card in cards) for box in boxed)


def _showing(quads: Sequence[Quad], left: Sequence[Quad] | None) -> list[Quad]:
    """Return the outlines on which anything lies of what was left, all where nothing is known of that."""
    return [quad for quad in quads if left is None or any(_explain([quad], [box]) for box in left)]


def _about(boxed: Sequence[Quad], cards: Sequence[Quad], hand: bool) -> Floats | None:
    """Return points (N, 2) between which cards lie that show in what was boxed beside all cards known.

    Where none is known, a box in which all others lie is about a card. None where nothing tells how large cards are, or
    what was boxed lies half on one: a neighbour may then lie anywhere about it, unless it is a hand's that is known.
    """
    left = [box for box in boxed if not _explain(cards, [box])]
    if not cards and len(left) > 1:
        largest = max(left, key=lambda box: float(cv2.contourArea(box)))
        if _explain([largest], left):
            cards, left = [largest], [largest]
    elif not hand and any(intersection_over_smaller(box, card) > 0 for box in left for card in cards):
        return None
    if not cards or not left:
        return None
    length = float(np.median([max(sides(card)) for card in cards]))
    room = [max(_ABOUT * length, length - max(sides(box))) for box in left]
    return np.concatenate([box + way * much for box, much in zip(left, room, strict=True) for way in (-1, 1)])


def _free(quad: Quad, covered: NDArray[np.uint8]) -> Shown:
    """Return which cells of a card no card found before covers, and lie in the picture."""
    places = project(homography(unit_square(), quad), _MIDDLES) * _SCALE
    height, width = covered.shape
    inside = (places >= 0).all(1) & (places[:, 0] < width) & (places[:, 1] < height)
    free = np.zeros(len(places), bool)
    at = places[inside].astype(int)
    free[inside] = covered[at[:, 1], at[:, 0]] == 0
    return free.reshape(DOWN, ACROSS)


def _cover(quad: Quad, shown: Shown, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return (H, W) where cells of a card show."""
    cells = cv2.resize(shown.astype(np.uint8), SIZE, interpolation=cv2.INTER_NEAREST)
    wide = cv2.dilate(cells, np.ones((_MORE, _MORE), np.uint8))
    edge = unit_square() * np.array(SIZE, np.float32)
    matrix = homography(edge, np.asarray(quad * _SCALE, np.float32))
    covered = cv2.warpPerspective(wide, matrix, (shape[1], shape[0]), flags=cv2.INTER_NEAREST)
    return np.asarray(covered, np.uint8)
