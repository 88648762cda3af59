"""`companion watch`: follows a discard pile and names each new top card."""

from __future__ import annotations

import json
from pathlib import Path

import click

import companion.dataset.simulated  # noqa: F401 (registers itself as a source)
from companion.commands.shared.parameters import DECK, EDITIONS, decks_of, load_detector
from companion.decks.service.membership import DeckFit
from companion.editions import Edition
from companion.vision.capture.capture_loop import CaptureLoop
from companion.vision.capture.frames import SourceError
from companion.vision.capture.sources import PICTURES_PER_SECOND, open_source
from companion.vision.core.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileMoved,
    PileReached,
    Probabilities,
)
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import RUNNER_UP_BELOW, UNSURE_BELOW, Sighting
from companion.vision.pile.pile_state import Region
from companion.vision.pile.pile_tracker import Detect, PileTracker
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.mirror import MirrorCorrection
from companion.vision.tracking.camera_advice import Advice, Obstacle, in_words
from companion.vision.tracking.camera_hints import CameraHints
from companion.vision.tracking.table_tracker import TableTracker


def _region(_: click.Context, __: click.Parameter, text: str | None) -> Region | None:
    if text is None:
        return None
    try:
        x, y, width, height = (int(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not four whole numbers with commas between them.") from None
    if width < 1 or height < 1:
        raise click.BadParameter("A region has a width and a height.")
    return x, y, width, height


@click.command()
@click.argument("source")
@click.option("--edition", type=EDITIONS, help="Consider only this edition's cards.")
@DECK
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per new top card.")
@click.option(
    "--region", callback=_region, metavar="X,Y,W,H", help="Region of the pile (pixels), instead of automatic search."
)
@click.option(
    "--fps",
    default=PICTURES_PER_SECOND,
    show_default=True,
    type=click.FloatRange(0.01, 1000),
    help="Pictures per second of a folder of pictures; at 2 or less each picture is a separate look.",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the networks, instead of the shipped ones.",
)
def watch(
    source: str,
    edition: Edition | None,
    deck: str | None,
    as_json: bool,
    region: Region | None,
    fps: float,
    model: Path | None,
) -> None:
    """Follow a discard pile and name each new top card; report what hinders the camera.

    SOURCE is a camera number, a video file, a stream address, a folder of pictures, or simulated[:SEED]. Files and
    folders are processed as fast as possible, a camera until Ctrl-C.
    """
    try:
        frames = open_source(source, fps)
        detector = load_detector(edition, model, deck)
        fits = DeckFit(decks_of(click.get_current_context()).load(deck)) if deck else None
        eyes = MirrorCorrection(
            detector.detect_pile if fits is None else _watched(detector, fits), detector.detect_closeup
        )
        helper = CameraHints(eyes.detect_pile, _say, lambda: follower.draw_pile_view())
        follower = TableTracker(PileTracker(helper, region, eyes.detect_closeup), detector.backs)
        watcher = CaptureLoop(frames, follower)
        lost = False
        for event in watcher.events():
            if isinstance(event, CameraStatus):
                if event.health is CameraHealth.GONE and watcher.newest is None:
                    raise SourceError(event.detail)
                said = event.detail or ("The camera is back." if lost else "")
                lost = event.health in (CameraHealth.GONE, CameraHealth.FROZEN)
                if said:
                    click.echo(said, err=True)
            elif not isinstance(event, PileReached):
                _print(event, as_json)
    except (SourceError, ModelFileError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        pass


def _say(advice: Advice) -> None:
    click.echo(in_words(advice), err=True)


def _watched(detector: CardDetector, fits: DeckFit) -> Detect:
    """Return the detector of the pile's cards, which warns once if they do not belong to the deck."""
    said = False

    def seen(image: Image) -> list[Sighting]:
        nonlocal said
        found = detector.detect_pile(image)
        fits.see(detector.reader, image, found)
        if fits.is_another and not said:
            said = True
            _say(Advice(Obstacle.OTHER_DECK))
        return found

    return seen


def _print(event: PileEvent, as_json: bool) -> None:
    if as_json:
        line = as_line(event)
        if line is not None:
            click.echo(json.dumps(line))
    else:
        click.echo(as_text(event))


def as_line(event: PileEvent) -> dict[str, object] | None:
    """Return the JSON line for a new top card, None for other events.

    `taken_back` marks a card that was uncovered again.
    """
    if not isinstance(event, CardLanded | CardTakenBack) or not event.probabilities:
        return None
    line: dict[str, object] = {"t": round(event.time, 2)}
    unsure = _unsure(event.probabilities)
    if unsure:
        line["unsure"] = unsure
    else:
        card, confidence = event.probabilities[0]
        line |= {"card": card.name, "confidence": round(confidence, 3)}
        if confidence < RUNNER_UP_BELOW and len(event.probabilities) > 1:
            line["or"] = event.probabilities[1][0].name
    if isinstance(event, CardTakenBack):
        line["taken_back"] = True
    return line


def as_text(event: PileEvent) -> str:
    """Return an event in words."""
    minutes, seconds = divmod(event.time, 60)
    match event:
        case CardLanded():
            words = _named(event.probabilities)
        case CardTakenBack(probabilities=()):
            words = "the card was taken back"
        case CardTakenBack():
            words = f"taken back; on top again: {_named(event.probabilities)}"
        case PileGone():
            words = "the pile was carried off"
        case PileMoved():
            words = "the pile was moved"
        case PileReached(arm=arm, pile=pile):
            words = f"an arm from {arm.direction:.0f} degrees was at the {pile.value} pile"
        case CameraStatus(detail=detail):
            words = detail
    return f"{int(minutes)}:{seconds:04.1f}  {words}"


def _unsure(probabilities: Probabilities) -> list[str]:
    """Return the names of the two most probable cards if the best is uncertain, else nothing."""
    if probabilities[0][1] >= UNSURE_BELOW:
        return []
    return [card.name for card, _ in probabilities[:2]]


def _named(probabilities: Probabilities) -> str:
    names = _unsure(probabilities)
    if names:
        return " or ".join(names) + "?"
    card, confidence = probabilities[0]
    return f"{card.name} ({confidence:.0%})"
