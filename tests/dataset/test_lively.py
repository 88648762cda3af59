"""The simulated table with lively people: who did what, and that the pictures show it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cards import Card, Color, EditionName, Face
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import Fetch, Lay, Pace, Reach, Rest, Shade, Step
from companion.dataset.simulated.film import write_film
from companion.dataset.simulated.script import Script, write_script
from companion.dataset.simulated.seating import Chair, draw_chairs
from companion.dataset.simulated.simulation import SimulatedTable
from companion.referee.match import Match
from companion.referee.moves import Draw, Undo

pytestmark = pytest.mark.slow

SIZE = (320, 180)
HEADER = write_script(0, longest=1).header
PACE = Pace(0.3, 0.3, 0.3)
CHAIRS = (Chair(0, 400), Chair(-400, 0), Chair(0, -400))


def film(*steps: Step, seconds: float = 2.0) -> SimulatedTable:
    return SimulatedTable(3, Script(HEADER, steps, (), seconds, CHAIRS), size=SIZE, rate=10, fonts=(), noise=False)


@pytest.mark.parametrize("players", range(2, 7))
def test_people_sit_clockwise_and_not_too_close(players: int) -> None:
    for seed in range(30):
        chairs = draw_chairs(np.random.default_rng(seed), players)
        angles = [np.degrees(np.arctan2(chair.y, chair.x)) for chair in chairs]
        gaps = [(b - a) % 360 for a, b in pairwise([*angles, angles[0]])]
        assert sum(gaps) == pytest.approx(360)
        assert min(gaps) > 39.9


@pytest.mark.parametrize("seed", range(1, 9))
def test_lively_people_play_a_match_and_fetch_every_drawn_card(seed: int) -> None:
    script = write_script(seed, EditionName.CLASSIC, ("Ann", "Ben", "Cy", "Dee"), longest=25, lively=True)
    match = Match(script.header)
    drawn = 0
    for timed in script.moves:
        match = match.undo() if isinstance(timed.entry, Undo) else match.apply(timed.entry)
        drawn += isinstance(timed.entry, Draw)
    fetched = sum(step.action.count for step in script.steps if isinstance(step.action, Reach) and step.action.draws)
    assert fetched >= drawn
    assert [step.time for step in script.steps] == sorted(step.time for step in script.steps)


def test_the_arm_comes_from_its_chair() -> None:
    table = film(Step(0.2, Reach(0, PACE, 0.0, 0.0)))
    top = table.new_tabletop()
    away = top.point(CHAIRS[0].x, CHAIRS[0].y) - top.point(0, 0)
    covered = np.zeros((SIZE[1] // 4, SIZE[0] // 4))
    for frame in table.frames():
        if frame.cover is not None:
            covered = np.maximum(covered, frame.cover)
    ys, xs = np.nonzero(covered > 127)
    seen = np.array([xs.mean(), ys.mean()]) * 4 - top.point(0, 0)
    angle = np.degrees(np.arccos(seen @ away / np.hypot(*seen) / np.hypot(*away)))
    assert angle < 35


def test_two_hands_can_overlap() -> None:
    alone = film(Step(0.2, Reach(0, PACE, 0.0, 0.0)))
    both = film(Step(0.2, Reach(0, PACE, 0.0, 0.0)), Step(0.2, Rest(2, Pace(0.3, 5.0, 0.3))))
    one, two = (next(f for f in table.frames() if f.time > 0.6) for table in (alone, both))
    assert one.cover is not None
    assert two.cover is not None
    assert np.count_nonzero(two.cover > 127) > np.count_nonzero(one.cover > 127)


def test_a_shadow_darkens_and_goes() -> None:
    frames = list(film(Step(0.3, Shade(0.0, 1.0, 0.4))).frames())
    means = [float(frame.image.mean()) for frame in frames]
    assert min(means) < 0.93 * means[0]
    assert means[-1] == pytest.approx(means[0], rel=0.03)


@pytest.mark.parametrize("seat", [0, 2])
def test_of_an_arm_high_above_the_table_only_its_shadow_comes_to_a_place(seat: int) -> None:
    """The arm itself is as far to the left and above it; for these seats not over the place."""
    table = film(Step(0.2, Reach(seat, PACE, 0.0, 0.0, aside=1.5)), seconds=0.7)
    first, *_, last = table.frames()
    top, chair = table.new_tabletop(), CHAIRS[seat]
    inward = top.point(0, 0) - top.point(chair.x, chair.y)
    x, y = np.round(top.point(0, 0) - 0.3 * top.card_length() * inward / np.hypot(*inward)).astype(int)
    assert last.cover is not None
    assert not last.cover[y // 4, x // 4]
    before, after = (frame.image[y - 2 : y + 3, x - 2 : x + 3].mean((0, 1)) for frame in (first, last))
    share = float((after / before).mean())
    assert share < 0.95
    assert after == pytest.approx(before * share, abs=2)


def test_a_cup_is_fetched() -> None:
    frames = list(film(Step(0.2, Fetch(1, PACE, 60.0, 0.0))).frames())
    assert any(frame.cover is not None and frame.cover.any() for frame in frames)


def test_films_without_chairs_have_uniform_gestures() -> None:
    script = write_script(5, longest=6)
    assert not script.chairs
    assert not any(isinstance(step.action, Rest | Fetch | Shade) for step in script.steps)
    assert all(step.action.count == 1 for step in script.steps if isinstance(step.action, Reach))


def test_a_film_is_written_and_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "table.mp4"
    table = film(Step(0.2, Lay(0, PACE, Card(Face.SEVEN, Color.RED), Placement(0.0, 0.0, 0.1))))
    write_film(table, path)
    video = cv2.VideoCapture(str(path))
    assert (video.get(cv2.CAP_PROP_FRAME_WIDTH), video.get(cv2.CAP_PROP_FRAME_HEIGHT)) == SIZE
    assert int(video.get(cv2.CAP_PROP_FRAME_COUNT)) == 21
    with pytest.raises(OSError, match="cannot be written"):
        write_film(table, tmp_path / "missing" / "table.mp4")
