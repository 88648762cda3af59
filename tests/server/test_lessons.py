"""Deck lessons look at the camera while earlier pictures are still processed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest

from companion.cards import EditionName
from companion.decks.capture.keyframes import read_ahead
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions import EDITIONS
from companion.server.capture.lessons import Lessons
from companion.vision.capture.frames import Frame, SourceError
from companion.vision.core.geometry import Image

STILLS = 3


def _film() -> list[Image]:
    """Return frames of one scene after the other, each still for longer than a picture needs."""
    return [np.full((90, 160, 3), 40 + 60 * still, np.uint8) for still in range(STILLS) for _ in range(8)]


def test_cards_laid_while_another_is_processed_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC])
    frames, numbers, film_is_over = _film(), count(), threading.Event()
    seen_all: list[bool] = []

    def newest() -> Frame:
        number = next(numbers)
        if number >= len(frames):
            film_is_over.set()
        return Frame(frames[min(number, len(frames) - 1)], 0.0, min(number, len(frames) - 1))

    def show(image: Image) -> int:
        seen_all.append(film_is_over.wait(60))
        return 0

    monkeypatch.setattr(lesson, "show", show)
    lessons = Lessons(newest)
    lessons.begin("Ours", lesson)
    assert film_is_over.wait(60)
    lessons.settle()
    assert seen_all == [True] * STILLS
    assert lessons.lesson is lesson
    lessons.end()
    assert lessons.lesson is None


def test_pictures_before_an_error_of_the_source_are_kept() -> None:
    def broken() -> Iterator[Image]:
        yield from _film()[:2]
        raise SourceError("The film breaks off.")

    pictures = read_ahead(broken())
    assert [int(next(pictures)[0, 0, 0]) for _ in range(2)] == [40, 40]
    with pytest.raises(SourceError, match="breaks off"):
        next(pictures)
