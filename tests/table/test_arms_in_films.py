"""Who acted in a film is inferred from all its arms at its end, whoever began."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.referee.moves import ActorMove, Draw, Flip, Play, Start
from companion.referee.state import Header
from companion.table.hypotheses.seating_inference import suggested_seatings
from companion.table.hypotheses.transcriber import TranscribedMove, transcribe
from companion.vision.core.events import CardLanded, PileReached

from .hands import Film, Filming, People, around

pytestmark = pytest.mark.slow


def _header(players: int, edition: EditionName = EditionName.CLASSIC) -> Header:
    rules = EDITIONS[edition]
    return Header(rules, ("Ann", "Ben", "Cy", "Dee", "Eli", "Flo")[:players], players - 1, rules.options)


def _acts(moves: object) -> list[tuple[object, ...]]:
    return [
        (type(each.move), getattr(each.move, "card", None), each.by)
        for each in moves  # type: ignore[attr-defined]
        if isinstance(each.move, Start | Play | Flip | Draw)
    ]


def _film(seed: int, players: int, people: People, edition: EditionName = EditionName.CLASSIC) -> Film:
    random = Random(seed)
    return Filming(_header(players, edition), random, around(players, random), people).play(45)


def _laid_by_others(film: Film, others: Mapping[int, int]) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return the transcribed and the true acts without draws, where some landings have other players' arms.

    others: numbers of the landings, and of those whose arms they get.
    """
    landed = [event for event in film.events if isinstance(event, CardLanded) and event.arm]
    arms = {id(landed[one]): landed[other].arm for one, other in others.items()}
    events = [
        replace(event, arm=arms[id(event)]) if isinstance(event, CardLanded) and id(event) in arms else event
        for event in film.events
    ]
    result, true = _acts(transcribe(_header(4), events)), _acts(film.truth)
    return [act for act in result if act[0] is not Draw], [act for act in true if act[0] is not Draw]


@pytest.mark.parametrize(("seed", "players"), [(1, 3), (2, 4)])
def test_complete_film_is_transcribed_exactly(seed: int, players: int) -> None:
    clear = People(stray=0, missed_draw=0, missed_arm=0, idle=0, miscounted=0)
    film = _film(seed, players, clear)
    result = transcribe(_header(players), film.events)
    assert _acts(result) == _acts(film.truth)
    assert all(isinstance(each, TranscribedMove) and each.by for each in result if isinstance(each.move, ActorMove))


def test_misattributed_first_arms_do_not_rotate_the_seats() -> None:
    film = _film(3, 4, People(stray=0, missed_draw=0, missed_arm=0, idle=0, miscounted=0))
    result, true = _laid_by_others(film, {1: 2, 2: 3})
    assert sum(one == other for one, other in zip(result, true, strict=False)) >= 0.95 * len(true)


def test_resting_hand_at_the_start_does_not_rotate_the_seats() -> None:
    film = _film(3, 4, People(stray=0, missed_draw=0, missed_arm=0, idle=0, miscounted=0))
    result, true = _laid_by_others(film, {0: 1})
    assert sum(one == other for one, other in zip(result, true, strict=False)) >= 0.95 * len(true)


def test_camera_knocked_midway_costs_few_landings() -> None:
    film = _film(5, 4, People(stray=0, missed_draw=0, missed_arm=0, idle=0, miscounted=0))
    turn = 30
    half = film.events[len(film.events) // 2].time
    events = [
        replace(event, arm=replace(event.arm, direction=(event.arm.direction + turn) % 360))
        if isinstance(event, CardLanded | PileReached) and event.arm is not None and event.time > half
        else event
        for event in film.events
    ]
    result = [act for act in _acts(transcribe(_header(4), events)) if act[0] is not Draw]
    true = [act for act in _acts(film.truth) if act[0] is not Draw]
    assert sum(one == other for one, other in zip(result, true, strict=False)) >= len(true) - 2


def test_seating_of_a_film_uses_all_arms() -> None:
    film = _film(2, 4, People(stray=0, missed_arm=0))
    landings = [event for event in film.events if isinstance(event, CardLanded)]
    truly = around(4, Random(2))
    offs = [
        max(abs(((ring.direction(place) or 0) - direction + 180) % 360 - 180) for place, direction in enumerate(truly))
        for ring in suggested_seatings(_header(4), landings)
    ]
    assert (len(offs), min(offs)) == (4, pytest.approx(0, abs=12))
    assert suggested_seatings(_header(4), [replace(event, arm=None) for event in landings]) == []
