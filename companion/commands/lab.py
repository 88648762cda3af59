"""`companion lab`: random rounds of an edition, and what they show about its cards and house rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from companion.caller import Caller
from companion.commands.shared.parameters import EDITIONS, OPTIONS, header_of
from companion.editions import Edition
from companion.laboratory import Report, report

_WIDTH = 40
_BARS = 12


@click.command()
@click.argument("edition", type=EDITIONS, default="classic")
@OPTIONS
@click.option("--rules", default="official", show_default=True, help="Profile of the rules.")
@click.option("--players", type=click.IntRange(2, 10), default=4, show_default=True, help="Number of players.")
@click.option("--rounds", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Number of rounds.")
@click.option("--seed", default=1, show_default=True, help="Random seed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Write the lengths of rounds as an SVG picture."
)
def lab(
    edition: Edition,
    options: Sequence[str],
    rules: str,
    players: int,
    rounds: int,
    seed: int,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Play random rounds of EDITION and report their length, who wins, and what each card makes people draw.

    People play better than chance; compare two sets of rules with each other, not with your evening.
    """
    names = [f"Player {seat + 1}" for seat in range(players)]
    header = header_of(names, None, edition, rules, options)
    found = report(header.edition, header.options, players, rounds, seed)
    if plot is not None:
        try:
            plot.write_text(histogram(found, Caller().edition_title(header.edition)), "utf-8")
        except OSError as error:
            raise click.ClickException(f"{plot} cannot be written: {error.strerror}.") from error
    if as_json:
        click.echo(json.dumps(as_values(found)))
        return
    low, middle, high = found.turns_spread
    click.echo(f"{found.rounds} rounds, {players} players")
    click.echo(
        f"turns in a round: {found.turns_mean:.1f} on average, half of them up to {middle:.0f}, "
        f"80 % between {low:.0f} and {high:.0f}"
    )
    click.echo(f"the first player wins {found.beginner_wins:.1%} of rounds (equal odds: {1 / players:.1%})")
    click.echo(f"the first with one card does not win in {found.leader_caught:.1%} of rounds")
    if found.eliminated:
        click.echo(f"players out of a round: {found.eliminated:.2f}")
    if found.unfinished:
        click.echo(f"rounds broken off: {found.unfinished}")
    click.echo("cards drawn in a round, by reason:")
    most = max(found.drawn.values(), default=1.0)
    for why, count in found.drawn.items():
        click.echo(f"  {why:24} {count:6.2f} {'#' * round(_WIDTH * count / most)}")


def as_values(found: Report) -> dict[str, object]:
    """Return a report as plain values."""
    low, middle, high = found.turns_spread
    return {
        "rounds": found.rounds,
        "players": found.players,
        "turns": {"mean": round(found.turns_mean, 2), "low": low, "median": middle, "high": high},
        "beginner_wins": round(found.beginner_wins, 4),
        "leader_caught": round(found.leader_caught, 4),
        "drawn": {why: round(count, 3) for why, count in found.drawn.items()},
        "wins": list(found.wins),
        "eliminated": round(found.eliminated, 3),
        "unfinished": found.unfinished,
    }


def histogram(found: Report, title: str) -> str:
    """Return the lengths of rounds as an SVG picture: one bar for each range of turns."""
    turns = found.turns or (0,)
    width = max(1, -(-(max(turns) + 1) // _BARS))
    counts = [0] * _BARS
    for length in turns:
        counts[min(_BARS - 1, length // width)] += 1
    tallest = max(counts)
    bars = []
    for place, count in enumerate(counts):
        height = 200 * count / tallest if tallest else 0
        left = 40 + 45 * place
        bars.append(f'<rect x="{left}" y="{240 - height:.1f}" width="40" height="{height:.1f}" fill="#2e7fc4"/>')
        bars.append(f'<text x="{left + 20}" y="256" text-anchor="middle">{place * width}</text>')
    text = title.replace("&", "&amp;").replace("<", "&lt;")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 280" font-family="sans-serif" font-size="12">'
        f'<text x="40" y="24" font-size="16">{text}: turns in a round ({found.rounds} rounds)</text>'
        f"{''.join(bars)}</svg>\n"
    )
