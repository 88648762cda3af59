"""The match transcript: reads and writes the JSON Lines of TRANSCRIPT.md.

Reading validates everything that does not depend on the rules, so the results are well typed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Set
from dataclasses import Field, fields, replace
from enum import Enum
from typing import Any, NoReturn, TypeVar

from companion.cards import Card, Color, UnknownCardError
from companion.editions.definition.faults import InvalidEditionError
from companion.editions.definition.parsing import with_values
from companion.editions.edition import Edition
from companion.editions.library import Library, NoSuchEditionError, edition_of
from companion.editions.options import InvalidOptionError, Option, OptionKind, Options
from companion.referee import moves
from companion.referee.effects import Effect
from companion.referee.errors import NoSuchPlayerError
from companion.referee.legality import asked
from companion.referee.model.names import fault
from companion.referee.state import Header, InvalidHeaderError, State

_T = TypeVar("_T")


class TranscriptError(ValueError):
    """A line cannot be read. `value` is the invalid value."""

    def __init__(self, message: str, value: object = None) -> None:
        super().__init__(message)
        self.value = value


def parse_line(line: bytes) -> object:
    """Return the line as a JSON value, without a byte order mark.

    Raises TranscriptError, also for duplicate keys and for NaN and infinities, which Python's parser accepts.
    """
    try:
        return _DECODER.decode(line.decode("utf-8-sig").strip())
    except TranscriptError as error:
        error.value = line
        raise
    except UnicodeDecodeError as error:
        raise TranscriptError("the text is not UTF-8", line) from error
    except json.JSONDecodeError as error:
        raise TranscriptError(f"not JSON: {error.msg} at column {error.colno}", line) from error
    except ValueError as error:
        raise TranscriptError("not JSON that can be read: a number is too long", line) from error
    except RecursionError as error:
        raise TranscriptError("not JSON that can be read: it is nested too deeply", line) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys; raises TranscriptError for a duplicate key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise TranscriptError(f"{_shown(next(key for key in keys if keys.count(key) > 1))} is given twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise TranscriptError(f"not JSON: {text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


_SHIPPED = Library()


def read_header(value: object, editions: Mapping[str, Edition] = _SHIPPED) -> Header:
    """Return the set-up that a transcript's first line describes; raises TranscriptError.

    editions: those that a header without a definition may name.
    """
    line = _Fields(value, "header")
    line.only("the header", {"match"})
    match = _Fields(line.get("match", dict, "an object"), "match")
    match.only("the match", {"edition", "players", "dealer", "profile", "options", "definition", "sha256"})
    edition = _read_edition(match, editions)
    players = match.get("players", list, "a list of names")
    for player in players:
        if not isinstance(player, str):
            _refuse("a player's name", "text", player)
    options = read_options(
        edition,
        match.get("profile", str, "a profile's name", default="official"),
        match.get("options", dict, "an object", default={}),
    )
    dealer = match.optional("dealer", match.player)
    try:
        header = Header(edition, tuple(players), max(0, len(players) - 1), options)
        return header if dealer is None else replace(header, dealer=header.seat(dealer))
    except NoSuchPlayerError as error:
        raise TranscriptError(f"the dealer {_shown(dealer)} is not among the players", dealer) from error
    except (InvalidHeaderError, InvalidOptionError) as error:
        raise TranscriptError(str(error), error.value) from error


def _read_edition(match: _Fields, editions: Mapping[str, Edition]) -> Edition:
    """Return the edition that a header embeds, or else names; raises TranscriptError."""
    name = match.get("edition", str, "a name")
    if not match.has("definition"):
        if match.has("sha256"):
            raise TranscriptError("sha256: there is no definition that it could be the hash of", name)
        try:
            return editions[name]
        except NoSuchEditionError:
            _refuse("edition", "the ID of an edition that is there", name)
    definition = match.get("definition", dict, "an object")
    try:
        edition = edition_of(definition)
    except InvalidEditionError as error:
        fault = error.faults[0]
        key = ".".join(["definition", fault.key]) if fault.path else "definition"
        raise TranscriptError(f"{key}: {fault.message}", definition) from error
    if edition.id != name:
        raise TranscriptError(f"definition.id: should be {_shown(name)}, as edition says", edition.id)
    if match.has("sha256") and match.get("sha256", str, "a hash") != edition.digest:
        raise TranscriptError("sha256: is not the hash of the definition", name)
    return edition


def read_options(edition: Edition, profile: str, given: Mapping[str, object]) -> Options:
    """Return the edition's options changed by the profile, then by the options given; raises TranscriptError."""
    if profile not in edition.profiles:
        raise TranscriptError(f"there is no profile {_shown(profile)}", profile)
    values = dict(edition.profiles[profile])
    for name, value in given.items():
        option = edition.offered.get(name)
        if option is None:
            raise TranscriptError(f"there is no option {_shown(name)}", name)
        try:
            values[name] = option.read(value)
        except InvalidOptionError:
            _refuse(f"option {name}", _possible(option), value)
    try:
        return with_values(edition.options, values)
    except InvalidOptionError as error:
        raise TranscriptError(str(error), error.value) from error


def _possible(option: Option) -> str:
    if option.kind is OptionKind.CHOICE:
        return "one of " + ", ".join(map(str, option.values))
    return "true or false" if option.kind is OptionKind.FLAG else "a whole number"


def read_entry(value: object, edition: Edition | None = None) -> moves.Entry:
    """Return the move, undo or amendment that a line describes; raises TranscriptError.

    edition: whose cards and colours it may name beside the printed ones.
    """
    line = _Fields(value, "move", edition)
    do = line.get("do", str, "a move's name")
    if do not in ("undo", "amend"):
        return read_move(value, edition)
    line.only(f"the move {do}", _ALLOWED[do])
    line.time()
    if do == "undo":
        return moves.Undo()
    return moves.Amend(line.whole("n"), read_move(line.get("move", dict, "a move"), edition))


def read_move(value: object, edition: Edition | None = None) -> moves.Move:
    """Return the move that the value describes, which is neither undo nor amend; raises TranscriptError."""
    line = _Fields(value, "move", edition)
    do = line.get("do", str, "a move's name")
    reader = _READERS.get(do)
    if reader is None:
        raise TranscriptError(f"there is no move {_shown(do)} here", do)
    line.only(f"the move {do}", _ALLOWED[do])
    line.time()
    return reader(line)


class _Fields:
    """The fields of a JSON object, read with their types checked."""

    def __init__(self, value: object, what: str, edition: Edition | None = None) -> None:
        if not isinstance(value, dict):
            _refuse(what, "an object", value)
        self._values: dict[str, Any] = value
        self._edition = edition

    def get(self, name: str, kind: type[_T], what: str, *, default: _T | None = None) -> _T:
        if name not in self._values:
            if default is None:
                raise TranscriptError(f"{name} is missing")
            return default
        value = self._values[name]
        if type(value) is not kind:
            _refuse(name, what, value)
        return value

    def only(self, what: str, names: Set[str]) -> None:
        """Raise TranscriptError where there are fields but these."""
        for name in self._values:
            if name not in names:
                raise TranscriptError(f"{what} has no field {_shown(name)}", name)

    def time(self) -> None:
        """Check `t`, the seconds since a recording began, which mean nothing here."""
        value = self._values.get("t", 0)
        if type(value) not in (int, float) or not 0 <= value < math.inf:
            _refuse("t", "a number of seconds", value)

    def has(self, name: str) -> bool:
        return name in self._values

    def player(self, field: str = "player") -> str:
        name = self.get(field, str, "a player's name")
        wrong = fault(name)
        if wrong is not None:
            raise TranscriptError(f"{field}: {wrong}", name)
        return name

    def optional(self, name: str, read: Callable[[str], _T]) -> _T | None:
        """Return the field as read by a method of this object, None if it is missing."""
        return read(name) if self.has(name) else None

    def by(self) -> str | None:
        return self.optional("by", self.player)

    def whole(self, name: str) -> int:
        return self.get(name, int, "a whole number")

    def count(self, name: str = "cards") -> int:
        return self._at_least_none(name, "a number of cards")

    def points(self, name: str = "points") -> int:
        return self._at_least_none(name, "a number of points")

    def target(self) -> int:
        """Return the points at which a match ends, 1 or more."""
        value = self.whole("points")
        if value < 1:
            _refuse("points", "a number of points above 0", value)
        return value

    def _at_least_none(self, name: str, what: str) -> int:
        value = self.whole(name)
        if value < 0:
            _refuse(name, what, value)
        return value

    def flag(self, name: str) -> bool:
        return self.get(name, bool, "true or false", default=False)

    def required_flag(self, name: str) -> bool:
        return self.get(name, bool, "true or false")

    def card(self, name: str = "card") -> Card:
        return self._card(self.get(name, str, "a card's name"))

    def cards(self) -> tuple[Card, ...]:
        return tuple(map(self._card, self.get("cards", list, "a list of cards")))

    def shed(self) -> tuple[Card, ...] | int:
        return self.cards() if self.has("cards") else self.count("count")

    def color(self) -> Color:
        name = self.get("color", str, "a name")
        colors = tuple(Color) if self._edition is None else tuple(self._edition.colors)
        found = next((color for color in colors if color.value == name), None)
        if found is None:
            _refuse("color", "one of " + ", ".join(color.value for color in colors), name)
        return found

    def _card(self, name: object) -> Card:
        if not isinstance(name, str):
            _refuse("a card", "its name", name)
        try:
            return Card.parse(name) if self._edition is None else self._edition.card(name)
        except UnknownCardError as error:
            raise TranscriptError(f"no card is called {_shown(name)}", name) from error


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


def _hand(line: _Fields) -> moves.Move:
    if line.has("cards") and line.has("points"):
        raise TranscriptError("a hand has either cards or points")
    return moves.Tally(line.player(), line.points()) if line.has("points") else moves.Hand(line.player(), line.cards())


def _shed(line: _Fields) -> moves.Move:
    if line.has("cards") == line.has("count"):
        raise TranscriptError("a shed has either cards or count")
    return moves.Shed(line.shed(), by=line.by())


_READERS: dict[str, Callable[[_Fields], moves.Move]] = {
    "start": lambda line: moves.Start(line.card()),
    "play": lambda line: moves.Play(line.card(), line.flag("force"), by=line.by()),
    "draw": lambda line: moves.Draw(by=line.by()),
    "pass": lambda line: moves.Pass(line.optional("card", line.card), by=line.by()),
    "flip": lambda line: moves.Flip(line.card(), by=line.by()),
    "color": lambda line: moves.ChooseColor(line.color(), by=line.by()),
    "target": lambda line: moves.Target(line.player(), by=line.by()),
    "accept": lambda line: moves.Accept(by=line.by()),
    "challenge": lambda line: moves.Challenge(by=line.by()),
    "reveal": _reveal,
    "uno": lambda line: moves.Uno(line.player()),
    "catch": lambda line: moves.Catch(line.player()),
    "creeper": lambda line: moves.Creeper(line.player()),
    "show": lambda line: moves.Show(line.player(), line.card()),
    "took": lambda line: moves.Took(line.count(), by=line.by()),
    "shed": _shed,
    "outcome": lambda line: moves.Outcome(line.required_flag("yes"), by=line.by()),
    "reshuffle": lambda _: moves.Reshuffle(),
    "hand": _hand,
    "count": lambda line: moves.Count(line.player(), line.count()),
    "join": lambda line: moves.Join(
        line.player(), line.optional("after", line.player), line.optional("score", line.points)
    ),
    "leave": lambda line: moves.Leave(line.player()),
    "rename": lambda line: moves.Rename(line.player(), line.player("name")),
    "retarget": lambda line: moves.Retarget(line.target()),
}

MOVE_NAMES = tuple(_READERS)
"""The names of all moves, apart from undo and amend."""

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
    moves.Show: "show",
    moves.Took: "took",
    moves.Shed: "shed",
    moves.Outcome: "outcome",
    moves.Reshuffle: "reshuffle",
    moves.Hand: "hand",
    moves.Tally: "hand",
    moves.Count: "count",
    moves.Join: "join",
    moves.Leave: "leave",
    moves.Rename: "rename",
    moves.Retarget: "retarget",
    moves.Undo: "undo",
    moves.Amend: "amend",
}


_ALLOWED: dict[str, set[str]] = {}
"""The fields that a line may have, by the move's name. Every move may have `t`."""
for _kind, _do in _NAMES.items():
    _ALLOWED.setdefault(_do, {"do", "t"}).update(field.name for field in fields(_kind))
_ALLOWED["shed"].add("count")


def field_name(field: Field[Any]) -> str:
    """Return the transcript's name of an effect's field. `with` is a keyword in Python, `name` is the effect's own."""
    return {"partner": "with", "new": "name"}.get(field.name, field.name)


def write_header(header: Header) -> dict[str, object]:
    """Return the first line of the match's transcript: only options that differ from the edition's.

    An edition that is not one of the printed ones is embedded (EDITIONS.md, section 11).
    """
    edition = header.edition
    options = {
        name: header.options.plain(name)
        for name in edition.offered
        if header.options.plain(name) != edition.options.plain(name)
    }
    embedded = {} if edition.is_printed else {"definition": edition.definition, "sha256": edition.digest}
    return {
        "match": {
            "edition": edition.id,
            "players": list(header.players),
            "dealer": header.players[header.dealer],
            "options": options,
            **embedded,
        }
    }


def write_entry(entry: moves.Entry) -> dict[str, object]:
    """Return the line for a move, an undo or an amendment, without fields at their default."""
    line: dict[str, object] = {"do": _NAMES[type(entry)]}
    for field in fields(entry):
        value = getattr(entry, field.name)
        if value is not None and not (field.name == "force" and value is False):
            line[field.name] = _plain(value)
    if isinstance(entry, moves.Shed) and isinstance(entry.cards, int):
        line["count"] = line.pop("cards")
    return line


def write_effect(effect: Effect) -> dict[str, object]:
    """Return an effect as JSON values."""
    shown = {field_name(field): _plain(getattr(effect, field.name)) for field in fields(effect)}
    return {"effect": effect.name, **shown}


def write_state(state: State) -> dict[str, object]:
    """Return a state as JSON values."""
    players = state.players
    return {
        "phase": state.phase.value,
        "round": state.round,
        "dealer": players[state.dealer],
        "turn": state.actor,
        "direction": state.direction.value,
        "top": state.top and state.top.name,
        "color": state.color and state.color.value,
        "debt": state.debt,
        "hands": dict(zip(players, state.hands, strict=True)),
        "scores": dict(zip(players, state.scores, strict=True)),
        "winners": [players[seat] for seat in state.winners],
        **({"left": dict(state.left)} if state.left else {}),
        **({"out": [players[seat] for seat in sorted(state.out)]} if state.header.edition.out_at else {}),
        **_asked(state),
    }


def _asked(state: State) -> dict[str, object]:
    ask = asked(state)
    return {} if ask is None else {"ask": {"verb": ask.verb, "why": ask.why}}


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
