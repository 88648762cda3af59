"""`companion train`: trains the shipped networks from scratch, step by step or all at once. Needs the `train` extra."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from companion.dataset.artist.families import TRAINING_WEIGHTS, StyleFamily
from companion.dataset.scenes.generate import Recipe, generate

_NEEDED = ("torch", "ultralytics", "onnx", "matplotlib")

_work = click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs"),
    show_default=True,
    help="Folder for scenes, checkpoints and results.",
)
_device = click.option("--device", default="cpu", show_default=True, help="'cpu', or 'cuda:0' for a graphics card.")
_seed = click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of all randomness.")
_backgrounds = click.option(
    "--backgrounds",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of table pictures to use beside the drawn ones.",
)
_cards = click.option(
    "--cards",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of card photos of your own, named like 'red 7.jpg': they are laid on tables beside the drawn cards.",
)


def _need_extra() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"training needs {', '.join(missing)}: install it with  pip install 'uno-table-companion[train]'"
        )


@click.group()
def train() -> None:
    """Train the networks: scenes, detector, readers, export, evaluate, backs. `all` runs these six in order.

    An interrupted step resumes where it stopped, except `together`, which continues the training of exported networks.
    """


@train.command()
@_work
@_seed
@click.option("--count", type=click.IntRange(1), default=12000, show_default=True, help="Number of training scenes.")
@click.option("--val", type=click.IntRange(1), default=400, show_default=True, help="Number of validation scenes.")
@click.option("--workers", type=click.IntRange(1), help="Number of processes; by default one per core.")
@_backgrounds
@click.option(
    "--leave-out",
    type=click.Choice([family.name.lower() for family in StyleFamily]),
    multiple=True,
    help="Train without this style family and validate on it alone.",
)
@_cards
@click.option(
    "--hard",
    type=click.FloatRange(0, 1),
    default=0.4,
    show_default=True,
    help="Share of the scenes that are hard to read: small, slanted, blurred, dark.",
)
@click.option(
    "--art",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of the scenes with decks of any art, whose cards have arbitrary names: for the detector alone.",
)
def scenes(
    work: Path,
    seed: int,
    count: int,
    val: int,
    workers: int | None,
    backgrounds: Path | None,
    leave_out: tuple[str, ...],
    cards: Path | None,
    hard: float,
    art: float,
) -> None:
    """Render the labelled training pictures."""
    left_out = tuple(StyleFamily[name.upper()] for name in leave_out)
    kept = tuple(family for family in TRAINING_WEIGHTS if family not in left_out) if left_out else None
    generate(
        work / "scenes",
        Recipe("val", val, seed, families=left_out or None, backgrounds=backgrounds, hard=hard, art=art),
        workers,
    )
    generate(
        work / "scenes",
        Recipe("train", count, seed, families=kept, backgrounds=backgrounds, cards=cards, hard=hard, art=art),
        workers,
    )


@train.command()
@_work
@_seed
@_device
@click.option("--epochs", type=click.IntRange(1), default=4, show_default=True, help="Passes over the scenes.")
@click.option("--size", type=click.IntRange(128), default=416, show_default=True, help="Picture size in pixels.")
@click.option("--start", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Checkpoint to start from.")
@click.option(
    "--rate", type=click.FloatRange(0, min_open=True), default=0.002, show_default=True, help="Learning rate."
)
def detector(work: Path, seed: int, device: str, epochs: int, size: int, start: Path | None, rate: float) -> None:
    """Train YOLO to detect cards and corner indices."""
    _need_extra()
    from companion.models.train_detector import DetectorRun
    from companion.models.train_detector import train as run

    run(DetectorRun(work / "scenes", work, epochs, size, rate=rate, start=start, seed=seed, device=device))


@train.command()
@_work
@_seed
@_device
@click.option("--epochs", type=click.IntRange(1), default=8, show_default=True, help="Passes over the crops.")
@click.option("--start", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Checkpoint to start from.")
@click.option(
    "--hard",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of crops made hard to read; with --start, the given networks teach from the clear ones.",
)
def readers(work: Path, seed: int, device: str, epochs: int, start: Path | None, hard: float) -> None:
    """Train the classifiers of whole cards and of corner indices."""
    _need_extra()
    from companion.models.train_reader import ReaderRun
    from companion.models.train_reader import train as run

    run(ReaderRun(work / "scenes", work / "readers", epochs=epochs, seed=seed, device=device, start=start, hard=hard))


@train.command()
@_work
@_seed
@_device
@click.option(
    "--models",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of exported networks to start from. Default: the shipped ones.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Time to train for, from when the first 3,000 scenes are drawn.",
)
@click.option(
    "--batch",
    type=click.IntRange(2),
    default=64,
    show_default=True,
    help="Pictures per step of the detector; the readers get ten cards and twenty corners for each.",
)
@click.option("--workers", type=click.IntRange(1), help="Number of drawing processes; by default all cores but one.")
@_backgrounds
@_cards
def together(
    work: Path,
    seed: int,
    device: str,
    folder: Path | None,
    minutes: float,
    batch: int,
    workers: int | None,
    backgrounds: Path | None,
    cards: Path | None,
) -> None:
    """Continue training all three exported networks on scenes rendered meanwhile; best with a GPU."""
    _need_extra()
    from companion.models.together import FILES, TogetherRun
    from companion.models.together import train as run
    from companion.vision.recognition.card_detector import model_folder

    models = folder or model_folder()
    missing = [name for name in FILES if not (models / name).is_file()]
    if missing:
        raise click.ClickException(f"there is no {' and no '.join(missing)} in {models}")
    run(
        TogetherRun(
            models,
            work,
            minutes,
            seed,
            device,
            workers,
            backgrounds=backgrounds,
            cards=cards,
            batch=batch,
        )
    )
    click.echo(f"trained; `companion train export --work {work}` writes the files to read with")


@train.command()
@_work
@_seed
@_device
@click.option(
    "--models",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of exported readers whose first stages training begins from. Default: the shipped ones.",
)
@click.option(
    "--kind",
    type=click.Choice(["card", "corner"]),
    default="card",
    show_default=True,
    help="Kind of crops: whole cards or corners.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Minutes to train; an interrupted run continues.",
)
@click.option("--decks", type=click.IntRange(8), default=400, show_default=True, help="Decks to draw and train on.")
@click.option(
    "--fonts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of typefaces to use beside those of the computer.",
)
@_backgrounds
def embedding(
    work: Path,
    seed: int,
    device: str,
    folder: Path | None,
    kind: str,
    minutes: float,
    decks: int,
    fonts: Path | None,
    backgrounds: Path | None,
) -> None:
    """Train the embedding of card art, from the readers, on decks of any kind drawn first."""
    _need_extra()
    import cv2
    from rich.console import Console

    from companion.models.embedding.export import export_embedder
    from companion.models.embedding.gallery import build
    from companion.models.embedding.sources import held_out_sources, training_sources
    from companion.models.embedding.train import EmbeddingRun
    from companion.models.embedding.train import train as run
    from companion.vision.recognition.card_detector import model_folder

    cv2.setNumThreads(1)
    console = Console()
    gallery = build(work / "gallery", training_sources(fonts, backgrounds), decks, seed, console)
    held_out = build(work / "held-out", held_out_sources(fonts), max(8, decks // 16), seed + 1, console)
    run(
        EmbeddingRun(kind, folder or model_folder(), work / "embedding", minutes, seed, device),
        gallery,
        held_out,
        console,
    )
    click.echo(f"written to {export_embedder(work / 'embedding', kind)}")


@train.command()
@_work
@click.option("--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
@click.option("--limit", type=click.IntRange(1), default=4000, show_default=True, help="Number of scenes to search.")
def mine(work: Path, folder: Path | None, limit: int) -> None:
    """Mine hard negatives: false positives of the exported detector, for the classifiers to reject."""
    from companion.models.mine import mine as run

    count = run(work / "scenes", "train", (folder or work / "export") / "detector.onnx", limit)
    click.echo(f"{count} false boxes in {limit} scenes at most")


@train.command()
@click.argument("checkpoints", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
def average(checkpoints: tuple[Path, ...], target: Path) -> None:
    """Average the weights of several checkpoints of one network."""
    _need_extra()
    from companion.models.average import average as run

    try:
        run(checkpoints, target)
    except ValueError as error:
        raise click.ClickException(f"{error}: {', '.join(map(str, checkpoints))}") from error
    click.echo(f"written to {target}")


@train.command()
@_work
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
def export(work: Path, folder: Path | None) -> None:
    """Write the ONNX files, their class list and checksums."""
    _need_extra()
    from companion.models.export import export_detector, export_readers, write_manifest

    folder = folder or work / "export"
    folder.mkdir(parents=True, exist_ok=True)
    export_detector(work / "detector" / "weights" / "best.pt", folder)
    export_readers(work / "readers" / "last.pt", folder)
    write_manifest(folder)
    click.echo(f"written to {folder}")


@train.command()
@_work
@click.option("--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
@click.option(
    "--photos",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of photos with labels.json to evaluate on.",
)
@click.option("--calibrate/--no-calibrate", default=True, help="First fit the calibration on the validation scenes.")
def evaluate(work: Path, folder: Path | None, photos: Path | None, calibrate: bool) -> None:
    """Calibrate on the validation scenes, evaluate, and plot the confusion matrix and reliability diagram."""
    _need_extra()
    from rich.console import Console
    from rich.table import Table

    from companion.commands.parameters import load_detector
    from companion.models import evaluate as measures
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


@train.command()
@_work
@_seed
@click.option("--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
@click.option(
    "--decks",
    type=click.IntRange(3),
    default=24,
    show_default=True,
    help="Number of decks to draw, 63 or 87 pictures each.",
)
@click.option("--save/--check", default=True, help="Store the fit, or only check the stored one.")
def calibrate(work: Path, seed: int, folder: Path | None, decks: int, save: bool) -> None:
    """Fit confidence calibration on two thirds of the decks; check each kind of reading on the rest."""
    from rich.console import Console
    from rich.table import Table

    from companion.commands.parameters import load_detector
    from companion.models import calibrate as measures
    from companion.vision.core.calibration import Calibration

    path = (folder or work / "export") / "calibration.json"
    current = Calibration.load(path)
    detector = load_detector(None, path.parent).with_calibration(measures.unfitted(current))
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


@train.command()
@_work
@_seed
@click.option("--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
@click.option(
    "--tables",
    type=click.IntRange(6),
    default=1800,
    show_default=True,
    help="Number of tables to draw, about five per second.",
)
@click.option("--save/--check", default=True, help="Store the fit, or only check the stored one.")
def backs(work: Path, seed: int, folder: Path | None, tables: int, save: bool) -> None:
    """Fit the appearance of card backs on two thirds of the tables; check it on the rest."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    from companion.commands.parameters import load_detector
    from companion.models import backs as measures
    from companion.vision.detection.card_backs import BackLooks

    path = (folder or work / "export") / "backs.json"
    detector = load_detector(None, path.parent)

    def draw(numbers: list[int], what: str) -> list[measures.Candidates]:
        drawn = measures.drawn(detector, numbers, seed)
        return list(track(drawn, what, len(numbers), console=Console(stderr=True)))

    if save:
        measures.fitted(draw([n for n in range(tables) if n % 3 != 2], "tables to fit on")).save(path)
    grid = Table("draw piles", "tables", "outlined", "best back on pile")
    for other, one in measures.found(
        draw(list(range(2, tables, 3)), "tables to check on"), BackLooks.load(path)
    ).items():
        name = "backs of other makers" if other else "usual backs"
        grid.add_row(name, str(one.tables), str(one.outlined), str(one.best_on_pile))
    Console().print(grid)


@train.command()
@_work
@_seed
@click.option("--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
@click.option(
    "--tables",
    type=click.IntRange(8),
    default=200,
    show_default=True,
    help="Number of tables to draw, about one per second.",
)
@click.option("--save/--check", default=True, help="Store the fit, or only check the stored one.")
def top(work: Path, seed: int, folder: Path | None, tables: int, save: bool) -> None:
    """Fit which card of a pile covers the others on three quarters of the tables; check it on the rest."""
    from rich.console import Console
    from rich.progress import track

    from companion.commands.parameters import load_detector
    from companion.models import top_of_pile as measures
    from companion.vision.pile.top_card import TopModel

    path = (folder or work / "export") / "top.json"
    detector = load_detector(None, path.parent)

    def draw(numbers: list[int], what: str) -> list[measures.Pile]:
        return list(measures.drawn(detector, track(numbers, what, console=Console(stderr=True)), seed))

    if save:
        measures.fitted(draw([n for n in range(tables) if n % 4 != 3], "tables to fit on")).save(path)
    click.echo(measures.checked(draw(list(range(3, tables, 4)), "tables to check on"), TopModel.load(path)))


@train.command()
@_work
@_seed
@click.option("--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
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
    from companion.commands.parameters import load_detector
    from companion.models import evaluate_hands as measures

    edition = EditionName.CLASSIC
    detector = load_detector(edition, folder or work / "export")
    if photos:
        decks = measures.photographed_decks(photos, seed)
    else:
        decks = measures.drawn_decks(edition, seed, [StyleFamily[name.upper()] for name in families] or None)
    figures = measures.measure_hands(detector, decks, count, seed)
    click.echo(
        f"{figures.hands} hands: found and read {figures.recall:.3f}, precision {figures.precision:.3f}, "
        f"exact from one picture {figures.exact_from_one:.3f}, from three {figures.exact_from_three:.3f}"
    )


@train.command(name="all")
@_work
@_device
@click.pass_context
def everything(context: click.Context, work: Path, device: str) -> None:
    """Run all six steps with their defaults."""
    _need_extra()
    context.invoke(scenes, work=work)
    context.invoke(detector, work=work, device=device)
    context.invoke(readers, work=work, device=device)
    context.invoke(export, work=work)
    context.invoke(evaluate, work=work)
    context.invoke(backs, work=work)
