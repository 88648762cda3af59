"""State that a restart must preserve: what a table shows, what is pending, and everything that affects later steps."""

from __future__ import annotations

from dataclasses import replace

from companion.storage.store import Store
from companion.table.session.table import Table
from companion.table.state.observations import dump


def started_again(table: Table, store: Store, now: float) -> Table:
    """Return the table after a restart at this time (s)."""
    other = Table(store, clock=lambda: now, steady=lambda: now)
    assert other.resume(table.match_id) is not None
    return other


def standing(table: Table) -> dict[str, object]:
    """Return the state part by part. Numbers of questions and updates restart, as do the camera's clock and the
    announcement of the latest ruling.
    """
    view, session = table.view(), table.session
    assert session is not None
    known, revisions = session.known, session.revisions
    questions = [
        (q.kind, q.sentence, q.picture, q.waiting, [(c.label, c.entries, round(c.probability, 9)) for c in q.choices])
        for q in view.questions
    ]
    lately: tuple[object, ...] = ()
    if revisions is not None and revisions.known is known:
        lately = (
            revisions.base.journal.match.moves,
            revisions.modes,
            [dump(replace(seen, at=None)) for seen in revisions.seen],
        )
        lately = (
            (*lately, [round(hypothesis.weight, 9) for hypothesis in revisions.hypotheses]) if revisions.seen else ()
        )
    return {
        "state": view.state,
        "legal": view.legal,
        "prompt": view.prompt,
        "history": view.history,
        "questions": questions,
        "turns": (view.turns, view.turns_in_force, view.notices),
        "seats": view.seats,
        "pending": [dump(replace(pending, at=None)) for pending in session.pending],
        "moves that can be redone": session.undone,
        "arms counted": session.watch,
        "debts, and draws that may still be reported": (known.illegal_card, known.debts, known.noted, known.dropped),
        "arms": [(hand.track, hand.seat, hand.person, hand.drew) for hand in known.hands],
        "rulings that may be revised": lately,
    }


def unlike(table: Table, other: Table) -> list[str]:
    """Return the parts in which two tables differ."""
    one, two = standing(table), standing(other)
    return [part for part in one if one[part] != two[part]]
