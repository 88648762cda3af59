"""`companion bench matches`: whole simulated matches from frames to rulings, compared with the truth."""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import click
import numpy as np
from pydantic import TypeAdapter, ValidationError

from companion.bench.accuracy.style_option import families_named
from companion.bench.simulation.arm_scoring import Count
from companion.bench.simulation.gaps import TopAfterGap
from companion.bench.simulation.match_run import MatchResult, MatchSetUp, header_by, play
from companion.bench.simulation.pile_scoring import Outcome
from companion.bench.simulation.rulings import Draws, Ruling
from companion.commands.shared.parameters import EDITIONS, OPTIONS, RULES
from companion.dataset.simulated.simulation import PileChange
from companion.editions import Edition
from companion.editions.library import printed
from companion.vision.core.runtime import ModelFileError

# Possible outcomes of a landing, or of a card taken back.
_GRADABLE = (Ruling.RIGHT, Ruling.ASKED, Ruling.WRONG, Ruling.MENDED, Ruling.MISSED)
# Moves in a round of four players: 62 cards played, 34 draws and passes.
_MOVES_PER_ROUND = 96
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_EVENING: TypeAdapter[MatchResult] = TypeAdapter(MatchResult)


@click.command()
@click.option("--matches", default=3, show_default=True, type=click.IntRange(1), help="Number of matches.")
@click.option(
    "--seed",
    default=1,
    show_default=True,
    help="Random seed of the first match; later matches use the following numbers.",
)
@click.option("--moves", default=12, show_default=True, type=click.IntRange(1), help="Number of moves per match.")
@click.option("--edition", type=EDITIONS, help="Edition to play; by default each in turn.")
@click.option("--families", callback=families_named, metavar="A,B", help="Style families of the decks; by default all.")
@click.option("--photos", type=_FOLDER, help="Card photos with labels.json, used instead of drawn cards.")
@click.option("--backgrounds", type=_FOLDER, help="Pictures of table tops, used instead of drawn ones.")
@click.option("--fonts", type=_FOLDER, help="Folder of typefaces for drawn decks; by default the computer's.")
@click.option("--unseen", is_flag=True, help="Draw decks and table tops in styles that no network was trained on.")
@RULES
@OPTIONS
@click.option("--hands-free", is_flag=True, help="Lively people who tap only what no camera could see.")
@click.option("--gaps", is_flag=True, help="Cover the lens, stop the phone or restart the program from time to time.")
@click.option("--learnt", is_flag=True, help="Learn each deck first, laid card by card on its table.")
@click.option("--model", type=_FOLDER, help="Folder of the networks.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that keeps each match, so that an interrupted run continues.",
)
@click.option("--pictures", type=click.Path(path_type=Path, file_okay=False), help="Folder for pictures of mistakes.")
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="File for figures and mistakes.")
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Number of matches processed in parallel."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def matches(
    matches: int,
    seed: int,
    moves: int,
    edition: Edition | None,
    families: tuple[str, ...],
    photos: Path | None,
    backgrounds: Path | None,
    fonts: Path | None,
    unseen: bool,
    hands_free: bool,
    gaps: bool,
    learnt: bool,
    rules: str,
    options: tuple[str, ...],
    model: Path | None,
    log: Path | None,
    pictures: Path | None,
    report: Path | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Play simulated matches of two to six players, with every nuisance, through networks, tracker and table.

    What no camera sees is tapped as it happens; with --hands-free nothing else is, neither draws nor passes nor
    colours. Each ruling is compared with what was truly played. Figures are comparable only if decks were drawn with
    the same typefaces: with others the same seed gives other decks.
    """
    if unseen and (families or photos or backgrounds):
        raise click.UsageError(
            "--unseen chooses decks and table tops: leave out --families, --photos and --backgrounds."
        )
    editions = [edition.id] if edition else list(printed())
    networks, cards, tops = (None if folder is None else str(folder) for folder in (model, photos, backgrounds))
    wanted = [
        MatchSetUp(
            seed + i,
            editions[i % len(editions)],
            2 + i // len(editions) % 5,
            moves,
            families,
            networks,
            cards,
            tops,
            unseen,
            hands_free,
            learnt,
            rules,
            options,
            None if fonts is None else str(fonts),
            gaps,
        )
        for i in range(matches)
    ]
    header_by(wanted[0])  # an unknown rule is reported before anything is played
    try:
        evenings = list(_evenings(wanted, log, pictures, jobs))
        if report is not None:
            report.write_text(as_markdown(evenings), "utf-8")
    except ModelFileError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename} cannot be used: {error.strerror}") from error
    click.echo(json.dumps(_rows(evenings)) if as_json else as_markdown(evenings))


def _evenings(
    wanted: Sequence[MatchSetUp], log: Path | None, pictures: Path | None, jobs: int
) -> Iterator[MatchResult]:
    """Yield the matches, those already in the log first; new ones are appended to it as they end."""
    kept = {evening.set_up: evening for evening in _read(log)}
    left = []
    for set_up in wanted:
        if set_up in kept:
            yield kept[set_up]
        else:
            left.append(set_up)
    for done, evening in enumerate(_play_all(left, pictures, jobs), 1):
        if log is not None:
            with log.open("a", encoding="utf-8") as lines:
                lines.write(_EVENING.dump_json(evening).decode() + "\n")
        click.echo(f"{done} of {len(left)}: match {evening.set_up}, {len(evening.slips)} mistakes", err=True)
        yield evening


def _play_all(wanted: Sequence[MatchSetUp], pictures: Path | None, jobs: int) -> Iterator[MatchResult]:
    if jobs == 1:
        yield from (play(set_up, pictures) for set_up in wanted)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play, set_up, pictures) for set_up in wanted]):
            yield future.result()


def _read(log: Path | None) -> Iterator[MatchResult]:
    """Yield the matches of a log, without a truncated last line."""
    if log is None or not log.is_file():
        return
    for line in log.read_text("utf-8").splitlines():
        try:
            yield _EVENING.validate_json(line)
        except ValidationError:
            continue


def _rows(evenings: Sequence[MatchResult]) -> dict[str, dict[str, float]]:
    """Return the figures by row and measure; a measure's name ends with its unit."""
    rulings, pile = _total(e.rulings for e in evenings), _total(e.pile for e in evenings)
    rows: dict[str, dict[str, float]] = {
        "rulings": {f"{ruling.value} rulings": rulings[ruling.value] for ruling in Ruling},
        "without asking": {"share": round(rulings["right"] / max(1, _gradable(rulings)), 4)},
    }
    for change in PileChange:
        counts = {f"{outcome.value} events": pile[f"{change.value}: {outcome.value}"] for outcome in Outcome}
        rows[f"pile: {change.value}"] = dict(counts)
    rows["pile: nothing happened"] = {"invented events": pile[f"nothing: {Outcome.INVENTED.value}"]}
    if any(evening.set_up.hands_free for evening in evenings):
        rows["hands free"] = hands_figures(evenings)
    if any(evening.set_up.gaps for evening in evenings):
        rows["tops after a gap"] = {f"{top} tops": count for top, count in _tops(evenings).items()}
    latencies = [latency for evening in evenings for latency in evening.latencies]
    if latencies:
        median, late = np.percentile(latencies, [50, 95])
        rows["footage until reported"] = {"median ms": round(1000 * median), "p95 ms": round(1000 * late)}
    return rows


def hands_figures(evenings: Sequence[MatchResult]) -> dict[str, float]:
    """Return the figures of matches in which nobody tapped what a camera can see."""
    hands, rulings = _total(e.hands for e in evenings), _total(e.rulings for e in evenings)
    landings, draws = hands[Count.LANDINGS.value], hands[Count.DRAWS.value]
    rounds = sum(evening.set_up.moves / _MOVES_PER_ROUND for evening in evenings)
    figures = {
        "landings with the right arm, share": hands[Count.RIGHT_ARM.value] / max(1, landings),
        "draws reported, share": hands[Count.FOUND.value] / max(1, draws),
        "draws not reported": draws - hands[Count.FOUND.value],
        "reaches with the right arm, share": hands[Count.RIGHT_DRAWER.value] / max(1, hands[Count.FOUND.value]),
        "reaches invented per 100 landings": 100 * hands[Count.INVENTED.value] / max(1, landings),
        "draws found, share": hands[Draws.RULED.value] / max(1, hands[Draws.TRUE.value]),
        "draws missed": hands[Draws.TRUE.value] - hands[Draws.RULED.value],
        "draws invented per 100 landings": 100 * hands[Draws.INVENTED.value] / max(1, landings),
        "turns right after a landing, share": (rulings["right"] + rulings["asked"]) / max(1, _gradable(rulings)),
        "matches that never derailed": sum(not evening.derailed for evening in evenings),
        "taps per round": sum(evening.taps for evening in evenings) / rounds,
    }
    return {name: round(value, 4) for name, value in figures.items()}


def _tops(evenings: Sequence[MatchResult]) -> dict[str, int]:
    """Return how many tops were reported in which way after gaps."""
    after = _total(evening.gaps for evening in evenings)
    return {top.value: after[top.value] for top in TopAfterGap}


def _gradable(rulings: Counter[str]) -> int:
    return sum(rulings[ruling.value] for ruling in _GRADABLE)


def _total(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for some in counts:
        total.update(some)
    return total


def best_temperature(readings: Iterable[Sequence[float]]) -> float:
    """Return the temperature that maximises the likelihood of the true cards."""
    rows = [np.log(np.maximum([*reading, 1 - sum(reading)], 1e-6)) for reading in readings]

    def loss(temperature: float) -> float:
        return -sum(float(row[0] / temperature - np.logaddexp.reduce(row / temperature)) for row in rows)

    return float(min(np.geomspace(0.4, 2.5, 60), key=loss))


def as_markdown(evenings: Sequence[MatchResult]) -> str:
    """Return the figures and all errors as Markdown."""
    seeds = [evening.set_up.seed for evening in evenings]
    rulings, questions = _total(e.rulings for e in evenings), _total(e.questions for e in evenings)
    seconds = sum(e.frames for e in evenings) / 30
    lines = [
        f"{len(evenings)} matches, seeds {min(seeds)} to {max(seeds)}, {evenings[0].set_up.moves} moves each, "
        f"{seconds:.0f} s of footage, {sum(e.cpu for e in evenings) / seconds:.3f} CPU s per second of it.",
        "",
        "| pile | " + " | ".join(outcome.value for outcome in Outcome) + " |",
        "| --- |" + " ---: |" * len(Outcome),
    ]
    pile = _total(e.pile for e in evenings)
    for name in (*(change.value for change in PileChange), "nothing"):
        lines.append(f"| {name} | " + " | ".join(str(pile[f"{name}: {outcome.value}"]) for outcome in Outcome) + " |")
    lines += ["", "| rulings | |", "| --- | ---: |"]
    lines += [f"| {ruling.value} | {rulings[ruling.value]} |" for ruling in Ruling]
    lines.append(f"| right without asking | {rulings['right'] / max(1, _gradable(rulings)):.1%} |")
    if any(evening.set_up.gaps for evening in evenings):
        lines += ["", "| tops after a gap | |", "| --- | ---: |"]
        lines += [f"| {top} | {count} |" for top, count in _tops(evenings).items()]
    if any(evening.set_up.hands_free for evening in evenings):
        lines += ["", "| hands free | |", "| --- | ---: |"]
        lines += [f"| {name} | {value:g} |" for name, value in hands_figures(evenings).items()]
    lines += ["", "Asked: " + (", ".join(f"{kind} {n}" for kind, n in questions.items()) or "nothing") + "."]
    latency = _rows(evenings).get("footage until reported")
    if latency:
        lines.append(f"Footage until a report: median {latency['median ms']} ms, p95 {latency['p95 ms']} ms.")
    readings = [reading for e in evenings for reading in e.readings]
    if readings:
        lines.append(f"Readings of landed cards would fit best at {best_temperature(readings):.2f} x the temperature.")
    wrong = [(e.set_up, slip) for e in sorted(evenings, key=lambda e: e.set_up.seed) for slip in e.slips]
    if wrong:
        lines += ["", "| match | s | what | truth | said |", "| --- | ---: | --- | --- | --- |"]
        lines += [f"| {s} | {slip.time:.1f} | {slip.kind} | {slip.truth} | {slip.said} |" for s, slip in wrong]
    return "\n".join(lines) + "\n"
