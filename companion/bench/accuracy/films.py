"""`companion bench films`: compares the transcripts of `companion follow` with what was truly played in films."""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import click
import cv2

from companion.bench.accuracy.film_variants import Alteration, AlteredFilm
from companion.bench.simulation.match_run import PLAYERS, MatchSetUp, detector_of, simulated_table
from companion.cards import Card
from companion.commands.follow import followed
from companion.commands.shared.parameters import EDITIONS
from companion.dataset.simulated.script import LIVELY, Script, write_script
from companion.editions import Edition
from companion.editions.library import Library
from companion.referee.match import Match
from companion.referee.moves import ActorMove, Draw, Flip, Play, Undo
from companion.table.hypotheses.transcriber import TranscribedMove
from companion.vision.core.runtime import ModelFileError

# People of a film neither take cards back nor knock the camera, because the transcript is compared with the moves that
# stand.
_NUISANCES = replace(LIVELY, take_back=0.0, illegal=0.0, knock=0.0, reshuffle=0.0)
# Tolerances in seconds: a card reported early or late, and a draw reported early or late. People draw after the last
# card is ruled on; a draw is reported when the hand leaves.
_CARD_OFF, _DRAW_BEFORE, _DRAW_AFTER = 3.0, 1.0, 8.0
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


class Figure(Enum):
    """What is counted in a film's transcript."""

    CARDS = "cards"
    REPORTED = "reported"
    RIGHT_PLAYER = "right player"
    INVENTED_CARDS = "cards invented"
    DRAWS = "draws"
    FOUND = "draws found"
    INVENTED_DRAWS = "draws invented"


Counts = Counter[Figure]


@dataclass(frozen=True)
class Act:
    """A landing, or a draw if `card` is None. time: in seconds. by: the player."""

    time: float
    card: Card | None
    by: str | None

    def __str__(self) -> str:
        return f"{self.time:.1f} s {self.by}: {self.card or 'draws'}"


@dataclass(frozen=True)
class Graded:
    """One film's counts, and descriptions of its errors."""

    set_up: MatchSetUp
    alteration: Alteration
    counts: Counts
    slips: tuple[str, ...]


def played(script: Script) -> list[Act]:
    """Return the true landings and draws."""
    match, acts = Match(script.header), []
    for timed in script.moves:
        assert not isinstance(timed.entry, Undo)
        if isinstance(timed.entry, Play | Flip | Draw):
            acts.append(Act(timed.time, getattr(timed.entry, "card", None), match.state.actor))
        match = match.apply(timed.entry)
    return acts


def reported_acts(moves: Iterable[TranscribedMove]) -> list[Act]:
    """Return the landings and draws of a transcript."""
    return [
        Act(reported.time, getattr(reported.move, "card", None), reported.by)
        for reported in moves
        if isinstance(reported.move, ActorMove) and isinstance(reported.move, Play | Flip | Draw)
    ]


def grade(truth: Sequence[Act], reported: Sequence[Act]) -> tuple[Counts, list[str]]:
    """Return the counts of a film, and descriptions of its errors.

    A card is found if it is reported within the tolerance; a draw if its player is also right.
    """
    counts: Counts = Counter()
    left, slips = list(reported), []
    for act in truth:
        near = [other for other in left if other.card == act.card and _is_about(act, other)]
        best = min(near, key=lambda other: (other.by != act.by, abs(other.time - act.time)), default=None)
        right = best is not None and best.by == act.by
        if act.card is None:
            counts[Figure.DRAWS] += 1
            counts[Figure.FOUND] += right
            best = best if right else None
        else:
            counts[Figure.CARDS] += 1
            counts[Figure.REPORTED] += best is not None
            counts[Figure.RIGHT_PLAYER] += right
        if best is not None:
            left.remove(best)
        if not right:
            slips.append(f"{act}: " + ("missed" if best is None else f"reported as {best.by}"))
    counts[Figure.INVENTED_CARDS] += sum(act.card is not None for act in left)
    counts[Figure.INVENTED_DRAWS] += sum(act.card is None for act in left)
    return counts, slips + [f"{act}: invented" for act in left]


def _is_about(act: Act, other: Act) -> bool:
    if act.card is None:
        return -_DRAW_BEFORE <= other.time - act.time <= _DRAW_AFTER
    return abs(other.time - act.time) <= _CARD_OFF


def film_of(set_up: MatchSetUp) -> Script:
    """Return the script of a film."""
    edition = Library()[set_up.edition]
    return write_script(set_up.seed, edition, PLAYERS[: set_up.players], _NUISANCES, set_up.moves, lively=True)


def watch(set_up: MatchSetUp, alteration: Alteration) -> Graded:
    """Follow one film and compare its transcript with the match."""
    cv2.setNumThreads(1)
    script = film_of(set_up)
    film = AlteredFilm(simulated_table(set_up, script), alteration)
    reported = followed(film, script.header, detector_of(set_up))
    counts, slips = grade(played(script), reported_acts(reported))
    return Graded(set_up, alteration, counts, tuple(slips))


@click.command()
@click.option("--films", default=3, show_default=True, type=click.IntRange(1), help="Number of matches to film.")
@click.option(
    "--seed",
    default=1,
    show_default=True,
    help="Random seed of the first match; later matches use the following numbers.",
)
@click.option("--moves", default=24, show_default=True, type=click.IntRange(1), help="Number of moves per match.")
@click.option("--edition", type=EDITIONS, default="classic", show_default=True, help="Edition to play.")
@click.option("--as", "copies", type=click.Choice([each.value for each in Alteration]), multiple=True,
              help="Kind of filming; repeatable. By default each kind in turn.")  # fmt: skip
@click.option("--photos", type=_FOLDER, help="Card photos with labels.json, used instead of drawn cards.")
@click.option("--backgrounds", type=_FOLDER, help="Pictures of table tops, used instead of drawn ones.")
@click.option("--unseen", is_flag=True, help="Draw decks and table tops in styles that no network was trained on.")
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Number of films processed in parallel."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def films(
    films: int,
    seed: int,
    moves: int,
    edition: Edition,
    copies: tuple[str, ...],
    photos: Path | None,
    backgrounds: Path | None,
    unseen: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Film simulated matches of two to five players, and follow the films as `companion follow` does.

    Landings, draws and their players are compared with the truth. Each match is filmed in every requested way: by a
    good camera, mirrored, in the dim, coarse, slow or swaying, with hands of cards in view, with somebody leaning in,
    or with hands resting on the draw pile.
    """
    if unseen and (photos or backgrounds):
        raise click.UsageError("--unseen chooses decks and table tops: leave out --photos and --backgrounds.")
    cards, tops = (None if folder is None else str(folder) for folder in (photos, backgrounds))
    wanted = [
        (MatchSetUp(seed + i, edition.id, 2 + i % 4, moves, photos=cards, backgrounds=tops, unseen=unseen), alteration)
        for i in range(films)
        for alteration in ([Alteration(name) for name in copies] or list(Alteration))
    ]
    graded = []
    try:
        for one in _all(wanted, jobs):
            graded.append(one)
            click.echo("\n  ".join([f"{one.set_up}, {one.alteration.value}:", *one.slips]), err=True)
    except ModelFileError as error:
        raise click.ClickException(str(error)) from error
    rows = rows_of(graded)
    click.echo(json.dumps(rows) if as_json else _table(rows))


def _all(wanted: Sequence[tuple[MatchSetUp, Alteration]], jobs: int) -> Iterator[Graded]:
    if jobs == 1:
        yield from (watch(*each) for each in wanted)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for future in as_completed([pool.submit(watch, *each) for each in wanted]):
            yield future.result()


def rows_of(graded: Sequence[Graded]) -> dict[str, dict[str, int]]:
    """Return the counts per film, per way of filming, and in total."""
    films = sorted(graded, key=lambda film: (list(Alteration).index(film.alteration), film.set_up.seed))
    rows = {f"{film.set_up.seed} {film.alteration.value}": film.counts for film in films}
    for alteration in Alteration:
        same = [film.counts for film in films if film.alteration is alteration]
        if len(same) > 1:
            rows[f"all {alteration.value}"] = sum(same, Counter())
    rows["all"] = sum((film.counts for film in films), Counter())
    return {name: {figure.value: counts[figure] for figure in Figure} for name, counts in rows.items()}


def _table(rows: dict[str, dict[str, int]]) -> str:
    lines = [f"{'':16}" + "".join(f"{figure.value:>16}" for figure in Figure)]
    lines += [f"{name:16}" + "".join(f"{count:>16}" for count in row.values()) for name, row in rows.items()]
    return "\n".join(lines)
