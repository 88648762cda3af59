"""`companion bench referee`: speed of the referee on random matches with every rule on, and of replaying a long one.

Measures processor time of one core, which does not depend on other load.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random
from time import process_time
from timeit import repeat

import click

from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.referee.match import replay as play_back
from companion.referee.random_player import random_match
from companion.referee.state import Header

_REPLAYED = 500
_NEVER_REACHED = 10**9


@click.command()
@click.option("--seconds", default=2.0, show_default=True, help="Seconds to play each edition.")
@click.option("--players", default=4, show_default=True, type=click.IntRange(2, 10), help="Number of players.")
@click.option("--seed", default=1, show_default=True, help="Random seed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def referee(seconds: float, players: int, seed: int, as_json: bool) -> None:
    """Play random matches and count the moves that the referee rules on per second of processor time."""
    rows: dict[str, dict[str, float]] = {}
    for name in EditionName:
        header = _header(name, players)
        matches, steps, took = _play(header, Random(seed), seconds)
        rows[name.value] = {"steps per second": round(steps / took), "matches per second": round(matches / took, 1)}
        if not as_json:
            click.echo(
                f"{name.value:10}  {steps / took:8,.0f} steps/s  {matches / took:7.1f} matches/s"
                f"  ({players} players, {steps / matches:,.0f} steps a match)"
            )
    replayed, amended = _replay(players, Random(seed))
    rows[f"{_REPLAYED} moves"] = {"replayed ms": round(replayed, 1), "amended from the first ms": round(amended, 1)}
    if as_json:
        click.echo(json.dumps(rows))
    else:
        click.echo(f"{_REPLAYED} moves: replayed in {replayed:.1f} ms, amended from the first in {amended:.1f} ms")


def _header(name: EditionName, players: int, target: int = 500) -> Header:
    edition = EDITIONS[name]
    names = tuple(f"Player {seat + 1}" for seat in range(players))
    return Header(edition, names, players - 1, replace(edition.options, target=target))


def _play(header: Header, random: Random, seconds: float) -> tuple[int, int, float]:
    matches = steps = 0
    begun = process_time()
    while (took := process_time() - begun) < seconds or not matches:
        matches += 1
        steps += sum(1 for _ in random_match(header, random))
    return matches, steps, took


def _replay(players: int, random: Random) -> tuple[float, float]:
    """Return the milliseconds to replay a long match, and to amend its first move."""
    header = _header(EditionName.MARIO_KART, players, target=_NEVER_REACHED)
    moves = [move for move, _, _ in islice(random_match(header, random), _REPLAYED)]
    match = play_back(header, moves)
    return _best(lambda: play_back(header, moves)), _best(lambda: match.amend(1, moves[0]))


def _best(work: Callable[[], object]) -> float:
    return min(repeat(work, timer=process_time, number=1, repeat=20)) * 1000
