"""Hands as the table states them: corrected counts, and leftover hands for the score (R1, R28-R30)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from companion.cards import Card, Face
from companion.referee import moves
from companion.referee.actions.penalties import go_out_drawing
from companion.referee.draft import Draft
from companion.referee.effects import CountCorrected
from companion.referee.errors import (
    AlreadyScoredError,
    HandWorthTooMuchError,
    TooManyCardsError,
    TooManyCopiesError,
    TooManyForStepError,
)
from companion.referee.model.scoring import hand_points, shown_cards


def count(draft: Draft, move: moves.Count) -> None:
    """A player without cards has gone out (R28)."""
    seat = draft.header.seat(move.player)
    deck = draft.header.edition.size
    if move.cards > deck:
        raise TooManyCardsError(move.cards, deck)
    room = deck - sum(draft.hands) + draft.hands[seat]
    if move.cards > max(room, draft.hands[seat]):
        raise TooManyForStepError(move.cards, room)
    correct_count(draft, seat, move.cards)
    if move.cards == 0:
        go_out(draft, seat)


def correct_count(draft: Draft, seat: int, actual: int) -> None:
    believed = draft.hands[seat]
    if actual != believed:
        draft.effects.append(CountCorrected(draft.name(seat), believed, actual))
        draft.set_count(seat, actual)


def go_out(draft: Draft, seat: int) -> None:
    """End the round of a player without cards. An open draw card that the player laid is drawn for (R28, R37)."""
    if draft.laid_by == seat:
        go_out_drawing(draft, seat, Face.WILD_DRAW_FOUR)
    draft.end_round(seat)


def hand(draft: Draft, move: moves.Hand) -> None:
    """R28-R30."""
    seat = _awaited(draft, move.player)
    refuse_too_many(draft, move.cards)
    correct_count(draft, seat, len(move.cards))
    _take_in(draft, seat, move.cards)


def tally(draft: Draft, move: moves.Tally) -> None:
    """R1. The number of cards is not known."""
    seat = _awaited(draft, move.player)
    edition = draft.header.edition
    deck = sum(edition.points(card) * copies for card, copies in edition.deck.items())
    shown = sum(hand_points(hand, edition) for hand in draft.leftover if hand is not None)
    most = max(0, deck - shown)
    if move.points > most:
        raise HandWorthTooMuchError(move.points, most)
    _take_in(draft, seat, move.points)


def _awaited(draft: Draft, player: str) -> int:
    """Return the seat of a player whose remaining hand is missing; raises AlreadyScoredError if it is in."""
    seat = draft.header.seat(player)
    if draft.leftover[seat] is not None:
        raise AlreadyScoredError(draft.name(seat))
    return seat


def _take_in(draft: Draft, seat: int, hand: tuple[Card, ...] | int) -> None:
    """Keep a remaining hand; the last one scores the round (R29, R30)."""
    draft.set_fresh(seat, 0)
    draft.leftover = (*draft.leftover[:seat], hand, *draft.leftover[seat + 1 :])
    if None not in draft.leftover:
        draft.score_round()


def refuse_too_many(draft: Draft, cards: Iterable[Card]) -> None:
    """Raise TooManyCopiesError if these cards, the hands shown and the top card exceed the deck's copies."""
    assert draft.top is not None
    seen = Counter([draft.top])
    for hand in draft.leftover:
        seen.update(shown_cards(hand))
    for card in cards:
        seen[card] += 1
        if seen[card] > draft.header.edition.deck[card]:
            raise TooManyCopiesError(card, draft.header.edition.deck[card])
