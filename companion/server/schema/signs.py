"""What pages need to know of a face: which sign a drawn card shows for it, and whether it asks for a colour first."""

from __future__ import annotations

from collections.abc import Iterator

from companion.cards import Face
from companion.editions.edition import STANDARD, Edition, MarkRules
from companion.editions.program import (
    LAST_STEPS,
    Ask,
    ChooseColor,
    ChooseTarget,
    DrawCards,
    DrawUntil,
    Penalty,
    PoolHands,
    Program,
    Selector,
    Shed,
    Step,
    TurnUp,
)

_TELLING = (
    "penalty",
    "demand",
    "turn_up",
    "swap",
    "pool",
    "rotate",
    "refresh",
    "shed",
    "take",
    "peek",
    "dare",
    "reveal",
    "draw_until",
    "draw_to",
    "draw",
    "again",
    "skip",
    "reverse",
    "rule",
    "target",
)
"""Verbs with a sign, the most telling first."""


def sign_of_face(edition: Edition, face: Face) -> str | None:
    """Return the sign of a special face, None for standard faces and for those that only choose a colour.

    It is `answer` or `drawn`, a verb of EDITIONS.md, section 3, or `+N` for a draw card.
    """
    if face in STANDARD:
        return None
    rules = edition.face_rules(face)
    if rules.answers is not None:
        return "answer"
    if rules.when_drawn is not None:
        return "drawn"
    return _sign(rules.when_played)


def sign_of_mark(rules: MarkRules) -> str | None:
    """Return the sign of a mark, None if nothing happens when it is turned up."""
    return _sign(rules.when_turned_up)


def chooses_color_at_once(edition: Edition, face: Face) -> bool:
    """Return whether who plays a card with this face chooses the colour before anything else is asked (R17)."""
    if not face.is_wild or not edition.has_colors:
        return False
    for step in edition.face_rules(face).when_played:
        if isinstance(step, ChooseColor):
            return not step.random and step.who is Selector.SELF
        if isinstance(step, TurnUp) or _waits(step):
            return False
        if isinstance(step, LAST_STEPS):
            break
    return True


def _waits(step: Step) -> bool:
    return (
        isinstance(step, ChooseTarget | DrawUntil | Shed | Ask)
        or (isinstance(step, DrawCards) and step.count is None)
        or (isinstance(step, PoolHands) and step.two)
    )


def _sign(program: Program) -> str | None:
    steps = list(_all_steps(program))
    penalty = next((step for step in steps if isinstance(step, Penalty)), None)
    if penalty is not None:
        return f"+{penalty.count}"
    verbs = {step.verb for step in steps}
    return next((verb for verb in _TELLING if verb in verbs), None)


def _all_steps(program: Program) -> Iterator[Step]:
    for step in program:
        yield step
        if isinstance(step, Ask):
            yield from _all_steps((*step.yes, *step.no))
