"""Whole simulated matches: with a calibrated reader no ruling is wrong, and few questions are asked."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from companion.table.presentation.view import QuestionKind

from .conftest import header
from .simulated import Evening, Noise, People, Tally

pytestmark = pytest.mark.slow

MATCHES = 24


def _evenings(noise: Noise, people: People) -> Tally:
    tally = Tally()
    for seed in range(MATCHES):
        edition = ("mario-kart", "minecraft", "classic")[seed % 3]
        players = " ".join("ABCDEF"[: 2 + seed % 5])
        set_up = header(edition, players, scoring="single-round")
        tally.add(Evening(set_up, Random(seed), noise, people).play(most=150))
    return tally


def test_a_good_reader_and_people_who_answer(record_property: Callable[[str, object], None]) -> None:
    tally = _evenings(Noise(unsure=0.01), People(answer=1.0))
    _record(tally, record_property)
    assert tally.wrong == []
    assert tally.asked[QuestionKind.CARD] + tally.asked[QuestionKind.DOUBT] <= 0.02 * tally.landed
    assert tally.false_illegal == 0


def test_a_blurred_reader_and_people_who_answer_half_the_time(record_property: Callable[[str, object], None]) -> None:
    tally = _evenings(Noise(unsure=0.05), People(answer=0.5))
    _record(tally, record_property)
    assert len(tally.wrong) <= 0.02 * tally.landed, "assumptions where nobody answered"


def _record(tally: Tally, record_property: Callable[[str, object], None]) -> None:
    record_property("landed", tally.landed)
    record_property("asked", {kind.value: count for kind, count in tally.asked.items()})
    record_property("wrong", [f"{true} ruled {ruled}" for true, ruled, _ in tally.wrong])
