"""Reads programs: lists of steps as EDITIONS.md, section 3, writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import companion.editions.program as verbs
from companion.cards import Color, Face
from companion.editions.definition.faults import Faults, Path
from companion.editions.definition.tables import Table
from companion.editions.edition import NUMBERS
from companion.editions.options import Option, OptionKind

MOST_STEPS = 12
MOST_NUMBER = 25
_CONDITION = re.compile(r"(not )?([a-z0-9_ '-]+?)(?:\s*=\s*(.+))?")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The IDs that a program may use."""

    colors: Mapping[str, Color]
    faces: Mapping[str, Face]
    marks: Mapping[str, verbs.Mark]
    options: Mapping[str, Option]


class StepReader:
    """Reads programs with one vocabulary."""

    def __init__(self, words: Vocabulary, faults: Faults) -> None:
        self._words = words
        self._faults = faults
        self.count = 0
        """How many steps were read."""

    def program(self, table: Table, key: str) -> verbs.Program:
        """Return the program under this key, empty if missing."""
        steps = table.list_of(key, dict, "steps", MOST_STEPS)
        self.count += len(steps)
        read = (self._step(Table(step, (*table.path, key, place), self._faults)) for place, step in enumerate(steps))
        return tuple(step for step in read if step is not None)

    def filter_of(self, value: object, path: Path, *, bears: bool = False) -> verbs.Filter:
        """Return a filter. bears: it is one of a mark's, which may not speak of marks or of the colour in force."""
        if value == "any" and isinstance(value, str):
            return verbs.ANY
        if not isinstance(value, dict):
            self._faults.add(path, 'must be "any" or a table')
            return verbs.ANY
        table = Table(value, path, self._faults)
        table.only({"color", "face", "number", "wild"} if bears else {"color", "face", "number", "mark", "wild"})
        if not value:
            table.fault(None, "is empty")
        in_force = value.get("color") == "in force"
        if in_force and bears:
            table.fault("color", "cannot be the colour in force here")
        mark = None
        if "mark" in table and not bears:
            name = table.text("mark")
            mark = None if name is None else self._words.marks.get(name)
            if name is not None and mark is None:
                table.fault("mark", f"there is no mark {name}")
        if "wild" in table and value["wild"] is not True:
            table.fault("wild", "must be true")
        return verbs.Filter(
            colors=None if in_force or "color" not in table else self._members(table, "color", self._words.colors),
            in_force=in_force and not bears,
            faces=self._members(table, "face", self._words.faces) if "face" in table else None,
            numbers=self._numbers(table) if "number" in table else None,
            mark=mark,
            wild="wild" in table,
        )

    def _members(self, table: Table, key: str, known: Mapping[str, Any]) -> frozenset[Any]:
        value = table.values[key]
        names = value if isinstance(value, list) else [value]
        found = set()
        for place, name in enumerate(names):
            where = (*table.path, key, place) if isinstance(value, list) else (*table.path, key)
            if not isinstance(name, str) or name not in known:
                self._faults.add(where, f"there is no {key} {name}" if isinstance(name, str) else "must be text")
            else:
                found.add(known[name])
        if not names:
            table.fault(key, "is empty")
        return frozenset(found)

    def _numbers(self, table: Table) -> frozenset[Face]:
        value = table.values["number"]
        if value is True:
            return frozenset(NUMBERS)
        if not isinstance(value, list) or not value:
            table.fault("number", "must be true or a list of 0 to 9")
            return frozenset(NUMBERS)
        for place, number in enumerate(value):
            if type(number) is not int or not 0 <= number <= 9:
                self._faults.add((*table.path, "number", place), "must be 0 to 9")
                return frozenset(NUMBERS)
        return frozenset(NUMBERS[number] for number in value)

    def _step(self, table: Table) -> verbs.Step | None:
        named = [key for key in table.values if key in _VERBS]
        if len(named) != 1:
            for key in table.values:
                if key not in _VERBS and key not in _FIELDS:
                    table.fault(key, "unknown verb")
            table.fault(None, "needs a verb" if not named else "has two verbs: " + " and ".join(named))
            return None
        verb = named[0]
        known, read = _VERBS[verb]
        for key in table.values:
            if key not in (verb, "if", *known):
                table.fault(key, f"does not go with {verb}" if key in _FIELDS else "unknown key")
        return read(self, table, verb, self._condition(table))

    def _condition(self, table: Table) -> verbs.Condition | None:
        text = table.text("if")
        if text is None:
            return None
        parts = _CONDITION.fullmatch(text)
        option = None if parts is None else self._words.options.get(parts[2])
        if parts is None or option is None:
            table.fault("if", f"there is no option {text if parts is None else parts[2]}")
            return None
        negated, given = bool(parts[1]), parts[3]
        if given is None:
            if option.kind is not OptionKind.FLAG:
                table.fault("if", f"{option.name} is not a flag: write {option.name} = VALUE")
            return verbs.Condition(option.name, True, negated)
        if negated:
            table.fault("if", "not goes with a flag alone")
        values: dict[str, str | bool | int] = {str(v).lower() if isinstance(v, bool) else v: v for v in option.values}
        if option.kind is OptionKind.NUMBER and given.isascii() and given.isdigit() and len(given) < 7:
            values = {given: int(given)}
        if given not in values:
            table.fault("if", f"{option.name} cannot be {given}")
            return None
        return verbs.Condition(option.name, values[given])

    def who(
        self,
        table: Table,
        default: verbs.Selector = verbs.Selector.SELF,
        allowed: tuple[verbs.Selector, ...] | None = None,
    ) -> verbs.Selector:
        """Return the selector of a step."""
        return table.one_of("who", verbs.Selector, allowed) or default

    def number(self, table: Table, key: str, most: int = MOST_NUMBER) -> int:
        """Return a number of cards or players."""
        return table.whole(key, 1, most, 1)

    def number_or(self, table: Table, key: str, word: str, most: int = MOST_NUMBER) -> int | None:
        """Return a number, None for the word."""
        value = table.values[key]
        if isinstance(value, str):
            if value != word:
                table.fault(key, f'must be 1 to {most} or "{word}"')
            return None
        return self.number(table, key, most)

    def true(self, table: Table, key: str) -> None:
        """Check that the verb's value is true."""
        if table.values[key] is not True:
            table.fault(key, "must be true")


_Reader = Callable[[StepReader, Table, str, verbs.Condition | None], verbs.Step]
_NEIGHBOURS = (verbs.Selector.CHOSEN, verbs.Selector.NEXT, verbs.Selector.PREVIOUS)


def _color(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    how = table.text(verb)
    if how not in (None, "choose", "random"):
        table.fault(verb, 'must be "choose" or "random"')
    who = reader.who(
        table, allowed=(verbs.Selector.SELF, verbs.Selector.NEXT, verbs.Selector.PREVIOUS, verbs.Selector.CHOSEN)
    )
    return verbs.ChooseColor(condition=when, random=how == "random", who=who)


def _target(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.ChooseTarget(
        condition=when,
        others=table.one_of(verb, verbs.Selector, (verbs.Selector.OTHERS, verbs.Selector.ALL))
        is not verbs.Selector.ALL,
    )


def _draw(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.DrawCards(condition=when, count=reader.number_or(table, verb, "told"), who=reader.who(table))


def _draw_until(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    wanted = reader.filter_of(table.values[verb], (*table.path, verb))
    return verbs.DrawUntil(condition=when, filter=wanted, who=reader.who(table))


def _draw_to(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.DrawTo(condition=when, count=reader.number_or(table, verb, "most"), who=reader.who(table))


def _skip(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.SkipTurns(condition=when, count=reader.number_or(table, verb, "all", 9))


def _plain(kind: Callable[..., verbs.Step]) -> _Reader:
    def read(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
        reader.true(table, verb)
        return kind(condition=when)

    return read


def _shed(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    wanted, who = reader.filter_of(table.values[verb], (*table.path, verb)), reader.who(table)
    if "exactly" in table:
        if wanted is not verbs.ANY:
            table.fault("exactly", 'goes with shed = "any" alone')
        if "up_to" in table:
            table.fault("up_to", "does not go with exactly")
        return verbs.ShedExactly(condition=when, count=reader.number_or(table, "exactly", "half"), who=who)
    up_to = reader.number(table, "up_to") if "up_to" in table else None
    return verbs.Shed(condition=when, filter=wanted, up_to=up_to, who=who)


def _swap(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.SwapHands(
        condition=when, partner=table.one_of(verb, verbs.Selector, _NEIGHBOURS) or verbs.Selector.NEXT
    )


def _pool(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    which = table.text(verb)
    if which not in (None, "all", "two"):
        table.fault(verb, 'must be "all" or "two"')
    return verbs.PoolHands(condition=when, two=which == "two")


def _refresh(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    reader.true(table, verb)
    return verbs.RefreshHand(condition=when, who=reader.who(table))


def _take(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.TakeDiscards(condition=when, count=reader.number(table, verb, 5), who=reader.who(table))


def _peek(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.PeekAtHand(condition=when, of=table.one_of(verb, verbs.Selector, _NEIGHBOURS) or verbs.Selector.NEXT)


def _reveal(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.Reveal(
        condition=when,
        filter=reader.filter_of(table.values[verb], (*table.path, verb)),
        who=reader.who(table, verbs.Selector.NEXT),
        yes=reader.program(table, "yes"),
        no=reader.program(table, "no"),
    )


def _dare(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    reader.true(table, verb)
    return verbs.Dare(
        condition=when,
        who=reader.who(table, verbs.Selector.NEXT),
        yes=reader.program(table, "yes"),
        no=reader.program(table, "no"),
    )


def _penalty(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    return verbs.Penalty(condition=when, count=reader.number(table, verb))


def _demand(reader: StepReader, table: Table, verb: str, when: verbs.Condition | None) -> verbs.Step:
    if "else" not in table:
        table.fault("else", "is missing")
    wanted = reader.filter_of(table.values[verb], (*table.path, verb))
    return verbs.Demand(condition=when, filter=wanted, otherwise=reader.number(table, "else"))


_VERBS: dict[str, tuple[tuple[str, ...], _Reader]] = {
    "color": (("who",), _color),
    "target": ((), _target),
    "draw": (("who",), _draw),
    "draw_until": (("who",), _draw_until),
    "draw_to": (("who",), _draw_to),
    "skip": ((), _skip),
    "reverse": ((), _plain(verbs.ReversePlay)),
    "again": ((), _plain(verbs.PlayAgain)),
    "turn_up": ((), _plain(verbs.TurnUp)),
    "shed": (("who", "up_to", "exactly"), _shed),
    "swap": ((), _swap),
    "rotate": ((), _plain(verbs.RotateHands)),
    "pool": ((), _pool),
    "refresh": (("who",), _refresh),
    "take": (("who",), _take),
    "peek": ((), _peek),
    "reveal": (("who", "yes", "no"), _reveal),
    "dare": (("who", "yes", "no"), _dare),
    "rule": ((), _plain(verbs.ReadRule)),
    "penalty": ((), _penalty),
    "demand": (("else",), _demand),
}
_FIELDS = {"if", "who", "up_to", "exactly", "yes", "no", "else"}
VERBS = tuple(_VERBS)
"""All verbs, in the order of EDITIONS.md."""
