"""`companion watch`: its output line by line, and its messages about sources that cannot be watched."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.bench.simulation.pile_scoring import ExactSightings
from companion.cards import Card
from companion.commands import watch as command
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import Lay, Pace, Step, TakeTop
from companion.dataset.simulated.script import Script, write_script
from companion.dataset.simulated.simulation import SimulatedFrame, SimulatedTable
from companion.vision.capture.frames import Frame, SourceError
from companion.vision.core.events import CardLanded, CardTakenBack, PileGone, PileMoved
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import UNSURE_BELOW, Back, Sighting

pytestmark = pytest.mark.slow

PACE = Pace(0.4, 0.2, 0.4)
RED_7, BLUE_3 = Card.parse("red 7"), Card.parse("blue 3")


@pytest.fixture(scope="module")
def frames() -> list[SimulatedFrame]:
    """Two cards land, and the second is taken back."""
    actions = (
        Lay(0, PACE, RED_7, Placement(0, 0, 0.3)),
        Lay(1, PACE, BLUE_3, Placement(5, 0, 1.4)),
        TakeTop(1, PACE),
    )
    steps = tuple(Step(1.0 + 2 * i, action) for i, action in enumerate(actions))
    script = Script(write_script(0, longest=1).header, steps, (), 7.5)
    return list(SimulatedTable(1, script, size=(640, 360), fonts=()).frames())


class Recognising:
    """Stands in for the networks: knows each frame again by its looks, as decoded from a file."""

    def __init__(self, frames: list[SimulatedFrame]) -> None:
        self._frames = frames
        self._small = np.stack([_thumbnail(frame.image) for frame in frames])

    def __call__(self, *_: object) -> Recognising:
        return self

    def detect(self, image: Image) -> list[Sighting]:
        # Views of a part are asked about too; their base is the whole picture.
        whole = image.base if isinstance(image.base, np.ndarray) and image.base.ndim == 3 else image
        distance = np.abs(self._small - _thumbnail(np.asarray(whole, np.uint8))).mean((1, 2, 3))
        frame = self._frames[int(distance.argmin())]
        left, top = 0, 0
        if whole is not image:
            offset = image.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
            top, left = offset // whole.strides[0], offset % whole.strides[0] // 3
        exact = ExactSightings()
        exact.show(frame)
        corner = np.array([left, top], np.float32)
        return [Sighting(s.quad - corner, s.cards, s.probabilities, s.whole) for s in exact(frame.image)]

    detect_closeup = detect_pile = detect

    def backs(self, _: Image) -> list[Back]:
        return []


def _thumbnail(image: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return cv2.resize(image, (80, 45), interpolation=cv2.INTER_AREA).astype(np.float32)


@pytest.fixture
def run(frames: list[SimulatedFrame], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run the command with exact sightings in the networks' place."""
    monkeypatch.setattr(command, "load_detector", Recognising(frames))

    def invoke(*args: str) -> Result:
        return CliRunner().invoke(command.watch, args)

    return invoke


def lines(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_video_is_followed_with_its_own_times(run, frames: list[SimulatedFrame], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, (640, 360))
    for frame in frames:
        writer.write(frame.image)
    writer.release()
    landed, second, back = lines(run(str(path), "--json", "--edition", "mario-kart"))
    assert (landed["card"], second["card"], back["card"]) == ("red 7", "blue 3", "red 7")
    assert set(landed) == {"t", "card", "confidence"}
    assert back["taken_back"] is True
    assert 1.3 < float(str(landed["t"])) < 2.3
    assert 3.3 < float(str(second["t"])) < 4.3


def test_a_folder_of_pictures_is_followed(run, frames: list[SimulatedFrame], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for frame in frames[::3]:
        cv2.imwrite(str(tmp_path / f"{frame.number}.png"), frame.image)
    said = lines(run(str(tmp_path), "--json", "--fps", "10"))
    assert [line["card"] for line in said] == ["red 7", "blue 3", "red 7"]


def test_people_are_reported_in_words(run, frames: list[SimulatedFrame], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for frame in frames[::3]:
        cv2.imwrite(str(tmp_path / f"{frame.number}.png"), frame.image)
    result = run(str(tmp_path), "--fps", "10")
    assert "red 7 (98%)" in result.stdout
    assert "taken back; on top again: red 7" in result.stdout
    assert "an arm" not in result.stdout


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.mp4", "There is no nowhere.mp4"),
        ("97", "There is no picture from camera 97"),
        ("empty", "holds no pict"),
    ],
)
def test_a_source_that_cannot_be_watched_is_named_in_one_sentence(  # type: ignore[no-untyped-def]
    run, source: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    result = run(source, "--json")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


class FallingOut:
    """A camera that breaks off once, is there again, and ends."""

    name = "the camera by the window"
    live = True

    def __init__(self, pictures: list[Image]) -> None:
        self._pictures = pictures
        self._connected = 0

    def frames(self) -> Iterator[Frame]:
        self._connected += 1
        for number, picture in enumerate(self._pictures):
            yield Frame(picture, number / 30, number)
            time.sleep(0.1)
        if self._connected == 1:
            raise SourceError(f"{self.name} broke off.")


def test_a_camera_that_was_lost_and_is_back_is_reported(  # type: ignore[no-untyped-def]
    run, frames: list[SimulatedFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = FallingOut([frame.image for frame in frames[:3]])
    monkeypatch.setattr(command, "open_source", lambda *_: camera)
    result = run("0")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines() == ["the camera by the window broke off.", "The camera is back."]


def test_missing_networks_are_named(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), np.zeros((48, 64, 3), np.uint8))
    result = CliRunner().invoke(command.watch, [str(tmp_path / "one.png"), "--model", str(tmp_path)])
    assert result.exit_code == 1
    assert "model file" in result.stderr


@pytest.mark.parametrize("region", ["1,2,3", "1,2,3,x", "1,2,0,5"])
def test_a_region_must_be_four_numbers(run, region: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run(str(tmp_path), "--region", region).exit_code == 2


def test_lines_and_words_of_each_event() -> None:
    sure = ((RED_7, 0.97), (BLUE_3, 0.02))
    unsure = ((RED_7, UNSURE_BELOW - 0.1), (BLUE_3, 0.2))
    assert command.as_line(CardLanded(12.4, sure)) == {"t": 12.4, "card": "red 7", "confidence": 0.97}
    assert command.as_line(CardLanded(12.4, unsure)) == {"t": 12.4, "unsure": ["red 7", "blue 3"]}
    assert command.as_line(CardTakenBack(3.0, ())) is None
    assert command.as_line(PileGone(3.0)) is None
    assert command.as_line(PileMoved(3.0)) is None
    assert command.as_text(CardLanded(72.44, unsure)) == "1:12.4  red 7 or blue 3?"
    assert command.as_text(PileGone(5.0)) == "0:05.0  the pile was carried off"
