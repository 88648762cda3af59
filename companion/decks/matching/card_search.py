"""Searches a picture for all cards of a learnt deck: outlines, selection by visible parts, verification by cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.decks.matching.candidates import Candidate, Comparer, Faces
from companion.decks.matching.card_parts import CardPart, PartEmbedding, PartKey
from companion.decks.matching.cell_matching import CellMatcher
from companion.decks.matching.search_model import SearchModel, shipped_search_model
from companion.decks.matching.selection import below, in_order, select
from companion.decks.matching.verification import VerifiedCard, realigned, verify
from companion.decks.model.open_set import MAX_NATS
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED
from companion.decks.storage.cache import Arrays
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, aspect, intersection_over_union, lies_on, turned
from companion.vision.core.labels import Floats
from companion.vision.detection.box_detector import SAME_ON_PILE
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.outlines import is_card_shaped
from companion.vision.recognition.reader import MAYBE_SIDEWAYS

# Overlap above which outlines are examined once.
_SAME_OUTLINE_IOU = 0.92
# Cached arrays, and the type of those that may be rounded.
_CACHED, _CACHED_TYPE = ("faces", "numbers", "differ", "owners", "mean", "vectors"), np.float16


class CardSearch:
    """Searches for a deck's cards.

    faces, matcher: its pictures as vectors and cell by cell. model: the fitted weights, by default the shipped ones.
    prior: nats against a card that was not learnt, None for an incomplete deck.
    """

    def __init__(
        self, faces: Faces, matcher: CellMatcher, prior: float | None = 0.0, model: SearchModel | None = None
    ) -> None:
        self._faces, self._matcher, self._prior = faces, matcher, prior
        self._model = model or shipped_search_model()
        self._embedding = PartEmbedding.shipped()
        self._unlearnt = np.setdiff1d(np.arange(NOTHING), faces.numbers)
        self._unseen = self._unlearnt if prior is None else self._unlearnt[:0]

    @classmethod
    def of(cls, deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0) -> CardSearch:
        """Return the search for a deck. cards: its pictures', numbers of ALL_CARDS or UNNAMED.

        Raises ModelFileError.
        """
        pictures = deck.all_pictures
        return cls(Faces.of(pictures, cards, PartEmbedding.shipped()), CellMatcher.of(pictures, cards), prior)

    @classmethod
    def from_arrays(cls, arrays: Arrays, prior: float | None = 0.0) -> CardSearch:
        """Load from arrays. Raises KeyError if they do not match."""
        pictures, numbers, differ, owners, mean, vectors = (arrays[name] for name in _CACHED)
        faces = Faces(np.unique(numbers), mean, vectors.astype(np.float32), owners)
        return cls(faces, CellMatcher(pictures.astype(np.float32), numbers, differ), prior)

    def arrays(self) -> Arrays:
        """Return the arrays that are expensive to compute."""
        matcher, faces = self._matcher, self._faces
        pictures, vectors = (rows.astype(_CACHED_TYPE) for rows in (matcher.faces, faces.vectors))
        values = (pictures, matcher.numbers, matcher.differ, faces.owners, faces.mean, vectors)
        return dict(zip(_CACHED, values, strict=True))

    def search(
        self, image: Image, quads: Sequence[Quad], identified: Sequence[Quad] = (), parts: Sequence[Quad] | None = None
    ) -> list[PictureMatch]:
        """Return the cards in a (H, W, 3) BGR uint8 picture without those already identified.

        quads: outlines (4, 2) of candidates, the likeliest first. identified: outlines of cards that lie on top.
        parts: parts of cards, of which each other card must show one; None for any card. Raises ModelFileError.
        """
        candidates, comparer = self.candidates(image, quads, identified, parts)
        remaining, refuted = candidates, set[PartKey]()
        cards: list[VerifiedCard] = []
        settled: list[Candidate] = []

        def accept(one: Candidate) -> Quad | None:
            card = self._likelier(self.verified(one, comparer))
            whole = [found for found in comparer.compare([CardPart.of(image, card.quad, identified)]) if found]
            # Its outline may have moved onto a card that was found before.
            if card.odds(self._model) > 0 and below(whole, settled, comparer):
                cards.append(card)
                settled.extend(whole)
                return card.quad
            refuted.add(one.part.key)
            # A wrong outline hides nothing; what still looks like a card later on may be another thing that lies there.
            return one.quad if before else None

        before = 0
        while remaining:
            select(remaining, comparer, accept)
            if len(cards) == before:
                break
            # A card on top of others, or whose visible part was wrong, can be selected once the others are settled.
            remaining = below(candidates, in_order(settled, comparer), comparer)
            remaining = [one for one in remaining if one.part.key not in refuted]
            before = len(cards)
        # Only now it is known what lies on each card.
        last = {id(one.quad): verify(one, comparer) for one in in_order(settled, comparer)}
        return [self._match_of(self._likelier([card, last.get(id(card.quad), card)])) for card in cards]

    def _likelier(self, versions: Sequence[VerifiedCard]) -> VerifiedCard:
        return max(versions, key=lambda version: version.odds(self._model))

    def verified(self, one: Candidate, comparer: Comparer) -> list[VerifiedCard]:
        """Return a candidate verified after the correction of its outline, and also after its alignment.

        Raises ModelFileError.
        """
        versions = [comparer.improved(one)]
        quad = realigned(versions[0], comparer)
        if quad is not None:
            versions += filter(None, comparer.compare([CardPart.of(comparer.image, quad, versions[0].part.above)]))
        return [verify(version, comparer) for version in versions]

    def candidates(
        self, image: Image, quads: Sequence[Quad], identified: Sequence[Quad] = (), parts: Sequence[Quad] | None = None
    ) -> tuple[list[Candidate], Comparer]:
        """Return the candidates among outlines as they are and corrected, and what compares their visible parts.

        See `search` for the arguments.
        """
        quads = [quad for quad in quads if parts is None or any(lies_on(part, quad) for part in parts)]
        quads = _distinct([quad for quad in quads if not _same(quad, identified, SAME_ON_PILE)])
        quads += [turned(quad, 1) for quad in quads if aspect(quad) > MAYBE_SIDEWAYS]
        known = [*identified, *quads]
        comparer = Comparer.of(image, self._faces, self._matcher, self._embedding, self._model.outline, known)
        found = [one for one in comparer.compare([CardPart.of(image, quad, identified) for quad in quads]) if one]
        better = _distinct([one.corrected for one in sorted(found, key=lambda one: -one.odds)])
        found += [one for one in comparer.compare([CardPart.of(image, quad, identified) for quad in better]) if one]
        likeliest = sorted(found, key=lambda one: -one.odds)
        kept = {id(quad) for quad in _distinct([one.quad for one in likeliest])}
        return [one for one in likeliest if id(one.quad) in kept], comparer

    def _match_of(self, one: VerifiedCard) -> PictureMatch:
        """Return a verified card as a match."""
        logs: Floats = np.full(UNNAMED + 1, -MAX_NATS, np.float32)
        own = one.logs(self._model)
        logs[self._faces.numbers] = np.maximum(own, -MAX_NATS)
        if UNNAMED in self._faces.numbers:
            logs[self._unlearnt] = logs[UNNAMED]
        else:
            least = -MAX_NATS if self._prior is None else -self._prior
            logs[self._unlearnt] = max(-MAX_NATS, min(float(own.min()), least))
        logs[NOTHING] = -min(MAX_NATS, one.odds(self._model))
        return PictureMatch(one.quad, logs[:CLASSES], one.shown, self._unseen)


def _distinct(quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines that are shaped like cards, without duplicates."""
    distinct: list[Quad] = []
    for quad in quads:
        if is_card_shaped(quad) and not _same(quad, distinct, _SAME_OUTLINE_IOU):
            distinct.append(quad)
    return distinct


def _same(quad: Quad, others: Sequence[Quad], least: float) -> bool:
    return any(intersection_over_union(quad, other) >= least for other in others)
