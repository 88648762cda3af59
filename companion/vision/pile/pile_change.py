"""Decides what happened to the pile between two still pictures: the most probable hypothesis of a fitted model.

Each way in which the pile may have changed gets a score from features of one look, and the softmax of the scores is its
probability, as in a conditional logit (McFadden, 1974). The scores come from two networks with one hidden layer, which
`companion train changes` fits on simulated piles.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import intersection_over_union
from companion.vision.core.runtime import ModelFileError, model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.pile.features import LOOK, OUTLINE, Evidence, Outline
from companion.vision.pile.thresholds import CHANGED, SAME_PLACE

Values = NDArray[np.float64]


class Way(Enum):
    """What one outline is, or what happened to the pile if no outline shows it."""

    LANDED = "landed"
    """The outline is of a new card."""
    TOP = "top"
    """The outline is of the previous top card."""
    MISREAD = "misread"
    """The outline is of a new card that is misread as the previous top card."""
    REVEALED = "revealed"
    """The outline is of a card that lay below the previous top card."""
    CORNER = "corner"
    """The corner is of a new card, whose outline is not read."""
    UNCHANGED = "unchanged"
    """The previous top card is there, but not read."""
    HIDDEN = "hidden"
    """Another card is on top, but not read."""
    GONE = "gone"
    """The pile is gone."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A possible change of the pile. outline: what shows it, None if nothing does."""

    way: Way
    outline: Outline | None = None


def hypotheses(look: Evidence) -> list[Hypothesis]:
    """Return all possible changes of a known pile."""
    found = [Hypothesis(way) for way in (Way.UNCHANGED, Way.HIDDEN, Way.GONE)]
    for outline in look.whole:
        found.append(Hypothesis(Way.LANDED, outline))
        if outline.card == look.top.card:
            found += [Hypothesis(Way.TOP, outline), Hypothesis(Way.MISREAD, outline)]
        # Below the only known card may lie one that was never seen, if the picture shows that the known one has left.
        if outline.below[0] > 0 or (len(look.known) == 1 and outline.top_beside.values[0] > CHANGED):
            found.append(Hypothesis(Way.REVEALED, outline))
    return [*found, *(Hypothesis(Way.CORNER, outline) for outline in look.corners)]


def features(look: Evidence, ways: Sequence[Hypothesis]) -> tuple[Values, Values]:
    """Return the features of the hypotheses' outlines, (N, len(OUTLINE)), 0 without one, and of the look."""
    none = (0.0,) * len(OUTLINE)
    rows = [none if one.outline is None else one.outline.values for one in ways]
    return np.array(rows, np.float64), np.array(look.values, np.float64)


OF_OUTLINE = (Way.LANDED, Way.TOP, Way.REVEALED, Way.CORNER, Way.MISREAD)
OF_LOOK = (Way.UNCHANGED, Way.HIDDEN, Way.GONE)
"""The outputs of both networks, in order."""


@dataclass(frozen=True, eq=False)
class Scores:
    """A network of one hidden layer. mean, spread: (D,) of the features, by which they are standardised.

    hidden: (D + 1, H) and out: (H + 1, W) weights, the last row of which is the offset.
    """

    mean: Values
    spread: Values
    hidden: Values
    out: Values

    def __call__(self, features: Values) -> Values:
        """Return the (..., W) scores of features (..., D)."""
        inner = np.tanh((features - self.mean) / self.spread @ self.hidden[:-1] + self.hidden[-1])
        return np.asarray(inner @ self.out[:-1] + self.out[-1], np.float64)


@dataclass(frozen=True, eq=False)
class ChangeModel:
    """The fitted model: the scores of what an outline is, and of what happened if none shows it."""

    outline: Scores
    look: Scores

    def probabilities(self, look: Evidence, ways: Sequence[Hypothesis]) -> Values:
        """Return the (N,) probabilities of all hypotheses about a look; they sum to 1."""
        return self.of_features([one.way for one in ways], *features(look, ways))

    def of_features(self, ways: Sequence[Way], outlines: Values, look: Values) -> Values:
        """Return the (N,) probabilities of ways with features (N, len(OUTLINE)) of outlines and (len(LOOK),)."""
        of_outlines, of_look = self.outline(outlines), self.look(look)
        scores = np.array(
            [
                row[OF_OUTLINE.index(way)] if way in OF_OUTLINE else of_look[OF_LOOK.index(way)]
                for way, row in zip(ways, of_outlines, strict=True)
            ]
        )
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum(), np.float64)

    @classmethod
    def load(cls, path: Path) -> ChangeModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            names = found["outline"]["features"], found["look"]["features"]
            parts = [
                Scores(*(np.array(found[part][name], np.float64) for name in ("mean", "spread", "hidden", "out")))
                for part in ("outline", "look")
            ]
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error
        sizes = (len(OUTLINE), len(OF_OUTLINE)), (len(LOOK), len(OF_LOOK))
        if names != (list(OUTLINE), list(LOOK)) or not all(map(_fits, parts, sizes)):
            raise ModelFileError(path, "holds other features")
        return cls(*parts)

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        parts = {"outline": (OUTLINE, self.outline), "look": (LOOK, self.look)}
        rows = {
            part: {"features": names} | {name: value.round(4).tolist() for name, value in vars(scores).items()}
            for part, (names, scores) in parts.items()
        }
        lines = (f' "{part}": {{\n' + _lines(row) + "\n }" for part, row in rows.items())
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(row: dict[str, object]) -> str:
    return ",\n".join(f'  "{name}": {json.dumps(value)}' for name, value in row.items())


def _fits(scores: Scores, size: tuple[int, int]) -> bool:
    """Whether a network has so many features and ways."""
    wide, ways = size
    hidden = scores.hidden.shape[-1]
    shapes = [scores.mean.shape, scores.spread.shape, scores.hidden.shape, scores.out.shape]
    finite = all(np.isfinite(value).all() for value in vars(scores).values())
    return shapes == [(wide,), (wide,), (wide + 1, hidden), (hidden + 1, ways)] and finite


@cache
def shipped() -> ChangeModel:
    """Return the shipped model; raises ModelFileError."""
    return ChangeModel.load(model_folder() / "changes.json")


class Change(Enum):
    """Possible changes of the pile."""

    NONE = "none"
    LANDED = "landed"
    TAKEN_BACK = "taken back"
    MOVED = "moved"
    GONE = "gone"
    UNCLEAR = "unclear"


@dataclass(frozen=True, eq=False)
class Judgement:
    """The change of the pile. `top` is the card now on top; `left` the number of previous cards still there.

    belief: probability that the card of this reading has landed, if reported. If it is unclear, `top` is the best
    reading of a possible new card.
    """

    change: Change
    top: Sighting | None
    left: int
    belief: float = 1.0


def judge(look: Evidence, model: ChangeModel) -> Judgement:
    """Return the most probable change of the pile, given one look."""
    if not look.known:
        return _first(look)
    ways = hypotheses(look)
    chances = model.probabilities(look, ways)
    best = int(chances.argmax())
    return _judgement(look, ways[best], float(chances[best]))


def _judgement(look: Evidence, found: Hypothesis, chance: float) -> Judgement:
    count, outline = len(look.known), found.outline
    top = None if outline is None else outline.sighting
    match found.way:
        case Way.LANDED:
            return Judgement(Change.LANDED, top, count, chance)
        case Way.MISREAD:
            return Judgement(Change.LANDED, top, count, 1 - chance)
        case Way.TOP:
            assert outline is not None
            stayed = outline.overlap_with_top > SAME_PLACE
            return Judgement(Change.NONE if stayed else Change.MOVED, top, count)
        case Way.REVEALED:
            assert outline is not None
            return Judgement(Change.TAKEN_BACK, top, outline.below[1])
        case Way.CORNER:
            return Judgement(Change.UNCLEAR, top, count, chance)
        case Way.HIDDEN:
            return Judgement(Change.UNCLEAR, None, count)
        case Way.UNCHANGED:
            return Judgement(Change.NONE, None, count)
        case Way.GONE:
            return Judgement(Change.GONE, None, 0)


def _first(look: Evidence) -> Judgement:
    """Return the card on top of a pile of which nothing was known."""
    # A card that was there before, such as a draw pile's back misread as a face, has not landed.
    fresh = [s for s in look.whole if s.change >= CHANGED]
    if not fresh:
        return Judgement(Change.UNCLEAR if look.corners else Change.NONE, None, 0)
    top = max(fresh, key=lambda s: s.top_probability)
    # After a look at the bare table the card is one of those that came.
    total = 1.0 if look.pictures is None else sum(s.top_probability for s in fresh)
    return Judgement(Change.LANDED, top.sighting, 0, top.top_probability / max(total, top.top_probability))


def agree(a: Judgement, b: Judgement) -> bool:
    """Whether two looks agree: the same change, and the same top card in the same place."""
    if a.change is not b.change:
        return False
    if a.top is None or b.top is None:
        return a.top is b.top
    return a.top.card == b.top.card and intersection_over_union(a.top.quad, b.top.quad) > SAME_PLACE
