"""Detects and handles mirrored pictures, as front cameras send: mirrored digits are misread or not read.

Two logistic regressions decide. One says by the cards found in one orientation whether the mirror image, or a restored
picture, is worth a look. The other compares the cards found in both orientations. `companion train mirror`
fits them on drawn pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from companion.cards import Card, Face
from companion.vision.core.events import CardLanded, PileEvent, PileReached
from companion.vision.core.geometry import Image, tilt
from companion.vision.core.logit import Logit, Values, load_logits, log_odds, logistic, save_logits
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import CERTAIN, FAIRLY, RUNNER_UP_BELOW, Handedness, Sighting

Find = Callable[[Image], list[Sighting]]
"""Finds the face-up cards in a (H, W, 3) BGR uint8 picture; quads in its pixels."""
ORIENTATION_FEATURES = (
    "best with two sides",
    "best that looks alike",
    "all with two sides",
    "corners as printed",
    "corners as mirrored",
    "tilt",
)
"""Names of the features of the cards found in one orientation; the first three are log-odds of clarity. Arrows have
none: they stay arrows in a mirror, where digits can look like them."""
SINGLE_FEATURES = (*ORIENTATION_FEATURES, "open cards", "corners", "no open card", "doubt")
"""Names of the features of the regression that knows one orientation only."""
_NAMES = {"once": SINGLE_FEATURES, "compared": ORIENTATION_FEATURES}
# After this many looks that may be mirrored the mirror image is tried, then at intervals doubling up to the last value,
# so that an empty table stays cheap; number of consecutive tries that must agree.
_FIRST_TRY, _BACK_OFF, _MAX_INTERVAL, _AGREEING_TRIES = 3, 2, 24, 2
# Tilt in tens of degrees that stands for a picture without an open card: neither from above nor from low.
_NO_TILT = 4.5
_SYMMETRIC = frozenset({Face.ZERO, Face.FOUR, Face.EIGHT, Face.SKIP, *(face for face in Face if face.is_wild)})
"""Faces that look about the same when mirrored."""


def features(cards: Sequence[Sighting]) -> Values:
    """Return the (len(ORIENTATION_FEATURES),) features of the cards found in one orientation."""
    symmetric = [_log_odds(s) for s in cards if s.card.face in _SYMMETRIC]
    two_sided = [_log_odds(s) for s in cards if s.card.face not in {*_SYMMETRIC, Face.REVERSE}]
    handedness, best = [s.handedness for s in cards], _most_confident(cards)
    return np.array(
        [
            max(two_sided, default=0.0),
            max(symmetric, default=0.0),
            sum(two_sided),
            handedness.count(Handedness.PRINTED),
            handedness.count(Handedness.MIRRORED),
            tilt(best.quad) / 10 if best else _NO_TILT,
        ]
    )


def features_once(cards: Sequence[Sighting]) -> Values:
    """Return the (len(SINGLE_FEATURES),) features of the cards found in the only orientation that was read."""
    open_cards = sum(s.whole for s in cards)
    doubt = np.mean([1 - s.clarity for s in cards]) if cards else 1.0
    counts = np.log1p([open_cards, len(cards) - open_cards])
    return np.array([*features(cards), *counts, open_cards == 0, doubt])


def _log_odds(sighting: Sighting) -> float:
    """Return the bounded log-odds of a sighting's clarity."""
    return log_odds(float(np.clip(sighting.clarity, 1e-2, 1 - 1e-4)))


@dataclass(frozen=True)
class MirrorModel:
    """The fitted model. once: whether the mirror image is worth a look, by SINGLE_FEATURES. compared: whether the
    picture is mirrored, by how much ORIENTATION_FEATURES differ in its mirror image; the intercept is the prior.
    """

    once: Logit
    compared: Logit

    def is_doubtful(self, cards: Sequence[Sighting]) -> bool:
        """Whether so little was read with confidence, or the cards lie so, that another version is worth a look: the
        mirror image, or a restored picture.
        """
        return bool(self.once.log_odds(features_once(cards)) > 0)

    def evidence(self, cards: Sequence[Sighting], mirrored: Sequence[Sighting]) -> float:
        """Return the log-likelihood ratio of the mirror image's orientation, given the cards found in both."""
        return float((features(mirrored) - features(cards)) @ self.compared.weights)

    def is_mirrored(self, cards: Sequence[Sighting], mirrored: Sequence[Sighting]) -> bool:
        """Whether a picture is more probably mirrored than not, given the cards found in it and in its mirror image."""
        return self.evidence(cards, mirrored) + self.compared.intercept > 0

    @classmethod
    def load(cls, path: Path) -> MirrorModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        return cls(**load_logits(path, _NAMES))

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        save_logits(path, {"once": self.once, "compared": self.compared}, _NAMES)


@cache
def shipped() -> MirrorModel:
    """Return the shipped model; raises ModelFileError."""
    return MirrorModel.load(model_folder() / "mirror.json")


def flipped(image: Image) -> Image:
    """Return a (H, W, 3) picture with left and right swapped."""
    return np.asarray(cv2.flip(image, 1), np.uint8)


def is_better(new: Sequence[Sighting], old: Sequence[Sighting]) -> bool:
    """Whether a look at the restored picture is better: more confident cards, or a card where there was none."""
    confidently, fairly = (
        [sum(sighting.clarity >= least for sighting in found) for found in (new, old)] for least in (CERTAIN, FAIRLY)
    )
    return confidently[0] > confidently[1] or (confidently[1] == 0 and fairly[0] > fairly[1])


def is_fairly_read(sightings: Sequence[Sighting]) -> bool:
    """Whether a card is read with enough confidence that another look is not worth its cost."""
    return any(sighting.confidence >= FAIRLY for sighting in sightings)


def unmirrored(sighting: Sighting, width: int) -> Sighting:
    """Return a sighting of the mirror image of a picture `width` pixels wide in coordinates of the picture.

    Its outline stays clockwise on screen, from its top left there.
    """
    quad = np.array([width, 0], np.float32) + sighting.quad[[1, 0, 3, 2]] * np.array([-1, 1], np.float32)
    return replace(sighting, quad=quad, mirrored=True)


def unmirrored_event(event: PileEvent) -> PileEvent:
    """Return an event of a mirroring camera with the arms' directions as at the table."""
    if isinstance(event, CardLanded | PileReached) and event.arm is not None:
        return replace(event, arm=replace(event.arm, direction=-event.arm.direction % 360))
    return event


class MirrorCorrection:
    """Finds cards in a camera's pictures, using the mirror image once the camera is known to mirror.

    The first cards are read in both orientations until their likelihoods decide: a mirrored digit may be confidently
    another one. After that the other orientation is tried only if little is read confidently for a while.

    detect_pile, detect_closeup: find the cards of a picture as it is, see `CardDetector`. on_change: called when the
    decision changes. model: compares the orientations, by default the shipped one. Not thread-safe.
    """

    def __init__(
        self,
        detect_pile: Find,
        detect_closeup: Find,
        on_change: Callable[[bool], None] = lambda _: None,
        model: MirrorModel | None = None,
    ) -> None:
        self._thoroughly, self._closely, self._on_change = detect_pile, detect_closeup, on_change
        self._model = model or shipped()
        self._mirrors = self._reported = False
        # Log-likelihood ratios of "the camera mirrors", by each of the first cards; None once decided.
        self._odds: dict[Card, float] | None = {}
        self._doubtful, self._next, self._agreed = 0, _FIRST_TRY, 0

    @property
    def mirrors(self) -> bool:
        """Whether the camera is assumed to mirror."""
        return self._mirrors

    def detect_pile(self, image: Image) -> list[Sighting]:
        """Return the cards in a (H, W, 3) BGR uint8 picture, their outlines in its own pixels."""
        found = find_oriented(self._thoroughly, image, self._mirrors)
        if self._odds is not None and _most_confident(found) is not None:
            return self._decide_by_first_cards(image, found, self._odds)
        if not self._model.is_doubtful(found):
            self._doubtful, self._next, self._agreed = 0, _FIRST_TRY, 0
            return found
        return self._try_other_orientation(image, found)

    def _decide_by_first_cards(self, image: Image, found: list[Sighting], odds: dict[Card, float]) -> list[Sighting]:
        """Return the cards found in the orientation favoured by the first cards, each by its latest picture.

        found: the cards in the orientation favoured so far; in the wrong one, different cards may be read alike.
        """
        other = find_oriented(self._thoroughly, image, not self._mirrors)
        gain, best = self._model.evidence(found, other), _most_confident([*found, *other])
        assert best is not None
        odds[best.card] = -gain if self._mirrors else gain
        # More cameras mirror than pictures: here both orientations are equally probable at first.
        chance = float(logistic(np.array(sum(odds.values()))))
        if max(chance, 1 - chance) >= RUNNER_UP_BELOW:
            self._odds = None
        is_changed = (chance > FAIRLY) is not self._mirrors
        self._mirrors = chance > FAIRLY
        if self._odds is None or not self._mirrors:
            self._report()
        return other if is_changed else found

    def _try_other_orientation(self, image: Image, found: list[Sighting]) -> list[Sighting]:
        """Return the cards found; the other orientation is used after it was better twice in a row."""
        self._doubtful += 1
        if self._doubtful < self._next:
            return found
        other = find_oriented(self._thoroughly, image, not self._mirrors)
        self._agreed = self._agreed + 1 if self._model.is_mirrored(found, other) else 0
        if not self._agreed:
            self._doubtful, self._next = 0, min(_MAX_INTERVAL, _BACK_OFF * self._next)
        if self._agreed < _AGREEING_TRIES:
            return found
        self._mirrors = not self._mirrors
        self._odds = None
        self._doubtful, self._next, self._agreed = 0, _FIRST_TRY, 0
        self._report()
        return other

    def _report(self) -> None:
        if self._reported is not self._mirrors:
            self._reported = self._mirrors
            self._on_change(self._mirrors)

    def detect_closeup(self, image: Image) -> list[Sighting]:
        """The same for the region around the pile."""
        return find_oriented(self._closely, image, self._mirrors)


def _most_confident(found: Sequence[Sighting]) -> Sighting | None:
    """Return the most confident open card."""
    return max((sighting for sighting in found if sighting.whole), key=lambda s: s.clarity, default=None)


def find_oriented(find: Find, image: Image, mirrored: bool) -> list[Sighting]:
    """Return what `find` finds in a picture, or in its mirror image if the camera mirrors."""
    return [unmirrored(sighting, image.shape[1]) for sighting in find(flipped(image))] if mirrored else find(image)
