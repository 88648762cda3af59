"""Tests of the simulated people: how they react to a correct table and to a wrong one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.bench.accuracy import matches as command
from companion.bench.simulation.corrections import accepted, correct_table
from companion.bench.simulation.gaps import gap_times
from companion.bench.simulation.match_run import NUISANCES, MatchResult, MatchSetUp
from companion.bench.simulation.people import People
from companion.bench.simulation.picture_strips import Film
from companion.bench.simulation.rulings import Draws, Ruling, Slip
from companion.cards import Card, EditionName
from companion.dataset.simulated.actions import FLIP_SECONDS, CarryOff, Lay, Reach, TakeTop
from companion.dataset.simulated.script import LIVELY, Script, write_script
from companion.editions import EDITIONS
from companion.referee.moves import Catch, Challenge, Creeper, Draw, Judge, Move, Pass, Play, Reveal, Uno
from companion.referee.state import Header
from companion.table.presentation.view import QuestionKind
from companion.table.session.table import Table
from companion.vision.core.events import (
    Arm,
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileKind,
    PileReached,
)

# What no camera sees.
_TAPPED = (Uno, Catch, Challenge, Reveal, Judge, Creeper)
_RATE = 10
_DELAY = 0.3


def seen(script: Script) -> list[tuple[float, PileEvent]]:
    """Return what a faultless camera reports of a script, and when."""
    pile: list[Card] = []
    reported: list[tuple[float, PileEvent]] = []
    for step in script.steps:
        action = step.action
        if isinstance(action, Lay):
            at = step.time + action.pace.contact + FLIP_SECONDS * action.from_draw_pile
            same = bool(pile) and pile[-1] == action.card
            pile.append(action.card)
            reported.append((at, CardLanded(at, ((action.card, 0.9999),), same_face=same)))
        elif isinstance(action, TakeTop):
            at = step.time + action.pace.contact
            pile.pop()
            reported.append((at, CardTakenBack(at, ((pile[-1], 0.9999),) if pile else ())))
        elif isinstance(action, CarryOff):
            pile.clear()
            reported.append((step.time + action.pace.contact, PileGone(step.time)))
    return reported


def seen_with_arms(script: Script) -> list[tuple[float, PileEvent]]:
    """Return what a faultless camera reports of a script with arms, people sitting around the table evenly."""
    seats = len(script.header.players)
    tracks = itertools.count(1)

    def arm(seat: int) -> Arm:
        return Arm(360 * seat / seats, 5.0, next(tracks))

    laid = iter([step.action.seat for step in script.steps if isinstance(step.action, Lay)])
    reported: list[tuple[float, PileEvent]] = [
        (at, replace(event, arm=arm(next(laid))) if isinstance(event, CardLanded) else event)
        for at, event in seen(script)
    ]
    for step in script.steps:
        action = step.action
        if isinstance(action, Reach) and action.draws:
            at = step.time + action.pace.contact
            reported.append((at, PileReached(at, at - 0.4, arm(action.seat), PileKind.DRAW, (0.05, 0.7, 0.25))))
    return sorted(reported, key=lambda each: each[0])


def with_gaps(seed: int, script: Script, reported: list[tuple[float, PileEvent]]) -> list[tuple[float, PileEvent]]:
    """Return what is reported if the camera sees nothing now and then: after a gap, the card that lies on top."""
    for gap in gap_times(seed, script.duration):
        lay: list[CardLanded] = []
        for at, event in reported:
            if at >= gap.end:
                break
            match event:
                case CardLanded():
                    lay.append(event)
                case CardTakenBack():
                    lay = lay[:-1]
                case PileGone():
                    lay = []
        there = [(gap.end, replace(event, time=gap.end, same_face=False)) for event in lay[-1:]]
        statuses = [
            (gap.start, CameraStatus(gap.start, CameraHealth.GONE)),
            (gap.end, CameraStatus(gap.end, CameraHealth.OK)),
        ]
        seen_else = [each for each in reported if not gap.start <= each[0] < gap.end]
        reported = sorted([*seen_else, *statuses, *there], key=lambda each: each[0])
    return reported


def play(script: Script, reported: list[tuple[float, PileEvent]], *, hands_free: bool = False) -> People:
    """Return the people after a match in which the camera reported this."""
    now = [0.0]
    table = Table(clock=lambda: now[0])
    table.start_match(script.header)
    people = People(table, script, hands_free)
    left = list(reported)
    for tick in range(int(script.duration * _RATE) + _RATE):
        now[0] = tick / _RATE
        while left and left[0][0] + _DELAY <= now[0]:
            table.see(left.pop(0)[1])
        people.live(now[0])
    people.finish(now[0])
    return people


@pytest.mark.parametrize("edition", EditionName)
@pytest.mark.parametrize(("seed", "players"), [(20, 2), (23, 5), (70, 2)])
def test_gaps_in_the_view_of_a_camera_without_fault_lead_to_no_wrong_ruling(
    edition: EditionName, seed: int, players: int
) -> None:
    names = ("Ann", "Ben", "Cy", "Dee", "Eli")[:players]
    script = write_script(seed, EDITIONS[edition], names, NUISANCES, 14)
    people = play(script, with_gaps(seed, script, seen(script)))
    wrong = [slip for slip in people.slips if slip.kind in (Ruling.WRONG.value, Ruling.INVENTED.value)]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("edition", EditionName)
@pytest.mark.parametrize("seed", range(4))
def test_a_camera_without_fault_leads_to_no_mistake(edition: EditionName, seed: int) -> None:
    script = write_script(seed, edition, ("Ann", "Ben", "Cy", "Dee")[: 2 + seed % 3], NUISANCES, longest=60)
    people = play(script, seen(script))
    assert people.slips == []
    assert people.rulings[Ruling.RIGHT] > 15
    assert people.rulings[Ruling.ASKED] <= 2
    assert not {Ruling.WRONG, Ruling.MISSED, Ruling.INVENTED, Ruling.NEEDLESS} & set(people.rulings)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "edition"), [(1, EditionName.CLASSIC), (2, EditionName.MINECRAFT)])
def test_who_leaves_it_to_the_camera_taps_what_no_camera_sees(seed: int, edition: EditionName) -> None:
    script = write_script(seed, edition, ("Ann", "Ben", "Cy", "Dee"), LIVELY, 24, lively=True)
    people = play(script, seen_with_arms(script), hands_free=True)
    assert people.slips == []
    assert people.draws[Draws.RULED] == people.draws[Draws.TRUE] > 0
    assert people.draws[Draws.INVENTED] == 0
    asked = people.questions.total() - people.questions[QuestionKind.ILLEGAL]  # a card taken back is seen
    needed = [timed for timed in script.moves if isinstance(timed.entry, _TAPPED)]
    assert people.taps <= asked + len(needed)


@pytest.mark.slow
@pytest.mark.parametrize(("off", "kind"), [(45.0, QuestionKind.PLAYER), (180.0, QuestionKind.TURN)])
def test_who_leaves_it_to_the_camera_lets_the_next_card_show_whose_a_card_was(off: float, kind: QuestionKind) -> None:
    script = write_script(1, EditionName.CLASSIC, ("Ann", "Ben", "Cy", "Dee"), LIVELY, 24, lively=True)
    reported = seen_with_arms(script)
    time, event = reported[9]
    assert isinstance(event, CardLanded)
    assert event.arm is not None
    reported[9] = time, replace(event, arm=Arm((event.arm.direction + off) % 360, 30.0, event.arm.track))
    people = play(script, reported, hands_free=True)
    assert (people.questions[kind], people.rulings[Ruling.ASKED], people.taps) == (1, 1, 0)
    assert people.slips == []


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "edition", "players"), [(27, EditionName.MINECRAFT, 2), (53, EditionName.CLASSIC, 4)])
def test_a_wrong_card_on_a_colour_that_nobody_tapped_costs_no_tap(
    seed: int, edition: EditionName, players: int
) -> None:
    script = write_script(seed, edition, ("Ann", "Ben", "Cy", "Dee")[:players], LIVELY, 24, lively=True)
    people = play(script, seen_with_arms(script), hands_free=True)
    assert [slip.kind for slip in people.slips] == [Ruling.UNCALLED.value]
    assert (people.taps, people.derailed) == (0, False)


@pytest.mark.slow
def test_a_colour_that_a_wrong_card_reported_makes_no_draw_before_it_a_missed_one() -> None:
    script = write_script(145, EditionName.MINECRAFT, ("Ann", "Ben", "Cy"), LIVELY, 24, lively=True)
    people = play(script, seen_with_arms(script), hands_free=True)
    assert [slip.said for slip in people.slips] == ["choosecolor, draw, pass"]
    assert people.draws[Draws.RULED] == people.draws[Draws.TRUE] == 3
    assert people.draws[Draws.INVENTED] == 0


def other(card: Card) -> Card:
    """Return a card of the same colour: one that may be played as well."""
    name = card.name.split()[0] if card.color else "red"
    return Card.parse(f"{name} 4") if card.name != f"{name} 4" else Card.parse(f"{name} 6")


def misread(reported: list[tuple[float, PileEvent]], place: int) -> None:
    time, event = reported[place]
    assert isinstance(event, CardLanded)
    reported[place] = time, CardLanded(time, ((other(event.probabilities[0][0]), 0.9999),))


def missed(reported: list[tuple[float, PileEvent]], place: int) -> None:
    del reported[place]


def invented(reported: list[tuple[float, PileEvent]], place: int) -> None:
    time, event = reported[place]
    assert isinstance(event, CardLanded)
    reported.insert(place + 1, (time + 0.5, CardLanded(time, ((other(event.probabilities[0][0]), 0.9999),))))


@pytest.mark.parametrize(
    ("harm", "ruling"), [(misread, Ruling.WRONG), (missed, Ruling.MISSED), (invented, Ruling.INVENTED)]
)
def test_a_mistake_is_reported_correctly_and_the_match_goes_on(
    harm: Callable[[list[tuple[float, PileEvent]], int], None], ruling: Ruling
) -> None:
    script = write_script(3, EditionName.CLASSIC, ("Ann", "Ben", "Cy"), longest=30)
    reported = seen(script)
    right = play(script, reported).rulings[Ruling.RIGHT]
    place = next(
        n for n, (_, e) in enumerate(reported) if n > 2 and isinstance(e, CardLanded) and e.probabilities[0][0].color
    )
    harm(reported, place)
    people = play(script, reported)
    assert people.rulings[ruling] == 1, people.slips
    assert len(people.slips) <= 2, "a missed card may mislead the next ruling"
    assert people.rulings[Ruling.RIGHT] >= right - 2


def test_a_match_that_the_log_holds_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    def pretend(set_up: MatchSetUp, pictures: Path | None) -> MatchResult:
        played.append(set_up)
        slips = (Slip(2.5, "wrong", "play red 7", "play red 1"),)
        return MatchResult(set_up, {"landed: found": 3}, {"right": 2, "wrong": 1}, {}, slips, (0.2,), (), 60, 4, 0, 0.5)

    monkeypatch.setattr(command, "play", pretend)
    log, report = tmp_path / "log.jsonl", tmp_path / "report.md"
    for count in ("2", "3"):
        args = ["--matches", count, "--seed", "7", "--log", str(log), "--report", str(report), "--json"]
        result = CliRunner().invoke(command.matches, args)
        assert result.exit_code == 0, result.output
        log.write_text(log.read_text() + '{"broken off')
    assert [set_up.seed for set_up in played] == [7, 8, 9]
    rows = json.loads(result.stdout)
    assert rows["rulings"]["right rulings"] == 6
    assert rows["without asking"]["share"] == pytest.approx(2 / 3, abs=1e-3)
    assert report.read_text().count("| play red 7 | play red 1 |") == 3


def test_a_strip_of_pictures_is_saved_for_each_mistake(tmp_path: Path) -> None:
    film = Film()
    for tick in range(30):
        film.take(np.full((720, 1280, 3), tick * 8, np.uint8), tick / 10)
    film.save([Slip(1.5, "pile misread", "red 7", "red 1")], tmp_path / "new", "classic-3")
    (strip,) = (tmp_path / "new").iterdir()
    assert strip.name == "classic-3-0001.5-pile-misread.jpg"
    assert strip.stat().st_size > 5000


@pytest.mark.parametrize(
    ("seen", "moves", "taps"),
    [
        ("red 3", (Pass(), Play(Card.parse("red 3"))), 1),  # which is ruled on once it is tapped that she passed
        ("blue 1", (Play(Card.parse("red 5")),), 2),  # which the card that it was does not match
    ],
)
def test_where_a_tap_is_refused_for_a_card_in_doubt_that_is_put_away_first(
    seen: str, moves: tuple[Move, ...], taps: int
) -> None:
    """Ann drew, and a card lies there; no arm shows whether she played it, or passed and Ben played it."""
    now = 0.0
    table = Table(clock=lambda: now)
    edition = EDITIONS[EditionName.CLASSIC]
    header = Header(edition, ("Ann", "Ben", "Cy"), 2, edition.options)
    table.start_match(header)
    for place, name in enumerate(("red 1", *(f"red {number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 1)))):
        now += 5
        arm = Arm(20.0 + 120 * ((place - 1) % 3), 4.0, place) if place else None
        table.see(CardLanded(now, ((Card.parse(name), 0.9999),), arm=arm))
    now += 5
    table.see(PileReached(now, now - 1, Arm(20.0, 4.0, 20), PileKind.DRAW, (0.05, 0.9, 0.05)))
    now += 5
    table.see(CardLanded(now, ((Card.parse(seen), 0.9999),)))
    stands = accepted(table)
    assert isinstance(stands[-1], Draw)
    wanted = (*stands, *moves)
    assert correct_table(table, wanted, len(wanted), header, by_line=True) == taps
    assert accepted(table) == wanted
