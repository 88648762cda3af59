"""Class numbers of the networks, and conversion of their outputs to probabilities over cards."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Color, Face

FACES: tuple[Face, ...] = tuple(Face)
COLORS: tuple[Color, ...] = tuple(Color)

NO_CARD = len(FACES)
"""Face class of anything that is not a face-up card: a card back, an object, the table."""
FACE_COUNT = len(FACES) + 1
WILD_COLOR = len(COLORS)
"""Colour class of wilds."""
COLOR_COUNT = len(COLORS) + 1

Floats = NDArray[np.float32]


def face_class(face: Face) -> int:
    """Return the class number of a face."""
    return FACES.index(face)


def color_class(color: Color | None) -> int:
    """Return the class number of a card's colour; None is the colour of wilds."""
    return WILD_COLOR if color is None else COLORS.index(color)


@lru_cache(maxsize=1)
def card_classes() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the face classes (56,) and the colour classes (56,) of ALL_CARDS."""
    faces = np.array([face_class(card.face) for card in ALL_CARDS])
    colors = np.array([color_class(card.color) for card in ALL_CARDS])
    return faces, colors


def log_softmax(logits: Floats) -> Floats:
    """Return the log-softmax over the last axis."""
    shifted = logits - logits.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)), np.float32)


def card_log_likelihoods(face_logits: Floats, color_logits: Floats) -> Floats:
    """Return (N, 57) log-likelihoods: one per card of ALL_CARDS from face and colour, and "no card" last."""
    faces, colors = card_classes()
    face, color = log_softmax(face_logits), log_softmax(color_logits)
    return np.concatenate([face[:, faces] + color[:, colors], face[:, NO_CARD:]], 1)
