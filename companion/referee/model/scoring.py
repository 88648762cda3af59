"""Points of hands, of rounds and of matches (R1, R3, R29, R30, R32)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.cards import Card
from companion.editions.edition import Edition
from companion.editions.options import Scoring


def card_points(card: Card, edition: Edition | None = None) -> int:
    """Return the points of a card in an edition (R1), the usual ones if it is unknown."""
    return card.points if edition is None else edition.points(card)


def hand_points(hand: Iterable[Card] | int, edition: Edition | None = None) -> int:
    """Return the points of a remaining hand, given as cards or as points already added up (R1)."""
    return hand if isinstance(hand, int) else sum(card_points(card, edition) for card in hand)


def shown_cards(hand: tuple[Card, ...] | int | None) -> tuple[Card, ...]:
    """Return the cards of a remaining hand; empty if it is not in, or if only its points are known."""
    return hand if isinstance(hand, tuple) else ()


def highest_draws(cards: Sequence[Card]) -> tuple[int, ...]:
    """Return the positions in `cards` of the highest card drawn for the deal. If several, they draw again (R3)."""
    values = [card.points if card.face.is_number else 0 for card in cards]
    return tuple(position for position, value in enumerate(values) if value == max(values))


def round_points(scoring: Scoring, winner: int, points: Sequence[int]) -> dict[int, int]:
    """Return the points scored in a round, by seat, in seat order (R29, R30). points: of each hand."""
    if scoring is Scoring.LOW_TOTAL:
        return dict(enumerate(points))
    return {winner: sum(points)}


def match_winners(scoring: Scoring, target: int, scores: Sequence[int]) -> tuple[int, ...]:
    """Return the seats that have won the match; empty until a player reaches the target (R29, R30)."""
    if max(scores) < target:
        return ()
    best = min(scores) if scoring is Scoring.LOW_TOTAL else max(scores)
    return tuple(seat for seat, score in enumerate(scores) if score == best)
