"""`companion read` and `companion score`: the cards in picture files."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from companion.commands.shared.parameters import DECK, EDITIONS, decks_of, load_detector
from companion.decks.service.membership import DeckFit
from companion.editions import Edition
from companion.referee.model.scoring import hand_points
from companion.vision.capture.image_files import PictureError, load_picture, pictures_in
from companion.vision.core.sightings import UNSURE_BELOW, Sighting
from companion.vision.imaging.motion import are_cards_colorless
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.hand_merging import read_hand


def picture_files(names: Sequence[str]) -> list[Path]:
    """Return the picture files for these names, folders and patterns, in order; a name without a match is returned as
    is.
    """
    files: list[Path] = []
    for name in names:
        path = Path(name)
        found: list[Path] = []
        if path.is_dir():
            found = pictures_in(path)
        elif not path.exists() and glob.has_magic(name):
            found = [Path(match) for match in sorted(glob.glob(name, recursive=True))]
        files += found or [path]
    return files


def _options(command: Any) -> Any:
    for option in reversed(
        (
            click.argument("images", nargs=-1, required=True, metavar="IMAGE..."),
            click.option("--edition", type=EDITIONS, help="Consider only this edition's cards."),
            DECK,
            click.option("--json", "as_json", is_flag=True, help="Print one JSON object per picture."),
            click.option(
                "--draw",
                type=click.Path(path_type=Path),
                metavar="OUT",
                help="Write the picture with outlines and names: a file for one picture, else a folder.",
            ),
            click.option(
                "--model",
                type=click.Path(path_type=Path, file_okay=False),
                help="Folder of the networks, instead of the shipped ones.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@_options
def read(
    images: tuple[str, ...],
    edition: Edition | None,
    deck: str | None,
    as_json: bool,
    draw: Path | None,
    model: Path | None,
) -> None:
    """Name the cards in pictures, given as files, folders or patterns.

    An unreadable file, or a picture without colours, is named and skipped; the exit status is then 1.
    """
    detector = load_detector(edition, model, deck)
    total = _run(detector, images, as_json, draw, _played(edition, deck), fit=_fit(deck))
    raise SystemExit(1 if total is None else 0)


@click.command()
@_options
@click.option("--one-hand", is_flag=True, help="All pictures show the same hand: merge their readings.")
@click.option("--expect", type=click.IntRange(0), help="Number of cards that the hand should have.")
def score(
    images: tuple[str, ...],
    edition: Edition | None,
    deck: str | None,
    as_json: bool,
    draw: Path | None,
    model: Path | None,
    one_hand: bool,
    expect: int | None,
) -> None:
    """Add up the points of leftover hands, one picture each."""
    detector = load_detector(edition, model, deck)
    played = _played(edition, deck)
    if one_hand:
        _score_one_hand(detector, images, played, expect)
        return
    total = _run(detector, images, as_json, draw, played, expect, _fit(deck))
    if total is not None and not as_json:
        click.echo(f"together {total} points")
    raise SystemExit(1 if total is None else 0)


def _played(edition: Edition | None, deck: str | None) -> Edition | None:
    """Return the edition of the cards: the one named, else the learnt deck's, else unknown."""
    return edition if edition or deck is None else decks_of(click.get_current_context()).load(deck).edition


def _fit(deck: str | None) -> DeckFit | None:
    """Return the check that cards belong to the learnt deck, None without a deck."""
    return None if deck is None else DeckFit(decks_of(click.get_current_context()).load(deck))


def _score_one_hand(
    detector: CardDetector, images: tuple[str, ...], edition: Edition | None, expect: int | None
) -> None:
    failed = False
    seen: list[list[Sighting]] = []
    for path, image in _pictures(images):
        if isinstance(image, PictureError):
            failed = True
            continue
        sightings = _in_color(path, image, detector.detect(image))
        failed = failed or sightings is None
        seen.append(sightings or [])
    hand = read_hand(seen, expect, None if edition is None else edition.deck)
    points = hand_points((held.card for held in hand.cards), edition)
    for held in hand.cards:
        click.echo(_line(held.sighting))
    click.echo(f"{len(hand.cards)} cards, {points} points")
    if hand.missing:
        click.echo(_count_note(expect, len(hand.cards)), err=True)
    for card in hand.impossible:
        click.echo(f"more of {card} than the deck holds", err=True)
    raise SystemExit(1 if failed else 0)


def _count_note(expected: int | None, found: int) -> str:
    """Return the note that another number of cards was found than expected."""
    cause = "is one hidden?" if expected is not None and found < expected else "do other cards lie in the picture?"
    return f"{expected} cards expected, {found} found: {cause}"


def _pictures(images: Sequence[str]) -> Iterator[tuple[Path, NDArray[np.uint8] | PictureError]]:
    for path in picture_files(images):
        try:
            yield path, load_picture(path)
        except PictureError as error:
            click.echo(str(error), err=True)
            yield path, error


def _in_color(path: Path, image: NDArray[np.uint8], sightings: list[Sighting]) -> list[Sighting] | None:
    """Return the cards, None if the picture has no colours to name them by, which is then said."""
    if not sightings or not are_cards_colorless(image, [sighting.quad for sighting in sightings]):
        return sightings
    click.echo(
        f"{path}: the picture has no colours, so no card is named: switch night mode off, or a light on", err=True
    )
    return None


def _run(
    detector: CardDetector,
    images: Sequence[str],
    as_json: bool,
    draw: Path | None,
    played: Edition | None,
    expect: int | None = None,
    fit: DeckFit | None = None,
) -> int | None:
    """Print what each picture shows; return the sum of points, None if a picture was unreadable or without colours."""
    total, failed = 0, False
    files = picture_files(images)
    several = len(files) > 1
    # A terminal gets a table at the end; a file or a pipe one line per picture as it is read.
    table = Table("picture", "cards", "points") if sys.stdout.isatty() and not as_json else None
    shown = track(_pictures(images), "pictures", len(files), console=Console(stderr=True), disable=table is None)
    for path, image in shown:
        if isinstance(image, PictureError):
            failed = True
            continue
        colored = _in_color(path, image, detector.detect(image))
        failed = failed or colored is None
        sightings = colored or []
        if fit is not None:
            fit.see(detector.reader, image, sightings)
        if any(sighting.mirrored for sighting in sightings):
            click.echo(f"{path}: the picture is mirrored; switch mirroring off in the camera's settings", err=True)
        points = hand_points((sighting.card for sighting in sightings), played)
        total += points
        if as_json:
            click.echo(json.dumps({"image": str(path), "cards": [*map(_row, sightings)], "points": points}))
        elif colored is not None:
            names = ", ".join(_line(sighting) for sighting in sightings) or "no card"
            if table is None:
                click.echo(f"{path}: {names}: {points} points")
            else:
                table.add_row(path.name, names, str(points))
            if expect is not None and expect != len(sightings):
                click.echo(_count_note(expect, len(sightings)), err=True)
        if draw is not None:
            _write_drawn(draw, path, several, drawn(image, sightings))
    if table is not None and table.row_count:
        Console().print(table)
    if fit is not None and fit.is_another:
        click.echo("The cards in these pictures are not of the deck that was learnt: this is another one.", err=True)
    return None if failed else total


def _row(sighting: Sighting) -> dict[str, object]:
    row: dict[str, object] = {
        "card": sighting.card.name,
        "confidence": round(sighting.confidence, 4),
        "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in sighting.quad],
    }
    if sighting.alternative is not None:
        row["or"] = sighting.alternative.name
    return row


def _line(sighting: Sighting) -> str:
    return sighting.card.name if sighting.doubt is None else f"{sighting.card.name} or {sighting.doubt.name}"


def drawn(image: NDArray[np.uint8], sightings: Sequence[Sighting]) -> NDArray[np.uint8]:
    """Return a copy of the picture (BGR uint8) with each card outlined and named."""
    canvas = image.copy()
    size = max(12, round(max(image.shape[:2]) / 45))
    font = cv2.FontFace("sans")
    for sighting in sightings:
        ink = (60, 200, 60) if sighting.confidence >= UNSURE_BELOW else (0, 160, 255)
        outline = np.round(sighting.quad).astype(np.int32)
        cv2.polylines(canvas, [outline], True, ink, max(2, size // 8), cv2.LINE_AA)
        corner = outline[0].tolist()
        text = _line(sighting)
        for offset, color, weight in (((1, 1), (0, 0, 0), 800), ((0, 0), (255, 255, 255), 600)):
            cv2.putText(canvas, text, (corner[0] + offset[0], corner[1] + size + offset[1]), color, font, size, weight)
    return canvas


def _write_drawn(out: Path, path: Path, several: bool, image: NDArray[np.uint8]) -> None:
    target = out / path.with_suffix(".jpg").name if several or out.is_dir() or not out.suffix else out
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        ok, data = cv2.imencode(target.suffix or ".jpg", image)
        assert ok
        target.write_bytes(data.tobytes())
    except (OSError, cv2.error) as error:
        raise click.ClickException(f"{target} cannot be written: {error}") from error
