"""`companion bench soak`: hours of play in minutes, and their effect on memory, threads and open files."""

from __future__ import annotations

import http.client
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import click

from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.referee.state import Header
from companion.rehearsal.device import Device, DeviceError
from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.core.malloc_trim import give_back_memory
from companion.server.network.listeners import Listeners
from companion.server.services.selfplay import SelfPlay
from companion.server.services.services import Services
from companion.vision.capture.frames import Frame
from companion.vision.capture.sources import VideoFile

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_PLAYERS = ("Ann", "Ben", "Cy")
_SETTLED = 120.0
"""Seconds after which networks, decks and caches are loaded; memory growth is relative to then."""
_SCAN_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Sample:
    """Resources of a running companion: seconds since its start, MB of memory, threads, open files.

    moves: number made so far. played: seconds that people would have needed for them.
    """

    seconds: float
    memory: float
    threads: int
    files: int
    moves: int
    played: float


def take_sample(seconds: float, moves: int, played: float) -> Sample:
    """Return this process's resources now; 0 for values that the system does not provide."""
    memory, files = 0.0, 0
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        memory, files = pages * os.sysconf("SC_PAGE_SIZE") / 2**20, len(os.listdir("/proc/self/fd"))
    return Sample(seconds, memory, threading.active_count(), files, moves, played)


def growth(samples: list[Sample]) -> float:
    """Return the relative growth of memory from the minute after settling to the last minute.

    On a computer too slow to play as fast as people, settling is measured in seconds of play.
    """
    end = samples[-1].seconds
    settled = next((each.seconds for each in samples if min(each.seconds, each.played) >= _SETTLED), end)
    first = [each.memory for each in samples if settled <= each.seconds < settled + 60]
    last = [each.memory for each in samples if each.seconds > end - 60]
    return (sum(last) / len(last)) / (sum(first) / len(first) or 1) - 1


class PacedFilm:
    """A film at its own pace, as a camera would send it; afterwards `is_over`."""

    live = True

    def __init__(self, path: Path) -> None:
        self._film = VideoFile(path)
        self.name = self._film.name
        self.is_over = False

    def frames(self) -> Iterator[Frame]:
        """Yield every frame at its time; raises SourceError if the file is no video."""
        began = time.monotonic()
        try:
            for frame in self._film.frames():
                time.sleep(max(0.0, began + frame.time - time.monotonic()))
                yield frame
        finally:
            self.is_over = True


@dataclass(frozen=True)
class Showing:
    """What is played before the camera.

    speed, seed: of simulated matches. film: watched again and again instead of them, each time with another match.
    hand: a picture of a hand that is read every half minute.
    """

    speed: float = 4.0
    seed: int = 0
    film: Path | None = None
    hand: Path | None = None

    def begin(self, services: Services, number: int) -> Callable[[], bool]:
        """Begin a match, and return whether it has ended; number: of matches before it."""
        edition = EDITIONS[list(EditionName)[number % len(EditionName)]]
        header = Header(edition, _PLAYERS, 2, edition.options)
        if self.film is None:
            playing = SelfPlay(services, header, self.seed + number, speed=self.speed)
            playing.start()
            return lambda: playing.ended
        film = PacedFilm(self.film)
        services.start(header)
        services.camera.watch(film, film.name)
        return lambda: film.is_over


def play(minutes: float, showing: Showing, every: float, tell: Callable[[Sample], None]) -> list[Sample]:
    """Let match after match be played on a server with a follower, and return samples."""
    with tempfile.TemporaryDirectory() as folder:
        config = ServerConfig(data=Path(folder), port=0)
        app = create_app(config)
        services, listeners = services_of(app), Listeners(app, config)
        address = listeners.start()
        stopped = threading.Event()
        work_of_devices: list[_Work] = [_follow, _look]
        if showing.hand is not None:
            work_of_devices.append(partial(_scan, showing.hand.read_bytes()))
        for work in work_of_devices:
            token = services.pairing.invite(Role.HOST)
            threading.Thread(target=work, args=(address, token, stopped), daemon=True).start()
        give_back_memory()
        try:
            return _play(services, minutes, showing, every, tell)
        finally:
            stopped.set()
            services.close()
            listeners.stop()


_Work = Callable[[str, str, threading.Event], None]


def _play(
    services: Services, minutes: float, showing: Showing, every: float, tell: Callable[[Sample], None]
) -> list[Sample]:
    samples: list[Sample] = []
    began = time.monotonic()
    past, played, matches = 0, 0.0, 0
    has_ended = showing.begin(services, matches)
    while (passed := time.monotonic() - began) < 60 * minutes:
        if has_ended():
            past, played, matches = past + _moves(services), played + _played(services), matches + 1
            has_ended = showing.begin(services, matches)
        samples.append(take_sample(passed, past + _moves(services), played + _played(services)))
        tell(samples[-1])
        time.sleep(every)
    return samples


def _moves(services: Services) -> int:
    return len(services.table.view().history)


def _played(services: Services) -> float:
    frame = services.camera.frame()
    return 0.0 if frame is None else frame.time


def _join(address: str, token: str) -> tuple[http.client.HTTPConnection, dict[str, str]]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    body = json.dumps({"token": token})
    connection.request("POST", "/api/join", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return connection, {"Cookie": (answer.headers["Set-Cookie"] or "").partition(";")[0]}


def _follow(address: str, token: str, stopped: threading.Event) -> None:
    """Read the live stream as a page does."""
    connection, headers = _join(address, token)
    connection.request("GET", "/api/events", headers=headers)
    stream = connection.getresponse()
    with suppress(OSError, http.client.HTTPException):
        while not stopped.is_set() and stream.readline():
            pass
    connection.close()


def _look(address: str, token: str, stopped: threading.Event) -> None:
    """Request the camera's picture and the matches repeatedly."""
    connection, headers = _join(address, token)
    with suppress(OSError, http.client.HTTPException):
        while not stopped.wait(0.5):
            for path in ("/api/camera/picture", "/api/view", "/api/matches"):
                connection.request("GET", path, headers=headers)
                connection.getresponse().read()
    connection.close()


def _scan(picture: bytes, address: str, token: str, stopped: threading.Event) -> None:
    """Let a picture of a hand be read repeatedly."""
    device = Device(address, token)
    while not stopped.wait(_SCAN_SECONDS):
        with suppress(DeviceError):
            device.post_form("/api/hands/read", picture)


def _speed(samples: list[Sample]) -> float:
    """Return the achieved speed relative to people, which a slow computer keeps below the requested one."""
    return samples[-1].played / max(1e-9, samples[-1].seconds)


def draw(samples: list[Sample], path: Path) -> None:
    """Draw the samples over time as an SVG file; raises OSError."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    figure.suptitle("companion bench soak")
    minutes = [each.seconds / 60 for each in samples]
    for axes, (name, values) in zip(
        figure.subplots(3, 1, sharex=True),
        {
            "memory (MB)": [each.memory for each in samples],
            "threads": [each.threads for each in samples],
            "open files": [each.files for each in samples],
        }.items(),
        strict=True,
    ):
        axes.plot(minutes, values)
        axes.set_ylabel(name)
        axes.set_ylim(bottom=0)
    axes.set_xlabel("minutes")
    path.parent.mkdir(parents=True, exist_ok=True)
    # A fixed salt and text as text: equal figures give equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "soak"}):
        figure.savefig(path, metadata={"Date": None})


@click.command()
@click.option("--minutes", type=click.FloatRange(0.1), default=3.0, show_default=True, help="Minutes to play.")
@click.option("--speed", type=click.FloatRange(1, 10), default=4.0, show_default=True, help="Speed relative to people.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the first match.")
@click.option("--film", type=_FILE, help="Film to watch again and again instead of simulated matches.")
@click.option("--hand", type=_FILE, help="Picture of a hand (JPEG) to read every half minute.")
@click.option("--every", type=click.FloatRange(0.5), default=10.0, show_default=True, help="Seconds between samples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--plot", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Folder for the plot.")
def soak(
    minutes: float,
    speed: float,
    seed: int,
    film: Path | None,
    hand: Path | None,
    every: float,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Play simulated matches several times as fast as people, and record memory, threads and open files.

    The simulated table takes memory itself. With --film the companion watches a film at its own pace, as it would watch
    a camera; with --hand it also reads a hand, as at the end of a round.
    """

    def tell(sample: Sample) -> None:
        click.echo(
            f"{sample.seconds:6.0f} s  {sample.memory:5.0f} MB  {sample.threads:3} threads  {sample.files:3} files  "
            f"{sample.moves:4} moves  {sample.played:6.0f} s of play",
            err=as_json,
        )

    samples = play(minutes, Showing(speed, seed, film, hand), every, tell)
    grown = growth(samples)
    if as_json:
        last = asdict(samples[-1])
        del last["seconds"], last["played"]
        most = max(each.memory for each in samples)
        click.echo(json.dumps({"soak": {**last, "most memory": most, "growth ratio": grown, "speed": _speed(samples)}}))
    else:
        click.echo(f"grown by {grown:.1%} since the third minute")
        click.echo(f"played {_speed(samples):.1f} times as fast as people")
    if plot is not None:
        try:
            draw(samples, plot / "bench-soak.svg")
        except ImportError as error:
            raise click.ClickException("plots need matplotlib: install it with  pip install matplotlib") from error
        except OSError as error:
            raise click.ClickException(f"{plot} cannot be written: {error.strerror}") from error
