"""Draw cards and skips: the next player draws and loses the turn."""

from __future__ import annotations

from companion.cards import Face
from companion.referee.draft import Draft
from companion.referee.effects import Why


def hit_next(draft: Draft, seat: int, face: Face) -> None:
    """Let the player after this seat draw what the face asks for, if anything, and lose the turn (R5, R6, R14, R16)."""
    victim = draft.after(seat)
    punish_next(draft, seat, face)
    draft.skip(victim)
    draft.turn_to(draft.after(victim))


def punish_next(draft: Draft, seat: int, face: Face) -> None:
    """Let the player after this seat draw what the face asks for, if anything."""
    penalty = draft.header.rules.penalties.get(face)
    if penalty is not None:
        draft.draw(draft.after(seat), penalty, face.value)


def go_out_drawing(draft: Draft, seat: int, face: Face) -> None:
    """Let the player after this seat draw for its last card, and the whole debt with it (R28, R37)."""
    if draft.header.rules.opens:
        draft.draw(draft.after(seat), draft.debt, Why.DEBT)
    else:
        punish_next(draft, seat, face)
