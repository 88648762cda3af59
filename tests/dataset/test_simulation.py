"""The simulated table: the same seed gives the same film, and the pictures match the ground truth."""

from __future__ import annotations

import tracemalloc
from collections import Counter, deque
from collections.abc import Callable
from itertools import islice, pairwise

import numpy as np
import pytest

from companion.cards import Card, EditionName
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import CarryOff, Knock, Lay, Nudge, Pace, Reach, Step, SwitchLight, TakeTop
from companion.dataset.simulated.script import CALM, Nuisances, Script, write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedFrame, SimulatedTable
from companion.dataset.simulated.source import SimulatedSource
from companion.referee.match import Match
from companion.referee.moves import Play, Reshuffle, Start, Undo

pytestmark = pytest.mark.slow

SIZE = (320, 180)
PACE = Pace(0.4, 0.2, 0.4)
RED_7, BLUE_3 = Card.parse("red 7"), Card.parse("blue 3")
HEADER = write_script(0, longest=1).header


def table(*steps: Step, noise: bool = False, **options: object) -> SimulatedTable:
    script = Script(HEADER, steps, (), steps[-1].time + 2.0)
    return SimulatedTable(1, script, size=SIZE, noise=noise, **options)  # type: ignore[arg-type]


def lay(time: float, card: Card, angle: float = 0.3, from_draw_pile: bool = False) -> Step:
    return Step(time, Lay(0, PACE, card, Placement(0, 0, angle), from_draw_pile))


def at(frames: list[SimulatedFrame], time: float) -> SimulatedFrame:
    return min(frames, key=lambda frame: abs(frame.time - time))


@pytest.mark.parametrize("edition", list(EditionName))
def test_the_moves_of_a_script_are_a_match_that_the_referee_accepts(edition: EditionName) -> None:
    script = write_script(5, edition, ("Ann", "Ben", "Cy", "Di"), Nuisances(take_back=0.3), longest=120)
    match = Match(script.header)
    for timed in script.moves:
        match = match.undo() if isinstance(timed.entry, Undo) else match.apply(timed.entry)
    assert any(isinstance(timed.entry, Undo) for timed in script.moves)
    assert [timed.time for timed in script.moves] == sorted(timed.time for timed in script.moves)
    assert match.state.header.edition.base is edition


@pytest.mark.parametrize(
    ("drawn", "megabytes"),
    [
        (lambda table: table.photograph([RED_7] * 5), 50),
        (lambda table: table.new_sensor(), 25),
        (lambda table: deque(islice(table.frames(), 45), maxlen=0), 52),
    ],
    ids=["photograph", "sensor", "hand"],
)
def test_drawing_for_a_camera_that_plays_on_takes_little_memory(
    drawn: Callable[[SimulatedTable], object], megabytes: float
) -> None:
    simulated = SimulatedTable(3)
    drawn(simulated)  # what is cached
    tracemalloc.start()
    try:
        drawn(simulated)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < megabytes * 2**20


def test_laid_cards_are_the_played_cards() -> None:
    script = write_script(3, EditionName.CLASSIC, nuisances=CALM, longest=80)
    played = [timed.entry.card for timed in script.moves if isinstance(timed.entry, Play | Start)]
    laid = [step.action.card for step in script.steps if isinstance(step.action, Lay)]
    shuffles = sum(isinstance(timed.entry, Reshuffle) for timed in script.moves)
    assert len(laid) == len(played) + shuffles
    assert not Counter(played) - Counter(laid)


def test_hands_do_not_overlap() -> None:
    script = write_script(8, longest=60)
    hands = [step for step in script.steps if not isinstance(step.action, SwitchLight | Knock)]
    for step, following in pairwise(hands):
        action = step.action
        assert not isinstance(action, SwitchLight | Knock)
        assert step.time + action.pace.total <= following.time + 1e-9


def test_the_same_seed_gives_the_same_film() -> None:
    def film(seed: int) -> list[SimulatedFrame]:
        return list(islice(SimulatedTable(seed, size=SIZE).frames(), 60))

    first, again, other = film(3), film(3), film(4)
    assert all(np.array_equal(a.image, b.image) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].image, other[0].image)


def test_frames_are_pictures_at_their_rate() -> None:
    frames = list(table(lay(0.2, RED_7), rate=15.0, noise=True).frames())
    assert [frame.number for frame in frames[:3]] == [0, 1, 2]
    assert frames[3].time == pytest.approx(0.2)
    assert frames[0].image.shape == (180, 320, 3)
    assert frames[0].image.dtype == np.uint8


def test_a_card_is_held_then_lies_and_the_hand_leaves() -> None:
    film = table(lay(0.5, RED_7))
    frames = list(film.frames())
    on_its_way, lying = at(frames, 0.85), at(frames, 2.0)
    assert on_its_way.top is None
    assert on_its_way.held is not None
    assert on_its_way.held.card == RED_7
    assert lying.held is None
    assert lying.cover is None
    assert lying.top is not None
    assert (lying.top.card, lying.top.visible) == (RED_7, pytest.approx(1.0, abs=0.05))
    [event] = film.events
    assert (event.change, event.card) == (PileChange.LANDED, RED_7)
    assert event.time == pytest.approx(0.5 + PACE.contact, abs=0.04)
    assert event.clear is not None
    assert event.time <= event.clear <= 0.5 + PACE.total


def test_the_outline_is_where_the_card_is_seen() -> None:
    frames = list(table(lay(0.5, RED_7)).frames())
    bare, lying = at(frames, 0.3), at(frames, 2.0)
    assert lying.top is not None
    changed = np.abs(lying.image.astype(int) - bare.image).max(-1) > 25
    ys, xs = np.nonzero(changed)
    quad = lying.top.quad
    assert quad.min(0) == pytest.approx([xs.min(), ys.min()], abs=4)
    assert quad.max(0) == pytest.approx([xs.max(), ys.max()], abs=4)


def test_visibilities_of_lower_cards_are_exact() -> None:
    aligned = list(table(lay(0.5, RED_7, 0.3), lay(2.5, BLUE_3, 0.3)).frames())[-1]
    crossed = list(table(lay(0.5, RED_7, 0.3), lay(2.5, BLUE_3, 0.3 + np.pi / 2)).frames())[-1]
    assert aligned.cards[0].visible < 0.1
    assert 0.2 < crossed.cards[0].visible < 0.5


def test_taking_back_and_carrying_off_undo_the_picture() -> None:
    film = table(lay(0.5, RED_7), lay(2.5, BLUE_3, 1.4), Step(4.5, TakeTop(0, PACE)), Step(6.5, CarryOff(0, PACE)))
    frames = list(film.frames())
    bare, one, back, gone = (at(frames, time).image.astype(int) for time in (0.3, 2.4, 6.4, 8.4))
    assert np.abs(one - back).max() <= 3
    assert np.abs(bare - gone).max() <= 3
    assert [(event.change, event.card) for event in film.events[2:]] == [
        (PileChange.TAKEN_BACK, RED_7),
        (PileChange.GONE, None),
    ]


def test_a_flipped_card_comes_from_the_draw_pile() -> None:
    film = table(lay(0.5, RED_7, from_draw_pile=True))
    frames = list(film.frames())
    place = film.new_tabletop().point(*film.new_tabletop().draw_pile)
    taken = at(frames, 0.5 + PACE.approach + 0.16)
    assert taken.held is not None
    assert np.hypot(*(taken.held.quad.mean(0) - place)) < 25
    assert frames[-1].top is not None


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("draws", [False, True])
def test_after_a_draw_another_card_is_on_top(draws: bool, beside: bool) -> None:
    reach = Reach(0, PACE, 95.0, 0.0, draws=draws, count=2, beside=beside)
    frames = list(table(Step(0.5, reach)).frames())
    changed = np.abs(frames[0].image.astype(int) - frames[-1].image).max(2) > 12
    assert changed.any() == draws
    x, y = table(Step(0.5, reach)).new_tabletop().point(95.0, 0.0)
    away = np.argwhere(changed) - (y, x)
    assert not draws or np.hypot(*away.T).max() < 60


@pytest.mark.parametrize("seed", range(12))
def test_lively_people_set_the_camera_up_for_both_piles(seed: int) -> None:
    script = write_script(seed, longest=1, lively=True)
    top = SimulatedTable(seed, script, size=SIZE).new_tabletop()
    for place in ((0.0, 0.0), script.draw_pile):
        away = np.minimum(top.point(*place), SIZE - top.point(*place)) / top.card_length()
        assert away.min() > 0.5


def test_a_nudge_moves_the_pile_and_its_truth() -> None:
    film = table(lay(0.5, RED_7), Step(2.5, Nudge(0, Pace(0.4, 0.4, 0.4), 20.0, 0.0, 0.2)))
    frames = list(film.frames())
    before, after = at(frames, 2.4).top, frames[-1].top
    assert before is not None
    assert after is not None
    assert np.hypot(*(after.quad.mean(0) - before.quad.mean(0))) > 8
    assert film.events[-1].change is PileChange.MOVED


def test_light_and_knocks_change_pictures_but_no_pile() -> None:
    film = table(lay(0.5, RED_7), Step(2.5, SwitchLight((0.5, 0.5, 0.5))), Step(3.5, Knock(0.05, 0.0, 0.0, 1.0)))
    frames = list(film.frames())
    bright, dim, knocked = at(frames, 2.4), at(frames, 3.2), frames[-1]
    assert dim.image.mean() == pytest.approx(bright.image.mean() / 2, rel=0.1)
    assert len(film.events) == 1
    assert dim.top is not None
    assert knocked.top is not None
    assert knocked.top.quad.mean(0)[0] - dim.top.quad.mean(0)[0] == pytest.approx(0.05 * SIZE[0], abs=1)


def test_noise_is_there_when_asked_for_and_differs_from_frame_to_frame() -> None:
    quiet = list(islice(table(lay(0.5, RED_7), noise=False).frames(), 2))
    noisy = list(islice(table(lay(0.5, RED_7), noise=True).frames(), 2))
    assert np.abs(quiet[0].image.astype(int) - quiet[1].image).mean() < 0.5
    assert np.abs(noisy[0].image.astype(int) - noisy[1].image).mean() > 0.8


def test_decks_can_be_of_a_chosen_family() -> None:
    film = SimulatedTable(2, size=SIZE, families=[StyleFamily.MINIMAL], fonts=[])
    frame = next(iter(film.frames()))
    assert frame.image.shape == (180, 320, 3)
    assert film.script.header.edition.base is EditionName.MARIO_KART


def test_a_table_continues_without_viewers() -> None:
    source = SimulatedSource(SimulatedTable(3, size=(160, 90)), live=False)
    seen = [next(source.frames()).number for _ in range(3)]
    assert seen == [0, 1, 2]
