"""One fitted model that turns all evidence about an open card into calibrated probabilities.

The middle of the card and its two corners each give log-likelihoods; a corner counts once, framed by the detector
where it boxed the index and cut from the outline elsewhere. A log-linear model (Bordley, A Multiplicative Formula for
Aggregating Probability Assessments, 1982) adds them, weighted by view and size, and adds what the light says about the
colour. A logistic regression over named features of the card gives the probability that the result is right, if there
is a card; another one, over the same features, gives the probability of "not a card of this deck". `companion train
fusion` fits them on drawn pictures of decks, `companion train no-card` the last one on pictures of other things too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.corrections import corrected
from companion.vision.core.geometry import Quad, aspect, sides
from companion.vision.core.labels import COLORS, FACES, card_classes
from companion.vision.core.logit import logistic
from companion.vision.core.reading import MaskedSoftmax
from companion.vision.core.runtime import ModelFileError, model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.lighting import Light

Values = NDArray[np.float64]


def _products(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the products of all pairs of features."""
    return tuple(f"{one} by {other}" for one, other in combinations_with_replacement(names, 2))


_CASTS = tuple(f"{channel} of {part}" for part in ("card", "picture") for channel in ("blue", "green", "red"))
CONFIDENCE_FEATURES = (
    "odds",
    "odds squared",
    "odds by size",
    "odds by saturation",
    "odds of wilds",
    "wild",
    "middle",
    "better corner",
    "worse corner",
    "no card in the middle",
    "no card in either corner",
    "no card in both corners",
    "box",
    "size",
    "aspect",
    "strangers",
    "boxed corners",
    "candidates",
    "pile",
    "saturation",
    "saturation squared",
    "clipped in two channels",
    "clipped in one channel",
    *_CASTS,
    "brightness",
    "contrast",
)
"""Names of the features of the confidence."""
# Features of the confidence whose products count too: without indices it is a card if its middle is clear.
_PAIRED_FEATURES = (
    "odds",
    "middle",
    "no card in the middle",
    "no card in either corner",
    "no card in both corners",
    "saturation",
)
# Features of other makers' cards, which lie together as cards of one deck do.
_ELSEWHERE_FEATURES = ("no card elsewhere", "indices elsewhere")
_FOREIGN_FEATURES = ("foreign", *_ELSEWHERE_FEATURES)
OTHER_FEATURES = (*CONFIDENCE_FEATURES, *_FOREIGN_FEATURES, *_products((*_PAIRED_FEATURES, *_FOREIGN_FEATURES)))
"""Names of the features of "not a card of this deck"."""
_CORNER_BASE = (
    "odds",
    "no card in the corner",
    "wild",
    "no card behind it",
    "the same card behind it",
    "any card behind it",
    "open cards",
    "touches an open card",
    "touches another corner's card",
    *_ELSEWHERE_FEATURES,
)
CORNER_FEATURES = (*_CORNER_BASE, *_products(_CORNER_BASE))
"""Names of the features of a covered card's corner; what is behind it is read in the outline that it implies."""
_HUES = np.arange(-180, 180, 15)
LIGHT_FEATURES = (*(f"hue {hue} in {light} light" for light in ("white", "coloured") for hue in _HUES), *_CASTS)
"""Names of the features of the colour: the share of the two nearest hues (degrees), and casts of card and picture."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that is known about one open card.

    quad: its outline (4, 2). middle: (57,) log-likelihoods of the whole card. corners: (2, 57) of its top-left and its
    bottom-right corner. boxed: which of the two the detector boxed. score: of the card's box. strangers: indices inside
    that are not its own. candidates: boxes of cards in the picture. on_pile: whether the picture shows a pile. light:
    of the card and of the picture. elsewhere: the sum of the log-odds of "no card" of the picture's other boxed
    indices, and their number; both 0 on a pile, where covered corners lie around. foreign: log-odds of another maker's
    card.
    """

    quad: Quad
    middle: Values
    corners: Values
    boxed: tuple[bool, bool]
    score: float
    strangers: int
    candidates: int
    on_pile: bool
    light: Light
    elsewhere: tuple[float, float] = (0.0, 0.0)
    foreign: float = 0.0


@dataclass(frozen=True, eq=False)
class CornerEvidence:
    """All that is known about a card of which one corner was read.

    corner: (57,) log-likelihoods of the index. behind: (57,) of the whole outline that it implies. open_cards: in the
    picture. by_open_card, by_corner: whether that outline touches an open card's, or that of another corner. elsewhere:
    as for an open card.
    """

    corner: Values
    behind: Values
    open_cards: int
    by_open_card: bool
    by_corner: bool
    elsewhere: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class EvidenceArrays:
    """The evidence about N open cards as arrays.

    faces, colors: (N, 3, F) and (N, 3, C) log-likelihoods by middle and corners, over cards alone. none: (N, 3)
    log-odds of "no card". boxed: (N, 2). size: (N,) logarithm of the width. light: (N, L) LIGHT_FEATURES. rest:
    (N, ...) the features of the confidence from "box" on. foreign: (N, 3) _FOREIGN_FEATURES.
    """

    faces: Values
    colors: Values
    none: Values
    boxed: Values
    size: Values
    light: Values
    rest: Values
    foreign: Values

    @property
    def by_size(self) -> Values:
        """(N, 2): one, and the size."""
        return np.stack([np.ones_like(self.size), self.size], 1)

    def only(self, kept: NDArray[np.bool_]) -> EvidenceArrays:
        """Return the cards marked in (N,)."""
        return EvidenceArrays(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})

    @classmethod
    def of(cls, cards: Sequence[Evidence]) -> EvidenceArrays:
        """Return the arrays for at least one card."""
        logs = np.stack([np.concatenate([card.middle[None], card.corners]) for card in cards]).astype(np.float64)
        known = logs[..., :-1] - _log_sum(logs[..., :-1])[..., None]
        own_face, own_color = card_classes()
        faces = np.stack([_log_sum(known[..., own_face == k]) for k in range(len(FACES))], -1)
        colors = np.stack([_log_sum(known[..., own_color == k]) for k in range(len(COLORS) + 1)], -1)
        size = np.log2(np.maximum(8, [sides(card.quad)[0] for card in cards]) / 100).clip(-2, 2)
        lights = [card.light for card in cards]
        casts = np.array([[*one.of_card, *one.of_picture] for one in lights])
        saturation = np.array([one.saturation for one in lights])
        away = np.abs((np.array([[one.hue] for one in lights]) - _HUES + 180) % 360 - 180)
        hues = np.maximum(0, 1 - away / (_HUES[1] - _HUES[0])) * np.minimum(1, 3 * saturation)[:, None]
        white = np.exp(-8 * np.abs(casts).max(1))[:, None]
        score = np.array([card.score for card in cards]).clip(1e-4, 1 - 1e-4)
        boxed = np.array([card.boxed for card in cards], np.float64)
        rest = [
            np.log(score / (1 - score)),
            size,
            [aspect(card.quad) for card in cards],
            [min(4, card.strangers) for card in cards],
            boxed.sum(1),
            np.log([max(1, card.candidates) for card in cards]),
            [card.on_pile for card in cards],
            saturation,
            saturation**2,
            [one.clipped_in_two for one in lights],
            [one.clipped_in_one for one in lights],
            *casts.T,
            [one.brightness for one in lights],
            [one.contrast for one in lights],
        ]
        return cls(
            np.maximum(faces, -12),
            np.maximum(colors, -12),
            np.clip(logs[..., -1] - _log_sum(logs[..., :-1]), -10, 10),
            boxed,
            size,
            np.concatenate([hues * white, hues * (1 - white), casts], 1),
            np.column_stack(rest).astype(np.float64),
            np.column_stack([[card.foreign for card in cards], _elsewhere_features(cards)]),
        )


@dataclass(frozen=True, eq=False)
class FusionModel:
    """The fitted model.

    middle, corner, boxed: (2, 2) weights of a view, for face and colour: at a width of 100 px, and per doubling; the
    softplus is used. floors: (2,) least log-likelihoods of a corner's face and colour. light: (L, 4) weights of
    LIGHT_FEATURES per colour. faces: (3, F) prior of each face, and what its weight in the middle and in a corner
    differs by. confidence, other, other_corner: weights of CONFIDENCE_FEATURES, OTHER_FEATURES and CORNER_FEATURES with
    the intercept last. Without a fit of the last two nothing is another thing.
    """

    middle: Values
    corner: Values
    boxed: Values
    floors: Values
    light: Values
    faces: Values
    confidence: Values
    other: Values = field(default_factory=lambda: FusionModel.never(OTHER_FEATURES))
    other_corner: Values = field(default_factory=lambda: FusionModel.never(CORNER_FEATURES))

    @staticmethod
    def never(names: Sequence[str]) -> Values:
        """Return the weights of a regression on these features that predicts nothing."""
        return np.append(np.zeros(len(names)), -30.0)

    def log_probabilities(self, cards: EvidenceArrays, allowed: NDArray[np.bool_] | None = None) -> Values:
        """Return (N, 56) log-probabilities of ALL_CARDS; allowed: (56,) the cards under consideration, all if None."""
        scores = self.scores(cards)
        scores = scores if allowed is None else np.where(allowed, scores, -np.inf)
        return np.asarray(scores - _log_sum(scores)[:, None], np.float64)

    def scores(self, cards: EvidenceArrays) -> Values:
        """Return (N, 56) unnormalised log-probabilities of ALL_CARDS."""
        middle, corner, boxed = (
            np.log1p(np.exp(cards.by_size @ one)) for one in (self.middle, self.corner, self.boxed)
        )
        by_face, by_middle, by_corner = self.faces
        face = by_face + cards.faces[:, 0] * (middle[:, :1] + by_middle)
        color = cards.colors[:, 0] * middle[:, 1:]
        for end in (0, 1):
            is_boxed = cards.boxed[:, end : end + 1]
            weight = corner * (1 - is_boxed) + boxed * is_boxed
            face = face + np.logaddexp(cards.faces[:, 1 + end], self.floors[0]) * (weight[:, :1] + by_corner)
            color = color + np.logaddexp(cards.colors[:, 1 + end], self.floors[1]) * weight[:, 1:]
        color = color + np.pad(cards.light @ self.light, ((0, 0), (0, 1)))
        own_face, own_color = card_classes()
        return np.asarray(face[:, own_face] + color[:, own_color], np.float64)

    def confidences(self, cards: EvidenceArrays, logs: Values) -> Values:
        """Return (N,) probabilities that the top card of (N, 56) normalised log-probabilities is right, if one lies
        there.
        """
        return _logistic(features(cards, logs), self.confidence)

    def other_probabilities(self, cards: EvidenceArrays, logs: Values) -> Values:
        """Return (N,) probabilities of "not a card of this deck", given (N, 56) normalised log-probabilities."""
        return _logistic(other_features(cards, features(cards, logs)), self.other)

    def corner_other_probabilities(self, corners: Sequence[CornerEvidence]) -> list[float]:
        """Return the probability of "not a card of this deck" for each corner."""
        return _logistic(corner_features(corners), self.other_corner).tolist() if corners else []

    def sightings(self, cards: Sequence[Evidence], softmax: MaskedSoftmax) -> list[Sighting]:
        """Return the open cards with calibrated probabilities. softmax: for the cards under consideration."""
        if not cards:
            return []
        arrays = EvidenceArrays.of(cards)
        logs = self.log_probabilities(arrays, softmax.allowed[:-1])
        found = []
        sures, other_probabilities = self.confidences(arrays, logs), self.other_probabilities(arrays, logs)
        for card, one, sure, other in zip(cards, logs, sures.tolist(), other_probabilities.tolist(), strict=True):
            middle = softmax.probabilities(card.middle.astype(np.float32))
            chances = np.maximum(np.append(np.exp(one), 0), 1e-9)
            fused = Sighting.of(card.quad, chances / chances.sum(), softmax.allowed, whole=True).with_confidence(sure)
            found.append(corrected(fused.with_other(other), middle, card.light.hue, card.light.ground))
        return found

    @classmethod
    def load(cls, path: Path) -> FusionModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            found = {name: np.array(value, np.float64) for name, value in json.loads(path.read_text()).items()}
            model = cls(**found)
            shapes = [
                one.shape for one in (model.light, model.faces, model.confidence, model.other, model.other_corner)
            ]
        except (OSError, AttributeError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error
        lengths = [(len(names) + 1,) for names in (CONFIDENCE_FEATURES, OTHER_FEATURES, CORNER_FEATURES)]
        if shapes != [(len(LIGHT_FEATURES), len(COLORS)), (3, len(FACES)), *lengths]:
            raise ModelFileError(path, "holds other features")
        return model

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        rows = {name: json.dumps(np.asarray(value).round(4).tolist()) for name, value in asdict(self).items()}
        path.write_text("{\n" + ",\n".join(f' "{name}": {row}' for name, row in rows.items()) + "\n}\n")


@cache
def shipped() -> FusionModel:
    """Return the shipped model; raises ModelFileError."""
    return FusionModel.load(model_folder() / "fusion.json")


def features(cards: EvidenceArrays, logs: Values) -> Values:
    """Return (N, len(CONFIDENCE_FEATURES)) features, given (N, 56) normalised log-probabilities."""
    top, rows = logs.argmax(1), np.arange(len(logs))
    best = logs[rows, top]
    odds = (best - np.log(np.maximum(1e-9, 1 - np.exp(best)))).clip(-8, 14)
    own_face, own_color = card_classes()
    own = np.maximum(-8, cards.faces[rows, :, own_face[top]] + cards.colors[rows, :, own_color[top]])
    wild = (own_color[top] == len(COLORS)).astype(np.float64)
    saturation = cards.rest[:, CONFIDENCE_FEATURES.index("saturation") - CONFIDENCE_FEATURES.index("box")]
    first = [odds, odds**2 / 10, odds * cards.size, odds * saturation, odds * wild, wild, own[:, 0]]
    corners = [own[:, 1:].max(1), own[:, 1:].min(1), cards.none[:, 0], cards.none[:, 1:].max(1)]
    return np.column_stack([*first, *corners, cards.none[:, 1:].min(1), cards.rest])


def other_features(cards: EvidenceArrays, rows: Values) -> Values:
    """Return (N, len(OTHER_FEATURES)) features, given (N, len(CONFIDENCE_FEATURES))."""
    paired = [rows[:, CONFIDENCE_FEATURES.index(name)] for name in _PAIRED_FEATURES]
    return _with_products(np.column_stack([rows, cards.foreign]), [*paired, *cards.foreign.T])


def corner_features(corners: Sequence[CornerEvidence]) -> Values:
    """Return (N, len(CORNER_FEATURES)) features of at least one corner."""
    logs = np.stack([corner.corner for corner in corners])
    behind = np.stack([corner.behind for corner in corners])
    top, rows = logs[:, :-1].argmax(1), np.arange(len(logs))
    second = np.partition(logs[:, :-1], -2)[:, -2]
    any_card = _log_sum(behind[:, :-1])
    named = [
        (logs[rows, top] - second).clip(0, 10),
        (logs[:, -1] - _log_sum(logs[:, :-1])).clip(-10, 10),
        card_classes()[1][top] == len(COLORS),
        (behind[:, -1] - any_card).clip(-10, 10),
        (behind[rows, top] - any_card).clip(-10, 0),
        (behind[:, :-1].max(1) - any_card).clip(-10, 0),
        np.log1p([corner.open_cards for corner in corners]),
        [corner.by_open_card for corner in corners],
        [corner.by_corner for corner in corners],
        *_elsewhere_features(corners).T,
    ]
    found = np.column_stack(named).astype(np.float64)
    return _with_products(found, list(found.T))


def _elsewhere_features(cards: Sequence[Evidence] | Sequence[CornerEvidence]) -> Values:
    """Return (N, 2) _ELSEWHERE_FEATURES: a mean whose count of indices has one added, and this count's share."""
    found = np.array([card.elsewhere for card in cards], np.float64)
    return np.asarray(found / (1 + found[:, 1:]), np.float64)


def _with_products(rows: Values, paired: Sequence[Values]) -> Values:
    """Return the features (N, D) with the products of all pairs of those in `paired`, each (N,)."""
    return np.column_stack([rows, *(one * other / 10 for one, other in combinations_with_replacement(paired, 2))])


def _logistic(rows: Values, weights: Values) -> Values:
    """Return (N,) probabilities of a logistic regression on (N, D) rows; weights (D + 1,) end with the intercept."""
    return np.asarray(logistic(rows @ weights[:-1] + weights[-1]), np.float64)


def _log_sum(logs: Values) -> Values:
    """Return the logarithm of the sum of probabilities over the last axis."""
    top = logs.max(-1, keepdims=True)
    return np.asarray((top + np.log(np.exp(logs - top).sum(-1, keepdims=True)))[..., 0], np.float64)
