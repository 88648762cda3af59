"""The match transcript: JSON Lines in and out, as TRANSCRIPT.md defines them.

Reading checks everything that can be checked without the rules, so that what comes out is well typed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any, NoReturn, TypeVar

from companion.cards import Card, Color, EditionName, UnknownCardError
from companion.referee import moves
from companion.referee.editions import EDITIONS, OPTIONS, PROFILES, InvalidOptionError, Options
from companion.referee.effects import Effect
from companion.referee.state import Header, InvalidHeaderError, State

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Enum)


class TranscriptError(ValueError):
    """A line cannot be read. `value` is what was found instead of what should stand there."""

    def __init__(self, message: str, value: object = None) -> None:
        super().__init__(message)
        self.value = value


def parse_line(line: bytes) -> object:
    """Return the JSON value that the line holds, a byte order mark before it passed over; raises TranscriptError."""
    try:
        return json.loads(line.decode("utf-8-sig").strip())
    except UnicodeDecodeError as error:
        raise TranscriptError("the text is not UTF-8", line) from error
    except json.JSONDecodeError as error:
        raise TranscriptError(f"not JSON: {error.msg} at column {error.colno}", line) from error
    except ValueError as error:
        raise TranscriptError("not JSON that can be read: a number is too long", line) from error
    except RecursionError as error:
        raise TranscriptError("not JSON that can be read: it is nested too deeply", line) from error


def read_header(value: object) -> Header:
    """Return the set-up that a transcript's first line describes; raises TranscriptError."""
    match = _Fields(_Fields(value, "header").get("match", dict, "an object"), "match")
    edition = EDITIONS[match.one_of("edition", EditionName)]
    players = match.get("players", list, "a list of names")
    for player in players:
        if not isinstance(player, str):
            _refuse("a player's name", "text", player)
    dealer = match.get("dealer", str, "a player's name", default=players[-1] if players else "")
    if dealer not in players:
        raise TranscriptError(f"the dealer {_shown(dealer)} is not among the players", dealer)
    options = read_options(
        edition.options,
        match.get("profile", str, "a profile's name", default="official"),
        match.get("options", dict, "an object", default={}),
    )
    try:
        return Header(edition, tuple(players), players.index(dealer), options)
    except (InvalidHeaderError, InvalidOptionError) as error:
        raise TranscriptError(str(error), error.value) from error


def read_options(base: Options, profile: str, given: Mapping[str, object]) -> Options:
    """Return `base` changed by the profile and, on top of it, by the options given; raises TranscriptError."""
    if profile not in PROFILES:
        raise TranscriptError(f"there is no profile {_shown(profile)}", profile)
    values = dict(PROFILES[profile])
    for name, value in given.items():
        if name not in OPTIONS:
            raise TranscriptError(f"there is no option {_shown(name)}", name)
        values[name] = _option(name, OPTIONS[name].type, value)
    try:
        return replace(base, **values)
    except InvalidOptionError as error:
        raise TranscriptError(str(error), error.value) from error


def _option(name: str, kind: type, value: object) -> object:
    if issubclass(kind, Enum):
        return _member(kind, f"option {name}", value)
    if type(value) is not kind:
        _refuse(f"option {name}", "true or false" if kind is bool else "a whole number", value)
    return value


def read_entry(value: object) -> moves.Entry:
    """Return the move, undo or amendment that a line describes; raises TranscriptError."""
    line = _Fields(value, "move")
    do = line.get("do", str, "a move's name")
    if do == "undo":
        return moves.Undo()
    if do == "amend":
        return moves.Amend(line.whole("n"), read_move(line.get("move", dict, "a move")))
    return read_move(value)


def read_move(value: object) -> moves.Move:
    """Return the move that the value describes, which is neither undo nor amend; raises TranscriptError."""
    line = _Fields(value, "move")
    do = line.get("do", str, "a move's name")
    reader = _READERS.get(do)
    if reader is None:
        raise TranscriptError(f"there is no move {_shown(do)} here", do)
    return reader(line)


class _Fields:
    """The fields of a JSON object, read with their types checked."""

    def __init__(self, value: object, what: str) -> None:
        if not isinstance(value, dict):
            _refuse(what, "an object", value)
        self._values: dict[str, Any] = value

    def get(self, name: str, kind: type[_T], what: str, *, default: _T | None = None) -> _T:
        if name not in self._values and default is not None:
            return default
        if name not in self._values:
            raise TranscriptError(f"{name} is missing")
        value = self._values[name]
        if type(value) is not kind:
            _refuse(name, what, value)
        return value

    def has(self, name: str) -> bool:
        return name in self._values

    def one_of(self, name: str, kind: type[_E]) -> _E:
        return _member(kind, name, self.get(name, str, "a name"))

    def player(self) -> str:
        return self.get("player", str, "a player's name")

    def by(self) -> str | None:
        return self.get("by", str, "a player's name") if self.has("by") else None

    def whole(self, name: str) -> int:
        return self.get(name, int, "a whole number")

    def count(self) -> int:
        value = self.whole("cards")
        if value < 0:
            _refuse("cards", "a number of cards", value)
        return value

    def flag(self, name: str) -> bool:
        return self.get(name, bool, "true or false", default=False)

    def card(self) -> Card:
        return _card(self.get("card", str, "a card's name"))

    def cards(self) -> tuple[Card, ...]:
        return tuple(map(_card, self.get("cards", list, "a list of cards")))

    def color(self) -> Color:
        return self.one_of("color", Color)


def _card(name: object) -> Card:
    if not isinstance(name, str):
        _refuse("a card", "its name", name)
    try:
        return Card.parse(name)
    except UnknownCardError as error:
        raise TranscriptError(f"no card is called {_shown(name)}", name) from error


def _member(kind: type[_E], what: str, value: object) -> _E:
    try:
        return kind(value)
    except ValueError:
        _refuse(what, "one of " + ", ".join(str(member.value) for member in kind), value)


def _refuse(what: str, should: str, value: object) -> NoReturn:
    raise TranscriptError(f"{what} should be {should}, not {_shown(value)}", value)


def _shown(value: object) -> str:
    """Return the value as short JSON in one line."""
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _reveal(line: _Fields) -> moves.Move:
    if line.has("cards") == line.has("guilty"):
        raise TranscriptError("a reveal has either cards or guilty")
    return moves.Reveal(line.cards()) if line.has("cards") else moves.Judge(line.flag("guilty"))


_READERS: dict[str, Callable[[_Fields], moves.Move]] = {
    "start": lambda line: moves.Start(line.card()),
    "play": lambda line: moves.Play(line.card(), line.flag("force"), by=line.by()),
    "draw": lambda line: moves.Draw(by=line.by()),
    "pass": lambda line: moves.Pass(by=line.by()),
    "flip": lambda line: moves.Flip(line.card(), by=line.by()),
    "color": lambda line: moves.ChooseColor(line.color(), by=line.by()),
    "target": lambda line: moves.Target(line.player(), by=line.by()),
    "accept": lambda line: moves.Accept(by=line.by()),
    "challenge": lambda line: moves.Challenge(by=line.by()),
    "reveal": _reveal,
    "uno": lambda line: moves.Uno(line.player()),
    "catch": lambda line: moves.Catch(line.player()),
    "creeper": lambda line: moves.Creeper(line.player()),
    "reshuffle": lambda _: moves.Reshuffle(),
    "hand": lambda line: moves.Hand(line.player(), line.cards()),
    "count": lambda line: moves.Count(line.player(), line.count()),
}

_NAMES: dict[type, str] = {
    moves.Start: "start",
    moves.Play: "play",
    moves.Draw: "draw",
    moves.Pass: "pass",
    moves.Flip: "flip",
    moves.ChooseColor: "color",
    moves.Target: "target",
    moves.Accept: "accept",
    moves.Challenge: "challenge",
    moves.Reveal: "reveal",
    moves.Judge: "reveal",
    moves.Uno: "uno",
    moves.Catch: "catch",
    moves.Creeper: "creeper",
    moves.Reshuffle: "reshuffle",
    moves.Hand: "hand",
    moves.Count: "count",
    moves.Undo: "undo",
    moves.Amend: "amend",
}


def write_header(header: Header) -> dict[str, object]:
    """Return the first line of the match's transcript; options are given only where they differ from the edition's."""
    edition = header.edition
    options = {
        option.name: option.plain(header.options)
        for option in OPTIONS.values()
        if option.plain(header.options) != option.plain(edition.options)
    }
    return {
        "match": {
            "edition": edition.name.value,
            "players": list(header.players),
            "dealer": header.players[header.dealer],
            "options": options,
        }
    }


def write_entry(entry: moves.Entry) -> dict[str, object]:
    """Return the line for a move, an undo or an amendment; what is left at its default is left out."""
    line: dict[str, object] = {"do": _NAMES[type(entry)]}
    for field in fields(entry):
        value = getattr(entry, field.name)
        if value is not None and not (field.name == "force" and value is False):
            line[field.name] = _plain(value)
    return line


def write_effect(effect: Effect) -> dict[str, object]:
    """Return an effect as a transcript's output shows it."""
    return {"effect": effect.name, **{field.name: _plain(getattr(effect, field.name)) for field in fields(effect)}}


def write_state(state: State) -> dict[str, object]:
    """Return a state as a transcript's output shows it."""
    players = state.players
    return {
        "phase": state.phase.value,
        "round": state.round,
        "dealer": players[state.dealer],
        "turn": state.actor,
        "direction": state.direction.value,
        "top": state.top and state.top.name,
        "color": state.color and state.color.value,
        "hands": dict(zip(players, state.hands, strict=True)),
        "scores": dict(zip(players, state.scores, strict=True)),
        "winners": [players[seat] for seat in state.winners],
    }


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Card):
        return value.name
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, moves.Move):
        return write_entry(value)
    return value
