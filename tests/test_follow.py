"""`companion follow`: from a film of an untapped simulated match to its transcript."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cards import EditionName
from companion.commands import follow as command
from companion.dataset.simulated.film import write_film
from companion.dataset.simulated.script import Nuisances, write_script
from companion.dataset.simulated.simulation import SimulatedTable
from companion.referee.match import Match
from companion.referee.moves import ActorMove, Draw, Play, Reshuffle, Undo
from companion.referee.transcript import read_entry, read_header
from companion.vision.capture import grabber
from companion.vision.capture.frames import Frame, SourceError
from companion.vision.core.geometry import Image

pytestmark = pytest.mark.slow

_PLAYERS = ("Ann", "Ben", "Cy")


@pytest.fixture(scope="module")
def table() -> SimulatedTable:
    """Three people play a few cards, and draw; nothing else happens."""
    calm = Nuisances(**dict.fromkeys(Nuisances.__dataclass_fields__, 0.0))
    script = write_script(7, EditionName.CLASSIC, _PLAYERS, calm, 9, lively=True)
    return SimulatedTable(7, script, EditionName.CLASSIC, size=(640, 360), rate=15, fonts=())


def _run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(command.follow, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_a_film_becomes_a_transcript_that_the_referee_takes(table: SimulatedTable, tmp_path: Path) -> None:
    film = tmp_path / "match.mp4"
    write_film(table, film)
    code, out, err = _run(str(film), "--players", "Ann,Ben,Cy", "--dealer", "Cy", "--json")
    assert (code, err) == (0, "")
    first, *lines = map(json.loads, out.splitlines())
    match = Match(read_header(first))
    assert (match.header.players, match.header.players[match.header.dealer]) == (_PLAYERS, "Cy")
    reported = []
    for line in lines:
        seconds = line.pop("t")
        assert 0 <= seconds <= table.script.duration
        entry = read_entry(line)
        assert not isinstance(entry, ActorMove) or entry.by == match.state.actor, "each move says whose it is"
        assert not isinstance(entry, Undo)
        match = match.apply(entry)
        reported.append((type(entry), getattr(entry, "card", None), getattr(entry, "by", None)))
    true, match = [], Match(match.header)
    for timed in table.script.moves:
        assert not isinstance(timed.entry, Undo | Reshuffle)
        by = match.state.actor if isinstance(timed.entry, ActorMove) else None
        true.append((type(timed.entry), getattr(timed.entry, "card", None), by))
        match = match.apply(timed.entry)
    assert {Play, Draw} <= {move for move, _, _ in true}
    assert [act for act in reported if act[0] in (Play, Draw)] == [act for act in true if act[0] in (Play, Draw)]


def test_the_header_comes_first_even_where_nothing_happens(tmp_path: Path, table: SimulatedTable) -> None:
    import cv2

    for number, frame in zip(range(3), table.frames(), strict=False):
        cv2.imwrite(str(tmp_path / f"{number}.png"), frame.image)
    code, out, _ = _run(str(tmp_path), "--players", "Ann,Ben,Cy", "--json")
    assert (code, [*json.loads(out)]) == (0, ["match"])


class Slow:
    """A camera that takes its time before the first picture, then shows a few and ends."""

    name = "the old camera"
    live = True

    def __init__(self, picture: Image, wait: float) -> None:
        self._picture, self._wait = picture, wait

    def frames(self) -> Iterator[Frame]:
        time.sleep(self._wait)
        for number in range(3):
            yield Frame(self._picture, number / 30, number)


def test_a_camera_that_is_slow_to_start_is_waited_for(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grabber, "PATIENCE", 0.01)
    slow = Slow(next(iter(table.frames())).image, 0.3)
    monkeypatch.setattr(command, "open_source", lambda *_: slow)
    code, out, _ = _run("0", "--players", "Ann,Ben,Cy", "--json")
    assert (code, [*json.loads(out)]) == (0, ["match"])


def test_a_camera_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        name = "the old camera"
        live = True

        def frames(self) -> Iterator[Frame]:
            raise SourceError("There is no picture from the old camera.")
            yield

    monkeypatch.setattr(command, "open_source", lambda *_: Missing())
    code, _, err = _run("0", "--players", "Ann,Ben,Cy", "--json")
    assert (code, err.strip()) == (1, "Error: There is no picture from the old camera.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "Ann"], "player"),
        (["--players", "Ann,Ben", "--dealer", "Zoe"], "Zoe"),
        (["--players", "Ann,Ben", "--option", "jump_in"], "NAME=VALUE"),
    ],
)
def test_what_cannot_be_played_is_refused_before_the_film_is_opened(arguments: list[str], words: str) -> None:
    code, out, err = _run("nowhere.mp4", *arguments)
    assert (code, out) == (2, "")
    assert words in err
