"""Steps that fit models to the readings of exported networks, and evaluate them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

import click

from companion.commands.training import options
from companion.dataset.artist.families import StyleFamily

_Case = TypeVar("_Case")


class _Model(Protocol):
    def save(self, path: Path) -> None:
        """Write to a file."""


def _fitted(
    path: Path,
    drawn: Callable[[Iterable[int]], Iterable[_Case]],
    fitted: Callable[[list[_Case]], _Model],
    count: int,
    every: int,
    what: str,
    save: bool,
) -> list[_Case]:
    """Draw `count` decks or tables, fit a model and store it; return what is left out of the fit, to check it on.

    every: the last of so many is left out. save: whether to fit at all.
    Raises a `click.ClickException` if what was drawn does not show both outcomes.
    """
    from rich.console import Console
    from rich.progress import track

    from companion.models.fitting.logistic import OneSidedCasesError

    def draw(numbers: list[int], purpose: str) -> list[_Case]:
        return list(drawn(track(numbers, f"{what} to {purpose} on", console=Console(stderr=True))))

    if save:
        cases = draw([n for n in range(count) if n % every != every - 1], "fit")
        try:
            model = fitted(cases)
        except OneSidedCasesError as error:
            raise click.ClickException(f"{error}, so nothing was fitted: draw more {what}") from error
        model.save(path)
    return draw(list(range(every - 1, count, every)), "check")


@click.command()
@options.work
@options.exported
@click.option(
    "--photos",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of photos with labels.json to evaluate on.",
)
@click.option("--calibrate/--no-calibrate", default=True, help="First fit the calibration on the validation scenes.")
def evaluate(work: Path, folder: Path | None, photos: Path | None, calibrate: bool) -> None:
    """Calibrate on the validation scenes, evaluate, and plot the confusion matrix and reliability diagram."""
    options.need_extra()
    from rich.console import Console
    from rich.table import Table

    from companion.commands.shared.parameters import load_detector
    from companion.models.evaluation import pictures as measures
    from companion.vision.core.calibration import Calibration

    folder = folder or work / "export"
    if not folder.is_dir():
        raise click.ClickException(f"there are no networks in {folder}; `companion train export` writes them")
    if calibrate or not (folder / "calibration.json").exists():
        Calibration().save(folder / "calibration.json")
        readings = list(measures.read_all(load_detector(None, folder), measures.labelled_scenes(work / "scenes")))
        measures.calibrate(folder, readings, Calibration())
    labelled = measures.labelled_photos(photos) if photos else measures.labelled_scenes(work / "scenes")
    readings = list(measures.read_all(load_detector(None, folder), labelled))
    grid = Table("pictures of", "number", "cards", "exact", "precision", "recall", "F1")
    for group, figures in sorted(measures.table(readings).items()):
        shares = (figures.exact_share, figures.precision, figures.recall, figures.f1)
        grid.add_row(group, str(figures.pictures), str(figures.there), *(f"{share:.3f}" for share in shares))
    Console().print(grid)
    coverage, threshold = measures.coverage_at(*measures.correctness(readings), 0.995)
    click.echo(f"coverage at 99.5 % precision: {coverage:.1%} (confidence of at least {threshold:.3f})")
    work.mkdir(parents=True, exist_ok=True)
    measures.draw_confusion(readings, work / "confusion.png")
    measures.draw_reliability(readings, work / "reliability.png")


@click.command()
@options.work
@options.seed
@options.exported
@options.decks(3, 24, "Number of decks to draw, 63 or 87 pictures each.")
@options.save
def calibrate(work: Path, seed: int, folder: Path | None, decks: int, save: bool) -> None:
    """Fit confidence calibration on two thirds of the decks; check each kind of reading on the rest."""
    from rich.console import Console
    from rich.table import Table

    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import calibration as measures
    from companion.vision.core.calibration import Calibration

    path = (folder or work / "export") / "calibration.json"
    current = Calibration.load(path)
    detector = replace(load_detector(None, path.parent), calibration=measures.unfitted(current))
    if save:
        fit = [number for number in range(decks) if number % 3 != 2]
        current = measures.fitted(list(measures.drawn(detector, fit, seed, measures.SHOWN)), current)
        current.save(path)
    grid = Table("readings", "confidence", "number", "predicted", "right", "95 % interval")
    for kind, bins in measures.rows(list(measures.drawn(detector, range(2, decks, 3), seed)), current).items():
        for one in bins:
            low, high = one.interval
            span = f"{one.low:.2f} to {one.high:.2f}"
            grid.add_row(
                kind, span, str(one.count), f"{one.predicted:.3f}", f"{one.share:.3f}", f"{low:.3f} to {high:.3f}"
            )
    Console().print(grid)


@click.command()
@options.work
@options.seed
@options.exported
@options.tables(6, 1800, "five per second")
@options.save
def backs(work: Path, seed: int, folder: Path | None, tables: int, save: bool) -> None:
    """Fit the appearance of card backs on two thirds of the tables; check it on the rest."""
    from rich.console import Console
    from rich.table import Table

    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import backs as measures
    from companion.vision.detection.card_backs import BackModel

    path = (folder or work / "export") / "backs.json"
    detector = load_detector(None, path.parent)

    rest = _fitted(path, lambda some: measures.drawn(detector, some, seed), measures.fitted, tables, 3, "tables", save)
    grid = Table("draw piles", "tables", "outlined", "best back on pile")
    for other, one in measures.found(rest, BackModel.load(path)).items():
        name = "backs of other makers" if other else "usual backs"
        grid.add_row(name, str(one.tables), str(one.outlined), str(one.best_on_pile))
    Console().print(grid)


@click.command()
@options.work
@options.seed
@options.exported
@options.tables(8, 200, "one per second")
@options.save
def top(work: Path, seed: int, folder: Path | None, tables: int, save: bool) -> None:
    """Fit which card of a pile covers the others on three quarters of the tables; check it on the rest."""

    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import top_card as measures
    from companion.vision.pile.top_card import TopModel

    path = (folder or work / "export") / "top.json"
    detector = load_detector(None, path.parent)

    rest = _fitted(path, lambda some: measures.drawn(detector, some, seed), measures.fitted, tables, 4, "tables", save)
    click.echo(measures.checked(rest, TopModel.load(path)))


@click.command()
@options.work
@options.seed
@options.exported
@options.tables(4, 24, "two per minute")
@options.save
def draws(work: Path, seed: int, folder: Path | None, tables: int, save: bool) -> None:
    """Fit how draws are recognised on three quarters of the simulated tables; check it on the rest."""
    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import draws as measures
    from companion.vision.tracking.draw_inference import DrawModel

    path = (folder or work / "export") / "draws.json"
    detector = load_detector(None, path.parent)

    rest = _fitted(path, lambda some: measures.drawn(detector, some, seed), measures.fitted, tables, 4, "tables", save)
    click.echo(measures.checked(rest, DrawModel.load(path)))


@click.command()
@options.work
@options.seed
@options.exported
@options.tables(4, 48, "one per minute")
@options.save
def landings(work: Path, seed: int, folder: Path | None, tables: int, save: bool) -> None:
    """Fit who laid a card on three quarters of the simulated tables; check it on the rest."""
    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import landings as measures
    from companion.vision.tracking.landing_attribution import LandingModel

    path = (folder or work / "export") / "landings.json"
    detector = load_detector(None, path.parent)

    rest = _fitted(path, lambda some: measures.drawn(detector, some, seed), measures.fitted, tables, 4, "tables", save)
    click.echo(measures.checked(rest, LandingModel.load(path)))


@click.command()
@options.work
@options.seed
@options.exported
@options.decks(8, 25, "Decks to draw.")
@options.fonts
@options.save
def decision(work: Path, seed: int, folder: Path | None, decks: int, fonts: Path | None, save: bool) -> None:
    """Fit how learnt decks decide by similarity on every other deck kept out of training; check it on the rest."""
    options.need_extra()
    from rich.console import Console

    from companion.decks.model.decision import Decisions
    from companion.models.embedding import decision as measures
    from companion.models.embedding.gallery import build
    from companion.models.embedding.sources import held_out_sources
    from companion.vision.core.runtime import model_folder

    path = (folder or work / "export") / "embedding.json"
    gallery = build(work / "held-out", held_out_sources(fonts), decks, seed, Console(stderr=True))
    views = {
        kind: measures.views_of(gallery, kind, describe, seed)
        for kind, describe in measures.describers(folder or model_folder()).items()
    }
    if save:
        Decisions(*(measures.fitted(some[::2]) for some in views.values())).save(path)
    stored = Decisions.load(path)
    for kind, one in (("card", stored.card), ("corner", stored.corner)):
        check = measures.check(views[kind][1::2], one)
        click.echo(f"{kind}: right {check.right:.3f}, unknown {check.unknown:.3f}, calibration error {check.error:.3f}")


@click.command()
@options.work
@options.seed
@options.exported
@options.decks(5, 60, "Number of decks to draw, 8 pictures each.")
@options.fonts
@options.save
def search(work: Path, seed: int, folder: Path | None, decks: int, fonts: Path | None, save: bool) -> None:
    """Fit how learnt decks are searched on four fifths of the decks kept out of training; check it on the rest."""
    from companion.decks.matching.search_model import SearchModel
    from companion.decks.service.deck_detector import reading_parts
    from companion.models.embedding.sources import held_out_sources
    from companion.models.fitting import deck_search as measures
    from companion.vision.recognition.card_detector import OUTLINE_SCALES

    path = (folder or work / "export") / "search.json"
    _, finder = reading_parts(path.parent)
    finder, sources = finder.with_outlines(), held_out_sources(fonts)

    rest = _fitted(
        path,
        lambda some: measures.drawn(finder, OUTLINE_SCALES, sources, some, seed),
        measures.fitted,
        decks,
        # The kinds of decks recur every four, so that each kind is in the fit and in the check.
        5,
        "decks",
        save,
    )
    click.echo(measures.checked(rest, SearchModel.load(path)))


@click.command()
@options.work
@options.seed
@options.exported
@options.decks(4, 40, "Number of decks to draw, 50 pictures each.")
@options.save
def fusion(work: Path, seed: int, folder: Path | None, decks: int, save: bool) -> None:
    """Fit the probabilities of open cards on three quarters of the decks; check them on the rest.

    Run `no-card` afterwards: its fit builds on this one.
    """
    options.need_extra()

    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import fusion as measures
    from companion.vision.recognition.fusion import FusionModel

    path = (folder or work / "export") / "fusion.json"
    detector = load_detector(None, path.parent)

    rest = _fitted(path, lambda some: measures.drawn(detector, some, seed), measures.fitted, decks, 4, "decks", save)
    click.echo(measures.checked(rest, FusionModel.load(path)))


@click.command()
@options.work
@options.seed
@options.exported
@options.decks(4, 40, "Number of decks to draw, 14 pictures each; a lone reverse and other things beside each.")
@options.save
def mirror(work: Path, seed: int, folder: Path | None, decks: int, save: bool) -> None:
    """Fit how mirrored pictures are recognised on three quarters of the decks; check it on the rest."""
    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import mirror as measures
    from companion.vision.recognition.mirror import MirrorModel

    path = (folder or work / "export") / "mirror.json"
    detector = load_detector(None, path.parent)

    rest = _fitted(path, lambda some: measures.drawn(detector, some, seed), measures.fitted, decks, 4, "decks", save)
    click.echo(measures.checked(rest, MirrorModel.load(path)))


@click.command("no-card")
@options.work
@options.seed
@options.exported
@options.decks(4, 40, "Number of lots to draw: 36 pictures of decks and 14 of other things each.")
@options.save
def no_card(work: Path, seed: int, folder: Path | None, decks: int, save: bool) -> None:
    """Fit "not a card of this deck" on three quarters of the decks and of other things; check it on the rest."""
    from companion.commands.shared.parameters import load_detector
    from companion.models.fitting import no_card as measures
    from companion.vision.recognition.fusion import FusionModel

    path = (folder or work / "export") / "fusion.json"
    detector, fusion = load_detector(None, path.parent), FusionModel.load(path)

    rest = _fitted(
        path,
        lambda some: measures.drawn(detector, some, seed),
        lambda found: measures.fitted(found, fusion),
        decks,
        4,
        "decks",
        save,
    )
    click.echo(measures.checked(rest, FusionModel.load(path)))


@click.command()
@options.work
@options.seed
@options.exported
@click.option(
    "--lots",
    type=click.IntRange(4),
    default=8,
    show_default=True,
    help="Number of lots to draw: 100 scenes of decks and 140 pictures of other things each.",
)
@options.save
def foreign(work: Path, seed: int, folder: Path | None, lots: int, save: bool) -> None:
    """Add a small network to the card reader that recognises other makers' cards; check it on every fourth lot.

    Run `fusion` and `no-card` afterwards: their fits build on this one.
    """
    options.need_extra()

    from companion.models.fitting import foreign as measures
    from companion.models.networks.onnx_import import unfolded
    from companion.models.training_data.hard_negatives import miner

    path = (folder or work / "export") / "card-reader.onnx"
    reader, finder = unfolded(path, "card"), miner(path.parent / "detector.onnx")
    network: list[measures.Correction] = []

    def fitted(found: list[measures.Lot]) -> measures.Correction:
        network.append(measures.fitted(found, seed))
        return network[0]

    rest = _fitted(path, lambda some: measures.drawn(reader, finder, some, seed), fitted, lots, 4, "lots", save)
    for one in network:
        click.echo(measures.checked(rest, one.network))


@click.command()
@options.work
@options.seed
@options.exported
@click.option("--hands", "count", type=click.IntRange(1), default=40, show_default=True, help="Number of hands.")
@click.option(
    "--photos", type=click.Path(path_type=Path, file_okay=False), help="Folder of card photos with labels.json."
)
@click.option(
    "--family",
    "families",
    type=click.Choice([family.name.lower() for family in StyleFamily]),
    multiple=True,
    help="Draw decks of this style family only.",
)
def hands(
    work: Path, seed: int, folder: Path | None, count: int, photos: Path | None, families: tuple[str, ...]
) -> None:
    """Evaluate on fans, cascades and heaps of five to eight cards, three pictures per hand."""
    from companion.cards import EditionName
    from companion.commands.shared.parameters import load_detector
    from companion.editions import EDITIONS
    from companion.models.evaluation import hands as measures

    edition = EditionName.CLASSIC
    detector = load_detector(EDITIONS[edition], folder or work / "export")
    if photos:
        decks = measures.photographed_decks(photos, seed)
    else:
        decks = measures.drawn_decks(edition, seed, [StyleFamily[name.upper()] for name in families] or None)
    figures = measures.measure_hands(detector, decks, count, seed)
    click.echo(
        f"{figures.hands} hands: found and read {figures.recall:.3f}, precision {figures.precision:.3f}, "
        f"exact from one picture {figures.exact_from_one:.3f}, from three {figures.exact_from_three:.3f}"
    )
