"""Computes the cards that cannot have been seen yet: the deck minus what landed since the last shuffle."""

from __future__ import annotations

from collections import Counter

from companion.cards import Card
from companion.referee.effects import Dealt, SetAside
from companion.referee.match import Match, Step
from companion.referee.moves import Flip, Play, Reshuffle, Shed, Start


def landed_card(step: Step) -> Card | None:
    """Return the card that the move put on the discard pile and that stayed there, None if none did."""
    if isinstance(step.move, Start | Play | Flip) and not any(isinstance(effect, SetAside) for effect in step.effects):
        return step.move.card
    return None


def seen_cards(match: Match) -> Counter[Card]:
    """Return the cards that are or were face up since the last shuffle (R13), including the top card.

    Cards shown in a hand do not count: they can still land.
    """
    seen: Counter[Card] = Counter()
    for step in reversed(match.history):
        if isinstance(step.move, Reshuffle):
            top = step.state.top
            if top is not None:
                seen[top] += 1
            break
        if any(isinstance(effect, Dealt) for effect in step.effects):
            break
        card = landed_card(step)
        if card is not None:
            seen[card] += 1
        if isinstance(step.move, Shed) and not isinstance(step.move.cards, int):
            seen.update(step.move.cards)
    return seen


def draw_pile_size(match: Match, seen: Counter[Card]) -> int:
    """Return the draw pile's size by the counts; negative if it must have been reshuffled."""
    return match.header.edition.size - sum(match.state.hands) - seen.total()
