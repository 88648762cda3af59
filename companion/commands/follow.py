"""`companion follow`: turns a camera or film of a match into a transcript without any taps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import companion.dataset.simulated  # noqa: F401 (registers itself as a source)
from companion.commands.shared.parameters import DECK, EDITIONS, OPTIONS, RULES, header_of, load_detector
from companion.editions import Edition
from companion.referee.moves import ActorMove
from companion.referee.state import Header
from companion.referee.transcript import write_entry, write_header
from companion.table.hypotheses.transcriber import TranscribedMove, Transcriber, transcribe
from companion.vision.capture.capture_loop import CaptureLoop
from companion.vision.capture.frames import FrameSource, SourceError
from companion.vision.capture.sources import PICTURES_PER_SECOND, open_source
from companion.vision.core.events import CameraHealth, CameraStatus, PileEvent
from companion.vision.core.runtime import ModelFileError
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.mirror import MirrorCorrection, unmirrored_event
from companion.vision.tracking.table_tracker import TableTracker

if TYPE_CHECKING:
    from companion.vision.recognition.card_detector import CardDetector

# Seconds by which one event may be reported after a later one: a card is known once it lies still, an arm once it has
# left.
_EVENT_DELAY = 2.0


@click.command()
@click.argument("source")
@click.option(
    "--players", required=True, metavar="A,B,C", help="Names of the players in seat order, clockwise seen from above."
)
@click.option("--dealer", help="First dealer; by default the last player.")
@click.option("--edition", type=EDITIONS, default="classic", show_default=True, help="Edition to play.")
@RULES
@OPTIONS
@click.option("--json", "as_json", is_flag=True, help="Print the transcript as JSON Lines, for `referee` and `import`.")
@click.option(
    "--fps", default=PICTURES_PER_SECOND, show_default=True, type=click.FloatRange(0.01, 1000),
    help="Pictures per second of a folder of pictures.",
)  # fmt: skip
@DECK
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write in UTF-8, instead of the terminal.",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the networks, instead of the shipped ones.",
)
def follow(
    source: str,
    players: str,
    dealer: str | None,
    edition: Edition,
    rules: str,
    options: tuple[str, ...],
    as_json: bool,
    fps: float,
    deck: str | None,
    output: Path | None,
    model: Path | None,
) -> None:
    """Transcribe a filmed match: who played which card, and who drew. Nothing is asked; the most probable reading is
    used.

    SOURCE is a video file, a folder of pictures, a camera number, a stream address, or simulated[:SEED]. Both piles
    should be in view. Where people sit is inferred.
    """
    header = header_of(players.split(","), dealer, edition, rules, options)
    try:
        frames = open_source(source, fps)
        detector = load_detector(header.edition, model, deck)
        with output.open("w", encoding="utf-8") if output else nullcontext() as file:
            if as_json:
                click.echo(json.dumps(write_header(header), ensure_ascii=False), file)
            for transcribed in followed(frames, header, detector):
                click.echo(as_line(transcribed) if as_json else as_text(transcribed), file)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}.") from error
    except (SourceError, ModelFileError) as error:
        raise click.ClickException(str(error)) from error


def followed(frames: FrameSource, header: Header, detector: CardDetector) -> Iterator[TranscribedMove]:
    """Yield the moves in a source: of a film after its end, of a camera as soon as each is certain.

    Raises SourceError if the source gives no picture, and what the detector raises.
    """
    eyes = MirrorCorrection(detector.detect_pile, detector.detect_closeup)
    tracker = PileTracker(eyes.detect_pile, detect_closeup=eyes.detect_closeup)
    events = _heard(CaptureLoop(frames, TableTracker(tracker, detector.backs)))
    yield from _as_it_goes(header, events, eyes) if frames.live else _in_hindsight(header, events, eyes)


def as_line(transcribed: TranscribedMove) -> str:
    """Return a move as a line of the transcript."""
    move = replace(transcribed.move, by=transcribed.by) if isinstance(transcribed.move, ActorMove) else transcribed.move
    return json.dumps({**write_entry(move), "t": round(transcribed.time, 2)}, ensure_ascii=False)


def as_text(transcribed: TranscribedMove) -> str:
    """Return a move for people."""
    minutes, seconds = divmod(transcribed.time, 60)
    fields = write_entry(transcribed.move)
    what = " ".join(str(value) for name, value in fields.items() if name != "by")
    who = f"{transcribed.by}: " if transcribed.by and "player" not in fields else ""
    return f"{int(minutes)}:{seconds:04.1f}  {who}{what}"


def _heard(watcher: CaptureLoop) -> Iterator[PileEvent]:
    """Yield events until the source ends or Ctrl-C; report the camera's problems."""
    try:
        for event in watcher.events():
            if isinstance(event, CameraStatus):
                if event.health is CameraHealth.GONE and watcher.newest is None:
                    raise SourceError(event.detail)
                if event.detail:
                    click.echo(event.detail, err=True)
            yield event
    except KeyboardInterrupt:
        pass


def _in_hindsight(header: Header, events: Iterable[PileEvent], eyes: MirrorCorrection) -> Iterator[TranscribedMove]:
    """Yield the moves of a film. The first arms are mirrored as well if a mirror is detected later.

    A film that breaks off raises SourceError after the moves until then.
    """
    seen: list[PileEvent] = []
    broken: SourceError | None = None
    try:
        for event in events:
            seen.append(event)
    except SourceError as error:
        broken = error
    yield from transcribe(header, [unmirrored_event(event) for event in seen] if eyes.mirrors else seen)
    if broken is not None:
        raise broken


def _as_it_goes(header: Header, events: Iterable[PileEvent], eyes: MirrorCorrection) -> Iterator[TranscribedMove]:
    """Yield the moves of a running match, each as soon as it is certain."""
    transcriber = Transcriber(header)
    waiting: list[PileEvent] = []
    for event in events:
        waiting = sorted([*waiting, unmirrored_event(event) if eyes.mirrors else event], key=lambda each: each.time)
        while waiting and waiting[0].time < event.time - _EVENT_DELAY:
            transcriber.see(waiting.pop(0))
        yield from transcriber.settled()
    for event in waiting:
        transcriber.see(event)
    yield from transcriber.finish()
