"""Points of hands, of rounds and of matches (R1, R3, R29, R30, R32)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.cards import Card
from companion.referee.editions import Scoring


def hand_points(hand: Iterable[Card] | int) -> int:
    """Return what a leftover hand is worth, its cards or what the table made of them (R1)."""
    return hand if isinstance(hand, int) else sum(card.points for card in hand)


def shown_cards(hand: tuple[Card, ...] | int | None) -> tuple[Card, ...]:
    """Return the cards of a leftover hand, none of one that is not in or of which only the points were told."""
    return hand if isinstance(hand, tuple) else ()


def highest_draws(cards: Sequence[Card]) -> tuple[int, ...]:
    """Return who drew the highest card for the deal, as positions in `cards`; several draw again (R3)."""
    values = [card.points if card.face.is_number else 0 for card in cards]
    return tuple(position for position, value in enumerate(values) if value == max(values))


def round_points(scoring: Scoring, winner: int, hands: Sequence[Iterable[Card] | int]) -> dict[int, int]:
    """Return the points that the round brings, by seat, in seat order (R29, R30)."""
    points = [hand_points(hand) for hand in hands]
    if scoring is Scoring.LOW_TOTAL:
        return dict(enumerate(points))
    return {winner: sum(points)}


def match_winners(scoring: Scoring, target: int, scores: Sequence[int]) -> tuple[int, ...]:
    """Return the seats that have won the match by their scores; none while nobody reached the target (R29, R30)."""
    if max(scores) < target:
        return ()
    best = min(scores) if scoring is Scoring.LOW_TOTAL else max(scores)
    return tuple(seat for seat, score in enumerate(scores) if score == best)
