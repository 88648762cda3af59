"""Where a part of a deck was laid: what was seen of the other faces counts as before, and no more for those laid."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks.look import CLASSES, NOTHING, Look
from companion.decks.unlaid import Apart
from companion.vision.geometry import unit_square
from companion.vision.labels import Floats, log_softmax
from companion.vision.learnt import Placed, with_pictures

LAID = np.array([0, 1])
UNLAID = np.arange(2, NOTHING)


def _read(likeliest: int, chance: float) -> Floats:
    """Return (1, 57) log-likelihoods of a reader that is so sure of a card, and of no other more than of another."""
    logs = np.full((1, CLASSES), np.log((1 - chance) / (CLASSES - 1)), np.float32)
    logs[0, likeliest] = np.log(chance)
    return logs


@pytest.mark.parametrize(("like", "nats"), [(0.8, -1.0), (0.99, 0.9), (0.6, -np.log(19))])
def test_likeness_alone_tells_whether_a_face_was_laid_and_the_reader_which_of_the_others_it_is(
    like: float, nats: float
) -> None:
    """A likeness says at most what one card in twenty that is lost leaves: 19 to 1."""
    prototypes, mean = np.eye(3, dtype=np.float32)[:2], np.zeros(3, np.float32)
    look = Look(prototypes, LAID, mean, 20.0, 0.0, 0.1, 0.35, 0.0, Apart(10.0, 0.9))
    logs = _read(5, 0.96)
    weighed, belongs = look.weigh(logs, np.array([[like, 0, np.sqrt(1 - like**2)]], np.float32))
    chances = np.exp(weighed[0])
    assert belongs[0] == 1
    assert chances.sum() == pytest.approx(1, abs=1e-4)
    # The reader's own word counts nothing here: as many faces lie on either side as there are.
    assert chances[UNLAID].sum() / chances[LAID].sum() == pytest.approx(
        len(UNLAID) / (len(LAID) * np.exp(nats)), rel=1e-3
    )
    plain = np.exp(log_softmax(logs[:, UNLAID]))[0]
    assert chances[UNLAID] / chances[UNLAID].sum() == pytest.approx(plain, rel=1e-3)
    assert chances[0] > 100 * chances[1]


def test_likenesses_of_copies_and_of_others_tell_what_speaks_for_a_laid_face() -> None:
    spread = np.linspace(-2, 2, 401).astype(np.float32) * 0.05
    apart = Apart.of(0.9 + spread, 0.6 + spread)
    assert apart.middle == pytest.approx(0.75, abs=0.005)
    assert apart.odds(np.array([0.75, 0.95, 0.55], np.float32)) == pytest.approx([0, np.log(19), -np.log(19)], abs=0.1)
    # Where others are as like as copies are, likeness tells nothing.
    assert Apart.of(0.7 + spread, 0.7 + spread).odds(np.array([0.4, 0.9], np.float32)) == pytest.approx(
        [0, 0], abs=1e-3
    )
    assert Apart.of(0.6 + spread, 0.9 + spread).slope == 0


@pytest.mark.parametrize("best", [0, 1])
def test_pictures_tell_laid_faces_apart_and_nothing_of_the_others(best: int) -> None:
    read = np.full(CLASSES, np.log(0.04 / (CLASSES - 3)), np.float32)
    read[[0, 1, 5]] = np.log([0.3, 0.26, 0.4])
    pictures = np.full(CLASSES, -9.0, np.float32)
    pictures[best] = 0.0
    chances = np.exp(with_pictures(read, Placed(unit_square(), pictures, 1.0, UNLAID)))
    own = np.exp(read)
    assert chances[UNLAID].sum() / chances[LAID].sum() == pytest.approx(own[UNLAID].sum() / own[LAID].sum(), rel=1e-3)
    assert chances[best] / chances[LAID].sum() > 0.99
    whole = np.exp(with_pictures(read, Placed(unit_square(), pictures, 1.0)))
    assert whole[best] > 0.99
