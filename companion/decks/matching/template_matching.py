"""Locates and identifies cards and indices of a learnt deck by registering its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.registration import Templates
from companion.decks.model.card_views import index_frames, outline, usual_spot
from companion.decks.model.open_set import OpenSetModel
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, cut
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.detection.deck_protocol import Placed

# Sizes (px) at which whole cards and indices are compared.
_CARD, _INDEX = (40, 60), (32, 32)
# Correlations from which a picture matches, and matches certainly: under other light on another table, cards of unknown
# designs had .90 to .99 with their own pictures, .45 to .65 with other picture cards, up to .92 with cards that differ
# in a digit only.
_MIN_FIT, _CERTAIN_FIT = 0.8, 0.9
# Candidate weights in nats per unit of correlation for whole cards and indices, and bound on the evidence against a
# card.
_SHARPNESSES, _INDEX_SHARPNESSES = (0.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0), (0.0, 2.0, 4.0, 7.0, 10.0, 15.0)
_MAX_NATS = 9.0
# Deviation of rough outlines' corners over the longer side, and share of outlines that may be lost.
_CORNER_NOISE, _OUTLIER_SHARE = 0.02, 0.05
_SEED = 20
# The model without missing faces.
_CLOSED_SET = OpenSetModel(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FittedWeights:
    """Weights of correlations: nats per unit, and the open-set model."""

    sharpness: float
    open_set: OpenSetModel = _CLOSED_SET

    @classmethod
    def from_array(cls, values: Floats) -> FittedWeights:
        """Load from an array."""
        sharpness, *open_set = map(float, values)
        return cls(sharpness, OpenSetModel(*open_set))

    def array(self) -> Floats:
        """Return as an array."""
        return np.array([self.sharpness, self.open_set.slope, self.open_set.trust, self.open_set.offset], np.float32)


class TemplateMatcher:
    """Finds the deck's picture at a place.

    cards: the pictures' cards, numbers of ALL_CARDS or UNNAMED. fitted: weights of correlations. prior: nats against a
    card that was not learnt, None for an incomplete deck.
    """

    def __init__(
        self, templates: Templates, cards: Sequence[int], fitted: FittedWeights, prior: float | None = 0.0
    ) -> None:
        self.fitted = fitted
        self._prior = prior
        self._templates = templates
        self._cards = np.asarray(cards)
        self._unlearnt = np.setdiff1d(np.arange(NOTHING), self._cards)
        self._unseen = self._unlearnt if prior is None else self._unlearnt[:0]
        self._doubtful = UNNAMED in self._cards

    def find(self, image: Image, rough: Quad) -> Placed | None:
        """Return the match near a rough outline (4, 2) in a (H, W, 3) BGR uint8 picture, None if nothing matches."""
        found = self._templates.find(image, rough)
        if found is None or found.fit < _MIN_FIT:
            return None
        best = np.full(CLASSES + 1, -1.0, np.float32)
        np.maximum.at(best, self._cards, found.fits)
        logs = np.maximum(self.fitted.sharpness * (best - best.max()), -_MAX_NATS)
        # The appearance of a face that was not learnt is unknown; a picture with an uncertain name may be any of them.
        logs[self._unlearnt] = logs[UNNAMED] if self._doubtful else -_MAX_NATS if self._prior is None else -self._prior
        membership = float(np.clip((found.fit - _MIN_FIT) / (_CERTAIN_FIT - _MIN_FIT), 0, 1))
        # A weak match names the card if there is one. It is no evidence that there is one: a face-down card may be as
        # dark in the middle as a wild.
        logs[NOTHING] = -_MAX_NATS * membership
        odds = 0.0
        if len(self._unseen):
            odds = float(self.fitted.open_set.odds(np.array([found.fit], np.float32), np.zeros(1, np.float32))[0])
        return Placed(found.quad, np.asarray(logs[:CLASSES], np.float32), membership, self._unseen, odds)


def card_matcher(
    deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0, fitted: FittedWeights | None = None
) -> TemplateMatcher:
    """Return the matcher of whole cards in both orientations.

    prior: nats against a card that was not learnt. fitted: weights of correlations, fitted if None.
    """
    frames = [(picture, outline()) for picture in deck.laid]
    return _matcher(frames, cards, (0, 2), _CARD, _SHARPNESSES, fitted, prior)


def index_matcher(
    deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0, fitted: FittedWeights | None = None
) -> TemplateMatcher:
    """Return the matcher of upright indices, from either corner of each card."""
    spot = deck.spot or usual_spot()
    frames = [(picture, frame) for picture in deck.laid for frame in index_frames(*spot)]
    both = [card for card in cards for _ in range(2)]
    return _matcher(frames, both, (0,), _INDEX, _INDEX_SHARPNESSES, fitted, prior)


def _matcher(
    frames: Sequence[tuple[Image, Quad]],
    cards: Sequence[int],
    turns: Sequence[int],
    size: tuple[int, int],
    sharpnesses: Sequence[float],
    fitted: FittedWeights | None,
    prior: float | None,
) -> TemplateMatcher:
    """Return the matcher of the given picture regions.

    The weight of correlations is fitted on the pictures themselves, each searched with a perturbed outline and
    identified by the others; for designs that differ only in a thin sign it is low.
    """
    templates = Templates([cut(picture, frame, *size) for picture, frame in frames], turns, small=len(turns) == 1)
    if fitted is not None:
        return TemplateMatcher(templates, cards, fitted, prior)
    rng = np.random.default_rng(_SEED)
    labels = np.asarray(cards)
    lone = np.array([(labels == card).sum() == 1 for card in cards])
    known, starts = np.unique(labels, return_index=True)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], known)
    rows, own, copied = [], [], []
    for i, (picture, frame) in enumerate(frames):
        length = max(float(np.hypot(*(frame[3] - frame[0]))), float(np.hypot(*(frame[1] - frame[0]))))
        rough = np.asarray(frame + rng.normal(0, _CORNER_NOISE, (4, 2)) * length, np.float32)
        found = templates.find(picture, rough, without=None if lone[i] else i)
        if labels[i] != UNNAMED and found is not None and found.fit >= _MIN_FIT:
            rows.append(np.maximum.reduceat(found.fits[order], starts))
            own.append(int(np.searchsorted(known, labels[i])))
            copied.append(not lone[i])
    if not rows:
        return TemplateMatcher(templates, cards, FittedWeights(0.0), prior)
    best = np.stack(rows)

    def log_likelihood(sharpness: float) -> float:
        logs = log_softmax(np.maximum(sharpness * (best - best.max(1, keepdims=True)), -_MAX_NATS).astype(np.float32))
        right = np.exp(logs[np.arange(len(own)), own])
        return float(np.log((1 - _OUTLIER_SHARE) * right + _OUTLIER_SHARE / len(known)).mean())

    open_set = _CLOSED_SET if prior is not None else _open_set_model(best, own, np.array(copied))
    return TemplateMatcher(templates, cards, FittedWeights(max(sharpnesses, key=log_likelihood), open_set), prior)


def _open_set_model(best: Floats, own: Sequence[int], copied: NDArray[np.bool_]) -> OpenSetModel:
    """Return the open-set model based on the best match.

    best: (N, C) fit of C cards' pictures to cards own (N,), of which there is another picture where `copied`. Each face
    is left out in turn.
    """
    others = best.copy()
    others[np.arange(len(own)), own] = -1.0
    copies = best[copied] if copied.any() else best
    fits = (copies.max(1), others.max(1) if best.shape[1] > 1 else np.full(len(best), _MIN_FIT, np.float32))
    return OpenSetModel.of(*(np.stack([fit, np.zeros_like(fit)], 1) for fit in fits))
