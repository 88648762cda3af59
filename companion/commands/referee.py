"""`companion referee` rules on a transcript, `companion score-hand` adds up a hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import click

from companion.caller import Caller
from companion.caller.card_names import parse_card
from companion.cards import UnknownCardError
from companion.commands.shared.parameters import EDITIONS, LANGUAGES
from companion.editions import Edition
from companion.editions.library import FOLDER_NAME, Library
from companion.referee.effects import Effect
from companion.referee.errors import RefereeError
from companion.referee.match import Match, spelled
from companion.referee.model.scoring import card_points, hand_points
from companion.referee.moves import Amend, Entry, Undo
from companion.referee.state import State
from companion.referee.transcript import (
    TranscriptError,
    parse_line,
    read_entry,
    read_header,
    write_effect,
    write_entry,
    write_state,
)
from companion.text_files import utf8_lines

_ACCEPTED, _REFUSED, _UNREADABLE = range(3)


@dataclass(frozen=True, slots=True)
class _Ruling:
    """The result of one line. `n` is the number of accepted moves, `error` why the line was refused."""

    entry: Entry
    n: int
    state: State
    effects: tuple[Effect, ...] = ()
    said: tuple[str, ...] = ()
    error: RefereeError | None = None


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--text", is_flag=True, help="Print sentences instead of JSON Lines.")
@click.option("--language", type=LANGUAGES, default="en", show_default=True, help="Language of the sentences.")
def referee(file: BinaryIO, text: bool, language: str) -> None:
    """Replay a match transcript and rule on each of its moves.

    FILE is the transcript; use - for standard input. Exit status: 0 if all moves are accepted, 1 if some are refused,
    2 if a line cannot be read.
    """
    caller = Caller(language)
    write = _as_text if text else _as_json
    status = _ACCEPTED
    try:
        for ruling in _rule(file, caller, Library(_editions_folder)):
            click.echo(write(ruling, caller))
            if ruling.error is not None:
                status = _REFUSED
    except TranscriptError as error:
        click.echo(f"companion referee: {error}", err=True)
        status = _UNREADABLE
    except UnicodeDecodeError:
        click.echo("companion referee: the text is not UTF-16 to its end", err=True)
        status = _UNREADABLE
    except OSError as error:
        click.echo(f"companion referee: {file.name} cannot be read: {error.strerror}", err=True)
        status = _UNREADABLE
    sys.exit(status)


def _editions_folder() -> Path:
    """Return the folder of the user's own editions, looked up only for a header that names one of them."""
    from companion.settings import default_data_folder

    parent = click.get_current_context().parent
    data = None if parent is None else parent.params.get("data")
    return Path(data or default_data_folder()) / FOLDER_NAME


def _rule(file: BinaryIO, caller: Caller, editions: Library) -> Iterator[_Ruling]:
    """Yield a ruling for each line after the header. Raises a TranscriptError that names the line."""
    match: Match | None = None
    number = 0
    for number, line in enumerate(utf8_lines(file), 1):
        if not line.strip():
            continue
        try:
            value = parse_line(line)
            if match is None:
                match = Match(read_header(value, editions))
                continue
            entry = read_entry(value, match.header.edition)
        except TranscriptError as error:
            raise TranscriptError(f"line {number}: {error}", error.value) from error
        match, ruling = _take(match, entry, caller)
        yield ruling
    if match is None:
        raise TranscriptError(f"line {number + 1}: the header is missing")


def _take(match: Match, entry: Entry, caller: Caller) -> tuple[Match, _Ruling]:
    before = match.state
    entry = spelled(match.state.header, entry)
    try:
        if isinstance(entry, Undo | Amend):
            after = match.undo() if isinstance(entry, Undo) else match.amend(entry.n, entry.move)
            effects: tuple[Effect, ...] = ()
            said = caller.correct(before, after.state, rewritten=_is_rewritten(match, entry))
            match = after
        else:
            match = match.apply(entry)
            effects = match.history[-1].effects
            said = caller.say(effects, before, match.state)
    except RefereeError as error:
        return match, _Ruling(entry, len(match.history), before, error=error)
    return match, _Ruling(entry, len(match.history), match.state, effects, tuple(said))


def _is_rewritten(match: Match, entry: Undo | Amend) -> bool:
    """Whether the accepted entry removes or replaces a move."""
    return isinstance(entry, Undo) or entry.move != match.history[entry.n - 1].move


def _as_json(ruling: _Ruling, caller: Caller) -> str:
    line: dict[str, object]
    if ruling.error is None:
        line = {
            "n": ruling.n,
            "ok": True,
            "effects": [write_effect(effect) for effect in ruling.effects],
            "say": ruling.said,
        }
    else:
        line = {"ok": False, "error": ruling.error.code, "message": caller.refuse(ruling.error)}
    return json.dumps({**line, "state": write_state(ruling.state)})


def _as_text(ruling: _Ruling, caller: Caller) -> str:
    move = json.dumps(write_entry(ruling.entry), ensure_ascii=False)
    if ruling.error is None:
        lines = [f"{ruling.n:4}  {move}", *(f"      “{sentence}”" for sentence in ruling.said)]
    else:
        lines = [f"   ✗  {move}", f"      {caller.refuse(ruling.error)}"]
    text = "\n".join([*lines, *(f"      {line}" for line in caller.describe(ruling.state))])
    # JSON can spell half a character, which no terminal can show.
    return text.encode(errors="backslashreplace").decode()


@click.command("score-hand")
@click.argument("cards")
@click.option("--edition", type=EDITIONS, help="Edition whose cards and points count.")
def score_hand(cards: str, edition: Edition | None) -> None:
    """Add up the points of a hand. CARDS are card names separated by commas.

    Names may be short and in any language: "R7, +4, Rot Zieh zwei".
    """
    try:
        hand = [parse_card(name, edition) for name in cards.split(",") if name.strip()]
    except UnknownCardError as error:
        raise click.BadParameter(str(error), param_hint="CARDS") from error
    width = max((len(card.name) for card in hand), default=0)
    for card in hand:
        click.echo(f"{card.name:{width}}  {card_points(card, edition):4}")
    click.echo(f"{'total':{width}}  {hand_points(hand, edition):4}")
