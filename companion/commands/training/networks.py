"""Steps that draw scenes, train networks and export them."""

from __future__ import annotations

from pathlib import Path

import click

from companion.commands.training import options
from companion.dataset.artist.families import TRAINING_WEIGHTS, StyleFamily
from companion.dataset.scenes.generate import Recipe, generate


@click.command()
@options.work
@options.seed
@click.option("--count", type=click.IntRange(1), default=12000, show_default=True, help="Number of training scenes.")
@click.option("--val", type=click.IntRange(1), default=400, show_default=True, help="Number of validation scenes.")
@click.option("--workers", type=click.IntRange(1), help="Number of processes; by default one per core.")
@options.backgrounds
@click.option(
    "--leave-out",
    type=click.Choice([family.name.lower() for family in StyleFamily]),
    multiple=True,
    help="Train without this style family and validate on it alone.",
)
@options.cards
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


@click.command()
@options.work
@options.seed
@options.device
@click.option("--epochs", type=click.IntRange(1), default=4, show_default=True, help="Passes over the scenes.")
@click.option("--size", type=click.IntRange(128), default=416, show_default=True, help="Picture size in pixels.")
@options.start
@click.option(
    "--rate", type=click.FloatRange(0, min_open=True), default=0.002, show_default=True, help="Learning rate."
)
def detector(work: Path, seed: int, device: str, epochs: int, size: int, start: Path | None, rate: float) -> None:
    """Train YOLO to detect cards and corner indices."""
    options.need_extra()
    from companion.models.training.detector import DetectorRun
    from companion.models.training.detector import train as run

    run(DetectorRun(work / "scenes", work, epochs, size, rate=rate, start=start, seed=seed, device=device))


@click.command()
@options.work
@options.seed
@options.device
@click.option("--epochs", type=click.IntRange(1), default=8, show_default=True, help="Passes over the crops.")
@options.start
@click.option(
    "--hard",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of crops made hard to read; with --start, the given networks teach from the clear ones.",
)
def readers(work: Path, seed: int, device: str, epochs: int, start: Path | None, hard: float) -> None:
    """Train the classifiers of whole cards and of corner indices."""
    options.need_extra()
    from companion.models.training.readers import ReaderRun
    from companion.models.training.readers import train as run

    run(ReaderRun(work / "scenes", work / "readers", epochs=epochs, seed=seed, device=device, start=start, hard=hard))


@click.command()
@options.work
@options.seed
@options.device
@options.shipped
@options.minutes(10.0)
@click.option(
    "--batch",
    type=click.IntRange(2),
    default=64,
    show_default=True,
    help="Pictures per step of the detector; the readers get ten cards and twenty corners for each.",
)
@click.option("--workers", type=click.IntRange(1), help="Number of drawing processes; by default all cores but one.")
@options.backgrounds
@options.cards
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
    options.need_extra()
    from companion.models.training.joint import FILES, TogetherRun
    from companion.models.training.joint import train as run
    from companion.vision.core.runtime import model_folder

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


@click.command()
@options.work
@options.seed
@options.device
@options.shipped
@click.option(
    "--kind",
    type=click.Choice(["card", "part"]),
    default="card",
    show_default=True,
    help="Kind of crops: whole cards, or parts of cards that others cover.",
)
@options.minutes(60.0)
@click.option("--decks", type=click.IntRange(8), default=400, show_default=True, help="Decks to draw and train on.")
@options.fonts
@options.backgrounds
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
    """Train an embedding of card art on decks of any kind drawn first.

    That of whole cards starts from the card reader, that of parts from the one of whole cards.
    """
    options.need_extra()
    import cv2
    from rich.console import Console

    from companion.models.embedding.export import export_embedder
    from companion.models.embedding.gallery import build
    from companion.models.embedding.sources import held_out_sources, training_sources
    from companion.models.embedding.train import EmbeddingRun
    from companion.models.embedding.train import train as run
    from companion.vision.core.runtime import model_folder

    cv2.setNumThreads(1)
    console = Console()
    # The embedding of whole cards is trained without decks of pictures from edge to edge.
    prefix, edges = ("part-", 0.4) if kind == "part" else ("", 0.0)
    gallery = build(work / f"{prefix}gallery", training_sources(fonts, backgrounds), decks, seed, console, edges)
    held_out = build(work / f"{prefix}held-out", held_out_sources(fonts), max(8, decks // 16), seed + 1, console, edges)
    run(
        EmbeddingRun(kind, folder or model_folder(), work / "embedding", minutes, seed, device),
        gallery,
        held_out,
        console,
    )
    click.echo(f"written to {export_embedder(work / 'embedding', kind)}")


@click.command(name="print-head")
@options.work
@options.seed
@options.device
@options.shipped
@options.minutes(50.0)
@click.option("--chunks", type=click.IntRange(1), default=90, show_default=True, help="Lots of 60 scenes to draw.")
@click.option("--continue", "continued", is_flag=True, help="Continue the training of the exported head.")
@options.fonts
@options.backgrounds
def print_head(
    work: Path,
    seed: int,
    device: str,
    folder: Path | None,
    minutes: float,
    chunks: int,
    continued: bool,
    fonts: Path | None,
    backgrounds: Path | None,
) -> None:
    """Train a second head of the detector, for outlines of cards of any print, on scenes drawn meanwhile."""
    options.need_extra()
    import multiprocessing

    from companion.models.embedding.sources import training_sources
    from companion.models.networks.outlines import export_outlines
    from companion.models.training.print_head import PrintHeadRun
    from companion.models.training.print_head import train as run
    from companion.models.training_data.print_scenes import draw
    from companion.vision.core.runtime import model_folder

    models = folder or model_folder()
    scenes, weights = work / "print-scenes", work / "print-head.pt"
    context = multiprocessing.get_context("spawn")
    drawing = context.Process(target=draw, args=(scenes, training_sources(fonts, backgrounds), seed, chunks))
    drawing.start()
    exported = models / "outlines.onnx" if continued else None
    run(PrintHeadRun(models / "detector.pt", scenes, weights, minutes, seed, device, exported))
    drawing.terminate()
    drawing.join()
    target = work / "export" / "outlines.onnx"
    target.parent.mkdir(parents=True, exist_ok=True)
    export_outlines(models / "detector.pt", weights, target)
    click.echo(f"written to {target}")


@click.command()
@options.work
@options.exported
@click.option("--limit", type=click.IntRange(1), default=4000, show_default=True, help="Number of scenes to search.")
def mine(work: Path, folder: Path | None, limit: int) -> None:
    """Mine hard negatives: false positives of the exported detector, for the classifiers to reject."""
    from companion.models.training_data.hard_negatives import mine as run

    count = run(work / "scenes", "train", (folder or work / "export") / "detector.onnx", limit)
    click.echo(f"{count} false boxes in {limit} scenes at most")


@click.command()
@click.argument("checkpoints", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
def average(checkpoints: tuple[Path, ...], target: Path) -> None:
    """Average the weights of several checkpoints of one network."""
    options.need_extra()
    from companion.models.networks.average import average as run

    try:
        run(checkpoints, target)
    except ValueError as error:
        raise click.ClickException(f"{error}: {', '.join(map(str, checkpoints))}") from error
    click.echo(f"written to {target}")


@click.command()
@options.work
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export.")
def export(work: Path, folder: Path | None) -> None:
    """Write the ONNX files, their class list and checksums."""
    options.need_extra()
    from companion.models.networks.export import export_detector, export_readers, write_manifest

    folder = folder or work / "export"
    folder.mkdir(parents=True, exist_ok=True)
    export_detector(work / "detector" / "weights" / "best.pt", folder)
    export_readers(work / "readers" / "last.pt", folder)
    write_manifest(folder)
    click.echo(f"written to {folder}")
