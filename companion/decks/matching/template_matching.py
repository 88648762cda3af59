"""Where cards and indices of a learnt deck lie, and which they are, told by its pictures where networks cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.registration import Templates
from companion.decks.model.card_views import index_frames, outline, usual_spot
from companion.decks.model.open_set import Apart
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, cut
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.detection.deck_protocol import Placed

# Sizes (px) at which whole cards and indices are compared.
_CARD, _INDEX = (40, 60), (32, 32)
# Correlation from which on a picture is taken to fit, and at which it surely does: in other light on another table
# cards of unknown designs had .90 to .99 with their own pictures, .45 to .65 with pictures of other cards of pictures,
# and up to .92 with those that differ from them in a digit alone.
_FITS, _SURELY = 0.8, 0.9
# Nats for a correlation of one that are tried, of a whole card and of an index, and the most that can be said against a
# card.
_SHARPNESSES, _INDEX_SHARPNESSES = (0.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0), (0.0, 2.0, 4.0, 7.0, 10.0, 15.0)
_MOST = 9.0
# How far corners of rough outlines are off, over the longer side, and the share of them that may be lost altogether.
_OFF, _LOST = 0.02, 0.05
_SEED = 20
# Where all faces were laid, or nothing is known.
_NEITHER = Apart(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Fitted:
    """What correlations tell: nats for one of one, and what tells faces that were laid from others."""

    sharpness: float
    apart: Apart = _NEITHER

    @classmethod
    def kept(cls, values: Floats) -> Fitted:
        """Return what was written as an array."""
        sharpness, *apart = map(float, values)
        return cls(sharpness, Apart(*apart))

    def array(self) -> Floats:
        """Return the same as an array."""
        return np.array([self.sharpness, self.apart.slope, self.apart.trust, self.apart.offset], np.float32)


class Places:
    """Finds which of the deck's pictures lies about a place, and how.

    cards: the pictures' cards, as numbers of ALL_CARDS, or UNNAMED. fitted: what correlations tell. prior: nats against
    a card that was not laid, None where only a part of the deck was.
    """

    def __init__(self, templates: Templates, cards: Sequence[int], fitted: Fitted, prior: float | None = 0.0) -> None:
        self.fitted = fitted
        self._prior = prior
        self._templates = templates
        self._cards = np.asarray(cards)
        self._unlaid = np.setdiff1d(np.arange(NOTHING), self._cards)
        self._unseen = self._unlaid if prior is None else self._unlaid[:0]
        self._doubtful = UNNAMED in self._cards

    def find(self, image: Image, rough: Quad) -> Placed | None:
        """Return what lies about a rough outline (4, 2) in a (H, W, 3) BGR uint8 picture, None where nothing fits."""
        found = self._templates.find(image, rough)
        if found is None or found.fit < _FITS:
            return None
        best = np.full(CLASSES + 1, -1.0, np.float32)
        np.maximum.at(best, self._cards, found.fits)
        logs = np.maximum(self.fitted.sharpness * (best - best.max()), -_MOST)
        # How a face looks that was not laid is not known. One whose name is in doubt may be any of them.
        logs[self._unlaid] = logs[UNNAMED] if self._doubtful else -_MOST if self._prior is None else -self._prior
        membership = float(np.clip((found.fit - _FITS) / (_SURELY - _FITS), 0, 1))
        # A picture that hardly fits tells which card it is if there is one, not that there is one: a card face down may
        # be as dark in the middle as a wild.
        logs[NOTHING] = -_MOST * membership
        odds = 0.0
        if len(self._unseen):
            odds = float(self.fitted.apart.odds(np.array([found.fit], np.float32), np.zeros(1, np.float32))[0])
        return Placed(found.quad, np.asarray(logs[:CLASSES], np.float32), membership, self._unseen, odds)


def card_places(
    deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0, fitted: Fitted | None = None
) -> Places:
    """Return what finds whole cards, upright or upside down.

    prior: nats against a card that was not laid. fitted: what correlations tell, found where None.
    """
    frames = [(picture, outline()) for picture in deck.laid]
    return _places(frames, cards, (0, 2), _CARD, _SHARPNESSES, fitted, prior)


def index_places(
    deck: LearntDeck, cards: Sequence[int], prior: float | None = 0.0, fitted: Fitted | None = None
) -> Places:
    """Return what finds upright indices, of either corner of each card."""
    spot = deck.spot or usual_spot()
    frames = [(picture, frame) for picture in deck.laid for frame in index_frames(*spot)]
    both = [card for card in cards for _ in range(2)]
    return _places(frames, both, (0,), _INDEX, _INDEX_SHARPNESSES, fitted, prior)


def _places(
    frames: Sequence[tuple[Image, Quad]],
    cards: Sequence[int],
    turns: Sequence[int],
    size: tuple[int, int],
    sharpnesses: Sequence[float],
    fitted: Fitted | None,
    prior: float | None,
) -> Places:
    """Return what finds what these frames of pictures show.

    How much a correlation tells is fitted on the pictures themselves, each sought with an outline that is off and told
    by the others: on a design whose cards differ in a thin sign alone it tells little.
    """
    templates = Templates([cut(picture, frame, *size) for picture, frame in frames], turns, small=len(turns) == 1)
    if fitted is not None:
        return Places(templates, cards, fitted, prior)
    rng = np.random.default_rng(_SEED)
    labels = np.asarray(cards)
    lone = np.array([(labels == card).sum() == 1 for card in cards])
    known, starts = np.unique(labels, return_index=True)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], known)
    rows, own, copied = [], [], []
    for i, (picture, frame) in enumerate(frames):
        length = max(float(np.hypot(*(frame[3] - frame[0]))), float(np.hypot(*(frame[1] - frame[0]))))
        rough = np.asarray(frame + rng.normal(0, _OFF, (4, 2)) * length, np.float32)
        found = templates.find(picture, rough, without=None if lone[i] else i)
        if labels[i] != UNNAMED and found is not None and found.fit >= _FITS:
            rows.append(np.maximum.reduceat(found.fits[order], starts))
            own.append(int(np.searchsorted(known, labels[i])))
            copied.append(not lone[i])
    if not rows:
        return Places(templates, cards, Fitted(0.0), prior)
    best = np.stack(rows)

    def told(sharpness: float) -> float:
        logs = log_softmax(np.maximum(sharpness * (best - best.max(1, keepdims=True)), -_MOST).astype(np.float32))
        right = np.exp(logs[np.arange(len(own)), own])
        return float(np.log((1 - _LOST) * right + _LOST / len(known)).mean())

    apart = _NEITHER if prior is not None else _apart(best, own, np.array(copied))
    return Places(templates, cards, Fitted(max(sharpnesses, key=told), apart), prior)


def _apart(best: Floats, own: Sequence[int], copied: NDArray[np.bool_]) -> Apart:
    """Return what tells faces that were laid from others by how well the likeliest picture fits.

    best: (N, C) how well the pictures of C cards fit one of own (N,), of which there is another picture where copied.
    Each face is taken for one that was not laid.
    """
    others = best.copy()
    others[np.arange(len(own)), own] = -1.0
    copies = best[copied] if copied.any() else best
    fits = (copies.max(1), others.max(1) if best.shape[1] > 1 else np.full(len(best), _FITS, np.float32))
    return Apart.of(*(np.stack([fit, np.zeros_like(fit)], 1) for fit in fits))
