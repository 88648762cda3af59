"""Fits how mirrored pictures are recognised, on drawn pictures read in both orientations.

Every fourth deck is for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Face
from companion.dataset.artist.families import TRAINING_WEIGHTS
from companion.dataset.artist.styles import sample_style
from companion.dataset.others.scenes import Kind, other_scenes
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.sittings import Sitting, drawn_faces
from companion.models.fitting.calibration import pictures
from companion.models.fitting.logistic import ridge_logistic
from companion.vision.core.geometry import Image
from companion.vision.core.logit import Logit
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.mirror import MirrorModel, features, features_once, flipped

Values = NDArray[np.float64]
PICTURES: Mapping[Layout, int] = {Layout.SINGLE: 3, Layout.SPREAD: 1, Layout.FAN: 1, Layout.PILE: 2}
"""Number of pictures of a deck per layout, each as drawn and degraded."""
OTHERS: Sequence[Kind] = tuple(Kind)
"""Kinds of other things, one picture of each beside every deck."""
_HARD = 0.3
_RIDGE = 1.0
# Share of cameras that mirror, and least probability of it at which the mirror image is worth a look.
_MIRRORING, _WORTH = 0.05, 0.05


@dataclass(frozen=True, eq=False)
class Pair:
    """The features of the cards found in a picture as a camera that does not mirror sends it, and in its mirror image.

    straight, mirrored: (len(ORIENTATION_FEATURES),). straight_once, mirrored_once: (len(SINGLE_FEATURES),).
    """

    straight: Values
    mirrored: Values
    straight_once: Values
    mirrored_once: Values


@dataclass(frozen=True)
class Checked:
    """Pictures of the check, those taken for mirrored or not as they are, and looks at mirror images."""

    pictures: int
    right: int
    mirrored_right: int
    looks: int
    mirrored_looks: int

    def __str__(self) -> str:
        return (
            f"of {self.pictures} pictures {self.right} are taken for what they are, {self.mirrored_right} of their "
            f"mirror images; the mirror image is looked at for {self.looks} and {self.mirrored_looks} of them"
        )


def drawn(detector: CardDetector, decks: Iterable[int], seed: int) -> Iterator[Pair]:
    """Yield the pictures of drawn decks, given by number, read in both orientations.

    A lone reverse of each deck and other things are among them, as both look the same in a mirror.
    """
    for deck in decks:
        for scene, image in pictures([deck], seed, PICTURES, _HARD, 1):
            find = detector.detect_pile if scene.layout is Layout.PILE else detector.first_look
            yield paired(find(image), find(flipped(image)))
        alone = [lone_arrows(deck, seed), *(scene.image for scene in other_scenes([deck], seed, OTHERS))]
        for image in alone:
            straight, mirrored = detector.first_look(image), detector.first_look(flipped(image))
            if straight or mirrored:
                yield paired(straight, mirrored)


def lone_arrows(deck: int, seed: int) -> Image:
    """Return a (H, W, 3) BGR uint8 picture of one reverse of a drawn deck, given by number."""
    families = list(TRAINING_WEIGHTS)
    style = sample_style(np.random.default_rng([seed, deck]), families[deck % len(families)])
    reverses = [card for card in ALL_CARDS if card.face is Face.REVERSE]
    return Sitting(drawn_faces(style, reverses), (seed, deck)).single().image


def paired(straight: Sequence[Sighting], mirrored: Sequence[Sighting]) -> Pair:
    """Return the features of the cards found in a picture, and in its mirror image."""
    return Pair(features(straight), features(mirrored), features_once(straight), features_once(mirrored))


def fitted(pairs: Sequence[Pair]) -> MirrorModel:
    """Return ridge regressions: of one orientation, and of the difference between both."""
    once = np.array([one for pair in pairs for one in (pair.straight_once, pair.mirrored_once)])
    is_mirrored = np.tile([False, True], len(pairs))
    weights, intercept = ridge_logistic(once, is_mirrored, _RIDGE)
    # Half of these pictures are mirrored: correct the prior (Saerens et al. 2002).
    prior = float(np.log(_MIRRORING / (1 - _MIRRORING)))
    worth = float(np.log(_WORTH / (1 - _WORTH)))
    gains = np.array([one for pair in pairs for one in (pair.mirrored - pair.straight, pair.straight - pair.mirrored)])
    slopes, _ = ridge_logistic(gains, is_mirrored, _RIDGE)
    return MirrorModel(Logit(weights, intercept + prior - worth), Logit(slopes, prior))


def checked(pairs: Sequence[Pair], model: MirrorModel) -> Checked:
    """Return how well a model recognises these pictures and their mirror images."""
    gains = model.compared.log_odds(np.array([pair.mirrored - pair.straight for pair in pairs]))
    turned = model.compared.log_odds(np.array([pair.straight - pair.mirrored for pair in pairs]))
    looks = model.once.log_odds(np.array([pair.straight_once for pair in pairs])) > 0
    others = model.once.log_odds(np.array([pair.mirrored_once for pair in pairs])) > 0
    return Checked(len(pairs), int((gains <= 0).sum()), int((turned > 0).sum()), int(looks.sum()), int(others.sum()))
