"""Players who come to hold too many cards are out of the round (R54)."""

from __future__ import annotations

from companion.referee.draft import Draft
from companion.referee.effects import Eliminated


def eliminate(draft: Draft) -> None:
    """Let everybody with `out_at` cards or more be out, in turn order from the player to act, and play go on."""
    if max(draft.hands) < draft.header.edition.out_at:
        return
    actor = draft.actor
    owner = actor if draft.running is None else draft.running.seat
    for seat in (actor, *draft.others(actor)):
        if draft.hands[seat] >= draft.header.edition.out_at and draft.present > 1:
            _put_out(draft, seat)
    if draft.end_if_alone():
        return
    if actor in draft.out or owner in draft.out:
        draft.begin_turn(draft.after(owner))
    elif draft.laid_by in draft.out:
        draft.begin_turn(actor)


def _put_out(draft: Draft, seat: int) -> None:
    draft.deal_out({seat: 0})
    draft.out |= {seat}
    draft.effects.append(Eliminated(draft.name(seat)))
