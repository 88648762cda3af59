"""What the cards of an edition do with the options of a match: programs without steps that are switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from companion.cards import Card, Face
from companion.editions.edition import STANDARD, Answer, Edition, Start
from companion.editions.options import Options, Stacking, StartAction
from companion.editions.program import Ask, Condition, Penalty, Program, Step

_ACTIONS = (Face.DRAW_TWO, Face.REVERSE, Face.SKIP)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one edition with one set of options.

    played: programs of special faces. drawn: programs of faces that are shown when drawn. turned_up: mark and program
    of each card that bears one (R20). penalties: how many cards each draw card asks for. answers: faces that answer
    draw cards. opens: whether a draw card makes a debt, which may be stacked on or answered. set_aside: faces that
    cannot start the pile. applied: special faces whose program runs when they start it. single: cards without a second
    copy (R39).
    """

    played: Mapping[Face, Program]
    drawn: Mapping[Face, Program]
    turned_up: Mapping[Card, tuple[str, Program]]
    penalties: Mapping[Face, int]
    answers: Mapping[Face, Answer]
    opens: bool
    set_aside: frozenset[Face]
    applied: frozenset[Face]
    single: frozenset[Card]


@lru_cache(maxsize=256)
def rules_of(edition: Edition, options: Options) -> Rules:
    """Return the rules of the edition with these options."""
    special = {face: rules for face, rules in edition.faces.items() if face not in STANDARD}
    played = {face: _existing(rules.when_played, options) for face, rules in special.items()}
    answers = {face: rules.answers for face, rules in special.items() if rules.answers is not None}
    penalties = {Face.DRAW_TWO: 2, Face.WILD_DRAW_FOUR: 4}
    for face, program in played.items():
        if program and isinstance(program[-1], Penalty):
            penalties[face] = program[-1].count
    marks = {name: _existing(rules.when_turned_up, options) for name, rules in edition.marks.items()}
    turned_up = {}
    for card in edition.deck:
        for name, marked in edition.marks.items():
            if marked.when_turned_up and marked.mark.is_on(card):
                turned_up[card] = name, marks[name]
    redraws = options.start_action is StartAction.REDRAW
    set_aside = {Face.WILD_DRAW_FOUR, *(_ACTIONS if redraws else ())}
    for face, rules in edition.faces.items():
        if rules.start is Start.REDRAW or (rules.start is Start.APPLY and redraws):
            set_aside.add(face)
    return Rules(
        played=MappingProxyType(played),
        drawn=MappingProxyType(
            {
                face: _existing(rules.when_drawn, options)
                for face, rules in special.items()
                if rules.when_drawn is not None
            }
        ),
        turned_up=MappingProxyType(turned_up),
        penalties=MappingProxyType(penalties),
        answers=MappingProxyType(answers),
        opens=options.stacking is not Stacking.OFF or bool(answers),
        set_aside=frozenset(set_aside),
        applied=frozenset(face for face, rules in special.items() if rules.start is Start.APPLY),
        single=frozenset(card for card, copies in edition.deck.items() if copies == 1),
    )


def _existing(program: Program, options: Options) -> Program:
    """Return the steps that exist with these options."""
    return tuple(_inner(step, options) for step in program if _holds(step.condition, options))


def _inner(step: Step, options: Options) -> Step:
    if isinstance(step, Ask):
        return replace(step, yes=_existing(step.yes, options), no=_existing(step.no, options))
    return step


def _holds(condition: Condition | None, options: Options) -> bool:
    return condition is None or (options.plain(condition.option) == condition.value) != condition.negated
