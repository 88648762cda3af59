"""Learning under light that changes between the pictures of a pile: reflections, exposure, a lamp at the side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from companion.cards import Card, EditionName
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.sittings import Sitting, drawn_faces
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image
from companion.vision.core.labels import Floats

pytestmark = pytest.mark.slow

CARDS = [Card.parse(name) for name in ("yellow 7", "yellow skip", "wild", "green 1", "red 1")]


def _reflection(picture: Floats) -> Floats:
    """A soft reflection in the middle of the table, beside the pile."""
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(np.float32)
    distance = (x - 790) ** 2 + (y - 360) ** 2
    return picture + 60 * np.exp(-distance / (2 * 160**2))[..., None]


def _side_light(picture: Floats) -> Floats:
    return picture * np.linspace(0.6, 1.4, picture.shape[1], dtype=np.float32)[None, :, None]


@pytest.mark.parametrize("change", [_reflection, _side_light])
def test_cards_are_outlined_although_the_light_changes(change: Callable[[Floats], Floats]) -> None:
    style = sample_style(np.random.default_rng(5), StyleFamily.BANNER)
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True)
    for number, picture in enumerate(Sitting(drawn_faces(style, CARDS), (5,)).flip(CARDS)):
        image: Image = picture.image
        if number % 2:
            image = np.clip(change(image.astype(np.float32)), 0, 255).astype(np.uint8)
        lesson.show(image)
    names = dict(zip(lesson.places, lesson.naming().cards, strict=True))
    assert [names.get(place) for place in range(len(CARDS))] == CARDS
