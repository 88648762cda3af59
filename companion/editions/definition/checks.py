"""Checks programs before a match: for every combination of option values that their conditions can see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from companion.cards import Color
from companion.editions.definition.faults import Faults, Path
from companion.editions.edition import Edition
from companion.editions.options import Option, OptionKind
from companion.editions.program import (
    LAST_STEPS,
    Ask,
    ChooseColor,
    ChooseTarget,
    Condition,
    Dare,
    Demand,
    DrawCards,
    DrawUntil,
    Filter,
    Program,
    ReadRule,
    Reveal,
    ReversePlay,
    Selector,
    Shed,
    SkipTurns,
    Step,
    TurnUp,
)

MOST_COMBINATIONS = 256
_NOT_INSIDE = (*LAST_STEPS, Ask)

_Value = str | bool | int


class ProgramCheck:
    """Checks the programs of one edition. What is wrong is added to the faults."""

    def __init__(self, edition: Edition, faults: Faults) -> None:
        self._edition = edition
        self._faults = faults
        self._can_turn_up = any(rules.when_turned_up for rules in edition.marks.values())

    def played(self, program: Program, path: Path, *, has_text: bool, answers: bool, wild: bool) -> None:
        """Check a program of a played card. has_text: its face has a text. answers: it answers draw cards."""
        self._whole(program, path, has_text, answers=answers, turned_up=False, open_color=wild)

    def turned_up(self, program: Program, path: Path, *, has_text: bool) -> None:
        """Check a program of a mark."""
        self._whole(program, path, has_text, answers=False, turned_up=True, open_color=False)

    def drawn(self, program: Program, path: Path, *, has_text: bool) -> None:
        """Check a program of a card that is shown when drawn."""
        for place, step in enumerate(program):
            draws = isinstance(step, DrawCards) and step.count is not None and step.who is Selector.SELF
            if not draws and not isinstance(step, ReadRule):
                self._faults.add((*path, place), "must be a draw of a number for oneself, or rule")
        self._each(program, path, has_text, set(), turned_up=False)

    def _whole(
        self, program: Program, path: Path, has_text: bool, *, answers: bool, turned_up: bool, open_color: bool
    ) -> None:
        known = set(Selector) - {Selector.ASKED, Selector.CHOSEN} - (set() if answers else {Selector.AUTHOR})
        self._each(program, path, has_text, known, turned_up=turned_up)
        seen: set[tuple[Path, str]] = set()
        for values in self._combinations(program, path):
            for where, message in self._ways(_existing(program, path, values), values, open_color=open_color):
                if (where, message) not in seen:
                    seen.add((where, message))
                    self._faults.add(where, message)

    def _each(
        self, program: Program, path: Path, has_text: bool, known: set[Selector], *, turned_up: bool, inside: str = ""
    ) -> None:
        """Check what holds for each step by itself."""
        for place, step in enumerate(program):
            where = (*path, place)
            if inside and isinstance(step, _NOT_INSIDE):
                self._faults.add((*where, step.verb), f"cannot stand inside {inside}")
            if isinstance(step, Dare | ReadRule) and not has_text:
                self._faults.add((*where, step.verb), "needs a text on its face or mark")
            if isinstance(step, TurnUp) and (turned_up or not self._can_turn_up):
                what = "within when_turned_up never ends" if turned_up else "needs a mark with when_turned_up"
                self._faults.add((*where, step.verb), what)
            who = getattr(step, "who", Selector.SELF)
            if who in (Selector.ASKED, Selector.AUTHOR) and who not in known:
                what = "inside yes and no" if who is Selector.ASKED else "on a face with answers"
                self._faults.add((*where, "who"), f"{who.value} is known only {what}")
            if isinstance(step, ChooseColor) and not self._edition.has_colors:
                self._faults.add((*where, step.verb), "the deck has no colours")
            self._filter(step, where)
            if isinstance(step, Ask):
                for key, inner in (("yes", step.yes), ("no", step.no)):
                    asked = {*known, Selector.ASKED}
                    self._each(inner, (*where, key), has_text, asked, turned_up=turned_up, inside=key)
                    for number, each in enumerate(inner):
                        if isinstance(each, SkipTurns) and not step.who.is_single:
                            self._faults.add((*where, key, number, "skip"), "cannot stand where several are asked")

    def _filter(self, step: Step, where: Path) -> None:
        if not isinstance(step, DrawUntil | Shed | Reveal | Demand):
            return
        wanted = step.filter
        if not self._edition.has_colors and (wanted.in_force or wanted.colors is not None):
            self._faults.add((*where, step.verb, "color"), "the deck has no colours")
        elif not any(self._edition.has_filtered(wanted, color) for color in self._colors(wanted)):
            self._faults.add((*where, step.verb), "no card of the deck fits")

    def _colors(self, wanted: Filter) -> Iterator[Color | None]:
        yield from self._edition.colors if wanted.in_force else (None,)

    def _combinations(self, program: Program, path: Path) -> Iterator[Mapping[str, _Value]]:
        """Yield every combination of the values that the program's conditions can see."""
        seen: dict[str, dict[_Value, None]] = {}
        for condition in _conditions(program):
            option = self._edition.offered[condition.option]
            seen.setdefault(option.name, dict.fromkeys(_visible(option))).setdefault(condition.value)
        if prod(map(len, seen.values())) > MOST_COMBINATIONS:
            self._faults.add(path, f"its conditions have more than {MOST_COMBINATIONS} combinations of values")
            return
        for values in product(*seen.values()):
            yield dict(zip(seen, values, strict=True))

    def _ways(
        self, steps: list[tuple[Step, Path]], values: Mapping[str, _Value], *, open_color: bool
    ) -> Iterator[tuple[Path, str]]:
        """Yield what is wrong with the order of the steps."""
        skips = False
        for number, (step, where) in enumerate(steps):
            if isinstance(step, LAST_STEPS) and number + 1 < len(steps):
                yield (*where, step.verb), "must be the last step"
            if isinstance(step, ReversePlay) and skips:
                yield (*where, "reverse"), "cannot follow skip"
            skips = skips or isinstance(step, SkipTurns)
            if isinstance(step, Ask):
                inner = [each for key in ("yes", "no") for each in _inside(step, key, where, values)]
                if skips or any(isinstance(each, SkipTurns) for each, _ in inner):
                    yield from (
                        ((*at, "reverse"), "cannot follow skip") for each, at in inner if isinstance(each, ReversePlay)
                    )
                skips = skips or any(isinstance(each, SkipTurns) for each, _ in inner)
            if isinstance(step, DrawUntil) and step.filter.in_force and open_color:
                yield (*where, step.verb), "no card fits while the colour is open: choose it before"
            open_color = open_color and not isinstance(step, ChooseColor)
        yield from self._targets(steps, values)

    def _targets(
        self, steps: list[tuple[Step, Path]], values: Mapping[str, _Value], named: bool = False
    ) -> Iterator[tuple[Path, str]]:
        """Yield uses of `chosen` before anybody is named."""
        for step, where in steps:
            used = getattr(step, "who", None), getattr(step, "partner", None), getattr(step, "of", None)
            if Selector.CHOSEN in used and not named:
                key = "who" if used[0] is Selector.CHOSEN else step.verb
                yield (*where, key), "nobody is chosen yet: a target has to come before"
            named = named or isinstance(step, ChooseTarget)
            if isinstance(step, Ask):
                both = True
                for key in ("yes", "no"):
                    inner = _inside(step, key, where, values)
                    yield from self._targets(inner, values, named)
                    both = both and any(isinstance(each, ChooseTarget) for each, _ in inner)
                # Somebody is always asked, except where the chosen player or the author may be missing.
                named = named or (both and step.who not in (Selector.CHOSEN, Selector.AUTHOR))


def _inside(step: Ask, key: str, where: Path, values: Mapping[str, _Value]) -> list[tuple[Step, Path]]:
    return _existing(step.yes if key == "yes" else step.no, (*where, key), values)


def _existing(program: Program, path: Path, values: Mapping[str, _Value]) -> list[tuple[Step, Path]]:
    return [(step, (*path, place)) for place, step in enumerate(program) if _exists(step.condition, values)]


def _exists(condition: Condition | None, values: Mapping[str, _Value]) -> bool:
    return condition is None or (values[condition.option] == condition.value) != condition.negated


def _conditions(program: Program) -> Iterator[Condition]:
    for step in program:
        if step.condition is not None:
            yield step.condition
        if isinstance(step, Ask):
            yield from _conditions(step.yes)
            yield from _conditions(step.no)


def _visible(option: Option) -> tuple[_Value, ...]:
    """Return the values of an option; of a number one that no condition names, beside those named."""
    return (-1,) if option.kind is OptionKind.NUMBER else option.values
